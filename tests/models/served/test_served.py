"""Models behind an address: the numbers of their model, or a refusal with its reason."""

import csv
import json
import time
from itertools import combinations
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest

from socialbias.commands.compare_items import compare_items
from socialbias.commands.measure_items import decider, scorer_of
from socialbias.commands.subjects import open_subject
from socialbias.errors import UserError
from socialbias.models.items import Intersentence, Intrasentence, Pair
from socialbias.models.scoring import score
from socialbias.models.served import client, handshake, logprob_protocols
from socialbias.models.served.server import Server
from socialbias.sources.request import Timeouts
from socialbias.system.progress import Pace
from tests.models.served.stub import START, Pairs, serving
from tests.reliability import fault

FAST = Timeouts(connect=2, read=1, attempts=3, backoff=0.01)
WORDS = [f"a{letter}" for letter in "bcdefghi"]
ITEMS = [
    Intrasentence(f"The BLANK {verb} to school", (one, other))
    for verb in ("walked", "ran", "drove", "went", "sailed", "rode", "flew", "moved", "rushed")
    for one, other in combinations(WORDS, 2)
]
TEXTS = [text for item in ITEMS for text in item.sentences]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder of the test; failures are short."""
    monkeypatch.delenv(client.KEY, raising=False)
    monkeypatch.setattr(Server.__init__, "__defaults__", (FAST,))
    monkeypatch.setattr(client, "TOTAL", 2.0)
    return tmp_path


@pytest.fixture(scope="module")
def pairs():
    return Pairs([*TEXTS, "He is kind. She left"])


def by_hand(model, text):
    """The mean log-probability as StereoSet's code has it: the first word alone begins a text."""
    ids = model.tokens(text)
    return np.mean([model.logs[START, ids[0]], *model.of(ids)])


def write_items(path):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "term", "context", "stereotype", "anti-stereotype"])
        for i, item in enumerate(ITEMS):
            writer.writerow([i, f"term{i % 8}", item.context, *item.attributes])
    return path


@pytest.mark.parametrize("style", ["prompt", "next"])
def test_scores_are_those_of_the_model(pairs, style):
    with serving(pairs, style) as stub:
        scorer = scorer_of(subject := open_subject(f"{stub.address}/v1/", served=True))
        scores = score(scorer, ITEMS, ["sentence_released", "sentence_sum"])
        pair = score(scorer, [Pair(ITEMS[0].sentences)], ["sentence_sum"])["sentence_sum"]
        follows = score(scorer, [Intersentence("He is kind", ("She left",))], ["ratio"])["ratio"]
        decisions = decider(subject)(ITEMS)
    means = np.array([[by_hand(pairs, text) for text in item.sentences] for item in ITEMS])
    assert np.allclose(np.log(scores["sentence_released"].values), means)
    sums = [[sum(pairs.of([START, *pairs.tokens(t)])) for t in item.sentences] for item in ITEMS]
    assert np.allclose(scores["sentence_sum"].values, sums)
    assert np.allclose(pair.values[0], sums[0])
    assert (decisions == (means[:, 0] > means[:, 1])).all()
    assert 0.2 < decisions.mean() < 0.8
    she, left, kind = (pairs.words.index(word) for word in ("She", "left", "kind."))
    assert follows.values[0, 0] == pytest.approx(pairs.logs[kind, she] - pairs.logs[START, she])
    assert pairs.logs[she, left] < 0
    assert (
        subject.provenance()["way"]
        == (logprob_protocols.PROMPT if style == "prompt" else logprob_protocols.NEXT).name
    )


@fault(
    "a server of a model that answers another question than was asked",
    "it is refused before an item is scored, with the check that it failed",
)
@pytest.mark.parametrize(
    ("style", "fault", "check"),
    [
        ("prompt", "echo", logprob_protocols.EVERY_TOKEN),
        ("prompt", "template", logprob_protocols.EVERY_TOKEN),
        ("next", "template", logprob_protocols.EVERY_TOKEN),
        ("prompt", "random", handshake.TWICE),
        ("prompt", "first", handshake.SPLIT),
        ("next", "across prompts", handshake.SPLIT),
        ("prompt", "across prompts", handshake.CLOSED),
        ("prompt", "top k", handshake.CLOSED),
        ("next", "template, and does not say so", handshake.SHUFFLED),
    ],
)
def test_a_broken_server_is_refused_by_its_check(pairs, style, fault, check):
    with serving(pairs, style, fault) as stub, pytest.raises(logprob_protocols.Refused) as caught:
        decider(open_subject(stub.address, served=True))
    assert caught.value.check == check
    assert str(caught.value).startswith(f"{stub.address}: the server is refused: check '{check}': ")
    assert "\n" not in str(caught.value)


def test_two_servers_are_compared(pairs, place, capsys):
    items, worse = write_items(place / "items.csv"), Pairs(TEXTS, seed=2)
    with serving(pairs) as old, serving(worse, "next") as new:
        result = compare_items(old.address, new.address, items, margin=0.3)
    assert "requests, about 0:" in capsys.readouterr().err
    assert result.value == pytest.approx(by_terms(worse) - by_terms(pairs))
    assert [entry["address"] for entry in result.provenance[:2]] == [old.address, new.address]


def decided_by_hand(model):
    means = np.array([[by_hand(model, text) for text in item.sentences] for item in ITEMS])
    return means[:, 0] > means[:, 1]


def by_terms(model):
    return np.mean([np.mean(decided_by_hand(model)[term::8]) for term in range(8)])


@fault("a server of a model that dies in a comparison", "one line")
def test_a_server_that_dies_is_an_error(pairs):
    with serving(pairs) as stub:
        ask = decider(open_subject(stub.address, served=True))
        stub.left = 40
        with pytest.raises(UserError, match=r"/v1/completions: .*\(503\): gone$"):
            ask(ITEMS)


def test_a_text_is_asked_for_once(pairs):
    with serving(pairs) as stub:
        ask = decider(open_subject(stub.address, served=True))
        shaken = set(stub.asked)
        assert (ask(ITEMS) == decided_by_hand(pairs)).all()
        ask(ITEMS)
        asked = [each for each in stub.asked if each not in shaken]
    assert len([path for path, _ in asked if path == "/v1/completions"]) == len(set(TEXTS))


@fault("a server that gets another model in a run", "an error")
@pytest.mark.parametrize("style", ["prompt", "next"])
def test_a_model_that_changes_in_a_run_is_an_error(pairs, style):
    with serving(pairs, style) as stub:
        ask = decider(open_subject(stub.address, served=True))
        stub.model = Pairs(TEXTS, seed=9)
        with pytest.raises(UserError, match="the model changed during the run: start again"):
            ask(ITEMS[:9])


@fault("an interrupt while a server hangs", "the command ends without waiting for it")
def test_an_interrupt_does_not_wait_for_answers(pairs, monkeypatch):
    over, answered = Event(), []

    def ask(question):
        if question:
            over.wait(30)
            answered.append(question)

    with serving(pairs) as stub:
        asked = Server(stub.address)
        monkeypatch.setattr(Pace, "due", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            asked.in_parallel(ask, range(20))
    assert not answered
    over.set()


def _interrupt(pace):
    raise KeyboardInterrupt


@fault("a server that asks to wait", "its request is repeated, until it has waited long enough")
def test_a_server_that_asks_to_wait_is_asked_again(pairs):
    waits, patient = [], Timeouts(attempts=2, max_wait=20)
    with serving(pairs) as stub:
        asked = client.Client(stub.address, patient)
        asked.stopped = SimpleNamespace(wait=waits.append)
        busy = sent(b"", 429, Retry_After="2")

        def soon(handler, answer):
            stub.answer = None if len(waits) == 4 else soon
            busy(handler, answer)

        stub.answer = soon
        body = {"prompt": [START, 1], "logprobs": 1}
        assert asked.send("/v1/completions", body)["choices"]
        assert waits == [2] * 5
        stub.answer = busy
        with pytest.raises(UserError, match=r"\(429\)"):
            asked.send("/v1/completions", body)
        assert waits == [2] * 15
        asked.stopped = Event()
        asked.stopped.set()  # another request failed, or the user interrupts
        before = len(stub.asked)
        with pytest.raises(UserError, match=r"\(429\)"):
            asked.send("/v1/completions", body)
        assert len(stub.asked) == before + 1


def test_a_server_whose_texts_have_no_tokens_is_an_error():
    nothing = Pairs()
    nothing.tokens = lambda text: []
    with serving(nothing) as stub, pytest.raises(UserError, match="gives no token of a text"):
        open_subject(stub.address, served=True)


@fault("a server that repeats the key in its error", "the key is cut out of the line")
def test_the_key_is_sent_and_appears_nowhere(pairs, place, monkeypatch, capsys):
    secret = "sk-very-secret-1"
    monkeypatch.setenv(client.KEY, secret)
    items = write_items(place / "items.csv")
    with serving(pairs) as stub:
        result = compare_items(stub.address, stub.address, items)
        assert {h.get("Authorization") for h in stub.headers} == {f"Bearer {secret}"}

        def refusing(handler, answer):
            told = f"wrong key {handler.headers['Authorization']}"
            handler._send(401, json.dumps({"error": {"message": told}}).encode())

        stub.answer = refusing
        with pytest.raises(UserError) as caught:
            decider(open_subject(stub.address, served=True))
    assert "(401): wrong key Bearer ***" in str(caught.value)
    result.to_html(place / "page.html")
    result.to_json(place / "result.json")
    written = b"".join(path.read_bytes() for path in place.rglob("*") if path.is_file())
    assert b"127.0.0.1" in written
    assert secret not in written.decode("utf-8", "replace") + "".join(capsys.readouterr())


def test_a_redirect_is_not_followed_and_gets_no_key(pairs, monkeypatch):
    monkeypatch.setenv(client.KEY, "secret")
    with serving(pairs) as other, serving(pairs) as stub:
        stub.answer = lambda handler, answer: handler._send(
            307, b"", Location=f"{other.address.replace('127.0.0.1', 'localhost')}/v1/completions"
        )
        with pytest.raises(UserError, match="redirects to localhost, which is not followed"):
            decider(open_subject(stub.address, served=True))
        assert not other.headers


def sent(content, status=200, **headers):
    return lambda handler, answer: handler._send(status, content, **headers)


def cut(handler, answer):
    handler._send(200, b'{"choices": [', Content_Length=1000, Connection="close")
    handler.close_connection = True


def hangs(handler, answer):
    time.sleep(3)


def drips(handler, answer):
    handler._send(200, b"", Content_Length=9999)
    for _ in range(30):
        handler.wfile.write(b" ")
        time.sleep(0.1)


def logs(values):
    def answered(handler, answer):
        answer["choices"][0]["logprobs"]["token_logprobs"][1] = values
        handler._send(200, json.dumps(answer).encode())

    return answered


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (sent(b"<html>Welcome</html>", Content_Type="text/html"), r"a JSON object \(text/html\)"),
        (sent(b'{"choices": [{"logp'), "not a JSON object"),
        (sent(b"[1, 2]"), "not a JSON object"),
        (sent(b'{"choices": 7}'), "log-probabilities of 0 tokens"),
        (sent(b'{"choices": [{"logprobs": {"token_logprobs": {}}}]}'), "of 0 tokens"),
        (sent(b"{}", 500), r"\(500\)"),
        (sent(b'{"detail": 1}', 400), r"\(400\)"),
        (sent(b"", 429, Retry_After="9999"), r"\(429\) and asks to wait 9999 s"),
        (cut, "connection"),
        (hangs, "stopped sending"),
        (drips, "did not finish its answer within 2 s"),
        (logs(float("nan")), "gave nan as a log-probability"),
        (logs(0.5), r"gave 0\.5 as"),
        (logs("-1.5"), "what is no number"),
        (logs(True), "what is no number"),
    ],
)
def test_a_bad_answer_is_one_line(pairs, answer, message):
    with serving(pairs) as stub:
        stub.answer = answer
        with pytest.raises(UserError, match=message) as caught:
            decider(open_subject(stub.address, served=True))(ITEMS[:2])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    ["http://", "http:///v1", "http:/one", "http://h:port", "http://h:99999", "http://[::1",
     "http://a b", "http://h?key=1", "http://user:secret@h", "http://h\n.x", "https://ä ö"],
)  # fmt: skip
def test_a_bad_address_is_one_line_without_a_password(address):
    with pytest.raises(UserError) as caught:
        open_subject(address, served=True)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_model_is_named(pairs):
    with serving(pairs) as stub:
        assert open_subject(f"{stub.address}#tiny", served=True).name == f"tiny@{stub.address[7:]}"
        with pytest.raises(UserError, match=r"no model 'tin': tiny; did you mean"):
            open_subject(f"{stub.address}#tin", served=True)

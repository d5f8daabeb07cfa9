"""Arguments of a wrong type: each is one line that names the parameter, before anything is read."""

import inspect

import pandas as pd
import pytest

import socialbias
from socialbias.commands.arguments import check
from socialbias.commands.settings import Options
from socialbias.errors import UserError

WORDS = {word: [i, 1.0, i % 3] for i, word in enumerate(("she", "he", "nurse", "pilot"))}
DECISIONS = {"first": [0, 1], "second": [1, 0], "terms": ["a", "b"]}
# The functions, with what they require; no file is read before an argument is refused.
FUNCTIONS = {
    "audit": {"subject": WORDS},
    "audit_seeds": {"subject": WORDS, "seeds": "seeds.txt"},
    "compare": {"first": WORDS, "second": WORDS},
    "compare_decisions": DECISIONS,
    "compare_items": {"first": "a", "second": "b", "items": "items.csv"},
    "measure": {"subject": WORDS},
    "measure_predictions": {"table": "table.csv"},
    "power": {"measure": "weat", "bias": 0.5},
    "reference": {},
    "verdict": {"published": "published.csv", "ours": "ours.csv"},
    "verify": {"folder": "folder"},
}
# Of other errors: what is read of any subject, and numbers of any form.
ELSEWHERE = ("subject", "first", "second", "texts")


def parameters(function):
    named = inspect.signature(getattr(socialbias, function)).parameters
    return [name for name in named if name not in ELSEWHERE]


def test_completion_shows_every_option_by_name():
    for function in ("measure", "compare"):
        named = inspect.signature(getattr(socialbias, function)).parameters
        assert Options.__annotations__.keys() <= named.keys()
        assert "options" not in named


def test_a_result_is_shown_in_five_lines():
    result = socialbias.measure("example", targets=["film", "family"])
    assert repr(result).splitlines() == [line for line in str(result).splitlines() if line][:5]


@pytest.mark.parametrize(
    ("function", "name"), [(each, name) for each in FUNCTIONS for name in parameters(each)]
)
def test_an_argument_of_a_wrong_type_is_named(function, name):
    with pytest.raises(
        UserError, match=r"\A(reference: no )?" + name + r"\b.*<object object at .*\Z"
    ):
        getattr(socialbias, function)(**FUNCTIONS[function] | {name: object()})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: socialbias.measure(WORDS, reference=3.2),
            "reference: must be text or a path or numbers by name, not 3.2",
        ),
        (
            lambda: socialbias.audit(WORDS, only="weat"),
            "only: must be a list, not 'weat'",
        ),
        (
            lambda: socialbias.power("weat", 0.5, n=["a"]),
            "n: must be a list of whole numbers, not ['a']",
        ),
        (
            lambda: socialbias.compare_decisions(**DECISIONS, names=7),
            "names: must be a list of two, not 7",
        ),
        (
            lambda: socialbias.compare_decisions(**DECISIONS, labels={"item": 1}),
            "labels: must be lists by name, not {'item': 1}",
        ),
    ],
)
def test_an_error_says_what_is_expected(call, message):
    with pytest.raises(UserError) as error:
        call()
    assert str(error.value).startswith(message)


def test_a_value_of_any_allowed_form_is_taken():
    for value in (None, pd.Series([1, 2]), pd.array([3])):
        check("n", value, "Sequence[int] | None")
    check("table", pd.DataFrame({"group": ["a"]}), "str | Path | Mapping[str, Sequence]")
    with pytest.raises(UserError, match="n: must be a list of whole numbers, not "):
        check("n", pd.Series([0.5]), "Sequence[int] | None")

"""Decisions from logs of harnesses, and what a file of decisions may contain."""

import json
import math
from dataclasses import replace

import pytest

from socialbias import compare_logs
from socialbias.commands.cli.outputs import every_eval_ever
from socialbias.commands.decision_files import decided, is_log, read_log
from socialbias.errors import UserError
from tests import evaluation_logs as logs

MORE, LESS = 0, 1
HALF = [MORE, LESS] * 8  # the pairs of gender and of age
PAIRS = logs.crows_pairs()


def pairs(path, chosen, **more):
    return logs.lm_eval(path, PAIRS[: len(chosen)], chosen, logs.sentences, **more)


def results(path, **more):
    """Write the results of a run beside its samples."""
    run = {"n-shot": {"pairs": 0}, "versions": {"pairs": 1.0}, "lm_eval_version": "0.4.13"}
    run |= {"config": {"random_seed": 0}, "higher_is_better": {"pairs": {"acc": True}}} | more
    path.with_name("results_2026.json").write_text(json.dumps(run))


def test_samples_of_lm_eval_are_paired_by_content_and_not_by_number(tmp_path):
    first = pairs(tmp_path / "a.jsonl", HALF)
    turned = PAIRS[::-1]
    for i, pair in enumerate(turned):
        turned[i] = pair | {"id": 100 + i}
    chosen = [MORE] * 4 + HALF[:12][::-1]  # the last four pairs, two of age, changed
    second = logs.lm_eval(tmp_path / "b.jsonl", turned, chosen, logs.sentences)
    result = compare_logs(first, second)
    assert result.value == pytest.approx(2 / 16)
    assert (result.n, result.n_of, len(result.rows)) == (16, 16, 16)
    assert {item["domain"] for item in result.changed_items} == {"age"}
    assert result.by_domain["age"]["difference"] == pytest.approx(2 / 8)
    assert result.by_domain["gender"]["p, Holm"] == 1


def test_a_corpus_with_numbers_of_documents_is_no_log(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"doc_id": 1, "text": "The baker slept."}\n')
    assert not is_log(path)


def test_a_tie_is_half_a_decision(tmp_path):
    path = pairs(tmp_path / "a.jsonl", HALF)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["filtered_resps"] = [["-3.5", "False"], ["-3.5", "False"]]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert [each.decisions for each in decided(read_log(path)).values()][:2] == [[0.5], [0.0]]


def test_choices_without_their_context_do_not_count(tmp_path):
    path = pairs(tmp_path / "a.jsonl", HALF, prompt="Which?")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        row["filtered_resps"] += [["-0.1", "False"], ["-9", "False"]]
        for k, text in enumerate(logs.sentences(row["doc"]), 2):
            row["arguments"][f"gen_args_{k}"] = {"arg_0": "", "arg_1": text}
    path.write_text("\n".join(map(json.dumps, rows)))
    assert [each.decisions[0] for each in decided(read_log(path)).values()] == [1.0, 0.0] * 8


def test_scores_of_bbq_are_those_by_hand(tmp_path):
    biased, other, unknown = range(3)
    kinds = {
        "ambig": [biased] * 10 + [other] * 2 + [unknown] * 4,  # (10 - 2) / 16
        "disambig": [biased] * 8 + [other] * 4 + [unknown] * 4,  # 2 * 8 / 12 - 1
    }
    items, chosen = logs.bbq(), []
    for item in items:
        texts, kind = logs.answers(item), kinds[item["context_condition"]].pop()
        old = next(i for i in (0, 1) if "apprentice" not in texts[i])
        negative = item["question_polarity"] == "neg"
        chosen.append(3 if kind == unknown else old if (kind == biased) == negative else 1 - old)
    path = logs.lm_eval(tmp_path / "a.jsonl", items, chosen, logs.answers)
    result = compare_logs(path, path)
    assert "BBQ's scores: sAMB 0.500, sDIS 0.333 (" in " ".join(result.notes)
    assert (len(result.rows), result.value) == (8, 0)  # a term is a question of a category
    assert [*result.by_domain] == ["Age, ambig", "Age, disambig"]


def test_epochs_are_one_item_and_invalid_answers_are_bounded(tmp_path):
    first = logs.inspect(tmp_path / "a.eval", ["A", "B"] * 16, epochs=2)
    second = logs.inspect(tmp_path / "b.eval", ["A", "B"] * 15 + ["A", ""], epochs=2)
    result = compare_logs(first, second, margin=0.5)
    assert (result.n, result.title) == (16, "decisions of mock/b compared with those of mock/a")
    # The last item of the second is 1 of its valid answers, and 1/2 or 1 of all: 0 or 1/2 more.
    assert result.value == pytest.approx(0.5 / 16)
    text = " ".join(result.notes)
    assert "invalid answers or refusals: 1 of 32 (mock/b)" in text
    assert "1 item lacks an answer of a model" in text
    assert "the difference is 0.000 to 0.031" in text


def test_the_valid_epochs_of_an_item_count_and_rounding_is_no_change(tmp_path):
    first = logs.inspect(tmp_path / "a.json", ["A", "", ""] * 16, epochs=3)
    second = logs.inspect(tmp_path / "b.json", ["A"] * 48, epochs=3)
    result = compare_logs(first, second)
    assert (result.value, result.n, result.changed_items) == (0, 16, [])
    assert "the difference is 0.000 to 0.667" in " ".join(result.notes)


@pytest.mark.parametrize("name", ["a.eval", "a.json"])
def test_logs_of_inspect_are_read_in_both_forms(tmp_path, name):
    items = decided(read_log(logs.inspect(tmp_path / name, ["A"] * 4 + ["B"] * 12)))
    assert [each.decisions for each in items.values()] == [[1.0]] * 4 + [[0.0]] * 12
    by_metric = decided(read_log(tmp_path / name), term="bias_type", metric="1-choice")
    assert sum(each.decisions[0] for each in by_metric.values()) == 12
    assert {each.labels["term"] for each in by_metric.values()} == {"age", "gender"}


def test_runs_of_helm_are_read(tmp_path):
    first = logs.helm(tmp_path / "a", ["A"] * 10 + ["B"] * 6)
    second = logs.helm(tmp_path / "b", ["A"] * 11 + ["B"] * 4 + ["I would rather not say."])
    result = compare_logs(first, second / "scenario_state.json")
    assert (result.value, result.n, result.n_of) == (pytest.approx(1 / 15), 15, 16)
    result = compare_logs(first, second, metric="1-exact_match")
    assert result.value == pytest.approx(-1 / 15)
    assert result.changed == {"higher": 0, "lower": 1, "of": 15}
    assert result.direction == "above 0: 1-exact_match is higher in the second (worse)"


def test_filters_repeat_no_item_and_what_differs_is_noted(tmp_path):
    for name, seed in (("a", 0), ("b", 1)):
        (tmp_path / name).mkdir()
        path = pairs(tmp_path / name / "samples_pairs_2026.jsonl", HALF)
        again = path.read_text().replace('"filter": "none"', '"filter": "strict"')
        path.write_text(path.read_text() + again)
        results(path, config={"random_seed": seed})
    result = compare_logs(*(tmp_path / name / path.name for name in "ab"))
    assert (result.n, result.value) == (16, 0)
    assert (
        "random_seed: 0 in a/samples_pairs_2026.jsonl, 1 in b/samples_pairs_2026.jsonl"
        in result.notes
    )


def test_items_of_one_log_are_counted(tmp_path):
    result = compare_logs(pairs(tmp_path / "a.jsonl", HALF), pairs(tmp_path / "b.jsonl", HALF[:12]))
    assert "items in one log alone: 4 (a.jsonl)" in result.notes
    assert (result.n, result.n_of) == (12, 16)


def shots(folder):
    for name, n in (("a", 0), ("b", 5)):
        (folder / name).mkdir()
        results(pairs(folder / name / "samples_pairs_2026.jsonl", HALF), **{"n-shot": {"pairs": n}})
    return folder / "a" / "samples_pairs_2026.jsonl", folder / "b" / "samples_pairs_2026.jsonl"


def template(folder):
    return pairs(folder / "a.jsonl", HALF), pairs(folder / "b.jsonl", HALF, prompt="<user>")


def other_items(folder):
    docs = [pair | {"sent_more": f"Once, {pair['sent_more']}"} for pair in PAIRS]
    second = logs.lm_eval(folder / "b.jsonl", docs, HALF, logs.sentences)
    return pairs(folder / "a.jsonl", HALF), second


def two_harnesses(folder):
    return pairs(folder / "a.jsonl", HALF), logs.helm(folder / "b", ["A"] * 16)


def unfinished(folder):
    path = logs.inspect(folder / "a.json", ["A"] * 16, status="error")
    return path, path


def compressed(folder):
    (folder / "a.eval").write_bytes(b"PK")
    return folder / "a.eval", folder / "a.eval"


def cut(folder):
    path = pairs(folder / "a.jsonl", HALF)
    path.write_text(path.read_text()[:-30])
    return path, path


def no_roles(folder):
    docs = [{"question": f"{i}?", "term": "x"} for i in range(8)]
    path = logs.lm_eval(folder / "a.jsonl", docs, [0] * 8, lambda doc: ["yes", "no"])
    return path, path


def no_terms(folder):
    docs = [{"stereotype": f"{i}", "anti_stereotype": "no"} for i in range(8)]
    path = logs.lm_eval(folder / "a.jsonl", docs, [0] * 8, lambda doc: [doc["stereotype"], "no"])
    return path, path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (shots, r"they differ in number of shots \(0 and 5\): run both alike"),
        (
            template,
            r"the prompts differ \(examples, chat template, .* in 16 items, such as doc_id 0",
        ),
        (other_items, "they have no item in common"),
        (two_harnesses, "are logs of lm-evaluation-harness and HELM: use one"),
        (unfinished, "its status is 'error': finish it"),
        (compressed, "not a log of Inspect"),
        (cut, "a.jsonl, line 16: not JSON"),
        (no_roles, r"do not say which answer is the stereotype: .* 1-NAME .* \(metrics: acc\)"),
        (
            no_terms,
            r"no term: name its field with --targets, or --targets item \(fields: stereotype, anti",
        ),
    ],
)
def test_logs_that_are_refused(tmp_path, make, message):
    with pytest.raises(UserError, match=message) as refused:
        compare_logs(*make(tmp_path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"metric": "pct"}, "doc_id 0: no metric pct from 0 to 1 .metrics: acc."),
        ({"metric": "acc"}, "metric acc: higher is better: write 1-acc"),
        ({"term": "job"}, r"no field job \(fields: id, sent_more"),
    ],
)
def test_options_that_do_not_fit_a_log_are_refused(tmp_path, how, message):
    path = pairs(tmp_path / "samples_pairs_2026.jsonl", HALF)
    results(path)
    with pytest.raises(UserError, match=message):
        compare_logs(path, path, **how)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        *(("1", 1), ("0.25", 0.25), ("True", 1), ("false", 0), ("yes", 1), ("NO", 0)),
        *(("50 %", 0.5), ("7%", 0.07), ("stereotype", 1), ("anti-stereotype", 0)),
        *(("", math.nan), ("nan", math.nan), ("refusal", math.nan)),
        *(
            ("2", "is not a number from 0 to 1"),
            ("maybe", "write the decision 'maybe' as 1 or 0, or yes or no"),
        ),
        ("0,5", "write decimals with a point"),
    ],
)
def test_words_and_percentages_are_decisions(tmp_path, text, decision):
    path = tmp_path / "a.csv"
    path.write_text(f'item,term,decision\na,x,"{text}"\nb,y,1\n')
    if isinstance(decision, str):
        with pytest.raises(UserError, match=decision):
            read_log(path)
        return
    found = decided(read_log(path))
    assert next(iter(found.values())).decisions == pytest.approx([decision], nan_ok=True)


def test_a_decision_is_a_record_of_every_eval_ever(tmp_path):
    """Its keys are those that the schema 0.3.0 requires."""
    rows = {name: ["item,term,decision"] for name in ("a.csv", "b.csv")}
    for i in range(60):
        rows["a.csv"].append(f"{i},t{i % 12},{i % 2}")
        rows["b.csv"].append(f"{i},t{i % 12},1")
    for name, lines in rows.items():
        (tmp_path / name).write_text("\n".join(lines))
    result = compare_logs(str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), margin=0.1)
    record = json.loads(every_eval_ever(result))
    assert {"schema_version", "evaluation_id", "retrieved_timestamp"} <= record.keys()
    assert record["model_info"]["name"] == "b.csv"
    [found] = record["evaluation_results"]
    assert {"evaluation_name", "source_data", "metric_config", "score_details"} <= found.keys()
    assert found["metric_config"]["lower_is_better"] is True
    assert found["score_details"]["score"] == pytest.approx(0.5)  # 60 of 60 instead of 30
    assert found["score_details"]["details"]["verdict"] == "worse"
    undefined = replace(result, value=math.nan)
    assert json.loads(every_eval_ever(undefined))["evaluation_results"] == []

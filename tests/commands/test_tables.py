"""Tables of subjects and sets of groups: cells by hand, one scan, formats, words for a paper."""

import csv
import io
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import norm

from socialbias import compare, measure
from socialbias.commands import measure_corpus
from socialbias.commands.cli.outputs import every_eval_ever
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError
from socialbias.measurement import texts as kernel
from socialbias.measures.registry import VECTORS
from socialbias.reporting.methods_paragraph import keys, references
from tests.commands.conftest import FILMS

GENDER = {"female": ["she"], "male": ["he"]}
AGE = {"young": ["young"], "old": ["old"]}
TARGETS = ["nurse", "pilot", "clerk"]
FILLER = [
    "".join(pair) for pair in zip("bcdfghjklmnp" * 4, "aeiou" * 10, "rstlnm" * 8, strict=False)
]


def written(path, seed, shares, documents=300, fillers=FILLER):
    """Documents of a sentence with a word, she by its share or he, and an age or none."""
    rng, texts = np.random.default_rng(seed), []
    words = [*shares, *fillers]
    for i in range(documents):
        word = words[i % len(words)]
        who = "she" if rng.uniform() < shares.get(word, 0.4) else "he"
        age = rng.choice(["young", "old", "tall"])
        texts.append(f"The {word} came in at noon and then {who} , {age} , went home again .")
    path.write_text("\n".join(texts) + "\n")
    return path


@pytest.fixture(scope="module")
def outlets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outlets")
    one = written(folder / "one.txt", 1, {"nurse": 0.9, "pilot": 0.2, "clerk": 0.5}, 3000)
    two = written(folder / "two.txt", 2, {"nurse": 0.8, "pilot": 0.6, "clerk": 0.5}, 2500)
    return [one, two]


@pytest.fixture(scope="module")
def table(outlets):
    return measure(outlets, [GENDER, AGE], TARGETS)


def naive_share(path, target, groups):
    """The share of the first group in texts of one sentence, which is their context."""
    counts = [0, 0]
    for line in path.read_text().splitlines():
        words = line.split()
        has = [any(word in words for word in group) for group in groups.values()]
        if target in words and sum(has) == 1:
            counts[has.index(True)] += 1
    return counts[0] / sum(counts), sum(counts)


def test_cells_are_shares_that_anyone_can_count(table, outlets):
    cells = table.table.set_index(["groups", "subject", "target"])
    assert len(cells) == 2 * 3 * len(TARGETS)
    for name, groups in (("female, male", GENDER), ("young, old", AGE)):
        for target in TARGETS:
            (one, n), (two, m) = (naive_share(path, target, groups) for path in outlets)
            assert cells.loc[(name, "one.txt", target), "value"] == pytest.approx(one - 1 / 2)
            assert cells.loc[(name, "one.txt", target), "n"] == n
            apart = cells.loc[(name, "two.txt - one.txt", target)]
            assert apart["value"] == pytest.approx(two - one)
            assert apart["n"] == min(n, m)


def test_the_interval_of_a_difference_is_newcombe_s_by_hand(table):
    cells = table.table.set_index(["groups", "subject", "target"])
    one, two, apart = (
        cells.loc[("female, male", subject, "pilot")]
        for subject in ("one.txt", "two.txt", "two.txt - one.txt")
    )
    value = two["value"] - one["value"]
    below = math.sqrt((two["value"] - two["low"]) ** 2 + (one["high"] - one["value"]) ** 2)
    above = math.sqrt((two["high"] - two["value"]) ** 2 + (one["value"] - one["low"]) ** 2)
    assert (apart["low"], apart["high"]) == pytest.approx((value - below, value + above))
    # Independent shares of 1 document each: nearly the normal interval of two proportions.
    shares, counts = np.array([one["value"], two["value"]]) + 0.5, np.array([one["n"], two["n"]])
    error = norm.ppf(0.975) * np.sqrt((shares * (1 - shares) / counts).sum())
    assert apart["high"] - apart["low"] == pytest.approx(2 * error, rel=0.15)


def test_percentiles_and_adjusted_p_values_by_a_naive_oracle(table):
    p_values, adjusted = [], []
    for column, result in zip(
        [column for column in table.columns if " - " not in column.subject],
        [table.results[i] for i in (0, 1, 2, 3)],
        strict=True,
    ):
        others = [*result.random_words.values()]
        middle = sum(others) / len(others)
        for row in column.rows:
            below = sum(o < row.value for o in others) + sum(o == row.value for o in others) / 2
            assert row.percentile == pytest.approx(100 * below / len(others))
            as_far = sum(abs(o - middle) >= abs(row.value - middle) - 1e-12 for o in others)
            side = row.value - row.low if row.value > middle else row.high - row.value
            sampling = 2 * norm.sf(abs(row.value - middle) / (side / norm.ppf(0.975)))
            p_values.append(max((1 + as_far) / (1 + len(others)), sampling))
            adjusted.append(row.adjusted_p)
    assert all(q >= p - 1e-12 for p, q in zip(p_values, adjusted, strict=True))
    order = np.argsort(p_values)
    assert np.all(np.diff(np.array(adjusted)[order]) >= -1e-12)  # in the same order


def test_a_table_of_one_subject_is_the_result_of_measure(outlets, reviews):
    for subject, groups, targets in ((outlets[0], GENDER, TARGETS), (reviews, "gender", FILMS)):
        alone = measure(subject, groups, targets)
        table = measure([subject], [groups], targets)
        [column] = table.columns
        own = [replace(row, adjusted_p=0.0) for row in alone.rows]  # theirs is over all cells
        assert [replace(row, adjusted_p=0.0) for row in column.rows] == own
        [result] = table.results
        assert result.as_dict()["value"] == alone.as_dict()["value"]
        assert result.random_words == alone.random_words


def test_other_sets_of_groups_change_no_number_but_the_random_words(outlets):
    [both, _] = measure(outlets[:1], [GENDER, AGE], TARGETS).results
    alone = measure(outlets[0], GENDER, TARGETS)
    fields = ("target", "value", "low", "high", "n", "leans_to")
    for row, other in zip(both.rows, alone.rows, strict=True):
        assert [getattr(row, f) for f in fields] == [getattr(other, f) for f in fields]


def test_each_text_is_read_and_scanned_once(outlets, monkeypatch):
    calls = []
    for module, name in ((measure_corpus, "read"), (kernel, "match_blocks")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, r=real, n=name: (calls.append(n), r(*a))[1])
    measure(outlets, [GENDER, AGE, {"a": ["young"], "b": ["old"], "c": ["tall"]}], "nurse")
    assert sorted(calls) == ["match_blocks"] * 2 + ["read"] * 2
    calls.clear()
    compare(*outlets, [GENDER, AGE], TARGETS)
    assert sorted(calls) == ["match_blocks"] * 2 + ["read"] * 2


def test_no_column_is_empty_in_any_format(table, reviews):
    for result in (table, measure(reviews, "gender", FILMS)):
        frame = result.table
        assert not frame.replace("", np.nan).isna().all().any()
        rows = list(csv.DictReader(io.StringIO(result.to_csv())))
        assert len(rows) == len(frame)
        assert [*rows[0]] == [*frame.columns]
    cells = json.loads(table.to_json())["cells"]
    assert cells[0].keys() == {*table.table.columns}
    assert "n" not in json.loads(measure(reviews, "gender", FILMS).to_json())["rows"][0]


def test_the_figure_draws_on_axes_that_are_given(table, tmp_path):
    for size, width in (("wide", 7.0), ("narrow", 3.4)):
        figure = table.plot(tmp_path / f"{size}.svg", size=size)
        assert figure.get_figwidth() == width
        assert len(figure.axes) == 2
    axes = Figure().subplots(1, 2)
    assert table.plot(ax=axes) is axes[0].figure
    assert [label.get_text() for label in axes[0].get_yticklabels()] == table.targets
    values = sorted(row.value for column in table.columns[:2] for row in column.rows)
    drawn = [
        x for line in axes[0].get_lines() if line.get_marker() in "os" for x in line.get_xdata()
    ]
    assert sorted(drawn) == pytest.approx(values)
    assert table.plot()._repr_png_().startswith(b"\x89PNG")  # what a notebook shows
    with pytest.raises(UserError, match="there are 2 panels, but 1 axes"):
        table.plot(ax=axes[0])
    with pytest.raises(UserError, match="size: must be one of wide, narrow"):
        table.plot(size="huge")


def test_every_measure_and_packaged_list_has_its_reference():
    cited = [entry.citation for entry in VECTORS]
    cited += [entry.source for entry in lists().values() if entry.source != "this project"]
    for citation in cited:
        works = len(re.findall(r"\b(19|20)\d\d\b", citation.partition("arXiv")[0]))
        assert len(keys(citation)) == works, citation
    for key, entry in references().items():
        assert f"year = {{{key[-4:]}}}" in entry


def test_a_base_rate_is_taken_away_and_both_are_shown(outlets, tmp_path):
    path = outlets[0]
    lines = path.read_text().splitlines()
    base = sum(" she " in line for line in lines) / len(lines)
    uniform = measure(path, GENDER, TARGETS)
    corpus = measure(path, GENDER, TARGETS, reference="corpus")
    for row, other in zip(corpus.rows, uniform.rows, strict=True):
        assert row.value == pytest.approx(other.value + 1 / 2 - base)
        assert row.low < row.value < row.high
    (tmp_path / "r.csv").write_text("group,share\nfemale,0.3\nmale,0.7\n")
    given = measure(path, GENDER, TARGETS, reference=tmp_path / "r.csv")
    assert given.rows[0].value == pytest.approx(uniform.rows[0].value + 0.2)
    assert given.rows == measure(path, GENDER, TARGETS, reference={"female": 0.3, "male": 0.7}).rows
    away = measure(path, GENDER, "nurse", "divdist", reference={"female": 0.3, "male": 0.7})
    share = uniform.rows[0].value + 1 / 2
    assert away.rows[0].value == pytest.approx(2 * abs(share - 0.3))


@pytest.fixture
def spaces(tmp_path):
    """Two spaces, rotated and shifted; in the second `pilot` lies on the other side."""
    rng, d = np.random.default_rng(4), 30
    words = ["she", "her", "he", "his", *TARGETS, *(f"{a}{b}" for a in FILLER for b in FILLER[:9])]
    base, axis, paths = rng.standard_normal((len(words), d)), np.eye(d)[0], []
    place = {"she": 4, "her": 4, "he": -4, "his": -4, "nurse": 3, "pilot": -3}
    for name, pilot in (("a.vec", -3), ("b.vec", 3)):
        moved = {**place, "pilot": pilot}
        rows = np.array([row + moved.get(w, 0) * axis for w, row in zip(words, base, strict=True)])
        rows = rows @ np.linalg.qr(rng.standard_normal((d, d)))[0] * rng.uniform(1, 5) + 1
        lines = [" ".join([w, *map(str, row)]) for w, row in zip(words, rows, strict=True)]
        paths.append(tmp_path / name)
        paths[-1].write_text(f"{len(words)} {d}\n" + "\n".join(lines) + "\n")
    return paths


def test_two_sets_of_vectors_are_compared_by_position(spaces):
    groups = {"female": ["she", "her"], "male": ["he", "his"]}
    table = measure(spaces, [groups], TARGETS)
    one, two, apart = (column.cells() for column in table.columns)
    for target in TARGETS:
        assert apart[target].value == pytest.approx(two[target].value - one[target].value, abs=1e-5)
        assert apart[target].low < apart[target].value < apart[target].high or target != "pilot"
    # A rotation, a scale and a shift move no other word.
    assert apart["nurse"].value == pytest.approx(0, abs=0.05)
    assert apart["pilot"].value > 2
    assert np.mean([*table.results[0].random_words.values()]) == pytest.approx(0, abs=1e-6)
    assert np.std([*table.results[0].random_words.values()], ddof=1) == pytest.approx(1)


def test_a_short_text_has_a_row_of_each_set_of_groups_and_counts_the_others(spaces):
    groups = {"female": ["she", "her"], "male": ["he", "his"]}
    others = {"women": ["she", "her"], "men": ["he", "his"]}
    targets = [*TARGETS, *(f"{FILLER[0]}{word}" for word in FILLER[:8])]
    table = measure(spaces[0], [groups, others], targets)
    lines = table.brief().splitlines()
    assert len(lines) <= 15
    heads = [i for i, line in enumerate(lines) if line.split()[:2] == ["target", "bias"]]
    assert len(heads) == 2
    ends = [next(i for i in range(at, len(lines)) if lines[i][:2] != "  ") for at in heads]
    shown = [end - at - 1 for at, end in zip(heads, ends, strict=True)]
    shown[-1] -= 1  # the line on the others
    assert min(shown) >= 1
    assert f"  ... and {2 * len(targets) - sum(shown)} more" in lines


def test_a_measure_of_two_sets_of_vectors_has_no_difference_and_says_so(spaces):
    table = measure(
        spaces, {"female": ["she", "her"], "male": ["he", "his"]}, TARGETS, "association"
    )
    assert [column.subject for column in table.columns] == ["a.vec", "b.vec"]
    assert "association has no common scale" in table.text()


def test_a_comparison_has_the_table_of_both_and_a_joint_verdict(outlets):
    targets = [*TARGETS, *FILLER[:8]]
    alone = compare(*outlets, GENDER, targets)
    assert {column.subject for column in alone.cells.columns} == {
        "one.txt", "two.txt", "two.txt - one.txt",
    }  # fmt: skip
    assert "two.txt - one.txt" in alone.text()
    several = compare(*outlets, [GENDER, AGE], targets)
    assert [*several.comparisons] == ["female, male", "young, old"]
    tests = [*several.comparisons.values()]
    records = json.loads(every_eval_ever(several))["evaluation_results"]
    assert [record["score_details"]["score"] for record in records] == [x.value for x in tests]
    assert all(test.level == pytest.approx(0.975) for test in tests)  # two tests share 5 %
    assert tests[0].value == pytest.approx(alone.value)
    assert tests[0].high - tests[0].low > alone.high - alone.low
    assert several.verdict in {test.verdict for test in tests}

"""The contexts that the pages show behind bias in text."""

import pandas as pd
import yaml

from socialbias.papers.trustworthy import behind
from tests.worlds import job_with, parquet, prepared

LISTS = {
    "gender": {"mine": {"female": ["she"], "male": ["he"]}},
    "table3_targets": ["nurse", "pilot", "dancer"],
}


def count(target, document, female, male, neither, variant="mine", n=3):
    return locals()


def test_documents_with_one_gender_are_shown_with_their_counts(tmp_path):
    report = prepared(tmp_path / "corpus", ["she nurse nurse naps"])
    rows = [count("nurse", 0, 2, 0, 1), count("pilot", 0, 0, 0, 4)]
    # Of another list or length, and of a word that the table does not show.
    rows += [count("nurse", 0, 9, 9, 9, variant="other"), count("nurse", 0, 9, 9, 9, n=1)]
    rows += [count("baker", 0, 9, 9, 9)]
    lists = tmp_path / "trustworthy.yaml"
    lists.write_text(yaml.safe_dump(LISTS))
    files = {behind.TEXT: parquet(tmp_path, text=pd.DataFrame(rows)), behind.CORPUS: report}
    files |= {"word_lists/trustworthy": lists}
    nurse, pilot = behind.groups(job_with(files, **{"trustworthy.word_lists": ["mine"]}))
    assert nurse.keys == ("text-automated nurse",)
    [row] = nurse.table.to_dict("records")
    assert [row[name] for name in ("document", "female", "male", "neither")] == ["0", "2", "0", "1"]
    assert sorted(row["text"].split()) == ["naps", "nurse", "nurse", "she"]
    assert pilot.table.empty  # no context of one gender alone


def test_the_words_around_the_first_mention_are_shown():
    words = ["a"] * behind.AROUND + ["b", "pilot"] + ["c"] * behind.AROUND + ["pilot"]
    shown = behind._around("pilot", words)
    assert shown.split()[0] == shown.split()[-1] == "…"
    assert shown.split().count("pilot") == 1
    assert len(shown.split()) == 2 * behind.AROUND + 3

"""Corpora with lines that are not of their format: a few are counted, many are an error."""

import gzip

import pytest

from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import gpt2_jsonl
from socialbias.corpora.user_files import csv_documents
from socialbias.corpora.wikipedia import lateral_wikipedia
from socialbias.errors import UserError
from tests.reliability import fault

NOTE = "lines that are not of the format, skipped"


def read(reader, path, data):
    """Texts and notes of a file with these lines."""
    path.write_bytes(gzip.compress(data.encode()) if path.suffix == ".gz" else data.encode())
    report = ReadReport()
    return [d.text for d in reader(path, report)], dict(report.notes)


# A reader, the head of its file, a line that is of its format, and one that is not.
LINES = {
    "JSON lines": (gpt2_jsonl, "", '{"text": "text"}\n', "<p>\n"),
    "JSON lines without a text": (gpt2_jsonl, "", '{"text": "text"}\n', '{"body": "text"}\n'),
}


@fault("a few lines that are not of a corpus's format", "they are skipped and counted")
@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("kind", LINES)
def test_a_few_odd_lines_are_skipped_and_counted(tmp_path, kind, suffix):
    reader, head, line, odd = LINES[kind]
    data = head + 10 * (line + odd) + line
    texts, notes = read(reader, tmp_path / f"c{suffix}", data)
    assert texts == ["text"] * 11
    assert notes == {NOTE: 10}


@fault("more such lines, or most lines of a file", "one line: the first one, and how many")
@pytest.mark.parametrize("kind", LINES)
def test_many_odd_lines_are_one_error_that_names_the_first(tmp_path, kind):
    reader, head, line, odd = LINES[kind]
    first = 2 + len(head.splitlines())
    for data, count in ((line + 11 * (odd + line), "11 of 23"), (line + 2 * odd, "2 of 3")):
        with pytest.raises(
            UserError, match=rf"c, line {first}: .*\({count} lines have a problem\)$"
        ):
            read(reader, tmp_path / "c", head + data)


@fault("JSON lines that break off in their last line", "one line")
def test_a_last_line_that_breaks_off_is_an_error_however_long_the_file(tmp_path):
    with pytest.raises(UserError, match=r"c, line 3001: not JSON .* truncated file"):
        read(gpt2_jsonl, tmp_path / "c", 3000 * '{"text": "a"}\n' + '{"text": "b')


@fault("a table with a row of other cells, or an open quotation", "one line that names it")
@pytest.mark.parametrize("row", ["text,1,2\n", "text\n", '"text" 1,2\n', '"open,1\n'])
def test_a_table_is_read_strictly(tmp_path, row):
    with pytest.raises(UserError, match=r"c, line [34]: ([13] fields for 2 columns|not a table)"):
        read(csv_documents, tmp_path / "c", f"text,n\ntext,1\n{row}")


# --- Lateral's Wikipedia ------------------------------------------------------------------------

QUOTED = 'wikipedia-1," Heron  It wades.\nIt ""flies"",\nwell."\n'
LATERAL = {
    "quoted, with line breaks": (QUOTED, 'It wades.\nIt "flies",\nwell.', {}),
    "not quoted": ("wikipedia-1, Heron  It wades, well.\n", "It wades, well.", {}),
    "two blanks before the title": ('wikipedia-1,"  Heron  It wades."\n', "It wades.", {}),
    "an id in quotation marks": ('"wikipedia-1"," Heron  It wades."\n', "It wades.", {}),
    "an open quotation": (
        'wikipedia-1," Heron  It wades.\n', "It wades.", {"lines whose quotation does not end": 1},
    ),
    "ends in a quotation": ('wikipedia-1," Heron  A ""bird"""\n', 'A "bird"', {}),
    "breaks in a quotation": (
        'wikipedia-1," Heron  A ""bird""\nof ""prey"""\n', 'A "bird"\nof "prey"', {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", LATERAL)
def test_lateral_articles_in_every_form(tmp_path, form):
    line, text, notes = LATERAL[form]
    texts, found = read(lateral_wikipedia, tmp_path / "w", line + "wikipedia-2, Ibis  A bird.\n")
    assert (texts, found) == ([text, "A bird."], notes)


@fault("a line of Lateral's Wikipedia without an id", "it belongs to the article before")
def test_lateral_lines_without_an_id_belong_to_the_article_before(tmp_path):
    data = "wikipedia-1, Heron  It wades.\nHowever, it flies.\nwikipedia-2, Ibis  A bird.\n"
    texts, notes = read(lateral_wikipedia, tmp_path / "w", data)
    assert texts == ["It wades.\nHowever, it flies.", "A bird."]
    assert notes == {"lines that are not `id,text`, kept as text": 1}
    with pytest.raises(UserError, match=r"w, line 2: not Lateral's `id,text`.*\(2 of 3 lines"):
        read(lateral_wikipedia, tmp_path / "w", "wikipedia-1, A  B\nodd\nodd\n")

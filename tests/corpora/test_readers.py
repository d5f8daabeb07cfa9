import bz2
import gzip
import json
import zipfile

import pytest

from socialbias.corpora import streams, user_files
from socialbias.corpora.documents import ReadReport
from socialbias.corpora.readers import (
    READERS,
    goodreads,
    gpt2_jsonl,
    nyt_text,
    read_documents,
)
from socialbias.corpora.user_files import (
    plain_text,
)
from socialbias.corpora.wikipedia import lateral_wikipedia, wikitext
from socialbias.errors import UserError


def write(path, data):
    """Write text or bytes, compressed as the name says."""
    data = data.encode() if isinstance(data, str) else data
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".bz2":
        data = bz2.compress(data)
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/", "")
            archive.writestr("folder/inside.txt", data)
            archive.writestr("__MACOSX/folder/._inside.txt", b"junk")
        return path
    path.write_bytes(data)
    return path


def all_of(reader, path, **options):
    """The documents and the report."""
    report = ReadReport()
    return list(reader(path, report, **options)), report


def texts(documents):
    return [document.text for document in documents]


# --- WikiText ---------------------------------------------------------------------------------

WIKI = """ \n = Blue Heron = \n \n The heron weighs 2 @.@ 5 kg and <unk> well @-@ known . \n = Wading = is what it does . \n \n = = Legend = = \n \n Games played in ; G \n = Goals ; A = \n Assists \n \n = = = Notes = = = \n \n = Empty Article = \n \n = = See also = = \n \n = E = mc2 = \n \n It cost 1 @,@ 000 @,@ 000 dollars . \n \n"""  # noqa: E501


@pytest.mark.parametrize("name", ["wiki.tokens", "wiki.tokens.gz", "wiki.zip"])
def test_wikitext_splits_at_level_1_headings_between_blank_lines(tmp_path, name):
    path = write(tmp_path / name, WIKI)
    documents, report = all_of(wikitext, path)
    assert [(d.id, d.metadata["title"]) for d in documents] == [
        ("1", "Blue Heron"),
        ("3", "E = mc2"),
    ]
    assert documents[0].text.split("\n") == [
        "The heron weighs 2 @.@ 5 kg and <unk> well @-@ known .",
        "= Wading = is what it does .",
        "Games played in ; G",
        "= Goals ; A =",
        "Assists",
    ]
    assert (report.documents, report.empty, report.longest) == (2, 1, len(documents[0].text))
    assert report.characters == sum(map(len, texts(documents)))


# --- Lateral's Wikipedia ----------------------------------------------------------------------

LATERAL = (
    'wikipedia-12,"  "\n'
    'wikipedia-25," Blue Heron  The ""great"" heron, a bird.  Habitat  It wades.\u0085 "\n'
    'wikipedia-39," No end of title here"\n'
)


def test_lateral_wikipedia(tmp_path):
    documents, report = all_of(lateral_wikipedia, write(tmp_path / "w.csv.gz", LATERAL))
    assert [d.id for d in documents] == ["wikipedia-25", "wikipedia-39"]
    assert [d.metadata["title"] for d in documents] == ["Blue Heron", ""]
    assert documents[0].text == 'The "great" heron, a bird.  Habitat  It wades.'
    assert documents[1].text == "No end of title here"
    assert (report.documents, report.empty) == (2, 1)
    assert report.notes == {"articles without a title": 1}


# --- New York Times ---------------------------------------------------------------------------

BASE = "http://www.nytimes.com"
NYT = f"""URL: {BASE}/2016/06/30/sports/baseball/heron-wins.html

LAKESIDE — The heron won “again” on Friday.
It was calm.

URL: {BASE}/aponline/2016/06/29/us/ap-us-ibis.html

URL: {BASE}/video/world/undated.html
URL: {BASE}/2016/04/18/opinion.html

Nothing with URL: in its middle begins an article.
The last line has no end."""


@pytest.mark.parametrize("name", ["nyt.txt", "nyt.txt.gz"])
def test_nyt_blocks_with_the_last_one(tmp_path, name):
    documents, report = all_of(nyt_text, write(tmp_path / name, NYT))
    assert texts(documents) == [
        "LAKESIDE — The heron won “again” on Friday.\nIt was calm.",
        "Nothing with URL: in its middle begins an article.\nThe last line has no end.",
    ]
    assert documents[0].metadata == {
        "url": f"{BASE}/2016/06/30/sports/baseball/heron-wins.html",
        "date": "2016-06-30",
        "section": "sports",
    }
    assert documents[0].id == documents[0].metadata["url"]
    assert (documents[1].metadata["date"], documents[1].metadata["section"]) == ("2016-04-18", "")
    assert (report.documents, report.empty) == (2, 2)
    path = write(tmp_path / "all", NYT.replace(".html\n", ".html\n\nSome text.\n"))
    sections = [document.metadata["section"] for document in all_of(nyt_text, path)[0]]
    assert sections == ["sports", "aponline", "", ""]


# --- Goodreads and GPT-2 ----------------------------------------------------------------------


def json_text(*records):
    return "".join(json.dumps(r) + "\n" for r in records)


REVIEWS = [
    {"user_id": "u1", "book_id": "12", "review_id": "r1", "rating": 5, "n_votes": 2,
     "review_text": "Fine. \n Très."},
    {"user_id": "u2", "book_id": "12", "review_id": "r2", "rating": 0, "n_votes": 0,
     "review_text": ""},
]  # fmt: skip


def test_goodreads(tmp_path):
    path = write(tmp_path / "goodreads_reviews_romance.json.gz", json_text(*REVIEWS))
    documents, report = all_of(goodreads, path)
    [review] = documents
    assert (review.id, review.text) == ("r1", "Fine. \n Très.")
    assert review.metadata == {"user_id": "u1", "book_id": "12", "rating": 5, "n_votes": 2}
    assert (report.documents, report.empty) == (1, 1)


def test_gpt2_jsonl_with_and_without_ids(tmp_path):
    body = json_text({"id": 7, "ended": True, "length": 3, "text": "It’s fine."}, {"text": "Yes."})
    documents, _ = all_of(gpt2_jsonl, write(tmp_path / "w.jsonl", body + "\n"))
    assert [(d.id, d.text) for d in documents] == [("7", "It’s fine."), ("2", "Yes.")]
    assert documents[0].metadata == {"ended": True, "length": 3}


def test_a_head_of_a_file_counts_its_unfinished_line(tmp_path):
    path = write(tmp_path / "w.jsonl", '{"text": "a"}\n{"text": "b"}\n{"text": "c')
    documents, report = all_of(gpt2_jsonl, path, cut=True)
    assert (texts(documents), report.truncated) == (["a", "b"], 1)
    for body in ("<html>", '{"text": "a"}\n<html>\n</html>\n'):  # an error page is none
        with pytest.raises(UserError, match="not JSON"):
            all_of(gpt2_jsonl, write(tmp_path / "w.jsonl", body), cut=True)


# --- A user's own files -----------------------------------------------------------------------

OWN = "\ufeffFirst line.\r\nStill the first.\r\n\r\n \r\nSecond\u2028paragraph.\r\n"
STILL = "Still the first."
LAST = "Second\u2028paragraph."


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("file", [("own.txt", "First line.\nStill the first.\n\n \nSecond\u2028paragraph.")]),
        ("paragraph", [("own.txt:1", "First line.\nStill the first."), ("own.txt:5", LAST)]),
        ("line", [("own.txt:1", "First line."), ("own.txt:2", STILL), ("own.txt:5", LAST)]),
    ],
)  # fmt: skip
def test_plain_text_by_unit(tmp_path, unit, expected):
    documents, report = all_of(plain_text, write(tmp_path / "own.txt", OWN), unit=unit)
    assert [(d.id, d.text) for d in documents] == expected
    assert report.empty == (2 if unit == "line" else 0)
    assert documents[0].metadata == {"file": "own.txt"}


# --- Damage, whatever the format --------------------------------------------------------------


@pytest.mark.parametrize(
    ("reader", "options", "body", "match"),
    [
        (plain_text, {"unit": "line"}, "a\n" + "x" * 2000, "line 2: longer than"),
        (plain_text, {}, "some words\n" * 200, "line 91: a document of more than"),
        (plain_text, {"unit": "paragraph"}, "some words\n" * 200, "line 91: a document of"),
        (wikitext, {}, " = T = \n \n" + " some words \n" * 200, "line 93: a document of"),
        (nyt_text, {}, "URL: http://a\n" + "some words\n" * 200, "line 92: a document of"),
        (gpt2_jsonl, {}, '{"text": "' + "x" * 2000 + '"}\n', "line 1: longer than"),
    ],
)
def test_what_is_too_long_is_refused_where_it_stands(
    tmp_path, monkeypatch, reader, options, body, match
):
    monkeypatch.setattr(streams, "MAX_LENGTH", 1000)
    with pytest.raises(UserError, match=match):
        all_of(reader, write(tmp_path / "t", body), **options)


LINES = "".join(f'{{"text": "{i} {i**7}"}}\n' for i in range(5000))


@pytest.mark.parametrize("suffix", [".gz", ".bz2"])
def test_a_compressed_file_that_breaks_off_is_an_error_or_counted(tmp_path, suffix):
    path = write(tmp_path / f"t{suffix}", LINES)
    path.write_bytes(path.read_bytes()[:-3000])
    with pytest.raises(UserError, match=r"truncated or damaged after line \d+ .*fetch it again"):
        all_of(gpt2_jsonl, path)
    documents, report = all_of(gpt2_jsonl, path, cut=True)
    assert report.truncated == 1
    assert (1000 if suffix == ".gz" else 0) <= report.documents == len(documents) < 5000
    assert texts(documents) == [f"{i} {i**7}" for i in range(len(documents))]


LATERALS = "line 1: not Lateral's `id,text`"


@pytest.mark.parametrize(
    ("reader", "body", "match"),
    [
        (wikitext, "<!DOCTYPE html>\n", r"t, line 1: not WikiText: it should begin with"),
        (wikitext, " text \n \n = T = \n \n", "not WikiText"),
        (wikitext, " = T = \n body \n", "not WikiText"),
        (lateral_wikipedia, "<html>\n", LATERALS),
        (lateral_wikipedia, "<a b>, c\n", LATERALS),
        (lateral_wikipedia, ",text\n", LATERALS),
        (lateral_wikipedia, "x" * 300 + ",text\n", LATERALS),
        (nyt_text, "\n<html>\n", r"t, line 2: should be a line `URL: \.\.\.`, not '<html>'"),
        (goodreads, '{"review_text": "Good."}\n', "t, line 1: no key 'review_id'"),
        (gpt2_jsonl, "<?xml version='1.0'?><Error>gone</Error>", r"not JSON .* It begins <\?xml"),
        (gpt2_jsonl, '{"text": "a"}\n["b"]\n["c"]\n', r"not a JSON object \(2 of 3 lines"),
        (gpt2_jsonl, '{"id": 2, "body": "b"}\n', "line 1: no key 'text'; its keys are id, b"),
    ],
)
def test_files_of_another_format_are_refused(tmp_path, reader, body, match):
    with pytest.raises(UserError, match=match) as caught:
        all_of(reader, write(tmp_path / "t", body))
    assert "\n" not in str(caught.value)


def test_a_zip_of_several_files_asks_which(tmp_path):
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as archive:
        archive.writestr("wiki.train.tokens", " \n = T = \n \n text \n")
        archive.writestr("wiki.test.tokens", " \n = U = \n \n text \n")
    path = tmp_path / "w.zip"
    with pytest.raises(UserError, match=r"it contains wiki\.train\.tokens, wiki\.te"):
        all_of(wikitext, path)
    with pytest.raises(UserError, match="no member 'x'"):
        all_of(wikitext, path, member="x")
    assert all_of(wikitext, path, member="wiki.test.tokens")[0][0].metadata == {"title": "U"}


def test_read_documents_chooses_by_format(tmp_path):
    write(tmp_path / "w.jsonl", '{"text": "a"}\n{"text": "b')
    manifest = {"source": "demo", "format": "gpt2-jsonl", "files": [{"path": "w.jsonl"}]}
    report = ReadReport()
    assert texts(read_documents(tmp_path, manifest, report, cut=True)) == ["a"]
    assert report.line() == "1 documents, 1 characters; 1 truncated"
    manifest["files"].append({"path": "v.jsonl"})
    assert texts(read_documents(tmp_path, manifest, file="w.jsonl", cut=True)) == ["a"]
    for name in (None, "x.jsonl"):
        with pytest.raises(UserError, match=r"demo: choose one of its files: w\.jsonl, v\.jsonl"):
            read_documents(tmp_path, manifest, file=name)
    with pytest.raises(UserError, match="demo: no reader for the format 'docx'"):
        read_documents(tmp_path, {**manifest, "format": "docx"})


def test_an_array_that_is_too_long_is_one_line(tmp_path, monkeypatch):
    (path := tmp_path / "a.json").write_text(json.dumps([{"text": "text"}] * 30))
    monkeypatch.setattr(user_files, "MAX_ARRAY", 100)
    with pytest.raises(UserError, match="an array of more than 0 MiB: save one object a line"):
        list(READERS["json"](path))

"""The corpora of the papers, in their containers."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from socialbias.corpora.recipes import SOURCES
from socialbias.sources.registry import Source
from tests.rehearsal.texts import Counts, Words, Writer
from tests.worlds.bytes import wheel

ARTICLES, REVIEWS, SHORT = 500, 120, 60
FILM_REVIEWS = (1100, 300)  # a study trains on 1,000 and is tested on 200
SECTIONS = ("sports", "nyregion", "world", "arts")


def bbc_news(source: Source, folder: Path, words: Words) -> Counts:
    """A wheel with a file of text for each article, in a folder for each section."""
    below = SOURCES[source.id]["options"]["under"]
    members = {
        f"{below}{SECTIONS[i % len(SECTIONS)]}/{i:03}.txt": "\n\n".join(sentences).encode()
        for i, sentences in enumerate(Writer(words, 2).documents(ARTICLES))
    }
    name, version, _ = source.files[0].name.split("-", 2)
    (folder / source.files[0].name).write_bytes(wheel(*members.items(), name=name, version=version))
    return {source.files[0].name: {"documents": ARTICLES}}


def film_reviews(source: Source, folder: Path, words: Words) -> Counts:
    """One table of reviews from two places, negative and positive."""
    reviews = Writer(words, 61).documents(2 * ARTICLES)
    with (folder / source.files[0].name).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["text", "label", "source"])
        for i, sentences in enumerate(reviews):
            where = "rotten_tomatoes" if i % 4 == 3 else "imdb"
            table.writerow([" ".join(sentences) + "<br /><br />The end.", i % 2, where])
    return {source.files[0].name: {"rows": len(reviews)}}


def nyt(source: Source, folder: Path, words: Words) -> Counts:
    """Blocks that begin with `URL:`, one without a text; the last has no border behind it."""
    blocks = []
    for i, sentences in enumerate(Writer(words, 1).documents(ARTICLES)):
        section = SECTIONS[i % len(SECTIONS)]
        url = f"http://www.nytimes.com/2016/06/{1 + i % 30:02}/{section}/article-{i}.html"
        paragraphs = [" ".join(sentences[j : j + 2]) for j in range(0, len(sentences), 2)]
        paragraphs[0] = f"WASHINGTON — {paragraphs[0]} “We waited,” she said."
        blocks.append(f"URL: {url}\n\n" + "\n".join(paragraphs) + "\n")
    blocks.insert(1, "URL: http://www.nytimes.com/2016/06/30/arts/no-text.html\n")
    Path(folder, source.files[0].name).write_text("\n".join(blocks), "utf-8")
    return {source.files[0].name: {"documents": len(blocks)}}


def wikitext_lines(words: Words, seed: int) -> list[str]:
    """Lines of WikiText's raw edition: each begins and ends with a space, headings with `=`."""
    lines = []
    for i, sentences in enumerate(Writer(words, seed).documents(ARTICLES)):
        body = " ".join(sentences).replace(".", " .").replace(",", " ,")
        lines += [" \n", f" = Article {i} = \n", " \n", f" {body} \n"]
        lines += [" \n", " = = History = = \n", " \n", " It weighed 0 @.@ 7 – 2 @.@ 2 kg . \n"]
    return [*lines, " \n"]


def wikitext_zip(source: Source, folder: Path, words: Words) -> Counts:
    """The zip of WikiText-103, with an entry for the folder, and its three members."""
    member = SOURCES[source.id]["options"]["member"]
    with zipfile.ZipFile(folder / source.files[0].name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir(member.rpartition("/")[0])
        for seed, part in enumerate(("test", "valid", "train"), 20):
            text = "".join(wikitext_lines(words, seed))
            archive.writestr(member.replace("train", part), text)
    return {source.files[0].name: {"documents": ARTICLES}}


def wikitext_parquet(source: Source, folder: Path, words: Words) -> Counts:
    """The repack of the training part: a row a line, blank lines as empty strings."""
    lines = ["" if line == " \n" else line for line in wikitext_lines(words, 22)]
    half = len(lines) // 2
    counts = {}
    for file, part in zip(source.files, (lines[:half], lines[half:]), strict=True):
        pq.write_table(pa.table({"text": part}), folder / file.name)
        counts[file.name] = {"rows": len(part)}
    return counts


def goodreads(source: Source, folder: Path, words: Words) -> Counts:
    """Gzipped JSON lines: a few books of more than 500 reviews, others of few, short reviews.

    The text of the last is null.
    """
    seed = 31 + len(source.id)
    rng = np.random.default_rng(seed)
    reviews = Writer(words, seed).documents(2 * 505)
    books = [str(100 + i // 505) for i in range(len(reviews))]
    reviews += [["Good."], *Writer(words, seed + 1).documents(20)]
    books += ["999"] * (len(reviews) - len(books))
    with gzip.open(folder / source.files[0].name, "wt", encoding="utf-8") as file:
        for i in rng.permutation(len(reviews)).tolist():
            record = {
                "user_id": f"{i:032x}",
                "book_id": books[i],
                "review_id": f"{seed:016x}{i:016x}",
                "rating": int(rng.integers(6)),
                "review_text": " \n ".join(reviews[i][:4]) + " é",
                "date_added": "Fri May 05 06:07:08 -0700 2017",
                "date_updated": "Fri May 05 06:07:08 -0700 2017",
                "read_at": "",
                "started_at": "",
                "n_votes": 0,
                "n_comments": 0,
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        file.write(json.dumps(record | {"review_text": None}) + "\n")
    return {source.files[0].name: {"documents": len(reviews) + 1}}


def lateral(source: Source, folder: Path, words: Words) -> Counts:
    """One article a line, without a header: `id,"text"`, doubled quotes, two spaces as borders.

    A text without comma and quotation mark is not quoted. One article has no text.
    """
    with gzip.open(folder / source.files[0].name, "wt", encoding="utf-8") as file:
        for i, sentences in enumerate(Writer(words, 41).documents(3 * ARTICLES)):
            text = f" Title {i}  " + "  ".join(sentences)
            if i % 50:
                text = text.replace(" often ", ', "often" ')
            buffer = io.StringIO()
            csv.writer(buffer, lineterminator="\n").writerow([f"wikipedia-{1000 + i}", text])
            file.write(buffer.getvalue())
        file.write("wikipedia-999,\n")
    return {source.files[0].name: {"documents": 3 * ARTICLES + 1}}


def gpt2_outputs(source: Source, folder: Path, words: Words) -> Counts:
    """JSON lines in ASCII, the keys in upstream's order; the last text is null."""
    counts = {}
    for file in source.files:
        # A file that two sources have is the same file.
        seed = 50 + sum(map(ord, file.name))
        number = 3 * ARTICLES if ".train." in file.name else ARTICLES
        texts = Writer(words, seed).documents(number)
        with (folder / file.name).open("w", encoding="ascii") as lines:
            for i, sentences in enumerate(texts):
                text = " ".join(sentences) + " It’s so."
                record = {"id": i, "ended": True, "length": len(text) // 4, "text": text}
                lines.write(json.dumps(record) + "\n")
            lines.write(json.dumps(record | {"id": number, "text": None}) + "\n")
        counts[file.name] = {"documents": number + 1}
    return counts


def imdb(source: Source, folder: Path, words: Words) -> Counts:
    """Short film reviews in parquet, sorted by class."""
    counts = {}
    for seed, (file, number) in enumerate(zip(source.files, FILM_REVIEWS, strict=True), 60):
        texts, labels = [], []
        for i, sentences in enumerate(Writer(words, seed).documents(number)):
            positive = 2 * i >= number
            mood = ("awful", "wonderful")[positive]
            texts.append(f"A {mood} film, number {i}. {sentences[0]}<br /><br />The end.")
            labels.append(int(positive))
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"text": texts, "label": labels}), folder / file.name)
        counts[file.name] = {"rows": number}
    return counts

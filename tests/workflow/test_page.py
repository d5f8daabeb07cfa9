"""The pages, opened in a real browser."""

import json
import re
import shutil
import subprocess
from html import unescape

import pandas as pd
import pytest

from tests.waiting import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
OPTIONS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def browser(test):
    """Marks a test that needs a browser."""
    skipped = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
    return pytest.mark.chromium(skipped(test))


PAGES = ("index", "trustworthy", "bad_seeds", "stereoset", "fairness", "validation")
PAGES += ("trustworthy.items", "stereoset.items", "fairness.items")
SIX = [
    "What it is",
    "Without an effect",
    "Direction",
    "Uncertainty",
    "Sample and inputs",
    "Command",
]


@pytest.fixture(scope="session")
def pages(finished) -> dict[str, str]:
    """The pages of a finished run by name, without those of papers of which it made nothing."""
    paths = [finished.results / f"{name}.html" for name in PAGES]
    return {path.stem: path.read_text("utf-8") for path in paths if path.exists()}


def in_browser(html, question, tmp_path, width=1280, address=""):
    """What a script finds out about a page; it calls `answer` with it."""
    page = tmp_path / "page.html"
    said = "<script>const answer = found => { document.title = JSON.stringify(found); };\n"
    page.write_text(html.replace("</body>", f"{said}{question}</script></body>"), "utf-8")
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}"]
    command += [
        f"--window-size={width},900",
        "--virtual-time-budget=20000",
        "--dump-dom",
        page.as_uri() + address,
    ]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    found = re.search(r"<title>(.*?)</title>", result.stdout)
    assert found is not None, result.stderr[-500:]
    return json.loads(unescape(found[1]))


def test_pages_ask_for_nothing_outside_themselves(pages):
    for html in pages.values():
        # A link to a paper loads nothing before a reader follows it.
        loading = re.sub(r'<a href="https://doi\.org/[^"]+">', "<a>", html)
        assert not re.search(r"""(src|href)=["']?(https?:)?//""", loading)
        assert "@import" not in html
        assert "url(" not in html


def test_the_first_page_is_small(pages):
    assert len(pages["index"].encode()) < 300_000


def test_links_lead_to_files_and_places_that_are_there(pages, finished):
    links = 0
    for name, html in pages.items():
        for link in re.findall(r'href="([^"]+)"', html):
            if link.startswith(("data:", "https://doi.org/")):
                continue
            file, _, place = unescape(link).partition("#")
            assert not file or (finished.results / file).exists(), (name, link)
            if place and (not file or file.endswith(".html")):
                assert f'id="{place}"' in pages[file.removesuffix(".html") or name], (name, link)
            links += 1
    assert links > 100


def test_every_number_has_an_address_and_its_column_is_explained(pages, finished):
    numbers = pd.read_csv(finished.results / "all.csv", dtype=str, keep_default_na=False)
    assert len(numbers) > 100
    for name, html in pages.items():
        assert "not said" not in html  # every unit is in resources/units.yaml
        own = numbers[numbers["paper"] == name]
        assert sorted(re.findall(r'<tr id="([^"]+\.[^"]+)">', html)) == sorted(own["anchor"])
    assert numbers["anchor"].is_unique


@browser
def test_pages_fit_the_window_show_every_picture_and_answer_six_questions(pages, tmp_path):
    question = """
    addEventListener('load', () => {
      const rows = [...document.querySelectorAll('details.cells tbody tr')];
      const images = [...document.images];
      for (const image of images) image.loading = 'eager';
      setTimeout(() => answer({
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        broken: images.filter(i => !i.complete || i.naturalWidth === 0).length,
        requests: performance.getEntriesByType('resource').filter(r => /^http/.test(r.name)).length,
        unanswered: rows.filter(r => Object.values(answers(r)).some(t => !t)).map(r => r.id),
      }), 3000);
    });"""
    assert sum(html.count("<img") for html in pages.values()) >= 5
    for html in pages.values():
        found = in_browser(html, question, tmp_path, width=500)
        assert found == {"overflow": 0, "broken": 0, "requests": 0, "unanswered": []}


@browser
def test_the_address_of_a_number_opens_six_answers(pages, finished, tmp_path):
    cells = pd.read_csv(finished.results / "all.csv", dtype=str, keep_default_na=False)
    cells = cells[cells["paper"] == "trustworthy"]
    number = cells[cells["ci_low"] != ""].iloc[0]
    question = """
    addEventListener('load', () => setTimeout(() => {
      const dialog = document.querySelector('dialog');
      const texts = tag => [...dialog.querySelectorAll(tag)].map(e => e.textContent);
      answer([dialog.open, texts('dt'), texts('dd')]);
    }, 50));"""
    opened, asked, said = in_browser(
        pages["trustworthy"], question, tmp_path, address=f"#{number['anchor']}"
    )
    assert opened
    assert asked == SIX
    assert all(said)
    assert number["row_label"] in said[0]
    assert said[3].startswith("95 % interval ")
    assert said[5].endswith(f"trustworthy_{number['artefact']}")


@browser
def test_a_page_sent_alone_has_no_dead_link(pages, tmp_path):
    question = """
    addEventListener('load', () => setTimeout(() => {
      answer([...document.links].map(a => a.getAttribute('href')).filter(
        href => !/^(#|https:|index.html)/.test(href)));
    }, 500));"""
    assert in_browser(pages["index"], question, tmp_path) == []

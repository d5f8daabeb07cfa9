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


PAPERS = ("trustworthy", "bad_seeds", "stereoset", "fairness", "validation")
PAGES = ("index", *PAPERS, "claims", "inputs", "measures")
# On the first screen: what answers a question, and where its link leads, if it is one click away.
QUESTIONS = {
    "does Table 5 reproduce?": '#trustworthy a[href="trustworthy.html#trustworthy_table5"]',
    "which claims fail?": "#trustworthy .bins",
    "which inputs are not the paper's?": 'nav a[href="inputs.html"]',
    "how to make one figure again?": 'nav a[href="bad_seeds.html"]',
    "what is each paper's headline?": ".papers > section:last-of-type .headline a",
    "what does a full run cost?": "#missing p",
    "which printed values of StereoSet do not agree?": 'a[href="claims.html#audit-stereoset"]',
    "what can five words detect?": 'nav a[href="measures.html"]',
}
ONE_CLICK_AWAY = {
    "trustworthy": "Table 5: predictive validity",
    "inputs": "substitute",
    "bad_seeds": "Make it again: ",
    "claims": "checks do not agree",
    "measures": "What few words can detect",
}


@pytest.fixture(scope="session")
def pages(finished) -> dict[str, str]:
    """The pages of a finished run by name, without those of papers of which it made nothing."""
    paths = [finished.results / f"{name}.html" for name in PAGES]
    return {path.stem: path.read_text("utf-8") for path in paths if path.exists()}


def words_of(html):
    """The words that a reader may see."""
    html = re.sub(r"<(script|style)\b.*?</\1>", " ", html, flags=re.S)
    return len(re.sub(r"<[^>]+>", " ", html).split())


def in_browser(folder, name, question, tmp_path, width=1280, address=""):
    """What a script finds out about a page in a folder; it calls `answer` with it."""
    said = "<script>const answer = found => { document.title = JSON.stringify(found); };\n"
    html = (folder / f"{name}.html").read_text("utf-8")
    page = tmp_path / "page.html"
    html = html.replace("<head>", f'<head><base href="{folder.as_uri()}/">', 1)
    page.write_text(html.replace("</body>", f"{said}{question}</script></body>"), "utf-8")
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}"]
    command += [
        f"--window-size={width},900",
        "--virtual-time-budget=20000",
        "--allow-file-access-from-files",
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


def test_the_pages_are_short_and_small(pages, finished):
    assert words_of(pages["index"]) <= 2_500
    assert sum(map(words_of, pages.values())) <= 150_000
    files = [path for kind in ("html", "js") for path in finished.results.glob(f"*.{kind}")]
    assert sum(path.stat().st_size for path in files) <= 6_000_000
    data = re.search(r'id="data">(.*?)</script>', pages["index"], re.S)[1]
    assert len(data.encode()) <= 200_000


def test_links_lead_to_files_and_places_that_are_there(pages, finished):
    links = 0
    for name, html in pages.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', html):
            if link.startswith(("data:", "https://doi.org/")):
                continue
            file, _, place = unescape(link).partition("#")
            assert not file or (finished.results / file).exists(), (name, link)
            if place and "." not in place and (not file or file.endswith(".html")):  # of no number
                assert f'id="{place}"' in pages[file.removesuffix(".html") or name], (name, link)
            links += 1
    assert links > 100


def test_every_number_has_an_address_and_its_column_is_explained(pages, finished):
    numbers = pd.read_csv(finished.results / "all.csv", dtype=str, keep_default_na=False)
    assert len(numbers) > 100
    assert numbers["anchor"].is_unique
    for paper in {*numbers["paper"]}:
        text = (finished.results / f"{paper}.js").read_text("utf-8")
        data = json.loads(text.removeprefix("loaded(").removesuffix(");\n"))
        known = {f"{a}.{key}" for a, of in data["artefacts"].items() for key in of["numbers"]}
        assert known == {*numbers.loc[numbers["paper"] == paper, "anchor"]}
        assert "not said" not in data["texts"]  # every unit is in resources/units.yaml


@browser
def test_pages_fit_a_phone_show_every_picture_and_name_everything(pages, finished, tmp_path):
    question = """
    addEventListener('load', () => {
      for (const image of document.images) image.loading = 'eager';
      setTimeout(() => answer({
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        broken: [...document.images].filter(i => !i.complete || i.naturalWidth === 0).length,
        nameless: [...document.querySelectorAll('a, button, img, input, [role]')].filter(e =>
          !(e.textContent.trim() || e.ariaLabel || e.alt || e.labels?.length)).length,
        twice: [...document.querySelectorAll('[id]')].filter((e, i, all) =>
          all.findIndex(other => other.id === e.id) < i).map(e => e.id),
      }), 2000);
    });"""
    for name in pages:
        found = in_browser(finished.results, name, question, tmp_path, width=500)
        assert found == {"overflow": 0, "broken": 0, "nameless": 0, "twice": []}, name


@browser
def test_eight_questions_are_answered_on_the_first_screen_or_one_click_away(
    pages, finished, tmp_path
):
    question = f"""
    const asked = {json.dumps(QUESTIONS)};
    addEventListener('load', () => setTimeout(() => answer(Object.keys(asked).filter(key => {{
      const box = document.querySelector(asked[key])?.getBoundingClientRect();
      return !box || box.bottom > 900 || box.right > 1300 || !box.height;
    }})), 500));"""
    assert in_browser(finished.results, "index", question, tmp_path, width=1300) == []
    for name, text in ONE_CLICK_AWAY.items():
        assert text in pages[name]


@browser
@pytest.mark.parametrize("name", ["index", "trustworthy"])
def test_the_address_of_a_number_opens_what_is_known_of_it(name, finished, tmp_path):
    cells = pd.read_csv(finished.results / "all.csv", dtype=str, keep_default_na=False)
    cells = cells[(cells["artefact"] == "table5") & (cells["ci_low"] != "")]
    number = cells[(cells["paper"] == "trustworthy") & (cells["counted"] == "1")].iloc[0]
    question = """
    addEventListener('load', () => setTimeout(() => {
      const texts = tag => [...document.querySelectorAll(`dialog ${tag}`)].map(e => e.textContent);
      answer([document.querySelector('dialog').open, texts('dd'), texts('a')]);
    }, 500));"""
    opened, said, links = in_browser(
        finished.results, name, question, tmp_path, address=f"#{number['anchor']}"
    )
    assert opened
    assert said[0] == number["printed"]
    assert "95 % interval" in said[1]
    assert said[-1].endswith("trustworthy_table5")
    assert links[0] == "Its table"


@browser
def test_a_table_of_every_number_is_made_when_it_is_asked_for(finished, tmp_path):
    question = """
    addEventListener('load', () => {
      const details = document.querySelector('details.cells[data-artefact="trustworthy_table5"]');
      details.open = true;
      setTimeout(() => {
        const [table, search] = [details.querySelector('table'), details.querySelector('input')];
        const shown = () => [...table.tBodies[0].rows].filter(row => !row.hidden).length;
        const all = shown();
        search.value = 'no such text';
        search.dispatchEvent(new Event('input'));
        answer([all, shown()]);
      }, 1000);
    });"""
    cells = pd.read_csv(finished.results / "trustworthy/table5.comparison.csv")
    found = in_browser(finished.results, "trustworthy", question, tmp_path)
    assert found == [len(cells), 0]


@browser
def test_a_page_sent_alone_has_no_dead_link(pages, tmp_path):
    (tmp_path / "alone.html").write_text(pages["index"], "utf-8")
    question = """
    addEventListener('load', () => setTimeout(() => {
      answer([...document.links].map(a => a.getAttribute('href')).filter(
        href => !/^(#|https:)/.test(href)));
    }, 500));"""
    assert in_browser(tmp_path, "alone", question, tmp_path) == []

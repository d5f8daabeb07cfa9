"""The page, opened in a real browser."""

import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
OPTIONS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
# What the test asks the browser, written into the page's title where --dump-dom shows it.
QUESTION = """<script>
addEventListener('load', () => {
  const images = [...document.images];
  document.title = JSON.stringify({
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    images: images.length,
    broken: images.filter(i => !i.complete || i.naturalWidth === 0).length,
    requests: performance.getEntriesByType('resource').filter(r => /^http/.test(r.name)).length,
  });
});
</script></body>"""


@pytest.fixture(scope="session")
def html(finished) -> str:
    return (finished.results / "index.html").read_text("utf-8")


def test_page_asks_for_nothing_outside_itself(html):
    # A link to a paper loads nothing before a reader follows it.
    loading = re.sub(r'<a href="https://doi\.org/[^"]+">', "<a>", html)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", loading)
    assert "@import" not in html
    assert "url(" not in html


def test_page_links_lead_to_files_that_are_there(html, finished):
    links = re.findall(r'href="([^"#]+)"', html)
    links = [link for link in links if not link.startswith(("data:", "https://doi.org/"))]
    assert len(links) >= 16
    assert [link for link in links if not (finished.results / link).exists()] == []
    anchors = re.findall(r'href="#([^"]+)"', html)
    assert [anchor for anchor in anchors if f'id="{anchor}"' not in html] == []


@pytest.mark.chromium
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
@pytest.mark.parametrize("width", [1280, 500])
def test_page_fits_the_window_and_shows_every_picture(html, tmp_path, width):
    page = tmp_path / "page.html"
    page.write_text(html.replace("</body>", QUESTION), "utf-8")
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}"]
    command += [f"--window-size={width},900", "--dump-dom", page.as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    answer = re.search(r"<title>(\{.*?\})</title>", result.stdout)
    assert answer is not None, result.stderr[-500:]
    assert answer[1] == '{"overflow":0,"images":7,"broken":0,"requests":0}'

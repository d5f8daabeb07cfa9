import re

import yaml

from socialbias import __version__
from socialbias.pipeline.declarations import PAPERS
from socialbias.reporting.papers import Paper, read_papers
from tests.paths import REPOSITORY


def test_a_paper_is_cited_by_family_names_and_year():
    names = ["Ada Lovelace", "Mary Somerville", "Sophie Germain"]
    cited = [Paper("T", names[:n], 1843, "V", "10.1/x").cited for n in (1, 2, 3)]
    assert cited == ["Lovelace 1843", "Lovelace and Somerville 1843", "Lovelace et al. 1843"]


def test_the_paper_cites_what_the_citation_file_has_and_quotes_no_number_of_its_own():
    text = (REPOSITORY / "paper/paper.md").read_text("utf-8")
    known = (REPOSITORY / "paper/paper.bib").read_text("utf-8")
    assert set(re.findall(r"@(\w+)", text)) == set(re.findall(r"@\w+{(\w+),", known))
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == __version__
    assert f'title: "{citation["title"]}"' in text
    body = text.split("---", 2)[2]
    own = re.sub("<!-- reference run -->.*<!-- end of reference run -->", "", body, flags=re.DOTALL)
    assert not re.findall(r"(?<!\w)\d", own)


def test_every_paper_has_its_facts_and_the_citation_file_the_same():
    papers = read_papers(REPOSITORY / "resources/papers.yaml")
    assert set(papers) == set(PAPERS) - {"validation"}
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))
    cited = {
        r["title"]: (
            [f"{a['given-names']} {a['family-names']}" for a in r["authors"]],
            r["year"],
        )
        for r in citation["references"]
    }
    assert cited == {p.title: (p.authors, p.year) for p in papers.values()}

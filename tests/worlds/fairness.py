"""Templates and terms small enough to work out by hand, and folders as they are released."""

from pathlib import Path

import pandas as pd

from socialbias.papers.fairness.suites import TEMPLATES
from socialbias.papers.fairness.terms import NATIONALITY, TERMS
from tests.worlds.corpora import manifest

GENDER = pd.DataFrame(
    [
        ("gender", "generic", "I am {a:identity_np}.", "g.csv, line 2", 1, ""),
        ("gender", "specific", "{Identity_adj} art is dull. ", "s.csv, line 2", 0, ""),
    ],
    columns=TEMPLATES,
)
TERMS_OF_GENDER = pd.DataFrame(
    [
        ("gender", "a", "old", "adj", "1", "t.csv, line 2"),
        ("gender", "a", "young", "adj", "2", "t.csv, line 3"),
        ("gender", "a", "elf", "n", "3", "t.csv, line 4"),
        ("gender", "b", "tall", "adj", "4", "t.csv, line 5"),
        ("gender", "c", "imp", "n", "5", "t.csv, line 6"),
    ],
    columns=TERMS,
)
DEALS = {"fairness.bootstraps": 40, "fairness.deals": 40}
RELEASED = ("generic", "gender_sexuality", "religion", "ethnicity", "age", "disability", "people")
HEAD = "TEMPLATE,DOMAIN,SENT,NER\n"


def templates(folder: Path, nationality: str) -> Path:
    """Write the released templates, of which only those of nationality have lines."""
    (folder / "templates").mkdir(parents=True)
    for name in (*(f"{name}_templates" for name in RELEASED), "generic_templates_adj_or_pp"):
        (folder / f"templates/{name}.csv").write_text(HEAD)
    (folder / "templates/nationality_templates.csv").write_text(HEAD + nationality)
    return manifest(folder, "gfm", format="gfm")


def countries(*pairs: tuple[str, str]) -> pd.DataFrame:
    """Terms: countries with their groups."""
    rows = [(NATIONALITY, group, name, "country", name, "x") for group, name in pairs]
    return pd.DataFrame(rows, columns=TERMS).assign(reason="")

"""Templates, identity terms, countries and names of the generalized fairness metrics."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from socialbias.files.text import read_text
from socialbias.files.unpickle import loads
from socialbias.measures.datasets.parsing import read_table

SLOT = re.compile(r"\{(?:a:)?(\w+)\}")
COUNTRY_COLUMNS = {
    "RANK": "rank", "TERM": "term", "COUNTRY_ADJ": "adjective", "CONTINENT": "continent",
    "REGION": "region", "REGION_ADJ": "region_adjective",
    "GDP_NOMINAL": "gdp_nominal", "GDP_PPP": "gdp_ppp",
}  # fmt: skip


def read_templates(path: Path) -> pd.DataFrame:
    """Read a file of templates (Czarnowska, Vyas and Shah 2021).

    Args:
        path: One of `templates/*.csv`.

    Returns:
        One row per template, in the order of the file. Columns: `template` (unchanged: a few end
        in a space), `domain` (""), `sentiment` (0 negative, 1 neutral, 2 positive), `ner` (such as
        `{country}:U-LOC|UK:U-LOC`, "" without entities), `slots` (tuple of names, without the
        `a:` that marks an article; `Person` and `person` are different slots).
    """
    columns = {"TEMPLATE": "template", "DOMAIN": "domain", "SENT": "sentiment", "NER": "ner"}
    table = read_table(path).rename(columns=columns)[list(columns.values())]
    slots = [tuple(SLOT.findall(template)) for template in table["template"]]
    return table.astype({"sentiment": int}).assign(slots=slots)


def read_terms(path: Path) -> pd.DataFrame:
    """Read a file of identity terms.

    Args:
        path: `age.csv`, `disability.csv`, `gender.csv`, `race.csv`, `religion.csv` or
            `sexuality.csv` of `terms/identity_terms`.

    Returns:
        One row per term, in the order of the file. Columns, all strings, "" where the file is
        empty: `term`, `group`, `pos` (`adj`, `n`, `pp`), `type` (gender: `basic`; disability:
        `nonrec` for terms that are not recommended), `sem` (religion: `religion`, `person`).
    """
    table = read_table(path)
    columns = ("TERM", "GROUP", "POS", "TYPE", "SEM")
    return pd.DataFrame(
        {name.lower(): table.get(name, "") for name in columns},
        index=table.index,
    )


def read_countries(path: Path) -> pd.DataFrame:
    """Read `countries.csv`.

    Returns:
        One row per country, in the order of the file. Columns: `rank` (nullable integer; missing
        if there is no nominal GDP or no rank), `term`, `adjective`, `continent`, `region`,
        `region_adjective`, `gdp_nominal`, `gdp_ppp` (floats, millions of dollars; NaN if the file
        has none).
    """
    table = read_table(path).rename(columns=COUNTRY_COLUMNS)
    for name in ("rank", "gdp_nominal", "gdp_ppp"):
        table[name] = pd.to_numeric(table[name].replace("", None))
    table["rank"] = table["rank"].astype("Int64")
    return table[list(COUNTRY_COLUMNS.values())]


def read_names(path: Path) -> tuple[str, ...]:
    """Read a list of names, one per line, such as `wiktionary_names/*.txt`, without blank lines."""
    return tuple(line.strip() for line in read_text(path).split("\n") if line.strip())


def read_wikidata_names(path: Path) -> dict[str, tuple[str, ...]]:
    """Read the English given names of CheckList's `wikidata.pkl` (Ribeiro et al. 2020).

    Returns:
        `female` and `male`, each in the order of the file.

    Raises:
        UserError: it asks for more than plain data.
    """
    admitted = ["munch.Munch"]  # a kind of dictionary
    names = loads(path.read_bytes(), str(path), admitted).items
    return {"female": tuple(names["fnames"]["en"]), "male": tuple(names["mnames"]["en"])}

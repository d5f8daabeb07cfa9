"""Numbers of the passport are those of other artefacts, or say why there are none."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialbias.measures.passport import FIELDS
from socialbias.papers.validation import passport
from socialbias.reporting.passports import Place, read_places
from socialbias.reporting.values import NO_INPUT, write_values
from tests.paths import REPOSITORY
from tests.records import value, values_table
from tests.worlds import cells, job_with

FACTS = REPOSITORY / "resources/passports.yaml"
SAID = {"sources": "planted", "fidelity": "exact", "n": 16, "n_unit": "targets"}


def table(*records: dict) -> pd.DataFrame:
    return values_table("recovery", list(records), 1)


def test_a_number_is_copied_with_its_interval_its_inputs_and_its_reservation():
    cell = value(
        "text", "slope", 1.01, ci_low=0.9, ci_high=1.1, weak="one corpus", unit="u", **SAID
    )
    found = passport.copied(table(cell), Place("validation/recovery", "text", "slope"))
    assert (found["value"], found["ci_low"], found["ci_high"]) == (1.01, 0.9, 1.1)
    assert found["weak"] == "one corpus"
    assert found["made_of"]["sources"].tolist() == ["planted"]


def test_of_a_star_it_is_the_median_over_rows_and_made_of_all_of_them():
    rows = [
        value(row, "slope", 9.0, detectable=found, sources=source, fidelity=fidelity)
        for row, found, source, fidelity in [
            ("a", 0.1, "x", "exact"),
            ("b", 0.7, "y", "substitute"),
            ("c", 0.2, "x", "exact"),
        ]
    ]
    found = passport.copied(table(*rows), Place("validation/recovery", "*", "slope", "detectable"))
    assert found["value"] == 0.2
    assert (found["n"], found["made_of"]["sources"].tolist()) == (3, ["x", "y", "x"])
    assert "ci_low" not in found


def test_where_there_is_none_the_note_of_the_empty_cell_says_why():
    empty = value("text", "slope", np.nan, fidelity=NO_INPUT, note="get the corpus")
    place = Place("validation/recovery", "text", "slope")
    assert passport.copied(table(empty), place) == {"note": "get the corpus"}
    assert "has no such number" in passport.copied(table(), place)["note"]


def test_biases_by_two_lists_are_ordered_alike_or_the_other_way_round():
    professions = [f"p{number}" for number in range(12)]
    parts = [
        pd.DataFrame({"column": column, "row": row, "unit": professions, "bias": biases})
        for row, sign in (("caliskan", 1), ("manzini", -1))
        for column, biases in zip(
            passport.LISTS, (np.arange(12.0), sign * np.arange(12.0) ** 3), strict=True
        )
    ]
    job = job_with({passport.TABLE5: pd.concat(parts)})
    shown = [value(row, c, 0.5) for row in ("caliskan", "manzini") for c in passport.LISTS]
    tables = {"trustworthy/table5": table(*shown, value("caliskan", "another", 0.5))}
    found = passport.correlated(job, "lists", "caliskan", tables)
    assert found["value"] == pytest.approx(1)
    assert set(found["made_of"]["column"]) == set(passport.LISTS)
    assert passport.correlated(job, "lists", "manzini", tables)["value"] == pytest.approx(-1)
    assert passport.correlated(job, "lists", "divdist", tables) == {}
    nothing = job_with({passport.TABLE5: pd.DataFrame(columns=["column", "row", "unit"])})
    assert passport.correlated(nothing, "lists", "caliskan", tables) == {}


def test_every_measure_has_all_fields_with_a_number_or_a_line_that_says_why(tmp_path: Path):
    passports = read_places(FACTS)
    places = [p for each in passports for p in each.cells.values() if isinstance(p, Place)]
    files = {passport.FACTS: [FACTS]}
    for artefact in {place.artefact for place in places} - {"computed"}:
        path = tmp_path / f"{artefact.replace('/', '_')}.csv"
        cell = value("text", "slope@direct", 1.5, ci_low=1.0, ci_high=2.0, unit="u", **SAID)
        write_values(values_table(artefact, [cell], 1), path)
        files[f"values/{artefact}"] = [path]
    records = passport.summarise(job_with(files))
    found = cells(records)
    assert len(found) == len(records) == len(passports) * len(FIELDS)
    assert found["text", "slope"]["value"] == 1.5
    assert "validation_recovery" in found["text", "slope"]["note"]
    empty = [record for record in records if np.isnan(record["value"])]
    assert len(empty) == len(records) - 1
    assert all(record["note"] for record in empty)

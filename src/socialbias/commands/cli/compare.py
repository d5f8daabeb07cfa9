"""`socialbias compare`."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import click

from socialbias.commands.cli import one_line
from socialbias.commands.cli.options import check_no_effect, chosen, files_of, measuring_options
from socialbias.commands.cli.outputs import (
    PLOTS,
    check_outputs,
    check_writable,
    explain_option,
    markdown,
    output_option,
    write,
)
from socialbias.errors import UserError
from socialbias.files.atomic_write import write_output
from socialbias.files.paths import check_file
from socialbias.files.tables import read_number, read_table
from socialbias.files.text import shown
from socialbias.system.progress import on_terminal

SUFFIXES = (".txt", ".csv", ".json", ".html", ".tex", ".md", ".xml", *PLOTS)
CORRECTED = "corrected"
COLUMNS, DOMAIN = ("item", "term", "decision"), "domain"  # the last is optional


@click.command()
@click.argument("first")
@click.argument("second")
@measuring_options
@click.option(
    "--measure",
    metavar="NAME",
    help="Measure: of corpora directed, of vectors and models position; no other can be compared.",
)
@click.option(
    "--margin",
    type=float,
    help="Largest difference that would do no harm, in the unit of the result (with --items or "
    "--decisions a share, such as 0.05). Required for the verdict 'no worse'.",
)
@click.option(
    "--decisions", is_flag=True, help="Read FIRST and SECOND as CSV: item, term, decision (0 to 1)."
)
@click.option("--items", metavar="FILE", help="Stereotype items to compare two models on.")
@click.option(
    "--scoring",
    "scorings",
    metavar="NAME",
    multiple=True,
    help="How sentences are scored (with --items): corrected, released (as StereoSet's code, with "
    "its errors), or one scoring, such as sentence_mean. Give it twice for the two sides.  "
    "[default: corrected]",
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Look at a growing part of the items, in random order, and stop at the first verdict "
    "(with --items or --decisions; needs --margin).",
)
@click.option(
    "--common",
    is_flag=True,
    help="Compare only the items that both sides have.",
)
@explain_option
@output_option(*SUFFIXES)
@click.option(
    "--summary",
    metavar="FILE",
    help="Append a summary in Markdown, such as to $GITHUB_STEP_SUMMARY.",
)
def compare(
    first: str,
    second: str,
    margin: float | None,
    decisions: bool,
    items: str | None,
    scorings: tuple[str, ...],
    sequential: bool,
    common: bool,
    outputs: tuple[str, ...],
    explain: bool,
    summary: str | None,
    **options,
) -> None:
    """Test whether SECOND is more biased than FIRST.

    Exit status: 0 no worse, 3 worse, 4 cannot tell; 1 error, 2 usage error, 130 interrupt. SECOND
    is "worse" if the interval of the difference lies above 0 and ends above the margin. It is "no
    worse" if the interval ends at or below the margin and a difference of that size would have been
    detected.

    With --items, FIRST and SECOND may be addresses of servers: http(s)://host:port[/v1][#MODEL]. A
    key is read from the environment variable SOCIALBIAS_SERVER_KEY.

    Items are CSV (item, term, context with BLANK, stereotype, anti-stereotype) or StereoSet's JSON.
    With --items or --decisions, "worse" means that the stereotype is preferred more often.
    """
    from socialbias.commands.compare import EXIT_CODES
    from socialbias.commands.compare import compare as run_compare
    from socialbias.commands.compare_items import compare_items

    with one_line():
        if items and decisions:
            raise UserError("--items and --decisions: cannot be combined")
        if items or decisions:
            mode = "--items" if items else "--decisions"
            check_no_effect(options.keys() - {"seed", "level"}, mode)
        inputs = (first, second, items, *files_of(options))
        # How the decisions were made is not known here, so no paragraph can say it.
        forms = [suffix for suffix in SUFFIXES if suffix != ".md" or not decisions]
        check_outputs(outputs, forms, *inputs)
        if summary:
            check_writable(Path(summary), *inputs)
            if os.path.realpath(summary) in map(os.path.realpath, outputs):
                raise UserError(f"--summary {summary}: is also the file of -o; name another file")
        how = {key: options[key] for key in ("seed", "level") if options[key] is not None}
        of_items = how | {"margin": margin, "common": common, "sequential": sequential}
        if items:
            with on_terminal():
                result = compare_items(
                    first, second, items, scoring=scorings or CORRECTED, **of_items
                )
        elif scorings:
            raise UserError("--scoring: can only be used with --items")
        elif decisions:
            result = _decisions(Path(first), Path(second), of_items)
        elif common or sequential:
            option = "--common" if common else "--sequential"
            raise UserError(f"{option}: can only be used with --items or --decisions")
        else:
            with on_terminal():
                result = run_compare(first, second, margin=margin, **chosen(options))
        write(result, outputs, explain)
        if summary:
            write_output(summary, markdown(result).encode("utf-8", "replace"), append=True)
    sys.exit(EXIT_CODES[result.verdict])


def _decisions(first: Path, second: Path, how: dict):
    from socialbias.commands.compare_items import compare_decisions

    tables = [_read(path) for path in (first, second)]
    if not tables[0].keys() & tables[1].keys():
        raise UserError(f"{first} and {second}: they have no item in common")
    rows = {item: row for table in tables for item, (row, _) in table.items()}
    rows = dict(sorted(rows.items()))  # whichever file is the first
    for item, (row, _) in tables[0].items():
        for name in ("term", DOMAIN):
            if row.get(name, "") != rows[item].get(name, row.get(name, "")):
                raise UserError(f"{second}: item {item} has another {name} than in {first}")
    none = ({}, math.nan)
    sides = ([table.get(item, none)[1] for item in rows] for table in tables)
    terms = [row["term"] for row in rows.values()]
    labels = {"item": [*rows]}
    if all(DOMAIN in row for row in rows.values()):
        labels[DOMAIN] = [row[DOMAIN] for row in rows.values()]
    how |= {"labels": labels, "names": (shown(first.name), shown(second.name))}
    return compare_decisions(*sides, terms, **how)


def _read(path: Path) -> dict[str, tuple[dict[str, str], float]]:
    """Return the row and decision of each item."""
    check_file(path, once=True)
    decisions: dict[str, tuple[dict[str, str], float]] = {}
    for place, row in read_table(path, COLUMNS, filled=COLUMNS[:2]):
        decision = read_number(row["decision"], place)
        if decision < 0 or decision > 1:
            raise UserError(
                f"{place}: the decision {row['decision']!r} is not a number from 0 to 1"
            )
        if row["item"] in decisions:
            raise UserError(f"{place}: item {row['item']} appears twice")
        decisions[row["item"]] = (row, decision)
    return decisions

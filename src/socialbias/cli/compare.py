"""`socialbias compare`."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import click

from socialbias.cli import addressed, one_line
from socialbias.cli.build_reports import build_options
from socialbias.cli.options import check_no_effect, check_outputs, chosen, shared, write
from socialbias.errors import UserError
from socialbias.files.tables import read_number, read_table
from socialbias.files.text import shown
from socialbias.sources.sniffing import check_file
from socialbias.system.progress import on_terminal

CORRECTED = "corrected"
COLUMNS, DOMAIN = ("item", "term", "decision"), "domain"  # the last is optional


@click.command()
@click.argument("first")
@click.argument("second")
@shared
@click.option(
    "--margin",
    type=float,
    help="Largest difference that would do no harm, in the unit of the result (with --items or "
    "--decisions a share, such as 0.05). Required for the verdict 'no worse'.",
)
@click.option(
    "--placebo",
    metavar="LIST|FILE|WORDS",
    help="Words to compare the targets with.  [default: random words of both]",
)
@click.option(
    "--decisions", is_flag=True, help="Read FIRST and SECOND as CSV: item, term, decision (0 to 1)."
)
@click.option("--items", metavar="FILE", help="Stereotype items to compare two models on.")
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help="Model to ask, of a server with several; give it twice for two servers (with --items).",
)
@click.option(
    "--scoring",
    "scorings",
    metavar="NAME",
    multiple=True,
    help="How sentences are scored (with --items): corrected, released (as StereoSet's code, with "
    "its errors), or one scoring, such as sentence_mean. Give it twice for the two sides.  "
    "[default: corrected]",
)
@build_options
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
def compare(
    first: str,
    second: str,
    margin: float | None,
    decisions: bool,
    items: str | None,
    models: tuple[str, ...],
    scorings: tuple[str, ...],
    sequential: bool,
    common: bool,
    **options,
) -> None:
    """Test whether SECOND is more biased than FIRST.

    Exit status: 0 no worse, 3 worse, 4 cannot tell; 1 error, 2 usage error, 130 interrupt. SECOND
    is "worse" if the interval of the difference lies above 0 and ends above the margin. It is "no
    worse" if the interval ends at or below the margin and a difference of that size would have been
    detected.

    With --items, FIRST and SECOND may be addresses of servers: http(s)://host:port[/v1]. A key is
    read from the environment variable SOCIALBIAS_SERVER_KEY.

    Items are CSV (item, term, context with BLANK, stereotype, anti-stereotype) or StereoSet's JSON.
    With --items or --decisions, "worse" means that the stereotype is preferred more often.
    """
    from socialbias.api.comparing import EXIT_CODES
    from socialbias.api.comparing import compare as run_compare
    from socialbias.api.comparing_items import compare_items

    with one_line():
        check_outputs(options, first, second, items)
        if items or decisions:
            _check_of_items(items, decisions, options)
        how = {key: options[key] for key in ("seed", "level") if options[key] is not None}
        of_items = how | {"margin": margin, "common": common, "sequential": sequential}
        if items:
            sides = addressed([first, second], models)
            with on_terminal():
                result = compare_items(*sides, items, scoring=scorings or CORRECTED, **of_items)
        elif models or scorings:
            raise UserError(f"--{'model' if models else 'scoring'}: can only be used with --items")
        elif decisions:
            result = _decisions(Path(first), Path(second), of_items)
        elif common or sequential:
            option = "--common" if common else "--sequential"
            raise UserError(f"{option}: can only be used with --items or --decisions")
        else:
            with on_terminal():
                result = run_compare(first, second, margin=margin, **chosen(options))
        write(result, options)
    sys.exit(EXIT_CODES[result.verdict])


def _check_of_items(items: str | None, decisions: bool, options: dict) -> None:
    """Raise UserError for an option that has no effect with --items or --decisions."""
    if items and decisions:
        raise UserError("--items and --decisions: cannot be combined")
    if items:
        check_no_effect(options, "--items")
    else:  # how the decisions were made is not known here
        check_no_effect(options, "--decisions", ("methods",))


def _decisions(first: Path, second: Path, how: dict):
    from socialbias.api.comparing_items import compare_decisions

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
            problem = f"the decision {row['decision']!r} is not a number from 0 to 1"
            raise UserError(f"{place}: {problem}")
        if row["item"] in decisions:
            raise UserError(f"{place}: item {row['item']} appears twice")
        decisions[row["item"]] = (row, decision)
    return decisions

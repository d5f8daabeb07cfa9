"""`socialbias compare`."""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import click

from socialbias.cli import one_line
from socialbias.cli.options import check_outputs, chosen, shared, write
from socialbias.errors import UserError
from socialbias.sources.sniffing import check_file

COLUMNS = ("item", "term", "decision")


@click.command()
@click.argument("first")
@click.argument("second")
@shared
@click.option(
    "--margin",
    type=float,
    default=0.0,
    help="A difference that would do no harm, in the unit of the numbers; of items and "
    "decisions a share, such as .05.",
)
@click.option(
    "--decisions", is_flag=True, help="FIRST and SECOND are CSV: item, term, decision (0 to 1)."
)
@click.option("--items", metavar="FILE", help="Compare models by items with a stereotype.")
def compare(
    first: str, second: str, margin: float, decisions: bool, items: str | None, **options
) -> None:
    """Whether SECOND is more biased than FIRST, which is worse.

    Exit code 0: no worse, the interval ends at the margin or below; 1: worse, it begins above 0;
    2: cannot tell, or an error.

    Items are CSV (item, term, context with BLANK, stereotype, anti-stereotype) or StereoSet's JSON;
    with them and with decisions, worse is to prefer the stereotype more often.
    """
    from socialbias.api.comparing import EXIT_CODES, compare_items
    from socialbias.api.comparing import compare as compared

    with one_line():
        check_outputs(options)
        how = {key: options[key] for key in ("seed", "level") if options[key] is not None}
        if items:
            result = compare_items(first, second, items, margin=margin, **how)
        elif decisions:
            result = _decisions(Path(first), Path(second), margin, how)
        else:
            result = compared(first, second, margin=margin, **chosen(options))
        write(result, options)
    sys.exit(EXIT_CODES[result.verdict])


def _decisions(first: Path, second: Path, margin: float, how: dict):
    from socialbias.api.comparing import compare_decisions

    tables = [_read(path) for path in (first, second)]
    common = [item for item in tables[0] if item in tables[1]]
    if not common:
        raise UserError(f"{first} and {second}: no item is in both")
    for item in common:
        if tables[0][item][0] != tables[1][item][0]:
            raise UserError(f"{second}: item {item} is of another term than in {first}")
    sides = ([table[item][1] for item in common] for table in tables)
    terms = [tables[0][item][0] for item in common]
    return compare_decisions(*sides, terms, margin=margin, names=(first.name, second.name), **how)


def _read(path: Path) -> dict[str, tuple[str, float]]:
    """Term and decision of each item."""
    check_file(path, once=True)
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({getattr(error, 'strerror', error)})") from None
    rows, found = csv.DictReader(text.splitlines()), {}
    if not set(COLUMNS) <= set(rows.fieldnames or ()):
        raise UserError(f"{path}: should have the columns {', '.join(COLUMNS)}")
    for row in rows:
        try:
            decision = float(row["decision"] or "nan")
            if not (0 <= decision <= 1 or math.isnan(decision)):
                raise ValueError
        except ValueError:
            problem = f"{row['decision']!r} is no decision from 0 to 1"
            raise UserError(f"{path}, line {rows.line_num}: {problem}") from None
        if row["item"] in found:
            raise UserError(f"{path}, line {rows.line_num}: item {row['item']} appears twice")
        found[row["item"]] = (row["term"], decision)
    return found

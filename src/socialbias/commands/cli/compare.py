"""`socialbias compare`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from socialbias.commands.cli import BY, one_line
from socialbias.commands.cli.options import (
    check_no_effect,
    chosen,
    files_of,
    is_given,
    measuring_options,
)
from socialbias.commands.cli.outputs import (
    EVERY_EVAL_EVER,
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
from socialbias.files.paths import expanded
from socialbias.system.progress import on_terminal

SUFFIXES = (".txt", ".csv", ".json", ".html", ".tex", ".md", ".xml", EVERY_EVAL_EVER, *PLOTS)


@click.command()
@click.argument("first")
@click.argument("second")
@measuring_options
@BY
@click.option(
    "--measure", metavar="NAME", help="Metric of logs; higher is worse (1-NAME: lower is worse)."
)
@click.option(
    "--margin",
    type=float,
    help="Largest difference that would do no harm, in the unit of the result (of decisions a "
    "share, such as 0.05). Required for the verdict 'no worse'.",
)
@click.option("--decisions", is_flag=True, help="Read FIRST and SECOND as CSV: item,term,decision.")
@click.option("--items", metavar="FILE", help="Stereotype items to compare two models on.")
@click.option(
    "--scoring",
    "scorings",
    metavar="NAME",
    multiple=True,
    help="How sentences are scored (with --items): corrected, released (as StereoSet's code), or "
    "one scoring, such as sentence_mean; twice for two sides.  [default: corrected]",
)
@click.option(
    "--sequential", is_flag=True, help="Stop as soon as the verdict is clear (needs --margin)."
)
@click.option("--common", is_flag=True, help="Compare only the items that both sides have.")
@explain_option
@output_option(*SUFFIXES)
@click.option("--summary", metavar="FILE", help="Append a summary in Markdown, as for GitHub.")
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

    Items are CSV (item, term, context with BLANK, stereotype, anti-stereotype), or as published:
    StereoSet, CrowS-Pairs, WinoBias or Winogender. FIRST and SECOND may also be logs: samples of
    lm-evaluation-harness, a log of Inspect, or the folder of a run of HELM. With items, decisions
    or logs, "worse" means that the stereotype is preferred more often. In logs, --measure names a
    metric whose higher values are worse (1-NAME if they are better), and --targets the field with
    the term of an item (item if each is its own).
    """
    from socialbias.commands.compare import EXIT_CODES
    from socialbias.commands.compare import compare as run_compare
    from socialbias.commands.compare_items import compare_items, compare_logs
    from socialbias.commands.decision_files import is_log

    with one_line():
        if items and decisions:
            raise UserError("--items and --decisions: cannot be combined")
        are_logs = [is_log(expanded(path)) for path in (first, second)]
        logs = any(are_logs) and not items
        for name in (first, second):
            if found := sorted(expanded(name).glob("**/samples_*.jsonl")):
                raise UserError(f"{name}: a run's folder: name its log, such as {found[0]}")
        if logs and not all(are_logs):
            alone, other = (first, second) if are_logs[0] else (second, first)
            raise UserError(f"{alone}: is a log of a harness, but {other} is none: name two logs")
        if items or decisions or logs:
            mode = "--items" if items else "--decisions" if decisions else "logs"
            fields = {"measure", "targets"} if mode == "logs" else set()
            check_no_effect(options.keys() - {"seed", "level"} - fields, mode)
        inputs = (first, second, items, *files_of(options))
        # How the decisions were made is not known here, so no paragraph can say it.
        forms = [suffix for suffix in SUFFIXES if suffix != ".md" or not (decisions or logs)]
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
                    first, second, items, scoring=scorings or "corrected", **of_items
                )
        elif scorings:
            raise UserError("--scoring: can only be used with --items")
        elif logs or decisions:
            term = options["targets"] if is_given("targets") else None
            result = compare_logs(first, second, term=term, metric=options["measure"], **of_items)
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

"""The option `-o FILE`, whose suffix is the form, and the summary for a build server."""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import click

from socialbias import __version__
from socialbias.commands.cli import echo
from socialbias.errors import UserError
from socialbias.files.escaping import for_markdown
from socialbias.sources.sniffing import check_not_read
from socialbias.system.piping import reader_may_leave

if TYPE_CHECKING:
    from socialbias.commands.result import Result
    from socialbias.commands.table import Table
    from socialbias.reporting.render import Output

DECISION = ("verdict", "statistic", "unit", "direction", "p_value", "test", "resampled", "n_unit")
UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PLOTS = (".svg", ".pdf", ".png")
EVERY_EVAL_EVER = ".every-eval-ever.json"
# By suffix, what a file has and what returns it.
FORMS: dict[str, tuple[str, Callable]] = {
    ".txt": ("text with every row", lambda result: f"{result.text(None)}\n"),
    ".csv": ("rows", lambda result: result.to_csv()),
    ".json": ("everything", lambda result: result.to_json()),
    ".html": ("page", lambda result: result.to_html()),
    ".tex": ("LaTeX table", lambda result: result.to_latex()),
    ".md": ("methods paragraph and BibTeX", lambda result: result.methods()),
    ".xml": ("JUnit test", lambda result: junit(result)),
    EVERY_EVAL_EVER: ("Every Eval Ever", lambda result: every_eval_ever(result)),
}


def output_option(*suffixes: str) -> Callable:
    """Return the option `-o` of a command that writes files with these suffixes."""
    named = [f"{suffix} ({FORMS[suffix][0]})" for suffix in suffixes if suffix in FORMS]
    plots = [", ".join(PLOTS) + " (figure)"] * (PLOTS[0] in suffixes)
    return click.option(
        "-o",
        "outputs",
        metavar="FILE",
        multiple=True,
        help=f"File to write: {', '.join([*named, *plots])}. Repeat it for several files; - and a "
        "suffix, such as -.json, is standard output.",
    )


explain_option = click.option(
    "--explain", is_flag=True, help="Print every fact, and more rows, not only the answer."
)


def _is_printed(name: str) -> bool:
    """Return whether an output is standard output; `./-.json` is a file."""
    return name.startswith("-.") and "/" not in name


def _suffix(name: str) -> str:
    """Return the suffix of an output, which says its form."""
    if name.endswith(EVERY_EVAL_EVER):
        return EVERY_EVAL_EVER
    return name[1:] if _is_printed(name) else Path(name).suffix


def check_outputs(outputs: Sequence[str], suffixes: Sequence[str], *inputs: str | None) -> None:
    """Raise UserError for a file that cannot be written, before anything is measured."""
    taken = set()
    for name in outputs:
        path = Path(name)
        printed, suffix = _is_printed(name), _suffix(name)
        if path.is_dir():
            hint = f"name a file in it, such as {name}/result.html"
            raise UserError(f"-o {name}: is a folder: {hint}")
        if suffix not in suffixes or (printed and suffix in PLOTS):
            known = ", ".join(each for each in suffixes if not printed or each not in PLOTS)
            raise UserError(f"-o {name}: its name must end in one of {known}")
        place = "standard output" if printed else os.path.realpath(path)  # also of a circle
        if place in taken:
            raise UserError(f"-o {name}: is also the file of another output; name another file")
        taken.add(place)
        if not printed:
            check_writable(path, *inputs)
        if suffix in PLOTS:
            from socialbias.reporting.result_figure import load_matplotlib

            load_matplotlib()


def check_writable(path: Path, *inputs: str | None) -> None:
    """Raise UserError for a file that is an input, or that cannot be written."""
    check_not_read(path, *inputs)
    if path.exists() and not (path.is_file() or path.is_dir()):
        return  # a pipe or device
    if path.is_dir():
        raise UserError(f"{path}: cannot be written (it is a folder)")
    if not path.parent.is_dir():
        raise UserError(f"{path}: cannot be written (there is no folder {path.parent})")
    folder = Path(os.path.realpath(path)).parent
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise UserError(f"{path}: cannot be written (no permission)")


def write(result: Output, outputs: Sequence[str], explain: bool = True) -> None:
    """Print a result, in short or to `explain` it, and write it to files.

    It is printed first, so that it is not lost where a file cannot be written.
    """
    from socialbias.reporting.render import MAX_ROWS, written

    if not any(map(_is_printed, outputs)):
        with reader_may_leave():
            echo(result.text(MAX_ROWS) if explain else result.brief())
    for name in outputs:
        if _suffix(name) in PLOTS:
            result.plot(name)
        elif _is_printed(name):
            with reader_may_leave():
                click.echo(FORMS[_suffix(name)][1](result), nl=False)
        else:
            written(FORMS[_suffix(name)][1](result), name, result.provenance)


def junit(result: Result | Table) -> str:
    """Return a JUnit file with one test case: "worse" fails it, and "cannot tell" skips it."""
    from socialbias.commands.compare import CANNOT_TELL, WORSE  # slow

    counts = {"tests": 1, "failures": result.verdict == WORSE}
    counts |= {"skipped": result.verdict == CANNOT_TELL, "errors": 0}
    suite = ElementTree.Element("testsuite", {"name": "socialbias compare"})
    suite.attrib |= {name: str(int(count)) for name, count in counts.items()}
    case = ElementTree.SubElement(suite, "testcase", {"classname": "socialbias.compare"})
    case.set("name", UNPRINTABLE.sub("?", result.title))
    outcome = {WORSE: "failure", CANNOT_TELL: "skipped"}.get(result.verdict)
    if outcome:
        message = f"{result.verdict}: {_headline(result)}"
        ElementTree.SubElement(case, outcome, {"message": UNPRINTABLE.sub("?", message)})
    ElementTree.SubElement(case, "system-out").text = UNPRINTABLE.sub("?", result.text())
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, "unicode")}\n'


def every_eval_ever(result: Result | Table) -> str:
    """Return the decision as a record of Every Eval Ever 0.3.0, about the second side.

    The score is the difference, of which less is better.
    """
    first, second = (str(entry["name"]) for entry in result.provenance[:2])
    tests = getattr(result, "comparisons", {"": result})  # a table has one for each set of groups
    now = str(int(time.time()))
    made_by = {"source_type": "evaluation_run", "evaluator_relationship": "other"}
    model = {"name": second, "id": second, "developer": "unknown"}
    where = {"deployment_type": "unknown", "model_availability": "unknown"}
    record = {
        "schema_version": "0.3.0",
        "evaluation_id": f"socialbias compare/{second}/{now}",
        "evaluation_timestamp": now,
        "retrieved_timestamp": now,
        "source_metadata": made_by | {"source_organization_name": "the person who ran socialbias"},
        "eval_library": {"name": "socialbias", "version": __version__},
        "model_info": model | {"additional_details": where},
        "evaluation_results": [
            _evaluation(test, name, first)
            for name, test in tests.items()
            if not any(map(math.isnan, (test.value, test.low, test.high)))
        ],
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def _evaluation(result: Result, groups: str, first: str) -> dict:
    """Return one of the results in a record; the groups are named where there are several sets."""
    details = {name: getattr(result, name) for name in DECISION}
    interval = {"lower": result.low, "upper": result.high, "confidence_level": result.level}
    score = {
        "score": result.value,
        "details": {name: str(value) for name, value in details.items()} | {"first": first},
        "uncertainty": {"confidence_interval": interval, "num_samples": result.n},
    }
    return {
        "evaluation_result_id": ".".join(filter(None, ("socialbias", result.measure, groups))),
        "evaluation_name": result.title,
        "source_data": {"source_type": "other", "dataset_name": result.n_unit},
        "metric_config": {"metric_id": f"socialbias.{result.measure}", "lower_is_better": True},
        "score_details": score,
    }


def markdown(result: Result | Table) -> str:
    """Return verdict, number and facts in Markdown."""
    lines = [f"### {_plain(result.verdict)}: {_plain(result.title)}"]
    lines += ["", _plain(_headline(result)), "", "| | |", "|---|---|"]
    lines += [f"| {_plain(name)} | {_plain(value)} |" for name, value in result.all_facts()]
    return "\n".join(lines) + "\n\n"


def _headline(result: Result | Table) -> str:
    """Return the number; of a table that of each set of groups."""
    from socialbias.commands.result import Result, headline

    if isinstance(result, Result):
        return headline(result)
    each = (f"{name}: {headline(test)}" for name, test in result.comparisons.items())
    return "; ".join(each)


def _plain(given: str) -> str:
    """Return a text in one line that Markdown shows as it is."""
    return for_markdown(" ".join(UNPRINTABLE.sub("?", given).split()))

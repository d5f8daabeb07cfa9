"""What a build server shows of a comparison: a JUnit test case and a summary in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import click

from socialbias.api.output import check_not_measured, written
from socialbias.api.result import Result, headline
from socialbias.api.table import Table
from socialbias.files.atomic_write import write_output
from socialbias.files.escaping import for_markdown

UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def build_options(command: Callable) -> Callable:
    """Add the options of build reports to a command."""
    for option in (
        click.option(
            "--summary",
            metavar="FILE",
            help="Append a summary in Markdown, such as to $GITHUB_STEP_SUMMARY (- = print it).",
        ),
        click.option(
            "--junit",
            metavar="FILE",
            help="Write the verdict as a JUnit test: 'worse' fails it, 'cannot tell' skips it.",
        ),
    ):
        command = option(command)
    return command


def junit(result: Result | Table, path: str | None = None) -> str:
    """Return a JUnit file with one test case, and write it to a file if one is named."""
    from socialbias.api.comparing import CANNOT_TELL, WORSE  # slow

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
    xml = f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, "unicode")}\n'
    return written(xml, path, result.provenance)


def markdown(result: Result | Table, path: str | None = None) -> str:
    """Return verdict, number and facts in Markdown, and append them to a file if one is named."""
    lines = [f"### {_plain(result.verdict)}: {_plain(result.title)}"]
    lines += ["", _plain(_headline(result)), "", "| | |", "|---|---|"]
    lines += [f"| {_plain(name)} | {_plain(value)} |" for name, value in result.all_facts()]
    text = "\n".join(lines) + "\n\n"
    if path is not None:
        check_not_measured(path, result.provenance)
        write_output(path, text.encode("utf-8", "replace"), append=True)
    return text


BUILD_REPORTS = {"junit": junit, "summary": markdown}


def _headline(result: Result | Table) -> str:
    """Return the number; of a table that of each set of groups."""
    if isinstance(result, Result):
        return headline(result)
    each = (f"{name}: {headline(test)}" for name, test in result.comparisons.items())
    return "; ".join(each)


def _plain(given: str) -> str:
    """Return a text in one line that Markdown shows as it is."""
    return for_markdown(" ".join(UNPRINTABLE.sub("?", given).split()))

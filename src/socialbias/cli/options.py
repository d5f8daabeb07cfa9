"""The options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from socialbias.api.figure import load_matplotlib
from socialbias.api.result import Result
from socialbias.api.table import Table
from socialbias.cli import BY, SEED, TEXT_KEY, echo
from socialbias.cli.build_reports import BUILD_REPORTS
from socialbias.errors import UserError
from socialbias.files.atomic_write import OPENED
from socialbias.files.paths import exists
from socialbias.measures.divdist import ASSOCIATIONS, DIVERGENCES, NORMALIZERS
from socialbias.measures.registry import MEASURES, offered
from socialbias.sources.sniffing import check_not_read
from socialbias.system.piping import reader_may_leave


def _offered() -> str:
    """Return the names of the measures; after the last with another version, the endings."""
    names = offered()
    versions = [measure for measure in MEASURES.values() if measure.version_of]
    last = max(names.index(version.version_of) for version in versions)
    endings = sorted({version.name.removeprefix(version.version_of) for version in versions})
    number = {1: "one", 2: "two", 3: "three"}[len(versions)]
    names[last] += f" (the last {number} also with {', '.join(endings)})"
    return ", ".join(names)


# What returns a result as text, and writes it to a file if one is named, by option.
OUTPUTS = {
    "json": lambda result, path=None: result.to_json(path),
    "csv": lambda result, path=None: result.to_csv(path),
    "html": lambda result, path=None: result.to_html(path),
    "latex": lambda result, path=None: result.to_latex(path),
    "methods": lambda result, path=None: result.methods(path),
    **BUILD_REPORTS,
}
PLOTS = (".png", ".pdf", ".svg")
_WORDS = (
    click.option(
        "--groups",
        default="gender",
        show_default=True,
        metavar="LIST|FILE,...",
        help="Group words: packaged lists (socialbias lists) or a file with a [section] per group. "
        "Several, separated by commas, make a table.",
    ),
    click.option(
        "--targets",
        default="professions",
        show_default=True,
        metavar="LIST|FILE|WORDS",
        help="Words to measure: a packaged list, a file, or words separated by commas.",
    ),
    click.option(
        "--measure",
        metavar="NAME",
        help=f"Bias measure: {_offered()}.  [default: directed; divdist for three or more groups]",
    ),
)


def _choices(what: str, names: Mapping[str, object]) -> str:
    """Return the help of an option with named values, the default first."""
    return f"{what}: {', '.join(names)}.  [default: {next(iter(names))}]"


_HOW = (
    click.option(
        "--association", help=_choices("Association score for directed and divdist", ASSOCIATIONS)
    ),
    click.option(
        "--normalize", help=_choices("Normalization for directed and divdist", NORMALIZERS)
    ),
    click.option("--divergence", help=_choices("Divergence for divdist", DIVERGENCES)),
    TEXT_KEY,
    BY,
    click.option(
        "--window",
        type=click.IntRange(1, 5),
        help="Sentences per context in a corpus.  [default: 3, or 1 in short documents]",
    ),
    click.option(
        "--reference",
        metavar="uniform|corpus|FILE",
        help="Shares of the groups without bias in a corpus: equal, its base rate, or CSV with the "
        "columns group,share.  [default: uniform]",
    ),
    click.option(
        "--layer",
        type=click.IntRange(0),
        help="Model layer to read (0 = input embeddings; default: last).",
    ),
    click.option(
        "--language",
        metavar="TAG",
        help="Language of the data and of the packaged lists, such as de.",
    ),
    click.option(
        "--texts",
        metavar="CORPUS",
        help="Corpus of sentences in which a model reads the words.  [default: words alone]",
    ),
    SEED,
    click.option("--level", type=float, help="Confidence level of intervals.  [default: 0.95]"),
)
_OUT = (
    click.option(
        "--json", metavar="FILE", help="Write the whole result as JSON (- = standard output)."
    ),
    click.option("--csv", metavar="FILE", help="Write the rows as CSV (- = standard output)."),
    click.option("--html", metavar="FILE", help="Write an HTML page (- = standard output)."),
    click.option("--latex", metavar="FILE", help="Write a LaTeX table (- = standard output)."),
    click.option("--plot", metavar="FILE", help="Plot the rows to a .png, .pdf or .svg file."),
    click.option(
        "--plot-size",
        type=click.Choice(["wide", "narrow"]),
        default="wide",
        help="Width of the plot: a page or one of two columns.  [default: wide]",
    ),
    click.option(
        "--methods", metavar="FILE", help="Write a methods paragraph and BibTeX (- = print it)."
    ),
    click.option("--all", "all_rows", is_flag=True, help="Print every row."),
)


def shared(command: Callable) -> Callable:
    """Add the options for words, measuring and output to a command."""
    for option in reversed(_WORDS + _HOW + _OUT):
        command = option(command)
    return command


def chosen(options: dict) -> dict:
    """Return the given options for words and measuring."""
    outputs = {*OUTPUTS, "plot", "plot_size", "all_rows"}
    given = {k: value for k, value in options.items() if k not in outputs and value is not None}
    sets = files_of(given["groups"])
    return given | {"groups": sets if len(sets) > 1 else sets[0]}


def files_of(groups: str) -> list[str]:
    """Return the parts of a value between commas; a file or folder with a comma is one part."""
    return [groups] if exists(groups) else [part.strip() for part in groups.split(",")]


def check_no_effect(options: dict, mode: str, outputs: Sequence[str] = ()) -> None:
    """Raise UserError for an option that has no effect in a mode."""
    for name in outputs:
        if options[name]:
            raise UserError(f"--{name}: has no effect with {mode}")
    source, default = click.get_current_context().get_parameter_source, ParameterSource.DEFAULT
    for name in chosen(options):
        if name not in ("seed", "level") and source(name) is not default:
            raise UserError(f"--{name.replace('_', '-')}: has no effect with {mode}")


def check_outputs(options: dict, *inputs: str | None) -> None:
    """Raise UserError for a file that cannot be written, before anything is measured."""
    if len(printed := [f"--{name}" for name in OUTPUTS if options.get(name) == "-"]) > 1:
        raise UserError(f"{' and '.join(printed)}: only one can be standard output")
    taken, stdout = set(), os.path.realpath("/dev/stdout")
    words = [options.get(option) for option in ("targets", "placebo", "texts", "reference")]
    read = [*inputs, *words, *files_of(options["groups"])]
    for name in (*OUTPUTS, "plot"):
        path = Path(options.get(name) or "-")
        if str(path) == "-":
            continue
        check_not_read(path, *read)
        place = os.path.realpath(path)  # also of links in a circle
        opened = bool(OPENED.fullmatch(str(path)))
        with_printed = place == stdout and (printed or not opened)
        if place != os.devnull and (place in taken or with_printed):
            raise UserError(f"{path}: is also the file of another output; name another file")
        taken.add(place)
        if opened or (path.exists() and not (path.is_file() or path.is_dir())):
            continue  # a pipe or device
        if path.is_dir():
            raise UserError(f"{path}: cannot be written (it is a folder)")
        if not path.parent.is_dir():
            raise UserError(f"{path}: cannot be written (there is no folder {path.parent})")
        if not os.access(Path(place).parent, os.W_OK) or (
            path.exists() and not os.access(path, os.W_OK)
        ):
            raise UserError(f"{path}: cannot be written (no permission)")
    if options["plot"]:
        if Path(options["plot"]).suffix not in PLOTS:
            raise UserError(f"{options['plot']}: name a .png, .pdf or .svg file")
        load_matplotlib()


def write(result: Result | Table, options: dict) -> None:
    """Print a result and write it to the files named in the options."""
    from socialbias.api.result import SHOWN

    if "-" not in [
        options.get(name) for name in OUTPUTS
    ]:  # first, so that it is not lost where a file cannot be written
        with reader_may_leave():
            echo(result.text(None if options["all_rows"] else SHOWN))
    for name, output in OUTPUTS.items():
        path = options.get(name)
        if path == "-":
            with reader_may_leave():
                click.echo(output(result), nl=False)
        elif path:
            output(result, path)
    if options["plot"]:
        result.plot(options["plot"], size=options["plot_size"])

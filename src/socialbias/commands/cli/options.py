"""The options that `measure` and `compare` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import click
from click.core import ParameterSource

from socialbias.commands.cli import LANGUAGE, SEED, TEXT_KEY
from socialbias.embeddings.words.lists import lists
from socialbias.errors import UserError
from socialbias.files.paths import exists
from socialbias.measures.divdist import ASSOCIATIONS, DIVERGENCES, NORMALIZERS


def _choices(what: str, names: Mapping[str, object]) -> str:
    """Return the help of an option with named values, the default first."""
    return f"{what}: {', '.join(names)}.  [default: {next(iter(names))}]"


WORDS = "LIST|FILE|WORDS"
# Of `measure` alone: what `compare` compares is fixed.
OF_MEASURE = (
    click.option("--against", metavar="FILE", help="CSV of word,number to correlate targets with."),
    click.option("--association", help=_choices("Association (directed, divdist)", ASSOCIATIONS)),
    click.option("--normalize", help=_choices("Normalization (directed, divdist)", NORMALIZERS)),
    click.option("--divergence", help=_choices("Divergence for divdist", DIVERGENCES)),
)
OPTIONS = (
    click.option(
        "--groups",
        default="gender",
        show_default=True,
        metavar=WORDS,
        help="Group words: a packaged list (socialbias lists), a file with a [section] per group, "
        "or one word per group (a,b). Several lists or files (a.txt,b.txt) make a table.",
    ),
    click.option(
        "--targets",
        default="professions",
        show_default=True,
        metavar=WORDS,
        help="Words to measure: a packaged list, a file, or words separated by commas.",
    ),
    click.option(
        "--baseline", metavar=WORDS, help="Words to compare with.  [default: random words]"
    ),
    TEXT_KEY,
    click.option(
        "--window",
        type=click.IntRange(1, 5),
        help="Sentences per context in a corpus.  [default: 3, or 1 in short documents]",
    ),
    click.option(
        "--layer",
        type=int,
        help="Model layer to read (0 = input embeddings; default: where words look least alike).",
    ),
    LANGUAGE,
    SEED,
    click.option("--level", type=float, help="Confidence level of intervals.  [default: 0.95]"),
)


def measuring_options(command: Callable, more: Sequence[Callable] = ()) -> Callable:
    """Add the options for words and measuring to a command, and more behind them."""
    for option in reversed((*OPTIONS, *more)):
        command = option(command)
    return command


def chosen(options: Mapping) -> dict:
    """Return the given options, with a list of several sets of groups."""
    given = {name: value for name, value in options.items() if value is not None}
    sets = sets_of(given["groups"])
    return given | {"groups": sets if len(sets) > 1 else sets[0]}


def sets_of(groups: str) -> list[str]:
    """Return the lists and files between commas; words, and a file with a comma, are one part."""
    parts = [part.strip() for part in groups.split(",")]
    words = not any(part in lists() or "/" in part or "." in part or exists(part) for part in parts)
    return [groups] if words or exists(groups) else parts


def files_of(options: Mapping) -> list[str]:
    """Return what options name that may be a file."""
    named = map(options.get, ("targets", "baseline", "against", "reference"))
    return [*filter(None, named), *sets_of(options["groups"])]


def is_given(option: str) -> bool:
    """Return whether an option of the command that runs is given."""
    return click.get_current_context().get_parameter_source(option) is not ParameterSource.DEFAULT


def check_no_effect(options: Sequence[str], mode: str) -> None:
    """Raise UserError for an option that is given and has no effect in a mode."""
    for name in filter(is_given, options):
        raise UserError(f"--{name.replace('_', '-')}: has no effect with {mode}")

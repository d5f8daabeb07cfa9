"""The command `socialbias`: each of its commands has a file, imported when it is used."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from multiprocessing import active_children
from pathlib import Path
from typing import NoReturn

import click

from socialbias import __version__
from socialbias.errors import UserError, missing_package, naming_extras, nearest
from socialbias.files.text import printable, shown
from socialbias.system.piping import reader_may_leave

# The commands, each the function of its name in the module of its name, and what they do.
COMMANDS = {
    "measure": "Measure bias in vectors, a corpus or a model.",
    "compare": "Test whether the second of two is more biased (by exit status).",
    "audit": "Run every suitable instrument, with controls, or check seed words.",
    "reproduce": "Make papers' tables from your own data; compare your numbers with a paper's.",
    "verify": "Derive the numbers of an audit or a run again and compare them.",
    "power": "Sample size needed to detect a bias of a given size.",
    "lists": "Show the packaged word lists, or one with its source and licence.",
}
# Options of several commands.
TEXT_KEY = click.option(
    "--text-key", metavar="KEY", help="Key or column of the text in a corpus.  [default: text]"
)
BY = click.option(
    "--by",
    type=click.Choice(["line", "paragraph", "file"]),
    help="How to split plain text into documents.  [default: detected]",
)
SEED = click.option("--seed", type=click.IntRange(0), help="Random seed.")
LANGUAGE = click.option(
    "--language", metavar="TAG", help="Language of the data and of the packaged lists, such as de."
)
DATA = click.option(
    "--data",
    type=Path,
    default=Path("data"),
    show_default=True,
    help="Folder with benchmarks, to which missing ones are downloaded.",
)
OFFLINE = click.option("--offline", is_flag=True, help="Do not download benchmarks or models.")
MAX_ERROR = 900  # characters of an error, which may quote a file
# Click's usage error is 2; 3 and 4 are verdicts of `compare`.
FAILED, INTERRUPTED = 1, 130
# What libraries in C say, some of them when they are loaded.
NO_MEMORY = re.compile("out of memory|allocate memory|failed to map segment", re.IGNORECASE)
HELP = getattr(click.exceptions, "NoArgsIsHelpError", ())  # of a group; not in click 8.1
DEBUG = "SOCIALBIAS_DEBUG"  # environment variable: show the traceback of an unexpected error


class _Commands(click.Group):
    """Imports a command when it is used: `--help` imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return getattr(import_module(f"socialbias.commands.cli.{name}"), name)

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args and args[0] not in COMMANDS:
            hint = nearest(args[0], COMMANDS) or f"; choose from {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command is called {args[0]!r}{hint}", ctx)
        for before, word in pairwise(args):  # `-o "$FILE"` must not do without
            if not word or (word.startswith("--") and word.endswith("=")):
                name = word.rstrip("=") or (before if before.startswith("-") else "an argument")
                raise click.UsageError(f"{name} is empty: give a value, or leave it out", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context):
        with reader_may_leave():  # otherwise click exits with status 1
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="socialbias")
def cli() -> None:
    """Measure social bias in word vectors, texts, language models and predictions.

    On error, the command prints one line and exits with status 1 (2 for a usage error).
    """
    os.environ.setdefault("TQDM_DISABLE", "1")  # progress bars of what reads models
    os.environ.setdefault("RUST_BACKTRACE", "0")
    os.environ["MPLBACKEND"] = "agg"  # files are drawn, and no windows opened
    if not re.fullmatch("[0-9]{1,10}", os.environ.get("SOURCE_DATE_EPOCH", "0")):
        del os.environ["SOURCE_DATE_EPOCH"]  # libraries fail when they are imported
    try:
        Path.cwd()
    except OSError:
        raise click.ClickException("the working folder is gone: change to another one") from None


def main() -> None:
    """Run the command; any failure prints one line and never has the exit status of a verdict."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` has it ignored
            signal.signal(number, _end)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a name that its encoding cannot write
    try:
        cli(prog_name="socialbias", standalone_mode=False)
    except click.ClickException as error:
        if not isinstance(error, HELP):
            error.message = printable(error.message, MAX_ERROR)
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _stop("interrupted", INTERRUPTED)
    except OSError as error:  # of a file that nobody expected to fail, or a full disk behind `>`
        _stop(f"{error.filename or 'the output'}: {error.strerror or error}", FAILED)
    except BaseException as error:  # the panic of a library in Rust is no Exception
        if isinstance(error, SystemExit) or os.environ.get(DEBUG):
            raise
        if isinstance(error, MemoryError) or NO_MEMORY.search(str(error)):
            _stop("memory ran out: free some, or use a larger machine", FAILED)
        if isinstance(error, ImportError):
            _stop(f"a library cannot be loaded: {missing_package(error)}", FAILED)
        what = printable(f"{type(error).__name__}: {error}", 300)
        _stop(f"{what} (this is a bug in socialbias; set {DEBUG}=1 to see where)", FAILED)


def _end(number: int, _frame: object) -> NoReturn:
    """End the command as an interrupt does: temporary files and child processes go."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)  # what is cleared away then is cleared away whole
    for child in active_children():
        child.terminate()
    raise SystemExit(128 + number)


def _stop(message: str, status: int) -> None:
    """Print an error, if there is somewhere to print it, and exit."""
    if sys.stderr is not None:  # a daemon may have closed it
        print(f"Error: {printable(message, MAX_ERROR)}", file=sys.stderr)
    sys.exit(status)


@contextmanager
def one_line() -> Iterator[None]:
    """Turn errors that the user can fix into one line and exit status 1."""
    try:
        with naming_extras():
            yield
    except (UserError, ModuleNotFoundError) as error:
        if not isinstance(error, UserError) and "pip install" not in str(error):
            raise
        raise click.ClickException(str(error)) from None


def echo(result: object) -> None:
    """Print what may have names and words of files, without what steers a terminal."""
    click.echo("\n".join(shown(line) for line in str(result).split("\n")))

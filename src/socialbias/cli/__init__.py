"""The command `socialbias`: a file for each of its commands, imported when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import click

from socialbias import __version__
from socialbias.errors import UserError, naming_extras, nearest

# The commands, each the function of its name in the module of its name, and what they do.
COMMANDS = {
    "measure": "Bias in vectors, a corpus or a model.",
    "compare": "Whether one of two is more biased; the exit code says so.",
    "audit": "Every instrument that fits, with controls: one page.",
    "audit-seeds": "Whether seed words can bear a measurement.",
    "verdict": "Numbers against a paper's printed ones, for any paper.",
    "paper": "A paper's artefact on your own input, beside the paper's.",
    "workflow": "Write the pipeline's workflow to a folder, to run it there.",
    "power": "How many words, contexts, items or models a bias of a given size takes.",
    "lists": "The packaged word lists, with source and licence.",
}
FAILED = 2


class _Commands(click.Group):
    """Imports a command when it is asked for: `--help` imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_")
        return getattr(import_module(f"socialbias.cli.{module}"), module)

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args and args[0] not in COMMANDS:
            hint = nearest(args[0], COMMANDS) or f": there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command is called {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="socialbias")
def cli() -> None:
    """Social bias in word vectors, texts and language models, with its uncertainty.

    Errors are one line and exit code 2.
    """
    os.environ.setdefault("TQDM_DISABLE", "1")  # progress bars of what reads models


def main() -> None:
    """Run the command."""
    try:
        cli(prog_name="socialbias")
    except OSError as error:  # of a file that nobody expected to fail, or a full disk behind `>`
        where = error.filename or "the output"
        print(f"Error: {where}: {error.strerror or error}", file=sys.stderr)
        sys.exit(FAILED)


@contextmanager
def one_line() -> Iterator[None]:
    """Turn what the user can put right into one line and exit code 2."""
    try:
        with naming_extras():
            yield
    except UserError as error:
        raise _Failed(str(error)) from None
    except ModuleNotFoundError as error:
        if "pip install" not in str(error):
            raise
        raise _Failed(str(error)) from None


class _Failed(click.ClickException):
    exit_code = FAILED

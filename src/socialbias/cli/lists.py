"""`socialbias lists`."""

from __future__ import annotations

import click

from socialbias.cli import one_line
from socialbias.errors import UserError, nearest


@click.command()
@click.argument("name", required=False)
def lists(name: str | None) -> None:
    """The packaged word lists; with a NAME its words, in the form that --groups takes as a file."""
    from socialbias.api.lists import lists as packaged

    with one_line():
        if name is None:
            click.echo("\n".join(_line(each) for each in packaged().values()))
            return
        if name not in packaged():
            raise UserError(f"no list is called {name!r}{nearest(name, packaged())}")
        found = packaged()[name]
        click.echo(f"# {found.about}\n# {found.language}; {found.source}; licence {found.licence}")
        for part, words in found.words.items():
            click.echo("\n".join([*([f"[{part}]"] if part else []), *words]))


def _line(found) -> str:
    sizes = ", ".join(f"{name} {len(words)}".strip() for name, words in found.words.items())
    about = f"{found.about} ({sizes})\n{'':30}{found.language}; {found.source}"
    return f"{found.kind:<8}{found.name:<22}{about}; licence {found.licence}"

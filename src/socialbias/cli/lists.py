"""`socialbias lists`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from socialbias.cli import one_line
from socialbias.errors import UserError, nearest
from socialbias.words.languages import ENGLISH, checked_tag, primary

if TYPE_CHECKING:
    from socialbias.words.lists import WordLists


@click.command()
@click.argument("name", required=False)
@click.option(
    "--language", metavar="TAG", help="Language of the lists to show, such as de.  [default: en]"
)
def lists(name: str | None, language: str | None) -> None:
    """Show the packaged word lists or, given a NAME, the words of one list.

    Each list is shown with its language (BCP 47), script, source, licence and how its words mark
    gender. The words are printed in the file format that --groups reads.
    """
    from socialbias.words.lists import lists as packaged

    with one_line():
        if name is None:
            click.echo("\n".join(_shown(packaged().values(), language)))
            return
        if name not in packaged():
            raise UserError(f"no list is called {name!r}{nearest(name, packaged())}")
        found = packaged()[name]
        click.echo(f"# {found.about}\n# {_tongue(found)}; {found.source}; licence {found.licence}")
        click.echo(f"# gender: {found.gender}")
        for part, words in found.words.items():
            click.echo("\n".join([*([f"[{part}]"] if part else []), *words]))


def _shown(every: Iterable[WordLists], language: str | None) -> list[str]:
    """A line or two for each list in one language, and for English the names of the others."""
    by_language: dict[str, list[WordLists]] = {}
    for each in every:
        by_language.setdefault(each.language, []).append(each)
    tag = ENGLISH if language is None else primary(checked_tag(language))
    if tag not in by_language:
        raise UserError(f"language: no list is in {language}: there are {', '.join(by_language)}")
    lines = [_line(each) for each in by_language.pop(tag)]
    if language is None:
        others = ", ".join(f"{other} ({len(each)})" for other, each in sorted(by_language.items()))
        lines.append(f"in other languages (--language TAG): {others}")
    return lines


def _tongue(found: WordLists) -> str:
    return f"{found.language} in {found.script}"


def _line(found: WordLists) -> str:
    sizes = ", ".join(f"{name} {len(words)}".strip() for name, words in found.words.items())
    about = f"{found.about} ({sizes})\n{'':30}{_tongue(found)}, gender: {found.gender}"
    about += f"\n{'':30}{found.source}"
    return f"{found.kind:<8}{found.name:<22}{about}; licence {found.licence}"

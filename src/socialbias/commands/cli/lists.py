"""`socialbias lists`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from socialbias.commands.cli import one_line
from socialbias.embeddings.words.languages import ENGLISH, checked_tag, primary
from socialbias.errors import UserError, nearest

if TYPE_CHECKING:
    from socialbias.embeddings.words.lists import WordLists


@click.command()
@click.argument("name", required=False)
@click.option(
    "--language", metavar="TAG", help="Language of the lists to show, such as de.  [default: en]"
)
def lists(name: str | None, language: str | None) -> None:
    """Show the packaged word lists or, given a NAME, the words of one list.

    The words are printed in the file format that --groups reads, below language (BCP 47), script,
    source, licence and how they mark gender.
    """
    from socialbias.embeddings.words.lists import lists as packaged

    with one_line():
        if name is None:
            click.echo("\n".join(_shown(packaged().values(), language)))
            return
        if language is not None:
            raise UserError("--language: has no effect with the name of a list")
        if name not in packaged():
            hint = nearest(name, packaged()) or "; `socialbias lists` shows them all"
            raise UserError(f"no list is called {name!r}{hint}")
        chosen = packaged()[name]
        click.echo(f"# {chosen.about}\n# {chosen.language} in {chosen.script}; {chosen.source}")
        click.echo(f"# licence {chosen.licence}; gender: {chosen.gender}")
        for part, words in chosen.words.items():
            click.echo("\n".join([*([f"[{part}]"] if part else []), *words]))


def _shown(packaged: Collection[WordLists], language: str | None) -> list[str]:
    """Return lines on all lists in a language and, if none is chosen, the other languages."""
    tag = ENGLISH if language is None else primary(checked_tag(language))
    counts, lines = Counter(each.language for each in packaged), []
    if tag not in counts:
        known = ", ".join(counts)
        raise UserError(f"language: there are no lists in {language}; choose from {known}")
    chosen = [each for each in packaged if each.language == tag]
    width = max(len(each.name) for each in chosen) + 2
    for each in chosen:
        sizes = ", ".join(f"{name} {len(words)}".strip() for name, words in each.words.items())
        lines.append(f"{each.kind:<8}{each.name:<{width}}{each.about} ({sizes})")
    if language is None:
        others = ", ".join(f"{name} ({counts[name]})" for name in sorted(counts) if name != tag)
        lines.append(f"other languages (--language TAG): {others}")
    return lines

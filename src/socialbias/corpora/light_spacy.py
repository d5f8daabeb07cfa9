"""What this package uses of spaCy, imported without PyTorch and without its command line.

spaCy's backend imports PyTorch wherever it is installed, which takes twice as long as all of spaCy,
and uses it for no model that runs here. Its package imports all commands, a third of spaCy, for one
function that tells of an installation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

COMMANDS, INFO = "spacy.cli", "spacy.cli.info"


@contextmanager
def _instead(stubs: dict[str, ModuleType | None]) -> Iterator[None]:
    """Let imports find other modules, or none, unless they have been imported before."""
    stubs = {name: stub for name, stub in stubs.items() if name not in sys.modules}
    sys.modules.update(stubs)
    try:
        yield
    finally:
        for name in stubs:
            del sys.modules[name]


def _commands() -> dict[str, ModuleType]:
    """The command line, with the one function that spaCy's package imports; it does nothing."""
    package, info = ModuleType(COMMANDS), ModuleType(INFO)
    info.info = lambda *args, **named: {}
    return {COMMANDS: package, INFO: info}


# `None` is what Python takes for a module that is not there.
with _instead({"torch": None} | _commands()):
    import spacy
    from spacy.lang.en import English
    from spacy.language import Language
    from spacy.pipeline import Sentencizer
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

__all__ = ["Doc", "English", "Language", "Sentencizer", "Tokenizer", "Vocab", "spacy"]

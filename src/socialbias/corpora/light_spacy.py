"""What this package uses of spaCy, imported without PyTorch.

spaCy's backend imports PyTorch wherever it is installed, which takes twice as long as all of spaCy,
and uses it for no model that runs here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _without_torch() -> Iterator[None]:
    """Let an import of PyTorch fail, unless it has been imported before."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # what Python takes for a module that is not there
    try:
        yield
    finally:
        del sys.modules["torch"]


with _without_torch():
    import spacy
    from spacy.lang.en import English
    from spacy.language import Language
    from spacy.pipeline import Sentencizer
    from spacy.tokenizer import Tokenizer
    from spacy.vocab import Vocab

__all__ = ["English", "Language", "Sentencizer", "Tokenizer", "Vocab", "spacy"]

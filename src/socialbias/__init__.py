"""Measures of social bias in word vectors, texts, language models and predictions.

Begin with `socialbias.measure("example")`, and `help(socialbias.measure)`.
"""

from importlib import import_module as _import_module

from socialbias.errors import naming_extras as _naming_extras

__version__ = "1.0.0"

# Looked up on first use (PEP 562), so that one measure does not import what others need.
_PUBLIC = {
    "measure": "socialbias.api.measuring",
    "measure_predictions": "socialbias.api.of_predictions",
    "compare": "socialbias.api.comparing",
    "compare_decisions": "socialbias.api.comparing_items",
    "compare_items": "socialbias.api.comparing_items",
    "audit": "socialbias.auditing.run",
    "audit_seeds": "socialbias.auditing.seeds",
    "verify": "socialbias.auditing.verify",
    "verdict": "socialbias.api.verdicts",
    "power": "socialbias.api.planning",
    "lists": "socialbias.words.lists",
    "reference": "socialbias.files.reference",
    "Result": "socialbias.api.result",
    "DivDist": "socialbias.measures.divdist",
    "garg_cosine": "socialbias.measures.prior",
    "garg_euclidean": "socialbias.measures.prior",
    "caliskan": "socialbias.measures.prior",
    "manzini": "socialbias.measures.prior",
    "bolukbasi": "socialbias.measures.prior",
    "ethayarajh": "socialbias.measures.prior",
    "WordVectors": "socialbias.embeddings.vectors",
    "resources": "socialbias.files.paths",
}
__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str):
    if name in _PUBLIC:
        with _naming_extras():
            return getattr(_import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'socialbias' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""Measures of social bias in word vectors, texts, language models and predictions.

Begin with `socialbias.measure("example")`, and `help(socialbias.measure)`.
"""

from importlib import import_module as _import_module

from socialbias.errors import naming_extras as _naming_extras

__version__ = "1.0.0"

# Looked up on first use (PEP 562), so that one measure does not import what others need.
_PUBLIC = {
    "measure": "socialbias.commands.measure",
    "measure_predictions": "socialbias.commands.measure_predictions",
    "compare": "socialbias.commands.compare",
    "compare_decisions": "socialbias.commands.compare_items",
    "compare_items": "socialbias.commands.compare_items",
    "compare_logs": "socialbias.commands.compare_items",
    "audit": "socialbias.commands.audit.run",
    "audit_seeds": "socialbias.commands.audit.seeds",
    "verify": "socialbias.commands.audit.verify",
    "verdict": "socialbias.commands.verdict",
    "power": "socialbias.commands.power",
    "lists": "socialbias.embeddings.words.lists",
    "reference": "socialbias.files.reference",
    "Result": "socialbias.commands.result",
    "DivDist": "socialbias.measures.divdist",
    "rnd_cosine": "socialbias.measures.embedding_measures",
    "rnd_euclidean": "socialbias.measures.embedding_measures",
    "association": "socialbias.measures.embedding_measures",
    "mac": "socialbias.measures.embedding_measures",
    "direct_bias": "socialbias.measures.embedding_measures",
    "ripa": "socialbias.measures.embedding_measures",
    "WordVectors": "socialbias.embeddings.vectors",
    "resources": "socialbias.files.paths",
}
# Measures by the names of their authors.
_ALIASES = {
    "bolukbasi": "direct_bias",
    "caliskan": "association",
    "garg_cosine": "rnd_cosine",
    "garg_euclidean": "rnd_euclidean",
    "manzini": "mac",
    "ethayarajh": "ripa",
}
__all__ = ["__version__", *_PUBLIC, *_ALIASES]


def __getattr__(name: str):
    name = _ALIASES.get(name, name)
    if name in _PUBLIC:
        with _naming_extras():
            return getattr(_import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'socialbias' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

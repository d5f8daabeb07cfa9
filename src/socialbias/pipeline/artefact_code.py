"""The code behind each artefact as one digest, from which to tell later whether it has changed."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from socialbias.pipeline.digest import code_digest
from socialbias.pipeline.plan import Plan

# By input, or kind of input (`pipeline.inputs`), the scripts of the jobs that make it. What sources
# have is told by checksums.
SCRIPTS = {
    "vectors": ("align.py",),
    "vectors/decades": ("align_decades.py",),
    "prepared": ("prepare.py",),
    "prepared/samples": ("prepare.py", "train_gpt2.py", "write_samples.py"),
    "documents": ("prepare.py",),
    "documents/samples": ("prepare.py", "train_gpt2.py", "write_samples.py"),
    "tags": ("prepare.py", "tag.py"),
    "corpus": ("prepare.py", "tag.py", "train.py"),
    "checks": ("prepare.py", "train.py"),
    "representation": (
        *("prepare.py", "train_gpt2.py", "choose_sentences.py"),
        *("represent_shard.py", "represent.py"),
    ),
    "recogniser": ("train_recogniser.py",),
    "annotations": ("annotation_sample.py", "annotation_ingest.py"),
    "planted": ("planted_corpus.py", "planted_bert.py", "planted_gpt2.py"),
    "evidence": ("evidence.py",),
    "values": ("values.py",),
    "draws": ("values.py",),
}
FACTS = ("word_lists", "published", "facts")  # kinds of input that are files of this project


def artefact_digests(plan: Plan, library: Path, scripts: Path) -> dict[str, str]:
    """Return by target the digest of all code, lists and printed numbers behind its values."""

    def job(script: str, *functions: str) -> str:
        return code_digest(library, scripts / script, *filter(None, functions))

    @cache
    def behind(name: str) -> frozenset[str]:
        """Return the digests of jobs that make an input, and of those whose output they read."""
        kind, _, rest = name.partition("/")
        if kind in FACTS:
            path = Path(plan.file(name))
            return frozenset([hashlib.sha256(path.read_bytes()).hexdigest()])
        if kind not in ("evidence", "values", "draws"):
            return frozenset(job(script) for script in SCRIPTS.get(name, SCRIPTS.get(kind, ())))
        step = plan.step(rest) if kind == "evidence" else plan.declared(rest).values
        own = [job(script, step.function) for script in SCRIPTS[kind]]
        return frozenset(own).union(*map(behind, step.reads))

    return {
        target: hashlib.sha256(
            "".join(sorted(behind(f"values/{declared.paper}/{declared.artefact}"))).encode()
        ).hexdigest()[:16]
        for target, declared in plan.declarations.artefacts.items()
    }

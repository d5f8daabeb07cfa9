"""What the jobs of each rule read: their inputs by name, and their parameter `settings`.

Methods that take `wildcards` are called by Snakemake, which gives the values as attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from socialbias.corpora.annotation.items import SAMPLE, check_folder, completed_files
from socialbias.corpora.recipes import is_sampled
from socialbias.pipeline.declarations import Declaration, Step
from socialbias.pipeline.inputs import (
    ORDERED,
    PREPARED,
    READS,
    UNORDERED,
    WITH_MOST_FREQUENT,
    WORD_SETS,
)
from socialbias.pipeline.plan import Plan
from socialbias.pipeline.requests import job_name
from socialbias.sources.registry import Source

Files = dict[str, Any]  # by name of a job's input, a path or several
Wildcards = Any  # of Snakemake: attributes, and an iterator over their values
# What all shards of a text read: what was chosen once.
CHOSEN = {"words": "chosen.txt", "mentions": "mentions.parquet", "examples": "examples.parquet"}


@dataclass(frozen=True)
class JobReads:
    """Inputs and settings of the jobs of a run."""

    plan: Plan  # what the run reads and makes
    registry: Mapping[str, Source]  # the sources by id

    def sources(self, *roles: str) -> Files:
        """Return the manifests of the sources that play these roles, as far as any do."""
        return {role: self.plan.manifest(role) for role in roles if self.plan.bound(role)}

    def source_settings(self, wildcards: Wildcards) -> dict:
        """Return how much the files of a source must have; {} where the registry does not say."""
        files = self.registry[wildcards.source].files
        expected = {file.name: file.expect for file in files if file.expect}
        short = {"accept_short": True} if wildcards.source in self.plan.config.accept_short else {}
        return {"expect": expected} | short if expected else {}

    # Declared steps.

    def step(self, wildcards: Wildcards) -> Step:
        """Return the declared step of some evidence."""
        return self.plan.step(f"{wildcards.paper}/{wildcards.evidence}")

    def evidence_names(self, chosen: Callable[[Step], object]) -> str:
        """Return a pattern of the names of the evidence whose declared steps are chosen."""
        steps = self.plan.declarations.evidence.items()
        return "|".join(sorted({re.escape(name) for (_, name), step in steps if chosen(step)}))

    def _parts(self, wildcards: Wildcards) -> int:
        """Return the number of jobs that share the work of a piece of evidence."""
        names = (wildcards.paper, wildcards.evidence)
        return self.plan.parts(job_name(self.step(wildcards).made_by, names))

    def evidence_inputs(self, wildcards: Wildcards) -> Files:
        """Return the inputs of a job that makes evidence, or the parts that others have made."""
        if (number := self._parts(wildcards)) == 1:
            return self.plan.inputs_of(self.step(wildcards))
        folder = f"{self.plan.run}/{wildcards.paper}/evidence/parts/{wildcards.evidence}"
        return {"parts": [f"{folder}/{i}.parquet" for i in range(number)]}

    def evidence_settings(self, wildcards: Wildcards) -> dict:
        """Return the settings of a job that makes evidence, or of one that makes a part of it."""
        settings = self.plan.settings_of(self.step(wildcards))
        if not hasattr(wildcards, "part"):
            return settings
        return settings | {"share": [int(wildcards.part), self._parts(wildcards)]}

    def declared(self, wildcards: Wildcards) -> Declaration:
        """Return the declaration of an artefact."""
        return self.plan.declared(f"{wildcards.paper}/{wildcards.artefact}")

    def artefact_files(self, target: str) -> list[str]:
        """Return all files that make up an artefact; a picture only where it is drawn."""
        kinds = ["values.csv", "comparison.csv", "columns.csv", "csv", "tex", "html"]
        kinds += ["pdf", "svg", "png", "caption.txt"] * self.plan.is_drawn(target)
        return [file for kind in kinds for file in self.every(kind, [target])]

    def every(self, kind: str, targets: Iterable[str] | None = None) -> list[str]:
        """Return one file of this kind, such as `values.csv`, for each artefact or target."""
        artefacts = self.plan.declarations.artefacts
        chosen = [artefacts[target] for target in (artefacts if targets is None else targets)]
        return [f"{self.plan.run}/{a.paper}/{a.artefact}.{kind}" for a in chosen]

    # Word vectors.

    def vectors_inputs(self, wildcards: Wildcards) -> Files:
        """Return the source of some vectors, and what names the words to take from it."""
        words = self.plan.word_sets()[wildcards.source]
        lists = dict.fromkeys(name for words_of in words for name in WORD_SETS[words_of][1])
        roles = dict.fromkeys(role for name in words for role in WORD_SETS[name][0])
        if self.registry[wildcards.source].format in UNORDERED and {*words} & {*WITH_MOST_FREQUENT}:
            roles |= dict.fromkeys(ORDERED)
        return {
            "vectors": f"{self.plan.config.data}/{wildcards.source}/manifest.json",
            **{f"word_lists/{name}": self.plan.file(f"word_lists/{name}") for name in lists},
            **self.sources(*roles),
        }

    def vectors_settings(self, wildcards: Wildcards) -> dict:
        """Return the word sets taken from a source, and how many of its most frequent words."""
        words = self.plan.word_sets()[wildcards.source]
        frequent = bool({*words} & {*WITH_MOST_FREQUENT})
        return {
            "words": words,
            "leading": self.plan.config.trustworthy.vocabulary if frequent else 0,
            **self.plan.errata_of(role for name in words for role in WORD_SETS[name][0]),
        }

    # Texts, and models that read them.

    def corpus_settings(self, wildcards: Wildcards) -> dict:
        """Return how the source of a corpus is read."""
        settings = self.plan.recipe_of(wildcards.corpus) | {
            "corpus": wildcards.corpus.replace("_", "-"),
            "fidelity": self.plan.bindings[f"corpus_{wildcards.corpus}"].fidelity,
        }
        return settings | ({"seed": self.plan.config.seed} if is_sampled(settings) else {})

    def prepared_files(self, corpus: str) -> list[str]:
        """Return the files beside the report of a prepared corpus."""
        return [f"{self.plan.run}/corpora/{corpus}/prepared/{name}" for name in PREPARED]

    @property
    def trained_gpt2(self) -> str:
        """The folder of the small GPT-2 that a run trains."""
        return f"{self.plan.run}/contextual/gpt2/model"

    def chosen_from(self, wildcards: Wildcards) -> Files:
        """Return the text whose sentences a model reads."""
        text = f"prepared/{READS[wildcards.model]}"
        return {
            "prepared": self.plan.file(text),
            **self.plan.beside(text),
            "word_lists": self.plan.file("word_lists/trustworthy"),
            **self.sources("census_gender"),
        }

    def shard_inputs(self, wildcards: Wildcards) -> Files:
        """Return the model, and the text that it reads."""
        text = READS[wildcards.model]
        trained = wildcards.model == "gpt2" and self.plan.trains_gpt2
        return {
            "model": self.trained_gpt2 if trained else self.plan.manifest(wildcards.model),
            "prepared": self.plan.file(f"prepared/{text}"),
            "documents": self.plan.file(f"documents/{text}"),
            **self.plan.beside(f"prepared/{text}"),
        }

    def represent_inputs(self, wildcards: Wildcards) -> Files:
        """Return the inputs of a model that reads a text in one job, or other jobs' shards."""
        number = self._shards(wildcards)
        if number == 1:
            return self.chosen_from(wildcards) | self.shard_inputs(wildcards)
        folder = f"{self.plan.run}/contextual/{wildcards.model}/{wildcards.weights}"
        text = f"prepared/{READS[wildcards.model]}"
        return {
            "prepared": self.plan.file(text),
            **self.plan.beside(text),
            **{name: f"{folder}/chosen/{file}" for name, file in CHOSEN.items()},
            "shards": [f"{folder}/shards/{i}.npz" for i in range(number)],
        }

    def _shards(self, wildcards: Wildcards) -> int:
        return self.plan.parts(f"represent/{wildcards.model}_{wildcards.weights}")

    def represent_settings(self, wildcards: Wildcards) -> dict:
        """Return which words and sentences are represented, by which layer, and how."""
        model, options = wildcards.model, self.plan.config.trustworthy
        # Only the encoder's vectors are reduced; all others are there for the probe.
        reduces = f"{model}/{wildcards.weights}" == "bert/given"
        shard = {}
        if hasattr(wildcards, "shard"):
            shard = {"shard": int(wildcards.shard), "shards": self._shards(wildcards)}
        return {
            "model": model,
            "random": wildcards.weights == "random",
            "layer": getattr(options, f"{model}_probe").layer,
            # The model that a run trains knows lower-case words alone.
            "as_tokens": model == "gpt2" and self.plan.trains_gpt2,
            "word_lists": options.word_lists,
            "shortest": options.shortest,
            "longest": options.longest,
            "documents": options.represented_documents,
            "windows": options.represented_windows,
            "last_window": options.last_window,
            "per_word": options.sentences_per_word,
            "per_target": options.sentences_per_target,
            "for_probe_alone": not reduces,
            "probed_professions": options.probed_professions,
            "draws": options.represented_draws if reduces else 0,
            "runs": self.plan.config.contextual.model_dump(exclude={"training"}),
            "seed": self.plan.config.seed,
            **shard,
        }

    # For people who label.

    def annotation_inputs(self) -> Files:
        """Return the sample that people have labelled, and their files."""
        folder = Path(self.plan.config.trustworthy.annotations.folder or "")
        check_folder(folder, Path("results"))
        return {
            "sample": str(folder / SAMPLE),
            "files": [str(path) for path in completed_files(folder)],
        }

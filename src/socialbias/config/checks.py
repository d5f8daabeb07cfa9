"""A user's configuration held against the typed models: one line per problem.

Each line has the key's path, what is wrong and, where there is one, the nearest valid spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from socialbias.config import Config, FigureStyle, Section
from socialbias.errors import UserError, nearest
from socialbias.files.yaml_files import read_yaml

MAX_LISTED = 20  # longer lists of choices are left out of messages
# Keys of earlier versions, as `section.key`, and items of lists, as `section.key.item`, with what
# to do now. Old runs are read without them.
REMOVED_KEYS: dict[str, str] = {
    "bad_seeds.documents": "leave it out (bad_seeds_documents was removed)",
    "inputs.coreference": "leave it out (trustworthy_exclusive_rule was removed)",
    "inputs.gpt2_decodings": "leave it out (trustworthy_decodings was removed)",
    "inputs.fairness_second_encoder": "leave it out (fairness_encoders was removed)",
    "fairness.recognisers.plain": "leave plain out (it is in no paper)",
    "trustworthy.dose": "leave it out (validation_dose was removed)",
    "trustworthy.recovery.models": "leave it out (models are trained once)",
    "trustworthy.recovery.texts": "leave it out (its rows were removed)",
    "trustworthy.recovery.amplified": "leave it out (its rows were removed)",
    "trustworthy.recovery.replicates": "trustworthy.recovery.corpora is the number of corpora",
    "trustworthy.recovery.replicate_tokens": "trustworthy.recovery.corpus_tokens is their size",
    "trustworthy.recovery.worlds": "leave it out (validation_recovery_factors was removed)",
    "trustworthy.recovery.world_corpora": "leave it out (validation_recovery_factors was removed)",
    "trustworthy.recovery.world_tokens": "leave it out (validation_recovery_factors was removed)",
    "trustworthy.hours_per_shard": "`trustworthy.shards` is the number of shards",
    "stereoset.training_jobs": "leave it out (a training goes on from its checkpoints)",
    "stereoset.next_sentence.hours_per_job": "leave it out (a training goes on from checkpoints)",
    "planning.card": "`make verify-gpu` writes results/verify-gpu.json, which the plan reads",
    "planning.card_gb": "leave it out (the plan has no limit on the memory of a GPU)",
    "locators.kaggle": "leave kaggle out (fetch its files by hand)",
    "trustworthy.shown_targets": "leave it out (the page shows contexts behind numbers)",
    "trustworthy.shown_text": "leave it out (the page shows contexts behind numbers)",
    "trustworthy.shown_sentences": "leave it out (the page shows contexts behind numbers)",
    "trustworthy.shown_contexts": "leave it out (the page shows contexts behind numbers)",
    "bad_seeds.word_list": "`socialbias audit --seeds FILE` examines your seeds",
    "bad_seeds.audited_in": "`socialbias audit --seeds FILE` examines your seeds",
}


def read_config(path: Path) -> dict[str, Any]:
    """Return the content of a configuration file."""
    try:
        content = read_yaml(path)
    except OSError as error:
        problem = f"cannot be read ({error.strerror}): run this where the workflow is"
        raise UserError(f"{path}: {problem}") from None
    if not isinstance(content, dict):
        raise UserError(f"{path}: must be keys with values, such as `run: mine`")
    return content


def check_files(paths: Iterable[Path]) -> None:
    """Refuse configuration files that `read_config` refuses."""
    problems = []
    for path in paths:
        try:
            read_config(path)
        except UserError as error:
            problems.append(str(error))
    if problems:
        raise UserError("\n".join(problems))


def load_config(raw: Mapping[str, Any], known_sources: list[str], artefacts: list[str]) -> Config:
    """Check a merged configuration and return it typed."""
    try:
        config = Config.model_validate(dict(raw))
    except ValidationError as error:
        raise UserError("\n".join(_explain(e) for e in error.errors())) from None
    known = [*known_sources, *config.subjects]
    named = {f"inputs.{role}": sources for role, sources in config.inputs.model_dump().items()}
    named |= {"accept_short": config.accept_short, "accepted": config.accepted}
    problems = [
        f"config: {key}[{i}]: no source is called {source!r}{_nearest(source, known)}"
        for key, sources in named.items()
        for i, source in enumerate(sources)
        if source not in known
    ]
    for artefact, style in config.figures.overrides.items():
        path = f"figures.overrides.{artefact}"
        if artefact not in artefacts:
            hint = _nearest(artefact, artefacts)
            problems.append(f"config: {path}: no artefact is called {artefact!r}{hint}")
        try:
            FigureStyle.model_validate(style)
        except ValidationError as error:
            problems += [_explain(e, prefix=path, model=FigureStyle) for e in error.errors()]
    problems += _contradictions(config)
    if problems:
        raise UserError("\n".join(problems))
    return config


def without_removed(raw: Mapping[str, Any], section: str = "") -> dict[str, Any]:
    """Return a configuration of an earlier version without the keys that were removed since."""
    kept = {}
    for key, value in raw.items():
        path = f"{section}{key}"
        if isinstance(value, Mapping):
            value = without_removed(value, f"{path}.")
        elif isinstance(value, list):
            value = [item for item in value if f"{path}.{item}" not in REMOVED_KEYS]
        if path not in REMOVED_KEYS:
            kept[key] = value
    return kept


def _contradictions(config: Config) -> list[str]:
    """Return one line per two settings of which one makes nothing of the other."""
    lines = []
    for name, low, high in (
        ("trustworthy", "shortest", "longest"),
        ("bad_seeds", "rarest", "commonest"),
        ("trustworthy.annotations", "shared", "contexts"),
    ):
        smaller, larger = attrgetter(f"{name}.{low}", f"{name}.{high}")(config)
        if smaller > larger:
            problem = f"{name}.{low} ({smaller}) is more than {name}.{high} ({larger})"
            lines.append(f"config: {problem}")
    lists = {f"inputs.{role}": names for role, names in config.inputs.model_dump().items()}
    lists |= {"trustworthy.word_lists": config.trustworthy.word_lists, "locators": config.locators}
    lists |= {"stereoset.splits": config.stereoset.splits}
    for key, items in lists.items():
        twice = [item for i, item in enumerate(items) if item in items[:i]]
        lines += [f"config: {key}: {item!r} appears twice" for item in twice]
    return lines


def _explain(error: ErrorDetails, prefix: str = "", model: type[Section] = Config) -> str:
    """Return one of pydantic's errors in one line."""
    path = ".".join([prefix] * bool(prefix) + [str(part) for part in error["loc"]])
    item = f"{path.rpartition('.')[0]}.{error['input']}"
    for removed in (path, item):
        if removed in REMOVED_KEYS:
            return f"config: {removed}: no longer exists: {REMOVED_KEYS[removed]}"
    if error["type"] == "extra_forbidden":
        siblings = _keys_at(model, error["loc"][:-1])
        return f"config: {path}: unknown key{_nearest(str(error['loc'][-1]), siblings)}"
    if error["type"] == "model_type":
        keys = ", ".join(_keys_at(model, error["loc"]))
        return f"config: {path}: should be a section with the keys {keys}, got {error['input']!r}"
    message = error["msg"].replace("Input should be", "should be").removeprefix("Value error, ")
    return f"config: {path}: {message}, got {error['input']!r}"


def _keys_at(model: type[BaseModel], path: tuple) -> list[str]:
    """Return the valid keys at a path of the configuration."""
    for part in path:
        field = model.model_fields.get(str(part))
        if field is None or not isinstance(field.annotation, type):
            return []
        model = field.annotation
    return list(model.model_fields)


def _nearest(word: str, candidates: list[str]) -> str:
    """Return a hint: the nearest valid spelling, or the possible choices."""
    few = 0 < len(candidates) <= MAX_LISTED
    choices = f"; one of: {', '.join(sorted(candidates))}" if few else ""
    return nearest(word, candidates) or choices

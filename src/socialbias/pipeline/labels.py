"""What a run's tables and figures show, for readers: titles, labels and a caption.

What people copy says what it is: where an input of the paper's is played by another thing, rows,
columns and caption name that thing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from socialbias.config import kind_of
from socialbias.corpora.recipes import part_of
from socialbias.files.yaml_files import read_yaml
from socialbias.pipeline.declarations import Cell, Declaration
from socialbias.pipeline.inputs import ANNOTATED
from socialbias.pipeline.plan import OWN, SUBJECT, Plan
from socialbias.sources.fidelity import FOR

STAND_IN = ("substitute", OWN)  # fidelities of what is another thing than the paper's
MEASURED = ("corpus", "vectors", "model")  # kinds of inputs that an artefact measures
# Roles of words and of a tool: no row or column is called after them.
NAMELESS = ("weat_lists", "bolukbasi_lists", "analogies", "similarity", "tagger")


def labelled(plan: Plan, target: str) -> dict:
    """Titles, labels and order of an artefact, as `reporting.artefact.Artefact` takes them.

    A row or column whose cells all depend on a substitute for an input of the paper's, and not
    all other cells do, is called after its inputs: "film reviews (for: text, automated)", if
    its label names one.
    """
    declared = plan.declarations.artefacts[target]
    behind = {
        cell: {role for name in cell.needs for role in plan.roles(name)}
        for cell in declared.cells()
        if not plan.reason(declared, cell)
    }
    shown = declared.shown()
    for (kind, key), names in _stand_ins_by_line(plan, declared, behind).items():
        shown[kind][key] = f"{names} {FOR}{shown[kind][key]})"
    stand_ins = {
        role: _label(plan, role)
        for role in _in_order(plan, set().union(*behind.values()))
        if _stands_in(plan, role) and not role.startswith(SUBJECT)
    }
    caption = []
    if stand_ins:
        originals = {role: plan.bindings[role].original for role in stand_ins if role != ANNOTATED}
        originals[ANNOTATED] = "the authors' labels"
        parts = [f"{name} {FOR}{originals[role]})" for role, name in stand_ins.items()]
        caption.append(f"Not the paper's inputs: {'; '.join(dict.fromkeys(parts))}.")
    words = plan.config.bad_seeds.sample_words
    if words and plan.trained(declared):
        caption.append(
            f"Models are trained on about {words:,} words each: of a larger corpus an m-out-of-n "
            "bootstrap."
        )
    return shown | {"caption": " ".join(caption), "stand_ins": stand_ins}


def _stand_ins_by_line(
    plan: Plan, declared: Declaration, behind: Mapping[Cell, set[str]]
) -> dict[tuple[str, str], str]:
    """Return what rows and columns are called after, by `rows` or `columns` and their key."""
    everywhere = set.intersection(*behind.values()) if behind else set()
    lines: dict[tuple[str, str], list[set[str]]] = {}
    for cell, roles in behind.items():
        for line in (("rows", cell.row), ("columns", cell.column.partition("@")[0])):
            lines.setdefault(line, []).append(roles)
    names = {}
    for (kind, key), of_cells in lines.items():
        roles = set.intersection(*of_cells) - {*NAMELESS}
        own = {role for role in roles - everywhere if _stands_in(plan, role)}
        keeps_name = any(fnmatchcase(key, pattern) for pattern in declared.keep_names)
        if own and not keeps_name:
            measured = {role for role in roles if kind_of(role) in MEASURED}
            played = [_label(plan, role) for role in _in_order(plan, own | measured)]
            # The text that a model was trained on is in the model's name.
            within = {name for name in played if any(name in other[1:] for other in played)}
            names[kind, key] = " + ".join(x for x in dict.fromkeys(played) if x not in within)
    return names


def _in_order(plan: Plan, roles: set[str]) -> list[str]:
    """Roles in the order of the configuration."""
    return [role for role in (*plan.bindings, ANNOTATED) if role in roles]


def _stands_in(plan: Plan, role: str) -> bool:
    """Return whether a role is played by another thing than the paper's own."""
    if role.startswith(SUBJECT):  # it is a row of its own, in place of nothing
        return False
    return role == ANNOTATED or plan.provenance(role)[0].fidelity in STAND_IN


def _label(plan: Plan, role: str) -> str:
    """Return what plays a role in this run, in a few words."""
    if role == ANNOTATED:
        return "labels of your own annotators"
    if role == "gpt2" and plan.trains_gpt2:
        return f"a small GPT-2 trained on {_label(plan, 'corpus_webtext')}"
    if role == "corpus_samples" and plan.writes_samples:
        return f"samples of {_label(plan, 'gpt2')}"
    corpus = role.removeprefix("corpus_")
    part = part_of(corpus.replace("_", "-"), plan.registered(corpus)) if corpus != role else ""
    return ", ".join(filter(None, (plan.bindings[role].label, part)))


def values_settings(plan: Plan, target: str) -> dict:
    """Return what the job of values reads: its step, what it shows, its cells and the seed."""
    step = plan.declarations.artefacts[target].values
    own = {"cells": plan.cells(target), "seed": plan.config.seed}
    return plan.settings_of(step) | _shown(plan, target) | own


def figure_settings(plan: Plan, target: str) -> dict:
    """Return what the job of an artefact's figure reads: its step, what it shows and the style."""
    step = plan.declarations.artefacts[target].figure
    units = read_yaml(plan.root / "resources/units.yaml")
    # Units of which 0 is the value without an effect: "0", or "0: why".
    zero = [unit for unit, of in units.items() if re.match("0([,:]|$)", f"{of['nothing']}")]
    own = {"style": plan.config.style_of(target), "zero_units": zero}
    return plan.settings_of(step) | _shown(plan, target) | own


def _shown(plan: Plan, target: str) -> dict:
    """Labels, the place of the printed numbers (print may have none), and the run's name."""
    return {
        "artefact": labelled(plan, target),
        "published": str(plan.root / f"resources/published/{target}.csv"),
        "run": plan.config.run,
    }

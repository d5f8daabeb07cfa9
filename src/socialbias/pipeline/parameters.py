"""What the jobs of declared steps read beside their inputs: their parameter `settings`."""

from __future__ import annotations

from socialbias.pipeline.declarations import Step
from socialbias.pipeline.labels import labelled
from socialbias.pipeline.plan import Plan


def step_settings(plan: Plan, step: Step) -> dict:
    """Return what the job of any declared step reads: its function, configuration and errata."""
    return {"function": step.function} | plan.settings_of(step)


def values_settings(plan: Plan, target: str) -> dict:
    """Return what the job of values reads: its step, what it shows, its cells and the seed."""
    step = plan.declarations.artefacts[target].values
    own = {"cells": plan.cells(target), "seed": plan.config.seed}
    return step_settings(plan, step) | _shown(plan, target) | own


def figure_settings(plan: Plan, target: str) -> dict:
    """Return what the job of an artefact's figure reads: its step, what it shows and the style."""
    step = plan.declarations.artefacts[target].figure
    own = {"style": plan.config.style_of(target)}
    return step_settings(plan, step) | _shown(plan, target) | own


def _shown(plan: Plan, target: str) -> dict:
    """Labels, the place of the printed numbers (print may have none), and the run's name."""
    return {
        "artefact": labelled(plan, target),
        "published": str(plan.root / f"resources/published/{target}.csv"),
        "run": plan.config.run,
    }

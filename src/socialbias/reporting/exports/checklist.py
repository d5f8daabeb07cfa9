"""A reproducibility checklist of a run, answered from `run.json` alone: `checklist.md`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from socialbias.files.atomic_write import write_text
from socialbias.reporting.exports.record import NAME as RECORD
from socialbias.reporting.exports.record import RunRecord

NAME = "checklist.md"


def write_checklist(folder: Path, record: RunRecord) -> Path:
    """Write the checklist of a finished run to its folder, and return the file."""
    rows = [f"| {question} | {answer} |" for question, answer in answers(record)]
    text = [
        f"# Reproducibility checklist of the run {record.run}",
        f"Answered from [{RECORD}]({RECORD}), which has the details.",
        "\n".join(["| question | answer |", "|---|---|", *rows]),
    ]
    write_text(folder / NAME, "\n\n".join(text) + "\n")
    return folder / NAME


def answers(record: RunRecord) -> list[tuple[str, str]]:
    """Return the questions of the checklist with their answers."""
    committed = "commit " in record.version and "uncommitted" not in record.version
    fidelity = Counter(bound["fidelity"] for bound in record.inputs.values())
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(fidelity.items()))
    lacking = "; ".join(f"{missing['name']}: {missing['what']}" for missing in record.missing)
    return [
        ("Is the code a commit without changes?", f"{_yes(committed)}: {record.version}"),
        ("Is the command recorded?", f"{_yes(record.command)}: `{record.command}`"),
        ("Is the configuration recorded?", f"{_yes(record.config)}: {len(record.config)} keys"),
        ("Is the random seed recorded?", f"yes: {record.seed}"),
        ("Is the machine recorded?", f"{_yes(record.machine)}: {record.machine}"),
        ("Is the date recorded?", f"{_yes(record.written)}: {record.written}"),
        ("Are all inputs there?", f"{_yes(not record.missing)}{lacking and f': {lacking}'}"),
        (
            "Are these the inputs of the papers?",
            f"{_yes(set(fidelity) <= {'exact'})}: {kinds or 'none'}",
        ),
        (
            "Is the code behind each number known?",
            f"{_yes(record.code)}: digests of {len(record.code)} artefacts",
        ),
    ]


def _yes(true: object) -> str:
    return "yes" if true else "no"

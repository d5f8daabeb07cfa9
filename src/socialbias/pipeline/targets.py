"""`make targets`: what can be asked for, with what it is."""

from __future__ import annotations

from pathlib import Path

from socialbias.pipeline.declarations import Declaration, load_declarations
from socialbias.system.piping import reader_may_leave

OTHERS = {
    "all": "every artefact, the page, and the check that nothing is missing: without a target",
    "page": "the pages of the run, with every artefact that they show",
    "annotation_sample": "contexts for people to label",
    "print_audit": "the printed numbers, checked against each other",
}


def listed(artefacts: dict[str, Declaration]) -> list[str]:
    """Return every target with its title, by paper."""
    lines = [f"{name:32}{what}" for name, what in OTHERS.items()]
    for paper in dict.fromkeys(a.paper for a in artefacts.values()):
        own = {name: a for name, a in artefacts.items() if a.paper == paper}
        lines += ["", f"{paper:32}all {len(own)} of these"]
        lines += [f"  {name:30}{declared.title}" for name, declared in own.items()]
    return lines


@reader_may_leave()
def main() -> None:
    """Print them."""
    print(*listed(load_declarations(Path(__file__).parents[1] / "papers").artefacts), sep="\n")


if __name__ == "__main__":
    main()

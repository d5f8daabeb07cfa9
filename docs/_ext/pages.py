"""Pages made at each build: artefacts from their declarations, numbers and pictures from a run.

They go to `docs/_made`, which is not in git.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

from socialbias.commands.maintenance.reference import older
from socialbias.files.paths import resources
from socialbias.files.reference import reference_run
from socialbias.measures.fairness.registry import METRICS
from socialbias.pipeline.declarations import PAPERS, Declaration, load_declarations

ROOT = {"CONTRIBUTING.md": "contributing.md", "CODE_OF_CONDUCT.md": "conduct.md",
        "CHANGELOG.md": "changelog.md"}  # fmt: skip
RUNS = ("paper", "quickstart")  # the first that is there is shown
KINDS = {
    "stand_in": "of another thing than the paper's, so always a substitute",
    "unreleased": "never released by the authors",
    "option": "only where the configuration lists it",
    "evidence": "computed in the run",
    "vectors": "word vectors",
    "text": "a corpus, prepared",
    "prepared": "a corpus as ids",
    "tags": "the parts of speech of a corpus' words",
    "probe": "a language model's vectors of words in their sentences",
}
# By page of a measure: rows of the reliability and of the recovery that are of it.
OF_MEASURES = {
    "directed": (["table3 emb-*", "professions emb-*"], ["*word2vec divdist"]),
    "divdist": (["table5 divdist", "diachronic divdist"],
                ["word2vec divdist-magnitude", "word2vec divdist-softmax", "bert divdist"]),
    "direct-bias": (["table5 bolukbasi*"], ["word2vec bolukbasi*"]),
    "ripa": (["table5 ethayarajh*"], ["word2vec ethayarajh*"]),
    "association": (["table5 caliskan", "skip-gram mean cosines"], ["*word2vec caliskan"]),
    "rnd": (["table5 garg-*", "skip-gram mean vectors"], ["*word2vec garg-*"]),
    "mac": (["table5 manzini"], ["word2vec manzini"]),
    "weat": (["weat *"], ["*word2vec weat", "bert weat"]),
    "text": (["table3 text-automated", "professions text-automated"],
             ["text", "text *", "real text"]),
    "helm": (["helm *"], []),
    "samples": (["professions L3"], ["gpt2 samples*"]),
    "probe": (["professions cr-probe", "table3 cr-probe", "probe encoder*", "probe gpt2",
               "probe gpt2 decisions"], ["bert probe*", "gpt2 probe*"]),
    "amplification": (["probe gpt2 amplification"], []),
    "coherence": (["table4 coherence*"], []),
    "unpleasantness": (["figure2 *"], []),
    "pca": (["figure4 *", "table4 explained variance"], []),
    "stereoset": (["*lms", "*ss", "*icat"], []),
}  # fmt: skip


def write(docs: Path, results: Path) -> str:
    """Write all of them.

    Args:
        docs: The folder of the pages.
        results: The folder of the runs, which may lack any.

    Returns:
        What the site lacks without a run, in a line; "" with one.
    """
    made = docs / "_made"
    declared = list(load_declarations(_papers()).artefacts.values())
    run = next((results / name for name in RUNS if (results / name / "index.html").exists()), None)
    wanted = {"artefacts/index.md": _overview(declared), "metrics.md": _metrics()}
    wanted |= {f"artefacts/{each.target}.md": artefact(each, run) for each in declared}
    wanted |= {f"numbers/{name}.md": numbers(name, run) for name in OF_MEASURES}
    wanted |= {name: of_root(docs.parent / path) for path, name in ROOT.items()}
    wanted |= {"gallery.md": gallery(declared, run, made / "pictures")}
    for name, text in wanted.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    if run is None:
        return (
            f"{results}: no finished run, so the site has no numbers and no pictures of one: "
            "`make quickstart` makes them, then `make docs` again"
        )
    return ""


def out_of_date() -> list[str]:
    """Return the artefacts whose code has changed since the reference run.

    [] without such a run.
    """
    run = reference_run()
    return older(run) if run else []


def marked(text: str, targets: list[str]) -> str:
    """Return the page of a passport with a warning where its numbers are of artefacts out of date.

    Args:
        text: The page.
        targets: The artefacts out of date.
    """
    named = [f"`{target}`" for target in targets if f"| `{target}: " in text]
    if not named:
        return text
    note = (
        "```{warning}\nThe code of some artefacts has changed since that run, and may give other "
        f"numbers now: {', '.join(named)}.\n```\n"
    )
    return text.replace("## Passport\n", f"## Passport\n\n{note}", 1)


def of_root(path: Path) -> str:
    """Return a page that lies beside `docs`, with its links as they are from here."""
    text = path.read_text("utf-8").replace("](docs/", "](../")
    for name, here in ROOT.items():
        text = text.replace(f"]({name})", f"]({here})")
    return text


def _papers() -> Path:
    import socialbias.papers

    return Path(socialbias.papers.__file__).parent


def _known_papers() -> dict[str, dict]:
    return yaml.safe_load((resources() / "papers.yaml").read_text("utf-8"))


def titled(paper: str) -> str:
    """Return a paper as "Authors year, Title"; what belongs to none by what it is."""
    known = _known_papers().get(paper)
    if not known or "title" not in known:
        return "Beyond the papers: how far the measures can be trusted"
    authors = " and ".join(name.split()[-1] for name in known["authors"])
    if len(known["authors"]) > 2:
        authors = f"{known['authors'][0].split()[-1]} et al."
    return f"{authors} {known['year']}, {known['title']}"


def cell(text: object) -> str:
    """Text for a cell of a Markdown table."""
    return " ".join(str(text).replace("|", "\\|").split())


def table(head: list[str], rows: list[list[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def _overview(declared: list[Declaration]) -> str:
    parts = ["# Artefacts\n\nEvery table and figure is a target, declared in one file. "
             "These pages are made from the declarations.\n"]  # fmt: skip
    for paper in PAPERS:
        rows = [[f"[{each.title}]({each.target}.md)", f"`{each.target}`"]
                for each in declared if each.paper == paper]  # fmt: skip
        parts.append(f"\n## {titled(paper)}\n\n{table(['artefact', 'target'], rows)}")
    names = "\n".join(f"{each.title} <{each.target}>" for each in declared)
    return "".join([*parts, f"\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"])


def artefact(declared: Declaration, run: Path | None) -> str:
    """Return the page of an artefact."""
    rows = [[f"`{key}`", row.label] for key, row in declared.rows.items()]
    columns = [
        [f"`{key}`", column.label, ", ".join(f"`{each}`" for each in column.variants if each)]
        for key, column in declared.columns.items()
    ]  # fmt: skip
    variants = [[f"`{key}`", each.label] for key, each in declared.variants.items()]
    needs = sorted({name for each in declared.cells() for name in each.needs + each.uses})
    settings = sorted({key for step in _steps(declared) for key in step.settings})
    yaml_file = f"src/socialbias/papers/{declared.paper}/{declared.artefact}.yaml"
    parts = [
        f"# {declared.title}\n\n*{titled(declared.paper)}*\n\n{declared.shows}\n",
        f"\nUnit: {declared.unit}; {declared.digits} decimals.\n",
        "\n## Command\n\n```sh\nsnakemake --cores 2 --profile profiles/quickstart "
        f"{declared.target}\n```\n\nwrites `results/quickstart/{declared.paper}/"
        f"{declared.artefact}.*` ([what the files are](../../values.md)). Without "
        "`--profile` it is made from the paper's own inputs.\n",
        f"\n## Rows\n\n{table(['key', 'label'], rows)}",
        f"\n## Columns\n\n{table(['key', 'label', 'variants'], columns)}",
    ]
    if variants:
        parts.append(f"\n### Variants\n\n{table(['key', 'label'], variants)}")
    if needs:
        listed = "".join(f"- {_need(name)}\n" for name in needs)
        parts.append(f"\n## Needs\n\nCells without one of these are `no input`.\n\n{listed}")
    if settings:
        listed = "".join(f"- `{key}`\n" for key in settings)
        parts.append(f"\n## Settings\n\nKeys of the configuration that it depends on.\n\n{listed}")
    picture = run and run / declared.paper / f"{declared.artefact}.svg"
    if picture and picture.exists():
        parts.append(f"\nIn [the gallery](../gallery.md#{declared.target.replace('_', '-')}).\n")
    return "".join([*parts, f"\nDeclared in `{yaml_file}`.\n"])


def _steps(declared: Declaration) -> Iterator:
    yield from declared.evidence.values()
    yield from (declared.values, declared.figure)


def _need(name: str) -> str:
    kind = name.split("/")[0]
    return f"`{name}`: {KINDS[kind]}" if "/" in name and kind in KINDS else f"`{name}`"


def rows_of(run: Path, paper: str, artefact: str) -> list[dict[str, str]]:
    """Return the numbers of an artefact in a run; none where it was not made."""
    path = run / paper / f"{artefact}.values.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["value"]]


def numbers(measure: str, run: Path | None) -> str:
    """Return the reliability of a measure and what it recovers of what was planted, in a run."""
    if run is None:
        return (
            "*This site was built without results: `make quickstart`, then `make docs`, puts "
            "the reliability and recovery of this measure here.*\n"
        )
    parts = []
    reliable, recovered = OF_MEASURES[measure]
    for artefact_name, title, patterns in (
        ("reliability", "Reliability", reliable),
        ("recovery", "Recovery of planted bias", recovered),
        ("recovery_corpora", "Recovery over corpora and trainings", recovered),
    ):
        shown = [
            [row["row"], row["column"], _number(row["value"]), _interval(row),
             f"{row['n']} {row['n_unit']}", row["fidelity"]]
            for row in rows_of(run, "validation", artefact_name)
            if any(fnmatchcase(row["row"], pattern) for pattern in patterns)
        ]  # fmt: skip
        if shown:
            head = ["of", "estimate", "value", "95 % interval", "n", "input"]
            parts.append(f"**{title}**\n\n{table(head, shown)}\n")
    if not parts:
        return f"*The {run.name} run that this site was built with has neither for this measure.*\n"
    return (f"From the {run.name} run on the machine that built this site. "
            "[What the estimates are](../values.md#reliability-ceiling-detectable); recovery is of "
            "`validation_recovery` and `validation_recovery_corpora` ([method](../methods.md)).\n\n"
            + "\n".join(parts))  # fmt: skip


def _number(text: str) -> str:
    return f"{float(text):.3f}".replace("-", "−")


def _interval(row: dict[str, str]) -> str:
    if not row["ci_low"] or not row["ci_high"]:
        return "–"
    return f"{_number(row['ci_low'])} to {_number(row['ci_high'])}"


def _metrics() -> str:
    rows = [
        [each.number or "–", each.title, each.printed_kind, f"`{each.phi}`", f"`{each.d}`",
         "any" if each.many else "two", each.citation]
        for each in METRICS.values()
    ]  # fmt: skip
    return table(["Table 2", "metric", "kind", "score", "compared by", "groups", "source"], rows)


def gallery(declared: list[Declaration], run: Path | None, pictures: Path) -> str:
    """Return every picture of a run, copied beside the page."""
    shutil.rmtree(pictures, ignore_errors=True)
    if run is None:
        return (
            "# Gallery\n\nPictures are what a run draws, and are kept out of git. This site was "
            "built without a run: `make quickstart`, then `make docs`, fills this page.\n"
        )
    pictures.mkdir(parents=True)
    parts = [
        f"# Gallery\n\nThe pictures of the {run.name} run on the machine that built this site.\n"
    ]
    for paper in PAPERS:
        parts.append(f"\n## {titled(paper)}\n")
        for each in declared:
            source = run / paper / f"{each.artefact}.svg"
            if each.paper != paper or not source.exists():
                continue
            name = f"{each.target}.svg"
            shutil.copy(source, pictures / name)
            anchor = each.target.replace("_", "-")
            parts.append(
                f"\n({anchor})=\n### [{each.title}](artefacts/{each.target}.md)\n\n"
                f"![{cell(each.title)}](pictures/{name})\n\n{cell(each.shows)}\n"
            )
    return "".join(parts)

"""What an artefact is: `papers/<paper>/<artefact>.yaml`, beside the module that computes it.

The folder is the registry. A declaration says what the artefact shows (rows, columns, labels),
which inputs each cell needs, and which functions compute its evidence, values and figure. The
rules, the list of cells, the reason of each empty one and the fidelity of each follow from it.
`shared.yaml` in a paper's folder declares evidence that several artefacts read.

What holds `{measure}` stands for each measure of the registry: `"word2vec {measure:prior,garg-*}"`
is a row for each that meets these conditions (`Measure.fits`) and has no row above, and
`{measure.label}` in what belongs to it is that measure's label. In the same way `{lm}` and
`{lm.label}` stand for each key and label under `lm` of `names`, the file's or `shared.yaml`'s, and
`{lm} - {lm.other}` for each two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain, combinations, product
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from socialbias.errors import UserError, nearest
from socialbias.files.paths import resources
from socialbias.files.yaml_files import read_yaml
from socialbias.measures.registry import every

PAPERS = ("trustworthy", "bad_seeds", "stereoset", "fairness", "validation")
SHARED = "shared"
PLAIN = ""  # a column without a variant
MODEL, OTHER = "{model}", "{other}"  # in keys and inputs: each model of a user's own
MEASURE = re.compile(r"{measure(?::([^}]*))?}")
OF_MEASURES = ("title", "label", "brief", "short")
# Fields of a declaration that a reader is shown as they are.
SHOWN = {"title", "shows", "unit", "digits", "drawn", "scale", "neutral"}
SHOWN |= {"intervals", "behind", "kinds"}
Names = dict[str, dict[str, str] | list[str]]
# The rules that make evidence. Options of Snakemake such as `--set-resources` are of a rule.
EvidenceRule = Literal[
    "evidence", "model_evidence", "scores", "train_classifier", "train_small_models"
]
EVIDENCE_RULES: tuple[EvidenceRule, ...] = get_args(EvidenceRule)
# By precedence: a number of two kinds is of the first.
NumberKind = Literal[
    "by construction",
    "inferred",
    "derived",
    "counted",
    "re-scored",
    "human judgement",
    "measured",
    "measured after training",
]


class Part(BaseModel):
    """A part of a declaration, in which an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Row(Part):
    """A row of an artefact."""

    label: str
    """What a reader sees."""
    needs: list[str] | dict[str, list[str]] = []
    """Inputs that its cells depend on, by variant where they differ; `{row}` and `{column}` are
    their keys."""
    uses: list[str] | dict[str, list[str]] = []
    """Inputs without which its cells cannot be computed, though no value depends on them."""


class Column(Row):
    """A column of an artefact."""

    variants: list[str] = Field([PLAIN], min_length=1)
    """Variants that it comes in; '' is the plain column."""
    rows: list[str] | dict[str, list[str]] | None = None
    """Patterns of its rows, by variant where they differ; all by default."""


class Variant(Part):
    """A variant of columns, such as another word list."""

    label: str
    """What a reader sees."""
    listed_in: str = ""
    """A list in the configuration that must name the variant, if any."""
    chosen: bool = False
    """Whether it was chosen to be near the paper: drawn in grey."""


class Kind(Part):
    """What kind of numbers print has in some cells, or where it has had them before."""

    kind: NumberKind | None = None
    """The first kind that fits: `by construction` (constants, settings, ideal and random models,
    identities), `inferred` (the paper gives no formula), `derived` (follows from other printed
    numbers), `counted` (statistics of data), `re-scored` (the authors' own predictions, scored
    again), `human judgement`, `measured` (in vectors, a model or a text), or `measured after
    training` (of vectors, a probe or a model, with a random seed)."""
    repeats: str = ""
    """Instead of a kind, the target in which these numbers are printed before and counted; its own
    if that is in another row."""
    rows: list[str] = ["*"]
    """Patterns of rows; all by default."""
    columns: list[str] = ["*"]
    """Patterns of columns, with their variant or without it; all by default."""


class Taken(Part):
    """Inputs that some cells take where they are available."""

    rows: list[str]
    """Patterns of rows."""
    columns: list[str]
    """Patterns of columns."""
    inputs: list[str]
    """The inputs."""


class Cores(Part):
    """How many cores a job can use, from a number in the configuration."""

    of: str | None = None
    """A key of the configuration, with dots: a number. Without one: `most`."""
    each: int = Field(1, ge=1)
    """One core for so many."""
    most: int = Field(16, ge=1, le=16)
    """At most so many cores: those of a number of 0, which is all."""
    when: str | None = None
    """A key of the configuration without which the job has one core."""


class Step(Part):
    """A function that computes something, with what it reads."""

    function: str = ""
    """`module:function` of the paper, or `package.module:function`."""
    needs: list[str] = []
    """Inputs that it cannot be computed without."""
    inputs: list[str] = []
    """Inputs that it takes where they are available."""
    uses: list[str] = []
    """Inputs that it takes where they are available, but what it computes does not depend on
    them: they only say which words to count."""
    settings: list[str] = []
    """Keys of the configuration, with dots."""
    cores: Cores | None = None
    """The processes of a job that is done in several."""
    gpu: bool = False
    """Whether it runs a model, on a GPU where there is one."""
    in_parts: bool = False
    """Whether `stereoset.score_jobs` share its work (`Job.mine`), whose tables the rule puts
    together."""
    rule: EvidenceRule | None = None
    """The rule that makes this evidence; by default `model_evidence` with `gpu`, otherwise
    `evidence`."""

    @property
    def reads(self) -> list[str]:
        """Every input by name."""
        return [*self.needs, *self.inputs, *self.uses]

    @property
    def made_by(self) -> EvidenceRule:
        """The rule that makes this evidence."""
        return self.rule or ("model_evidence" if self.gpu else "evidence")


def _with_label(value: object) -> object:
    """`key: text` is short for `key: {label: text}`."""
    return {"label": value} if isinstance(value, str) else value


class File(Part):
    """A file of declarations."""

    names: Names = {}
    """Keys with labels by marker; a label alone is its own key, in lower case."""


class Declaration(File):
    """One table or figure."""

    target: str
    """`<paper>_<artefact>`, the name that a person types."""
    title: str
    """Its number and name in the paper, or what it stands beside."""
    shows: str
    """What it shows, in our own words."""
    unit: str
    """What its numbers are."""
    digits: int = Field(ge=0, le=6)
    """Decimals shown."""
    scale: Literal["all", "row", "none", "log", "symlog"] = "all"
    """Panels that share the scale of their x axis. With log, each panel has its own logarithmic
    scale; symlog is linear around 0."""
    intervals: dict[str, str] = {}
    """By pattern of columns, what their intervals are over; the first that fits."""
    behind: str = ""
    """The key of the items behind a number, with `{row}` and `{column}` in it; a number without
    items of its key has no link."""
    drawn: list[str] = []
    """Columns that the dot plot shows; all by default."""
    table_alone: bool = False
    """Whether there is no figure, because a table shows it better."""
    neutral: float | dict[str, float] | None = None
    """Where the dot plot has its line, by column where they differ: no bias, chance, or the level
    of a test; without it, where the unit has no effect (resources/units.yaml)."""
    variants: dict[str, Annotated[Variant, BeforeValidator(_with_label)]] = {}
    """Labels of the variants of columns, in the order shown."""
    rows: dict[str, Annotated[Row, BeforeValidator(_with_label)]] = Field(min_length=1)
    """Its rows, by key, in the order shown; a string alone is a label."""
    columns: dict[str, Annotated[Column, BeforeValidator(_with_label)]] = Field(min_length=1)
    """Its columns, likewise."""
    kinds: list[Kind] = []
    """The kinds of its printed numbers: each cell is of the first that fits."""
    row_needs: dict[str, list[str] | dict[str, list[str]]] = {}
    """What rows need, by pattern, and by variant where that differs: the first that fits; for
    rows of one kind."""
    keep_names: list[str] = []
    """Patterns of rows and columns whose labels name no input, so that they keep their
    names if an input is a substitute; captions name it."""
    sparse: dict[str, list[str]] = {}
    """Cells that may stay empty though their inputs are available, because an input can have
    too few of the words: by pattern of columns, patterns of rows."""
    takes: list[Taken] = []
    """What cells take where it is available, beside what they need: it is among their sources,
    and their fidelity is that of what they need."""
    whole: list[str] = []
    """Inputs of which a subset is as good as the whole for a number whose evidence says that it
    has all the words that were asked for."""
    collects: bool = False
    """Whether its numbers are those of other artefacts: each has the fidelity that it has there."""
    evidence: dict[str, Step] = {}
    """Evidence by name."""
    values: Step = Step()
    """How values are made of the evidence."""
    figure: Step = Step()
    """How the figure is drawn; a dot plot by default."""

    @property
    def paper(self) -> str:
        """The short name of the paper."""
        return next(paper for paper in PAPERS if self.target.startswith(f"{paper}_"))

    @property
    def artefact(self) -> str:
        """Its name within the paper, such as `table5`."""
        return self.target.removeprefix(f"{self.paper}_")

    def shown(self) -> dict:
        """Titles, labels and order, as `reporting.artefact.Artefact` takes them."""
        return {
            "paper": self.paper,
            "artefact": self.artefact,
            **self.model_dump(include=SHOWN),
            "rows": {key: row.label for key, row in self.rows.items()},
            "columns": {key: column.label for key, column in self.columns.items()},
            "variants": {key: variant.label for key, variant in self.variants.items()},
            "chosen": [key for key, variant in self.variants.items() if variant.chosen],
        }

    def cells(self) -> tuple[Cell, ...]:
        """Return every cell with what it needs."""
        return self._cells

    @cached_property  # a plan asks for them many times
    def _cells(self) -> tuple[Cell, ...]:
        cells = []
        made_by = tuple(f"evidence/{self.paper}/{name}" for name in self.evidence)
        for name, column in self.columns.items():
            for variant in column.variants:
                key = f"{name}@{variant}" if variant else name
                listed = column.rows.get(variant) if isinstance(column.rows, dict) else column.rows
                for row, own in self.rows.items():
                    if listed is not None and not _fits(row, listed):
                        continue
                    of_kind = (x for rows, x in self.row_needs.items() if fnmatchcase(row, rows))
                    needs = [column.needs, own.needs, next(of_kind, [])]
                    takes = [
                        taken.inputs
                        for taken in self.takes
                        if _fits(row, taken.rows) and _fits(name, taken.columns)
                    ]
                    parts = (needs, [column.uses, own.uses], takes)
                    inputs = (_filled(part, variant, row, name) for part in parts)
                    cells.append(Cell(row, key, *inputs, made_by))
        return tuple(cells)

    def may_be_empty(self, row: str, column: str) -> bool:
        """Return whether a cell may stay empty though its inputs are available."""
        return any(
            fnmatchcase(column, columns) and _fits(row, rows)
            for columns, rows in self.sparse.items()
        )


class Cell(NamedTuple):
    """One number of an artefact: its place, and names of inputs that it needs, uses and takes.

    `made_by` is the evidence that the artefact has for itself.
    """

    row: str
    column: str
    needs: tuple[str, ...]
    uses: tuple[str, ...]
    takes: tuple[str, ...] = ()
    made_by: tuple[str, ...] = ()


class Shared(File):
    """Evidence that several artefacts of a paper read."""

    evidence: dict[str, Step]
    """Evidence by name."""
    behind: Step | None = None
    """The items behind numbers, for the pages."""


class Declarations(NamedTuple):
    """What all papers declare."""

    artefacts: dict[str, Declaration]  # by target, such as `trustworthy_table5`
    # By paper and name, with functions as `package.module:function`.
    evidence: dict[tuple[str, str], Step]
    behind: dict[str, Step]  # by paper, what shows the items behind its numbers


def for_models(declarations: Declarations, models: list[str]) -> Declarations:
    """Return declarations in which what names `{model}` is repeated for each model of a user.

    A key that holds `{model}` is repeated for each, and so is an item of a list; with `{other}` too
    it is repeated for each two, in alphabetical order. Names of other things, such as `{row}`, stay
    as they are.
    """

    def namings(text: object) -> list[dict[str, str]]:
        """Return what stands for the markers in a text, each time that it is repeated."""
        if OTHER in str(text):
            return [{MODEL: one, OTHER: two} for one, two in combinations(sorted(models), 2)]
        return [{MODEL: model} for model in models] if MODEL in str(text) else [{}]

    artefacts = {
        target: Declaration.model_validate(_repeated(declared.model_dump(), namings))
        for target, declared in declarations.artefacts.items()
    }
    evidence = {
        (paper, _named(name, names)): Step.model_validate(
            _repeated(_named(step.model_dump(), names), namings)
        )
        for (paper, name), step in declarations.evidence.items()
        for names in namings(name)
    }
    behind = {
        paper: Step.model_validate(_repeated(step.model_dump(), namings))
        for paper, step in declarations.behind.items()
    }
    return Declarations(artefacts, evidence, behind)


def _names_in(text: str, names: Names) -> list[dict[str, str]]:
    """Return what stands for `{measure}` and the markers under `names`, likewise."""
    each = [_measures_in(text)]
    for marker, listed in names.items():
        labels = listed if isinstance(listed, dict) else {name.lower(): name for name in listed}
        markers = [m for m in (marker, f"{marker}.other") if f"{{{m}}}" in text]
        each.append(
            [
                {
                    f"{{{marker}{part}}}": text
                    for marker, key in zip(markers, keys, strict=True)
                    for part, text in (("", key), (".label", labels[key]))
                }
                for keys in combinations(labels, len(markers))
            ]
        )
    return [{k: v for part in parts for k, v in part.items()} for parts in product(*each)]


def _measures_in(text: str) -> list[dict[str, str]]:
    """Return the same for `{measure}`, with what the registry says of each measure."""
    marker = MEASURE.search(text)
    if marker is None:
        return [{}]
    fitting = [measure for measure in every() if measure.fits(marker[1] or "*")]
    if not fitting:
        raise LookupError(f"{marker[0]}: no measure is like that")
    return [
        {marker[0]: measure.row, "{measure}": measure.row}
        | {f"{{measure.{name}}}": getattr(measure, name) for name in OF_MEASURES}
        for measure in fitting
    ]


def _named(part: object, names: dict[str, str]) -> object:
    """Return a part of a declaration with names for its markers."""
    if isinstance(part, dict):
        return {_named(key, names): _named(value, names) for key, value in part.items()}
    if isinstance(part, list):
        return [_named(item, names) for item in part]
    if isinstance(part, str):
        for marker, name in names.items():
            part = part.replace(marker, name)
    return part


def _repeated(part: object, namings: Callable[[object], list[dict[str, str]]]) -> object:
    """Return part of a declaration, with each item repeated by what stands for its markers."""
    if isinstance(part, dict):
        made = {}
        for key, value in part.items():
            for names in namings(key):
                name = _named(key, names)
                if MODEL in names and name in part:
                    raise UserError(
                        f"config: subjects.{names[MODEL]}: there is a row {name!r} already: choose "
                        "another name"
                    )
                if name not in made:
                    made[name] = _repeated(_named(value, names), namings)
        return made
    if isinstance(part, list):
        return [_named(item, names) for item in part for names in namings(item)]
    return part


def _filled(
    parts: Iterable[list[str] | dict[str, list[str]]], variant: str, row: str, column: str
) -> tuple[str, ...]:
    """Return the inputs for a variant, each once, with keys for `{row}` and `{column}`."""
    names = chain(*(part.get(variant, []) if isinstance(part, dict) else part for part in parts))
    filled = (name.replace("{row}", row).replace("{column}", column) for name in names)
    return tuple(dict.fromkeys(filled))


def _fits(key: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def load_declarations(papers: Path) -> Declarations:
    """Read what every paper declares."""
    problems: list[str] = []
    artefacts: dict[str, Declaration] = {}
    evidence: dict[tuple[str, str], Step] = {}
    behind: dict[str, Step] = {}
    for folder in sorted({path.parent for path in papers.glob("*/*.yaml")}):
        if folder.name not in PAPERS:
            problems.append(f"{folder}: no paper is called {folder.name!r}: add it to PAPERS")
    for paper in PAPERS:
        shared_file = papers / paper / f"{SHARED}.yaml"
        shared_names: Names = {}
        with suppress(UserError):  # it is an error where the file itself is read
            shared_names = read_yaml(shared_file).get("names", {}) if shared_file.is_file() else {}
        # Tables before figures before what stands beside them, each by number.
        names = sorted(path.stem for path in (papers / paper).glob("*.yaml"))
        names.sort(key=lambda name: (not name.startswith("table"), not name.startswith("figure")))
        for path in (papers / paper / f"{name}.yaml" for name in names):
            try:
                if path.stem == SHARED:
                    shared = _read(path, Shared, shared_names)
                    steps = shared.evidence
                    if shared.behind:
                        behind[paper] = _located(shared.behind, paper, "behind:groups")
                else:
                    declared = _complete(_read(path, Declaration, shared_names), path)
                    artefacts[declared.target] = declared
                    steps = declared.evidence
            except UserError as error:
                problems.append(str(error))
                continue
            for name, step in steps.items():
                if (paper, name) in evidence:
                    problems.append(f"{path}: evidence.{name}: {paper} has evidence of this name")
                evidence[paper, name] = _located(step, paper, f"{name}:measure")
    for declared in artefacts.values():
        for i, kind in enumerate(declared.kinds):
            if kind.repeats and kind.repeats not in artefacts:
                where = f"{papers / declared.paper / declared.artefact}.yaml: kinds.{i}.repeats"
                near = nearest(kind.repeats, list(artefacts))
                problems.append(f"{where}: there is no artefact {kind.repeats!r}{near}")
    if problems:
        raise UserError("\n".join(problems))
    return Declarations(artefacts, evidence, behind)


def _read(path: Path, model: type[File], shared_names: Names) -> File:
    """Return a file of declarations."""
    try:
        content = read_yaml(path)
        names = shared_names | content.get("names", {})
        content = _repeated(content, lambda text: _names_in(str(text), names))
    except LookupError as error:
        raise UserError(f"{path}: {error.args[0]}") from None
    try:
        return model.model_validate(content)
    except ValidationError as errors:
        lines = [f"{path}: {_explained(error, model)}" for error in errors.errors()]
        raise UserError("\n".join(lines)) from None


def _explained(error, model: type[Part]) -> str:
    """Return one of pydantic's errors in one line."""
    path = error["loc"]
    where = ".".join(map(str, path))
    if error["type"] == "extra_forbidden":
        kinds = {"rows": Row, "columns": Column, "variants": Variant, "evidence": Step}
        kinds |= {"values": Step, "figure": Step}
        part = kinds.get(path[0], model) if len(path) > 1 else model
        return f"{where}: unknown key{nearest(str(path[-1]), list(part.model_fields))}"
    return f"{where or 'the file'}: {error['msg'].replace('Input should', 'should')}"


def _complete(declared: Declaration, path: Path) -> Declaration:
    """Return a declaration that names nothing that is not there, with its functions located."""
    paper, artefact = path.parent.name, path.stem
    if declared.target != f"{paper}_{artefact}":
        raise UserError(f"{path}: target: should be {paper}_{artefact}, as the file is called")
    problems = list(_unknown_names(declared))
    if problems:
        raise UserError("\n".join(f"{path}: {problem}" for problem in problems))
    default = "socialbias.reporting.figures:draw_dot_plot"
    return declared.model_copy(
        update={
            "values": _located(declared.values, paper, f"{artefact}:summarise"),
            "figure": _located(declared.figure, paper, default),
        }
    )


def _unknown_names(declared: Declaration) -> Iterator[str]:
    """Yield one line for each row, column or variant that is named and not declared."""
    rows, variants = list(declared.rows), [PLAIN, *declared.variants]
    columns, keys = list(declared.columns), [cell.column for cell in declared.cells()]
    # Where a name or pattern is given, of what kind it is, and what there is.
    named: list[tuple[str, Iterable[str], str, list[str]]] = []
    for name, column in declared.columns.items():
        where = f"columns.{name}"
        named.append((f"{where}.variants", column.variants, "variant", variants))
        for key in ("needs", "rows"):
            if isinstance(by_variant := getattr(column, key), dict):
                named.append((f"{where}.{key}", by_variant, "variant", column.variants))
        lists = column.rows.values() if isinstance(column.rows, dict) else [column.rows or []]
        named.append((f"{where}.rows", dict.fromkeys(chain(*lists)), "row", rows))
    named.append(("sparse", declared.sparse, "column", keys))
    named += [(f"sparse.{key}", names, "row", rows) for key, names in declared.sparse.items()]
    named.append(("keep_names", declared.keep_names, "row or column", [*rows, *columns]))
    named.append(("row_needs", declared.row_needs, "row", rows))
    named.append(("drawn", declared.drawn, "column", columns))
    yield from _problems_with_kinds(declared)
    for i, kind in enumerate(declared.kinds):
        named.append((f"kinds.{i}.rows", kind.rows, "row", rows))
        named.append((f"kinds.{i}.columns", kind.columns, "column", [*columns, *keys]))
    for where, names, kind, choices in named:
        for name in names:
            if not any(fnmatchcase(choice, name) for choice in choices):
                yield f"{where}: there is no {kind} {name!r}{nearest(name, choices)}"


def _problems_with_kinds(declared: Declaration) -> Iterator[str]:
    """Yield one line for each way in which a printed number would not have one kind."""
    kinds, default = declared.kinds, Kind(kind="measured")
    for i, kind in enumerate(kinds):
        if bool(kind.kind) == bool(kind.repeats):
            yield f"kinds.{i}: should have either kind or repeats"
    if kinds and kinds[-1].model_copy(update={"kind": default.kind}) != default:
        yield "kinds: the last should be the kind of all other numbers, without rows and columns"
    if not kinds and (resources() / "published" / f"{declared.target}.csv").is_file():
        yield "kinds: missing; name the kind of the paper's numbers, such as `- kind: measured`"


def _located(step: Step, paper: str, default: str) -> Step:
    """Return a step with its function as `package.module:function`."""
    name = step.function or default
    if not name.startswith("socialbias."):
        name = f"socialbias.papers.{paper}.{name}"
    return step.model_copy(update={"function": name})

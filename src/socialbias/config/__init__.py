"""The pipeline's configuration as typed models, the single source for everything derived from it.

`config.yaml` (with its comments) and `workflow/schemas/config.schema.json` are generated from
these classes by `make generate`; a test fails if they are out of date. `config.checks` compares a
user's configuration with them before any rule runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from pydantic.fields import FieldInfo

from socialbias.config.inputs import Inputs, Section, SourceId, Subject
from socialbias.config.sections import (
    BadSeeds,
    Contextual,
    Fairness,
    Figures,
    FigureStyle,
    Intervals,
    Planning,
    StereoSet,
    Trustworthy,
)

LocatorKind = Literal["https", "hf", "pypi", "npm"]


class Config(Section):
    """The whole configuration."""

    run: str = Field("paper", pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=100)
    """Name of the run: results go to results/<run>."""
    seed: int = Field(20221222, ge=0, le=2**32 - 1)
    """Seed from which all randomness derives."""
    data: str = "data"
    """Folder of fetched sources."""
    mirror: str | None = None
    """Folder with copies of sources, tried before any download; the environment variable
    SOCIALBIAS_MIRROR has the same effect."""
    manual: str | None = None
    """Folder of files that you have fetched by hand, in <manual>/<source>/<file>."""
    locators: list[LocatorKind] = ["https", "hf", "pypi", "npm"]
    """Kinds of locations from which sources may be fetched."""
    inputs: Inputs = Inputs()
    """Sources of each role, best first."""
    accept_short: list[SourceId] = []
    """Sources that may be incomplete and then count as a subset. Any other source fails if its
    number of records differs by more than 0.1 % from what the registry expects."""
    accepted: list[SourceId] = []
    """Sources that need a licence which you have, such as conll2003. Without being named here they
    are not downloaded."""
    fallback: Literal["exact", "subset", "substitute", "none"] = "exact"
    """How close to the paper's input the next source of a role must be where no host gave the one
    before it; a source as close as the one before it will do too. none leaves the role without a
    source, and its cells empty."""
    subjects: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")], Subject] = {}
    """Your own vectors, corpora and models, for use in `inputs`: {mine: {path: my.vec, kind:
    vectors}}."""
    intervals: Intervals = Intervals()
    """Confidence intervals."""
    contextual: Contextual = Contextual()
    """Contextual models."""
    trustworthy: Trustworthy = Trustworthy()
    """Trustworthy Social Bias Measurement (Bommasani & Liang 2022)."""
    bad_seeds: BadSeeds = BadSeeds()
    """Bad Seeds (Antoniak & Mimno 2021)."""
    stereoset: StereoSet = StereoSet()
    """StereoSet (Nadeem, Bethke & Reddy 2021)."""
    fairness: Fairness = Fairness()
    """Generalized Fairness Metrics (Czarnowska, Vyas & Shah 2021)."""
    planning: Planning = Planning()
    """What a run is planned for (`make plan`)."""
    figures: Figures = Figures()
    """Style of figures."""

    @field_validator("subjects", mode="before")
    @classmethod
    def _without_none(cls, subjects: object) -> object:
        """Leave a subject of another file out where an overlay has `{smollm2: null}`."""
        if not isinstance(subjects, Mapping):
            return subjects
        return {name: subject for name, subject in subjects.items() if subject is not None}

    @property
    def undecided(self) -> list[str]:
        """The sections in which `fine_tune` is `auto`."""
        heads = {
            "stereoset.sentiment": self.stereoset.sentiment,
            "stereoset.next_sentence": self.stereoset.next_sentence,
            "fairness": self.fairness,
        }
        return [name for name, section in heads.items() if section.fine_tune == "auto"]

    def decided(self, on_card: bool) -> Config:
        """Return the same with every `fine_tune: auto` decided: whole encoders train on a GPU."""
        values = self.model_dump()
        for name in self.undecided:
            section = values
            for key in name.split("."):
                section = section[key]
            section["fine_tune"] = on_card
        return Config.model_validate(values)

    @property
    def own_models(self) -> list[str]:
        """The models among the subjects that play no role: those that StereoSet is asked about."""
        playing = {name for names in self.inputs.model_dump().values() for name in names}
        models = [name for name, subject in self.subjects.items() if subject.kind == "model"]
        return [name for name in models if name not in playing]

    def style_of(self, artefact: str) -> dict[str, Any]:
        """Return the style of one figure: the common style with the artefact's exceptions."""
        style = self.figures.style.model_dump() | self.figures.overrides.get(artefact, {})
        return FigureStyle.model_validate(style).model_dump()


def paper_value(field: FieldInfo) -> int | bool | None:
    """Return what the paper, or its released code, has for a setting; None where neither says."""
    return (field.json_schema_extra or {}).get("paper")


def below_paper(section: Section, prefix: str = "") -> dict[str, str]:
    """Return the settings with which a run does less than the paper."""
    found = {}
    for name, field in type(section).model_fields.items():
        value, paper = getattr(section, name), paper_value(field)
        if isinstance(value, Section):
            found |= below_paper(value, f"{prefix}{name}.")
        elif paper is not None:
            if isinstance(paper, bool):
                is_less = value is False and paper  # what is still to be decided is not less
            else:  # of a number, 0 is all
                is_less = value > 0 and (paper == 0 or value < paper)
            if is_less:
                found[f"{prefix}{name}"] = f"is {in_words(value)}, in the paper {in_words(paper)}"
    return found


def in_words(value: int | bool) -> str:
    """Return a setting that has a paper's value, in words."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if value else "all"


def paper_sources() -> dict[str, str]:
    """Return the source that the paper used, by role: the first default of each input."""
    return {role: sources[0] for role, sources in Inputs().model_dump().items()}


def kind_of(role: str) -> str:
    """Return the kind of subject that a role takes."""
    if role.startswith("corpus_"):
        return "corpus"
    models = ("bert", "gpt2", "roberta", "xlnet", "fairness_encoder")
    if role.startswith(models):
        return "model"
    vectors = role.startswith(("word2vec", "glove", "gn_glove"))
    return "vectors" if vectors else "a source of the registry"

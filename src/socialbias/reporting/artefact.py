"""What readers see of an artefact: titles, labels, the order of rows and columns."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True)
class Artefact:
    """One table or figure of a paper.

    Attributes:
        paper, artefact: Short names, such as `trustworthy` and `table5`.
        title, shows: What it is, in our own words.
        unit: What its numbers are.
        digits: Decimals shown.
        rows, columns: Labels by key, in the order of print.
        variants: Labels by key of the variants that a column may come in, in the order shown.
        drawn: Columns that the figure shows; all where none is named.
        scale: Panels that share the scale of their x axis: `all`, those of one `row`, or `none`;
            with `log` none do, and each is logarithmic; `symlog` is linear around 0.
        kinds: What kind of numbers print has, as `pipeline.declarations.Kind` describes it.
        neutral: Where the dot plot has its line, by column where they differ: no bias, chance, or
            the level of a test; without it, where the unit has no effect.
        caption: What stands in for the paper's inputs, in a sentence or two.
        stand_ins: What stands in for the paper's input, by role.
        intervals: By pattern of columns, what the intervals are over.
        behind: The key of the items behind a number, with `{row}` and `{column}` in it.
        chosen: Variants that were chosen to be near the paper.
    """

    paper: str
    artefact: str
    title: str
    shows: str
    unit: str
    digits: int
    rows: dict[str, str]
    columns: dict[str, str]
    variants: dict[str, str] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)
    scale: str = "all"
    neutral: float | dict[str, float] | None = None
    kinds: list[dict] = field(default_factory=list)
    caption: str = ""
    stand_ins: dict[str, str] = field(default_factory=dict)
    intervals: dict[str, str] = field(default_factory=dict)
    behind: str = ""
    chosen: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its name as a target, such as `trustworthy_table5`."""
        return f"{self.paper}_{self.artefact}"

    def label(self, column: str) -> str:
        """Return the label of a values column, with its variant where it has one."""
        base, _, variant = column.partition("@")
        return f"{self.columns[base]} ({self.variants[variant]})" if variant else self.columns[base]

    def label_of_ours(self, column: str) -> str:
        """Return what our side of a printed column is called: its variant, or `ours`."""
        variant = column.partition("@")[2]
        return self.variants[variant] if variant else "ours"

    def in_print_order(self, columns: list[str]) -> list[str]:
        """Values columns in the order of print, and within one by variant."""
        bases, variants = list(self.columns), ["", *self.variants]

        def place(column: str) -> tuple[int, int]:
            base, _, variant = column.partition("@")
            return bases.index(base), variants.index(variant)

        return sorted(dict.fromkeys(columns), key=place)


def base_column(column: str) -> str:
    """Return the printed column that a values column belongs to."""
    return column.partition("@")[0]


def numbers_drawn(values: pd.DataFrame, artefact: Artefact) -> pd.DataFrame:
    """Return the rows of a table of values with a number that the artefact's figure can show."""
    columns = values["column"].map(base_column)
    return values[values["value"].notna() & columns.isin(artefact.drawn or list(artefact.columns))]

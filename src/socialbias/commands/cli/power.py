"""`socialbias power`."""

from __future__ import annotations

import click

from socialbias.commands.cli import echo, one_line


@click.command()
@click.argument("measure")
@click.option("--bias", type=float, required=True, help="Bias to detect, in the unit of MEASURE.")
@click.option("--n", type=int, multiple=True, help="Sample size to judge (repeatable).")
def power(measure: str, bias: float, n: tuple[int, ...]) -> None:
    """Sample size needed to detect a bias of a given size with 80 % power.

    MEASURE is a question about positions in vectors and models (spread, direction, contrast of two
    lists, order by another number), a fairness metric of scores (avggf, avgif,
    average-score-difference, ...), or one of weat, text, stereotype-score and decisions (of two
    models on the same items).

    The bias of spread, direction and contrast is in standard deviations of random words; random
    words have a spread of 1. That of order is a rank correlation. The bias of a fairness metric is
    a gap between terms, in standard deviations.
    """
    from socialbias.commands.power import power as plan

    with one_line():
        echo(plan(measure, bias, n))

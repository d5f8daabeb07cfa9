"""`socialbias power`."""

from __future__ import annotations

import click

from socialbias.cli import one_line


@click.command()
@click.argument("measure")
@click.option("--bias", type=float, required=True, help="The true bias, in the measure's unit.")
@click.option("--n", type=int, multiple=True, help="Say the power of so many; may be repeated.")
def power(measure: str, bias: float, n: tuple[int, ...]) -> None:
    """How many words, contexts, items or models find a bias of a given size in 80 % of samples.

    MEASURE is a measure of vectors (caliskan, divdist, ...), of which the bias is a rank
    correlation with an outcome, or weat, text, samples, unpleasantness, stereotype-score,
    decisions (of two models on the same items), or a fairness metric of scores (avggf, avgif,
    average-score-difference, ...), of which it is a gap in standard deviations between terms.
    """
    from socialbias.api.planning import power as planned

    with one_line():
        click.echo(planned(measure, bias, n))

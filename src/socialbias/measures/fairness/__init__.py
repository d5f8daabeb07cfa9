"""Extrinsic fairness of a model's predictions (Czarnowska, Vyas and Shah 2021).

Two arrays go in, gold labels and predictions or probabilities, with the group, source example and
identity term of each example; a table of metrics with intervals and nulls comes out:

    data = predictions(y_true, probabilities=p, group=groups, source=templates, term=terms)
    for row in fairness_table(data, seed=0):
        print(row)
"""

from socialbias.measures.fairness.data import Predictions, predictions, span_counts
from socialbias.measures.fairness.registry import METRICS, Metric
from socialbias.measures.fairness.table import Drawn, Row, fairness_draws, fairness_table

__all__ = [
    "METRICS",
    "Drawn",
    "Metric",
    "Predictions",
    "Row",
    "fairness_draws",
    "fairness_table",
    "predictions",
    "span_counts",
]

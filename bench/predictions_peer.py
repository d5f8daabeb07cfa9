"""fairlearn and AIF360 at work, under their own versions of everything; see `bench.peers`."""

from time import perf_counter

import numpy as np
import pandas as pd
from aif360.sklearn import metrics as aif360
from answering import answer, versions_of
from fairlearn import metrics as fairlearn

SAMPLES = 100  # of the bootstrap, as in fairlearn's guide
QUANTILES = [0.025, 0.975]
DIFFERENCES = ["demographic_parity_difference", "demographic_parity_ratio"]
DIFFERENCES += ["equalized_odds_difference", "equal_opportunity_difference"]
SIGNED = ["statistical_parity_difference", "disparate_impact_ratio"]
SIGNED += ["equal_opportunity_difference", "average_odds_difference"]


def versions():
    """Return what is compared with."""
    return versions_of("fairlearn", "aif360", "numpy", "pandas")


def metrics(path: str, test: bool, seed: int):
    """Return all metrics of predictions in a file with `label`, `predicted`, `group` (0 or 1).

    Args:
        path: An `.npz` file.
        test: Whether fairlearn's `MetricFrame` resamples too, which takes seconds.
        seed: Of its bootstrap.
    """
    data = np.load(path)
    label, predicted, group = data["label"], data["predicted"], data["group"]
    start, rows = perf_counter(), []

    def timed(tool, measure, function):
        began = perf_counter()
        value, low, high = function()
        seconds = perf_counter() - began
        row = {"tool": tool, "measure": measure, "value": float(value), "low": low, "high": high}
        rows.append(row | {"p": None, "seconds": seconds})

    for name in DIFFERENCES:
        function = getattr(fairlearn, name)
        timed(
            "fairlearn",
            name,
            lambda f=function: (f(label, predicted, sensitive_features=group), None, None),
        )
    if test:
        timed("fairlearn", "MetricFrame.difference", lambda: resampled(data, seed))
    truth = pd.Series(label, index=pd.Index(1 - group, name="group"))  # 1 is privileged there
    for name in SIGNED:
        function = getattr(aif360, name)
        timed(
            "AIF360",
            name,
            lambda f=function: (f(truth, predicted, prot_attr="group", priv_group=0), None, None),
        )
    return perf_counter() - start, rows


def resampled(data, seed: int):
    """Return the difference in selection rates with fairlearn's bootstrap interval."""
    frame = fairlearn.MetricFrame(
        metrics=fairlearn.selection_rate,
        y_true=data["label"],
        y_pred=data["predicted"],
        sensitive_features=data["group"],
        n_boot=SAMPLES,
        ci_quantiles=QUANTILES,
        random_state=seed,
    )
    low, high = frame.difference_ci()
    return frame.difference(), float(low), float(high)


if __name__ == "__main__":
    answer({"versions": versions, "metrics": metrics})

"""Table 7: settings, what they say of negative associations, and the one nearest to print."""

import numpy as np
import pandas as pd
import pytest

from socialbias.papers import evidence
from socialbias.papers.trustworthy import table7
from tests.worlds import summarised, vectors

# Cosines of (3, 4) with x and y are .6 and .8, of (4, -3) .8 and -.6, of (-1, 0) -1 and 0.
WORLD = {"f": (1, 0), "m": (0, 1), "f2": (1, 0), "m2": (0, 2), "a": (3, 4), "b": (4, -3)}
# For some targets DivDist warns.
pytestmark = pytest.mark.filterwarnings("ignore:DivDist")
GROUPS = [["f", "f2"], ["m", "m2"]]
METHOD = table7.Method(
    row="glove gn-glove gender", sets=[("f", "m")], equal=[], keep=[], soft=False,
    lists={"default lists": GROUPS, "method's lists": GROUPS},
    targets={"professions": ["a", "b", "absent"], "stereotyped words": ["a"]}, projection=True,
)  # fmt: skip
SETTING = "professions, default lists, cosine, {}, {}, soft sums"


@pytest.fixture
def table():
    space = vectors(**WORLD)
    return table7.evidence(None, [], [(METHOD, space, space)], 0.95)


def test_negative_associations_are_counted_and_weighed(table):
    cells = {cell.column: cell for cell in evidence.cells(table)}

    def original(*names):
        units = cells[f"divdist-original@{SETTING.format(*names)}"].units
        return dict(zip(units["unit"], units["bias"], strict=True)), list(units["negative"])

    # Shares 3/7 and 4/7, and 4 and -3: l1 biases 1/7 and 7
    assert original("sum", "l1") == ({"a": pytest.approx(1 / 7), "b": pytest.approx(7)}, [0, 1])
    assert original("clipped-sum", "l1") == (
        {"a": pytest.approx(1 / 7), "b": pytest.approx(1)},
        [0, 0],
    )
    assert original("softmax", "l1")[1] == [0, 0]
    # Of distributions alone: one target is left, and its shares are some.
    biases, _ = original("sum", "js")
    assert biases["a"] > 0
    assert np.isnan(biases["b"])
    assert set(table["n_of"]) == {3, 1}


def test_the_clipped_sum_stands_beside_the_default(table, tmp_path):
    printed = pd.DataFrame(
        [[METHOD.row, f"{m}-{s}", "0.5"] for m in ("divdist", "targeted")
         for s in ("original", "debiased")], columns=["row", "column", "value"]
    )  # fmt: skip
    printed.to_csv(tmp_path / "printed.csv", index=False)
    tables = {"evidence/trustworthy/table7": table}
    tables["published/trustworthy_table7"] = tmp_path / "printed.csv"
    records = {r["column"]: r for r in summarised(table7, tables)}
    assert len(records) == 2 * 3 + 2 * 2  # the targeted metric has no clipped sum
    default = records["divdist-original@default"]
    assert default["value"] == pytest.approx((1 / 7 + 7) / 2)
    assert (default["n"], default["n_of"]) == (2, 3)
    assert default["note"].startswith(f"{SETTING.format('sum', 'l1')}; a negative association in 1")
    assert records["divdist-original@clipped-sum"]["note"] == SETTING.format("clipped-sum", "l1")
    assert records["divdist-original@clipped-sum"]["value"] == pytest.approx((1 / 7 + 1) / 2)


def test_without_evidence_there_is_no_number():
    nothing = table7.evidence(None, [METHOD], [], 0.95)
    assert summarised(table7, nothing) == []

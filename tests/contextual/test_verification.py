"""`make verify-gpu`: each check finds the fault that it is there for.

That all checks pass without a fault is shown by `make verify-gpu DEVICE=cpu` itself, in CI, and
here by `make test-long`.
"""

import ast
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch.autograd import DeviceType

from socialbias.contextual import (
    batching,
    causal_scoring,
    extract,
    features,
    fine_tuning,
    generation,
    masked_scoring,
    models,
    probe,
    reduction,
    tagging,
    token_scores,
    training,
)
from socialbias.contextual.crf import Crf
from socialbias.contextual.verification import __main__ as command
from socialbias.contextual.verification import checks, rates
from socialbias.contextual.verification.checks import CHECKS, Setting, reference, run
from socialbias.contextual.verification.comparing import Comparison, nearest
from socialbias.errors import UserError
from tests.paths import REPOSITORY
from tests.shortened import later
from tests.test_imports import named_in

REAL = "extraction at BERT-base's shape"
EXTRACTS = ["extraction", "reduction", "probe", "out of memory"]
TRAINS = ["next-sentence training", "fine-tuning", "tagging"]


class Fault(NamedTuple):
    """What is broken: a function that wraps or replaces another, and the checks that then fail.

    The first of them is the one that is there for it.
    """

    owner: object
    name: str
    broken: Callable[[Callable], object]
    fail: list[str]


def padding_is_seen(forward):
    return lambda self, inputs: forward(
        self, inputs | {"attention_mask": torch.ones_like(inputs["attention_mask"])}
    )


def rolled(function):
    """The results in another order."""

    def broken(*arguments):
        result = function(*arguments)
        return None if result is None else np.roll(result, 1, axis=0)

    return broken


def next_vectors(pooled):
    return lambda *arguments: pooled(*arguments).roll(1, 0)


def other_seed(function):
    return lambda seed, *names: function(seed + 1, *names)


def last_token_is_lost(following):
    return lambda ids, first: following(ids, min(first + 1, len(ids) - 1))


def branches_see_each_other(mask):
    return lambda branches, dtype: mask(np.zeros_like(branches), dtype)


def nothing_is_masked(masked):
    return lambda model, text, hidden, place: masked(model, text, (), place)


def negated(function):
    return lambda *arguments: [-values for values in function(*arguments)]


def drifting(call):
    """Results that depend on how often a scorer was called."""

    def broken(self, rows, groups=None):
        self.calls = getattr(self, "calls", -1) + 1
        return [values + 0.005 * self.calls for values in call(self, rows, groups)]

    return broken


def pairs_are_swapped(encoded):
    return lambda model, texts, pairs, longest: encoded(
        model, *((texts, pairs) if pairs is None else (pairs, texts)), longest
    )


def without_transitions(function):
    def broken(self, *arguments):
        kept = self.between.detach().clone()
        self.between.data.zero_()
        result = function(self, *arguments)
        self.between.data.copy_(kept)
        return result

    return broken


def one_of_a_batch(run):
    """After a batch that was too large, its first input alone."""

    def broken(self, batch, longest, compute):
        result = run(self, batch, longest, compute)
        return run(self, batch[:1], longest, compute) if result is None else result

    return broken


def a_part_is_left_out(within_memory):
    def broken(*arguments):
        result = within_memory(*arguments)
        return 0.0 if result is None else result

    return broken


FAULTS = {
    "padding is attended to": Fault(extract._Forward, "__call__", padding_is_seen, EXTRACTS),
    "a batch's features in another order": Fault(
        features, "pooled", next_vectors, ["features", "out of memory"]
    ),
    "documents have other weights": Fault(
        reduction, "generator", other_seed, ["reduction"]
    ),
    "mentions count, not sentences": Fault(
        reduction, "_by_sentence", lambda _: lambda *columns: columns, ["reduction"]
    ),
    "labels are shifted": Fault(probe, "_labels", rolled, ["probe"]),
    "a sum lacks a token": Fault(
        causal_scoring, "_following", last_token_is_lost,
        ["likelihood", "scoring again in float64"],
    ),
    "endings see each other": Fault(
        token_scores, "_mask", branches_see_each_other, ["likelihood"]
    ),
    "nothing is masked": Fault(
        masked_scoring, "_masked", nothing_is_masked, ["pseudo-likelihood"]
    ),
    "log-odds of the other class": Fault(
        token_scores, "_log_odds", negated, ["next-sentence scores"]
    ),
    "float32 in place of float64": Fault(
        token_scores.TokenScorer, "_double",
        lambda _: property(lambda self: self.model.network), ["scoring again in float64"],
    ),
    "scores depend on the part": Fault(
        token_scores.TokenScorer, "__call__", drifting,
        ["scores in parts", "pseudo-likelihood"],
    ),
    "sentences of a pair are swapped": Fault(
        fine_tuning, "encoded", pairs_are_swapped, ["next-sentence training"]
    ),
    "a causal model's first token is read": Fault(
        fine_tuning, "is_bidirectional", lambda _: lambda config: True, ["fine-tuning"]
    ),
    "examples come in another order": Fault(training, "generator", other_seed, TRAINS),
    "a learning rate that does not rise": Fault(
        training, "_schedule", lambda _: lambda *arguments: 1.0, ["next-sentence training"]
    ),
    "transitions are ignored in the loss": Fault(
        Crf, "_of_path", without_transitions, ["conditional random field", "tagging"]
    ),
    "transitions are ignored in the best path": Fault(
        Crf, "best", without_transitions, ["conditional random field"]
    ),
    "words have their neighbours' pieces": Fault(tagging, "_owners", rolled, ["tagging"]),
    "samples of another seed": Fault(generation, "generator", other_seed, ["generation"]),
    "halving drops a text": Fault(batching.Batches, "_run", one_of_a_batch, ["out of memory"]),
    "halving drops a part of a step": Fault(
        training, "within_memory", a_part_is_left_out, ["out of memory"]
    ),
    "a training begins again": Fault(
        training.Training, "_read", lambda _: lambda *arguments: None, ["killed and resumed"]
    ),
    "samples begin again": Fault(
        generation, "_complete_lines", lambda _: lambda part: part.unlink(True) or 0,
        ["killed and resumed"],
    ),
    "a card that is not there is replaced": Fault(
        models, "_device", lambda _: lambda name: torch.device("cpu"), ["choice of a card"]
    ),
}  # fmt: skip


# One of each check, and then the others.
FIRST = {fault.fail[0]: name for name, fault in reversed(FAULTS.items())}.values()
ORDER = [*FIRST, *(name for name in FAULTS if name not in FIRST)]


@pytest.fixture
def setting(tmp_path) -> Setting:
    return Setting.prepared("cpu", tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Setting:
    """A setting whose references are made, without a fault."""
    setting = Setting.prepared("cpu", tmp_path_factory.mktemp("whole"))
    for check in (check for name, check in CHECKS.items() if check.path and name != REAL):
        reference(setting, check.path)
    return setting


def put_in(fault: Fault, patch: pytest.MonkeyPatch) -> None:
    """Break what the device computes; the reference is made before."""
    own = vars(fault.owner)[fault.name]
    patch.setattr(fault.owner, fault.name, fault.broken(own))


@pytest.mark.parametrize("name", later(ORDER, len(FIRST)))
def test_a_fault_is_found(setting, monkeypatch, name):
    check = CHECKS[FAULTS[name].fail[0]]
    if check.path:
        reference(setting, check.path)
    put_in(FAULTS[name], monkeypatch)
    assert not run(setting, FAULTS[name].fail[0], "float32").passed


def test_each_check_has_a_fault():
    assert {fault.fail[0] for fault in FAULTS.values()} == set(CHECKS) - {REAL}


@pytest.mark.long
@pytest.mark.parametrize("name", FAULTS)
def test_no_other_check_fails(whole, tmp_path, monkeypatch, name):
    setting = replace(Setting.prepared("cpu", tmp_path), references=whole.references)
    put_in(FAULTS[name], monkeypatch)
    results = [run(setting, check, "float32") for check in CHECKS if check != REAL]
    assert {x.name for x in results if not x.passed} == set(FAULTS[name].fail)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_without_a_fault_each_check_passes(setting, dtype):
    names = [name for name, check in CHECKS.items() if dtype in check.dtypes]
    assert not [x for name in names for x in run(setting, name, dtype).comparison.problems]


@pytest.mark.long
def test_a_precision_that_is_ignored_is_found(setting, monkeypatch):
    monkeypatch.setitem(models.DTYPES, "bfloat16", torch.float32)
    [problem] = run(setting, REAL, "bfloat16").comparison.problems
    assert "not bfloat16" in problem


def test_an_error_is_a_problem_of_its_check(setting, monkeypatch):
    def broken(*_):
        raise RuntimeError("no kernel\nand more")

    monkeypatch.setitem(CHECKS, "features", checks.Check(broken))
    result = run(setting, "features", "float32")
    assert result.comparison.problems == ["RuntimeError: no kernel"]
    assert not result.passed


def test_numbers_are_compared_by_their_scale():
    comparison = Comparison()
    comparison.close("numbers", [3.0, 4.0], [3.0, 4.1], 0.03)  # 0.1 of about 3.6
    assert not comparison.problems
    assert comparison.difference == pytest.approx(0.1 / np.sqrt((9 + 4.1**2) / 2) / 0.03)
    comparison.close("numbers", [3.0, 4.0], [3.0, 4.1], 0.02)
    comparison.close("a number", [np.nan], [1.0], 1.0)
    comparison.close("too few", [1.0], [1.0, 2.0], 1.0)
    assert [problem.partition(":")[0] for problem in comparison.problems] == [
        "numbers", "a number", "too few",
    ]  # fmt: skip


def test_near_ties_may_differ_and_may_not_be_all():
    comparison = Comparison()
    comparison.same("decisions", [1, 2, 3], [1, 2, 4], [0.5, 0.5, 0.1], 0.2)
    assert (comparison.problems, comparison.decisions, comparison.near_ties) == ([], 3, 1)
    comparison.same("one that is clear", [1, 2], [1, 3], [0.5, 0.5], 0.2)
    comparison.same("too many", [1, 1, 1], [1, 1, 1], [0.1, 0.1, 0.5], 0.2)
    assert [problem.partition(":")[0] for problem in comparison.problems] == [
        "one that is clear", "too many",
    ]  # fmt: skip


def test_the_nearest_of_the_first_eight():
    corners = np.eye(8)
    best, margins = nearest(np.vstack([corners, corners[[2, 5]] + 0.01]))
    assert best.tolist() == [2, 5]
    assert (margins > 0.5).all()


def test_kernels_and_copies_of_a_profile():
    def event(key: str, kind: DeviceType, microseconds: float) -> SimpleNamespace:
        return SimpleNamespace(key=key, device_type=kind, self_device_time_total=microseconds)

    events = [
        event("gemm", DeviceType.CUDA, 3e6),
        event("Memcpy DtoH (Device -> Pageable)", DeviceType.CUDA, 5e5),
        event("aten::mm", DeviceType.CPU, 3e6),  # the same kernels again, by who called them
    ]
    assert rates.device_seconds(events) == (3.0, 0.5)


def test_operations_of_blocks(setting):
    model = models.load_model(setting.bert, "encoder", device="cpu")
    # By hand, of each of 3 layers of width 32: four matrices of 32 x 32 and two of 32 x 64.
    weights = 3 * (4 * 32 * 32 + 2 * 32 * 64)
    assert rates.operations(model, 10) == 2 * weights + 4 * 3 * 32 * 10


def test_what_is_written(tmp_path, monkeypatch, capsys):
    few = {name: CHECKS[name] for name in ("conditional random field", "choice of a card")}
    monkeypatch.setattr(command, "CHECKS", few)
    rate = rates.Rate("extraction, BERT-base", "bfloat16", 2e5, 4e10, None, {"network": 0.9})
    monkeypatch.setattr(command, "every_rate", lambda *_: [rate])
    monkeypatch.setitem(command.LEAST, "cpu", 0.001)
    out = tmp_path / "card.json"
    assert command.main(["--device", "cpu", "--out", str(out)]) == 0
    written = json.loads(out.read_text("utf-8"))
    assert written["card"] is None
    assert written["memory_mb"] is None
    assert written["torch"] == torch.__version__
    assert set(written["flops"]) == {"float32", "bfloat16"}
    assert all(flops > 0 for flops in written["flops"].values())
    assert written["rates"]["extraction, BERT-base, bfloat16"]["tokens"] == 2e5
    assert [check["passed"] for check in written["checks"]] == [True, True]
    assert "bound by: network" in capsys.readouterr().out

    put_in(FAULTS["a card that is not there is replaced"], monkeypatch)
    assert command.main(["--device", "cpu", "--only", "checks", "--out", str(out)]) == 1
    assert "FAILED  choice of a card" in capsys.readouterr().out


def test_a_device_that_is_not_there():
    with pytest.raises(UserError, match="not available"):
        command.main(["--device", "cuda:99"])


def test_it_needs_four_packages_and_what_they_bring():
    """On a machine with a card there may be no other packages, and no network to install them."""
    needed, reached = set(), set()
    waiting = [f"socialbias.contextual.verification.{name}" for name in ("__main__", "__init__")]
    while waiting:
        path = module(waiting.pop())
        if path is None or path in reached:
            continue
        reached.add(path)
        names = set(named_in(path)) - only_for_types(path)
        waiting += [x for name in names for x in (name, name.rpartition(".")[0])]
        needed |= {name.partition(".")[0] for name in names}
    assert len(reached) > 30
    assert needed - set(sys.stdlib_module_names) - {"socialbias"} == {
        *("numpy", "scipy", "torch", "transformers"),
        *("huggingface_hub", "safetensors", "tokenizers"),  # transformers brings these
    }


def module(name: str) -> Path | None:
    """The file of a module of this library."""
    path = REPOSITORY / "src" / name.replace(".", "/")
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((x for x in files if name.startswith("socialbias") and x.is_file()), None)


def only_for_types(path: Path) -> set[str]:
    """What a file imports for annotations alone."""
    blocks = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    nodes = [node for block in blocks for node in ast.walk(block)]
    plain = [x.name for node in nodes if isinstance(node, ast.Import) for x in node.names]
    members = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return {*plain, *(f"{node.module}.{x.name}" for node in members for x in node.names)}

"""Log-probabilities of tokens at given places of a model's input, of any number of inputs at once.

Inputs are run sorted by length, in batches of a number of tokens. Inputs of a causal model that
begin alike are run as one: what they share comes once, the rests after it side by side, and a mask
hides the rests from each other. The vocabulary's logits are computed only where they are needed.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from socialbias.contextual.batching import TOKENS_PER_BATCH, Batches, Log, Progress
from socialbias.contextual.models import Model, empty_cache, out_of_memory, within_memory
from socialbias.contextual.onednn import without_onednn
from socialbias.errors import UserError

TRIAL_TOLERANCE = 1e-3  # nats
ADVICE = "use a smaller model or another device"


@dataclass(frozen=True)
class Row:
    """An input of the network and what is asked of it.

    Attributes:
        ids: (n,) tokens.
        places: (p,) places among the n.
        targets: (p,) the token whose log-probability is asked for at each place. A masked model
            predicts the token at the place, a causal one the token after it. A model of next
            sentences is asked only whether the second one follows, whatever stands here.
        types: (n,) segments; empty for a single one.
    """

    ids: tuple[int, ...]
    places: tuple[int, ...]
    targets: tuple[int, ...]
    types: tuple[int, ...] = ()


class TokenScorer:
    """Log-probabilities from one model.

    Attributes:
        model: The model; its network is in float32.
        shares: Whether inputs that begin alike are run as one; never for a masked model.
    """

    def __init__(
        self,
        model: Model,
        *,
        tokens_per_batch: int = TOKENS_PER_BATCH,
        share: bool = True,
        log: Log | None = None,
    ):
        """`tokens_per_batch` includes padding; it is halved whenever memory runs out."""
        self.model = model
        self._read = _log_odds if model.kind == "next-sentence" else _log_probabilities
        self._batches = Batches(model, tokens_per_batch, ADVICE)
        self._log = log
        # Where `exact` runs; Apple's GPUs have no float64.
        self._exact_on = torch.device("cpu") if model.device.type == "mps" else model.device
        self.shares = share and model.kind == "causal" and self._can_share()

    def prepare(self, texts: Sequence[str]) -> None:
        """Do nothing: the tokenizer is at hand. A server is asked for the tokens of all texts."""

    def __call__(
        self, rows: Sequence[Row], groups: Sequence[Hashable] | None = None
    ) -> list[NDArray[np.float64]]:
        """The log-probabilities, in nats.

        Args:
            rows: Inputs. In float32 a result depends on the rest of its batch by about 1e-4.
            groups: For each row which others it may be run with as one; None for none.

        Returns:
            For each row (p,), one for each place.

        Raises:
            UserError: a row is longer than the model allows, or does not fit into memory.
        """
        self._check_lengths(rows)
        trees = _trees(rows, groups if self.shares else None)
        results: list[NDArray[np.float64]] = [np.empty(0)] * len(rows)
        progress = Progress(self.model.name, self._log, len(rows))
        compute = partial(self._read, self.model.network, self.model.device)
        for batch, values in self._batches(trees, lambda tree: len(tree.ids), compute):
            for tree, logs in zip(batch, values, strict=True):
                for row, part in zip(tree.rows, np.split(logs, tree.ends[:-1]), strict=True):
                    results[row] = part
            progress.advance(
                sum(len(tree.rows) for tree in batch), sum(len(tree.ids) for tree in batch)
            )
        return results

    def exact(self, rows: Sequence[Row]) -> list[NDArray[np.float64]]:
        """As calling it, but in float64 and one row at a time: the same in any company.

        On the CPU, once a card has no room for it beside the model itself.
        """
        self._check_lengths(rows)
        return [self._exact(row) for row in rows]

    def _exact(self, row: Row) -> NDArray[np.float64]:
        device = self._exact_on

        def run() -> NDArray[np.float64]:
            return self._read(self._double, device, _trees([row], None))[0]

        ways = 1 if device.type == "cpu" else 2  # left to try
        logs = within_memory(replace(self.model, device=device), run, ways, len(row.ids), ADVICE)
        if logs is not None:
            return logs
        self.__dict__.pop("_double", None)
        empty_cache(device)
        self._exact_on = torch.device("cpu")
        if self._log:
            problem = f"no room for float64 on {device}: close scores by the CPU"
            self._log(f"{self.model.name}: {problem}")
        return self._exact(row)

    @cached_property
    def _double(self) -> nn.Module:
        """A copy in float64, of weights made where it runs: there is none in float32 before it."""
        network, made = self.model.network, {}
        for x in network.parameters():
            made[id(x)] = nn.Parameter(x.detach().to(self._exact_on, torch.float64), False)
        for x in network.buffers():
            dtype = torch.float64 if x.is_floating_point() else x.dtype
            made[id(x)] = x.to(self._exact_on, dtype, copy=True)
        return without_onednn(copy.deepcopy(network, made))

    def _check_lengths(self, rows: Sequence[Row]) -> None:
        limit, longest = self.model.limit, max((len(row.ids) for row in rows), default=0)
        if limit is not None and longest > limit:
            raise UserError(
                f"{self.model.name}: a text has {longest:,} pieces and the model takes {limit:,}: "
                "shorten the text, or the prompt"
            )

    def _can_share(self) -> bool:
        """Whether the model obeys positions and a mask of our own, from a trial."""
        rows = [Row((1, 2, 3, 2), (0, 3), (2, 1)), Row((1, 2, 1), (1, 2), (1, 3))]
        network, device = self.model.network, self.model.device
        plain = _log_probabilities(network, device, _trees(rows, None))
        try:
            shared = _log_probabilities(network, device, _trees(rows, [0, 0]))
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError) as error:
            if isinstance(error, RuntimeError) and out_of_memory(error):
                raise
            return False
        return np.allclose(np.concatenate(plain), shared[0], rtol=0, atol=TRIAL_TOLERANCE)


@dataclass(frozen=True)
class _Tree:
    """Rows run as one: the tokens that all begin with, then each row's other tokens.

    Attributes:
        rows: (r,) their numbers.
        ids: (n,) tokens.
        types: (n,) segments.
        positions: (n,) each token's position in its row.
        branches: (n,) 0 for the common beginning; otherwise the number of the row, from 1.
        places: (p,) places among the n, row by row.
        targets: (p,) what is asked for there.
        ends: (r,) where each row's places end among the p.
    """

    rows: list[int]
    ids: list[int]
    types: list[int]
    positions: list[int]
    branches: list[int]
    places: list[int]
    targets: list[int]
    ends: list[int]


def _trees(rows: Sequence[Row], groups: Sequence[Hashable] | None) -> list[_Tree]:
    """One for each group, or for each row."""
    members: dict[Hashable, list[int]] = {}
    for i in range(len(rows)):
        members.setdefault(i if groups is None else groups[i], []).append(i)
    return [_tree(numbers, [rows[i] for i in numbers]) for numbers in members.values()]


def _tree(numbers: list[int], rows: Sequence[Row]) -> _Tree:
    columns = zip(*(row.ids for row in rows), strict=False)
    shared = sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, columns))
    first = rows[0]
    types = list(first.types[:shared])
    tree = _Tree(
        numbers, list(first.ids[:shared]), types, list(range(shared)), [0] * shared, [], [], []
    )
    for branch, row in enumerate(rows, start=1):
        offset = len(tree.ids) - shared
        tree.places.extend(i if i < shared else i + offset for i in row.places)
        tree.targets.extend(row.targets)
        tree.ends.append(len(tree.places))
        tree.ids.extend(row.ids[shared:])
        tree.types.extend(row.types[shared:])
        tree.positions.extend(range(shared, len(row.ids)))
        tree.branches.extend([branch] * (len(row.ids) - shared))
    return tree


@torch.inference_mode()
def _log_probabilities(
    network: nn.Module, device: torch.device, trees: Sequence[_Tree]
) -> list[NDArray[np.float64]]:
    """What is asked of a batch; only this leaves the device."""
    longest = max(len(tree.ids) for tree in trees)
    inputs = _inputs(network, trees, longest)
    flat = np.concatenate([i * longest + np.array(tree.places) for i, tree in enumerate(trees)])
    places, which = np.unique(flat.astype(np.int64), return_inverse=True)
    with _only_at(network, torch.from_numpy(places).to(device)):
        logits = network(**{name: x.to(device) for name, x in inputs.items()}).logits[0]
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    normaliser = logits.logsumexp(-1)
    targets = torch.tensor([x for tree in trees for x in tree.targets], device=device)
    row = torch.from_numpy(which).to(device)
    values = (logits[row, targets] - normaliser[row]).double().cpu().numpy()
    return np.split(values, np.cumsum([len(tree.places) for tree in trees])[:-1])


@torch.inference_mode()
def _log_odds(
    network: nn.Module, device: torch.device, trees: Sequence[_Tree]
) -> list[NDArray[np.float64]]:
    """Log-odds that the second sentence follows the first: BERT's class 0, from its logits.

    Most probabilities are within rounding of 1, so that many would tie.
    """
    inputs = _inputs(network, trees, max(len(tree.ids) for tree in trees))
    logits = network(**{name: x.to(device) for name, x in inputs.items()}).logits.double()
    return list((logits[:, :1] - logits[:, 1:]).cpu().numpy())


@contextmanager
def _only_at(network: nn.Module, places: Tensor) -> Iterator[None]:
    """Compute the vocabulary's logits only at some places of the batch, as of one text."""

    def select(head: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        return (inputs[0].reshape(-1, inputs[0].shape[-1])[places][None],)

    handle = network.get_output_embeddings().register_forward_pre_hook(select)
    try:
        yield
    finally:
        handle.remove()


def _inputs(network: nn.Module, trees: Sequence[_Tree], longest: int) -> dict[str, Tensor]:
    """The network's arguments: right-padded, with a mask of our own if rows share a beginning."""
    ids, types, branches, positions = np.zeros((4, len(trees), longest), np.int64)
    real = np.zeros((len(trees), longest), np.int64)
    for i, tree in enumerate(trees):
        n = len(tree.ids)
        ids[i, :n], real[i, :n] = tree.ids, 1
        types[i, : len(tree.types)] = tree.types
        branches[i, :n], positions[i, :n] = tree.branches, tree.positions
    inputs = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(real)}
    # GPT-2 adds an embedding for every segment, even the first: do not pass segments of zeros.
    if types.any():
        inputs["token_type_ids"] = torch.from_numpy(types)
    if branches.any():
        inputs["position_ids"] = torch.from_numpy(positions)
        inputs["attention_mask"] = _mask(branches, next(network.parameters()).dtype)
    return inputs


def _mask(branches: NDArray[np.int64], dtype: torch.dtype) -> Tensor:
    """(rows, 1, n, n) what is added to attention: nothing where a token sees another.

    A token sees those before it in the beginning and in its own branch. Padding comes after all
    tokens, so that none sees it; it sees itself.
    """
    n = branches.shape[1]
    earlier = branches[:, None, :]
    seen = ((earlier == 0) | (earlier == branches[:, :, None])) & np.tri(n, dtype=bool)
    mask = torch.zeros(seen.shape, dtype=dtype)
    return mask.masked_fill_(torch.from_numpy(~seen), torch.finfo(dtype).min)[:, None]

"""Log-probabilities of tokens at given places of a model's input, of any number of inputs at once.

Inputs are run sorted by length, in batches of a number of tokens. Inputs of a causal model that
begin alike are run as one: what they share comes once, the rests after it side by side, and a mask
hides the rests from each other. The vocabulary's logits are computed only where they are needed.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, groupby, takewhile

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from socialbias.errors import UserError
from socialbias.models.batching import Batches, Log, Progress, without_cache
from socialbias.models.loading import (
    Model,
    NoHead,
    empty_cache,
    out_of_memory,
    within_memory,
)
from socialbias.models.onednn import without_onednn
from socialbias.models.pieces import TOKENS_PER_BATCH, Row
from socialbias.models.safe_loading import in_one_line

TRIAL_TOLERANCE = 1e-3  # nats
ADVICE = "use a smaller model or another device"
# Where the language model's head is tied to the words, weights for another task do not lack it.
OTHER_HEADS = re.compile(r"For(\w+Classification|QuestionAnswering|MultipleChoice)\b")
# As configurations name the kinds of layers, those whose tokens all see the ones before them, at
# least within a window, and the window's size.
LAYERS = ("layer_types", "layers_block_type", "attention_layers")
ATTENTION = ("full_attention", "sliding_attention", "chunked_attention", "global", "local")
WINDOWS = ("sliding_window", "sliding_window_size", "window_size", "attention_chunk_size")


class TokenScorer:
    """Log-probabilities from one model.

    Attributes:
        model: The model; its network is in float32.
        shares: How many tokens inputs that begin alike may have as one; none of a masked model.
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
        self._check_head()
        self._pads = self._can_pad()
        reach = _reach(model.network) if share and model.kind == "causal" else 0
        self.shares = reach if reach and self._can_share() else 0

    def prepare(self, texts: Sequence[str]) -> None:
        """Do nothing: the tokenizer is at hand. A server is asked for the tokens of all texts."""

    def __call__(
        self, rows: Sequence[Row], groups: Sequence[Hashable] | None = None
    ) -> list[NDArray[np.float64]]:
        """Return the log-probabilities, in nats.

        Returns:
            For each row (p,), one for each place.
        """
        self._check_lengths(rows)
        trees = _trees(rows, groups if self.shares else None, self.shares)
        results: list[NDArray[np.float64]] = [np.empty(0)] * len(rows)
        progress = Progress(self.model.name, self._log, len(rows))
        compute = partial(self._read, self.model.network, self.model.device)
        parts = [trees]
        if not self._pads:  # padding would change the values: one length each
            parts = [list(part) for _, part in groupby(sorted(trees, key=_length), _length)]
        batches = (self._batches(part, _length, compute) for part in parts)
        for batch, values in chain.from_iterable(batches):
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
            return self._read(self._double, device, _trees([row]))[0]

        ways = 1 if device.type == "cpu" else 2  # left to try
        model = replace(self.model, device=device)
        try:
            logs = within_memory(model, run, ways, len(row.ids), ADVICE)
        except RuntimeError as error:  # some networks have steps that there is no float64 for
            if self._double is self.model.network:
                raise
            self._double, self._exact_on = self.model.network, self.model.device
            if self._log:
                problem = f"cannot run in float64 ({in_one_line(error)}): close scores in float32"
                self._log(f"{self.model.name}: {problem}, alone")
            return self._exact(row)
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

    def _check_head(self) -> None:
        """Raise UserError where the model was trained on another task, or is not what it seems."""
        trained = " ".join(getattr(self.model.network.config, "architectures", None) or ())
        if self.model.kind in ("masked", "causal") and OTHER_HEADS.search(trained):
            raise NoHead(f"{self.model.name}: {trained} has no head of a language model")
        if self.model.kind != "causal":
            return
        rows = [Row((1, 2, last), (0, 1), (2, 3)) for last in (3, 4)]
        values = _log_probabilities(self.model.network, self.model.device, _trees(rows))
        if not np.allclose(*values, rtol=0, atol=TRIAL_TOLERANCE):
            raise UserError(
                f"{self.model.name}: its words depend on those after them: it is no causal model, "
                "and cannot be scored"
            )

    def _can_pad(self) -> bool:
        """Return whether a short row has the same values beside a long one, from a trial."""
        rows = [Row((1, 2, 3, 2), (0, 2), (2, 1)), Row((1, 2, 3, 4) * 2, (0,), (1,))]
        run = partial(self._read, self.model.network, self.model.device)
        alone, beside = run(_trees(rows[:1])), run(_trees(rows))
        return np.allclose(alone[0], beside[0], rtol=0, atol=TRIAL_TOLERANCE)

    def _can_share(self) -> bool:
        """Return whether the model obeys positions and a mask of our own, from a trial."""
        rows = [Row((1, 2, 3, 2), (0, 3), (2, 1)), Row((1, 2, 1), (1, 2), (1, 3))]
        network, device = self.model.network, self.model.device
        plain = _log_probabilities(network, device, _trees(rows))
        try:
            shared = _log_probabilities(network, device, _trees(rows, [0, 0]))
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError) as error:
            if isinstance(error, RuntimeError) and out_of_memory(error):
                raise
            return False
        return np.allclose(np.concatenate(plain), shared[0], rtol=0, atol=TRIAL_TOLERANCE)


@dataclass(frozen=True)
class _Tree:
    """Rows run as one: the tokens that all begin with, then each row's other tokens."""

    rows: list[int]  # (r,) their numbers
    ids: list[int]  # (n,) tokens
    types: list[int]  # (n,) segments
    positions: list[int]  # (n,) each token's position in its row
    branches: list[int]  # (n,) 0 for the common beginning; otherwise the number of the row, from 1
    places: list[int]  # (p,) places among the n, row by row
    targets: list[int]  # (p,) what is asked for there
    ends: list[int]  # (r,) where each row's places end among the p


def _reach(network: nn.Module) -> float:
    """Return how many tokens each token of a causal model sees before it, in every layer.

    0 if unknown.
    """
    config = network.config.get_text_config()
    layers = {kind for name in LAYERS for kind in getattr(config, name, None) or ()}
    if getattr(network, "_is_stateful", False) or layers - {*ATTENTION}:
        return 0
    windows = [getattr(config, name, None) for name in WINDOWS]
    return min((window for window in windows if window), default=np.inf)


def _length(tree: _Tree) -> int:
    return len(tree.ids)


def _trees(
    rows: Sequence[Row], groups: Sequence[Hashable] | None = None, longest: float = np.inf
) -> list[_Tree]:
    """Return one for each group, or for each row where there is none or a tree is longer."""
    members: dict[Hashable, list[int]] = {}
    for i in range(len(rows)):
        members.setdefault(i if groups is None else groups[i], []).append(i)
    trees = []
    for numbers in members.values():
        tree = _tree(numbers, [rows[i] for i in numbers])
        fits = len(numbers) == 1 or len(tree.ids) <= longest
        trees += [tree] if fits else [_tree([i], [rows[i]]) for i in numbers]
    return trees


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
    """Return what is asked of a batch; only this leaves the device."""
    longest = max(len(tree.ids) for tree in trees)
    inputs = _inputs(network, trees, longest)
    flat = np.concatenate([i * longest + np.array(tree.places) for i, tree in enumerate(trees)])
    places, which = np.unique(flat.astype(np.int64), return_inverse=True)
    chosen = torch.from_numpy(places).to(device)
    with _only_at(network, chosen) as selected:
        moved = {name: x.to(device) for name, x in inputs.items()}
        logits = network(**moved, **without_cache(network)).logits
    logits = logits[0] if selected else logits.flatten(0, 1)[chosen]
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
def _only_at(network: nn.Module, places: Tensor) -> Iterator[list]:
    """Compute the vocabulary's logits only at some places of the batch, as of one text.

    What it yields is empty where the network does not call its head, so that all were computed.
    """
    selected: list[nn.Module] = []

    def select(head: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        selected.append(head)
        return (inputs[0].reshape(-1, inputs[0].shape[-1])[places][None],)

    handle = network.get_output_embeddings().register_forward_pre_hook(select)
    try:
        yield selected
    finally:
        handle.remove()


def _inputs(network: nn.Module, trees: Sequence[_Tree], longest: int) -> dict[str, Tensor]:
    """Return the network's arguments.

    Right-padded, with a mask of our own if rows share a beginning.
    """
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

"""A linear-chain conditional random field over the tags of a sentence (Lafferty et al. 2001)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

NEVER = -1e4  # added to the score of what must not be: no sum of scores comes near it


class Crf(nn.Module):
    """Scores of a tag by the tag before it.

    All are 0 at first: it then says the same as independent tags. The first and the last tag of a
    sentence have no scores of their own, as in the released configuration of Czarnowska, Vyas and
    Shah 2021. `between` is (k, k): of a tag, in columns, after another, in rows.
    """

    def __init__(self, tags: int):
        super().__init__()
        self.between = nn.Parameter(torch.zeros(tags, tags))

    def loss(self, scores: Tensor, mask: Tensor, tags: Tensor) -> Tensor:
        """Negative log-likelihood of tags (n, w), summed over sentences, in nats.

        `scores` are (n, w, k), and `mask` (n, w) is true from the first word to the last.
        """
        return (self._log_sum(scores, mask) - self._of_path(scores, mask, tags)).sum()

    def best(self, scores: Tensor, mask: Tensor, allowed: Tensor) -> list[list[int]]:
        """Return the most probable tags of each sentence (Viterbi), of equal ones the first."""
        never = NEVER * (allowed == 0).to(scores)
        between = self.between + never[:-1, :-1]
        best, before = scores[:, 0] + never[-1, :-1], []
        for t in range(1, scores.shape[1]):
            step, which = (best[:, :, None] + between).max(dim=1)
            there = mask[:, t, None]
            itself = torch.arange(scores.shape[2], device=scores.device).expand_as(which)
            before.append(torch.where(there, which, itself))
            best = torch.where(there, step + scores[:, t], best)
        paths = [(best + never[:-1, -1]).argmax(dim=1)]
        for which in reversed(before):
            paths.append(which.gather(1, paths[-1][:, None])[:, 0])
        sequences, lengths = torch.stack(paths[::-1], dim=1).tolist(), mask.sum(dim=1).tolist()
        return [path[:n] for path, n in zip(sequences, lengths, strict=True)]

    def _log_sum(self, scores: Tensor, mask: Tensor) -> Tensor:
        """(n,) logarithm of the sum over all tag sequences, by the forward algorithm."""
        total = scores[:, 0]
        for t in range(1, scores.shape[1]):
            step = torch.logsumexp(total[:, :, None] + self.between, dim=1) + scores[:, t]
            total = torch.where(mask[:, t, None], step, total)
        return torch.logsumexp(total, dim=1)

    def _of_path(self, scores: Tensor, mask: Tensor, tags: Tensor) -> Tensor:
        """(n,) score of one tag sequence each."""
        words = scores.gather(2, tags[..., None])[..., 0]
        steps = self.between[tags[:, :-1], tags[:, 1:]]
        return (words * mask).sum(dim=1) + (steps * mask[:, 1:]).sum(dim=1)

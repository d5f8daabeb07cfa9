"""The two ways in which servers give log-probabilities of tokens, and what they must contain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from socialbias.errors import UserError
from socialbias.models.served.client import Client

Tokens = tuple[int, ...]
EVERY_TOKEN = "every token"
MAX_NEXT_TOKENS = 5  # next tokens of a closed set: servers of OpenAI's protocol give no more
FORCED = 1000.0  # added to a logit: no other token can then come
MIN_LOGPROB = -1000.0  # nats: some servers give -9999 for what they do not know
# One token, and probabilities before sampling; servers that scale them all the same do it by 1.
UNSCALED = {"n_predict": 1, "post_sampling_probs": False, "temperature": 1.0}
BY_ID = "token_id:"  # how vLLM writes tokens if it is asked to


class Refused(UserError):
    """A server failed a check."""

    def __init__(self, root: str, check: str, reason: str):
        """`reason` says what the server did, in words that follow its address."""
        super().__init__(f"{root}: the server is refused: check '{check}': {reason}")
        self.check = check


@dataclass(frozen=True)
class Way:
    """A way to ask for log-probabilities."""

    name: str  # for people
    whole: bool  # whether one request gives those of all tokens of a text, and not only of its last
    # Client, model, tokens, and whether the server may use what it has cached, to the
    # log-probabilities: (n - 1,) of all tokens but the first, or (1,) of the last.
    ask: Callable[[Client, str, Tokens, bool], list[float]]
    # Client, model and tokens to the most probable next tokens, with log-probabilities.
    top: Callable[[Client, str, Tokens], dict[str, float]]


def _of_prompt(client: Client, model: str, tokens: Tokens, cached: bool) -> list[float]:
    body = _completion(model, tokens) | {"echo": True, "logprobs": 1}
    answer = client.send("/v1/completions", body)
    logs = _part(answer, "choices", 0, "logprobs", "token_logprobs")
    named = _part(answer, "choices", 0, "logprobs", "tokens")
    _check_read(client, tokens, _part(answer, "usage", "prompt_tokens"))
    n, given = len(tokens), len(logs) if isinstance(logs, list) else 0
    if given not in (n, n + 1):  # the last may be of a token that it made
        reason = f"it gave log-probabilities of {given} tokens where {n} were sent"
        raise Refused(client.root, EVERY_TOKEN, f"{reason} (it may ignore `echo`)")
    if isinstance(named, list) and all(str(name).startswith(BY_ID) for name in named):
        read = [str(name).removeprefix(BY_ID) for name in named[:n]]
        if read != [str(token) for token in tokens]:
            raise Refused(client.root, EVERY_TOKEN, "it read other tokens than were sent")
    return _checked(client, logs[1:n])


def _of_forced(client: Client, model: str, tokens: Tokens, cached: bool) -> list[float]:
    *prefix, last = tokens
    body = {
        "model": model,
        "prompt": prefix,
        "n_probs": 1,
        "logit_bias": [[last, FORCED]],
        "samplers": [],
        "cache_prompt": cached,
        "response_fields": ["completion_probabilities", "tokens_evaluated"],
    }
    answer = client.send("/completion", body | UNSCALED)
    _check_read(client, prefix, _part(answer, "tokens_evaluated"))
    came = _part(answer, "completion_probabilities", 0, "id")
    if came != last:
        reason = "it did not give the next token that was forced"
        raise Refused(client.root, EVERY_TOKEN, reason)
    return _checked(client, [_part(answer, "completion_probabilities", 0, "logprob")])


def _top_of_prompt(client: Client, model: str, tokens: Tokens) -> dict[str, float]:
    body = _completion(model, tokens) | {"logprobs": MAX_NEXT_TOKENS}
    answer = client.send("/v1/completions", body)
    top = _part(answer, "choices", 0, "logprobs", "top_logprobs", 0)
    if not isinstance(top, dict) or not top:
        raise Refused(client.root, EVERY_TOKEN, "it gave no most probable next tokens")
    return dict(zip(top, _checked(client, [*top.values()]), strict=True))


def _top_of_forced(client: Client, model: str, tokens: Tokens) -> dict[str, float]:
    body = {"model": model, "prompt": [*tokens], "n_probs": MAX_NEXT_TOKENS}
    answer = client.send("/completion", body | UNSCALED)
    top = _part(answer, "completion_probabilities", 0, "top_logprobs")
    top = top if isinstance(top, list) else []
    logs = _checked(client, [_part(each, "logprob") for each in top])
    return {f"{BY_ID}{_part(each, 'id')}": log for each, log in zip(top, logs, strict=True)}


def _completion(model: str, tokens: Tokens) -> dict:
    """Return the body of a request for one more token, the most probable one."""
    fixed = {"max_tokens": 1, "temperature": 0, "return_tokens_as_token_ids": True}
    return {"model": model, "prompt": [*tokens], **fixed}


def _check_read(client: Client, tokens: Sequence[int], read: object) -> None:
    """Refuse a server that says itself that it read another number of tokens."""
    if isinstance(read, int) and read != len(tokens):
        reason = f"it read {read} tokens where {len(tokens)} were sent"
        raise Refused(client.root, EVERY_TOKEN, f"{reason} (it may add a chat template)")


def _checked(client: Client, logs: list) -> list[float]:
    """Return numbers that can be log-probabilities."""
    for log in logs:
        # The comparison is false for NaN and infinity too.
        if type(log) not in (int, float) or not MIN_LOGPROB < log < 1e-3:
            what = f"{log:g}" if type(log) in (int, float) else "what is no number"
            raise Refused(client.root, EVERY_TOKEN, f"it gave {what} as a log-probability")
    return [min(float(log), 0.0) for log in logs]


def _part(answer: object, *path: str | int) -> object:
    """Return a part of an answer; None if it is not there."""
    for step in path:
        if isinstance(answer, dict):
            answer = answer.get(step)
        elif isinstance(answer, list) and isinstance(step, int) and step < len(answer):
            answer = answer[step]
        else:
            return None
    return answer


PROMPT = Way("log-probabilities of the prompt", True, _of_prompt, _top_of_prompt)
NEXT = Way("log-probability of a forced next token", False, _of_forced, _top_of_forced)

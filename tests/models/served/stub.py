"""Servers over a model of pairs of words, whose probabilities are a table; some are broken."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from threading import Lock, Thread
from zlib import crc32

import numpy as np

from socialbias.models.served.handshake import SENTENCES, shuffled

START = 0
TEMPLATE = (1, 2, 3)  # what a chat template would put before a text


class Pairs:
    """A model that predicts a word from the one before it.

    Attributes:
        words: Its vocabulary; the first one begins a text.
        logs: (n, n) log-probability of each word (column) after each (row).
    """

    def __init__(self, texts=(), seed=1):
        """Words that follow each other in the handshake's sentences have half the probability."""
        every = [*SENTENCES, *map(shuffled, SENTENCES), *texts]
        self.words = ["<s>", *dict.fromkeys(w for text in every for w in text.split())]
        n = len(self.words)
        table = np.random.default_rng(seed).dirichlet(np.full(n, 0.5), size=n) + 1e-6
        pairs = np.zeros((n, n))
        for sentence in SENTENCES:
            ids = [START, *self.tokens(sentence)]
            np.add.at(pairs, (ids[:-1], ids[1:]), 1)
        known = pairs.any(axis=1)
        table /= table.sum(axis=1, keepdims=True)
        share = pairs[known] / pairs[known].sum(axis=1, keepdims=True)
        table[known] = (table[known] + share) / 2
        self.logs = np.log(table)

    def tokens(self, text):
        known = {word: i for i, word in enumerate(self.words)}
        return [known.get(word, 1 + crc32(word.encode()) % 50) for word in text.split()]

    def of(self, tokens):
        """The log-probability of each token but the first."""
        return [float(self.logs[a, b]) for a, b in pairwise(tokens)]

    def top(self, token, many):
        best = np.argsort(-self.logs[token])[:many].tolist()
        return {f"token_id:{i}": float(self.logs[token, i]) for i in best}


class Stub(ThreadingHTTPServer):
    """A server of such a model.

    Attributes:
        model: The model.
        style: `prompt` as vLLM, or `next` as llama.cpp.
        fault: What it does wrong; "" for nothing.
        asked: The path and body of each request that it answered.
        headers: Those of each request.
        answer: Replaces the answer to a request for log-probabilities: a function of it.
        left: Requests for log-probabilities that it still answers.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, model, style="prompt", fault=""):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model, self.style, self.fault = model, style, fault
        self.asked, self.headers, self.lock = [], [], Lock()
        self.answer, self.left, self.stale, self.noise = None, 1 << 30, {}, 0

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        """Nothing: clients that are killed are part of the tests."""

    def answered(self, path, body):
        """What the server answers; None if it has no such path."""
        if path == "/v1/models":
            return {"data": [{"id": "tiny"}]}
        if path == "/tokenize":
            ids = self.model.tokens(body["prompt"].lstrip())
            return {"tokens": [START, *ids] if body["add_special_tokens"] else ids}
        if path == "/v1/completions" and self.style == "prompt":
            return self.completion(body)
        if path == "/completion" and self.style == "next":
            return self.forced(body)
        return None

    def completion(self, body):
        prompt, model = body["prompt"], self.model
        read = [*TEMPLATE, *prompt] if self.fault == "template" else prompt
        best = model.top(read[-1], body["logprobs"])
        made = int(next(iter(best)).removeprefix("token_id:"))
        logs = [None, *model.of([*read, made])]
        if self.fault == "top k":
            # As if only the five most probable words, and the one that came, were there.
            for i, (before, after) in enumerate(zip(read, [*read[1:], made], strict=True)):
                five = {*model.top(before, 5), f"token_id:{after}"}
                few = [model.logs[before, int(name.removeprefix("token_id:"))] for name in five]
                logs[i + 1] -= float(np.logaddexp.reduce(few))
            total = np.logaddexp.reduce([*model.top(read[-1], 5).values()])
            best = {name: float(log - total) for name, log in best.items()}
        if self.fault == "across prompts":
            logs = self.stale.setdefault((*prompt[:2], len(prompt)), logs)
        if self.fault == "random":
            self.noise += 1
            logs = [None, *(log - self.noise % 7 for log in logs[1:])]
        names = [f"token_id:{i}" for i in [*read, made]]
        if self.fault == "echo" or not body.get("echo"):
            logs, names = logs[-1:], names[-1:]
        elif self.fault == "first":
            logs, names = logs[1:], names[1:]
            names = [name.replace("token_id", "word") for name in names]
        of_choice = {"token_logprobs": logs, "tokens": names, "top_logprobs": [best]}
        usage = {"prompt_tokens": len(read)}
        return {"choices": [{"logprobs": of_choice}], "usage": usage}

    def forced(self, body):
        prompt, model = body["prompt"], self.model
        read = [*TEMPLATE, *prompt, *TEMPLATE] if self.fault.startswith("template") else prompt
        if self.fault == "across prompts" and body.get("cache_prompt") and len(prompt) > 2:
            read = self.stale.setdefault(tuple(prompt[:2]), prompt)
        top = [
            {"id": int(name.removeprefix("token_id:")), "logprob": log}
            for name, log in model.top(read[-1], body["n_probs"]).items()
        ]
        came = body.get("logit_bias", [[top[0]["id"]]])[0][0]
        made = {"id": came, "logprob": float(model.logs[read[-1], came]), "top_logprobs": top}
        told = len(read) if self.fault == "template" else len(prompt)
        return {"completion_probabilities": [made], "tokens_evaluated": told}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Stub

    def log_message(self, *arguments):
        """Nothing."""

    def do_GET(self):
        self._respond({})

    def do_POST(self):
        self._respond(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _respond(self, body):
        server, scores = self.server, self.path.endswith(("/completions", "/completion"))
        with server.lock:
            server.headers.append(dict(self.headers))
            server.left -= scores
            if server.left < 0:
                return self._send(503, b'{"error": {"message": "gone"}}')
            answer = server.answered(self.path, body)
            if answer is not None:
                server.asked.append((self.path, json.dumps(body)))
        if answer is None:
            return self._send(404, b'{"error": "no such path"}')
        if scores and server.answer:
            return server.answer(self, answer)
        return self._send(200, json.dumps(answer).encode())

    def _send(self, status, content, **headers):
        self.send_response(status)
        for name, value in {"Content_Length": len(content), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(model, style="prompt", fault=""):
    """A server that runs."""
    stub = Stub(model, style, fault)
    thread = Thread(target=stub.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.shutdown()
        stub.server_close()
        thread.join()

"""Requests to a server that answers in JSON.

Nothing is sent to any other server: a redirect is an error. The key is read from the environment,
goes into one header, and is cut out of whatever the server says.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Event, Thread
from urllib.parse import urlsplit

import requests
import urllib3

from socialbias.errors import UserError
from socialbias.files.json_files import parse_json
from socialbias.files.text import printable
from socialbias.sources.http import (
    HEADERS,
    PermanentError,
    TransientError,
    status_error,
    translated,
)
from socialbias.sources.request import Timeouts

KEY = "SOCIALBIAS_SERVER_KEY"
TIMEOUTS = Timeouts(connect=5, read=120, attempts=4)
TOTAL = 130.0  # seconds for a whole answer, from the request on
MAX_ANSWER_BYTES = 1 << 26  # bytes of an answer
CONCURRENT = 8  # requests at a time


@dataclass(frozen=True)
class Address:
    """Where a server is, and which of its models is meant."""

    root: str  # such as `http://host:8000`, without `/v1`
    model: str  # the name after `#`; "" if none was given

    @classmethod
    def of(cls, text: str) -> Address:
        """Parse `http(s)://host:port[/v1][#model]`."""
        text, _, model = text.partition("#")
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname or "", parts.port
        except ValueError:  # of a port, or of brackets
            parts, host = urlsplit(""), ""
        if parts.username is not None:
            raise UserError(f"{host}: write no name or password into the address: set {KEY}")
        if not re.fullmatch(r"[\w.:-]+", host) or not re.fullmatch(r"[!-~]*", text) or parts.query:
            raise UserError(f"{text[:80]!r}: a server's address is http(s)://host:port[/v1]")
        path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
        return cls(f"{parts.scheme}://{parts.netloc}{path}", model)


class Client:
    """Requests to one address, from any number of threads."""

    def __init__(self, root: str, timeouts: Timeouts):
        """Read the key."""
        self.root, self._timeouts = root, timeouts
        self.stopped = Event()  # set when requests are given up
        self._key = os.environ.get(KEY, "").strip()
        if not re.fullmatch(r"[!-~]*", self._key):
            raise UserError(f"{KEY}: has spaces or letters that a key cannot have")
        self._session = requests.Session()
        self._session.headers.update(HEADERS)
        # Set even without a key: otherwise requests would send a password from ~/.netrc.
        self._session.auth = self._with_key
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, requests.adapters.HTTPAdapter(pool_maxsize=CONCURRENT))

    def send(self, path: str, body: dict | None = None) -> dict:
        """Return the answer to a request, repeated where that may help: POST with a body or GET."""
        failures, waited, stopped = 0, 0.0, self.stopped
        while True:
            try:
                return self._in_time(f"{self.root}{path}", body)
            except TransientError as error:
                problem = error
                wait = error.retry_after or self._timeouts.backoff * 2**failures
            except PermanentError as error:
                problem = error
                break
            failures += not problem.retry_after  # a server that asks to wait has not failed
            waited += wait
            enough = failures == self._timeouts.attempts or waited > self._timeouts.max_wait
            if enough or stopped.wait(wait):
                break
        raise UserError(f"{self.root}{path}: {problem}")

    def stop(self) -> None:
        """Repeat none of the requests that are under way."""
        self.stopped.set()
        self.stopped = Event()

    def _in_time(self, url: str, body: dict | None) -> dict:
        """Return the answer of `_once`, for which a server may take no longer than `TOTAL`.

        The timeouts of a connection begin anew with each byte, also of the headers.
        """
        answers: SimpleQueue[dict | Exception] = SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._once(url, body))
            except Exception as error:
                answers.put(error)

        Thread(target=ask, daemon=True).start()
        try:
            answer = answers.get(timeout=TOTAL)
        except Empty:
            raise PermanentError(f"did not finish its answer within {TOTAL:.0f} s") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _once(self, url: str, body: dict | None) -> dict:
        method, timeouts = "GET" if body is None else "POST", self._timeouts
        how = {"stream": True, "allow_redirects": False}
        try:
            with self._session.request(
                method, url, json=body, timeout=(timeouts.connect, timeouts.read), **how
            ) as response:
                content = response.raw.read(MAX_ANSWER_BYTES + 1, decode_content=True)
        except UnicodeError:  # of a host with odd letters
            raise PermanentError("not a valid address") from None
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            raise translated(error, url) from None
        if response.is_redirect:
            place = urlsplit(response.headers["Location"]).hostname or "another path"
            raise PermanentError(f"redirects to {place}, which is not followed: name that address")
        if not response.ok:
            error = status_error(response, timeouts)
            error.args = (f"{error}{self._reason(content)}",)
            raise error
        try:
            answer = parse_json(content) if len(content) <= MAX_ANSWER_BYTES else None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            kind = response.headers.get("Content-Type", "no type").partition(";")[0][:40]
            raise PermanentError(f"its answer is not a JSON object ({self.clean(kind)})")
        return answer

    def _with_key(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request

    def _reason(self, content: bytes) -> str:
        """Return what the server says of an error; "" for nothing that can be read."""
        try:
            error = parse_json(content)
        except ValueError:
            return ""
        error = error.get("error", error) if isinstance(error, dict) else error
        reason = error.get("message") if isinstance(error, dict) else error
        return f": {self.clean(reason)}" if isinstance(reason, str) else ""

    def clean(self, text: str) -> str:
        """Return one printable line without the key."""
        text = text.replace(self._key, "***") if self._key else text
        return printable(text, 200)

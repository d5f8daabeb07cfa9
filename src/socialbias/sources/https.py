"""Downloads over http(s): resumed, retried, size-limited, error pages never mistaken for data.

Partial downloads are kept in `NAME.<address>-<version>.part`, where the two keys are digests of the
address and of what the server says about the version (ETag, date, size). An interrupted download is
resumed, in this run or a later one, only if the server still has that version.
"""

from __future__ import annotations

import errno
import hashlib
import re
import shutil
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import requests
import urllib3
from tenacity import RetryCallState, Retrying, retry_if_exception_type

from socialbias.files.atomic_write import partial_downloads
from socialbias.sources.http import (
    Client,
    PermanentError,
    TransientError,
    status_error,
    translated,
)
from socialbias.sources.request import FetchRequest

CHUNK = 1 << 18
MAX_BYTES = 64 << 30  # for a file of unknown size
MAX_ATTEMPTS = 200  # however much progress each of them makes
PROGRESS_INTERVAL = 10.0  # seconds
NOT_RESUMABLE = "0" * 8
HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".mhtml")
HTML_TYPES = ("text/html", "application/xhtml")


def download(
    url: str,
    target: Path,
    request: FetchRequest,
    headers: dict[str, str] | None = None,
    certificates: str | None = None,
) -> bool:
    """Download one file.

    Args:
        url: Its address.
        target: Where to write it; overwritten. Partial downloads are kept beside it.
        request: The file. It may not exceed its known size; a file of unknown size may have up to
            64 GiB if there is enough free disk space.
        headers: Sent to this server only, not to one that it redirects to.
        certificates: CA bundle to use instead of the default one.

    Returns:
        Whether it was assembled from several responses: if its checksum is then wrong, another
        try is worthwhile.

    Raises:
        OSError: the server refused, sent a web page instead of a file, sent too much, or was
            unreachable too often.
    """
    return Download(url, target, request, headers or {}, certificates).run()


class Download:
    """One download and the state of its attempts."""

    def __init__(
        self,
        url: str,
        target: Path,
        request: FetchRequest,
        headers: dict[str, str],
        certificates: str | None,
    ):
        self.url = url
        self.target = target
        self.request = request
        self.client = Client(url, request.timeouts, headers, certificates)
        self.address_key = _key(url)
        self.failures = 0  # attempts in a row without progress
        self.last_progress = 0  # bytes that we had at the last progress that counted
        self.assembled = False  # whether the file is from several responses

    def run(self) -> bool:
        """Try until the file is complete, then move it to the target."""
        retrying = Retrying(
            retry=retry_if_exception_type(TransientError),
            stop=self._should_stop,
            wait=self._pause,
            before_sleep=self._log_failure,
            reraise=True,
        )
        try:
            part = retrying(self._attempt)
        except OSError:
            for path in self._parts():
                if f"-{NOT_RESUMABLE}." in path.name:
                    path.unlink()
            raise
        part.replace(self.target)
        self._discard_parts()
        return self.assembled

    def _attempt(self) -> Path:
        """One attempt, starting where the last one stopped.

        Returns:
            The complete part.
        """
        self.failures += 1
        part = self._resumable_part()
        while True:
            size = part.stat().st_size if part else 0
            self.assembled = part is not None
            if part and size == self.request.bytes:
                return part
            with self.client.send("GET", {"Range": f"bytes={size}-"} if part else {}) as response:
                if part and response.status_code in (206, 416):
                    version, start, total = self._version(response)
                    if part == self._part_of(version) and size == start:
                        if size < total:
                            self._receive(response, part, start, total)
                        return part
                    log_line = f"{self.request.source}: {self.request.name} has changed: restarting"
                    self.request.log(log_line)
                elif response.status_code == 200:
                    version, _, total = self._version(response)
                    part = self._part_of(version)
                    self._receive(response, part, 0, total)
                    return part
                else:
                    if response.status_code in (404, 410):  # another address may have it later
                        self._discard_parts()
                    raise status_error(response, self.request.timeouts)
            self._discard_parts()
            part = None

    def _version(self, response: requests.Response) -> tuple[str, int, int | None]:
        """The version's key, the offset of the response's body, and the size of the whole file.

        A version without an identifier is resumed only if the checksum is known.
        """
        head = response.headers
        start, total = _extent(response)
        strong = "" if head.get("ETag", "").startswith("W/") else head.get("ETag", "")
        date = head.get("Last-Modified", "")
        if _encoded(response) or not (self.request.pinned or strong or date):
            return NOT_RESUMABLE, start, total
        return _key(f"{strong}\n{date}\n{total}"), start, total

    def _part_of(self, version: str) -> Path:
        """The partial file of a version."""
        return self.target.with_name(f"{self._name}.{self.address_key}-{version}.part")

    @property
    def _name(self) -> str:
        """The final name of the file."""
        return self.target.name.removesuffix(".part")

    def _resumable_part(self) -> Path | None:
        """The partial download from this address, if any; unusable ones are removed."""
        resumable = None
        for path in self._parts():
            _, address, version, _ = re.split(
                r"\.([0-9a-f]{8})-([0-9a-f]{8})(?=\.part$)", path.name
            )
            if address != self.address_key:
                continue
            size = path.stat().st_size
            too_long = self.request.bytes is not None and size > self.request.bytes
            if resumable or version == NOT_RESUMABLE or too_long or not size:
                path.unlink()
            else:
                resumable = path
        return resumable

    def _parts(self) -> list[Path]:
        return partial_downloads(self.target.with_name(self._name))

    def _discard_parts(self) -> None:
        """Remove partial downloads from this address."""
        for path in self._parts():
            if f".{self.address_key}-" in path.name:
                path.unlink(missing_ok=True)

    def _receive(
        self, response: requests.Response, part: Path, start: int, total: int | None
    ) -> None:
        """Append a response's body to the partial file."""
        chunks = _chunks(response)
        head = b""
        while start == 0 and len(head) < 512 and (chunk := next(chunks, b"")):
            head += chunk
        if start == 0:
            self._check_start(response, head, total)
            self._discard_parts()  # not earlier: an error page must not cost what we already have
        limit = MAX_BYTES if self.request.bytes is None else self.request.bytes
        room = start + self._free_space(start, total, part)
        # A hundredth, or a megabyte: less does not count as progress.
        enough = min(1 << 20, 1 + (total or self.request.bytes or MAX_BYTES) // 100)
        progress = Progress(self.request, start, total)
        size = start
        with part.open("ab" if start else "wb", buffering=0) as file:
            for chunk in chain([head] if head else [], chunks):
                size += len(chunk)
                if size > limit:
                    part.unlink()
                    raise PermanentError(f"the server sent more than the {limit} bytes expected")
                if size > room:
                    raise OSError(errno.ENOSPC, f"no space: more than {room - start} bytes came")
                _write_all(file, chunk)
                if size - self.last_progress >= enough:
                    self.last_progress, self.failures = size, 0
                progress.update(size)
        if total is not None and size != total:
            raise TransientError(f"the connection was closed after {size} of {total} bytes")

    def _check_start(self, response: requests.Response, head: bytes, total: int | None) -> None:
        """Refuse a web page or a wrong size before anything is written."""
        wrong = None not in (self.request.bytes, total) and total != self.request.bytes
        html_type = response.headers.get("Content-Type", "").lower().startswith(HTML_TYPES)
        # Some servers label every file as HTML: then the right size shows that it is the file.
        page = _looks_like_html(head) or (html_type and total != self.request.bytes)
        if page and not self.request.name.lower().endswith(HTML_SUFFIXES):
            raise PermanentError("the server sent a web page instead of the file")
        if wrong:
            raise PermanentError(f"the server has {total} bytes instead of {self.request.bytes}")

    def _free_space(self, start: int, total: int | None, part: Path) -> int:
        """Free bytes on the disk.

        Raises:
            OSError: there is too little space for the rest of the file.
        """
        free = shutil.disk_usage(part.parent).free
        size = total if self.request.bytes is None else self.request.bytes
        if size is not None and size - start > free:
            raise OSError(errno.ENOSPC, f"no space: {size - start} bytes to come, {free} free")
        return free

    def _should_stop(self, state: RetryCallState) -> bool:
        """Whether to give up: too many attempts in a row without progress."""
        exhausted = self.failures >= self.request.timeouts.attempts
        return exhausted or state.attempt_number >= MAX_ATTEMPTS

    def _pause(self, state: RetryCallState) -> float:
        """Seconds until the next attempt: exponential backoff, or as long as the server asks."""
        wanted = state.outcome.exception().retry_after
        backoff = self.request.timeouts.backoff * 2 ** max(self.failures - 1, 0)
        return max(wanted, min(backoff, 60.0))

    def _log_failure(self, state: RetryCallState) -> None:
        pause = state.next_action.sleep
        reason = f"{state.outcome.exception()}; retrying in {pause:.0f} s"
        self.request.log(f"{self.request.source}: {self.request.name}: {reason}")


class Progress:
    """Logs progress every ten seconds and stops a stalled download."""

    def __init__(self, request: FetchRequest, start: int, total: int | None):
        self.request = request
        self.total = total if total is not None else request.bytes
        self.logged = self.checked = (time.monotonic(), start)

    def update(self, size: int) -> None:
        """Log the bytes received so far, if it is time to.

        Raises:
            TransientError: it has been too slow for too long.
        """
        now = time.monotonic()
        since, before = self.checked
        timeouts = self.request.timeouts
        if now - since > timeouts.stall:
            if size - before < timeouts.min_rate * (now - since):
                raise TransientError(f"only {size - before} bytes in {now - since:.0f} s")
            self.checked = (now, size)
        since, before = self.logged
        if now - since > PROGRESS_INTERVAL:
            rate = (size - before) / (now - since) / 1e6
            share = f" of {self.total / 1e6:.1f} ({size / self.total:.0%})" if self.total else ""
            text = f"{size / 1e6:.1f}{share} MB, {rate:.2f} MB/s"
            self.request.log(f"{self.request.source}: {self.request.name}: {text}")
            self.logged = (now, size)


def _extent(response: requests.Response) -> tuple[int, int | None]:
    """Offset of a response's body in the file, and the size of the whole file."""
    if response.status_code == 200:
        length = response.headers.get("Content-Length", "")
        return 0, int(length) if length.isdigit() and not _encoded(response) else None
    extent = re.fullmatch(
        r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", response.headers.get("Content-Range", "").strip()
    )
    if extent is None or extent[2] == "*":
        return -1, None
    total = int(extent[2])
    return (total if extent[1] is None else int(extent[1])), total


def _encoded(response: requests.Response) -> bool:
    """Whether the body is compressed for transfer only.

    A server that labels a .gz file `Content-Encoding: gzip` means the file itself.
    """
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    is_gzip_file = urlsplit(response.url).path.lower().endswith((".gz", ".tgz"))
    return encoding not in ("", "identity") and not is_gzip_file


def _chunks(response: requests.Response) -> Iterator[bytes]:
    """The body as it arrives, chunk by chunk."""
    decode = _encoded(response)
    try:
        while chunk := response.raw.read1(CHUNK, decode_content=decode):
            yield chunk
    except (urllib3.exceptions.HTTPError, requests.RequestException) as error:
        raise translated(error, response.url) from None


def _write_all(file, data: bytes) -> None:
    """Write without buffering, so that a killed process loses nothing that it received."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def _looks_like_html(head: bytes) -> bool:
    """Whether a body begins like a web page. Other document types are data (SGML corpora)."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html"))


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]

"""Download over http(s): resumed, retried, bounded, an error page never taken for data.

What has come so far lies in `NAME.<where>-<version>.part`: the two keys are digests of the address
and of what the server says about the version (ETag, date, size). An interrupted download is taken
up where it stopped, in this run or a later one, exactly when the server still has that version.
"""

from __future__ import annotations

import errno
import hashlib
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import requests
import urllib3
from tenacity import RetryCallState, Retrying, retry_if_exception_type

from socialbias.sources.asking import Asking, Passing, Refused, fault_of, status_fault
from socialbias.sources.landing import parts_of
from socialbias.sources.order import Order

PIECE = 1 << 18
GENEROUS = 64 << 30  # bytes, for a file of which nobody knows the size
ATTEMPTS = 200  # at most, however much each of them brings
EVERY = 10.0  # seconds between two lines of progress
NEVER_RESUMED = "0" * 8
PAGES = (".html", ".htm", ".xhtml", ".mhtml")
PAGE_TYPES = ("text/html", "application/xhtml")


def bring(locator: str, target: Path, order: Order) -> bool:
    """Download one file; see `download`."""
    return download(locator, target, order)


def download(
    url: str,
    target: Path,
    order: Order,
    headers: dict[str, str] | None = None,
    certificates: str | None = None,
) -> bool:
    """Download one file.

    Args:
        url: Where it is.
        target: Where to write it; overwritten. What has come so far is kept beside it.
        order: What is wanted. A file of which the size is known may not be larger; one of which it
            is not may have 64 GiB, and what the disk has room for.
        headers: Sent to this server only, not to one that it redirects to.
        certificates: File with the authorities to trust, where it is not the usual one.

    Returns:
        Whether it was put together from several answers: if it turns out to be wrong, it is worth
        another try.

    Raises:
        OSError: the server refused, sent a page instead of a file, sent too much, or could not be
            reached often enough.
    """
    return Download(url, target, order, headers or {}, certificates).run()


class Download:
    """One download: what it wants, and how often it has failed."""

    def __init__(
        self,
        url: str,
        target: Path,
        order: Order,
        headers: dict[str, str],
        certificates: str | None,
    ):
        self.url = url
        self.target = target
        self.order = order
        self.asking = Asking(url, order.patience, headers, certificates)
        self.where = _key(url)
        self.in_vain = 0  # attempts in a row that brought nothing new
        self.counted = 0  # bytes that we had when we last counted that as something new
        self.pieced = False  # whether the file is from several answers

    def run(self) -> bool:
        """Try until the file is whole, then move it to the target."""
        trying = Retrying(
            retry=retry_if_exception_type(Passing),
            stop=self._hopeless,
            wait=self._pause,
            before_sleep=self._say_why,
            reraise=True,
        )
        try:
            part = trying(self._attempt)
        except OSError:
            for path in self._parts():
                if f"-{NEVER_RESUMED}." in path.name:
                    path.unlink()
            raise
        part.replace(self.target)
        self._forget()
        return self.pieced

    def _attempt(self) -> Path:
        """One attempt, from where the last one stopped.

        Returns:
            The complete part.
        """
        self.in_vain += 1
        part = self._part()
        while True:
            have = part.stat().st_size if part else 0
            self.pieced = part is not None
            if part and have == self.order.bytes:
                return part
            with self.asking.send("GET", {"Range": f"bytes={have}-"} if part else {}) as answer:
                if part and answer.status_code in (206, 416):
                    version, start, total = self._version(answer)
                    if part == self._part_of(version) and have == start:
                        if have < total:
                            self._receive(answer, part, start, total)
                        return part
                    self.order.log(f"{self.order.source}: {self.order.name} has changed: anew")
                elif answer.status_code == 200:
                    version, _, total = self._version(answer)
                    part = self._part_of(version)
                    self._receive(answer, part, 0, total)
                    return part
                else:
                    if answer.status_code in (404, 410):  # elsewhere it may be there tomorrow
                        self._forget()
                    raise status_fault(answer, self.order.patience)
            self._forget()
            part = None

    def _version(self, answer: requests.Response) -> tuple[str, int, int | None]:
        """The version's key, where the answer begins, and how long the whole file is.

        A version that cannot be told from another one is resumed only if the checksum is known.
        """
        head = answer.headers
        start, total = _extent(answer)
        strong = "" if head.get("ETag", "").startswith("W/") else head.get("ETag", "")
        date = head.get("Last-Modified", "")
        if _encoded(answer) or not (self.order.pinned or strong or date):
            return NEVER_RESUMED, start, total
        return _key(f"{strong}\n{date}\n{total}"), start, total

    def _part_of(self, version: str) -> Path:
        """Where a version is kept while it comes."""
        return self.target.with_name(f"{self._name}.{self.where}-{version}.part")

    @property
    def _name(self) -> str:
        """The name of what comes, whatever its arrival is called."""
        return self.target.name.removesuffix(".part")

    def _part(self) -> Path | None:
        """What has come so far from this address; what is of no use is removed."""
        found = None
        for path in self._parts():
            _, where, version, _ = re.split(r"\.([0-9a-f]{8})-([0-9a-f]{8})(?=\.part$)", path.name)
            if where != self.where:
                continue
            size = path.stat().st_size
            too_long = self.order.bytes is not None and size > self.order.bytes
            if found or version == NEVER_RESUMED or too_long or not size:
                path.unlink()
            else:
                found = path
        return found

    def _parts(self) -> list[Path]:
        return parts_of(self.target.with_name(self._name))

    def _forget(self) -> None:
        """Remove what has come from this address."""
        for path in self._parts():
            if f".{self.where}-" in path.name:
                path.unlink(missing_ok=True)

    def _receive(
        self, answer: requests.Response, part: Path, start: int, total: int | None
    ) -> None:
        """Write an answer's body behind what is there."""
        pieces = _pieces(answer)
        head = b""
        while start == 0 and len(head) < 512 and (piece := next(pieces, b"")):
            head += piece
        if start == 0:
            self._check_start(answer, head, total)
            self._forget()  # only now: a page in the place of the file costs nothing that has come
        limit = GENEROUS if self.order.bytes is None else self.order.bytes
        room = start + self._room(start, total, part)
        # A hundredth, or a megabyte: less is not worth another attempt.
        enough = min(1 << 20, 1 + (total or self.order.bytes or GENEROUS) // 100)
        progress = Progress(self.order, start, total)
        have = start
        with part.open("ab" if start else "wb", buffering=0) as file:
            for piece in _with_first(head, pieces):
                have += len(piece)
                if have > limit:
                    part.unlink()
                    raise Refused(f"the server sent more than the {limit} bytes expected")
                if have > room:
                    raise OSError(errno.ENOSPC, f"no space: more than {room - start} bytes came")
                _write_all(file, piece)
                if have - self.counted >= enough:
                    self.counted, self.in_vain = have, 0
                progress.tell(have)
        if total is not None and have != total:
            raise Passing(f"the connection was cut after {have} of {total} bytes")

    def _check_start(self, answer: requests.Response, head: bytes, total: int | None) -> None:
        """Refuse a page and a wrong size before anything is written."""
        wrong = None not in (self.order.bytes, total) and total != self.order.bytes
        typed = answer.headers.get("Content-Type", "").lower().startswith(PAGE_TYPES)
        # A server that calls everything a page may still have the file: then the size is right.
        page = _looks_like_page(head) or (typed and total != self.order.bytes)
        if page and not self.order.name.lower().endswith(PAGES):
            raise Refused("the server sent a web page instead of the file")
        if wrong:
            raise Refused(f"the server has {total} bytes instead of {self.order.bytes}")

    def _room(self, start: int, total: int | None, part: Path) -> int:
        """Bytes that the disk has room for.

        Raises:
            OSError: the disk has no room for what is to come.
        """
        free = shutil.disk_usage(part.parent).free
        wanted = total if self.order.bytes is None else self.order.bytes
        if wanted is not None and wanted - start > free:
            raise OSError(errno.ENOSPC, f"no space: {wanted - start} bytes to come, {free} free")
        return free

    def _hopeless(self, state: RetryCallState) -> bool:
        """Whether to give up: too many attempts in a row brought nothing."""
        return self.in_vain >= self.order.patience.attempts or state.attempt_number >= ATTEMPTS

    def _pause(self, state: RetryCallState) -> float:
        """Seconds to the next attempt: twice as long each time, or as the server asks."""
        asked = state.outcome.exception().wait
        return max(asked, min(self.order.patience.pause * 2 ** max(self.in_vain - 1, 0), 60.0))

    def _say_why(self, state: RetryCallState) -> None:
        pause = state.next_action.sleep
        why = f"{state.outcome.exception()}; again in {pause:.0f} s"
        self.order.log(f"{self.order.source}: {self.order.name}: {why}")


class Progress:
    """One line every ten seconds, and the end of a download that has come to a standstill."""

    def __init__(self, order: Order, start: int, total: int | None):
        self.order = order
        self.total = total if total is not None else order.bytes
        self.told = self.judged = (time.monotonic(), start)

    def tell(self, have: int) -> None:
        """Say how far it is, if it is time to.

        Raises:
            Passing: it has been too slow for too long.
        """
        now = time.monotonic()
        since, before = self.judged
        patience = self.order.patience
        if now - since > patience.stall:
            if have - before < patience.slowest * (now - since):
                raise Passing(f"only {have - before} bytes in {now - since:.0f} s")
            self.judged = (now, have)
        since, before = self.told
        if now - since > EVERY:
            rate = (have - before) / (now - since) / 1e6
            share = f" of {self.total / 1e6:.1f} ({have / self.total:.0%})" if self.total else ""
            text = f"{have / 1e6:.1f}{share} MB, {rate:.2f} MB/s"
            self.order.log(f"{self.order.source}: {self.order.name}: {text}")
            self.told = (now, have)


def _extent(answer: requests.Response) -> tuple[int, int | None]:
    """Where an answer begins in the file, and the size of the whole file."""
    if answer.status_code == 200:
        length = answer.headers.get("Content-Length", "")
        return 0, int(length) if length.isdigit() and not _encoded(answer) else None
    extent = re.fullmatch(
        r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)", answer.headers.get("Content-Range", "").strip()
    )
    if extent is None or extent[2] == "*":
        return -1, None
    total = int(extent[2])
    return (total if extent[1] is None else int(extent[1])), total


def _encoded(answer: requests.Response) -> bool:
    """Whether the body is compressed for the journey only.

    A server that calls a .gz file `Content-Encoding: gzip` means the file itself.
    """
    encoding = answer.headers.get("Content-Encoding", "identity").lower()
    packed = urlsplit(answer.url).path.lower().endswith((".gz", ".tgz"))
    return encoding not in ("", "identity") and not packed


def _pieces(answer: requests.Response) -> Iterator[bytes]:
    """The body as it comes, piece by piece."""
    decode = _encoded(answer)
    try:
        while piece := answer.raw.read1(PIECE, decode_content=decode):
            yield piece
    except (urllib3.exceptions.HTTPError, requests.RequestException) as error:
        raise fault_of(error, answer.url) from None


def _with_first(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces, with the one that was looked at before."""
    if head:
        yield head
    yield from pieces


def _write_all(file, piece: bytes) -> None:
    """Write a piece unbuffered, so that a killed process has lost nothing that came."""
    view = memoryview(piece)
    while view:
        view = view[file.write(view) :]


def _looks_like_page(head: bytes) -> bool:
    """Whether a body begins as a web page does. Other document types are data (SGML corpora)."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html"))


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]

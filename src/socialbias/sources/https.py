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
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

import requests
import urllib3

from socialbias.files.atomic_write import partial_downloads
from socialbias.sources.http import (
    PermanentError,
    TransientError,
    send,
    status_error,
    translated,
)
from socialbias.sources.request import MAX_BYTES, FetchRequest

CHUNK = 1 << 18
PROGRESS_INTERVAL = 10.0  # seconds
NOT_RESUMABLE = "0" * 8
HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".mhtml")
HTML_TYPES = ("text/html", "application/xhtml")


def download(
    url: str,
    target: Path,
    request: FetchRequest,
    headers: dict[str, str] | None = None,
) -> None:
    """Download one file.

    Partial downloads are kept beside the target. Headers are those of `send`. It is an OSError if
    the server refused, sent a web page instead of a file, sent more than its known size or 64 GiB,
    or was unreachable too often.
    """
    timeouts = request.timeouts
    parts = target.with_name(f"{target.name.removesuffix('.part')}.{_key(url)}")
    ask = partial(send, url, timeouts)
    retry = fresh = urllib3.Retry(timeouts.attempts - 1, backoff_factor=timeouts.backoff)
    most = 0  # bytes that there were after an attempt; that many more are progress:
    enough = min(1 << 20, 1 + (request.bytes or 100 << 16) // 100)
    while True:
        try:
            part = _attempt(ask, parts, request, headers or {})
            break
        except OSError as error:
            size = max((path.stat().st_size for path in _kept(parts)), default=0)
            retry, most = fresh if size >= most + enough else retry, max(size, most)
            if not isinstance(error, TransientError) or not retry.total:
                parts.with_name(f"{parts.name}-{NOT_RESUMABLE}.part").unlink(missing_ok=True)
                raise
            retry = retry.increment(error=error)
            pause = max(error.retry_after, retry.get_backoff_time())
            _log(request, f"{error}; retrying in {pause:.0f} s")
            time.sleep(pause)
    part.replace(target)
    _discard(parts)


def _attempt(
    ask: Callable[..., requests.Response], parts: Path, request: FetchRequest, headers: dict
) -> Path:
    """Try once, starting where the last attempt stopped; return the complete part.

    `ask` sends a request with given headers; `parts` begins the partial files' names.
    """
    part = _resumable(parts, request)
    size = part.stat().st_size if part else 0
    if part and size == request.bytes:
        return part
    with ask(headers | ({"Range": f"bytes={size}-"} if part else {})) as response:
        status = response.status_code
        if status != 200 and not (part and status in (206, 416)):
            if status in (404, 410):  # another address may have it later
                _discard(parts)
            raise status_error(response, request.timeouts)
        start, total = _extent(response)
        same = parts.with_name(f"{parts.name}-{_version(response, total, request)}.part")
        if status == 200 or (part == same and size == start):
            if status != 416:
                _receive(response, parts, same, start, total, request)
            return same
    _log(request, "it has changed: restarting")
    _discard(parts)
    return _attempt(ask, parts, request, headers)


def _version(response: requests.Response, total: int | None, request: FetchRequest) -> str:
    """Return the version's key; without an identifier it is resumed only with a checksum."""
    head = response.headers
    strong = "" if head.get("ETag", "").startswith("W/") else head.get("ETag", "")
    date = head.get("Last-Modified", "")
    if _encoded(response) or not (request.pinned or strong or date):
        return NOT_RESUMABLE
    return _key(f"{strong}\n{date}\n{total}")


def _kept(parts: Path) -> list[Path]:
    """Return the partial downloads from an address, the newest first."""
    name, _, address = parts.name.rpartition(".")
    found = partial_downloads(parts.with_name(name))
    return [path for path in found if path.name.startswith(f"{name}.{address}-")]


def _discard(parts: Path) -> None:
    for path in _kept(parts):
        path.unlink(missing_ok=True)


def _resumable(parts: Path, request: FetchRequest) -> Path | None:
    """Return the partial download to go on with, if any, and remove all others."""
    found, most = None, request.bytes or MAX_BYTES
    for path in _kept(parts):
        if found or NOT_RESUMABLE in path.name or not 0 < path.stat().st_size <= most:
            path.unlink()
        else:
            found = path
    return found


def _receive(
    response: requests.Response,
    parts: Path,
    part: Path,
    size: int,
    total: int | None,
    request: FetchRequest,
) -> None:
    """Append a response's body to the partial file, which has so many bytes."""
    chunks = _chunks(response)
    if size == 0:
        head = b""
        while len(head) < 512 and (chunk := next(chunks, b"")):
            head += chunk
        _check_start(response, head, total, request)
        _discard(parts)  # not earlier: an error page must not cost what we already have
        chunks = chain([head] if head else [], chunks)
    coming = (total or request.bytes or 0) - size
    if coming > (free := shutil.disk_usage(part.parent).free):
        raise OSError(errno.ENOSPC, f"no space: {coming} bytes to come, {free} free")
    limit = request.bytes or MAX_BYTES
    with part.open("ab" if size else "wb") as file:
        for chunk in _metered(chunks, request, size, total or request.bytes):
            size += len(chunk)
            if size > limit:
                part.unlink()
                raise PermanentError(f"the server sent more than the {limit} bytes expected")
            file.write(chunk)
    if total is not None and size != total:
        raise TransientError(f"the connection was closed after {size} of {total} bytes")


def _check_start(
    response: requests.Response, head: bytes, total: int | None, request: FetchRequest
) -> None:
    """Refuse a web page or a wrong size before anything is written."""
    html_type = response.headers.get("Content-Type", "").lower().startswith(HTML_TYPES)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()  # other document types are data (SGML)
    # Some servers label every file as HTML: then the right size shows that it is the file.
    page = start.startswith((b"<!doctype html", b"<html"))
    page = page or (html_type and total != request.bytes)
    if page and not request.name.lower().endswith(HTML_SUFFIXES):
        raise PermanentError("the server sent a web page instead of the file")
    if None not in (request.bytes, total) and total != request.bytes:
        raise PermanentError(f"the server has {total} bytes instead of {request.bytes}")


def _metered(
    chunks: Iterator[bytes], request: FetchRequest, size: int, total: int | None
) -> Iterator[bytes]:
    """Pass chunks on, and log progress every ten seconds; too slow for too long is an error."""
    timeouts = request.timeouts
    logged = checked = (time.monotonic(), size)
    for chunk in chunks:
        size += len(chunk)
        yield chunk
        now = time.monotonic()
        seconds, came = now - checked[0], size - checked[1]
        if seconds > timeouts.stall:
            if came < timeouts.min_rate * seconds:
                raise TransientError(f"only {came} bytes in {seconds:.0f} s")
            checked = (now, size)
        seconds, came = now - logged[0], size - logged[1]
        if seconds > PROGRESS_INTERVAL:
            share = f" of {total / 1e6:.1f} ({size / total:.0%})" if total else ""
            _log(request, f"{size / 1e6:.1f}{share} MB, {came / seconds / 1e6:.2f} MB/s")
            logged = (now, size)


def _log(request: FetchRequest, line: str) -> None:
    request.log(f"{request.source}: {request.name}: {line}")


def _extent(response: requests.Response) -> tuple[int, int | None]:
    """Return the offset of a response's body in the file, and the size of the whole file."""
    if response.status_code == 200:
        length = response.headers.get("Content-Length", "")
        return 0, int(length) if length.isdigit() and not _encoded(response) else None
    given = response.headers.get("Content-Range", "").strip()
    extent = re.fullmatch(r"bytes (?:(\d+)-\d+|\*)/(\d+)", given)
    return (int(extent[1] or extent[2]), int(extent[2])) if extent else (-1, None)


def _encoded(response: requests.Response) -> bool:
    """Return whether the body is compressed for transfer only.

    A server that labels a .gz file `Content-Encoding: gzip` means the file itself.
    """
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    is_gzip_file = urlsplit(response.url).path.lower().endswith((".gz", ".tgz"))
    return encoding not in ("", "identity") and not is_gzip_file


def _chunks(response: requests.Response) -> Iterator[bytes]:
    """Yield the body as it arrives, chunk by chunk."""
    try:
        while chunk := response.raw.read1(CHUNK, decode_content=_encoded(response)):
            yield chunk
    except (urllib3.exceptions.HTTPError, requests.RequestException) as error:
        raise translated(error, response.url) from None


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]

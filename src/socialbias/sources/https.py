"""Download over https: retried, limited in size, an error page never taken for data."""

from __future__ import annotations

from pathlib import Path

import requests
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_exponential

CHUNK = 1 << 20
TIMEOUT = (10, 60)  # seconds to connect, and between two pieces


@retry(
    retry=retry_if_exception_type((requests.ConnectionError, requests.Timeout)),
    stop=stop_after_attempt(4),
    wait=wait_exponential(multiplier=1, max=20),
    reraise=True,
)
def download(url: str, target: Path, limit: int) -> None:
    """Download one file.

    Args:
        url: Where it is.
        target: Where to write it; overwritten.
        limit: Bytes that the file may have at most: a longer answer is not what was asked for.

    Raises:
        OSError: the server refused, sent a page instead of a file, or sent too much.
    """
    headers = {"User-Agent": "socialbias (research software)"}
    with requests.get(url, stream=True, timeout=TIMEOUT, headers=headers) as answer:
        answer.raise_for_status()
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            raise OSError("the server sent a web page instead of the file")
        received = 0
        with target.open("wb") as file:
            for piece in answer.iter_content(CHUNK):
                received += len(piece)
                if received > limit:
                    raise OSError(f"the server sent more than the {limit} bytes expected")
                file.write(piece)

"""Files of the Hugging Face hub, downloaded like any other file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

from socialbias.sources import https
from socialbias.sources.http import PermanentError, check_url
from socialbias.sources.request import FetchRequest, Timeouts, parts_of

LOCATOR = re.compile(
    r"^hf://(?P<kind>datasets/)?(?P<repo>[\w.-]+(?:/[\w.-]+)?)"
    r"@(?P<revision>refs/(?:convert|pr)/[^/]+|[^/]+)/(?P<path>.+)$"
)
ENDPOINT = "https://huggingface.co"


def download(locator: str, target: Path, request: FetchRequest) -> bool:
    """Download one file of a model or data set.

    The environment variable HF_ENDPOINT names another hub, HF_TOKEN an account's token, which is
    sent to the hub only.

    Args:
        locator: `hf://owner/name@revision/path` or `hf://datasets/owner/name@revision/path`.
        target: Where to write it; overwritten.
        request: The file.

    Raises:
        OSError: it could not be downloaded.
    """
    url, page = addresses(locator)
    try:
        return https.download(url, target, request, _headers())
    except PermanentError as error:
        raise _access_error(error, page) if error.status in (401, 403) else error from None


def reachable(locator: str, timeouts: Timeouts) -> str | None:
    """Why a file cannot be fetched; None if the hub has it."""
    try:
        return check_url(addresses(locator)[0], timeouts, _headers())
    except OSError as error:
        return str(error)


def addresses(locator: str) -> tuple[str, str]:
    """The URL of a file, and of the page on which its terms can be accepted.

    Raises:
        OSError: the locator has neither form.
    """
    match = parts_of(locator, LOCATOR, "hf://[datasets/]owner/name@revision/path")
    endpoint = (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")
    page = f"{endpoint}/{match['kind'] or ''}{match['repo']}"
    revision, path = quote(match["revision"], safe=""), quote(match["path"])
    return f"{page}/resolve/{revision}/{path}", page


def _headers() -> dict[str, str]:
    token = os.environ.get("HF_TOKEN", "").strip()
    return {"Authorization": f"Bearer {token}"} if token else {}


def _access_error(error: PermanentError, page: str) -> OSError:
    """What a user can do about a repository with restricted access."""
    token = "the account of HF_TOKEN has no access" if _headers() else "set HF_TOKEN"
    return OSError(f"gated, private or gone ({error.status}): accept its terms at {page}; {token}")

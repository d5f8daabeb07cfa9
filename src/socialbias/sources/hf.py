"""Files of the Hugging Face hub, by the same code as every other download."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote

from socialbias.sources.asking import Refused, look
from socialbias.sources.https import download
from socialbias.sources.order import Order, Patience

LOCATOR = re.compile(
    r"^hf://(?P<kind>datasets/)?(?P<repo>[\w.-]+(?:/[\w.-]+)?)"
    r"@(?P<revision>refs/(?:convert|pr)/[^/]+|[^/]+)/(?P<path>.+)$"
)
ENDPOINT = "https://huggingface.co"


def bring(locator: str, target: Path, order: Order) -> bool:
    """Download one file of a model or data set.

    Args:
        locator: `hf://owner/name@revision/path` or `hf://datasets/owner/name@revision/path`.
        target: Where to write it; overwritten.
        order: What is wanted.

    Raises:
        OSError: it could not be fetched. The environment variable HF_ENDPOINT names another hub,
            HF_TOKEN an account's token; it is sent to the hub only.
    """
    url, page = addresses(locator)
    try:
        return download(url, target, order, _headers())
    except Refused as error:
        raise _explained(error, page) if error.status in (401, 403) else error from None


def reachable(locator: str, patience: Patience) -> str | None:
    """What keeps a file from being fetched; None when it is there."""
    try:
        return look(addresses(locator)[0], patience, _headers())
    except OSError as error:
        return str(error)


def addresses(locator: str) -> tuple[str, str]:
    """The address of a file, and of the page on which its terms can be accepted.

    Raises:
        OSError: the locator is not of either form.
    """
    match = LOCATOR.match(locator)
    if match is None:
        raise OSError("not of the form hf://[datasets/]owner/name@revision/path")
    endpoint = (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")
    page = f"{endpoint}/{match['kind'] or ''}{match['repo']}"
    revision, path = quote(match["revision"], safe=""), quote(match["path"])
    return f"{page}/resolve/{revision}/{path}", page


def _headers() -> dict[str, str]:
    token = os.environ.get("HF_TOKEN", "").strip()
    return {"Authorization": f"Bearer {token}"} if token else {}


def _explained(error: Refused, page: str) -> OSError:
    """What a user can do about a repository that is not for everyone."""
    token = "the account of HF_TOKEN may not read it" if _headers() else "set HF_TOKEN"
    return OSError(f"gated, private or gone ({error.status}): accept its terms at {page}; {token}")

"""The Hugging Face Hub: single files as sources, and models without anything that could run.

Only configuration, vocabulary and safetensors of models are downloaded: no pickles and no code.
`HF_ENDPOINT` names another hub. The token of an account (`HF_TOKEN`) is sent to the hub only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from socialbias.errors import UserError
from socialbias.sources.request import FetchRequest, Timeouts, parts_of

SCHEME = "hf://"  # before a name that is never to be taken for a path
NAME = re.compile(
    r"(?P<model>[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?)(?:@(?P<revision>[\w.-]+(?:/[\w.-]+)*))?",
    re.ASCII,
)
LOCATOR = re.compile(
    r"^hf://(?P<kind>datasets/)?(?P<repo>[\w.-]+(?:/[\w.-]+)?)"
    r"@(?P<revision>refs/(?:convert|pr)/[^/]+|[^/]+)/(?P<path>.+)$"
)
ALLOWED = ["*.json", "*.safetensors", "*.txt", "*.model"]
# Other forms of the same weights: those for other libraries, and what older releases kept beside.
IGNORED = ["*/*", "consolidated*.safetensors"]


def download(locator: str, target: Path, request: FetchRequest) -> None:
    """Download `hf://[datasets/]owner/name@revision/path` like any other file."""
    from socialbias.sources import http, https

    url = address(locator)
    try:
        https.download(url, target, request, _headers())
    except http.PermanentError as error:
        if error.status not in (401, 403):
            raise
        page = url.partition("/resolve/")[0]
        token = "your account has no access" if _headers() else "set HF_TOKEN"
        raise OSError(
            f"gated, private or gone ({error.status}): accept its terms at {page}; {token}"
        ) from None


def check(locator: str, timeouts: Timeouts) -> None:
    """Raise OSError if the hub does not have a file."""
    from socialbias.sources.http import check_url

    check_url(address(locator), timeouts, _headers())


def address(locator: str) -> str:
    """Return the URL of a file; OSError if the locator has another form."""
    from huggingface_hub import hf_hub_url

    match = parts_of(locator, LOCATOR, "hf://[datasets/]owner/name@revision/path")
    kind = "dataset" if match["kind"] else "model"
    return hf_hub_url(match["repo"], match["path"], repo_type=kind, revision=match["revision"])


def _headers() -> dict[str, str]:
    from huggingface_hub import get_token

    token = get_token()
    return {"Authorization": f"Bearer {token}"} if token else {}


@dataclass(frozen=True)
class Name:
    """A model on the hub."""

    model: str  # `owner/name`, or `name` of the hub's oldest models
    revision: str | None  # a branch, tag or commit; None for the main branch
    sure: bool = False  # whether it was given as `hf://`; otherwise it might be a mistyped path

    def __str__(self) -> str:
        return self.model + (f"@{self.revision}" if self.revision else "")


def named(given: str) -> Name | None:
    """Return a model's name if it looks like one, whether or not there is a path of this name.

    What begins with `hf://` and is no name is a UserError.
    """
    match = NAME.fullmatch(given.removeprefix(SCHEME))
    sure = given.startswith(SCHEME)
    if match is None and sure:
        raise UserError(f"{given}: should be hf://owner/name, and @revision if not the newest")
    return Name(match["model"], match["revision"], sure) if match else None


def cache() -> Path:
    """Return the folder in which `snapshot` keeps models, shared with other programs."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def snapshot(name: Name, folder: Path | None = None, *, offline: bool = False) -> Path:
    """Return the folder of a model's files, downloaded if they are not there yet.

    Without a folder they are put into the hub's cache (`HF_HOME`), in one that is called after the
    revision's commit. It is a UserError if the hub has no such model or revision, or none with
    safetensors; if it cannot be reached; or if its terms were not accepted.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError

    wanted = {"revision": name.revision, "allow_patterns": ALLOWED, "ignore_patterns": IGNORED}
    where = {"local_dir": folder} if folder else {"local_files_only": offline}
    try:
        files = Path(snapshot_download(name.model, **wanted, **where))
    except (OSError, HFValidationError) as error:  # the hub's other errors are OSErrors
        raise UserError(f"{name}: {_reason(name, error, offline)}") from None
    if not any(files.glob("*.safetensors")):
        raise UserError(
            f"{name}: the Hugging Face Hub has no safetensors of it, and nothing else is "
            "downloaded, since pickles can run code: choose a revision or a model that has them"
        )
    return files


def _reason(name: Name, error: Exception, offline: bool) -> str:
    """Return why a model could not be downloaded, and what to do."""
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return "the Hugging Face Hub asks you to accept its terms on its page and to set HF_TOKEN"
    if isinstance(error, errors.RepositoryNotFoundError):
        return (
            "the Hugging Face Hub has no model of this name: check the spelling, or set HF_TOKEN "
            "if it is private"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return f"the Hugging Face Hub has no revision {name.revision!r} of it"
    if isinstance(error, errors.LocalEntryNotFoundError) and (offline or not error.__cause__):
        return f"it is not in {cache()}, and nothing is downloaded offline"
    cause = error.__cause__ or error
    reason = (" ".join(str(cause).split()) or type(cause).__name__)[:200]
    hint = "try again later, or name a folder that has it"
    return f"it cannot be downloaded from the Hugging Face Hub ({reason}): {hint}"

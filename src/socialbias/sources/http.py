"""HTTP requests with one-line errors and restricted redirects."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from socialbias.sources.request import Timeouts

MAX_REDIRECTS = 5
RETRYABLE = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524}
HEADERS = {"User-Agent": "socialbias (research software)", "Accept-Encoding": "identity"}
REASONS = {
    401: "requires a login",
    403: "refuses access",
    404: "has no such file",
    410: "no longer has this file",
}


class PermanentError(OSError):
    """An error that a retry would not change."""

    status = 0  # the server's status code; 0 if the error is not about one


class TransientError(OSError):
    """An error that a retry may resolve."""

    retry_after = 0.0  # seconds that the server asks to wait; 0 if it does not say


class _Session(requests.Session):
    """Follows redirects, but reads none of their bodies, and refuses those that are not allowed."""

    def get_redirect_target(self, response: requests.Response) -> str | None:
        target = super().get_redirect_target(response)
        if target is not None:
            response.close()
            scheme = urlsplit(urljoin(response.url, target)).scheme
            where = "" if scheme in ("http", "https") else f"to a {scheme}: address"
            if scheme == "http" and response.url.startswith("https:"):
                where = "from https to http"
            if _is_private(urljoin(response.url, target)) and not _is_private(response.url):
                where = "to a private address"
            if where:
                host = _host(response.url)
                raise PermanentError(f"{host} redirects {where}, which is not followed")
        return target


def send(
    url: str,
    timeouts: Timeouts,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "GET",
) -> requests.Response:
    """Return the response to a request, with an unread body, after its redirects.

    `Authorization` among the headers goes to this server only. Too many redirects, or one
    that is not allowed, are a PermanentError; no response is a TransientError.
    """
    try:
        with _Session() as session:
            session.max_redirects = MAX_REDIRECTS
            return session.request(
                method,
                url,
                headers=HEADERS | dict(headers or {}),
                stream=True,
                timeout=(timeouts.connect, timeouts.read),
            )
    except (requests.RequestException, ValueError) as error:  # some addresses that are none
        raise translated(error, url) from None


def check_url(url: str, timeouts: Timeouts, headers: Mapping[str, str] | None = None) -> None:
    """Raise OSError if a server does not have a file, which is not downloaded."""
    for method in ("HEAD", "GET"):  # some servers do not support HEAD
        with send(url, timeouts, headers, method=method) as response:
            if response.ok:
                return
            if method == "GET" or response.status_code not in (403, 405, 501):
                raise OSError(describe(response))


def describe(response: requests.Response) -> str:
    """Return an error response in a few words."""
    status = response.status_code
    reason = REASONS.get(status, f"answers {response.reason or 'with an error'}")
    return f"{_host(response.url)} {reason} ({status})"


def status_error(response: requests.Response, timeouts: Timeouts) -> OSError:
    """Return the exception for an error response."""
    if response.status_code not in RETRYABLE:
        permanent = PermanentError(describe(response))
        permanent.status = response.status_code
        return permanent
    error = TransientError(describe(response))
    with suppress(urllib3.exceptions.InvalidHeader):
        error.retry_after = urllib3.Retry().get_retry_after(response.raw) or 0.0
    if error.retry_after <= timeouts.max_wait:
        return error
    return PermanentError(f"{error} and asks to wait {error.retry_after:.0f} s")


def translated(error: Exception, url: str) -> OSError:
    """Return an exception of requests or urllib3 as a one-line error."""
    host, causes = _host(url), list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            advice = "set REQUESTS_CA_BUNDLE to a file with the authorities that you trust"
            reason = f"has an untrusted certificate: {cause.verify_message}; {advice}"
            return PermanentError(f"{host} {reason}")
    if isinstance(error, requests.TooManyRedirects):
        return PermanentError(f"{host} redirects more than {MAX_REDIRECTS} times")
    if isinstance(error, ValueError):  # an invalid URL
        shown = str(error).replace(url, host)  # without a login
        return PermanentError(f"not a valid address: {shown}")
    if isinstance(error, requests.ConnectTimeout):
        return TransientError(f"{host} did not answer in time")
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return TransientError(f"{host} stopped sending")
    last = str(causes[-1]).splitlines() or [type(error).__name__]
    return TransientError(f"no connection to {host}: {last[0]}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and its causes, outermost first."""
    seen: list[BaseException] = []
    while isinstance(error, BaseException) and error not in seen:
        seen.append(error)
        yield error
        inner = [a for a in (getattr(error, "reason", None), *error.args) if a is not error]
        inner = [a for a in inner if isinstance(a, BaseException)]
        error = inner[0] if inner else error.__cause__ or error.__context__


def _is_private(url: str) -> bool:
    """Return whether an address is of this machine, or a number in a private network."""
    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _host(url: str) -> str:
    """Return the host of an address, without any credentials."""
    try:
        return urlsplit(url).hostname or "the address"
    except ValueError:
        return "the address"

"""HTTP requests with one-line errors and restricted redirects.

requests would follow redirects by itself, but it reads their bodies to the end, follows them from
https to http, and passes all headers but `Authorization` on to other servers.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from socialbias.sources.request import Timeouts

MAX_REDIRECTS = 5
RETRYABLE = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524}
HEADERS = {"User-Agent": "socialbias (research software)", "Accept-Encoding": "identity"}


class PermanentError(OSError):
    """An error that a retry would not change.

    Attributes:
        status: The server's status code; 0 if the error is not about one.
    """

    status = 0


class TransientError(OSError):
    """An error that a retry may resolve.

    Attributes:
        retry_after: Seconds that the server asks to wait; 0 if it does not say.
    """

    retry_after = 0.0


class Client:
    """Requests to one address."""

    def __init__(
        self,
        url: str,
        timeouts: Timeouts,
        headers: dict[str, str],
        certificates: str | None = None,
    ):
        self.url = url
        self.timeout = (timeouts.connect, timeouts.read)
        self.headers = headers
        self.certificates = certificates
        self.session = requests.Session()

    def send(self, method: str, headers: dict[str, str]) -> requests.Response:
        """Send a request, and follow its redirects.

        Raises:
            PermanentError: there are too many redirects, or one is not allowed.
            TransientError: there was no response.
        """
        url = self.url
        for _ in range(MAX_REDIRECTS + 1):
            own_headers = self.headers if _server(url) == _server(self.url) else {}
            response = self._send_once(method, url, HEADERS | own_headers | headers)
            location = self.session.get_redirect_target(response)
            if location is None:
                return response
            response.close()
            try:
                url = _redirect(self.url, urljoin(url, location))
            except ValueError:
                raise PermanentError(f"{_host(self.url)} redirects to an invalid address") from None
        raise PermanentError(f"{_host(self.url)} redirects more than {MAX_REDIRECTS} times")

    def _send_once(self, method: str, url: str, headers: dict[str, str]) -> requests.Response:
        """Send one request; its errors are one line each."""
        try:
            return self.session.request(
                method,
                url,
                headers=headers,
                stream=True,
                timeout=self.timeout,
                allow_redirects=False,
                verify=self.certificates,
            )
        except (requests.RequestException, ValueError) as error:  # some addresses that are none
            raise translated(error, url) from None


def check_url(url: str, timeouts: Timeouts, headers: dict[str, str] | None = None) -> str | None:
    """Check that a server has a file, without downloading it.

    Returns:
        What is wrong; None if the file is there.
    """
    client = Client(url, timeouts, headers or {})
    try:
        with client.send("HEAD", {}) as response:
            if response.status_code not in (403, 405, 501):  # some servers do not support HEAD
                return None if response.ok else describe(response)
        with client.send("GET", {}) as response:
            return None if response.ok else describe(response)
    except OSError as error:
        return str(error)


def describe(response: requests.Response) -> str:
    """An error response in a few words."""
    reasons = {
        401: "requires a login",
        403: "refuses access",
        404: "has no such file",
        410: "no longer has this file",
    }
    reason = reasons.get(response.status_code, f"answers {response.reason or 'with an error'}")
    return f"{_host(response.url)} {reason} ({response.status_code})"


def status_error(response: requests.Response, timeouts: Timeouts) -> OSError:
    """The exception for an error response."""
    if response.status_code in RETRYABLE:
        error = TransientError(describe(response))
        error.retry_after = _retry_after(response)
        if error.retry_after <= timeouts.max_wait:
            return error
        return PermanentError(f"{describe(response)} and asks to wait {error.retry_after:.0f} s")
    permanent = PermanentError(describe(response))
    permanent.status = response.status_code
    return permanent


def _retry_after(response: requests.Response) -> float:
    """Seconds of a Retry-After header, which holds seconds or a date."""
    text = response.headers.get("Retry-After", "")
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # no header, not a date, or a date without a time zone
        return 0.0


def translated(error: Exception, url: str) -> OSError:
    """An exception of requests or urllib3 as a one-line error."""
    host = _host(url)
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            advice = "set REQUESTS_CA_BUNDLE to a file with the authorities that you trust"
            return PermanentError(
                f"{host} has an untrusted certificate: {cause.verify_message}; {advice}"
            )
    if isinstance(error, ValueError):  # an invalid URL
        shown = str(error).replace(url, host)  # without a login
        return PermanentError(f"not a valid address: {shown}")
    if isinstance(error, requests.ConnectTimeout):
        return TransientError(f"{host} did not answer in time")
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return TransientError(f"{host} stopped sending")
    last = str(chain[-1]).splitlines() or [type(error).__name__]
    return TransientError(f"no connection to {host}: {last[0]}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and its causes, outermost first."""
    seen: list[BaseException] = []
    while isinstance(error, BaseException) and error not in seen:
        seen.append(error)
        yield error
        inner = [a for a in (getattr(error, "reason", None), *error.args) if a is not error]
        inner = [a for a in inner if isinstance(a, BaseException)]
        error = inner[0] if inner else error.__cause__ or error.__context__


def _redirect(first: str, url: str) -> str:
    """The target of a redirect, if it is allowed.

    Raises:
        PermanentError: it is not http(s), or it leads from https to http, or from a public address
            to this machine or its network.
    """
    scheme = urlsplit(url).scheme
    if scheme not in ("http", "https"):
        raise PermanentError(
            f"{_host(first)} redirects to a {scheme}: address, which is not followed"
        )
    if scheme == "http" and urlsplit(first).scheme == "https":
        raise PermanentError(f"{_host(first)} redirects from https to http, which is not followed")
    if _is_private(url) and not _is_private(first):
        raise PermanentError(f"{_host(first)} redirects to a private address: it is not followed")
    return url


def _is_private(url: str) -> bool:
    """Whether an address names this machine, or one of its own network by number."""
    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _server(url: str) -> tuple[str, str]:
    return urlsplit(url).scheme, urlsplit(url).netloc


def _host(url: str) -> str:
    """The host of an address, without any credentials."""
    return urlsplit(url).hostname or "the address"

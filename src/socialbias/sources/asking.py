"""Requests whose faults are told in one line, and whose redirects keep to our rules."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from socialbias.sources.order import Patience

REDIRECTS = 5
MAY_PASS = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524}
HEADERS = {"User-Agent": "socialbias (research software)", "Accept-Encoding": "identity"}


class Refused(OSError):
    """An answer that would be the same if one asked again.

    Attributes:
        status: The server's status code; 0 where it is not about one.
    """

    status = 0


class Passing(OSError):
    """A fault that may pass.

    Attributes:
        wait: Seconds that the server asks to wait; 0 where it does not.
    """

    wait = 0.0


class Asking:
    """Requests to one address, with its redirects followed by our rules."""

    def __init__(
        self,
        url: str,
        patience: Patience,
        headers: dict[str, str],
        certificates: str | None = None,
    ):
        self.url = url
        self.timeout = (patience.connect, patience.read)
        self.headers = headers
        self.certificates = certificates
        self.session = requests.Session()

    def send(self, method: str, headers: dict[str, str]) -> requests.Response:
        """Send a request, and follow its redirects.

        Raises:
            Refused: the redirects are too many or lead where they may not.
            Passing: no answer came.
        """
        url = self.url
        for _ in range(REDIRECTS + 1):
            ours = self.headers if _server(url) == _server(self.url) else {}
            answer = self._send_once(method, url, HEADERS | ours | headers)
            location = self.session.get_redirect_target(answer)
            if location is None:
                return answer
            answer.close()
            url = _next_address(self.url, urljoin(url, location))
        raise Refused(f"{_host(self.url)} redirects more than {REDIRECTS} times")

    def _send_once(self, method: str, url: str, headers: dict[str, str]) -> requests.Response:
        """One request, its faults told in one line each."""
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
        except requests.RequestException as error:
            raise fault_of(error, url) from None


def look(url: str, patience: Patience, headers: dict[str, str] | None = None) -> str | None:
    """Ask whether something is there, without fetching it.

    Returns:
        What is wrong; None when it is there.
    """
    asking = Asking(url, patience, headers or {})
    try:
        with asking.send("HEAD", {}) as answer:
            if answer.status_code not in (403, 405, 501):  # some know no HEAD
                return None if answer.ok else describe(answer)
        with asking.send("GET", {}) as answer:
            return None if answer.ok else describe(answer)
    except OSError as error:
        return str(error)


def describe(answer: requests.Response) -> str:
    """A server's refusal in a few words."""
    names = {
        401: "asks who you are",
        403: "refuses",
        404: "has no such file",
        410: "has it no more",
    }
    what = names.get(answer.status_code, f"answers {answer.reason or 'with an error'}")
    return f"{_host(answer.url)} {what} ({answer.status_code})"


def status_fault(answer: requests.Response, patience: Patience) -> OSError:
    """The fault that a status code stands for."""
    if answer.status_code in MAY_PASS:
        fault = Passing(describe(answer))
        fault.wait = _asked_to_wait(answer)
        if fault.wait <= patience.longest:
            return fault
        return Refused(f"{describe(answer)} and asks to wait {fault.wait:.0f} s")
    refused = Refused(describe(answer))
    refused.status = answer.status_code
    return refused


def _asked_to_wait(answer: requests.Response) -> float:
    """Seconds of a Retry-After header, which holds seconds or a date."""
    text = answer.headers.get("Retry-After", "")
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # no header, no date, or a date without its zone
        return 0.0


def fault_of(error: Exception, url: str) -> OSError:
    """One line for an error of the libraries that speak http."""
    host = _host(url)
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            how = "set REQUESTS_CA_BUNDLE to a file with the authorities that you trust"
            return Refused(
                f"{host} has a certificate not to be trusted: {cause.verify_message}; {how}"
            )
    if isinstance(error, ValueError):  # an address that is none
        return Refused(f"not an address that can be asked: {error}")
    if isinstance(error, requests.ConnectTimeout):
        return Passing(f"{host} did not answer in time")
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return Passing(f"{host} stopped sending")
    last = str(chain[-1]).splitlines() or [type(error).__name__]
    return Passing(f"no connection to {host}: {last[0]}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what lies behind it, outermost first."""
    seen: list[BaseException] = []
    while isinstance(error, BaseException) and error not in seen:
        seen.append(error)
        yield error
        inner = [a for a in (getattr(error, "reason", None), *error.args) if a is not error]
        inner = [a for a in inner if isinstance(a, BaseException)]
        error = inner[0] if inner else error.__cause__ or error.__context__


def _next_address(first: str, url: str) -> str:
    """Where a redirect leads, if it may.

    Raises:
        Refused: it leaves http, or goes from https to http although https was asked for.
    """
    scheme = urlsplit(url).scheme
    if scheme not in ("http", "https"):
        raise Refused(f"{_host(first)} redirects to a {scheme}: address, which is not followed")
    if scheme == "http" and urlsplit(first).scheme == "https":
        raise Refused(f"{_host(first)} redirects from https to http, which is not followed")
    return url


def _server(url: str) -> tuple[str, str]:
    return urlsplit(url).scheme, urlsplit(url).netloc


def _host(url: str) -> str:
    """The host of an address, without a password that may stand in it."""
    return urlsplit(url).hostname or "the address"

"""An OTLP/HTTP receiver of profiles: its URL, and one request to it.

Redirects are not followed, proxies of the environment are not used, and no credentials are sent.
"""

import gzip
import http.client
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from stallscope import __version__
from stallscope.errors import UsageError
from stallscope.printable import printable

PATH = "/v1development/profiles"  # of the OTLP specification, while profiles are in development
TIMEOUT_S = 10.0
_RETRIED = frozenset((429, 502, 503, 504))  # of the OTLP specification
_MAX_REPLY_BYTES = 1 << 16
_MAX_REASON_CHARACTERS = 200
_EXAMPLE = "for example: --otlp http://localhost:4318"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A receiver. ``path`` begins with a slash and has the query, if any."""

    is_secure: bool
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """Return the URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.is_secure else ''}://{host}:{self.port}{self.path}"


@dataclass(frozen=True, slots=True)
class Delivery:
    """The outcome of a request; ``failure`` is empty if the receiver accepted it."""

    failure: str = ""
    may_retry: bool = False
    retry_after_s: float = 0.0
    rejected: int = 0  # profiles that the receiver did not take


def parse_endpoint(text: str) -> Endpoint:
    """Return the endpoint of a URL; the default path is that of OTLP. Raises UsageError."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"--otlp: not a URL: {error}", _EXAMPLE) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"--otlp: {printable(text)} is not an http or https URL with a host", _EXAMPLE
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            "--otlp: a user or password in the URL would be visible to all users of this machine",
            "let a local OpenTelemetry Collector add it, and name that one",
        )
    if parts.fragment or not text.isprintable() or not text.isascii() or " " in text:
        raise UsageError(
            "--otlp: the URL has a fragment, or characters that must be escaped", _EXAMPLE
        )
    path = PATH if parts.path in ("", "/") else parts.path
    is_secure = parts.scheme == "https"
    default_port = 443 if is_secure else 80
    query = f"?{parts.query}" if parts.query else ""
    return Endpoint(is_secure, parts.hostname, port or default_port, path + query)


def post(endpoint: Endpoint, content: bytes, timeout_s: float = TIMEOUT_S) -> Delivery:
    """Return whether the receiver took the profiles; never raises for a failure of the network."""
    connection = _connection(endpoint, timeout_s)
    headers = {
        "Content-Type": "application/x-protobuf",
        "Content-Encoding": "gzip",
        "User-Agent": f"stallscope/{__version__}",
    }
    try:
        connection.request("POST", endpoint.path, gzip.compress(content, 1, mtime=0), headers)
        reply = connection.getresponse()
        body = reply.read(_MAX_REPLY_BYTES)
        return _delivery(reply.status, reply.reason, reply.getheader("Retry-After", ""), body)
    except ssl.SSLCertVerificationError as error:
        return Delivery(_reason(f"the certificate is not valid: {error.verify_message}"))
    except (OSError, http.client.HTTPException) as error:
        return Delivery(_reason(str(error) or type(error).__name__), may_retry=True)
    finally:
        connection.close()


def _connection(endpoint: Endpoint, timeout_s: float) -> http.client.HTTPConnection:
    if endpoint.is_secure:
        return http.client.HTTPSConnection(
            endpoint.host,
            endpoint.port,
            timeout=timeout_s,
            context=ssl.create_default_context(),
        )
    return http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=timeout_s)


def _delivery(status: int, reason: str, retry_after: str, body: bytes) -> Delivery:
    if 200 <= status < 300:
        return Delivery(rejected=_rejected(body))
    text = _reason(f"HTTP {status} {reason}")
    after_s = float(retry_after) if retry_after.isdecimal() and len(retry_after) < 6 else 0.0
    return Delivery(text, may_retry=status in _RETRIED, retry_after_s=after_s)


def _rejected(body: bytes) -> int:
    """Return the number of rejected profiles in a reply; 0 if the reply is not OTLP."""
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - only if a profile was sent
    from opentelemetry.proto.collector.profiles.v1development import (  # noqa: PLC0415
        profiles_service_pb2,
    )

    try:
        response = profiles_service_pb2.ExportProfilesServiceResponse.FromString(body)
    except DecodeError:
        return 0
    return max(0, int(response.partial_success.rejected_profiles))


def _reason(text: str) -> str:
    return printable(text)[:_MAX_REASON_CHARACTERS]

"""What a request must prove before it is looked at, and the headers of every answer.

Source: OWASP CSRF Prevention and HTTP Headers Cheat Sheets; Fetch Metadata; RFC 6797 (HSTS).
"""

import hmac
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.system.loopback import is_loopback_address, may_write, uid_of_client

BODY_BYTES_MAX: Final = 64 * 1024
CSRF_HEADER: Final = "X-CSRF-Token"
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
LOOPBACK_HOSTS: Final = ("localhost", "127.0.0.1", "[::1]")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none';"
    " base-uri 'none'"
)
HEADERS: Final = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
)
TRANSPORT: Final = ("Strict-Transport-Security", "max-age=31536000")
NO_STORE: Final = "no-store"
# What a proxy adds: who asks it may be anywhere.
_FORWARDED: Final = ("forwarded", "via", "x-forwarded-", "x-real-ip", "x-client-ip")


class Forbidden(Exception):
    """A request that is not looked at: its HTTP status, and why with its remedy."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class StrictHeaders:
    """Puts the headers on every answer of an application; `tls`: it is served over TLS."""

    def __init__(self, application: ASGIApp, *, tls: bool) -> None:
        self._application = application
        self._headers = (*HEADERS, TRANSPORT) if tls else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers:
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", NO_STORE)
            await send(message)

        await self._application(scope, receive, send_with_headers)


def check_host(request: HTTPConnection, hosts: Iterable[str]) -> None:
    """A page of another name may not reach this server by resolving it here (DNS rebinding).

    Raises Forbidden.
    """
    given = request.headers.get("host", "")
    name = _without_port(given).lower()
    server = request.scope.get("server") or ("", 0)
    own = f"[{server[0]}]" if ":" in server[0] else server[0]
    allowed = (*LOOPBACK_HOSTS, own, *(one.lower() for one in hosts))
    if name not in allowed:
        raise Forbidden(
            421,
            f"Host: {given!r} is not a name of this server. Allowed: {', '.join(allowed)}. Remedy:"
            " use one of them, or add the name to [console] hosts",
        )


def check_same_origin(request: Request) -> None:
    """Refuse what a page of another origin sends. Raises Forbidden."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    # With the referrer policy of our pages, a browser calls the origin of a form "null".
    known = (None, _origin(request)) if site is None else (None, "null", _origin(request))
    if site not in (None, "same-origin", "none") or origin not in known:
        raise Forbidden(
            403,
            "the request comes from a page of another origin. Allowed: requests of this server's"
            " own pages. Remedy: open the page of this address, and repeat it there",
        )


def check_form(request: Request, secret: str, given: str) -> None:
    """A form is one that this session got, sent from its own page. Raises Forbidden."""
    check_same_origin(request)
    headers = request.headers
    said = headers.get("sec-fetch-site") or headers.get("origin")
    if not said or not hmac.compare_digest(secret.encode(), given.encode(errors="replace")):
        raise Forbidden(
            403,
            "the form is not one of this session. Allowed: a form of a page that was loaded since"
            " the last sign-on. Remedy: load the page again, and repeat it",
        )


async def read_body(request: Request) -> bytes:
    """The whole body. Raises Forbidden if it is too long."""
    too_long = Forbidden(
        413, f"the body is too long. Allowed: {BODY_BYTES_MAX} bytes. Remedy: send less"
    )
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > BODY_BYTES_MAX:
        raise too_long
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_BYTES_MAX:
            raise too_long
    return bytes(body)


def address_of(request: HTTPConnection) -> str:
    """The address of the client."""
    return request.client.host if request.client is not None else "unknown"


def is_local(request: HTTPConnection, control_socket: Path) -> bool:
    """Whether it comes from an account of this machine that may use the control socket, too.

    What a proxy on this machine passes on does not.
    """
    client, server = request.client, request.scope.get("server")
    if client is None or server is None or not is_loopback_address(client.host):
        return False
    if any(name.startswith(_FORWARDED) for name in request.headers):
        return False
    uid = uid_of_client((client.host, client.port), (server[0], server[1]))
    return uid is not None and may_write(uid, control_socket)


def bearer_token(headers: Headers) -> str:
    """The token of a request, empty without one."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.headers.get('host', '')}"


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]

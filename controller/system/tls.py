"""TLS contexts, and TLS for a server of this program as bytes in and bytes out, without a socket.

So the limits of a connection hold for its handshake, too: who does not finish it is idle, makes
room for others and is closed.
Source: RFC 8446.
"""

import contextlib
import ssl
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from controller.system.named_file import read_file, require_regular

TlsContext: TypeAlias = ssl.SSLContext
_READ_BYTES: Final = 16 * 1024


class ServerTlsFiles(Struct, frozen=True):
    """The PEM files of a server. `client_ca` (None: none is asked for) signs clients' certificates.

    `certificate` may hold the whole chain.
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None


class TlsUnavailable(Exception):
    """The files cannot be used; the message names the file and what to do."""


def server_context(files: ServerTlsFiles) -> TlsContext:
    """A server's context, TLS 1.2 or newer. Raises TlsUnavailable."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    try:
        require_regular(files.certificate, files.key)
        # An encrypted key would make OpenSSL ask at the terminal.
        context.load_cert_chain(files.certificate, files.key, password="")
    except (OSError, ValueError) as error:
        raise TlsUnavailable(
            f"{files.certificate} and {files.key} cannot be used: {_why(error)}. Allowed: a"
            " certificate and its key in PEM, the key without a passphrase. Remedy: name files that"
            " belong together and that this account may read"
        ) from error
    if files.client_ca is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            require_regular(files.client_ca)
            context.load_verify_locations(files.client_ca)
        except (OSError, ValueError) as error:
            raise TlsUnavailable(
                f"{files.client_ca} cannot be used: {_why(error)}. Allowed: certificates in PEM."
                " Remedy: name the certificate of the authority that signs the clients'"
            ) from error
    return context


def client_context(
    ca: Path | None = None, certificate: Path | None = None, key: Path | None = None
) -> TlsContext:
    """A client's context, as Python makes it here: from 3.13 on it holds servers to RFC 5280.

    `ca` None: the authorities that the machine trusts. Raises OSError, ValueError.
    """
    require_regular(*(one for one in (ca, certificate, key) if one is not None))
    context = ssl.create_default_context(cafile=None if ca is None else str(ca))
    if certificate is not None:
        context.load_cert_chain(certificate, key, password="")
    return context


def is_strict(context: TlsContext) -> bool:
    """Whether it refuses certificates that RFC 5280 does not allow."""
    return bool(context.verify_flags & ssl.VERIFY_X509_STRICT)


def made_strict(context: TlsContext, *, strict: bool) -> TlsContext:
    """The same context, which now holds servers to RFC 5280 or does not."""
    if strict:
        context.verify_flags |= ssl.VERIFY_X509_STRICT
    else:
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def verify_error(error: OSError) -> str:
    """Why a certificate was refused, in OpenSSL's words; empty for another error."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return str(error.verify_message)
    return ""


def valid_until_s(certificate: Path) -> int:
    """Until when every certificate of the file is valid, in seconds of UTC. Raises OSError.

    Raises ValueError for a file without one.
    """
    # Only the doctor asks; every table would load it.
    from cryptography.x509 import load_pem_x509_certificates  # noqa: PLC0415

    found = load_pem_x509_certificates(read_file(certificate))
    return int(min(one.not_valid_after_utc for one in found).timestamp())


def _why(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "not PEM").lower().replace("_", " ")
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class TlsChannel:
    """The server's end of one connection. `failed`: the other end gets no more than an alert."""

    def __init__(self, context: TlsContext) -> None:
        self._received = ssl.MemoryBIO()
        self._to_send = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._received, self._to_send, server_side=True)
        self.failed = False

    def received(self, data: bytes) -> tuple[bytes, bytes]:
        """Take bytes from the connection; what they say, and what to send because of them."""
        self._received.write(data)
        plain = bytearray()
        try:
            # The first reads are the handshake.
            while part := self._tls.read(_READ_BYTES):
                plain += part
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            self.failed = True
        return bytes(plain), self._to_send.read()

    def sealed(self, data: bytes) -> bytes:
        """What to send for `data`. Raises ssl.SSLError, an OSError, before a handshake is done."""
        self._tls.write(data)
        return self._to_send.read()

    def closing(self) -> bytes:
        """What to send last: that nothing was cut off."""
        with contextlib.suppress(ssl.SSLError):  # the other end's own word is not awaited
            self._tls.unwrap()
        return self._to_send.read()

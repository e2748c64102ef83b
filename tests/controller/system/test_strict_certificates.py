"""Certificates that Python 3.13 refuses: what is named is what OpenSSL refuses when it is strict.

Source: RFC 5280, sections 4.1 and 4.2.
"""

import datetime as dt
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from controller.system.strict_certificates import strict_faults
from controller.system.tls import client_context, made_strict

NAME = "table.example"
Extensions = dict[type[x509.ExtensionType], tuple[x509.ExtensionType, bool]]
Change = Callable[[Extensions], object]


class Signed(NamedTuple):
    """An authority's file, and the files of a certificate by it and of its key."""

    authority: Path
    certificate: Path
    key: Path


def subject(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)] if text else [])


def usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(not signs, False, False, False, False, signs, signs, False, False)


def keep_all(_: Extensions) -> None:
    """A certificate as RFC 5280 asks for."""


def without(kind: type[x509.ExtensionType]) -> Change:
    return lambda extensions: extensions.pop(kind)


def turned(kind: type[x509.ExtensionType]) -> Change:
    """The extension is critical where it was not, and the other way round."""

    def turn(extensions: Extensions) -> None:
        value, critical = extensions[kind]
        extensions[kind] = value, not critical

    return turn


def signed(
    folder: Path, authority: Change, certificate: Change, *, name: str = NAME, issuer: str = "house"
) -> Signed:
    """An authority and a server's certificate by it, each with a change."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    files = Signed(folder / "house.crt", folder / "table.crt", folder / "table.pem")
    for signs, change, file, own in (
        (True, authority, files.authority, keys[0]),
        (False, certificate, files.certificate, keys[1]),
    ):
        identifier = x509.SubjectKeyIdentifier.from_public_key(own.public_key())
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(keys[0].public_key())
        values: tuple[tuple[x509.ExtensionType, bool], ...] = (
            (x509.BasicConstraints(ca=signs, path_length=None), True),
            (usage(signs=signs), True),
            (identifier, False),
            (signer, False),
            *(() if signs else ((x509.SubjectAlternativeName([x509.DNSName(NAME)]), False),)),
        )
        extensions: Extensions = {type(value): (value, critical) for value, critical in values}
        change(extensions)
        begin = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject(issuer if signs else name))
            .issuer_name(subject(issuer))
            .public_key(own.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + dt.timedelta(days=36500))
        )
        for value, critical in extensions.values():
            builder = builder.add_extension(value, critical)
        made = builder.sign(keys[0], hashes.SHA256())
        file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files.key.write_bytes(
        keys[1].private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def refused(files: Signed, *, strict: bool) -> bool:
    """Whether OpenSSL's client refuses the server's certificate, in a handshake without network."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(files.certificate, files.key)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = made_strict(client_context(files.authority), strict=strict)
    ends = (
        client.wrap_bio(to_client, to_server, server_hostname=NAME),
        server.wrap_bio(to_server, to_client, server_side=True),
    )
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError:
                return True
    return False


KEY = x509.AuthorityKeyIdentifier
FAULTS = (
    ("no authorityKeyIdentifier", keep_all, without(KEY)),
    ("no subjectKeyIdentifier", without(x509.SubjectKeyIdentifier), keep_all),
    ("no keyUsage", without(x509.KeyUsage), keep_all),
    ("basicConstraints is not critical", turned(x509.BasicConstraints), keep_all),
)


@pytest.mark.parametrize(("fault", "authority", "certificate"), FAULTS)
def test_what_a_strict_openssl_refuses_is_named(
    tmp_path: Path, fault: str, authority: Change, certificate: Change
) -> None:
    files = signed(tmp_path, authority, certificate)

    found = (
        *strict_faults(files.authority, authorities=True),
        *strict_faults(files.certificate),
    )
    assert refused(files, strict=True)
    assert not refused(files, strict=False), "earlier versions take it"
    assert len(found) == 1, found
    assert fault in found[0]


@pytest.mark.parametrize(
    ("authority", "certificate"),
    [
        (keep_all, keep_all),
        (without(KEY), keep_all),
        (keep_all, without(x509.SubjectKeyIdentifier)),
        (keep_all, without(x509.KeyUsage)),
        (keep_all, without(x509.BasicConstraints)),
    ],
)
def test_what_a_strict_openssl_takes_is_not_named(
    tmp_path: Path, authority: Change, certificate: Change
) -> None:
    files = signed(tmp_path, authority, certificate)

    assert not refused(files, strict=True)
    assert strict_faults(files.authority, authorities=True) == ()
    assert strict_faults(files.certificate) == ()


def test_an_authority_that_says_not_that_it_is_one_is_named(tmp_path: Path) -> None:
    files = signed(tmp_path, without(x509.BasicConstraints), keep_all)

    assert refused(files, strict=True)
    assert "CN=house: no basicConstraints" in strict_faults(files.authority, authorities=True)[0]


@pytest.mark.parametrize("critical", [False, True])
def test_a_certificate_without_a_subject_needs_a_critical_name(
    tmp_path: Path, critical: bool
) -> None:
    change = turned(x509.SubjectAlternativeName) if critical else keep_all
    files = signed(tmp_path, keep_all, change, name="")

    assert refused(files, strict=True) is not critical
    assert bool(strict_faults(files.certificate)) is not critical


def test_a_certificate_that_is_trusted_by_itself_needs_none_of_it(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    begin = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject(NAME))
        .issuer_name(subject(NAME))
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + dt.timedelta(days=36500))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file, key_file = tmp_path / "table.crt", tmp_path / "table.pem"
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )

    assert not refused(Signed(file, file, key_file), strict=True)
    assert strict_faults(file) == strict_faults(file, authorities=True) == ()

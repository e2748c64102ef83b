"""Certificates that Python 3.13 (Debian 13) refuses and earlier versions take: what is missing.

Not: what every version refuses, which a connection shows.
Source: RFC 5280, sections 4.1 and 4.2; OpenSSL's X509_V_FLAG_X509_STRICT, which Python 3.13 sets.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from cryptography.x509 import (
    AuthorityKeyIdentifier,
    BasicConstraints,
    Certificate,
    Extension,
    ExtensionNotFound,
    ExtensionType,
    KeyUsage,
    SubjectAlternativeName,
    SubjectKeyIdentifier,
    Version,
    load_pem_x509_certificates,
)

from controller.system.named_file import read_file

_Found = TypeVar("_Found", bound=ExtensionType)


def strict_faults(file: Path, *, authorities: bool = False) -> tuple[str, ...]:
    """What RFC 5280 asks for and the certificates of the file lack, with the subject of each.

    `authorities`: each of them signs others; else the first is a server's or client's, followed by
    those that signed it. Raises OSError; ValueError for a file without a certificate, or with one
    that cannot be read.
    """
    found = load_pem_x509_certificates(read_file(file))
    return tuple(
        f"{one.subject.rfc4514_string() or 'without a subject'}: {fault}"
        for number, one in enumerate(found)
        for fault in _faults(one, signs=authorities or number > 0)
    )


def _faults(one: Certificate, *, signs: bool) -> Iterator[str]:
    constraints = _extension(one, BasicConstraints)
    is_authority = constraints is not None and constraints.value.ca
    signed_itself = one.subject == one.issuer
    if signed_itself and (not is_authority if constraints is not None else not signs):
        return  # trusted by itself: RFC 6818, section 2
    if signs and not is_authority:
        yield "no basicConstraints with CA:TRUE"
    if is_authority:
        yield from _authority_faults(one)
    names = _extension(one, SubjectAlternativeName)
    if not list(one.subject) and (signs or names is None or not names.critical):
        yield "no subject, and no critical subjectAltName"
    if not signed_itself and one.version is Version.v3:
        identifier = _extension(one, AuthorityKeyIdentifier)
        if identifier is None or identifier.value.key_identifier is None:
            yield "no authorityKeyIdentifier"


def _authority_faults(one: Certificate) -> Iterator[str]:
    constraints = _extension(one, BasicConstraints)
    assert constraints is not None
    if not constraints.critical:
        yield "basicConstraints is not critical"
    if _extension(one, KeyUsage) is None:
        yield "no keyUsage"
    if _extension(one, SubjectKeyIdentifier) is None:
        yield "no subjectKeyIdentifier"


def _extension(one: Certificate, kind: type[_Found]) -> Extension[_Found] | None:
    try:
        return one.extensions.get_extension_for_class(kind)
    except ExtensionNotFound:
        return None

"""Certificates that Python 3.13 (Debian 13) refuses and earlier versions take: what is missing.

Not: signatures, names, times, which every version checks in a connection.
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

_Found = TypeVar("_Found", bound=ExtensionType)


def strict_faults(file: Path, *, authorities: bool = False) -> tuple[str, ...]:
    """What RFC 5280 asks for and the certificates of the file lack, with the subject of each.

    `authorities`: each of them signs others; else the first is a server's or client's, followed by
    those that signed it. Raises OSError; ValueError for a file without a certificate, or with one
    that cannot be read.
    """
    found = load_pem_x509_certificates(file.read_bytes())
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
    yield from _common_faults(one, signs=signs)
    if one.version is not Version.v3:
        return
    identifier = _extension(one, AuthorityKeyIdentifier)
    if not signed_itself and (identifier is None or identifier.value.key_identifier is None):
        yield "no authorityKeyIdentifier"
    if identifier is not None and identifier.critical:
        yield "authorityKeyIdentifier is critical"


def _authority_faults(one: Certificate) -> Iterator[str]:
    constraints, usage = _extension(one, BasicConstraints), _extension(one, KeyUsage)
    assert constraints is not None
    if not constraints.critical:
        yield "basicConstraints is not critical"
    if usage is None:
        yield "no keyUsage"
    elif constraints.value.path_length is not None and not usage.value.key_cert_sign:
        yield "pathlen without keyCertSign in keyUsage"
    if _extension(one, SubjectKeyIdentifier) is None:
        yield "no subjectKeyIdentifier"


def _common_faults(one: Certificate, *, signs: bool) -> Iterator[str]:
    usage, names = _extension(one, KeyUsage), _extension(one, SubjectAlternativeName)
    if not signs and usage is not None and usage.value.key_cert_sign:
        yield "keyCertSign in keyUsage, and it signs no other"
    if not list(one.issuer):
        yield "no issuer"
    if not list(one.subject) and (signs or names is None):
        yield "no subject"
    if not list(one.subject) and names is not None and not names.critical:
        yield "no subject, and subjectAltName is not critical"
    identifier = _extension(one, SubjectKeyIdentifier)
    if identifier is not None and identifier.critical:
        yield "subjectKeyIdentifier is critical"


def _extension(one: Certificate, kind: type[_Found]) -> Extension[_Found] | None:
    try:
        return one.extensions.get_extension_for_class(kind)
    except ExtensionNotFound:
        return None

"""Certificates of an authority that a test makes: for servers and clients on this machine.

Source: RFC 5280.
"""

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAYS = 36500


class CertificateAuthority:
    """An authority of its own; its files are in `folder`, `file` is its certificate.

    `identified` False: a certificate without the identifiers of keys, as Python 3.13 refuses it.
    """

    def __init__(self, folder: Path, name: str, *, identified: bool = True) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.file = folder / f"{name}.crt"
        made = self._certificate(self._name, self._key, DAYS, authority=True, identified=identified)
        self.file.write_bytes(made.public_bytes(serialization.Encoding.PEM))

    def signed(self, name: str, days: int = DAYS, *, identified: bool = True) -> tuple[Path, Path]:
        """A certificate for 127.0.0.1 and its key, as files; valid from 2020 for so many days."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._certificate(subject, key, days, authority=False, identified=identified)
        files = self._folder / f"{name}.crt", self._folder / f"{name}.pem"
        files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
        files[1].write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return files

    def _certificate(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        days: int,
        *,
        authority: bool,
        identified: bool,
    ) -> x509.Certificate:
        here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        begin = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
        signer = self._key.public_key()
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        # All of what RFC 5280 asks for: from Python 3.13 on clients refuse a certificate without.
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + dt.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([here]), critical=False)
            .add_extension(_usage(authority=authority), critical=True)
        )
        if identified:
            by = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer)
            builder = builder.add_extension(own, critical=False).add_extension(by, critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )

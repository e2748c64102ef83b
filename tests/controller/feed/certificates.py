"""A test authority, and certificates by it, as PEM files."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

FROM = datetime(2020, 1, 1, tzinfo=UTC)
UNTIL = FROM + timedelta(days=365 * 80)


def name_of(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    """Its certificate is at `file`."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = name_of(name)
        signed = self._certificate(self._name, self._key, ca=True)
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(signed.public_bytes(Encoding.PEM))

    def issue(self, name: str) -> tuple[Path, Path]:
        """A certificate for 127.0.0.1, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        signed = self._certificate(name_of(name), key, ca=False)
        files = self._folder / f"{name}.pem", self._folder / f"{name}-key.pem"
        files[0].write_bytes(signed.public_bytes(Encoding.PEM))
        form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        files[1].write_bytes(key.private_bytes(*form))
        return files

    def _certificate(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *, ca: bool):
        address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(FROM)
            .not_valid_after(UNTIL)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(address, critical=False)
            .sign(self._key, hashes.SHA256())
        )

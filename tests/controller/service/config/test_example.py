"""The commented parts of the example configuration: each is valid once uncommented."""

import re
from pathlib import Path

import pytest

from controller.service.commissioning.firmware_list import ApprovedEntry, sign, store_list
from controller.service.commissioning.pairing_file import PairedDevice, PairedRole, store_pairing
from controller.service.config.document import ConfigError
from controller.service.config.example import example_text
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.system.keys import make_key
from firmware_bridge.attestation import ApprovedImage, Pin
from foundation.timestamp import Timestamp
from hil.rig.servers.certificates import CertificateAuthority

AT = Timestamp(0, 1_795_255_200_000_000_000)
IMAGE = bytes.fromhex("c0" * 32)
KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
PIN = Pin(device=b"SHUF0001", key=KEY, pairing="00112233aabbccdd", first_event=42)
HOUSE_KEY = 'key(?= = "house.key")'
HASH = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
COMMENTED = re.compile(r"(?m)^#   (?=\[|[a-z_]+ = )")


def uncommented(*, but: str = "") -> str:
    """The example with every commented part in force; without the keys that `but` matches."""
    text = COMMENTED.sub("", example_text())
    return re.sub(rf"(?m)^({but}) = .*", "", text) if but else text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the example names."""
    image = ApprovedImage(IMAGE, "1.2.0", 3)
    paired = PairedDevice(PairedRole.SHUFFLER, PIN, image, 7, "Ann Lee", AT.utc_ns)
    store_pairing(tmp_path / "shuffler.identity.json", paired)
    key = make_key(tmp_path / "table.key")
    store_list(tmp_path / "approved.json", sign((ApprovedEntry(IMAGE, "1.2.0", 3, ""),), key, AT))
    CertificateAuthority(tmp_path, "scrapers").signed("table")
    (tmp_path / "scrapers.txt").write_text(f"prometheus:{HASH}\n")
    for name in ("floor-ca.pem", "table.pem", "table-key.pem", "feed.password"):
        (tmp_path / name).touch()
    return tmp_path


def load(folder: Path, text: str) -> TableConfig:
    (folder / "table.toml").write_text(text, encoding="utf-8")
    return load_config(folder / "table.toml")


def test_every_commented_section_is_valid_uncommented(folder: Path) -> None:
    config = load(folder, uncommented(but=HOUSE_KEY))

    assert config.settings.shuffler is not None
    assert len(config.settings.shuffler.orders) == 9
    assert [one.seat for one in config.settings.readers] == ["discard_rack"]
    assert [one.model for one in config.settings.scanners] == ["hid-pos"]
    assert [one.name for one in config.feeds] == ["back-office"]
    assert config.signing.program[0] == "/usr/local/bin/sign-seal"
    assert config.metrics_tls is not None
    assert config.metrics_passwords == folder / "scrapers.txt"


def test_a_key_of_the_house_replaces_the_signing_program(folder: Path) -> None:
    with pytest.raises(ConfigError, match="key and signer are both given"):
        load(folder, uncommented())

    assert load(folder, uncommented(but="signer|public_key")).signing.key == folder / "house.key"


def test_commented_sections_have_the_defaults_of_orders(folder: Path) -> None:
    listed = load(folder, uncommented(but=HOUSE_KEY)).settings.shuffler
    orders = "load|release|service|status"
    default = load(folder, uncommented(but=f"{HOUSE_KEY}|{orders}")).settings.shuffler

    assert listed == default


def test_no_commented_section_is_left_out() -> None:
    commented = set(re.findall(r"(?m)^#   \[+([a-z.]+)\]+", example_text()))

    assert commented == {"shuffler", "shuffler.orders", "reader", "scanner", "approval"} | {
        "power",
        "outputs",
        "overlay",
        "feed",
    }

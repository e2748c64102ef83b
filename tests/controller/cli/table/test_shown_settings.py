"""`smartshoe check-config` on the devices and batches of a table."""

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.custody.manifest import Manifest, ManifestCard, build_manifest
from controller.custody.receipt import ReceiptResult
from controller.rules.cards import Card, Rank, Suit
from controller.service.commissioning.batch_folder import (
    cards_path,
    make_receipt,
    receipt_path,
    store_batch,
)
from controller.system.command_line.errors import ExitCode
from controller.system.keys import make_key, public_path
from foundation.timestamp import Timestamp
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer

Capture = pytest.CaptureFixture[str]

AT = Timestamp(0, 1_795_255_200_000_000_000)
FACES = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
ANGEL_EYE = '[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n'
RFID = """\
[table]
name = "M7"
[rules]
decks = 8
observed = ["result_button"]
[shoe]
port = "usb://0ab1:0002/12345678"
model = "feig-rfid"
gate_input = 1
[[reader]]
port = "/dev/ttyUSB1"
seat = "discard_rack"
[[scanner]]
port = "usbhid://0c2e:0b81/S1234"
model = "hid-pos"
"""
BOUND = '[batches]\nbound = ["RED-1"]\n'


def manifest(decks: int = 8, back: str = "red") -> Manifest:
    cards = (
        ManifestCard(f"{deck * 52 + place:04X}", face, deck + 1)
        for deck in range(decks)
        for place, face in enumerate(FACES)
    )
    return build_manifest("RED-1", back, decks, cards)


@pytest.fixture
def table(fast_dir: Path) -> Path:
    """A table of tags whose one batch is whole and signed; its configuration."""
    store(fast_dir, manifest())
    file = fast_dir / "table.toml"
    file.write_text(RFID + BOUND)
    return file


def store(folder: Path, one: Manifest) -> None:
    key = make_key(folder / "table.key")
    receipt = make_receipt(one, key, ReceiptResult.READ, maker="Acme", operator="Ann Lee", at=AT)
    store_batch(folder / "batches", one, receipt)


def checked(file: Path, capsys: Capture) -> dict[str, object]:
    assert main(["check-config", str(file), "--json"]) == ExitCode.DONE
    shown = json.loads(capsys.readouterr().out)
    assert isinstance(shown, dict)
    return shown


def all_remarks(file: Path, capsys: Capture) -> list[str]:
    found = checked(file, capsys)["remarks"]
    assert isinstance(found, list)
    return found


def remarks(file: Path, capsys: Capture) -> str:
    """The remarks, except that this machine has none of the table's ports."""
    absent = ("it does not exist", "it is not plugged in")
    found = all_remarks(file, capsys)
    return "\n".join(one for one in found if not any(words in one for words in absent))


def words(file: Path, capsys: Capture) -> dict[str, str]:
    """The lines by their names; a line without one goes on with the name above it."""
    assert main(["check-config", str(file)]) == ExitCode.DONE
    read: dict[str, str] = {}
    name = ""
    for line in capsys.readouterr().out.splitlines():
        name = line[:21].strip() or name
        read[name] = f"{read[name]}\n{line[21:]}" if name in read else line[21:]
    return read


def test_devices_are_shown_with_port_and_model(table: Path, capsys: Capture) -> None:
    output = words(table, capsys)

    assert output["shoe settings"].startswith("reader isc.mr102, delivery notify, gate_input 1,")
    assert output["readers"] == (
        "discard rack: /dev/ttyUSB1 at 38400 baud, reader isc.mr102, delivery notify,"
        " player_antenna 1, banker_antenna 2"
    )
    assert output["scanners"] == "USB HID POS scanner: usbhid://0c2e:0b81/S1234"
    assert output["usb allowed"] == "any device but keyboards"


def test_a_valid_bound_batch_is_shown_with_its_key(table: Path, capsys: Capture) -> None:
    assert words(table, capsys)["bound batches"] == (
        "RED-1: red, 8 decks, 416 tags, by Acme; read by Ann Lee, signed with"
        f" {table.parent}/table.key.pub"
    )


def test_a_bound_batch_in_order_needs_no_remark(table: Path, capsys: Capture) -> None:
    assert remarks(table, capsys) == ""


def test_a_missing_batch_is_a_remark_with_its_remedy(table: Path, capsys: Capture) -> None:
    cards_path(table.parent / "batches", "RED-1").unlink()

    found = remarks(table, capsys)
    assert found.startswith("batch RED-1 would not be bound: ")
    assert "there is no such file" in found
    assert "`smartshoe batch enrol RED-1`" in found


def test_a_batch_without_a_receipt_is_a_remark_with_its_remedy(
    table: Path, capsys: Capture
) -> None:
    receipt_path(table.parent / "batches", "RED-1").unlink()

    found = remarks(table, capsys)
    assert "a batch without its receipt is not for play" in found
    assert "put its receipt beside it" in found


def test_a_batch_signed_with_another_key_is_a_remark(table: Path, capsys: Capture) -> None:
    other = make_key(table.parent / "other.key")
    public_path(table.parent / "table.key").write_text(other.public.pem())

    assert "which is not trusted here" in remarks(table, capsys)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (manifest(decks=6), "it has 6 decks; this table deals from 8"),
        (manifest(back="green"), "its back is green; the batches of this table are red and blue"),
    ],
    ids=["decks", "back"],
)
def test_a_batch_the_table_would_refuse_is_a_remark(
    other: Manifest, why: str, fast_dir: Path, capsys: Capture
) -> None:
    store(fast_dir, other)
    file = fast_dir / "table.toml"
    file.write_text(RFID + BOUND)

    assert f"batch RED-1 would not be bound: {why}" in remarks(file, capsys)


def test_without_a_key_no_batch_can_be_bound(fast_dir: Path, capsys: Capture) -> None:
    file = fast_dir / "table.toml"
    file.write_text(RFID)

    assert "no batch can be bound: " in remarks(file, capsys)


@pytest.mark.parametrize(
    ("allow", "kept_out"),
    [
        ('["0ab1:0002", "0c2e:0b81:S1234"]', []),
        ('["1-1.2"]', []),
        ('["0ab1:0002:7", "0c2e:0b81:S1234"]', ["usb://0ab1:0002/12345678"]),
        ('["0ab1:0002:12345678"]', ["usbhid://0c2e:0b81/S1234"]),
    ],
)
def test_a_device_that_the_list_keeps_out_is_a_remark(
    allow: str, kept_out: list[str], table: Path, capsys: Capture
) -> None:
    table.write_text(f"{RFID}{BOUND}[usb]\nallow = {allow}\n")

    assert [line.split()[0] for line in remarks(table, capsys).splitlines()] == kept_out


def test_for_a_shoe_that_reads_no_tags_no_batches_are_shown(
    fast_dir: Path, capsys: Capture
) -> None:
    file = fast_dir / "table.toml"
    file.write_text(ANGEL_EYE)

    shown = checked(file, capsys)
    assert not {"batch_keys", "bound_batches"} & set(shown)
    assert (shown["readers"], shown["scanners"]) == ([], [])
    assert remarks(file, capsys) == ""


# --- ports that are not there ---------------------------------------------------------------------


def test_each_port_that_is_not_there_is_a_remark(table: Path, capsys: Capture) -> None:
    assert all_remarks(table, capsys) == [
        (
            "shoe: usb://0ab1:0002/12345678: it is not plugged in. Remedy: `smartshoe devices`"
            " lists what is"
        ),
        (
            "reader at the discard rack: /dev/ttyUSB1: it does not exist. Remedy: name a port that"
            " `smartshoe devices` lists"
        ),
        (
            "scanner: usbhid://0c2e:0b81/S1234: it is not plugged in. Remedy: `smartshoe devices`"
            " lists what is"
        ),
    ]


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        ("/dev/ttyUSB0", "shoe: /dev/ttyUSB0: it does not exist. Remedy: "),
        ("/dev", "shoe: /dev: it is no serial port. Remedy: "),
        ("usbserial://0403:6001/A1", "shoe: usbserial://0403:6001/A1: it is not plugged in. "),
    ],
)
def test_a_shoe_that_is_not_there_is_a_remark(
    port: str, expected: str, fast_dir: Path, capsys: Capture
) -> None:
    file = fast_dir / "table.toml"
    file.write_text(ANGEL_EYE.replace("/dev/ttyUSB0", port))

    (remark,) = all_remarks(file, capsys)
    assert remark.startswith(expected)


def test_a_port_that_is_there_needs_no_remark(fast_dir: Path, capsys: Capture) -> None:
    file = fast_dir / "table.toml"
    with PtyServer(AngelEye()) as shoe:
        file.write_text(ANGEL_EYE.replace("/dev/ttyUSB0", shoe.path))
        assert all_remarks(file, capsys) == []


def test_a_serial_server_is_not_asked_whether_it_is_there(fast_dir: Path, capsys: Capture) -> None:
    file = fast_dir / "table.toml"
    file.write_text(ANGEL_EYE.replace("/dev/ttyUSB0", "socket://127.0.0.1:1"))
    assert all_remarks(file, capsys) == []

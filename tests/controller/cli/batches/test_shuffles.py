"""`smartshoe shuffles`: list, export and verify shuffle receipts."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.cli.main import main
from controller.core.tape.inputs import Tick
from controller.core.tape.records import entry_record, input_record
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.journal.store import Journal
from controller.service.commissioning.pairing_file import PairedDevice, PairedRole, store_pairing
from controller.system.command_line.errors import ExitCode
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from firmware_bridge.attestation import ApprovedImage, Pin
from foundation.message import message
from foundation.timestamp import Timestamp

Capture = pytest.CaptureFixture[str]

KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
# Signed by OpenSSL with the key of RFC 8032, 7.1, test 1.
SEALED = bytes.fromhex(
    "8443a10127a0588fad01485348554630303031021a5eed000103070401051901a006010763726564"
    "08583408080808080808080808080808080808080808080808080808080808080808080808080808"
    "080808080808080808080808080808091a000f42400a1a05f5e1000b5820c0c0c0c0c0c0c0c0c0c0"
    "c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c00c65312e322e300d075840719824bcc09aaf"
    "ef4b2b754d68891be742982c5776498db97cc32cfb12159606a9972e8a333fed9f30bfed98c36873"
    "4c34358587052147c4fba67ed8d494d400"
)
PROOF = ShuffleProof(
    device="5348554630303031",
    boot_id=0x5EED0001,
    boot_count=7,
    cycle=7,
    compartment=1,
    count=416,
    result=ShuffleResult.GOOD,
    back="red",
    faces=bytes([8] * 52),
    began_us=1_000_000,
    ended_us=100_000_000,
    image=bytes.fromhex("c0" * 32),
    version="1.2.0",
    sealed=SEALED,
    signed=True,
    genuine=True,
    ended_utc_ns=1_795_255_199_500_000_000,
    uncertainty_ns=1_200_001,
)
DOOR_OPEN = message("door_open_close_it")
COUNTS = ShuffleRecorded("red", PROOF, None, ())
REFUSED = ShuffleRecorded("red", replace(PROOF, cycle=8), DOOR_OPEN, ("NY-a-4-iv-b",))
BARE = ShuffleRecorded("red", replace(PROOF, cycle=9, signed=False, genuine=False), None, ())
AT_NS = 1_795_255_200_000_000_001
PAIRED = PairedDevice(
    role=PairedRole.SHUFFLER,
    pin=Pin(device=b"SHUF0001", key=KEY, pairing="00112233aabbccdd", first_event=42),
    firmware=ApprovedImage(bytes.fromhex("c0" * 32), "1.2.0", 3),
    boot_count=7,
    person="Ann Lee",
    at_utc_ns=AT_NS,
)
FIRST_FILE = "000000002-5348554630303031-7.shuffle.json"


@pytest.fixture
def journal(fast_dir: Path) -> Path:
    """A journal with a shuffle that counts, one that does not, and one of a bare device."""
    opened = Journal.open(fast_dir / "journal")
    for entry in (COUNTS, REFUSED, BARE):
        opened.append([input_record(Tick(Timestamp(0, AT_NS))), entry_record(entry)])
    opened.close()
    return fast_dir / "journal"


@pytest.fixture
def pin(fast_dir: Path) -> Path:
    store_pairing(fast_dir / "shuffler.identity.json", PAIRED)
    return fast_dir / "shuffler.identity.json"


@pytest.fixture
def exported(journal: Path, capsys: Capture) -> Path:
    """The folder with the files of all shuffles."""
    assert main(["shuffles", "export", str(journal), "--out", str(journal.parent / "out")]) == 0
    capsys.readouterr()
    return journal.parent / "out"


def test_the_shuffles_of_a_journal_are_listed(journal: Path, capsys: Capture) -> None:
    assert main(["shuffles", "list", str(journal)]) == ExitCode.DONE

    shown = capsys.readouterr().out
    assert "5348554630303031, 7" in shown
    assert "2026-11-21T10:00:00Z" in shown
    assert "no: a door is open: close it (NY-a-4-iv-b)" in shown
    assert "yes, unsigned: a bare device" in shown


def test_the_list_as_json_is_one_object(journal: Path, capsys: Capture) -> None:
    assert main(["shuffles", "list", str(journal), "--json"]) == ExitCode.DONE

    shown = json.loads(capsys.readouterr().out)
    assert [one["receipt"]["cycle"] for one in shown["shuffles"]] == [7, 8, 9]
    assert shown["shuffles"][1]["table"]["refused"] == "a door is open: close it"


def test_a_journal_without_shuffles_is_reported(three_coups: Path, capsys: Capture) -> None:
    assert main(["shuffles", "list", str(three_coups)]) == ExitCode.DONE
    assert "no shuffle is recorded here" in capsys.readouterr().out


def test_a_missing_journal_is_reported(fast_dir: Path, capsys: Capture) -> None:
    assert main(["shuffles", "list", str(fast_dir / "nowhere")]) == ExitCode.UNUSABLE
    assert "nowhere" in capsys.readouterr().err


def test_each_shuffle_is_written_to_its_own_file(exported: Path) -> None:
    assert sorted(path.name for path in exported.iterdir()) == [
        FIRST_FILE,
        "000000004-5348554630303031-8.shuffle.json",
        "000000006-5348554630303031-9.shuffle.json",
    ]


def test_what_was_exported_is_not_written_again(
    journal: Path, exported: Path, capsys: Capture
) -> None:
    (exported / FIRST_FILE).unlink()

    assert main(["shuffles", "export", str(journal), "--out", str(exported)]) == ExitCode.DONE
    assert "1 written, 2 already present" in capsys.readouterr().out


def test_another_file_of_that_name_is_not_overwritten(
    journal: Path, exported: Path, capsys: Capture
) -> None:
    (exported / FIRST_FILE).write_text("mine")

    assert main(["shuffles", "export", str(journal), "--out", str(exported)]) == ExitCode.UNUSABLE
    assert "is not overwritten" in capsys.readouterr().err
    assert (exported / FIRST_FILE).read_text() == "mine"


def test_an_exported_shuffle_is_proven_by_itself(
    exported: Path, pin: Path, capsys: Capture
) -> None:
    assert main(["shuffles", "verify", f"{exported}/{FIRST_FILE}", "--identity", str(pin)]) == 0

    shown = capsys.readouterr().out
    assert shown.startswith("proven: ")
    assert "ended 2026-11-21T09:59:59.500000000Z, plus or minus 2 ms" in shown
    assert "signed by device 5348554630303031, which Ann Lee paired" in shown
    assert "each of the 52 faces 8 times" in shown


def test_a_changed_file_is_not_proven(exported: Path, pin: Path, capsys: Capture) -> None:
    file = exported / FIRST_FILE
    file.write_text(file.read_text().replace('"count": 416', '"count": 415'))

    assert main(["shuffles", "verify", str(file), "--identity", str(pin)]) == ExitCode.NO
    shown = capsys.readouterr().out
    assert shown.startswith("NOT PROVEN: ")
    assert "receipt.count: the file says 415, the device signed 416" in shown


def test_the_proof_as_json_is_one_object(exported: Path, pin: Path, capsys: Capture) -> None:
    file = str(exported / FIRST_FILE)

    assert main(["shuffles", "verify", file, "--identity", str(pin), "--json"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["proven"] is True

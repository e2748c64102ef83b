"""Every later version reads the records of format 1: none of these files is ever changed."""

import lzma
from pathlib import Path

import pytest
from golden_records import entry_or_input, record_of, records, stored

from controller.archive.replay.report import ReplayFinding, replay
from controller.core.stored_settings import SETTINGS, read_settings
from drivers.shoes.rfid_model import FEIG_RFID

# Conclusions of a tape that this version draws otherwise, and why.
CHANGED = {
    # A call that waited for a floorperson's decision is due after it.
    "format-1-angel-eye": [("nothing", "Prompt")],
}
SETTINGS_1 = Path(__file__).parent / "settings-1.txt"
TAPES = sorted(Path(__file__).parent.glob("format-1-*.tape.xz"))


def test_every_record_of_format_1_is_read_and_encodes_to_the_same_bytes() -> None:
    golden = stored()
    assert len(golden) > 500
    assert [one.hex() for one in golden if record_of(entry_or_input(one)) != one] == []


def test_every_form_of_a_record_is_among_them() -> None:
    missing = [one.hex() for one in records() if one not in set(stored())]
    assert missing == [], "a new form: run tests/tapes/golden_records.py --add"


def test_the_settings_of_every_version_are_read() -> None:
    """Versions up to 0.7 stored them in another form, with the settings of every model."""
    first, rfid, same, plug_in = (bytes.fromhex(one) for one in SETTINGS_1.read_text().split())

    assert read_settings(first).shuffler is not None
    assert FEIG_RFID.read_settings(read_settings(rfid).shoe.driver).gate_input == 2
    assert read_settings(rfid) == read_settings(same)
    assert SETTINGS.encode(read_settings(same)) == same
    assert SETTINGS.encode(read_settings(plug_in)) == plug_in
    assert read_settings(plug_in).shoe.plug_in == "lumen-shoe==1.0"


@pytest.mark.parametrize("tape", TAPES, ids=lambda one: one.name.removesuffix(".tape.xz"))
def test_a_tape_of_format_1_gives_the_same_verdicts(tape: Path, fast_dir: Path) -> None:
    path = fast_dir / "one.tape"
    path.write_bytes(lzma.decompress(tape.read_bytes()))

    report = replay(path)

    assert report.finding in (ReplayFinding.SAME, ReplayFinding.OTHER_VERSION)
    changed = [(one.stored, one.concluded) for one in report.differences]
    assert changed == CHANGED.get(tape.name.removesuffix(".tape.xz"), [])
    assert (report.skipped, report.other_version_differences) == (0, len(changed))
    assert report.coups > 60


def test_there_is_a_tape_of_each_kind_of_shoe() -> None:
    assert [one.name for one in TAPES] == [
        "format-1-angel-eye.tape.xz",
        "format-1-rfid.tape.xz",
    ]

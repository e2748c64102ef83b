"""A replayed tape gives the same entries byte for byte, or the difference is named."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.replay.replayer import Difference, Replayer, describe_entry, same_verdicts
from controller.core.state import encode_state
from controller.core.tape.entries import DeviceEventRecorded, EventVerdicts, StateDigest
from controller.core.tape.inputs import Started
from controller.core.tape.records import entry_record, input_record, read_entry
from controller.journal.encoding import EncodingError
from controller.journal.values import StoredRecord
from controller.procedure.effects import CoupClosed
from controller.procedure.events import CardDrawn
from controller.procedure.verdicts import Accepted, Irregularity
from controller.rules.outcome import CoupFate
from controller.rules.profiles.load import load_clauses
from drivers.events import Stage, StageChanged
from foundation.message import message

CLAUSES = load_clauses()
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def tape_of(script) -> list[bytes]:
    """Records as the loop stores them: each input, then its entries."""
    records = []
    for item, output in zip(script.inputs, script.outputs, strict=True):
        records.append(input_record(item))
        records.extend(entry_record(entry) for entry in output.entries)
    return records


def replayed(records: list[bytes]) -> tuple[Replayer, list[Difference]]:
    replayer = Replayer(CLAUSES)
    found = [
        replayer.replay(StoredRecord(seq, record, b"")) for seq, record in enumerate(records, 1)
    ]
    found.append(replayer.finish(len(records)))
    return replayer, [difference for difference in found if difference is not None]


def place_of(records: list[bytes], kind: type, number: int = 0) -> int:
    places = [n for n, record in enumerate(records) if isinstance(read_entry(record), kind)]
    return places[number]


def test_a_troubled_shoe_is_replayed_byte_for_byte(troubled_shoe) -> None:
    replayer, differences = replayed(tape_of(troubled_shoe))
    assert differences == []
    assert replayer.state == troubled_shoe.state


def test_inputs_and_entries_are_counted(troubled_shoe) -> None:
    replayer, _ = replayed(tape_of(troubled_shoe))
    assert (replayer.inputs, replayer.entries) == (
        len(troubled_shoe.inputs),
        len(troubled_shoe.entries),
    )


def test_the_ledger_is_updated_during_the_replay(troubled_shoe) -> None:
    ledger = replayed(tape_of(troubled_shoe))[0].ledger
    table = troubled_shoe.state.table
    assert (ledger.day, ledger.shoe, ledger.coups, ledger.cards, ledger.open) == (
        table.shoe_day,
        table.shoe_number,
        table.shoe.coups_begun - 1,
        len(table.shoe.coup.cards),
        True,
    )
    assert ledger.irregularities == table.irregularities


def test_the_state_after_a_part_of_the_tape(script) -> None:
    whole = script().begun().reported(*NEW_SHOE, *COUP)
    half = script().begun().reported(*NEW_SHOE, *COUP[:2])
    records = tape_of(whole)[: len(tape_of(half))]
    assert replayed(records)[0].state == half.state


def test_a_replay_can_begin_at_a_saved_state(script) -> None:
    before = script().begun().reported(*NEW_SHOE, *COUP)
    run, state = replayed(tape_of(before))[0].run, encode_state(before.state)
    passed = len(tape_of(before))
    before.reported(*COUP)
    replayer = Replayer(CLAUSES)
    replayer.restore(run, state)
    rest = [
        StoredRecord(seq, record, b"")
        for seq, record in enumerate(tape_of(before)[passed:], passed + 1)
    ]
    assert [replayer.replay(stored) for stored in rest] == [None] * len(rest)
    assert replayer.state == before.state


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_the_hash_seed_does_not_change_the_result(troubled_shoe, fast_dir: Path, seed: str) -> None:
    records = tape_of(troubled_shoe)
    tape = fast_dir / "tape"
    tape.write_bytes(b"".join(len(one).to_bytes(4, "big") + one for one in records))
    program = (
        "import sys\n"
        "from hashlib import sha256\n"
        "from pathlib import Path\n"
        "from controller.core.state import encode_state\n"
        "from controller.journal.values import StoredRecord\n"
        "from controller.archive.replay.replayer import Replayer\n"
        "from controller.rules.profiles.load import load_clauses\n"
        "data, seq, replayer = Path(sys.argv[1]).read_bytes(), 0, Replayer(load_clauses())\n"
        "while data:\n"
        "    size, seq = int.from_bytes(data[:4], 'big'), seq + 1\n"
        "    assert replayer.replay(StoredRecord(seq, data[4 : 4 + size], b'')) is None, seq\n"
        "    data = data[4 + size :]\n"
        "print(sha256(encode_state(replayer.state)).hexdigest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tape)],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": seed},
        check=True,
    )
    assert done.stdout.strip() == sha256(encode_state(troubled_shoe.state)).hexdigest()


# --- differences ----------------------------------------------------------------------------------


def test_a_changed_verdict_is_named(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE, *OVERDRAW))
    place = len(records) - 1
    entry = read_entry(records[place])
    accepted = replace(entry, verdicts=(Accepted(message("deal_face_up")),))
    _, differences = replayed([*records[:place], entry_record(accepted)])
    assert differences == [
        Difference(place + 1, "CardDrawn judged accepted", "CardDrawn judged OVERDRAW")
    ]


def test_a_changed_card_is_a_difference_that_names_no_card(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE))
    place = place_of(records, EventVerdicts, 3)
    entry = read_entry(records[place])
    assert isinstance(entry.event, CardDrawn)
    changed = replace(entry, event=replace(entry.event, card=None))
    _, differences = replayed([*records[:place], entry_record(changed), *records[place + 1 :]])
    same_words = "CardDrawn judged accepted"
    assert differences == [Difference(place + 1, same_words, same_words)]


def test_a_missing_entry_is_named(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE, *COUP, "50"))
    place = place_of(records, StateDigest)
    _, differences = replayed([*records[:place], *records[place + 1 :]])
    assert differences == [Difference(place + 1, "nothing", "StateDigest")]


def test_a_missing_entry_at_the_end_is_named(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE, *COUP))
    _, differences = replayed(records[:-1])
    assert differences == [Difference(len(records), "nothing", "StateDigest")]


def test_an_extra_entry_is_named(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE))
    _, differences = replayed([*records, records[-1]])
    assert [(one.seq, one.concluded) for one in differences] == [(len(records) + 1, "nothing")]


def test_a_missing_input_is_found(script) -> None:
    played = script().begun().reported(*NEW_SHOE, *COUP[:2])
    del played.inputs[-2]
    del played.outputs[-2]
    assert replayed(tape_of(played))[1] != []


def test_the_replay_continues_after_a_difference(script) -> None:
    played = script().begun().reported(*NEW_SHOE, *COUP)
    records = tape_of(played)
    place = place_of(records, EventVerdicts, 2)
    changed = replace(read_entry(records[place]), verdicts=())
    replayer, differences = replayed(
        [*records[:place], entry_record(changed), *records[place + 1 :]]
    )
    assert len(differences) == 1
    assert replayer.state == played.state


def test_a_tape_must_begin_with_started(script) -> None:
    with pytest.raises(EncodingError, match="the first input of a journal must be Started"):
        replayed(tape_of(script().begun())[2:])


# --- another version ------------------------------------------------------------------------------


def test_another_versions_texts_are_not_a_difference(script) -> None:
    records = tape_of(script(software="0.0.9").begun().reported(*NEW_SHOE))
    place = place_of(records, EventVerdicts, 1)
    other_words = replace(
        read_entry(records[place]), verdicts=(Accepted(message("deal_face_down")),)
    )
    assert replayed([*records[:place], entry_record(other_words), *records[place + 1 :]])[1] == []


def test_another_versions_verdict_is_a_difference(script) -> None:
    records = tape_of(script(software="0.0.9").begun().reported(*NEW_SHOE, *OVERDRAW))
    place = len(records) - 1
    accepted = replace(read_entry(records[place]), verdicts=(Accepted(message("deal_face_up")),))
    assert len(replayed([*records[:place], entry_record(accepted)])[1]) == 1


def test_bytes_must_be_equal_for_this_version_only(script) -> None:
    exact = [
        replayed(tape_of(script(**software).begun()))[0].exact
        for software in ({}, {"software": "0"})
    ]
    assert exact == [True, False]


def test_a_digest_that_another_version_stated_elsewhere_is_no_difference(script) -> None:
    records = tape_of(script(software="0.0.9").begun().reported(*NEW_SHOE, *COUP, *COUP))
    place = place_of(records, StateDigest)
    moved = [*records[: place - 1], records[place], records[place - 1], *records[place + 1 :]]
    assert replayed(moved[:-1])[1] == []


def test_this_version_takes_over_from_another(script) -> None:
    old = script(software="0.0.9").begun().reported(*NEW_SHOE, *COUP)
    new = script()
    new.inputs, new.outputs = old.inputs, old.outputs
    records = tape_of(new)
    started = replace(new.started, at=old.at)
    replayer, _ = replayed([*records, input_record(started)])
    assert isinstance(started, Started)
    assert replayer.run.software == started.software
    assert replayer.state.table.shoe.joined


IRREGULAR = Irregularity(
    code="OVERDRAW",
    number=1,
    coup=1,
    detail=message("no_pair"),
    clauses=(),
    decisions=(),
    suspends=True,
)


@pytest.mark.parametrize(
    ("stored", "concluded", "same"),
    [
        (StateDigest(b"a"), StateDigest(b"b"), True),
        (
            StateDigest(b"a"),
            DeviceEventRecorded("", StageChanged(Stage.LOST, message("usb_unplugged"))),
            False,
        ),
        (
            EventVerdicts(CardDrawn(None, "player_1"), (Accepted(message("deal_face_up")),)),
            EventVerdicts(CardDrawn(None, "player_1"), (Accepted(message("deal_face_down")),)),
            True,
        ),
        (
            EventVerdicts(CardDrawn(None, "player_1"), (Accepted(message("deal_face_up")),)),
            EventVerdicts(
                CardDrawn(None, "player_1"), (Accepted(message("deal_face_up")), IRREGULAR)
            ),
            False,
        ),
    ],
)
def test_when_two_versions_agree(stored, concluded, same) -> None:
    assert same_verdicts(stored, concluded) is same


def test_no_description_of_an_entry_names_a_card(troubled_shoe) -> None:
    faces = ("9h", "kc", "2d", "5s", "3c", "9H", "KC", "2D", "5S", "3C")
    words = {describe_entry(entry) for entry in troubled_shoe.entries}
    assert not [text for text in words if any(face in text for face in faces)]


def test_a_coup_that_was_counted_is_closed_in_the_record(troubled_shoe) -> None:
    closed = [one.record.fate for one in troubled_shoe.of(CoupClosed)]
    assert closed.count(CoupFate.COUNTED) > closed.count(CoupFate.VOID) > 0

"""A tape told again gives the same entries byte for byte, or the difference is named.

Responsible for: comparing what is stored with what this program concludes, record by record.
Not responsible for: reports and files (test_replay), and starting from a journal (test_recovery).
Source: package README, "Replay".
"""

import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from controller.core.state import STATES
from controller.journal.encoding.codec import CanonicalError
from controller.journal.values import StoredRecord
from controller.procedure.effects import CoupClosed, CoupFate
from controller.procedure.events import CardDrawn
from controller.procedure.verdicts import Accepted, Irregularity
from controller.profiles.load import load_clauses
from controller.replay.replayer import Difference, Retelling, in_words, same_verdicts
from controller.tape.entries import DeviceNoted, Judged, StateDigest
from controller.tape.inputs import Started
from controller.tape.records import entry_record, input_record, read_entry
from drivers.events import Stage, StageChanged

CLAUSES = load_clauses()
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def tape_of(script) -> list[bytes]:
    """Records as the loop stores them: each input, then what was concluded from it."""
    records = []
    for item, output in zip(script.inputs, script.outputs, strict=True):
        records.append(input_record(item))
        records.extend(entry_record(entry) for entry in output.entries)
    return records


def told(records: list[bytes]) -> tuple[Retelling, list[Difference]]:
    retelling = Retelling(CLAUSES)
    found = [
        retelling.take(StoredRecord(seq, record, b"")) for seq, record in enumerate(records, 1)
    ]
    found.append(retelling.finish(len(records)))
    return retelling, [difference for difference in found if difference is not None]


def place_of(records: list[bytes], kind: type, number: int = 0) -> int:
    places = [n for n, record in enumerate(records) if isinstance(read_entry(record), kind)]
    return places[number]


def test_a_troubled_shoe_is_told_again_byte_for_byte(troubled_shoe) -> None:
    retelling, differences = told(tape_of(troubled_shoe))
    assert differences == []
    assert retelling.state == troubled_shoe.state


def test_how_much_was_told(troubled_shoe) -> None:
    retelling, _ = told(tape_of(troubled_shoe))
    assert (retelling.inputs, retelling.entries) == (
        len(troubled_shoe.inputs),
        len(troubled_shoe.entries),
    )


def test_the_ledger_is_kept_on_the_way(troubled_shoe) -> None:
    ledger = told(tape_of(troubled_shoe))[0].ledger
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
    assert told(records)[0].state == half.state


def test_telling_goes_on_from_a_checkpoint(script) -> None:
    before = script().begun().reported(*NEW_SHOE, *COUP)
    run, state = told(tape_of(before))[0].run, before.state
    passed = len(tape_of(before))
    before.reported(*COUP)
    retelling = Retelling(CLAUSES)
    retelling.put_back(run, state)
    rest = [
        StoredRecord(seq, record, b"")
        for seq, record in enumerate(tape_of(before)[passed:], passed + 1)
    ]
    assert [retelling.take(stored) for stored in rest] == [None] * len(rest)
    assert retelling.state == before.state


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_no_order_of_hashes_shows(troubled_shoe, fast_dir: Path, seed: str) -> None:
    records = tape_of(troubled_shoe)
    tape = fast_dir / "tape"
    tape.write_bytes(b"".join(len(one).to_bytes(4, "big") + one for one in records))
    program = (
        "import sys\n"
        "from hashlib import sha256\n"
        "from pathlib import Path\n"
        "from controller.core.state import STATES\n"
        "from controller.journal.values import StoredRecord\n"
        "from controller.replay.replayer import Retelling\n"
        "from controller.profiles.load import load_clauses\n"
        "data, seq, telling = Path(sys.argv[1]).read_bytes(), 0, Retelling(load_clauses())\n"
        "while data:\n"
        "    size, seq = int.from_bytes(data[:4], 'big'), seq + 1\n"
        "    assert telling.take(StoredRecord(seq, data[4 : 4 + size], b'')) is None, seq\n"
        "    data = data[4 + size :]\n"
        "print(sha256(STATES.encode(telling.state)).hexdigest())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tape)],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": seed},
        check=True,
    )
    assert done.stdout.strip() == sha256(STATES.encode(troubled_shoe.state)).hexdigest()


# --- differences ----------------------------------------------------------------------------------


def test_a_changed_verdict_is_named(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE, *OVERDRAW))
    place = len(records) - 1
    entry = read_entry(records[place])
    accepted = replace(entry, verdicts=(Accepted("in order"),))
    _, differences = told([*records[:place], entry_record(accepted)])
    assert differences == [
        Difference(place + 1, "CardDrawn judged accepted", "CardDrawn judged OVERDRAW")
    ]


def test_a_changed_card_is_a_difference_that_names_no_card(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE))
    place = place_of(records, Judged, 3)
    entry = read_entry(records[place])
    assert isinstance(entry.event, CardDrawn)
    changed = replace(entry, event=replace(entry.event, card=None))
    _, differences = told([*records[:place], entry_record(changed), *records[place + 1 :]])
    same_words = "CardDrawn judged accepted"
    assert differences == [Difference(place + 1, same_words, same_words)]


def test_an_entry_too_few_is_named_where_it_is_missed(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE, *COUP, "50"))
    place = place_of(records, StateDigest)
    _, differences = told([*records[:place], *records[place + 1 :]])
    assert differences == [Difference(place + 1, "nothing", "StateDigest")]


def test_an_entry_too_few_at_the_end_is_missed(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE, *COUP))
    _, differences = told(records[:-1])
    assert differences == [Difference(len(records), "nothing", "StateDigest")]


def test_an_entry_too_many_is_named(script) -> None:
    records = tape_of(script().begun().reported(*NEW_SHOE))
    _, differences = told([*records, records[-1]])
    assert [(one.seq, one.concluded) for one in differences] == [(len(records) + 1, "nothing")]


def test_an_input_that_was_left_out_shows(script) -> None:
    played = script().begun().reported(*NEW_SHOE, *COUP[:2])
    del played.inputs[-2]
    del played.outputs[-2]
    assert told(tape_of(played))[1] != []


def test_telling_goes_on_after_a_difference(script) -> None:
    played = script().begun().reported(*NEW_SHOE, *COUP)
    records = tape_of(played)
    place = place_of(records, Judged, 2)
    changed = replace(read_entry(records[place]), verdicts=())
    retelling, differences = told([*records[:place], entry_record(changed), *records[place + 1 :]])
    assert len(differences) == 1
    assert retelling.state == played.state


def test_a_tape_begins_with_the_beginning_of_a_run(script) -> None:
    with pytest.raises(CanonicalError, match="the first input of a journal is Started"):
        told(tape_of(script().begun())[2:])


# --- another version ------------------------------------------------------------------------------


def test_another_versions_words_are_no_difference(script) -> None:
    records = tape_of(script(software="0.0.9").begun().reported(*NEW_SHOE))
    place = place_of(records, Judged, 1)
    other_words = replace(read_entry(records[place]), verdicts=(Accepted("anders gesagt"),))
    assert told([*records[:place], entry_record(other_words), *records[place + 1 :]])[1] == []


def test_another_versions_verdict_is_one(script) -> None:
    records = tape_of(script(software="0.0.9").begun().reported(*NEW_SHOE, *OVERDRAW))
    place = len(records) - 1
    accepted = replace(read_entry(records[place]), verdicts=(Accepted("in order"),))
    assert len(told([*records[:place], entry_record(accepted)])[1]) == 1


def test_bytes_are_claimed_of_this_version_only(script) -> None:
    exact = [
        told(tape_of(script(**software).begun()))[0].exact for software in ({}, {"software": "0"})
    ]
    assert exact == [True, False]


def test_this_version_takes_over_what_another_left(script) -> None:
    old = script(software="0.0.9").begun().reported(*NEW_SHOE, *COUP)
    new = script()
    new.inputs, new.outputs = old.inputs, old.outputs
    records = tape_of(new)
    started = replace(new.started, at=old.at)
    retelling, _ = told([*records, input_record(started)])
    assert isinstance(started, Started)
    assert retelling.run.software == started.software
    assert retelling.state.table.shoe.joined


IRREGULAR = Irregularity(
    code="OVERDRAW",
    number=1,
    coup=1,
    detail="",
    clauses=(),
    permitted=(),
    forbidden=(),
    decisions=(),
    suspends=True,
)


@pytest.mark.parametrize(
    ("stored", "concluded", "same"),
    [
        (StateDigest(b"a"), StateDigest(b"b"), True),
        (StateDigest(b"a"), DeviceNoted("", StageChanged(Stage.LOST, "")), False),
        (
            Judged(CardDrawn(None, "player_1"), (Accepted("a"),)),
            Judged(CardDrawn(None, "player_1"), (Accepted("b"),)),
            True,
        ),
        (
            Judged(CardDrawn(None, "player_1"), (Accepted("a"),)),
            Judged(CardDrawn(None, "player_1"), (Accepted("a"), IRREGULAR)),
            False,
        ),
    ],
)
def test_when_two_versions_judge_alike(stored, concluded, same) -> None:
    assert same_verdicts(stored, concluded) is same


def test_no_words_of_an_entry_name_a_card(troubled_shoe) -> None:
    faces = ("9h", "kc", "2d", "5s", "3c", "9H", "KC", "2D", "5S", "3C")
    words = {in_words(entry) for entry in troubled_shoe.entries}
    assert not [text for text in words if any(face in text for face in faces)]


def test_a_coup_that_was_counted_is_closed_in_the_record(troubled_shoe) -> None:
    closed = [one.record.fate for one in troubled_shoe.of(CoupClosed)]
    assert closed.count(CoupFate.COUNTED) > closed.count(CoupFate.VOID) > 0

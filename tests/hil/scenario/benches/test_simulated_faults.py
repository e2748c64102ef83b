"""Faults of the simulated rig, each by what it does to the table."""

import pytest

from controller.core.tape.inputs import Chunk
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import parse_scenario
from hil.scenario.language.statements import Subject
from hil.scenario.play.bench import NotPossible
from hil.scenario.play.facts import Fact
from hil.scenario.play.performing import Performer

ANGEL_EYE = "insert cut card at 380; load red; deal burn; "
RFID = f"device shoe rfid; {ANGEL_EYE}"
SHUFFLED = "device shoe rfid; device shuffler tablelink; "


class Played:
    """A scenario that was performed, and what its table concluded."""

    def __init__(self, text: str, seed: int = 1) -> None:
        scenario = parse_scenario(text)
        self.bench = SimulatedBench(scenario)
        self.performer = Performer(scenario, self.bench, seed)
        for step in scenario.steps:
            self.performer.perform(step.body)
        self.table = self.bench.simulated

    def words(self, subject: Subject) -> list[str]:
        found: list[Fact] = self.bench.table.facts.facts
        return [one.words[0] for one in found if one.subject is subject]

    @property
    def raised(self) -> list[str]:
        return self.words(Subject.IRREGULARITY)

    @property
    def drawn(self) -> tuple[int, int]:
        """Cards that left the shoe, and those that the program counts."""
        shoe = self.table.state.table.shoe
        assert shoe is not None
        return len(self.performer.piles.drawn), shoe.cards_drawn


@pytest.mark.parametrize("fault", ["duplicate 100%", "split 100%", "delay 300ms", "stall 2s"])
def test_a_line_that_loses_nothing_changes_nothing(fault: str) -> None:
    played = Played(f"{ANGEL_EYE} wire shoe {fault}; deal 2 coups; wire shoe none; wait 5s")

    assert played.raised == []
    assert len(played.words(Subject.COUP)) == 2


def test_lost_reports_are_on_record() -> None:
    played = Played(f"{ANGEL_EYE} wire shoe half-frames 90%; deal 2 coups; wire shoe none; draw")

    assert "REPORTS_LOST" in played.raised


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("unreadable", "CARD_UNREADABLE"),
        ("claimed_wrongly", "CLAIM_DIFFERS"),
        ("misread", ""),
        ("reported_twice", ""),
    ],
)
def test_what_an_angel_eye_reads_wrongly(fault: str, code: str) -> None:
    played = Played(f"{ANGEL_EYE} next card {fault}; draw")

    assert played.raised == ([code] if code else [])


def test_a_misread_card_has_another_face() -> None:
    played = Played(f"{ANGEL_EYE} next card misread; draw")
    coup = played.table.state.table.shoe.coup

    true = played.performer.piles.drawn[-1].card
    assert str(coup.cards[0].card).upper() != str(true)


@pytest.mark.parametrize("shoe", [ANGEL_EYE, RFID])
def test_a_double_feed_takes_a_card_that_nobody_reports(shoe: str) -> None:
    played = Played(f"{shoe} next card double_feed; deal coup")

    drawn, counted = played.drawn
    assert drawn == counted + 1


def test_faults_belong_to_their_shoe() -> None:
    with pytest.raises(NotPossible):
        Played(f"{RFID} next card misread")
    with pytest.raises(NotPossible):
        Played(f"{ANGEL_EYE} next card two_tags")
    with pytest.raises(NotPossible):
        Played(f"{ANGEL_EYE} stuck gate")


def test_a_stuck_gate_hides_cards() -> None:
    played = Played(f"{RFID} stuck gate; draw")

    drawn, counted = played.drawn
    assert drawn > counted


def test_a_stopped_program_takes_everything_in_at_once_afterwards() -> None:
    played = Played(f"{ANGEL_EYE} host stop 20s; draw; draw; wait 30s")
    last = [one for one in played.table.inputs if isinstance(one, Chunk)][-1]

    assert last.data.count(b"\x05") == 6
    assert played.drawn[0] == played.drawn[1]


def test_a_full_disk_ends_the_program_and_stores_nothing_of_the_transaction() -> None:
    played = Played(f"{ANGEL_EYE} host disk-full; draw")
    before = len(played.table.entries)
    assert not played.table.is_on

    again = Played(f"{ANGEL_EYE} host disk-full; draw; host disk-free; deal coup")
    assert again.table.is_on
    assert len(again.table.entries) > before
    assert "CONTINUITY_UNPROVEN" in again.raised or "REPORTS_LOST" in again.raised


def test_a_slow_disk_changes_nothing_but_time() -> None:
    played = Played(f"{RFID} host slow-disk 2min; deal 2 coups")

    assert played.raised == []
    assert len(played.words(Subject.COUP)) == 2


def test_a_clock_step_moves_utc_alone() -> None:
    played, plain = Played(f"{ANGEL_EYE} host clock-step 2h"), Played(ANGEL_EYE)
    moved, at = played.table.at, plain.table.at

    assert moved.monotonic_ns == at.monotonic_ns
    assert moved.utc_ns - at.utc_ns == 2 * 3600 * 10**9


def test_power_is_cut_once() -> None:
    with pytest.raises(NotPossible):
        Played(f"{ANGEL_EYE} power table off; power table off")
    with pytest.raises(NotPossible):
        Played(f"{ANGEL_EYE} power table off; host kill")


def test_a_stuck_door_is_open_until_it_is_mended() -> None:
    played = Played(f"{SHUFFLED} stuck door 1; door 1 open; door 1 closed")
    assert played.table.state.table.lineage.warnings[0].active

    mended = Played(
        f"{SHUFFLED} stuck door 1; door 1 open; door 1 closed; stuck door 1 cleared; door 1 closed"
    )
    assert not mended.table.state.table.lineage.warnings[0].active


def test_a_miscounting_shuffler_gives_a_warning_of_the_count() -> None:
    played = Played(f"{SHUFFLED} interfere shuffler miscounting; shuffle red")

    assert played.words(Subject.WARNING) == ["count"]


def test_a_lying_shuffler_proves_a_shuffle_that_it_does_not_do() -> None:
    played = Played(
        f"{SHUFFLED} interfere shuffler lying; shuffle red; shuffle blue; bring out red"
    )
    whole = Played(SHUFFLED + "shuffle red; shuffle blue; bring out red")

    order = [one.card.deck for one in played.performer.piles.held["red"]]
    mixed = [one.card.deck for one in whole.performer.piles.held["red"]]
    assert order in (sorted(order), sorted(order, reverse=True))
    assert mixed not in (sorted(mixed), sorted(mixed, reverse=True))
    assert played.words(Subject.WARNING) == []


def test_only_what_the_table_has_can_be_unplugged_or_disturbed() -> None:
    with pytest.raises(NotPossible):
        Played(f"{ANGEL_EYE} unplug shuffler")
    with pytest.raises(NotPossible):
        Played(f"{ANGEL_EYE} wire rack drop 10%")


def test_two_spare_cut_cards_are_two_pieces() -> None:
    played = Played("device shoe rfid; insert cut card at 395; load red; deal burn;"
                    " err third_cut_card; deal to the end")  # fmt: skip

    assert "CUT_CARD_EXTRA" in played.raised

"""What the records say, counted: reads, cadence, decisions, devices, the shuffler's down-time."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from controller.core.state import Conclusion
from controller.core.tape.entries import (
    ClockEvidence,
    ClockStepped,
    DeviceEventRecorded,
    Entry,
    EventVerdicts,
    RunBegan,
)
from controller.core.tape.inputs import Input, Started, Tick
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.custody.batch_life.state import WarningKind
from controller.outlets.metrics.counts import Samples, TableCounts
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupFate,
    CoupRecord,
    RecordedCard,
    ResolutionRecorded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CustodyFindingRaised,
    Loss,
    ReportsMissing,
    ShufflerReported,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.choices import FloorDecision
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from drivers.events import CardPassed, LockChanged, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    AbortReason,
    IdentityProven,
    IdentityRefused,
    ShuffleAborted,
    ShuffleProof,
    ShuffleResult,
    ShuffleShown,
)
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.port import Chunk
from foundation.message import message
from foundation.timestamp import Timestamp

S = 1_000_000_000
BEGIN_S = 1_763_715_600
SHOE, SHUFFLER, READER = "/dev/shoe", "/dev/shuffler", "/dev/reader"
DEVICES = {SHOE: "dealing_shoe", READER: READER, SHUFFLER: "shuffler"}
FACE = Card(Rank(9), Suit("H"))
WHY = message("typed")
PROOF = ShuffleProof(
    *("5A01", 77, 12, 31, 1, 416, ShuffleResult.GOOD, "red", b"", 5_000_000, 95_000_000),
    *(b"", "1.4.0", b""),
    signed=True,
    genuine=True,
)


def at(second: float) -> Timestamp:
    return Timestamp(int(second * S), int((BEGIN_S + second) * S))


class Told:
    """Counts that are told what was concluded at a second of the shoe's bytes, or of a tick."""

    def __init__(self) -> None:
        self.counts = TableCounts(DEVICES)

    def at(self, second: float, *entries: Entry, port: str = SHOE) -> "Told":
        self.counts.take(Conclusion(Chunk(port, at(second), b"..."), entries))
        return self

    def tick(self, second: float, *entries: Entry) -> "Told":
        return self.put(Tick(at(second)), *entries)

    def put(self, item: Input, *entries: Entry) -> "Told":
        self.counts.take(Conclusion(item, entries))
        return self

    def cards(self, *seconds: float) -> "Told":
        for second in seconds:
            self.at(second, card())
        return self

    @property
    def samples(self) -> Samples:
        return self.counts.samples

    def time(self, name: str, *labels: str) -> tuple[float, float]:
        """Count and sum of a summary or a histogram."""
        buckets = self.samples.get(f"{name}_bucket", {})
        counted = self.samples.get(f"{name}_count", {}).get(labels, sum(buckets.values()))
        return counted, self.samples[f"{name}_sum"][labels]


@pytest.fixture
def told() -> Told:
    return Told()


def card(face: Card | None = FACE) -> EventVerdicts:
    return EventVerdicts(CardDrawn(face, Place.PLAYER_1), ())


def closed(
    cards: int = 4, fate: CoupFate = CoupFate.COUNTED, *, suspended: bool = False
) -> CoupClosed:
    dealt = tuple(RecordedCard(Place.PLAYER_1, FACE) for _ in range(cards))
    outcome = Outcome.TIE if fate is CoupFate.COUNTED else None
    record = CoupRecord("2025-11-21", 1, 1, dealt, (), None, None, outcome, fate, suspended, ())
    return CoupClosed(record)


def irregular(number: int) -> EventVerdicts:
    found = Irregularity(IrregularityCode.OVERDRAW, number, 1, WHY, (), (), suspends=True)
    return EventVerdicts(None, (found,))


def resolved(*numbers: int) -> ResolutionRecorded:
    return ResolutionRecorded("person-1", "", FloorDecision.CONTINUE, None, None, numbers)


# --- reads ----------------------------------------------------------------------------------------


def test_reads_by_their_result(told) -> None:
    told.at(1, card(), card(None), EventVerdicts(CardRepeated(FACE, Place.PLAYER_1), ()))
    for loss, count in ((Loss.GAP, 3), (Loss.GAP, 0), (Loss.UNREADABLE, 1), (Loss.UNPROVEN, 0)):
        told.at(2, EventVerdicts(ReportsMissing(loss, count), ()))
    assert told.samples["reads_total"] == {
        ("read",): 1,
        ("unread",): 1,
        ("repeated",): 1,
        ("missed",): 4,
        ("unreadable",): 1,
        ("unproven",): 1,
    }
    assert told.samples["cards_drawn_total"][()] == 2
    assert told.counts.last_card_ns == (BEGIN_S + 1) * S


# --- cadence --------------------------------------------------------------------------------------


def test_a_coup_lasts_from_its_first_to_its_last_card(told) -> None:
    told.cards(10, 12, 14, 17).tick(30, closed())
    told.cards(42, 43, 44, 45, 49).tick(60, closed(5))
    assert told.time("coup_seconds") == (2, 7 + 7)
    assert told.time("between_coups_seconds") == (1, 42 - 17)
    assert told.counts.last_coup_ns == (BEGIN_S + 60) * S


def test_the_card_that_ends_a_coup_is_of_the_next_one(told) -> None:
    told.cards(10, 12, 14, 17).at(40, card(), closed())
    told.cards(42, 43, 44).tick(60, closed())
    assert told.time("coup_seconds") == (2, 7 + 4)
    assert told.time("between_coups_seconds") == (1, 40 - 17)


def test_cards_of_the_burn_are_of_no_coup(told) -> None:
    opened = ShoeOpened("2025-11-21", 1, 8, joined=False)
    told.cards(1, 2).at(10, card(), opened).cards(11, 12).tick(13, BurnDone(FACE, 3, proven=True))
    told.cards(20, 21, 22, 23).tick(24, closed())
    assert told.time("coup_seconds") == (1, 3)
    assert told.time("between_coups_seconds") == (0, 0)


def test_a_coup_that_is_not_counted_or_was_suspended_has_no_duration(told) -> None:
    told.cards(1, 2, 3, 4).tick(5, closed(fate=CoupFate.VOID))
    told.cards(11, 12, 13, 14).tick(15, closed(suspended=True))
    assert told.time("coup_seconds") == (0, 0)
    assert told.samples["coups_total"][("void",)] == 1


def test_a_clock_that_was_set_changes_no_duration(told) -> None:
    step = ClockStepped(3600 * S, 0, ClockEvidence.SAME_BOOT)
    told.cards(10, 12).at(10, irregular(1)).at(3613, card(), step).cards(3617)
    told.tick(3620, closed()).tick(3620, resolved(1))
    assert told.time("coup_seconds") == (1, 7)
    assert told.time("decision_seconds", "continue") == (1, 10)
    assert told.samples["clock_steps_total"][()] == 1


# --- decisions ------------------------------------------------------------------------------------


def test_a_decision_takes_from_the_oldest_irregularity_that_it_closes(told) -> None:
    told.at(10, irregular(1)).at(15, irregular(2)).at(16, irregular(3))
    told.tick(40, resolved(1, 2)).tick(50, resolved(3)).tick(60, resolved(1))
    assert told.time("decision_seconds", "continue") == (2, 30 + 34)
    assert told.counts.waiting == {}


def test_irregularities_that_nobody_decides_are_bounded(told) -> None:
    for number in range(2 * TableCounts.WAITING_MAX):
        told.at(number, irregular(number))
    assert len(told.counts.waiting) == TableCounts.WAITING_MAX
    assert max(told.counts.waiting) == 2 * TableCounts.WAITING_MAX - 1


# --- devices --------------------------------------------------------------------------------------


def test_events_count_by_the_device_that_reported_them(told) -> None:
    told.at(1, card())
    told.at(2, DeviceEventRecorded(READER, CardPassed("E004")), card(), port=READER)
    told.at(3, DeviceEventRecorded(SHOE, LockChanged(locked=True)))
    told.tick(4, DeviceEventRecorded(SHOE, LockChanged(locked=True)))
    told.at(5, EventVerdicts(None, ()), port=READER)
    assert told.samples["device_events_total"] == {
        ("dealing_shoe",): 2,
        (READER,): 1,
        ("shuffler",): 0,
    }
    assert told.counts.events == {
        "dealing_shoe": (BEGIN_S + 3) * S,
        READER: (BEGIN_S + 2) * S,
    }


def test_faults_and_stages_are_no_events(told) -> None:
    fault = DeviceFault(LinkFaultKind.NOISE, WHY)
    told.at(1, DeviceEventRecorded(SHOE, fault))
    told.at(2, DeviceEventRecorded(SHOE, StageChanged(Stage.ONLINE, WHY)))
    assert told.samples["device_events_total"][("dealing_shoe",)] == 0
    assert told.samples["link_errors_total"][("dealing_shoe", "noise")] == 1


def test_a_loss_counts_and_the_closed_ports_of_a_start_do_not(told) -> None:
    lost = DeviceEventRecorded(READER, StageChanged(Stage.LOST, WHY))
    told.tick(1, lost).put(Started(at(2), "", "", b"", b"", b"", ""), BEGAN, lost)
    assert told.samples["device_lost_total"][(READER,)] == 1


# --- the shuffler ---------------------------------------------------------------------------------

BEGAN = RunBegan("M7", "1", "s42-mini", 8, (), (), same_boot=False)
ONLINE = DeviceEventRecorded(SHUFFLER, StageChanged(Stage.ONLINE, WHY))
GONE = DeviceEventRecorded(SHUFFLER, StageChanged(Stage.LOST, WHY))
PROVEN = IdentityProven("5A01", "1.4.0", b"", 1, 1, bare=False)
REFUSED = IdentityRefused("5A01", WHY, rolled_back=False)


def reported(event: object) -> EventVerdicts:
    return EventVerdicts(ShufflerReported(event, 0), ())  # type: ignore[arg-type]


USABLE: Sequence[Entry] = (ONLINE, reported(PROVEN))
OPENED = WarningOpened(1, WarningKind.DOOR, 0, WHY, ())
CLEARED = WarningClosed(1, WarningKind.DOOR, "person-1", "shut", 6 * S)


@pytest.mark.parametrize(
    ("down", "up"),
    [(GONE, ONLINE), (OPENED, CLEARED), (reported(REFUSED), reported(PROVEN))],
    ids=["offline", "interlocked", "not trusted"],
)
def test_the_shuffler_is_down_until_it_can_be_used_again(told, down: Entry, up: Entry) -> None:
    told.tick(0, BEGAN).tick(4, *USABLE).tick(10, down).tick(13, card()).tick(16, up).tick(99)
    assert told.samples["shuffler_down_seconds_total"][()] == 4 + 6


def test_the_time_without_the_program_is_not_counted(told) -> None:
    told.tick(0, BEGAN).tick(3, card()).tick(1000, BEGAN).tick(1002, *USABLE)
    assert told.samples["shuffler_down_seconds_total"][()] == 3 + 2


def test_shuffles_and_how_long_they_took(told) -> None:
    told.tick(1, ShuffleRecorded("red", PROOF, None))
    told.tick(2, ShuffleRecorded("red", replace(PROOF, cycle=32), WHY))
    told.tick(3, reported(ShuffleShown(1, 33, 80_000)))
    told.tick(4, reported(ShuffleAborted(1, 34, AbortReason.JAM)))
    counted = {labels[0]: count for labels, count in told.samples["shuffles_total"].items()}
    assert {name for name, count in counted.items() if count == 1} == {
        *("good", "refused", "shown", "aborted"),
    }
    assert told.time("shuffle_seconds") == (2, 90 + 80)


def test_an_event_of_custody_is_of_no_device(told) -> None:
    told.at(1, EventVerdicts(CustodyFindingRaised(None), ()))  # type: ignore[arg-type]
    assert told.samples["device_events_total"][("dealing_shoe",)] == 0

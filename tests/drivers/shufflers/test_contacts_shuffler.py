"""What a shuffler that shows only contacts says, reading by reading."""

import pytest

from drivers.commands import OrderShuffler, SetPolling, ShufflerOrder
from drivers.events import CommandOutcome, DeviceEvent, LossReason, ReportsLost, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.model import BadDeviceSettings, Installation
from drivers.shuffler_events import (
    AbortReason,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ShuffleAborted,
    ShuffleShown,
    ShuffleStarted,
)
from drivers.shufflers.contacts_model import (
    CONTACTS_SHUFFLER,
    ContactsSettings,
    JamLevel,
    LineLevel,
)
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

PORT = "gpio://gpiochip0:1,2,3,4"
S = 1_000_000_000
ENTROPY = bytes(range(32))
ADMITTED = Installation(trust=Trust(bare=True))
# Default wiring: lid and jam lines are high while all is well, lamps high while on.
IDLE, RUNNING, DONE, BOTH = (1, 0, 0, 1), (1, 1, 0, 1), (1, 0, 1, 1), (1, 1, 1, 1)
LID, LID_RUNNING, JAM, JAM_RUNNING = (0, 0, 0, 1), (0, 1, 0, 1), (1, 0, 0, 0), (1, 1, 0, 0)
PULLED = (0, 0, 0, 0)


def reading(levels: tuple[int, ...]) -> bytes:
    value = sum(level << line for line, level in enumerate(levels))
    return bytes((value | (15 - value) << 4,))


class Line:
    """A driver with a clock: seconds and readings in, events out."""

    def __init__(
        self, settings: ContactsSettings | None = None, installed: Installation = ADMITTED
    ) -> None:
        stored = CONTACTS_SHUFFLER.to_store(settings or ContactsSettings())
        self.driver = CONTACTS_SHUFFLER.build(stored, installed)
        self.state = self.driver.initial()
        self.now_ns = 100 * S

    @property
    def at(self) -> Timestamp:
        return Timestamp(self.now_ns, self.now_ns)

    def open(self, levels: tuple[int, ...] = IDLE) -> list[DeviceEvent]:
        return [
            *self._take(self.driver.receive(self.state, PortOpened(PORT, self.at, ENTROPY))),
            *self.read(levels),
        ]

    def read(self, levels: tuple[int, ...], waited_ns: int = 0) -> list[DeviceEvent]:
        chunk = Chunk(PORT, self.at, reading(levels), waited_ns)
        return self._take(self.driver.receive(self.state, chunk))

    def lose(self) -> list[DeviceEvent]:
        lost = PortLost(PORT, self.at, message("usb_unplugged"))
        return self._take(self.driver.receive(self.state, lost))

    def wait(self, seconds: float) -> list[DeviceEvent]:
        """Let time pass, with ticks when they are due."""
        until_ns, events = self.now_ns + int(seconds * S), []
        while (due_ns := self.driver.next_deadline_ns(self.state)) is not None:
            if due_ns > until_ns:
                break
            self.now_ns = max(self.now_ns, due_ns)
            events += self._take(self.driver.tick(self.state, self.at))
        self.now_ns = until_ns
        return events

    def _take(self, result: tuple) -> list[DeviceEvent]:
        self.state, output = result
        assert isinstance(output, DriverOutput)
        assert not output.to_write
        assert not output.at_once
        return [one for one in output.events if not isinstance(one, StageChanged)]


@pytest.fixture
def line() -> Line:
    line = Line()
    line.open()
    return line


def aborted(reason: AbortReason, cycle: int = 1) -> ShuffleAborted:
    return ShuffleAborted(1, cycle, reason)


def faults(events: list[DeviceEvent]) -> list[str]:
    return [one.detail.id for one in events if isinstance(one, DeviceFault)]


def test_the_first_reading_says_who_it_is_and_what_is_so_now() -> None:
    line = Line()
    events = line.open(LID)

    name = f"contacts-{ENTROPY[:4].hex()}"
    assert events == [
        IdentityProven(name, "", b"", 0, 0, bare=True),
        DoorMoved(open=True, compartment=0),
        JamReported(0, cleared=True),
    ]
    assert line.state.stage is Stage.ONLINE


def test_without_the_houses_admission_nothing_is_said() -> None:
    line = Line(installed=Installation())
    (refused,) = line.open()
    assert isinstance(refused, IdentityRefused)
    assert line.state.stage is Stage.IDENTIFIED

    events = [*line.read(RUNNING), *line.wait(90), *line.read(DONE), *line.read(LID)]
    assert events == []


def test_a_run_with_its_done_lamp_shows_a_shuffle(line: Line) -> None:
    assert line.read(RUNNING) == [ShuffleStarted(1, 1)]
    line.wait(90)
    assert line.read(DONE) == [ShuffleShown(1, 1, 90_000)]
    line.wait(5)
    assert line.read(RUNNING) == [ShuffleStarted(1, 2)]


@pytest.mark.parametrize("between", [IDLE, BOTH])
def test_end_and_done_lamp_may_be_a_moment_apart(line: Line, between: tuple[int, ...]) -> None:
    line.read(RUNNING)
    line.wait(90)
    assert line.read(between) == []
    line.wait(2.9)

    assert line.read(DONE) == [ShuffleShown(1, 1, 90_000)]


def test_a_done_lamp_that_only_flashes_counts(line: Line) -> None:
    line.read(RUNNING)
    line.wait(90)
    assert line.read(BOTH) == []
    assert line.read(RUNNING) == []
    assert line.read(IDLE) == [ShuffleShown(1, 1, 90_000)]


@pytest.mark.parametrize(
    ("last", "why"),
    [
        (IDLE, "running_lamp_off_without_done_lamp"),
        (BOTH, "done_lamp_while_running"),
    ],
)
def test_half_an_end_is_none(line: Line, last: tuple[int, ...], why: str) -> None:
    line.read(RUNNING)
    line.wait(90)
    line.read(last)
    events = line.wait(3)

    assert faults(events) == [why]
    assert events[-1] == aborted(AbortReason.FAULT)
    assert faults(line.read(DONE) + line.read(IDLE)) in ([], ["done_lamp_without_shuffle"])


def test_a_run_that_does_not_end_is_broken_off(line: Line) -> None:
    line.read(RUNNING)
    assert line.wait(899.9) == []
    events = line.wait(0.1)

    assert faults(events) == ["shuffle_too_long"]
    assert events[-1] == aborted(AbortReason.FAULT)
    assert faults(line.read(DONE)) == ["done_lamp_without_shuffle"]


@pytest.mark.parametrize(("seconds", "counts"), [(59.999, False), (60, True)])
def test_a_short_run_is_no_shuffle(line: Line, seconds: float, *, counts: bool) -> None:
    line.read(RUNNING)
    line.wait(seconds)
    events = line.read(DONE)

    assert any(isinstance(one, ShuffleShown) for one in events) is counts
    assert (faults(events) == ["shuffle_too_short"]) is not counts


def test_readings_that_waited_make_no_run_longer(line: Line) -> None:
    line.read(RUNNING)
    line.wait(70)
    events = line.read(DONE, waited_ns=20 * S)

    assert faults(events) == ["shuffle_too_short"]


def test_a_done_lamp_without_a_run_is_no_shuffle(line: Line) -> None:
    assert faults(line.read(DONE)) == ["done_lamp_without_shuffle"]
    assert line.read(IDLE) == []


def test_a_done_lamp_that_was_on_all_along_ends_no_run(line: Line) -> None:
    line.read(DONE)
    assert line.read(BOTH) == [ShuffleStarted(1, 1)]
    line.wait(90)
    assert line.read(DONE) == []
    assert faults(line.wait(3)) == ["running_lamp_off_without_done_lamp"]


def test_a_second_run_before_the_end_of_the_first_breaks_it_off(line: Line) -> None:
    line.read(RUNNING)
    line.wait(90)
    line.read(IDLE)

    assert line.read(RUNNING) == [aborted(AbortReason.FAULT), ShuffleStarted(1, 2)]


@pytest.mark.parametrize(
    ("levels", "said", "reason"),
    [
        (LID_RUNNING, DoorMoved(open=True, compartment=0), AbortReason.DOOR),
        (LID, DoorMoved(open=True, compartment=0), AbortReason.DOOR),
        (JAM_RUNNING, JamReported(0, cleared=False), AbortReason.JAM),
        (JAM, JamReported(0, cleared=False), AbortReason.JAM),
    ],
)
def test_lid_and_jam_break_a_run_off(
    line: Line, levels: tuple[int, ...], said: DeviceEvent, reason: AbortReason
) -> None:
    line.read(RUNNING)
    line.wait(90)
    assert line.read(levels) == [said, aborted(reason)]

    back = [*line.read(IDLE), *line.read(DONE)]
    assert not any(isinstance(one, ShuffleShown) for one in back)
    assert line.wait(1000) == []


def test_a_cut_cable_is_an_open_lid_and_a_jam(line: Line) -> None:
    line.read(RUNNING)
    assert line.read(PULLED) == [
        DoorMoved(open=True, compartment=0),
        aborted(AbortReason.DOOR),
        JamReported(0, cleared=False),
    ]


def test_a_port_lost_in_a_run_breaks_it_off_and_what_came_meanwhile_is_lost(line: Line) -> None:
    line.read(RUNNING)
    line.wait(90)
    assert line.lose() == [aborted(AbortReason.FAULT)]
    assert line.wait(5) == []

    events = line.open(DONE)
    assert isinstance(events[0], IdentityProven)
    assert events[1] == ReportsLost(LossReason.UNPROVEN, 0)
    assert not any(isinstance(one, ShuffleShown) for one in events)


def test_a_run_that_nobody_saw_begin_is_none() -> None:
    line = Line()
    assert faults(line.open(RUNNING)) == ["shuffle_began_unwatched"]
    line.wait(90)
    assert faults(line.read(DONE)) == ["done_lamp_without_shuffle"]


def test_another_name_after_a_fresh_start(line: Line) -> None:
    first = line.state.device
    line.state = line.driver.initial()
    opened = PortOpened(PORT, line.at, bytes(32))
    line.state, _ = line.driver.receive(line.state, opened)

    assert line.state.device != first


def test_a_byte_that_is_no_reading_is_a_reading_lost(line: Line) -> None:
    chunk = Chunk(PORT, line.at, b"\x00")
    line.state, output = line.driver.receive(line.state, chunk)

    assert faults(list(output.events)) == ["byte_is_no_reading_of_contacts"]
    assert output.events[-1] == ReportsLost(LossReason.UNREADABLE, 1)


def test_the_same_reading_again_says_nothing(line: Line) -> None:
    assert line.read(IDLE) == []


def test_each_wiring_reads_alike() -> None:
    for lid in LineLevel:
        for running in LineLevel:
            for done in LineLevel:
                for jam in (JamLevel.HIGH, JamLevel.LOW):
                    line = Line(ContactsSettings(lid, running, done, jam))
                    wired = (lid, running, done, jam)
                    meant = ((0, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 0, 1, 0), (1, 0, 1, 1))
                    shown = [
                        tuple(yes ^ (one == "low") for yes, one in zip(step, wired, strict=True))
                        for step in meant
                    ]
                    line.open(shown[0])
                    assert line.read(shown[1]) == [ShuffleStarted(1, 1)]
                    line.wait(90)
                    assert line.read(shown[2]) == [ShuffleShown(1, 1, 90_000)]
                    assert line.read(shown[3]) == [DoorMoved(open=True, compartment=0)]
                    assert line.read(shown[4]) == [JamReported(0, cleared=False)]


def test_without_a_contact_for_a_jam_its_line_says_nothing() -> None:
    line = Line(ContactsSettings(jam=JamLevel.NONE))
    line.open(JAM)
    assert line.read(IDLE) == line.read(JAM) == []


def test_it_takes_no_orders(line: Line) -> None:
    for order in ShufflerOrder:
        _, output = line.driver.command(line.state, OrderShuffler(order), line.at)
        (answer,) = output.events
        assert answer.outcome is CommandOutcome.REFUSED
    assert line.driver.command(line.state, SetPolling(True), line.at)[1] == DriverOutput()


def test_a_least_time_above_the_longest_is_refused() -> None:
    with pytest.raises(BadDeviceSettings, match="shuffle_s_min and shuffle_s_max are 90 and 80"):
        CONTACTS_SHUFFLER.with_values({"shuffle_s_min": 90, "shuffle_s_max": 80})


def test_a_monitor_shows_levels_and_events() -> None:
    monitor = CONTACTS_SHUFFLER.build_monitor(lambda text: text.id)
    state, _ = monitor.watch(monitor.initial(), PortOpened(PORT, Timestamp(1, 1), ENTROPY))
    _, lines = monitor.watch(state, Chunk(PORT, Timestamp(2, 2), reading(LID)))

    assert lines[:2] == ("bytes  78", "frame  low low low high")
    assert "event  DoorMoved open=yes compartment=0" in lines

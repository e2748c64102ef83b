"""The reference firmware on an emulated board and a bad line: each event and request once.

Seeded runs of the program's own link over pyserial and a line that drops, doubles, damages, delays
and breaks, while the program is killed at a store and the board hangs and loses power.
Source: firmware_bridge README, "TableLink/1".
"""

from random import Random

import pytest

from firmware_bridge.attestation import Trust
from firmware_bridge.tablelink.bodies import PowerUp, SelfTest, Tamper
from firmware_bridge.tablelink.items import (
    DeviceNotAdmitted,
    EventsMissing,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from firmware_bridge.tablelink.settings import DeviceRole
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.reference_firmware.build import FirmwareRole
from hil.reference_firmware.qemu import EmulatedBoard
from hil.rig.tcp_relay import BadLine
from hil.tablelink.port_link import PortLink
from hil.tablelink.stored_link import Crash

pytestmark = [
    pytest.mark.needs("qemu-system-arm"),
    pytest.mark.needs("gcc-arm-none-eabi"),
]

MS = 1_000_000
BYTES_BETWEEN_CUTS = (1000, 4000)
# The firmware keeps 128 events.
KEPT_MAX = 60
MOMENT_S = 0.15
# Includes cuts, losses and pauses before the port is reopened.


class Storm:
    """One run. `written`: incidents, in order; `requested`: number of self-tests requested."""

    def __init__(self, seed: int, board: EmulatedBoard, line: BadLine, program: PortLink) -> None:
        self.board, self.line, self.program = board, line, program
        self.random = Random(seed)
        self.written: list[str] = []
        self.requested = 0
        self.power_ups = 1

    def play(self, steps: int) -> None:
        """The first of each step for certain, then as chance has it."""
        each = (self.write, self.ask, self.crash, self.hang, self.power_cycle)
        weights = (5, 4, 3, 1, 1)
        chosen = self.random.choices(each, weights, k=max(steps - len(each), 0))
        for step in (*each, *chosen):
            step()
            self.moment()
        while not self.line.cuts:
            self.write()
            self.moment()
        self.line.mend()
        self.write()
        assert self.program.until(self.over), self.program.journal[-10:]

    @property
    def event_key(self) -> int:
        """Number of written incidents that have not been delivered."""
        reported = [one for one in self.program.events if isinstance(one.body, Tamper)]
        return len(self.written) - len(reported)

    @property
    def done(self) -> int:
        """Number of requests that the board answered as done."""
        return sum(one.status is RequestStatus.DONE for one in self.program.answers)

    @property
    def tested(self) -> int:
        """Number of reported self-tests; an answer can overtake the event."""
        return sum(isinstance(one.body, SelfTest) for one in self.program.events)

    def over(self) -> bool:
        answered = len(self.program.answers) >= self.requested
        return answered and not self.event_key and self.tested >= self.done

    def moment(self) -> None:
        self.program.run_for(self.random.uniform(0, MOMENT_S))

    # The steps.

    def write(self, count: int = 0) -> None:
        """Record an incident, unless the device's memory is nearly full: it would be lost."""
        assert self.program.until(lambda: self.event_key < KEPT_MAX)
        for _ in range(count or self.random.choice((1, 3, 12))):
            self.written.append(f"N{len(self.written)}")
            assert self.board.stimulus(f"tamper {self.written[-1]}") == "ok"

    def ask(self) -> None:
        """Send a request if the board responds and no crash before the store is pending."""
        self.write(1)
        assert self.program.until(lambda: self.program.crash is None and not self.event_key)
        self.requested += 1
        self.program.ask(TableLinkRequest(RequestType.SELF_TEST))

    def crash(self) -> None:
        self.program.crash = self.random.choice(tuple(Crash))

    def hang(self) -> None:
        self.board.hang()
        self.moment()
        self.board.resume()

    def power_cycle(self) -> None:
        self.board.power_cycle()
        self.power_ups += 1


def check(seed: int, steps: int) -> None:
    """Run a seed, and check that everything was delivered once."""
    plan = FaultPlan(
        seed=seed,
        envelope=Envelope.TABLELINK,
        fragment_bytes_max=Random(seed).choice((0, 7, 64)),
        drop_repeat=0.05,
        extra_repeat=0.1,
        bad_bcc=0.05,
        noise=0.05,
        noise_answers=True,
        overtake=0.05,
        delay_ns_max=2 * MS,
    )
    with (
        EmulatedBoard(FirmwareRole.SHUFFLER) as board,
        BadLine(board.port, plan, seed, BYTES_BETWEEN_CUTS) as line,
        PortLink(
            lambda: open_port(line.url, LineSettings(1_000_000)),
            DeviceRole.SHUFFLER,
            Trust(bare=True),
        ) as program,
    ):
        storm = Storm(seed, board, line, program)
        storm.play(steps)
    happened, answered = program.events, program.answers
    print(
        f"seed {seed}: {len(happened)} events, {storm.done} of {storm.requested} orders,"
        f" {line.cuts} cuts"
    )

    assert [one.number for one in happened] == list(range(1, len(happened) + 1))
    reported = [one.body for one in happened]
    assert [one.what for one in reported if isinstance(one, Tamper)] == storm.written
    assert sum(isinstance(one, PowerUp) for one in reported) == storm.power_ups
    assert not [
        one for one in program.journal if isinstance(one, EventsMissing | DeviceNotAdmitted)
    ]
    assert len(answered) == storm.requested
    # It is unknown whether an unanswered request was executed.
    unknown = sum(one.status is None for one in answered)
    assert storm.done <= storm.tested <= storm.done + unknown


@pytest.mark.parametrize("seed", range(3))
def test_each_event_and_order_comes_through_a_bad_line_once(seed: int) -> None:
    check(seed, steps=10)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 120))
def test_each_event_and_order_comes_through_a_long_bad_line_once(seed: int) -> None:
    check(seed, steps=40)

"""Every event of a TableLink device is journalled exactly once and in order, whatever fails.

Seeded runs in which frames are lost, doubled, damaged, cut, delayed and overtaken, noise comes from
either side, the program dies before and after its store, the port is lost and the device loses its
power at any point; and devices that must not be admitted. Equal seeds give equal runs: `check(275)`
is run 275 again.

Source: firmware_bridge README, "TableLink/1".
"""

from collections.abc import Callable
from itertools import pairwise

import pytest
from msgspec.structs import replace

from firmware_bridge.attestation import NO_TRUST, Trust
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import ConfigChanged, Overflow, PowerUp
from firmware_bridge.tablelink.items import (
    DeviceNotAdmitted,
    EventsMissing,
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.emulator.tablelink.cbor import decode_map, encode
from hil.emulator.tablelink.device import SHUFFLER, TableLinkDevice, TableLinkSettings
from hil.emulator.tablelink.session import RequestDecision
from hil.emulator.tablelink.wire import (
    EventKind,
    Frame,
    FrameChannel,
    LinkType,
    encode_frame,
)
from hil.emulator.tablelink.wire import RequestType as EmulatorRequestType
from hil.tablelink.simulated_link import SimulatedLink, trust_in
from hil.tablelink.stored_link import Crash

MS = 1_000_000
S = 1_000 * MS
SHORT, FULL, AT_ONCE = 140, 3000, 20
STEPS = 24
RING = 40


class RecordingDevice(TableLinkDevice):
    """A device that only records numbers as events."""

    role = SHUFFLER

    def __init__(self, *, chained: bool = True, ring: int = RING, bare: bool = False) -> None:
        super().__init__(TableLinkSettings(chained=chained, ring=ring, bare=bare))
        self.executed: list[int] = []
        self.first = self.memory.copy()

    def write(self, number: int) -> None:
        self.reconfigure(str(number))

    def _decide(self, request: EmulatorRequestType, argument: int) -> RequestDecision:
        def act() -> None:
            self.executed.append(argument)
            self._record(EventKind.CONFIG_CHANGED, {1: f"asked {argument}"})

        return RequestDecision(act=act)

    def _work(self) -> None:
        """It has no mechanism."""

    def _after_boot(self) -> None:
        """No operation is interrupted by a power failure."""

    def _after_power_loss(self) -> None:
        """No operation is interrupted by a power failure."""

    @property
    def _work_due_ns(self) -> int | None:
        return None


def line_faults(seed: int, run: SimulatedLink) -> FaultPlan | None:
    """The faults of the line in this run: from none to almost nothing arriving."""
    source = run.random
    if source.random() < 0.1:
        return None
    return FaultPlan(
        seed=seed,
        envelope=Envelope.TABLELINK,
        fragment_bytes_max=source.choice((0, 0, 1, 7, 64)),
        drop_repeat=source.choice((0.0, 0.05, 0.3)),
        extra_repeat=source.choice((0.0, 0.1, 0.3)),
        bad_bcc=source.choice((0.0, 0.05, 0.2)),
        noise=source.choice((0.0, 0.0, 0.1)),
        noise_answers=True,
        overtake=source.choice((0.0, 0.2)),
        delay_ns_max=source.choice((0, 0, 5 * MS, 60 * MS)),
    )


class FaultyRun:
    """One run: `written` are the recorded numbers, `requested` the arguments of requests."""

    def __init__(self, seed: int) -> None:
        self.device = RecordingDevice(chained=seed % 3 > 0, bare=seed % 7 == 0)
        self.run = SimulatedLink(self.device, seed)
        self.run.plan = line_faults(seed, self.run)
        self.run.scattered_ns = self.run.random.choice((0, 0, 300, 4_000)) * MS
        self.written: list[int] = []
        self.requested: list[int] = []
        self.killed = False
        self._steps: tuple[Callable[[], None], ...] = (
            self.write,
            self.write,
            self.write,
            self.ask,
            self.ask,
            self.crash,
            self.kill,
            self.lose_port,
            self.cut_power,
            self.cut_power_somewhere,
            self.noise,
        )

    def play(self) -> "FaultyRun":
        random = self.run.random
        for _ in range(STEPS):
            random.choice(self._steps)()
            self.run.advance(random.choice((0, 1, 20, 60, 400, 3_000)) * MS)
        self.run.calm()
        self.run.advance(5 * S)
        self.write()
        self.run.advance(90 * S, self.is_complete)
        return self

    def is_complete(self) -> bool:
        answered = len({item.request for item in self.answers()})
        waiting = not self.killed and answered < len(self.requested)
        return not self.device.memory.ring and self.device.all_delivered and not waiting

    def answers(self) -> list[RequestAnswer]:
        return [item for item in self.run.journal if isinstance(item, RequestAnswer)]

    # The steps.

    def write(self) -> None:
        for _ in range(self.run.random.choice((1, 1, 3, 12, 30))):
            self.written.append(len(self.written))
            self.device.write(self.written[-1])

    def ask(self) -> None:
        argument = len(self.requested) + 1
        if self.run.ask(TableLinkRequest(RequestType.ABORT, argument)):
            self.requested.append(argument)

    def crash(self) -> None:
        self.killed = True
        self.run.crash = self.run.random.choice(tuple(Crash))

    def kill(self) -> None:
        self.killed = True
        self.run.restart()

    def lose_port(self) -> None:
        self.run.lose_port()
        pause_ns = self.run.random.choice((1, 500, 8_000)) * MS
        self.run.at_time(self.run.now_ns + pause_ns, self.run.open_port)

    def cut_power(self) -> None:
        self.run.cut_power()

    def cut_power_somewhere(self) -> None:
        self.device.cut_power_after(self.run.random.randrange(12))
        self.run.at_time(self.run.now_ns + 4 * S, self.run.cut_power)

    def noise(self) -> None:
        random = self.run.random
        send = random.choice((self.run.inject_to_host, self.run.inject_to_device))
        send(random.randbytes(random.randrange(1, 600)))


def all_delivered(faulty_run: FaultyRun) -> None:
    """Every recorded event arrives once and in order; none is declared missing."""
    run = faulty_run.run
    assert [one.number for one in run.events] == [one.number for one in run.recorded]
    for received, truth in zip(run.events, run.recorded, strict=True):
        payload = decode_map(truth.payload)
        assert (received.boot_id, received.device_us) == (payload[1], payload[3])
        if isinstance(received.body, ConfigChanged):
            assert payload[5] == {1: received.body.what}
    assert not [item for item in run.journal if isinstance(item, EventsMissing)]


def no_false_suspicion(faulty_run: FaultyRun) -> None:
    """An honest device is never suspected of a rollback or a changed history."""
    for item in faulty_run.run.journal:
        assert not (isinstance(item, DeviceNotAdmitted) and item.rolled_back)
        suspected = isinstance(item, LinkFault) and item.kind is LinkFaultKind.CONTINUITY_UNPROVEN
        assert not suspected


def gaps_are_declared(faulty_run: FaultyRun) -> None:
    """Numbers arrive in order; where some are missing there is an overflow or a power failure."""
    received: list[int | None] = []
    for one in faulty_run.run.events:
        match one.body:
            case ConfigChanged(what) if what.isdecimal():
                received.append(int(what))
            case Overflow() | PowerUp():
                received.append(None)
            case _:
                pass
    places = [(at, number) for at, number in enumerate(received) if number is not None]
    for (at, number), (next_at, next_number) in pairwise([(-1, -1), *places]):
        assert next_number > number
        assert next_number == number + 1 or next_at > at + 1


def requests_are_executed_once(faulty_run: FaultyRun) -> None:
    executed = faulty_run.device.executed
    assert len(executed) == len(set(executed))
    answered = [item.request.argument for item in faulty_run.answers()]
    assert len(answered) == len(set(answered))
    done = {
        one.request.argument for one in faulty_run.answers() if one.status is RequestStatus.DONE
    }
    if not faulty_run.run.power_cuts:
        assert done <= set(executed)


def check(seed: int) -> None:
    faulty_run = FaultyRun(seed).play()
    assert faulty_run.is_complete(), f"seed {seed}: not everything arrived in the end"
    all_delivered(faulty_run)
    no_false_suspicion(faulty_run)
    gaps_are_declared(faulty_run)
    requests_are_executed_once(faulty_run)


@pytest.mark.parametrize("first", range(0, SHORT, AT_ONCE))
def test_every_event_arrives_once_and_in_order(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        check(seed)


@pytest.mark.full
@pytest.mark.parametrize("first", range(SHORT, FULL, AT_ONCE))
def test_every_event_arrives_once_and_in_order_in_thousands_of_runs(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        check(seed)


def test_a_late_hello_of_an_earlier_session_delays_events_by_seconds_only() -> None:
    device = RecordingDevice()
    run = SimulatedLink(device, 1)
    device.write(1)
    run.advance(5 * S)
    run.inject_to_device(encode_frame(Frame(FrameChannel.LINK, LinkType.HELLO, encode({1: 77}))))
    run.advance(S)
    device.write(2)

    assert run.advance(10 * S, lambda: device.all_delivered)


def test_equal_seeds_give_equal_runs() -> None:
    first, second = (FaultyRun(8).play().run for _ in range(2))

    assert (first.journal, first.recorded) == (second.journal, second.recorded)


# --- devices that are not let in ------------------------------------------------------------------


def rolled_back(device: RecordingDevice) -> None:
    """Its memory is that of its first moment again."""
    device.roll_back(device.first)


def replaced(device: RecordingDevice) -> None:
    """Another one, as like as one can buy."""
    device.replace(bytes.fromhex("5EED0000C0FFEE02"), b"another key")


def another_key(device: RecordingDevice) -> None:
    """Another device with the same id."""
    device.replace(device.identity.device, b"another key")


def other_firmware(device: RecordingDevice) -> None:
    """Firmware that is on no list."""
    device.new_firmware(bytes(32), "9.9", 9)


def older_firmware(device: RecordingDevice) -> None:
    """The version that is approved, with a security counter that is not."""
    ware = device.identity.firmware
    device.new_firmware(ware.image, ware.version, ware.security_counter - 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "become", [rolled_back, replaced, another_key, other_firmware, older_firmware]
)
def test_a_changed_or_replaced_device_delivers_nothing(
    become: Callable[[RecordingDevice], None], seed: int
) -> None:
    device = RecordingDevice(ring=200)
    run = SimulatedLink(device, seed)
    for number in range(60):
        device.write(number)
    run.advance(20 * S, lambda: device.all_delivered)
    before = len(run.events)
    become(device)
    for number in range(60, 180):
        run.advance(run.random.choice((1, 400, 7_000)) * MS)
        device.write(number)
        if number % 25 == 0:
            run.random.choice((run.cut_power, run.restart))()
    run.advance(60 * S)

    assert len(run.events) == before
    assert any(isinstance(item, DeviceNotAdmitted) for item in run.journal)


def test_a_port_without_trust_accepts_nothing() -> None:
    device = RecordingDevice()
    run = SimulatedLink(device, 1, trust=NO_TRUST)
    device.write(1)
    run.advance(30 * S)

    assert run.events == []


def test_a_device_without_identity_is_admitted_only_if_configured() -> None:
    device = RecordingDevice(bare=True)
    taken = []
    for trust in (Trust(bare=True), trust_in(RecordingDevice())):
        run = SimulatedLink(device, 1, trust=trust)
        device.write(1)
        run.advance(30 * S)
        taken.append(bool(run.events))

    assert taken == [True, False]


def test_events_before_the_pairing_are_not_reported() -> None:
    device = RecordingDevice()
    for number in range(5):
        device.write(number)
    device.tick(0)
    trust = trust_in(device)
    assert trust.pin is not None
    pin = replace(trust.pin, first_event=device.memory.next_number)
    run = SimulatedLink(device, 1, trust=replace(trust, pin=pin))
    device.write(5)
    run.advance(10 * S)

    assert [one.body for one in run.events] == [ConfigChanged("5")]


def test_events_lost_by_a_device_are_declared() -> None:
    device = RecordingDevice()
    run = SimulatedLink(device, 1)
    device.write(1)
    run.advance(5 * S)
    device.memory.next_number += 7
    device.write(2)
    run.restart()
    run.advance(20 * S)

    assert [item.count for item in run.journal if isinstance(item, EventsMissing)] == [7]

"""Every event of a TableLink device comes into the journal once and in order, whatever happens.

Responsible for: seeded runs in which frames are lost, doubled, damaged, cut, delayed and overtaken,
noise comes from either side, the program dies before and after its store, the port is lost and the
device loses its power at any point; and devices that must not be let in.
Not responsible for: single steps (tests/firmware_bridge/tablelink, tests/hil).
Source: firmware_bridge README, "TableLink/1".

Equal seeds give equal runs: `check(275)` is run 275 again.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from firmware_bridge.attestation import NO_TRUST, Trust
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import ConfigChanged, Overflow, PowerUp
from firmware_bridge.tablelink.items import (
    Answered,
    EventsMissing,
    NotAdmitted,
    Order,
    Request,
    RequestStatus,
)
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.emulator.tablelink.cbor import encoded, payload_map
from hil.emulator.tablelink.device import SHUFFLER, TableLinkDevice, TableLinkSettings
from hil.emulator.tablelink.session import Judged
from hil.emulator.tablelink.wire import Ask, Channel, Frame, Kind, Say, on_wire
from hil.tablelink.run import TableLinkRun, trust_in
from hil.tablelink.store import Crash

MS = 1_000_000
S = 1_000 * MS
SHORT, FULL, AT_ONCE = 140, 3000, 20
STEPS = 24
RING = 40


class Notebook(TableLinkDevice):
    """A device that does nothing but write down what it was told to: each a number of its own."""

    role = SHUFFLER

    def __init__(self, *, chained: bool = True, ring: int = RING, bare: bool = False) -> None:
        super().__init__(TableLinkSettings(chained=chained, ring=ring, bare=bare))
        self.executed: list[int] = []
        self.first = self.memory.copy()

    def write(self, number: int) -> None:
        self.reconfigure(str(number))

    def _judge(self, ask: Ask, argument: int) -> Judged:
        def act() -> None:
            self.executed.append(argument)
            self._note(Kind.CONFIG_CHANGED, {1: f"asked {argument}"})

        return Judged(act=act)

    def _work(self) -> None:
        """Nothing moves in it."""

    def _woken(self) -> None:
        """Nothing of it is under way when power fails."""

    def _off(self) -> None:
        """Nothing of it is under way when power fails."""

    @property
    def _work_due_ns(self) -> int | None:
        return None


def weather(seed: int, run: TableLinkRun) -> FaultPlan | None:
    """How bad the line is in this run: from clear to hardly anything coming through."""
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


class Storm:
    """One run: `written` are the numbers told to the device, `asked` the arguments of requests."""

    def __init__(self, seed: int) -> None:
        self.device = Notebook(chained=seed % 3 > 0, bare=seed % 7 == 0)
        self.run = TableLinkRun(self.device, seed)
        self.run.plan = weather(seed, self.run)
        self.run.scattered_ns = self.run.random.choice((0, 0, 300, 4_000)) * MS
        self.written: list[int] = []
        self.asked: list[int] = []
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

    def play(self) -> "Storm":
        random = self.run.random
        for _ in range(STEPS):
            random.choice(self._steps)()
            self.run.later(random.choice((0, 1, 20, 60, 400, 3_000)) * MS)
        self.run.calm()
        self.run.later(5 * S)
        self.write()
        self.run.later(90 * S, self.over)
        return self

    def over(self) -> bool:
        answered = len({item.request for item in self.answers()})
        waiting = not self.killed and answered < len(self.asked)
        return not self.device.memory.ring and self.device.all_taken and not waiting

    def answers(self) -> list[Answered]:
        return [item for item in self.run.journal if isinstance(item, Answered)]

    # The steps.

    def write(self) -> None:
        for _ in range(self.run.random.choice((1, 1, 3, 12, 30))):
            self.written.append(len(self.written))
            self.device.write(self.written[-1])

    def ask(self) -> None:
        argument = len(self.asked) + 1
        if self.run.ask(Request(Order.ABORT, argument)):
            self.asked.append(argument)

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
        said = random.choice((self.run.say_to_host, self.run.say_to_device))
        said(random.randbytes(random.randrange(1, 600)))


def all_delivered(storm: Storm) -> None:
    """Every event once and in order, as it was recorded; nothing declared missing."""
    run = storm.run
    assert [one.number for one in run.happened] == [one.number for one in run.recorded]
    for told, truth in zip(run.happened, run.recorded, strict=True):
        payload = payload_map(truth.payload)
        assert (told.boot_id, told.device_us) == (payload[1], payload[3])
        if isinstance(told.body, ConfigChanged):
            assert payload[5] == {1: told.body.what}
    assert not [item for item in run.journal if isinstance(item, EventsMissing)]


def nobody_is_suspected(storm: Storm) -> None:
    """An honest device is never taken for one that was rolled back or changed its past."""
    for item in storm.run.journal:
        assert not (isinstance(item, NotAdmitted) and item.rolled_back)
        suspected = isinstance(item, LinkFault) and item.kind is LinkFaultKind.CONTINUITY_UNPROVEN
        assert not suspected


def gaps_are_declared(storm: Storm) -> None:
    """What the device was told comes in order, and what is left out has an overflow in its place,

    or power failed there.
    """
    told: list[int | None] = []
    for one in storm.run.happened:
        match one.body:
            case ConfigChanged(what) if what.isdecimal():
                told.append(int(what))
            case Overflow() | PowerUp():
                told.append(None)
            case _:
                pass
    places = [(at, number) for at, number in enumerate(told) if number is not None]
    for (at, number), (next_at, next_number) in pairwise([(-1, -1), *places]):
        assert next_number > number
        assert next_number == number + 1 or next_at > at + 1


def requests_are_done_once(storm: Storm) -> None:
    executed = storm.device.executed
    assert len(executed) == len(set(executed))
    answered = [item.request.argument for item in storm.answers()]
    assert len(answered) == len(set(answered))
    done = {one.request.argument for one in storm.answers() if one.status is RequestStatus.DONE}
    if not storm.run.power_cuts:
        assert done <= set(executed)


def check(seed: int) -> None:
    storm = Storm(seed).play()
    assert storm.over(), f"seed {seed}: not everything came through in the end"
    all_delivered(storm)
    nobody_is_suspected(storm)
    gaps_are_declared(storm)
    requests_are_done_once(storm)


@pytest.mark.parametrize("first", range(0, SHORT, AT_ONCE))
def test_every_event_comes_once_and_in_order(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        check(seed)


@pytest.mark.full
@pytest.mark.parametrize("first", range(SHORT, FULL, AT_ONCE))
def test_every_event_comes_once_and_in_order_in_thousands_of_runs(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        check(seed)


def test_a_hello_of_an_earlier_opening_that_comes_late_holds_events_up_for_seconds_only() -> None:
    device = Notebook()
    run = TableLinkRun(device, 1)
    device.write(1)
    run.later(5 * S)
    run.say_to_device(on_wire(Frame(Channel.LINK, Say.HELLO, encoded({1: 77}))))
    run.later(S)
    device.write(2)

    assert run.later(10 * S, lambda: device.all_taken)


def test_equal_seeds_give_equal_runs() -> None:
    first, second = (Storm(8).play().run for _ in range(2))

    assert (first.journal, first.recorded) == (second.journal, second.recorded)


# --- devices that are not let in ------------------------------------------------------------------


def rolled_back(device: Notebook) -> None:
    """Its memory is that of its first moment again."""
    device.roll_back(device.first)


def replaced(device: Notebook) -> None:
    """Another one, as like as one can buy."""
    device.replace(bytes.fromhex("5EED0000C0FFEE02"), b"another key")


def another_key(device: Notebook) -> None:
    """Somebody who knows its id."""
    device.replace(device.identity.device, b"another key")


def other_firmware(device: Notebook) -> None:
    """Firmware that is on no list."""
    device.new_firmware(bytes(32), "9.9", 9)


def older_firmware(device: Notebook) -> None:
    """The version that is approved, with a security counter that is not."""
    ware = device.identity.firmware
    device.new_firmware(ware.image, ware.version, ware.security_counter - 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "become", [rolled_back, replaced, another_key, other_firmware, older_firmware]
)
def test_a_device_that_is_not_the_paired_one_as_it_was_delivers_nothing(
    become: Callable[[Notebook], None], seed: int
) -> None:
    device = Notebook(ring=200)
    run = TableLinkRun(device, seed)
    for number in range(60):
        device.write(number)
    run.later(20 * S, lambda: device.all_taken)
    before = len(run.happened)
    become(device)
    for number in range(60, 180):
        run.later(run.random.choice((1, 400, 7_000)) * MS)
        device.write(number)
        if number % 25 == 0:
            run.random.choice((run.cut_power, run.restart))()
    run.later(60 * S)

    assert len(run.happened) == before
    assert any(isinstance(item, NotAdmitted) for item in run.journal)


def test_a_port_that_trusts_nobody_takes_nothing() -> None:
    device = Notebook()
    run = TableLinkRun(device, 1, trust=NO_TRUST)
    device.write(1)
    run.later(30 * S)

    assert run.happened == []


def test_a_device_without_identity_is_taken_where_the_configuration_says_so_alone() -> None:
    device = Notebook(bare=True)
    taken = []
    for trust in (Trust(bare=True), trust_in(Notebook())):
        run = TableLinkRun(device, 1, trust=trust)
        device.write(1)
        run.later(30 * S)
        taken.append(bool(run.happened))

    assert taken == [True, False]


def test_events_of_before_the_pairing_are_not_told() -> None:
    device = Notebook()
    for number in range(5):
        device.write(number)
    device.tick(0)
    trust = trust_in(device)
    assert trust.pin is not None
    pin = replace(trust.pin, first_event=device.memory.next_number)
    run = TableLinkRun(device, 1, trust=replace(trust, pin=pin))
    device.write(5)
    run.later(10 * S)

    assert [one.body for one in run.happened] == [ConfigChanged("5")]


def test_what_a_device_lost_is_declared() -> None:
    device = Notebook()
    run = TableLinkRun(device, 1)
    device.write(1)
    run.later(5 * S)
    device.memory.next_number += 7
    device.write(2)
    run.restart()
    run.later(20 * S)

    assert [item.count for item in run.journal if isinstance(item, EventsMissing)] == [7]

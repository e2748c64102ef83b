"""The lives of two batches as the emulated shuffler really treats them, through the real driver.

Responsible for: that usual exchanges of real pieces of plastic raise no doubt at all, and that,
whatever people do to the shuffler and wherever power and cable fail, a batch that may be dealt from
is whole and was shuffled since it was dealt last.
Not responsible for: single facts (tests of controller.custody.lineage) and the verdicts of a table.
"""

from collections.abc import Callable
from random import Random

import pytest

from controller.custody.batch_life.facts import (
    EventsLost,
    Fact,
    FirstCardOut,
    GoesIn,
    PortGone,
    ShoeOver,
    WarningAnswered,
)
from controller.custody.batch_life.follow import begun, follow
from controller.custody.batch_life.permissions import due_in_play, hindrances
from controller.custody.batch_life.stages import EDGES, BatchStage
from controller.state_table import StateTable
from drivers.catalogue import TABLELINK, ShufflerSettings, build_shuffler
from drivers.events import DeviceEvent, ReportsLost
from drivers.interface import DriverOutput
from drivers.shuffler_events import ShufflerEvent
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import batch
from hil.emulator.tablelink.compartment import Holding, Mode
from hil.emulator.tablelink.mechanism import ShufflerSettings as EmulatedSettings
from hil.emulator.tablelink.shuffler import Shuffler as EmulatedShuffler

MS = 1_000_000
SECOND_MS = 1_000
SHUFFLE_MS = 3 * SECOND_MS
CARDS = 52
LIVES = StateTable(EDGES)
BACKS = ("red", "blue")
WHOLE = {
    back: tuple(one for one in batch(f"{back}-1", back, 1).cards if one.card is not None)
    for back in BACKS
}


class Table:
    """People, a shuffler on a cable, and what is known of both batches."""

    def __init__(self) -> None:
        self.shuffler = EmulatedShuffler(EmulatedSettings(decks=1, shuffle_ns=SHUFFLE_MS * MS))
        pins = self.shuffler.pins
        image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
        pin = Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1)
        self.driver = build_shuffler(TABLELINK, ShufflerSettings(False, Trust(pin, (image,))))
        self.state = self.driver.initial()
        self.lineage = begun(BACKS)
        self.writes: list[bytes] = []
        self.plugged = False
        self.ms = 0
        # Ground truth: the cards people hold, and whether hands spoilt a compartment.
        self.rack: dict[str, list[PhysicalCard]] = {back: list(WHOLE[back]) for back in BACKS}
        self.out: list[PhysicalCard] = []
        self.out_clean = False
        self.spoilt = {1: True, 2: True}
        self.in_shoe = ""
        self.dealt: list[str] = []

    # The cable.

    def plug(self) -> None:
        self.plugged = True
        self.shuffler.host_appeared(self.ms * MS)
        opened = PortOpened("shuffler", self.at(), self.ms.to_bytes(32, "big"))
        self._takes(self.driver.receive(self.state, opened))
        self.lets_pass(SECOND_MS)

    def unplug(self) -> None:
        self.plugged = False
        self._takes(self.driver.receive(self.state, PortLost("shuffler", self.at(), "unplugged")))
        self.writes.clear()
        self.tell(PortGone())

    def at(self) -> Timestamp:
        return Timestamp(self.ms * MS, self.ms * MS)

    def lets_pass(self, ms: int) -> None:
        end_ms = self.ms + ms
        while self.ms < end_ms:
            dues = (self.shuffler.next_due_ns, self.driver.next_deadline_ns(self.state))
            known = [due for due in dues if due is not None]
            next_ms = self.ms + 1 if self.writes else -(-min(known, default=end_ms * MS) // MS)
            self.ms = min(max(self.ms + 1, next_ms), end_ms)
            written, self.writes = b"".join(self.writes), []
            heard = written if self.plugged else b""
            data = self.shuffler.receive(heard, self.ms * MS) + self.shuffler.tick(self.ms * MS)
            if data and self.plugged:
                chunk = Chunk("shuffler", self.at(), data)
                self._takes(self.driver.receive(self.state, chunk))
            due = self.driver.next_deadline_ns(self.state)
            if due is not None and due <= self.ms * MS:
                self._takes(self.driver.tick(self.state, self.at()))

    def _takes(self, told: tuple[object, DriverOutput]) -> None:
        self.state, output = told
        self.writes.extend((*output.to_write, *output.at_once))
        for event in output.events:
            self._hears(event)

    def _hears(self, event: DeviceEvent) -> None:
        if isinstance(event, ShufflerEvent):
            self.tell(event)
        elif isinstance(event, ReportsLost):
            self.tell(EventsLost(event.missing_min))

    def tell(self, fact: Fact) -> None:
        f = follow(LIVES, self.lineage, fact, cards=CARDS, decks=1, at_ns=self.ms * MS)
        self.lineage = f.lineage

    # What people do as they ought to.

    def stage(self, back: str) -> BatchStage:
        life = self.lineage.life(back)
        assert life is not None
        return life.stage

    def answers_all(self) -> None:
        for one in self.lineage.warnings:
            self.tell(WarningAnswered(one.number))

    def loads(self, back: str, compartment: int) -> None:
        """The batch goes into the tray and is taken in."""
        if not self.rack[back] or self.shuffler.bays[compartment].pieces:
            return
        if self.shuffler.tray or self.shuffler.busy:
            return
        self.tell(GoesIn(back))
        self.shuffler.put_in(self.rack[back])
        self.shuffler.press("load", compartment)
        self.lets_pass(SECOND_MS)
        if self.shuffler.tray:  # refused
            self.shuffler.tray.clear()
        else:
            self.rack[back] = []
            self.spoilt[compartment] = True

    def press(self, button: str, compartment: int) -> None:
        before = self.shuffler.standing(compartment).cycle
        self.shuffler.press(button, compartment)
        self.lets_pass(SHUFFLE_MS + SECOND_MS if button == "shuffle" else SECOND_MS)
        after = self.shuffler.standing(compartment)
        if button == "shuffle" and after.cycle > before and after.holding is Holding.SHUFFLED:
            self.spoilt[compartment] = False

    def takes(self, compartment: int) -> None:
        """What was released is laid on the table."""
        if self.out:
            return
        clean = not self.spoilt[compartment]
        self.out = list(self.shuffler.take(compartment))
        self.out_clean = clean
        self.lets_pass(SECOND_MS)

    def deals(self) -> None:
        """A shoe of what lies on the table, where nothing is against it."""
        due = due_in_play(self.lineage)
        if not self.out or self.in_shoe or not due or self.lineage.interlocked:
            return
        if hindrances(self.lineage, due) or self.out[0].back != due:
            return
        assert sorted(map(str, self.out)) == sorted(map(str, WHOLE[due])), "it is not whole"
        assert self.out_clean, "it was not shuffled, or spoilt since"
        assert self.dealt[-1:] != [due], "it was dealt last"
        self.tell(FirstCardOut(""))
        assert self.stage(due) is BatchStage.IN_PLAY
        self.in_shoe = due
        self.dealt.append(due)

    def ends_shoe(self) -> None:
        if self.in_shoe:
            self.tell(ShoeOver(played=True))
            self.rack[self.in_shoe], self.out, self.in_shoe = self.out, [], ""

    def sets_right(self, number: int) -> None:
        """What the machine holds back, or nobody can use, is taken out and made whole by hand."""
        bay = self.shuffler.bays[number]
        if self.shuffler.standing(number).holding is Holding.HELD and bay.operation is None:
            self.shuffler.clear_jam()
            self.shuffler.open_door(number)
            self.lets_pass(200)
            self._gathered([*self.shuffler.reach_in(number, out=CARDS), *self.shuffler.tray])
            self.shuffler.tray.clear()
            self.shuffler.close_door(number)
            self.lets_pass(200)
        self.shuffler.take_residual()
        if self.out and not self.in_shoe:
            self._gathered(self.out)
            self.out = []

    def _gathered(self, cards: list[PhysicalCard]) -> None:
        for back in BACKS:
            if any(one.back == back for one in cards):
                self.rack[back] = list(WHOLE[back])

    def shuffles_whole(self, back: str, compartment: int) -> None:
        self.loads(back, compartment)
        for button in ("count", "shuffle", "store"):
            self.press(button, compartment)


@pytest.fixture
def table() -> Table:
    table = Table()
    table.plug()
    return table


def test_usual_exchanges_raise_no_doubt(table: Table) -> None:
    table.shuffles_whole("red", 1)
    table.shuffles_whole("blue", 2)
    for shoe in range(4):
        back, compartment = (("red", 1), ("blue", 2))[shoe % 2]
        table.press("release", compartment)
        table.takes(compartment)
        table.deals()
        table.ends_shoe()
        table.shuffles_whole(back, compartment)

    assert table.dealt == ["red", "blue", "red", "blue"]
    assert not table.lineage.warnings


@pytest.mark.parametrize("cut", ["power", "cable"])
@pytest.mark.parametrize("after_ms", [500, 1_500, 2_500, 4_000, 6_000, 7_500])
def test_power_or_cable_lost_anywhere_in_an_exchange_deals_no_wrong_batch(
    table: Table, cut: str, after_ms: int
) -> None:
    table.shuffles_whole("blue", 2)
    table.loads("red", 1)
    for button in ("count", "shuffle"):
        table.shuffler.press(button, 1)
        table.lets_pass(after_ms // 2)
    if cut == "power":
        table.shuffler.power_off()
        table.spoilt[1] = True
        table.lets_pass(SECOND_MS)
        table.shuffler.power_on()
    else:
        table.unplug()
        table.lets_pass(2 * SECOND_MS)
        table.plug()
    table.lets_pass(SHUFFLE_MS + 4 * SECOND_MS)
    table.answers_all()

    assert not table.lineage.interlocked
    assert table.stage("blue") is BatchStage.STORED
    shuffled = table.shuffler.standing(1).holding in (Holding.SHUFFLED, Holding.STORED)
    assert (table.stage("red") is BatchStage.SHUFFLED) is shuffled


BUTTONS = ("count", "shuffle", "store", "release")
NEXT = {
    Holding.LOADING: "count",
    Holding.COUNTED: "shuffle",
    Holding.SHUFFLED: "store",
    Holding.STORED: "release",
}


def mischief(table: Table, source: Random) -> Callable[[], object]:
    """One thing that people or the world may do to the shuffler."""
    number = source.choice((1, 2))
    shuffler = table.shuffler

    def hands() -> None:
        if shuffler.standing(number).holding is Holding.RELEASED:
            return  # its door is open for taking the cards out, and people watch
        shuffler.open_door(number)
        table.lets_pass(200)
        if shuffler.bays[number].operation is None:
            table.spoilt[number] = True
            taken = list(shuffler.reach_in(number, out=source.randrange(3)))
            source.shuffle(taken)
            shuffler.reach_in(number, cards=taken[: source.randrange(3)])
        table.lets_pass(200)
        shuffler.close_door(number)

    def jams() -> None:
        shuffler.jam(number)
        table.lets_pass(300)
        shuffler.clear_jam()

    def leaves_cards() -> None:
        table.spoilt[number] = True
        shuffler.leave_residual(1, number)
        table.lets_pass(300)
        if source.random() < 0.7:
            shuffler.take_residual()

    def power() -> None:
        shuffler.power_off()
        table.lets_pass(source.randrange(6 * SECOND_MS))
        shuffler.power_on()
        table.lets_pass(3 * SECOND_MS)

    def cable() -> None:
        if table.plugged:
            table.unplug()
            table.lets_pass(source.randrange(6 * SECOND_MS))
        table.plug()

    def key() -> None:
        shuffler.set_mode(source.choice((Mode.SORT, Mode.SERVICE)))
        table.lets_pass(200)
        if source.random() < 0.5:
            table.spoilt[number] = True
            table.press("shuffle", number)
            table.spoilt[number] = True
        shuffler.set_mode(Mode.PLAY)
        table.lets_pass(200)

    return source.choice((hands, jams, leaves_cards, power, cable, key))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_what_may_be_dealt_is_whole_and_shuffled(table: Table, seed: int) -> None:
    source = Random(seed)
    for _ in range(200):
        number = source.choice((1, 2))
        back = source.choice(BACKS)
        chance = source.random()
        if chance < 0.03:
            mischief(table, source)()
        elif chance < 0.25:
            table.loads(back, number)
        elif chance < 0.35:
            table.press(source.choice(BUTTONS), number)
        elif chance < 0.65:
            table.press(NEXT.get(table.shuffler.standing(number).holding, "load"), number)
        elif chance < 0.75:
            table.takes(number)
        elif chance < 0.87:
            table.deals()
        elif chance < 0.95:
            table.ends_shoe()
        else:
            table.sets_right(number)
        table.lets_pass(source.randrange(300))
        if source.random() < 0.3:
            table.answers_all()

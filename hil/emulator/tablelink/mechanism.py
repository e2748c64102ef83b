"""The works of an emulated shuffler: what begins, what ends, what is told of it.

Responsible for: loading, counting, shuffling, storing and releasing, each in its time; breaking
off; telling what has changed, once.
Not responsible for: what people do to it (shuffler), which requests are allowed when
(shuffler_rules), a compartment's cards (shuffler_bay), the line (tablelink_talk).
Source: wire document of TableLink/1; where that is silent the decisions stand in the package
README, "TableLink devices".
"""

from dataclasses import dataclass, replace
from random import Random

from hil.dealing.cards import PhysicalCard
from hil.emulator.tablelink.cbor import Map, encoded
from hil.emulator.tablelink.compartment import (
    SEVERAL_BACKS,
    Bay,
    Breaking,
    Holding,
    Mode,
    Operation,
    Result,
    Standing,
    standing_of,
)
from hil.emulator.tablelink.device import SHUFFLER, TableLinkDevice, TableLinkSettings
from hil.emulator.tablelink.order_rules import (
    COMPARTMENTS,
    HOUSING,
    WORK,
    Machine,
    objection,
    status,
)
from hil.emulator.tablelink.session import Judged, refused
from hil.emulator.tablelink.status_events import Fact, lamps, lit, sensors, standings
from hil.emulator.tablelink.wire import Answer, Ask, Kind

MODE_SET = "mode set"
TEXT_CHARACTERS_MAX = 64


@dataclass(frozen=True, slots=True)
class ShufflerSettings(TableLinkSettings):
    """Durations in nanoseconds, 0: at once. `decks` 0: it knows of no number it has to find.

    `reading`: it reads faces; else it counts cards and sees backs. `verifies`: it checks what it
    has shuffled. `shuffle_seed` gives the orders it shuffles into.
    """

    reading: bool = False
    verifies: bool = True
    decks: int = 0
    shuffle_seed: int = 1
    load_card_ns: int = 0
    count_card_ns: int = 0
    shuffle_ns: int = 0
    store_ns: int = 0
    release_ns: int = 0
    self_test_ns: int = 0


class ShufflerWorks(TableLinkDevice):
    """`tray` holds what people put in. `broken`: what its self-test will find."""

    role = SHUFFLER

    def __init__(self, settings: ShufflerSettings) -> None:
        self.settings = settings
        super().__init__(settings)
        self.tray: list[PhysicalCard] = []
        self.bays = {number: Bay(settings.reading) for number in COMPARTMENTS}
        self.broken = ""
        self._housing_open = False
        self._lamps: dict[int, str] = {}
        self._testing: Operation | None = None

    def standing(self, compartment: int) -> Standing:
        """What the machine knows of a compartment."""
        return standing_of(self.memory.facts.get(_standing(compartment)))

    @property
    def mode(self) -> Mode:
        kept = self.memory.facts.get(MODE_SET, int(Mode.PLAY))
        return Mode(kept) if isinstance(kept, int) else Mode.PLAY

    # Requests, and what they begin.

    def _machine(self) -> Machine:
        return Machine(
            mode=self.mode,
            door_open=self._housing_open,
            bays=tuple(self.bays[number] for number in COMPARTMENTS),
            standings=tuple(map(self.standing, COMPARTMENTS)),
            tray=len(self.tray),
            testing=self._testing is not None,
            gate_closed=self.memory.gate_closed,
        )

    def _judge(self, ask: Ask, argument: int) -> Judged:
        machine = self._machine()
        why = objection(machine, ask, argument)
        if why:
            return refused(why)
        if ask in WORK:
            return Judged(act=lambda: self._begin(ask, argument))
        match ask:
            case Ask.STATUS:
                return Judged(
                    told=status(machine, tuple(sorted(self._lit())), self.memory.last_number)
                )
            case Ask.ABORT:
                return Judged(act=lambda: self._abort(argument))
            case Ask.MODE:
                return Judged(act=lambda: self.memory.put(MODE_SET, argument))
            case Ask.SELF_TEST:
                return Judged(act=self._begin_test)
            case _:
                return Judged(Answer.UNKNOWN, "a shuffler has no such request")

    def _begin(self, ask: Ask, number: int) -> None:
        bay, settings = self.bays[number], self.settings
        sorting = ask is Ask.SHUFFLE and self.mode is Mode.SORT
        if ask is Ask.LOAD or sorting:
            self._stand(number, Standing(Holding.LOADING, cycle=self.standing(number).cycle))
        elif ask is Ask.SHUFFLE and not self._shuffle_begins(number):
            return
        durations = {
            Ask.LOAD: settings.load_card_ns * len(self.tray),
            Ask.COUNT: settings.count_card_ns * len(bay.pieces),
            Ask.SHUFFLE: settings.shuffle_ns,
            Ask.STORE: settings.store_ns,
            Ask.RELEASE: settings.release_ns,
        }
        ends_ns = self._at_ns + durations[ask]
        bay.operation = Operation(ask, ends_ns, self._moment.uptime_us, sorting)
        self._tell(standings(self._machine()))

    def _shuffle_begins(self, number: int) -> bool:
        cycle = self.memory.next_cycle()
        begun = replace(self.standing(number), holding=Holding.SHUFFLING, cycle=cycle)
        fact = (_standing(number), begun.kept)
        return self._note(Kind.BATCH_STARTED, {1: number, 2: cycle}, fact)

    def _begin_test(self) -> None:
        ends_ns = self._at_ns + self.settings.self_test_ns
        self._testing = Operation(Ask.SELF_TEST, ends_ns, self._moment.uptime_us)

    def _abort(self, compartment: int) -> None:
        self._testing = None if compartment == HOUSING else self._testing
        for number in (compartment,) if compartment else COMPARTMENTS:
            self._break_off(number, Breaking.PERSON)

    # Time.

    def _work(self) -> None:
        self._tell(sensors(self._machine()))
        for number, bay in self.bays.items():
            if bay.jammed:
                self._break_off(number, Breaking.JAM)
            if bay.door_open or self._housing_open:
                self._break_off(number, Breaking.DOOR)
            if bay.operation is not None and self._at_ns >= bay.operation.ends_ns:
                self._end(number, bay.operation)
            self._look_into(number, bay)
        if self._testing is not None and self._at_ns >= self._testing.ends_ns:
            self._end_test()
        self._tell(sensors(self._machine()))
        self._tell(standings(self._machine()))
        self._tell(lamps(self._lit(), self.memory.facts))

    @property
    def _work_due_ns(self) -> int | None:
        under_way = [bay.operation for bay in self.bays.values()] + [self._testing]
        return min((one.ends_ns for one in under_way if one is not None), default=None)

    def _look_into(self, number: int, bay: Bay) -> None:
        """Whether there is something in a compartment, and whether hands could reach it."""
        standing = self.standing(number)
        if bay.operation is not None:
            return
        empty = standing.holding is Holding.EMPTY
        if not bay.pieces and not empty:
            self._stand(number, Standing(cycle=standing.cycle))
        elif bay.pieces and (empty or (bay.door_open and standing.holding is not Holding.RELEASED)):
            self._stand(number, Standing(Holding.HELD, cycle=standing.cycle))

    def _stand(self, number: int, standing: Standing) -> None:
        self.memory.put(_standing(number), standing.kept)

    def _end(self, number: int, operation: Operation) -> None:
        bay, standing = self.bays[number], self.standing(number)
        bay.operation = None
        match operation.ask:
            case Ask.LOAD:
                bay.pieces.extend(self.tray)
                self.tray.clear()
            case Ask.COUNT:
                self._stand(number, replace(bay.sensed(), cycle=standing.cycle))
            case Ask.SHUFFLE if operation.sorting:
                bay.sort()
            case Ask.SHUFFLE:
                self._shuffled(number, standing, operation)
            case Ask.STORE:
                self._stand(number, standing.now(Holding.STORED))
            case _:
                self._stand(number, standing.now(Holding.RELEASED))

    def _shuffled(self, number: int, before: Standing, operation: Operation) -> None:
        bay = self.bays[number]
        bay.shuffle(self._source(before.cycle))
        sensed = replace(bay.sensed(), cycle=before.cycle)
        result = self._verified(before, sensed)
        receipt = self._receipt(number, sensed, result, operation)
        sealed = encoded(receipt) if self.identity.bare else self.identity.sealed(receipt)
        good = result in (Result.GOOD, Result.UNVERIFIED)
        after = sensed.now(Holding.SHUFFLED if good else Holding.HELD)
        body: Map = {1: sealed, 2: not self.identity.bare}
        if not self._note(Kind.BATCH_DONE, body, (_standing(number), after.kept)):
            self._stand(number, sensed.now(Holding.HELD))

    def _verified(self, before: Standing, sensed: Standing) -> Result:
        settings = self.settings
        if not settings.verifies:
            return Result.UNVERIFIED
        if sensed.cards != before.cards or sensed.cards != (settings.decks * 52 or before.cards):
            return Result.COUNT_DIFFERS
        faces = bytes((settings.decks,)) * 52 if settings.decks else before.faces
        if settings.reading and sensed.faces != faces:
            return Result.FACES_DIFFER
        return Result.FACES_DIFFER if sensed.back == SEVERAL_BACKS else Result.GOOD

    def _receipt(self, number: int, sensed: Standing, result: Result, done: Operation) -> Map:
        boot, ware = self._boot_now, self.identity.firmware
        receipt: Map = {
            1: self.identity.device,
            2: boot.id,
            3: sensed.cycle,
            4: number,
            5: sensed.cards,
            6: int(result),
            9: done.began_us,
            10: self._moment.uptime_us,
            11: ware.image,
            12: ware.version,
            13: boot.count,
        }
        if sensed.back:
            receipt[7] = sensed.back
        if sensed.faces:
            receipt[8] = sensed.faces
        return receipt

    def _end_test(self) -> None:
        self._testing = None
        found = self.broken or ", ".join(self._lit().values())
        self._note(Kind.SELFTEST, {1: not found, 2: (found or "ok")[:TEXT_CHARACTERS_MAX]})

    def _break_off(self, number: int, reason: Breaking) -> None:
        bay, standing = self.bays[number], self.standing(number)
        operation, bay.operation = bay.operation, None
        held = Standing(Holding.HELD, cycle=standing.cycle)
        if standing.holding is Holding.SHUFFLING:
            bay.shuffle_part(self._source(standing.cycle))
            body: Map = {1: number, 2: standing.cycle, 3: int(reason)}
            if not self._note(Kind.BATCH_ABORTED, body, (_standing(number), held.kept)):
                self._stand(number, held)
        elif operation is not None:
            self._feed_part(bay, operation)
            self._stand(number, held)

    def _feed_part(self, bay: Bay, operation: Operation) -> None:
        """What loading has done when it is broken off."""
        if operation.ask is Ask.LOAD:
            half = len(self.tray) // 2
            bay.pieces.extend(self.tray[:half])
            del self.tray[:half]

    def _source(self, cycle: int) -> Random:
        return Random(f"{self.settings.shuffle_seed}:{cycle}")  # noqa: S311 - reproducible

    # Telling what has changed. What finds no room is told once there is room again.

    def _tell(self, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            if self.memory.facts.get(fact.name, fact.at_first) == fact.value:
                continue
            if self.memory.has_room:
                self._note(fact.kind, fact.body, (fact.name, fact.value))
            else:
                self.memory.overflow(self._moment)

    def _lit(self) -> dict[int, str]:
        return lit(self._machine(), self._lamps)

    # Power.

    def _broken_off(self) -> int:
        shuffling = (self.standing(n).holding is Holding.SHUFFLING for n in COMPARTMENTS)
        return sum(1 << at for at, under_way in enumerate(shuffling) if under_way)

    def _woken(self) -> None:
        for number in COMPARTMENTS:
            self._break_off(number, Breaking.POWER)

    def _off(self) -> None:
        for bay in self.bays.values():
            if bay.operation is not None:
                self._feed_part(bay, bay.operation)
            bay.operation = None
        self._testing = None
        self._lamps.clear()


def _standing(number: int) -> str:
    return f"standing {number}"

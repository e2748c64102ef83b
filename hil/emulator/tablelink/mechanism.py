"""Emulates a shuffler's mechanism: timed load, count, shuffle, store and release, and its events.

Source: wire document of TableLink/1; where that is silent, hil/emulator/README.md, "TableLink
devices".
"""

from dataclasses import dataclass, replace
from random import Random

from hil.dealing.cards import PhysicalCard
from hil.emulator.tablelink.cbor import Map, encode
from hil.emulator.tablelink.compartment import (
    SEVERAL_BACKS,
    AbortReason,
    Bay,
    CompartmentPhase,
    CompartmentRecord,
    DeviceMode,
    Operation,
    ShuffleResult,
    load_record,
)
from hil.emulator.tablelink.device import SHUFFLER, TableLinkDevice, TableLinkSettings
from hil.emulator.tablelink.order_rules import (
    CARD_REQUESTS,
    COMPARTMENTS,
    HOUSING,
    MachineState,
    objection,
    status,
)
from hil.emulator.tablelink.session import RequestDecision, refuse
from hil.emulator.tablelink.status_events import (
    StatusFact,
    active_warnings,
    compartment_facts,
    sensor_facts,
    warning_facts,
)
from hil.emulator.tablelink.wire import EventKind, RequestStatus, RequestType

MODE_SET = "mode set"
TEXT_CHARACTERS_MAX = 64


@dataclass(frozen=True, slots=True)
class ShufflerSettings(TableLinkSettings):
    """Durations in nanoseconds, 0: at once. `decks` 0: no expected number of decks.

    `reading`: it reads faces; else it counts cards and senses backs. `verifies`: it checks each
    shuffle. `shuffle_seed` determines the shuffled orders.
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


class ShufflerMechanism(TableLinkDevice):
    """The mechanism. `tray`: cards people put in. `broken`: the defect a self-test finds."""

    role = SHUFFLER

    def __init__(self, settings: ShufflerSettings) -> None:
        self.settings = settings
        super().__init__(settings)
        self.tray: list[PhysicalCard] = []
        self.bays = {number: Bay(settings.reading) for number in COMPARTMENTS}
        self.broken = ""
        self._housing_open = False
        self._own_warnings: dict[int, str] = {}
        self._testing: Operation | None = None

    def compartment_record(self, compartment: int) -> CompartmentRecord:
        """What the machine knows about a compartment."""
        return load_record(self.memory.facts.get(_record_name(compartment)))

    @property
    def mode(self) -> DeviceMode:
        stored = self.memory.facts.get(MODE_SET, int(DeviceMode.PLAY))
        return DeviceMode(stored) if isinstance(stored, int) else DeviceMode.PLAY

    # Requests.

    def _machine(self) -> MachineState:
        return MachineState(
            mode=self.mode,
            door_open=self._housing_open,
            bays=tuple(self.bays[number] for number in COMPARTMENTS),
            records=tuple(map(self.compartment_record, COMPARTMENTS)),
            tray=len(self.tray),
            testing=self._testing is not None,
            gate_closed=self.memory.gate_closed,
        )

    def _decide(self, request: RequestType, argument: int) -> RequestDecision:
        machine = self._machine()
        why = objection(machine, request, argument)
        if why:
            return refuse(why)
        if request in CARD_REQUESTS:
            return RequestDecision(act=lambda: self._start(request, argument))
        match request:
            case RequestType.STATUS:
                return RequestDecision(
                    result=status(machine, tuple(sorted(self._warnings())), self.memory.last_number)
                )
            case RequestType.ABORT:
                return RequestDecision(act=lambda: self._abort(argument))
            case RequestType.MODE:
                return RequestDecision(act=lambda: self.memory.put(MODE_SET, argument))
            case RequestType.SELF_TEST:
                return RequestDecision(act=self._start_self_test)
            case _:
                return RequestDecision(RequestStatus.UNKNOWN, "a shuffler has no such request")

    def _start(self, request: RequestType, number: int) -> None:
        bay, settings = self.bays[number], self.settings
        sorting = request is RequestType.SHUFFLE and self.mode is DeviceMode.SORT
        if request is RequestType.LOAD or sorting:
            self._store_record(
                number,
                CompartmentRecord(
                    CompartmentPhase.LOADING, cycle=self.compartment_record(number).cycle
                ),
            )
        elif request is RequestType.SHUFFLE and not self._start_shuffle(number):
            return
        durations = {
            RequestType.LOAD: settings.load_card_ns * len(self.tray),
            RequestType.COUNT: settings.count_card_ns * len(bay.pieces),
            RequestType.SHUFFLE: settings.shuffle_ns,
            RequestType.STORE: settings.store_ns,
            RequestType.RELEASE: settings.release_ns,
        }
        ends_ns = self._at_ns + durations[request]
        bay.operation = Operation(request, ends_ns, self._time.uptime_us, sorting)
        self._report_changes(compartment_facts(self._machine()))

    def _start_shuffle(self, number: int) -> bool:
        cycle = self.memory.next_cycle()
        started = replace(
            self.compartment_record(number), phase=CompartmentPhase.SHUFFLING, cycle=cycle
        )
        fact = (_record_name(number), started.stored_value)
        return self._record(EventKind.BATCH_STARTED, {1: number, 2: cycle}, fact)

    def _start_self_test(self) -> None:
        ends_ns = self._at_ns + self.settings.self_test_ns
        self._testing = Operation(RequestType.SELF_TEST, ends_ns, self._time.uptime_us)

    def _abort(self, compartment: int) -> None:
        self._testing = None if compartment == HOUSING else self._testing
        for number in (compartment,) if compartment else COMPARTMENTS:
            self._abort_operation(number, AbortReason.PERSON)

    # Time.

    def _work(self) -> None:
        self._report_changes(sensor_facts(self._machine()))
        for number, bay in self.bays.items():
            if bay.jammed:
                self._abort_operation(number, AbortReason.JAM)
            if bay.door_open or self._housing_open:
                self._abort_operation(number, AbortReason.DOOR)
            if bay.operation is not None and self._at_ns >= bay.operation.ends_ns:
                self._end_operation(number, bay.operation)
            self._check_contents(number, bay)
        if self._testing is not None and self._at_ns >= self._testing.ends_ns:
            self._end_self_test()
        self._report_changes(sensor_facts(self._machine()))
        self._report_changes(compartment_facts(self._machine()))
        self._report_changes(warning_facts(self._warnings(), self.memory.facts))

    @property
    def _work_due_ns(self) -> int | None:
        under_way = [bay.operation for bay in self.bays.values()] + [self._testing]
        return min((one.ends_ns for one in under_way if one is not None), default=None)

    def _check_contents(self, number: int, bay: Bay) -> None:
        """Update the record when cards appear or vanish, or hands could reach them."""
        record = self.compartment_record(number)
        if bay.operation is not None:
            return
        empty = record.phase is CompartmentPhase.EMPTY
        if not bay.pieces and not empty:
            self._store_record(number, CompartmentRecord(cycle=record.cycle))
        elif bay.pieces and (
            empty or (bay.door_open and record.phase is not CompartmentPhase.RELEASED)
        ):
            self._store_record(number, CompartmentRecord(CompartmentPhase.HELD, cycle=record.cycle))

    def _store_record(self, number: int, record: CompartmentRecord) -> None:
        self.memory.put(_record_name(number), record.stored_value)

    def _end_operation(self, number: int, operation: Operation) -> None:
        bay, record = self.bays[number], self.compartment_record(number)
        bay.operation = None
        match operation.request:
            case RequestType.LOAD:
                bay.pieces.extend(self.tray)
                self.tray.clear()
            case RequestType.COUNT:
                self._store_record(number, replace(bay.count(), cycle=record.cycle))
            case RequestType.SHUFFLE if operation.sorting:
                bay.sort()
            case RequestType.SHUFFLE:
                self._end_shuffle(number, record, operation)
            case RequestType.STORE:
                self._store_record(number, record.in_state(CompartmentPhase.STORED))
            case _:
                self._store_record(number, record.in_state(CompartmentPhase.RELEASED))

    def _end_shuffle(self, number: int, before: CompartmentRecord, operation: Operation) -> None:
        bay = self.bays[number]
        bay.shuffle(self._random_source(before.cycle))
        counted = replace(bay.count(), cycle=before.cycle)
        result = self._verify(before, counted)
        receipt = self._build_receipt(number, counted, result, operation)
        sealed = encode(receipt) if self.identity.bare else self.identity.sign_statement(receipt)
        good = result in (ShuffleResult.GOOD, ShuffleResult.UNVERIFIED)
        after = counted.in_state(CompartmentPhase.SHUFFLED if good else CompartmentPhase.HELD)
        body: Map = {1: sealed, 2: not self.identity.bare}
        if not self._record(EventKind.BATCH_DONE, body, (_record_name(number), after.stored_value)):
            self._store_record(number, counted.in_state(CompartmentPhase.HELD))

    def _verify(self, before: CompartmentRecord, counted: CompartmentRecord) -> ShuffleResult:
        settings = self.settings
        if not settings.verifies:
            return ShuffleResult.UNVERIFIED
        if counted.cards != before.cards or counted.cards != (settings.decks * 52 or before.cards):
            return ShuffleResult.COUNT_DIFFERS
        faces = bytes((settings.decks,)) * 52 if settings.decks else before.faces
        if settings.reading and counted.faces != faces:
            return ShuffleResult.FACES_DIFFER
        return ShuffleResult.FACES_DIFFER if counted.back == SEVERAL_BACKS else ShuffleResult.GOOD

    def _build_receipt(
        self, number: int, counted: CompartmentRecord, result: ShuffleResult, done: Operation
    ) -> Map:
        boot, firmware = self._boot_now, self.identity.firmware
        receipt: Map = {
            1: self.identity.device,
            2: boot.id,
            3: counted.cycle,
            4: number,
            5: counted.cards,
            6: int(result),
            9: done.began_us,
            10: self._time.uptime_us,
            11: firmware.image,
            12: firmware.version,
            13: boot.count,
        }
        if counted.back:
            receipt[7] = counted.back
        if counted.faces:
            receipt[8] = counted.faces
        return receipt

    def _end_self_test(self) -> None:
        self._testing = None
        defect = self.broken or ", ".join(self._warnings().values())
        self._record(EventKind.SELFTEST, {1: not defect, 2: (defect or "ok")[:TEXT_CHARACTERS_MAX]})

    def _abort_operation(self, number: int, reason: AbortReason) -> None:
        bay, record = self.bays[number], self.compartment_record(number)
        operation, bay.operation = bay.operation, None
        held = CompartmentRecord(CompartmentPhase.HELD, cycle=record.cycle)
        if record.phase is CompartmentPhase.SHUFFLING:
            bay.shuffle_part(self._random_source(record.cycle))
            body: Map = {1: number, 2: record.cycle, 3: int(reason)}
            if not self._record(
                EventKind.BATCH_ABORTED, body, (_record_name(number), held.stored_value)
            ):
                self._store_record(number, held)
        elif operation is not None:
            self._feed_part(bay, operation)
            self._store_record(number, held)

    def _feed_part(self, bay: Bay, operation: Operation) -> None:
        """Feed half of the tray: the state after an aborted load."""
        if operation.request is RequestType.LOAD:
            half = len(self.tray) // 2
            bay.pieces.extend(self.tray[:half])
            del self.tray[:half]

    def _random_source(self, cycle: int) -> Random:
        return Random(f"{self.settings.shuffle_seed}:{cycle}")  # noqa: S311 - reproducible

    # Reporting changes. A change without room is reported once there is room again.

    def _report_changes(self, facts: tuple[StatusFact, ...]) -> None:
        for fact in facts:
            if self.memory.facts.get(fact.name, fact.initial) == fact.value:
                continue
            if self.memory.has_room:
                self._record(fact.kind, fact.body, (fact.name, fact.value))
            else:
                self.memory.overflow(self._time)

    def _warnings(self) -> dict[int, str]:
        return active_warnings(self._machine(), self._own_warnings)

    # Power.

    def _interrupted_shuffles(self) -> int:
        shuffling = (
            self.compartment_record(n).phase is CompartmentPhase.SHUFFLING for n in COMPARTMENTS
        )
        return sum(1 << at for at, under_way in enumerate(shuffling) if under_way)

    def _after_boot(self) -> None:
        for number in COMPARTMENTS:
            self._abort_operation(number, AbortReason.POWER)

    def _after_power_loss(self) -> None:
        for bay in self.bays.values():
            if bay.operation is not None:
                self._feed_part(bay, bay.operation)
            bay.operation = None
        self._testing = None
        self._own_warnings.clear()


def _record_name(number: int) -> str:
    return f"record {number}"

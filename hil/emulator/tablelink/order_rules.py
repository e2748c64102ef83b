"""Decides which requests an emulated shuffler refuses in its present state.

Source: wire document of TableLink/1, "Requests".
"""

from dataclasses import dataclass

from hil.emulator.tablelink.cbor import Map
from hil.emulator.tablelink.compartment import Bay, CompartmentPhase, CompartmentRecord, DeviceMode
from hil.emulator.tablelink.wire import RequestType

HOUSING = 0
COMPARTMENTS = (1, 2)
CARD_REQUESTS = (
    RequestType.LOAD,
    RequestType.COUNT,
    RequestType.SHUFFLE,
    RequestType.STORE,
    RequestType.RELEASE,
)
# The states of a compartment in which each request may start, preferred ones first.
ALLOWED_STATES = {
    RequestType.LOAD: (CompartmentPhase.EMPTY, CompartmentPhase.LOADING, CompartmentPhase.HELD),
    RequestType.COUNT: (CompartmentPhase.LOADING, CompartmentPhase.HELD, CompartmentPhase.COUNTED),
    RequestType.SHUFFLE: (CompartmentPhase.COUNTED,),
    RequestType.STORE: (CompartmentPhase.SHUFFLED,),
    RequestType.RELEASE: (CompartmentPhase.STORED,),
}
RELEASE_STATES_IN_SERVICE = (
    CompartmentPhase.LOADING,
    CompartmentPhase.COUNTED,
    CompartmentPhase.SHUFFLED,
    CompartmentPhase.STORED,
    CompartmentPhase.HELD,
)


@dataclass(frozen=True, slots=True)
class MachineState:
    """The whole state of the machine; `bays` and `records` by compartment."""

    mode: DeviceMode
    door_open: bool
    bays: tuple[Bay, ...]
    records: tuple[CompartmentRecord, ...]
    tray: int
    testing: bool
    gate_closed: bool

    @property
    def busy(self) -> bool:
        return self.testing or any(bay.operation is not None for bay in self.bays)

    @property
    def any_door(self) -> bool:
        return self.door_open or any(bay.door_open for bay in self.bays)

    @property
    def residual(self) -> int:
        return sum(len(bay.stuck) for bay in self.bays)


def status(machine: MachineState, warnings: tuple[int, ...], recorded: int) -> Map:
    """The body of a STATUS answer; `warnings` are the codes of the active warnings.

    `recorded` is the number of the last event: the host waits until it has received that one.
    """
    compartments = zip(COMPARTMENTS, machine.records, strict=True)
    return {
        1: int(machine.mode),
        2: machine.any_door,
        3: tuple(
            (number, int(one.phase), one.cards, one.back, one.cycle) for number, one in compartments
        ),
        4: machine.residual,
        5: warnings,
        6: machine.gate_closed,
        7: recorded,
    }


def choose_compartment(request: RequestType, records: tuple[CompartmentRecord, ...]) -> int:
    """Choose the compartment for a button pressed without one."""
    for phase in ALLOWED_STATES[request]:
        for number, record in zip(COMPARTMENTS, records, strict=True):
            if record.phase is phase:
                return number
    return COMPARTMENTS[0]


def objection(machine: MachineState, request: RequestType, argument: int) -> str:
    """Why the request is refused now; empty: it is not."""
    if request in CARD_REQUESTS:
        return _card_request_objection(machine, request, argument)
    match request:
        case RequestType.SELF_TEST if machine.busy:
            return "busy"
        case RequestType.ABORT if argument not in (HOUSING, *COMPARTMENTS):
            return "no such compartment"
        case RequestType.MODE if argument not in tuple(DeviceMode):
            return "no such mode"
        case RequestType.MODE if machine.busy:
            return "busy"
        case _:
            return ""


def _card_request_objection(machine: MachineState, request: RequestType, number: int) -> str:
    if number not in COMPARTMENTS:
        return "no such compartment"
    bay, record = machine.bays[number - 1], machine.records[number - 1]
    reasons = (
        (machine.gate_closed, "the memory of events is nearly full"),
        (_mode_forbids(machine.mode, request), f"not in {machine.mode.name.lower()} mode"),
        (machine.door_open or bay.door_open, "a door is open"),
        (bay.jammed, "a card is jammed"),
        (machine.residual > 0, "cards are left where none may be"),
        (bay.operation is not None or machine.testing, "busy"),
        (_state_forbids(machine.mode, request, record), _state_text(record)),
        (request is RequestType.LOAD and not machine.tray, "no cards in the tray"),
        (_tray_in_use(machine, request), "busy"),
    )
    return next((why for applies, why in reasons if applies), "")


def _mode_forbids(mode: DeviceMode, request: RequestType) -> bool:
    """In service only release is allowed; sorting allows no store or release; a test nothing."""
    match mode:
        case DeviceMode.PLAY:
            return False
        case DeviceMode.SERVICE:
            return request is not RequestType.RELEASE
        case DeviceMode.SORT:
            return request not in (RequestType.LOAD, RequestType.COUNT, RequestType.SHUFFLE)
        case DeviceMode.TEST:
            return True


def _state_forbids(mode: DeviceMode, request: RequestType, record: CompartmentRecord) -> bool:
    if mode is DeviceMode.SERVICE:
        return record.phase not in RELEASE_STATES_IN_SERVICE
    return record.phase not in ALLOWED_STATES[request]


def _state_text(record: CompartmentRecord) -> str:
    if record.phase is CompartmentPhase.EMPTY:
        return "the compartment is empty"
    return f"the compartment is {record.phase.name.lower()}"


def _tray_in_use(machine: MachineState, request: RequestType) -> bool:
    """Whether the only tray is already feeding a compartment."""
    feeding = any(
        bay.operation and bay.operation.request is RequestType.LOAD for bay in machine.bays
    )
    return request is RequestType.LOAD and feeding

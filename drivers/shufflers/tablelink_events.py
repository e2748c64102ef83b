"""Maps event bodies and the status of a TableLink shuffler to device events.

What the shuffler claims is passed on unchecked.

Source: firmware_bridge README, "TableLink/1", "Events".
"""

from types import MappingProxyType
from typing import TypeAlias, assert_never

from drivers import shuffler_events as events
from drivers.events import DeviceEvent
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    AbortReason,
    CompartmentState,
    ShuffleResult,
    ShufflerMode,
)
from drivers.tablelink import common_events as own_affairs
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import (
    AbortCode,
    CompartmentPhase,
    DeviceMode,
    DeviceStatus,
    EventBody,
    ShuffleCheckResult,
)
from foundation.message import message

_STATES = MappingProxyType(
    {
        CompartmentPhase.EMPTY: CompartmentState.EMPTY,
        CompartmentPhase.LOADING: CompartmentState.LOADING,
        CompartmentPhase.COUNTED: CompartmentState.COUNTED,
        CompartmentPhase.SHUFFLING: CompartmentState.SHUFFLING,
        CompartmentPhase.SHUFFLED: CompartmentState.SHUFFLED,
        CompartmentPhase.STORED: CompartmentState.STORED,
        CompartmentPhase.RELEASED: CompartmentState.RELEASED,
        CompartmentPhase.HELD: CompartmentState.HELD,
    }
)
_RESULTS = MappingProxyType(
    {
        ShuffleCheckResult.GOOD: ShuffleResult.GOOD,
        ShuffleCheckResult.COUNT_DIFFERS: ShuffleResult.COUNT_DIFFERS,
        ShuffleCheckResult.FACES_DIFFER: ShuffleResult.FACES_DIFFER,
        ShuffleCheckResult.UNVERIFIED: ShuffleResult.UNVERIFIED,
    }
)
_REASONS = MappingProxyType(
    {
        AbortCode.JAM: AbortReason.JAM,
        AbortCode.POWER: AbortReason.POWER,
        AbortCode.DOOR: AbortReason.DOOR,
        AbortCode.PERSON: AbortReason.PERSON,
        AbortCode.FAULT: AbortReason.FAULT,
    }
)
_MODES = MappingProxyType(
    {
        DeviceMode.PLAY: ShufflerMode.PLAY,
        DeviceMode.SERVICE: ShufflerMode.SERVICE,
        DeviceMode.SORT: ShufflerMode.SORT,
        DeviceMode.TEST: ShufflerMode.TEST,
    }
)
# The device as a whole (0), or one of its two compartments.
_PLACES = (0, 1, 2)
_COMPARTMENTS = (1, 2)

_PlaceBody: TypeAlias = (
    bodies.CompartmentReport
    | bodies.BatchStarted
    | bodies.BatchDone
    | bodies.BatchAborted
    | bodies.Lid
    | bodies.Jam
    | bodies.Residual
)
_DeviceBody: TypeAlias = bodies.ModeReport | bodies.WarningReport | bodies.SelfTest | bodies.PowerUp


def events_of(body: EventBody) -> tuple[DeviceEvent, ...]:
    """Map one event body of the shuffler to device events, in order."""
    match body:
        case (
            bodies.CompartmentReport()
            | bodies.BatchStarted()
            | bodies.BatchDone()
            | bodies.BatchAborted()
            | bodies.Lid()
            | bodies.Jam()
            | bodies.Residual()
        ):
            return _map_place(body)
        case bodies.ModeReport() | bodies.WarningReport() | bodies.SelfTest() | bodies.PowerUp():
            return _map_device(body)
        case (
            bodies.CardOut()
            | bodies.CardRetracted()
            | bodies.ReadFail()
            | bodies.DoubleFeed()
            | bodies.CutCardOut()
            | bodies.ShoeLoaded()
            | bodies.ShoeEmpty()
        ):
            return (DeviceFault(LinkFaultKind.MALFORMED, message("shuffler_sent_shoe_event")),)
        case _:
            return own_affairs.events_of(body)


def status_of(status: DeviceStatus) -> tuple[DeviceEvent, ...]:
    """Map a status; a compartment that does not exist gives a fault and is left out."""
    known = tuple(
        (one.compartment, _STATES[one.phase], one.cards, one.back, one.cycle)
        for one in status.compartments
        if one.compartment in _COMPARTMENTS
    )
    faults = tuple(
        _unknown_compartment(one.compartment)
        for one in status.compartments
        if one.compartment not in _COMPARTMENTS
    )
    event = events.ShufflerStatus(
        _MODES[status.mode], status.door_open, known, status.residual, status.warnings
    )
    return (*faults, event)


def _map_place(body: _PlaceBody) -> tuple[DeviceEvent, ...]:
    whole = isinstance(body, bodies.Lid | bodies.Jam | bodies.Residual)
    place = body.receipt.compartment if isinstance(body, bodies.BatchDone) else body.compartment
    if place not in (_PLACES if whole else _COMPARTMENTS):
        return (_unknown_compartment(place),)
    match body:
        case bodies.CompartmentReport(_, holding, cards, back, faces):
            state = _STATES[holding]
            return (events.CompartmentChanged(place, state, cards, back, faces),)
        case bodies.BatchStarted(cycle=cycle):
            return (events.ShuffleStarted(place, cycle),)
        case bodies.BatchDone():
            return (events.ShuffleDone(proof_of(body)),)
        case bodies.BatchAborted(_, cycle, reason):
            return (events.ShuffleAborted(place, cycle, _REASONS[reason]),)
        case bodies.Lid(open=is_open):
            return (events.DoorMoved(is_open, place),)
        case bodies.Jam(cleared=cleared):
            return (events.JamReported(place, cleared),)
        case bodies.Residual(cards=left):
            return (events.ResidualCards(place, left),)
        case _:
            assert_never(body)


def _map_device(body: _DeviceBody) -> tuple[DeviceEvent, ...]:
    match body:
        case bodies.ModeReport(mode):
            return (events.ModeChanged(_MODES[mode]),)
        case bodies.WarningReport(code, text, active):
            return (events.ShufflerWarning(code, text, active),)
        case bodies.SelfTest(passed, detail):
            return (events.SelfTested(passed, detail),)
        case bodies.PowerUp(boot_count, broken_off):
            return _started(boot_count, broken_off)
        case _:
            assert_never(body)


def _started(boot_count: int, broken_off: tuple[int, ...]) -> tuple[DeviceEvent, ...]:
    known = tuple(number for number in broken_off if number in _COMPARTMENTS)
    faults = tuple(
        _unknown_compartment(number) for number in broken_off if number not in _COMPARTMENTS
    )
    return (*faults, events.ShufflerStarted(boot_count, known))


def proof_of(done: bodies.BatchDone) -> events.ShuffleProof:
    """The receipt of a completed shuffle."""
    receipt = done.receipt
    return events.ShuffleProof(
        device=receipt.device.hex(),
        boot_id=receipt.boot_id,
        boot_count=receipt.boot_count,
        cycle=receipt.cycle,
        compartment=receipt.compartment,
        count=receipt.count,
        result=_RESULTS[receipt.result],
        back=receipt.back,
        faces=receipt.faces,
        began_us=receipt.began_us,
        ended_us=receipt.ended_us,
        image=receipt.image,
        version=receipt.version,
        sealed=done.sealed,
        signed=done.signed,
        genuine=done.genuine,
    )


def _unknown_compartment(number: int) -> DeviceFault:
    detail = message("shuffler_reported_compartment", number=number)
    return DeviceFault(LinkFaultKind.MALFORMED, detail)

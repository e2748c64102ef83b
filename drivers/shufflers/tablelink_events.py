"""What each thing a TableLink shuffler tells means in any maker's shuffler.

Responsible for: one total mapping from the bodies of its events and of its status to device
events.
Not responsible for: state (tablelink_shuffler), identity and silence (drivers.tablelink) and for
which batch lies where (controller). What the shuffler claims is passed on, never judged.
Source: package README, "Shufflers"; firmware_bridge README, "TableLink/1", "Events".
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
from drivers.tablelink import own_affairs
from drivers.tablelink.texts import harmless, identity
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies
from firmware_bridge.tablelink.bodies import Abort, Body, Holding, Mode, Status, Verified

_STATES = MappingProxyType(
    {
        Holding.EMPTY: CompartmentState.EMPTY,
        Holding.LOADING: CompartmentState.LOADING,
        Holding.COUNTED: CompartmentState.COUNTED,
        Holding.SHUFFLING: CompartmentState.SHUFFLING,
        Holding.SHUFFLED: CompartmentState.SHUFFLED,
        Holding.STORED: CompartmentState.STORED,
        Holding.RELEASED: CompartmentState.RELEASED,
        Holding.HELD: CompartmentState.HELD,
    }
)
_RESULTS = MappingProxyType(
    {
        Verified.GOOD: ShuffleResult.GOOD,
        Verified.COUNT_DIFFERS: ShuffleResult.COUNT_DIFFERS,
        Verified.FACES_DIFFER: ShuffleResult.FACES_DIFFER,
        Verified.UNVERIFIED: ShuffleResult.UNVERIFIED,
    }
)
_REASONS = MappingProxyType(
    {
        Abort.JAM: AbortReason.JAM,
        Abort.POWER: AbortReason.POWER,
        Abort.DOOR: AbortReason.DOOR,
        Abort.PERSON: AbortReason.PERSON,
        Abort.FAULT: AbortReason.FAULT,
    }
)
_MODES = MappingProxyType(
    {
        Mode.PLAY: ShufflerMode.PLAY,
        Mode.SERVICE: ShufflerMode.SERVICE,
        Mode.SORT: ShufflerMode.SORT,
        Mode.TEST: ShufflerMode.TEST,
    }
)
# Of the device as a whole or of one of its two compartments.
_PLACES = (0, 1, 2)
_COMPARTMENTS = (1, 2)

_OfPlace: TypeAlias = (
    bodies.CompartmentTold
    | bodies.BatchStarted
    | bodies.BatchDone
    | bodies.BatchAborted
    | bodies.Lid
    | bodies.Jam
    | bodies.Residual
)
_OfWhole: TypeAlias = bodies.ModeTold | bodies.WarningTold | bodies.SelfTest | bodies.PowerUp


def events_of(body: Body) -> tuple[DeviceEvent, ...]:
    """The device events of one event of the shuffler, in order."""
    match body:
        case (
            bodies.CompartmentTold()
            | bodies.BatchStarted()
            | bodies.BatchDone()
            | bodies.BatchAborted()
            | bodies.Lid()
            | bodies.Jam()
            | bodies.Residual()
        ):
            return _of_place(body)
        case bodies.ModeTold() | bodies.WarningTold() | bodies.SelfTest() | bodies.PowerUp():
            return _of_whole(body)
        case (
            bodies.CardOut()
            | bodies.CardRetracted()
            | bodies.ReadFail()
            | bodies.DoubleFeed()
            | bodies.CutCard()
            | bodies.ShoeLoaded()
            | bodies.ShoeEmpty()
        ):
            detail = "a shuffler told what only a dealing shoe can: check which device is connected"
            return (DeviceFault(LinkFaultKind.MALFORMED, detail),)
        case _:
            return own_affairs.events_of(body)


def status_of(told: Status) -> tuple[DeviceEvent, ...]:
    """All of it at once, as asked for; a compartment that cannot be is a fault and left out."""
    known = tuple(
        (one.compartment, _STATES[one.holding], one.cards, harmless(one.back), one.cycle)
        for one in told.compartments
        if one.compartment in _COMPARTMENTS
    )
    faults = tuple(
        _no_compartment(one.compartment)
        for one in told.compartments
        if one.compartment not in _COMPARTMENTS
    )
    status = events.ShufflerStatus(
        _MODES[told.mode], told.door_open, known, told.residual, told.warnings
    )
    return (*faults, status)


def _of_place(body: _OfPlace) -> tuple[DeviceEvent, ...]:
    whole = isinstance(body, bodies.Lid | bodies.Jam | bodies.Residual)
    place = body.receipt.compartment if isinstance(body, bodies.BatchDone) else body.compartment
    if place not in (_PLACES if whole else _COMPARTMENTS):
        return (_no_compartment(place),)
    match body:
        case bodies.CompartmentTold(_, holding, cards, back, faces):
            state = _STATES[holding]
            return (events.CompartmentChanged(place, state, cards, harmless(back), faces),)
        case bodies.BatchStarted(cycle=cycle):
            return (events.ShuffleBegan(place, cycle),)
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


def _of_whole(body: _OfWhole) -> tuple[DeviceEvent, ...]:
    match body:
        case bodies.ModeTold(mode):
            return (events.ModeChanged(_MODES[mode]),)
        case bodies.WarningTold(code, text, active):
            return (events.ShufflerWarning(code, harmless(text), active),)
        case bodies.SelfTest(passed, detail):
            return (events.SelfTested(passed, harmless(detail)),)
        case bodies.PowerUp(boot_count, broken_off):
            return _started(boot_count, broken_off)
        case _:
            assert_never(body)


def _started(boot_count: int, broken_off: tuple[int, ...]) -> tuple[DeviceEvent, ...]:
    known = tuple(number for number in broken_off if number in _COMPARTMENTS)
    faults = tuple(_no_compartment(number) for number in broken_off if number not in _COMPARTMENTS)
    return (*faults, events.ShufflerStarted(boot_count, known))


def proof_of(done: bodies.BatchDone) -> events.ShuffleProof:
    """The receipt of a whole shuffle."""
    receipt = done.receipt
    return events.ShuffleProof(
        device=identity(receipt.device),
        boot_id=receipt.boot_id,
        boot_count=receipt.boot_count,
        cycle=receipt.cycle,
        compartment=receipt.compartment,
        count=receipt.count,
        result=_RESULTS[receipt.result],
        back=harmless(receipt.back),
        faces=receipt.faces,
        began_us=receipt.began_us,
        ended_us=receipt.ended_us,
        image=receipt.image,
        version=harmless(receipt.version),
        sealed=done.sealed,
        signed=done.signed,
        genuine=done.genuine,
    )


def _no_compartment(number: int) -> DeviceFault:
    detail = f"the shuffler named compartment {number}: it has 1 and 2"
    return DeviceFault(LinkFaultKind.MALFORMED, detail)

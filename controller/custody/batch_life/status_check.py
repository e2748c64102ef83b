"""The whole shuffler told at once, held against what is known of it.

Responsible for: what a status says beyond what events have told: agreement says nothing, a
contradiction holds the batch and warns.
Not responsible for: events (compartments, shuffles, device).
Source: D-22; NY-a-4-iv-c, S42-a-4-iv, S42-e-8-ii-A.

Decisions. A status proves no count and no shuffle: it can only take away. A compartment that is
further on its way than what is known of it contradicts nothing: its events are still to come, and
until then the batch stays where it is known to be. So a status is asked for when the events that
the device kept are in.
"""

from typing import Final

from controller.custody.batch_life.change import Followed, Measure, hold
from controller.custody.batch_life.compartment_match import Found, found_in
from controller.custody.batch_life.compartments import (
    COMPARTMENTS,
    broken,
    doubted,
    emptied,
    entered,
    wrong_count,
)
from controller.custody.batch_life.device import door_opened, mode_changed
from controller.custody.batch_life.stages import READY, BatchStage
from controller.custody.batch_life.state import Bar, BatchLife, WarningKind
from controller.custody.batch_life.warnings import LAMPS_MAX, ease, warn
from drivers.shuffler_events import CompartmentState, ShufflerStatus
from firmware_bridge.values import replace

_S: Final = BatchStage
_C: Final = CompartmentState
_FURTHER: Final = (_C.SHUFFLED, _C.STORED, _C.RELEASED)
# What a compartment may be said to do with a batch of that stage; of others nothing is known.
_AGREES: Final = {
    _S.COUNTED: (_C.COUNTED, _C.SHUFFLING, *_FURTHER),
    _S.SHUFFLING: (_C.SHUFFLING, *_FURTHER),
    _S.SHUFFLED: _FURTHER,
    _S.STORED: _FURTHER,
    _S.RELEASED: (_C.RELEASED,),
}
_COUNTED_IN: Final = (_S.COUNTED, _S.SHUFFLED, _S.STORED)
# A compartment that does this is not jammed.
_RUNS: Final = (_C.EMPTY, _C.COUNTED, *_FURTHER)


def status_told(f: Followed, m: Measure, event: ShufflerStatus) -> Followed:
    """Compare all of it with what is known."""
    f = mode_changed(f, m, event.mode)
    f = _doors(f, m, open_now=event.door_open)
    f = _residual(f, m, event.residual)
    f = _lamps(f, m, event.warnings)
    for compartment, state, cards, back, cycle in event.compartments:
        if compartment in COMPARTMENTS:
            f = ease(f, WarningKind.JAM, compartment=compartment) if state in _RUNS else f
            f = _compartment(f, m, (compartment, state, cards, back, cycle))
    if event.compartments and all(told[1] in _RUNS for told in event.compartments):
        f = ease(f, WarningKind.JAM)
    return f


def _doors(f: Followed, m: Measure, *, open_now: bool) -> Followed:
    known = f.lineage.doors
    if open_now and not known:
        return door_opened(replace(f, lineage=replace(f.lineage, doors=(0,))), m, 0)
    if not open_now:
        f = replace(f, lineage=replace(f.lineage, doors=()))
        for place in (0, *COMPARTMENTS):
            f = ease(f, WarningKind.DOOR, compartment=place)
    return f


def _residual(f: Followed, m: Measure, cards: int) -> Followed:
    if cards == f.lineage.residual:
        return f
    left = ((0, cards),) if cards > 0 else ()
    f = replace(f, lineage=replace(f.lineage, residuals=left))
    for place in (0, *COMPARTMENTS):
        f = ease(f, WarningKind.RESIDUAL, compartment=place)
    if not left:
        return f
    text = f"{cards} cards are left in the shuffler: take them out"
    return warn(f, m, WarningKind.RESIDUAL, text, active=True)


def _lamps(f: Followed, m: Measure, codes: tuple[int, ...]) -> Followed:
    for one in f.lineage.warnings:
        if one.kind is WarningKind.LAMP and one.code not in codes:
            f = ease(f, WarningKind.LAMP, code=one.code)
    for code in codes[: LAMPS_MAX + 1]:
        text = f"the shuffler warns (code {code})"
        f = warn(f, m, WarningKind.LAMP, text, active=True, code=code)
    return f


def _compartment(
    f: Followed, m: Measure, told: tuple[int, CompartmentState, int | None, str, int]
) -> Followed:
    compartment, state, cards, back, cycle = told
    life = f.lineage.lying_in(compartment)
    if state is _C.EMPTY:
        return emptied(f, m, compartment)
    if life is None:
        return f if state is _C.RELEASED else _unheard_of(f, m, compartment, back)
    if back not in ("", life.back):
        return doubted(f, m, compartment, found_in(f.lineage, compartment, back))
    if state not in _AGREES.get(life.stage, tuple(_C)):
        why = f"{life.back} was {life.stage} in compartment {compartment}, and now is {state}"
        return _contradicts(f, m, life, why)
    if life.stage is _S.SHUFFLING and state is _C.SHUFFLING and cycle not in (0, life.cycle):
        return _contradicts(f, m, life, f"{life.back} is in shuffle {cycle}, not {life.cycle}")
    if life.stage in _COUNTED_IN and state in (_C.COUNTED, *_FURTHER[:2]):
        return wrong_count(f, m, life, cards, b"") or f
    return f


def _unheard_of(f: Followed, m: Measure, compartment: int, back: str) -> Followed:
    """Cards lie where nothing was known to lie."""
    if not f.lineage.lives:
        return f
    found = found_in(f.lineage, compartment, back)
    if found.life is not None and not found.wrong and found.life.stage in READY:
        wrong = f"{found.life.back} was {found.life.stage}, and lies in compartment {compartment}"
        return doubted(f, m, compartment, Found(found.life, wrong))
    return entered(f, m, compartment, back)[0]


def _contradicts(f: Followed, m: Measure, life: BatchLife, why: str) -> Followed:
    if life.stage is _S.SHUFFLING:
        return broken(f, m, life, why)
    f = hold(f, m, life, Bar.UNPROVEN, why)
    return warn(f, m, WarningKind.COUNT, why, active=False, compartment=life.compartment)

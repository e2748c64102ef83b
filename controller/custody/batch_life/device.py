"""The shuffler itself: who it is, its doors, jams, left cards, modes, lamps and silence.

Responsible for: the warnings these open and end, and the batches in the shuffler that they spoil.
Not responsible for: compartments, shuffles and what is told all at once (status).
Source: S42-e-8-ii-A (stored securely: no door opened since the shuffle ended), D-20; field practice
(SugarHouse: lights ignored, 16 cards left inside, sort mode used live; Deck Mate 2: a device
opened, changed, or another one).

Decisions. Cards left in the shuffler are missing from the batch that came out of it last: such a
batch is short until it is counted and shuffled anew. A door that opens over a batch that is only
loaded or counted, or released, is no matter for a warning: the count is then to be made anew.
"""

from typing import Final

from controller.custody.batch_life.change import Followed, Measure, begin_anew, hold
from controller.custody.batch_life.compartments import COMPARTMENTS
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Bar, BatchLife, WarningKind
from controller.custody.batch_life.warnings import ease, ease_all, harmless, warn
from drivers.shuffler_events import (
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ResidualCards,
    SelfTested,
    ShufflerMode,
    ShufflerWarning,
)
from firmware_bridge.values import replace

# Shuffled, or being shuffled: what a door may not be opened on.
_SECURED: Final = (BatchStage.SHUFFLING, BatchStage.SHUFFLED, BatchStage.STORED)
_IN_DOUBT: Final = (*_SECURED, BatchStage.COUNTED, BatchStage.RELEASED)
_OUT: Final = (BatchStage.RELEASED, BatchStage.CUT, BatchStage.IN_SHOE)


def door_moved(f: Followed, m: Measure, event: DoorMoved) -> Followed:
    """A door of the housing or of a compartment was opened or closed."""
    place = _place(event.compartment)
    others = tuple(each for each in f.lineage.doors if each != place)
    doors = tuple(sorted((*others, place))) if event.open else others
    f = replace(f, lineage=replace(f.lineage, doors=doors))
    return door_opened(f, m, place) if event.open else ease(f, WarningKind.DOOR, compartment=place)


def door_opened(f: Followed, m: Measure, place: int) -> Followed:
    """What lies behind that door is not known to be as it was."""
    for life in _behind(f, place):
        if life.stage in _SECURED:
            why = f"a door of the shuffler was opened on {life.back}: count and shuffle it anew"
            f = hold(f, m, life, Bar.TOUCHED, why)
            f = warn(f, m, WarningKind.DOOR, why, active=True, compartment=place)
        elif life.stage is BatchStage.COUNTED:
            f = begin_anew(f, m, life, f"a door was opened on {life.back}: its count is over")
    return f


def jam_reported(f: Followed, m: Measure, event: JamReported) -> Followed:
    """Cards are jammed, or are free again."""
    place = _place(event.compartment)
    if event.cleared:
        return ease(f, WarningKind.JAM, compartment=place)
    where = f"compartment {place}" if place else "the shuffler"
    for life in _behind(f, place):
        f = hold(f, m, life, Bar.JAMMED, f"cards of {life.back} are jammed in {where}")
    return warn(
        f, m, WarningKind.JAM, f"cards are jammed in {where}", active=True, compartment=place
    )


def residual_cards(f: Followed, m: Measure, event: ResidualCards) -> Followed:
    """Cards are left where none may be, or were taken out."""
    place = _place(event.compartment)
    others = tuple(one for one in f.lineage.residuals if one[0] != place)
    left = ((place, event.cards),) if event.cards > 0 else ()
    f = replace(f, lineage=replace(f.lineage, residuals=(*others, *left)))
    if not left:
        return ease(f, WarningKind.RESIDUAL, compartment=place)
    text = f"{event.cards} cards are left in the shuffler: take them out"
    for life in f.lineage.lives:
        shuffled_there = life.proof is not None and place in (0, life.proof.compartment)
        if life.stage in _OUT and shuffled_there:
            f = hold(f, m, life, Bar.SHORT, f"{life.back} is short: {text}, count and shuffle it")
    return warn(f, m, WarningKind.RESIDUAL, text, active=True, compartment=place)


def mode_changed(f: Followed, m: Measure, mode: ShufflerMode) -> Followed:
    """The shuffler is in that mode now."""
    if mode is f.lineage.mode:
        return f
    f = replace(f, lineage=replace(f.lineage, mode=mode))
    if mode is ShufflerMode.PLAY:
        return ease(f, WarningKind.MODE)
    f = in_doubt(f, m, Bar.TOUCHED, f"the shuffler went into {mode} mode")
    return warn(f, m, WarningKind.MODE, f"the shuffler is in {mode} mode", active=True)


def lamp(f: Followed, m: Measure, event: ShufflerWarning) -> Followed:
    """A warning light of the shuffler goes on or off."""
    if not event.active:
        return ease(f, WarningKind.LAMP, code=event.code)
    text = f"the shuffler warns (code {event.code}): {harmless(event.text)}"
    return warn(f, m, WarningKind.LAMP, text, active=True, code=event.code)


def self_tested(f: Followed, m: Measure, event: SelfTested) -> Followed:
    if event.passed:
        return ease(f, WarningKind.SELF_TEST)
    text = f"the shuffler failed its self-test: {harmless(event.detail)}"
    return warn(f, m, WarningKind.SELF_TEST, text, active=True)


def tampered(f: Followed, m: Measure, event: DeviceTampered) -> Followed:
    """The shuffler says that people were at it; so what it holds is in doubt, too."""
    why = f"the shuffler was opened or changed: {harmless(event.what)}"
    return warn(in_doubt(f, m, Bar.TOUCHED, why), m, WarningKind.TAMPER, why, active=False)


def events_lost(f: Followed, m: Measure, missing: int) -> Followed:
    """Nobody knows what happened in the shuffler meanwhile."""
    many = f"{missing} events" if missing else "events"
    why = f"{many} of the shuffler are lost: count and shuffle anew what lies in it"
    return warn(in_doubt(f, m, Bar.UNPROVEN, why), m, WarningKind.EVENTS_LOST, why, active=False)


def identity_proven(f: Followed, m: Measure, event: IdentityProven) -> Followed:
    """The shuffler is the one that was paired; another one than before knows of no batch."""
    before = f.lineage.device
    named = replace(
        f.lineage, device=event.device, version=event.version, bare=event.bare, trusted=True
    )
    f = ease(replace(f, lineage=named), WarningKind.IDENTITY)
    f = heard(f)
    if before in ("", event.device):
        return f
    why = f"another shuffler than before is connected ({event.device})"
    f = in_doubt(f, m, Bar.UNPROVEN, why)
    lives = tuple(replace(one, compartment=0) for one in f.lineage.lives)
    emptied = replace(f.lineage, lives=lives, doors=(), residuals=(), mode=ShufflerMode.PLAY)
    f = ease_all(replace(f, lineage=emptied))
    return warn(f, m, WarningKind.IDENTITY, why, active=False)


def identity_refused(f: Followed, m: Measure, event: IdentityRefused) -> Followed:
    """Nothing of this device is taken from now on."""
    f = replace(f, lineage=replace(f.lineage, trusted=False))
    back = "; it was set back to an earlier state" if event.rolled_back else ""
    text = f"the shuffler is not let in: {event.why}{back}"
    return warn(f, m, WarningKind.IDENTITY, text, active=True)


def silent(f: Followed, m: Measure) -> Followed:
    """The shuffler counts as gone; what happens in it meanwhile it tells once it proved itself."""
    f = replace(f, lineage=replace(f.lineage, trusted=False))
    if f.lineage.silent:
        return f  # told, and perhaps cleared by a person since
    f = replace(f, lineage=replace(f.lineage, silent=True))
    return warn(f, m, WarningKind.SILENT, "the shuffler is not heard of", active=True)


def heard(f: Followed) -> Followed:
    """A silent shuffler is heard again."""
    return ease(replace(f, lineage=replace(f.lineage, silent=False)), WarningKind.SILENT)


def in_doubt(f: Followed, m: Measure, bar: Bar, why: str) -> Followed:
    """Every batch in the shuffler that was counted or shuffled has to be so again."""
    for life in _behind(f, 0):
        if life.stage in _IN_DOUBT:
            f = hold(f, m, life, bar, f"{life.back} in compartment {life.compartment}: {why}")
    return f


def _behind(f: Followed, place: int) -> list[BatchLife]:
    """The batches in that compartment, or in any where it is the housing."""
    return [one for one in f.lineage.lives if one.compartment and place in (0, one.compartment)]


def _place(compartment: int) -> int:
    return compartment if compartment in COMPARTMENTS else 0

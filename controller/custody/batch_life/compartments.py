"""What the shuffler tells of a compartment: a batch is loaded, counted, stored, released, gone.

Responsible for: what each state of a compartment makes of the batch in it. A count decides here; a
shuffle never does, since a state is a claim and only a whole shuffle with its receipt counts.
Not responsible for: which batch it is (whereabouts), shuffles (shuffles), and a state that is only
told again (status).
Source: NY-a-4-iv-b-same, NY-a-4-iv-c; S42-a-4-iii-same, S42-a-4-iv, S42-e-8-ii-load,
S42-e-8-ii-swap; D-19.
"""

from typing import Final, assert_never

from controller.custody.batch_life.change import (
    Followed,
    Measure,
    begin_anew,
    go,
    hold,
    may,
    put,
    remark,
)
from controller.custody.batch_life.compartment_match import Found, found_in
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.custody.batch_life.state import Bar, BatchLife, WarningKind
from controller.custody.batch_life.warnings import warn
from controller.rules.cards import Card, Rank, Suit
from drivers.shuffler_events import CompartmentChanged, CompartmentState
from firmware_bridge.values import dataclass, replace

COMPARTMENTS: Final = (1, 2)
_SHUFFLED: Final = (BatchStage.SHUFFLED, BatchStage.STORED)


def compartment_changed(f: Followed, m: Measure, event: CompartmentChanged) -> Followed:
    """A compartment is in another state."""
    if event.compartment not in COMPARTMENTS or not f.lineage.lives:
        return f
    match event.state:
        case CompartmentState.EMPTY:
            return emptied(f, m, event.compartment)
        case CompartmentState.RELEASED:
            return _released(f, m, event)
        case (
            CompartmentState.LOADING
            | CompartmentState.COUNTED
            | CompartmentState.SHUFFLING
            | CompartmentState.SHUFFLED
            | CompartmentState.STORED
            | CompartmentState.HELD
        ):
            return _holds(f, m, event)
        case _:
            assert_never(event.state)


def entered(
    f: Followed, m: Measure, compartment: int, sensed: str
) -> tuple[Followed, BatchLife | None]:
    """The batch whose cards lie there is put there; None where that is not known or cannot be."""
    found = found_in(f.lineage, compartment, sensed)
    if found.wrong:
        return doubted(f, m, compartment, found), None
    if found.life is None:
        detail = (
            f"which batch lies in compartment {compartment} is not known: say which one goes in,"
            " and load it anew"
        )
        return remark(f, Bar.UNPROVEN, "", detail), None
    f = _lies(f, m, found.life, compartment)
    return f, f.lineage.life(found.life.back)


def doubted(f: Followed, m: Measure, compartment: int, found: Found) -> Followed:
    """What lies in a compartment cannot be what is known: the batch in doubt is held."""
    if found.life is not None:
        life = found.life
        if not life.compartment and life.back != f.lineage.in_play:
            f = _lies(f, m, life, compartment)
            life = f.lineage.life(life.back) or life
        f = hold(f, m, life, Bar.FOREIGN, found.wrong)
    return warn(f, m, WarningKind.COUNT, found.wrong, active=False, compartment=compartment)


def wrong_count(
    f: Followed, m: Measure, life: BatchLife, cards: int | None, faces: bytes
) -> Followed | None:
    """The batch is held where a count, or the faces, are not those of a whole batch."""
    wrong = differs(cards, faces, m.cards, m.decks)
    if wrong is None:
        return None
    why = f"{life.back} in compartment {life.compartment}: {wrong.detail}"
    f = hold(f, m, replace(life, cards=cards), wrong.bar, why)
    return warn(f, m, WarningKind.COUNT, why, active=False, compartment=life.compartment)


def broken(f: Followed, m: Measure, life: BatchLife, why: str) -> Followed:
    """The shuffle of this batch is not whole, and never will be."""
    f = hold(f, m, life, Bar.BROKEN_OFF, why)
    return warn(f, m, WarningKind.BROKEN_OFF, why, active=False, compartment=life.compartment)


def emptied(f: Followed, m: Measure, compartment: int) -> Followed:
    """Nothing lies in a compartment any more."""
    life = f.lineage.lying_in(compartment)
    if life is None:
        return f
    away = replace(life, compartment=0)
    match life.stage:
        case BatchStage.COUNTED:
            return begin_anew(f, m, away, f"{life.back} was taken out after its count")
        case BatchStage.SHUFFLING:
            f = broken(f, m, life, f"{life.back} is gone from compartment {compartment}")
            held = f.lineage.life(life.back) or away
            return replace(f, lineage=put(f.lineage, replace(held, compartment=0)))
        case BatchStage.SHUFFLED | BatchStage.STORED:
            why = f"{life.back} left compartment {compartment} without being released"
            f = hold(f, m, away, Bar.TOUCHED, why)
            return warn(f, m, WarningKind.COUNT, why, active=False, compartment=compartment)
        case _:
            return replace(f, lineage=put(f.lineage, away))


def _lies(f: Followed, m: Measure, life: BatchLife, compartment: int) -> Followed:
    """The batch lies there from now on; one that did not lie there before begins anew."""
    if life.compartment == compartment:
        return f
    there = replace(life, compartment=compartment)
    f = begin_anew(f, m, there, f"{life.back} goes into compartment {compartment}")
    said = "" if f.lineage.into_shuffler == life.back else f.lineage.into_shuffler
    return replace(f, lineage=replace(f.lineage, into_shuffler=said))


def _holds(f: Followed, m: Measure, event: CompartmentChanged) -> Followed:
    """Cards lie in a compartment."""
    f, life = entered(f, m, event.compartment, event.back)
    if life is None:
        return f
    if f.lineage.jammed(event.compartment) and event.state is not CompartmentState.HELD:
        detail = f"compartment {event.compartment} is jammed: free the cards, then count them"
        return remark(f, Bar.JAMMED, life.back, detail)
    if event.state is CompartmentState.LOADING:
        return _loaded(f, m, life)
    if event.state is CompartmentState.SHUFFLING:
        return f  # a claim; that a shuffle began is told on its own, with its number
    if event.state is CompartmentState.COUNTED:
        return _counted(f, m, life, event)
    off = wrong_count(f, m, life, event.cards, event.faces)
    if off is not None:
        return off
    if event.state is CompartmentState.HELD:
        why = f"the shuffler holds {life.back} back: look at its cards"
        return f if life.stage is BatchStage.HELD else hold(f, m, life, Bar.UNPROVEN, why)
    return _said_shuffled(f, m, life, event.state)


def _loaded(f: Followed, m: Measure, life: BatchLife) -> Followed:
    if life.stage is BatchStage.SHUFFLING:
        f = broken(f, m, life, f"cards are loaded onto {life.back} while it is shuffled")
        life = f.lineage.life(life.back) or life
    return begin_anew(f, m, life, f"{life.back} is loaded into compartment {life.compartment}")


def _counted(f: Followed, m: Measure, life: BatchLife, event: CompartmentChanged) -> Followed:
    off = wrong_count(f, m, life, event.cards, event.faces)
    if off is not None:
        return off
    if event.cards is None:
        return remark(f, Bar.UNPROVEN, life.back, f"{life.back} was counted, not told how many")
    if life.stage is BatchStage.SHUFFLING:
        f = broken(f, m, life, f"{life.back} is counted and no longer shuffled")
        life = f.lineage.life(life.back) or life
    if life.stage is BatchStage.RELEASED:
        f = begin_anew(f, m, life, f"{life.back} was released and is counted again")
        life = f.lineage.life(life.back) or life
    fresh = replace(life, cards=event.cards, proof=None, by_hand=False, bars=(), cycle=0)
    return go(f, m, fresh, BatchTrigger.COUNTED, f"{event.cards} cards counted, as many as due")


def _said_shuffled(f: Followed, m: Measure, life: BatchLife, state: CompartmentState) -> Followed:
    """The shuffler says that the batch is shuffled, or stored: it moves if it has its proof."""
    if life.stage in _SHUFFLED:
        if state is CompartmentState.STORED and may(m, life, BatchTrigger.STORED):
            return go(f, m, life, BatchTrigger.STORED, f"{life.back} is stored in the shuffler")
        return f
    if life.stage is BatchStage.RELEASED:
        why = f"{life.back} was released, and the shuffler says that it is stored again"
        return hold(f, m, life, Bar.TOUCHED, why)
    if life.stage is BatchStage.SHUFFLING:
        return f  # its receipt comes on its own
    detail = f"the shuffler says that {life.back} is shuffled, and no whole shuffle of it is known"
    return remark(f, Bar.UNPROVEN, life.back, detail)


def _released(f: Followed, m: Measure, event: CompartmentChanged) -> Followed:
    life = f.lineage.lying_in(event.compartment)
    if life is None:
        known = f.lineage.life(event.back)
        gone = known is not None and not known.compartment
        detail = f"a batch is released from compartment {event.compartment}, not known which"
        return f if gone else remark(f, Bar.UNPROVEN, "", detail)
    if event.back and event.back != life.back:
        return doubted(f, m, event.compartment, found_in(f.lineage, event.compartment, event.back))
    if life.stage is BatchStage.RELEASED:
        return f
    if life.stage in _SHUFFLED and f.lineage.residual:
        why = f"{life.back} is released while {f.lineage.residual} cards are left in the shuffler"
        return hold(f, m, life, Bar.DEVICE, why)
    if life.stage in _SHUFFLED:
        return go(f, m, life, BatchTrigger.RELEASED, f"{life.back} is released to be cut")
    if life.stage is BatchStage.SHUFFLING:
        f = broken(f, m, life, f"{life.back} is released before its shuffle is whole")
    detail = f"{life.back} is released and is not shuffled: count and shuffle it"
    return remark(f, Bar.UNSHUFFLED, life.back, detail)


# The order of a device's counts: suit by suit, ace to king.
FACES: Final = tuple(Card(rank, suit) for suit in Suit for rank in Rank)


@dataclass(frozen=True, slots=True)
class Differs:
    """A batch is not whole; `detail` is a piece of a sentence."""

    bar: Bar
    detail: str


def differs(counted: int | None, faces: bytes, cards: int, decks: int) -> Differs | None:
    """What is wrong with a count (None: not counted) and its faces (empty: not read)."""
    wrong = _faces_differ(faces, decks) if faces else ""
    named = f": {wrong}" if wrong else ""
    if counted is not None and counted != cards:
        off = counted - cards
        many = f"{abs(off)} cards" if abs(off) > 1 else "1 card"
        lacks = f"{many} too many" if off > 0 else f"{many} missing"
        return Differs(Bar.LONG if off > 0 else Bar.SHORT, f"{counted} of {cards}, {lacks}{named}")
    if wrong:
        return Differs(Bar.FOREIGN, f"faces that are not of {decks} decks: {wrong}")
    return None


def _faces_differ(faces: bytes, decks: int) -> str:
    """The faces of which there are not as many as decks; in words, empty where there are."""
    if len(faces) != len(FACES):
        return f"{len(faces)} faces are told of {len(FACES)}"
    missing = _named([(card, decks - told) for card, told in zip(FACES, faces, strict=True)])
    extra = _named([(card, told - decks) for card, told in zip(FACES, faces, strict=True)])
    told = [f"missing {missing}"] if missing else []
    told += [f"too many {extra}"] if extra else []
    return "; ".join(told)


def _named(off: list[tuple[Card, int]]) -> str:
    return ", ".join(f"{many} of {card}" for card, many in off if many > 0)

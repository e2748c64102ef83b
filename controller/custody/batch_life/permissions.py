"""What may be done with a batch now: dealt from, ordered of the shuffler, cleared.

Responsible for: why not, first wrong step first, each with its remedy.
Not responsible for: following what happens (following), clauses and verdicts (the procedure).
Source: NY-a-4-iv-c to NY-a-4-iv-e; S42-a-4-iv to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-21;
field practice (Taj Mahal, Showboat, SugarHouse, the two-pack scam).
"""

from typing import Final

from controller.custody.batch_life import warnings as interlock
from controller.custody.batch_life.stages import COUNT_STANDS, READY, BatchStage
from controller.custody.batch_life.state import Bar, BatchLife, Lineage
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import ShufflerMode
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Hindrance:
    """One reason why a batch may not be dealt from; `detail` and `remedy` are sentences."""

    bar: Bar
    detail: str
    remedy: str


_ANEW: Final = "count and shuffle it anew"
_BARRED: Final = {
    Bar.SHORT: ("is short of cards", "find the missing cards, then count and shuffle it anew"),
    Bar.LONG: ("has too many cards", "take the wrong cards out, then count and shuffle it anew"),
    Bar.FOREIGN: (
        "holds cards that are not its own",
        "sort it out, then count and shuffle it anew",
    ),
    Bar.UNSHUFFLED: ("was dealt from unshuffled", _ANEW),
    Bar.UNPROVEN: ("has no proof that it is whole and shuffled", _ANEW),
    Bar.JAMMED: ("was jammed in the shuffler", f"free its cards, then {_ANEW}"),
    Bar.BROKEN_OFF: ("had its shuffle broken off", f"{_ANEW}, or shuffle it by hand on record"),
    Bar.TOUCHED: ("was touched, or a door was opened on it", _ANEW),
    Bar.REPEATED: ("was dealt twice in a row", _ANEW),
    Bar.NOT_RELEASED: ("was dealt from before it was released", _ANEW),
    Bar.DEVICE: ("came out of a shuffler that was not in order", _ANEW),
}
_UNSHUFFLED: Final = {
    BatchStage.UNKNOWN: ("is not known to be shuffled", "load, count and shuffle it"),
    BatchStage.COLLECTED: ("is gathered and neither counted nor shuffled", "count and shuffle it"),
    BatchStage.COUNTED: ("is counted and not shuffled", "shuffle it"),
    BatchStage.SHUFFLING: ("is still being shuffled", "wait for the end of the shuffle"),
    BatchStage.SPENT: ("was dealt and not shuffled since", "put it into the shuffler"),
    BatchStage.HELD: ("is held and not shuffled", _ANEW),
}


def hindrances(lineage: Lineage, back: str) -> tuple[Hindrance, ...]:
    """Why this batch may not be put into the dealing shoe now; nothing where it may."""
    if not lineage.lives:
        return ()
    life = lineage.life(back)
    if life is None:
        backs = " and ".join(one.back for one in lineage.lives)
        foreign = f"no batch of this table has {back or 'such'} backs"
        return (Hindrance(Bar.FOREIGN, foreign, f"take the batch of {backs} that is due"),)
    return (*wrong_steps(lineage, life), *_of_the_device(lineage, life))


def wrong_steps(lineage: Lineage, life: BatchLife) -> tuple[Hindrance, ...]:
    """What is wrong with this batch itself, first wrong step first."""
    back, found = life.back, []
    if _had_its_turn(lineage, back):
        other = lineage.other(back)
        due = other.back if other is not None else "the other batch"
        found.append(Hindrance(Bar.REPEATED, f"the last shoe was dealt from {back}", f"take {due}"))
    found += [_barred(back, bar) for bar in life.bars]
    if life.stage in _UNSHUFFLED:
        state, remedy = _UNSHUFFLED[life.stage]
        found.append(Hindrance(Bar.UNSHUFFLED, f"{back} {state}", remedy))
    elif life.stage in (BatchStage.SHUFFLED, BatchStage.STORED):
        found.append(
            Hindrance(Bar.NOT_RELEASED, f"{back} is in the shuffler", "have it released first")
        )
    elif life.stage in READY and lineage.in_play not in ("", back):
        found.append(
            Hindrance(
                Bar.NOT_RELEASED, f"{lineage.in_play} is in play", "end its shoe before the next"
            )
        )
    return tuple(found)


def _had_its_turn(lineage: Lineage, back: str) -> bool:
    return back == lineage.last_played and back != lineage.may_repeat


def due_in_play(lineage: Lineage) -> str:
    """The batch the next shoe has to be dealt from; empty where not exactly one is out for it."""
    ready = [one.back for one in lineage.lives if one.stage in READY]
    return ready[0] if len(ready) == 1 else ""


def idle_in_shuffler(lineage: Lineage, in_play: str) -> bool:
    """Whether, while that batch is in play, the other one is in the shuffler and not put out."""
    return all(
        one.compartment > 0 and one.stage not in READY
        for one in lineage.lives
        if one.back != in_play
    )


def order_refused(
    lineage: Lineage, order: ShufflerOrder, compartment: int, *, shoe_open: bool
) -> str:
    """Why the shuffler is not told to do that now, with the remedy; empty where it is.

    To ask for its status, to break off and to go back to play mode is never refused to a device
    that has proven who it is.
    """
    if order is ShufflerOrder.STATUS:
        return ""
    if not lineage.trusted:
        return "the shuffler has not proven who it is: connect the one that was paired"
    if order in (ShufflerOrder.ABORT, ShufflerOrder.PLAY):
        return ""
    if order in _NOT_IN_PLAY and (shoe_open or lineage.in_play):
        return f"no {order} with a batch bound to an open shoe: end the shoe first"
    if order in (ShufflerOrder.SERVICE, ShufflerOrder.SORT):
        return ""
    if lineage.residual:
        return f"{lineage.residual} cards are left in the shuffler: take them out first"
    if lineage.jammed(1) or lineage.jammed(2):
        return "cards are jammed in the shuffler: free them first"
    if order is ShufflerOrder.SELF_TEST:
        return ""
    if lineage.mode is not ShufflerMode.PLAY:
        return f"the shuffler is in {lineage.mode} mode: order play first"
    if compartment not in (1, 2):
        return f"say which compartment is to {order}: 1 or 2"
    if not lineage.lives:
        return ""
    return _of_compartment(lineage, order, compartment, shoe_open=shoe_open)


def clear_refused(lineage: Lineage, number: int) -> str:
    """Why the warning of that number cannot be cleared now, with the remedy; empty if it can."""
    return interlock.clear_refused(lineage, number)


def _barred(back: str, bar: Bar) -> Hindrance:
    state, remedy = _BARRED[bar]
    return Hindrance(bar, f"{back} {state}", remedy)


def _of_the_device(lineage: Lineage, life: BatchLife) -> tuple[Hindrance, ...]:
    """What stands against every batch that comes from this shuffler as it is now."""
    found = []
    if not (lineage.trusted or life.by_hand):
        found.append(
            Hindrance(
                Bar.DEVICE,
                "the shuffler has not proven who it is",
                "connect the paired shuffler, or shuffle by hand on record",
            )
        )
    if lineage.residual:
        left = f"{lineage.residual} cards are left in the shuffler"
        found.append(Hindrance(Bar.DEVICE, left, "take them out, then count the batch again"))
    if lineage.mode is not ShufflerMode.PLAY and not life.by_hand:
        found.append(
            Hindrance(
                Bar.DEVICE, f"the shuffler is in {lineage.mode} mode", "put it into play mode"
            )
        )
    return tuple(found)


_NOT_IN_PLAY: Final = (ShufflerOrder.SELF_TEST, ShufflerOrder.SERVICE, ShufflerOrder.SORT)


def _of_compartment(
    lineage: Lineage, order: ShufflerOrder, compartment: int, *, shoe_open: bool
) -> str:
    """Why that may not be done with what lies in a compartment."""
    life = lineage.lying_in(compartment)
    match order:
        case ShufflerOrder.LOAD:
            return _load_refused(lineage, life, compartment)
        case ShufflerOrder.COUNT:
            if life is not None and life.stage is BatchStage.SHUFFLING:
                return f"{life.back} is being shuffled: wait for its end, or order abort"
            return ""
        case ShufflerOrder.SHUFFLE:
            return _shuffle_refused(lineage, life, compartment)
        case _ if life is None:
            return f"which batch lies in compartment {compartment} is not known: load it anew"
        case _ if life.stage not in (BatchStage.SHUFFLED, BatchStage.STORED):
            wrong = wrong_steps(lineage, life)
            why = f"{wrong[0].detail}: {wrong[0].remedy}" if wrong else f"{life.back} is released"
            return f"no {order} of a batch that is not shuffled and in the shuffler; {why}"
        case ShufflerOrder.RELEASE:
            return _release_refused(lineage, life, shoe_open=shoe_open)
        case _:
            return ""


def _load_refused(lineage: Lineage, life: BatchLife | None, compartment: int) -> str:
    if life is not None and life.stage not in (BatchStage.COLLECTED, BatchStage.HELD):
        return f"{life.back} is {life.stage} in compartment {compartment}: use the other one"
    can = [
        one
        for one in lineage.lives
        if one.back != lineage.in_play and one.compartment in (0, compartment)
    ]
    if can:
        return ""
    return "no batch can go in: one is in play, or both are in the shuffler"


def _shuffle_refused(lineage: Lineage, life: BatchLife | None, compartment: int) -> str:
    if life is None:
        return f"which batch lies in compartment {compartment} is not known: load it anew"
    if any(door in (0, compartment) for door in lineage.doors):
        return "a door of the shuffler is open: close it first"
    if life.stage in COUNT_STANDS:
        return ""
    if life.stage is BatchStage.SHUFFLING:
        return f"{life.back} is being shuffled already: wait for its end"
    if life.stage is BatchStage.RELEASED:
        return f"{life.back} is released: take it out to be cut, or load it anew"
    barred = "".join(f"{one.detail}; " for one in (_barred(life.back, bar) for bar in life.bars))
    return f"{barred}{life.back} is not counted since it came in: order count first"


def _release_refused(lineage: Lineage, life: BatchLife, *, shoe_open: bool) -> str:
    if _had_its_turn(lineage, life.back):
        return f"the last shoe was dealt from {life.back}: release the other batch"
    if shoe_open or lineage.in_play:
        return f"a shoe is open: {life.back} stays in the shuffler until it is over"
    out = [one.back for one in lineage.lives if one.stage in READY]
    if out:
        return f"{out[0]} is out of the shuffler for the next shoe already: load it, or put it back"
    return ""

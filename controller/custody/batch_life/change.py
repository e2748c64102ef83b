"""What one fact makes of the lives of two batches, gathered step by step.

Responsible for: the shape of that result, and the few ways to add to it: a batch goes along an
edge, a batch is held, something is remarked. Only the table of stages says whether a batch moves.
Not responsible for: what follows from which fact (people, compartments, shuffles, device, status).
Source: NY (a)(4)(iv), S42 (a)(4), (e); D-19, D-20.
"""

from typing import Final

from controller.custody.batch_life.facts import Moved
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.custody.batch_life.state import Bar, BatchLife, Lineage, OpenWarning
from controller.state_table import NoEdge, StateTable
from drivers.shuffler_events import ShuffleProof
from firmware_bridge.values import dataclass, replace

# Only a right count can say that these are over.
NOT_WHOLE: Final = (Bar.SHORT, Bar.LONG, Bar.FOREIGN)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something people do or a device says that is not as it must be; the life does not follow it.

    `back` is empty where it is not known which batch it is about.
    """

    bar: Bar
    back: str
    detail: str


@dataclass(frozen=True, slots=True)
class JudgedProof:
    """The receipt of a shuffle: it counts for that batch, or `refused` says why not."""

    back: str
    proof: ShuffleProof
    refused: str


@dataclass(frozen=True, slots=True)
class Followed:
    """All that one fact made of it, in the order in which it came about."""

    lineage: Lineage
    moves: tuple[Moved, ...] = ()
    opened: tuple[OpenWarning, ...] = ()
    closed: tuple[OpenWarning, ...] = ()
    proofs: tuple[JudgedProof, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """What the facts are held against: the table of stages, a whole batch, and the time (UTC)."""

    lives: StateTable[BatchStage, BatchTrigger]
    cards: int
    decks: int
    at_ns: int


def put(lineage: Lineage, life: BatchLife) -> Lineage:
    """The same with this batch as it is now."""
    lives = tuple(life if one.back == life.back else one for one in lineage.lives)
    return replace(lineage, lives=lives)


def may(measure: Measure, life: BatchLife, trigger: BatchTrigger) -> bool:
    """Whether that may come now in the life of this batch."""
    return not isinstance(measure.lives.next(life.stage, trigger), NoEdge)


def go(f: Followed, measure: Measure, life: BatchLife, trigger: BatchTrigger, why: str) -> Followed:
    """This batch, with what else is new of it, goes along that edge; stays where there is none."""
    after = measure.lives.next(life.stage, trigger)
    if isinstance(after, NoEdge):
        return f
    moved = Moved(life.back, life.stage, after, why)
    return replace(f, lineage=put(f.lineage, replace(life, stage=after)), moves=(*f.moves, moved))


def hold(f: Followed, measure: Measure, life: BatchLife, bar: Bar, why: str) -> Followed:
    """Something is wrong with this batch: it is held, where it can be, and barred if it is held."""
    trigger = BatchTrigger.SHUFFLE_BROKEN if bar is Bar.BROKEN_OFF else BatchTrigger.WENT_WRONG
    bars = life.bars if bar in life.bars else (*life.bars, bar)
    barred = replace(life, bars=bars, proof=None, by_hand=False, cycle=0)
    if life.stage is BatchStage.HELD:
        return replace(f, lineage=put(f.lineage, barred))
    return go(f, measure, barred, trigger, why)


def remark(f: Followed, bar: Bar, back: str, detail: str) -> Followed:
    """Say it, where there are batches that it can be about."""
    if not f.lineage.lives:
        return f
    return replace(f, remarks=(*f.remarks, Remark(bar, back, detail)))


def begin_anew(f: Followed, measure: Measure, life: BatchLife, why: str) -> Followed:
    """The cards of this batch are gathered or loaded: its count and its order are over.

    One that was not whole is not whole yet.
    """
    bars = tuple(bar for bar in life.bars if bar in NOT_WHOLE)
    fresh = replace(life, cards=None, proof=None, by_hand=False, bars=bars, cycle=0)
    if life.stage is BatchStage.COLLECTED:
        return replace(f, lineage=put(f.lineage, fresh))
    return go(f, measure, fresh, BatchTrigger.COLLECTED, why)

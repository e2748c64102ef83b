"""Applies compartment reports of the shuffler: loaded, counted, stored, released, empty.

Source: NY-a-4-iv-b-same, NY-a-4-iv-c; S42-a-4-iii-same, S42-a-4-iv, S42-e-8-ii-load,
S42-e-8-ii-swap; D-19.

A count decides here. A report of "shuffled" never does: it is a claim, and only a complete shuffle
with its receipt counts (shuffles).
"""

from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_life.change import (
    BatchContext,
    LineageUpdate,
    add_remark,
    advance,
    can_advance,
    hold_batch,
    restart,
    with_life,
)
from controller.custody.batch_life.compartment_match import CompartmentMatch, match_compartment
from controller.custody.batch_life.stages import BatchStage, BatchTrigger
from controller.custody.batch_life.state import BatchLife, BlockReason, WarningKind
from controller.custody.batch_life.warnings import cards_left, open_warning
from controller.custody.moves import BatchCounted
from controller.rules.cards import Card, Rank, Suit
from drivers.shuffler_events import CompartmentChanged, CompartmentState

COMPARTMENTS: Final = (1, 2)
_COUNTED_BY: Final = "the count of the shuffler"
_SHUFFLED: Final = (BatchStage.SHUFFLED, BatchStage.STORED)


def on_compartment_changed(
    update: LineageUpdate, context: BatchContext, event: CompartmentChanged
) -> LineageUpdate:
    """Apply a new state of a compartment."""
    if event.compartment not in COMPARTMENTS or not update.lineage.lives:
        return update
    before = update.lineage
    update = _ON_STATE.get(event.state, _holds)(update, context, event)
    life = update.lineage.in_compartment(event.compartment)
    if life is None or event.cards is None or life == before.life(life.back):
        return update
    # A count that blocks the batch is known already.
    blocked = BlockReason.SHORT in life.block_reasons or BlockReason.LONG in life.block_reasons
    counted = BatchCounted(life.back, event.cards, _COUNTED_BY, blocked)
    return replace(update, placed=(*update.placed, counted))


def place_in_compartment(
    update: LineageUpdate, context: BatchContext, compartment: int, sensed: str
) -> tuple[LineageUpdate, BatchLife | None]:
    """Record which batch is in a compartment; None where it is unknown or contradicts."""
    found = match_compartment(update.lineage, compartment, sensed)
    if found.contradiction:
        return hold_mismatch(update, context, compartment, found), None
    if found.life is None:
        detail = (
            f"which batch is in compartment {compartment} is not known: say which one goes in,"
            " and load it again"
        )
        return add_remark(update, BlockReason.UNPROVEN, "", detail), None
    update = _put_in(update, context, found.life, compartment)
    return update, update.lineage.life(found.life.back)


def hold_mismatch(
    update: LineageUpdate, context: BatchContext, compartment: int, found: CompartmentMatch
) -> LineageUpdate:
    """Hold the batch in doubt: the compartment contradicts the known state."""
    if found.life is not None:
        life = found.life
        if not life.compartment and life.back != update.lineage.in_play:
            update = _put_in(update, context, life, compartment)
            life = update.lineage.life(life.back) or life
        update = hold_batch(update, context, life, BlockReason.FOREIGN, found.contradiction)
    return open_warning(
        update,
        context,
        WarningKind.COUNT,
        found.contradiction,
        active=False,
        compartment=compartment,
    )


def hold_on_wrong_count(
    update: LineageUpdate, context: BatchContext, life: BatchLife, cards: int | None, faces: bytes
) -> LineageUpdate | None:
    """Hold the batch where count or faces are not those of a complete batch; None if right."""
    wrong = check_count(cards, faces, context.cards, context.decks)
    if wrong is None:
        return None
    why = f"{life.back} in compartment {life.compartment}: {wrong.detail}"
    update = hold_batch(update, context, replace(life, cards=cards), wrong.reason, why)
    return open_warning(
        update, context, WarningKind.COUNT, why, active=False, compartment=life.compartment
    )


def hold_broken_shuffle(
    update: LineageUpdate, context: BatchContext, life: BatchLife, why: str
) -> LineageUpdate:
    """Hold the batch: its shuffle did not complete."""
    update = hold_batch(update, context, life, BlockReason.BROKEN_OFF, why)
    return open_warning(
        update, context, WarningKind.BROKEN_OFF, why, active=False, compartment=life.compartment
    )


def _emptied(
    update: LineageUpdate, context: BatchContext, event: CompartmentChanged
) -> LineageUpdate:
    return empty_compartment(update, context, event.compartment)


def empty_compartment(
    update: LineageUpdate, context: BatchContext, compartment: int
) -> LineageUpdate:
    """Record that a compartment is empty."""
    life = update.lineage.in_compartment(compartment)
    if life is None:
        return update
    away = replace(life, compartment=0)
    match life.stage:
        case BatchStage.COUNTED:
            return restart(update, context, away, f"{life.back} was taken out after its count")
        case BatchStage.SHUFFLING:
            update = hold_broken_shuffle(
                update, context, life, f"{life.back} is gone from compartment {compartment}"
            )
            held = update.lineage.life(life.back) or away
            return with_life(update, replace(held, compartment=0))
        case BatchStage.SHUFFLED | BatchStage.STORED:
            why = f"{life.back} left compartment {compartment} without being released"
            update = hold_batch(update, context, away, BlockReason.TOUCHED, why)
            return open_warning(
                update, context, WarningKind.COUNT, why, active=False, compartment=compartment
            )
        case _:
            return with_life(update, away)


def _put_in(
    update: LineageUpdate, context: BatchContext, life: BatchLife, compartment: int
) -> LineageUpdate:
    """Put the batch in a compartment; a batch that was not there before starts over."""
    if life.compartment == compartment:
        return update
    there = replace(life, compartment=compartment)
    update = restart(update, context, there, f"{life.back} goes into compartment {compartment}")
    recorded = "" if update.lineage.into_shuffler == life.back else update.lineage.into_shuffler
    return replace(update, lineage=replace(update.lineage, into_shuffler=recorded))


def _holds(
    update: LineageUpdate, context: BatchContext, event: CompartmentChanged
) -> LineageUpdate:
    """Apply a report of cards in a compartment."""
    update, life = place_in_compartment(update, context, event.compartment, event.back)
    if life is None:
        return update
    if update.lineage.jammed(event.compartment) and event.state is not CompartmentState.HELD:
        detail = f"compartment {event.compartment} is jammed: free the cards, then count them"
        return add_remark(update, BlockReason.JAMMED, life.back, detail)
    if event.state is CompartmentState.LOADING:
        return _loaded(update, context, life)
    if event.state is CompartmentState.SHUFFLING:
        return update  # a claim; the shuffle has an event of its own, with its number
    if event.state is CompartmentState.COUNTED:
        return _counted(update, context, life, event)
    held = hold_on_wrong_count(update, context, life, event.cards, event.faces)
    if held is not None:
        return held
    if event.state is CompartmentState.HELD:
        why = f"the shuffler holds {life.back} back: look at its cards"
        return (
            update
            if life.stage is BatchStage.HELD
            else hold_batch(update, context, life, BlockReason.UNPROVEN, why)
        )
    return _reported_shuffled(update, context, life, event.state)


def _loaded(update: LineageUpdate, context: BatchContext, life: BatchLife) -> LineageUpdate:
    if life.stage is BatchStage.SHUFFLING:
        update = hold_broken_shuffle(
            update, context, life, f"cards are loaded onto {life.back} while it is shuffled"
        )
        life = update.lineage.life(life.back) or life
    return restart(
        update, context, life, f"{life.back} is loaded into compartment {life.compartment}"
    )


def _counted(
    update: LineageUpdate, context: BatchContext, life: BatchLife, event: CompartmentChanged
) -> LineageUpdate:
    held = hold_on_wrong_count(update, context, life, event.cards, event.faces)
    if held is not None:
        return held
    if event.cards is None:
        return add_remark(
            update,
            BlockReason.UNPROVEN,
            life.back,
            f"{life.back} was counted, but no number was reported",
        )
    if life.stage is BatchStage.SHUFFLING:
        update = hold_broken_shuffle(
            update, context, life, f"{life.back} is counted and no longer shuffled"
        )
        life = update.lineage.life(life.back) or life
    if life.stage is BatchStage.RELEASED:
        update = restart(update, context, life, f"{life.back} was released and is counted again")
        life = update.lineage.life(life.back) or life
    fresh = replace(life, cards=event.cards, proof=None, by_hand=False, block_reasons=(), cycle=0)
    return advance(
        update, context, fresh, BatchTrigger.COUNTED, f"{event.cards} cards counted, as expected"
    )


def _reported_shuffled(
    update: LineageUpdate, context: BatchContext, life: BatchLife, state: CompartmentState
) -> LineageUpdate:
    """Apply a report of a shuffled or stored batch: it moves only if it has its proof."""
    if life.stage in _SHUFFLED:
        if state is CompartmentState.STORED and can_advance(context, life, BatchTrigger.STORED):
            return advance(
                update, context, life, BatchTrigger.STORED, f"{life.back} is stored in the shuffler"
            )
        return update
    if life.stage is BatchStage.RELEASED:
        why = f"{life.back} was released, but the shuffler reports it as stored again"
        return hold_batch(update, context, life, BlockReason.TOUCHED, why)
    if life.stage is BatchStage.SHUFFLING:
        return update  # its receipt is an event of its own
    detail = (
        f"the shuffler reports that {life.back} is shuffled, but no complete shuffle of it is known"
    )
    return add_remark(update, BlockReason.UNPROVEN, life.back, detail)


def _released(
    update: LineageUpdate, context: BatchContext, event: CompartmentChanged
) -> LineageUpdate:
    life = update.lineage.in_compartment(event.compartment)
    if life is None:
        known = update.lineage.life(event.back)
        gone = known is not None and not known.compartment
        detail = f"a batch is released from compartment {event.compartment}, which one is unknown"
        return update if gone else add_remark(update, BlockReason.UNPROVEN, "", detail)
    if event.back and event.back != life.back:
        return hold_mismatch(
            update,
            context,
            event.compartment,
            match_compartment(update.lineage, event.compartment, event.back),
        )
    if life.stage is BatchStage.RELEASED:
        return update
    if life.stage in _SHUFFLED and update.lineage.residual:
        left = cards_left(update.lineage.residual)
        why = f"{life.back} is released while {left}"
        return hold_batch(update, context, life, BlockReason.DEVICE, why)
    if life.stage in _SHUFFLED:
        return advance(
            update, context, life, BatchTrigger.RELEASED, f"{life.back} is released to be cut"
        )
    if life.stage is BatchStage.SHUFFLING:
        update = hold_broken_shuffle(
            update, context, life, f"{life.back} is released before its shuffle is complete"
        )
    detail = f"{life.back} is released and is not shuffled: count and shuffle it"
    return add_remark(update, BlockReason.UNSHUFFLED, life.back, detail)


_ON_STATE: Final = MappingProxyType(
    {CompartmentState.EMPTY: _emptied, CompartmentState.RELEASED: _released}
)


# The order of a device's face counts: suit by suit, ace to king.
FACES: Final = tuple(Card(rank, suit) for suit in Suit for rank in Rank)


class CountMismatch(Struct, frozen=True):
    """Why a batch is not complete; `detail` is a part of a sentence."""

    reason: BlockReason
    detail: str


def check_count(counted: int | None, faces: bytes, cards: int, decks: int) -> CountMismatch | None:
    """The mismatch of a count (None: not counted) or its faces (empty: not read); None if right."""
    wrong = _faces_differ(faces, decks) if faces else ""
    named = f": {wrong}" if wrong else ""
    if counted is not None and counted != cards:
        surplus = counted - cards
        many = f"{abs(surplus)} cards" if abs(surplus) > 1 else "1 card"
        lacks = f"{many} too many" if surplus > 0 else f"{many} missing"
        return CountMismatch(
            BlockReason.LONG if surplus > 0 else BlockReason.SHORT,
            f"{counted} of {cards}, {lacks}{named}",
        )
    if wrong:
        return CountMismatch(BlockReason.FOREIGN, f"faces that are not of {decks} decks: {wrong}")
    return None


def _faces_differ(faces: bytes, decks: int) -> str:
    """The faces that are not present once for each deck, as text; empty where all are."""
    if len(faces) != len(FACES):
        return f"{len(faces)} faces are reported of {len(FACES)}"
    missing = _named([(card, decks - count) for card, count in zip(FACES, faces, strict=True)])
    extra = _named([(card, count - decks) for card, count in zip(FACES, faces, strict=True)])
    parts = [f"missing {missing}"] if missing else []
    parts += [f"too many {extra}"] if extra else []
    return "; ".join(parts)


def _named(off: list[tuple[Card, int]]) -> str:
    return ", ".join(f"{many} of {card}" for card, many in off if many > 0)

"""What is permitted with a batch now: dealing from it, shuffler orders, clearing warnings.

Source: NY-a-4-iv-c to NY-a-4-iv-e; S42-a-4-iv to S42-a-4-vi, S42-e-1, S42-e-8-ii-A; D-19 to D-21;
field practice (Taj Mahal, Showboat, SugarHouse, the two-pack scam).
"""

from typing import Final

from msgspec import Struct

from controller.custody.batch_life.stages import COUNT_VALID, READY, BatchStage
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage
from controller.custody.batch_life.warnings import take_out, take_out_what_is_left
from drivers.commands import ShufflerOrder
from drivers.shuffler_events import ShufflerMode
from foundation.message import Message, message


class Obstacle(Struct, frozen=True):
    """A reason why a batch may not be dealt from, and its remedy."""

    reason: BlockReason
    detail: Message
    remedy: Message

    def with_remedy(self) -> Message:
        """The obstacle and its remedy in one text."""
        return message("what_then_remedy", what=self.detail, remedy=self.remedy)


_REPEAT: Final = message("count_and_shuffle_it_again")
_BLOCKED: Final = {
    BlockReason.SHORT: (
        message("batch_short_of_cards"),
        message("find_missing_then_count"),
    ),
    BlockReason.LONG: (
        message("batch_too_many_cards"),
        message("take_wrong_out_then_count"),
    ),
    BlockReason.FOREIGN: (
        message("holds_cards_not_its_own"),
        message("sort_out_then_count"),
    ),
    BlockReason.UNSHUFFLED: (message("was_dealt_unshuffled"), _REPEAT),
    BlockReason.UNPROVEN: (message("no_proof_whole_and_shuffled"), _REPEAT),
    BlockReason.JAMMED: (message("was_jammed_in_shuffler"), message("free_cards_then_count")),
    BlockReason.BROKEN_OFF: (
        message("had_shuffle_aborted"),
        message("repeat_or_shuffle_by_hand"),
    ),
    BlockReason.TOUCHED: (message("was_touched_or_door_opened"), _REPEAT),
    BlockReason.REPEATED: (message("was_dealt_twice_in_a_row"), _REPEAT),
    BlockReason.NOT_RELEASED: (message("was_dealt_before_released"), _REPEAT),
    BlockReason.DEVICE: (message("came_out_of_bad_shuffler"), _REPEAT),
}
_NOT_SHUFFLED: Final = {
    BatchStage.UNKNOWN: (message("not_known_shuffled"), message("load_count_and_shuffle_it")),
    BatchStage.COLLECTED: (
        message("gathered_not_counted_nor_shuffled"),
        message("count_and_shuffle_it"),
    ),
    BatchStage.COUNTED: (message("counted_and_not_shuffled"), message("shuffle_it")),
    BatchStage.SHUFFLING: (message("still_being_shuffled"), message("wait_for_end_of_shuffle")),
    BatchStage.SPENT: (message("dealt_and_not_shuffled_since"), message("put_it_into_shuffler")),
    BatchStage.HELD: (message("held_and_not_shuffled"), _REPEAT),
}


def obstacles_to_dealing(lineage: Lineage, back: str) -> tuple[Obstacle, ...]:
    """Why this batch may not be put into the dealing shoe now; empty where it may."""
    if not lineage.lives:
        return ()
    life = lineage.life(back)
    if life is None:
        due = message("take_batch_due", backs=tuple(one.back for one in lineage.lives))
        return (Obstacle(BlockReason.FOREIGN, message("no_batch_has_backs", typed=back), due),)
    return (*batch_obstacles(lineage, life), *_device_obstacles(lineage, life))


def batch_obstacles(lineage: Lineage, life: BatchLife) -> tuple[Obstacle, ...]:
    """The obstacles of this batch itself, first wrong step first."""
    back, obstacles = life.back, []
    if _was_dealt_last(lineage, back):
        others = tuple(one.back for one in lineage.lives if one.back != back)
        last, due = message("last_shoe_dealt_from", batch=back), message("take_batch", batch=others)
        obstacles.append(Obstacle(BlockReason.REPEATED, last, due))
    obstacles += [_block(back, reason) for reason in life.block_reasons]
    if life.stage in _NOT_SHUFFLED:
        state, remedy = _NOT_SHUFFLED[life.stage]
        unshuffled = message("what_of_batch", batch=back, what=state)
        obstacles.append(Obstacle(BlockReason.UNSHUFFLED, unshuffled, remedy))
    elif life.stage in (BatchStage.SHUFFLED, BatchStage.STORED):
        inside, remedy = message("is_in_the_shuffler", batch=back), message("have_it_released")
        obstacles.append(Obstacle(BlockReason.NOT_RELEASED, inside, remedy))
    elif life.stage in READY and lineage.in_play not in ("", back):
        playing, remedy = message("is_in_play", batch=lineage.in_play), message("end_its_shoe")
        obstacles.append(Obstacle(BlockReason.NOT_RELEASED, playing, remedy))
    return tuple(obstacles)


def _was_dealt_last(lineage: Lineage, back: str) -> bool:
    return back == lineage.last_played and back != lineage.may_repeat


def batch_due_next(lineage: Lineage) -> str:
    """The batch due for the next shoe; empty where not exactly one is out of the shuffler."""
    ready = [one.back for one in lineage.lives if one.stage in READY]
    return ready[0] if len(ready) == 1 else ""


def idle_in_shuffler(lineage: Lineage, in_play: str) -> bool:
    """Whether every batch other than `in_play` is in the shuffler and not released."""
    return all(one.stored for one in lineage.lives if one.back != in_play)


def order_refusal(
    lineage: Lineage, order: ShufflerOrder, compartment: int, *, shoe_open: bool
) -> Message | None:
    """Why an order to the shuffler is refused now, with the remedy; None where it is permitted.

    Status is always permitted; abort and play mode for every device with a proven identity.
    """
    if order is ShufflerOrder.STATUS:
        return None
    if not lineage.trusted:
        return message("connect_paired_shuffler")
    if order in (ShufflerOrder.ABORT, ShufflerOrder.PLAY):
        return None
    if order in _NOT_WITH_OPEN_SHOE and (shoe_open or lineage.in_play):
        return message("no_order_with_open_shoe", order=order.value)
    if order in (ShufflerOrder.SERVICE, ShufflerOrder.SORT):
        return None
    if lineage.residual:
        return message("remedy_first", what=take_out_what_is_left(lineage.residual))
    if lineage.jammed(1) or lineage.jammed(2):
        return message("jammed_free_them_first")
    if order is ShufflerOrder.SELF_TEST:
        return None
    if lineage.mode is not ShufflerMode.PLAY:
        return message("in_mode_order_play_first", mode=lineage.mode.value)
    if compartment not in (1, 2):
        return message("say_which_compartment", order=order.value)
    if not lineage.lives:
        return None
    return _compartment_refusal(lineage, order, compartment, shoe_open=shoe_open)


def _block(back: str, reason: BlockReason) -> Obstacle:
    state, remedy = _BLOCKED[reason]
    return Obstacle(reason, message("what_of_batch", batch=back, what=state), remedy)


def _device_obstacles(lineage: Lineage, life: BatchLife) -> tuple[Obstacle, ...]:
    """Obstacles for every batch from this shuffler in its present state."""
    found = []
    if not (lineage.trusted or life.by_hand):
        unproven, remedy = message("identity_not_proven"), message("connect_paired_or_by_hand")
        found.append(Obstacle(BlockReason.DEVICE, unproven, remedy))
    if lineage.residual:
        left = message("cards_left_in_shuffler", count=lineage.residual)
        remedy = message("then_count_batch_again", what=take_out(lineage.residual))
        found.append(Obstacle(BlockReason.DEVICE, left, remedy))
    if lineage.mode is not ShufflerMode.PLAY and not life.by_hand:
        mode = message("shuffler_mode_is", mode=lineage.mode.value)
        found.append(Obstacle(BlockReason.DEVICE, mode, message("put_it_into_play_mode")))
    return tuple(found)


_NOT_WITH_OPEN_SHOE: Final = (ShufflerOrder.SELF_TEST, ShufflerOrder.SERVICE, ShufflerOrder.SORT)


def _compartment_refusal(
    lineage: Lineage, order: ShufflerOrder, compartment: int, *, shoe_open: bool
) -> Message | None:
    """Why an order is refused for the batch in a compartment; None where it is permitted."""
    life = lineage.in_compartment(compartment)
    match order:
        case ShufflerOrder.LOAD:
            return _load_refusal(lineage, life, compartment)
        case ShufflerOrder.COUNT:
            if life is not None and life.stage is BatchStage.SHUFFLING:
                return message("being_shuffled_wait_or_abort", batch=life.back)
            return None
        case ShufflerOrder.SHUFFLE:
            return _shuffle_refusal(lineage, life, compartment)
        case _ if life is None:
            return message("batch_there_unknown_load_again", compartment=compartment)
        case _ if life.stage not in (BatchStage.SHUFFLED, BatchStage.STORED):
            obstacles = batch_obstacles(lineage, life)
            why = (
                obstacles[0].with_remedy() if obstacles else message("is_released", batch=life.back)
            )
            return message("no_order_of_unshuffled_batch", order=order.value, why=why)
        case ShufflerOrder.RELEASE:
            return _release_refusal(lineage, life, shoe_open=shoe_open)
        case _:
            return None


def _load_refusal(lineage: Lineage, life: BatchLife | None, compartment: int) -> Message | None:
    if life is not None and life.stage not in (BatchStage.COLLECTED, BatchStage.HELD):
        return message(
            "use_other_compartment",
            batch=life.back,
            stage=life.stage.value,
            compartment=compartment,
        )
    loadable = [
        one
        for one in lineage.lives
        if one.back != lineage.in_play and one.compartment in (0, compartment)
    ]
    if loadable:
        return None
    return message("no_batch_can_go_in")


def _shuffle_refusal(lineage: Lineage, life: BatchLife | None, compartment: int) -> Message | None:
    if life is None:
        return message("batch_there_unknown_load_again", compartment=compartment)
    if any(door in (0, compartment) for door in lineage.doors):
        return message("door_open_close_it_first")
    if life.stage in COUNT_VALID:
        return None
    if life.stage is BatchStage.SHUFFLING:
        return message("being_shuffled_already", batch=life.back)
    if life.stage is BatchStage.RELEASED:
        return message("released_cut_or_load_again", batch=life.back)
    blocked = tuple(_block(life.back, reason).detail for reason in life.block_reasons)
    uncounted = message("not_counted_order_count_first", batch=life.back)
    return message("one_after_another", texts=(*blocked, uncounted))


def _release_refusal(lineage: Lineage, life: BatchLife, *, shoe_open: bool) -> Message | None:
    if _was_dealt_last(lineage, life.back):
        return message("release_other_batch", batch=life.back)
    if shoe_open or lineage.in_play:
        return message("stays_until_shoe_over", batch=life.back)
    out = [one.back for one in lineage.lives if one.stage in READY]
    if out:
        return message("already_out_for_next_shoe", batch=out[0])
    return None

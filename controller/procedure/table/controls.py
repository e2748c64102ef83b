"""What a row does beside the rules: counting a card, reading its place, asking again."""

from msgspec.structs import replace

from controller.procedure.classify import trigger_of
from controller.procedure.dealing.shoe import count_card
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Trigger
from controller.procedure.step_result import Play, raise_irregularity
from controller.procedure.table.row import Control
from controller.rules.coup import Place
from foundation.message import message


def count(play: Play) -> None:
    """Count the card as drawn, once."""
    if play.counted:
        return
    play.counted = True
    play.step = count_card(play.book, play.step, play.event, over=play.step.state.shoe_over)


def again(play: Play) -> None:
    """Ask the same in the phase that follows."""
    if play.moved:
        assert play.asked is not None, "something was asked"
        play.ask(play.asked)


def again_as(trigger: Trigger) -> Control:
    def again(play: Play) -> None:
        play.ask(trigger)

    again.__name__ = f"again_as_{trigger}"
    return again


def again_by_claim(play: Play) -> None:
    """Ask in the coup that begins: the card is of no unseen coup there."""
    if play.moved:
        play.ask(trigger_of(play.event))


def again_uncalled(play: Play) -> None:
    """The coup began too early: raised once the card has its place in it."""
    if play.moved:
        number = play.before.shoe.coups_begun + 1
        again_by_claim(play)
        code, detail = (
            IrregularityCode.CARD_BEFORE_NO_MORE_BETS,
            message("coup_number", number=number),
        )
        play.step = raise_irregularity(play.book, play.step, code, detail)


def read_as(place: Place) -> Control:
    """A card without a place is taken for the one that is due."""

    def read(play: Play) -> None:
        if play.event.claimed is Place.UNCLAIMED:
            play.event = replace(play.event, claimed=place)

    read.__name__ = f"read_as_{place}"
    return read

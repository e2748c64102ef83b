"""What rows ask and do beside the rules: conditions, counting a card, asking again.

Source: D-13, D-16, D-22.
"""

from typing import Final

from msgspec.structs import replace

from controller.procedure.dealing.coup_start import begins_another_coup
from controller.procedure.dealing.error_cards import holds_next_cards, holds_whole_hand
from controller.procedure.dealing.shoe import begins_next_shoe
from controller.procedure.dealing.shoe_count import (
    claims_by_shoe_count,
    count_card,
    is_first_by_shoe_count,
)
from controller.procedure.events import Loss
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.places import BURN_PLACES
from controller.procedure.rulebook import ObservableFact
from controller.procedure.step_result import Play, raise_irregularity, trigger_of
from controller.procedure.table.row import Condition, Control
from controller.rules.coup import Place, next_place
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


# --- the rule book -------------------------------------------------------------------------------


def calls_observed(play: Play) -> bool:
    return play.book.observes(ObservableFact.NO_MORE_BETS)


def results_observed(play: Play) -> bool:
    return play.book.observes(ObservableFact.RESULT_BUTTON)


def end_observed(play: Play) -> bool:
    """Whether something is observed that comes between two coups."""
    return results_observed(play) or calls_observed(play)


def continuous(play: Play) -> bool:
    return play.book.continuous


def changes_shoes(play: Play) -> bool:
    """Shoes follow each other: no continuous shuffler feeds one."""
    return not play.book.continuous


# Those that read the rule book alone: at one table each of them holds always or never.
RULE_BOOK_CONDITIONS: Final[frozenset[Condition]] = frozenset(
    (calls_observed, results_observed, end_observed, continuous, changes_shoes)
)


# --- the shoe ------------------------------------------------------------------------------------


def beyond_decks(play: Play) -> bool:
    """One card more than all decks hold."""
    shoe = play.step.shoe
    return not play.counted and not shoe.endless and shoe.cards_drawn >= shoe.cards_total


def card_unread(play: Play) -> bool:
    """The face of the card could not be read."""
    return play.event.card is None


def next_shoe(play: Play) -> bool:
    """The card begins the next shoe."""
    return begins_next_shoe(play.book, play.step.state, play.event)


def none_drawn(play: Play) -> bool:
    """No card was drawn from this shoe."""
    return not (play.step.shoe.cards_drawn or play.step.shoe.joined)


def no_coup_begun(play: Play) -> bool:
    return play.step.shoe.coups_begun == 0


def last_coup(play: Play) -> bool:
    """The last coup was dealt, and no burn comes before the shoe is over (D-7)."""
    shoe = play.step.shoe
    return shoe.is_last(shoe.coups_begun) and not (shoe.remedy.owes_burn and not shoe.is_empty())


def nothing_missing(play: Play) -> bool:
    """No report can be missing since the last coup or burn."""
    return play.step.shoe.reports_proven


def burn_owed(play: Play) -> bool:
    """A burn is owed after the coup; one of an unknown amount needs the shoe's claim."""
    remedy = play.step.shoe.remedy
    return remedy.owes_burn if play.event.claimed in BURN_PLACES else remedy.burn_later > 0


def shoe_count_explains(play: Play) -> bool:
    """The shoe's own count explains its claim."""
    shoe, event = play.step.shoe, play.event
    if shoe.coup is None:
        return is_first_by_shoe_count(shoe, event)
    place = next_place(shoe.coup.faces())
    return place is not None and event.claimed in claims_by_shoe_count(shoe.coup.shoe_cards, place)


def of_next_coup(play: Play) -> bool:
    """A claim for a third card can be of the next coup."""
    return shoe_count_explains(play) or no_coup_begun(play)


def player_stood(play: Play) -> bool:
    """The Player's Hand has no third card; where Banker's is due, Player had to stand."""
    return not play.step.coup.has(Place.PLAYER_3)


def count_off(play: Play) -> bool:
    """The shoe counts a card that is in no hand."""
    shoe = play.step.shoe
    return bool(shoe.shoe_count if shoe.coup is None else shoe.coup.shoe_cards)


# --- cards that wait, and a partial coup ---------------------------------------------------------


def card_waits(play: Play) -> bool:
    """A card drawn in error keeps the next coup from beginning."""
    return holds_next_cards(play.step)


def drawn_after(play: Play) -> bool:
    """... and cards were drawn after it."""
    return bool(play.step.shoe.remedy.drawn_after) and holds_next_cards(play.step)


def cards_held_after(play: Play) -> bool:
    """Cards were drawn after one in error, whether they keep the coup from beginning or not."""
    return bool(play.step.shoe.remedy.drawn_after)


def hand_held(play: Play) -> bool:
    """... and they can be a whole hand."""
    return holds_whole_hand(play.step)


def cards_carried(play: Play) -> bool:
    """Cards are held for the next coup."""
    return bool(play.step.shoe.remedy.carried)


def of_another_coup(play: Play) -> bool:
    """The claimed place cannot belong to the partial coup."""
    return begins_another_coup(play.step.coup, play.event.claimed)


def of_unseen_coup(play: Play) -> bool:
    """... nor to the first four cards of the next one."""
    return play.step.coup.missing > 0 and of_another_coup(play)


def suspended(play: Play) -> bool:
    return play.step.state.suspension is not None


# --- cut cards, reports --------------------------------------------------------------------------


def cut_card_extra(play: Play) -> bool:
    """As many cut cards came out as the shoe may have."""
    return play.step.shoe.cut.seen >= play.book.values.cut_cards_per_shoe


def cut_card_seen(play: Play) -> bool:
    """A cut card came out."""
    return play.step.shoe.cut.seen > 0


def cut_in_play(play: Play) -> bool:
    """A cut card came out in play."""
    return play.step.shoe.cut.seen > 0 and not play.step.shoe.cut.in_burn


def unproven(play: Play) -> bool:
    """It is not proven that reports are missing."""
    return play.event.loss is Loss.UNPROVEN


def not_judged(play: Play) -> bool:
    """A report came and could not be judged: an internal error."""
    return play.event.loss is Loss.NOT_JUDGED


def resumes_in(phase: Phase) -> Condition:
    def back(play: Play) -> bool:
        return play.back is phase

    back.__name__ = f"back_to_{phase}"
    return back

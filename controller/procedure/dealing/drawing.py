"""Judging a card that left the shoe: where it goes, and what the rules say after it.

Responsible for: which trigger a card is, and which irregularity a missing edge means in this
phase.
Not responsible for: whether an edge exists (machine), the burn (burning), the cards a hand is due
(coup_cards), what a suspension does with it (suspension).
Source: S42 (g)(3), (h)(4)-(5), (k)(1)-(2); NY (f), (h); D-6, D-7, D-16.

Decisions. The order of drawing decides whose a card is; where the shoe believes otherwise that is
one irregularity. A card for a first-four place between coups joins a coup whose beginning was not
seen; one for a third or further place, after a coup of this shoe, is drawn in error: that coup has
its result, unless reports are missing in between. A first burn card while a shoe is in play is
another shoe's: nothing more of that shoe is followed before a floorperson closes this one. A card
beyond the last of all decks goes nowhere. While a burn is owed every card is one of it (D-13).
"""

from controller.procedure.calls.prompts import before_first_card
from controller.procedure.dealing.burn import (
    burn_first,
    burn_over,
    burn_rest,
    burned_between_coups,
    uncounted_burn_card,
)
from controller.procedure.dealing.coup_end import close_coup, ended_by_what_follows, is_over
from controller.procedure.dealing.due_cards import (
    due_card,
    opened,
    opened_with_held_cards,
)
from controller.procedure.dealing.error_cards import drawn_in_error
from controller.procedure.dealing.remedy_burn import (
    burn_due,
    burn_left,
    burned_before_result,
    is_burned_before_result,
    remedy_burn_card,
    uncounted_remedy_card,
)
from controller.procedure.dealing.shoe import (
    NO_SHOE_PHASES,
    join_shoe,
    join_shoe_in_burn,
    open_shoe,
)
from controller.procedure.dealing.shortage import cards_left_checked
from controller.procedure.dealing.unclaimed import placed_by_order
from controller.procedure.effects import CoupFate
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.first_card_checks import first_card_out
from controller.procedure.phases import BURN_PHASES, Phase, Trigger
from controller.procedure.places import (
    BURN_PLACES,
    HAND_PLACES,
    LATE_PLACES,
    WORDS,
    banker_stood_on_7,
    place_clauses,
    ruling_points,
)
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.shuffler.interlock import card_under_warning
from controller.procedure.state import CoupState, DealtCard, NextShoe
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import Step, accept, irregular
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Place
from controller.state_table import NoEdge
from firmware_bridge.values import replace

_BANKER_MORE = (Place.BANKER_3, Place.BANKER_MORE)


def card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge one card, and whether any may be drawn now."""
    return card_under_warning(book, _card_drawn(book, step, event))


def _card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Every card counts as out of its shoe, whatever is wrong with it."""
    if event.claimed is Place.UNCLAIMED:
        step, event = placed_by_order(book, step, event)
    if event.claimed is Place.BURN_FIRST and _may_be_another_shoe(step):
        return _first_card_of_another_shoe(book, step, event)
    if step.phase is Phase.CLOSED:
        return _card_of_unseen_shoe(book, step, event)
    step = _counted(book, step, event)
    if step.phase is Phase.SHOE_OVER:
        return _card_after_shoe(book, step, event)
    if step.shoe.overdrawn():
        return _card_beyond_decks(book, step, event)
    return burn_due(book, _card_in_play(book, step, event))


def _card_in_play(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    if step.phase is Phase.BURN_REST and step.shoe.remedy.burn_back is not None:
        return _in_burn(book, step, event)
    if is_over(step.shoe.coup) and is_burned_before_result(step, event.claimed):
        return burned_before_result(book, step, event)
    if event.claimed is Place.OUTSIDE:
        return _outside_play(book, step, event)
    match step.phase:
        case Phase.BURN_FIRST:
            return burn_first(book, step, event)
        case Phase.BURN_REST:
            return _in_burn(book, step, event)
        case Phase.BETWEEN_COUPS:
            return _between_coups(book, step, event)
        case Phase.PLAYER_1 if step.shoe.coup is None:
            return _between_coups(book, step, event)
        case _:
            return _in_coup(book, step, event)


def _counted(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    drawn = step.shoe.cards_drawn + 1
    step = step.with_shoe(replace(step.shoe, cards_drawn=drawn, drawn_last=LastDrawn.NOTHING))
    first = drawn == 1 and not step.shoe.joined
    if not first or step.phase is Phase.SHOE_OVER:
        return step
    return first_card_out(book, step, event.back)


# --- a card of another shoe, or of none ----------------------------------------------------------


def _may_be_another_shoe(step: Step) -> bool:
    """Whether nothing in progress makes a first burn card this shoe's, or a coup's by order."""
    if step.phase in BURN_PHASES:
        return False
    shoe = step.state.shoe
    coup = shoe.coup if shoe is not None else None
    if shoe is not None and shoe.remedy.owes_burn and is_over(coup):
        return False
    return coup is None or coup.partial or coup.abandoned or is_over(coup)


def _first_card_of_another_shoe(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    step = ended_by_what_follows(book, step)
    no_shoe = step.phase in NO_SHOE_PHASES
    if no_shoe and not step.provisional:
        step = _counted(book, open_shoe(book, step), event)
        burns = step.phase is Phase.BURN_FIRST
        return burn_first(book, step, event) if burns else burned_between_coups(book, step, event)
    step = replace(step, next_shoe=NextShoe.BEGUN)
    if no_shoe:
        return accept(step, "the first card of the next shoe: not followed while suspended")
    detail = "the first burn card of another shoe was drawn"
    return irregular(book, step, IrregularityCode.SHOE_CHANGED_EARLY, detail)


def _card_of_unseen_shoe(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The program meets a shoe in play: nothing before this card is known."""
    detail = f"the first card seen is {WORDS[event.claimed]}"
    if event.claimed in BURN_PLACES:
        step = _counted(book, join_shoe_in_burn(book, step), event)
        step = step.with_shoe(replace(step.shoe, burn_cards=(event.card,)))
    else:
        step = _counted(book, join_shoe(book, step), event)
        if event.claimed is Place.OUTSIDE:
            step = _racked(step, event)
        else:
            step = _begin_coup(book, step, event)
    return irregular(book, step, IrregularityCode.SHOE_JOINED, detail)


def _card_after_shoe(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """It goes to the discard rack, never to another shoe (D-7)."""
    step = _racked(step, event)
    code = IrregularityCode.CARD_AFTER_LAST_COUP
    if step.shoe.cut.exhausted:
        code = IrregularityCode.CARD_AFTER_SECOND_CUT_CARD
    return irregular(book, step, code, f"card {step.shoe.cards_drawn} of the shoe")


def _racked(step: Step, event: CardDrawn) -> Step:
    """Into the discard rack; more cards than the decks hold are followed nowhere."""
    shoe = step.shoe
    if shoe.overdrawn():
        return step
    return step.with_shoe(replace(shoe, aside=(*shoe.aside, event.card)))


def _card_beyond_decks(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    if event.claimed is Place.PLAYER_1:
        step = ended_by_what_follows(book, step)
    shoe = step.shoe
    detail = f"card {shoe.cards_drawn} of {shoe.cards_total}"
    return irregular(book, step, IrregularityCode.CARDS_EXCEED_DECKS, detail)


# --- burn and between coups ----------------------------------------------------------------------


def _outside_play(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The shoe held play to be stopped: the card is in no hand."""
    coup = step.shoe.coup
    step = drawn_in_error(book, step, event)
    if coup is not None and is_over(coup):
        detail = "the coup already has every card it is due"
        points = ruling_points(coup.faces())
        return irregular(book, step, IrregularityCode.OVERDRAW, detail, *points)
    detail = f"while the table waited for {step.phase.value}"
    return irregular(book, step, IrregularityCode.CARD_OUTSIDE_PLAY, detail)


def _in_burn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card of the burn under way: counted, or without a count until play begins."""
    for_irregularity = step.shoe.remedy.burn_back is not None
    if step.shoe.burn_owed:
        counted = remedy_burn_card if for_irregularity else burn_rest
        return counted(book, step, event)
    if event.claimed in BURN_PLACES:
        uncounted = uncounted_remedy_card if for_irregularity else uncounted_burn_card
        return uncounted(book, step, event)
    if not for_irregularity:
        return _card_after_coup(book, burn_due(book, burn_over(book, step)), event)
    return _card_after_coup(book, burn_due(book, burn_left(book, step)), event)


def _between_coups(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Only a first card for the Player opens a coup whose beginning was seen."""
    shoe = step.shoe
    if event.claimed in BURN_PLACES:
        return burned_between_coups(book, step, event)
    if event.claimed in LATE_PLACES and shoe.coups_begun > 0:
        step = drawn_in_error(book, step, event)
        detail = f"coup {shoe.coups_begun} is over; the shoe says {WORDS[event.claimed]}"
        return irregular(book, step, IrregularityCode.OVERDRAW, detail)
    return _first_card(book, step, event)


def _first_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    shoe = step.shoe
    uncalled = book.observes(Fact.NO_MORE_BETS) and step.phase is Phase.BETWEEN_COUPS
    if shoe.remedy.carried:
        step = _in_coup(book, opened_with_held_cards(book, step), event)
        return _called_before(book, step, shoe.coups_begun + 1, uncalled=uncalled)
    step = _begin_coup(book, step, event)
    if shoe.cut.exhausted:
        detail = "no coup may be begun from this shoe"
        return irregular(book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, detail)
    if event.claimed is not Place.PLAYER_1:
        detail = f"it is {WORDS[event.claimed]}"
        return irregular(book, step, IrregularityCode.COUP_JOINED, detail)
    if event.card is None:
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, WORDS[Place.PLAYER_1])
    step = accept(step, WORDS[Place.PLAYER_1], place_clauses(book, Place.PLAYER_1))
    step = _called_before(book, step, step.coup.number, uncalled=uncalled)
    return cards_left_checked(book, step)


def _called_before(book: RuleBook, step: Step, number: int, *, uncalled: bool) -> Step:
    if not uncalled:
        return step
    code = IrregularityCode.CARD_BEFORE_NO_MORE_BETS
    return irregular(book, step, code, f"coup {number}")


def _begin_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Open the next coup with this card; partial if it is not a first card that was read."""
    partial = event.claimed is not Place.PLAYER_1 or event.card is None
    coup = CoupState(step.shoe.coups_begun + 1, partial=partial)
    step = _with_claimed_card(opened(book, step, coup), event)
    # What a partial coup still lacks is unknown: it waits for its end.
    return step.moved(book, Trigger.COUP_PARTIAL if partial else Trigger.CARD)


def _with_claimed_card(step: Step, event: CardDrawn) -> Step:
    """The card where the shoe says; aside where that is no place of a hand."""
    coup = step.coup
    if event.claimed in HAND_PLACES:
        dealt = DealtCard(event.claimed, event.card, event.claimed)
        step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.HAND))
        return step.with_coup(replace(coup, cards=(*coup.cards, dealt)))
    aside = DealtCard(Place.OUTSIDE, event.card, event.claimed)
    return step.with_coup(replace(coup, aside=(*coup.aside, aside)))


def no_more_bets(book: RuleBook, step: Step) -> Step:
    """The call that opens a coup, where the table can sense or enter it."""
    step = ended_by_what_follows(book, step)
    if step.phase is Phase.BURN_REST and not step.shoe.burn_owed:
        for_irregularity = step.shoe.remedy.burn_back is not None
        step = burn_left(book, step) if for_irregularity else burn_over(book, step)
        step = burn_due(book, step)
    if isinstance(book.next(step.phase, Trigger.COUP_BEGINS), NoEdge):
        return accept(step, '"no more bets" where no coup can begin: nothing to do')
    step = step.moved(book, Trigger.COUP_BEGINS)
    step = accept(step, '"no more bets"', book.clauses(RulePoint.NO_MORE_BETS))
    step = before_first_card(book, step, called=True)
    if step.shoe.remedy.carried:
        step = opened_with_held_cards(book, step)
    return cards_left_checked(book, step)


# --- in a coup -----------------------------------------------------------------------------------


def _in_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    coup = step.coup
    if coup.partial:
        return _card_of_partial_coup(book, step, event)
    if coup.abandoned and event.claimed is Place.PLAYER_1:
        step = close_coup(book, step, CoupFate.PARTIAL)
        return _card_after_coup(book, step, event)
    if step.phase is Phase.RESULT:
        return _after_complete_coup(book, step, event)
    return due_card(book, step, event)


def _after_complete_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Every hand has its cards: this is the next coup's first card, or one too many."""
    if event.claimed is Place.PLAYER_1:
        return _card_after_coup(book, ended_by_what_follows(book, step), event)
    assert isinstance(book.next(step.phase, Trigger.CARD), NoEdge)
    points = ruling_points(step.coup.faces())
    third = event.claimed is Place.PLAYER_3
    if third:
        points = (*points, RulePoint.PLAYER_THIRD_UNAUTHORISED)
    elif event.claimed in _BANKER_MORE and banker_stood_on_7(step.coup.faces()):
        points = (*points, RulePoint.BANKER_7_MISPRINT)
    step = drawn_in_error(book, step, event, third=third)
    said = WORDS[event.claimed]
    detail = f"the coup already has every card it is due; the shoe says {said}"
    return irregular(book, step, IrregularityCode.OVERDRAW, detail, *points)


def _card_of_partial_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A partial coup takes what follows, until a card must belong to the next."""
    coup = step.coup
    if _begins_another(coup, event.claimed):
        step = close_coup(book, step, CoupFate.PARTIAL)
        if coup.missing and step.phase is Phase.BETWEEN_COUPS:
            return _first_card(book, step, event)
        return _card_after_coup(book, step, event)
    step = _with_claimed_card(step.with_coup(replace(coup, missing=0)), event)
    return accept(step, f"of a partial coup: {WORDS[event.claimed]}, not judged")


def _begins_another(coup: CoupState, claimed: Place) -> bool:
    """Whether a claim cannot belong to this coup: its first place, or one that is out of reach."""
    if claimed not in HAND_PLACES:
        return False
    index = HAND_PLACES.index(claimed) + coup.carried
    first = claimed is Place.PLAYER_1 and len(coup.cards) + len(coup.aside) > coup.carried
    return first or not coup.may_go_on_at(index)


def _card_after_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The coup before this card is closed: judge the card from where the table stands now."""
    if step.phase is Phase.SHOE_OVER:
        return _card_after_shoe(book, step, event)
    if step.phase is Phase.BURN_REST:
        return _in_burn(book, step, event)
    return _between_coups(book, step, event)

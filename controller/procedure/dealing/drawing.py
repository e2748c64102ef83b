"""Judges a card that left the shoe: its trigger, or the irregularity that a missing edge means.

Source: S42 (g)(3), (h)(4)-(5), (k)(1)-(2); NY (f), (h); D-6, D-7, D-11, D-16, D-38.

Decisions. The order of drawing decides which hand a card belongs to; a different claim of the shoe
is one irregularity. A card for a first-four place between coups joins a coup whose beginning was
not seen, but one claimed for Banker's first is Player's where no report can be missing (D-16); one
for a third or further place, after a coup of this shoe, is drawn in error: that coup has its
result, unless reports are missing in between. A first burn card while a shoe is in play belongs to
another shoe: that shoe is not followed before a floorperson closes this one. A card beyond the last
of all decks goes nowhere. While a burn is owed every card belongs to it (D-13).
"""

from msgspec.structs import replace

from controller.procedure.calls.prompts import prompt_before_first_card
from controller.procedure.dealing.burn import (
    accept_announced_burn_card,
    end_burn,
    judge_counted_burn_card,
    judge_first_burn_card,
    judge_uncounted_burn_card,
    raise_unowed_burn_card,
)
from controller.procedure.dealing.coup_end import close_complete_coup, close_coup, resume_coup
from controller.procedure.dealing.due_cards import (
    deal_due_card,
    open_coup,
    raise_first_card_claimed_for_banker,
)
from controller.procedure.dealing.error_cards import (
    hold_card_drawn_after,
    hold_error_card,
    holds_next_cards,
)
from controller.procedure.dealing.held_hands import open_coup_with_held_cards
from controller.procedure.dealing.remedy_burn import (
    begin_due_burn,
    describe_cards,
    is_early_burn_card,
    judge_early_burn_card,
    judge_remedy_burn_card,
    judge_uncounted_remedy_card,
    leave_burn,
)
from controller.procedure.dealing.shoe import (
    NO_SHOE_PHASES,
    join_shoe,
    join_shoe_in_burn,
    open_shoe,
)
from controller.procedure.dealing.shoe_count import count_in_coup, is_first_by_shoe_count
from controller.procedure.dealing.shortage import check_cards_left
from controller.procedure.dealing.unclaimed import place_by_order
from controller.procedure.effects import CoupFate, PromptKind
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.first_card_checks import check_first_card
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BURN_PHASES,
    COUP_ENDS,
    COUP_PHASES,
    DUE_PHASES,
    DUE_WORDS,
    HANDS_COMPLETE,
    REMEDY_BURNS,
    UNCOUNTED_BURNS,
    Phase,
    Trigger,
)
from controller.procedure.places import (
    BURN_PLACES,
    HAND_PLACES,
    LATE_PLACES,
    PLACE_NAMES,
    banker_stood_on_7,
    place_points,
    ruling_points,
)
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.shuffler.interlock import check_card_under_warning
from controller.procedure.state import CoupState, DealtCard, NextShoe
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Place
from controller.state_table import NoEdge

_WHOLE_COUP = tuple(phase for phase in COUP_PHASES if phase is not Phase.PARTIAL)
_BANKER_MORE = (Place.BANKER_3, Place.BANKER_MORE)


def card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge one card, and whether a card may be drawn now."""
    return check_card_under_warning(book, _card_drawn(book, step, event))


def _card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge one card; it counts as drawn, whatever is wrong with it."""
    if event.claimed is Place.UNCLAIMED:
        step, event = place_by_order(book, step, event)
    if event.claimed is Place.BURN_FIRST and _may_be_another_shoe(book, step):
        return _first_card_of_another_shoe(book, step, event)
    if step.phase is Phase.CLOSED:
        return _card_of_unseen_shoe(book, step, event)
    step = _count_card(book, step, event)
    if step.phase is Phase.SHOE_OVER:
        return _card_after_shoe(book, step, event)
    if step.shoe.overdrawn():
        return _card_beyond_decks(book, step, event)
    return begin_due_burn(book, judge_card_in_play(book, step, event))


def judge_card_in_play(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge a card of the shoe in play that is already counted as drawn."""
    if step.phase in (Phase.BOXED_BURN, *REMEDY_BURNS):
        return _card_in_burn(book, step, event)
    complete = step.phase in HANDS_COMPLETE
    early = is_early_burn_card(step, event.claimed, hands_complete=complete)
    if early and step.phase in _WHOLE_COUP:
        return judge_early_burn_card(book, step, event)
    if event.claimed is Place.OUTSIDE:
        return _card_outside_play(book, step, event)
    match step.phase:
        case Phase.BURN_FIRST:
            return judge_first_burn_card(book, step, event)
        case Phase.BURN_REST | Phase.BURN_UNCOUNTED:
            return _card_in_burn(book, step, event)
        case Phase.BETWEEN_COUPS | Phase.BETTING_CLOSED:
            return _card_between_coups(book, step, event)
        case _:
            return _card_in_coup(book, step, event)


def _count_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    drawn = step.shoe.cards_drawn + 1
    step = step.with_shoe(replace(step.shoe, cards_drawn=drawn, drawn_last=LastDrawn.NOTHING))
    first = drawn == 1 and not step.shoe.joined
    if not first or step.phase is Phase.SHOE_OVER:
        return step
    return check_first_card(book, step, event.back)


# --- a card of another or unseen shoe ------------------------------------------------------------


def _may_be_another_shoe(book: RuleBook, step: Step) -> bool:
    """Whether a first burn card may belong to another shoe: no burn or coup is in progress.

    A shoe fed by a continuous shuffler is never changed; it announces a burn after each start.
    """
    if step.phase in BURN_PHASES or (book.continuous and step.phase not in NO_SHOE_PHASES):
        return False
    if step.phase in HANDS_COMPLETE and step.shoe.remedy.owes_burn:
        return False
    return step.phase not in DUE_PHASES


def _first_card_of_another_shoe(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    step = close_complete_coup(book, step)
    no_shoe = step.phase in NO_SHOE_PHASES
    if no_shoe and not step.provisional:
        step = _count_card(book, open_shoe(book, step), event)
        if step.phase is Phase.BURN_FIRST:
            return judge_first_burn_card(book, step, event)
        return _unowed_burn_card(book, step, event)
    step = replace(step, next_shoe=NextShoe.BEGUN)
    if no_shoe:
        return accept(step, "the first card of the next shoe: not followed while suspended")
    detail = "the first burn card of another shoe was drawn"
    return raise_irregularity(book, step, IrregularityCode.SHOE_CHANGED_EARLY, detail)


def _card_of_unseen_shoe(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Join a shoe in play: nothing before this card is known."""
    detail = f"the first card seen is {PLACE_NAMES[event.claimed]}"
    if event.claimed in BURN_PLACES:
        step = _count_card(book, join_shoe_in_burn(book, step), event)
        step = step.with_shoe(replace(step.shoe, burn_cards=(event.card,)))
    else:
        step = _count_card(book, join_shoe(book, step), event)
        if event.claimed is Place.OUTSIDE:
            step = _move_to_rack(step, event)
        else:
            step = _begin_coup(book, step, event, event.claimed)
    return raise_irregularity(book, step, IrregularityCode.SHOE_JOINED, detail)


def _card_after_shoe(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card after the shoe is over goes to the discard rack, never to another shoe (D-7).

    It is a burn card where a burn is owed then: that is no dealing.
    """
    if is_early_burn_card(step, event.claimed, hands_complete=True):
        return judge_early_burn_card(book, step, event)
    step = _move_to_rack(step, event)
    code = IrregularityCode.CARD_AFTER_LAST_COUP
    if step.shoe.cut.exhausted:
        code = IrregularityCode.CARD_AFTER_SECOND_CUT_CARD
    return raise_irregularity(book, step, code, f"card {step.shoe.cards_drawn} of the shoe")


def _move_to_rack(step: Step, event: CardDrawn) -> Step:
    """Move the card to the discard rack; cards beyond the decks are not followed."""
    shoe = step.shoe
    if shoe.overdrawn():
        return step
    return step.with_shoe(replace(shoe, aside=(*shoe.aside, event.card)))


def _card_beyond_decks(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    if event.claimed is Place.PLAYER_1:
        step = close_complete_coup(book, step)
    detail = f"card {step.shoe.cards_drawn} of {step.shoe.cards_total}"
    return raise_irregularity(book, step, IrregularityCode.CARDS_EXCEED_DECKS, detail)


# --- burn and between coups ----------------------------------------------------------------------


def _card_outside_play(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card drawn while the shoe had stopped play: it belongs to no hand."""
    step = hold_error_card(book, step, event)
    if step.phase in HANDS_COMPLETE:
        detail = "the coup already has every card it is due"
        points = ruling_points(step.coup.faces())
        return raise_irregularity(book, step, IrregularityCode.OVERDRAW, detail, *points)
    detail = f"while the table waited for {DUE_WORDS[step.phase]}"
    return raise_irregularity(book, step, IrregularityCode.CARD_OUTSIDE_PLAY, detail)


def _card_in_burn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card of the burn in progress: counted, or without a count until play begins."""
    match step.phase:
        case Phase.BURN_REST:
            return judge_counted_burn_card(book, step, event)
        case Phase.BOXED_BURN | Phase.REMEDY_BURN | Phase.COUP_BURN:
            return judge_remedy_burn_card(book, step, event)
        case _ if event.claimed not in BURN_PLACES:
            return _card_after_coup(book, _end_uncounted_burn(book, step), event)
        case Phase.BURN_UNCOUNTED:
            return judge_uncounted_burn_card(book, step, event)
        case _:
            return judge_uncounted_remedy_card(book, step, event)


def _end_uncounted_burn(book: RuleBook, step: Step) -> Step:
    """Play begins: so the burn is over."""
    end = end_burn if step.phase is Phase.BURN_UNCOUNTED else leave_burn
    return begin_due_burn(book, end(book, step))


def _card_between_coups(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card between coups: only Player's first card begins a coup in order."""
    shoe = step.shoe
    if event.claimed in BURN_PLACES:
        return _unowed_burn_card(book, step, event)
    begins = event.claimed is Place.PLAYER_1 and step.phase is Phase.BETWEEN_COUPS
    if shoe.remedy.drawn_after and not begins and holds_next_cards(step):
        return hold_card_drawn_after(book, step, event)
    late = event.claimed in LATE_PLACES and shoe.coups_begun > 0
    if late and not is_first_by_shoe_count(shoe, event):
        step = hold_error_card(book, step, event)
        detail = f"coup {shoe.coups_begun} is over; the shoe reports {PLACE_NAMES[event.claimed]}"
        return raise_irregularity(book, step, IrregularityCode.OVERDRAW, detail)
    return _first_card_of_coup(book, step, event)


def _unowed_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A burn card where none is owed: announced by the shoe's own count, or one too many."""
    if book.continuous and event.claimed is not Place.BURN_EXTRA:
        return accept_announced_burn_card(book, step, event)
    return raise_unowed_burn_card(book, step, event)


def _first_card_of_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    shoe = step.shoe
    uncalled = book.observes(ObservableFact.NO_MORE_BETS) and step.phase is Phase.BETWEEN_COUPS
    if holds_next_cards(step):
        step = hold_card_drawn_after(book, step, event)
        if step.phase is Phase.BETWEEN_COUPS:
            step = step.advance(book, Trigger.NO_MORE_BETS)
        return _check_no_more_bets(book, step, shoe.coups_begun + 1, uncalled=uncalled)
    if shoe.remedy.carried:
        step = _card_in_coup(book, open_coup_with_held_cards(book, step), event)
        return _check_no_more_bets(book, step, shoe.coups_begun + 1, uncalled=uncalled)
    by_count = is_first_by_shoe_count(shoe, event)
    # No report is missing, so by the order of drawing it can only be Player's (D-16).
    by_order = by_count or (event.claimed is Place.BANKER_1 and shoe.reports_proven)
    claimed, event = event.claimed, replace(event, claimed=Place.PLAYER_1) if by_order else event
    step = _begin_coup(book, step, event, claimed)
    if shoe.cut.exhausted:
        detail = "no further coup may begin from this shoe"
        return raise_irregularity(book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, detail)
    if event.claimed is not Place.PLAYER_1:
        detail = f"it is {PLACE_NAMES[event.claimed]}"
        return raise_irregularity(book, step, IrregularityCode.COUP_JOINED, detail)
    first = PLACE_NAMES[Place.PLAYER_1]
    if event.card is None:
        return raise_irregularity(book, step, IrregularityCode.CARD_UNREADABLE, first)
    step = accept(step, first, book.clauses(*place_points(book, Place.PLAYER_1)))
    step = _check_no_more_bets(book, step, step.coup.number, uncalled=uncalled)
    if by_order and not by_count:
        step = raise_first_card_claimed_for_banker(book, step)
    return check_cards_left(book, step)


def _check_no_more_bets(book: RuleBook, step: Step, number: int, *, uncalled: bool) -> Step:
    if not uncalled:
        return step
    code = IrregularityCode.CARD_BEFORE_NO_MORE_BETS
    return raise_irregularity(book, step, code, f"coup {number}")


def _begin_coup(book: RuleBook, step: Step, event: CardDrawn, claimed: Place) -> Step:
    """Begin the next coup with this card; partial unless it is a first card that was read."""
    partial = event.claimed is not Place.PLAYER_1 or event.card is None
    by_count = is_first_by_shoe_count(step.shoe, replace(event, claimed=claimed))
    counted = step.shoe.shoe_count if by_count else None
    coup = CoupState(step.shoe.coups_begun + 1, partial=partial, shoe_cards=counted)
    step = with_claimed_card(open_coup(book, step, coup), event)
    if event.claimed is not claimed:
        (first,) = step.coup.cards
        step = step.with_coup(replace(step.coup, cards=(replace(first, claimed=claimed),)))
        step = count_in_coup(step)
    if event.claimed is Place.PLAYER_1 and event.card is None:
        step = step.with_coup(replace(step.coup, unjudged=step.coup.cards))
    # Which cards a partial coup still needs is unknown: it waits for its end.
    return step.advance(book, Trigger.COUP_PARTIAL if partial else Trigger.CARD)


def with_claimed_card(step: Step, event: CardDrawn) -> Step:
    """The card at the place the shoe claims; aside where that is not a place of a hand."""
    coup, in_hand = step.coup, event.claimed in HAND_PLACES
    dealt = DealtCard(event.claimed if in_hand else Place.OUTSIDE, event.card, event.claimed)
    if coup.unjudged:
        coup = replace(coup, unjudged=(*coup.unjudged, dealt))
    if not in_hand:
        return step.with_coup(replace(coup, aside=(*coup.aside, dealt)))
    step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.HAND))
    return step.with_coup(replace(coup, cards=(*coup.cards, dealt)))


def no_more_bets_called(book: RuleBook, step: Step) -> Step:
    """The call that opens a coup, where the table observes it."""
    step = close_complete_coup(book, step)
    if step.phase in UNCOUNTED_BURNS:
        step = _end_uncounted_burn(book, step)
    if isinstance(book.next(step.phase, Trigger.NO_MORE_BETS), NoEdge):
        return _call_without_coup(book, step)
    step = step.advance(book, Trigger.NO_MORE_BETS)
    if step.shoe.remedy.waiting:
        what = '"no more bets" while a card drawn in error waits: no coup begins'
        return accept(step, what, book.clauses(RulePoint.NO_MORE_BETS))
    step = accept(step, '"no more bets"', book.clauses(RulePoint.NO_MORE_BETS))
    step = prompt_before_first_card(book, step, called=True)
    if step.shoe.remedy.carried:
        step = open_coup_with_held_cards(book, step)
    return check_cards_left(book, step)


def _call_without_coup(book: RuleBook, step: Step) -> Step:
    """A call that opens no coup: it says what is owed before one, or that none may follow."""
    shoe = step.state.shoe
    if shoe is None or step.phase not in (*BURN_PHASES, Phase.SHOE_OVER):
        return accept(step, '"no more bets" where no coup can begin: no effect')
    if step.phase is Phase.SHOE_OVER and not shoe.remedy.owes_burn:
        owed, kind = "draw no card, reshuffle: the last hand is dealt", PromptKind.RESHUFFLE
        points: tuple[RulePoint, ...] = (RulePoint.RESHUFFLE,)
        if shoe.is_last(shoe.coups_begun):
            points = (RulePoint.LAST_HAND, *points)
        else:
            owed = "draw no card, reshuffle: the shoe is over"
    else:
        many = describe_cards(shoe.burn_owed or shoe.remedy.burn_later)
        before = "the reshuffle" if step.phase is Phase.SHOE_OVER else "the first card of a hand"
        owed, kind = f"burn {many} before {before}", PromptKind.BEFORE_DEAL
        points = shoe.remedy.burn_points or (RulePoint.BURN_COUNT, RulePoint.BURN_BEFORE_PLAY)
        if step.phase is Phase.BURN_FIRST:
            owed = "burn the first card, and as many more as its amount, before the first hand"
            points = (RulePoint.BURN_FIRST, *points)
    step = accept(step, f'"no more bets" opens no coup: {owed}', book.clauses(*points))
    return prompt(book, step, kind, owed, *points)


# --- in a coup -----------------------------------------------------------------------------------


def _card_in_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    if step.phase is Phase.PARTIAL:
        return _card_of_partial_coup(book, step, event)
    if step.phase in ABANDONED_PHASES and event.claimed is Place.PLAYER_1:
        step = close_coup(book, step, CoupFate.PARTIAL)
        return _card_after_coup(book, step, event)
    burned = event.claimed in BURN_PLACES
    if step.phase in COUP_ENDS and not (burned and holds_next_cards(step)):
        return _card_after_complete_coup(book, step, event)
    if burned:
        return raise_unowed_burn_card(book, step, event)
    return deal_due_card(book, resume_coup(book, step), event)


def _card_after_complete_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card after a complete coup: the next coup's first card, or one too many."""
    if event.claimed is Place.PLAYER_1:
        return _card_after_coup(book, close_complete_coup(book, step), event)
    assert isinstance(book.next(step.phase, Trigger.CARD), NoEdge)
    points = ruling_points(step.coup.faces())
    third = event.claimed is Place.PLAYER_3
    if third:
        points = (*points, RulePoint.PLAYER_THIRD_UNAUTHORISED)
    elif event.claimed in _BANKER_MORE and banker_stood_on_7(step.coup.faces()):
        points = (*points, RulePoint.BANKER_7_MISPRINT)
    step = hold_error_card(book, step, event, third=third)
    claimed = PLACE_NAMES[event.claimed]
    detail = f"the coup already has every card it is due; the shoe reports {claimed}"
    return raise_irregularity(book, step, IrregularityCode.OVERDRAW, detail, *points)


def _card_of_partial_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A partial coup receives every card that can belong to it."""
    coup = step.coup
    if _begins_another(coup, event.claimed):
        step = close_coup(book, step, CoupFate.PARTIAL)
        # Its end was not reported.
        step = step.with_shoe(replace(step.shoe, reports_proven=False))
        if coup.missing and step.phase is Phase.BETWEEN_COUPS:
            return _first_card_of_coup(book, step, event)
        return _card_after_coup(book, step, event)
    step = with_claimed_card(step.with_coup(replace(coup, missing=0)), event)
    return accept(step, f"{PLACE_NAMES[event.claimed]} of a partial coup, not judged")


def _begins_another(coup: CoupState, claimed: Place) -> bool:
    """Whether the claimed place cannot belong to this coup."""
    if claimed not in HAND_PLACES:
        return False
    index = HAND_PLACES.index(claimed) + coup.carried
    first = claimed is Place.PLAYER_1 and len(coup.cards) + len(coup.aside) > coup.carried
    return first or not coup.can_continue_at(index)


def _card_after_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge a card after the coup before it was closed."""
    if step.phase is Phase.SHOE_OVER:
        return _card_after_shoe(book, step, event)
    if step.phase in BURN_PHASES:
        return _card_in_burn(book, step, event)
    return _card_between_coups(book, step, event)

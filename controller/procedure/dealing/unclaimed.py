"""Places a card that the shoe reports without a place: the order of drawing says what it is.

Source: NY (e), (f), (h); S42 (e)(6), (g)(3), (h); D-16 (the order of drawing decides), D-22.

Decisions. A shoe that reads tags cannot report that a new batch was loaded. With no shoe open its
first card opens one. After a finished shoe a card opens the next only where it has the other
batch's back, where it had left before (so it was loaded again), where a person recorded the
loading, or where no coup was dealt from the finished one (D-5: its cards go back); else it is a
card after the last hand. Where a floorperson decides that such a card belongs to another shoe, that
shoe is joined in its burn, unless a person recorded the loading. A complete coup is followed by its
result, or by "no more bets", where the table observes one of them: a card before that is one too
many. Where it observes neither, the card is the next coup's first. In a burn of unknown length
every card belongs to the burn until "no more bets" is called, whether that is observed or not.
"""

from msgspec.structs import replace

from controller.procedure.act_kinds import ActKind
from controller.procedure.acts.recording import uses_two_batches
from controller.procedure.dealing.shoe import NO_SHOE_PHASES, open_shoe
from controller.procedure.events import CardDrawn
from controller.procedure.phases import BURN_PHASES, HANDS_COMPLETE, Phase
from controller.procedure.places import DUE_PLACE, HAND_PLACES
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState
from controller.procedure.step_result import Step
from controller.rules.coup import FIRST_FOUR_PLACES, Place


def place_by_order(book: RuleBook, step: Step, event: CardDrawn) -> tuple[Step, CardDrawn]:
    """The card with its place; a shoe is opened first where the card begins one."""
    if step.phase is Phase.CLOSED and step.state.shoe_number and not _loading_recorded(step):
        return step, replace(event, claimed=Place.BURN)
    if step.phase in NO_SHOE_PHASES and _begins_a_shoe(book, step, event):
        if step.provisional:
            return step, replace(event, claimed=Place.BURN_FIRST)
        step = open_shoe(book, step)
    return step, replace(event, claimed=_place_due(book, step))


def _begins_a_shoe(book: RuleBook, step: Step, event: CardDrawn) -> bool:
    if step.phase is Phase.CLOSED or event.again:
        return True
    shoe = step.state.shoe
    reloaded = shoe is not None and not (shoe.joined or shoe.coups_begun)
    if reloaded or _loading_recorded(step):
        return True
    last = step.state.opening.last_batch
    return uses_two_batches(book) and bool(event.back and last) and event.back != last


def _loading_recorded(step: Step) -> bool:
    acts = step.state.opening.acts
    return any(act.kind is ActKind.LOADED and act.fresh for act in acts)


def _place_due(book: RuleBook, step: Step) -> Place:
    match step.phase:
        case Phase.BURN_FIRST:
            return Place.BURN_FIRST
        case phase if phase in BURN_PHASES:
            return Place.BURN
        case Phase.BETWEEN_COUPS | Phase.BETTING_CLOSED:
            return Place.PLAYER_1
        case Phase.PARTIAL:
            return _place_in_partial_coup(step.coup)
        case Phase.RESULT | Phase.DECLARED | Phase.ABANDONED_COMPLETE:
            return _place_after_complete_coup(book, step)
        case _:
            return DUE_PLACE.get(step.state.due_phase, Place.UNCLAIMED)


def _place_in_partial_coup(coup: CoupState) -> Place:
    """The next of the first four places; the hand of a further card is unknown."""
    filled = max((HAND_PLACES.index(dealt.place) for dealt in coup.cards), default=-1) + 1
    return HAND_PLACES[filled] if filled < len(FIRST_FOUR_PLACES) else Place.UNCLAIMED


def _place_after_complete_coup(book: RuleBook, step: Step) -> Place:
    if step.shoe.remedy.owes_burn and step.phase in HANDS_COMPLETE:
        return Place.BURN
    if step.phase is Phase.DECLARED:
        return Place.PLAYER_1
    observed = (ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS)
    return Place.UNCLAIMED if any(map(book.observes, observed)) else Place.PLAYER_1

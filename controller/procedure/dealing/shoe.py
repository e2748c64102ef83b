"""The life of one shoe: opening, joining, restarts of its device, and closing it by hand.

Source: S42 (e)(6), (e)(8); NY (e); D-2; the shoe's wire document ("What the field has learnt": the
device's start marks a new shoe after a cut card, otherwise it is only a restart).

Decisions. The device's start ends a coup that needs no more cards: it counts by its cards. A coup
or a burn that it interrupts is incomplete. While the table is suspended no shoe is opened: the
next one is noted, and opened by the resolution; if cards of it were dealt meanwhile it is joined.
"""

from msgspec.structs import replace

from controller.custody.batch_life.state import Lineage
from controller.custody.card_states import CardPlace
from controller.custody.moves import ShoeBegun
from controller.procedure.acts.recording import cards_in_shoe, uses_two_batches
from controller.procedure.dealing.burn import begin_burn_or_play
from controller.procedure.dealing.coup_end import (
    close_complete_coup,
    state_shoe_end,
)
from controller.procedure.dealing.lost_reports import mark_progress_partial
from controller.procedure.effects import Refusal, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.between_shoes import note_loading
from controller.procedure.opening.dead_table import prompt_at_closing
from controller.procedure.opening.first_card_checks import (
    prompt_at_opening,
    use_up_joined_shoe,
)
from controller.procedure.opening.gaming_day import gaming_day_due, next_shoe_number
from controller.procedure.phases import Trigger, due_words
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import NextShoe, ShoeState, TableState, shoes_to_correct
from controller.procedure.step_result import Step, accept, ends_unreported, raise_irregularity
from controller.procedure.wagering.wagers import refusal_to_reshuffle
from controller.rules.actions.actions import CloseShoe, OperatorAction
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import name_of
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message


def open_shoe(book: RuleBook, step: Step) -> Step:
    """Open the next shoe at its beginning, and prompt what is due before its first card."""
    owed = refusal_to_reshuffle(book, step.state)
    step = _begin_shoe(book, state_shoe_end(book, step), joined=False)
    step = begin_burn_or_play(book, step.advance(book, Trigger.SHOE_OPENED))
    if owed is not None:
        code, deadline = IrregularityCode.VIGORISH_NOT_COLLECTED, RulePoint.VIGORISH_DEADLINE
        step = raise_irregularity(book, step, code, owed.why, deadline)
    if (due := gaming_day_due(step.state)) is not None:
        step = raise_irregularity(book, step, IrregularityCode.OPENING_INCOMPLETE, due)
    return prompt_at_opening(book, step)


def join_shoe(book: RuleBook, step: Step) -> Step:
    """Open a shoe that is already in play; the caller raises SHOE_JOINED."""
    step = use_up_joined_shoe(book, _begin_shoe(book, state_shoe_end(book, step), joined=True))
    return step.advance(book, Trigger.SHOE_JOINED)


def join_shoe_in_burn(book: RuleBook, step: Step) -> Step:
    """Open a shoe whose burn is in progress; the number of cards owed is unknown."""
    step = use_up_joined_shoe(book, _begin_shoe(book, state_shoe_end(book, step), joined=True))
    step = step.with_shoe(replace(step.shoe, burn_proven=False))
    return step.advance(book, Trigger.SHOE_OPENED, Trigger.FIRST_CARD_READY, Trigger.BURN_UNPROVEN)


def _begin_shoe(book: RuleBook, step: Step, *, joined: bool) -> Step:
    state = step.state
    step = step.with_move(_begun_in_custody(book, state.lineage, joined=joined))
    number = next_shoe_number(state)
    shoe = ShoeState(
        gaming_day=state.today,
        number=number,
        cards_total=cards_in_shoe(book),
        joined=joined,
        endless=book.continuous,
    )
    state = replace(
        state,
        shoe=shoe,
        shoe_day=state.today,
        shoe_number=number,
        earlier_shoes=shoes_to_correct(state),
        staff=replace(state.staff, decisions=()),
    )
    return step.with_state(state).with_effect(ShoeOpened(state.today, number, book.decks, joined))


def _begun_in_custody(book: RuleBook, lineage: Lineage, *, joined: bool) -> ShoeBegun:
    """Custody expects the batch recorded as loaded; of a joined shoe nothing is known."""
    two = uses_two_batches(book)
    alternates = two and not joined and not lineage.may_repeat
    loaded = lineage.loaded if two else ""
    return ShoeBegun(loaded, alternates, joined=joined, endless=book.continuous)


# --- a card of no shoe in play -------------------------------------------------------------------


def begin_shoe_with_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Open the next shoe at its first card."""
    if step.provisional:
        step = replace(step, next_shoe=NextShoe.BEGUN)
        return accept(step, message("first_card_next_shoe_not_followed"))
    return open_shoe(book, step)


def note_next_shoe(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    """A first burn card while a shoe is in play: another one is dealt from.

    It is not followed before a floorperson closes this shoe.
    """
    step = replace(step, next_shoe=NextShoe.BEGUN)
    detail = message("first_burn_card_another_shoe_drawn")
    return raise_irregularity(book, step, code, detail)


def begins_next_shoe(book: RuleBook, state: TableState, event: CardDrawn) -> bool:
    """Whether a card that the shoe reports without a place begins the next shoe.

    With no shoe known before it, it does. After a finished shoe it does where it has the other
    batch's back, where it had left before (so it was loaded again), where a person recorded the
    loading, or where no coup was dealt from the finished one (D-5: its cards go back).
    """
    shoe = state.shoe
    if shoe is None:
        return not state.shoe_number or _loading_recorded(state)
    reloaded = not (shoe.joined or shoe.coups_begun)
    if event.again or reloaded or _loading_recorded(state):
        return True
    last = state.lineage.last_dealt
    return uses_two_batches(book) and bool(event.back and last) and event.back != last


def _loading_recorded(state: TableState) -> bool:
    return any(act.kind is ActKind.LOADED and act.fresh for act in state.opening.acts)


def put_after_last(book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode) -> Step:
    """A card after the shoe is over goes to the discard rack, never to another shoe (D-7)."""
    shoe = step.shoe
    if not shoe.overdrawn():
        step = rack_drawn_card(step, event)
    code = IrregularityCode.CARD_AFTER_SECOND_CUT_CARD if shoe.cut.exhausted else code
    detail = message("card_of_shoe", cards_drawn=shoe.cards_drawn)
    return raise_irregularity(book, step, code, detail)


def rack_drawn_card(step: Step, event: CardDrawn) -> Step:
    """Put the card drawn last into the discard rack."""
    step = step.place_drawn(CardPlace.DISCARD_RACK)
    return step.with_shoe(replace(step.shoe, aside=(*step.shoe.aside, event.card)))


def raise_beyond_decks(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode
) -> Step:
    """A card beyond the last of all decks goes nowhere."""
    drawn, total = step.shoe.cards_drawn, step.shoe.cards_total
    detail = message("card_of_total", cards_drawn=drawn, cards_total=total)
    return raise_irregularity(book, step, code, detail)


def close_beyond_decks(
    book: RuleBook, step: Step, event: CardDrawn, code: IrregularityCode
) -> Step:
    """The same after a complete coup, which can only be over."""
    return raise_beyond_decks(book, close_complete_coup(book, step), event, code)


# --- the device starts ---------------------------------------------------------------------------


def begin_next_shoe(book: RuleBook, step: Step, event: object) -> Step:
    """The device booted with no shoe in play: a new shoe."""
    step = note_loading(step)
    if step.provisional:
        step = replace(step, next_shoe=NextShoe.ANNOUNCED)
        return accept(step, message("new_shoe_announced_while_table_suspended"))
    step = open_shoe(book, step)
    return accept(step, message("new_shoe"), book.clauses(RulePoint.SHOE_LOADED))


def restart_idle(book: RuleBook, step: Step, event: object) -> Step:
    """The device restarted between two coups: reports may be missing."""
    step = step.with_shoe(replace(step.shoe, reports_proven=False))
    return accept(step, message("dealing_shoe_restarted_nothing_being_dealt"))


def restart_in_play(book: RuleBook, step: Step, event: object, code: IrregularityCode) -> Step:
    """The device restarted while cards were dealt, or after a cut card: a changed shoe."""
    shoe = step.shoe
    detail = message("while_table_waited_for", due=due_words(step.phase))
    last_coup = shoe.cut.last_coup
    if code is IrregularityCode.SHOE_CHANGED_EARLY and last_coup is not None:
        detail = message(
            "last_coup_latest_begun", last_coup=last_coup, coups_begun=shoe.coups_begun
        )
    # If a floorperson closes this shoe, the next one started here.
    step = replace(mark_progress_partial(book, step), next_shoe=NextShoe.ANNOUNCED)
    return raise_irregularity(book, step, code, detail)


# --- a person closes the shoe --------------------------------------------------------------------


def shoe_closed_by_person(
    book: RuleBook, state: TableState, act: OperatorAction[CloseShoe]
) -> Step:
    """A named person ends the shoe (dead table, early change), but never a coup in progress.

    A coup that waits only for a result that is not observed is over and counts by its cards.
    """
    refusal = _refusal_to_close(book, state)
    if refusal is not None:
        return Step(state).with_effect(Refusal(name_of(act.action), refusal))
    step = close_complete_coup(book, Step(state))
    if not step.state.shoe_over:
        step = step.advance(book, Trigger.SHOE_CLOSED)
    what = message("shoe_closed_by_person_reason", person=act.person, typed=act.reason)
    step = accept(step, what, book.clauses(*act.action.points))
    step = state_shoe_end(book, step, act.person, act.reason)
    return prompt_at_closing(book, step)


def _refusal_to_close(book: RuleBook, state: TableState) -> Message | None:
    if state.shoe is None or (state.suspension is None and state.shoe_over):
        return message("no_shoe_open")
    if state.suspension is not None:
        return message("resolve_with_close_shoe")
    if state.shoe.coup is not None and not ends_unreported(book, state.phase):
        return message("coup_being_dealt_let_end_then_close")
    return None

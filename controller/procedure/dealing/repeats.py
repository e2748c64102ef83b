"""Retransmissions: compares a repeated card report with what is known.

Not: repeated frames on the wire (firmware_bridge).
Source: the shoe's wire document: a retransmission never begins a coup and never overwrites a
known card; D-41.

Decisions. A face that could not be read the first time is filled in from the repetition; from that
card on the coup is judged again in the order of drawing, unless reports of it are missing. The
irregularity stays open. So is the coup that ended last while the table is suspended, with its
declared result. A repeated card that was never reported proves a lost report. A repetition that
could not be read is ignored.
"""

from msgspec.structs import replace

from controller.procedure.dealing.burn import burn_put_back, burn_put_off
from controller.procedure.dealing.coup_end import (
    abandon_coup,
    build_coup_record,
    close_complete_coup,
    judge_result,
)
from controller.procedure.dealing.coup_start import with_claimed_card
from controller.procedure.dealing.error_cards import IN_DOUBT
from controller.procedure.dealing.lost_reports import mark_progress_partial
from controller.procedure.dealing.shoe_count import read_partial_claim
from controller.procedure.events import CardDrawn, CardRepeated
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.places import BURN_PLACES, PLACE_NAMES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import (
    NOTHING_TO_REMEDY,
    CoupState,
    DealtCard,
    ShoeState,
    TableState,
)
from controller.procedure.step_result import (
    Step,
    accept,
    ask,
    raise_irregularity,
    takes,
    trigger_of,
)
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate
from foundation.message import Message, message


def card_repeated(book: RuleBook, step: Step, event: CardRepeated) -> Step:
    """Judge a retransmission."""
    shoe = step.state.shoe
    coup = shoe.coup if shoe is not None else None
    what = PLACE_NAMES[event.claimed]
    if event.card is not None and _is_unread_first_burn_card(step.state, event.claimed):
        return _judge_burn_again(
            book, accept(step, message("now_read_what", what=what)), event.card
        )
    if event.claimed in (Place.OUTSIDE, *BURN_PLACES):
        return accept(step, message("repeated_report_outside_coup_set_aside"))
    known = _known_cards(coup, event.claimed) if coup is not None else ()
    ended = shoe.unread_coup if shoe is not None else None
    of_ended = _known_cards(ended, event.claimed) if ended is not None and not known else ()
    if ended is not None and of_ended:
        return _compare_with_ended_coup(book, step, event, ended, of_ended)
    if coup is None:
        return accept(step, message("repeated_report_outside_coup_set_aside"))
    waiting = _find_error_card(step.shoe, event.claimed)
    if waiting is not None:
        return _compare_with_error_card(book, step, event, waiting)
    if not known and not coup.partial:
        detail = message("shoe_repeats_card_never_reported", what=what)
        step = mark_progress_partial(book, step)
        return raise_irregularity(book, step, IrregularityCode.REPORTS_LOST, detail)
    if not known:
        return accept(step, message("repeated_report_partial_coup_not_judged", what=what))
    if event.card is None or any(dealt.card == event.card for dealt in known):
        return accept(step, message("repeated_report_what", what=what))
    unread = _find_unread(known)
    if unread is not None:
        step = accept(
            step.with_coup(_fill_in(coup, unread, event.card)), message("now_read_what", what=what)
        )
        return _judge_again(book, step)
    return _raise_conflict(book, step, what)


def _raise_conflict(book: RuleBook, step: Step, what: Message) -> Step:
    return raise_irregularity(
        book,
        step,
        IrregularityCode.RETRANSMISSION_CONFLICT,
        message("conflict_at_place", what=what),
    )


def _known_cards(coup: CoupState, claimed: Place) -> tuple[DealtCard, ...]:
    """The cards reported for that place; else the one placed there by the order of drawing."""
    reported = tuple(dealt for dealt in (*coup.cards, *coup.aside) if dealt.claimed is claimed)
    if reported or coup.carried:
        return reported
    return tuple(dealt for dealt in coup.cards if dealt.place is claimed)


def _find_unread(known: tuple[DealtCard, ...]) -> DealtCard | None:
    return next((dealt for dealt in known if dealt.card is None), None)


def _find_error_card(shoe: ShoeState, claimed: Place) -> int | None:
    """The index of the newest waiting error card that the shoe reported for that place."""
    waiting = shoe.remedy.waiting
    found = [index for index, error in enumerate(waiting) if error.claimed is claimed]
    return found[-1] if found else None


def _compare_with_error_card(book: RuleBook, step: Step, event: CardRepeated, index: int) -> Step:
    what, remedy = PLACE_NAMES[event.claimed], step.shoe.remedy
    error = remedy.waiting[index]
    if event.card is None or event.card == error.card:
        return accept(step, message("repeated_report_what", what=what))
    if error.card is not None:
        return _raise_conflict(book, step, what)
    read = replace(error, card=event.card)
    waiting = (*remedy.waiting[:index], read, *remedy.waiting[index + 1 :])
    return accept(
        step.with_remedy(replace(remedy, waiting=waiting)), message("now_read_what", what=what)
    )


def _fill_in(coup: CoupState, unread: DealtCard, card: Card) -> CoupState:
    cards, aside, unjudged = (
        _replace_first(dealt, unread, replace(unread, card=card))
        for dealt in (coup.cards, coup.aside, coup.unjudged)
    )
    return replace(coup, cards=cards, aside=aside, unjudged=unjudged)


def _replace_first(
    dealt: tuple[DealtCard, ...], old: DealtCard, new: DealtCard
) -> tuple[DealtCard, ...]:
    if old not in dealt:
        return dealt
    place = dealt.index(old)
    return (*dealt[:place], new, *dealt[place + 1 :])


def _judge_again(book: RuleBook, step: Step) -> Step:
    """Judge the coup again from its first unread card on, once that is read (D-41)."""
    coup = step.coup
    again = coup.unjudged
    if not again or again[0].card is None or not coup.partial:
        return step
    whole = replace(
        coup,
        cards=_without(coup.cards, again),
        aside=_without(coup.aside, again),
        partial=False,
        unjudged=(),
    )
    step = step.with_coup(whole).resume(book, Phase(again[0].place.value))
    step = _judge_in_order(book, step, tuple((dealt.card, dealt.claimed) for dealt in again))
    if coup.forced_out:
        step = abandon_coup(book, step)
    if coup.declared is None or step.coup.partial:
        return step
    return judge_result(book, step, coup.declared)


# --- a coup that ended before its card was read --------------------------------------------------


def _compare_with_ended_coup(
    book: RuleBook,
    step: Step,
    event: CardRepeated,
    ended: CoupState,
    known: tuple[DealtCard, ...],
) -> Step:
    """The same for a coup that ended while suspended and lacks only cards that were not read."""
    what = message("place_of_coup", place=PLACE_NAMES[event.claimed], number=ended.number)
    if event.card is None or any(dealt.card == event.card for dealt in known):
        return accept(step, message("repeated_report_what", what=what))
    unread = _find_unread(known)
    if unread is None:
        return _raise_conflict(book, step, what)
    ended = _fill_in(ended, unread, event.card)
    read = build_coup_record(step.shoe, ended, CoupFate.PARTIAL, None)
    held = tuple(read if record.coup == ended.number else record for record in step.held)
    step = replace(step.with_shoe(replace(step.shoe, unread_coup=ended)), held=held)
    step = accept(step, message("now_read_what", what=what))
    if _find_unread(ended.unjudged) is not None:
        return step
    return _judge_ended_coup_again(book, step, ended)


def _judge_ended_coup_again(book: RuleBook, step: Step, ended: CoupState) -> Step:
    """Judge that coup again, and its declared result; a coup begun since then stays on the table.

    A coup that needs a further card, or a decision on its result, is on the table again, unless
    another has begun, ended or not: then it stays as it was, as it does if it needs a remedy. If it
    is on the table again, what is left of a burn that began since then comes after it.
    """
    before, last = step.state, step.shoe.coups_begun == ended.number
    place = [record.coup for record in step.held].index(ended.number)
    others = (*step.held[:place], *step.held[place + 1 :])
    shoe = replace(step.shoe, coup=ended, unread_coup=None)
    # With another coup begun, what is owed now is owed for a later one.
    shoe = burn_put_off(shoe) if last else replace(shoe, burn_owed=0, remedy=NOTHING_TO_REMEDY)
    again = replace(step, held=others).with_shoe(shoe).advance(book, Trigger.COUP_REOPENED)
    again = _judge_again(book, again)
    if not last or ended.declared is None:
        again = close_complete_coup(book, again)
    if again.shoe.coup is not None:
        return replace(again, moves=step.moves) if last else step
    if not last and again.shoe.remedy != NOTHING_TO_REMEDY:
        return step
    held = (*others[:place], again.held[-1], *others[place:])
    shoe = burn_put_back(again.shoe, step.shoe) if last else replace(step.shoe, unread_coup=None)
    # Play goes on where it stood, and its cards left the table when it ended.
    state = replace(
        before,
        shoe=shoe,
        irregularities=again.state.irregularities,
        open_irregularities=again.state.open_irregularities,
    )
    assert state == replace(again.state, suspension=before.suspension, shoe=shoe)
    return replace(again, held=held, moves=step.moves).with_state(state)


def _judge_in_order(
    book: RuleBook, step: Step, cards: tuple[tuple[Card | None, Place], ...]
) -> Step:
    """Judge cards again that were drawn before, each with the shoe's count at its draw."""
    shoe = step.shoe
    step = step.with_shoe(replace(shoe, cards_drawn=shoe.cards_drawn - len(cards)))
    for card, claimed in cards:
        step = step.with_shoe(replace(step.shoe, cards_drawn=step.shoe.cards_drawn + 1))
        event = read_partial_claim(step, CardDrawn(card, claimed))
        coup = step.shoe.coup
        if coup is not None and coup.partial:
            step = with_claimed_card(step, event)
        else:
            step = ask(book, step, trigger_of(event), event, counted=True)
    return step


def _is_unread_first_burn_card(state: TableState, claimed: Place) -> bool:
    """Whether the burn in progress has no count only because its first card was unread."""
    shoe = state.shoe
    if claimed is not Place.BURN_FIRST or not takes(state.play_phase, Trigger.BURN_READ):
        return False
    if shoe is None or shoe.joined or shoe.burn_proven:
        return False
    opened = {one.code for one in state.open_irregularities}
    undecided = IrregularityCode.CARD_UNREADABLE in opened and not opened.intersection(IN_DOUBT)
    return shoe.burn_cards[:1] == (None,) and undecided


def _judge_burn_again(book: RuleBook, step: Step, first: Card) -> Step:
    """Judge the burn again, now that the amount of its first card is known (D-41)."""
    shoe = step.shoe
    further = tuple((card, Place.BURN) for card in shoe.burn_cards[1:])
    step = step.with_shoe(replace(shoe, burn_cards=(), burn_proven=True))
    step = step.advance(book, Trigger.BURN_READ)
    return _judge_in_order(book, step, ((first, Place.BURN_FIRST), *further))


def _without(dealt: tuple[DealtCard, ...], others: tuple[DealtCard, ...]) -> tuple[DealtCard, ...]:
    """Without the others, each of which is taken out once."""
    for one in others:
        if one in dealt:
            place = dealt.index(one)
            dealt = (*dealt[:place], *dealt[place + 1 :])
    return dealt

"""Burns that an irregularity asks for: owed, carried out card by card, and done.

Responsible for: how many cards are owed and when, every card of such a burn, where play goes on
after it, and a shoe that runs out in it.
Not responsible for: what asks for it (errors, boxed), the burn before play (burning), and how many
cards an amount is (controller.rules.cards).
Source: S42 (k)(1)-(4); D-7, D-12, D-13, D-14.

Decisions. For a card found face up the burn comes at once, and the deal goes on where it stopped;
for a card drawn in error it comes before the next coup's first card, and after the last hand before
the shoe is over. Until it is complete every card is a burn card by the order of drawing, whatever
the shoe believes. An amount that could not be read is burned without a count, until play begins.
"""

from controller.procedure.dealing.shortage import cards_left_checked
from controller.procedure.effects import Call
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase, Trigger, resume_trigger
from controller.procedure.places import BURN_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import ShoeState
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import Step, accept, irregular, prompt
from controller.profiles.rule_points import RulePoint
from controller.rules.cards import Card, burn_value
from controller.rules.coup import Place
from firmware_bridge.values import replace

_BEFORE_A_COUP = (Phase.BETWEEN_COUPS, Phase.PLAYER_1)


# --- what is owed --------------------------------------------------------------------------------


def asked_later(book: RuleBook, step: Step, card: Card | None, point: RulePoint) -> Step:
    """Owe a seen card's amount before the next coup's first card."""
    remedy = step.shoe.remedy
    amount = burn_value(card) if card is not None else 0
    step = step.with_remedy(
        replace(
            remedy,
            burn_later=remedy.burn_later + amount,
            unread_later=remedy.unread_later or card is None,
            burn_for=_with(remedy.burn_for, point),
        )
    )
    text = (
        f"put the card into the discard rack and burn {_cards(amount)} more, face up, "
        "before the next hand"
    )
    return prompt(book, step, Call.REMEDY, text, point)


def asked_at_once(book: RuleBook, step: Step, amount: int, back: Phase) -> Step:
    """Owe a burn now; the deal goes on in `back`. To a burn under way it is added.

    Unless the card was the first of the burn before play: that burn begins anew after this one.
    """
    shoe, point = step.shoe, RulePoint.FOUND_FACE_UP_BURN
    text = f"put the card into the discard rack and burn {_cards(amount)} more, face up"
    step = prompt(book, step, Call.REMEDY, text, RulePoint.FOUND_FACE_UP, point)
    burn_for = _with(shoe.remedy.burn_for, point)
    if step.phase is not Phase.BURN_REST or back is Phase.BURN_FIRST:
        return _begun(book, step, amount, back, burn_for)
    if not shoe.burn_owed:
        return step
    remedy = replace(shoe.remedy, burn_for=burn_for)
    return step.with_shoe(replace(shoe, burn_owed=shoe.burn_owed + amount, remedy=remedy))


def burn_due(book: RuleBook, step: Step) -> Step:
    """Begin the burn that is owed before the next coup, if that is what comes next."""
    shoe = step.state.shoe
    if shoe is None or shoe.coup is not None or step.phase not in _BEFORE_A_COUP:
        return step
    remedy = shoe.remedy
    if not remedy.owes_burn:
        return step
    owed = 0 if remedy.unread_later else remedy.burn_later
    step = step.with_remedy(replace(remedy, burn_later=0, unread_later=False))
    return _begun(book, step, owed, step.phase, remedy.burn_for)


def _begun(
    book: RuleBook, step: Step, owed: int, back: Phase, burn_for: tuple[RulePoint, ...]
) -> Step:
    shoe = step.shoe
    remedy = replace(shoe.remedy, burn_back=back, burn_taken=0, burn_for=burn_for)
    step = step.with_shoe(replace(shoe, burn_owed=owed, remedy=remedy))
    step = step.moved(book, Trigger.BURN_OWED)
    step = prompt(book, step, Call.REMEDY, f"burn {_cards(owed)}, face up", *burn_for)
    return _run_out(book, step)


def _with(points: tuple[RulePoint, ...], point: RulePoint) -> tuple[RulePoint, ...]:
    return points if point in points else (*points, point)


def _cards(count: int) -> str:
    if not count:
        return "as many cards as the amount of the one that could not be read"
    return f"{count} cards" if count > 1 else "1 card"


# --- its cards -----------------------------------------------------------------------------------


def remedy_burn_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A counted card of such a burn, whatever the shoe believes it is."""
    step = _burned(step, event)
    shoe, remedy = step.shoe, step.shoe.remedy
    owed = shoe.burn_owed - 1
    taken = replace(remedy, burn_taken=remedy.burn_taken + 1)
    step = step.with_shoe(replace(shoe, burn_owed=owed, remedy=taken))
    step = accept(step, f"burned, {owed} more to burn", book.clauses(*remedy.burn_for))
    if event.claimed is Place.PLAYER_1 and shoe.coup is None and remedy.burn_back in _BEFORE_A_COUP:
        detail = f"by the order of drawing it is a burn card; {owed} more are owed"
        code = IrregularityCode.BURN_SHORT
        step = irregular(book, step, code, detail, instead=remedy.burn_for)
    if owed:
        return _run_out(book, step)
    return cards_left_checked(book, burn_left(book, step))


def uncounted_remedy_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card of such a burn whose count is not known."""
    remedy = step.shoe.remedy
    step = _burned(step.with_remedy(replace(remedy, burn_taken=remedy.burn_taken + 1)), event)
    what = "burned; how many are owed is not known"
    return accept(step, what, book.clauses(*remedy.burn_for))


def burned_before_result(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The hands are complete and a burn is owed before the next coup: it may be done at once."""
    remedy = step.shoe.remedy
    left = max(0, remedy.burn_later - 1)
    unread = remedy.unread_later
    clauses = book.clauses(*remedy.burn_for)
    done = not left and not unread
    burn_for = () if done else remedy.burn_for
    step = _burned(step.with_remedy(replace(remedy, burn_later=left, burn_for=burn_for)), event)
    more = "how many more is not known" if unread else f"{left} more to burn"
    return accept(step, f"burned, {more}", clauses)


def is_burned_before_result(step: Step, claimed: Place) -> bool:
    """Whether, with complete hands on the table, this card is one of the burn that is owed."""
    remedy = step.shoe.remedy
    if claimed is Place.PLAYER_1:
        return False
    return remedy.burn_later > 0 or (remedy.unread_later and claimed in BURN_PLACES)


def _burned(step: Step, event: CardDrawn) -> Step:
    shoe = step.shoe
    burned = (*shoe.burn_cards, event.card)
    return step.with_shoe(replace(shoe, burn_cards=burned, drawn_last=LastDrawn.BURN))


# --- its end -------------------------------------------------------------------------------------


def burn_left(book: RuleBook, step: Step) -> Step:
    """Play goes on where the burn stopped it; after the last hand the shoe is over."""
    shoe = step.shoe
    back = shoe.remedy.burn_back
    assert back is not None, "a burn for an irregularity is under way"
    remedy = replace(shoe.remedy, burn_back=None, burn_taken=0)
    if not remedy.owes_burn:
        remedy = replace(remedy, burn_for=())
    step = step.with_shoe(replace(shoe, burn_owed=0, remedy=remedy))
    if back is Phase.BURN_FIRST:
        step = step.with_shoe(without_burn_cards(step.shoe))
    if shoe.coup is None and shoe.coups_begun > 0 and shoe.is_last(shoe.coups_begun):
        return step.moved(book, Trigger.SHOE_CLOSED)
    if back is Phase.BETWEEN_COUPS:
        return step.moved(book, Trigger.BURN_DONE)
    return step.moved(book, resume_trigger(back))


def without_burn_cards(shoe: ShoeState) -> ShoeState:
    """The burn before play begins only now: what was burned so far is none of it."""
    return replace(shoe, burn_cards=(), aside=(*shoe.aside, *shoe.burn_cards))


def burn_put_off(book: RuleBook, step: Step) -> Step:
    """The coup in which the burn came ends now: what is left of the burn comes after it."""
    shoe = step.shoe
    if step.phase is not Phase.BURN_REST:
        return step
    later = replace(shoe.remedy, burn_later=shoe.remedy.burn_later + shoe.burn_owed)
    return burn_left(book, step.with_remedy(later))


def burn_count_lost(book: RuleBook, step: Step) -> Step:
    """Reports are missing in such a burn: between coups it goes on without a count.

    In mid-coup nobody can say where the deal stands either: the burn is left to the floorperson.
    """
    shoe = step.shoe
    text = f"compare the discard rack with the burn: {_cards(shoe.burn_owed)} were still owed"
    step = prompt(book, step, Call.REMEDY, text, *shoe.remedy.burn_for)
    if shoe.coup is not None:
        return burn_left(book, step)
    return step.with_shoe(replace(shoe, burn_owed=0)).moved(book, Trigger.BURN_UNPROVEN)


def _run_out(book: RuleBook, step: Step) -> Step:
    """No card is left for the burn (D-14): in a coup that one is void, between coups none is."""
    shoe = step.shoe
    if not shoe.is_empty():
        return step
    if shoe.coup is not None:
        detail = "the shoe ran out in the burn"
        return irregular(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)
    clauses = book.clauses(RulePoint.INSUFFICIENT_CARDS)
    step = accept(step, "the shoe ran out in the burn: it closes, no coup is affected", clauses)
    remedy = replace(shoe.remedy, burn_back=None, burn_taken=0, burn_for=())
    step = step.with_shoe(replace(shoe, burn_owed=0, remedy=remedy))
    return step.moved(book, Trigger.SHOE_CLOSED)


def burn_stopped(book: RuleBook, step: Step) -> Step:
    """The second cut card came out in such a burn: no further card may be burned."""
    return _run_out(book, step)

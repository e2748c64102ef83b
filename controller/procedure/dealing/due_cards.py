"""A card that a hand is due: whose it is, what the rules say after it, what is to be called.

Responsible for: the cards of a whole coup in the order of drawing, those held from before it, and
the prompts after them.
Not responsible for: a coup's first card from the shoe and cards no hand is due (drawing).
Source: S42 (g)(3), (h), (i), (k)(1), (k)(2), (k)(4); NY (f), (g), (h), (i)(1); D-11, D-16.

Decisions. In a coup that begins with held cards the shoe's own belief is off by as many: what it
claims is recorded and not judged.
"""

from types import MappingProxyType

from controller.procedure.calls.prompts import after_card, before_first_card
from controller.procedure.dealing.error_cards import carry_point
from controller.procedure.dealing.ghost_hand import ghost_hand_begun
from controller.procedure.dealing.reveal import third_card_checked
from controller.procedure.dealing.shortage import cards_left_checked
from controller.procedure.effects import Call
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.places import DUE_PLACE, WORDS, place_clauses, ruling_points
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard
from controller.procedure.states.remedy import LastDrawn
from controller.procedure.step_result import Step, accept, irregular, prompt
from controller.procedure.wagering.wagers import wagers_stand
from controller.profiles.rule_points import RulePoint
from controller.rules.coup import Decision, Place, decision
from firmware_bridge.values import replace

_TRIGGER_OF_DECISION = MappingProxyType(
    {
        Decision.NATURAL: Trigger.NATURAL,
        Decision.PLAYER_DRAWS: Trigger.PLAYER_DRAWS,
        Decision.PLAYER_STANDS_BANKER_DRAWS: Trigger.PLAYER_STANDS_BANKER_DRAWS,
        Decision.BOTH_STAND: Trigger.BOTH_STAND,
        Decision.BANKER_DRAWS: Trigger.BANKER_DRAWS,
        Decision.BANKER_STANDS: Trigger.BANKER_STANDS,
    }
)


def opened(book: RuleBook, step: Step, coup: CoupState) -> Step:
    """The next coup is on the table: from here on the wagers stand."""
    step = step.with_shoe(replace(step.shoe, coups_begun=coup.number, coup=coup))
    step = ghost_hand_begun(book, wagers_stand(book, step))
    if step.phase is not Phase.BETWEEN_COUPS:
        return step
    return before_first_card(book, step.moved(book, Trigger.COUP_BEGINS))


def opened_with_held_cards(book: RuleBook, step: Step) -> Step:
    """The next coup begins with the cards held for it, as its first ones in drawing order."""
    held = step.shoe.remedy.carried
    step = opened(book, step, CoupState(step.shoe.coups_begun + 1))
    points = tuple(dict.fromkeys(carry_point(error) for error in held))
    many = f"the {len(held)} cards held are" if len(held) > 1 else "the card held is"
    text = f"{many} the first of this hand: {WORDS[Place.PLAYER_1]} first"
    step = prompt(book, step, Call.REMEDY, text, *points)
    step = step.with_shoe(replace(step.shoe, drawn_last=LastDrawn.NOTHING))
    for index, error in enumerate(held):
        if step.phase not in DUE_PLACE:
            break
        place = DUE_PLACE[step.phase]
        step = step.with_remedy(replace(step.shoe.remedy, carried=held[index + 1 :]))
        step = step.with_coup(replace(step.coup, carried=index + 1))
        dealt = DealtCard(place, error.card, Place.OUTSIDE, error.coup)
        step = _placed(book, step, dealt, drawn_last=LastDrawn.NOTHING)
        if step.coup.partial:
            detail = f"{WORDS[place]}, held from before"
            return irregular(book, step, IrregularityCode.CARD_UNREADABLE, detail)
    return step


def due_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card that a hand is due. The order of drawing decides whose it is (D-16)."""
    place = DUE_PLACE[step.phase]
    step = _placed(
        book, step, DealtCard(place, event.card, event.claimed), drawn_last=LastDrawn.HAND
    )
    if step.coup.partial:
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, WORDS[place])
    if place in (Place.PLAYER_3, Place.BANKER_3):
        step = third_card_checked(book, step)
    if not step.coup.carried:
        step = _claim_checked(book, step, event, place)
    if step.shoe.cut.exhausted:
        return irregular(book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, WORDS[place])
    return cards_left_checked(book, step)


def _placed(book: RuleBook, step: Step, dealt: DealtCard, *, drawn_last: LastDrawn) -> Step:
    """The card in its hand, what the rules say after it and what is to be called.

    Where it could not be read the coup is partial.
    """
    # A coup left too early is taken up again; what was declared of it no longer holds.
    coup = replace(
        step.coup,
        abandoned=False,
        declared=None,
        cards=(*step.coup.cards, dealt),
        partial=dealt.card is None,
    )
    shoe = replace(step.shoe, coup=coup, drawn_last=drawn_last)
    if dealt.card is None:
        return step.moved(book, Trigger.COUP_PARTIAL, shoe=shoe)
    faces = coup.faces()
    ruling = decision(faces)
    step = step.moved(book, _TRIGGER_OF_DECISION.get(ruling, Trigger.CARD), shoe=shoe)
    decided = () if dealt.place is Place.BANKER_3 else ruling_points(faces)
    clauses = (*place_clauses(book, dealt.place), *book.clauses(*decided))
    held = ", held from before" if dealt.carried_from is not None else ""
    step = accept(step, WORDS[dealt.place] + held, tuple(dict.fromkeys(clauses)))
    return after_card(book, step, ruling)


def _claim_checked(book: RuleBook, step: Step, event: CardDrawn, place: Place) -> Step:
    """A difference between the shoe's belief and the order is one irregularity."""
    if event.claimed is place:
        return step
    if place is Place.BANKER_3 and event.claimed is Place.PLAYER_3:
        detail = "by the order of drawing it is the Banker's third card"
        step = irregular(book, step, IrregularityCode.PLAYER_THIRD_UNAUTHORISED, detail)
        text = "move the card to the Banker's Hand: it is the Banker's third card"
        return prompt(book, step, Call.REMEDY, text, RulePoint.THIRD_TO_BANKER)
    detail = f"it is {WORDS[place]}, the shoe says {WORDS[event.claimed]}"
    return irregular(book, step, IrregularityCode.CLAIM_DIFFERS, detail)

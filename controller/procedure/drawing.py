"""Judging a card that left the shoe: burn, coup, or nowhere it may go.

Responsible for: which trigger a card is, what the pure rules say after it, and which irregularity
a missing edge means in this phase.
Not responsible for: whether an edge exists (machine), what a suspension does with it (suspension).
Source: S42 (e)(6), (g)(3), (h), (i), (k)(1)-(2), (k)(4); NY (e), (f), (h); D-1, D-6, D-7, D-16.
"""

from dataclasses import replace

from controller.machine import NoEdge
from controller.procedure.catalogue import IrregularityCode
from controller.procedure.effects import BurnDone, Call, CoupFate
from controller.procedure.events import CardDrawn
from controller.procedure.finishing import close_coup
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.shoe import open_shoe
from controller.procedure.state import CoupState, DealtCard
from controller.procedure.steps import Step, accept, irregular, prompt
from controller.rules.burn import burn_owed
from controller.rules.cards import Card
from controller.rules.coup import Decision, Place, decision, hands
from controller.rules.hands import point_count
from controller.rules.profile import RulePoint, banker_row_point

BURN_PLACES = (Place.BURN_FIRST, Place.BURN, Place.BURN_EXTRA)
HAND_ORDER = (
    Place.PLAYER_1,
    Place.BANKER_1,
    Place.PLAYER_2,
    Place.BANKER_2,
    Place.PLAYER_3,
    Place.BANKER_3,
)
_DUE_PLACE = {
    Phase.PLAYER_1: Place.PLAYER_1,
    Phase.BANKER_1: Place.BANKER_1,
    Phase.PLAYER_2: Place.PLAYER_2,
    Phase.BANKER_2: Place.BANKER_2,
    Phase.PLAYER_3: Place.PLAYER_3,
    Phase.BANKER_3: Place.BANKER_3,
}
_TRIGGER_OF_DECISION = {
    Decision.NATURAL: Trigger.NATURAL,
    Decision.PLAYER_DRAWS: Trigger.PLAYER_DRAWS,
    Decision.PLAYER_STANDS_BANKER_DRAWS: Trigger.PLAYER_STANDS_BANKER_DRAWS,
    Decision.BOTH_STAND: Trigger.BOTH_STAND,
    Decision.BANKER_DRAWS: Trigger.BANKER_DRAWS,
    Decision.BANKER_STANDS: Trigger.BANKER_STANDS,
}
_POINTS_OF_DECISION = {
    Decision.NATURAL: (RulePoint.NATURAL,),
    Decision.PLAYER_DRAWS: (RulePoint.PLAYER_DRAWS,),
    Decision.PLAYER_STANDS_BANKER_DRAWS: (RulePoint.PLAYER_STANDS, RulePoint.BANKER_DRAWS),
    Decision.BOTH_STAND: (RulePoint.PLAYER_STANDS, RulePoint.BANKER_STANDS),
}


def card_drawn(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Judge one card. Every card counts as out of the shoe, whatever is wrong with it."""
    if step.state.phase is Phase.CLOSED:
        step = open_shoe(book, step, joined=event.claimed is not Place.BURN_FIRST)
    shoe = step.shoe
    step = step.with_shoe(replace(shoe, cards_drawn=shoe.cards_drawn + 1))
    if shoe.joined and shoe.cards_drawn == 0:
        return _first_card_of_joined_shoe(book, step, event)
    if shoe.cards_drawn + 1 > shoe.cards_total and not shoe.joined:
        step = _set_aside(step, event)
        detail = f"card {shoe.cards_drawn + 1} of {shoe.cards_total}"
        return irregular(book, step, IrregularityCode.CARDS_EXCEED_DECKS, detail)
    if event.claimed is Place.OUTSIDE:
        return _outside_play(book, step, event)
    if shoe.coup is not None and (shoe.coup.partial or shoe.coup.abandoned):
        return _after_broken_coup(book, step, event)
    match step.state.phase:
        case Phase.BURN_FIRST:
            return _burn_first(book, step, event)
        case Phase.BURN_REST:
            return _burn_rest(book, step, event)
        case Phase.SHOE_OVER:
            detail = f"card {step.shoe.cards_drawn} of the shoe"
            return irregular(book, step, IrregularityCode.CARD_AFTER_LAST_COUP, detail)
        case Phase.BETWEEN_COUPS | Phase.PLAYER_1:
            return _first_card(book, step, event)
        case Phase.RESULT:
            return _after_complete_coup(book, step, event)
        case _:
            return _coup_card(book, step, event)


def _set_aside(step: Step, event: CardDrawn) -> Step:
    coup = step.shoe.coup
    if coup is None:
        return step
    aside = DealtCard(Place.OUTSIDE, event.card, event.claimed)
    return step.with_coup(replace(coup, aside=(*coup.aside, aside)))


def _first_card_of_joined_shoe(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The program meets a shoe in play: nothing before this card is known."""
    detail = f"the first card seen is {_claim(event.claimed)}"
    if event.claimed in HAND_ORDER:
        step = step.at(Phase.BETWEEN_COUPS)
        partial = event.claimed is not Place.PLAYER_1 or event.card is None
        step = _begin_coup(book, step, event, partial=partial)
    else:
        step = step.at(Phase.BETWEEN_COUPS)
    return irregular(book, step, IrregularityCode.SHOE_JOINED, detail)


def _outside_play(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    phase = step.state.phase
    after = book.next(phase, Trigger.CARD)
    step = _set_aside(step, event)
    if phase is Phase.RESULT and isinstance(after, NoEdge):
        detail = "the coup already has every card it is due"
        return irregular(book, step, IrregularityCode.OVERDRAW, detail)
    if phase is Phase.SHOE_OVER:
        detail = f"card {step.shoe.cards_drawn} of the shoe"
        return irregular(book, step, IrregularityCode.CARD_AFTER_LAST_COUP, detail)
    detail = f"while the table waited for {phase.value}"
    return irregular(book, step, IrregularityCode.CARD_OUTSIDE_PLAY, detail)


def _burn_first(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The first card sets how many more are burned, even where the shoe believes it is play."""
    shoe = step.shoe
    if event.card is None:
        step = step.with_shoe(replace(shoe, burn_cards=(None,))).at(Phase.BETWEEN_COUPS)
        detail = "the first burn card; its amount decides how many more are burned"
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, detail)
    owed = burn_owed(event.card, book.values.burn_mode)
    step = step.with_shoe(replace(shoe, burn_cards=(event.card,), burn_owed=owed))
    step = step.at(book.move(Phase.BURN_FIRST, Trigger.BURN_OWED))
    points = (RulePoint.BURN_FIRST, RulePoint.BURN_VALUE, RulePoint.BURN_COUNT)
    step = accept(step, f"first burn card, {owed} more to burn", book.clauses(*points))
    if event.claimed is Place.PLAYER_1:
        detail = f"by the order of drawing it is the first burn card; {owed} more are owed"
        return irregular(book, step, IrregularityCode.BURN_SKIPPED, detail)
    return _check_claim(book, step, event, Place.BURN_FIRST)


def _burn_rest(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A counted burn card. A coup cannot begin here: that edge does not exist."""
    shoe = step.shoe
    owed = shoe.burn_owed - 1
    burned = (*shoe.burn_cards, event.card)
    step = step.with_shoe(replace(shoe, burn_cards=burned, burn_owed=owed))
    trigger = Trigger.CARD if owed > 0 else Trigger.BURN_DONE
    step = step.at(book.move(Phase.BURN_REST, trigger))
    step = accept(step, f"burn card, {owed} more to burn", book.clauses(RulePoint.BURN_COUNT))
    if event.claimed is Place.PLAYER_1:
        detail = f"by the order of drawing it is a burn card; {owed} more are owed"
        step = irregular(book, step, IrregularityCode.BURN_SHORT, detail)
    elif event.claimed not in BURN_PLACES:
        step = _check_claim(book, step, event, Place.BURN)
    if owed == 0:
        step = step.with_effect(BurnDone(burned[0], len(burned)))
        if step.shoe.cut.in_burn:
            detail = "the burn is complete; the first coup waits for a decision"
            step = irregular(book, step, IrregularityCode.CUT_CARD_IN_BURN, detail)
    return step


def _first_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Between coups: only a first card for the Player opens a coup."""
    if event.claimed in BURN_PLACES:
        shoe = step.shoe
        step = step.with_shoe(replace(shoe, burn_cards=(*shoe.burn_cards, event.card)))
        detail = f"{len(step.shoe.burn_cards)} cards burned in all"
        return irregular(book, step, IrregularityCode.BURN_OVER, detail)
    if step.shoe.cut.exhausted:
        step = _begin_coup(book, step, event, partial=event.card is None)
        detail = "no coup may be begun from this shoe"
        return irregular(book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, detail)
    uncalled = book.observes(Fact.NO_MORE_BETS) and step.state.phase is Phase.BETWEEN_COUPS
    partial = event.claimed is not Place.PLAYER_1 or event.card is None
    step = _begin_coup(book, step, event, partial=partial)
    if event.claimed is not Place.PLAYER_1:
        detail = f"it is {_claim(event.claimed)}"
        return irregular(book, step, IrregularityCode.COUP_JOINED, detail)
    if event.card is None:
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, "the coup's first card")
    step = accept(step, "Player's first card", _place_clauses(book, Place.PLAYER_1))
    if uncalled:
        detail = f"coup {step.coup.number}"
        step = irregular(book, step, IrregularityCode.CARD_BEFORE_NO_MORE_BETS, detail)
    return _check_cards_left(book, step)


def _begin_coup(book: RuleBook, step: Step, event: CardDrawn, *, partial: bool) -> Step:
    shoe = step.shoe
    number = shoe.coups_begun + 1
    place = event.claimed if partial else Place.PLAYER_1
    coup = CoupState(number, (DealtCard(place, event.card, event.claimed),), partial=partial)
    step = step.with_shoe(replace(shoe, coups_begun=number, coup=coup))
    if step.state.phase is Phase.BETWEEN_COUPS:
        step = step.at(book.move(Phase.BETWEEN_COUPS, Trigger.COUP_BEGINS))
        if not book.observes(Fact.NO_MORE_BETS):
            text = 'call "no more bets" before the first card'
            step = prompt(book, step, Call.NO_MORE_BETS, text, RulePoint.NO_MORE_BETS)
    if partial:
        # What a partial coup still lacks is unknown: it waits for its end.
        return step.at(Phase.RESULT)
    return step.at(book.move(Phase.PLAYER_1, Trigger.CARD))


def _coup_card(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A card that a hand is due. The order of drawing decides whose it is (D-16)."""
    phase = step.state.phase
    place = _DUE_PLACE[phase]
    coup = step.coup
    if event.card is None:
        lost = DealtCard(place, None, event.claimed)
        step = step.with_coup(replace(coup, cards=(*coup.cards, lost), partial=True))
        step = step.at(Phase.RESULT)
        return irregular(book, step, IrregularityCode.CARD_UNREADABLE, _place_words(place))
    dealt = DealtCard(place, event.card, event.claimed)
    coup = replace(coup, cards=(*coup.cards, dealt))
    ruling = decision(coup.faces())
    step = step.with_coup(coup)
    step = step.at(book.move(phase, _TRIGGER_OF_DECISION.get(ruling, Trigger.CARD)))
    points = _POINTS_OF_DECISION.get(ruling, ())
    if ruling in (Decision.BANKER_DRAWS, Decision.BANKER_STANDS):
        banker = point_count(hands(coup.faces()).banker)
        points = (RulePoint.BANKER_TABLE, banker_row_point(banker))
    clauses = (*_place_clauses(book, place), *book.clauses(*points))
    step = accept(step, _place_words(place), clauses)
    step = _prompt_after(book, step, ruling)
    if event.claimed is not place:
        step = _check_claim(book, step, event, place)
    if step.shoe.cut.exhausted:
        detail = _place_words(place)
        return irregular(book, step, IrregularityCode.CARD_AFTER_SECOND_CUT_CARD, detail)
    return _check_cards_left(book, step)


def _prompt_after(book: RuleBook, step: Step, ruling: Decision) -> Step:
    if ruling is Decision.FIRST_FOUR:
        return step
    if len(step.coup.cards) == 4:
        text = "announce the point count of the Player's Hand, then the Banker's"
        step = prompt(book, step, Call.COUNTS, text, RulePoint.COUNTS_CALLED)
    if step.state.phase is Phase.RESULT:
        text = "announce the final point counts and the winner"
        step = prompt(book, step, Call.RESULT, text, RulePoint.RESULT_CALLED)
    return step


def _check_claim(book: RuleBook, step: Step, event: CardDrawn, place: Place) -> Step:
    """A difference between the shoe's belief and the order is one irregularity."""
    if event.claimed is place:
        return step
    if place is Place.BANKER_3 and event.claimed is Place.PLAYER_3:
        detail = "by the order of drawing it is the Banker's third card"
        return irregular(book, step, IrregularityCode.PLAYER_THIRD_UNAUTHORISED, detail)
    detail = f"it is {_place_words(place)}, the shoe says {_claim(event.claimed)}"
    return irregular(book, step, IrregularityCode.CLAIM_DIFFERS, detail)


def _check_cards_left(book: RuleBook, step: Step) -> Step:
    """A coup that still needs a card from an empty shoe cannot be completed (S42 (k)(4))."""
    shoe = step.shoe
    in_coup = step.state.phase in _DUE_PLACE
    if shoe.joined or shoe.cards_left() > 0 or not in_coup:
        return step
    detail = f"all {shoe.cards_total} cards are drawn"
    return irregular(book, step, IrregularityCode.INSUFFICIENT_CARDS, detail)


def _after_complete_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """Every hand has its cards: this is the next coup's first card, or one too many."""
    if event.claimed is not Place.PLAYER_1:
        assert isinstance(book.next(Phase.RESULT, Trigger.CARD), NoEdge)
        step = _set_aside(step, event)
        detail = f"the coup already has every card it is due; the shoe says {_claim(event.claimed)}"
        return irregular(book, step, IrregularityCode.OVERDRAW, detail)
    declared = step.coup.declared is not None
    if book.observes(Fact.RESULT_BUTTON) and not declared:
        detail = f"coup {step.coup.number}"
        step = irregular(book, step, IrregularityCode.RESULT_NOT_DECLARED, detail)
    step = close_coup(book, step, CoupFate.COUNTED)
    return card_drawn_next(book, step, event)


def card_drawn_next(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The coup before this card is closed: judge the card from where the table stands now."""
    if step.state.phase is Phase.SHOE_OVER:
        detail = f"card {step.shoe.cards_drawn} of the shoe"
        return irregular(book, step, IrregularityCode.CARD_AFTER_LAST_COUP, detail)
    return _first_card(book, step, event)


def _after_broken_coup(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """A partial or abandoned coup takes what follows, until a card must belong to the next."""
    coup = step.coup
    if _begins_another(coup, event.claimed):
        step = step.with_coup(replace(coup, partial=True)).at(Phase.RESULT)
        step = close_coup(book, step, CoupFate.PARTIAL)
        return card_drawn_next(book, step, event)
    if not coup.partial:
        return _coup_card_of_abandoned(book, step, event)
    dealt = DealtCard(event.claimed, event.card, event.claimed)
    step = step.with_coup(replace(coup, cards=(*coup.cards, dealt)))
    return accept(step, f"of a partial coup: {_claim(event.claimed)}, not judged")


def _coup_card_of_abandoned(book: RuleBook, step: Step, event: CardDrawn) -> Step:
    """The missing card is drawn after all: the coup is taken up again."""
    step = step.with_coup(replace(step.coup, abandoned=False))
    if step.state.phase is Phase.RESULT:
        return _after_complete_coup(book, step, event)
    return _coup_card(book, step, event)


def _begins_another(coup: CoupState, claimed: Place) -> bool:
    """Whether a claim cannot belong to this coup: its first place, or a place already passed."""
    if claimed is Place.PLAYER_1:
        return True
    if not coup.partial or claimed not in HAND_ORDER:
        return False
    known = [HAND_ORDER.index(c.place) for c in coup.cards if c.place in HAND_ORDER]
    return bool(known) and HAND_ORDER.index(claimed) <= max(known)


def _place_clauses(book: RuleBook, place: Place) -> tuple[str, ...]:
    player = place in (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3)
    hand = RulePoint.PLAYER_CARDS if player else RulePoint.BANKER_CARDS
    third = place in (Place.PLAYER_3, Place.BANKER_3)
    return book.clauses(RulePoint.ONE_EXTRA_CARD if third else RulePoint.FOUR_CARDS, hand)


_WORDS = {
    Place.BURN_FIRST: "the first burn card",
    Place.BURN: "a burn card",
    Place.BURN_EXTRA: "a burn card outside the count",
    Place.PLAYER_1: "Player's first card",
    Place.PLAYER_2: "Player's second card",
    Place.PLAYER_3: "Player's third card",
    Place.PLAYER_MORE: "a further card for the Player",
    Place.BANKER_1: "Banker's first card",
    Place.BANKER_2: "Banker's second card",
    Place.BANKER_3: "Banker's third card",
    Place.BANKER_MORE: "a further card for the Banker",
    Place.OUTSIDE: "a card outside play",
}


def _place_words(place: Place) -> str:
    return _WORDS[place]


def _claim(place: Place) -> str:
    return _WORDS[place]


def known_card(coup: CoupState, place: Place) -> Card | None:
    """The card a coup already has at that place, by order or by the shoe's claim."""
    for dealt in coup.cards:
        if place in (dealt.place, dealt.claimed):
            return dealt.card
    return None

"""Counts cards that leave the shoe; and the shoe's own count of a hand, where it differs.

Source: S42 (g)(3), (k)(2), (k)(3); D-16.

Decisions. The shoe counts each card that it claims for a place of a hand, also one that was taken
out, burned or void since. It gives the places by its own third-card rule, and begins its next coup
where that is complete; or it counts each hand. Its claim for Player's first place begins its count
again.
"""

from msgspec.structs import replace

from controller.procedure.events import CardDrawn
from controller.procedure.opening.first_card_checks import check_first_card
from controller.procedure.places import HAND_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard, LastDrawn, ShoeState
from controller.procedure.step_result import Step
from controller.rules.cards import Card
from controller.rules.coup import FIRST_FOUR_PLACES, Place, next_place

Counted = tuple[DealtCard, ...]


def count_card(book: RuleBook, step: Step, event: CardDrawn, *, over: bool = False) -> Step:
    """Count a card that left the shoe; the first one shows whether the shoe was made ready."""
    drawn = step.shoe.cards_drawn + 1
    step = step.with_shoe(replace(step.shoe, cards_drawn=drawn, drawn_last=LastDrawn.NOTHING))
    if drawn > 1 or step.shoe.joined or over:
        return step
    return check_first_card(book, step, event.back)


def claims_by_shoe_count(counted: Counted | None, place: Place) -> tuple[Place, ...]:
    """What the shoe may claim for a card due at this place, after the cards it has counted.

    None where its count and the order of drawing are one.
    """
    if counted is None:
        return ()
    hand = place.value.partition("_")[0]
    number = 1 + sum(dealt.claimed.value.startswith(hand) for dealt in counted)
    by_hand = Place(f"{hand}_{number if number <= 3 else 'more'}")
    faces = _faces(counted)
    if faces is None:
        return (by_hand,)
    return (next_place(faces) or Place.PLAYER_1, by_hand)


def count_in_coup(step: Step) -> Step:
    """Add the card just dealt to the shoe's own count, if that is kept."""
    coup = step.coup
    if coup.shoe_cards is None:
        return step
    return step.with_coup(replace(coup, shoe_cards=_add(coup.shoe_cards, coup.cards[-1])))


def count_in_no_hand(shoe: ShoeState, card: Card | None, claimed: Place) -> ShoeState:
    """Add a card that the shoe claims for a hand, and that is burned or void, to its own count."""
    if claimed not in HAND_PLACES:
        return shoe
    coup, dealt = shoe.coup, DealtCard(claimed, card, claimed)
    if coup is None:
        return replace(shoe, shoe_count=_add(shoe.shoe_count, dealt))
    counted = coup.cards if coup.shoe_cards is None else coup.shoe_cards
    return replace(shoe, coup=replace(coup, shoe_cards=_add(counted, dealt)))


def is_first_by_shoe_count(shoe: ShoeState, event: CardDrawn) -> bool:
    """Whether the shoe's own count explains its claim for what is a coup's first card."""
    counted = shoe.shoe_count or None
    if event.claimed is Place.PLAYER_1 or not shoe.reports_proven:
        return False
    return event.claimed in claims_by_shoe_count(counted, Place.PLAYER_1)


def count_after_coup(coup: CoupState, *, left: bool) -> Counted:
    """The cards that the shoe still counts when the coup ends; none where its hands are complete.

    None, too, where the shoe `left` the coup, or where reports are missing.
    """
    if left or (coup.partial and not coup.unjudged):
        return ()
    counted = coup.shoe_cards
    if counted is None:
        counted = ()
        for dealt in coup.cards:
            counted = _add(counted, dealt) if dealt.claimed in HAND_PLACES else counted
    return () if _is_complete(counted) else counted


def _add(counted: Counted, dealt: DealtCard) -> Counted:
    if dealt.claimed is Place.PLAYER_1 or _is_complete(counted):
        return (dealt,)
    return (*counted, dealt)


def _is_complete(counted: Counted) -> bool:
    faces = _faces(counted)
    return faces is not None and next_place(faces) is None


def _faces(counted: Counted) -> tuple[Card, ...] | None:
    """The faces of these cards; None where one could not be read."""
    faces = tuple(dealt.card for dealt in counted if dealt.card is not None)
    return faces if len(faces) == len(counted) else None


def read_partial_claim(step: Step, event: CardDrawn) -> CardDrawn:
    """The card with its place in a partial coup, where the shoe reports it without one.

    It is the next of the first four places; the hand of a further card is unknown.
    """
    shoe = step.state.shoe
    coup = shoe.coup if shoe is not None else None
    if event.claimed is not Place.UNCLAIMED or coup is None or not coup.partial:
        return event
    filled = max((HAND_PLACES.index(dealt.place) for dealt in coup.cards), default=-1) + 1
    if filled >= len(FIRST_FOUR_PLACES):
        return event
    return replace(event, claimed=HAND_PLACES[filled])

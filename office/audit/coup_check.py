"""Finds the coups of a shoe that break the drawing rules, and describes each with its clauses.

Called only after the screen found that there is one.
Source: the clauses are those a verdict on the same card would cite.
"""

from typing import Final

from msgspec import Struct

from controller.journal.card_row_format import RowEnd, RowRole
from controller.procedure.places import PLACE_NAMES, ruling_points
from controller.rules.cards import Card
from controller.rules.coup import Place, is_complete, next_place
from controller.rules.outcome import Outcome, coup_result
from controller.rules.profiles.rule_points import RulePoint
from controller.system.messages.catalogue import to_words
from office.audit.shoe_rules import FACES, ShoeRules

DISCREPANCIES_MAX: Final = 20
_FIRST: Final = bytes((RowRole.PLAYER_1,))
_PLACES: Final = {
    RowRole.PLAYER_1: Place.PLAYER_1,
    RowRole.BANKER_1: Place.BANKER_1,
    RowRole.PLAYER_2: Place.PLAYER_2,
    RowRole.BANKER_2: Place.BANKER_2,
    RowRole.PLAYER_3: Place.PLAYER_3,
    RowRole.BANKER_3: Place.BANKER_3,
}
_OUTCOMES: Final = {
    RowEnd.PLAYER: Outcome.PLAYER,
    RowEnd.BANKER: Outcome.BANKER,
    RowEnd.TIE: Outcome.TIE,
}


class Discrepancy(Struct, frozen=True):
    """What is wrong, in words, in which coup (0: none), and the clauses that it breaks."""

    coup: int
    words: str
    clauses: tuple[str, ...]


def coup_discrepancies(
    roles: bytes, cards: bytes, ends: bytes, rules: ShoeRules
) -> tuple[Discrepancy, ...]:
    """The coups that break the rules, in order, at most DISCREPANCIES_MAX.

    `roles`, `cards` and `ends` are columns of rows, one byte per card, without the burn.
    """
    found: list[Discrepancy] = []
    begin = 0
    while 0 <= begin < len(roles) and len(found) < DISCREPANCIES_MAX:
        coup = roles.count(_FIRST, 0, begin) + 1
        end, wrong = _check_coup(coup, roles[begin:], cards[begin:], ends[begin:], rules)
        if wrong is None:
            begin += end
        else:
            found.append(wrong)
            # The check resumes at the next first card.
            begin = roles.find(_FIRST, begin + max(1, end))
    return tuple(found)


def _check_coup(
    coup: int, roles: bytes, cards: bytes, ends: bytes, rules: ShoeRules
) -> tuple[int, Discrepancy | None]:
    """Check the first coup of these columns: its number of cards, or the offending card and why."""
    faces: tuple[Card, ...] = ()
    for at, (role, card, end) in enumerate(zip(roles, cards, ends, strict=True)):
        faces = (*faces, FACES[card - 1])
        wrong = _check_card(coup, faces, role, end, rules)
        if wrong is not None:
            return at, wrong
        if is_complete(faces):
            return at + 1, None
    return len(roles), _cut_short(coup, faces, rules)


def _check_card(
    coup: int, faces: tuple[Card, ...], role: int, end: int, rules: ShoeRules
) -> Discrepancy | None:
    """What is wrong with the last of these cards, if anything."""
    before = faces[:-1]
    due = next_place(before)
    assert due is not None, "a coup that is over has no further card"
    role_place = _PLACES[RowRole(role)]
    if role_place is not due:
        recorded = f"card {len(faces)} is recorded as {_place_words(role_place)}"
        text = f"{recorded}; due was {_place_words(due)}"
        return Discrepancy(coup, text, rules.clauses(*ruling_points(before)))
    if not is_complete(faces):
        if end == RowEnd.NOT_LAST:
            return None
        missing = next_place(faces)
        assert missing is not None
        due_name = _place_words(missing)
        text = f"it is recorded as over after {_cards(len(faces))}; due was {due_name}"
        return Discrepancy(coup, text, rules.clauses(*ruling_points(faces)))
    outcome = coup_result(faces).outcome
    if end == RowEnd.NOT_LAST:
        text = f"no outcome is recorded after its last card; by its cards it is {outcome.value}"
        return Discrepancy(coup, text, rules.clauses(*ruling_points(faces)))
    if _OUTCOMES[RowEnd(end)] is outcome:
        return None
    recorded_outcome = _OUTCOMES[RowEnd(end)].value
    text = f"its recorded outcome is {recorded_outcome}; by its cards it is {outcome.value}"
    tie = outcome is Outcome.TIE
    point = RulePoint.EQUAL_IS_TIE if tie else RulePoint.HIGHER_WINS
    return Discrepancy(coup, text, rules.clauses(point))


def _cut_short(coup: int, faces: tuple[Card, ...], rules: ShoeRules) -> Discrepancy:
    due = next_place(faces)
    assert due is not None
    text = f"it ends after {_cards(len(faces))}; due was {_place_words(due)}"
    return Discrepancy(coup, text, rules.clauses(*ruling_points(faces)))


def _place_words(place: Place) -> str:
    return to_words(PLACE_NAMES[place])


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"

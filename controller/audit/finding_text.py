"""What is wrong with a coup that is not as the rules have it, in words with its clauses.

Responsible for: finding each such coup of a shoe, and saying what is told and what is due.
Not responsible for: finding out that there is one (screen).
Source: controller/profiles/README.md; the clauses are those a verdict on the same card would cite.
"""

from dataclasses import dataclass
from typing import Final

from controller.audit.terms import FACES, Terms
from controller.journal.card_row_format import RowEnd, RowRole
from controller.procedure.places import WORDS, ruling_points
from controller.profiles.rule_points import RulePoint
from controller.rules.cards import Card
from controller.rules.coup import Place, is_complete, next_place
from controller.rules.outcome import Outcome, result_of

FAULTS_MAX: Final = 20
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


@dataclass(frozen=True, slots=True)
class Fault:
    """Something the rules do not have: in which coup (0: in none), in words, and the clauses."""

    coup: int
    words: str
    clauses: tuple[str, ...]


def coup_faults(roles: bytes, cards: bytes, ends: bytes, terms: Terms) -> tuple[Fault, ...]:
    """The coups that the rules do not have, at most FAULTS_MAX, in order."""
    faults: list[Fault] = []
    begin = 0
    while 0 <= begin < len(roles) and len(faults) < FAULTS_MAX:
        coup = roles.count(_FIRST, 0, begin) + 1
        end, wrong = _coup(coup, roles[begin:], cards[begin:], ends[begin:], terms)
        if wrong is None:
            begin += end
        else:
            faults.append(wrong)
            # What comes after it is read from the next first card on.
            begin = roles.find(_FIRST, begin + max(1, end))
    return tuple(faults)


def _coup(
    coup: int, roles: bytes, cards: bytes, ends: bytes, terms: Terms
) -> tuple[int, Fault | None]:
    """How many cards the coup has that these columns begin with, or where it is wrong and how."""
    faces: tuple[Card, ...] = ()
    for at, (role, card, end) in enumerate(zip(roles, cards, ends, strict=True)):
        faces = (*faces, FACES[card - 1])
        wrong = _at(coup, faces, role, end, terms)
        if wrong is not None:
            return at, wrong
        if is_complete(faces):
            return at + 1, None
    return len(roles), _cut_short(coup, faces, terms)


def _at(coup: int, faces: tuple[Card, ...], role: int, end: int, terms: Terms) -> Fault | None:
    """What is wrong with the last of these cards, if anything."""
    before = faces[:-1]
    due = next_place(before)
    assert due is not None, "a coup that is over has no further card"
    told = _PLACES[RowRole(role)]
    if told is not due:
        words = f"card {len(faces)} is told as {WORDS[told]}; due was {WORDS[due]}"
        return Fault(coup, words, terms.clauses(*ruling_points(before)))
    if not is_complete(faces):
        if end == RowEnd.NOT_LAST:
            return None
        missing = next_place(faces)
        assert missing is not None
        words = f"it is told to be over after {len(faces)} cards; due was {WORDS[missing]}"
        return Fault(coup, words, terms.clauses(*ruling_points(faces)))
    outcome = result_of(faces).outcome
    if end == RowEnd.NOT_LAST:
        words = f"its outcome is not told after its last card; the cards say {outcome.value}"
        return Fault(coup, words, terms.clauses(*ruling_points(faces)))
    if _OUTCOMES[RowEnd(end)] is outcome:
        return None
    said = _OUTCOMES[RowEnd(end)]
    words = f"{said.value} is told as its outcome; the cards say {outcome.value}"
    tie = outcome is Outcome.TIE
    point = RulePoint.EQUAL_IS_TIE if tie else RulePoint.HIGHER_WINS
    return Fault(coup, words, terms.clauses(point))


def _cut_short(coup: int, faces: tuple[Card, ...], terms: Terms) -> Fault:
    due = next_place(faces)
    assert due is not None
    words = f"it ends after {len(faces)} cards; due was {WORDS[due]}"
    return Fault(coup, words, terms.clauses(*ruling_points(faces)))

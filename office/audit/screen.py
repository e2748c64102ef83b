"""Screens a shoe: its cards against the rules, by comparing whole columns of its rows.

A shoe in order costs a few comparisons of whole columns and one table look-up per card. Only where
a comparison fails are the coups looked for that break the drawing rules, and described with the
clauses that a verdict on the same card would cite.
Not: whether the rows are what the records say (replay_check).
Source: controller/journal/README.md, "Shoe file" (a row's layout).
"""

from collections import Counter
from typing import Final

from msgspec import Struct

from controller.journal.card_row_format import (
    CARD_AT,
    CLAIMED_AT,
    COUP_AT,
    DECLARED_AT,
    ENDS_AT,
    FLAGS_AT,
    ROLE_AT,
    TAG_AT,
    TAG_BYTES,
    RowEnd,
    RowRole,
)
from controller.journal.shoe_file import ROW_BYTES
from controller.procedure.places import PLACE_NAMES, ruling_points
from controller.rules.cards import Card
from controller.rules.coup import Place, is_complete, next_place
from controller.rules.cut import cards_behind, coups_left_after_cut, is_deep_enough
from controller.rules.outcome import Outcome, coup_result
from controller.rules.profiles.rule_points import RulePoint
from controller.system.messages.catalogue import to_words
from office.audit.column_tableau import ENDS, ROLES, ColumnTable, column_table, symbols
from office.audit.column_tableau import FACES as FACE_BYTES
from office.audit.shoe_rules import FACES, ShoeRules

_ZERO: Final = b"\0"
_CUT: Final = bytes((RowRole.CUT_CARD,))
_FIRST: Final = bytes((RowRole.PLAYER_1,))
_BEGINS: Final = bytes(byte == RowRole.PLAYER_1 for byte in range(256))
_WORD: Final = 8
_CARDS_MAX: Final = 4096  # more than any shoe has
_NOTHING: Final = memoryview(bytes(_CARDS_MAX * _WORD)).cast("Q")
_COUPS_MAX: Final = 255
DISCREPANCIES_MAX: Final = 20
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


class ScreenResult(Struct, frozen=True):
    """The result of a screen. `unclear`: why rows cannot decide, so that records must be used."""

    discrepancies: tuple[Discrepancy, ...] = ()
    unclear: str = ""


CLEAN: Final = ScreenResult()


class CardColumns(Struct, frozen=True):
    """The columns of a shoe's playing cards, one byte per card, without the cut card.

    `cut` is the number of cards drawn before the cut card, -1 where none was drawn. `begun` are the
    low bytes of the coups' numbers.
    """

    roles: bytes
    cards: bytes
    ends: bytes
    declared: bytes
    begun: bytes
    cut: int


def screen(rows: bytes, rules: ShoeRules) -> ScreenResult:
    """Compare the rows of one whole shoe with the rules of its run."""
    table = column_table()
    columns = _read_columns(rows)
    if isinstance(columns, str):
        return ScreenResult(unclear=columns)
    if rules.continuous:
        return ScreenResult(unclear="a continuous shuffler feeds the shoe")
    burned = _check_burn(columns, rules)
    if isinstance(burned, Discrepancy):
        return ScreenResult((burned,))
    found = [
        *_check_coups(table, columns, burned, rules),
        *_check_coup_numbers(columns, burned),
        *_check_declarations(columns, rules),
        *_check_cut_card(columns, rules),
        *_check_card_counts(columns, rules),
        *_check_tags(rows),
    ]
    if found:
        return ScreenResult(tuple(found))
    if columns.cut < 0:
        return ScreenResult(unclear="the shoe ended without its cut card")
    return CLEAN


def _read_columns(rows: bytes) -> CardColumns | str:
    """The columns, or why rows alone cannot decide this shoe."""
    roles, cards = rows[ROLE_AT::ROW_BYTES], rows[CARD_AT::ROW_BYTES]
    ends, begun = rows[ENDS_AT::ROW_BYTES], rows[COUP_AT + 3 :: ROW_BYTES]
    declared, claimed = rows[DECLARED_AT::ROW_BYTES], rows[CLAIMED_AT::ROW_BYTES]
    if rows[FLAGS_AT::ROW_BYTES].strip(_ZERO):
        return "something irregular is marked at a card"
    if any(rows[at::ROW_BYTES].strip(_ZERO) for at in range(COUP_AT, COUP_AT + 3)):
        return f"it has more than {_COUPS_MAX} coups"
    cut = roles.find(_CUT)
    if cut >= 0:
        if roles.find(_CUT, cut + 1) >= 0:
            return "more than one cut card was drawn"
        if ends[cut] or declared[cut] or cards[cut]:
            return "its cut card is recorded as a card"
        roles, cards, ends, declared, begun, claimed = (
            column[:cut] + column[cut + 1 :]
            for column in (roles, cards, ends, declared, begun, claimed)
        )
    if claimed != roles and claimed.strip(_ZERO) and _claims_differ(roles, claimed):
        return "the shoe reported another place for a card"
    if cards.translate(None, FACE_BYTES):
        return "a card was not read"
    if ends.translate(None, ENDS):
        return "a coup is void, partial or decided by a floorperson"
    if not 0 < len(roles) < _CARDS_MAX:
        return f"{len(roles)} cards were drawn"
    return CardColumns(roles, cards, ends, declared, begun, cut)


def _claims_differ(roles: bytes, claimed: bytes) -> bool:
    return any(
        claim not in (RowRole.OTHER, role) for role, claim in zip(roles, claimed, strict=True)
    )


# --- the burn -------------------------------------------------------------------------------------


def _check_burn(columns: CardColumns, rules: ShoeRules) -> int | Discrepancy:
    """The number of burn cards, or what is wrong with them."""
    due = rules.burns[columns.cards[0] - 1] if rules.burns else b""
    burned = len(due)
    if columns.roles.startswith(due) and columns.roles[burned : burned + 1] in (_FIRST, b""):
        if not columns.roles[burned:].translate(None, ROLES):
            return burned
        words = "a burn card is recorded after the burn was over"
        return Discrepancy(0, words, _burn_clauses(rules))
    recorded = len(columns.roles) - len(
        columns.roles.lstrip(bytes((RowRole.BURN_FIRST, RowRole.BURN)))
    )
    cards = "card is" if recorded == 1 else "cards are"
    if not due:
        words = f"{recorded} {cards} recorded as burned, but none is burned at this table"
    else:
        first = FACES[columns.cards[0] - 1]
        words = f"the first card is {first}: {burned} cards are due as burn; recorded: {recorded}"
    return Discrepancy(0, words, _burn_clauses(rules))


def _burn_clauses(rules: ShoeRules) -> tuple[str, ...]:
    return rules.clauses(RulePoint.BURN_FIRST, RulePoint.BURN_VALUE, RulePoint.BURN_COUNT)


# --- the coups ------------------------------------------------------------------------------------


def _check_coups(
    table: ColumnTable, columns: CardColumns, burned: int, rules: ShoeRules
) -> tuple[Discrepancy, ...]:
    roles, cards, ends = columns.roles[burned:], columns.cards[burned:], columns.ends[burned:]
    if table.after(symbols(roles, cards, ends)) is table.between:
        if not columns.ends[:burned].strip(_ZERO):
            return ()
        words = "a burn card is recorded as the last of a coup"
        return (Discrepancy(0, words, _burn_clauses(rules)),)
    wrong = _coup_discrepancies(roles, cards, ends, rules)
    assert wrong, "the column table and the rules of a coup agree"
    return wrong


def _check_coup_numbers(columns: CardColumns, burned: int) -> tuple[Discrepancy, ...]:
    """Coups are numbered from 1, one more at each first card; burn cards belong to none."""
    begins, begun = columns.roles.translate(_BEGINS), columns.begun
    steps = int.from_bytes(begins[1:], "big")
    before, after = (int.from_bytes(part, "big") for part in (begun[:-1], begun[1:]))
    # A byte of the column is at most the number of first cards, so nothing is carried.
    if before + steps == after and begun[0] == begins[0] and not begun[:burned].strip(_ZERO):
        return ()
    expected = 0
    for at, number in enumerate(begun):
        expected += begins[at]
        if number != expected:
            words = f"card {at + 1} is recorded in coup {number}, but belongs to coup {expected}"
            return (Discrepancy(expected, words, ()),)
    return ()


def _check_declarations(columns: CardColumns, rules: ShoeRules) -> tuple[Discrepancy, ...]:
    if columns.declared == columns.ends or not columns.declared.strip(_ZERO):
        return ()
    clauses = rules.clauses(RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED)
    return tuple(
        Discrepancy(
            begun,
            f"{_end_name(declared)} is recorded as declared, but by the cards it is"
            f" {_end_name(end)}",
            clauses,
        )
        for declared, end, begun in zip(columns.declared, columns.ends, columns.begun, strict=True)
        if declared not in (RowEnd.NOT_LAST, end)
    )


def _end_name(end: int) -> str:
    known = {each.value: each.name.lower() for each in RowEnd if each is not RowEnd.NOT_LAST}
    return known.get(end, "nothing")


# --- the cut card and the cards of the shoe -------------------------------------------------------


def _check_cut_card(columns: CardColumns, rules: ShoeRules) -> tuple[Discrepancy, ...]:
    """Check the place of the cut card and the number of coups dealt after it."""
    if columns.cut < 0:
        return ()
    settings, wrong = rules.profile.rules, []
    behind = cards_behind(rules.cards, columns.cut)
    minimum = settings.cut_card_min_from_back
    if not is_deep_enough(behind, minimum):
        cards = "card was" if behind == 1 else "cards were"
        words = f"{behind} {cards} behind the cut card; at least {minimum} are required"
        wrong.append(Discrepancy(0, words, rules.clauses(RulePoint.CUT_CARD_PLACEMENT)))
    before = columns.roles[: columns.cut]
    coup = before.count(_FIRST)
    between = not coup or columns.ends[columns.cut - 1] != RowEnd.NOT_LAST
    left = coups_left_after_cut(
        between, settings.cut_card_at_round_start, settings.rounds_after_cut_round
    )
    last, dealt = coup + left - (not between), columns.roles.count(_FIRST)
    if dealt > last:
        words = f"by the cut card coup {last} is the last; {dealt} were dealt"
        clauses = rules.clauses(RulePoint.CUT_COUP_FINISHED, RulePoint.LAST_HAND)
        wrong.append(Discrepancy(last + 1, words, clauses))
    return tuple(wrong)


def _check_card_counts(columns: CardColumns, rules: ShoeRules) -> tuple[Discrepancy, ...]:
    """No more cards than the decks have, and no face more often than there are decks."""
    counted = Counter(columns.cards)
    if len(columns.cards) <= rules.cards and max(counted.values()) <= rules.decks:
        return ()
    decks = "1 deck" if rules.decks == 1 else f"{rules.decks} decks"
    sentences = [
        f"{FACES[face - 1]} was drawn {times} times from {decks}"
        for face, times in sorted(counted.items())
        if times > rules.decks
    ]
    if len(columns.cards) > rules.cards:
        drawn = f"{len(columns.cards)} cards were drawn"
        sentences.insert(
            0, f"{drawn}; {decks} {'has' if rules.decks == 1 else 'have'} {rules.cards}"
        )
    clauses = rules.clauses(RulePoint.DECKS_COUNT)
    return tuple(Discrepancy(0, words, clauses) for words in sentences)


def _check_tags(rows: bytes) -> tuple[Discrepancy, ...]:
    """No chip identity twice: compared by first halves, in full only where those repeat."""
    words, count = memoryview(rows).cast("Q"), len(rows) // ROW_BYTES
    halves = words[TAG_AT // _WORD :: ROW_BYTES // _WORD]
    if halves == _NOTHING[:count]:
        rest = words[TAG_AT // _WORD + 1 :: ROW_BYTES // _WORD]
        if rest == _NOTHING[:count]:
            return ()
    elif len(set(halves.tolist())) == count:
        return ()
    tags = Counter(rows[at : at + TAG_BYTES] for at in range(TAG_AT, len(rows), ROW_BYTES))
    del tags[bytes(TAG_BYTES)]
    return tuple(
        Discrepancy(0, f"the card of identity {tag.hex()} was drawn {times} times", ())
        for tag, times in tags.items()
        if times > 1
    )


# --- the coups that break the drawing rules -------------------------------------------------------


def _coup_discrepancies(
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

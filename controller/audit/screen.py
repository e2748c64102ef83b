"""The screen: one shoe's cards against the rules, by whole columns of its rows.

Responsible for: saying of the rows alone that burn, order of drawing, third cards, outcomes,
declarations, cut card, last coup and the number of cards are as the rules have it, and where not,
in words with the clause; or that rows alone cannot tell.
Not responsible for: whether the rows are what the records say (replayed), seals and neighbours.
Source: package README, "Audit"; controller/journal/README.md, "Shoe file" (a row's layout).

A shoe that nothing happened in takes the path of a few comparisons of whole columns and one look-up
a card. Words are looked for only where a comparison fails.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from controller.audit.column_tableau import ENDS, ROLES, ColumnTable, column_table, symbols
from controller.audit.column_tableau import FACES as FACE_BYTES
from controller.audit.finding_text import Fault, coup_faults
from controller.audit.terms import FACES, Terms
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
from controller.profiles.rule_points import RulePoint
from controller.rules.cut import cards_behind, coups_left_after_cut, placement_ok

_ZERO: Final = b"\0"
_CUT: Final = bytes((RowRole.CUT_CARD,))
_FIRST: Final = bytes((RowRole.PLAYER_1,))
_BEGINS: Final = bytes(byte == RowRole.PLAYER_1 for byte in range(256))
_WORD: Final = 8
# As many cards as no shoe has.
_CARDS_MAX: Final = 4096
_NOTHING: Final = memoryview(bytes(_CARDS_MAX * _WORD)).cast("Q")
_COUPS_MAX: Final = 255


@dataclass(frozen=True, slots=True)
class Screened:
    """What the rows say. `unclear`: why they do not decide; then the records have to."""

    faults: tuple[Fault, ...] = ()
    unclear: str = ""


CLEAN: Final = Screened()


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a shoe's playing cards, a byte a card, without the cut cards.

    `cut` says how many cards were out when the cut card came, -1 where none did. `begun` are the
    low bytes of the coups' numbers.
    """

    roles: bytes
    cards: bytes
    ends: bytes
    declared: bytes
    begun: bytes
    cut: int


def screen(rows: bytes, terms: Terms) -> Screened:
    """Compare the rows of one whole shoe with the rules of its run."""
    table = column_table()
    found = _columns(rows)
    if isinstance(found, str):
        return Screened(unclear=found)
    if terms.endless:
        return Screened(unclear="a continuous shuffler feeds the shoe")
    burned = _burned(found, terms)
    if isinstance(burned, Fault):
        return Screened((burned,))
    faults = [
        *_coups(table, found, burned, terms),
        *_numbers(found, burned),
        *_declared(found, terms),
        *_cut(found, terms),
        *_counted(found, terms),
        *_tags(rows),
    ]
    if faults:
        return Screened(tuple(faults))
    return CLEAN if found.cut >= 0 else Screened(unclear="the shoe ended without its cut card")


def _columns(rows: bytes) -> Columns | str:
    """The columns, or why rows alone do not tell this shoe."""
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
            return "its cut card is told as a card"
        roles, cards, ends, declared, begun, claimed = (
            column[:cut] + column[cut + 1 :]
            for column in (roles, cards, ends, declared, begun, claimed)
        )
    if claimed != roles and claimed.strip(_ZERO) and _claims_differ(roles, claimed):
        return "the shoe claimed another place for a card"
    if cards.translate(None, FACE_BYTES):
        return "a card was not read"
    if ends.translate(None, ENDS):
        return "a coup is void, partial or decided by a floorperson"
    if not 0 < len(roles) < _CARDS_MAX:
        return f"{len(roles)} cards were drawn"
    return Columns(roles, cards, ends, declared, begun, cut)


def _claims_differ(roles: bytes, claimed: bytes) -> bool:
    return any(
        claim not in (RowRole.OTHER, role) for role, claim in zip(roles, claimed, strict=True)
    )


# --- the burn -------------------------------------------------------------------------------------


def _burned(found: Columns, terms: Terms) -> int | Fault:
    """How many cards the burn has, where it has as many as it must."""
    due = terms.burns[found.cards[0] - 1] if terms.burns else b""
    burned = len(due)
    if found.roles.startswith(due) and found.roles[burned : burned + 1] in (_FIRST, b""):
        if not found.roles[burned:].translate(None, ROLES):
            return burned
        return Fault(0, "a burn card is told after the burn was over", _burn_clauses(terms))
    told = len(found.roles) - len(found.roles.lstrip(bytes((RowRole.BURN_FIRST, RowRole.BURN))))
    if not due:
        words = f"{told} cards are told as burned, and none is burned at this table"
    else:
        first = FACES[found.cards[0] - 1]
        words = f"the first card is {first}, so {burned} cards are burned; told are {told}"
    return Fault(0, words, _burn_clauses(terms))


def _burn_clauses(terms: Terms) -> tuple[str, ...]:
    return terms.clauses(RulePoint.BURN_FIRST, RulePoint.BURN_VALUE, RulePoint.BURN_COUNT)


# --- the coups ------------------------------------------------------------------------------------


def _coups(table: ColumnTable, found: Columns, burned: int, terms: Terms) -> tuple[Fault, ...]:
    roles, cards, ends = found.roles[burned:], found.cards[burned:], found.ends[burned:]
    if table.after(symbols(roles, cards, ends)) is table.between:
        if not found.ends[:burned].strip(_ZERO):
            return ()
        return (Fault(0, "a burn card is told as the last of a coup", _burn_clauses(terms)),)
    faults = coup_faults(roles, cards, ends, terms)
    assert faults, "the column table and the rules of a coup are one"
    return faults


def _numbers(found: Columns, burned: int) -> tuple[Fault, ...]:
    """Coups are numbered from 1 on, one more at each first card, and burn cards belong to none."""
    begins, begun = found.roles.translate(_BEGINS), found.begun
    steps = int.from_bytes(begins[1:], "big")
    before, after = (int.from_bytes(part, "big") for part in (begun[:-1], begun[1:]))
    # A byte of the column is at most the number of first cards, so nothing is carried.
    if before + steps == after and begun[0] == begins[0] and not begun[:burned].strip(_ZERO):
        return ()
    expected = 0
    for at, number in enumerate(begun):
        expected += begins[at]
        if number != expected:
            words = f"card {at + 1} is told to be of coup {number}; it is of coup {expected}"
            return (Fault(expected, words, ()),)
    return ()


def _declared(found: Columns, terms: Terms) -> tuple[Fault, ...]:
    if found.declared == found.ends or not found.declared.strip(_ZERO):
        return ()
    clauses = terms.clauses(RulePoint.RESULT_CALLED, RulePoint.WINNER_DECLARED)
    return tuple(
        Fault(begun, f"{_name(told)} is told as declared, the cards say {_name(end)}", clauses)
        for told, end, begun in zip(found.declared, found.ends, found.begun, strict=True)
        if told not in (RowEnd.NOT_LAST, end)
    )


def _name(end: int) -> str:
    known = {each.value: each.name.lower() for each in RowEnd if each is not RowEnd.NOT_LAST}
    return known.get(end, "nothing")


# --- the cut card and the cards of the shoe -------------------------------------------------------


def _cut(found: Columns, terms: Terms) -> tuple[Fault, ...]:
    """Where the cut card lay, and how many coups were dealt after it."""
    if found.cut < 0:
        return ()
    rules, faults = terms.profile.rules, []
    behind = cards_behind(terms.cards, found.cut)
    if not placement_ok(behind, rules.cut_card_min_from_back):
        words = (
            f"{behind} cards lay behind the cut card, at least {rules.cut_card_min_from_back} do"
        )
        faults.append(Fault(0, words, terms.clauses(RulePoint.CUT_CARD_PLACEMENT)))
    before = found.roles[: found.cut]
    coup = before.count(_FIRST)
    between = not coup or found.ends[found.cut - 1] != RowEnd.NOT_LAST
    left = coups_left_after_cut(
        between, rules.cut_card_at_round_start, rules.rounds_after_cut_round
    )
    last, dealt = coup + left - (not between), found.roles.count(_FIRST)
    if dealt > last:
        words = f"coup {last} is the last by the cut card, {dealt} were dealt"
        clauses = terms.clauses(RulePoint.CUT_COUP_FINISHED, RulePoint.LAST_HAND)
        faults.append(Fault(last + 1, words, clauses))
    return tuple(faults)


def _counted(found: Columns, terms: Terms) -> tuple[Fault, ...]:
    """No more cards than the decks have, and no face more often than there are decks."""
    counted = Counter(found.cards)
    if len(found.cards) <= terms.cards and max(counted.values()) <= terms.decks:
        return ()
    faults = [
        f"{FACES[face - 1]} was drawn {times} times from {terms.decks} decks"
        for face, times in sorted(counted.items())
        if times > terms.decks
    ]
    if len(found.cards) > terms.cards:
        have = f"{terms.decks} decks have {terms.cards}"
        faults.insert(0, f"{len(found.cards)} cards were drawn, {have}")
    clauses = terms.clauses(RulePoint.DECKS_COUNT)
    return tuple(Fault(0, words, clauses) for words in faults)


def _tags(rows: bytes) -> tuple[Fault, ...]:
    """No card of its own identity twice: by the first halves, whole only where those repeat."""
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
        Fault(0, f"the card of identity {tag.hex()} was drawn {times} times", ())
        for tag, times in tags.items()
        if times > 1
    )

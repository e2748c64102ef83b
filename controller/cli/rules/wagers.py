"""Parses a coup's cards and lines of wagers as a person types them."""

import csv
import io
import re
from typing import Final

from controller.rules.cards import Card
from controller.rules.coup import Cards, Place, next_place
from controller.rules.hands import HandName
from controller.rules.settlement.wagers import Wager, WagerKind, WagerMedium
from controller.system.command_line.errors import CommandError

COLUMNS: Final = ("seat", "wager", "amount", "medium")
# The medium may be left out: chips.
_NEEDED: Final = len(COLUMNS) - 1
_SEAT: Final = re.compile(r"[1-9][0-9]{0,2}")
_AMOUNT: Final = re.compile(r"([0-9]{1,12})(?:\.([0-9]{2}))?")
_HANDS: Final = {"P": HandName.PLAYER, "B": HandName.BANKER}
_PLAYERS: Final = (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3)


def read_coup(text: str) -> Cards:
    """A complete coup from `P 7h; B 2c; ...` in drawing order. Raises CommandError."""
    cards: Cards = ()
    for found in re.finditer(r"[^;]+", text):
        words = found[0].split()
        if not words:
            continue
        column = found.start() + found[0].index(words[0]) + 1
        due = _due(cards)
        if due is None:
            raise _card_error(
                column, "the coup is complete before this card", "nothing", "remove it"
            )
        if len(words) != 2 or words[0] not in _HANDS:
            raise _card_error(
                column,
                f"{' '.join(words)!r} is not a card of a hand",
                "P or B and a card, such as P 7h",
                "correct it",
            )
        try:
            card = Card.parse(words[1])
        except ValueError as error:
            raise CommandError(f"--cards, column {column}: {error}") from error
        if _HANDS[words[0]] is not due:
            hand = due.value.capitalize()
            raise _card_error(
                column,
                f"{found[0].strip()} is written for the other hand",
                f"a card of {hand}'s Hand, by the drawing rules",
                f"write {hand[0]} {words[1]}, or correct the cards before it",
            )
        cards = (*cards, card)
    due = _due(cards)
    if due is not None:
        hand = due.value.capitalize()
        raise _card_error(
            len(text) + 1, "the coup is not complete", f"a card of {hand}'s Hand", "add it"
        )
    return cards


def _due(cards: Cards) -> HandName | None:
    place = next_place(cards)
    if place is None:
        return None
    return HandName.PLAYER if place in _PLAYERS else HandName.BANKER


def _card_error(column: int, problem: str, allowed: str, remedy: str) -> CommandError:
    return CommandError(
        f"--cards, column {column}: {problem}. Allowed: {allowed}. Remedy: {remedy}"
    )


def read_wagers(text: str, name: str) -> tuple[Wager, ...]:
    """Wagers from lines of seat,wager,amount[,medium], with or without a heading.

    Raises CommandError.
    """
    shown = "standard input" if name == "-" else name
    found: list[Wager] = []
    reader = csv.reader(io.StringIO(text))
    for row in reader:
        cells = [cell.strip() for cell in row]
        if not any(cells) or (not found and tuple(cells) in (COLUMNS, COLUMNS[:_NEEDED])):
            continue
        found.append(_wager(cells, f"{shown}, line {reader.line_num}"))
    return tuple(found)


def _wager(cells: list[str], place: str) -> Wager:
    if len(cells) not in (_NEEDED, len(COLUMNS)):
        raise CommandError(
            f"{place}: {len(cells)} columns found. Allowed: {','.join(COLUMNS[:_NEEDED])}, and"
            " medium where it is no chips. Remedy: write all three, such as 5,banker,25.00"
        )
    seat, kind, amount, medium = (*cells, WagerMedium.CHIPS.value)[: len(COLUMNS)]
    if _SEAT.fullmatch(seat) is None:
        raise _cell_error(place, 0, seat, "a seat from 1 to 999")
    if kind not in tuple(WagerKind):
        raise _cell_error(place, 1, kind, ", ".join(WagerKind))
    units = _AMOUNT.fullmatch(amount)
    if units is None:
        raise _cell_error(place, 2, amount, "an amount such as 25 or 25.00")
    if medium not in tuple(WagerMedium):
        raise _cell_error(place, 3, medium, ", ".join(WagerMedium))
    cents = int(units[1]) * 100 + int(units[2] or 0)
    return Wager(int(seat), WagerKind(kind), cents, WagerMedium(medium))


def _cell_error(place: str, column: int, cell: str, allowed: str) -> CommandError:
    return CommandError(
        f"{place}, column {column + 1} ({COLUMNS[column]}): {cell!r}. Allowed: {allowed}."
        " Remedy: correct it"
    )

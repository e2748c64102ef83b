"""Rows of shoes from the bench's own dealer, rules to screen them by, and changes to rows."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from controller.journal.card_row_format import CardRow, RowEnd, RowFlag, RowRole, row_bytes
from controller.rules.profiles.load import profile_text
from controller.rules.profiles.profile import parse_profile
from hil.dealing.actions import Place
from hil.dealing.cards import Suit
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.truth import BurnTruth, CoupTruth, PlacedCard
from office.audit.shoe_rules import ShoeRules, clauses

SUITS = tuple(Suit)
ENDS = {"player": RowEnd.PLAYER, "banker": RowEnd.BANKER, "tie": RowEnd.TIE}


def number(placed: PlacedCard) -> int:
    return 13 * SUITS.index(placed.card.suit) + placed.card.rank


def row(role: int, card: int, coup: int, **other: object) -> CardRow:
    nothing = RowEnd.NOT_LAST
    values = {
        "claimed": RowRole(role),
        "flags": RowFlag.NONE,
        "ends": nothing,
        "declared": nothing,
        "tag": bytes(16),
        "chain": bytes(16),
        **other,
    }
    return CardRow(seq=0, utc_ns=0, coup=coup, role=RowRole(role), card=card, **values)


def coup_rows(coup: CoupTruth) -> Iterator[CardRow]:
    drawn = {Place.PLAYER: 0, Place.BANKER: 0}
    for at, placed in enumerate(coup.cards):
        if coup.cut_card_after == at:
            yield row(RowRole.CUT_CARD, 0, coup.coup if at else 0)
        drawn[placed.place] += 1
        role = 2 * drawn[placed.place] + (1 if placed.place is Place.PLAYER else 2)
        last = at == len(coup.cards) - 1
        end = ENDS[coup.winner.value] if last else RowEnd.NOT_LAST
        yield row(role, number(placed), coup.coup, ends=end, declared=end)


@cache
def dealt_rows(seed: int, shoes: int = 1, decks: int = 8) -> tuple[tuple[CardRow, ...], ...]:
    """The rows of whole shoes dealt without a mistake."""
    dealer = Dealer(DealerSettings(seed=seed, shoes=shoes, decks=decks))
    for _ in dealer.actions():
        pass
    values: list[list[CardRow]] = []
    for record in dealer.truth.records:
        if isinstance(record, BurnTruth):
            first, *rest = (number(one) for one in record.cards)
            burned = (
                row(RowRole.BURN_FIRST, first, 0),
                *(row(RowRole.BURN, one, 0) for one in rest),
            )
            values.append(list(burned))
        elif isinstance(record, CoupTruth):
            values[-1].extend(coup_rows(record))
    return tuple(map(tuple, values))


def packed(rows: tuple[CardRow, ...]) -> bytes:
    return b"".join(map(row_bytes, rows))


@pytest.fixture(scope="session")
def new_rules() -> Callable[..., ShoeRules]:
    @cache
    def rules(profile: str = "s42-mini", decks: int = 8) -> ShoeRules:
        return ShoeRules.of(parse_profile(profile_text(profile), clauses()), decks)

    return rules


@pytest.fixture(scope="session")
def rules(new_rules) -> ShoeRules:
    return new_rules()


@pytest.fixture(scope="session")
def dealt():
    return dealt_rows


@pytest.fixture(scope="session")
def pack():
    return packed

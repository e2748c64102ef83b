"""Fixtures: terms of a profile, coup facts and wagers from short texts.

table("ny-mini", vig_mode=VigorishMode.TIE25)   a profile's terms, some settings changed
coup("P 8 in 3, B 7 in 2")                      final counts and cards of both hands
layout("5 banker 25.00, 3 tie 1.00")            wagers by seat
every_coup                                      all final counts and cards
"""

import re
from collections.abc import Callable
from functools import cache

import pytest
from msgspec.structs import replace

from controller.rules.profiles.load import load_profile
from controller.rules.settlement.coup_facts import CoupFacts
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import Wager, WagerKind


@cache
def terms_of(profile: str) -> Terms:
    return Terms.of(load_profile(profile))


@pytest.fixture(scope="session")
def table() -> Callable[..., Terms]:
    def table(profile: str, **settings: object) -> Terms:
        terms = terms_of(profile)
        return replace(terms, rules=replace(terms.rules, **settings))  # type: ignore[arg-type]

    return table


@pytest.fixture(scope="session")
def coup() -> Callable[[str], CoupFacts]:
    def coup(text: str) -> CoupFacts:
        found = re.fullmatch(r"P (\d) in (\d), B (\d) in (\d)", text)
        assert found, text
        player, player_cards, banker, banker_cards = map(int, found.groups())
        return CoupFacts(player, banker, player_cards, banker_cards)

    return coup


@pytest.fixture(scope="session")
def layout() -> Callable[[str], tuple[Wager, ...]]:
    def layout(text: str) -> tuple[Wager, ...]:
        found = []
        for one in text.split(", "):
            seat, kind, amount = one.split()
            units, cents = amount.split(".")
            found.append(Wager(int(seat), WagerKind(kind), int(units) * 100 + int(cents)))
        return tuple(found)

    return layout


@pytest.fixture(scope="session")
def every_coup() -> tuple[CoupFacts, ...]:
    """Final counts and cards of every coup that the rules of drawing leave possible, and more."""
    return tuple(
        CoupFacts(player, banker, player_cards, banker_cards)
        for player in range(10)
        for banker in range(10)
        for player_cards, banker_cards in ((2, 2), (2, 3), (3, 2), (3, 3))
        if player_cards + banker_cards == 4
        or not ((player_cards == 2 and player > 7) or (banker_cards == 2 and banker > 7))
    )

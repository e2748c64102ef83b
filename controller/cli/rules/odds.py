"""`smartshoe odds`: exact counts of all six-card draws, and the house edge of each wager."""
# ruff: noqa: PLC0415 - rules and settlement are loaded only when they are asked for.

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.rules.chosen_profile import check_decks, load_named_profile
from controller.system.command_line.output import echo, echo_json, echo_table
from controller.system.command_line.path_parameters import ProfileName
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from controller.rules.profiles.profile import Profile
    from controller.rules.settlement.exact_odds import DrawCount, HouseEdge

_NAMES: Final = {
    "player": "Player wins",
    "banker": "Banker wins",
    "tie": "tie",
    "dragon_7": "dragon 7",
    "panda_8": "panda 8",
    "cards_4": "coup of four cards",
    "cards_5": "coup of five cards",
    "cards_6": "coup of six cards",
    "naturals": "a natural in either hand",
}
_DECKS: Final = 8
_EXACT: Final = "Vigorish is exact: its rounding depends on the stake and is left out."


def odds(
    decks: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=16,
            help="Whole decks in the shoe; by default the profile's, without one 8.",
            metavar="N",
        ),
    ] = None,
    profile: ProfileName = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Count every ordered six-card draw from whole decks; with --profile also the house edges.

    It uses the same drawing tables and wager results as a running table.
    """
    from controller.rules.settlement.exact_odds import (
        all_draws,
        draw_counts,
        enumerate_draws,
        house_edges,
    )
    from controller.rules.settlement.terms import Terms

    rules_profile = load_named_profile(profile) if profile else None
    if decks is None:
        decks = _DECKS if rules_profile is None else rules_profile.rules.decks_per_shoe
    if rules_profile is not None:
        check_decks(decks, rules_profile)
    draws = enumerate_draws(decks)
    case_counts, total = draw_counts(draws), all_draws(decks)
    found = () if rules_profile is None else house_edges(Terms.of(rules_profile), draws)
    if json:
        echo_json(_as_json(decks, total, case_counts, rules_profile, found))
        return
    echo(f"{counted(decks, 'deck')}: {total} ordered draws of six cards")
    rows = [
        (_NAMES[one.name], str(one.draws), _percent(Fraction(one.draws, total)))
        for one in case_counts
    ]
    echo_table(("coup", "draws", "of all"), rows)
    if rules_profile is not None:
        _print_edges(rules_profile, found)


def _print_edges(rules_profile: "Profile", found: tuple["HouseEdge", ...]) -> None:
    echo(f"House edge under {rules_profile.name}. {_EXACT}")
    rows = [
        (_wager(one), *map(str, (one.wins, one.loses, one.returned)), _percent(one.edge),
         f"{one.edge.numerator}/{one.edge.denominator}")
        for one in found
    ]  # fmt: skip
    echo_table(("wager", "wins", "loses", "returned", "edge", "exact"), rows)


def _wager(edge: "HouseEdge") -> str:
    return f"{edge.kind.value}, vigorish waived" if edge.waived else edge.kind.value


def _percent(part: Fraction) -> str:
    """A fraction in percent, rounded to four decimals."""
    scaled = round(part * 1_000_000)
    sign, digits = "-" if scaled < 0 else "", abs(scaled)
    return f"{sign}{digits // 10_000}.{digits % 10_000:04} %"


def _as_json(
    decks: int,
    total: int,
    case_counts: tuple["DrawCount", ...],
    rules_profile: "Profile | None",
    found: tuple["HouseEdge", ...],
) -> dict[str, object]:
    shown: dict[str, object] = {
        "decks": decks,
        "total": total,
        "counts": {one.name: one.draws for one in case_counts},
    }
    if rules_profile is not None:
        shown["profile"] = rules_profile.name
        shown["vigorish"] = "exact, not rounded"
        shown["edges"] = [_edge_json(one) for one in found]
    return shown


def _edge_json(one: "HouseEdge") -> dict[str, object]:
    return {
        "wager": one.kind.value,
        "vigorish_waived": one.waived,
        "wins": one.wins,
        "loses": one.loses,
        "returned": one.returned,
        "edge": {"numerator": one.edge.numerator, "denominator": one.edge.denominator},
        "edge_percent": _percent(one.edge).removesuffix(" %"),
    }

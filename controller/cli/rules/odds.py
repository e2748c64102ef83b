"""`smartshoe odds`: how often everything comes, counted exactly, and the house edge.

Responsible for: showing the counts and the edges of a profile's wagers.
Not responsible for: counting (odds).
Source: package README, "Command line".
"""
# ruff: noqa: PLC0415 - rules and settlement are loaded only when they are asked for.

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.output import PROFILE_HELP, profile_named, say, say_json, say_table

if TYPE_CHECKING:
    from controller.profiles.profile import Profile
    from controller.settlement.exact_odds import Count, Edge

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
_EXACT: Final = "Vigorish is reckoned exact: rounding depends on the stake and is left out."


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        epilog="\b\nexamples:\n  smartshoe odds --decks 8\n"
        "  smartshoe odds --decks 6 --profile ny-ez\n"
        "  smartshoe odds --profile nj-minibaccarat --json"
    )(odds)


def odds(
    decks: Annotated[
        int, typer.Option(min=1, max=16, help="Whole decks in the shoe.", metavar="N")
    ] = 8,
    profile: Annotated[str, typer.Option(metavar="NAME", help=PROFILE_HELP)] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Count every ordered six-card draw from whole decks; with --profile the house edges, too.

    Counted by the tables the program judges by; edges by the judgements it pays by.
    """
    from controller.settlement.exact_odds import all_draws, counts, draws_of, edges
    from controller.settlement.terms import Terms

    under = profile_named(profile) if profile else None
    draws = draws_of(decks)
    counted, total = counts(draws), all_draws(decks)
    found = () if under is None else edges(Terms.of(under), draws)
    if json:
        say_json(_as_json(decks, total, counted, under, found))
        return
    say(f"{decks} decks: {total} ordered draws of six cards")
    rows = [
        (_NAMES[one.name], str(one.draws), _percent(Fraction(one.draws, total))) for one in counted
    ]
    say_table(("coup", "draws", "of all"), rows)
    if under is not None:
        _say_edges(under, found)


def _say_edges(under: "Profile", found: tuple["Edge", ...]) -> None:
    say(f"House edge under {under.name}. {_EXACT}")
    rows = [
        (_wager(one), *map(str, (one.wins, one.loses, one.returned)), _percent(one.edge),
         f"{one.edge.numerator}/{one.edge.denominator}")
        for one in found
    ]  # fmt: skip
    say_table(("wager", "wins", "loses", "returned", "edge", "exact"), rows)


def _wager(edge: "Edge") -> str:
    return f"{edge.kind.value}, vigorish waived" if edge.waived else edge.kind.value


def _percent(part: Fraction) -> str:
    """A part of one in percent, rounded to four places."""
    scaled = round(part * 1_000_000)
    sign, digits = "-" if scaled < 0 else "", abs(scaled)
    return f"{sign}{digits // 10_000}.{digits % 10_000:04} %"


def _as_json(
    decks: int,
    total: int,
    counted: tuple["Count", ...],
    under: "Profile | None",
    found: tuple["Edge", ...],
) -> dict[str, object]:
    shown: dict[str, object] = {
        "decks": decks,
        "total": total,
        "counts": {one.name: one.draws for one in counted},
    }
    if under is not None:
        shown["profile"] = under.name
        shown["vigorish"] = "exact, not rounded"
        shown["edges"] = [_edge_json(one) for one in found]
    return shown


def _edge_json(one: "Edge") -> dict[str, object]:
    return {
        "wager": one.kind.value,
        "vigorish_waived": one.waived,
        "wins": one.wins,
        "loses": one.loses,
        "returned": one.returned,
        "edge": {"numerator": one.edge.numerator, "denominator": one.edge.denominator},
        "edge_percent": _percent(one.edge).removesuffix(" %"),
    }

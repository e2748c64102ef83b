"""`smartshoe settle`: which wagers win on a coup, and what a list of wagers is paid.

Responsible for: reading the cards and the wagers, and showing judgements, lines and steps.
Not responsible for: what wins and what it pays (controller.settlement).
Source: package README, "Command line".
"""
# ruff: noqa: PLC0415 - rules and settlement are loaded only when they are asked for.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import Exit, Unable
from controller.cli.output import PROFILE_HELP, profile_named, remark, say, say_json, say_table

if TYPE_CHECKING:
    from controller.rules.coup import Cards
    from controller.settlement.admission import WagerRefusal
    from controller.settlement.results import Judgement
    from controller.settlement.settle import Settlement


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        epilog="\b\nexamples:\n"
        '  smartshoe settle --profile ny-mini --cards "P 7h; B 2c; P Ks; B 6d; B Qh"\n'
        '  smartshoe settle --profile ny-ez --cards "..." --wagers wagers.csv\n'
        "  smartshoe settle --profile s42-mini --void --wagers - --json\n\n"
        "A line of wagers is seat,wager,amount, such as 5,banker,25.00."
    )(settle)


def settle(
    profile: Annotated[str, typer.Option(metavar="NAME", help=PROFILE_HELP)],
    cards: Annotated[
        str, typer.Option(metavar="TEXT", help='The coup: "P 7h; B 2c; ...", as drawn.')
    ] = "",
    void: Annotated[bool, typer.Option("--void", help="Instead of --cards: a void coup.")] = False,
    wagers: Annotated[
        str, typer.Option(metavar="FILE", help="Lines of seat,wager,amount; - reads stdin.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Say which wagers win at which odds, and pay a list of wagers in the due order."""
    from controller.cli.rules.wagers import read_coup, read_wagers
    from controller.settlement.admission import refusals
    from controller.settlement.coup_facts import facts_of
    from controller.settlement.results import what_is_void, what_wins
    from controller.settlement.settle import settle as settled
    from controller.settlement.terms import Terms

    if void == bool(cards):
        raise Unable("give the coup: either --cards TEXT or --void")
    terms = Terms.of(profile_named(profile))
    coup = () if void else read_coup(cards)
    made = read_wagers(_text(wagers), wagers) if wagers else ()
    judgements = what_is_void(terms) if void else what_wins(terms, facts_of(coup))
    refused = refusals(terms, made)
    settlement = None if refused or not wagers else settled(terms, judgements, made)
    if json:
        say_json(_as_json(profile, coup, judgements, refused, settlement))
    else:
        _say(coup, judgements, settlement)
    for refusal in refused:
        remark(str(refusal))
    if refused:
        raise typer.Exit(Exit.NO)


def _text(name: str) -> str:
    if name == "-":
        return typer.get_text_stream("stdin").read()
    return Path(name).read_text("utf-8")


def _coup_words(coup: "Cards") -> str:
    from controller.settlement.coup_facts import facts_of

    if not coup:
        return "the coup is void"
    facts = facts_of(coup)
    return f"Player {facts.player_count}, Banker {facts.banker_count} in {facts.cards} cards"


def _say(
    coup: "Cards", judgements: tuple["Judgement", ...], settlement: "Settlement | None"
) -> None:
    from controller.settlement.wagers import money

    say(_coup_words(coup))
    say_table(
        ("wager", "verdict", "odds", "clauses"),
        [
            (one.kind.value, one.verdict.value, str(one.odds or ""), ", ".join(one.clauses))
            for one in judgements
        ],
    )
    if settlement is None:
        return
    rows = []
    for line in settlement.lines:
        amounts = (line.stake, line.paid, line.returned, line.vigorish, line.gain)
        named = (str(line.seat), line.kind.value, line.verdict.value)
        rows.append((*named, *map(money, amounts), ", ".join(line.charged_by)))
    headings = ("seat", "wager", "verdict", "stake", "paid", "kept", "vigorish", "gain")
    say_table((*headings, "vigorish by"), rows)
    steps = [(one.text, ", ".join(one.clauses)) for one in settlement.steps]
    say_table(("in this order", "clauses"), steps)
    say(f"the house gains {money(settlement.house_gain)}")


def _as_json(
    profile: str,
    coup: "Cards",
    judgements: tuple["Judgement", ...],
    refused: tuple["WagerRefusal", ...],
    settlement: "Settlement | None",
) -> dict[str, object]:
    shown: dict[str, object] = {
        "profile": profile,
        "coup": _coup_words(coup),
        "wins": [
            {
                "wager": one.kind.value,
                "verdict": one.verdict.value,
                "odds": str(one.odds) if one.odds is not None else None,
                "clauses": list(one.clauses),
            }
            for one in judgements
        ],
    }
    if refused:
        shown["refused"] = [
            {
                "seat": one.seat,
                "wager": one.kind.value,
                "why": one.why,
                "clauses": list(one.clauses),
                "remedy": one.remedy,
            }
            for one in refused
        ]
    if settlement is not None:
        shown |= _settlement_json(settlement)
    return shown


def _settlement_json(settlement: "Settlement") -> dict[str, object]:
    """Amounts are whole cents."""
    return {
        "lines": [
            {
                "seat": line.seat,
                "wager": line.kind.value,
                "verdict": line.verdict.value,
                "stake": line.stake,
                "paid": line.paid,
                "returned": line.returned,
                "vigorish": line.vigorish,
                "gain": line.gain,
                "clauses": list(line.clauses),
                "charged_by": list(line.charged_by),
            }
            for line in settlement.lines
        ],
        "steps": [
            {
                "seat": step.seat,
                "act": step.act.value,
                "wager": step.kind.value,
                "cents": step.cents,
                "text": step.text,
                "clauses": list(step.clauses),
            }
            for step in settlement.steps
        ],
        "house_gain": settlement.house_gain,
    }

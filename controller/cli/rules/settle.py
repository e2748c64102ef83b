"""`smartshoe settle`: shows which wagers win on a coup, and pays a list of wagers."""
# ruff: noqa: PLC0415 - rules and settlement are loaded only when they are asked for.

from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.rules.chosen_profile import load_named_profile
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr, echo_table
from controller.system.command_line.path_parameters import ProfileName, given_text
from controller.system.messages.catalogue import to_words

if TYPE_CHECKING:
    from controller.rules.coup import Cards
    from controller.rules.settlement.admission import WagerRefusal
    from controller.rules.settlement.results import WagerResult
    from controller.rules.settlement.settle import Settlement


def settle(
    profile: ProfileName,
    cards: Annotated[
        str, typer.Option(metavar="TEXT", help='The coup: "P 7h; B 2c; ...", as drawn.')
    ] = "",
    void: Annotated[bool, typer.Option("--void", help="Instead of --cards: a void coup.")] = False,
    wagers: Annotated[
        str, typer.Option(metavar="FILE", help="Lines of seat,wager,amount; - reads stdin.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Show which wagers win at which odds, and pay a list of wagers in the prescribed order."""
    from controller.cli.rules.wagers import read_coup, read_wagers
    from controller.record.wagering import wager_refusal_words
    from controller.rules.profiles.borrowing import with_borrowed
    from controller.rules.settlement.admission import wager_refusals
    from controller.rules.settlement.coup_facts import derive_facts
    from controller.rules.settlement.results import void_results, wager_results
    from controller.rules.settlement.settle import settle as settled
    from controller.rules.settlement.terms import Terms

    if void == bool(cards):
        raise CommandError(
            "give the coup",
            place="--cards",
            allowed="either --cards TEXT or --void",
            remedy="give one of them",
        )
    chosen = load_named_profile(profile)
    own, terms = chosen.own_clauses, Terms.of(chosen)
    coup = () if void else read_coup(cards)
    stated = read_wagers(given_text(wagers), wagers) if wagers else ()
    judgements = void_results(terms) if void else wager_results(terms, derive_facts(coup))
    refused = wager_refusals(terms, stated)
    settlement = None if refused or not wagers else settled(terms, judgements, stated)
    if json:
        shown = _as_json(profile, coup, judgements, refused, settlement)
        echo_json(with_borrowed(own, shown))
    else:
        _print_settlement(own, coup, judgements, settlement)
    for refusal in refused:
        echo_stderr(wager_refusal_words(own, refusal))
    if refused:
        raise typer.Exit(ExitCode.NO)


def _describe_coup(coup: "Cards") -> str:
    from controller.rules.settlement.coup_facts import derive_facts

    if not coup:
        return "the coup is void"
    facts = derive_facts(coup)
    return f"Player {facts.player_count}, Banker {facts.banker_count} in {facts.cards} cards"


def _print_settlement(
    own: str, coup: "Cards", judgements: tuple["WagerResult", ...], settlement: "Settlement | None"
) -> None:
    from controller.rules.profiles.borrowing import citation_words
    from controller.rules.settlement.wagers import WagerMedium, money

    echo(_describe_coup(coup))
    echo_table(
        ("wager", "verdict", "odds", "clauses"),
        [
            (
                one.kind.value,
                one.verdict.value,
                str(one.odds or ""),
                citation_words(own, one.clauses),
            )
            for one in judgements
        ],
    )
    if settlement is None:
        return
    rows = []
    for line in settlement.lines:
        amounts = (line.stake, line.paid, line.returned, line.vigorish, line.gain)
        coupon = line.medium is WagerMedium.COUPON
        kind = f"{line.kind.value} ({line.medium.value})" if coupon else line.kind.value
        named = (str(line.seat), kind, line.verdict.value)
        rows.append((*named, *map(money, amounts), citation_words(own, line.charged_by)))
    headings = ("seat", "wager", "verdict", "stake", "paid", "kept", "vigorish", "gain")
    echo_table((*headings, "vigorish by"), rows)
    steps = [(to_words(one.text), citation_words(own, one.clauses)) for one in settlement.steps]
    echo_table(("in this order", "clauses"), steps)
    echo(f"the house gains {money(settlement.house_gain)}")


def _as_json(
    profile: str,
    coup: "Cards",
    judgements: tuple["WagerResult", ...],
    refused: tuple["WagerRefusal", ...],
    settlement: "Settlement | None",
) -> dict[str, object]:
    shown: dict[str, object] = {
        "profile": profile,
        "coup": _describe_coup(coup),
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
                "why": to_words(one.why),
                "clauses": list(one.clauses),
                "remedy": to_words(one.remedy),
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
                "medium": line.medium.value,
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
                "text": to_words(step.text),
                "clauses": list(step.clauses),
            }
            for step in settlement.steps
        ],
        "house_gain": settlement.house_gain,
    }

"""`smartshoe clauses`: every clause, and the proof that the program goes by it.

Responsible for: listing the register of clauses, whole, open ones only, or one document.
Not responsible for: the register (controller.profiles.clause_register) and what a clause says
(`rules clause`).
Source: package README, "Clauses and their proof".
"""
# ruff: noqa: PLC0415 - rule data is loaded only when it is shown.

from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import Unable
from controller.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from controller.profiles.clause_register import DocumentCount, Standing


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        epilog="\b\nexamples:\n  smartshoe clauses\n  smartshoe clauses --document S42\n"
        "  smartshoe clauses --open\n  smartshoe clauses --json"
    )(clauses)


def clauses(
    open_only: Annotated[
        bool,
        typer.Option("--open", help="Only clauses that a test should prove and none does."),
    ] = False,
    document: Annotated[
        str, typer.Option(metavar="NAME", help="Only one rule document, such as NY or S42.")
    ] = "",
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on stdout, with every test.")
    ] = False,
) -> None:
    """List every clause with how it is covered, by which modules and how many tests.

    A test counts for a clause only if, while it ran, the program itself cited the clause: in a
    verdict, a prompt, a record, a payment or a refused setting.
    """
    from controller.profiles.clause_register import by_document, in_words, load_register, standings
    from controller.profiles.load import load_clauses

    every = _of_document(standings(load_clauses(), load_register()), document)
    counts = by_document(every)
    listed = tuple(one for one in every if one.open or not open_only)
    if json:
        say_json(
            {
                "clauses": [_clause_json(one) for one in listed],
                "documents": [_document_json(count) for count in counts],
            }
        )
        return
    if listed:
        say_table(
            ("clause", "source", "observable", "covered", "modules", "tests"),
            [_row(one) for one in listed],
        )
    else:
        say("No clause is open: each that a table controller can observe is proven by a test.\n")
    for count in counts:
        say(in_words(count))


def _of_document(every: tuple["Standing", ...], document: str) -> tuple["Standing", ...]:
    if not document:
        return every
    names = tuple(dict.fromkeys(one.clause.rule for one in every))
    if document.upper() not in names:
        raise Unable(f"there is no rule document {document!r}; there are {', '.join(names)}")
    return tuple(one for one in every if one.clause.rule == document.upper())


def _row(one: "Standing") -> tuple[str, ...]:
    kinds = ", ".join(kind.value for kind in one.kinds)
    return (
        one.clause.id,
        one.clause.source,
        one.clause.observable.value,
        "open" if one.open else kinds,
        ", ".join(one.proof.modules),
        str(len(one.proof.tests)),
    )


def _clause_json(one: "Standing") -> dict[str, object]:
    return {
        "id": one.clause.id,
        "document": one.clause.rule,
        "source": one.clause.source,
        "observable": one.clause.observable.value,
        "open": one.open,
        "covered": [kind.value for kind in one.kinds],
        "modules": list(one.proof.modules),
        "tests": list(one.proof.tests),
    }


def _document_json(count: "DocumentCount") -> dict[str, object]:
    kinds: dict[str, object] = {kind.value: number for kind, number in count.kinds}
    return {
        "document": count.document,
        "clauses": count.clauses,
        **kinds,
        "open": count.open,
    }

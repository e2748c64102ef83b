"""`smartshoe clauses`: lists every clause with the modules and tests that cover it."""
# ruff: noqa: PLC0415 - rule data is loaded only when it is shown.

from typing import TYPE_CHECKING, Annotated

import typer

from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import echo, echo_json, echo_table

if TYPE_CHECKING:
    from controller.rules.profiles.clause_register import ClauseCoverage, DocumentCount


def clauses(
    open_only: Annotated[
        bool,
        typer.Option("--open", help="Only clauses that need a test and have none."),
    ] = False,
    document: Annotated[
        str, typer.Option(metavar="NAME", help="Only one rule document, such as NY or S42.")
    ] = "",
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on stdout, with every test.")
    ] = False,
) -> None:
    """List every clause with its coverage, its modules and its number of tests.

    A test counts for a clause only if the program itself cited the clause while the test ran: in a
    verdict, a prompt, a record, a payment or a refused setting.
    """
    from controller.rules.profiles.clause_register import (
        by_document,
        clause_coverage,
        describe_document,
        load_register,
    )
    from controller.rules.profiles.load import load_clauses

    every = _of_document(clause_coverage(load_clauses(), load_register()), document)
    counts = by_document(every)
    listed = tuple(one for one in every if one.open or not open_only)
    if json:
        echo_json(
            {
                "clauses": [_clause_json(one) for one in listed],
                "documents": [_document_json(count) for count in counts],
            }
        )
        return
    if listed:
        echo_table(
            ("clause", "source", "observable", "covered", "modules", "tests"),
            [_row(one) for one in listed],
        )
    else:
        echo("No clause is open: a test covers each clause that a table controller can observe.\n")
    for count in counts:
        echo(describe_document(count))


def _of_document(
    every: tuple["ClauseCoverage", ...], document: str
) -> tuple["ClauseCoverage", ...]:
    if not document:
        return every
    names = tuple(dict.fromkeys(one.clause.rule for one in every))
    if document.upper() not in names:
        raise CommandError(
            f"there is no rule document {document!r}",
            place="--document",
            allowed=", ".join(names),
            remedy="use one of them",
        )
    return tuple(one for one in every if one.clause.rule == document.upper())


def _row(one: "ClauseCoverage") -> tuple[str, ...]:
    kinds = ", ".join(kind.value for kind in one.kinds)
    return (
        one.clause.id,
        one.clause.source,
        one.clause.observable.value,
        "open" if one.open else kinds,
        ", ".join(one.proof.modules),
        str(len(one.proof.tests)),
    )


def _clause_json(one: "ClauseCoverage") -> dict[str, object]:
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

"""`smartshoe rules play`: the table of play as the machine has it, whole or at a profile."""
# ruff: noqa: PLC0415 - the procedure is loaded only when it is shown.

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.rules.chosen_profile import load_named_profile
from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import echo, echo_json, echo_table
from controller.system.command_line.path_parameters import ProfileName
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from controller.procedure.irregularities.codes import IrregularityCode
    from controller.procedure.phases import Phase
    from controller.procedure.rulebook import RuleBook
    from controller.procedure.table.book_table import BookTable
    from controller.procedure.table.row import Row

Plain = dict[str, object]


def play(
    profile: ProfileName = "",
    observed: Annotated[
        str,
        typer.Option(
            metavar="A,B", help="With a profile: what the table observes, such as result_button."
        ),
    ] = "",
    phase: Annotated[
        str, typer.Option(metavar="NAME", help="Only the rows of a phase, such as banker_3.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Print the table that judges play: each row with its irregularity, and the clauses of those.

    The first row whose conditions hold answers. At a profile, conditions that read the rule book
    alone are decided: rows that can never answer at such a table are left out and counted.
    """
    from controller.cli.rules.table_text import irregularities
    from controller.procedure.table.book_table import table_at

    book = _book(profile, observed)
    table = table_at(book, _phase(phase))
    books = _every_book() if book is None else (book,)
    cited = {code: _clauses(code, books) for code in irregularities(table.rows)}
    if json:
        echo_json(_table_json(book, table, cited))
        return
    _print_table(table)
    if cited:
        own = "" if book is None else book.profile.own_clauses
        _print_clauses(own, cited)


def _book(name: str, observed: str) -> "RuleBook | None":
    """The rule book of a table of that profile; None if none is named."""
    from controller.cli.rules.try_script import observed_facts
    from controller.procedure.rulebook import RuleBook

    if not name:
        if observed:
            raise CommandError(
                "it says nothing of the whole table",
                place="--observed",
                allowed="--observed together with a profile",
                remedy="add --profile NAME; `smartshoe rules list` shows the names",
            )
        return None
    profile = load_named_profile(name)
    return RuleBook.of(profile, profile.rules.decks_per_shoe, observed_facts(observed))


def _every_book() -> "tuple[RuleBook, ...]":
    """A rule book of each profile that comes with the program."""
    from controller.procedure.rulebook import RuleBook
    from controller.rules.profiles.load import load_profile, profile_names

    profiles = [load_profile(name) for name in profile_names()]
    return tuple(RuleBook.of(one, one.rules.decks_per_shoe, ()) for one in profiles)


def _phase(name: str) -> "Phase | None":
    from controller.procedure.phases import Phase

    if not name:
        return None
    if name not in tuple(Phase):
        raise CommandError(
            f"there is no phase {name!r}",
            place="--phase",
            allowed=", ".join(Phase),
            remedy="use one of them",
        )
    return Phase(name)


def _clauses(code: "IrregularityCode", books: "tuple[RuleBook, ...]") -> dict[str, list[str]]:
    """The clauses of an irregularity by document: all that a book cites, of several each's own."""
    from controller.cli.rules.table_text import clauses_by_document

    if len(books) == 1:
        return clauses_by_document(code, books[0])
    found: dict[str, list[str]] = {}
    for book in books:
        own = book.profile.own_clauses
        cited = clauses_by_document(code, book).get(own, [])
        found[own] = [*dict.fromkeys((*found.get(own, ()), *cited))]
    return {document: cited for document, cited in sorted(found.items()) if cited}


def _print_table(table: "BookTable") -> None:
    from controller.cli.rules.table_text import HEAD, omission_text, row_text

    plain = [[cell.replace("`", "") for cell in row_text(one)] for one in table.rows]
    echo_table(HEAD, plain)
    reasons = Counter(map(omission_text, table.omitted))
    echo(f"{counted(len(table.rows), 'row')}, {len(table.omitted)} left out")
    for reason, count in reasons.items():
        echo(f"  {count}: {reason}")


def _print_clauses(own: str, cited: "dict[IrregularityCode, dict[str, list[str]]]") -> None:
    from controller.rules.profiles.borrowing import citation_words

    rows = [
        (code.value, document, citation_words(own or document, clauses))
        for code, by_document in cited.items()
        for document, clauses in by_document.items()
    ]
    echo_table(("irregularity", "document", "clauses"), rows)


def _table_json(
    book: "RuleBook | None",
    table: "BookTable",
    cited: "dict[IrregularityCode, dict[str, list[str]]]",
) -> Plain:
    from controller.cli.rules.table_text import omission_text

    return {
        "profile": None if book is None else book.profile.name,
        "observed": [] if book is None else [fact.value for fact in book.observed],
        "rows": [_row_json(one) for one in table.rows],
        "left_out": [{**_row_json(one.row), "reason": omission_text(one)} for one in table.omitted],
        "irregularities": {code.value: by_document for code, by_document in cited.items()},
    }


def _row_json(one: "Row") -> Plain:
    from controller.cli.rules.table_text import callback_names, condition_names
    from controller.system.messages.catalogue import to_words

    return {
        "happenings": [trigger.value for trigger in one.on],
        "phases": [phase.value for phase in one.at],
        "if": condition_names(one.when),
        "unless": condition_names(one.unless),
        "irregularities": [code.value for code in one.raises],
        "no_effect": None if one.why is None else to_words(one.why),
        "done": callback_names(one),
        "then": None if one.to is None else one.to.value,
        "asked_again": one.again is not None,
    }

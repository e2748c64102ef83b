"""`smartshoe try`: plays a dealing script at a new table and shows every verdict."""
# ruff: noqa: PLC0415 - rules and script are loaded only when a script is played.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.rules.chosen_profile import check_decks, load_named_profile
from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import PROFILE_HELP, given_text

if TYPE_CHECKING:
    from controller.procedure.rulebook import ObservableFact, RuleBook
    from controller.rules.profiles.profile import Profile


def try_script(
    script: Annotated[
        str,
        typer.Argument(metavar="SCRIPT", help="A file, the text itself, or - for stdin."),
    ],
    profile: Annotated[str, typer.Option(metavar="NAME", help=PROFILE_HELP)] = "s42-mini",
    decks: Annotated[
        int | None,
        # The profile's own bounds are checked later, with their grounds.
        typer.Option(
            metavar="N", min=0, max=9999, help="Decks in the shoe; by default the profile's."
        ),
    ] = None,
    observed: Annotated[
        str,
        typer.Option(metavar="A,B", help="What the table observes, such as result_button,wagers."),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Play a dealing script and show every verdict with its clause.

    It also shows prompts, irregularities with what is permitted and forbidden, results, winning
    wagers and payments.
    """
    from controller.cli.rules.try_output import statement_json, statement_lines
    from controller.core.script.parser import parse
    from controller.core.script.player import play

    text, name = _text(script)
    book = _book(load_named_profile(profile), decks, observed)
    played = play(book, parse(text, name))
    if json:
        shown = {
            "profile": book.profile.name,
            "decks": book.decks,
            "observed": [fact.value for fact in book.observed],
            "statements": [statement_json(book, one) for one in played],
        }
        echo_json(shown)
        return
    for one in played:
        echo("\n".join(statement_lines(book, one)))


def _text(script: str) -> tuple[str, str]:
    """A script's text and its name in error messages. Raises CommandError."""
    if script == "-":
        return given_text(script), "script"
    looks_like_text = any(sign in script for sign in " ;\n")
    if looks_like_text and not _is_file(script):
        return script, "script"
    if not looks_like_text and not _is_file(script):
        raise CommandError(
            f"there is no file {script!r}",
            place="SCRIPT",
            allowed="a file, - for stdin, or statements",
            remedy='correct the name, or write statements such as "burn Ac + 1; P 9h"',
        )
    return given_text(script), script


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _book(profile: "Profile", decks: int | None, observed: str) -> "RuleBook":
    from controller.procedure.rulebook import RuleBook

    if decks is None:
        decks = profile.rules.decks_per_shoe
    check_decks(decks, profile)
    return RuleBook.of(profile, decks, observed_facts(observed))


def observed_facts(words: str) -> "tuple[ObservableFact, ...]":
    """The facts of a list with commas. Raises CommandError."""
    from controller.procedure.rulebook import ObservableFact

    named = [word.strip() for word in words.split(",") if word.strip()]
    allowed = ", ".join(fact.value for fact in ObservableFact)
    for word in named:
        if word not in tuple(ObservableFact):
            raise CommandError(
                f"{word!r} is not a fact that a table can observe",
                place="--observed",
                allowed=allowed,
                remedy="use one of them, or several with commas",
            )
    return tuple(fact for fact in ObservableFact if fact.value in named)

"""`smartshoe try`: a dealing script played at a fresh table, with every verdict and its clause.

Responsible for: finding the script and the rules it is played by, and how the command ends.
Not responsible for: the language and the playing (controller.script), and layout (cli_try_shown).
Source: controller/script/README.md; package README, "Command line".
"""
# ruff: noqa: PLC0415 - rules and script are loaded only when a script is played.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import Exit, Unable
from controller.cli.output import PROFILE_HELP, profile_named, remark, say, say_json

if TYPE_CHECKING:
    from controller.procedure.rulebook import Fact, RuleBook
    from controller.profiles.profile import Profile


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        "try",
        epilog="\b\nexamples:\n"
        '  smartshoe try "burn Ac + 1; P 9h; B Kc; P Qd; B Jh; result player"\n'
        "  smartshoe try evening.script --profile ny-mini --observed result_button,wagers\n"
        '  echo "burn 2c + 2; P 7h; B ??" | smartshoe try - --json\n\n'
        "\b\nstatements: burn 7h + 7   P 7h   B 2c   card 9s   cut   result tie   no more bets\n"
        "  wagers 5 banker 100.00, 3 tie 25   turn player   resolve void-coup   # a comment\n"
        "All of them stand in controller/script/README.md, and in the error at a wrong word.\n\n"
        "Statements end with ; or with the line. A script that begins with a burn starts the"
        " shoe.\n\n"
        "Every face is shown, also one that nobody at a table would have seen: who wrote the script"
        " knows it.\n\n"
        "Exit codes: 0 it was played, with irregularities or without; 2 it cannot be read.",
    )(try_script)


def try_script(
    script: Annotated[
        str,
        typer.Argument(metavar="SCRIPT", help="A file, the text itself, or - for stdin."),
    ],
    profile: Annotated[str, typer.Option(metavar="NAME", help=PROFILE_HELP)] = "s42-mini",
    decks: Annotated[
        int | None, typer.Option(metavar="N", help="Decks in the shoe; else as the profile says.")
    ] = None,
    observed: Annotated[
        str,
        typer.Option(metavar="A,B", help="What the table observes, such as result_button,wagers."),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Play a dealing script and show every verdict with its clause.

    Prompts, irregularities with what is permitted and forbidden, results, which wagers win, and
    payments.
    """
    from controller.cli.rules.try_output import played_json, played_lines
    from controller.script.errors import ScriptError
    from controller.script.parser import parse
    from controller.script.player import play

    text, name = _text(script)
    book = _book(profile_named(profile), decks, observed)
    try:
        statements = parse(text, name)
    except ScriptError as error:
        if json:
            say_json({"problems": [_problem(name, one) for one in error.problems]})
        remark(str(error))
        raise typer.Exit(Exit.UNUSABLE) from error
    played = play(book, statements)
    if json:
        shown = {
            "profile": book.profile.name,
            "decks": book.decks,
            "observed": [fact.value for fact in book.observed],
            "statements": [played_json(book, one) for one in played],
        }
        say_json(shown)
        return
    for one in played:
        say("\n".join(played_lines(book, one)))


def _problem(name: str, one: object) -> dict[str, object]:
    from controller.script.errors import Problem

    assert isinstance(one, Problem)
    return {"script": name, "line": one.line, "column": one.column, "problem": one.words}


def _text(script: str) -> tuple[str, str]:
    """A script's text and the name its errors carry. Raises Unable."""
    if script == "-":
        return typer.get_text_stream("stdin").read(), "script"
    looks_like_text = any(sign in script for sign in " ;\n")
    if looks_like_text and not _is_file(script):
        return script, "script"
    if not looks_like_text and not _is_file(script):
        raise Unable(
            f"there is no file {script!r}; name a file, write - for stdin, or write the statements"
            ' themselves, such as "burn Ac + 1; P 9h"'
        )
    try:
        return Path(script).read_text("utf-8-sig"), script
    except UnicodeDecodeError as error:
        raise Unable(f"{script} is no UTF-8 text: save it as UTF-8") from error


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _book(profile: "Profile", decks: int | None, observed: str) -> "RuleBook":
    from controller.procedure.rulebook import RuleBook

    if decks is None:
        decks = profile.rules.decks_per_shoe
    least, most = profile.rules.decks_min, profile.rules.decks_max
    if decks < least or (most is not None and decks > most):
        name = "decks_min" if decks < least else "decks_max"
        bound = f"at least {least}" if decks < least else f"at most {most}"
        grounds = ", ".join(profile.value(name).basis) or f"assumed in {profile.name}"
        raise Unable(f"--decks {decks} is not allowed; {bound} ({grounds})")
    return RuleBook.of(profile, decks, _facts(observed))


def _facts(words: str) -> "tuple[Fact, ...]":
    from controller.procedure.rulebook import Fact

    named = [word.strip() for word in words.split(",") if word.strip()]
    allowed = ", ".join(fact.value for fact in Fact)
    for word in named:
        if word not in tuple(Fact):
            raise Unable(f"--observed: {word!r} is no fact a table can observe; allowed: {allowed}")
    return tuple(fact for fact in Fact if fact.value in named)

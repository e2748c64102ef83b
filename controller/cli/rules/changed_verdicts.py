"""`smartshoe rules changes`: every verdict that two installed versions give otherwise.

Each version is run as a program of its own, `try - --json`, once for each script.
"""
# ruff: noqa: S603 - the programs are those that the person names.

import json as json_format
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeAlias

import typer

from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, progress_bar
from controller.system.command_line.path_parameters import given_text
from controller.system.messages.quantity import counted

Plain: TypeAlias = dict[str, object]
HEAD: Final = "table "
# Fields that hold sentences: another wording is no other verdict.
_WORDS: Final = frozenset({"detail", "permitted", "forbidden", "text", "why", "note"})


class Script(NamedTuple):
    """One script of a file: its number, the options of its table, its text and first line."""

    number: int
    options: tuple[str, ...]
    text: str
    line: int


class VerdictChange(NamedTuple):
    """One statement, and what each version answers, empty if it plays no such statement.

    `words`: only the wording differs.
    """

    script: int
    line: int
    statement: str
    old: Plain
    new: Plain
    words: bool


def changes(
    scripts: Annotated[
        Path, typer.Argument(metavar="SCRIPTS", help="A file of scripts; see its page.")
    ],
    old: Annotated[Path, typer.Option(metavar="PROGRAM", help="One version's smartshoe.")],
    new: Annotated[Path, typer.Option(metavar="PROGRAM", help="The other version's.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List every verdict that changed between two installed versions, over a file of scripts."""
    every = read_scripts(scripts)
    found: list[VerdictChange] = []
    statements = 0
    with progress_bar("scripts") as progress:
        for done, (one, answers) in enumerate(_played(every, (old, new)), start=1):
            compared = list(_compare(one, *answers))
            statements += max(map(len, answers))
            found += compared
            progress(done, len(every))
    verdicts = [one for one in found if not one.words]
    if json:
        echo_json(
            {
                "ok": not verdicts,
                "scripts": len(every),
                "statements": statements,
                "changes": [one._asdict() for one in found],
            }
        )
    else:
        for change in found:
            echo(_change_text(change))
        echo(
            f"{counted(len(every), 'script')}, {counted(statements, 'statement')}:"
            f" {len(verdicts)} changed,"
            f" {len(found) - len(verdicts)} in words alone"
        )
    if verdicts:
        raise typer.Exit(ExitCode.NO)


def read_scripts(path: Path) -> tuple[Script, ...]:
    """The scripts of a file; each begins with a line `table OPTIONS`. Raises CommandError."""
    found: list[Script] = []
    for number, line in enumerate(given_text(str(path)).splitlines(), start=1):
        if line.startswith(HEAD):
            found.append(Script(len(found) + 1, tuple(line.split()[1:]), "", number + 1))
        elif found:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}{line}\n")
        elif line.strip():
            raise CommandError(
                "it comes before the first script",
                place=f"{path}, line {number}",
                allowed="a line such as `table --profile ny-mini --decks 8`, then statements",
                remedy="write such a line above it",
            )
    return tuple(found)


def _played(
    scripts: tuple[Script, ...], programs: tuple[Path, Path]
) -> Iterator[tuple[Script, tuple[list[Plain], list[Plain]]]]:
    """Each script with both answers, in order; so many at once as there are processors."""
    window = max(1, (os.cpu_count() or 1) // 2)
    for at in range(0, len(scripts), window):
        part = scripts[at : at + window]
        started = [tuple(_start(program, one) for program in programs) for one in part]
        # All of them end before one is judged: a refusal leaves no process behind.
        ended = [tuple(process.communicate() for process in both) for both in started]
        for one, (old, new) in zip(part, ended, strict=True):
            yield one, (_answer(programs[0], one, *old), _answer(programs[1], one, *new))


def _start(program: Path, script: Script) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [program, "try", "-", "--json", *script.options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(script.text)
    process.stdin.close()
    process.stdin = None
    return process


def _answer(program: Path, script: Script, shown: str, errors: str) -> list[Plain]:
    """What a version answers to each statement. Raises CommandError where it cannot play it."""
    try:
        answer = json_format.loads(shown)
        statements: list[Plain] = answer["statements"]
    except (ValueError, KeyError, TypeError):
        said = (shown or errors).strip()
        raise CommandError(
            f"script {script.number}, line {script.line}: {program} cannot play it: {said}",
            remedy="correct the script; both versions must know its words",
        ) from None
    return statements


def _compare(script: Script, old: list[Plain], new: list[Plain]) -> Iterator[VerdictChange]:
    for at in range(max(len(old), len(new))):
        before = old[at] if at < len(old) else {}
        after = new[at] if at < len(new) else {}
        if before != after:
            one = before or after
            line = script.line - 1 + int(str(one.get("line", 1)))
            words = _without_words(before) == _without_words(after)
            yield VerdictChange(
                script.number, line, str(one.get("statement", "")), before, after, words=words
            )


def _without_words(value: object) -> object:
    match value:
        case dict():
            return {key: _without_words(one) for key, one in value.items() if key not in _WORDS}
        case list():
            return [_without_words(one) for one in value]
        case _:
            return value


def _change_text(change: VerdictChange) -> str:
    head = f"script {change.script}, line {change.line}: {change.statement}"
    if change.words:
        return f"{head}\n  in words alone"
    return f"{head}\n  old  {_summary(change.old)}\n  new  {_summary(change.new)}"


def _summary(answer: Plain) -> str:
    """Each verdict by its code and clauses, then what the table expects."""
    if not answer:
        return "nothing: it ended before"
    verdicts, effects = answer.get("verdicts"), answer.get("effects")
    shown = [
        f"{one.get('code', one.get('kind'))} [{', '.join(one.get('clauses', ()))}]"
        for one in (*(verdicts if isinstance(verdicts, list) else ()),)
    ]
    named = [str(one.get("kind")) for one in (effects if isinstance(effects, list) else ())]
    shown_as = ("; ".join(shown) or "no verdict", f"effects {', '.join(named) or 'none'}")
    return "; ".join((*shown_as, f"phase {answer.get('phase')}"))

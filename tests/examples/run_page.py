"""Runs the examples of one Markdown page; with --write fills in what their commands print.

Source: tests/examples/README.md.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from console_page import ConsoleCommand, ExampleError, read_page
from console_session import LIMIT_S, ROOT, ConsoleSession, console_session, output_matches

from hil.run_guard import guarded_run


def name_of(path: Path) -> str:
    """The page's path in the repository."""
    path = path.resolve()
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def check_page(path: Path, limit_s: float = LIMIT_S) -> int:
    """Run every example of the page; returns how many ran. Raises ExampleError."""
    name = name_of(path)
    commands = [one for one in read_page(path, name) if one.runs]
    if not commands:
        return 0
    with console_session(commands, limit_s) as session:
        for command in commands:
            session.check(command, f"{name}:{command.line}")
        for failed in session.end():
            code, line = failed.process.returncode, failed.command.line
            output = "\n".join(failed.lines())
            raise ExampleError(
                f"{name}:{line}: $ {failed.command.text} &\nended with {code}:\n{output}"
            )
    return len(commands)


def write_page(path: Path) -> int:
    """Write what each command prints into the page, where it differs; returns how many did."""
    name = name_of(path)
    commands = [one for one in read_page(path, name, complete=False) if one.runs]
    changed: list[tuple[ConsoleCommand, list[str]]] = []
    with console_session(commands) as session:
        for command in commands:
            lines = actual_output(session, command, f"{name}:{command.line}")
            if lines is not None:
                changed.append((command, lines))
    text = path.read_text(encoding="utf-8").split("\n")
    for command, lines in reversed(changed):
        first = text[command.line - 1]
        indent = first[: len(first) - len(first.lstrip())]
        text[command.begin - 1 : command.end - 1] = [f"{indent}{line}".rstrip() for line in lines]
    path.write_text("\n".join(text), encoding="utf-8")
    return len(changed)


def actual_output(session: ConsoleSession, command: ConsoleCommand, place: str) -> list[str] | None:
    """The lines to write below a command; None if what stands there is right."""
    if command.output is None:
        session.check(command, place)
        return None
    lines, code = session.run(command)
    if command.background:
        started = session.background[-1]
        if command.output and started.await_output(command.output, session.limit_s / 5):
            return None
        started.await_silence()
        return started.lines()
    if code == command.code and output_matches(command.output, lines):
        return None
    return [*lines, *([f"[exit {code}]"] if code else [])]


def counted(number: int, noun: str) -> str:
    """`1 command`, `2 commands`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="write outputs into the pages")
    given = parser.parse_args(words)
    failed = False
    with guarded_run():
        for page in given.page:
            try:
                if given.write:
                    print(f"{page}: {counted(write_page(page), 'output')} written")
                else:
                    print(f"{page}: {counted(check_page(page), 'command')}, as shown")
            except ExampleError as error:
                failed = True
                print(error, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

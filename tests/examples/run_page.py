"""Runs the examples of one Markdown page; with --write fills in what their commands print."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "needs"))  # started alone

from console_page import PRINTED, Example, ExampleError, needs_of_page, read_page
from console_session import (
    LIMIT_S,
    ROOT,
    ConsoleSession,
    begins_as_shown,
    console_session,
    output_matches,
)
from mentions import Mention, read_mentions

from hil.run_guard import guarded_run


def name_of(path: Path) -> str:
    """The page's path in the repository."""
    path = path.resolve()
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def check_page(path: Path, limit_s: float = LIMIT_S, account: Sequence[str] = ()) -> int:
    """Run every example of the page; returns how many ran. Raises ExampleError."""
    name = name_of(path)
    examples = [one for one in read_page(path, name) if one.runs]
    mentioned = [one for one in read_mentions(path, name) if one.is_typed]
    if not examples and not mentioned:
        return 0
    with console_session(examples, limit_s, account, needs_of_page(path)) as session:
        for one in sorted([*examples, *mentioned], key=lambda one: one.line):
            place = f"{name}:{one.line}"
            if isinstance(one, Mention):
                check_mention(session, one, place)
            else:
                session.check(one, place)
        for job, code in session.end():
            output = "\n".join(job.lines())
            raise ExampleError(f"{name}:{job.line}: {job.text}\nended with {code}:\n{output}")
    return len(examples)


def check_mention(session: ConsoleSession, mention: Mention, place: str) -> None:
    """Type a command of a sentence. Raises ExampleError if it fails there."""
    lines = session.run(Example(mention.text, mention.line))
    if any(line.startswith("[") and line.endswith("]") for line in lines[-1:]):
        printed = "\n".join(lines)
        raise ExampleError(
            f"{place}: {mention.text}\nfails here; name what is there, or what it stands for in"
            f" capitals (FILE, JOURNAL)\n{printed}"
        )


def write_page(path: Path) -> int:
    """Write what each example prints into the page, where it differs; returns how many did."""
    name = name_of(path)
    examples = [one for one in read_page(path, name) if one.runs]
    changed: list[tuple[Example, list[str]]] = []
    with console_session(examples, needs=needs_of_page(path)) as session:
        for example in examples:
            lines = actual_output(session, example, f"{name}:{example.line}")
            if lines is not None:
                changed.append((example, lines))
    text = path.read_text(encoding="utf-8").split("\n")
    for example, lines in reversed(changed):
        first = text[example.line - 1]
        indent = first[: len(first) - len(first.lstrip())]
        if example.begin == example.end:
            lines = ["", f"```{PRINTED}", *lines, "```"]
        text[example.begin - 1 : example.end - 1] = [f"{indent}{line}".rstrip() for line in lines]
    path.write_text("\n".join(text), encoding="utf-8")
    return len(changed)


def actual_output(session: ConsoleSession, example: Example, place: str) -> list[str] | None:
    """The lines to write below an example; None if what stands there is right."""
    if example.output is None:
        session.check(example, place)
        return None
    before = len(session.background)
    lines = session.run(example)
    for job in session.background[before:]:
        if example.output and job.await_output(
            partial(begins_as_shown, example.output, lines), session.limit_s / 5
        ):
            return None
        job.await_silence()
        return [*lines, *job.lines()]
    return None if output_matches(example.output, lines) else lines


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
                    print(f"{page}: {counted(check_page(page), 'example')}, as shown")
            except ExampleError as error:
                failed = True
                print(error, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

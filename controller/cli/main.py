"""`smartshoe`: the entry point.

Responsible for: sending `run` to the long-running program without loading the command line's
libraries, everything else to the commands, and turning every ending into an exit code.
Not responsible for: what any command does.
Source: package README, "Command line".
"""
# ruff: noqa: PLC0415 - `run` must load neither typer nor rich; the commands load what they need.

import gc
import sys
from collections.abc import Sequence

from controller.cli.errors import Exit, explain


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. `argv` without the program's name."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(words)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place where errors become sentences
        return explain(error)


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["run"]:
        # What is loaded now stays: to look through it for garbage, again and again, is in vain.
        # The program does so again once it runs, and then not among what was loaded.
        gc.disable()
        from controller.service.app import main as run

        return run(words[1:])
    from controller.cli.commands import execute

    return execute(words)


if __name__ == "__main__":
    sys.exit(main())

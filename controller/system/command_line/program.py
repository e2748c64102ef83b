"""Runs one command of a program: its exit code, its error in the one form, its failed output."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from controller.system.command_line.errors import KNOWN_ERRORS, ExitCode, report_error, write_stderr
from controller.system.command_line.standard_output import OutputFailed, flush_standard_output

JSON_OPTION: Final = "--json"


def run_program(
    program: str,
    dispatch: Callable[[list[str]], int],
    words: Sequence[str],
    known: Mapping[str, ExitCode] = KNOWN_ERRORS,
) -> int:
    """The exit code of `dispatch`; `known` are its errors that are no internal error."""
    try:
        code = _run(program, dispatch, list(words), known)
        flush_standard_output()
    except OutputFailed as error:
        return _output_failed(program, error)
    return code


def _run(
    program: str,
    dispatch: Callable[[list[str]], int],
    words: list[str],
    known: Mapping[str, ExitCode],
) -> int:
    try:
        return dispatch(words)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except OutputFailed:
        raise
    except Exception as error:  # noqa: BLE001 - the one place where errors become sentences
        return report_error(error, program, known, as_json=JSON_OPTION in words)


def _output_failed(program: str, error: OutputFailed) -> int:
    if error.pipe_closed:
        return ExitCode.PIPE_CLOSED
    write_stderr(f"{program}: {error}. Remedy: make room, or write elsewhere")
    return ExitCode.UNUSABLE

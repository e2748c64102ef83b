"""Exit codes of all commands, and the one form of an error: place, problem, allowed, remedy.

Known errors are named by text, so that no heavy module is imported only to catch its error.
"""
# ruff: noqa: PLC0415 - json, traceback and the catalogue are loaded only for an error.

import errno
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from enum import IntEnum
from typing import Final, NamedTuple


class ExitCode(IntEnum):
    """Exit codes of `smartshoe`."""

    DONE = 0
    NO = 1  # the answer is no, or problems were found
    UNUSABLE = 2  # wrong usage, or something cannot be read or written
    OTHER_VERSION = 3
    NO_TABLE = 4  # no table is running, or it may not start
    FAULT = 70  # internal error
    INTERRUPTED = 130
    PIPE_CLOSED = 141  # 128 + SIGPIPE, as a shell reports a program ended by a closed pipe


# Errors whose message is a sentence with a remedy.
KNOWN_ERRORS: Final = {
    "controller.rules.actions.declaration.ActionError": ExitCode.UNUSABLE,
    "controller.archive.signer.SignFailed": ExitCode.UNUSABLE,
    "controller.service.capture_file.CaptureFileError": ExitCode.UNUSABLE,
    "controller.service.commissioning.batch_folder.BatchFileError": ExitCode.UNUSABLE,
    "controller.service.config.document.ConfigError": ExitCode.UNUSABLE,
    "controller.outlets.control.client.ControlError": ExitCode.NO_TABLE,
    "controller.service.install.statement.SignedStatementError": ExitCode.UNUSABLE,
    "controller.journal.encoding.EncodingError": ExitCode.UNUSABLE,
    "controller.journal.values.JournalError": ExitCode.UNUSABLE,
    "controller.journal.verify.CannotRead": ExitCode.UNUSABLE,
    "controller.service.table_program.NoDiskSpace": ExitCode.NO_TABLE,
    "controller.service.table_program.StartRefused": ExitCode.NO_TABLE,
    "controller.service.table_program.TableFailed": ExitCode.NO,
    "controller.system.keys.KeyFileError": ExitCode.UNUSABLE,
    "controller.system.pkcs11_key.TokenFailed": ExitCode.UNUSABLE,
    "controller.service.commissioning.pairing.PairingFailed": ExitCode.UNUSABLE,
    "controller.service.commissioning.pile_reader.ReaderUnreachable": ExitCode.UNUSABLE,
    "controller.archive.replay.recovery.RecoveryError": ExitCode.UNUSABLE,
    "controller.rules.profiles.clauses.ClauseError": ExitCode.UNUSABLE,
    "controller.rules.profiles.profile.ProfileError": ExitCode.UNUSABLE,
    "controller.core.script.errors.ScriptError": ExitCode.UNUSABLE,
    "controller.system.atomic_file.SmallFileError": ExitCode.UNUSABLE,
    "drivers.model.BadDeviceSettings": ExitCode.UNUSABLE,
    "firmware_bridge.transport.port.PortUnavailable": ExitCode.UNUSABLE,
    "firmware_bridge.transport.usb_devices.UsbUnavailable": ExitCode.UNUSABLE,
}
TRACEBACK_SETTING: Final = "SMARTSHOE_TRACEBACK"
_SYSTEM_REMEDY: Final = "check the path, the disk and what this account may do"
_SYSTEM_REMEDIES: Final = {
    errno.ENOENT: "correct the path",
    errno.ENOTDIR: "correct the path",
    errno.EISDIR: "name a file",
    errno.EEXIST: "give another name",
    errno.EACCES: "let this account use it, or name another",
    errno.EPERM: "let this account use it, or name another",
    errno.EROFS: "write elsewhere",
    errno.ENOSPC: "make room, or write elsewhere",
}


_MULTILINE: Final = re.compile(r"\n(?=\S)")
# `place: problem. Allowed: what is allowed. Remedy: what to do`; all but the problem may be left
# out. A place has no blank before its colon, so `no maintenance now: ...` is a problem.
_FORM: Final = re.compile(
    r"(?:(?P<place>(?:/[^:\n]*|\S+)(?:, (?:line|column|record|input)[^:]*)?): )?(?P<problem>.*?)"
    r"(?:[.;] [Aa]llowed: (?P<allowed>.*?))?(?:[.;\n] ?[Rr]emedy: (?P<remedy>.*))?",
    re.DOTALL,
)


class ErrorReport(NamedTuple):
    """One error in the one form; what is not known is empty."""

    place: str
    problem: str
    allowed: str = ""
    remedy: str = ""

    def sentence(self) -> str:
        """The report as text; `parse_reports` reads it back."""
        words = f"{self.place}: {self.problem}" if self.place else self.problem
        words += f". Allowed: {self.allowed}" if self.allowed else ""
        return words + (f". Remedy: {self.remedy}" if self.remedy else "")


def parse_reports(text: str) -> tuple[ErrorReport, ...]:
    """The parts of an error's text: every room writes its errors in this form, one on a line."""
    return tuple(_parse_report(line) for line in _MULTILINE.split(text))


def _parse_report(line: str) -> ErrorReport:
    found = _FORM.fullmatch(line)
    assert found is not None, "the problem alone matches any text"
    place, problem, allowed, remedy = (part or "" for part in found.groups())
    return ErrorReport(place, *(part.removesuffix(".") for part in (problem, allowed, remedy)))


class CommandError(Exception):
    """A command cannot be carried out.

    `problem` alone may be a whole sentence in the form of ErrorReport, such as another error's.
    """

    def __init__(
        self,
        problem: str,
        code: ExitCode = ExitCode.UNUSABLE,
        *,
        place: str = "",
        allowed: str = "",
        remedy: str = "",
    ) -> None:
        report = ErrorReport(place, problem, allowed, remedy)
        super().__init__(report.sentence())
        self.code = code
        self.reports = (report,) if place or allowed or remedy else parse_reports(problem)


def report_error(
    error: Exception,
    program: str = "smartshoe",
    known: Mapping[str, ExitCode] = KNOWN_ERRORS,
    *,
    as_json: bool = False,
) -> int:
    """Report the error and return its exit code; re-raise it if tracebacks are enabled.

    It is a sentence on stderr; with `as_json` one JSON object on stdout.
    """
    if os.environ.get(TRACEBACK_SETTING):
        raise error
    code, words = _sentence(error, known)
    if as_json:
        reports = error.reports if isinstance(error, CommandError) else parse_reports(words)
        _print_json(code, reports)
    else:
        write_stderr(f"{program}: {words}")
    return code


def write_stderr(text: str) -> None:
    """Print on stderr; nothing happens where stderr is closed or cannot be written."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(text, file=sys.stderr)


def _print_json(code: ExitCode, reports: tuple[ErrorReport, ...]) -> None:
    import json

    plain = [one._asdict() for one in reports]
    shown: dict[str, object] = {"ok": False, "exit_code": int(code), "error": plain[0]}
    if len(plain) > 1:
        shown["errors"] = plain
    print(json.dumps(shown, ensure_ascii=False), flush=True)


def _sentence(error: Exception, known: Mapping[str, ExitCode]) -> tuple[ExitCode, str]:
    if isinstance(error, CommandError):
        return error.code, str(error)
    for kind in type(error).__mro__:
        code = known.get(f"{kind.__module__}.{kind.__qualname__}")
        if code is not None:
            return code, _stated(error)
    if isinstance(error, OSError):
        return ExitCode.UNUSABLE, _system_sentence(error)
    from controller.system.fault_text import describe_fault

    # The error's own message is left out: it may name a card that nobody has seen.
    return ExitCode.FAULT, (
        f"{describe_fault(error)}. Remedy: please report it; {TRACEBACK_SETTING}=1 shows the whole "
        "traceback, which may contain cards"
    )


def _stated(error: Exception) -> str:
    """What a known error states; words are made of a message."""
    from foundation.message import MessageError

    # Some have their words themselves, such as all the faults of a profile.
    if type(error).__str__ is not Exception.__str__ or not isinstance(error, MessageError):
        return str(error)
    from controller.system.messages.catalogue import to_words

    return to_words(error.why)


def _system_sentence(error: OSError) -> str:
    """The operating system's error with the file name first."""
    reason = error.strerror or str(error) or type(error).__name__
    words = f"{error.filename}: {reason}" if error.filename is not None else reason
    return f"{words}. Remedy: {_SYSTEM_REMEDIES.get(error.errno or 0, _SYSTEM_REMEDY)}"

"""How a command ends: exit codes, and errors as one clear sentence.

Responsible for: the exit codes of every command, and the one place where a known error becomes a
sentence for a person; an unknown one is told as a fault of this program, without a traceback.
Not responsible for: finding errors; each module says in its own what is wrong and what to do.
Known errors are named by text, so that nothing heavy is imported only to catch it.
Source: package README, "Command line".
"""

import os
import sys
from enum import IntEnum
from typing import Final

from controller.table.fault_text import fault_words


class Exit(IntEnum):
    """Exit codes of `smartshoe`."""

    DONE = 0
    NO = 1  # the answer is no, or problems were found
    UNUSABLE = 2  # wrong usage, or something cannot be read
    OTHER_VERSION = 3
    NO_TABLE = 4
    FAULT = 70  # a fault of this program
    INTERRUPTED = 130


EXIT_CODES: Final = (
    (Exit.DONE, "done; the answer is yes"),
    (Exit.NO, "the answer is no, or problems were found"),
    (Exit.UNUSABLE, "wrong usage, or something cannot be read"),
    (Exit.OTHER_VERSION, "replay: another software version wrote it; verdicts were compared"),
    (Exit.NO_TABLE, "no table is running there or can be asked; run: it may not start"),
    (Exit.FAULT, "a fault of this program"),
    (Exit.INTERRUPTED, "interrupted by Ctrl-C"),
)

# Errors whose message is a sentence with a remedy.
KNOWN_ERRORS: Final = {
    "controller.tape.actions.ActionError": Exit.UNUSABLE,
    "controller.commissioning.batch_folder.BatchFileError": Exit.UNUSABLE,
    "controller.config.load.ConfigError": Exit.UNUSABLE,
    "controller.control.client.ControlError": Exit.NO_TABLE,
    "controller.custody.manifest.ManifestError": Exit.NO,
    "controller.journal.encoding.type_forms.CanonicalError": Exit.UNUSABLE,
    "controller.journal.values.JournalError": Exit.UNUSABLE,
    "controller.journal.verify.CannotRead": Exit.UNUSABLE,
    "controller.system.keys.KeyFileError": Exit.UNUSABLE,
    "controller.commissioning.pairing.PairingFailed": Exit.UNUSABLE,
    "controller.commissioning.pile_reader.ReaderUnreachable": Exit.UNUSABLE,
    "controller.replay.recovery.RecoveryError": Exit.UNUSABLE,
    "controller.profiles.clauses.ClauseError": Exit.UNUSABLE,
    "controller.profiles.profile.ProfileError": Exit.UNUSABLE,
    "controller.system.atomic_file.SmallFileError": Exit.UNUSABLE,
    "drivers.catalogue.BadShoeSettings": Exit.UNUSABLE,
    "firmware_bridge.transport.port.PortUnavailable": Exit.UNUSABLE,
    "firmware_bridge.transport.usb_devices.UsbUnavailable": Exit.UNUSABLE,
}
TRACEBACK_SETTING: Final = "SMARTSHOE_TRACEBACK"


class Unable(Exception):
    """A command cannot do what it was asked; the message says why and what to do."""

    def __init__(self, message: str, code: Exit = Exit.UNUSABLE) -> None:
        super().__init__(message)
        self.code = code


def explain(error: Exception) -> int:
    """Say on stderr what is wrong; the exit code. Raises it again where a person wants to debug."""
    if os.environ.get(TRACEBACK_SETTING):
        raise error
    code, words = _sentence(error)
    print(f"smartshoe: {words}", file=sys.stderr)
    return code


def _sentence(error: Exception) -> tuple[Exit, str]:
    if isinstance(error, Unable):
        return error.code, str(error)
    for kind in type(error).__mro__:
        code = KNOWN_ERRORS.get(f"{kind.__module__}.{kind.__qualname__}")
        if code is not None:
            return code, str(error)
    if isinstance(error, OSError):
        return Exit.UNUSABLE, _system_sentence(error)
    # Its own message stays away: it may name a card that nobody has seen.
    return Exit.FAULT, (
        f"{fault_words(error)}. Please report it; with {TRACEBACK_SETTING}=1 the whole way there "
        "is shown, cards included where it is about one"
    )


def _system_sentence(error: OSError) -> str:
    """What the operating system refused, with the file first."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename is not None else reason

"""What the operating system or a library said of a failure, as a message."""

import errno
import socket
import termios

from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.system_error import system_error
from foundation.message import Message, message


def raised_for(error: OSError) -> Exception:
    """A library's own error, raised for one of the system."""
    try:
        try:
            raise error
        except OSError as cause:
            raise RuntimeError(f"read failed: {cause}")  # noqa: B904 - as libraries do
    except RuntimeError as own:
        return own


def test_the_number_of_an_error_is_named() -> None:
    said = system_error(OSError(errno.EIO, "Input/output error"))

    assert said == message("system_error", foreign="Input/output error", error="EIO")
    assert to_words(said) == "Input/output error (EIO)"


def test_a_librarys_error_has_the_number_of_the_systems_behind_it() -> None:
    said = system_error(raised_for(OSError(errno.EIO, "Input/output error")))

    assert to_words(said) == "Input/output error (EIO)"


def test_an_error_of_a_terminal_has_its_number_first() -> None:
    assert to_words(system_error(termios.error(22, "Invalid argument"))) == (
        "Invalid argument (EINVAL)"
    )


def test_a_name_that_is_not_known_is_told_without_the_librarys_words() -> None:
    unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert to_words(system_error(raised_for(unknown))) == "Name or service not known"


def test_an_error_without_a_number_is_told_in_its_own_words() -> None:
    assert system_error(ValueError("no such speed\nat line 3")) == message(
        "in_its_own_words", foreign="no such speed"
    )
    assert system_error(ValueError()) == Message("in_its_own_words", (("foreign", "ValueError"),))


def test_the_words_are_printable_and_bounded() -> None:
    assert to_words(system_error(ValueError("\x1b[2J" + "x" * 300))) == ("?[2J" + "x" * 300)[:200]

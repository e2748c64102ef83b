"""States what the operating system or a device library said of a failure.

Source: firmware_bridge/transport/README.md, "Ports".
"""

import errno
import os
import termios
from typing import Final

from foundation.message import Message, message
from foundation.recorded_text import foreign_text

_TEXT_MAX: Final = 200


def system_error(error: BaseException) -> Message:
    """The system's words and the name of its number, such as EIO; else what came with the error."""
    number = os_error_number(error)
    if number:
        name = errno.errorcode[number]
        return message("system_error", foreign=os.strerror(number), error=name)
    # A name that no server has, or the like: a library puts its own words around the system's.
    said = (getattr(one, "strerror", None) for one in (error.__context__, error))
    lines = (next(filter(None, said), "") or str(error)).splitlines()
    words = foreign_text((lines or [type(error).__name__])[0], _TEXT_MAX)
    return message("in_its_own_words", foreign=words)


def os_error_number(error: BaseException) -> int:
    """The system's number of an error; 0 where it has none.

    A library that raises its own error for that of the system leaves the number there; an error of
    a terminal has it as its first argument.
    """
    for one in (error, error.__context__):
        first = one.args[:1] if isinstance(one, termios.error) else ()
        for number in (getattr(one, "errno", None), *first):
            if number in errno.errorcode:
                return int(number)
    return 0

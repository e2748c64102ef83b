"""States what the operating system or a device library said of a failure.

Source: firmware_bridge/README.md, "Ports".
"""

import errno
from typing import Final

from firmware_bridge.message import Message, message
from firmware_bridge.recorded_text import foreign_text

_TEXT_MAX: Final = 200


def system_error(error: BaseException) -> Message:
    """The name of the error's number, such as EIO, and the words that came with it."""
    said = getattr(error, "strerror", None) or str(error)
    words = foreign_text((said.splitlines() or [type(error).__name__])[0], _TEXT_MAX)
    name = errno.errorcode.get(os_error_number(error))
    if name is not None:
        return message("system_error", foreign=words, error=name)
    return message("in_its_own_words", foreign=words)


def os_error_number(error: BaseException) -> int:
    """The system's number of an error; 0 where it has none.

    A library that raises its own error for that of the system leaves the number there.
    """
    numbers = (getattr(one, "errno", None) or 0 for one in (error, error.__context__))
    return next((number for number in numbers if number in errno.errorcode), 0)

"""A line of a GPIO chip as the configuration names it: `CHIP:LINE`.

Source: Linux Documentation/userspace-api/gpio/chardev.rst.
"""

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

_DEV: Final = Path("/dev")
_LINE: Final = re.compile(r"([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*):(0|[1-9]\d{0,3})")


class GpioLine(Struct, frozen=True):
    """`chip` is the path of a character device, `offset` the line's number on it, from 0."""

    chip: Path
    offset: int

    @property
    def name(self) -> str:
        """As the configuration names it."""
        return f"{self.chip.relative_to(_DEV)}:{self.offset}"

    def __str__(self) -> str:
        return f"{self.chip}:{self.offset}"


def parse_gpio_line(text: str) -> GpioLine:
    """The line named as `gpiochip0:17`; the chip is a name below /dev. Raises ValueError."""
    found = _LINE.fullmatch(text)
    if found is None or ".." in text:
        raise ValueError(
            f"{text!r} is not a line of a chip. Allowed: a name below /dev, a colon and the line's"
            ' number. Remedy: write it as "gpiochip0:17"; `gpioinfo` lists chips and lines'
        )
    return GpioLine(_DEV / found[1], int(found[2]))

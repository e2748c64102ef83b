"""Lines that cannot be had; lines of a chip are tried in a kernel of their own (tests/gate)."""

from pathlib import Path

import pytest

from firmware_bridge.gpio.chip import GpioInput, GpioOutputs, GpioUnavailable
from firmware_bridge.gpio.line import GpioLine


def test_a_chip_that_is_not_there_is_named(tmp_path: Path) -> None:
    line = GpioLine(tmp_path / "gpiochip7", 3)

    with pytest.raises(GpioUnavailable, match=r"gpiochip7: line 3: No such file .*Allowed: .*Rem"):
        GpioOutputs((line,), "smartshoe M7")


def test_a_file_that_is_no_chip_is_named() -> None:
    with pytest.raises(GpioUnavailable, match="/dev/null: line 0: "):
        GpioInput(GpioLine(Path("/dev/null"), 0), "smartshoe M7", active_low=True)

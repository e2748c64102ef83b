"""How a line of a GPIO chip is named."""

from pathlib import Path

import pytest

from firmware_bridge.gpio.line import GpioLine, parse_gpio_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("gpiochip0:17", GpioLine(Path("/dev/gpiochip0"), 17)),
        ("smartshoe/lines:0", GpioLine(Path("/dev/smartshoe/lines"), 0)),
    ],
)
def test_a_line_is_a_chip_below_dev_and_a_number(text: str, line: GpioLine) -> None:
    assert parse_gpio_line(text) == line
    assert str(line) == f"/dev/{text}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "17",
        "gpiochip0",
        "gpiochip0:",
        "gpiochip0:-1",
        "/dev/gpiochip0:1",
        "../x:1",
        "gpiochip0:017",
        "gpiochip0:99999",
        "gpio chip:1",
        "a//b:1",
    ],
)
def test_anything_else_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(ValueError, match='Remedy: write it as "gpiochip0:17"'):
        parse_gpio_line(text)

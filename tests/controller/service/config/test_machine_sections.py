"""[power] and [outputs]: lines of the machine, each with one use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.record.signals import Light
from controller.service.config.load import ConfigError, load_config
from controller.service.config.table_config import MachineLines, PowerSettings
from firmware_bridge.gpio.line import GpioLine

TABLE = '[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n'
CHIP = Path("/dev/gpiochip0")
ALL = """\
[power]
gpio = "gpiochip0:17"
[outputs]
green = "gpiochip0:5"
amber = "gpiochip0:6"
red = "gpiochip0:13"
exit_lock = "gpiochip0:19"
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        file = tmp_path / "table.toml"
        file.write_text(TABLE + text)
        return file

    return written


def test_a_table_without_them_uses_no_line(write: Write) -> None:
    assert load_config(write("")).machine == MachineLines()


def test_lines_are_read(write: Write) -> None:
    machine = load_config(write(ALL)).machine

    assert machine.power == PowerSettings(GpioLine(CHIP, 17), active_low=True)
    assert machine.outputs is not None
    assert machine.outputs.lamps[Light.RED] == GpioLine(CHIP, 13)
    assert machine.outputs.exit_lock == GpioLine(CHIP, 19)
    assert not machine.outputs.closed_high
    assert [one.offset for one in machine.outputs.lines] == [5, 6, 13, 19]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[power]\n", r'power.gpio: it is missing.* gpio = "gpiochip0:17"'),
        ('[power]\ngpio = "17"\n', r"power.gpio: '17' is not a line of a chip. Allowed: .*Remedy"),
        ('[power]\ngpio = "gpiochip0:1"\nactive = "up"\n', r"power.active: .*low.*high"),
        ("[outputs]\n", r"outputs: it names no line. Allowed: .*Remedy"),
        ('[outputs]\nblue = "gpiochip0:1"\n', r"outputs.blue: .*Allowed: .*amber"),
        ('[outputs]\nred = "gpiochip0:1"\nexit_lock_closed = 1\n', r"outputs.exit_lock_closed: "),
        (
            '[outputs]\nred = "gpiochip0:1"\ngreen = "gpiochip0:1"\n',
            r"outputs.red: gpiochip0:1 is the line of outputs.green. Allowed: .*Remedy",
        ),
        (
            '[power]\ngpio = "gpiochip0:1"\n[outputs]\nred = "gpiochip0:1"\n',
            r"outputs.red: gpiochip0:1 is the line of power.gpio. Allowed: .*Remedy",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(write: Write, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        load_config(write(text))


@pytest.mark.parametrize(
    ("closed", "words"),
    [
        ("low", "closed by low: closed without power and while the table does not run"),
        ("high", "closed by high: open without power and while the table does not run"),
    ],
)
def test_check_config_says_what_the_lines_are(write: Write, capsys, closed, words) -> None:
    assert main(["check-config", str(write(f'{ALL}exit_lock_closed = "{closed}"\n'))]) == 0

    shown = capsys.readouterr().out
    assert "power fails          /dev/gpiochip0:17 low, or SIGPWR\n" in shown
    lamps = "green /dev/gpiochip0:5, amber /dev/gpiochip0:6, red /dev/gpiochip0:13"
    assert f"stack light          {lamps}\n" in shown
    assert f"exit lock            /dev/gpiochip0:19, {words}\n" in shown

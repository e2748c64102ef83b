"""Levels of stack light and exit lock, set from stored transactions, low at the end."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from controller.core.state import Stored
from controller.record.signals import Light, Signals
from controller.service.config.table_config import OutputSettings
from controller.service.signal_lines import SignalLines, levels
from firmware_bridge.gpio.line import GpioLine
from foundation.timestamp import Timestamp

CHIP = Path("/dev/gpiochip0")
LAMPS = {light: GpioLine(CHIP, number) for number, light in enumerate(Light)}
LOCK = GpioLine(CHIP, 9)
CLOSED_LOW = OutputSettings(LAMPS, LOCK, closed_high=False)
CLOSED_HIGH = OutputSettings(LAMPS, LOCK, closed_high=True)
COUP_BEGUN = ("53", "50", "44 C0 91", "44 D1 C7", "44 81 C9")
WRONG_RESULT = ("44 91 92", "44 82 AD", "44 92 B5", "47 00")


class Chip:
    """Lines that note every change; `gone` is the error of a chip that was unplugged."""

    def __init__(self) -> None:
        self.levels: dict[GpioLine, bool] = {}
        self.changes = 0
        self.gone: OSError | None = None
        self.closed = False

    def set(self, levels: Mapping[GpioLine, bool]) -> None:
        if self.gone is not None:
            raise self.gone
        self.levels |= levels
        self.changes += 1

    def close(self) -> None:
        self.closed = True

    def lit(self) -> list[Light]:
        return [light for light, line in LAMPS.items() if self.levels[line]]


def follow(lines: SignalLines, table) -> None:
    lines.stored(Stored((), (), Timestamp(1, 2), table.state, table.core.book))


@pytest.mark.parametrize(("light", "locked"), [*product(Light, (False, True))])
def test_one_lamp_is_high_and_the_lock_has_the_level_that_was_configured(light, locked) -> None:
    wanted = Signals(light, locked)

    for settings, high in ((CLOSED_LOW, not locked), (CLOSED_HIGH, locked)):
        shown = levels(settings, wanted)
        assert [one for one, line in LAMPS.items() if shown[line]] == [light]
        assert shown[LOCK] is high


def test_a_table_without_a_lock_has_lamps_alone() -> None:
    one = OutputSettings({Light.RED: LAMPS[Light.RED]}, None, closed_high=False)

    assert levels(one, Signals(Light.RED, exit_locked=True)) == {LAMPS[Light.RED]: True}


def test_the_lines_follow_what_is_stored_and_are_set_at_a_change_alone(script) -> None:
    chip, table = Chip(), script().begun()
    lines = SignalLines(CLOSED_LOW, chip)
    follow(lines, table)
    assert chip.lit() == [Light.AMBER]
    assert chip.levels[LOCK], "open: low closes"

    table.reported(*COUP_BEGUN)
    follow(lines, table)
    follow(lines, table)
    assert chip.lit() == [Light.GREEN]
    assert chip.changes == 2

    table.reported(*WRONG_RESULT)
    follow(lines, table)
    assert chip.lit() == [Light.RED]
    assert not chip.levels[LOCK]


def test_a_new_run_sets_every_line_again(script) -> None:
    table = script().begun()
    table.reported(*COUP_BEGUN, *WRONG_RESULT)
    chip = Chip()
    follow(SignalLines(CLOSED_LOW, chip), table)

    assert chip.lit() == [Light.RED]
    assert not chip.levels[LOCK]


def test_at_the_end_every_line_is_low_as_without_power(script) -> None:
    chip, table = Chip(), script().begun()
    lines = SignalLines(CLOSED_HIGH, chip)
    follow(lines, table)
    lines.close()

    assert set(chip.levels) == {*LAMPS.values(), LOCK}
    assert not any(chip.levels.values())
    assert chip.closed


def test_a_chip_that_is_gone_stops_nothing_is_logged_once_and_tried_again(script, caplog) -> None:
    chip, table = Chip(), script().begun()
    lines = SignalLines(CLOSED_LOW, chip)
    chip.gone = OSError(19, "No such device")
    follow(lines, table)
    follow(lines, table)
    assert [one.levelname for one in caplog.records] == ["ERROR"]
    assert "cannot be set: No such device" in caplog.text

    chip.gone = None
    follow(lines, table)
    assert chip.lit() == [Light.AMBER]

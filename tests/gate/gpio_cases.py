"""Lines of a GPIO chip on a real kernel: lights, lock, power-fail signal, contacts of a shuffler.

Run by `python -m hil.gate` inside a kernel of its own; pytest does not collect this file by itself.
The chip is simulated by the kernel (gpio-sim); the program and the emulated shoe are processes.
"""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import gpiod
import pytest

from controller.core.tape.entries import PowerFailRecorded
from controller.core.tape.inputs import PowerSign
from controller.core.tape.records import read_entry
from controller.journal.store import open_read_only
from firmware_bridge.gpio.chip import GpioInput, GpioOutputs, GpioUnavailable
from firmware_bridge.gpio.line import GpioLine
from firmware_bridge.transport.gpio_port import GpioPort
from firmware_bridge.transport.port import PortGone, PortUnavailable
from hil.emulator.contacts.shuffler import ContactShuffler
from hil.progress import poll_until
from hil.rig.program import Program, ProgramFailed

SIMULATORS = Path("/sys/kernel/config/gpio-sim")
GREEN, AMBER, RED, LOCK, POWER = range(5)
TABLE = """\
[table]
name = "M7"
[rules]
observed = ["result_button"]
[shoe]
port = "socket://127.0.0.1:4001"
[metrics]
enabled = false
[outputs]
green = "{chip}:0"
amber = "{chip}:1"
red = "{chip}:2"
exit_lock = "{chip}:3"
exit_lock_closed = "{closed}"
[power]
gpio = "{chip}:4"
"""
SHOE = ("--tcp", "4001", "--seed", "7", "--coups", "1", "--pace-ms", "50", "--no-orders")
WRONG = ("--mistake", "wrong_result@1")


class Chip:
    """A chip of the kernel's simulator; what it says of levels is independent of the program."""

    def __init__(self, name: str) -> None:
        self._folder = SIMULATORS / name
        (self._folder / "bank0").mkdir(parents=True)
        (self._folder / "bank0/num_lines").write_text("8")
        (self._folder / "live").write_text("1")
        self.name = (self._folder / "bank0/chip_name").read_text().strip()
        device = (self._folder / "dev_name").read_text().strip()
        self._lines = Path("/sys/devices/platform", device, self.name)
        until(Path("/dev", self.name).exists, "the chip's device")

    def remove(self) -> None:
        (self._folder / "live").write_text("0")
        (self._folder / "bank0").rmdir()
        self._folder.rmdir()

    def line(self, number: int) -> GpioLine:
        return GpioLine(Path("/dev", self.name), number)

    def high(self, number: int) -> bool:
        return (self._lines / f"sim_gpio{number}/value").read_text().strip() == "1"

    def pull(self, number: int, *, up: bool) -> None:
        (self._lines / f"sim_gpio{number}/pull").write_text("pull-up" if up else "pull-down")

    def shown(self) -> list[int]:
        return [one for one in (GREEN, AMBER, RED, LOCK) if self.high(one)]


def until(is_so: Callable[[], object], what: str) -> None:
    poll_until(is_so, what)


@pytest.fixture
def chip(request: pytest.FixtureRequest) -> Iterator[Chip]:
    made = Chip(f"chip-{abs(hash(request.node.name))}")
    made.pull(POWER, up=True)
    yield made
    made.remove()


@pytest.fixture
def program(chip: Chip, tmp_path: Path) -> Iterator[Callable[[str], Program]]:
    made: list[Program] = []

    def on(closed: str) -> Program:
        config = tmp_path / "table.toml"
        config.write_text(TABLE.format(chip=chip.name, closed=closed))
        made.append(Program(config, tmp_path / "log").__enter__())
        return made[-1]

    yield on
    for one in made:
        one.__exit__(None, None, None)


@pytest.fixture
def dealt() -> Iterator[Callable[..., None]]:
    """An emulated shoe that deals one coup."""
    shoes: list[subprocess.Popen[bytes]] = []

    def deal(*mistake: str) -> None:
        command = (str(Path(sys.executable).with_name("smartshoe-hil")), "emulate", *SHOE, *mistake)
        shoes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))

    yield deal
    for shoe in shoes:
        shoe.kill()
        shoe.wait()


def test_lines_keep_their_level_until_the_first_set_and_are_had_once(chip: Chip) -> None:
    lines = [chip.line(GREEN), chip.line(LOCK)]
    chip.pull(LOCK, up=True)
    outputs = GpioOutputs(lines, "case")
    assert chip.high(LOCK)
    with pytest.raises(GpioUnavailable, match=f"{chip.name}: line {LOCK}: .*busy"):
        GpioOutputs(lines[1:], "other")

    outputs.set({lines[0]: True, lines[1]: False})
    assert (chip.high(GREEN), chip.high(LOCK)) == (True, False)
    outputs.close()
    GpioOutputs(lines, "next").close()


@pytest.mark.parametrize("active_low", [True, False])
def test_a_line_that_becomes_active_is_noticed_at_once(chip: Chip, *, active_low: bool) -> None:
    chip.pull(POWER, up=active_low)
    line = GpioInput(chip.line(POWER), "case", active_low=active_low)
    noticed: list[bool] = []
    waiting = threading.Thread(target=lambda: noticed.append(line.wait(threading.Event())))
    waiting.start()
    chip.pull(POWER, up=not active_low)
    waiting.join()

    assert noticed == [True]
    line.close()


def test_a_line_that_is_active_already_is_noticed_and_an_end_is_none(chip: Chip) -> None:
    line = GpioInput(chip.line(POWER), "case", active_low=False)
    ended = threading.Event()
    assert line.wait(ended)
    ended.set()
    assert not line.wait(ended)
    line.close()


def test_the_lights_follow_the_table_and_the_lock_closes_at_a_suspension(
    chip: Chip, program: Callable[[str], Program], dealt: Callable[..., None]
) -> None:
    table = program("low")
    table.start()
    assert chip.shown() == [AMBER, LOCK], "closed: waits for a person; the exit is open"

    dealt(*WRONG)
    until(lambda: chip.shown() == [GREEN, LOCK], "green while it deals")
    until(lambda: chip.shown() == [RED], "red, and the exit locked, after a wrong result")

    table.kill()
    table.start()
    assert chip.shown() == [RED], "the next run shows what is stored"
    table.stop()
    assert chip.shown() == [], "low without a table, which closes the lock"


def test_a_lock_that_high_closes_is_open_without_a_table(
    chip: Chip, program: Callable[[str], Program]
) -> None:
    table = program("high")
    table.start()
    assert chip.shown() == [AMBER]
    table.stop()
    assert chip.shown() == []


def test_the_power_line_ends_the_table_in_order(
    chip: Chip, program: Callable[[str], Program], tmp_path: Path
) -> None:
    table = program("low")
    table.start()
    chip.pull(POWER, up=False)

    assert table.wait_for_end() == 0
    with open_read_only(tmp_path / "journal") as journal:
        assert journal.verify_all() is None
        *_, last = journal.records()
    assert read_entry(last.record) == PowerFailRecorded(PowerSign.LINE)
    assert chip.shown() == []


def test_a_start_while_the_power_fails_ends_in_order(
    chip: Chip, program: Callable[[str], Program], tmp_path: Path
) -> None:
    chip.pull(POWER, up=False)
    table = program("low")
    with contextlib.suppress(ProgramFailed):
        table.start()

    assert table.wait_for_end() == 0
    with open_read_only(tmp_path / "journal") as journal:
        *_, last = journal.records()
    assert read_entry(last.record) == PowerFailRecorded(PowerSign.LINE)


def test_a_chip_that_another_program_has_refuses_the_start(
    chip: Chip, program: Callable[[str], Program]
) -> None:
    other = GpioOutputs([chip.line(RED)], "other")
    table = program("low")
    with pytest.raises(ProgramFailed, match="did not become ready"):
        table.start()

    assert table.wait_for_end() == 4
    assert f"/dev/{chip.name}: line 0, 1, 2, 3: " in table.log_text()
    assert "Remedy: `gpioinfo` lists them" in table.log_text()
    other.close()


# --- contacts of a shuffler -----------------------------------------------------------------------

CONTACTS = (0, 1, 2, 3)
SHUFFLER_TABLE = """\
[table]
name = "M7"
[rules]
profile = "s42-mini"
[shoe]
port = "socket://127.0.0.1:4001"
[metrics]
enabled = false
[shuffler]
model = "contacts"
port = "gpio://{chip}:0,1,2,3"
bare = true
shuffle_s_min = 1
shuffle_s_max = 60
"""


def show(chip: Chip, shuffler: ContactShuffler) -> None:
    """Bring the lines to the levels of its contacts."""
    for number, high in enumerate(shuffler.high):
        chip.pull(number, up=high)


def port_on(chip: Chip) -> GpioPort:
    lines = [chip.line(number) for number in CONTACTS]
    return GpioPort(f"gpio://{chip.name}:0,1,2,3", lines)


def next_reading(port: GpioPort) -> bytes:
    data = b""
    while not data:
        data = port.read()
    return data


def read_on(port: GpioPort) -> None:
    while True:
        port.read()


def test_lines_are_read_at_the_opening_and_at_each_change_without_bounces(chip: Chip) -> None:
    chip.pull(3, up=True)
    port = port_on(chip)
    port.open()
    with gpiod.Chip(f"/dev/{chip.name}") as opened:
        info = opened.get_line_info(0)
    assert (info.used, info.debounced, info.debounce_period.microseconds) == (True, True, 20_000)

    assert port.read() == b"\x78"
    for number, up, byte in ((0, True, b"\x69"), (1, True, b"\x4b"), (0, False, b"\x5a")):
        chip.pull(number, up=up)
        assert next_reading(port) == byte
    port.close()
    with pytest.raises(PortGone):
        port.read()
    port.open()
    assert port.read() == b"\x5a"
    port.close()


def test_a_read_that_waits_is_woken_by_the_end(chip: Chip) -> None:
    port = port_on(chip)
    port.open()
    port.read()
    ends: list[PortGone] = []

    def wait() -> None:
        try:
            read_on(port)
        except PortGone as gone:
            ends.append(gone)

    reader = threading.Thread(target=wait)
    reader.start()
    port.close()
    reader.join()
    assert len(ends) == 1


def test_lines_that_another_program_has_cannot_be_opened(chip: Chip) -> None:
    other = GpioOutputs([chip.line(2)], "other")
    port = port_on(chip)
    with pytest.raises(PortUnavailable, match="busy"):
        port.open()
    other.close()
    port.open()
    port.close()


def test_a_chip_that_goes_is_a_port_lost() -> None:
    chip = Chip("chip-that-goes")
    port = port_on(chip)
    port.open()
    port.read()
    chip.remove()
    with pytest.raises(PortGone):
        read_on(port)
    port.close()


def test_a_shuffle_is_seen_through_the_lines_of_a_chip(chip: Chip, tmp_path: Path) -> None:
    shuffler = ContactShuffler()
    show(chip, shuffler)
    config = tmp_path / "table.toml"
    config.write_text(SHUFFLER_TABLE.format(chip=chip.name))
    with Program(config, tmp_path / "log") as table:
        table.start()

        def stage() -> str:
            shown = table.snapshot().shuffler
            return "" if shown is None or not shown.trusted else shown.batches[0].stage

        def record(**values: object) -> bool:
            who = {"by": "D. Dealer", "role": "dealer", "reference": "D. Dealer"}
            act = {"request": "act", "action": "record", "batch": "red", **who, **values}
            return table.ask(act).ok

        until(stage, "the shuffler is admitted")
        assert record(act="into-shuffler", amount=416)
        shuffler.press_start()
        show(chip, shuffler)
        until(lambda: stage() == "shuffling", "the shuffle begins")
        began_s = time.monotonic()
        until(lambda: time.monotonic() > began_s + 1.5, "a second has passed")
        shuffler.due(0)
        shuffler.due(shuffler.next_due_ns or 0)
        show(chip, shuffler)
        until(lambda: stage() == "shuffled", "the shuffle is shown")
        shuffler.open_lid()
        show(chip, shuffler)
        until(lambda: stage() == "held", "the lid was opened on it")
        assert not record(act="released")
        table.stop()

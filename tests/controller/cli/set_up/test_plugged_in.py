"""The port of a device is the one that appears when it is plugged in."""

from collections.abc import Iterator, Mapping

from controller.cli.set_up.plugged_in import APPEARS_S_MAX, wait_for_new

BEFORE = {"/dev/ttyS0": "of the machine", "/dev/serial/by-id/other": "another device"}
SHOE = "/dev/serial/by-id/shoe"


class Machine:
    """Ports as they are seen one look after the other; the last one stays."""

    def __init__(self, *looks: Mapping[str, str]) -> None:
        self._looks: Iterator[Mapping[str, str]] = iter(looks)
        self._last: Mapping[str, str] = {}
        self.waited_s = 0.0

    def look(self) -> Mapping[str, str]:
        self._last = next(self._looks, self._last)
        return self._last

    def wait(self, seconds: float) -> None:
        self.waited_s += seconds


def found(machine: Machine) -> Mapping[str, str]:
    return wait_for_new(BEFORE, machine.look, machine.wait)


def test_the_port_that_appears_is_the_device() -> None:
    assert found(Machine(BEFORE, BEFORE, {**BEFORE, SHOE: "shoe"})) == {SHOE: "shoe"}


def test_a_further_port_of_the_device_and_its_lasting_name_are_waited_for() -> None:
    machine = Machine({**BEFORE, "/dev/ttyUSB0": ""}, {**BEFORE, SHOE: "shoe", f"{SHOE}-if01": ""})
    assert set(found(machine)) == {SHOE, f"{SHOE}-if01"}


def test_a_port_that_goes_is_none() -> None:
    assert found(Machine({"/dev/ttyS0": "of the machine"})) == {}


def test_where_none_appears_the_search_ends() -> None:
    machine = Machine(BEFORE)
    assert found(machine) == {}
    assert round(machine.waited_s) == APPEARS_S_MAX

"""The cable in memory behaves as a port does."""

import threading

import pytest
from in_words import raises_in_words

from firmware_bridge.transport.port import Port, PortGone, PortUnavailable
from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.emulator.lines.faults import FaultPlan
from hil.simulation.cable import Cable, CableOutlet

START = bytes.fromhex("05 30 53 03 36 30")
LOCK = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")


def opened(faults: FaultPlan | None = None, read_timeout_s: float = 0.01) -> Cable:
    cable = Cable(faults, read_timeout_s)
    cable.host.open()
    return cable


def test_it_implements_port() -> None:
    port: Port = Cable().host
    port.open()
    port.close()
    port.close()

    with raises_in_words(PortGone, "closed"):
        port.read()


def test_bytes_go_both_ways() -> None:
    cable = opened()
    cable.device_write(b"up")
    cable.host.write(b"down")

    assert (cable.host.read(), cable.device_read(), cable.device_read()) == (b"up", b"down", b"")


def test_a_read_times_out_empty() -> None:
    assert opened().host.read() == b""


def test_pending_bytes_survive_closing_and_opening() -> None:
    cable = opened()
    cable.host.close()
    cable.device_write(b"waiting")
    cable.host.open()

    assert cable.host.read() == b"waiting"


def test_it_opens_once() -> None:
    cable = opened()

    with raises_in_words(PortUnavailable, "another program holds"):
        cable.host.open()


@pytest.mark.parametrize("end", [lambda cable: cable.unplug(), lambda cable: cable.host.close()])
def test_a_blocked_read_is_woken(end: object) -> None:
    cable = opened(read_timeout_s=60)
    woken: list[PortGone] = []

    def read() -> None:
        try:
            cable.host.read()
        except PortGone as gone:
            woken.append(gone)

    reader = threading.Thread(target=read)
    reader.start()
    assert callable(end)
    end(cable)
    reader.join()

    assert len(woken) == 1


def test_an_unplugged_cable_opens_only_when_plugged_in_again() -> None:
    cable = opened()
    cable.unplug()
    cable.device_write(b"lost")
    with raises_in_words(PortGone, "unplugged"):
        cable.host.write(b"x")
    with raises_in_words(PortUnavailable, "does not exist"):
        cable.host.open()
    cable.plug()
    cable.host.open()

    assert cable.host.read() == b""


def test_a_port_opened_before_unplugging_stays_closed() -> None:
    cable = opened()
    cable.unplug()
    cable.plug()

    with pytest.raises(PortGone):
        cable.host.read()


def test_faults_cut_what_the_device_sends() -> None:
    cable = opened(FaultPlan(seed=1, fragment_bytes_max=1))
    cable.device_write(START)

    assert [cable.host.read() for _ in START] == [START[n : n + 1] for n in range(6)]


def test_a_device_on_the_cable_reports_and_answers() -> None:
    cable = opened()
    outlet = CableOutlet(AngelEye(AngelEyeSettings(repeats=1)), cable, lambda: 0)
    outlet.perform(AngelEye.power_on)
    cable.host.write(LOCK)
    outlet.settle()
    received = [cable.host.read() for _ in range(3)]

    assert received == [START, b"\x06", bytes.fromhex("05 31 4C 81 03 46 46")]


def test_reports_into_an_unplugged_cable_are_lost_in_the_truth() -> None:
    cable = opened()
    outlet = CableOutlet(AngelEye(), cable, lambda: 0)
    outlet.perform(AngelEye.power_on)
    cable.unplug()
    outlet.perform(lambda device: device.draw(card_named("AS")))

    assert [report.copies_delivered for report in outlet.take_reports()] == [3, 0]


def test_a_report_lost_by_the_fault_plan_is_lost_in_the_truth() -> None:
    outlet = CableOutlet(AngelEye(), opened(), lambda: 0, FaultPlan(lose_report=1.0))
    outlet.perform(AngelEye.power_on)

    assert [report.delivered for report in outlet.take_reports()] == [False]

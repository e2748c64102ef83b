"""A device is paired at a real terminal, and only that device is accepted afterwards."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.service.commissioning.firmware_list import ApprovedEntry, sign, store_list
from controller.service.commissioning.pairing_file import load_pairing
from controller.service.config.load import load_config
from controller.system.command_line.errors import ExitCode
from controller.system.keys import make_key
from drivers.model import Installation
from drivers.shuffler_events import IdentityProven, IdentityRefused
from drivers.shufflers.tablelink_model import TABLELINK_SHUFFLER
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.timestamp import Timestamp
from hil.emulator.lines.serve import PtyServer
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shoe import TableLinkShoe
from hil.emulator.tablelink.shuffler import Shuffler

Capture = pytest.CaptureFixture[str]

DEVICE = "5eed0000c0ffee01"
NS_PER_MS = 1_000_000


@pytest.fixture
def shuffler() -> Shuffler:
    made = Shuffler()
    made.power_on()
    return made


@pytest.fixture
def port(shuffler: Shuffler) -> Iterator[str]:
    with PtyServer(shuffler) as server:
        yield server.path


def pair(port: str, out: Path, *words: str) -> int:
    return main(["identity", "pair", port, "--out", str(out), "--person", "Ann Lee", *words])


def test_a_shuffler_is_paired_with_the_key_it_holds(
    shuffler: Shuffler, port: str, fast_dir: Path, capsys: Capture
) -> None:
    out = fast_dir / "shuffler.identity.json"

    assert pair(port, out) == ExitCode.DONE
    shown = capsys.readouterr().out
    paired = load_pairing(out)
    assert paired.pin.key == shuffler.identity.public_key
    assert (paired.pin.device.hex(), paired.role.value) == (DEVICE, "shuffler")
    assert paired.firmware.version == "1.0.0"
    assert paired.pin.first_event == 1
    assert paired.person == "Ann Lee"
    assert f"device        {DEVICE}, a shuffler" in shown
    assert "compare device and fingerprint with the device's paper" in shown


@pytest.mark.parametrize("chained", [False, True])
def test_a_device_without_a_chain_of_its_events_is_paired_with_a_remark(
    chained: bool, fast_dir: Path, capsys: Capture
) -> None:
    device = Shuffler(ShufflerSettings(chained=chained))
    device.power_on()
    with PtyServer(device) as server:
        assert pair(server.path, fast_dir / "pin") == ExitCode.DONE

    remark = "it keeps no chain of its events: nothing shows a forged one on the line"
    assert (remark in capsys.readouterr().out) is not chained


def test_a_second_pairing_differs_from_the_first(port: str, fast_dir: Path) -> None:
    pair(port, fast_dir / "first")
    pair(port, fast_dir / "second")

    first, second = load_pairing(fast_dir / "first"), load_pairing(fast_dir / "second")
    assert first.pin.key == second.pin.key
    assert first.pin.pairing != second.pin.pairing


def test_the_pairing_as_json_is_one_object(port: str, fast_dir: Path, capsys: Capture) -> None:
    assert pair(port, fast_dir / "pin", "--json") == ExitCode.DONE

    shown = json.loads(capsys.readouterr().out)
    assert (shown["device"], shown["file"]) == (DEVICE, str(fast_dir / "pin"))
    assert shown["fingerprint"] == load_pairing(fast_dir / "pin").fingerprint.hex()


def test_an_existing_file_is_not_overwritten(port: str, fast_dir: Path, capsys: Capture) -> None:
    (fast_dir / "pin").write_text("mine")

    assert pair(port, fast_dir / "pin") == ExitCode.UNUSABLE
    assert "it is not overwritten" in capsys.readouterr().err
    assert (fast_dir / "pin").read_text() == "mine"


def test_a_device_with_another_fingerprint_than_printed_is_refused(
    port: str, fast_dir: Path, capsys: Capture
) -> None:
    assert pair(port, fast_dir / "pin", "--fingerprint", "00" * 32) == ExitCode.NO

    errors = capsys.readouterr().err
    assert "the fingerprint differs from the one given: nothing was written" in errors
    assert f"device        {DEVICE}, a shuffler" in errors
    assert not (fast_dir / "pin").exists()


def test_the_given_fingerprint_may_be_grouped(port: str, fast_dir: Path) -> None:
    pair(port, fast_dir / "first")
    digits = load_pairing(fast_dir / "first").fingerprint.hex().upper()
    grouped = " ".join(digits[at : at + 8] for at in range(0, 64, 8))

    assert pair(port, fast_dir / "pin", "--fingerprint", grouped) == ExitCode.DONE


def test_an_invalid_fingerprint_is_reported_before_the_port_is_opened(
    fast_dir: Path, capsys: Capture
) -> None:
    assert pair("/dev/nowhere", fast_dir / "pin", "--fingerprint", "21fe") == ExitCode.UNUSABLE
    assert "--fingerprint: '21fe'. Allowed: 64 hex digits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (ShufflerSettings(bare=True), "has no identity (a bare device) and cannot be paired"),
        (ShufflerSettings(debug=True), "the debug port of device"),
    ],
)
def test_a_device_that_fails_attestation_is_reported(
    settings: ShufflerSettings, expected: str, fast_dir: Path, capsys: Capture
) -> None:
    shuffler = Shuffler(settings)
    shuffler.power_on()
    with PtyServer(shuffler) as server:
        assert pair(server.path, fast_dir / "pin") == ExitCode.UNUSABLE
    assert expected in capsys.readouterr().err
    assert not (fast_dir / "pin").exists()


def test_a_shoe_is_paired_as_a_shoe(fast_dir: Path) -> None:
    shoe = TableLinkShoe()
    shoe.power_on()
    with PtyServer(shoe) as server:
        assert pair(server.path, fast_dir / "pin") == ExitCode.DONE
    assert load_pairing(fast_dir / "pin").role.value == "shoe"


def test_a_silent_line_is_reported_with_its_remedy(fast_dir: Path, capsys: Capture) -> None:
    master, slave = os.openpty()
    try:
        assert pair(os.ttyname(slave), fast_dir / "pin", "--wait", "1") == ExitCode.UNUSABLE
    finally:
        os.close(slave)
        os.close(master)
    assert "no bytes were received. Remedy: check that the device is switched on" in (
        capsys.readouterr().err
    )


def test_a_missing_port_is_reported(fast_dir: Path, capsys: Capture) -> None:
    assert pair(str(fast_dir / "nowhere"), fast_dir / "pin") == ExitCode.UNUSABLE
    assert str(fast_dir / "nowhere") in capsys.readouterr().err


# --- and then ------------------------------------------------------------------------------------


def identity_event(settings: ShufflerSettings, trust: Trust) -> IdentityProven | IdentityRefused:
    """The driver's decision on a device just switched on, over a cable in memory."""
    device = Shuffler(settings)
    device.host_appeared(0)
    device.power_on()
    driver = TABLELINK_SHUFFLER.build(installed=Installation(trust=trust))
    state, output = driver.receive(driver.initial(), PortOpened("x", Timestamp(0, 0), bytes(32)))
    for step in range(1, 2000):
        at = Timestamp(step * NS_PER_MS, 0)
        for event in output.events:
            if isinstance(event, IdentityProven | IdentityRefused):
                return event
        sent = b"".join((*output.at_once, *output.to_write))
        answer = device.receive(sent, at.monotonic_ns) + device.tick(at.monotonic_ns)
        state, output = driver.receive(state, Chunk("x", at, answer))
    raise AssertionError("the driver gave no decision on the identity")


@pytest.fixture
def trust(port: str, fast_dir: Path) -> Trust:
    """The trust of a table with a paired shuffler and approved firmware."""
    pair(port, fast_dir / "shuffler.identity.json")
    key = make_key(fast_dir / "table.key")
    ware = load_pairing(fast_dir / "shuffler.identity.json").firmware
    entry = ApprovedEntry(ware.image, ware.version, ware.security_counter, "")
    store_list(fast_dir / "approved.json", sign((entry,), key, Timestamp(0, 0)))
    (fast_dir / "table.toml").write_text(
        '[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n[shuffler]\nport = "/dev/ttyUSB1"\n'
        'identity = "shuffler.identity.json"\napproved = "approved.json"\n'
        'approved_keys = ["table.key.pub"]\n'
    )
    device = load_config(fast_dir / "table.toml").settings.shuffler
    assert device is not None
    return device.trust


def test_the_paired_device_is_accepted(trust: Trust) -> None:
    proven = identity_event(ShufflerSettings(), trust)

    assert isinstance(proven, IdentityProven)
    assert proven.device.lower() == DEVICE
    assert not proven.bare


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(ShufflerSettings(seed=b"another key"), id="another key"),
        pytest.param(ShufflerSettings(device=b"SHUF0002"), id="another device"),
        pytest.param(ShufflerSettings(image=bytes(32)), id="other firmware"),
        pytest.param(ShufflerSettings(version="1.0.1"), id="another version"),
        pytest.param(ShufflerSettings(bare=True), id="no identity"),
        pytest.param(ShufflerSettings(debug=True), id="debug port open"),
    ],
)
def test_another_device_or_firmware_is_refused(settings: ShufflerSettings, trust: Trust) -> None:
    assert isinstance(identity_event(settings, trust), IdentityRefused)

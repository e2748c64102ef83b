"""`smartshoe devices` and its monitor, with fixed lists and a pty."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal.store import Journal
from controller.system.command_line.errors import ExitCode
from firmware_bridge.transport import serial_port, usb_devices, usb_sysfs
from firmware_bridge.transport.serial_port import SerialPortInfo
from firmware_bridge.transport.usb_devices import UsbDeviceInfo, UsbUnavailable
from firmware_bridge.transport.usb_identity import UsbIdentity, UsbInterface
from firmware_bridge.transport.usb_sysfs import AttachedDevice, UsbAddress

Capture = pytest.CaptureFixture[str]

# Golden reports (tests/vectors/angel_eye.toml): stand-by, Player card 1 the ace of spades.
STAND_BY = bytes.fromhex("05 31 50 03 36 32")
PLAYER_1 = bytes.fromhex("05 36 44 81 B1 03 34 31")

ADAPTER = SerialPortInfo(
    "/dev/ttyUSB0",
    "/dev/serial/by-id/usb-FTDI_A1-if00",
    "/dev/serial/by-path/p1",
    "USB adapter",
    0x0403,
    0x6001,
    "A1",
    "1-2",
)
ON_BOARD = SerialPortInfo("/dev/ttyS0", "/dev/ttyS0", "", "", -1, -1, "")
VENDOR, HUB = UsbInterface(0, 0xFF, 0, 0), UsbInterface(0, 9, 0, 0)
ATTACHED = (
    AttachedDevice(UsbIdentity(0x1D6B, 2, "", "1-1", (HUB,)), UsbAddress(1, 2)),
    AttachedDevice(UsbIdentity(0x0403, 0x6001, "A1", "1-2", (VENDOR,)), UsbAddress(1, 3)),
    AttachedDevice(UsbIdentity(0x1FC9, 1, "R7", "1-3", (VENDOR,)), UsbAddress(1, 4)),
)
READER = UsbDeviceInfo(1, 4, 0x1FC9, 0x0001, "Reader", "R7")


@pytest.fixture
def plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial_port, "list_serial_ports", lambda: (ON_BOARD, ADAPTER))
    monkeypatch.setattr(usb_devices, "list_usb_devices", lambda: (READER,))
    monkeypatch.setattr(usb_sysfs, "attached_devices", lambda: ATTACHED)


@pytest.mark.usefixtures("plugged_in")
def test_devices_are_listed_with_what_to_write_for_them(capsys: Capture) -> None:
    assert main(["devices"]) == ExitCode.DONE

    output = " ".join(capsys.readouterr().out.split())
    assert "/dev/serial/by-id/usb-FTDI_A1-if00 usbserial://0403:6001/A1 /dev/ttyUSB0" in output
    assert "usb://1fc9:0001/R7 1fc9:0001 1-3 Reader yes: there is no allow-list" in output
    assert "1d6b" not in output


@pytest.mark.usefixtures("plugged_in")
def test_devices_as_json(capsys: Capture) -> None:
    main(["devices", "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert [one["usb_id"] for one in shown["serial"]] == ["", "0403:6001"]
    assert [one["serial_number"] for one in shown["usb"]] == ["A1", "R7"]
    assert shown["table"] == []


@pytest.mark.usefixtures("plugged_in")
def test_with_a_configuration_its_list_is_applied_and_its_devices_shown(
    fast_dir: Path, capsys: Capture
) -> None:
    config = Path(configuration(fast_dir, "/dev/ttyNONE9"))
    config.write_text(f'{config.read_text()}[usb]\nallow = ["0403:6001"]\n')

    assert main(["devices", "--config", str(config)]) == ExitCode.DONE
    output = " ".join(capsys.readouterr().out.split())
    assert "NO: it is not on the allow-list; if it belongs to the table" in output
    assert "Devices of table M7." in output
    assert "shoe /dev/ttyNONE9 not plugged in" in output


@pytest.mark.usefixtures("plugged_in")
def test_without_libusb_devices_are_still_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def unavailable() -> tuple[UsbDeviceInfo, ...]:
        raise UsbUnavailable(usb_devices.LIBUSB_ABSENT)

    monkeypatch.setattr(usb_devices, "list_usb_devices", unavailable)

    assert main(["devices"]) == ExitCode.DONE
    output = capsys.readouterr()
    assert "/dev/ttyUSB0" in output.out
    assert "usb://1fc9:0001/R7" in output.out
    assert "libusb: it is not installed" in output.err


@pytest.fixture
def line() -> Iterator[str]:
    """A serial server that gives two reports to whoever connects, then stays open."""
    server = socket.create_server(("127.0.0.1", 0))
    served = threading.Event()

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall(STAND_BY + PLAYER_1)
            served.wait()

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"socket://127.0.0.1:{server.getsockname()[1]}"
    served.set()
    server.close()
    thread.join()


def test_the_monitor_shows_three_levels_masked_and_ends_with_totals(
    line: str, capsys: Capture
) -> None:
    assert main(["devices", "monitor", line, "--seconds", "1"]) == ExitCode.DONE

    output = capsys.readouterr().out
    assert "bytes  " in output
    assert "frame  report SEQ '1' code 'P'" in output
    assert "event  card ??" in output
    assert "B1" not in output
    assert "14 bytes in " in output.splitlines()[-1]


def test_the_monitor_can_show_one_level(line: str, capsys: Capture) -> None:
    main(["devices", "monitor", line, "--seconds", "1", "--level", "frames"])

    levels = {row.split()[1] for row in capsys.readouterr().out.splitlines()[:-1]}
    assert levels == {"frame"}


def test_ctrl_c_ends_the_monitor_cleanly(line: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "controller.cli.main", "devices", "monitor", line],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while "event  card" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()

    assert process.returncode == ExitCode.DONE
    assert out.rstrip().endswith("events")
    assert "Traceback" not in err


def test_no_ctrl_c_is_lost_while_the_port_is_silent(
    line: str, interrupt_within: Callable[..., None], capsys: Capture
) -> None:
    interrupt_within("_print_events", "get", "wait")

    assert main(["devices", "monitor", line]) == ExitCode.DONE
    # Ctrl-C may come before the first read: the totals are printed, whatever they are.
    assert " bytes in " in capsys.readouterr().out.splitlines()[-1]


def test_a_missing_port_is_reported_in_one_sentence(capsys: Capture) -> None:
    assert main(["devices", "monitor", "/dev/ttyNONE9"]) == ExitCode.UNUSABLE
    assert "smartshoe devices" in capsys.readouterr().err


def test_a_port_in_use_is_refused(capsys: Capture) -> None:
    ours, theirs = os.openpty()
    held = serial_port.SerialPort(os.ttyname(theirs), 4800)
    held.open()
    try:
        assert main(["devices", "monitor", os.ttyname(theirs)]) == ExitCode.UNUSABLE
    finally:
        held.close()
        os.close(ours)
        os.close(theirs)
    assert "another program holds" in capsys.readouterr().err


def test_an_unknown_model_lists_the_known_ones(capsys: Capture) -> None:
    assert main(["devices", "monitor", "/dev/ttyUSB0", "--model", "x"]) == ExitCode.UNUSABLE
    assert "angel-eye-ii-ex" in capsys.readouterr().err


def test_maintenance_needs_the_tables_configuration(capsys: Capture) -> None:
    assert main(["devices", "monitor", "/dev/ttyUSB0", "--maintenance"]) == ExitCode.UNUSABLE
    assert "--config" in capsys.readouterr().err


def configuration(folder: Path, port: str) -> str:
    """A table's configuration beside its journal folder `journal`."""
    file = folder / "table.toml"
    file.write_text(f'[table]\nname = "M7"\n[shoe]\nport = "{port}"\n')
    return str(file)


def maintenance(port: str, config: str) -> int:
    words = ("devices", "monitor", port, "--maintenance", "--config", config)
    return main([*words, "--yes", "--seconds", "1"])


def test_in_maintenance_the_card_is_shown_after_a_warning(
    line: str, fast_dir: Path, capsys: Capture
) -> None:
    assert maintenance(line, configuration(fast_dir, line)) == ExitCode.DONE

    output = capsys.readouterr()
    assert "B1" in output.out
    assert "WARNING" in output.err


def test_maintenance_is_refused_while_a_shoe_is_open(
    deal: Callable[..., Path],
    opening_and_coups: Callable[[int], tuple[str, ...]],
    fast_dir: Path,
    capsys: Capture,
) -> None:
    deal(*opening_and_coups(1), name="journal")

    assert maintenance("/dev/ttyUSB0", configuration(fast_dir, "/dev/ttyUSB0")) == ExitCode.NO
    assert "a shoe is open" in capsys.readouterr().err


def test_maintenance_is_refused_while_the_table_runs(fast_dir: Path, capsys: Capture) -> None:
    with Journal.open(fast_dir / "journal"):
        assert maintenance("/dev/ttyUSB0", configuration(fast_dir, "/dev/ttyUSB0")) == ExitCode.NO

    assert "already writes this journal" in capsys.readouterr().err


def test_maintenance_is_refused_at_another_tables_port(fast_dir: Path, capsys: Capture) -> None:
    config = configuration(fast_dir, "/dev/ttyUSB1")

    assert maintenance("/dev/ttyUSB0", config) == ExitCode.UNUSABLE
    assert "is not a port of" in capsys.readouterr().err


def test_maintenance_asks_first(fast_dir: Path) -> None:
    config = configuration(fast_dir, "/dev/ttyUSB0")
    words = ("devices", "monitor", "/dev/ttyUSB0", "--maintenance", "--config", config)

    done = subprocess.run(
        [sys.executable, "-m", "controller.cli.main", *words],
        input="n\n",
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout.strip()) == (ExitCode.NO, "")
    assert "nothing was shown" in done.stderr

"""The cable part: is the port there, who may open it, which adapter it is, what unplugging does.

Source: firmware_bridge/transport/README.md, "Ports", "USB devices"; sysfs(5), termios(3).
"""

import grp
import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.open_port import open_port, port_absence
from firmware_bridge.transport.port import LineSettings, PortUnavailable
from firmware_bridge.transport.port_url import DevicePath, NetworkUrl, UsbUrl, parse_port_url
from firmware_bridge.transport.serial_port import SerialPort, list_serial_ports
from firmware_bridge.transport.usb_identity import UsbIdentity, usb_id
from firmware_bridge.transport.usb_serial import find_serial_path
from firmware_bridge.transport.usb_sysfs import device_behind, find_device
from foundation.message import Message
from hil.acceptance.bench import DeviceBench
from hil.acceptance.people import PersonQuestion
from hil.acceptance.report.results import Figure, WalkOutcome, WalkStep

PART: Final = "cable"
QUESTIONS: Final = ("unplug", "replug")
_SYS_TTY: Final = Path("/sys/class/tty")
_NS_PER_MS: Final = 1_000_000
_OPEN_S: Final = 10.0

_Figures = tuple[tuple[str, Figure], ...]


def check_port(bench: DeviceBench) -> WalkStep:
    """The port opens, for this program alone. Raises TapeEnded."""
    session = bench.session
    absent = absence_of(session.url)
    figures = adapter_of(session.url)
    opened = absent is None and session.wait_for(lambda: session.is_open, _OPEN_S)
    reason = ""
    if not opened:
        lost = session.lost[-1][1] if session.lost else "it did not open"
        reason = lost if absent is None else to_words(absent)
        return WalkStep(PART, "port", _PORT, WalkOutcome.FAIL, figures, reason=reason)
    figures += (("opens", True), *_opening(bench))
    outcome = WalkOutcome.PASS
    if isinstance(parse_port_url(session.url), DevicePath):
        exclusive = _refuses_a_second(session.url, bench.line)
        figures += (("refuses_a_second_program", exclusive),)
        if not exclusive:
            outcome = WalkOutcome.FAIL
            reason = "a second program can open it: what it reads is lost to the table"
    return WalkStep(PART, "port", _PORT, outcome, figures, reason=reason)


def check_unplugging(bench: DeviceBench) -> WalkStep:
    """The loss is noticed, and the same name comes back. Raises NobodyAnswers, TapeEnded."""
    session = bench.session
    if not session.is_open:
        return _unplugging(WalkOutcome.NOT_DONE, reason="the port is not open")
    before, lost = _target(session.url), len(session.lost)
    answer = bench.answerer.ask(PersonQuestion("unplug", "Pull the device's cable, and wait."))
    if answer.skipped:
        return _unplugging(WalkOutcome.NOT_DONE, reason=answer.skipped)
    asked_ns = session.clock().monotonic_ns
    while not session.wait_for(lambda: len(session.lost) > lost, bench.wait_s):
        if not bench.answerer.ask_again("unplug", "no loss was noticed"):
            return _unplugging(WalkOutcome.FAIL, reason="no loss was noticed", answer=answer.text)
    at, why = session.lost[lost]
    figures: _Figures = (
        ("answer_to_loss_ms", (at.monotonic_ns - asked_ns) // _NS_PER_MS),
        ("loss", why),
    )
    again = bench.answerer.ask(PersonQuestion("replug", "Plug it in again, into the same place."))
    if again.skipped:
        return _unplugging(WalkOutcome.NOT_DONE, figures, again.skipped, answer.text)
    asked_ns = session.clock().monotonic_ns
    session.wake()
    while not session.wait_for(lambda: session.is_open, bench.wait_s):
        if not bench.answerer.ask_again("replug", "it did not come back under this name"):
            reason = f"it did not come back under this name: {session.lost[-1][1]}"
            return _unplugging(WalkOutcome.FAIL, figures, reason, answer.text)
        session.wake()
    back_ms = (session.opened[-1].monotonic_ns - asked_ns) // _NS_PER_MS
    figures += (("answer_to_opening_ms", back_ms), ("same_name", True))
    after = _target(session.url)
    if before != after:
        figures += (("name_before", before), ("name_after", after))
    return _unplugging(WalkOutcome.PASS, figures, answer=answer.text)


_PORT: Final = "The port is there and opens"
_UNPLUG: Final = "Unplugged and plugged in again"


def _unplugging(
    outcome: WalkOutcome, figures: _Figures = (), reason: str = "", answer: str = ""
) -> WalkStep:
    return WalkStep(PART, "unplug", _UNPLUG, outcome, figures, reason=reason, answer=answer)


def absence_of(url: str) -> Message | None:
    """Why the port is not there; None if it is. Raises ValueError: a wrong URL."""
    return port_absence(url)


def adapter_of(url: str) -> _Figures:
    """What this machine says of the adapter at a port; nothing is opened. Raises ValueError."""
    parsed = parse_port_url(url)
    match parsed:
        case NetworkUrl(host=host, port=port):
            return (("peer", f"{host}:{port}"),)
        case DevicePath(path=path):
            return _serial_adapter(path)
        case UsbUrl(scheme="usbserial"):
            with suppress(PortUnavailable):
                return _serial_adapter(find_serial_path(parsed))
        case UsbUrl():
            with suppress(PortUnavailable):
                return _usb_figures(find_device(parsed, None).identity)
    return ()


def _serial_adapter(path: str) -> _Figures:
    device = os.path.realpath(path)
    figures: _Figures = (("device", device),)
    with suppress(OSError, KeyError):
        found = Path(device).stat()
        owner = f"{pwd.getpwuid(found.st_uid).pw_name}:{grp.getgrgid(found.st_gid).gr_name}"
        figures += (("permissions", f"{stat.filemode(found.st_mode)} {owner}"),)
    with suppress(OSError):
        driver = (_SYS_TTY / Path(device).name / "device" / "driver").resolve(strict=True)
        figures += (("kernel_driver", driver.name),)
    for port in list_serial_ports():
        if port.device == device:
            figures += (("stable_path", port.stable_path), ("description", port.description))
    usb = device_behind(path)
    return figures if usb is None else (*figures, *_usb_figures(usb))


def _usb_figures(device: UsbIdentity) -> _Figures:
    return (
        ("usb", usb_id(device.vendor_id, device.product_id)),
        ("usb_serial", device.serial_number),
        ("usb_place", device.path),
    )


def _opening(bench: DeviceBench) -> _Figures:
    """The signal lines of RS-232, where the port has any."""
    port = bench.session.port
    lines = port.signal_lines() if isinstance(port, SerialPort) else None
    if lines is None:
        return (("signal_lines", "this port has none"),)
    return (("signal_lines", " ".join(f"{name}={'on' if on else 'off'}" for name, on in lines)),)


def _refuses_a_second(url: str, line: LineSettings) -> bool:
    """Whether the port refuses to be opened once more while it is open."""
    second = open_port(url, line)
    try:
        second.open()
    except PortUnavailable:
        return True
    second.close()
    return False


def _target(url: str) -> str:
    """The device that a path leads to; else the URL."""
    return url if "://" in url else os.path.realpath(url)

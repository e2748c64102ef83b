"""Emulated USB devices for one program under test: real pyusb, real libusb, no hardware, no root.

Source: umockdev(7).
"""

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from hil.progress import process_ends, wait_while_moving

PRELOADED = "libumockdev-preload.so.0"
SYSTEM_PYTHON = "/usr/bin/python3"
NO_ANSWER = "the process that serves USB devices gave no answer"
READER = {"vendor_id": 0x0AB1, "product_id": 0x0002, "product": "OBID RFID-Reader"}
SCANNER = {"vendor_id": 0x0C2E, "product_id": 0x0B81, "product": "bar code scanner"}


class UsbTestBedFailed(Exception):
    """The serving process failed; the message ends with its output."""


class UsbTestBed:
    """Use as a context manager. A program started with `environment` sees the bed's devices only.

    `on_kernel`: the devices are instead plugged into the running kernel's virtual host
    controller and visible to all programs; that needs root and vhci_hcd.
    """

    def __init__(self, *, on_kernel: bool = False) -> None:
        self._on_kernel = on_kernel
        self._process: subprocess.Popen[str] | None = None
        self._root = ""
        self.plugged: set[str] = set()

    def __enter__(self) -> Self:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("UMOCKDEV")
        }
        environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
        command = (sys.executable, "-m", "hil.emulator.usb.vhci_serve")
        if not self._on_kernel:
            environment["LD_PRELOAD"] = PRELOADED
            command = (SYSTEM_PYTHON, "-m", "hil.emulator.usb.umockdev_serve")
        self._process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._root = str(self._answer()["root"])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None
        process, self._process = self._process, None
        assert process.stdin is not None
        process.stdin.close()
        if not process_ends(process):
            process.kill()
            process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()

    @property
    def environment(self) -> dict[str, str]:
        """Variables to add to the environment of the program under test."""
        if self._on_kernel:
            return {}
        return {"UMOCKDEV_DIR": self._root, "LD_PRELOAD": PRELOADED}

    def plug(
        self,
        name: str,
        identity: Mapping[str, object] | None = None,
        functions: Sequence[Mapping[str, object]] = (),
        place: str = "1-1",
        *,
        held: bool = False,
    ) -> None:
        """Plug a device in; a known name is the same device again, with a new address.

        `identity`: vendor_id, product_id, serial_number, ...; `functions`: one for each interface,
        with `kind` (bulk, hid_pos, keyboard), `device` (MODULE:NAME of something with receive and
        tick; by default a scripted device) and its `settings`. `held`: no program can open it
        until the order `release`.
        """
        described: dict[str, object] = {"held": held}
        if identity is not None:
            described |= {"identity": dict(identity), "place": place}
            described["functions"] = [dict(function) for function in functions]
        self.order("plug", name, **described)
        self.plugged.add(name)

    def unplug(self, name: str) -> None:
        """Unplug a device: pending transfers end, and its removal is announced."""
        self.order("unplug", name)
        self.plugged.discard(name)

    def counts(self, name: str) -> dict[str, int]:
        """Counts of host actions on a device: plugged, opened, claimed, submitted, ..."""
        counted = self.order("count", name)
        assert isinstance(counted, dict)
        return counted

    def call(self, name: str, method: str, **arguments: object) -> object:
        """Call a method of the device behind the first interface, by name."""
        return self.order("call", name, method=method, arguments=arguments)

    def order(self, order: str, name: str, **facts: object) -> object:
        """Send one order and return its result. Raises UsbTestBedFailed if it is refused."""
        assert self._process is not None, "the bed is used as a context manager"
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"order": order, "name": name, **facts}) + "\n")
        answer = self._answer()
        if answer["event"] != "done":
            raise UsbTestBedFailed(f"{order} {name}: {answer.get('reason')}")
        return answer["result"]

    def _answer(self) -> dict[str, object]:
        assert self._process is not None
        stdout = self._process.stdout
        assert stdout is not None
        ready = wait_while_moving(lambda wait_s: select.select([stdout], [], [], wait_s)[0])
        line = stdout.readline() if ready else ""
        if not line:
            self._process.kill()
            _, stderr = self._process.communicate()
            raise UsbTestBedFailed(f"{NO_ANSWER}: {stderr}")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

"""What a process that serves USB devices is told on stdin, one JSON object a line, each answered.

Responsible for: making a device from its description, and the orders plug, unplug, stall, hang,
resume, hold, release, call and count.
Not responsible for: the bus the devices are plugged into (umockdev_bus, vhci_bus).
Source: package README, "USB without a device".
"""

import importlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Protocol, get_args, get_type_hints

from hil.emulator.usb import descriptors
from hil.emulator.usb.cdc_acm import DATA_CLASS, AcmControl
from hil.emulator.usb.descriptors import Identity
from hil.emulator.usb.device import Function, UsbDevice
from hil.emulator.usb.functions import (
    PACKET_BYTES,
    BulkFunction,
    ByteDevice,
    HidFunction,
    ScriptedDevice,
)

Answer = dict[str, object]
SCRIPT = "hil.emulator.usb.functions:ScriptedDevice"
SCANNER = "hil.emulator.scanners.hid_pos:HidPosDevice"
SECOND_REPORT_IN = 0x82
KEYBOARD_REPORT_BYTES = 8


class Bus(Protocol):
    """Where devices are plugged in."""

    def plug(self, name: str, place: str, device: UsbDevice, *, held: bool) -> None: ...

    def unplug(self, name: str) -> None: ...

    def hold(self, name: str, *, held: bool) -> None:
        """Let no program have the device, as if another one held it, or let it go."""
        ...

    def counts(self, name: str) -> dict[str, int]:
        """What the host has done to the device since it was first plugged in."""
        ...


class Refused(Exception):
    """An order that cannot be obeyed; the message says why."""


def byte_device(description: Mapping[str, Any], default: str) -> ByteDevice:
    """`device` is MODULE:NAME of a class, made of `settings`."""
    module, _, name = str(description.get("device", default)).partition(":")
    maker = getattr(importlib.import_module(module), name)
    made: ByteDevice = maker(**fitted(maker.__init__, description.get("settings", {})))
    return made


def fitted(function: Callable[..., object], given: Mapping[str, Any]) -> dict[str, Any]:
    """Values from JSON as a function's parameters want them: bytes from hexadecimal digits, enums
    from their values, the moment where none is given; a lone `settings` is made of them all.
    """
    wanted = get_type_hints(function)
    wanted.pop("return", None)
    kind = _class_of(wanted.get("settings"))
    if isinstance(kind, type) and is_dataclass(kind):
        return {"settings": kind(**fitted(kind.__init__, given))} if given else {}
    fits = {name: _fitted(wanted.get(name), value) for name, value in given.items()}
    return {"at_ns": time.monotonic_ns()} | fits if "at_ns" in wanted else fits


def _class_of(hint: object) -> Any:
    """The class in `Class` or `Class | None`."""
    classes = [one for one in (get_args(hint) or (hint,)) if one is not type(None)]
    return classes[0] if len(classes) == 1 else None


def _fitted(hint: object, value: object) -> object:
    if hint is bytes and isinstance(value, str):
        return bytes.fromhex(value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    return value


def make_functions(description: Mapping[str, Any]) -> tuple[Function, ...]:
    """`kind` is bulk, hid_pos, keyboard, or serial, which takes the first two interfaces."""
    match description.get("kind"):
        case "bulk":
            return (BulkFunction(byte_device(description, SCRIPT), cut=_cut(description)),)
        case "serial":
            carried = byte_device(description, SCRIPT)
            return (AcmControl(), BulkFunction(carried, DATA_CLASS, cut=_cut(description)))
        case "hid_pos":
            return (HidFunction(byte_device(description, SCANNER)),)
        case "keyboard":
            keyboard = HidFunction(
                ScriptedDevice(),
                descriptors.KEYBOARD_REPORTS,
                boot_protocol=int(description.get("boot", 1)),
                report_bytes=KEYBOARD_REPORT_BYTES,
                endpoint=int(description.get("endpoint", SECOND_REPORT_IN)),
            )
            return (keyboard,)
        case other:
            raise Refused(f"no kind of interface is called {other!r}")


def _cut(description: Mapping[str, Any]) -> tuple[int, ...]:
    """The sizes of the packets the device sends; left out: whole ones."""
    return tuple(int(size) for size in description.get("cut", (PACKET_BYTES,)))


class Orders:
    """Keeps the devices by name; a device unplugged and plugged in again is the same one."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._devices: dict[str, tuple[str, UsbDevice]] = {}
        self._plugged: set[str] = set()
        self.quitting = False

    def obey(self, line: str) -> str:
        """The answer to one line: `done` with a result, or `refused` with a reason."""
        try:
            order = json.loads(line)
            answer: Answer = {"event": "done", "result": self._do(order)}
        except (Refused, ValueError, TypeError, KeyError, AttributeError, ImportError) as error:
            answer = {"event": "refused", "reason": f"{type(error).__name__}: {error}"}
        return json.dumps(answer, sort_keys=True)

    def _do(self, order: Mapping[str, Any]) -> object:
        name = str(order.get("name", ""))
        match order["order"]:
            case "plug":
                self._plug(name, order)
            case "unplug":
                self._known(name)
                self._plugged.discard(name)
                self._bus.unplug(name)
            case "stall":
                self._known(name).stall(int(order["endpoint"]), int(order.get("times", 1)))
            case "hang" | "resume" as wanted:
                self._known(name).hung = wanted == "hang"
            case "hold" | "release" as wanted:
                self._bus.hold(name, held=wanted == "hold")
            case "count":
                return self._bus.counts(name)
            case "call":
                return self._call(name, order)
            case "quit":
                self.quitting = True
            case other:
                raise Refused(f"no order is called {other!r}")
        return None

    def _known(self, name: str) -> UsbDevice:
        if name not in self._devices:
            raise Refused(f"no device is called {name!r}")
        return self._devices[name][1]

    def _plug(self, name: str, order: Mapping[str, Any]) -> None:
        if name in self._plugged:
            raise Refused(f"{name} is plugged in")
        if "functions" in order:
            functions: Sequence[Mapping[str, Any]] = order["functions"]
            identity = Identity(**order["identity"])
            made = tuple(one for each in functions for one in make_functions(each))
            device = UsbDevice(identity, made)
            self._devices[name] = (str(order.get("place", "1-1")), device)
        device = self._known(name)
        place = str(order.get("place", self._devices[name][0]))
        device.plugged(time.monotonic_ns())
        self._bus.plug(name, place, device, held=bool(order.get("held")))
        self._plugged.add(name)

    def _call(self, name: str, order: Mapping[str, Any]) -> object:
        """Do something to the device behind one of the interfaces, by the name of its method."""
        function = self._known(name).functions[int(order.get("function", 0))]
        if not isinstance(function, BulkFunction | HidFunction | AcmControl):
            raise Refused(f"{name} has no device there")
        method = getattr(function.device, str(order["method"]))
        result = method(**fitted(method, order.get("arguments", {})))
        return result.hex() if isinstance(result, bytes) else result

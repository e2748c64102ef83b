"""Executes the orders that a USB serving process reads on stdin, one JSON object a line.

The orders are plug, unplug, stall, hang, resume, hold, release, call, count and quit.
"""

import importlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from typing import Any, Protocol, get_args, get_type_hints

from hil.emulator.usb import descriptors
from hil.emulator.usb.descriptors import UsbIdentity
from hil.emulator.usb.device import Function, UsbDevice
from hil.emulator.usb.functions import (
    DATA_CLASS,
    PACKET_BYTES,
    AcmControl,
    BulkFunction,
    ByteDevice,
    HidFunction,
    ScriptedDevice,
)

JsonObject = dict[str, object]
SCRIPT = "hil.emulator.usb.functions:ScriptedDevice"
SCANNER = "hil.emulator.scanners.hid_pos:HidPosDevice"
SECOND_REPORT_IN = 0x82
KEYBOARD_REPORT_BYTES = 8


class Bus(Protocol):
    """Where devices are plugged in."""

    def plug(self, name: str, place: str, device: UsbDevice, *, held: bool) -> None: ...

    def unplug(self, name: str) -> None: ...

    def hold(self, name: str, *, held: bool) -> None:
        """Let no program claim the device, as if another one had claimed it, or end that."""
        ...

    def counts(self, name: str) -> dict[str, int]:
        """Counts of what the host did to the device since it was first plugged in."""
        ...


class OrderRefused(Exception):
    """An order that cannot be executed; the message says why."""


def build_byte_device(description: Mapping[str, Any], default: str) -> ByteDevice:
    """Build a device: `device` is MODULE:NAME of a class, `settings` its arguments."""
    module, _, name = str(description.get("device", default)).partition(":")
    factory = getattr(importlib.import_module(module), name)
    device: ByteDevice = factory(
        **convert_arguments(factory.__init__, description.get("settings", {}))
    )
    return device


def convert_arguments(function: Callable[..., object], given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert JSON values to a function's parameter types.

    Bytes come from hexadecimal digits, enums from their values, `at_ns` from the clock where it is
    missing; a single `settings` dataclass is built from all values.
    """
    wanted = get_type_hints(function)
    wanted.pop("return", None)
    kind = _class_of(wanted.get("settings"))
    if isinstance(kind, type) and is_dataclass(kind):
        return {"settings": kind(**convert_arguments(kind.__init__, given))} if given else {}
    arguments = {name: _convert(wanted.get(name), value) for name, value in given.items()}
    return {"at_ns": time.monotonic_ns()} | arguments if "at_ns" in wanted else arguments


def _class_of(hint: object) -> Any:
    """The class in `Class` or `Class | None`."""
    classes = [one for one in (get_args(hint) or (hint,)) if one is not type(None)]
    return classes[0] if len(classes) == 1 else None


def _convert(hint: object, value: object) -> object:
    if hint is bytes and isinstance(value, str):
        return bytes.fromhex(value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    return value


def build_functions(description: Mapping[str, Any]) -> tuple[Function, ...]:
    """Build functions; `kind` is bulk, hid_pos, keyboard, or serial (the first two interfaces)."""
    match description.get("kind"):
        case "bulk":
            return (
                BulkFunction(
                    build_byte_device(description, SCRIPT), cut=_packet_sizes(description)
                ),
            )
        case "serial":
            serial_device = build_byte_device(description, SCRIPT)
            return (
                AcmControl(),
                BulkFunction(serial_device, DATA_CLASS, cut=_packet_sizes(description)),
            )
        case "hid_pos":
            return (HidFunction(build_byte_device(description, SCANNER)),)
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
            raise OrderRefused(f"no kind of interface is called {other!r}")


def _packet_sizes(description: Mapping[str, Any]) -> tuple[int, ...]:
    """The sizes of the packets the device sends; full packets by default."""
    return tuple(int(size) for size in description.get("cut", (PACKET_BYTES,)))


class Orders:
    """Holds the devices by name; a device unplugged and plugged in again is the same object."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._devices: dict[str, tuple[str, UsbDevice]] = {}
        self._plugged: set[str] = set()
        self.quitting = False

    def execute(self, line: str) -> str:
        """Execute one line; returns `done` with a result, or `refused` with a reason, as JSON."""
        try:
            order = json.loads(line)
            answer: JsonObject = {"event": "done", "result": self._do(order)}
        except (
            OrderRefused,
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            ImportError,
        ) as error:
            answer = {"event": "refused", "reason": f"{type(error).__name__}: {error}"}
        return json.dumps(answer, sort_keys=True)

    def _do(self, order: Mapping[str, Any]) -> object:
        name = str(order.get("name", ""))
        match order["order"]:
            case "plug":
                self._plug(name, order)
            case "unplug":
                self._device(name)
                self._plugged.discard(name)
                self._bus.unplug(name)
            case "stall":
                self._device(name).stall(int(order["endpoint"]), int(order.get("times", 1)))
            case "hang" | "resume" as wanted:
                self._device(name).hung = wanted == "hang"
            case "hold" | "release" as wanted:
                self._bus.hold(name, held=wanted == "hold")
            case "count":
                return self._bus.counts(name)
            case "call":
                return self._call(name, order)
            case "quit":
                self.quitting = True
            case other:
                raise OrderRefused(f"no order is called {other!r}")
        return None

    def _device(self, name: str) -> UsbDevice:
        if name not in self._devices:
            raise OrderRefused(f"no device is called {name!r}")
        return self._devices[name][1]

    def _plug(self, name: str, order: Mapping[str, Any]) -> None:
        if name in self._plugged:
            raise OrderRefused(f"{name} is plugged in")
        if "functions" in order:
            functions: Sequence[Mapping[str, Any]] = order["functions"]
            identity = UsbIdentity(**order["identity"])
            built = tuple(one for each in functions for one in build_functions(each))
            device = UsbDevice(identity, built)
            self._devices[name] = (str(order.get("place", "1-1")), device)
        device = self._device(name)
        place = str(order.get("place", self._devices[name][0]))
        device.plugged(time.monotonic_ns())
        self._bus.plug(name, place, device, held=bool(order.get("held")))
        self._plugged.add(name)

    def _call(self, name: str, order: Mapping[str, Any]) -> object:
        """Call a method of the device behind one of the interfaces, by name."""
        function = self._device(name).functions[int(order.get("function", 0))]
        if not isinstance(function, BulkFunction | HidFunction | AcmControl):
            raise OrderRefused(f"{name} has no device there")
        method = getattr(function.device, str(order["method"]))
        result = method(**convert_arguments(method, order.get("arguments", {})))
        return result.hex() if isinstance(result, bytes) else result

"""What a HID device says it is: its report descriptor, as far as it decides whom we talk to.

Responsible for: the applications a report descriptor declares (usage page and usage of each
application collection) and the ids of its output and feature reports; is it a point-of-sale bar
code scanner, is it a keyboard.
Not responsible for: reading the descriptor (usb_port) and what input reports mean (the driver).
Source: HID 1.11, section 6.2.2; HID Point of Sale Usage Tables 1.02, section 2.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from firmware_bridge.values import dataclass

Usage: TypeAlias = tuple[int, int]

BAR_CODE_SCANNER: Final[Usage] = (0x8C, 0x02)
# Generic desktop page: keyboard and keypad.
KEYBOARDS: Final[tuple[Usage, ...]] = ((0x01, 0x06), (0x01, 0x07))

_LONG_ITEM: Final = 0xFE
_APPLICATION: Final = 0x01
# Type and tag of a short item, as they stand in its first byte without the size.
_INPUT, _OUTPUT, _FEATURE, _COLLECTION, _END_COLLECTION = 0x80, 0x90, 0xB0, 0xA0, 0xC0
_MAIN_ITEMS: Final = (_INPUT, _OUTPUT, _FEATURE, _COLLECTION, _END_COLLECTION)
_USAGE_PAGE, _REPORT_ID, _PUSH, _POP = 0x04, 0x84, 0xA4, 0xB4
_USAGE: Final = 0x08
_DEPTH_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class HidReports:
    """`whole`: the descriptor was read to its end, so nothing is hidden behind a broken item."""

    applications: tuple[Usage, ...]
    output_ids: tuple[int, ...]
    feature_ids: tuple[int, ...]
    whole: bool

    @property
    def is_bar_code_scanner(self) -> bool:
        return self.whole and BAR_CODE_SCANNER in self.applications

    @property
    def is_keyboard(self) -> bool:
        return any(usage in KEYBOARDS for usage in self.applications)


@dataclass(frozen=True, slots=True)
class _Item:
    what: int
    size: int
    value: int


class _Reading:
    """Goes through a descriptor and notes what it declares."""

    def __init__(self) -> None:
        self.applications: list[Usage] = []
        self.output_ids: list[int] = []
        self.feature_ids: list[int] = []
        self._page = 0
        self._report_id = 0
        self._pushed: list[tuple[int, int]] = []
        self._usages: list[Usage] = []  # since the last main item

    def take(self, item: _Item) -> bool:
        """Note one item; whether it makes sense here."""
        match item.what:
            case _ if item.what == _USAGE_PAGE:
                self._page = item.value
            case _ if item.what == _REPORT_ID:
                self._report_id = item.value
            case _ if item.what == _USAGE:
                # A usage of four bytes carries its own page.
                own = (item.value >> 16, item.value & 0xFFFF)
                self._usages.append(own if item.size == 4 else (self._page, item.value))
            case _ if item.what == _PUSH:
                self._pushed.append((self._page, self._report_id))
                return len(self._pushed) <= _DEPTH_MAX
            case _ if item.what == _POP:
                if not self._pushed:
                    return False
                self._page, self._report_id = self._pushed.pop()
            case _ if item.what in _MAIN_ITEMS:
                self._take_main(item)
            case _:
                pass  # sizes, counts, units: nothing that says what the device is
        return True

    def _take_main(self, item: _Item) -> None:
        if item.what == _COLLECTION and item.value == _APPLICATION:
            self.applications.extend(self._usages)
        elif item.what == _OUTPUT and self._report_id not in self.output_ids:
            self.output_ids.append(self._report_id)
        elif item.what == _FEATURE and self._report_id not in self.feature_ids:
            self.feature_ids.append(self._report_id)
        self._usages.clear()


def read_report_descriptor(descriptor: bytes) -> HidReports:
    """Read any bytes as a report descriptor; the first broken item ends it."""
    reading = _Reading()
    whole = all(item is not None and reading.take(item) for item in _items(descriptor))
    return HidReports(
        tuple(reading.applications),
        tuple(reading.output_ids),
        tuple(reading.feature_ids),
        whole=whole and bool(descriptor),
    )


def _items(descriptor: bytes) -> Iterator[_Item | None]:
    """The short items in order; long ones, which nobody uses, are passed over; None: cut short."""
    at = 0
    while at < len(descriptor):
        first = descriptor[at]
        if first == _LONG_ITEM:
            at += 3 + (descriptor[at + 1] if at + 1 < len(descriptor) else len(descriptor))
            if at > len(descriptor):
                yield None
            continue
        size = (0, 1, 2, 4)[first & 0x03]
        data = descriptor[at + 1 : at + 1 + size]
        if len(data) < size:
            yield None
            return
        yield _Item(first & 0xFC, size, int.from_bytes(data, "little"))
        at += 1 + size

"""Reads a HID report descriptor: is the device a bar code scanner, is it a keyboard.

Source: HID 1.11, section 6.2.2; HID Point of Sale Usage Tables 1.02, section 2.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec import Struct

Usage: TypeAlias = tuple[int, int]

BAR_CODE_SCANNER: Final[Usage] = (0x8C, 0x02)
# Generic desktop page: keyboard and keypad.
KEYBOARDS: Final[tuple[Usage, ...]] = ((0x01, 0x06), (0x01, 0x07))

_LONG_ITEM: Final = 0xFE
_APPLICATION: Final = 0x01
# Type and tag of a short item: its first byte without the size bits.
_INPUT, _OUTPUT, _FEATURE, _COLLECTION, _END_COLLECTION = 0x80, 0x90, 0xB0, 0xA0, 0xC0
_MAIN_ITEMS: Final = (_INPUT, _OUTPUT, _FEATURE, _COLLECTION, _END_COLLECTION)
_USAGE_PAGE, _REPORT_ID, _PUSH, _POP = 0x04, 0x84, 0xA4, 0xB4
_USAGE: Final = 0x08
_DEPTH_MAX: Final = 16


class HidReports(Struct, frozen=True):
    """What a report descriptor declares: application usages and report ids.

    `whole`: the descriptor was read to its end, so nothing is hidden behind a broken item.
    """

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


class _DescriptorItem(Struct, frozen=True):
    tag: int
    size: int
    value: int


class _DescriptorReader:
    """Walks through a descriptor and collects what it declares."""

    def __init__(self) -> None:
        self.applications: list[Usage] = []
        self.output_ids: list[int] = []
        self.feature_ids: list[int] = []
        self._page = 0
        self._report_id = 0
        self._pushed: list[tuple[int, int]] = []
        self._usages: list[Usage] = []  # since the last main item

    def take(self, item: _DescriptorItem) -> bool:
        """Process one item; return whether it is valid here."""
        match item.tag:
            case _ if item.tag == _USAGE_PAGE:
                self._page = item.value
            case _ if item.tag == _REPORT_ID:
                self._report_id = item.value
            case _ if item.tag == _USAGE:
                # A usage of four bytes contains its own page.
                own = (item.value >> 16, item.value & 0xFFFF)
                self._usages.append(own if item.size == 4 else (self._page, item.value))
            case _ if item.tag == _PUSH:
                self._pushed.append((self._page, self._report_id))
                return len(self._pushed) <= _DEPTH_MAX
            case _ if item.tag == _POP:
                if not self._pushed:
                    return False
                self._page, self._report_id = self._pushed.pop()
            case _ if item.tag in _MAIN_ITEMS:
                self._take_main(item)
            case _:
                pass  # sizes, counts, units: irrelevant to what the device is
        return True

    def _take_main(self, item: _DescriptorItem) -> None:
        if item.tag == _COLLECTION and item.value == _APPLICATION:
            self.applications.extend(self._usages)
        elif item.tag == _OUTPUT and self._report_id not in self.output_ids:
            self.output_ids.append(self._report_id)
        elif item.tag == _FEATURE and self._report_id not in self.feature_ids:
            self.feature_ids.append(self._report_id)
        self._usages.clear()


def read_report_descriptor(descriptor: bytes) -> HidReports:
    """Read any bytes as a report descriptor; reading ends at the first broken item."""
    reader = _DescriptorReader()
    whole = all(item is not None and reader.take(item) for item in _items(descriptor))
    return HidReports(
        tuple(reader.applications),
        tuple(reader.output_ids),
        tuple(reader.feature_ids),
        whole=whole and bool(descriptor),
    )


def _items(descriptor: bytes) -> Iterator[_DescriptorItem | None]:
    """Yield the short items in order, without long ones, which are unused; None: truncated."""
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
        yield _DescriptorItem(first & 0xFC, size, int.from_bytes(data, "little"))
        at += 1 + size

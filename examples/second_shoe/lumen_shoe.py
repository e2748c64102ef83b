"""Lumen/1, an optical dealing shoe that only talks: protocol, driver and descriptor.

Source: README.md beside this file.
"""

import re
from functools import reduce
from operator import xor
from typing import Annotated, Final

from msgspec import Meta, Struct

from drivers import events
from drivers.events import DeclaredWinner, DeviceEvent, Face, FaceSuit, LossReason, Stage
from drivers.faults import DeviceFault
from drivers.model import CardReading, DeviceKind, DeviceModel
from drivers.shell import LinkDriver, LinkedState
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput, cut_at
from foundation.message import message
from foundation.timestamp import Timestamp

LINE: Final = re.compile(rb":(\d{3} [A-Z]+(?: [A-Z0-9?]{1,2})?)\*([0-9A-F]{2})")
LINE_MAX: Final = 32
FACE: Final = re.compile(r"([A2-9TJQK])([CDHS])")
WINNERS: Final = {"P": DeclaredWinner.PLAYER, "B": DeclaredWinner.BANKER, "T": DeclaredWinner.TIE}


class LumenLinkState(Struct, frozen=True):
    pending: bytes = b""
    number: int | None = None


class Report(Struct, frozen=True):
    """One good line; `missing` reports before it were lost."""

    what: tuple[str, ...]
    missing: int


class LumenLink(Struct, frozen=True):
    """Lines to reports. No input raises; of half a line no more is kept than a line can be."""

    def opened(self, state: LumenLinkState, _at: Timestamp) -> tuple[LumenLinkState, LinkOutput]:
        return LumenLinkState(number=state.number), LinkOutput()

    closed = opened

    def tick(self, state: LumenLinkState, _at: Timestamp) -> tuple[LumenLinkState, LinkOutput]:
        return state, LinkOutput()

    def next_deadline_ns(self, _state: LumenLinkState) -> None:
        return None

    def receive(
        self, state: LumenLinkState, data: bytes, _at: Timestamp
    ) -> tuple[LumenLinkState, LinkOutput[Report]]:
        *lines, pending = (state.pending + data).split(b"\n")
        items, number = [], state.number
        for line in lines:
            found = LINE.fullmatch(line)
            if found is None or reduce(xor, found[1]) != int(found[2], 16):
                items.append(LinkFault(LinkFaultKind.NOISE, message("lumen_line_makes_no_sense")))
                continue
            digits, *what = found[1].decode().split()
            known = number is not None and what != ["BOOT"]
            missing = (int(digits) - number - 1) % 1000 if known else 0
            number = int(digits)
            items.append(Report(tuple(what), missing))
        return LumenLinkState(pending[-LINE_MAX:], number), LinkOutput(tuple(items))


class LumenSettings(Struct, frozen=True):
    result_keys: Annotated[bool, Meta(description="its keys declare the results")] = True


class LumenState(LinkedState[LumenLinkState], frozen=True, tag="lumen-1-state"):
    pass


class LumenShoe(LinkDriver[LumenState, Report | LinkFault], frozen=True):
    settings: LumenSettings

    @property
    def link(self) -> LumenLink:
        return LumenLink()

    def initial(self) -> LumenState:
        return LumenState(Stage.CLOSED, LumenLinkState())

    def split(self, _state: LumenState, data: bytes) -> tuple[bytes, ...]:
        return cut_at(data, (at + 1 for at, byte in enumerate(data) if byte == ord("\n")))

    def item(
        self, state: LumenState, item: Report | LinkFault, _at: Timestamp
    ) -> tuple[LumenState, tuple[DeviceEvent, ...]]:
        if isinstance(item, LinkFault):
            return state, (DeviceFault(item.kind, item.detail),)
        lost = (events.ReportsLost(LossReason.GAP, item.missing),) if item.missing else ()
        return state, (*lost, *self.events_of(item.what))

    def events_of(self, what: tuple[str, ...]) -> tuple[DeviceEvent, ...]:
        match what:
            case ("BOOT",):
                return (events.DeviceStarted(),)
            case ("CUT",):
                return (events.CutCardSeen(),)
            case ("KEY", key) if key in WINNERS:
                pressed = events.ResultButtonPressed(WINNERS[key], False, False)
                return (pressed,) if self.settings.result_keys else ()
            case ("CARD", text) if (found := FACE.fullmatch(text)) or text == "??":
                face = found and Face("A23456789TJQK".index(found[1]) + 1, FaceSuit(found[2]))
                return (events.CardRead(events.ClaimedUse.UNCLAIMED, 0, face, repeated=False),)
            case _:
                return (events.ReportsLost(LossReason.UNREADABLE, 1),)


LUMEN_1: Final = DeviceModel(
    name="lumen-1",
    title="Lumen/1 optical shoe (example)",
    kind=DeviceKind.SHOE,
    settings=LumenSettings,
    driver=lambda settings, _installed: LumenShoe(settings),
    state=LumenState,
    baud=9600,
    parity="N",
    cards=CardReading.FACE,
    result_buttons=True,
    states_continuity=True,
)

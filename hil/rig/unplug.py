"""Unplugs a shoe's line at seeded moments in the middle of a card, and plugs it in again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from hil.dealing.actions import DealerAction, PressResult
from hil.dealing.cards import PhysicalCard
from hil.dealing.truth import ReportTruth
from hil.emulator.feig.device import FeigSettings
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.line import LineServer
from hil.emulator.lines.reports import Report
from hil.emulator.lines.serve import PtyServer
from hil.rig.shoe_runner import DealingShoe, ignore_action
from hil.usb.bed import UsbTestBed

# The records of a card: its tag, gate shut, gate open.
RECORDS_OF_A_CARD = 3
# The records of the gate alone are longer than this.
BYTES_OF_A_CARD_MIN = 24


class CountedShoe(RfidShoe):
    """An RFID shoe that records the tags of the cards drawn, in order."""

    def __init__(self, settings: FeigSettings | None = None, *, by_hand: bool = False) -> None:
        super().__init__(settings, by_hand=by_hand)
        self.drawn: list[str] = []

    def draw_piece(self, piece: PhysicalCard) -> tuple[Report, ...]:
        self.drawn.append(piece.tag)
        return super().draw_piece(piece)


class Plug(Protocol):
    """Something that can be pulled while a card passes."""

    def pull(self, line: LineServer[CountedShoe], records_before: int, source: Random) -> None:
        """Pull it at a random moment of a card; the reader had `records_before` records before.

        Returns when it is unplugged.
        """
        ...

    def put_in(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SerialPlug:
    """A serial line, pulled at any record or at any byte."""

    server: PtyServer[CountedShoe]

    def pull(self, line: LineServer[CountedShoe], records_before: int, source: Random) -> None:
        if source.random() < 0.5:
            _wait_for_record(line, records_before, source)
            self.server.unplug()
            return
        self.server.cut_after(source.randint(1, BYTES_OF_A_CARD_MIN))
        cut = line.wait_for(lambda _shoe: not self.server.plugged)
        assert cut, "the line was to be cut, but no bytes passed"

    def put_in(self) -> None:
        self.server.replug()


@dataclass(frozen=True, slots=True)
class UsbPlug:
    """A device of an emulated USB bus, pulled at any record."""

    bed: UsbTestBed
    device: str

    def pull(self, line: LineServer[CountedShoe], records_before: int, source: Random) -> None:
        _wait_for_record(line, records_before, source)
        self.bed.unplug(self.device)

    def put_in(self) -> None:
        self.bed.plug(self.device)


def _wait_for_record(line: LineServer[CountedShoe], before: int, source: Random) -> None:
    wanted = before + source.randint(0, RECORDS_OF_A_CARD)
    assert line.wait_for(lambda shoe: shoe.reader.records_made >= wanted)


@dataclass(slots=True)
class PulledLine:
    """A served shoe whose plug is pulled, as ShoeRunner's `outlet` and `people`.

    `between` bounds the number of cards between two pulls, `out` that of cards drawn while it is
    unplugged. After `pulls_max` pulls it stays plugged in.
    """

    line: LineServer[CountedShoe]
    plug: Plug
    seed: int
    pulls_max: int
    people: Callable[[DealerAction], None] = ignore_action
    between: tuple[int, int] = (3, 9)
    out: tuple[int, int] = (0, 3)
    pulls: int = 0
    is_out: bool = False
    _source: Random = field(init=False)
    _cards_left: int = field(init=False)

    def __post_init__(self) -> None:
        self._source = Random(self.seed)  # noqa: S311 - reproducible
        self._cards_left = self._source.randint(*self.between)

    def perform(self, act: Callable[[DealingShoe], tuple[Report, ...]]) -> tuple[Report, ...]:
        """Do it; if a card leaves the shoe and a pull is due, pull the plug meanwhile."""
        shoe = self.line.emulator
        drawn, records = len(shoe.drawn), shoe.reader.records_made
        reports = self.line.perform(act)
        if len(shoe.drawn) > drawn:
            self._card_passes(records)
        return reports

    def settle(self) -> bool:
        """Let all reports leave."""
        return self.line.settle()

    def take_reports(self) -> tuple[ReportTruth, ...]:
        """The reports that have left since the last call."""
        return self.line.take_reports()

    def __call__(self, action: DealerAction) -> None:
        """For ShoeRunner.people: plug in before a result is declared, then call `people`."""
        if isinstance(action, PressResult) and self.is_out:
            self.put_in()
        self.people(action)

    def put_in(self) -> None:
        """Plug it in again."""
        self.plug.put_in()
        self.is_out = False
        self._cards_left = self._source.randint(*self.between)

    def _card_passes(self, records_before: int) -> None:
        self._cards_left -= 1
        if self._cards_left >= 0:
            return
        if self.is_out:
            self.put_in()
        elif self.pulls < self.pulls_max:
            self.plug.pull(self.line, records_before, self._source)
            self.pulls += 1
            self.is_out = True
            self._cards_left = self._source.randint(*self.out)

"""Emulates a shuffler without a data port: lid, running lamp, done lamp and jam, as lines.

Time comes in with each call; it has no thread. It knows the cards in it, which its contacts do not
show. `high` are the levels of its four lines, as a chip would read them; a served line carries each
change as the byte of a reading.

Source: firmware_bridge/contacts/README.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hil.dealing.cards import PhysicalCard
from hil.dealing.truth import ReportTruth
from hil.emulator.lines.reports import Copy, Report
from hil.emulator.lines.transmission import Transmission

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ContactSettings:
    """`shuffle_ns`: how long it takes."""

    shuffle_ns: int = 90 * NS_PER_S


class ReadingLog:
    """Every reading is sent once; none is a report that a dealer made."""

    def settle(self, transmission: Transmission) -> None:
        """Nothing: contacts do not know what arrived."""

    def take(self) -> tuple[ReportTruth, ...]:
        """No report."""
        return ()


class ContactShuffler:
    """Implements hil.emulator.lines.served_device.ServedDevice.

    `shuffled`: the cards in it were mixed since they went in, and nobody touched them since.
    """

    def __init__(self, settings: ContactSettings | None = None) -> None:
        self.settings = settings or ContactSettings()
        self.log = ReadingLog()
        self.cards: list[PhysicalCard] = []
        self.shuffled = False
        self.shuffles = 0
        self._lid_open = self._running = self._done = self._jam = False
        self._powered = True
        self._begins = False
        self._ends_ns: int | None = None
        self._waiting: list[bytes] = []
        self._sent = 0

    # What people and the world do.

    def open_lid(self) -> tuple[()]:
        """Open the lid; a shuffle under way stops."""
        self._lid_open = True
        return self._stop()

    def close_lid(self) -> tuple[()]:
        """Close the lid."""
        self._lid_open = False
        return self._report()

    def put_in(self, cards: Sequence[PhysicalCard]) -> tuple[()]:
        """Put a batch in, under the open lid."""
        assert self._lid_open, "the lid is closed"
        assert not self.cards, "there is a batch in it"
        self.cards, self.shuffled = list(cards), False
        return ()

    def take(self) -> tuple[PhysicalCard, ...]:
        """Take the batch out, from under the open lid."""
        assert self._lid_open, "the lid is closed"
        taken, self.cards = tuple(self.cards), []
        return taken

    def touch(self) -> tuple[()]:
        """Reach into the batch, under the open lid."""
        assert self._lid_open, "the lid is closed"
        self.shuffled = False
        return ()

    def press_start(self) -> tuple[()]:
        """Start a shuffle; nothing happens with the lid open, a jam, or without power."""
        if self._powered and not (self._lid_open or self._jam or self._running):
            self._running, self._done, self._begins = True, False, True
            self.shuffled = False
        return self._report()

    def jam(self) -> tuple[()]:
        """Cards jam; a shuffle under way stops."""
        self._jam = True
        self.shuffled = False
        return self._stop()

    def clear_jam(self) -> tuple[()]:
        """Free the cards."""
        self._jam = False
        return self._report()

    def cut_power(self) -> tuple[()]:
        """Cut its power: the lamps are dark, and the lines of lid and jam are low."""
        self._powered, self._done = False, False
        return self._stop()

    def restore_power(self) -> tuple[()]:
        """Switch it on again."""
        self._powered = True
        return self._report()

    def flash_done(self) -> tuple[()]:
        """Somebody bridges the done lamp's line for a moment: no shuffle happened."""
        for self._done in (True, False):
            self._report()
        return ()

    # Its lines.

    @property
    def high(self) -> tuple[bool, bool, bool, bool]:
        """The levels of its lines: lid, running lamp, done lamp, jam.

        Those of lid and jam are high while all is well, those of the lamps while they are on.
        """
        on = self._powered
        return (
            on and not self._lid_open,
            on and self._running,
            on and self._done,
            on and not self._jam,
        )

    # The served line.

    @property
    def idle(self) -> bool:
        return not self._waiting

    @property
    def next_due_ns(self) -> int | None:
        return 0 if self._waiting or self._begins else self._ends_ns

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """The readings that wait, and the end of a shuffle that is due."""
        if self._begins:
            self._begins, self._ends_ns = False, at_ns + self.settings.shuffle_ns
        if self._ends_ns is not None and at_ns >= self._ends_ns:
            self._finish()
        waiting, self._waiting = self._waiting, []
        copies = []
        for data in waiting:
            self._sent += 1
            copies.append(Copy(Report(self._sent, "contacts", data), 1))
        return tuple(copies)

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Nothing: contacts take no bytes."""
        return b""

    def overdue_answer(self, at_ns: int) -> bytes:
        """Nothing: it answers nobody."""
        return b""

    def host_appeared(self, at_ns: int) -> None:
        """Somebody reads the lines from now on: the first reading is as they are."""
        self._waiting.clear()
        self._report()

    def _finish(self) -> None:
        self._ends_ns = None
        self._running, self._done = False, True
        self.shuffled = True
        self.shuffles += 1
        self._report()

    def _stop(self) -> tuple[()]:
        self._running, self._begins, self._ends_ns = False, False, None
        return self._report()

    def _report(self) -> tuple[()]:
        levels = sum(1 << line for line, high in enumerate(self.high) if high)
        data = bytes(((15 - levels) * 16 + levels,))
        if self._waiting[-1:] != [data]:
            self._waiting.append(data)
        return ()

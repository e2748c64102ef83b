"""An emulated shoe on TCP with a dealer on a thread of his own, for one of several tables.

The shoe can be killed and come back; it notes when each card's report was sent.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from hil.dealing.actions import DealerAction, Draw, MistakeMade, NewShoe, Pause, PauseKind
from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import PlannedMistake
from hil.dealing.truth import Truth
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import TcpServer
from hil.progress import SAMPLE_S, Patience
from hil.rig.loopback_server import POLL_S
from hil.rig.shoe_runner import NS_PER_S, Pace, ShoeRunner

SHOES_MAX = 1_000
# What was drawn: the number of the shoe since the beginning, and of the card in it.
CardNumber = tuple[int, int]


class DealerLeft(Exception):
    """The dealer has ended."""


class MortalServer(TcpServer[AngelEye]):
    """A serial server that loses its power and comes back on the same port."""

    def __init__(self, emulator: AngelEye, settings: LineServerSettings | None = None) -> None:
        super().__init__(emulator, settings)
        # When the first byte was sent since this was last set to 0.
        self.sent_ns = 0

    def die(self) -> None:
        """Reset the connection and close the port; what is sent meanwhile is lost."""
        self._in_thread(self._fall)

    def come_back(self) -> None:
        """Listen again. Raises LineUnavailable if the port was taken meanwhile."""
        self._in_thread(self._rise)

    def _fall(self) -> None:
        self._port_wanted = self.port
        self._drop(reset=True)
        self._listener.close()

    def _rise(self) -> None:
        self._listener = socket.socket()
        self._open()

    @property
    def _dead(self) -> bool:
        return self._listener.fileno() < 0

    def _watched(self) -> tuple[int, ...]:
        return () if self._dead else super()._watched()

    def _take_input(self) -> bytes:
        return b"" if self._dead else super()._take_input()

    def _put_output(self, data: bytes) -> int:
        if not self.sent_ns:
            self.sent_ns = time.perf_counter_ns()
        return super()._put_output(data)


class TableShoe:
    """Use as a context manager; the program finds the shoe at `url`. Deals from `begin()` on.

    After each of the `mistakes` the dealer calls `on_mistake` and goes on when that returns.
    """

    def __init__(
        self,
        seed: int,
        pace: Pace,
        copies: int = 3,
        mistakes: tuple[PlannedMistake, ...] = (),
        on_mistake: Callable[[], object] = lambda: None,
    ) -> None:
        self.server = MortalServer(AngelEye(AngelEyeSettings(repeats=copies)))
        # When the report of each card was sent, by `time.perf_counter_ns`.
        self.sent_ns: dict[CardNumber, int] = {}
        self._last: CardNumber = (0, 0)
        self._leaving = threading.Event()
        self._finishing = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._held = threading.Event()
        self._coups = 0
        self._coup_over = threading.Condition()
        self._on_mistake = on_mistake
        # The floorperson of the bench has an extra card and its amount burned.
        remedy = OverdrawRemedy.BURN_AMOUNT
        settings = DealerSettings(seed, SHOES_MAX, mistakes=mistakes, overdraw_remedy=remedy)
        self._dealer = Dealer(settings)
        self._runner = ShoeRunner(
            self._dealer,
            self.server,
            pace=pace,
            may_deal=self._before_action,
            pause=self._pause,
            on_action=self._after_action,
        )
        self._thread = threading.Thread(target=self._deal, name=f"dealer {seed}", daemon=True)

    def __enter__(self) -> Self:
        self.server.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leaving.set()
        if self._thread.ident is not None:
            self._thread.join()
        self.server.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def truth(self) -> Truth:
        """What was dealt; whole once `finish` has returned."""
        return self._dealer.truth

    def begin(self) -> Self:
        """Deal until `finish` or the end of the block. The program must have connected."""
        assert self.server.wait_connected(), "nobody connected to the shoe"
        self._thread.start()
        return self

    def hold_after_coup(self) -> None:
        """Let the dealer wait once the coup that is being dealt is over, and wait for that.

        Raises StoodStill.
        """
        self._held.clear()
        self._going.clear()
        patience = Patience(progress=self._dealt)
        while not self._held.wait(SAMPLE_S):
            patience.check("the coup does not end")

    def go_on(self) -> None:
        """Let him deal on."""
        self._going.set()

    def wait_for_coups(self, count: int) -> None:
        """Wait until so many more coups are over. Raises StoodStill."""
        with self._coup_over:
            wanted, patience = self._coups + count, Patience(progress=self._dealt)
            while not self._coup_over.wait_for(lambda: self._coups >= wanted, SAMPLE_S):
                patience.check(f"{self._coups} coups are dealt, {wanted} were awaited")

    def leave_after_coup(self) -> None:
        """Let the dealing end with the coup that is being dealt."""
        self._finishing.set()

    def finish(self) -> None:
        """The same, and wait for it."""
        self.leave_after_coup()
        if self._thread.ident is not None:
            self._thread.join()

    def _dealt(self) -> object:
        return self._last, self._coups

    def _deal(self) -> None:
        with contextlib.suppress(DealerLeft):
            self._runner.run()

    def _before_action(self) -> bool:
        self.server.sent_ns = 0
        return True

    def _pause(self, pause_ns: int) -> None:
        if self._leaving.wait(pause_ns / NS_PER_S):
            raise DealerLeft

    def _after_action(self, action: DealerAction) -> None:
        shoe, card = self._last
        match action:
            case NewShoe():
                self._last = shoe + 1, 0
            case MistakeMade():
                self._on_mistake()
            case Draw():
                self._last = shoe, card + 1
                if self.server.sent_ns:
                    self.sent_ns[self._last] = self.server.sent_ns
            case Pause(PauseKind.BETWEEN_COUPS):
                with self._coup_over:
                    self._coups += 1
                    self._coup_over.notify_all()
                while not (self._going.is_set() or self._leaving.is_set()):
                    self._held.set()
                    self._going.wait(POLL_S)
                if self._finishing.is_set():
                    raise DealerLeft
            case _:
                pass

"""The shuffler of a demo, its pairing, and the attendant who has spent batches shuffled."""

import json
import queue
from collections.abc import Callable, Sequence
from threading import Event, Thread
from types import MappingProxyType
from typing import Final

from hil.dealing.cards import PhysicalCard
from hil.demo.plan import DECKS, NS_PER_MS, OPERATOR, DemoSettings, Speed, Transport
from hil.emulator.lines.line import LineServer, LineServerSettings
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shuffler import REAL_TIME, Shuffler
from hil.rig.batch_exchange import (
    ShufflerCondition,
    batch_of_shoe,
    playing_cards,
    release_and_take,
    shuffle_and_store,
)
from hil.rig.commissioning import TRUST_KEYS, pair
from hil.rig.shoe_models import serve, url_of

BAUD: Final = 1_000_000
POLL_S: Final = 0.02
# Fast enough that a batch is shuffled long before the other one is dealt.
_TEMPO: Final = MappingProxyType(
    {
        Speed.REAL: REAL_TIME,
        Speed.BRISK: ShufflerSettings(
            load_card_ns=2 * NS_PER_MS,
            count_card_ns=2 * NS_PER_MS,
            shuffle_ns=4_000 * NS_PER_MS,
            store_ns=400 * NS_PER_MS,
            release_ns=400 * NS_PER_MS,
        ),
        Speed.MAX: ShufflerSettings(),
    }
)
CONFIG: Final = """\
[shuffler]
port = {port}
{trust}
"""


class ShufflerInterrupted(Exception):
    """The demo was stopped during an operation at the shuffler."""


class DemoShuffler:
    """The served shuffler and its attendant; use as a context manager."""

    def __init__(self, settings: DemoSettings) -> None:
        self._settings = settings
        line = LineServerSettings(speed=0, baud=BAUD, patience_s=60.0)
        tcp = 0 if settings.transport is Transport.TCP else None
        device = Shuffler(_TEMPO[settings.speed])
        self._line: LineServer[Shuffler] = serve(
            device, line, link=settings.folder / "shuffler", tcp=tcp
        )
        self._spent: queue.Queue[tuple[str, Sequence[PhysicalCard]] | None] = queue.Queue()
        self._stopping = Event()
        self._stored: set[str] = set()
        self._attendant = Thread(target=self._attend, name="attendant", daemon=True)

    def __enter__(self) -> "DemoShuffler":
        self._line.__enter__()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stopping.set()
        self._spent.put(None)
        if self._attendant.ident is not None:
            self._attendant.join()
        self._line.__exit__(None, None, None)

    @property
    def url(self) -> str:
        """The URL or path that the program opens."""
        return url_of(self._line)

    def config(self) -> str:
        """Its section of table.toml."""
        return CONFIG.format(port=json.dumps(self.url), trust=TRUST_KEYS)

    def pair(self) -> None:
        """Pair the device and approve its firmware. Raises ProgramFailed."""
        pair(self._settings.folder, self.url, self._line.emulator.pins, OPERATOR)

    # People at the shuffler.

    def start(self) -> None:
        """Have both new batches put in and shuffled one after the other."""
        self._attendant.start()
        for number in (1, 2):
            batch = batch_of_shoe(number, DECKS)
            self._spent.put((batch.back, playing_cards(batch)))

    def is_stored(self, number: int) -> bool:
        """Whether the batch of that shoe is shuffled and stored."""
        return batch_of_shoe(number, DECKS).back in self._stored

    @property
    def is_busy(self) -> bool:
        """Whether the device works on a batch."""
        return self._line.wait_for(lambda shuffler: shuffler.busy, 0.0)

    def bring_out(self, number: int) -> str:
        """Release the batch of that shoe and take it out; its back."""
        back = batch_of_shoe(number, DECKS).back
        self._stored.discard(back)
        release_and_take(self, back)
        return back

    def take_back(self, number: int) -> str:
        """Hand the dealt batch of that shoe to the attendant; its back."""
        batch = batch_of_shoe(number, DECKS)
        self._spent.put((batch.back, playing_cards(batch)))
        return batch.back

    def stop(self) -> None:
        """Stop all work at the shuffler."""
        self._stopping.set()

    # hil.rig.batch_exchange.ShufflerAccess.

    def do(self, act: Callable[[Shuffler], object]) -> None:
        """Do something to the device."""

        def perform(device: Shuffler) -> tuple[()]:
            act(device)
            return ()

        self._line.perform(perform)

    def until(self, what: str, ready: ShufflerCondition) -> None:
        """Wait until the device is `ready`. Raises ShufflerInterrupted."""
        while not self._line.wait_for(ready, POLL_S):
            if self._stopping.is_set():
                raise ShufflerInterrupted(what)

    def _attend(self) -> None:
        while (batch := self._spent.get()) is not None:
            try:
                shuffle_and_store(self, *batch)
            except ShufflerInterrupted:
                return
            self._stored.add(batch[0])

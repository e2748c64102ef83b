"""The emulated dealer of a demo, in a thread: tempo, waiting for the table, exchanging batches.

Not: what is dealt (hil.dealing) and how it reaches the device (hil.rig.shoe_runner).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event, Thread

from controller.custody.batch_life.stages import BatchStage
from controller.outlets.control.client import ControlError
from controller.record.snapshot_devices import ShufflerBatchView
from hil.dealing.actions import (
    DealerAction,
    Draw,
    DrawCutCard,
    MistakeMade,
    NewShoe,
    Pause,
    PauseKind,
)
from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import ONLY_REMARKED, Mistake
from hil.dealing.truth import Truth, json_line
from hil.demo.batches import BatchPlaces
from hil.demo.floorperson import Act
from hil.demo.follow import JournalFollower, SnapshotFollower
from hil.demo.plan import DECKS, DealerConduct, DemoSettings
from hil.demo.shuffler import DemoShuffler, ShufflerInterrupted
from hil.progress import Patience
from hil.rig.console import ConsoleDealer, loading
from hil.rig.shoe_models import ShoeLine, rfid_line
from hil.rig.shoe_runner import CARDS_OF_A_DECK, NS_PER_S, ShoeRunner, ignore_action

# Cards that the table may lag behind: fewer than the line itself would buffer.
LAG_CARDS_MAX = 48
POLL_S = 0.02
# A careless dealer deals at most this many cards while the table is suspended.
DEALT_ON_MAX = 12
# These show only when the next shoe starts.
SHOWS_LATER = (Mistake.SHOE_CHANGED_EARLY,)
# Cards drawn in error: even a careless dealer waits for the decision.
NEEDS_DECISION = (
    Mistake.BURN_LONG,
    Mistake.OVERDRAW_AFTER_NATURAL,
    Mistake.PLAYER_THIRD_WHEN_STANDING,
    Mistake.EXTRA_CARD,
    Mistake.CARD_IN_SETTING_MODE,
)


class DealingStopped(Exception):
    """Dealing was stopped before its end."""


class TableSilent(Exception):
    """The table did not react, and nothing moved any more; the message says to what."""


@dataclass(frozen=True, slots=True)
class DealingResult:
    """How a demo's dealing ended: complete, by Ctrl-C, or by a failure (empty if none).

    `batch_places`: where all cards are, if the shoe reads tags. `batches`: the backs loaded, in
    order. `page`: the address of the operator page.
    """

    truth: Truth
    complete: bool
    interrupted: bool
    failure: str
    batch_places: tuple[BatchPlaces, ...] = ()
    batches: tuple[str, ...] = ()
    page: str = ""


class DealingThread:
    """Deals by the settings. `failure` says what went wrong, empty if nothing did."""

    def __init__(
        self,
        settings: DemoSettings,
        server: ShoeLine,
        act: Act,
        snapshots: SnapshotFollower,
        journal_events: JournalFollower,
        shuffler: DemoShuffler,
    ) -> None:
        self._settings = settings
        self._snapshots = snapshots
        self._journal_events = journal_events
        self._stopping = Event()
        self._act = act
        self._shuffler = shuffler
        self._loaded: list[str] = []
        self._cards = 0
        self._dealt_by: int | None = None  # cards when the table was first seen suspended
        self._noted = 0
        self._changed_early = False
        self._cut_card_out = False
        self.truth = Truth()
        self.failure = ""
        self.complete = False
        dealer_settings = DealerSettings(
            seed=settings.seed,
            shoes=settings.shoes,
            decks=DECKS,
            mistakes=settings.mistakes,
            overdraw_remedy=OverdrawRemedy.BURN_AMOUNT,
        )
        self._dealer = Dealer(dealer_settings)
        self._runner = ShoeRunner(
            self._dealer,
            server,
            pace=settings.tempo.pace,
            may_deal=self._may_deal,
            while_waiting=lambda: self._until("judge what was dealt", self._may_deal),
            pause=self._pause,
            people=self._people(server, act),
            on_action=self._on_action,
        )
        self._thread = Thread(target=self._run, name="dealing", daemon=True)

    def _people(self, server: ShoeLine, act: Act) -> Callable[[DealerAction], None]:
        """What the dealer does besides the shoe: nothing if it has keys."""
        line = rfid_line(server)
        if line is None:
            return ignore_action

        def wait_all_delivered() -> None:
            self._until(
                "read every card", lambda: line.wait_for(lambda shoe: shoe.all_delivered, POLL_S)
            )

        def declare(declaration: Mapping[str, object]) -> None:
            self._ask("a declared result", declaration)

        return ConsoleDealer(wait_all_delivered, declare)

    def _ask(self, what: str, request: Mapping[str, object]) -> None:
        """Send a request that the table must accept. Raises TableSilent."""
        try:
            answer = self._act(request)
        except ControlError as error:
            raise TableSilent(f"the table did not accept {what}: {error}") from error
        if not answer.ok:
            raise TableSilent(f"the table refuses {what}: {answer.error}")

    def start(self) -> None:
        self._thread.start()

    @property
    def batches(self) -> tuple[str, ...]:
        """The backs loaded, in order."""
        return tuple(self._loaded)

    def stop(self) -> None:
        """Stop at the next card or key and wait for the thread."""
        self._stopping.set()
        self._shuffler.stop()
        self._thread.join()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def write_truth(self, write: Callable[[str], object]) -> None:
        """The truth as JSON lines."""
        for record in self.truth.records:
            write(json_line(record) + "\n")

    def _run(self) -> None:
        try:
            self._shuffler.start()
            self._exchange(1)
            self._runner.run()
            self._until("judge the last cards", self._caught_up)
            self._until("close what is open", self._clear)
            self.complete = True
        except (DealingStopped, ShufflerInterrupted):
            self._runner.collect()
            self._journal_events.wait_for(self._caught_up, 1.0)
        except TableSilent as error:
            self.failure = str(error)
        self.truth = self._dealer.truth

    # The table's state.

    @property
    def _careful(self) -> bool:
        return self._settings.conduct is DealerConduct.WAITS

    def _clear(self) -> bool:
        """Whether no irregularity is open, in the journal or the snapshot."""
        return not self._journal_events.open and self._snapshots.table.suspension is None

    def _caught_up(self) -> bool:
        return self._journal_events.cards >= self._cards

    def _may_deal(self) -> bool:
        if self._journal_events.cards < self._cards - LAG_CARDS_MAX:
            return False
        if self._clear():
            self._dealt_by = None
            return True
        if self._dealt_by is None:
            self._dealt_by = self._cards
        return not self._careful and self._cards < self._dealt_by + DEALT_ON_MAX

    def _hold(self) -> None:
        if self._stopping.wait(POLL_S):
            raise DealingStopped

    def _until(self, what: str, ready: Callable[[], bool]) -> None:
        """Wait until `ready`. Raises TableSilent.

        A floorperson's decision takes its own time, and so does the shuffler's work.
        """
        patience = whole = Patience.with_play(self._progress)
        while not ready():
            self._hold()
            if self._journal_events.open:
                patience = whole = Patience.with_play(self._progress)
            elif self._shuffler.is_busy and not whole.is_out_of_bounds:
                patience = Patience.with_play(self._progress)
            elif patience.is_over:
                raise TableSilent(f"the table did not {what}: {patience.account()}")

    def _progress(self) -> str:
        """Where play stands: what the table has concluded, and the stages of devices."""
        table, events = self._snapshots.table, self._journal_events
        batches = table.shuffler.batches if table.shuffler is not None else ()
        stages = ", ".join(f"batch {one.back} {one.stage.value}" for one in batches)
        return (
            f"{events.cards} cards judged of {self._cards}, {events.irregularities} irregularities,"
            f" shoe {table.device.stage.value}, {stages or 'no batch'}"
        )

    # What the dealer does.

    def _pause(self, pause_ns: int) -> None:
        tempo = self._settings.tempo
        coup = self._dealer.coup_number
        slowly = 1 <= coup <= tempo.slow_coups or self._cut_card_out
        factor = tempo.slow_factor if slowly else 1
        if self._stopping.wait(pause_ns * factor / NS_PER_S):
            raise DealingStopped

    def _on_action(self, action: DealerAction) -> None:
        if self._stopping.is_set():
            raise DealingStopped
        match action:
            case Draw():
                self._cards += 1
            case DrawCutCard():
                self._cut_card_out = True
            case NewShoe():
                self._cut_card_out = False
                if self._changed_early:
                    self._changed_early = False
                    self._wait_for_irregularity("the shoe changed early")
                    # Even a careless dealer waits for the decision on the new shoe.
                    self._until("close the shoe changed early", self._clear)
                    self._send_in(self._dealer.shoe_number - 1)
                    self._load(self._loaded[-1])
            case MistakeMade(mistake) if mistake in SHOWS_LATER:
                self._changed_early = True
            case MistakeMade(mistake) if mistake not in ONLY_REMARKED:
                needs_decision = mistake in NEEDS_DECISION
                self._wait_for_irregularity(
                    f"the mistake {mistake.value}", needs_decision=needs_decision
                )
            case Pause(PauseKind.BETWEEN_SHOES):
                self._until("judge the last cards of the shoe", self._caught_up)
                self._until("close what is open", self._clear)
                self._exchange(self._dealer.shoe_number + 1)
            case _:
                return

    def _exchange(self, number: int) -> None:
        """Put the spent batch into the shuffler, take the other one out and load it."""
        if self._changed_early:
            self._bring_out(number)
            self._wait_for_irregularity("the batch that was taken out in play")
            return
        self._send_in(number - 1)
        self._load(self._bring_out(number))

    def _send_in(self, number: int) -> None:
        """Put the batch of that shoe, if there was one, into the shuffler."""
        if number:
            spent = self._shuffler.take_back(number)
            self._until(f"report {spent} in the shuffler", lambda: bool(self._place(spent)))

    def _bring_out(self, number: int) -> str:
        self._until("get the batch stored", lambda: self._shuffler.is_stored(number))
        back = self._shuffler.bring_out(number)
        self._until(f"report {back} as released", lambda: self._is_released(back))
        self._loaded.append(back)
        return back

    def _load(self, back: str) -> None:
        self._ask("the loading", loading(back, DECKS * CARDS_OF_A_DECK))

    def _place(self, back: str) -> int:
        """The compartment the batch is in by the snapshot, 0 for none."""
        batch = self._batch(back)
        return batch.compartment if batch is not None else 0

    def _is_released(self, back: str) -> bool:
        batch = self._batch(back)
        return batch is not None and batch.stage is BatchStage.RELEASED

    def _batch(self, back: str) -> ShufflerBatchView | None:
        shuffler = self._snapshots.table.shuffler
        batches = shuffler.batches if shuffler is not None else ()
        return next((one for one in batches if one.back == back), None)

    def _wait_for_irregularity(self, about: str, *, needs_decision: bool = False) -> None:
        """Wait until the table has raised another irregularity; if need be, until it is decided."""
        before = self._noted
        self._until(
            f"report {about}",
            lambda: self._caught_up() and self._journal_events.irregularities > before,
        )
        if self._careful or needs_decision:
            self._until(f"close {about}", self._clear)
        self._noted = self._journal_events.irregularities

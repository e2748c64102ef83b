"""The dealing of a demo: the emulated dealer at his table, in a thread.

Responsible for: his tempo, that he never runs far ahead of the table, that a careful one waits
while the table is suspended, and that after a mistake the table must speak.
Not responsible for: what he deals (hil.dealing) and how it is carried (hil.rig.shoe_runner,
hil.emulator).
Source: package README, "The demo", "The runner".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event, Thread

from controller.control.client import ControlError
from controller.views.snapshot_reader import Shown
from hil.dealing.actions import Action, CutCard, Draw, MistakeMade, NewShoe, Pause, PauseKind
from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import Mistake
from hil.dealing.truth import Truth, json_line
from hil.demo.batches import Whereabouts
from hil.demo.floorperson import Act
from hil.demo.follow import Chronicle, Newest
from hil.demo.plan import DECKS, DemoSettings, Manner
from hil.demo.shuffler import DemoShuffler, Interrupted
from hil.rig.console import ConsoleHand, loading
from hil.rig.shoe_models import ShoeLine, rfid_line
from hil.rig.shoe_runner import CARDS_OF_A_DECK, NS_PER_S, ShoeRunner, ignore_action

# Cards the table may be behind: a fraction of what the line itself would hold.
LAG_CARDS_MAX = 48
LOOK_S = 0.02
# So far a careless dealer deals on; then even he sees the lamp.
DEALT_ON_MAX = 12
SPEAK_S_MAX = 20.0
# That a shoe was changed early shows only when the new one starts.
SHOWS_LATER = (Mistake.SHOE_CHANGED_EARLY,)
# What becomes of a card drawn in error even a careless dealer waits to hear.
DECIDED_FIRST = (
    Mistake.OVERDRAW_AFTER_NATURAL,
    Mistake.PLAYER_THIRD_WHEN_STANDING,
    Mistake.EXTRA_CARD,
    Mistake.CARD_IN_SETTING_MODE,
)


class Stopped(Exception):
    """Dealing was told to stop in the middle."""


class TableSilent(Exception):
    """The table did not do in time what it must do; the message says what."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """How a demo's dealing ended: to its end, by Ctrl-C, or by a failure (empty where none).

    `whereabouts` of all cards, where the shoe tells one card from another; `batches` are the backs
    that were loaded, shoe by shoe.
    """

    truth: Truth
    complete: bool
    interrupted: bool
    failure: str
    whereabouts: tuple[Whereabouts, ...] = ()
    batches: tuple[str, ...] = ()


class Dealing:
    """Deals what the settings say. `failure` says what went wrong, empty where nothing did."""

    def __init__(
        self,
        settings: DemoSettings,
        server: ShoeLine,
        act: Act,
        newest: Newest,
        chronicle: Chronicle,
        shuffler: DemoShuffler,
    ) -> None:
        self._settings = settings
        self._newest = newest
        self._chronicle = chronicle
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
        told = DealerSettings(
            seed=settings.seed,
            shoes=settings.shoes,
            decks=DECKS,
            mistakes=settings.mistakes,
            overdraw_remedy=OverdrawRemedy.BURN_AMOUNT,
        )
        self._dealer = Dealer(told)
        self._runner = ShoeRunner(
            self._dealer,
            server,
            pace=settings.tempo.pace,
            may_deal=self._may_deal,
            while_held=self._hold,
            pause=self._pause,
            people=self._people(server, act),
            on_action=self._on_action,
        )
        self._thread = Thread(target=self._run, name="dealing", daemon=True)

    def _people(self, server: ShoeLine, act: Act) -> Callable[[Action], None]:
        """What the dealer does beside the shoe: nothing where it has keys."""
        line = rfid_line(server)
        if line is None:
            return ignore_action

        def all_taken() -> None:
            self._until(
                "take over every card", lambda: line.wait_for(lambda shoe: shoe.all_taken, LOOK_S)
            )

        def declare(declaration: Mapping[str, object]) -> None:
            self._ask("a declared result", declaration)

        return ConsoleHand(all_taken, declare)

    def _ask(self, what: str, request: Mapping[str, object]) -> None:
        """Have the table take it. Raises TableSilent."""
        try:
            answer = self._act(request)
        except ControlError as error:
            raise TableSilent(f"the table takes no {what}: {error}") from error
        if answer.get("ok") is not True:
            raise TableSilent(f"the table refuses {what}: {answer.get('error')}")

    def start(self) -> None:
        self._thread.start()

    @property
    def batches(self) -> tuple[str, ...]:
        """The backs that were loaded, in order."""
        return tuple(self._loaded)

    def stop(self) -> None:
        """Stop at the next card or key, and wait for it."""
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
            self._until("get over what is open", self._clear)
            self.complete = True
        except (Stopped, Interrupted):
            self._runner.collect()
            self._chronicle.wait_for(self._caught_up, 1.0)
        except TableSilent as error:
            self.failure = str(error)
        self.truth = self._dealer.truth

    # What the table is at.

    @property
    def _careful(self) -> bool:
        return self._settings.manner is Manner.WAITS

    def _clear(self) -> bool:
        """Nothing is open, neither stored nor shown."""
        return not self._chronicle.open and self._newest.table.text("phase") != "suspended"

    def _caught_up(self) -> bool:
        return self._chronicle.cards >= self._cards

    def _may_deal(self) -> bool:
        if self._chronicle.cards < self._cards - LAG_CARDS_MAX:
            return False
        if self._clear():
            self._dealt_by = None
            return True
        if self._dealt_by is None:
            self._dealt_by = self._cards
        return not self._careful and self._cards < self._dealt_by + DEALT_ON_MAX

    def _hold(self) -> None:
        if self._stopping.wait(LOOK_S):
            raise Stopped

    def _until(self, what: str, ready: Callable[[], bool]) -> None:
        """Hold until it is so. Only a floorperson's decision may take long."""
        waited_s = 0.0
        while not ready():
            self._hold()
            waited_s = 0.0 if self._chronicle.open else waited_s + LOOK_S
            if waited_s > SPEAK_S_MAX:
                raise TableSilent(f"the table did not {what} within {SPEAK_S_MAX:.0f} s")

    # What the dealer does.

    def _pause(self, pause_ns: int) -> None:
        tempo = self._settings.tempo
        coup = self._dealer.coup_number
        slowly = 1 <= coup <= tempo.slow_coups or self._cut_card_out
        factor = tempo.slow_factor if slowly else 1
        if self._stopping.wait(pause_ns * factor / NS_PER_S):
            raise Stopped

    def _on_action(self, action: Action) -> None:
        if self._stopping.is_set():
            raise Stopped
        match action:
            case Draw():
                self._cards += 1
            case CutCard():
                self._cut_card_out = True
            case NewShoe():
                self._cut_card_out = False
                if self._changed_early:
                    self._changed_early = False
                    self._table_speaks("the shoe changed early")
                    # Not even a careless dealer deals from a shoe that the floor has not opened.
                    self._until("get over the shoe changed early", self._clear)
                    self._send_in(self._dealer.shoe_number - 1)
                    self._load(self._loaded[-1])
            case MistakeMade(mistake) if mistake in SHOWS_LATER:
                self._changed_early = True
            case MistakeMade(mistake):
                decided_first = mistake in DECIDED_FIRST
                self._table_speaks(f"the mistake {mistake.value}", decided_first=decided_first)
            case Pause(PauseKind.BETWEEN_SHOES):
                self._until("judge the last cards of the shoe", self._caught_up)
                self._until("get over what is open", self._clear)
                self._exchange(self._dealer.shoe_number + 1)
            case _:
                return

    def _exchange(self, number: int) -> None:
        """The spent batch goes into the shuffler, the other one comes out and is loaded."""
        if self._changed_early:
            self._bring_out(number)
            self._table_speaks("the batch that was taken out in play")
            return
        self._send_in(number - 1)
        self._load(self._bring_out(number))

    def _send_in(self, number: int) -> None:
        """The batch of that shoe, if there was one, goes into the shuffler."""
        if number:
            spent = self._shuffler.take_back(number)
            self._until(f"see {spent} in the shuffler", lambda: bool(self._place(spent)))

    def _bring_out(self, number: int) -> str:
        while not self._shuffler.is_stored(number):
            self._hold()
        back = self._shuffler.bring_out(number)
        self._until(f"take over that {back} is released", lambda: self._stage(back) == "released")
        self._loaded.append(back)
        return back

    def _load(self, back: str) -> None:
        self._ask("the loading", loading(back, DECKS * CARDS_OF_A_DECK))

    def _place(self, back: str) -> int:
        """The compartment it lies in by the table, 0 for none."""
        told = self._newest.table.part("shuffler") or Shown({})
        batches = told.parts("batches")
        return next((one.number("compartment") for one in batches if one.text("back") == back), 0)

    def _stage(self, back: str) -> str:
        told = self._newest.table.part("shuffler") or Shown({})
        return next(
            (one.text("stage") for one in told.parts("batches") if one.text("back") == back), ""
        )

    def _table_speaks(self, about: str, *, decided_first: bool = False) -> None:
        """Hold until the table has raised an irregularity that it had not before."""
        before = self._noted
        self._until(
            f"say anything to {about}",
            lambda: self._caught_up() and self._chronicle.irregularities > before,
        )
        if self._careful or decided_first:
            self._until(f"get over {about}", self._clear)
        self._noted = self._chronicle.irregularities

"""A bench whose hands are a person: says at the terminal what to do, and waits until it is done.

Not run with real devices yet.
"""

import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TextIO

from hil.dealing.actions import PressResult
from hil.dealing.cards import Card, PhysicalCard
from hil.scenario.language.statements import CardFault, Disturb, Interference, TablePart
from hil.scenario.play.bench import NotPossible, RigBroken, ShufflerHands, TableSide
from hil.scenario.rigs.capabilities import Capability
from hil.scenario.rigs.rig_file import PERSON, RigFile

COMMAND_S_MAX: Final = 60.0


def run_bench_command(what: str, command: str, words: Mapping[str, str]) -> None:
    """Run it with `words` in the place of their names in braces. Raises RigBroken.

    A word stays one argument, whatever it holds; there is no shell.
    """
    arguments = [one.format(**words) for one in shlex.split(command)]
    shown = shlex.join(arguments)
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_S_MAX,
            check=False,
        )
    except OSError as error:
        why = f"cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        why = f"did not end within {COMMAND_S_MAX:g} s"
    else:
        if done.returncode == 0:
            return
        said = (done.stderr or done.stdout).strip().splitlines()
        why = f"ended with {done.returncode}" + (f": {said[-1]}" if said else "")
    raise RigBroken(f"{what}: `{shown}` {why}. Remedy: run it by hand, and correct the rig")


CANNOT: Final = "f"
_COMPARTMENTS: Final = {0: "the housing", 1: "compartment 1", 2: "compartment 2"}


class AskedPerson:
    """A person at a terminal: Enter says that it is done, `f` and Enter that it cannot be."""

    def __init__(self, reads: TextIO, writes: TextIO) -> None:
        self._reads = reads
        self._writes = writes

    def ask(self, what: str) -> None:
        """Ask for it, and wait. Raises NotPossible, and RigBroken where nobody is there."""
        self._writes.write(f"  DO: {what} [Enter: done; f Enter: it cannot be done] ")
        self._writes.flush()
        answer = self._reads.readline()
        if not answer:
            raise RigBroken(
                "nobody answers: standard input has ended. Remedy: run it at a terminal"
            )
        if answer.strip().lower() == CANNOT:
            raise NotPossible(f"the person at the bench says that it cannot be done: {what}")


class BenchPower:
    """The power switch of a device: a command of the rig, or the person."""

    def __init__(self, part: TablePart, command: str, person: AskedPerson) -> None:
        self._part = part
        self._command = command
        self._person = person

    def switch(self, *, on: bool) -> None:
        """Switch it. Raises RigBroken, NotPossible."""
        state = "on" if on else "off"
        if self._command in ("", PERSON):
            self._person.ask(f"switch the {self._part.value} {state}")
            return
        run_bench_command(f"power of the {self._part.value}", self._command, {"state": state})


class PersonShoeHands:
    """A person at a real dealing shoe; the cards come from the feeder, or from that person."""

    def __init__(
        self, rig: RigFile, model: str, person: AskedPerson, card_left: Callable[[], object]
    ) -> None:
        """`card_left` is called when a card has left the shoe that the table will judge."""
        self._card_left = card_left
        self._feeder = rig.feeder.command if rig.feeder is not None else PERSON
        self._keys = model == "angel-eye"
        self._person = person
        self._power = BenchPower(TablePart.SHOE, rig.power.shoe, person)

    def put_cards_in(self, cards: Sequence[PhysicalCard]) -> None:
        """Fill it by hand; a feeder has the cards in its own magazine."""
        batch = next((one.back for one in cards if one.card is not None), "red")
        self._person.ask(f"make the {batch} batch ready at the shoe, and switch the shoe on")

    def take_cards_out(self) -> None:
        self._person.ask("empty the shoe, with its cut card last through the exit")

    def draw(self, piece: PhysicalCard, *, burn_key: bool = False, readable: bool = True) -> None:
        """Draw that card. Raises RigBroken if the feeder fails."""
        if self._feeder == PERSON:
            key = ", with the burn key held" if burn_key else ""
            self._person.ask(f"draw {_in_words(piece, readable=readable)}{key}")
        else:
            self._feed(piece, burn_key=burn_key, readable=readable)
        if piece.card is not None:
            self._card_left()

    def _feed(self, piece: PhysicalCard, *, burn_key: bool, readable: bool) -> None:
        if burn_key:
            self._person.ask("hold the burn key until the next question")
        face = _face(piece.card) if piece.card is not None else "cut"
        words = {
            "card": face if readable else "unreadable",
            "batch": piece.back,
            "tag": piece.tag,
        }
        run_bench_command("card feeder", self._feeder, words)
        if burn_key:
            self._person.ask("let the burn key go")

    def press_result(self, pressed: PressResult) -> bool:
        """Press its keys, if it has any."""
        if not self._keys:
            return False
        pairs = (("Player Pair", pressed.player_pair), ("Banker Pair", pressed.banker_pair))
        keys = [*(name for name, on in pairs if on), pressed.winner.value.capitalize()]
        self._person.ask(f"press {', then '.join(keys)}")
        return True

    def press_stand_by(self) -> None:
        if self._keys:
            self._person.ask("press stand-by")

    def press_forced_exit(self) -> None:
        self._require_keys("forced exit")
        self._person.ask("press forced exit")

    def clear_error(self, code: int) -> None:
        if self._keys:
            self._person.ask(f"clear error {code} at the shoe")

    def turn_setting_key(self, *, on: bool) -> None:
        self._require_keys("setting mode")
        self._person.ask(f"turn the key of the setting mode {'on' if on else 'off'}")

    def stick_gate(self, *, stuck: bool) -> None:
        """Raises NotPossible."""
        raise NotPossible("nobody at a bench can let a sensor get stuck")

    def plan(self, fault: CardFault) -> None:
        """Say what has to go wrong with the next card."""
        self._person.ask(f"make ready for the next card: {fault.value.replace('_', ' ')}")

    def power(self, *, on: bool) -> None:
        self._power.switch(on=on)

    def _require_keys(self, key: str) -> None:
        if not self._keys:
            raise NotPossible(f"an RFID shoe has no {key}; write `device shoe angel-eye`")


class PersonShufflerHands:
    """A person at a real shuffler.

    Nobody knows the order in which cards come out: they are given back as they were put in.
    """

    def __init__(self, rig: RigFile, person: AskedPerson) -> None:
        self._person = person
        self._power = BenchPower(TablePart.SHUFFLER, rig.power.shuffler, person)
        self._tray: tuple[PhysicalCard, ...] = ()
        self._within: dict[int, tuple[PhysicalCard, ...]] = {}

    def put_in(self, cards: Sequence[PhysicalCard]) -> None:
        self._person.ask(f"lay the {len(cards)} cards of the {cards[0].back} batch into the tray")
        self._tray += tuple(cards)

    def press(self, button: str, compartment: int, *, at_once: bool = False) -> None:
        where = f" of {_COMPARTMENTS[compartment]}" if compartment else ""
        wait = "" if at_once else ", and wait for the end of its work"
        self._person.ask(f"press {button}{where}{wait}")
        if button == "load":
            self._within[compartment] = self._within.get(compartment, ()) + self._tray
            self._tray = ()

    def take_out(self, compartment: int) -> tuple[PhysicalCard, ...]:
        self._person.ask(f"take the released cards of {_COMPARTMENTS[compartment]} out")
        return self._within.pop(compartment, ())

    def reach_in(self, compartment: int) -> tuple[PhysicalCard, ...]:
        where = _COMPARTMENTS[compartment]
        self._person.ask(
            f"open the door of {where}, take all cards out, also of the tray, close it"
        )
        taken = self._within.pop(compartment, ()) + self._tray
        self._tray = ()
        return taken

    def move_door(self, compartment: int, *, is_open: bool) -> None:
        self._person.ask(
            f"{'open' if is_open else 'close'} the door of {_COMPARTMENTS[compartment]}"
        )

    def stick_door(self, compartment: int, *, stuck: bool) -> None:
        """Raises NotPossible."""
        raise NotPossible("nobody at a bench can let a sensor get stuck")

    def jam(self, compartment: int, *, jammed: bool) -> None:
        words = "jam a card in" if jammed else "clear the jam of"
        self._person.ask(f"{words} {_COMPARTMENTS[compartment]}")

    def leave_cards(self, count: int, compartment: int) -> None:
        self._person.ask(f"leave {count} cards in {_COMPARTMENTS[compartment]}")

    def take_left_cards(self) -> tuple[PhysicalCard, ...]:
        """Raises NotPossible: it is not known which cards were left."""
        raise NotPossible("at a bench it is not known which cards were left")

    def turn_mode_key(self, mode: str) -> None:
        self._person.ask(f"turn the key of the mode to {mode}")

    def light(self, code: int, text: str, *, on: bool) -> None:
        self._person.ask(f"make warning {code} ({text}) {'come' if on else 'go'}")

    def interfere(self, how: Interference) -> None:
        self._person.ask(f"change the shuffler: {how.value}")

    def power(self, *, on: bool) -> None:
        self._power.switch(on=on)


class PersonBench:
    """A table with real devices. `table` is the program under test, already running."""

    def __init__(
        self,
        rig: RigFile,
        model: str,
        table: TableSide,
        person: AskedPerson,
        card_left: Callable[[], object] = lambda: None,
    ) -> None:
        self.table = table
        self.shoe = PersonShoeHands(rig, model, person, card_left)
        self._person = person
        self._rack = Capability.RACK in rig.can
        self._shuffler = None if rig.shuffler is None else PersonShufflerHands(rig, person)

    @property
    def shuffler(self) -> ShufflerHands:
        if self._shuffler is None:
            raise NotPossible("this bench has no shuffler")
        return self._shuffler

    def lay_in_rack(self, cards: Sequence[PhysicalCard]) -> None:
        if self._rack:
            self._person.ask(f"lay the {len(cards)} dealt cards into the discard rack")

    def move_plug(self, part: TablePart, *, plugged: bool) -> None:
        words = "plug in" if plugged else "pull"
        self._person.ask(f"{words} the cable of the {part.value}")

    def disturb(self, fault: Disturb) -> None:
        """Raises NotPossible: nobody is on a real line."""
        raise NotPossible("nobody stands on the line of a real device")


def _in_words(piece: PhysicalCard, *, readable: bool) -> str:
    if piece.card is None:
        return "the cut card"
    if not readable:
        return "a card that the shoe cannot read"
    return f"{_face(piece.card)} of the {piece.back} batch"


def _face(card: Card) -> str:
    """A face as scenarios write it, such as 7h."""
    text = str(card)
    return text[:-1] + text[-1:].lower()

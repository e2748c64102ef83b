"""Hands at emulated devices, on a line of any kind: memory, a pty, TCP."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final, Generic, Protocol, TypeVar

from hil.dealing.actions import PressResult
from hil.dealing.cards import Card, PhysicalCard
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import ExitFault, RfidShoe
from hil.emulator.tablelink.compartment import DeviceMode
from hil.emulator.tablelink.shuffler import Shuffler
from hil.scenario.language.statements import CardFault, Interference
from hil.scenario.play.bench import NotPossible

# Another device of the same make, and firmware that nobody approved.
_STRANGER: Final = bytes(range(16))
_STRANGER_SEED: Final = bytes(range(32))
_AT_ANGEL_EYE: Final = (
    CardFault.UNREADABLE,
    CardFault.MISREAD,
    CardFault.CLAIMED_WRONGLY,
    CardFault.REPORTED_TWICE,
)
_EXIT_FAULTS: Final = {CardFault(one.value): one for one in ExitFault}
_FOREIGN_IMAGE: Final = sha256(b"firmware that nobody approved").digest()


DeviceCo = TypeVar("DeviceCo", covariant=True)
AnswerT = TypeVar("AnswerT")


class DeviceLine(Protocol, Generic[DeviceCo]):
    """An emulated device on its line."""

    def do(self, act: Callable[[DeviceCo], object]) -> None:
        """Do something to the device, and let its reports leave."""
        ...

    def ask(self, question: Callable[[DeviceCo], AnswerT]) -> AnswerT:
        """Look at the device; no time passes."""
        ...

    def card_left(self) -> None:
        """A playing card has left the shoe: wait until the device has sent it, for a verdict.

        Raises RigBroken where it is not sent, and the scenario has disturbed nothing.
        """
        ...

    def until(self, what: str, ready: Callable[[DeviceCo], bool]) -> None:
        """Wait until the device is `ready`. Raises RigBroken, which says `what` did not come."""
        ...


class AngelEyeHands:
    """At an Angel Eye: it has keys, reads faces, and does not see which batch a card is of."""

    def __init__(self, line: DeviceLine[AngelEye]) -> None:
        self._line = line
        self._same_shoe = False  # cards were drawn, and no cut card
        self._planned: list[CardFault] = []

    def put_cards_in(self, cards: Sequence[PhysicalCard]) -> None:
        """Switch it on; it does not see what lies in it."""
        self._line.do(lambda shoe: shoe.power_on())

    def take_cards_out(self) -> None:
        """Draw the cut card: without it the shoe takes the next cards for the same shoe."""
        if self._same_shoe:
            self._line.do(lambda shoe: shoe.draw_cut_card())
        self._same_shoe = False

    def draw(self, piece: PhysicalCard, *, burn_key: bool = False, readable: bool = True) -> None:
        """Draw that card, or the cut card."""
        card = piece.card
        self._same_shoe = card is not None
        if card is None:
            self._line.do(lambda shoe: shoe.draw_cut_card())
        else:
            fault = self._planned.pop(0) if self._planned else None
            self._draw_with(card, fault, burn_key=burn_key, readable=readable)

    def _draw_with(
        self, card: Card, fault: CardFault | None, *, burn_key: bool, readable: bool
    ) -> None:
        read = readable and fault is not CardFault.UNREADABLE
        if fault is CardFault.CLAIMED_WRONGLY:
            self._line.do(lambda shoe: shoe.claim_wrongly())
        face = replace(card, rank=card.rank % 13 + 1) if fault is CardFault.MISREAD else card
        self._line.do(lambda shoe: shoe.draw(face, burn_key=burn_key, readable=read))
        self._line.card_left()
        if fault is CardFault.REPORTED_TWICE:
            self._line.do(lambda shoe: shoe.retransmit())

    def press_result(self, pressed: PressResult) -> bool:
        """Press its keys."""
        pairs = pressed.player_pair, pressed.banker_pair
        self._line.do(lambda shoe: shoe.press_result(pressed.winner, *pairs))
        return True

    def press_stand_by(self) -> None:
        self._line.do(lambda shoe: shoe.stand_by())

    def press_forced_exit(self) -> None:
        self._line.do(lambda shoe: shoe.force_exit())

    def clear_error(self, code: int) -> None:
        self._line.do(lambda shoe: shoe.clear_error(code))

    def turn_setting_key(self, *, on: bool) -> None:
        def turn(shoe: AngelEye) -> None:
            shoe.setting_mode = on

        self._line.do(turn)

    def plan(self, fault: CardFault) -> None:
        """Raises NotPossible for faults of a shoe with tags."""
        if fault not in _AT_ANGEL_EYE:
            raise NotPossible(f"{fault.value} is a fault of an RFID shoe; write `device shoe rfid`")
        self._planned.append(fault)

    def stick_gate(self, *, stuck: bool) -> None:
        """Raises NotPossible: it has none."""
        raise NotPossible("an Angel Eye has no gate; write `device shoe rfid`")

    def power(self, *, on: bool) -> None:
        """Switch it on; it sends nothing when it goes off."""
        if on:
            self._line.do(lambda shoe: shoe.power_on())


class RfidShoeHands:
    """At an RFID shoe: it identifies every card, and has no keys."""

    def __init__(self, line: DeviceLine[RfidShoe]) -> None:
        self._line = line
        self._gate_stuck = False

    def put_cards_in(self, cards: Sequence[PhysicalCard]) -> None:
        """It has no switch, and notices nothing of it."""

    def take_cards_out(self) -> None:
        """It notices nothing of it."""

    def draw(self, piece: PhysicalCard, *, burn_key: bool = False, readable: bool = True) -> None:
        """Draw that piece past the reader."""
        if not readable:
            self.plan(CardFault.NO_TAG)
        self._line.do(lambda shoe: shoe.draw_piece(piece))
        # Without its light barrier the shoe does not know that a card leaves.
        if piece.card is not None and not self._gate_stuck:
            self._line.card_left()

    def press_result(self, pressed: PressResult) -> bool:
        """It has no keys."""
        return False

    def press_stand_by(self) -> None:
        """It has no keys."""

    def press_forced_exit(self) -> None:
        """Raises NotPossible."""
        raise _no_key("forced exit")

    def clear_error(self, code: int) -> None:
        """It has no errors of its own."""

    def turn_setting_key(self, *, on: bool) -> None:
        """Raises NotPossible."""
        raise _no_key("setting mode")

    def plan(self, fault: CardFault) -> None:
        """Raises NotPossible for faults of a shoe that reads faces and has keys."""
        planned = ExitFault.NO_TAG if fault is CardFault.UNREADABLE else _EXIT_FAULTS.get(fault)
        if planned is None:
            raise NotPossible(f"{fault.value} is a fault of an Angel Eye")
        self._line.do(lambda shoe: shoe.order(planned))

    def stick_gate(self, *, stuck: bool) -> None:
        self._gate_stuck = stuck

        def stick(shoe: RfidShoe) -> None:
            shoe.gate_stuck = stuck

        self._line.do(stick)

    def power(self, *, on: bool) -> None:
        self._line.do(lambda shoe: shoe.power_on() if on else shoe.power_off())


class EmulatedShufflerHands:
    """At an emulated TableLink shuffler."""

    def __init__(self, line: DeviceLine[Shuffler]) -> None:
        self._line = line

    def put_in(self, cards: Sequence[PhysicalCard]) -> None:
        self._line.do(lambda shuffler: shuffler.put_in(cards))

    def press(self, button: str, compartment: int, *, at_once: bool = False) -> None:
        """Raises NotPossible where the device refuses it, with its reason."""
        before = len(self._line.ask(lambda shuffler: tuple(shuffler.refusals)))
        self._line.do(lambda shuffler: shuffler.press(button, compartment))
        if not at_once:
            self._line.until(f"the end of {button}", lambda shuffler: not shuffler.busy)
        refusals = self._line.ask(lambda shuffler: tuple(shuffler.refusals))[before:]
        if refusals:
            raise NotPossible(f"the shuffler refuses {button} {compartment}: {refusals[0]}")

    def take_out(self, compartment: int) -> tuple[PhysicalCard, ...]:
        taken: list[PhysicalCard] = []
        self._line.do(lambda shuffler: taken.extend(shuffler.take(compartment)))
        return tuple(taken)

    def reach_in(self, compartment: int) -> tuple[PhysicalCard, ...]:
        taken: list[PhysicalCard] = []

        def take(shuffler: Shuffler) -> None:
            count = len(shuffler.bays[compartment].pieces)
            taken.extend(shuffler.reach_in(compartment, out=count))
            taken.extend(shuffler.tray)
            shuffler.tray.clear()

        self._line.do(lambda shuffler: shuffler.clear_jam(compartment))
        self.move_door(compartment, is_open=True)
        self._line.do(take)
        self.move_door(compartment, is_open=False)
        return tuple(taken)

    def move_door(self, compartment: int, *, is_open: bool) -> None:
        def move(shuffler: Shuffler) -> None:
            (shuffler.open_door if is_open else shuffler.close_door)(compartment)

        self._line.do(move)

    def stick_door(self, compartment: int, *, stuck: bool) -> None:
        def stick(shuffler: Shuffler) -> None:
            (shuffler.stuck_doors.add if stuck else shuffler.stuck_doors.discard)(compartment)

        self._line.do(stick)

    def jam(self, compartment: int, *, jammed: bool) -> None:
        def stick(shuffler: Shuffler) -> None:
            (shuffler.jam if jammed else shuffler.clear_jam)(compartment)

        self._line.do(stick)

    def leave_cards(self, count: int, compartment: int) -> None:
        self._line.do(lambda shuffler: shuffler.leave_residual(count, compartment))

    def take_left_cards(self) -> tuple[PhysicalCard, ...]:
        taken: list[PhysicalCard] = []
        self._line.do(lambda shuffler: taken.extend(shuffler.take_residual()))
        return tuple(taken)

    def turn_mode_key(self, mode: str) -> None:
        self._line.do(lambda shuffler: shuffler.set_mode(DeviceMode[mode.upper()]))

    def light(self, code: int, text: str, *, on: bool) -> None:
        self._line.do(lambda shuffler: shuffler.lamp(code, text, on=on))

    def interfere(self, how: Interference) -> None:
        self._line.do(lambda shuffler: _interfere(shuffler, how))

    def power(self, *, on: bool) -> None:
        self._line.do(lambda shuffler: shuffler.power_on() if on else shuffler.power_off())


def _interfere(shuffler: Shuffler, how: Interference) -> None:
    match how:
        case Interference.OPENED:
            shuffler.tamper("the port was opened")
        case Interference.RECONFIGURED:
            shuffler.reconfigure("the camera")
        case Interference.REFLASHED:
            version, counter = shuffler.pins.version, shuffler.pins.security_counter
            shuffler.new_firmware(_FOREIGN_IMAGE, version, counter)
        case Interference.ROLLED_BACK:
            shuffler.roll_back(shuffler.memory.copy())
        case Interference.EXCHANGED:
            shuffler.replace(_STRANGER, _STRANGER_SEED)
        case Interference.LYING:
            shuffler.lies = True
        case Interference.MISCOUNTING:
            for bay in shuffler.bays.values():
                bay.miscounts = 1


def _no_key(key: str) -> NotPossible:
    return NotPossible(f"an RFID shoe has no {key}; write `device shoe angel-eye`")

"""Emulates an Angel Eye II-EX: keys, cards and a lock on one side, bytes on the other.

Time comes in with each call; the device never waits and has no thread.

Source: wire document of the Angel Eye II-EX; where that is silent, hil/emulator/README.md,
"The Angel Eye".
"""

from collections import deque
from dataclasses import dataclass

from hil.dealing.cards import Card
from hil.dealing.tableau import Winner
from hil.emulator.angel_eye.expected_place import Claim, GameState
from hil.emulator.angel_eye.wire import (
    ACK,
    NAK,
    CommandFrame,
    CommandReader,
    NakCode,
    Outside,
    ReceivedCommand,
    Target,
    card_byte,
    read_reply,
    report_frame,
    target_byte,
)
from hil.emulator.lines.reports import Copy, Report
from hil.emulator.lines.transmission import DeliveryLog

SEQUENCE_DEFAULT = "0123456789ABCDEF"
COMMAND_SILENCE_NS_MAX = 500_000_000
RESULT_BITS = {Winner.PLAYER: 1, Winner.TIE: 2, Winner.BANKER: 4}
FORCED_EXIT_BITS = 7
CANNOT_READ, OVERDRAW = 1, 2
ERROR_CODES = range(1, 8)


@dataclass(frozen=True, slots=True)
class AngelEyeSettings:
    """The unit's set-up. `repeats`: how often each report is sent, 1 to 3.

    `reports_game_process`: GP is answered by a read reply after the ACK, in an invented form.
    """

    repeats: int = 3
    repeat_gap_ns: int = 0
    seq_cycle: str = SEQUENCE_DEFAULT
    checksum_counts_stx: bool = True
    reports_game_process: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.repeats <= 3:
            raise ValueError(f"repeats is {self.repeats}; a report is sent 1 to 3 times")


class AngelEye:
    """The device. Physical inputs queue reports and return them; `tick` returns the bytes due."""

    def __init__(self, settings: AngelEyeSettings | None = None) -> None:
        self.settings = settings or AngelEyeSettings()
        self.locked = False
        self.busy = False
        self.setting_mode = False
        self.errors: tuple[int, ...] = ()
        self.reports_made = 0
        self.log = DeliveryLog(self.settings.repeats)
        self._game = GameState()
        self._cut_card_drawn = False
        self._last_card = b""
        self._next_sequence = 0
        self._outbox: deque[Copy] = deque()
        self._not_before_ns = 0
        self._commands = CommandReader(checksum_counts_stx=self.settings.checksum_counts_stx)
        self._command_deadline_ns: int | None = None
        self._wrong_claims = 0
        self._blocking: tuple[int, ...] = ()

    # The wire.

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes from the host; returns the answers to the commands completed by them."""
        answers = b"".join(self._answer(command) for command in self._commands.receive(data))
        unfinished = self._commands.unfinished
        self._command_deadline_ns = at_ns + COMMAND_SILENCE_NS_MAX if unfinished else None
        return answers

    def tick(self, at_ns: int) -> bytes:
        """All bytes due at that time."""
        return self.overdue_answer(at_ns) + b"".join(copy.report.frame for copy in self.due(at_ns))

    def overdue_answer(self, at_ns: int) -> bytes:
        """The refusal of an incomplete command, once its time is over."""
        if self._command_deadline_ns is None or at_ns < self._command_deadline_ns:
            return b""
        self._command_deadline_ns = None
        return NAK + bytes((self._commands.drop_incomplete(),))

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """The copies of reports to send now, removed from the queue."""
        out = []
        while self._outbox and at_ns >= self._not_before_ns:
            copy = self._outbox.popleft()
            out.append(copy)
            if copy.number < self.settings.repeats:
                self._not_before_ns = at_ns + self.settings.repeat_gap_ns
        return tuple(out)

    @property
    def next_due_ns(self) -> int | None:
        """When `tick` has something to do; None: only after another input."""
        waiting = self._not_before_ns if self._outbox else None
        return min(
            (due for due in (waiting, self._command_deadline_ns) if due is not None), default=None
        )

    @property
    def idle(self) -> bool:
        """Whether everything was sent and no command is incomplete."""
        return self.next_due_ns is None

    def host_appeared(self, at_ns: int) -> None:
        """Nothing: this shoe does not notice its host."""

    # The dealer's side.

    def power_on(self) -> tuple[Report, ...]:
        """Switch on: numbering restarts. After a cut card it is also a new shoe."""
        if self._cut_card_drawn:
            self._game = GameState()
        self._cut_card_drawn = False
        self._next_sequence = 0
        self.locked = self.setting_mode = False
        self.errors = self._blocking = ()
        return self._report(b"S")

    def draw(
        self, card: Card, *, burn_key: bool = False, readable: bool = True
    ) -> tuple[Report, ...]:
        """A card leaves the shoe. `burn_key` is pressed for cards burned outside the count."""
        face = card if readable else None
        outside = self._outside()
        if outside is not None:
            return self._draw_outside(outside, face)
        claim = self._game.claim(burn_key=burn_key)
        if claim is None:
            return self.raise_error(OVERDRAW) + self._draw_outside(Outside.ERROR, face)
        unread = () if readable else self.raise_error(CANNOT_READ, blocking=False)
        self._game = self._game.after(claim, face)
        reported = self._reported_claim(claim)
        self._last_card = bytes((target_byte(reported.target, reported.index), card_byte(face)))
        return unread + self._report(b"D" + self._last_card)

    def draw_cut_card(self) -> tuple[Report, ...]:
        """The cut card leaves the shoe."""
        self._cut_card_drawn = True
        return self._report(b"C")

    def retransmit(self) -> tuple[Report, ...]:
        """Report the last drawn card again; nothing if none was drawn."""
        return self._report(b"R" + self._last_card) if self._last_card else ()

    def press_result(
        self, winner: Winner, player_pair: bool, banker_pair: bool
    ) -> tuple[Report, ...]:
        """The dealer presses the result; the shoe regards the coup as over."""
        self._game = self._game.between_coups()
        pairs = int(player_pair) | int(banker_pair) << 1
        return self._report(b"G" + bytes((0x80 | RESULT_BITS[winner] << 4 | pairs,)))

    def force_exit(self) -> tuple[Report, ...]:
        """The dealer leaves the coup by forced exit."""
        self._game = self._game.between_coups()
        return self._report(b"G" + bytes((0x80 | FORCED_EXIT_BITS << 4,)))

    def stand_by(self) -> tuple[Report, ...]:
        """The dealer presses stand-by; the shoe regards burn or coup as over."""
        self._game = self._game.between_coups()
        return self._report(b"P")

    def raise_error(self, code: int, *, blocking: bool = True) -> tuple[Report, ...]:
        """Raise an error; a blocking one puts the shoe into error mode."""
        if code not in self.errors:
            self.errors += (code,)
        if blocking and code not in self._blocking:
            self._blocking += (code,)
        return self._report(b"E" + bytes((0x80 | int(blocking) << 6 | code,)))

    def clear_error(self, code: int) -> tuple[Report, ...]:
        """Clear an error; nothing is reported if it was not active."""
        if code not in self.errors:
            return ()
        self.errors = tuple(error for error in self.errors if error != code)
        self._blocking = tuple(error for error in self._blocking if error != code)
        return self._report(b"e" + bytes((0x80 | code,)))

    def set_lock(self, locked: bool) -> tuple[Report, ...]:
        """Lock or unlock the exit; nothing is reported without a change."""
        if self.locked is locked:
            return ()
        self.locked = locked
        return self._report(b"L" + bytes((0x80 | int(locked),)))

    def change_preset(self, address: int, value: int) -> tuple[Report, ...]:
        """Change a preset value at the device (address 0-99, value 0-9999)."""
        return self._report(b"M%02d%04d" % (address, value))

    def claim_wrongly(self, cards: int = 1) -> None:
        """For tests: claim the next cards for the wrong hand."""
        self._wrong_claims = cards

    # Internals.

    def _outside(self) -> Outside | None:
        if self.setting_mode:
            return Outside.SETTING
        if self._blocking:
            return Outside.ERROR
        return Outside.LOCKED if self.locked else None

    def _draw_outside(self, outside: Outside, face: Card | None) -> tuple[Report, ...]:
        return self._report(b"d" + bytes((0x80 | outside << 4, card_byte(face))))

    def _reported_claim(self, claim: Claim) -> Claim:
        if self._wrong_claims == 0:
            return claim
        self._wrong_claims -= 1
        wrong = Target.BANKER if claim.target is Target.PLAYER else Target.PLAYER
        return Claim(wrong, max(claim.index, 1))

    def _report(self, data: bytes) -> tuple[Report, ...]:
        cycle = self.settings.seq_cycle
        sequence = cycle[self._next_sequence % len(cycle)]
        self._next_sequence += 1
        frame = report_frame(sequence, data)
        self.reports_made += 1
        report = Report(self.reports_made, chr(data[0]), frame)
        self._outbox.extend(Copy(report, n) for n in range(1, self.settings.repeats + 1))
        return (report,)

    def _answer(self, command: ReceivedCommand) -> bytes:
        refusal = command if isinstance(command, NakCode) else self._execute(command)
        if refusal is not None:
            return NAK + bytes((refusal,))
        is_query = isinstance(command, CommandFrame) and command.kind == "GP"
        return (
            ACK + self._game_process() if is_query and self.settings.reports_game_process else ACK
        )

    def _game_process(self) -> bytes:
        counts = self.settings.checksum_counts_stx
        return read_reply(b"GP%02d" % self._game.process, checksum_counts_stx=counts)

    def _execute(self, command: CommandFrame) -> NakCode | None:
        """Execute a command; returns the refusal where it cannot be executed."""
        if self.busy:
            return NakCode.BUSY
        match command:
            case CommandFrame("LK", 1 | 2 as number):
                self.set_lock(number == 2)
            case CommandFrame("EC", code) if code in ERROR_CODES:
                self.clear_error(code)
            case CommandFrame("GP", 0):
                pass
            case _:
                return NakCode.ADDRESS
        return None

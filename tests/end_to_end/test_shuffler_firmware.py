"""The program with the reference firmware: ARM code on an emulated board at a TCP port."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from controller.archive.replay.report import ReplayFinding, replay
from controller.cli.main import main
from controller.core.tape.entries import CommandGiven
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.custody.batch_life.state import BlockReason, WarningKind
from controller.journal.verify import verify
from controller.procedure.effects import BurnDone, CoupClosed, Refusal, WarningOpened
from controller.system.messages.catalogue import to_words
from drivers.events import CommandAnswered, CommandOutcome
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    ContactRestored,
    DeviceSilent,
    IdentityProven,
    IdentityRefused,
    ShuffleAborted,
    ShuffleResult,
    ShuffleStarted,
)
from hil.dealing.cards import Card, Suit
from hil.dealing.tableau import Winner
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.reference_firmware.build import FirmwareRole
from hil.reference_firmware.qemu import EmulatedBoard
from hil.rig.device_programs import (
    ShufflerTable,
    angel_eye,
    shuffler,
    tablelink_shoe,
    wait_until,
)

pytestmark = [
    pytest.mark.needs("qemu-system-arm"),
    pytest.mark.needs("gcc-arm-none-eabi"),
]

AT_ONCE_MS, NEVER_MS = 50, 3_600_000
SUITS = (Suit.DIAMOND, Suit.CLUB, Suit.SPADE, Suit.HEART)
DEVICE = b"SHUFFLER-BENCH".hex()
# An ace and one card more are burned; then a natural nine of Player's against seven.
BURN = (Card(1, Suit.SPADE), Card(7, Suit.CLUB))
NATURAL = (Card(9, Suit.HEART), Card(2, Suit.DIAMOND), Card(13, Suit.CLUB), Card(5, Suit.SPADE))
# Five against three: Player draws a king, Banker a two.
THIRDS = (
    *(Card(2, Suit.HEART), Card(1, Suit.DIAMOND), Card(3, Suit.CLUB), Card(2, Suit.SPADE)),
    *(Card(13, Suit.HEART), Card(2, Suit.CLUB)),
)


class Table:
    """A board, an Angel Eye, the program with both, and people at the board's buttons."""

    def __init__(
        self, board: EmulatedBoard, shoe: PtyServer[AngelEye], table: ShufflerTable
    ) -> None:
        self.board, self.shoe, self.table = board, shoe, table

    def does(self, *stimuli: str) -> None:
        for one in stimuli:
            assert self.board.stimulus(one) == "ok", one

    def is_counted(self, back: str, compartment: int) -> None:
        self.does(f"press load {compartment}", f"put {compartment} 416 {back}")
        self.does(f"press count {compartment}")
        self.table.wait_for_stage(back, "counted")

    def goes_in(self, back: str, compartment: int) -> None:
        self.is_counted(back, compartment)
        self.does(f"pace {AT_ONCE_MS}", f"press shuffle {compartment}")
        self.table.wait_for_stage(back, "shuffled")
        self.does(f"press store {compartment}")
        self.table.wait_for_stage(back, "stored")

    def shuffle_lasts(self, back: str, compartment: int) -> None:
        self.is_counted(back, compartment)
        self.does(f"pace {NEVER_MS}", f"press shuffle {compartment}")
        self.table.wait_for_stage(back, "shuffling")

    def deals(self, *cards: Card) -> None:
        for card in cards:
            self.shoe.perform(lambda shoe, card=card: shoe.draw(card))  # type: ignore[misc]
        assert self.shoe.settle()


@pytest.fixture
def at(fast_dir: Path) -> Iterator[Table]:
    line = LineServerSettings(speed=0)
    with (
        EmulatedBoard(FirmwareRole.SHUFFLER) as board,
        PtyServer(AngelEye(), line, link=fast_dir / "shoe") as shoe,
    ):
        table = ShufflerTable(fast_dir, angel_eye(shoe.path), shuffler(board.url))
        with table.program as program:
            program.start()
            wait_until(lambda: table.shuffler.bare)
            yield Table(board, shoe, table)


def is_evidence(table: ShufflerTable) -> None:
    table.program.stop()
    assert verify(table.journal).intact
    assert replay(table.journal).finding is ReplayFinding.SAME


def kinds(table: ShufflerTable) -> list[str]:
    return [one.kind for one in table.stored(WarningOpened)]


def test_two_batches_are_exchanged_with_a_bare_device(
    at: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    table = at.table
    at.goes_in("red", 1)
    at.does("press release 1", "take 1")
    table.wait_for_stage("red", "released")
    at.goes_in("blue", 2)
    at.shoe.perform(lambda shoe: shoe.power_on())
    at.deals(*BURN, *NATURAL)
    at.shoe.perform(lambda shoe: shoe.press_result(Winner.PLAYER, False, False))
    wait_until(lambda: table.stored(CoupClosed))
    capsys.readouterr()
    assert main(["status", "--config", str(table.program.config)]) == 0
    output = " ".join(capsys.readouterr().out.split())  # wherever lines end
    is_evidence(table)

    assert f"device {DEVICE}" in output
    assert "BARE: it proves no identity" in output
    assert table.irregularities() == []
    usual = ["collected", "counted", "shuffling", "shuffled", "stored"]
    assert table.stages("red") == [*usual, "released", "in_play"]
    assert table.stages("blue") == usual
    receipts = table.stored(ShuffleRecorded)
    assert [(one.batch, one.refused) for one in receipts] == [("red", None), ("blue", None)]
    proofs = [one.proof for one in receipts]
    assert [(one.device, one.cycle, one.count, one.back, one.result) for one in proofs] == [
        (DEVICE, 1, 416, "red", ShuffleResult.GOOD),
        (DEVICE, 2, 416, "blue", ShuffleResult.GOOD),
    ]
    assert not any(one.signed or one.genuine for one in proofs)
    assert [(one.device, one.bare) for one in table.reports_of(IdentityProven)] == [(DEVICE, True)]


def orders_answered(table: ShufflerTable) -> list[CommandOutcome]:
    answers = table.device_events(CommandAnswered)
    return [one.outcome for one in answers if one.command == "OrderShuffler"]


def test_a_hanging_board_gives_a_warning_and_executes_an_order_once(at: Table) -> None:
    table = at.table
    at.board.hang()
    config = ("--config", str(table.program.config))
    who = ("--by", "A. Floor", "--role", "floorperson")
    assert main(["act", "order-shuffler", "order=load", "compartment=1", *config, *who]) == 0
    # Silent means that it was repeated for seconds; all of it waits at the board.
    wait_until(lambda: kinds(table) == [WarningKind.SILENT])
    assert at.shoe.wait_for(lambda shoe: shoe.locked)
    interlocked = table.shuffler.interlocked
    at.board.resume()
    wait_until(lambda: orders_answered(table))
    table.clear_warnings()
    assert at.shoe.wait_for(lambda shoe: not shoe.locked)
    is_evidence(table)

    assert interlocked
    assert [one.lost for one in table.reports_of(DeviceSilent)] == [False, True]
    assert len(table.reports_of(ContactRestored)) == 1
    assert orders_answered(table) == [CommandOutcome.DONE]
    commands = [to_words(one.command) for one in table.stored(CommandGiven)]
    orders = [one for one in commands if "Order" in one]
    assert orders == ["OrderShuffler load 1"]
    loaded = [one.state for one in table.reports_of(CompartmentChanged)]
    assert loaded == [CompartmentState.LOADING]


def test_a_power_failure_during_a_shuffle_holds_the_batch(at: Table) -> None:
    table = at.table
    at.shuffle_lasts("red", 1)
    at.board.power_cycle()
    table.wait_for_stage("red", "held")
    wait_until(lambda: kinds(table) == [WarningKind.BROKEN_OFF])
    bars = table.batch("red").bars
    release = table.act("order-shuffler", order="release", batch="red")
    table.clear_warnings()
    loaded = table.act("record", act="loaded", batch="red", amount=416)
    is_evidence(table)

    assert BlockReason.BROKEN_OFF in bars
    assert [one.reason for one in table.reports_of(ShuffleAborted)] == [AbortReason.POWER]
    assert [one.cycle for one in table.reports_of(ShuffleStarted)] == [1]
    assert table.stored(ShuffleRecorded) == []
    assert not release.ok
    assert not loaded.ok
    assert [one.what for one in table.stored(Refusal)] == ["order-shuffler", "loaded"]


def test_a_board_that_lost_its_memory_is_refused(
    at: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    table = at.table
    at.goes_in("red", 1)
    port = at.board.port
    at.board.unplug()
    wait_until(lambda: kinds(table) == [WarningKind.SILENT])
    with EmulatedBoard(FirmwareRole.SHUFFLER, port=port):
        wait_until(lambda: kinds(table) == [WarningKind.SILENT, WarningKind.IDENTITY])
        capsys.readouterr()
        assert main(["status", "--config", str(table.program.config)]) == 0
        output = " ".join(capsys.readouterr().out.split())  # wherever lines end
        shown = table.shuffler
        released = table.act("order-shuffler", order="release", batch="red")
        loaded = table.act("record", act="loaded", batch="red", amount=416)
        is_evidence(table)

    (refused,) = table.reports_of(IdentityRefused)
    assert refused.rolled_back
    assert to_words(refused.why) in output
    assert (shown.trusted, shown.interlocked) == (False, True)
    assert not released.ok
    assert not loaded.ok
    assert table.stages("red")[-1] == "stored"


def words(cards: Iterable[object]) -> list[str]:
    """Cards in the program's notation: 7h for the bench's 7H."""
    return [str(card).upper() for card in cards]


def test_a_shoe_deals_two_coups_and_is_locked_and_unlocked(fast_dir: Path) -> None:
    with EmulatedBoard(FirmwareRole.SHOE) as board:
        table = ShufflerTable(fast_dir, tablelink_shoe(board.url))

        def deals(*cards: Card) -> None:
            for card in cards:
                face = card.rank * 256 + SUITS.index(card.suit) + 1
                assert board.stimulus(f"card - {face}") == "ok"

        def declares(coups: int, outcome: str) -> None:
            wait_until(lambda: table.snapshot.phase.value == "result")
            table.act_ok("declare-result", outcome=outcome, player_pair=False, banker_pair=False)
            wait_until(lambda: len(table.stored(CoupClosed)) == coups)

        def locks(action: str, commands: int) -> None:
            table.act_ok(action)
            wait_until(lambda: len(table.device_events(CommandAnswered)) == commands)

        with table.program as program:
            program.start()
            wait_until(lambda: table.snapshot.device.stage == "online")
            assert board.stimulus("load RED-0001") == "ok"
            deals(*BURN, *NATURAL)
            declares(1, "player")
            locks("lock-shoe", 1)
            assert board.stimulus("card - 257") == "refused: the shoe is locked"
            locks("unlock-shoe", 2)
            deals(*THIRDS)
            declares(2, "tie")
            is_evidence(table)

    assert table.irregularities() == []
    (burn,) = table.stored(BurnDone)
    assert (*words([burn.first]), burn.removed, burn.proven) == ("AS", 2, True)
    records = [one.record for one in table.stored(CoupClosed)]
    assert [words(each.card for each in one.cards) for one in records] == [
        words(NATURAL),
        words(THIRDS),
    ]
    assert [one.outcome for one in records] == ["player", "tie"]
    answers = table.device_events(CommandAnswered)
    assert [(one.command, one.outcome) for one in answers] == [
        ("LockExit", CommandOutcome.DONE),
        ("UnlockExit", CommandOutcome.DONE),
    ]

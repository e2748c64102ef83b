"""Deals four short journals, one for each deal option, that hold every kind of entry.

    .venv/bin/python tests/outlets/deal_tapes.py NAME ...

deals these again and writes tapes/NAME.tape.xz: where a kind of entry is new. Everything else
leaves them as they are: the outlets read the same inputs before and after a change.
"""

import lzma
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec.structs import replace
from replay_any_build import concluded_records

from controller.core.build import build_core
from controller.core.script.parser import parse
from controller.core.script.player import ShoeCount, due_place, step_inputs
from controller.core.settings import Settings
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import (
    AccountChange,
    AccountChanged,
    ClockSync,
    ClockSyncRead,
    DevicePlugged,
    DeviceUnplugged,
    DiskLevel,
    DiskSpace,
    Input,
    ManifestGiven,
    NoiseDropped,
    NotJudged,
    PowerFailing,
    PowerSign,
    Started,
)
from controller.journal.encoding import link
from controller.journal.tape_file import write_tape
from controller.journal.values import Base, StoredRecord
from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.actions import (
    Action,
    BindBatch,
    CorrectCoup,
    GiveShufflerOrder,
    LockShoe,
    OperatorAction,
    Resolution,
    SetCardApart,
    SignDealerOff,
    SignDealerOn,
    VacateSeat,
)
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Proof, Role
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import complete_text, load_clauses, load_profile
from drivers.commands import ShufflerOrder
from foundation.message import message
from hil.dealing.tags import BACKS
from hil.emulator.lines.served_device import ServedDevice
from hil.simulation.batches import SHOE, BatchTable, S
from hil.simulation.power import PoweredTable

TAPES: Final = Path(__file__).parent / "tapes"
ORDERED_BY: Final = ("dealer", "floorperson")
FOLLOWED: Final = (
    ObservableFact.NO_MORE_BETS,
    ObservableFact.TURNED,
    ObservableFact.WAGERS,
)
# A shipped profile for each deal option that allows it.
BASES: Final[Mapping[str, str]] = {
    "face_up": "s42-mini",
    "face_down_dealer": "ny-mini",
    "mixed": "wa-mini",
    "players_reveal": "ny-midi",
}
DEALER, FLOOR, PIT = "person-d00000000001", "person-f00000000002", "person-900000000003"
WAGERS: Final = "wagers 1 player 100, 2 banker 100, 3 tie 20"
SETTINGS_CHANGED: Final = (
    "set vig_rate 4 because agreed",
    "set pay_procedure ii because agreed",
    "set pay_procedure i because agreed",
    "set vig_mode tie25 because agreed",
)
TURNS: Final = ("turn player", "turn banker")


def house_profile(deal_option: str) -> str:
    """The whole text of a profile with that deal option."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "house.toml"
        text = f'name = "{deal_option.replace("_", "-")}"\nbase = "{BASES[deal_option]}"\n'
        path.write_text(f'{text}[values]\ndeal_option = "{deal_option}"\n')
        return complete_text(load_profile(str(path)))


class _FollowedTable(PoweredTable):
    """A table where wagers, calls and turned cards are stated, with a house's own profile."""

    profile: str

    def __init__(
        self, settings: Settings, profile: str, devices: Mapping[str, ServedDevice]
    ) -> None:
        assert settings.shuffler is not None
        shuffler = replace(settings.shuffler, orders=((ShufflerOrder.STATUS.value, ORDERED_BY),))
        named = replace(settings, table="NET-1", observed=FOLLOWED, shuffler=shuffler)
        super().__init__(named, profile, devices)

    def take(self, item: Input) -> tuple[Entry, ...]:
        if isinstance(item, Started) and not self.inputs:
            item = replace(item, profile=self.profile.encode())
            self.core = build_core(item, load_clauses())
            self.state = self.core.initial()
        return super().take(item)


class NetTable(BatchTable, _FollowedTable):
    """A table with an RFID shoe that locks, a shuffler and two batches, and its people."""

    def __init__(self, deal_option: str) -> None:
        self.profile = house_profile(deal_option)
        self.turns = deal_option in ("face_down_dealer", "mixed", "players_reveal")
        super().__init__(tags=True, locks=True)

    def say(self, statements: str) -> None:
        """People do what the statements of a dealing script say."""
        for statement in parse(statements):
            items, _ = step_inputs(statement.body, ShoeCount(), due_place(self.state.table))
            for item in items:
                assert isinstance(item, OperatorAction), f"{statements}: what people do alone"
                self.take(replace(item, at=self.at))
        self.advance(S)

    def by(self, person: str, role: Role, action: Action, reason: str = "as seen") -> None:
        """A person acts, known by a PIN."""
        proved = OperatorAction(self.at, person, role, "net", action, reason, Proof.PIN)
        self.take(proved)
        self.advance(S)

    def set_down(self) -> None:
        """The cards of a void coup are put away."""
        self._player, self._banker = [], []

    def decide(self, decision: FloorDecision, outcome: Outcome | None = None) -> None:
        """The floorperson decides, with a second person where the coup is void."""
        second = PIT if decision is FloorDecision.VOID_COUP else ""
        dealt = self.state.table.suspension is not None and self.state.table.suspension.dealt
        resolution = Resolution(decision, Provisional.VOID if dealt else None, outcome, second)
        self.by(FLOOR, Role.FLOORPERSON, resolution, "the film shows it")

    # Dealing.

    def open_coup(self) -> None:
        """Wagers, the call and the first four cards of a coup."""
        self.say(WAGERS)
        self.say("no more bets")
        self.draw_up_to(4)

    def draw_up_to(self, cards: int) -> None:
        """Draw the cards that are due, until so many lie there."""
        while len(self._player) + len(self._banker) < cards and self.draw_coup_card():
            pass

    def finish_coup(self) -> None:
        """The hands are turned, then drawn to; each third card that lies face down is turned."""
        self.draw_up_to(4)
        self.turn(*TURNS)
        while self.draw_coup_card():
            pass
        self.turn("turn player third" if len(self._player) > 2 else "")
        self.turn("turn banker third" if len(self._banker) > 2 else "")
        self.end_coup()
        self.say("collect 2")

    def turn(self, *statements: str) -> None:
        """People turn cards, where they are dealt face down."""
        for one in filter(None, statements if self.turns else ()):
            self.say(one)

    def whole_coup(self) -> None:
        self.open_coup()
        self.finish_coup()


def host_and_people(table: NetTable) -> None:
    """The machine, accounts, USB devices, and a batch that nobody has."""
    space = DiskSpace(table.at, DiskLevel.LOW, 60 << 20, 64 << 20, 16 << 20)
    table.take(ClockSyncRead(table.at, ClockSync.UNSYNCHRONISED))
    table.take(space)
    table.take(replace(space, level=DiskLevel.ENOUGH, free_bytes=90 << 20))
    table.take(ClockSyncRead(table.at, ClockSync.SYNCHRONISED))
    table.take(DevicePlugged(table.at, 0x1209, 0x0001, "S42", "1-2"))
    table.take(DeviceUnplugged(table.at, "1-2"))
    refused = message("usb_unplugged")
    table.take(DevicePlugged(table.at, 0x05AC, 0x024F, "keys", "1-3", refused))
    added = AccountChange.ADDED
    proof = Proof.ACCOUNT
    table.take(AccountChanged(table.at, FLOOR, added, Role.FLOORPERSON, PIT, "uid-0", proof))
    table.by(DEALER, Role.DEALER, SignDealerOn())
    table.by(FLOOR, Role.FLOORPERSON, BindBatch("B-2026-99"))
    unknown = message("usb_unplugged")
    table.take(
        ManifestGiven(table.at, "B-2026-99", message("as_typed", typed="A"), b"", problem=unknown)
    )
    table.say("record received batch red as floorperson")
    table.say("record inspected batch red as floorperson")
    table.by(DEALER, Role.DEALER, VacateSeat(4))


def two_shoes(table: NetTable) -> None:
    """A shoe with what goes wrong at a table, and the beginning of another."""
    for back in BACKS:
        table.bring_to_stored(back)
    table.bring_to_ready("red")
    table.fill_shoe("red")
    table.say("record loaded batch red")
    table.burn()
    table.whole_coup()
    table.whole_coup()
    table.by(FLOOR, Role.FLOORPERSON, CorrectCoup(1, Outcome.TIE, PIT), "the film shows it")
    a_card_too_many(table)
    a_wrong_result(table)
    a_setting(table)
    a_warning(table)
    cut_off(table)
    a_void_coup(table)
    table.by(DEALER, Role.DEALER, SignDealerOff())
    table.close_shoe()
    table.collect_cards()
    table.clear_all()
    next_shoe(table)


def a_card_too_many(table: NetTable) -> None:
    """A card after the hands are complete; another before somebody decides."""
    table.open_coup()
    while table.draw_coup_card():
        pass
    table.draw()
    table.by(FLOOR, Role.FLOORPERSON, LockShoe(), "a card too many")
    table.draw()
    table.decide(FloorDecision.BURN)
    table.decide(FloorDecision.VOID_COUP)
    table.clear_all()
    table.set_down()


def a_wrong_result(table: NetTable) -> None:
    """A result is declared that the cards do not give; the cards count, then two persons decide."""
    table.open_coup()
    table.turn(*TURNS)
    while table.draw_coup_card():
        pass
    table.say("declare-result outcome tie player_pair yes")
    table.clear_all()
    table.set_down()


def a_setting(table: NetTable) -> None:
    """The pit manager changes what the rules let a table change, and is refused the rest."""
    for words in SETTINGS_CHANGED:
        table.say(words)
    table.by(DEALER, Role.DEALER, GiveShufflerOrder(ShufflerOrder.STATUS))
    table.say("found face up")
    table.say("ghost hand")
    table.clear_all()


def a_warning(table: NetTable) -> None:
    """The shuffler's door opens while a coup is dealt."""
    table.say(WAGERS)
    table.say("no more bets")
    table.draw_up_to(2)
    table.shuffler.open_door(2)
    table.advance(S)
    table.draw_up_to(3)
    table.shuffler.close_door(2)
    table.advance(S)
    table.clear_all()
    table.finish_coup()
    table.clear_all()
    table.set_down()


def cut_off(table: NetTable) -> None:
    """The shoe's cable, noise, an error of the program, the clock and the power."""
    table.say(WAGERS)
    table.draw_up_to(2)
    table.unplug(SHOE)
    table.advance(S)
    table.plug(SHOE)
    table.advance(S)
    table.take(NoiseDropped(SHOE, table.at, 4096, 1024, b"\x00\xff"))
    table.take(NotJudged(table.at, action="turned", person=DEALER))
    table.clear_all()
    table.utc_step_ns += 90 * S
    table.take(ClockSyncRead(table.at, ClockSync.UNSYNCHRONISED))
    table.take(PowerFailing(table.at, PowerSign.SIGNAL))
    table.cut_now()
    table.advance(S)
    table.turn_on(same_boot=False)
    table.advance(S)
    table.decide(FloorDecision.STATE_OUTCOME, Outcome.BANKER)
    table.clear_all()
    table.set_down()


def a_void_coup(table: NetTable) -> None:
    """A card is drawn after the hands are complete, and two persons void the coup."""
    table.whole_coup()
    table.open_coup()
    while table.draw_coup_card():
        pass
    table.draw()
    table.decide(FloorDecision.VOID_COUP)
    table.clear_all()
    table.set_down()
    table.whole_coup()


def next_shoe(table: NetTable) -> None:
    """The other batch; a card of it is set apart, and a coup is in play at the end."""
    table.bring_to_ready("blue")
    table.fill_shoe("blue")
    table.burn()
    table.clear_all()
    table.whole_coup()
    table.by(PIT, Role.PIT_MANAGER, SetCardApart("red"), "torn")
    table.say(WAGERS)
    table.draw_up_to(3)


def dealt(deal_option: str) -> tuple[Input, ...]:
    """All inputs of the table."""
    table = NetTable(deal_option)
    host_and_people(table)
    two_shoes(table)
    return tuple(table.inputs)


def tape_file(deal_option: str) -> Path:
    return TAPES / f"{deal_option}.tape.xz"


def write(deal_option: str) -> None:
    """Write the journal as a tape, with the entries that the table stored."""
    records: list[StoredRecord] = []
    head = Base().head
    for seq, record in enumerate(concluded_records(dealt(deal_option)), head.seq + 1):
        chain = link(records[-1].chain if records else head.chain, record)
        records.append(StoredRecord(seq, record, chain))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "one.tape"
        write_tape(path, Base(), records)
        data = lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    tape_file(deal_option).write_bytes(data)
    print(f"{deal_option}: {len(records)} records, {len(data)} bytes")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or BASES:
        write(chosen)

"""Deals eight short journals at a simulated table, from seeds.

    .venv/bin/python tests/tapes/dealt_journals.py NAME ...

deals these again and writes dealt/NAME.tape.xz: for a change of the law alone, and the commit says
which. A change of structure leaves them as they are. Source: tests/tapes/README.md.
"""

import lzma
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec.structs import replace
from replay_any_build import concluded_records

from controller.core.manifest_binding import MANIFESTS
from controller.core.script.parser import parse
from controller.core.script.player import ShoeCount, due_place, step_inputs
from controller.core.settings import DeviceSettings, ReaderDeviceSettings, Settings
from controller.core.tape.inputs import ManifestGiven
from controller.custody.manifest_csv import read_manifest
from controller.journal.encoding import link
from controller.journal.tape_file import write_tape
from controller.journal.values import Base, StoredRecord
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.actions import CloseShoe, DeclareResult, OperatorAction, Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from drivers.model import ReaderSeat
from drivers.readers.models import FEIG_READER, FeigReaderSettings
from drivers.shoes.models import FEIG_RFID, RfidSettings
from firmware_bridge.attestation import Trust
from foundation.message import message
from hil.bench.card_path.compute import perform_tablelink
from hil.dealing.actions import (
    DealerAction,
    Pause,
    PauseKind,
    PressResult,
)
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.mistakes import planned_mistake
from hil.dealing.tags import BACKS, usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.tablelink.shoe import CardFault, TableLinkShoe, TableLinkShoeSettings
from hil.rig.shoe_runner import perform
from hil.simulation.batches import BatchTable
from hil.simulation.power import PoweredTable
from hil.simulation.table import SimulatedTable

DEALT = Path(__file__).parent / "dealt"
SHOE, RACK, LAYOUT = "shoe", "rack", "layout"
MS = 1_000_000
S = 1_000 * MS
# The first cut card lies so far from the back of eight decks: some forty cards are dealt.
SHORT = 376
RESULTS, CALLS = ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS
TURNED, WAGERS = ObservableFact.TURNED, ObservableFact.WAGERS
DealingShoe = AngelEye | RfidShoe | TableLinkShoe


@dataclass(frozen=True)
class Sitting:
    """How one journal is dealt.

    `patience`: one in so many actions the floorperson decides; 1: at once. `disturbed`: one in so
    many actions something of `disturbances` happens, a statement or something done to the table.
    """

    shoe: str
    profile: str
    dealer: DealerSettings
    observed: tuple[ObservableFact, ...] = (RESULTS,)
    readers: bool = False
    patience: int = 1
    disturbed: int = 0
    disturbances: tuple[str | Callable[["DealtTable"], object], ...] = ()
    before_coup: tuple[str, ...] = ()
    after_cards: tuple[str, ...] = ()


class DealtTable(PoweredTable):
    """The table of a sitting, its dealer and its floorperson."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.chance = Random(f"sitting:{sitting.shoe}:{sitting.profile}")
        self.shoe = shoe_of(sitting)
        readers = {RACK: TableReader(), LAYOUT: TableReader()} if sitting.readers else {}
        super().__init__(
            settings_of(sitting, self.shoe), sitting.profile, {SHOE: self.shoe, **readers}
        )
        self.advance(S)
        if isinstance(self.shoe, RfidShoe):
            for batch in usual_batches():
                content = MANIFESTS.encode(read_manifest(batch.csv()))
                self.take(ManifestGiven(self.at, batch.name, message("the_configuration"), content))

    # People.

    def say(self, statements: str) -> None:
        """People do what the statements of a dealing script say."""
        for statement in parse(statements):
            items, _ = step_inputs(statement.body, ShoeCount(), due_place(self.state.table))
            for item in items:
                assert isinstance(item, OperatorAction), f"{statements}: what people do alone"
                self.take(replace(item, at=self.at))

    def decide(self) -> None:
        """The floorperson takes one of the permitted decisions."""
        suspension = self.state.table.suspension
        if suspension is None:
            return
        provisional = self.chance.choice(list(Provisional)) if suspension.dealt else None
        permitted = permitted_decisions(self.core.book, self.state.table, provisional)
        if not permitted:
            return
        going_on = [one for one in permitted if one is not FloorDecision.CLOSE_SHOE]
        closing = not going_on or self.chance.randrange(8) == 0
        decision = self.chance.choice(permitted if closing else going_on)
        stated = decision is FloorDecision.STATE_OUTCOME
        outcome = self.chance.choice(list(Outcome)) if stated else None
        self.act(Resolution(decision, provisional, outcome), Role.FLOORPERSON)

    # Dealing.

    def deal(self) -> None:
        sitting = self.sitting
        for number, action in enumerate(Dealer(sitting.dealer).actions(), 1):
            if isinstance(action, Pause) and action.kind is PauseKind.BETWEEN_COUPS:
                for words in sitting.before_coup:
                    self.say(words)
            if isinstance(action, PressResult):
                for words in sitting.after_cards:
                    self.say(words)
            self.perform(action)
            self.advance(S)
            if sitting.disturbed and self.chance.randrange(sitting.disturbed) == 0:
                self.disturb()
            if number % sitting.patience == 0:
                self.decide()
        for _ in range(12):
            self.decide()
        self.act(CloseShoe(), Role.FLOORPERSON)

    def perform(self, action: DealerAction) -> None:
        if isinstance(self.shoe, TableLinkShoe):
            perform_tablelink(self.shoe, action)
        else:
            perform(self.shoe, action)
        if isinstance(action, PressResult) and not isinstance(self.shoe, AngelEye):
            self.advance(S)
            self.act(
                DeclareResult(Outcome(action.winner.value), action.player_pair, action.banker_pair)
            )

    def disturb(self) -> None:
        chosen = self.chance.choice(self.sitting.disturbances)
        if isinstance(chosen, str):
            self.say(chosen)
        else:
            chosen(self)
        self.advance(S)


def shoe_of(sitting: Sitting) -> DealingShoe:
    match sitting.shoe:
        case "angel-eye-ii-ex":
            return AngelEye()
        case "feig-rfid":
            return RfidShoe()
        case _:
            return TableLinkShoe(TableLinkShoeSettings(seed=b"of the shoe", bare=True))


def settings_of(sitting: Sitting, shoe: DealingShoe) -> Settings:
    rfid = isinstance(shoe, RfidShoe)
    driver = FEIG_RFID.to_store(RfidSettings(gate_input=1)) if rfid else b""
    reader = FEIG_READER.to_store(FeigReaderSettings())
    seats = ((RACK, ReaderSeat.DISCARD_RACK), (LAYOUT, ReaderSeat.LAYOUT))
    readers = [
        ReaderDeviceSettings(port, "feig-reader", reader, seat=seat)
        for port, seat in (seats if sitting.readers else ())
    ]
    linked = isinstance(shoe, TableLinkShoe)
    device = DeviceSettings(SHOE, sitting.shoe, driver, linked, Trust(bare=linked))
    return Settings(
        table="DEALT-1",
        pit="bench",
        decks=8,
        gaming_day_start_s=6 * 3600,
        observed=sitting.observed,
        shoe=device,
        seats=(1, 2, 3, 4, 5),
        readers=tuple(readers),
    )


# --- what happens between -----------------------------------------------------------------------


def restart_shoe(table: DealtTable) -> None:
    assert isinstance(table.shoe, AngelEye)
    table.shoe.power_on()


def force_exit(table: DealtTable) -> None:
    assert isinstance(table.shoe, AngelEye)
    table.shoe.force_exit()


def stand_by(table: DealtTable) -> None:
    assert isinstance(table.shoe, AngelEye)
    table.shoe.stand_by()


def cut_card(table: DealtTable) -> None:
    table.shoe.draw_cut_card()


def report_again(table: DealtTable) -> None:
    assert isinstance(table.shoe, AngelEye)
    table.shoe.retransmit()


def claim_wrongly(table: DealtTable) -> None:
    assert isinstance(table.shoe, AngelEye)
    table.shoe.claim_wrongly(1)


def pull_plug(table: DealtTable) -> None:
    table.unplug(SHOE)
    table.advance(S)
    table.plug(SHOE)


def cut_power(table: DealtTable) -> None:
    """Of the program: nothing of the last moment is lost, and the shoe runs on."""
    table.cut_now()
    table.advance(S)
    table.turn_on(same_boot=table.chance.random() < 0.5)


def misread(table: DealtTable) -> None:
    """The next card of the shoe cannot be read."""
    assert isinstance(table.shoe, TableLinkShoe)
    table.shoe.order(CardFault.READ_FAIL)


def two_at_once(table: DealtTable) -> None:
    assert isinstance(table.shoe, TableLinkShoe)
    table.shoe.order(CardFault.DOUBLE_FEED)


MISTAKES = (
    *("overdraw_after_natural@1.1", "wrong_result@1.3", "missing_player_third@1.4"),
    *("extra_card@1.6", "wrong_pair@1.7", "missing_banker_third@1.8", "burn_short@2.1"),
    *("player_third_when_standing@2.1", "forced_exit@2.3", "card_in_setting_mode@2.4"),
    *("card_after_last_hand@2.1", "burn_skipped@3.1", "shoe_changed_early@3.1", "burn_long@4.1"),
)


def dealer(seed: int, *mistakes: str, shoes: int = 2) -> DealerSettings:
    planned = tuple(map(planned_mistake, mistakes))
    return DealerSettings(seed, shoes=shoes, cut_from_back=SHORT, mistakes=planned)


WAGERED = (
    "wagers 1 player 100, 2 banker 100, 3 tie 20",
    "wagers 1 banker 40, 4 player 105",
    "wagers 2 banker 25, 5 dragon_7 10",
    "wagers none",
)
SPOKEN = (
    *("turn player", "turn banker", "turn player third", "turn error", "found face up"),
    *("no more bets", "give up player", "ghost hand", *WAGERED, "collect 2", "leave 1"),
    "document 3 form 7",
    *("set vigorish_percent 4 because agreed", "record received batch red as floorperson"),
    "declare-result outcome tie player_pair yes",
)
HAND_STARTS = (restart_shoe, force_exit, stand_by, report_again)

SITTINGS: dict[str, Sitting] = {
    "careless-dealer": Sitting(
        "angel-eye-ii-ex", "s42-mini", dealer(11, *MISTAKES, shoes=4), patience=9
    ),
    "rfid": Sitting(
        "feig-rfid",
        "s42-mini",
        dealer(12, "overdraw_after_natural@1.2", "wrong_result@1.4", "extra_card@2.1"),
        observed=(RESULTS, WAGERS),
        readers=True,
        patience=2,
        disturbed=9,
        disturbances=(pull_plug, cut_power, "found face up", *WAGERED),
    ),
    "tablelink": Sitting(
        "tablelink",
        "s42-mini",
        dealer(13, "extra_card@1.2", "burn_long@2.1", "missing_banker_third@2.2"),
        observed=(),
        patience=3,
        disturbed=8,
        disturbances=(pull_plug, cut_power, misread, two_at_once, "found face up"),
    ),
    "new-york": Sitting(
        "angel-eye-ii-ex",
        "ny-midi",
        dealer(14, *MISTAKES[:9]),
        observed=(RESULTS, CALLS, TURNED, WAGERS),
        patience=4,
        disturbed=8,
        disturbances=SPOKEN,
        before_coup=("wagers 1 player 100, 2 banker 100", "no more bets"),
        after_cards=("turn player", "turn banker"),
    ),
    "washington": Sitting(
        "angel-eye-ii-ex",
        "wa-mini",
        dealer(15, *MISTAKES[:9]),
        observed=(RESULTS, CALLS, WAGERS),
        patience=2,
        disturbed=9,
        disturbances=(claim_wrongly, *SPOKEN),
        before_coup=("wagers 1 player 40, 2 banker 100, 3 tie 5", "no more bets"),
    ),
    "suspended-play": Sitting(
        "angel-eye-ii-ex",
        "s42-mini",
        dealer(16, *MISTAKES),
        observed=(RESULTS, TURNED),
        patience=7,
        disturbed=4,
        disturbances=(*SPOKEN, *HAND_STARTS, claim_wrongly, cut_card, pull_plug),
    ),
    "forced-restarts": Sitting(
        "angel-eye-ii-ex",
        "house-mini",
        dealer(17, "forced_exit@1.2", "shoe_changed_early@2.1", shoes=3),
        patience=2,
        disturbed=5,
        disturbances=(*HAND_STARTS, pull_plug, cut_power, "found face up"),
    ),
}


# --- two batches and a shuffler ------------------------------------------------------------------


def two_batches() -> BatchTable:
    """Both batches through the shuffler and the shoe; one comes unshuffled, one under a warning."""
    table = BatchTable("nj-minibaccarat")
    for back in BACKS:
        table.bring_to_stored(back)
    for back in BACKS:
        table.bring_to_ready(back)
        table.fill_shoe(back)
        table.burn()
        table.deal_coup()
        table.draw_coup_card()
        table.shuffler.open_door(1)
        table.advance(S)
        table.draw_coup_card()
        table.shuffler.close_door(1)
        table.cut_now()
        table.advance(S)
        table.turn_on(same_boot=False)
        table.clear_all()
        table.deal_coup()
        table.clear_all()
        table.close_shoe()
        table.collect_cards()
    table.fill_shoe("red")
    table.burn()
    table.clear_all()
    table.deal_coup()
    table.clear_all()
    return table


# --- tapes ---------------------------------------------------------------------------------------


def dealt(name: str) -> SimulatedTable:
    if name == "two-batches":
        return two_batches()
    table = DealtTable(SITTINGS[name])
    table.deal()
    return table


NAMES = (*SITTINGS, "two-batches")


def tape_name(name: str) -> Path:
    return DEALT / f"{name}.tape.xz"


def write(name: str) -> None:
    """Write the journal as a tape; its entries are those that the table stored."""
    table = dealt(name)
    head, records = Base().head, []
    for seq, record in enumerate(concluded_records(table.inputs), head.seq + 1):
        chain = link(records[-1].chain if records else head.chain, record)
        records.append(StoredRecord(seq, record, chain))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "one.tape"
        write_tape(path, Base(), records)
        data = lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME)
    tape_name(name).write_bytes(data)
    print(f"{name}: {len(records)} records, {len(data)} bytes")


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        write(chosen)

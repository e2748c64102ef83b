"""A table whose dealing shoe has an identity, beside a shuffler that has one, too.

Responsible for: that only a shoe that has proven who it is feeds the table, that who it is stands
in everything people see, and that nothing it tells of itself is taken for the shuffler's.
Not responsible for: the shoe's driver (test_tablelink_shoe_driver), the shuffler
(test_shuffler_table) and the judging of cards (tests/controller/procedure).
Source: controller/README.md, "Devices of a table", "The core".
"""

from dataclasses import replace

import pytest

from controller.cli.table.status_tasks import Typed
from controller.cli.table.status_text import status_block
from controller.core.settings import Settings, ShoeDeviceSettings, ShufflerDeviceSettings
from controller.core.state import STATES
from controller.custody.findings import FindingCode
from controller.procedure.events import CardDrawn, CustodyFound, ShufflerTold
from controller.tape.entries import DeviceNoted, Judged
from controller.tape.inputs import Started
from controller.tape.records import entry_record
from controller.views.snapshot import snapshot
from controller.views.snapshot_reader import Shown
from drivers.shuffler_events import DeviceSilent, IdentityProven, IdentityRefused
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.transport.port import PortOpened
from hil.dealing.cards import Card as DealtCard
from hil.dealing.cards import PhysicalCard, Suit
from hil.emulator.tablelink.device import TableLinkDevice
from hil.emulator.tablelink.mechanism import ShufflerSettings
from hil.emulator.tablelink.shoe import TableLinkShoe, TableLinkShoeSettings
from hil.emulator.tablelink.shuffler import Shuffler
from hil.simulation.table import ENTROPY, SimulatedTable

SHOE, SHUFFLER = "/dev/shoe", "/dev/shuffler"
S = 1_000_000_000
OTHER_DEVICE = bytes.fromhex("5EED0000C0FFEE02")
SHUFFLER_ID = "5eed0000c0ffee01"
# An ace and one card more are burned; then a natural nine of Player's against seven.
BURN = ((1, Suit.SPADE), (7, Suit.CLUB))
COUP = ((9, Suit.HEART), (2, Suit.DIAMOND), (13, Suit.CLUB), (5, Suit.SPADE))


def trust_in(device: TableLinkDevice) -> Trust:
    pins = device.pins
    if not pins.key:
        return Trust(bare=True)
    image = ApprovedImage(bytes.fromhex(pins.image), pins.version, pins.security_counter)
    return Trust(Pin(bytes.fromhex(pins.device), bytes.fromhex(pins.key), "p1", 1), (image,))


class Table(SimulatedTable):
    """`alone`: no shuffler tells of the batches, so any card may come."""

    def __init__(
        self,
        *,
        bare: bool = False,
        trust: Trust | None = None,
        decks: int = 8,
        alone: bool = False,
    ) -> None:
        settings = TableLinkShoeSettings(device=OTHER_DEVICE, seed=b"of the shoe", bare=bare)
        self.shoe, self.shuffler = TableLinkShoe(settings), Shuffler(ShufflerSettings())
        shoe = ShoeDeviceSettings(
            *(SHOE, "tablelink", True, "0-9A-F", "stx_counted", 250),
            trust=trust or trust_in(self.shoe),
        )
        shuffler = ShufflerDeviceSettings(SHUFFLER, "tablelink", trust=trust_in(self.shuffler))
        told = Settings("M7", "3", decks, 0, (), shoe, shuffler=None if alone else shuffler)
        devices = {SHOE: self.shoe} if alone else {SHOE: self.shoe, SHUFFLER: self.shuffler}
        super().__init__(told, "s42-mini", devices)
        self.later(S)

    def draws(self, *cards: tuple[int, Suit]) -> None:
        for rank, suit in cards:
            self.shoe.draw_piece(PhysicalCard(DealtCard(rank, suit), "red", ""))
            self.later(S)

    def judged(self, kind: type) -> list:
        judged = [one for one in self.entries if isinstance(one, Judged)]
        return [one.event for one in judged if isinstance(one.event, kind)]

    def noted(self, kind: type) -> list[DeviceNoted]:
        noted = [one for one in self.entries if isinstance(one, DeviceNoted)]
        return [one for one in noted if isinstance(one.event, kind)]

    def identity(self) -> dict[str, object]:
        return snapshot(self.core, self.state, "running", "")["device"]["identity"]

    def status(self) -> str:
        return status_block(Shown(snapshot(self.core, self.state, "running", "")), Typed())


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def impostor() -> Table:
    """Another shoe than the one that was paired stands there."""
    paired = TableLinkShoe(TableLinkShoeSettings(device=OTHER_DEVICE, seed=b"of another"))
    return Table(trust=trust_in(paired))


def test_a_paired_shoe_feeds_the_table() -> None:
    table = Table(alone=True)
    table.draws(*BURN, *COUP)
    assert len(table.judged(CardDrawn)) == 6
    assert table.state.table.open_irregularities == ()


def test_who_it_is_stands_in_what_people_see(table: Table) -> None:
    assert table.identity() == {
        "device": "5eed0000c0ffee02",
        "version": "1.0.0",
        "bare": False,
        "trusted": True,
        "refused": "",
    }
    assert "device 5eed0000c0ffee02 firmware 1.0.0, trusted" in table.status()


def test_another_shoe_never_feeds_the_table(impostor: Table) -> None:
    impostor.draws(*BURN, *COUP)
    assert impostor.judged(CardDrawn) == []
    assert impostor.identity()["trusted"] is False
    assert impostor.identity()["refused"]
    assert "REFUSED: " in impostor.status()


def test_a_bare_shoe_feeds_the_table_and_says_so_everywhere() -> None:
    table = Table(bare=True, alone=True)
    table.draws(*BURN, *COUP)
    assert len(table.judged(CardDrawn)) == 6
    assert (table.identity()["bare"], table.identity()["trusted"]) == (True, False)
    assert "BARE: it proves nothing of itself" in table.status()


def test_who_the_shoe_is_is_noted_and_never_the_shufflers(table: Table) -> None:
    (noted,) = table.noted(IdentityProven)
    assert (noted.port, noted.event.device) == (SHOE, "5eed0000c0ffee02")
    proven = [one.event for one in table.judged(ShufflerTold)]
    assert [one.device for one in proven if isinstance(one, IdentityProven)] == [SHUFFLER_ID]
    assert table.state.table.lineage.device == SHUFFLER_ID


def test_a_refused_shoe_is_no_warning_of_the_shuffler(impostor: Table) -> None:
    assert {one.port for one in impostor.noted(IdentityRefused)} == {SHOE}
    assert impostor.state.table.lineage.trusted
    assert impostor.state.table.lineage.warnings == ()


def test_a_silent_shoe_is_no_warning_of_the_shuffler(table: Table) -> None:
    table.shoe.power_off()
    table.later(60 * S)
    assert {one.port for one in table.noted(DeviceSilent)} == {SHOE}
    assert table.state.table.lineage.warnings == ()


def test_a_door_of_the_shuffler_locks_this_shoe_too(table: Table) -> None:
    table.shuffler.lamp(7, "belt worn", on=True)
    table.later(S)
    assert table.state.table.lineage.interlocked
    assert table.shoe.locked


def test_after_a_restart_it_has_to_prove_itself_anew(table: Table) -> None:
    started = next(one for one in table.inputs if isinstance(one, Started))
    table.state = STATES.decode(STATES.encode(table.state))
    table.take(replace(started, at=table.at, boot_id="after"))
    assert table.identity()["trusted"] is False
    table.shoe.host_appeared(table.clock_ns)
    table.take(PortOpened(SHOE, table.at, ENTROPY[::-1]))
    table.later(S)
    assert table.identity()["trusted"] is True


def test_faces_it_reads_are_counted_though_it_claims_no_hand() -> None:
    table = Table(decks=1, alone=True)
    table.draws(*BURN, COUP[0], COUP[0])
    (found,) = table.judged(CustodyFound)
    assert found.finding.code is FindingCode.TOO_MANY_OF_A_CARD


def test_all_of_it_can_be_stored(table: Table) -> None:
    table.draws(*BURN, *COUP)
    assert all(map(entry_record, table.entries))
    assert STATES.decode(STATES.encode(table.state)) == table.state

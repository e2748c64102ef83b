"""A table whose dealing shoe proves its identity, beside a shuffler that does too."""

import pytest
from msgspec.structs import replace

from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.core.state import encode_state
from controller.core.tape.entries import DeviceEventRecorded, EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import entry_record
from controller.custody.findings import FindingCode
from controller.procedure.events import CardDrawn, CustodyFindingRaised, ShufflerReported
from controller.record.build import build_snapshot
from controller.record.snapshot_devices import IdentityView
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
    """`alone`: there is no shuffler, so any card may be drawn."""

    def __init__(
        self,
        *,
        bare: bool = False,
        trust: Trust | None = None,
        decks: int = 8,
        alone: bool = False,
    ) -> None:
        shoe_settings = TableLinkShoeSettings(device=OTHER_DEVICE, seed=b"of the shoe", bare=bare)
        self.shoe, self.shuffler = TableLinkShoe(shoe_settings), Shuffler(ShufflerSettings())
        trusted = trust or trust_in(self.shoe)
        shoe = DeviceSettings(SHOE, "tablelink", allow_commands=True, trust=trusted)
        shuffler = ShufflerDeviceSettings(SHUFFLER, "tablelink", trust=trust_in(self.shuffler))
        settings = Settings("M7", "3", decks, 0, (), shoe, shuffler=None if alone else shuffler)
        devices = {SHOE: self.shoe} if alone else {SHOE: self.shoe, SHUFFLER: self.shuffler}
        super().__init__(settings, "s42-mini", devices)
        self.advance(S)

    def draw(self, *cards: tuple[int, Suit]) -> None:
        for rank, suit in cards:
            self.shoe.draw_piece(PhysicalCard(DealtCard(rank, suit), "red", ""))
            self.advance(S)

    def events_of(self, kind: type) -> list:
        events_of = [one for one in self.entries if isinstance(one, EventVerdicts)]
        return [one.event for one in events_of if isinstance(one.event, kind)]

    def device_notes(self, kind: type) -> list[DeviceEventRecorded]:
        device_notes = [one for one in self.entries if isinstance(one, DeviceEventRecorded)]
        return [one for one in device_notes if isinstance(one.event, kind)]

    def identity(self) -> IdentityView | None:
        return build_snapshot(self.core, self.state).device.identity

    def status(self) -> str:
        return status_block(build_snapshot(self.core, self.state), CommandHints())


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def impostor() -> Table:
    """A table at which another shoe than the paired one is connected."""
    paired = TableLinkShoe(TableLinkShoeSettings(device=OTHER_DEVICE, seed=b"of another"))
    return Table(trust=trust_in(paired))


def test_a_paired_shoe_feeds_the_table() -> None:
    table = Table(alone=True)
    table.draw(*BURN, *COUP)
    assert len(table.events_of(CardDrawn)) == 6
    assert table.state.table.open_irregularities == ()


def test_its_identity_is_shown(table: Table) -> None:
    assert table.identity() == IdentityView(
        device="5eed0000c0ffee02",
        version="1.0.0",
        bare=False,
        trusted=True,
        refused="",
    )
    assert "device 5eed0000c0ffee02 firmware 1.0.0, trusted" in table.status()


def test_another_shoe_never_feeds_the_table(impostor: Table) -> None:
    impostor.draw(*BURN, *COUP)
    assert impostor.events_of(CardDrawn) == []
    assert impostor.identity().trusted is False
    assert impostor.identity().refused
    assert "REFUSED: " in impostor.status()


def test_a_bare_shoe_feeds_the_table_and_is_marked_everywhere() -> None:
    table = Table(bare=True, alone=True)
    table.draw(*BURN, *COUP)
    assert len(table.events_of(CardDrawn)) == 6
    assert (table.identity().bare, table.identity().trusted) == (True, False)
    assert "BARE: it proves no identity" in table.status()


def test_the_shoes_identity_is_not_taken_for_the_shufflers(table: Table) -> None:
    (device_notes,) = table.device_notes(IdentityProven)
    assert (device_notes.port, device_notes.event.device) == (SHOE, "5eed0000c0ffee02")
    proven = [one.event for one in table.events_of(ShufflerReported)]
    assert [one.device for one in proven if isinstance(one, IdentityProven)] == [SHUFFLER_ID]
    assert table.state.table.lineage.device == SHUFFLER_ID


def test_a_refused_shoe_is_not_a_shuffler_warning(impostor: Table) -> None:
    assert {one.port for one in impostor.device_notes(IdentityRefused)} == {SHOE}
    assert impostor.state.table.lineage.trusted
    assert impostor.state.table.lineage.warnings == ()


def test_a_silent_shoe_is_not_a_shuffler_warning(table: Table) -> None:
    table.shoe.power_off()
    table.advance(60 * S)
    assert {one.port for one in table.device_notes(DeviceSilent)} == {SHOE}
    assert table.state.table.lineage.warnings == ()


def test_an_open_shuffler_door_locks_this_shoe(table: Table) -> None:
    table.shuffler.lamp(7, "belt worn", on=True)
    table.advance(S)
    assert table.state.table.lineage.interlocked
    assert table.shoe.locked


def test_after_a_restart_it_has_to_prove_itself_again(table: Table) -> None:
    started = next(one for one in table.inputs if isinstance(one, Started))
    table.state = table.core.devices.read_state(encode_state(table.state))
    table.take(replace(started, at=table.at, boot_id="after"))
    assert table.identity().trusted is False
    table.shoe.host_appeared(table.clock_ns)
    table.take(PortOpened(SHOE, table.at, ENTROPY[::-1]))
    table.advance(S)
    assert table.identity().trusted is True


def test_faces_are_counted_without_a_claimed_hand() -> None:
    table = Table(decks=1, alone=True)
    table.draw(*BURN, COUP[0], COUP[0])
    (found,) = table.events_of(CustodyFindingRaised)
    assert found.finding.code is FindingCode.TOO_MANY_OF_A_CARD


def test_inputs_and_entries_can_be_stored(table: Table) -> None:
    table.draw(*BURN, *COUP)
    assert all(map(entry_record, table.entries))
    assert table.core.devices.read_state(encode_state(table.state)) == table.state

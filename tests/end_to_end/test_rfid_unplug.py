"""Unplugging an RFID shoe mid-coup: no card lost or doubled, and every real gap is reported.

Source: firmware_bridge/feig/README.md, delivery and continuity; D-22.
"""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from controller.custody.card_states import CardPlace
from controller.custody.state import batch_counts
from controller.journal.verify import verify
from controller.procedure.phases import Phase
from drivers.events import Stage
from firmware_bridge.transport.clock import now
from hil.dealing.actions import DealerAction
from hil.dealing.dealer import Dealer, DealerSettings
from hil.dealing.tags import usual_batches
from hil.emulator.feig.device import FeigSettings
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.line import LineServer
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.in_process import RigSettings, TableRig
from hil.rig.rfid_programs import RfidPrograms, console_dealer, wait_until
from hil.rig.shoe_models import ShoeKind, line_settings
from hil.rig.shoe_runner import ShoeRunner
from hil.rig.unplug import CountedShoe, PulledLine, SerialPlug, UsbPlug
from hil.usb.bed import READER, UsbTestBed

RFID = RigSettings(shoe=ShoeKind.RFID)
LINE = line_settings(ShoeKind.RFID, speed=0)
HOUR_NS = 3600 * 10**9
# An unplug every few cards, hence this number of coups for the unplugs.
SERIAL_PULLS, USB_PULLS = 5, 5
SERIAL_PULLS_FULL, USB_PULLS_FULL = 25, 25
RED, _ = usual_batches()
CARDS = len(RED.cards) - len(RED.cut_cards)
READER_DEVICE = {**READER, "serial_number": "EXIT-1"}
READER_URL = "usb://0ab1:0002/EXIT-1"


PULLS_MAX = 4
# Room for two cards and a bit, and for more than are drawn while the line is out.
SMALL_BUFFERS = (8, 30)


def coups_for(pulls: int) -> int:
    """Coups for this number of unplugs: eight cards between two, five in a coup, after the burn."""
    return 2 * pulls + 2


def reader(**settings: int) -> CountedShoe:
    return CountedShoe(FeigSettings(**settings))


def is_online(rig: TableRig) -> bool:
    """Whether the reader has answered; before that no gap can be proved."""
    published = rig.table.published
    return published is not None and published[1].shoe_driver.stage is Stage.ONLINE


def cards_by_place(rig: TableRig) -> dict[CardPlace, int]:
    """The number of cards of the batch in play at each place."""
    published = rig.table.published
    assert published is not None
    red = next(one for one in batch_counts(published[1].custody) if one.back == "red")
    return {place: count for place, count in red.places if count}


def unplug_pty(fast_dir: Path, whole, *, pulls: int, seed: int) -> None:
    with (
        PtyServer(reader(), LINE, link=fast_dir / "shoe") as server,
        TableRig(fast_dir / "journal", server.path, RFID) as rig,
    ):
        rig.wait_for(lambda _state: is_online(rig))
        line = PulledLine(server, SerialPlug(server), seed, pulls, rig.console_dealer(server))
        dealer = Dealer(DealerSettings(seed=seed))
        truth = ShoeRunner(dealer, line, people=line, coups_max=coups_for(pulls)).run()
        drawn = server.emulator.drawn
        places = cards_by_place(rig)
        whole(rig.entries, truth, drawn)

    cut_cards = {piece.tag for piece in RED.cut_cards}
    left = [tag for tag in drawn if tag not in cut_cards]
    assert line.pulls == pulls
    assert sum(places.values()) == CARDS
    assert places[CardPlace.SHOE] == CARDS - len(left)
    assert CardPlace.UNKNOWN not in places


def test_a_serial_line_unplugged_mid_coup_loses_and_doubles_no_card(fast_dir: Path, whole) -> None:
    unplug_pty(fast_dir, whole, pulls=SERIAL_PULLS, seed=41)


@pytest.mark.full
@pytest.mark.parametrize("seed", [42, 43])
def test_fifty_unplugs_of_a_serial_line_in_two_shoes(fast_dir: Path, whole, seed: int) -> None:
    unplug_pty(fast_dir, whole, pulls=SERIAL_PULLS_FULL, seed=seed)


# --- USB ------------------------------------------------------------------------------------------


def unplug_usb(
    rfid_programs: RfidPrograms, usb_bed: UsbTestBed, whole, *, pulls: int, seed: int
) -> None:
    with TcpServer(reader(), LINE) as server:
        relay = {"device": "hil.emulator.usb.relay:RelayedDevice"}
        relayed = {"kind": "bulk", **relay, "settings": {"port": server.port}}
        usb_bed.plug("shoe", READER_DEVICE, [relayed])
        with rfid_programs.program(READER_URL, environment=usb_bed.environment) as program:
            program.start()
            wait_until(lambda: program.snapshot().device.stage == Stage.ONLINE)
            hand = console_dealer(program, server)
            line = PulledLine(server, UsbPlug(usb_bed, "shoe"), seed, pulls, hand)
            dealer = Dealer(DealerSettings(seed=seed))
            truth = ShoeRunner(dealer, line, people=line, coups_max=coups_for(pulls)).run()
            program.stop()

    assert line.pulls == pulls
    assert verify(rfid_programs.journal).intact
    whole(rfid_programs.entries(), truth, server.emulator.drawn)


@pytest.mark.needs("umockdev")
def test_a_usb_plug_unplugged_mid_coup_loses_and_doubles_no_card(
    rfid_programs: RfidPrograms, usb_bed: UsbTestBed, whole
) -> None:
    unplug_usb(rfid_programs, usb_bed, whole, pulls=USB_PULLS, seed=51)


@pytest.mark.full
@pytest.mark.needs("umockdev")
@pytest.mark.parametrize("seed", [52, 53])
def test_fifty_unplugs_of_a_usb_plug_in_two_shoes(
    rfid_programs: RfidPrograms, usb_bed: UsbTestBed, whole, seed: int
) -> None:
    unplug_usb(rfid_programs, usb_bed, whole, pulls=USB_PULLS_FULL, seed=seed)


# --- what a reader loses itself -------------------------------------------------------------------


class CoupHeld(Exception):
    """Stops the dealer once the reader has lost something."""


@dataclass
class FailingPlug:
    """A serial line whose reader also loses its power at the n-th unplug."""

    serial: SerialPlug
    power_fails_at: int
    times: int = 0
    power_failed: bool = False

    def pull(self, line: LineServer[CountedShoe], records_before: int, source: Random) -> None:
        self.times += 1
        self.serial.pull(line, records_before, source)
        if self.times == self.power_fails_at:
            line.perform(RfidShoe.power_off)
            line.perform(RfidShoe.power_on)
            self.power_failed = True

    def put_in(self) -> None:
        self.serial.put_in()


def played_with_losses(
    fast_dir: Path, bench, *, seed: int, buffer_records: int = 600, power_fails_at: int = 0
) -> tuple[bool, bool, list[str]]:
    """Play with losses: whether records were lost, power failed, and the irregularity codes."""
    shoe = reader(buffer_records=buffer_records)
    # Switched on long ago: no time since then is like the time since it is switched on again.
    shoe.reader.timer_ms(now().monotonic_ns - HOUR_NS)
    with (
        PtyServer(shoe, LINE, link=fast_dir / "shoe") as server,
        TableRig(fast_dir / "journal", server.path, RFID) as rig,
    ):
        rig.wait_for(lambda _state: is_online(rig))
        plug = FailingPlug(SerialPlug(server), power_fails_at)
        dealer = Dealer(DealerSettings(seed=seed))
        hand = rig.console_dealer(server)
        lost = False

        def people(action: DealerAction) -> None:
            nonlocal lost
            if line.is_out:
                return
            assert server.wait_for(lambda shoe: shoe.all_delivered)
            gone = (*dealer.truth.reports, *server.take_reports())
            lost = any(not report.delivered for report in gone)
            if lost or plug.power_failed:
                raise CoupHeld
            hand(action)

        line = PulledLine(server, plug, seed, PULLS_MAX, people)
        try:
            ShoeRunner(dealer, line, people=line, coups_max=coups_for(PULLS_MAX)).run()
        except CoupHeld:
            rig.wait_for(lambda state: state.phase is Phase.SUSPENDED)
        return lost, plug.power_failed, [one.code.value for one in bench.irregularities(rig)]


def overflowed(fast_dir: Path, bench, seed: int) -> None:
    room = SMALL_BUFFERS[seed % 2]
    lost, _, held = played_with_losses(fast_dir, bench, seed=seed, buffer_records=room)
    assert held == (["REPORTS_LOST"] if lost else [])


@pytest.mark.parametrize("seed", range(60, 64))
def test_a_full_buffer_holds_the_coup_only_where_a_card_was_lost(
    fast_dir: Path, bench, seed: int
) -> None:
    overflowed(fast_dir, bench, seed)


def power_failed(fast_dir: Path, bench, seed: int) -> None:
    fails_at = 1 + seed % PULLS_MAX
    _, failed, held = played_with_losses(fast_dir, bench, seed=seed, power_fails_at=fails_at)
    assert failed
    assert held.count("CONTINUITY_UNPROVEN") == 1
    # Only the gate reported the card in the exit; nothing else comes before the hold.
    assert held[0] in ("CARD_UNREADABLE", "CONTINUITY_UNPROVEN")
    assert set(held) <= {"CARD_UNREADABLE", "CONTINUITY_UNPROVEN", "DEALT_WHILE_SUSPENDED"}


@pytest.mark.parametrize("seed", range(70, 74))
def test_a_power_loss_of_the_reader_holds_the_coup(fast_dir: Path, bench, seed: int) -> None:
    power_failed(fast_dir, bench, seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(160, 185))
def test_random_full_buffers(fast_dir: Path, bench, seed: int) -> None:
    overflowed(fast_dir, bench, seed)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(170, 195))
def test_random_power_losses(fast_dir: Path, bench, seed: int) -> None:
    power_failed(fast_dir, bench, seed)

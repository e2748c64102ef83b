"""`smartshoe run FOLDER`: what happens at one table leaves no trace in another's journal."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal.verify import verify
from controller.outlets.control.client import ControlError
from controller.record.snapshot import Health
from controller.system.command_line.errors import ExitCode
from controller.table.disk_space import MIB
from hil.progress import poll_until
from hil.rig.flood_peer import Flood, FloodPeer, flood_block
from hil.rig.program import Program
from hil.rig.shoe_runner import Pace
from hil.rig.small_disk import empty, fill, small_disk
from hil.rig.tables.stored_table import StoredTable, stored_table, traces_in
from hil.rig.tables.table_folder import SMALL_DISK_LIMITS, TableFolder
from hil.rig.tables.table_shoe import TableShoe

OTHERS = ("M-1", "M-2")
HURT = "M-3"
PACE = Pace.uniform(10_000_000)
# Generous: how quick the machine is decides nothing here.
DISK_BYTES = 6 * MIB
# A table that failed starts again after a second; so often it may be too late for the test.
TRIES = 5


class Tables:
    """A program of two tables at which coups are dealt all the time, and of one that is hurt."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self.folder = TableFolder(root)
        self.starts = 1
        self._stack = stack
        self.shoes = {name: self.shoe(seed) for seed, name in enumerate(OTHERS, 1)}
        for name, shoe in self.shoes.items():
            self.folder.add(name, shoe.url)

    def shoe(self, seed: int = 9) -> TableShoe:
        """A further emulated shoe, not dealt from."""
        return self._stack.enter_context(TableShoe(seed, PACE))

    def start(self) -> None:
        """Start the program, and the dealing."""
        self.program = Program(self.folder.configs, self.folder.log)
        self._stack.enter_context(self.program)
        self.program.start()
        for shoe in self.shoes.values():
            shoe.begin()
        self.deal()

    def deal(self) -> None:
        """Two more coups at each of the others."""
        for shoe in self.shoes.values():
            shoe.wait_for_coups(2)

    def health(self, name: str) -> Health | None:
        """None: the table does not answer."""
        try:
            return self.folder.client_of(name).status().health
        except ControlError:
            return None

    def await_health(self, name: str, *healths: Health | None) -> None:
        poll_until(lambda: self.health(name) in healths, f"{name}: {self.health(name)}")

    def stored(self, name: str) -> StoredTable:
        return stored_table(self.folder.journal_of(name))

    def intact(self, name: str) -> bool:
        return verify(self.folder.journal_of(name)).intact

    def wait_until_stored(self, name: str, shoe: TableShoe) -> None:
        dealt = len(shoe.truth.coups)
        poll_until(lambda: self.stored(name).counted == dealt, f"{name}: coups are not stored")

    def end(self) -> None:
        """Deal the coups to their end, and stop the program in order."""
        for shoe in self.shoes.values():
            shoe.leave_after_coup()
        for name, shoe in self.shoes.items():
            shoe.finish()
            self.wait_until_stored(name, shoe)
        self.program.stop()

    def assert_others_untouched(self) -> None:
        traces = {
            name: traces_in(self.folder.journal_of(name), shoe.truth.coups, self.starts)
            for name, shoe in self.shoes.items()
        }
        assert traces == dict.fromkeys(OTHERS, ())


@pytest.fixture
def tables(fast_dir: Path) -> Iterator[Tables]:
    with ExitStack() as stack:
        yield Tables(fast_dir / "t", stack)


@pytest.fixture
def disk(tables: Tables) -> Iterator[Path]:
    """A small file system for the table that is hurt."""
    with small_disk(tables.folder.folder_of(HURT), DISK_BYTES) as place:
        tables.folder.add(HURT, tables.shoe().url, limits=SMALL_DISK_LIMITS)
        yield place


@pytest.mark.parametrize("flood", Flood)
def test_a_flood_leaves_no_trace_at_another_table(tables: Tables, flood: Flood) -> None:
    with FloodPeer(flood_block(flood)) as peer:
        tables.folder.add(HURT, peer.url)
        tables.start()
        peer.begin()
        poll_until(lambda: peer.sent > len(flood_block(flood)), "nobody reads the flood")
        tables.deal()
        assert tables.health(HURT) is Health.RUNNING
        tables.end()
    assert tables.intact(HURT)
    tables.assert_others_untouched()


@pytest.mark.needs("mount")
def test_a_full_disk_stops_its_table_alone_until_there_is_space(tables: Tables, disk: Path) -> None:
    tables.start()
    fill(disk)
    tables.program.await_log(f"table {HURT} may not start: .*free")
    tables.deal()
    assert tables.health(HURT) is None
    empty(disk)
    tables.program.read_folder_again()
    tables.await_health(HURT, Health.RUNNING)
    tables.end()
    assert tables.intact(HURT)
    tables.assert_others_untouched()


@pytest.mark.needs("mount")
def test_a_table_that_failed_starts_again_by_itself(tables: Tables, disk: Path) -> None:
    tables.start()
    assert any(started_again(tables, disk) for _ in range(TRIES)), "it never started by itself"
    tables.end()
    assert tables.stored(HURT).starts > 1
    tables.assert_others_untouched()


def started_again(tables: Tables, disk: Path) -> bool:
    """Fill the disk until the table has failed; whether it then starts, not told to.

    It does not where the test was too late: then it was refused, and is told to start.
    """
    refused = f"table {HURT} may not start"
    before = tables.program.log_text().count(refused)

    def was_refused() -> bool:
        return tables.program.log_text().count(refused) > before

    fill(disk)
    tables.await_health(HURT, None, Health.STORE_FAILED)
    empty(disk)
    poll_until(lambda: was_refused() or tables.health(HURT) is Health.RUNNING, "it is down")
    if not was_refused():
        return True
    tables.program.read_folder_again()
    tables.await_health(HURT, Health.RUNNING)
    return False


def test_a_killed_device_is_lost_at_its_table_alone_and_comes_back(tables: Tables) -> None:
    shoe = tables.shoe()
    tables.folder.add(HURT, shoe.url)
    tables.start()
    shoe.begin()
    shoe.server.die()
    tables.deal()
    shoe.server.come_back()
    assert shoe.server.wait_connected(2)
    shoe.wait_for_coups(1)
    shoe.finish()
    tables.end()
    lost = tables.stored(HURT).port_losses
    assert lost > 0
    # The same look that finds nothing at the others.
    found = traces_in(tables.folder.journal_of(HURT), shoe.truth.coups)
    assert f"{lost} losses of the port" in found
    assert tables.intact(HURT)
    tables.assert_others_untouched()


def test_a_file_that_cannot_be_used_starts_no_table_and_stops_none(tables: Tables) -> None:
    file = tables.folder.add(HURT, "")
    tables.start()
    tables.program.await_log(f"ERROR .*{file}: shoe.port")
    assert tables.health(HURT) is None
    tables.end()
    tables.assert_others_untouched()


def test_a_key_that_cannot_be_opened_leaves_its_table_alone_unsigned(tables: Tables) -> None:
    tables.folder.add(HURT, tables.shoe().url, more='[evidence]\nkey = "gone.key"\n')
    tables.start()
    tables.program.await_log(rf"WARNING {HURT} .*SEALS ARE NOT SIGNED: .*gone\.key")
    tables.end()
    assert tables.program.log_text().count("NOT SIGNED") == 1
    tables.assert_others_untouched()


def test_a_token_that_cannot_sign_leaves_its_table_alone_unsigned(tables: Tables) -> None:
    key = tables.folder.root / "house.key"
    assert main(["keys", "make", str(key)]) == ExitCode.DONE
    signer = f'[evidence]\nsigner = ["{shutil.which("false")}"]\npublic_key = "{key}.pub"\n'
    tables.folder.add(HURT, tables.shoe().url, more=signer)
    tables.start()
    unsigned = f"ERROR {HURT} .*is not signed by the table's key: .*/false ended with 1"
    tables.program.await_log(unsigned)
    tables.deal()
    tables.end()
    errors = [line for line in tables.program.log_text().splitlines() if " ERROR " in line]
    assert [line for line in errors if not re.search(unsigned, line)] == []
    tables.assert_others_untouched()


def test_of_two_files_with_one_name_the_first_runs(tables: Tables) -> None:
    shoe = tables.shoe()
    tables.folder.add(HURT, shoe.url)
    later = tables.folder.add("M-4", tables.shoe(10).url, table=HURT)
    tables.start()
    tables.program.await_log(f"ERROR .*{later}: table.name: {HURT} is table.name of ")
    assert tables.health(HURT) is Health.RUNNING
    assert tables.health("M-4") is None
    assert shoe.server.wait_connected(1)
    tables.end()
    tables.assert_others_untouched()


def test_a_table_is_added(tables: Tables) -> None:
    tables.start()
    shoe = tables.shoe()
    tables.folder.add(HURT, shoe.url)
    tables.program.read_folder_again()
    tables.await_health(HURT, Health.RUNNING)
    shoe.begin().wait_for_coups(1)
    shoe.finish()
    tables.wait_until_stored(HURT, shoe)
    tables.end()
    assert traces_in(tables.folder.journal_of(HURT), shoe.truth.coups) == ()
    tables.assert_others_untouched()


def test_a_table_whose_file_is_gone_stops_in_order(tables: Tables) -> None:
    shoe = tables.shoe()
    tables.folder.add(HURT, shoe.url)
    tables.start()
    shoe.begin().wait_for_coups(1)
    shoe.finish()
    tables.wait_until_stored(HURT, shoe)
    tables.folder.remove(HURT)
    tables.program.read_folder_again()
    tables.program.await_log(f"table {HURT} stopped; everything is stored")
    tables.deal()
    tables.end()
    assert traces_in(tables.folder.journal_of(HURT), shoe.truth.coups) == ()
    tables.assert_others_untouched()


def test_a_changed_table_alone_starts_again(tables: Tables) -> None:
    shoe = tables.shoe()
    tables.folder.add(HURT, shoe.url)
    tables.start()
    tables.folder.add(HURT, shoe.url, limits="stop_free_mib = 63\n")
    tables.program.read_folder_again()
    assert shoe.server.wait_connected(2)
    tables.await_health(HURT, Health.RUNNING)
    tables.end()
    assert tables.stored(HURT).starts == 2
    tables.assert_others_untouched()


def test_sigterm_ends_every_table_in_order(tables: Tables) -> None:
    tables.folder.add(HURT, tables.shoe().url)
    tables.start()
    tables.end()
    for name in (*OTHERS, HURT):
        assert f"table {name} stopped; everything is stored" in tables.program.log_text()
    tables.assert_others_untouched()


def test_after_a_kill_every_table_goes_on_where_it_was(tables: Tables) -> None:
    tables.start()
    for name, shoe in tables.shoes.items():
        shoe.hold_after_coup()
        tables.wait_until_stored(name, shoe)
    tables.program.kill()
    tables.program.start()
    for shoe in tables.shoes.values():
        assert shoe.server.wait_connected(2)
        shoe.go_on()
    tables.deal()
    tables.end()
    tables.starts = 2
    tables.assert_others_untouched()

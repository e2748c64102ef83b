"""An old list of approved firmware is not believed once a newer was seen, after restarts."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.replay.report import ReplayFinding, replay
from controller.core.settings import ShufflerDeviceSettings
from controller.core.stored_settings import SETTINGS
from controller.core.tape.inputs import Started
from controller.journal.store import Journal
from controller.rules.profiles.load import load_clauses
from controller.table.table import Health, RunSpec, Table
from firmware_bridge.attestation import ApprovedImage, Pin, Trust
from firmware_bridge.transport.clock import now

S = 1_000_000_000
NEWER, OLDER = 1_795_000_000 * S, 1_794_000_000 * S
PIN = Pin(bytes(8), bytes(32), "pairing", 1)
IMAGE = (ApprovedImage(bytes(32), "1.0.0", 1),)
Run = Callable[..., tuple[Health, str]]


def started(script, lists: dict[str, int]) -> Started:
    """The first input of a run whose devices have lists that were signed then."""
    base = script().started
    settings = SETTINGS.decode(base.configuration)
    trusts = {one: Trust(PIN, IMAGE, approved_at_ns=at) for one, at in lists.items()}
    if "shoe" in trusts:
        settings = replace(settings, shoe=replace(settings.shoe, trust=trusts["shoe"]))
    if "shuffler" in trusts:
        shuffler = ShufflerDeviceSettings("/dev/s", "tablelink", trust=trusts["shuffler"])
        settings = replace(settings, shuffler=shuffler)
    return replace(base, configuration=SETTINGS.encode(settings))


@pytest.fixture
def run(script, fast_dir: Path) -> Iterator[Run]:
    """Run the table once with these lists, stop it; its health while it ran, and why it failed."""

    def once(**lists: int) -> tuple[Health, str]:
        first = started(script, lists)
        spec = RunSpec(fast_dir, load_clauses(), lambda _replaced: replace(first, at=now()))
        table = Table("M7", spec, now)
        table.start()
        health, failure = table.health, table.failure
        table.stop()
        table.join()
        return health, failure

    return once


def test_an_older_list_is_refused_at_the_next_start(run: Run) -> None:
    assert run(shuffler=NEWER)[0] is Health.RUNNING
    health, failure = run(shuffler=OLDER)

    assert health is Health.REFUSED
    assert failure == (
        "shuffler.approved: the list of approved firmware was signed at"
        " 2026-11-06T21:20:00.000000000Z, and this table has seen one of"
        " 2026-11-18T11:06:40.000000000Z: an older list may approve what was withdrawn since."
        " Allowed: that list or a newer one. Remedy: put the newest list back, or sign its images"
        " again with `smartshoe firmware approve`"
    )


def test_what_was_seen_is_on_record_and_outlives_a_lost_saved_state(
    run: Run, fast_dir: Path
) -> None:
    run(shuffler=NEWER)
    run(shuffler=NEWER)
    with Journal.open(fast_dir) as journal:
        journal._connection.execute("DELETE FROM checkpoint")

    assert run(shuffler=OLDER)[0] is Health.REFUSED


def test_the_same_list_and_a_newer_one_are_believed(run: Run) -> None:
    assert [run(shuffler=at)[0] for at in (OLDER, OLDER, NEWER)] == [Health.RUNNING] * 3


def test_a_refused_start_leaves_no_record(run: Run, fast_dir: Path) -> None:
    run(shuffler=NEWER)
    run(shuffler=OLDER)

    assert run(shuffler=NEWER)[0] is Health.RUNNING
    assert replay(fast_dir).finding is ReplayFinding.SAME


def test_each_device_has_its_own_list(run: Run) -> None:
    run(shuffler=NEWER, shoe=OLDER)

    assert run(shuffler=NEWER, shoe=OLDER)[0] is Health.RUNNING
    assert run(shuffler=NEWER, shoe=OLDER - 1)[1].startswith("shoe.approved: ")

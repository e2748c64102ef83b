"""The desk where batches are looked up.

Responsible for: when the table is given the batches that its configuration names, and what is kept
of the table's answers.
Not responsible for: files and receipts (test_batches) and binding (test_core).
Source: controller/README.md, "Batches at the table".
"""

from pathlib import Path

import pytest

from controller.core.state import CoreState
from controller.procedure.effects import Refused
from controller.procedure.state import TableState
from controller.service.manifest_lookup import BY_CONFIGURATION, BatchDesk
from controller.table.loop import Conclusion, Stored
from controller.tape.entries import BatchBound, Entry
from controller.tape.inputs import ManifestGiven
from drivers.catalogue import ANGEL_EYE_II_EX, ShoeSettings, build_shoe
from firmware_bridge.timestamp import Timestamp

AT = Timestamp(1, 2)
BOUND = BatchBound("RED-1", "red", 8, 416, bytes(32), "Acme", "Ann Lee", "", True)
REFUSED = Refused("bind-batch", "batch RED-1: there is no such file")
DEALER = "dealer D. Dealer"


@pytest.fixture
def desk(fast_dir: Path) -> BatchDesk:
    return BatchDesk(fast_dir, (), lambda: AT)


def answered(desk: BatchDesk, batch: str, named_by: str, *entries: Entry) -> None:
    """The table stores what it made of a batch that was looked up."""
    shoe = build_shoe(ANGEL_EYE_II_EX, ShoeSettings()).initial()
    state = CoreState("", None, TableState(), shoe)
    given = ManifestGiven(AT, batch, named_by, b"")
    desk.stored(Stored((Conclusion(given, entries),), (), AT, state))


def said(desk: BatchDesk) -> list[tuple[int, str, str]]:
    return [(one.number, one.batch, one.refused) for one in desk.named]


def test_nothing_was_named_at_first(desk: BatchDesk) -> None:
    assert desk.named == ()


def test_what_came_of_a_batch_is_kept(desk: BatchDesk) -> None:
    answered(desk, "RED-1", BY_CONFIGURATION, REFUSED)
    answered(desk, "BLUE-1", BY_CONFIGURATION, BOUND)

    assert said(desk) == [(1, "RED-1", REFUSED.why), (2, "BLUE-1", "")]


def test_a_batch_that_somebody_had_bound_ends_what_was_refused(desk: BatchDesk) -> None:
    answered(desk, "GREEN-1", DEALER, REFUSED)
    answered(desk, "RED-1", DEALER, BOUND)

    assert said(desk) == [(2, "RED-1", "")]


def test_only_the_last_answers_are_kept(desk: BatchDesk) -> None:
    for number in range(9):
        answered(desk, f"RED-{number}", DEALER, REFUSED)

    assert [number for number, _, _ in said(desk)] == [6, 7, 8, 9]


def test_batches_of_the_configuration_are_given_before_any_port_is_started(fast_dir: Path) -> None:
    given: list[ManifestGiven] = []
    desk = BatchDesk(fast_dir, (), lambda: Timestamp(1, 2))
    desk.start(given.append, ("RED-0001", "BLUE-0001"))
    at_start = [(item.batch, item.named_by) for item in given]
    desk.stop()

    assert desk.join(5)
    assert at_start == [("RED-0001", "the configuration"), ("BLUE-0001", "the configuration")]

"""The evidence log of a simulated shoe: no conclusion waits 30 s for a leaf, and leaves are few."""

from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.core.tape.records import inputs_in, read_input
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.evidence_log.log import leaves_newest_first
from controller.journal.log_database import LogDatabase
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from hil.dealing.dealer import DealerSettings
from hil.rig.shoe_runner import Pace
from hil.simulation.sealed_journal import DealtTable, write_sealed_journal

NS_PER_S = 1_000_000_000
SPOKEN_WITHIN_NS = 30 * NS_PER_S


def pace(between_coups_s: int) -> Pace:
    return Pace(
        draw_ns=2 * NS_PER_S,
        key_ns=NS_PER_S,
        after_burn_ns=2 * NS_PER_S,
        between_coups_ns=between_coups_s * NS_PER_S,
        between_shoes_ns=1200 * NS_PER_S,
    )


# Mini-baccarat as it was clocked, 140 coups an hour; and 90, with pauses of nearly half a minute.
BRISK, SLOW = pace(12), pace(26)


@pytest.fixture
def dealt(fast_dir: Path) -> Callable[[Pace], Path]:
    """Deals a shoe at a pace under a simulated clock; the folder of its journal."""

    def folder(at: Pace) -> Path:
        write_sealed_journal(fast_dir / "journal", DealtTable(DealerSettings(3), pace=at))
        return fast_dir / "journal"

    return folder


def leaves_of(folder: Path) -> list[Leaf]:
    with LogDatabase.open_read_only(folder) as log:
        return list(leaves_newest_first(log))[::-1]


def oldest_unspoken_ns(folder: Path, leaves: list[Leaf]) -> int:
    """The longest time from a record's conclusion to a leaf that speaks of it."""
    spoken, longest, at_ns = [one.seq for one in leaves], 0, 0
    with open_read_only(folder) as journal:
        for one in journal.records():
            item = read_input(one.record)
            if item is not None:
                at_ns = inputs_in(item)[-1].at.utc_ns
                continue
            leaf = leaves[bisect_left(spoken, one.seq)]
            longest = max(longest, leaf.at_ns - at_ns)
    return longest


@pytest.mark.parametrize("at", [BRISK, SLOW], ids=["brisk", "slow"])
def test_no_conclusion_is_older_than_30_s_without_a_leaf(dealt, at: Pace) -> None:
    folder = dealt(at)
    assert oldest_unspoken_ns(folder, leaves_of(folder)) <= SPOKEN_WITHIN_NS
    assert verify(folder).problems == []


def test_a_coup_has_two_leaves_at_most_on_average(dealt) -> None:
    leaves = leaves_of(dealt(BRISK))
    assert len(leaves) <= 2 * sum(one.kind is LeafKind.COUP for one in leaves)

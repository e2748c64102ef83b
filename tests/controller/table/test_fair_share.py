"""A table's share of a processor beside others.

Source: controller/table/README.md, "Several tables in one process".
"""

from hypothesis import given
from hypothesis import strategies as st

from controller.table.fair_share import FairShare

SECOND_NS = 1_000_000_000


def test_a_table_that_deals_never_waits() -> None:
    share = FairShare(0, 0)
    # A card a second at 5 ms of work each.
    assert [share.wait_ns(n * SECOND_NS, n * 5_000_000) for n in range(1, 200)] == [0] * 199


def test_a_burst_is_free_and_what_is_beyond_it_waits_ten_times_as_long() -> None:
    share = FairShare(0, 0)
    assert share.wait_ns(0, FairShare.BURST_NS) == 0
    assert share.wait_ns(0, FairShare.BURST_NS + 2_000_000) == 20_000_000


def test_a_burst_is_earned_again_and_no_more_than_one() -> None:
    share = FairShare(0, 0)
    share.wait_ns(0, FairShare.BURST_NS)
    later_ns = FairShare.BURST_NS * FairShare.PART * 100
    assert share.wait_ns(later_ns, 2 * FairShare.BURST_NS) == 0
    assert share.wait_ns(later_ns, 2 * FairShare.BURST_NS + 1) == FairShare.PART


@given(st.lists(st.integers(0, 50_000_000), min_size=1))
def test_whoever_waits_as_told_takes_its_share_and_one_burst(batches: list[int]) -> None:
    share = FairShare(0, 0)
    at_ns = used_ns = wait_ns = 0
    for batch_ns in batches:
        at_ns += batch_ns + wait_ns
        used_ns += batch_ns
        wait_ns = share.wait_ns(at_ns, used_ns)

    assert used_ns <= (at_ns + wait_ns) // FairShare.PART + FairShare.BURST_NS + 1

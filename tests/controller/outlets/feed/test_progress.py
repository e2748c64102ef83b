"""What counts as kept by the broker, and the lag."""

from msgspec.structs import replace

from controller.outlets.feed.progress import NS_PER_S, FeedProgress
from controller.outlets.feed.state import FeedRules, FeedState

BEGIN = FeedState.at(0, bytes(32), "", FeedRules())


def state(record: int) -> FeedState:
    return replace(BEGIN, record=record)


def test_what_is_acknowledged_is_kept_once_the_broker_has_had_time_to_save() -> None:
    progress = FeedProgress(BEGIN, saves_s=10)
    progress.keep(state(5), 1, 100 * NS_PER_S)
    progress.settle(110 * NS_PER_S - 1)
    assert progress.kept.record == 0

    progress.settle(110 * NS_PER_S)
    assert (progress.kept.record, progress.kept_number) == (5, 1)


def test_what_is_not_kept_when_the_connection_is_lost_is_sent_again() -> None:
    progress = FeedProgress(BEGIN, saves_s=10)
    progress.keep(state(5), 1, 100 * NS_PER_S)
    progress.lose()
    progress.settle(1000 * NS_PER_S)

    assert progress.kept.record == 0


def test_connections_that_are_too_short_do_not_send_again_for_ever() -> None:
    progress, at_ns = FeedProgress(BEGIN, saves_s=10), 0
    for number in range(1, 101):
        at_ns += 3600 * NS_PER_S  # away
        progress.settle(at_ns)
        # What is not kept comes again, and one event more.
        for again in range(progress.kept_number + 1, number + 1):
            progress.keep(state(again), again, at_ns)
        at_ns += 5 * NS_PER_S
        progress.settle(at_ns)
        progress.lose()
        # Five seconds a connection, four times ten seconds: eight connections, and the newest.
        assert progress.kept_number == max(0, number - 7)


def test_a_broker_that_is_trusted_keeps_at_once() -> None:
    progress = FeedProgress(BEGIN, saves_s=0)
    progress.keep(state(5), 1, 100 * NS_PER_S)

    assert progress.kept.record == 5


def test_a_hundred_thousand_acknowledgements_take_little_memory() -> None:
    progress = FeedProgress(BEGIN, saves_s=1800)
    for number in range(100_000):
        progress.keep(state(number), number, number * NS_PER_S // 100)

    assert len(progress._unsure) <= 66
    # Nothing is kept too early.
    assert progress.kept.record <= 100_000


def test_the_lag_counts_what_is_known_and_not_acknowledged() -> None:
    progress = FeedProgress(BEGIN, saves_s=10)
    for number, at_ns in ((1, 10), (2, 20), (3, 30)):
        progress.know(number, at_ns)
    assert (progress.lag, progress.oldest_ns) == (3, 10)

    progress.acknowledge(1, 20)
    assert (progress.lag, progress.oldest_ns) == (2, 20)
    progress.acknowledge(3, 30)
    assert (progress.lag, progress.oldest_ns) == (0, 0)

    progress.acknowledge(2, 30)  # sent again
    assert (progress.lag, progress.sent) == (0, 3)

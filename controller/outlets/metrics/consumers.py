"""What the metrics show of a consumer of the floor feed."""

from collections.abc import Iterable
from typing import Protocol

from controller.outlets.metrics.samples import Samples


class ConsumerStatus(Protocol):
    """One consumer now.

    `lag_events` are stored and not acknowledged, `lag_seconds` is the age of the oldest of them;
    `sent` counts acknowledged events since the start of the program.
    """

    @property
    def consumer(self) -> str: ...
    @property
    def connected(self) -> bool: ...
    @property
    def lag_events(self) -> int: ...
    @property
    def lag_seconds(self) -> float: ...
    @property
    def sent(self) -> int: ...


def feed_samples(consumers: Iterable[ConsumerStatus]) -> Samples:
    """The samples of all consumers of a table."""
    every = tuple(consumers)
    return {
        "feed_connected": {(one.consumer,): int(one.connected) for one in every},
        "feed_events_total": {(one.consumer,): one.sent for one in every},
        "feed_lag_events": {(one.consumer,): one.lag_events for one in every},
        "feed_lag_seconds": {(one.consumer,): one.lag_seconds for one in every},
    }

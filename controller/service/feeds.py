"""Starts the floor feed of a table: a publisher for each consumer that its configuration names."""
# ruff: noqa: PLC0415 - the feed and its library are loaded only where a table has one.

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from controller.core.state import Stored
from controller.service.config.table_config import TableConfig
from controller.table.table import Table
from firmware_bridge.transport.clock import now

if TYPE_CHECKING:
    from controller.outlets.feed.publisher import Publisher

Feeds: TypeAlias = "tuple[Publisher, ...]"
# What is stored is sent for so long at an end; the rest at the next start.
END_S: Final = 0.3


class FeedWake:
    """Tells the publishers that something was stored: they read it from the journal."""

    name: ClassVar[str] = "feed"

    def __init__(self, feeds: "Feeds") -> None:
        self._feeds = feeds

    def stored(self, _stored: Stored) -> None:
        for one in self._feeds:
            one.wake()


def feeds_of(config: TableConfig, table: Table) -> "Feeds":
    """A publisher for each consumer; none is started."""
    if not config.feeds:
        return ()
    from controller.outlets.feed.publisher import Publisher
    from controller.outlets.feed.sending import FeedSource
    from controller.outlets.feed.state import level

    def head_size() -> int:
        status = table.sealing_status
        return 0 if status is None else status.log.size

    name, pit = config.settings.table, config.settings.pit
    place = f"{level(pit)}/{level(name)}"
    source = FeedSource(name, place, config.journal_folder, now, head_size)
    return tuple(Publisher(one, source) for one in config.feeds)


def stop_feeds(feeds: "Sequence[Publisher]") -> None:
    """Send what is stored, for END_S at most, and end."""
    for one in feeds:
        one.stop(END_S)
    for one in feeds:
        one.join(1.5 * END_S)

"""Answers a consumer that asks for a shoe again: sealed shoes alone, one at a time."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from controller.archive.consumers import FeedContent
from controller.journal.encoding import EncodingError
from controller.journal.folder import base_before, read_sealed, shoe_path
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from controller.outlets.feed.events import BackfillDoneEvent, BackfillRequest, CloudEvent, type_of
from controller.outlets.feed.mapping import feed_events, record_groups
from controller.outlets.feed.outbox import state_at_base
from controller.outlets.feed.state import time_of
from controller.rules.profiles.clauses import Clause
from foundation.timestamp import Timestamp
from foundation.typed_reading import json_decoder

REQUESTS: Final = "backfill"
REPLIES: Final = "reply"
_TOPIC_MAX: Final = 256
NOT_A_REQUEST: Final = "not_a_request"
NOT_SEALED_HERE: Final = "not_sealed_here"
UNREADABLE: Final = "unreadable"


def request_topic(base: str) -> str:
    """The topic on which a table takes requests; `base` is that of its events."""
    return f"{base}/{REQUESTS}"


def is_reply_topic(base: str, topic: str) -> bool:
    """Whether an answer may go there: below the table's own topic, so that it commands nobody."""
    begins = f"{base}/{REPLIES}/"
    rest = topic.removeprefix(begins)
    return topic.startswith(begins) and 0 < len(rest) <= _TOPIC_MAX and not set(rest) & set("+#\0")


class Backfill(Struct, frozen=True):
    """The sealed shoes of one table; `source` is that of its events."""

    folder: Path
    content: FeedContent
    clauses: Mapping[str, Clause]
    source: str

    def answer(self, data: bytes, now: Timestamp) -> Iterator[bytes]:
        """The events of the shoe that is asked for, as they were sent first, then the end."""
        try:
            asked = json_decoder(BackfillRequest).decode(data)
        except msgspec.MsgspecError:
            yield self._done(BackfillDoneEvent("", 0, 0, NOT_A_REQUEST), now)
            return
        count, refused = 0, ""
        try:
            for event in self._events(asked):
                count += 1
                yield event
            refused = "" if count else NOT_SEALED_HERE
        except (JournalError, EncodingError, OSError):
            refused = UNREADABLE
        done = BackfillDoneEvent(asked.gaming_day, asked.shoe, count, refused)
        yield self._done(done, now)

    def _events(self, asked: BackfillRequest) -> Iterator[bytes]:
        path = shoe_path(self.folder, asked.gaming_day, asked.shoe)
        if not path.is_file():
            return
        shoe = read_sealed(path)
        with open_read_only(self.folder) as reader:
            if shoe.heading.last_seq > reader.base.seq:
                return  # its move was interrupted: it is not sealed yet
        state = state_at_base(self.folder, base_before(shoe), self.clauses)
        for group in record_groups(shoe.records()):
            state, made = feed_events(state, group, self.content, self.clauses)
            for one in made:
                yield msgspec.json.encode(one.event)

    def _done(self, done: BackfillDoneEvent, now: Timestamp) -> bytes:
        number = str(now.utc_ns)
        event = CloudEvent[BackfillDoneEvent](
            id=number,
            source=f"{self.source}/{REQUESTS}",
            type=type_of(done.kind),
            time=time_of(now.utc_ns),
            sequence=number,
            data=done,
        )
        return msgspec.json.encode(event)

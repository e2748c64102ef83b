"""Makes the events of the floor feed from stored records: the same from the same records."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import UNSET, Struct
from msgspec.structs import replace

from controller.archive.consumers import FeedContent
from controller.core.build import read_rules
from controller.core.tape.inputs import Started
from controller.core.tape.records import ends_shoe, holds, read_entry, read_input, received_ns
from controller.journal.encoding import EncodingError, is_input, tag_of, unwrap
from controller.journal.values import StoredRecord
from controller.outlets.feed.entry_events import audience_of, events_of
from controller.outlets.feed.events import (
    CloudEvent,
    CoupEvent,
    EventData,
    ShoeOpenedEvent,
    TableStateEvent,
    type_of,
)
from controller.outlets.feed.state import FeedRules, FeedState, history_of, time_of
from controller.record.audiences import Audience
from controller.record.disclose import Circumstances, TellingRecords, disclose
from controller.record.disclosure_state import DisclosureState
from controller.record.seen import RunSeen
from controller.rules.actions.actions import OperatorAction
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import ProfileError


class MadeEvent(Struct, frozen=True):
    """One event, the levels of its topic (pit, table, kind), and when it happened."""

    topic: str
    event: CloudEvent[EventData]
    utc_ns: int


class RecordGroup(Struct, frozen=True):
    """The records of one input and its conclusions, only the entries that give events.

    `shoe_ended`: the group is the last one of a shoe.
    """

    item: bytes
    entries: tuple[StoredRecord, ...]
    last: StoredRecord
    shoe_ended: bool


# Those with and without faces are told of the same entries.
_TELLING: Final = TellingRecords.to(Audience.FLOOR)

StateAndEvents: TypeAlias = tuple[FeedState, tuple[MadeEvent, ...]]


def record_groups(records: Iterable[StoredRecord]) -> Iterator[RecordGroup]:
    """Records in order, by input. Raises EncodingError."""
    item, last, ended = b"", None, False
    entries: list[StoredRecord] = []
    for stored in records:
        if is_input(stored.record):
            if last is not None:
                yield RecordGroup(item, tuple(entries), last, ended)
            item, entries, ended = stored.record, [], False
        elif _TELLING.may_tell(tag_of(unwrap(stored.record)[1]), stored.record):
            entries.append(stored)
            ended = ended or ends_shoe(stored.record)
        last = stored
    if last is not None:
        yield RecordGroup(item, tuple(entries), last, ended)


def feed_events(
    state: FeedState, group: RecordGroup, content: FeedContent, clauses: Mapping[str, Clause]
) -> StateAndEvents:
    """The events of one group of records, in order, and the state after it.

    Raises EncodingError.
    """
    item = read_input(group.item) if group.entries or holds(group.item, Started) else None
    utc_ns = received_ns(item) if item is not None else 0
    made: list[MadeEvent] = []
    if isinstance(item, Started):
        state = replace(state, rules=read_feed_rules(item, clauses))
    audience = audience_of(content)
    act = item if isinstance(item, OperatorAction) else None
    given = Circumstances(book=state.rules.book, act=act)
    for stored in group.entries:
        entry = read_entry(stored.record)
        assert entry is not None, "a group's entries are entries"
        told = disclose(entry, DisclosureState(), audience, given)
        if told and isinstance(told[0], RunSeen):
            run, history = state.run + 1, history_of(stored.chain)
            state = replace(state, run=run, history=history, count=0)
        for data in events_of(state, told):
            state = _after(state, data)
            state, event = _cloud_event(state, utc_ns, data)
            made.append(MadeEvent(f"{state.rules.place}/{data.kind}", event, utc_ns))
    last = group.last
    if group.shoe_ended:
        # All else begins again, so that a shoe's events follow from its records alone.
        state = FeedState.at(last.seq, last.chain, state.previous, state.rules)
    return replace(state, record=last.seq, mark=history_of(last.chain)), tuple(made)


def read_feed_rules(started: Started, clauses: Mapping[str, Clause]) -> FeedRules:
    """Settings and rules of a run; none where this version cannot read them."""
    try:
        settings, book = read_rules(started, clauses)
    except (EncodingError, ProfileError, ValueError):
        return FeedRules()
    return FeedRules(settings, book)


def _after(state: FeedState, data: EventData) -> FeedState:
    match data:
        case ShoeOpenedEvent() | CoupEvent():
            return replace(state, gaming_day=data.gaming_day, shoe=data.shoe)
        case TableStateEvent():
            return replace(state, suspended=data.suspended)
        case _:
            return state


def _cloud_event(
    state: FeedState, utc_ns: int, data: EventData
) -> tuple[FeedState, CloudEvent[EventData]]:
    count = state.count + 1
    sequence = f"{state.base:010}.{state.run:03}.{state.history}.{count:05}"
    event = CloudEvent[EventData](
        id=sequence,
        source=state.rules.source,
        type=type_of(data.kind),
        time=time_of(utc_ns),
        sequence=sequence,
        previous=state.previous or UNSET,
        data=data,
    )
    return replace(state, count=count, previous=sequence), event

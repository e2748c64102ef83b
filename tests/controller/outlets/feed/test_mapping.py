"""Events follow from the records alone: from any place, in either content, and no face too many."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from journals import BEGIN, DAY, NOT_OF_FACES, SOURCE, WITH_FACES, clauses, events_of
from msgspec.structs import replace

from controller.archive.consumers import FeedBegin, FeedCursor
from controller.core.tape.entries import RunBegan
from controller.core.tape.records import read_as
from controller.journal.store import open_read_only
from controller.outlets.feed.asyncapi import asyncapi_document
from controller.outlets.feed.backfill import Backfill
from controller.outlets.feed.events import KINDS
from controller.outlets.feed.mapping import feed_events, record_groups
from controller.outlets.feed.outbox import Outbox, feed_start
from controller.procedure.effects import CoupClosed
from controller.record.audiences import Audience
from controller.record.disclose import TellingRecords
from foundation.timestamp import Timestamp

FACE = re.compile(r'"(A|[2-9]|10|J|Q|K)[dcsh]"')
NOW = Timestamp(0, 1_795_255_200_000_000_000)


def encoded(made) -> list[bytes]:
    return [msgspec.json.encode(one.event) for one in made]


def coups_of(journal: Path) -> list[CoupClosed]:
    with open_read_only(journal) as reader:
        found = (read_as(one.record, CoupClosed) for one in reader.records())
        return [one for one in found if one is not None]


def test_there_is_one_event_for_each_coup_of_the_journal(journal: Path) -> None:
    made, _ = events_of(journal)
    coups = [one.event.data for one in made if one.event.type == "io.smartshoe.coup.v1"]

    stored = [(one.record.shoe, one.record.coup, one.record.outcome) for one in coups_of(journal)]
    assert [(one.shoe, one.coup, one.outcome) for one in coups] == stored
    assert len(stored) > 200


def test_each_event_names_the_one_before(journal: Path) -> None:
    made, _ = events_of(journal)
    sequences = [one.event.sequence for one in made]

    assert [one.event.previous for one in made[1:]] == sequences[:-1]
    assert made[0].event.previous is msgspec.UNSET
    assert sequences == sorted(set(sequences))


def test_from_any_place_on_the_events_are_the_same(journal: Path) -> None:
    whole, _ = events_of(journal)
    state, count = BEGIN, 0
    with open_read_only(journal) as reader:
        groups = list(record_groups(reader.records()))
    places = range(0, len(groups), len(groups) // 7)
    for number, group in enumerate(groups):
        if number in places:
            cursor = FeedCursor(state.record, state.mark, state.base, state.before)
            start = feed_start(journal, cursor, FeedBegin.OLDEST, NOT_OF_FACES, clauses())
            # A book of rules equals itself alone.
            assert replace(start.state, rules=state.rules) == state
            assert not start.lost
            again, _ = events_of(journal, state=start.state)
            assert encoded(again) == encoded(whole[count:])
        state, made = feed_events(state, group, NOT_OF_FACES, clauses())
        count += len(made)


def test_a_cursor_of_another_journal_begins_with_the_oldest_shoe(journal: Path) -> None:
    cursor = FeedCursor(100, "00000000", 0, "")

    assert feed_start(journal, cursor, FeedBegin.OLDEST, NOT_OF_FACES, clauses()).state == BEGIN


def test_an_outbox_reads_all_events_in_pieces(journal: Path) -> None:
    outbox, found = Outbox(journal, NOT_OF_FACES, clauses(), BEGIN), []
    while items := outbox.read(10):
        assert len(items) < 20
        found += [one.made for one in items]

    assert encoded(found) == encoded(events_of(journal)[0])


def test_both_contents_have_the_same_events_but_for_the_faces(journal: Path) -> None:
    shown = [json.loads(one) for one in encoded(events_of(journal, WITH_FACES)[0])]
    faces = [one["data"].pop("faces", None) for one in shown]

    assert shown == [json.loads(one) for one in encoded(events_of(journal)[0])]
    assert sum(one is not None for one in faces) > 200


def test_no_face_is_in_the_strict_content(journal: Path) -> None:
    assert not FACE.search(b"".join(encoded(events_of(journal)[0])).decode())


def test_a_coup_that_does_not_count_shows_no_face(journal: Path) -> None:
    made, _ = events_of(journal, WITH_FACES)
    coups = [one.event.data for one in made if one.event.type == "io.smartshoe.coup.v1"]
    void = [one for one in coups if one.fate.value == "void" and one.declared is None]

    assert all(one.faces is msgspec.UNSET for one in void)
    assert all(one.faces is not msgspec.UNSET for one in coups if one.fate.value == "counted")


@pytest.mark.needs("cloudevents")
@pytest.mark.parametrize("content", [NOT_OF_FACES, WITH_FACES])
def test_the_cloudevents_project_reads_each_event(journal: Path, content) -> None:
    from cloudevents.core.formats.json import JSONFormat  # noqa: PLC0415
    from cloudevents.core.v1.event import CloudEvent as SpecifiedEvent  # noqa: PLC0415

    for one in events_of(journal, content)[0]:
        read = JSONFormat().read(SpecifiedEvent, msgspec.json.encode(one.event))
        names = (read.get_source(), read.get_id(), read.get_type())
        assert names == (SOURCE, one.event.sequence, one.event.type)
        assert read.get_extension("sequence") == one.event.sequence
        assert read.get_time() is not None
        assert read.get_data() == json.loads(msgspec.json.encode(one.event.data))


@pytest.mark.needs("jsonschema")
@pytest.mark.parametrize("content", [NOT_OF_FACES, WITH_FACES])
def test_each_event_fits_its_published_schema(journal: Path, content) -> None:
    import jsonschema  # noqa: PLC0415

    document = asyncapi_document()
    schemas = {
        kind: jsonschema.Draft202012Validator(
            {"$ref": f"#/components/schemas/{kind}.v1", "components": document["components"]}
        )
        for kind in KINDS
    }
    for one in events_of(journal, content)[0]:
        schemas[one.topic.rpartition("/")[2]].validate(json.loads(msgspec.json.encode(one.event)))


def test_a_sealed_shoe_is_answered_as_it_was_sent(journal: Path) -> None:
    made, _ = events_of(journal)
    shoes = {name: made_of(made, name) for name in (1, 2, 3)}
    backfill = Backfill(journal, NOT_OF_FACES, clauses(), SOURCE)
    for number, of_shoe in shoes.items():
        asked = json.dumps({"gaming_day": DAY, "shoe": number}).encode()
        *events, done = backfill.answer(asked, NOW)
        assert events == encoded(of_shoe)
        assert json.loads(done)["data"]["events"] == len(of_shoe)


def made_of(made, shoe: int):
    """The events up to that shoe's end, after the end of the one before."""
    ends = [n for n, one in enumerate(made) if one.event.type == "io.smartshoe.shoe-ended.v1"]
    return made[ends[shoe - 2] + 1 if shoe > 1 else 0 : ends[shoe - 1] + 1]


@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        (b"{", "not_a_request"),
        (b'{"gaming_day": "2026-11-18", "shoe": 9}', "not_sealed_here"),
        (b'{"gaming_day": "../../etc", "shoe": 1}', "not_a_request"),
        (b'{"gaming_day": "2026-11-18", "shoe": 1, "cards": true}', "not_a_request"),
    ],
)
def test_another_request_is_refused(journal: Path, asked: bytes, refused: str) -> None:
    (done,) = Backfill(journal, NOT_OF_FACES, clauses(), SOURCE).answer(asked, NOW)

    assert json.loads(done)["data"] == {
        "gaming_day": json.loads(done)["data"]["gaming_day"],
        "shoe": json.loads(done)["data"]["shoe"],
        "events": 0,
        "refused": refused,
    }


def test_entries_that_tell_nothing_are_not_decoded() -> None:
    telling = TellingRecords.to(Audience.FLOOR)
    assert RunBegan.__struct_config__.tag in telling.tags
    assert "prompt" not in telling.tags
    assert "command-given" not in telling.tags
    assert not telling.may_tell("event-verdicts", b"a judgement that all is in order")
    assert telling.may_tell("event-verdicts", b"a judgement with an irregularity")

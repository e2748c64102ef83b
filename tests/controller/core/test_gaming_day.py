"""The gaming day of a moment, across DST, midnight and clock steps; numbers of shoes.

Source: glossary "gaming day"; RFC 8536 (TZif).
"""

from datetime import UTC, datetime
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.gaming_day import build_calendar
from controller.procedure.effects import CoupClosed, ShoeOpened
from foundation.timestamp import Timestamp

HOUR_NS = 3600 * 1_000_000_000
SIX = 6 * 3600
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
ZONES = ("America/New_York", "Europe/Berlin", "Asia/Macau", "Australia/Lord_Howe", "UTC")


def zone(name: str) -> bytes:
    return files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


def utc_ns(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000_000


@pytest.mark.parametrize(
    ("name", "moment", "day", "begins", "ends"),
    [
        # Clocks go forward on Sunday 9 March 2025 at 02:00: the day before lasts 23 hours.
        (
            "America/New_York",
            "2025-03-09T09:59:59",
            "2025-03-08",
            "2025-03-08T11:00:00",
            "2025-03-09T10:00:00",
        ),
        (
            "America/New_York",
            "2025-03-09T10:00:00",
            "2025-03-09",
            "2025-03-09T10:00:00",
            "2025-03-10T10:00:00",
        ),
        # Clocks go back on Sunday 2 November 2025 at 02:00: the day before lasts 25 hours.
        (
            "America/New_York",
            "2025-11-02T10:59:59",
            "2025-11-01",
            "2025-11-01T10:00:00",
            "2025-11-02T11:00:00",
        ),
        # Sunday 30 March 2025 at 02:00.
        (
            "Europe/Berlin",
            "2025-03-30T03:59:59",
            "2025-03-29",
            "2025-03-29T05:00:00",
            "2025-03-30T04:00:00",
        ),
        # Sunday 26 October 2025 at 03:00.
        (
            "Europe/Berlin",
            "2025-10-26T04:59:59",
            "2025-10-25",
            "2025-10-25T04:00:00",
            "2025-10-26T05:00:00",
        ),
    ],
)
def test_a_gaming_day_across_a_dst_change(name, moment, day, begins, ends) -> None:
    found = build_calendar(zone(name), SIX).day_of(utc_ns(moment))
    assert (found.name, found.from_ns, found.until_ns) == (day, utc_ns(begins), utc_ns(ends))


def test_midnight_belongs_to_the_day_before() -> None:
    assert (
        build_calendar(zone("UTC"), SIX).day_of(utc_ns("2025-11-22T00:00:00")).name == "2025-11-21"
    )


def test_a_day_that_begins_at_midnight() -> None:
    assert build_calendar(zone("UTC"), 0).day_of(utc_ns("2025-11-22T00:00:00")).name == "2025-11-22"


def test_a_start_time_skipped_by_dst_is_an_hour_later() -> None:
    skipped = build_calendar(zone("America/New_York"), 2 * 3600 + 1800)
    assert skipped.day_of(utc_ns("2025-03-09T12:00:00")).from_ns == utc_ns("2025-03-09T07:30:00")


def test_an_ambiguous_start_time_is_the_first() -> None:
    twice = build_calendar(zone("America/New_York"), 1 * 3600 + 1800)
    assert twice.day_of(utc_ns("2025-11-02T12:00:00")).from_ns == utc_ns("2025-11-02T05:30:00")


@given(
    st.sampled_from(ZONES),
    st.integers(0, 86_399),
    st.integers(-(2**61), 2**63 - 1),
)
def test_every_moment_is_within_its_gaming_day(name, start_s, moment_ns) -> None:
    assert build_calendar(zone(name), start_s).day_of(moment_ns).covers(moment_ns)


@given(st.sampled_from(ZONES), st.integers(0, 86_399), st.integers(0, 2**62))
def test_a_gaming_day_ends_when_the_next_begins(name, start_s, moment_ns) -> None:
    days = build_calendar(zone(name), start_s)
    day = days.day_of(moment_ns)
    assert days.day_of(day.until_ns).from_ns == day.until_ns


def test_a_day_is_over_at_its_end() -> None:
    day = build_calendar(zone("UTC"), SIX).day_of(utc_ns("2025-11-21T09:00:00"))
    assert (day.is_over(day.until_ns - 1), day.is_over(day.until_ns)) == (False, True)


def test_a_truncated_zone_file_of_any_length_is_refused() -> None:
    whole = zone("Europe/Berlin")
    refused = 0
    for length in range(len(whole)):
        with pytest.raises(ValueError):
            build_calendar(whole[:length], SIX)
        refused += 1
    assert refused == len(whole)


def test_a_file_that_is_not_tzif_is_refused() -> None:
    with pytest.raises(ValueError, match="not TZif data"):
        build_calendar(b"[zone]\nname = Berlin\n", SIX)


def opened(script) -> list[tuple[str, int]]:
    return [(shoe.gaming_day, shoe.shoe) for shoe in script.of(ShoeOpened)]


def whole_shoe(script) -> None:
    """A shoe of two coups; the cut card comes in the first."""
    script.reported(*NEW_SHOE, *COUP[:2], "43", *COUP[2:], *COUP)


def test_shoes_are_numbered_from_one_each_gaming_day(script) -> None:
    table = script(utc_ns=utc_ns("2025-11-21T20:00:00")).begun()
    whole_shoe(table)
    whole_shoe(table)
    table.later(20 * HOUR_NS)
    whole_shoe(table)
    assert opened(table) == [("2025-11-21", 1), ("2025-11-21", 2), ("2025-11-22", 1)]


def test_a_shoe_belongs_to_the_day_on_which_it_was_opened(script) -> None:
    table = script(utc_ns=utc_ns("2025-11-22T05:59:00")).begun()
    table.reported(*NEW_SHOE, *COUP)
    table.later(HOUR_NS)
    table.reported(*COUP)
    closed = [one.record for one in table.of(CoupClosed)]
    assert [(one.gaming_day, one.shoe, one.coup) for one in closed] == [
        ("2025-11-21", 1, 1),
        ("2025-11-21", 1, 2),
    ]


def test_numbers_go_on_after_a_restart_past_midnight(script) -> None:
    table = script(utc_ns=utc_ns("2025-11-21T23:50:00")).begun()
    whole_shoe(table)
    table.at = Timestamp(7, utc_ns("2025-11-22T00:10:00"))
    table.begun(boot_id="boot-2")
    whole_shoe(table)
    assert opened(table) == [("2025-11-21", 1), ("2025-11-21", 2)]


@pytest.mark.parametrize("back_ns", [1_000_000_000, 30 * HOUR_NS, 400 * 24 * HOUR_NS])
def test_a_clock_set_back_repeats_no_shoe_number(script, back_ns) -> None:
    table = script(utc_ns=utc_ns("2025-11-21T05:50:00")).begun()
    whole_shoe(table)
    whole_shoe(table)
    table.at = Timestamp(table.at.monotonic_ns, utc_ns("2025-11-21T06:00:00"))
    whole_shoe(table)
    table.at = Timestamp(table.at.monotonic_ns, table.at.utc_ns - back_ns)
    whole_shoe(table)
    assert opened(table) == [
        ("2025-11-20", 1),
        ("2025-11-20", 2),
        ("2025-11-21", 1),
        ("2025-11-21", 2),
    ]


def test_the_day_of_a_shoe_follows_the_zone_of_the_table(script) -> None:
    table = script(zone="America/New_York", utc_ns=utc_ns("2025-11-21T10:59:00")).begun()
    whole_shoe(table)
    assert opened(table) == [("2025-11-20", 1)]

"""The monitors of a table: what they say goes out once, when its cards are disclosed.

The shoe is dealt in the order of new decks, from the four of diamonds on.
"""

import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from followed_table import FollowedTable
from msgspec.structs import replace

from controller.journal.folder import MONITORS_NAME, sealed_files
from controller.journal.store import Journal
from controller.procedure.state import StaffState
from controller.record.build import build_snapshot
from controller.record.snapshot import RunFacts
from controller.record.snapshot_devices import PauseView
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.advisory import Advisory, AdvisoryKind
from controller.service.shoe_monitors import PauseWatch, ShoeMonitors
from controller.table.loop import Loop
from foundation.timestamp import Timestamp

MINUTE_NS = 60 * 1_000_000_000
NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
# 4d 5d 6d 7d 8d 9d: Player wins, 8 over 1; then 10d Jd Qd Kd Ac 2c: Banker, 2 over 1.
IN_ORDER = ("44 81 94", "44 91 95", "44 82 96", "44 92 97", "44 83 98", "44 93 99", "47 90")
FAIR = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = (*NEW_SHOE, *FAIR, *FAIR[:2], "43", *FAIR[2:], *FAIR)
GOES_ON = ("44 81 9A", "44 91 9B", "44 82 9C", "44 92 9D", "44 83 A1", "44 93 A2", "47 C0")


@pytest.fixture(autouse=True)
def _capture(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "smartshoe.monitors")


class Followed(FollowedTable):
    """A table, and what its monitors count, announce and suspend by."""

    def __init__(self, journal: Journal, script) -> None:
        super().__init__(journal, script)
        self.counted: list[AdvisoryKind] = []
        self.announced: list[int] = []
        self.suspending: list[Advisory] = []

    def follow(self) -> ShoeMonitors:
        """New monitors, as after a start."""
        made = ShoeMonitors(
            self.folder,
            self.counted.append,
            lambda: self.announced.append(1),
            self.suspending.append,
        )
        self.subscribers.append(made)
        return made

    def recorded(self, kind: ActKind) -> None:
        self.acted(RecordAct(kind))


@pytest.fixture
def followed(fast_dir: Path, script) -> Iterator[Followed]:
    with Journal.open(fast_dir / "journal") as journal:
        yield Followed(journal, script)


def lines(caplog) -> list[str]:
    return [f"{one.levelname} {one.getMessage()}" for one in caplog.records]


def test_nothing_is_said_before_the_cards_of_the_coup_are_disclosed(followed, caplog) -> None:
    monitors = followed.follow()
    followed.reported(*NEW_SHOE, *IN_ORDER[:-1])
    assert (lines(caplog), monitors.advisories, followed.counted) == ([], (), [])
    followed.reported(IN_ORDER[-1])
    (line,) = lines(caplog)
    assert line.startswith("WARNING order: ")
    assert line.endswith("; shoe 1, after card 8; an advisory, no verdict")
    assert [one.kind for one in monitors.advisories] == [AdvisoryKind.ORDER]
    assert followed.counted == [AdvisoryKind.ORDER]
    assert followed.announced == [1]


def test_no_line_names_a_face(followed, caplog) -> None:
    followed.follow()
    followed.reported(*NEW_SHOE, *IN_ORDER)
    (line,) = lines(caplog)
    assert not {"4d", "5d", "6d", "7d", "8d", "9d"} & set(line.split())


def test_a_coup_that_follows_no_order_says_nothing(followed, caplog) -> None:
    monitors = followed.follow()
    followed.reported(*NEW_SHOE, *FAIR)
    assert (lines(caplog), monitors.advisories) == ([], ())


def test_a_start_in_the_shoe_goes_on_and_says_nothing_twice(followed, caplog) -> None:
    before = followed.follow()
    followed.reported(*NEW_SHOE, *IN_ORDER, GOES_ON[0])
    caplog.clear()
    after = followed.follow()
    followed.reported(*GOES_ON[1:])
    assert lines(caplog) == []
    assert after.advisories == before.advisories != ()


def test_a_pause_after_the_cut_is_said_while_it_lasts(followed, caplog) -> None:
    """Nobody deals and nothing is stored meanwhile: the clock alone says it."""
    monitors = followed.follow()
    followed.recorded(ActKind.CUT)
    followed.recorded(ActKind.CUT_CARDS_PLACED)
    put_in_ns = followed.script.at.monotonic_ns
    monitors.time_passes(Timestamp(put_in_ns + 15 * MINUTE_NS - 1, 0))
    assert (lines(caplog), monitors.advisories) == ([], ())
    for minute in (15, 16):
        monitors.time_passes(Timestamp(put_in_ns + minute * MINUTE_NS, 0))
    assert [line.partition(":")[0] for line in lines(caplog)] == ["WARNING stall-cut"]
    assert [one.kind for one in monitors.advisories] == [AdvisoryKind.STALL_CUT]
    assert followed.counted == [AdvisoryKind.STALL_CUT]
    # The pause and then its advisory.
    assert followed.announced == [1, 1]


def test_a_pause_is_shown_from_the_cut_card_to_the_first_coup(followed) -> None:
    monitors = followed.follow()
    followed.recorded(ActKind.CUT)
    assert monitors.pause is None
    followed.recorded(ActKind.CUT_CARDS_PLACED)
    since_ns = followed.script.at.utc_ns
    # A step of the clock meanwhile does not move its beginning.
    monitors.time_passes(Timestamp(followed.script.at.monotonic_ns + 1, since_ns + MINUTE_NS))
    assert monitors.pause == PauseView(AdvisoryKind.STALL_CUT, since_ns, 15)
    shown = build_snapshot(
        followed.script.core, followed.script.state, RunFacts(pause=monitors.pause)
    )
    assert shown.pause == monitors.pause
    followed.reported(*NEW_SHOE, FAIR[0])
    assert monitors.pause is None


def test_a_pause_outlives_a_start_with_the_time_of_its_beginning(followed) -> None:
    before = followed.follow()
    followed.recorded(ActKind.CUT)
    followed.recorded(ActKind.CUT_CARDS_PLACED)
    after = followed.follow()
    followed.reported(NEW_SHOE[0])
    assert before.pause is not None
    assert after.pause == before.pause


def stall_table(journal: Journal, script, minutes: int) -> Followed:
    return Followed(journal, partial(script, stall_minutes=minutes))


@pytest.mark.parametrize(("stall_minutes", "said"), [(5, ["stall-cut"]), (15, [])])
def test_the_house_says_how_long_a_pause_may_be(fast_dir, script, stall_minutes, said) -> None:
    with Journal.open(fast_dir / "journal") as journal:
        table = stall_table(journal, script, stall_minutes)
        monitors = table.follow()
        table.recorded(ActKind.CUT)
        table.recorded(ActKind.CUT_CARDS_PLACED)
        put_in_ns = table.script.at.monotonic_ns
        monitors.time_passes(Timestamp(put_in_ns + 10 * MINUTE_NS, 0))
    assert [one.kind.value for one in monitors.advisories] == said


def test_a_start_reads_earlier_pauses_by_the_setting_of_their_run(
    fast_dir, script, stored_and_sealed
) -> None:
    """That run began in the first of five shoes, and the start reads four."""
    table = script(stall_minutes=5).begun()
    table.reported(*WHOLE_SHOE * 4)
    table.acted(RecordAct(ActKind.CUT))
    table.acted(RecordAct(ActKind.CUT_CARDS_PLACED))
    table.later(10 * MINUTE_NS)
    table.reported(*WHOLE_SHOE)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    with Journal.open(fast_dir / "journal") as journal:
        core = script().core
        loop = Loop(journal, core, core.initial(), lambda: table.at)
        monitors = ShoeMonitors(journal.file.parent, print, lambda: None, print)
        monitors.stored(loop.begin(script().started))
    assert AdvisoryKind.STALL_CUT in [one.kind for one in monitors.advisories]


def test_the_pause_watch_tells_the_time() -> None:
    told: list[Timestamp] = []
    PauseWatch(lambda: Timestamp(7, 8)).check(told.append)
    assert told == [Timestamp(7, 8)]


def test_what_a_start_interrupted_is_said_after_it(followed, caplog) -> None:
    followed.reported(*NEW_SHOE, *IN_ORDER[:3])
    followed.follow()
    followed.reported(*IN_ORDER[3:])
    assert [line.partition(":")[0] for line in lines(caplog)] == ["WARNING order"]


def test_transactions_left_out_are_read_from_the_journal_and_said(followed, caplog) -> None:
    monitors = followed.follow()
    followed.reported(*NEW_SHOE)
    followed.subscribers.clear()
    followed.reported(*IN_ORDER)
    assert lines(caplog) == []
    followed.subscribers.append(monitors)
    followed.reported(FAIR[0])
    assert [line.partition(":")[0] for line in lines(caplog)] == ["WARNING order"]


def test_the_snapshot_keeps_the_advisories_of_the_shoe_before(followed) -> None:
    monitors = followed.follow()
    followed.reported(*NEW_SHOE, *IN_ORDER, "43", *FAIR, *FAIR, *NEW_SHOE)
    shown = build_snapshot(
        followed.script.core, followed.script.state, RunFacts(advisories=monitors.advisories)
    )
    assert {(one.kind, one.shoe) for one in shown.advisories} >= {(AdvisoryKind.ORDER, 1)}
    followed.reported(*FAIR, "43", *FAIR, *FAIR, *NEW_SHOE)
    assert not any(one.shoe == 1 for one in monitors.advisories)


def test_a_journal_that_cannot_be_read_is_said_and_the_monitors_go_on(followed, caplog) -> None:
    followed.reported(*NEW_SHOE)
    monitors = followed.follow()
    monitors._journal = followed.folder / "gone"
    followed.reported(*IN_ORDER)
    assert lines(caplog)[0].startswith("WARNING the monitors know less of the cards before record")
    followed.reported(*GOES_ON)
    assert monitors.advisories == ()


def test_a_start_knows_the_shoes_that_were_sealed(sealed_journal, fast_dir, script, caplog) -> None:
    """Every shoe of the journal has the same cards: after a start the next one repeats them."""
    folder = sealed_journal(2, then=())
    assert len(sealed_files(folder)) == 2
    with Journal.open(folder) as journal:
        core = script().core
        loop = Loop(journal, core, core.initial(), lambda: script().at)
        monitors = ShoeMonitors(folder, lambda _kind: None, lambda: None, lambda _advisory: None)
        monitors.stored(loop.begin(script().started))
    past = monitors._watch.state.past
    assert [one.number for one in past.shoes] == [1, 2]
    assert lines(caplog) == []


def test_a_start_knows_who_deals_since_before_those_shoes(followed) -> None:
    followed.reported(*NEW_SHOE)
    assert followed.newest is not None
    staff = StaffState(dealers=("person-1",))
    table = replace(followed.newest.state.table, staff=staff)
    monitors = followed.follow()
    monitors.stored(replace(followed.newest, state=replace(followed.newest.state, table=table)))
    assert monitors._watch.monitored.dealers == ("person-1",)


def test_a_journal_that_breaks_the_monitors_is_read_once(followed, monkeypatch) -> None:
    reads: list[int] = []

    def broken(*_records: object) -> None:
        reads.append(1)
        raise RuntimeError("a fault of the program")

    monkeypatch.setattr("controller.service.shoe_monitors.conclusions_between", broken)
    followed.reported(NEW_SHOE[0])
    followed.follow()
    with pytest.raises(RuntimeError):
        followed.reported(NEW_SHOE[1])
    followed._taken += 1
    followed.reported(*NEW_SHOE[2:])
    assert reads == [1]


def test_only_a_kind_that_the_house_names_is_given_to_the_table(followed) -> None:
    monitors = followed.follow()
    followed.reported(*NEW_SHOE, *IN_ORDER)
    assert ([one.kind for one in monitors.advisories], followed.suspending) == (["order"], [])


def test_what_is_known_over_months_outlives_a_start(followed, caplog) -> None:
    """The file is written at the end of a shoe; the start reads what came after it."""
    before = followed.follow()
    followed.reported(*NEW_SHOE, *IN_ORDER, "43", *FAIR, *FAIR)
    assert (followed.folder / MONITORS_NAME).exists()
    months = before._watch.state.across
    assert months.people.shoes == 1
    followed.reported(*NEW_SHOE, *FAIR)
    after = followed.follow()
    followed.reported(*FAIR)
    assert after._watch.state == before._watch.state
    assert after._watch.monitored == before._watch.monitored
    assert after.advisories == before.advisories != ()


def test_a_file_of_other_records_is_left_aside(followed, caplog) -> None:
    followed.follow()
    followed.reported(*NEW_SHOE, *FAIR, "43", *FAIR, *FAIR)
    path = followed.folder / MONITORS_NAME
    path.write_text(path.read_text().replace("smartshoe-monitors-1", "smartshoe-monitors-0"))
    caplog.clear()
    after = followed.follow()
    followed.reported(*NEW_SHOE)
    assert "The monitors begin with the last shoes here" in lines(caplog)[0]
    assert [one.number for one in after._watch.state.past.shoes] == [1]

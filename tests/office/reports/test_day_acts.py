"""Notices, vigorish with its forms, and duties of a day, as people recorded them.

Source: NY-c-5-notice; S42-c-3-iii-A-form to S42-c-3-iii-F, S42-e-5, S42-j-3-ii; NJ-7.3-f-2.
"""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.procedure.effects import Refusal
from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.actions import (
    Action,
    ChangeSetting,
    CloseShoe,
    CollectVigorish,
    DocumentVigorish,
    GiveNotice,
    RecordAct,
    StateWagers,
)
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import profile_text
from controller.rules.settlement.wagers import Wager, WagerKind, WagerMedium

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
BANKER_WINS = ("44 81 C1", "44 91 A4", "44 82 C2", "44 92 A5", "47 C0")
MINUTE_NS = 60_000_000_000
DEFERRED = ('vig_collection = { value = "immediate"', 'vig_collection = { value = "deferred"')

Rows = Callable[..., list[dict[str, str]]]


@pytest.fixture
def day(script, stored_and_sealed, fast_dir: Path, report_of):
    """The files of a day's report, made of one shoe in which these acts were taken.

    An act is given as such or, for a coup, as its wagers.
    """

    def made(
        *acts: Action | tuple[Wager, ...],
        profile: str = "s42-mini",
        replaced: tuple[str, str] = DEFERRED,
        before: tuple[Action, ...] = (),
    ) -> dict[str, str]:
        text = profile_text(profile)
        assert replaced[0] in text
        observed = (ObservableFact.RESULT_BUTTON, ObservableFact.WAGERS)
        table = script(profile=text.replace(*replaced), observed=observed).begun()
        for act in before:
            table.acted(act, Role.PIT_MANAGER)
        table.reported(*OPENING)
        for act in acts:
            if isinstance(act, tuple):
                table.acted(StateWagers(act))
                table.reported(*BANKER_WINS)
            else:
                table.later(31 * MINUTE_NS)
                table.acted(act, Role.PIT_MANAGER)
        table.acted(CloseShoe())
        assert not table.of(Refusal)
        stored_and_sealed(fast_dir / "journal", table, fast_dir / "key")
        return report_of(fast_dir / "journal")

    return made


def rows_of(files: dict[str, str], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[f"{name}.csv"])))


def some(rows: list[dict[str, str]], *columns: str) -> Iterator[str]:
    return (" | ".join(row[one] for one in columns) for row in rows)


def form(number: int, patron: str = "Pat", *, void: bool = False) -> DocumentVigorish:
    return DocumentVigorish(5, number, patron, "Dee", "Cy", void=void)


def banker(seat: int, cents: int) -> Wager:
    return Wager(seat, WagerKind.BANKER, cents)


def test_a_notice_says_to_whom_it_was_given_and_when_it_took_effect(day) -> None:
    files = day(
        GiveNotice("pay_procedure", "i", "surveillance"),
        GiveNotice("vig_mode", "none_six", "players"),
        ChangeSetting("pay_procedure", "i"),
    )

    given, waiting = rows_of(files, "notices")
    (changed,) = rows_of(files, "settings")
    assert (given["setting"], given["value"], given["to"]) == ("pay_procedure", "i", "surveillance")
    assert (given["person"], given["role"], given["clauses"]) == (
        "A. Floor",
        "pit_manager",
        "S42-j-3-ii",
    )
    assert given["at_utc"] < given["effective_utc"] == changed["at_utc"]
    assert (waiting["setting"], waiting["effective_utc"]) == ("vig_mode", "")
    assert "the change is not in these records" in files["day.html"]


@pytest.mark.clause("S42-c-3-iii-A-form")
def test_vigorish_is_followed_from_owed_to_its_form(day) -> None:
    files = day(
        (banker(5, 10000), banker(3, 2000)),
        CollectVigorish(3),
        form(1001),
        (banker(5, 4000),),
        form(1003, void=True),
        form(1006),
    )

    rows = rows_of(files, "vigorish")
    assert [*some(rows, "kind", "coup", "seat", "amount", "form", "patron")] == [
        "owed_later | 1 | 5 | 5.00 |  | ",
        "owed_later | 1 | 3 | 1.00 |  | ",
        "collected |  | 3 | 1.00 |  | ",
        "documented |  | 5 | 5.00 | 1001 | Pat",
        "owed_later | 2 | 5 | 2.00 |  | ",
        "form_void |  |  |  | 1003 | ",
        "documented |  | 5 | 2.00 | 1006 | Pat",
        "form_missing |  |  |  | 1002 | ",
        "form_missing |  |  |  | 1004-1005 | ",
        "waived_of_patron |  |  | 7.00 | 1001 1006 | Pat",
    ]
    assert all(row["clauses"] for row in rows)
    assert "waived of patron" in files["day.html"]


def test_a_form_that_is_used_later_is_not_missing(day) -> None:
    files = day((banker(5, 10000),), form(7), form(9, void=True), form(8, void=True))

    assert "form_missing" not in files["vigorish.csv"]


@pytest.mark.clause("NJ-7.3-f-2")
def test_vigorish_that_total_card_wagers_waive_is_exempt(day) -> None:
    total = Wager(5, WagerKind.TOTAL_4, 10000)
    files = day(
        (banker(5, 10000), total, banker(3, 2000)),
        profile="nj-minibaccarat",
        replaced=('vig_mode = { value = "commission"', 'vig_mode = { value = "none_total_cards"'),
    )

    rows = rows_of(files, "vigorish")
    assert [*some(rows, "kind", "seat", "amount")] == ["exempt | 5 | ", "owed | 3 | 1.00"]
    assert "NJ-7.3-f-2" in rows[0]["clauses"]


def test_chips_and_a_coupon_of_a_spot_are_two_rows(day) -> None:
    files = day((banker(5, 10000), Wager(5, WagerKind.BANKER, 2000, WagerMedium.COUPON)))

    assert [*some(rows_of(files, "vigorish"), "kind", "amount")] == [
        "owed_later | 5.00",
        "owed_later | 1.00",
    ]


@pytest.mark.clause("S42-e-5")
def test_duties_name_the_person_and_the_depth_of_the_cut(day) -> None:
    files = day(
        before=(
            RecordAct(ActKind.ODDS_POSTED),
            RecordAct(ActKind.INSPECTED, batch="blue"),
            RecordAct(ActKind.SHUFFLED, batch="blue"),
            RecordAct(ActKind.CUT_OFFERED, seat=5),
            RecordAct(ActKind.CUT, seat=5, amount=60),
        ),
    )

    rows = rows_of(files, "duties")
    assert [*some(rows, "act", "batch", "depth", "person")] == [
        "odds-posted |  |  | A. Floor",
        "inspected | blue |  | A. Floor",
        "shuffled | blue |  | A. Floor",
        "cut-offered |  |  | A. Floor",
        "cut |  | 60 | A. Floor",
    ]
    assert "S42-e-5" in rows[-1]["clauses"]
    assert "odds posted" in files["day.html"]


def test_a_day_without_such_acts_says_none(day) -> None:
    files = day()

    for name in ("notices", "vigorish", "duties"):
        assert rows_of(files, name) == []
    assert files["day.html"].count("None is on record.") == 2

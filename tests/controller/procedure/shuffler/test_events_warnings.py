"""A warning of the shuffler is an interlock: no next card before a named person clears it.

Responsible for: warnings in the record, clearing them, and cards drawn while one is open.
Not responsible for: which happenings warn (custody), and locking the shoe (core).
Source: NY (a)(4)(iv)(c); S42 (a)(4)(iv), (e)(8)(ii)(A); D-32; field practice (SugarHouse).
"""

import pytest

from controller.procedure.effects import Prompted, Refused, WarningClosed, WarningOpened
from controller.procedure.phases import Phase
from controller.rules.setting_values import ShuffleMode

WARNS = 'shuffler warning 17 on "belt slips"'
EASED = 'shuffler warning 17 off "belt slips"'


@pytest.fixture
def in_play(by_shuffler):
    """Red is dealt, blue is stored, and one coup is over."""

    def at(profile: str = "s42-mini", **rules: object):
        told = by_shuffler(profile, **rules)
        assert told.deal_first("red") == []
        assert told.table.deal("P1 7h, B 7c, P Kd, B Kh, result tie") == []
        return told

    return at


# --- told ---------------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-8-ii-A")
@pytest.mark.clause("NY-a-4-iv-c")
@pytest.mark.parametrize(
    ("profile", "clauses"),
    [
        ("ny-mini", ("S42-e-8-ii-A", "NY-a-4-iv-c")),
        ("s42-mini", ("S42-e-8-ii-A", "S42-a-4-iv")),
    ],
)
def test_a_warning_is_recorded_and_people_are_told_to_draw_no_card(
    in_play, profile, clauses
) -> None:
    told = in_play(profile)
    told.say(f"{WARNS} at +60s")
    (opened,) = told.table.of(WarningOpened)
    assert (opened.number, opened.kind, opened.code) == (1, "lamp", 17)
    assert opened.clauses == clauses
    prompt = told.table.of(Prompted)[-1]
    assert prompt.text == (
        "warning 1 of the shuffler (the shuffler warns (code 17): belt slips): draw no card; a"
        " floorperson looks at the shuffler and clears the warning with a reason"
    )
    assert (prompt.call.value, prompt.observed, prompt.clauses) == ("warning", True, clauses)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("shuffler 2 jam", "jam"),
        ("shuffler door 2 open", "door"),
        ("shuffler 2 residual 16", "residual"),
        ("shuffler mode sort", "mode"),
        ("shuffler lost 3", "events_lost"),
        ("shuffler gone", "silent"),
    ],
)
def test_each_of_these_is_one(in_play, words, kind) -> None:
    told = in_play()
    told.say(words)
    assert [one.kind for one in told.table.of(WarningOpened)] == [kind]
    assert told.table.deal("P1 2h")[0] == "CARD_UNDER_WARNING"


def test_a_continuous_shuffler_warns_by_its_own_clauses(by_shuffler) -> None:
    told = by_shuffler(shuffle_mode=ShuffleMode.CONTINUOUS)
    told.say(WARNS)
    (opened,) = told.table.of(WarningOpened)
    assert opened.clauses == ("S42-l-1-use", "S42-l-1-ic")
    assert "CARD_UNDER_WARNING" in told.table.deal("start, P1 7h")


# --- cards --------------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-8-ii-A")
@pytest.mark.clause("S42-a-4-iv")
@pytest.mark.clause("S42-f-1-shoe")
def test_the_first_card_drawn_under_a_warning_suspends_and_names_it(in_play) -> None:
    told = in_play()
    told.say(WARNS)
    assert told.table.deal("P1 2h") == ["CARD_UNDER_WARNING"]
    found = told.table.irregularities[-1]
    assert found.coup == 2
    assert "warning 1 of the shuffler (the shuffler warns (code 17): belt slips)" in found.detail
    assert found.clauses == ("S42-e-8-ii-A", "S42-f-1-shoe", "S42-a-4-iv")
    assert told.table.phase is Phase.SUSPENDED


@pytest.mark.clause("NY-a-4-iv-c")
@pytest.mark.clause("NY-a-3")
def test_so_it_is_in_new_york(in_play) -> None:
    told = in_play("ny-mini")
    told.say(WARNS)
    told.table.deal("P1 2h")
    assert told.table.irregularities[-1].clauses == ("S42-e-8-ii-A", "NY-a-3", "NY-a-4-iv-c")


def test_a_warning_that_came_in_mid_coup_stops_the_next_card_of_it(in_play) -> None:
    told = in_play()
    told.table.deal("P1 2h, B 2c")
    told.say(WARNS)
    assert told.table.deal("P Kd") == ["CARD_UNDER_WARNING"]


def test_the_end_of_its_cause_does_not_clear_a_warning(in_play) -> None:
    told = in_play()
    told.say(f"{WARNS}; {EASED}")
    assert told.table.deal("P1 2h") == ["CARD_UNDER_WARNING"]


def test_once_for_each_warning_until_a_floorperson_decides(in_play) -> None:
    told = in_play()
    told.say(WARNS)
    assert told.table.deal("P1 2h, B 2c") == ["CARD_UNDER_WARNING", "DEALT_WHILE_SUSPENDED"]
    told.say('shuffler warning 18 on "cover"')
    assert told.table.deal("P Kd") == ["CARD_UNDER_WARNING"]
    assert "warning 2 " in told.table.irregularities[-1].detail
    assert "warning 1 " not in told.table.irregularities[-1].detail
    assert told.table.decide("continue take-over") == ""
    assert told.table.deal("B Kh") == ["CARD_UNDER_WARNING"], "nobody has cleared them"
    assert "warning 1 " in told.table.irregularities[-1].detail


def test_after_it_was_cleared_play_goes_on(in_play) -> None:
    told = in_play()
    told.say(f"{WARNS}; {EASED}; clear warning 1")
    assert told.table.deal("P1 2h, B 2c") == []


def test_it_is_cleared_while_the_table_is_suspended_too(in_play) -> None:
    told = in_play()
    told.say(WARNS)
    told.table.deal("P1 2h")
    told.say(f"{EASED}; clear warning 1")
    assert told.table.of(WarningClosed) != []
    assert told.table.decide("continue") == ""
    assert told.table.deal("B 2c") == []


def test_no_other_happening_is_held_up(in_play) -> None:
    told = in_play()
    told.say(WARNS)
    assert told.table.deal("no more bets, cut card, stand-by") == []


def test_where_cards_are_shuffled_by_hand_the_shuffler_holds_up_nothing(by_shuffler) -> None:
    told = by_shuffler(shuffle_mode=ShuffleMode.HAND)
    told.say(WARNS)
    assert told.table.deal("start, burn Ac: 2c") == []


# --- clearing -----------------------------------------------------------------------------------


def test_who_cleared_it_why_and_after_how_long_stands_in_the_record(in_play) -> None:
    told = in_play()
    told.say(f"{WARNS} at +60s; {EASED} at +90s")
    told.say('clear warning 1 at +100s by "Bo Ray" because "belt tightened"')
    (closed,) = told.table.of(WarningClosed)
    assert (closed.number, closed.kind, closed.person, closed.reason, closed.waited_ns) == (
        *(1, "lamp", "Bo Ray", "belt tightened"),
        40_000_000_000,
    )
    assert told.table.last.what == "warning 1 cleared by Bo Ray"


def test_a_clock_that_was_set_back_gives_no_time_below_zero(in_play) -> None:
    told = in_play()
    told.say(f"{WARNS} at +60s; {EASED} at +61s; clear warning 1 at +2s")
    assert told.table.of(WarningClosed)[0].waited_ns == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("clear warning 9", "no warning 9 is open; open are 1"),
        ("clear warning 1", "warning 1 (the shuffler warns (code 17): belt slips) is still so: "),
        (f'{EASED}; clear warning 1 because " "', "say the reason: what it was and how it was "),
        (f"{EASED}; clear warning 1; clear warning 1", "no warning 1 is open; no warning is open"),
    ],
)
def test_what_cannot_be_cleared_is_refused_with_why(in_play, words, why) -> None:
    told = in_play()
    told.say(f"{WARNS}; {words}")
    refused = told.table.of(Refused)[-1]
    assert refused.what == "clear-warning"
    assert refused.why.startswith(why)


def test_a_warning_that_dealing_gives_is_timed_by_when_the_shuffler_was_last_heard(
    by_shuffler,
) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.put_in("red")
    told.say("shuffler 1 counted 416 of red at +50s")
    told.do("loaded red 416")
    told.table.deal("start, burn Ac:")
    (opened,) = told.table.of(WarningOpened)
    assert opened.kind == "count"
    told.say(f"clear warning {opened.number} at +70s")
    assert told.table.of(WarningClosed)[0].waited_ns == 20_000_000_000

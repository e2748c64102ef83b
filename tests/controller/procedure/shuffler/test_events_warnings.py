"""A warning of the shuffler is an interlock: no next card before a named person clears it.

Source: NY (a)(4)(iv)(c); S42 (a)(4)(iv), (e)(8)(ii)(A); D-32; field practice (SugarHouse).
"""

import pytest

from controller.procedure.effects import Prompt, Refusal, WarningClosed, WarningOpened
from controller.procedure.phases import Phase
from controller.rules.setting_values import ShuffleMode
from controller.system.messages.catalogue import to_words

WARNS = 'shuffler warning 17 on "belt slips"'
EASED = 'shuffler warning 17 off "belt slips"'


@pytest.fixture
def in_play(new_shuffler_table):
    """Red is dealt, blue is stored, and one coup is over."""

    def at(profile: str = "s42-mini", **rules: object):
        people = new_shuffler_table(profile, **rules)
        assert people.deal_first("red") == []
        assert people.table.deal("P1 7h; B 7c; P Kd; B Kh; result tie") == []
        return people

    return at


# --- people ---------------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-8-ii-A")
@pytest.mark.clause("NY-a-4-iv-c")
@pytest.mark.parametrize(
    ("profile", "clauses"),
    [
        ("ny-mini", ("S42-e-8-ii-A", "NY-a-4-iv-c")),
        ("s42-mini", ("S42-e-8-ii-A", "S42-a-4-iv")),
    ],
)
def test_a_warning_is_recorded_and_prompts_to_draw_no_card(in_play, profile, clauses) -> None:
    people = in_play(profile)
    people.run_script(f"{WARNS} at +60s")
    (opened,) = people.table.of(WarningOpened)
    assert (opened.number, opened.kind, opened.code) == (1, "lamp", 17)
    assert opened.clauses == clauses
    prompt = people.table.of(Prompt)[-1]
    assert to_words(prompt.text) == (
        "warning 1 of the shuffler (the shuffler warns (code 17): belt slips): draw no card; a"
        " floorperson looks at the shuffler and clears the warning with a reason"
    )
    assert (prompt.kind.value, prompt.observed, prompt.clauses) == ("warning", True, clauses)


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
def test_each_of_these_reports_opens_a_warning(in_play, words, kind) -> None:
    people = in_play()
    people.run_script(words)
    assert [one.kind for one in people.table.of(WarningOpened)] == [kind]
    assert people.table.deal("P1 2h")[0] == "CARD_UNDER_WARNING"


def test_a_continuous_shuffler_warns_by_its_own_clauses(new_shuffler_table) -> None:
    people = new_shuffler_table(shuffle_mode=ShuffleMode.CONTINUOUS)
    people.run_script(WARNS)
    (opened,) = people.table.of(WarningOpened)
    assert opened.clauses == ("S42-l-1-use", "S42-l-1-ic")
    assert "CARD_UNDER_WARNING" in people.table.deal("start; P1 7h")


# --- cards --------------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-8-ii-A")
@pytest.mark.clause("S42-a-4-iv")
@pytest.mark.clause("S42-f-1-shoe")
def test_the_first_card_drawn_under_a_warning_suspends_and_names_it(in_play) -> None:
    people = in_play()
    people.run_script(WARNS)
    assert people.table.deal("P1 2h") == ["CARD_UNDER_WARNING"]
    found = people.table.irregularities[-1]
    assert found.coup == 2
    assert "warning 1 of the shuffler (the shuffler warns (code 17): belt slips)" in to_words(
        found.detail
    )
    assert found.clauses == ("S42-e-8-ii-A", "S42-f-1-shoe", "S42-a-4-iv")
    assert people.table.phase is Phase.SUSPENDED


@pytest.mark.clause("NY-a-4-iv-c")
@pytest.mark.clause("NY-a-3")
def test_so_it_is_in_new_york(in_play) -> None:
    people = in_play("ny-mini")
    people.run_script(WARNS)
    people.table.deal("P1 2h")
    assert people.table.irregularities[-1].clauses == ("S42-e-8-ii-A", "NY-a-3", "NY-a-4-iv-c")


def test_a_warning_that_came_in_mid_coup_stops_the_next_card_of_it(in_play) -> None:
    people = in_play()
    people.table.deal("P1 2h; B 2c")
    people.run_script(WARNS)
    assert people.table.deal("P Kd") == ["CARD_UNDER_WARNING"]


def test_the_end_of_its_cause_does_not_clear_a_warning(in_play) -> None:
    people = in_play()
    people.run_script(f"{WARNS}; {EASED}")
    assert people.table.deal("P1 2h") == ["CARD_UNDER_WARNING"]


def test_once_for_each_warning_until_a_floorperson_decides(in_play) -> None:
    people = in_play()
    people.run_script(WARNS)
    assert people.table.deal("P1 2h; B 2c") == ["CARD_UNDER_WARNING", "DEALT_WHILE_SUSPENDED"]
    people.run_script('shuffler warning 18 on "cover"')
    assert people.table.deal("P Kd") == ["CARD_UNDER_WARNING"]
    assert "warning 2 " in to_words(people.table.irregularities[-1].detail)
    assert "warning 1 " not in to_words(people.table.irregularities[-1].detail)
    assert people.table.decide("continue take-over") == ""
    assert people.table.deal("B Kh") == ["CARD_UNDER_WARNING"], "nobody has cleared them"
    assert "warning 1 " in to_words(people.table.irregularities[-1].detail)


def test_after_it_was_cleared_play_goes_on(in_play) -> None:
    people = in_play()
    people.run_script(f"{WARNS}; {EASED}; clear warning 1")
    assert people.table.deal("P1 2h; B 2c") == []


def test_it_is_cleared_while_the_table_is_suspended_too(in_play) -> None:
    people = in_play()
    people.run_script(WARNS)
    people.table.deal("P1 2h")
    people.run_script(f"{EASED}; clear warning 1")
    assert people.table.of(WarningClosed) != []
    assert people.table.decide("continue") == ""
    assert people.table.deal("B 2c") == []


def test_no_other_event_is_blocked(in_play) -> None:
    people = in_play()
    people.run_script(WARNS)
    assert people.table.deal("no more bets; cut card; stand-by") == []


def test_where_cards_are_shuffled_by_hand_the_shuffler_blocks_nothing(new_shuffler_table) -> None:
    people = new_shuffler_table(shuffle_mode=ShuffleMode.HAND)
    people.run_script(WARNS)
    assert people.table.deal("start; burn Ac: 2c") == []


# --- clearing -----------------------------------------------------------------------------------


def test_the_record_says_who_cleared_it_why_and_after_how_long(in_play) -> None:
    people = in_play()
    people.run_script(f"{WARNS} at +60s; {EASED} at +90s")
    people.run_script('clear warning 1 at +100s by "Bo Ray" because "belt tightened"')
    (closed,) = people.table.of(WarningClosed)
    assert (closed.number, closed.kind, closed.person, closed.reason, closed.waited_ns) == (
        *(1, "lamp", "Bo Ray", "belt tightened"),
        40_000_000_000,
    )
    assert to_words(people.table.last.what) == "warning 1 cleared by Bo Ray"


def test_a_clock_that_was_set_back_gives_no_negative_time(in_play) -> None:
    people = in_play()
    people.run_script(f"{WARNS} at +60s; {EASED} at +61s; clear warning 1 at +2s")
    assert people.table.of(WarningClosed)[0].waited_ns == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("clear warning 9", "no warning 9 is open; open are 1"),
        (
            "clear warning 1",
            "warning 1 (the shuffler warns (code 17): belt slips) is still active: ",
        ),
        (
            f'{EASED}; clear warning 1 because " "',
            "give the reason: what the cause was and how it was ",
        ),
        (f"{EASED}; clear warning 1; clear warning 1", "no warning 1 is open; no warning is open"),
    ],
)
def test_a_warning_that_cannot_be_cleared_is_refused_with_the_reason(in_play, words, why) -> None:
    people = in_play()
    people.run_script(f"{WARNS}; {words}")
    refused = people.table.of(Refusal)[-1]
    assert refused.what == "clear-warning"
    assert to_words(refused.why).startswith(why)


def test_a_warning_raised_by_dealing_has_the_time_of_the_last_shuffler_event(
    new_shuffler_table,
) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.put_in("red")
    people.run_script("shuffler 1 counted 416 of red at +50s")
    people.do("loaded red 416")
    people.table.deal("start; burn Ac")
    (opened,) = people.table.of(WarningOpened)
    assert opened.kind == "count"
    people.run_script(f"clear warning {opened.number} at +70s")
    assert people.table.of(WarningClosed)[0].waited_ns == 20_000_000_000

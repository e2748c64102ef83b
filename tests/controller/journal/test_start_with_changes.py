"""A start whose profile says something else than the table went by.

Responsible for: notice that a change at a start needs, and changes made in play across a restart.
Not responsible for: what an open shoe goes by (test_recovery).
Source: package README, "Settings that change in play"; D-27.
"""

import pytest

from controller.journal.store import Journal
from controller.procedure.events import NoticeRecorded, SettingChangeAsked
from controller.procedure.people.setting_changes import effective
from controller.procedure.step import step
from controller.profiles.load import load_clauses, profile_text
from controller.replay.recovery import Recovered, recover, refusal_to_start

CLAUSES = load_clauses()
S42 = profile_text("s42-mini")
S42_AT_4 = S42.replace("vig_rate = { value = 5", "vig_rate = { value = 4")


def recovered(folder) -> Recovered:
    with Journal.open(folder) as journal:
        return recover(journal, CLAUSES)


@pytest.mark.clause("S42-c-5-notice")
def test_a_higher_rate_in_the_file_is_refused_until_notice_was_given(script, record) -> None:
    left = recovered(record(script(profile=S42_AT_4).begun()))

    refusal = refusal_to_start(left, script(profile=S42).core, replace_allowed=False, at_ns=1)

    assert refusal == (
        "vig_rate to 5 needs notice before it: record notice of it to players first. "
        "Start with vig_rate 4 until then (S42-c-5-notice)"
    )


def test_a_lower_rate_in_the_file_is_taken(script, record) -> None:
    left = recovered(record(script(profile=S42).begun()))

    assert refusal_to_start(left, script(profile=S42_AT_4).core, replace_allowed=False) == ""


def test_what_was_changed_in_play_outlasts_a_start_with_the_same_file(script) -> None:
    table = script(profile=S42).begun()
    state = table.state.table
    for to in ("players", "commission"):
        state = step(table.core.book, state, NoticeRecorded("vig_mode", "tie25", to, "Bo", 0)).state
    asked = SettingChangeAsked("vig_mode", "tie25", "Bo Ray", "trial", 1)
    state = step(table.core.book, state, asked).state

    again = script(profile=S42).core

    assert effective(again.book, state).values.vig_mode == "tie25"
    assert effective(script(profile=S42_AT_4).core.book, state).values.vig_mode == "tie25"

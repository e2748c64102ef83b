"""A start whose profile differs from the settings in force: notice, and changes made in play.

Source: D-27.
"""

import pytest
from acts_of_people import acted

from controller.archive.replay.recovery import RecoveredState, recover, refusal_to_start
from controller.journal.store import Journal
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.step import step
from controller.rules.actions.actions import ChangeSetting, GiveNotice
from controller.rules.profiles.load import load_clauses, profile_text

CLAUSES = load_clauses()
S42 = profile_text("s42-mini")
S42_AT_4 = S42.replace("vig_rate = { value = 5", "vig_rate = { value = 4")


def recovered(folder) -> RecoveredState:
    with Journal.open(folder) as journal:
        return recover(journal, CLAUSES)


@pytest.mark.clause("S42-c-5-notice")
def test_a_higher_rate_in_the_file_is_refused_without_notice(script, record) -> None:
    left = recovered(record(script(profile=S42_AT_4).begun()))

    refusal = refusal_to_start(left, script(profile=S42).core, replace_allowed=False, at_ns=1)

    assert refusal == (
        "vig_rate to 5 needs prior notice: record notice of it to players first. "
        "Remedy: start with vig_rate 4 until then (S42-c-5-notice)"
    )


def test_a_lower_rate_in_the_file_is_accepted(script, record) -> None:
    left = recovered(record(script(profile=S42).begun()))

    assert refusal_to_start(left, script(profile=S42_AT_4).core, replace_allowed=False) == ""


def test_a_change_in_play_survives_a_start_with_the_same_file(script) -> None:
    table = script(profile=S42).begun()
    state = table.state.table
    for to in ("players", "commission"):
        state = step(table.core.book, state, acted(GiveNotice("vig_mode", "tie25", to), "Bo")).state
    request = acted(ChangeSetting("vig_mode", "tie25"), "Bo Ray", reason="trial", at_ns=1)
    state = step(table.core.book, state, request).state

    again = script(profile=S42).core

    assert effective_book(again.book, state).values.vig_mode == "tie25"
    assert effective_book(script(profile=S42_AT_4).core.book, state).values.vig_mode == "tie25"

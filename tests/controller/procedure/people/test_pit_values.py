"""A table keeps to its pit at every change, and follows the pit at its own moment.

Source: NY-i-3-i, NY-i-3-ii, NY-c-5-uniform, S42-c-5-uniform, S42-e-3, S42-j-3-i.
"""

import pytest
from acts_of_people import acted
from msgspec.structs import replace

from controller.journal.encoding import Codec
from controller.procedure.effects import ActRecord, Refusal, SettingChanged
from controller.procedure.people.pit_values import differences_from_pit
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.state import TableState
from controller.rules.actions.actions import ChangeSetting
from controller.rules.settlement.pit import PitSettings
from controller.system.messages.catalogue import to_words

STATES: Codec[TableState] = Codec(TableState)
OPENED = "start; burn Ac: 2c"


@pytest.fixture
def new_pit_table(new_table):
    """A factory of tables of pit 3, with its settings."""

    def make_table(profile, words="", **shared):
        table = new_table("", profile=profile)
        table.book = replace(table.book, pit="3", shared=PitSettings(**shared))
        table.deal(words)
        return table

    return make_table


def change(table, setting, value, pit=""):
    """What a change is answered with: the words of a refusal, or empty."""
    act = acted(ChangeSetting(setting, value, pit), "Bo Ray", reason="house rule")
    result = table.apply(act)
    refused = [one for one in result.effects if isinstance(one, Refusal)]
    return refused[0] if refused else None


def differing(table):
    book = effective_book(table.book, table.state)
    return [(one.setting, one.own, one.of_pit) for one in differences_from_pit(book, table.state)]


# --- a change of one table ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "shared", "setting", "value", "clause"),
    [
        pytest.param(*row, marks=pytest.mark.clause(row[-1]) if row[-1] else ())
        for row in (
            ("ny-mini", {"pay_procedure": "iii"}, "pay_procedure", "i", "NY-i-3-i"),
            ("ny-midi", {"baccarat_pay_procedure": "iii"}, "pay_procedure", "ii", "NY-i-3-ii"),
            ("ny-mini", {"vig_rate": 5}, "vig_rate", "4", "NY-c-5-uniform"),
            ("s42-mini", {"vig_mode": "commission"}, "vig_mode", "none_six", "S42-c-5-uniform"),
            ("s42-mini", {"pay_procedure": "iii"}, "pay_procedure", "i", "S42-j-3-i"),
            ("s42-mini", {"shuffle_finish": "feather"}, "shuffle_finish", "lace", "S42-e-3"),
            ("wa-mini", {"vig_rate": 5}, "vig_rate", "4", ""),
        )
    ],
)
def test_a_change_against_the_pit_is_refused(
    new_pit_table, profile, shared, setting, value, clause
):
    table = new_pit_table(profile, **shared)

    refused = change(table, setting, value)

    assert refused.clauses == ((clause,) if clause else ())
    assert to_words(refused.why).startswith(f"the tables of pit 3 have {setting} ")
    assert not table.state.settings


def test_a_setting_that_the_pit_does_not_name_is_the_tables(new_pit_table):
    table = new_pit_table("ny-mini", vig_rate=5)

    assert change(table, "pay_procedure", "i") is None


# --- a change of the pit --------------------------------------------------------------------------


def test_a_table_follows_its_pit_and_keeps_to_the_new_value(new_pit_table):
    table = new_pit_table("ny-mini", OPENED, vig_rate=5)

    assert change(table, "vig_rate", "4", pit="3") is None

    assert [(one.setting, one.new) for one in table.of(SettingChanged)] == [("vig_rate", "4")]
    assert to_words(table.of(ActRecord)[-1].detail) == "pit 3 has vig_rate 4 from now on"
    assert differing(table) == []
    table.deal("notice vig_rate 5 to players; notice vig_rate 5 to commission")
    assert "pit 3" in to_words(change(table, "vig_rate", "5").why)


@pytest.mark.clause("S42-j-3-ii")
def test_a_table_that_cannot_follow_yet_differs_until_it_does(new_pit_table):
    table = new_pit_table("s42-mini", OPENED, pay_procedure="iii")

    refused = change(table, "pay_procedure", "i", pit="3")

    assert refused.clauses == ("S42-j-3-ii",)
    assert differing(table) == [("pay_procedure", "iii", "i")]
    assert STATES.decode(STATES.encode(table.state)) == table.state
    table.deal("notice pay_procedure i to surveillance; set pay_procedure i at +31min")
    assert differing(table) == []


def test_a_table_that_has_the_value_already_only_records_it(new_pit_table):
    table = new_pit_table("s42-mini", vig_rate=4)
    assert differing(table) == [("vig_rate", "5", "4")]

    assert change(table, "vig_rate", "5", pit="3") is None

    assert differing(table) == []
    assert table.of(SettingChanged) == []


def test_the_procedure_of_a_baccarat_table_is_the_one_that_changes(new_pit_table):
    table = new_pit_table("ny-mini", pay_procedure="i", baccarat_pay_procedure="iii")

    assert change(table, "pay_procedure", "ii", pit="3") is None

    assert differing(table) == []


def test_the_file_has_the_last_word(new_pit_table):
    table = new_pit_table("s42-mini", vig_rate=5)
    change(table, "vig_rate", "4", pit="3")
    assert differing(table) == []

    table.book = replace(table.book, shared=PitSettings(vig_rate=3))

    assert differing(table) == [("vig_rate", "4", "3")]


@pytest.mark.parametrize(
    ("setting", "value", "pit", "why"),
    [
        ("vig_rate", "4", "4", "this table is of pit 3, not of 4"),
        ("dragon_bonus_table", "B", "3", "tables of a pit share no setting dragon_bonus_table"),
        ("vig_rate", "odd", "3", "no pit has such a value; vig_rate is one of 0, 1, 2, 3, 4, 5"),
    ],
)
def test_a_value_that_is_none_of_this_pit_is_refused(new_pit_table, setting, value, pit, why):
    table = new_pit_table("ny-mini", vig_rate=5)

    assert to_words(change(table, setting, value, pit).why).startswith(why)
    assert differing(table) == []


def test_a_table_that_the_pit_does_not_bind_stays_as_it_is(new_pit_table):
    table = new_pit_table("ny-ez", vig_rate=5)

    assert change(table, "vig_rate", "4", pit="3") is None

    assert (table.of(SettingChanged), differing(table)) == ([], [])


def test_a_table_of_no_pit_takes_no_value_of_one(new_table):
    why = change(new_table(""), "vig_rate", "4", pit="3").why
    assert to_words(why) == "this table is of no pit, and not of 3"


def test_where_it_differs_already_another_setting_may_be_changed(new_pit_table):
    table = new_pit_table("ny-mini", vig_rate=4)

    assert change(table, "pay_procedure", "i") is None

    assert differing(table) == [("vig_rate", "5", "4")]

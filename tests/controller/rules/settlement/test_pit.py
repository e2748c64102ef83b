"""All tables of a pit share their settings: where a table differs, and by which clause."""

from collections.abc import Callable

import pytest

from controller.rules.setting_values import PayProcedure, ShuffleFinish, VigorishMode
from controller.rules.settlement.pit import PIT_KEYS, PitSettings, pit_differences
from controller.rules.settlement.terms import Terms

Table = Callable[..., Terms]
LACE = {"shuffle_finish": ShuffleFinish.LACE}


def case(profile: str, pit: PitSettings, clause: str, differs: str, **settings: object) -> object:
    return pytest.param(
        profile, settings, pit, clause, differs, marks=pytest.mark.clause(clause) if clause else ()
    )


@pytest.mark.parametrize(
    ("profile", "settings", "pit", "clause", "differs"),
    [
        case("ny-mini", PitSettings(pay_procedure="i"), "NY-i-3-i", "pay_procedure iii, not i"),
        case("ny-midi", PitSettings(pay_procedure="iii", baccarat_pay_procedure="ii"), "NY-i-3-ii",
             "pay_procedure iii, not ii"),
        case("s42-mini", PitSettings(pay_procedure="i"), "S42-j-3-i", "pay_procedure iii, not i"),
        case("s42-mini", PitSettings(pay_procedure="i", baccarat_pay_procedure="iii"), "S42-j-3-i",
             "pay_procedure iii, not i"),
        case("s42-mini", PitSettings(shuffle_finish="feather"), "S42-e-3",
             "shuffle_finish lace, not feather", **LACE),
        case("ny-mini", PitSettings(vig_rate=4), "NY-c-5-uniform", "vig_rate 5, not 4"),
        case("s42-mini", PitSettings(vig_mode="tie25"), "S42-c-5-uniform",
             "vig_mode commission, not tie25"),
        # No clause asks for it: the house's own pit does.
        case("wa-mini", PitSettings(vig_rate=4), "", "vig_rate 5, not 4"),
        case("nj-baccarat", PitSettings(vig_mode="none_six"), "",
             "vig_mode commission, not none_six"),
    ],
)  # fmt: skip
def test_a_table_differs_from_its_pit(
    table: Table, profile: str, settings: dict[str, object], pit: PitSettings, clause: str,
    differs: str,
) -> None:  # fmt: skip
    (found,) = pit_differences(table(profile, **settings), pit)

    assert f"{found.setting} {found.own}, not {found.of_pit}" == differs
    assert found.clauses == ((clause,) if clause else ())


@pytest.mark.parametrize(
    ("profile", "settings", "pit"),
    [
        ("ny-mini", {}, PitSettings()),
        ("ny-mini", {}, PitSettings(pay_procedure="iii", vig_mode="commission", vig_rate=5)),
        ("ny-mini", {}, PitSettings(pay_procedure="i", baccarat_pay_procedure="iii")),
        ("ny-ez", {}, PitSettings(pay_procedure="i", vig_mode="commission", vig_rate=5)),
        ("wa-mini", {}, PitSettings(pay_procedure="i")),
        ("wa-mini", {"pay_procedure": PayProcedure.I}, PitSettings(baccarat_pay_procedure="ii")),
        ("s42-mini", {"vig_mode": VigorishMode.TIE25}, PitSettings(vig_mode="tie25")),
    ],
)
def test_a_table_agrees_with_its_pit(
    table: Table, profile: str, settings: dict[str, object], pit: PitSettings
) -> None:
    assert pit_differences(table(profile, **settings), pit) == ()


@pytest.mark.parametrize(
    ("key", "text"), [*((key, "i") for key in PIT_KEYS[:4]), ("vig_rate", "0")]
)
def test_a_value_of_the_pit_is_text_both_ways(key: str, text: str) -> None:
    assert PitSettings().text(key) == ""
    assert PitSettings().with_text(key, text).text(key) == text

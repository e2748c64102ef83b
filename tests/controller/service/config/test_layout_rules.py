"""Layouts and pits under the profiles: each valid one, and each problem with its clauses.

Source: NY (a)(2), (a)(4)-(5), (c)(5), (i)(3); NJ 1.12(d); S42 (a)(1), (a)(4), (c)(5), (e)(3),
(j)(3); WA overview 2.
"""

import pytest
from msgspec.structs import replace

from controller.rules.hands import HandName
from controller.rules.profiles.load import load_profile
from controller.rules.setting_values import (
    PayProcedure,
    ShuffleFinish,
    ShuffleMode,
    VigorishCollection,
    VigorishMode,
)
from controller.rules.settlement.pit import PitSettings
from controller.service.config.document import ConfigError
from controller.service.config.layout_rules import (
    LayoutProblem,
    TableLayout,
    layout_problems,
    layout_warnings,
    pit_problems,
)
from controller.service.config.load import load_config

ALL_SPOTS = (
    *("banker", "player", "tie", "bonus_player", "bonus_banker"),
    *("dragon_7", "panda_8", "total_4", "total_5", "total_6"),
)
WHOLE = TableLayout(
    seats=(1, 2, 3),
    spots=ALL_SPOTS,
    vigorish_boxes=(3, 2, 1),
    hand_areas=("banker", "player"),
    cut_card_colour="yellow",
    odds_posted="layout",
    approval="A-17",
)


def profile_of(name: str, **rules: object):
    profile = load_profile(name)
    return replace(profile, rules=replace(profile.rules, **rules))


def refused(layout: TableLayout, name: str, **rules: object) -> list[LayoutProblem]:
    return list(layout_problems(layout, profile_of(name, **rules)))


def without(*spots: str) -> TableLayout:
    return replace(WHOLE, spots=tuple(one for one in ALL_SPOTS if one not in spots))


# --- the layout ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("ny-mini", "ny-midi", "ny-ez", "nj-minibaccarat", "nj-baccarat"),
        *("wa-mini", "house-baccarat", "house-mini", "s42-mini"),
    ],
)
def test_a_complete_layout_is_valid_under_every_profile(name) -> None:
    assert refused(WHOLE, name) == []


def test_a_layout_without_seats_is_not_checked() -> None:
    assert refused(TableLayout(), "ny-ez") == []


@pytest.mark.clause("NY-a-2-ii")
@pytest.mark.parametrize(
    ("seats", "expected"),
    [((1, 2, 2), "seat 2 is listed twice"), ((0, 1), "0 is not a seat number")],
)
def test_every_seat_has_a_number_of_its_own(seats, expected) -> None:
    (found,) = refused(replace(WHOLE, seats=seats, vigorish_boxes=seats), "ny-mini")
    assert str(found) == (
        f"layout.seats: {expected}. Allowed: every seat once, from 1 (NY-a-2-ii)."
        " Remedy: number each seat once"
    )


@pytest.mark.parametrize(
    ("name", "boxes", "expected"),
    [
        pytest.param("ny-mini", (1, 3), "seat 2 has none", marks=pytest.mark.clause("NY-a-2-ii")),
        pytest.param(
            "nj-baccarat",
            (1, 2, 3, 4),
            "there are more than seats",
            marks=pytest.mark.clause("NJ-12-d-5"),
        ),
        pytest.param(
            "nj-minibaccarat",
            (),
            "seat 1, 2, 3 has none",
            marks=pytest.mark.clause("NJ-12-d-5-ii"),
        ),
    ],
)
def test_every_seat_has_one_box_for_its_vigorish(name, boxes, expected) -> None:
    (found,) = refused(replace(WHOLE, vigorish_boxes=boxes), name, vig_mode=VigorishMode.COMMISSION)
    assert found.path == "layout.vigorish_boxes"
    assert expected in str(found)


@pytest.mark.clause("NJ-12-d-5-ii")
@pytest.mark.parametrize(
    ("mode", "warned"),
    [
        (VigorishMode.TIE25, 0),
        (VigorishMode.NONE_SIX, 0),
        (VigorishMode.NONE_TOTAL_CARDS, 1),
    ],
)
def test_new_jersey_minibaccarat_may_omit_vigorish_boxes(mode, warned) -> None:
    layout = replace(WHOLE, vigorish_boxes=())
    later = {"vig_mode": mode, "vig_collection": VigorishCollection.DEFERRED}
    assert refused(layout, "nj-minibaccarat", **later) == []
    profile = profile_of("nj-minibaccarat", **later)
    found = layout_warnings(layout, profile)
    assert [one.clauses for one in found] == [("NJ-12-d-5", "NJ-12-d-5-ii")] * warned
    assert layout_warnings(WHOLE, profile) == ()


def test_other_rules_require_vigorish_boxes() -> None:
    layout = replace(WHOLE, vigorish_boxes=())
    (found,) = refused(layout, "nj-baccarat", vig_mode=VigorishMode.TIE25)
    assert found.clauses == ("NJ-12-d-5",)


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        pytest.param(name, clause, marks=pytest.mark.clause(clause))
        for name, clause in (("ny-mini", "NY-a-2-iii"), ("nj-baccarat", "NJ-12-d-6"))
    ],
)
@pytest.mark.parametrize("areas", [(), ("player",), ("player", "player")])
def test_each_hand_has_its_area(name, clause, areas) -> None:
    (found,) = refused(replace(WHOLE, hand_areas=areas), name)
    assert found.clauses == (clause,)


@pytest.mark.parametrize(
    ("name", "spots", "clause", "rules"),
    [
        pytest.param(name, spots, clause, rules, marks=pytest.mark.clause(clause))
        for name, spots, clause, rules in (
            ("ny-mini", ("tie",), "NY-a-2-iv", {}),
            ("wa-mini", ("player", "banker"), "WA-ov-2-spots", {}),
            (
                "ny-mini",
                ("bonus_banker",),
                "NY-a-2-vi",
                {"dragon_bonus": True, "dragon_bonus_sides": tuple(HandName)},
            ),
            ("ny-ez", ("dragon_7",), "NY-a-2-vii-a", {}),
            ("ny-ez", ("panda_8",), "NY-a-2-vii-b", {}),
            ("nj-baccarat", ("total_5",), "NJ-12-d-7-i", {"total_card_wagers": True}),
            ("nj-minibaccarat", ("total_4",), "NJ-sum-spots", {"total_card_wagers": True}),
        )
    ],
)
def test_each_wager_that_is_offered_has_its_spot(name, spots, clause, rules) -> None:
    (found,) = refused(without(*spots), name, **rules)
    assert clause in found.clauses
    assert all(spot in str(found) for spot in spots)


def test_a_bonus_on_one_side_needs_one_spot() -> None:
    rules = {"dragon_bonus": True, "dragon_bonus_sides": (HandName.PLAYER,)}
    assert refused(without("bonus_banker"), "ny-mini", **rules) == []


@pytest.mark.parametrize(
    ("spots", "expected"),
    [
        ((*ALL_SPOTS, "insurance"), "'insurance' is not a wager"),
        ((*ALL_SPOTS, "tie"), "tie is listed twice"),
    ],
)
def test_a_spot_is_for_one_known_wager(spots, expected) -> None:
    (found,) = refused(replace(WHOLE, spots=spots), "ny-mini")
    assert expected in str(found)


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        pytest.param(name, clause, marks=pytest.mark.clause(clause))
        for name, clause in (("ny-mini", "NY-a-4-iv-b-diff"), ("s42-mini", "S42-a-4-iii-diff"))
    ],
)
def test_the_batches_have_different_backs(name, clause) -> None:
    for layout in (WHOLE, TableLayout()):
        (found,) = refused(replace(layout, backs=("red", "red")), name)
        assert found.clauses == (clause,)
    by_hand = {"shuffle_mode": ShuffleMode.HAND}
    assert refused(replace(WHOLE, backs=("red", "red")), name, **by_hand) == []


@pytest.mark.clause("NY-a-4-iv-sets")
@pytest.mark.parametrize("backs", [("red",), ("red", "blue", "green"), ("red", "")])
def test_two_backs_are_named(backs) -> None:
    (found,) = refused(replace(WHOLE, backs=backs), "ny-mini")
    assert found.clauses == ("NY-a-4-iv-sets",)


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        pytest.param(name, clause, marks=pytest.mark.clause(clause))
        for name, clause in (("ny-mini", "NY-a-4-i-colour"), ("s42-mini", "S42-a-1-colour"))
    ],
)
@pytest.mark.parametrize("colour", ["", "blue"])
def test_a_cut_card_differs_from_the_backs(name, clause, colour) -> None:
    (found,) = refused(replace(WHOLE, cut_card_colour=colour), name)
    assert found.clauses == (clause,)


@pytest.mark.parametrize(
    ("name", "change", "clause"),
    [
        pytest.param(name, change, clause, marks=pytest.mark.clause(clause))
        for name, change, clause in (
            ("ny-midi", {"discard_rack": False}, "NY-a-5"),
            ("ny-mini", {"odds_posted": ""}, "NY-a-2-v"),
            ("nj-baccarat", {"approval": ""}, "NJ-12-d-approve"),
        )
    ],
)
def test_other_required_equipment(name, change, clause) -> None:
    (found,) = refused(replace(WHOLE, **change), name)
    assert found.clauses == (clause,)


# --- the pit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "pit", "rules", "clause"),
    [
        pytest.param(name, pit, rules, clause, marks=pytest.mark.clause(clause))
        for name, pit, rules, clause in (
            (
                "s42-mini",
                PitSettings(shuffle_finish="lace"),
                {"shuffle_finish": ShuffleFinish.FEATHER},
                "S42-e-3",
            ),
            (
                "ny-mini",
                PitSettings(pay_procedure="ii"),
                {"pay_procedure": PayProcedure.I},
                "NY-i-3-i",
            ),
            (
                "s42-mini",
                PitSettings(pay_procedure="ii", baccarat_pay_procedure="i"),
                {"pay_procedure": PayProcedure.I},
                "S42-j-3-i",
            ),
            (
                "ny-mini",
                PitSettings(pay_procedure="i", baccarat_pay_procedure="iii"),
                {"pay_procedure": PayProcedure.I},
                "NY-i-3-ii",
            ),
            ("ny-mini", PitSettings(vig_mode="tie25"), {}, "NY-c-5-uniform"),
            ("s42-mini", PitSettings(vig_rate=4), {"vig_rate": 5}, "S42-c-5-uniform"),
        )
    ],
)
def test_a_table_that_differs_from_its_pit_is_refused(name, pit, rules, clause) -> None:
    (found,) = pit_problems(pit, profile_of(name, **rules))
    assert found.clauses == (clause,)
    assert str(found).startswith("pit.")
    assert "this table has" in str(found)


@pytest.mark.parametrize(
    ("name", "pit"),
    [
        ("ny-mini", PitSettings()),
        ("ny-mini", PitSettings("feather", "i", "", "commission", 5)),
        ("ny-mini", PitSettings(pay_procedure="iv", baccarat_pay_procedure="i")),
        ("wa-mini", PitSettings(pay_procedure="iv", baccarat_pay_procedure="iii")),
        ("ny-ez", PitSettings("feather", "i", "", "commission", 5)),
    ],
)
def test_a_table_that_agrees_with_its_pit_is_accepted(name, pit) -> None:
    rules = {"pay_procedure": PayProcedure.I, "vig_rate": 5, "vig_mode": VigorishMode.COMMISSION}
    assert pit_problems(pit, profile_of(name, **rules)) == ()


# --- from table.toml ----------------------------------------------------------------------------

LEAST = '[table]\nname = "M-12"\n[shoe]\nport = "/dev/ttyUSB0"\n'


def problems(tmp_path, text: str) -> list[str]:
    path = tmp_path / "table.toml"
    path.write_text(LEAST + text)
    with pytest.raises(ConfigError) as found:
        load_config(path)
    return list(found.value.problems)


def test_seats_and_backs_reach_the_run(tmp_path) -> None:
    path = tmp_path / "table.toml"
    layout = 'seats = [3, 1, 2]\ncut_card_colour = "yellow"\nbacks = ["brown", "green"]\n'
    path.write_text(f"{LEAST}[layout]\n{layout}")
    settings = load_config(path).settings
    assert (settings.seats, settings.backs) == ((1, 2, 3), ("brown", "green"))


def test_a_layout_may_have_only_backs(tmp_path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(f'{LEAST}[layout]\nbacks = ["brown", "green"]\n')
    config = load_config(path)
    assert (config.settings.seats, config.remarks) == ((), ())


def test_a_back_is_one_word(tmp_path) -> None:
    """Records and commands name a batch by it."""
    (found,) = problems(tmp_path, '[layout]\nbacks = ["dark red", "blue"]\n')
    assert found.startswith("layout.backs.0: 'dark red' is not allowed. Allowed: one word.")


def test_every_problem_of_layout_and_pit_is_listed_at_once(tmp_path) -> None:
    found = problems(
        tmp_path,
        '[layout]\nseats = [1]\nbacks = ["red", "red"]\n[pit]\nshuffle_finish = "lace"\n',
    )
    assert [line.split(":")[0] for line in found] == [
        *("layout.backs", "layout.cut_card_colour", "pit.shuffle_finish")
    ]


def test_a_layout_needs_its_seats(tmp_path) -> None:
    (found,) = problems(tmp_path, "[layout]\ndiscard_rack = false\n")
    assert found.startswith("layout.seats: it is missing. Allowed: every seat once, from 1. Rem")


@pytest.mark.parametrize("key", ["shuffle_finish", "pay_procedure", "vig_mode"])
def test_an_unknown_word_in_the_pit_is_refused(tmp_path, key) -> None:
    (found,) = problems(tmp_path, f'[pit]\n{key} = "odd"\n')
    assert found.startswith(f"pit.{key}: 'odd' is not allowed. Allowed: ")


def test_problems_of_another_section_hide_no_layout_problem(tmp_path) -> None:
    found = problems(tmp_path, '[rules]\nprofile = "moon"\n[layout]\nseats = 4\n[pit]\nodd = 1\n')
    assert [line.split(":")[0] for line in found] == ["rules.profile", "layout.seats", "pit.odd"]


def test_a_wrong_layout_hides_no_pit_problem(tmp_path) -> None:
    found = problems(tmp_path, '[layout]\nseats = 4\n[pit]\nshuffle_finish = "lace"\n')
    assert [line.split(":")[0] for line in found] == ["layout.seats", "pit.shuffle_finish"]

"""Every value of every setting does something: each differs from the others in what is seen.

For each setting there are stages: a profile, other settings, what the table observes, a dealing
script. A value's outcome is all that the script gives, with every prompt and clause, or the error
that refuses it. Source: controller/rules/profiles/values.md.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import pytest
from msgspec.structs import replace

from controller.core.script.parser import parse
from controller.core.script.player import play
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.rules.profiles.house_profile import apply_house, parse_house
from controller.rules.profiles.load import load_profile, profile_names
from controller.rules.profiles.profile import Profile, ProfileError, build_profile
from controller.rules.profiles.setting_definitions import CONSTANTS, SHAPES
from controller.rules.profiles.setting_types import (
    OddsLimitText,
    SettingValue,
    Token,
    WholeNumber,
    YesNo,
    to_setting_value,
)
from controller.service.config.layout_rules import PitSettings, pit_problems

BET = "wagers 5 banker 100.20, 4 banker 100.00, 4 total_4 200.00, 3 player 40.00, 2 tie 10.00"
SIX = "P 2h; B 2c; P Kd; B 4s; P 8h; result banker"  # Banker wins with six, five cards
FOUR = "P 9h; B 2c; P Kd; B 4s"
PLAYER = f"{FOUR}; result player"
TIE = "P 7h; B 7c; P Kd; B Qs; result tie"
DRAGON = "P 2h; B 3c; P Kd; B Qh; P 3d; B 4d; result banker"
PANDA = "P 2h; B 7c; P Kd; B Qh; P 6d; result player"
BURN = "burn Ac: 2c"
CUT = "record shuffled; record cut-offered"
CALLS = (
    *("before", "no_more_bets", "counts_player_then_banker", "draws", "final_counts_and_winner"),
    *("tie_hand", "last_hand", "total_cards", "dragon7_panda8"),
)
REVEALS = '''deal_option = "players_reveal"
players_may_handle_cards = "reveal_only"
reveal_seat_tie_break = "nearest_dealer_counter_clockwise"'''
BONUS = 'dragon_bonus = "on"\ndragon_bonus_table = "A"\ndragon_bonus_sides = ["player"]'
BONUS_BET = "wagers 3 player 10.00, 3 bonus_player 10.00, 4 bonus_banker 10.00"
BY_SEVEN = "P 2h; B Ac; P Kd; B Ks; P 6h; B Qd; result player"
HAND = 'shuffle_mode = "hand"\nshuffle_control_reference = "IC"'
DEFERRED = 'vig_collection = "deferred"\nvig_deferred_deadline = "shoe_end_or_patron_leaves"'
NJ = "nj-minibaccarat"


@dataclass(frozen=True)
class Stage:
    """`values` are TOML values to compare; without them all values of the setting's shape."""

    profile: str
    script: str
    others: str = ""
    observed: str = ""
    values: tuple[object, ...] = ()


# An overdrawn card where the floorperson decides freely, three times.
VOIDED = "P1 9h; B1 2c; P2 Kd; B2 4s; P3 2d; resolve void-coup"
# What a setting's values are compared by. Where one stage cannot tell two values, another does.
STAGES: dict[str, tuple[Stage, ...]] = {
    "decks_min": (Stage("s42-mini", "start", "decks_per_shoe = 6", values=(6, 7)),),
    "decks_max": (Stage("s42-mini", "start", values=("none", 7)),),
    "decks_per_shoe": (Stage("s42-mini", "start", values=(7, 8)),),
    "cut_cards_per_shoe": (Stage("s42-mini", "start", values=(1, 2)),),
    "shuffle_mode": (Stage("s42-mini", "start", 'shuffle_control_reference = "IC"'),),
    "shuffle_control_reference": (Stage("wa-mini", "start", values=("", "IC 4")),),
    "shuffle_finish": (Stage("s42-mini", "start", HAND),),
    "reshuffle_after_lace": (Stage("s42-mini", "start", f'{HAND}\nshuffle_finish = "lace"'),),
    "shuffler_secure_store": (
        Stage(
            "s42-mini",
            f"record into-shuffler batch blue; {BURN}; close shoe; record dead-table-spread;"
            " record released batch blue; record shuffled batch blue; record loaded batch blue"
            " amount 416",
        ),
    ),
    "batch_min_decks_each": (Stage("s42-mini", "start", values=(8, 9)),),
    "burn_mode": (
        Stage("wa-mini", f"{BURN}; {FOUR}", 'burn_control_reference = "IC"'),
        Stage(
            "wa-mini",
            f"burn Ac: 2c 3c; {FOUR}",
            'burn_control_reference = "IC"\nburn_fixed_count = 3',
        ),
    ),
    "burn_fixed_count": (
        Stage(
            "wa-mini",
            BURN,
            'burn_mode = "fixed"\nburn_control_reference = "IC"',
            values=(0, 1, 2),
        ),
    ),
    "burn_control_reference": (Stage("wa-mini", "start", values=("", "IC 4")),),
    "burn_cards_disclosed": (Stage("s42-mini", BURN),),
    "cut_min_cards_from_either_end": (
        Stage("s42-mini", f"{CUT}; record cut amount 10", HAND, values=(10, 11)),
    ),
    "cut_card_min_from_back": (
        Stage(
            "s42-mini",
            f"{CUT}; record cut amount 200; record cut-moved; record cut-cards-placed amount 14",
            HAND,
            values=(14, 15),
        ),
    ),
    "rounds_after_cut_round": (
        Stage("s42-mini", f"{BURN}; P 9h; cut; B 2c; P Kd; B 4s; result player; {PLAYER}; {TIE}",
              values=(0, 1, 2)),
    ),
    "cut_card_at_round_start": (Stage("s42-mini", f"{BURN}; cut; {PLAYER}; {TIE}"),),
    "deal_option": (Stage("s42-mini", f"{BURN}; {FOUR}", observed="turned"),),
    "banker_placement": (
        Stage("wa-mini", f"{BURN}; {FOUR}", 'deal_option = "mixed"'),
        Stage("wa-mini", f"{BURN}; {FOUR}"),
    ),
    "players_may_handle_cards": (
        Stage("s42-mini", f"{BURN}; record shoe-passed seat 2; record cards-touched seat 2"),
        Stage("s42-mini", BURN, REVEALS),
    ),
    "third_card_dealt": (
        Stage("s42-mini", f"{BURN}; P 2h; B 2c; P Kd; B 4s; P 8h"),
        Stage("s42-mini", f"{BURN}; P 2h; B 2c; P Kd; B 4s; P 8h", REVEALS),
    ),
    "wagers_base": (
        Stage("s42-mini", f"{BURN}; {BET}",
              values=(["banker", "player", "tie"], ["banker", "player"], ["tie"])),
    ),
    "seat_may_bet_player_and_banker": (
        Stage("s42-mini", f"{BURN}; wagers 5 banker 10.00, 5 player 10.00"),
    ),
    "wager_lock": (
        Stage("s42-mini", f"{BURN}; no more bets; {BET}; P 9h", observed="wagers,no_more_bets"),
    ),
    "verbal_cash_wagers": (
        Stage(
            "s42-mini",
            f'{BURN}; record verbal-wager seat 5 amount 1000 reference banker second "Bo Ray"'
            " as floorperson",
        ),
    ),
    "coupon_reference": (
        Stage(
            "s42-mini",
            f"{BURN}; wagers 3 player 10.00 coupon; {PLAYER}",
            observed="wagers,result_button",
            values=("", "IC 14.3"),
        ),
    ),
    "side_wager_approval": (Stage("s42-mini", "start", BONUS, values=("", "D-1")),),
    "ez_dragon7": (Stage("ny-ez", f"{BURN}; {DRAGON}"),),
    "dragon_bonus": (Stage("ny-mini", f"{BURN}; {BONUS_BET}; {BY_SEVEN}"),),
    "dragon_bonus_table": (Stage("ny-mini", f"{BURN}; {BONUS_BET}; {BY_SEVEN}", BONUS),),
    "dragon_bonus_sides": (
        Stage("ny-mini", f"{BURN}; {BONUS_BET}", BONUS,
              values=([], ["player"], ["banker"], ["player", "banker"])),
    ),
    "total_card_wagers": (Stage(NJ, f"{BURN}; {BET}; {PLAYER}"),),
    "total_cards_require_base": (Stage(NJ, f"{BURN}; wagers 4 total_4 200.00"),),
    "bonus_requires_base": (Stage("ny-mini", f"{BURN}; wagers 3 bonus_player 10.00", BONUS),),
    "ghost_hands": (
        Stage(
            "wa-mini",
            f"{BURN}; ghost hand; {PLAYER}; ghost hand",
            'ghost_hands_control_reference = "IC 5"',
            values=("off", 1, 2),
        ),
    ),
    "ghost_hands_control_reference": (
        Stage("wa-mini", f"{BURN}; ghost hand", "ghost_hands = 2", values=("", "IC 5")),
    ),
    "odds_player": (Stage("ny-mini", f"{BURN}; {BET}; {PLAYER}", values=("1:1", "2:1")),),
    "odds_banker": (Stage("ny-mini", f"{BURN}; {BET}; {SIX}", values=("1:1", "2:1")),),
    "odds_tie": (Stage("ny-mini", f"{BURN}; {BET}; {TIE}", values=("8:1", "9:1")),),
    "tie_result_player_banker": (Stage("ny-mini", f"{BURN}; {BET}; {TIE}"),),
    "none_six_odds": (
        Stage("ny-mini", f"{BURN}; wagers 5 banker 10.00; {SIX}", 'vig_mode = "none_six"',
              values=("1:2", "2:3", "not_applicable")),
    ),
    "odds_dragon7": (
        Stage("ny-ez", f"{BURN}; wagers 5 banker 10.00, 5 dragon_7 1.00; {DRAGON}",
              values=("40:1", "41:1", "not_applicable")),
    ),
    "odds_panda8": (
        Stage("ny-ez", f"{BURN}; wagers 5 player 10.00, 5 panda_8 1.00; {PANDA}",
              values=("25:1", "26:1", "not_applicable")),
    ),
    **{
        f"odds_total_{cards}": (
            Stage(NJ, f"{BURN}; wagers 5 player 10.00, 5 total_{cards} 2.00; {dealt}",
                  values=("3:2", "2:1", "not_applicable")),
        )
        for cards, dealt in ((4, PLAYER), (5, SIX), (6, DRAGON))
    },
    "vig_mode": (Stage(NJ, f"{BURN}; {BET}; {SIX}; {BET}; {TIE}"),),
    "vig_rate": (
        Stage("ny-mini", f"{BURN}; wagers 5 banker 100.00; {SIX}", values=(0, 4, 5)),
    ),
    "vig_rounding": (Stage("ny-mini", f"{BURN}; wagers 5 banker 100.20; {SIX}"),),
    "vig_collection": (Stage("ny-mini", f"{BURN}; wagers 5 banker 100.00; {SIX}"),),
    "vig_deferred_deadline": (
        Stage("s42-mini", f"{BURN}; wagers 5 banker 100.00; {SIX}; leave 5", DEFERRED),
    ),
    "uncollected_vig_form": (
        Stage("s42-mini", f"{BURN}; wagers 5 banker 100.00; {SIX}; document 5 form 1001", DEFERRED),
    ),
    "calls_required": (
        Stage("s42-mini", f"{BURN}; {PLAYER}; {TIE}", values=tuple([one] for one in CALLS)),
    ),
    "calls_control_reference": (Stage("wa-mini", "start", values=("", "IC 4")),),
    "call_references": (
        Stage("wa-mini", "start", values=([], ["final_counts_and_winner: IC 4"])),
    ),
    "call_texts": (Stage("s42-mini", f"{BURN}; {TIE}", values=([], ["tie_hand: nobody wins"])),),
    "pay_procedure": (
        Stage("ny-mini", f"{BURN}; wagers 5 banker 100.00, 4 banker 20.00, 3 player 1.00; {SIX}"),
    ),
    "pay_procedure_pit_uniform": (Stage("s42-mini", f"{BURN}; set pay_procedure i at +0"),),
    "irregularity_rules": (Stage("s42-mini", f"{BURN}; {FOUR}; P 2d; resolve continue"),),
    "dealer_decides_own_irregularity": (
        Stage("s42-mini", f"{BURN}; dealer-on by Ann; {FOUR}; P 2d; resolve burn-card by Ann"),
    ),
    "decisions_alone_max": (
        Stage("wa-mini", f"{BURN}; {VOIDED}; {VOIDED}; {VOIDED}",
              observed="result_button", values=("off", 1, 2)),
    ),
    "advisories_suspend": (
        Stage("s42-mini", f"{BURN}; advisory order because seen; advisory run because seen",
              values=([], ["order"], ["run"], ["order", "run"])),
    ),
    "opening_inspection_record": (Stage("s42-mini", "record preshuffled reference R1", HAND),),
    "seat_direction": (
        Stage("s42-mini", f"{BURN}; wagers 3 player 10.00, 5 player 10.00; {FOUR}",
              REVEALS, "wagers,turned"),
    ),
}  # fmt: skip
# Values that mean the same to the program, and why both words stay.
SAME: dict[tuple[str, frozenset[str]], str] = {
    ("players_may_handle_cards", frozenset({"reveal_only", "under_players_reveal"})): (
        "a patron handles cards only to turn them, so only where players reveal; the second word"
        " is for a table that may deal otherwise"
    ),
    (
        "opening_inspection_record",
        frozenset({"dealer_and_floorperson", "dealer_and_floorperson_per_batch"}),
    ): "two batches are inspected and stacked apart by the clause at opening_batches_apart",
    **{
        ("calls_required", frozenset(pair)): (
            "they are called where the wager is offered and the hand is the last, in every"
            " profile; the word names the clause that asks for it"
        )
        for pair in combinations(("['last_hand']", "['total_cards']", "['dragon7_panda8']"), 2)
    },
}


@cache
def values_of(name: str) -> tuple[object, ...]:
    shape = SHAPES[name]
    match shape:
        case Token(words):
            return words
        case YesNo(answers, word):
            return (*answers, word) if word else answers
        case _:
            raise AssertionError(f"{name}: name the values to compare")


def changed_profile(profile: Profile, changes: dict[str, object]) -> Profile:
    """The profile with these values, whatever its clauses refuse; lists of choices are open."""
    named = {name: to_setting_value(value) for name, value in changes.items()}
    for name, value in list(named.items()):
        if f"{name}_allowed" in SHAPES:
            named[f"{name}_allowed"] = open_choices(f"{name}_allowed", value)
    values = tuple(
        replace(one, value=named.get(one.name, one.value), assumed=False) for one in profile.values
    )
    return build_profile(
        name=profile.name,
        title=profile.title,
        source=profile.source,
        base="",
        own_clauses=profile.own_clauses,
        values=values,
        citations=profile.citations,
    )


def open_choices(name: str, value: SettingValue) -> SettingValue:
    if isinstance(SHAPES[name], OddsLimitText):
        return value if value == "not_applicable" else "at_least 1:100"
    if isinstance(value, tuple):
        return value
    return () if value == "not_applicable" and name.startswith("dragon") else (value,)


def outcome(setting: str, stage: Stage, value: object) -> str:
    changes = {**tomllib.loads(stage.others), setting: value}
    try:
        profile = changed_profile(load_profile(stage.profile), changes)
    except ProfileError as error:
        return f"refused: {error}"
    observed = [*stage.observed.split(","), *(["wagers"] if "wagers" in stage.script else [])]
    facts = tuple(one for one in ObservableFact if one.value in observed)
    book = RuleBook.of(profile, profile.rules.decks_per_shoe, facts, (1, 2, 3, 4, 5))
    pit = pit_problems(PitSettings(pay_procedure="i"), profile)
    played = play(book, parse(stage.script))
    lines = [f"{one.verdicts} {one.effects} {one.state.phase}" for one in played]
    return "\n".join([f"{pit}", *lines])


# Read where the configuration is checked, and by nothing in play (tests/controller/service/config).
BESIDE_PLAY = {"feed_direction", "pay_control_reference"}


def settings_to_try() -> Iterator[str]:
    bounds = {name for name in SHAPES if name.endswith("_allowed")}
    yield from (name for name in SHAPES if name not in bounds | set(CONSTANTS) | BESIDE_PLAY)


@pytest.mark.parametrize("setting", list(settings_to_try()))
def test_every_value_of_a_setting_differs_from_every_other(setting: str) -> None:
    stages = STAGES[setting]
    values = stages[0].values or values_of(setting)
    seen = {str(value): [outcome(setting, one, value) for one in stages] for value in values}
    equal = [set(pair) for pair in combinations(seen, 2) if seen[pair[0]] == seen[pair[1]]]
    assert equal == [set(pair) for name, pair in SAME if name == setting]


def test_a_whole_number_is_compared_by_two_values_at_least() -> None:
    numbers = [name for name in settings_to_try() if isinstance(SHAPES[name], WholeNumber)]
    assert all(len(STAGES[name][0].values) > 1 for name in numbers)


def choices() -> Iterator[tuple[str, str, str]]:
    """Every choice beside the value itself, of every shipped profile."""
    for name in profile_names():
        profile = load_profile(name)
        for one in profile.values:
            allowed = (
                profile.value(f"{one.name}_allowed").value
                if (f"{one.name}_allowed" in SHAPES)
                else ()
            )
            if isinstance(allowed, tuple) and not isinstance(one.value, tuple):
                yield from ((name, one.name, repr(v)) for v in allowed if v != one.value)


@pytest.mark.parametrize(("base", "setting", "choice"), list(choices()))
def test_a_list_of_choices_that_leaves_one_out_refuses_it(
    base: str, setting: str, choice: str
) -> None:
    narrow = repr([load_profile(base).value(setting).value])
    text = f'name = "grand"\nbase = "{base}"\n{setting} = {choice}\n{setting}_allowed = {narrow}'
    with pytest.raises(ProfileError, match=f"values.{setting}: .* Allowed: "):
        apply_house(parse_house(text, profile_names()), load_profile(base))

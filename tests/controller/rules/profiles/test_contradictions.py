"""The full text of every contradiction of settings, with the clauses it cites."""

import tomllib
from collections.abc import Callable

import pytest

from controller.rules.profiles.profile import Profile
from controller.rules.profiles.profile_consistency import ProfileSettings, find_contradiction
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.rule_values import rule_values
from controller.rules.profiles.setting_definitions import choices_setting
from controller.rules.profiles.setting_types import NOT_APPLICABLE, SettingValue
from controller.system.messages.catalogue import to_words

# A profile | its changed settings, and below them the expected text. Each clause is named "of" its
# setting or "at" its rule point.
CONTRADICTIONS = r"""
ny-mini | vig_rate_allowed = [4]
    vig_rate: 5 is not in vig_rate_allowed. Allowed: 4. Remedy: set one of these. By of
    vig_rate, of vig_rate_allowed
ny-mini | decks_min = 9
    decks_per_shoe: 8 is outside decks_min and decks_max. Allowed: at least 9. Remedy: change
    the number of decks. By at decks_count, of decks_min
ny-mini | decks_max = 7
    decks_per_shoe: 8 is outside decks_min and decks_max. Allowed: at least 6, at most 7.
    Remedy: change the number of decks. By at decks_count, of decks_max
ny-mini | decks_max = "none" ; decks_min = 9
    decks_per_shoe: 8 is outside decks_min and decks_max. Allowed: at least 9. Remedy: change
    the number of decks. By at decks_count, of decks_min
ny-mini | decks_min = 8 ; decks_max = 7
    decks_per_shoe: 8 is outside decks_min and decks_max. Allowed: at least 8, at most 7.
    Remedy: change the number of decks. By at decks_count, of decks_max
ny-mini | batch_min_decks_each = 9
    decks_per_shoe: 8 decks are too few for a batch of two in a shuffler. Allowed: at least 9
    with shuffle_mode dual_batch. Remedy: use more decks, or another shuffle_mode. By at
    batch_sets, of batch_min_decks_each
s42-mini | shuffle_mode = "continuous"
    shuffle_control_reference: shuffle_mode continuous needs a reference to the house's internal
    controls. Allowed: the place where they describe it. Remedy: set shuffle_control_reference =
    "...". By at shuffle_documented, of shuffle_control_reference
wa-mini | shuffle_mode = "dual_batch"
    shuffle_control_reference: shuffle_mode dual_batch needs a reference to the house's internal
    controls. Allowed: the place where they describe it. Remedy: set shuffle_control_reference =
    "...". By at shuffle_documented, of shuffle_control_reference
wa-mini | burn_fixed_count = 3
    burn_fixed_count: 3 does not go with burn_mode first_card_value. Allowed: the number of
    cards with burn_mode fixed, else 0. Remedy: set both. By of burn_mode
wa-mini | burn_mode = "fixed"
    burn_fixed_count: 0 does not go with burn_mode fixed. Allowed: the number of cards with
    burn_mode fixed, else 0. Remedy: set both. By of burn_mode
house-mini | burn_mode = "first_card_value" ; burn_fixed_count = 1
    burn_fixed_count: 1 does not go with burn_mode first_card_value. Allowed: the number of
    cards with burn_mode fixed, else 0. Remedy: set both. By of burn_mode
wa-mini | burn_mode = "none"
    burn_control_reference: burn_mode none needs a reference to the house's internal controls.
    Allowed: the place where they describe it. Remedy: set burn_control_reference = "...". By at
    burn_documented, of burn_control_reference
nj-baccarat | calls_required = ["before"] ; calls_control_reference = ""
    call_references: the call before needs a reference to the house's internal controls. Allowed:
    for each call the place where they describe it. Remedy: write "before: ..." in
    call_references, or set calls_control_reference for all calls. By of calls_control_reference
nj-baccarat | dragon_bonus = "on" ; side_wager_approval = ""
    side_wager_approval: a wager beside banker, player and tie needs an approval. Allowed: the
    reference of the approval. Remedy: set side_wager_approval = "..." or take the wager out. By
    of side_wager_approval
nj-baccarat | total_card_wagers = "on" ; side_wager_approval = ""
    side_wager_approval: a wager beside banker, player and tie needs an approval. Allowed: the
    reference of the approval. Remedy: set side_wager_approval = "..." or take the wager out. By
    of side_wager_approval
nj-baccarat | dragon_bonus = "on"
    dragon_bonus_table: not_applicable does not go with dragon_bonus on. Allowed: "A", "B", "C",
    "not_applicable", and here not not_applicable. Remedy: set dragon_bonus_table too. By at
    pays_bonus_table, of dragon_bonus_table
nj-baccarat | dragon_bonus = "on" ; dragon_bonus_table = "A"
    dragon_bonus_sides: nothing does not go with dragon_bonus on. Allowed: a list, each at most
    once, of "player", "banker", and here not nothing. Remedy: set dragon_bonus_sides too. By at
    pays_bonus_table, of dragon_bonus_sides
s42-mini | total_card_wagers = "on"
    total_cards_require_base: not_applicable does not go with total_card_wagers on. Allowed:
    true or false, or "not_applicable", and here not not_applicable. Remedy: set
    total_cards_require_base too. By of total_cards_require_base
nj-minibaccarat | vig_mode = "none_total_cards" ; total_card_wagers = "off"
    total_card_wagers: off does not go with vig_mode none_total_cards. Allowed: "off", "on", and
    here not off. Remedy: set total_card_wagers too. By at total_cards_waiver, of vig_mode
house-mini | vig_collection = "deferred" ; vig_deferred_deadline = "not_applicable"
    vig_deferred_deadline: not_applicable does not go with vig_collection deferred. Allowed:
    "before_reshuffle", "shoe_end_or_patron_leaves", "not_applicable", and here not
    not_applicable. Remedy: set vig_deferred_deadline too. By of vig_deferred_deadline
ny-mini | vig_mode = "none_six" ; none_six_odds = "not_applicable"
    none_six_odds: not_applicable does not go with vig_mode none_six. Allowed: odds such as
    "8:1", or "not_applicable", and here not not_applicable. Remedy: set none_six_odds too. By
    of none_six_odds
nj-minibaccarat | vig_mode = "tie25" ; tie25_excludes_win_commission = "not_applicable"
    tie25_excludes_win_commission: not_applicable does not go with vig_mode tie25. Allowed:
    true, or "not_applicable", and here not not_applicable. Remedy: set
    tie25_excludes_win_commission too. By of tie25_excludes_win_commission
nj-baccarat | ez_dragon7 = "on"
    vig_mode: commission does not go with ez_dragon7 on. Allowed: ez_none where ez_dragon7 is
    on, and only there. Remedy: set both. By of vig_mode, of ez_dragon7
ny-ez | ez_dragon7 = "off"
    vig_mode: ez_none does not go with ez_dragon7 off. Allowed: ez_none where ez_dragon7 is on,
    and only there. Remedy: set both. By of vig_mode, of ez_dragon7
ny-ez | odds_dragon7 = "not_applicable"
    odds_dragon7: not_applicable does not go with ez_dragon7 on. Allowed: odds such as "8:1", or
    "not_applicable", and here not not_applicable. Remedy: set odds_dragon7 too. By of
    odds_dragon7
ny-ez | odds_panda8 = "not_applicable"
    odds_panda8: not_applicable does not go with ez_dragon7 on. Allowed: odds such as "8:1", or
    "not_applicable", and here not not_applicable. Remedy: set odds_panda8 too. By of
    odds_panda8
house-mini | deal_option = "players_reveal"
    deal_option: players_reveal does not go with players_may_handle_cards no. Allowed:
    players_reveal where players may handle cards. Remedy: set both. By of
    players_may_handle_cards, of deal_option
house-mini | deal_option = "players_reveal" ; players_may_handle_cards = "reveal_only"
    reveal_seat_tie_break: not_applicable does not go with deal_option players_reveal. Allowed:
    "not_applicable", "nearest_dealer_counter_clockwise", and here not not_applicable. Remedy: set
    reveal_seat_tie_break too. By of reveal_seat_tie_break
wa-mini | banker_placement = "under_shoe"
    banker_placement: under_shoe does not go with deal_option face_up: nothing waits to be turned.
    Allowed: banker_area, or another deal_option. Remedy: set both. By of banker_placement, of
    deal_option
nj-baccarat | deal_option = "face_up"
    third_card_dealt: face_down does not go with deal_option face_up: nobody turns cards. Allowed:
    face_up, by_deal_option, or another deal_option. Remedy: set both. By of third_card_dealt, of
    deal_option
nj-minibaccarat | vig_mode = "tie25" ; pay_procedure = "pay_only"
    pay_procedure: pay_only does not go with vig_mode tie25. Allowed: pay_only where no vigorish is
    charged. Remedy: set both. By of pay_procedure, of vig_mode
house-mini | vig_rounding = "not_applicable"
    vig_rounding: not_applicable does not go with vig_mode commission. Allowed: "up_to_5c", "exact",
    "down_to_5c", "not_applicable", and here not not_applicable. Remedy: set vig_rounding too. By
    of vig_rounding
nj-baccarat | total_card_wagers = "on" ; odds_total_6 = "not_applicable"
    odds_total_6: not_applicable does not go with total_card_wagers on. Allowed: odds such as
    "8:1", or "not_applicable", and here not not_applicable. Remedy: set odds_total_6 too. By of
    odds_total_6
"""


def companion_of(name: str, value: SettingValue) -> SettingValue:
    """The choices that allow only this value."""
    if isinstance(value, tuple):
        return value
    return NOT_APPLICABLE if name.startswith(("odds", "none_six")) else (value,)


def settled(
    base: Profile, changes: str, points: dict[RulePoint, tuple[str, ...]]
) -> ProfileSettings:
    changed = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in tomllib.loads(changes.replace(" ; ", "\n")).items()
    }
    values = {
        **{value.name: value.value for value in base.values},
        "calls_control_reference": "C-1",
        "side_wager_approval": "D-1",
        **{
            choices_setting(name): companion_of(name, changed[name])
            for name in changed
            if choices_setting(name)
        },
        **changed,
    }
    basis = {name: (f"of {name}",) for name in values}
    return ProfileSettings(values, rule_values(values), basis, points, tuple(changed))


def cases() -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for line in CONTRADICTIONS.strip().splitlines():
        if line.startswith(" "):
            base, changes, expected = found.pop()
            found.append((base, changes, f"{expected} {line.strip()}".strip()))
        else:
            base, changes = line.split(" | ")
            found.append((base, changes, ""))
    return found


@pytest.mark.parametrize(("base", "changes", "expected"), cases())
def test_the_full_text_of_each_contradiction(
    shipped: Callable[[str], Profile], base: str, changes: str, expected: str
) -> None:
    everywhere = {point: (f"at {point}",) for point in RulePoint}

    found = find_contradiction(settled(shipped(base), changes, everywhere))

    assert found is not None
    problem, allowed, remedy = map(to_words, (found.problem, found.allowed, found.remedy))
    text = f"{found.setting}: {problem}. Allowed: {allowed}. Remedy: {remedy}."
    assert f"{text} By {', '.join(found.clauses)}" == expected


@pytest.mark.parametrize(
    ("base", "changes", "points"),
    [
        ("ny-mini", 'shuffle_mode = "hand"', {}),
        (
            "wa-mini",
            'burn_mode = "fixed" ; burn_fixed_count = 1 ; burn_control_reference = "B"',
            {},
        ),
    ],
)
def test_settings_without_clauses_do_not_contradict(
    shipped: Callable[[str], Profile],
    base: str,
    changes: str,
    points: dict[RulePoint, tuple[str, ...]],
) -> None:
    assert find_contradiction(settled(shipped(base), changes, points)) is None


def test_shuffle_documentation_without_a_continuous_clause(
    shipped: Callable[[str], Profile],
) -> None:
    points = {RulePoint.SHUFFLE_DOCUMENTED: ("at shuffle_documented",)}

    found = find_contradiction(settled(shipped("wa-mini"), 'shuffle_mode = "hand"', points))

    assert found is not None
    assert found.setting == "shuffle_control_reference"


def test_a_contradiction_without_a_rule_point(shipped: Callable[[str], Profile]) -> None:
    found = find_contradiction(settled(shipped("ny-mini"), "decks_min = 9", {}))

    assert found is not None
    assert found.clauses == ("of decks_min",)

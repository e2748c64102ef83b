"""Settings that change in play: when, with which notice, and with what they are refused."""

from dataclasses import dataclass

import pytest
from acts_of_people import acted
from in_words import in_words
from msgspec.structs import replace

from controller.procedure.effects import (
    ActRecord,
    CoupClosed,
    Effect,
    Prompt,
    Refusal,
    SettingChanged,
)
from controller.procedure.people.setting_changes import (
    MOMENTS,
    ChangeMoment,
    effective_book,
    parse_value,
    refusals_at_start,
)
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import ChangedSetting, NoticeGiven
from controller.rules.actions.actions import ChangeSetting, GiveNotice
from controller.rules.profiles.load import load_profile
from controller.rules.profiles.setting_definitions import SHAPES
from controller.rules.profiles.setting_types import (
    TEXT_LENGTH_MAX,
    describe_value,
    fits,
    to_setting_value,
)
from controller.rules.setting_values import PayProcedure, VigorishMode
from controller.system.messages.catalogue import to_words

MINUTE = 60 * 10**9
NOON = 12 * 60 * MINUTE
COUP = "P 7h; B 5c; P Kd; B Qh; B 3c; result banker"


@dataclass
class Floor:
    """A table at which settings are changed; times in minutes after noon."""

    table: object

    def notice(self, setting: str, value: str, to: str, minute: int = 0) -> Effect:
        event = acted(GiveNotice(setting, value, to), "Bo Ray", at_ns=NOON + minute * MINUTE)
        return self.table.apply(event).effects[-1]

    def change(self, setting: str, value: str, minute: int = 0) -> Effect:
        event = acted(
            ChangeSetting(setting, value), "Bo Ray", reason="trial", at_ns=NOON + minute * MINUTE
        )
        return self.table.apply(event).effects[-1]

    def rules(self) -> object:
        return effective_book(self.table.book, self.table.state).values


@pytest.fixture
def floor(new_table):
    def make_table(words="", **settings):
        return Floor(new_table(words, **settings))

    return make_table


OPENED = "start; burn Ac: 2c"


# --- between coups ------------------------------------------------------------------------------


def test_odds_change_between_coups_and_hold_from_then_on(floor):
    table = floor(f"{OPENED}; {COUP}", profile="ny-mini")

    assert table.change("odds_tie", "9:1") == SettingChanged(
        "odds_tie", "8:1", "9:1", "Bo Ray", "trial", ("NY-c-2",)
    )
    assert str(table.rules().odds_tie) == "9:1"
    assert table.table.state.settings == (ChangedSetting("odds_tie", "9:1", "8:1", "trial"),)


@pytest.mark.parametrize(
    "words",
    [
        "no more bets",
        "P 7h",
        "P 7h; B 5c; P Kd; B Qh",
        "P 7h; B 7c; found face up; resolve continue",
        "P 7h; B 7c; found face up; resolve continue; burned 2c",
        "no more bets; out 4c; resolve burn-card; burned 2h",
    ],
)
def test_odds_do_not_change_in_a_coup(floor, words):
    table = floor(f"{OPENED}; {words}", profile="ny-mini")

    assert in_words(table.change("odds_tie", "9:1")) == Refusal(
        "change-setting",
        "odds_tie changes between coups only: let this coup end, then change it",
        ("NY-c-2",),
    )
    assert str(table.rules().odds_tie) == "8:1"


def test_odds_change_before_any_shoe_and_in_the_burn(floor):
    assert isinstance(floor().change("odds_tie", "9:1"), SettingChanged)
    assert isinstance(floor("start; burn 3c: 2c").change("odds_tie", "9:1"), SettingChanged)


def test_a_coup_that_waits_only_for_an_unreported_result_is_over(floor):
    table = floor(f"{OPENED}; P 9h; B 7c; P Kd; B Kh")

    table.change("odds_tie", "9:1")

    assert [type(one) for one in table.table.effects[-2:]] == [CoupClosed, SettingChanged]


def test_a_coup_whose_result_will_be_reported_is_not_over(floor):
    table = floor(f"{OPENED}; P 9h; B 7c; P Kd; B Kh", observed=(ObservableFact.RESULT_BUTTON,))

    assert isinstance(table.change("odds_tie", "9:1"), Refusal)


def test_nothing_changes_while_the_table_is_suspended(floor):
    table = floor(f"{OPENED}; P 7h; B 2c; out 4d")

    assert in_words(table.change("odds_tie", "9:1")) == Refusal(
        "change-setting", "the table is suspended: resolve first, then change it"
    )


# --- between shoes ------------------------------------------------------------------------------


def test_decks_change_between_shoes_and_the_next_shoe_has_them(floor):
    table = floor(f"{OPENED}; close shoe")

    changed = table.change("decks_per_shoe", "6")
    table.table.deal("start")

    assert (changed.old, changed.new) == ("8", "6")
    assert table.table.shoe.cards_total == 312


def test_decks_put_back_to_the_profiles_number_are_still_the_tables(floor):
    table = floor(decks=7)

    assert table.change("decks_per_shoe", "8").old == "7"
    table.table.deal("start")

    assert table.table.shoe.cards_total == 416


@pytest.mark.parametrize("setting", ["decks_per_shoe", "cut_card_at_round_start", "deal_option"])
def test_settings_of_a_shoe_do_not_change_within_it(floor, setting):
    values = {"decks_per_shoe": "7", "cut_card_at_round_start": "last_coup"}
    table = floor(OPENED, profile="ny-mini")

    refused = table.change(setting, values.get(setting, "face_down_dealer"))

    assert to_words(refused.why) == (
        f"{setting} changes between shoes only: finish or close this shoe, then change it"
    )
    assert bool(refused.clauses) is (setting != "decks_per_shoe")


# --- what may never be --------------------------------------------------------------------------


def test_a_setting_that_the_rule_fixes_is_refused_with_its_clause(floor):
    table = floor(profile="ny-mini")

    assert in_words(table.change("decks_min", "5")) == Refusal(
        "change-setting",
        "decks_min does not change in play: the rule fixes it",
        ("NY-a-4-i-decks",),
    )
    assert table.notice("decks_min", "5", "players").what == "notice"


def test_a_setting_that_does_not_exist_is_refused_by_name(floor):
    assert to_words(floor().change("odds", "9:1").why) == (
        "there is no setting 'odds'; `smartshoe rules show` lists all of them"
    )


@pytest.mark.clause("S42-c-3-rate")
def test_a_value_that_the_clause_does_not_allow_is_refused_with_it(floor):
    refused = floor().change("vig_rate", "3")

    assert "S42-c-3-rate" in refused.clauses
    assert to_words(refused.why).startswith("values.vig_rate: 3 is not allowed by S42-c-3-rate")


def test_a_value_that_holds_already_is_refused(floor):
    assert to_words(floor().change("vig_rate", "5").why) == "vig_rate is already 5"


def test_a_change_is_judged_by_the_file_and_not_by_an_earlier_change(floor):
    table = floor()
    assert isinstance(table.change("cut_card_min_from_back", "20"), SettingChanged)

    assert isinstance(table.change("cut_card_min_from_back", "10"), Refusal)
    assert table.change("cut_card_min_from_back", "16").old == "20"


def test_a_value_put_back_to_the_files_is_changed_no_more(floor):
    table = floor()
    table.change("odds_tie", "9:1")

    assert table.change("odds_tie", "8:1").new == "8:1"
    assert table.table.state.settings == ()


def test_two_changes_hold_together(floor):
    table = floor(profile="ny-mini")
    table.change("odds_tie", "9:1")
    table.change("vig_collection", "deferred")

    rules = table.rules()
    assert (str(rules.odds_tie), rules.vig_collection) == ("9:1", "deferred")


# --- notice -------------------------------------------------------------------------------------


@pytest.mark.clause("NY-c-5-notice")
@pytest.mark.clause("NY-c-5-uniform")
def test_another_type_of_vigorish_needs_notice_to_players_and_commission(floor):
    table = floor(OPENED, profile="ny-mini")

    first = table.change("vig_mode", "tie25")
    table.notice("vig_mode", "tie25", "players")
    second = table.change("vig_mode", "tie25")
    table.notice("vig_mode", "tie25", "commission")
    changed = table.change("vig_mode", "tie25")

    needs = "vig_mode to tie25 needs prior notice: record notice of it to"
    assert in_words(first) == Refusal(
        "change-setting", f"{needs} players first", ("NY-c-5-notice",)
    )
    assert in_words(second) == Refusal(
        "change-setting", f"{needs} commission first", ("NY-c-5-notice",)
    )
    assert changed.clauses == ("NY-c-3-pay", "NY-c-5-uniform", "NY-c-5-notice")
    assert table.rules().vig_mode is VigorishMode.TIE25


@pytest.mark.clause("S42-c-5-notice")
@pytest.mark.clause("S42-c-5-uniform")
def test_a_higher_rate_needs_notice_and_a_lower_one_none(floor):
    table = floor(OPENED)

    assert isinstance(table.change("vig_rate", "4"), SettingChanged)
    assert table.change("vig_rate", "5").clauses == ("S42-c-5-notice",)
    table.notice("vig_rate", "5", "players")
    table.notice("vig_rate", "5", "commission")
    assert table.change("vig_rate", "5").clauses == (
        "S42-c-3-rate",
        "S42-c-5-uniform",
        "S42-c-5-notice",
    )


@pytest.mark.clause("NY-c-5-notice")
def test_notice_is_recorded_with_the_clause_that_requires_it(floor):
    table = floor(OPENED, profile="ny-mini")

    assert in_words(table.notice("vig_mode", "tie25", "players")) == ActRecord(
        "notice",
        "Bo Ray",
        "vig_mode from commission to tie25: notice given to players",
        ("NY-c-5-notice",),
    )
    assert table.table.state.notices == (
        NoticeGiven("vig_mode", "tie25", "players", "Bo Ray", NOON),
    )


def test_notice_of_another_value_does_not_serve(floor):
    table = floor(OPENED, profile="ny-mini")
    table.notice("vig_mode", "none_six", "players")
    table.notice("vig_mode", "none_six", "commission")

    assert isinstance(table.change("vig_mode", "tie25"), Refusal)


def test_notice_is_used_up_by_its_change(floor):
    table = floor(OPENED, profile="ny-mini")
    table.notice("vig_mode", "tie25", "players")
    table.notice("vig_mode", "tie25", "commission")
    table.notice("dragon_bonus_table", "B", "commission")
    table.change("vig_mode", "tie25")

    assert [one.setting for one in table.table.state.notices] == ["dragon_bonus_table"]


def test_notice_to_nobody_known_is_refused(floor):
    assert in_words(floor().notice("vig_rate", "4", "the press")) == Refusal(
        "notice", "notice goes to players, commission, surveillance"
    )


def test_notice_of_a_change_that_the_clause_refuses_is_refused(floor):
    assert "S42-c-3-rate" in floor().notice("vig_rate", "3", "players").clauses


def test_only_so_many_notices_wait(floor):
    table = floor()
    for minute in range(70):
        table.notice("vig_rate", "4", "players", minute)

    assert len(table.table.state.notices) == 64
    assert table.table.state.notices[0].at_ns == NOON + 6 * MINUTE


@pytest.mark.parametrize(
    ("profile", "value", "clause"),
    [
        pytest.param(
            "ny-mini", "none_six", "NY-c-6-notice", marks=pytest.mark.clause("NY-c-6-notice")
        ),
        pytest.param(
            "s42-mini", "none_six", "S42-c-6-notice", marks=pytest.mark.clause("S42-c-6-notice")
        ),
        pytest.param(
            "nj-minibaccarat",
            "none_six",
            "NJ-7.3-f-notice",
            marks=pytest.mark.clause("NJ-7.3-f-notice"),
        ),
        pytest.param(
            "nj-baccarat",
            "none_total_cards",
            "NJ-3.3-e-notice",
            marks=pytest.mark.clause("NJ-3.3-e-notice"),
        ),
    ],
)
def test_a_table_without_vigorish_posts_notice(floor, profile, value, clause):
    table = floor(OPENED, profile=profile)
    table.notice("vig_mode", value, "commission")

    unposted = table.change("vig_mode", value)
    assert to_words(unposted.why).endswith(": record notice of it to players first"), (
        "and without a wait"
    )
    assert clause in table.notice("vig_mode", value, "players").clauses
    assert clause in table.change("vig_mode", value).clauses


@pytest.mark.clause("NY-c-6-notice")
def test_a_posted_notice_without_vigorish_has_the_reference_of_its_approval(new_table):
    said = 'notice vig_mode none_six to players by "Bo Ray"'
    table = new_table(f"start; {said}", profile="ny-mini")

    due = table.of(Prompt)[-1]
    assert to_words(due.text).startswith("write down the reference of the approval")
    assert due.clauses == ("NY-c-6-notice",)

    before = len(table.of(Prompt))
    table.deal(said.replace("players", 'players reference "NYSGC 26-114"'))
    recorded = table.of(ActRecord)[-1]
    assert to_words(recorded.detail).endswith("given to players, reference NYSGC 26-114")
    assert len(table.of(Prompt)) == before


def test_a_rule_that_asks_for_no_notice_needs_none(floor):
    table = floor(OPENED, profile="wa-mini")

    assert isinstance(table.change("vig_mode", "none"), SettingChanged)
    assert isinstance(table.change("pay_control_reference", "IC 6"), SettingChanged)
    assert isinstance(table.change("pay_procedure", "i"), SettingChanged)


@pytest.mark.clause("WA-pr-8-pay")
def test_washington_pays_otherwise_only_as_the_internal_controls_say(floor):
    table = floor(OPENED, profile="wa-mini")

    refused = table.change("pay_procedure", "i")

    assert "needs a reference to the house's internal controls" in to_words(refused.why)
    assert refused.clauses == ("WA-pr-8-pay",)


@pytest.mark.clause("NY-c-7-change")
def test_a_pay_table_of_the_bonus_changes_after_notice_to_the_commission(floor):
    table = floor(OPENED, profile="ny-mini")

    refused = table.change("dragon_bonus_table", "B")
    table.notice("dragon_bonus_table", "B", "commission")
    table.table.deal("P 7h")
    in_a_coup = table.change("dragon_bonus_table", "B")
    table.table.deal("B 5c; P Kd; B Qh; B 3c; result banker")
    changed = table.change("dragon_bonus_table", "B")

    assert refused.clauses == ("NY-c-7-change",)
    assert "between coups only" in to_words(in_a_coup.why)
    assert in_a_coup.clauses == ("NY-c-7-choose", "NY-c-7-change")
    assert (changed.old, changed.new) == ("A", "B")


@pytest.mark.clause("S42-j-3-ii")
@pytest.mark.clause("S42-j-3-elect")
def test_another_pay_procedure_waits_30_minutes_after_notice_to_surveillance(floor):
    table = floor(OPENED)
    needs = "pay_procedure to i needs prior notice"

    first = table.change("pay_procedure", "i")
    table.notice("pay_procedure", "i", "surveillance", minute=5)
    early = table.change("pay_procedure", "i", minute=34)
    changed = table.change("pay_procedure", "i", minute=35)

    wait = "record notice of it to surveillance first and wait 30 minutes"
    assert in_words(first) == Refusal("change-setting", f"{needs}: {wait}", ("S42-j-3-ii",))
    assert to_words(early.why) == f"{needs}: notice to surveillance is given; wait 1 more minute"
    assert {"S42-j-3-ii", "S42-j-3-elect"} <= set(changed.clauses)
    assert table.rules().pay_procedure is PayProcedure.I


@pytest.mark.clause("NY-i-3-elect")
def test_new_york_changes_the_pay_procedure_without_waiting(floor):
    table = floor(OPENED, profile="ny-mini")

    assert table.change("pay_procedure", "ii").clauses == ("NY-i-2-iii", "NY-i-3-elect")


@pytest.mark.clause("S42-e-2-ii-A")
@pytest.mark.clause("S42-e-2-ii-B")
def test_a_reshuffle_after_lacing_begins_30_minutes_after_notice(floor):
    table = floor()
    table.notice("reshuffle_after_lace", "true", "surveillance")

    early = table.change("reshuffle_after_lace", "true", minute=29)
    changed = table.change("reshuffle_after_lace", "true", minute=30)

    assert early.clauses == ("S42-e-2-ii-B",)
    assert changed.clauses == ("S42-e-2-ii-A", "S42-e-2-ii-B")


# --- the book with the changes ------------------------------------------------------------------


def test_a_table_without_changes_plays_by_its_own_book(table):
    assert effective_book(table.book, table.state) is table.book


def test_the_changed_book_is_made_once(floor):
    table = floor()
    table.change("odds_tie", "9:1")

    book, state = table.table.book, table.table.state
    assert effective_book(book, state) is effective_book(book, state)


def test_a_changed_setting_is_the_houses_and_the_others_stay_as_they_were(floor):
    table = floor()
    table.change("odds_tie", "9:1")

    book = effective_book(table.table.book, table.table.state)
    assert book.profile.house == ("odds_tie",)
    assert book.profile.value("odds_tie").reason == "trial"
    assert book.unchanged is table.table.book.profile


@pytest.mark.parametrize("file_value", ["10:1", "9:1"])
def test_a_change_ends_once_the_file_has_another_value(floor, file_value):
    table = floor()
    table.change("odds_tie", "9:1")

    state = replace(
        table.table.state, settings=(ChangedSetting("odds_tie", "12:1", file_value, "trial"),)
    )
    assert effective_book(table.table.book, state) is table.table.book


def test_changes_that_the_file_no_longer_allows_are_not_in_force(floor):
    table = floor()
    settings = (ChangedSetting("dragon_bonus", "on", "off", "without its approval"),)

    assert effective_book(table.table.book, replace(table.table.state, settings=settings)) is (
        table.table.book
    )


def test_a_value_that_the_house_chose_may_be_chosen_again(floor):
    table = floor()
    book, state = table.table.book, table.table.state
    house = effective_book(
        book,
        replace(
            state,
            settings=(
                ChangedSetting("cut_card_at_round_start", "current_coup", "current_coup", "r"),
            ),
        ),
    )
    values = tuple(
        replace(value, value="off", house=True) if value.name == "ghost_hands" else value
        for value in house.profile.values
    )
    table.table.book = replace(house, profile=replace(house.profile, values=values))
    table.table.book = replace(table.table.book, unchanged=table.table.book.profile)

    assert table.change("ghost_hands", "5").new == "5"


# --- the table of moments -----------------------------------------------------------------------


def test_every_setting_has_its_moment():
    assert tuple(MOMENTS) == tuple(SHAPES)
    between_coups = [
        name for name, moment in MOMENTS.items() if moment is ChangeMoment.BETWEEN_COUPS
    ]
    assert "vig_mode" in between_coups
    assert MOMENTS["decks_per_shoe"] is ChangeMoment.BETWEEN_SHOES
    assert MOMENTS["vig_rate_allowed"] is ChangeMoment.NEVER


@pytest.mark.parametrize("name", ["ny-mini", "s42-mini", "wa-mini", "nj-minibaccarat", "ny-ez"])
def test_every_value_of_a_profile_is_parsed_back_from_its_text(name):
    for value in load_profile(name).values:
        read = parse_value(value.name, describe_value(value.value))
        assert fits(SHAPES[value.name], read)
        assert to_setting_value(read) == value.value


@pytest.mark.parametrize(
    ("setting", "words", "read"),
    [
        ("vig_rate", " 4 ", 4),
        ("vig_rate", "four", "four"),
        ("vig_rate", "9" * 10, "9" * 10),
        ("vig_rate", "\u0664", "\u0664"),
        ("vig_rate_allowed", "5, 4", [5, 4]),
        ("dragon_bonus_sides", "nothing", []),
        ("dragon_bonus_sides", "player, banker", ["player", "banker"]),
        ("bonus_requires_base", "false", False),
        ("bonus_requires_base", "perhaps", "perhaps"),
        ("side_wager_approval", "nothing", ""),
        ("side_wager_approval", "letter 7", "letter 7"),
        ("call_texts", "nothing", []),
        (
            "call_texts",
            "tie_hand: so, a tie, last_hand: the last",
            ["tie_hand: so, a tie", "last_hand: the last"],
        ),
    ],
)
def test_values_are_parsed_from_text(setting, words, read):
    assert parse_value(setting, words) == read


def test_words_longer_than_a_line_do_not_fit():
    assert not fits(SHAPES["side_wager_approval"], "x" * (TEXT_LENGTH_MAX + 1))


# --- at a start ---------------------------------------------------------------------------------


def with_values(profile, **values):
    changed = tuple(
        replace(one, value=values[one.name]) if one.name in values else one
        for one in profile.values
    )
    return replace(profile, values=changed)


S42 = load_profile("s42-mini")


@pytest.mark.clause("S42-c-5-notice")
def test_at_a_start_a_higher_rate_without_notice_is_refused():
    running = with_values(S42, vig_rate=4)

    (refused,) = refusals_at_start(running, S42, (), NOON, Phase.CLOSED)

    assert in_words(refused) == Refusal(
        "start",
        "vig_rate to 5 needs prior notice: record notice of it to players first. "
        "Remedy: start with vig_rate 4 until then",
        ("S42-c-5-notice",),
    )


def test_at_a_start_an_announced_change_is_applied():
    running = with_values(S42, vig_rate=4)
    notices = tuple(
        NoticeGiven("vig_rate", "5", to, "Bo Ray", NOON) for to in ("players", "commission")
    )

    assert refusals_at_start(running, S42, notices, NOON, Phase.SHOE_OVER) == ()


def test_at_a_start_with_a_shoe_open_only_changes_between_coups_are_applied():
    file = with_values(S42, odds_tie="9:1", decks_per_shoe=6)

    (refused,) = refusals_at_start(S42, file, (), NOON, Phase.BETWEEN_COUPS)

    assert to_words(refused.why) == (
        "decks_per_shoe from 8 to 6 changes between shoes only: finish or close this shoe, then "
        "change it. Remedy: start with decks_per_shoe 8 until then"
    )


@pytest.mark.parametrize(
    "phase", [Phase.BETTING_CLOSED, Phase.PLAYER_1, Phase.RESULT, Phase.SUSPENDED]
)
def test_at_a_start_with_betting_closed_or_a_coup_open_no_change_is_applied(phase):
    assert refusals_at_start(S42, with_values(S42, odds_tie="9:1"), (), NOON, phase)


def test_another_rule_document_comes_between_shoes():
    other = load_profile("ny-mini")

    assert refusals_at_start(S42, other, (), NOON, Phase.CLOSED) == ()
    (refused,) = refusals_at_start(S42, other, (), NOON, Phase.BETWEEN_COUPS)
    assert in_words(refused) == Refusal(
        "start",
        "the profile changes between shoes only: finish or close this shoe, then change it."
        " Remedy: start with a profile of Section 42 Mini-Baccarat until then",
    )

"""Finds settings of one profile that contradict each other, and the clauses behind it.

Source: NY-a-4-iv-sets, NY-c-7-choose, S42-b-2, S42-l-1-ic, WA-burn, WA-shuffle-doc, WA-an-doc,
NJ-7.3-f-elect.
"""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from controller.rules.odds import Odds, OddsLimit
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.rule_values import RuleValues
from controller.rules.profiles.setting_definitions import SHAPES, choices_setting
from controller.rules.profiles.setting_types import (
    NOT_APPLICABLE,
    OddsLimitText,
    SettingValue,
    describe_allowed,
    describe_value,
)
from controller.rules.setting_values import (
    BankerPlacement,
    BurnMode,
    CardHandling,
    DealOption,
    PayProcedure,
    RequiredCall,
    ShuffleMode,
    ThirdCardDealt,
    VigorishCollection,
    VigorishMode,
)
from foundation.message import Message, message


class ProfileSettings(Struct, frozen=True):
    """Every setting with its clauses, and the clauses of each rule point.

    Clauses of the profile's own rule only: borrowed ones refuse nothing.
    """

    values: Mapping[str, SettingValue]
    rules: RuleValues
    basis: Mapping[str, tuple[str, ...]]
    points: Mapping[RulePoint, tuple[str, ...]]
    changed: tuple[str, ...]

    def cited(self, *settings: str, points: tuple[RulePoint, ...] = ()) -> tuple[str, ...]:
        """The clauses behind these points and settings, each once."""
        found = [clause for point in points for clause in self.points.get(point, ())]
        found += [clause for name in settings for clause in self.basis[name]]
        return tuple(dict.fromkeys(found))


class Contradiction(Struct, frozen=True):
    """A setting that contradicts others: the problem, the allowed values, the remedy."""

    setting: str
    problem: Message
    allowed: Message
    remedy: Message
    clauses: tuple[str, ...]


_Check = Callable[[ProfileSettings], Contradiction | None]


def find_contradictions(
    settings: ProfileSettings, *, stored: bool = False
) -> tuple[Contradiction, ...]:
    """The first contradiction of each kind; none where the settings are consistent.

    `stored`: a run began with these settings already, by the checks that all versions make.
    """
    checks = _CHECKS if stored else (*_CHECKS, *_CHECKS_OF_CHOICES)
    return tuple(found for check in checks if (found := check(settings)) is not None)


def find_contradiction(settings: ProfileSettings) -> Contradiction | None:
    """The first contradiction, or None where the settings are consistent."""
    return next(iter(find_contradictions(settings)), None)


def _choices(settings: ProfileSettings) -> Contradiction | None:
    for name in SHAPES:
        choices = choices_setting(name)
        if choices and not within(settings.values[name], settings.values[choices], name):
            return Contradiction(
                name,
                message(
                    "setting_not_in",
                    configured=describe_value(settings.values[name]),
                    choices=choices,
                ),
                message("as_configured", configured=describe_value(settings.values[choices])),
                message("set_one_of_these"),
                settings.cited(name, choices),
            )
    return None


def within(value: SettingValue, choices: SettingValue, name: str) -> bool:
    """Whether `choices`, the value of NAME_allowed, allow `value` for `name`."""
    if isinstance(SHAPES[choices_setting(name)], OddsLimitText):
        if NOT_APPLICABLE in (value, choices):
            return value == choices
        return OddsLimit.parse(str(choices)).allows(Odds.parse(str(value)))
    assert isinstance(choices, tuple)
    if value == NOT_APPLICABLE and not choices:
        return True
    return all(one in choices for one in value) if isinstance(value, tuple) else value in choices


def _decks(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    most = rules.decks_per_shoe if rules.decks_max is None else rules.decks_max
    if rules.decks_min <= rules.decks_per_shoe <= most:
        return None
    limit = "decks_min" if rules.decks_per_shoe < rules.decks_min else "decks_max"
    allowed = message("at_least_number", least=rules.decks_min)
    if rules.decks_max is not None:
        allowed = message("at_least_and_at_most", least=rules.decks_min, most=rules.decks_max)
    return Contradiction(
        "decks_per_shoe",
        message("decks_outside_min_and_max", decks=rules.decks_per_shoe),
        allowed,
        message("change_number_of_decks"),
        settings.cited(limit, points=(RulePoint.DECKS_COUNT,)),
    )


def _batches(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    least = rules.batch_min_decks_each
    if rules.shuffle_mode is not ShuffleMode.DUAL_BATCH or least is None:
        return None
    if rules.decks_per_shoe >= least:
        return None
    return Contradiction(
        "decks_per_shoe",
        message("too_few_decks_for_batches", decks=rules.decks_per_shoe),
        message("at_least_with_dual_batch", least=least),
        message("use_more_decks_or_other_shuffle_mode"),
        settings.cited("batch_min_decks_each", points=(RulePoint.BATCH_SETS,)),
    )


def _shuffle_documented(settings: ProfileSettings) -> Contradiction | None:
    """Continuous shuffling needs documentation; some rules require it of any chosen mode."""
    asked = settings.points.get(RulePoint.SHUFFLE_DOCUMENTED, ())
    of_continuous = settings.points.get(RulePoint.CONTINUOUS_SHUFFLER, ())
    of_any = "shuffle_mode" in settings.changed and any(one not in of_continuous for one in asked)
    mode = settings.rules.shuffle_mode
    if mode is not ShuffleMode.CONTINUOUS and not of_any:
        return None
    clauses = settings.cited("shuffle_control_reference", points=(RulePoint.SHUFFLE_DOCUMENTED,))
    what = _setting("shuffle_mode", mode.value)
    return _documented(settings, "shuffle_control_reference", what, clauses)


def _burn_documented(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    if (rules.burn_mode is BurnMode.FIXED) != (rules.burn_fixed_count > 0):
        return Contradiction(
            "burn_fixed_count",
            _misfit(str(rules.burn_fixed_count), _setting("burn_mode", rules.burn_mode.value)),
            message("number_with_burn_mode_fixed"),
            message("set_both"),
            settings.cited("burn_mode"),
        )
    if rules.burn_mode is BurnMode.FIRST_CARD_VALUE:
        return None
    clauses = settings.cited("burn_control_reference", points=(RulePoint.BURN_DOCUMENTED,))
    what = _setting("burn_mode", rules.burn_mode.value)
    return _documented(settings, "burn_control_reference", what, clauses)


def _calls_documented(settings: ProfileSettings) -> Contradiction | None:
    rules, clauses = settings.rules, settings.basis["calls_control_reference"]
    undocumented = (
        call
        for call in rules.calls_required
        if call is not RequiredCall.FINAL_AND_WINNER and not rules.call_references[call]
    )
    call = next(undocumented, None)
    if call is None or not clauses:
        return None
    return Contradiction(
        "call_references",
        message("call_needs_control_reference", call=call.value),
        message("for_each_call_place"),
        message("write_call_reference", call=call.value),
        clauses,
    )


def _side_wagers_approved(settings: ProfileSettings) -> Contradiction | None:
    rules, clauses = settings.rules, settings.basis["side_wager_approval"]
    on = rules.dragon_bonus or rules.total_card_wagers
    if not on or not clauses or settings.values["side_wager_approval"]:
        return None
    return Contradiction(
        "side_wager_approval",
        message("side_wager_needs_approval"),
        message("reference_of_approval"),
        message("set_approval_or_take_wager_out"),
        clauses,
    )


def _documented(
    settings: ProfileSettings, name: str, what: Message, clauses: tuple[str, ...]
) -> Contradiction | None:
    if settings.values[name]:
        return None
    return Contradiction(
        name,
        message("needs_control_reference", what=what),
        message("place_where_controls_describe"),
        message("set_to_text", setting=name),
        clauses,
    )


def _bonus_whole(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    if not rules.dragon_bonus:
        return None
    for name, there in (
        ("dragon_bonus_table", rules.dragon_bonus_table is not None),
        ("dragon_bonus_sides", bool(rules.dragon_bonus_sides)),
    ):
        if not there:
            clauses = settings.cited(name, points=(RulePoint.PAYS_BONUS_TABLE,))
            return _needs(settings, _setting("dragon_bonus", "on"), name, clauses)
    return None


def _total_cards_whole(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    if rules.vig_mode is VigorishMode.NONE_TOTAL_CARDS and not rules.total_card_wagers:
        clauses = settings.cited("vig_mode", points=(RulePoint.TOTAL_CARDS_WAIVER,))
        what = _setting("vig_mode", rules.vig_mode.value)
        return _needs(settings, what, "total_card_wagers", clauses)
    if not rules.total_card_wagers:
        return None
    needed = ("odds_total_4", "odds_total_5", "odds_total_6", "total_cards_require_base")
    return _all_set(settings, _setting("total_card_wagers", "on"), needed)


def _vigorish_whole(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    if rules.vig_collection is VigorishCollection.DEFERRED:
        what = _setting("vig_collection", rules.vig_collection.value)
        found = _all_set(settings, what, ("vig_deferred_deadline",))
        if found is not None:
            return found
    match rules.vig_mode:
        case VigorishMode.NONE_SIX:
            return _all_set(settings, _setting("vig_mode", "none_six"), ("none_six_odds",))
        case VigorishMode.TIE25:
            needed = ("tie25_excludes_win_commission",)
            return _all_set(settings, _setting("vig_mode", "tie25"), needed)
        case _:
            return None


def _ez_whole(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    if rules.ez != (rules.vig_mode is VigorishMode.EZ_NONE):
        return Contradiction(
            "vig_mode",
            _misfit(
                rules.vig_mode.value, _setting("ez_dragon7", str(settings.values["ez_dragon7"]))
            ),
            message("ez_none_where_on"),
            message("set_both"),
            settings.cited("vig_mode", "ez_dragon7"),
        )
    needed = ("odds_dragon7", "odds_panda8")
    return _all_set(settings, _setting("ez_dragon7", "on"), needed) if rules.ez else None


def _setting(name: str, value: str) -> Message:
    return message("setting_with_value", setting=name, configured=value)


def _misfit(value: str, what: Message) -> Message:
    return message("value_does_not_go_with", configured=value, what=what)


def _all_set(
    settings: ProfileSettings, what: Message, names: tuple[str, ...]
) -> Contradiction | None:
    absent = (name for name in names if settings.values[name] == NOT_APPLICABLE)
    name = next(absent, "")
    return _needs(settings, what, name, settings.cited(name)) if name else None


def _needs(
    settings: ProfileSettings, what: Message, name: str, clauses: tuple[str, ...]
) -> Contradiction:
    value = describe_value(settings.values[name])
    allowed = describe_allowed(SHAPES[name])
    return Contradiction(
        name,
        _misfit(value, what),
        message("allowed_and_not_here", allowed=allowed, configured=value),
        message("set_too", setting=name),
        clauses,
    )


def _players_reveal(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    if rules.deal_option is not DealOption.PLAYERS_REVEAL:
        return None
    if rules.players_may_handle_cards is not CardHandling.NO:
        what = _setting("deal_option", rules.deal_option.value)
        return _all_set(settings, what, ("reveal_seat_tie_break",))
    return Contradiction(
        "deal_option",
        _misfit(rules.deal_option.value, _setting("players_may_handle_cards", "no")),
        message("reveal_where_handled"),
        message("set_both"),
        settings.cited("players_may_handle_cards", "deal_option"),
    )


def _banker_placement(settings: ProfileSettings) -> Contradiction | None:
    rules = settings.rules
    up = rules.deal_option is DealOption.FACE_UP
    if not up or rules.banker_placement is BankerPlacement.BANKER_AREA:
        return None
    return Contradiction(
        "banker_placement",
        message("under_shoe_not_with_face_up"),
        message("banker_area_or_other_option"),
        message("set_both"),
        settings.cited("banker_placement", "deal_option"),
    )


def _third_card(settings: ProfileSettings) -> Contradiction | None:
    """Whether a third card lies face down where nobody is left to turn it."""
    rules = settings.rules
    down = rules.third_card_dealt is ThirdCardDealt.FACE_DOWN
    if not down or rules.deal_option is not DealOption.FACE_UP:
        return None
    return Contradiction(
        "third_card_dealt",
        message("third_face_down_not_with_face_up"),
        message("third_face_up_or_by_deal_option"),
        message("set_both"),
        settings.cited("third_card_dealt", "deal_option"),
    )


def _ghost_hands_documented(settings: ProfileSettings) -> Contradiction | None:
    most, clauses = settings.rules.ghost_hands_max, settings.basis["ghost_hands_control_reference"]
    if not most or not clauses:
        return None
    what = _setting("ghost_hands", str(most))
    return _documented(settings, "ghost_hands_control_reference", what, clauses)


def _payment_documented(settings: ProfileSettings) -> Contradiction | None:
    """Where the rule leaves payment to the internal controls, a chosen procedure names them."""
    clauses = settings.basis["pay_control_reference"]
    if "pay_procedure" not in settings.changed or not clauses:
        return None
    what = _setting("pay_procedure", settings.rules.pay_procedure.value)
    return _documented(settings, "pay_control_reference", what, clauses)


_CHARGED_ON_WINS: Final = (VigorishMode.COMMISSION, VigorishMode.NONE_TOTAL_CARDS)
_CHARGED: Final = (*_CHARGED_ON_WINS, VigorishMode.TIE25)


def _vigorish_charged(settings: ProfileSettings) -> Contradiction | None:
    """Whether a table that charges vigorish also says how it is rounded, collected and paid."""
    rules = settings.rules
    what = _setting("vig_mode", rules.vig_mode.value)
    if rules.vig_mode in _CHARGED and rules.pay_procedure is PayProcedure.PAY_ONLY:
        return Contradiction(
            "pay_procedure",
            _misfit(rules.pay_procedure.value, what),
            message("pay_only_where_no_vigorish"),
            message("set_both"),
            settings.cited("pay_procedure", "vig_mode"),
        )
    if rules.vig_mode not in _CHARGED_ON_WINS:
        return None
    return _all_set(settings, what, ("vig_rounding", "vig_collection"))


_CHECKS: Final[tuple[_Check, ...]] = (
    _choices,
    _decks,
    _batches,
    _shuffle_documented,
    _burn_documented,
    _calls_documented,
    _side_wagers_approved,
    _bonus_whole,
    _total_cards_whole,
    _vigorish_whole,
    _ez_whole,
    _players_reveal,
    _banker_placement,
)
# What versions before 0.12.0 let a house set: settings that decide one thing apart, and choices
# without a reference to the internal controls. A text stored by them is read as it is.
_CHECKS_OF_CHOICES: Final[tuple[_Check, ...]] = (
    _third_card,
    _vigorish_charged,
    _ghost_hands_documented,
    _payment_documented,
)

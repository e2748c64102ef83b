"""Reads a house's own profile, and applies its changes where the base's clauses allow them.

Source: README, "A house's own profile".
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.odds import Odds, OddsLimit
from controller.rules.profiles.profile import (
    Profile,
    ProfileError,
    ProfileValue,
    build_profile,
    known_keys,
    no_value,
    raise_faults,
    setting_error,
    table_at,
    text_at,
    toml_document,
)
from controller.rules.profiles.profile_consistency import within
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.setting_definitions import BY_DEAL_OPTION, SHAPES, choices_setting
from controller.rules.profiles.setting_types import (
    NOT_APPLICABLE,
    KeyedTexts,
    OddsLimitText,
    SettingValue,
    Text,
    describe_allowed,
    describe_value,
    fits,
    to_setting_value,
)
from controller.rules.setting_values import FeedDirection, RequiredCall
from foundation.message import Message, message

DEFAULT_REASON: Final = "the house's choice"

# Limits that a house may make stricter: 1 upwards, -1 downwards.
_STRICTER: Final[Mapping[str, int]] = MappingProxyType(
    {
        "decks_min": 1,
        "decks_max": -1,
        "batch_min_decks_each": 1,
        "cut_min_cards_from_either_end": 1,
        "cut_card_min_from_back": 1,
    }
)
# Words to which a house may change a setting, though it is assumed: what a regulator expects of the
# equipment is no choice of the house.
_STRICTER_WORD: Final[Mapping[str, str]] = MappingProxyType(
    {"feed_direction": FeedDirection.ONE_WAY.value}
)
_CALLED_AT: Final[Mapping[RequiredCall, RulePoint]] = MappingProxyType(
    {
        RequiredCall.BEFORE: RulePoint.PRE_DEAL_CALLS,
        RequiredCall.NO_MORE_BETS: RulePoint.NO_MORE_BETS,
        RequiredCall.COUNTS: RulePoint.COUNTS_CALLED,
        RequiredCall.DRAWS: RulePoint.PLAYER_DRAW_CALLED,
        RequiredCall.FINAL_AND_WINNER: RulePoint.RESULT_CALLED,
        RequiredCall.TIE_HAND: RulePoint.TIE_CALLED,
        RequiredCall.TOTAL_CARDS: RulePoint.TOTAL_CARDS_CALLED,
        RequiredCall.DRAGON7_PANDA8: RulePoint.EZ_CALLED,
        RequiredCall.LAST_HAND: RulePoint.LAST_HAND_CALLED,
    }
)
# How a third card is dealt, where no clause says it, depends on how the first four are.
_FOLLOWS: Final[Mapping[str, str]] = MappingProxyType({"third_card_dealt": "deal_option"})
# The whole table has one type and one rate: VIGORISH_UNIFORM refuses a list of them.
_ONE_FOR_ALL: Final = ("vig_mode", "vig_rate")


class Change(Struct, frozen=True):
    """A house's change of one setting; `value` is the TOML value, not yet checked."""

    name: str
    value: object
    reason: str


class House(Struct, frozen=True):
    """A parsed house profile: its base and its changes. Title and source may be empty."""

    name: str
    base: str
    title: str
    source: str
    changes: tuple[Change, ...]


def parse_house(toml_text: str, names: tuple[str, ...]) -> House:
    """Read a house's TOML text. Raises ProfileError, which holds every fault.

    `names` are the shipped profiles: one of them is the base.
    """
    house, faults = read_house(toml_text, names)
    raise_faults(faults)
    return house


def read_house(toml_text: str, names: tuple[str, ...]) -> tuple[House, tuple[ProfileError, ...]]:
    """A house's profile without the changes that are faulty, and their faults.

    Raises ProfileError where it has no name or no base.
    """
    document = toml_document(toml_text)
    for key in ("name", "base"):
        if key not in document:
            remedy = message("write_key_text", key=key)
            raise ProfileError(key, message("it_is_missing"), message("a_text"), remedy)
    name, base = text_at("name", document["name"]), text_at("base", document["base"])
    if base not in names:
        raise ProfileError(
            "base",
            message("not_a_profile", configured=repr(base)),
            message("listed", parts=names),
            message("name_one_of_these"),
        )
    if name in names:
        raise ProfileError(
            "name",
            message("is_a_shipped_profile", configured=repr(name)),
            message("another_name"),
            message("give_house_profile_own_name"),
        )
    texts = {key: text_at(key, document[key]) for key in ("title", "source") if key in document}
    changes, faults = _changes(document)
    return House(name, base, texts.get("title", ""), texts.get("source", ""), changes), faults


def _changes(
    document: Mapping[str, object],
) -> tuple[tuple[Change, ...], tuple[ProfileError, ...]]:
    """All changed settings in the order of SHAPES, flat or under [values]; and what is wrong."""
    faults: list[ProfileError] = []
    flat = {
        key: entry
        for key, entry in document.items()
        if key not in ("name", "base", "title", "source", "values")
    }
    nested = table_at("values", document.get("values", {}))
    for key in (*flat, *nested):
        if key not in SHAPES:
            near = tuple(get_close_matches(key, SHAPES, n=3))
            listed = message("listed", parts=near) if near else message("settings_rules_show_lists")
            problem, remedy = message("there_is_no_such_setting"), message("correct_or_remove_it")
            faults.append(ProfileError(f"values.{key}", problem, listed, remedy))
    for key in (one for one in flat if one in nested and one in SHAPES):
        remedy = message("remove_one_of_them")
        faults.append(
            ProfileError(f"values.{key}", message("it_is_repeated"), message("once"), remedy)
        )
    entries = flat | nested
    changes: list[Change] = []
    for name in (one for one in SHAPES if one in entries):
        try:
            changes.append(_change(name, entries[name]))
        except ProfileError as fault:
            faults.append(fault)
    return tuple(changes), tuple(faults)


def _change(name: str, entry: object) -> Change:
    if not isinstance(entry, dict):
        return Change(name, entry, DEFAULT_REASON)
    path = f"values.{name}"
    known_keys(path, entry, ("value", "reason"))
    if "value" not in entry:
        raise no_value(name)
    reason = text_at(f"{path}.reason", entry["reason"]) if "reason" in entry else DEFAULT_REASON
    return Change(name, entry["value"], reason)


def apply_house(
    house: House, base: Profile, faults: Sequence[ProfileError] = (), *, stored: bool = False
) -> Profile:
    """The base with the house's changes. Raises ProfileError where a clause refuses one.

    `faults` are known already: the error holds them and every refused change. `stored`: a table
    has these changes already.
    """
    values = {value.name: value for value in base.values}
    found = [*faults]
    requested: dict[str, SettingValue] = {}
    for change in house.changes:
        try:
            _check_type(change, base)
        except ProfileError as fault:
            found.append(fault)
        else:
            requested[change.name] = to_setting_value(change.value)
    for change in house.changes:
        if change.name not in requested:
            continue
        try:
            values |= _changed(change, requested, base)
        except ProfileError as fault:
            found.append(fault)
    raise_faults(found)
    values |= _following(requested, base)
    return build_profile(
        name=house.name,
        title=house.title or f"{base.title}, as {house.name}",
        source=house.source or base.source,
        base=base.name,
        own_clauses=base.own_clauses,
        values=tuple(values[name] for name in SHAPES),
        citations=base.citations,
        stored=stored,
    )


def _following(requested: Mapping[str, SettingValue], base: Profile) -> dict[str, ProfileValue]:
    """Assumed values that follow a setting which the house changed, unless it set them, too."""
    return {
        name: _set_by_house(base.value(name), BY_DEAL_OPTION, f"it follows the house's {followed}")
        for name, followed in _FOLLOWS.items()
        if followed in requested and name not in requested and _is_only_assumed(base.value(name))
    }


def _changed(
    change: Change, requested: Mapping[str, SettingValue], base: Profile
) -> dict[str, ProfileValue]:
    """The value that a change sets, and the list of choices that it widens.

    Raises ProfileError where a clause refuses it.
    """
    name, value = change.name, requested[change.name]
    values: dict[str, ProfileValue] = {}
    list_name = choices_setting(name)
    if list_name:
        limit = requested.get(list_name, base.value(list_name).value)
        if not within(value, limit, name):
            if list_name in requested or not _is_only_assumed(base.value(list_name)):
                raise _refused(base, name, value, _as_configured(limit))
            why = f"the house's {name} needs it"
            wider = _widened(name, value, limit)
            values[list_name] = _set_by_house(base.value(list_name), wider, why)
    else:
        _check_permitted(base, name, value)
    values[name] = _set_by_house(base.value(name), value, change.reason)
    return values


def _is_only_assumed(value: ProfileValue) -> bool:
    """Whether the value rests on an assumption alone."""
    return value.assumed and not value.basis


def _set_by_house(before: ProfileValue, value: SettingValue, reason: str) -> ProfileValue:
    return ProfileValue(before.name, value, before.basis, False, (), reason, house=True)


def _check_type(change: Change, base: Profile) -> None:
    name, value = change.name, change.value
    if fits(SHAPES[name], value):
        return
    clauses = _clauses(base, name)
    if name in _ONE_FOR_ALL and isinstance(value, list):
        uniform = base.citation(RulePoint.VIGORISH_UNIFORM)
        clauses += uniform.grounds.basis if uniform is not None else ()
    list_name = choices_setting(name)
    allowed = describe_allowed(SHAPES[name])
    known = _as_configured(base.value(list_name).value) if list_name else allowed
    raise setting_error(name, value, known, tuple(dict.fromkeys(clauses)))


def _clauses(base: Profile, name: str) -> tuple[str, ...]:
    """The clauses of the base's rule behind a setting and the list of its choices."""
    names = (name, choices_setting(name)) if choices_setting(name) else (name,)
    return tuple(dict.fromkeys(clause for one in names for clause in base.value(one).basis))


def _as_configured(value: SettingValue) -> Message:
    return message("as_configured", configured=describe_value(value))


def _refused(base: Profile, name: str, value: SettingValue, allowed_there: Message) -> ProfileError:
    clauses = _clauses(base, name)
    return setting_error(
        name, list(value) if isinstance(value, tuple) else value, allowed_there, clauses
    )


def _check_permitted(base: Profile, name: str, value: SettingValue) -> None:
    """Refuse a change of a value that clauses fix."""
    before = base.value(name)
    if value == before.value or isinstance(SHAPES[name], Text | KeyedTexts):
        return
    if name in _STRICTER_WORD:
        if value != _STRICTER_WORD[name]:
            raise _refused(base, name, value, _as_configured(before.value))
        return
    if name == "calls_required":
        _check_calls(base, value)
        return
    if before.assumed:
        return
    if name in _STRICTER:
        upwards = _STRICTER[name] > 0
        if not (isinstance(value, int) and isinstance(before.value, int)):
            raise _refused(base, name, value, _as_configured(before.value))
        if (value >= before.value) if upwards else (value <= before.value):
            return
        limit = describe_value(before.value)
        more = message("value_or_more", configured=limit)
        bound = more if upwards else message("value_or_less", configured=limit)
        raise setting_error(
            name, value, bound, _clauses(base, name), message("set_bound", bound=bound)
        )
    if name.endswith("_allowed") and _narrower(name, value, before.value):
        return
    raise _refused(base, name, value, _as_configured(before.value))


def _narrower(name: str, value: SettingValue, before: SettingValue) -> bool:
    """Whether a list or limit of choices allows only what it allowed before."""
    if isinstance(SHAPES[name], OddsLimitText):
        if NOT_APPLICABLE in (value, before):
            return False
        new, old = OddsLimit.parse(str(value)), OddsLimit.parse(str(before))
        return old.allows(new.odds) and (new.exactly or not old.exactly)
    assert isinstance(value, tuple)
    assert isinstance(before, tuple)
    return bool(value) and all(one in before for one in value)


def _widened(name: str, value: SettingValue, limit: SettingValue) -> SettingValue:
    """A list or limit of choices, widened to allow `value`."""
    if isinstance(SHAPES[choices_setting(name)], OddsLimitText):
        if value == NOT_APPLICABLE:
            return NOT_APPLICABLE
        exactly = limit == NOT_APPLICABLE or OddsLimit.parse(str(limit)).exactly
        return str(OddsLimit(Odds.parse(str(value)), exactly))
    assert isinstance(limit, tuple)
    more = value if isinstance(value, tuple) else (value,)
    wider = (*limit, *(one for one in more if one not in limit))
    return wider if fits(SHAPES[choices_setting(name)], list(wider)) else limit


def _check_calls(base: Profile, value: SettingValue) -> None:
    """Refuse to drop a call that the base's own rule requires; adding calls is permitted."""
    before = base.value("calls_required").value
    assert isinstance(before, tuple)
    assert isinstance(value, tuple)
    for word in before:
        call = RequiredCall(str(word))
        citation = base.citation(_CALLED_AT[call])
        required = citation is not None and citation.grounds.basis
        if call not in value and required:
            calls = message("calls_and_more", calls=tuple(map(str, before)))
            raise _refused(base, "calls_required", value, calls)

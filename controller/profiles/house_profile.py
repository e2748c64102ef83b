"""A house's own profile: a base, and the settings the house chooses otherwise.

Responsible for: reading the house's TOML text, and telling a change that the base's clauses allow
from one they refuse.
Not responsible for: finding the file and the base, for the form of a whole profile (profile), and
for settings that do not go together (agreement).
Source: README, "A house's own profile".
"""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from controller.profiles.profile import (
    Profile,
    ProfileError,
    ProfileValue,
    known_keys,
    misfit,
    settled_profile,
    table_at,
    text_at,
    toml_document,
)
from controller.profiles.profile_consistency import within
from controller.profiles.rule_points import RulePoint
from controller.profiles.setting_definitions import SHAPES, companion
from controller.profiles.setting_types import (
    NOT_APPLICABLE,
    OddsLimitText,
    SettingValue,
    Text,
    allowed,
    fits,
    frozen,
    in_words,
)
from controller.rules.odds import Odds, OddsLimit
from controller.rules.setting_values import Call
from firmware_bridge.values import dataclass

DEFAULT_REASON: Final = "the house's choice"

# Bounds of a clause that a house may draw closer: 1 upwards, -1 downwards.
_STRICTER: Final[Mapping[str, int]] = MappingProxyType(
    {
        "decks_min": 1,
        "decks_max": -1,
        "batch_min_decks_each": 1,
        "cut_min_cards_from_either_end": 1,
        "cut_card_min_from_back": 1,
    }
)
_CALLED_AT: Final[Mapping[Call, RulePoint]] = MappingProxyType(
    {
        Call.BEFORE: RulePoint.PRE_DEAL_CALLS,
        Call.NO_MORE_BETS: RulePoint.NO_MORE_BETS,
        Call.COUNTS: RulePoint.COUNTS_CALLED,
        Call.DRAWS: RulePoint.PLAYER_DRAW_CALLED,
        Call.FINAL_AND_WINNER: RulePoint.RESULT_CALLED,
        Call.TIE_HAND: RulePoint.TIE_CALLED,
        Call.TOTAL_CARDS: RulePoint.TOTAL_CARDS_CALLED,
        Call.DRAGON7_PANDA8: RulePoint.EZ_CALLED,
        Call.LAST_HAND: RulePoint.LAST_HAND_CALLED,
    }
)
# One type and one rate for the whole table: a list of them is refused by that clause too.
_ONE_FOR_ALL: Final = ("vig_mode", "vig_rate")


@dataclass(frozen=True, slots=True)
class Change:
    """What the house writes for one setting; `value` as TOML gives it, not yet checked."""

    name: str
    value: object
    reason: str


@dataclass(frozen=True, slots=True)
class House:
    """A house's text, read: whose profile it changes and how. Title and source may be empty."""

    name: str
    base: str
    title: str
    source: str
    changes: tuple[Change, ...]


def parse_house(toml_text: str, names: tuple[str, ...]) -> House:
    """Read a house's text; ProfileError for the first fault found.

    `names` are the profiles that come with the program: one of them is the base.
    """
    document = toml_document(toml_text)
    for key in ("name", "base"):
        if key not in document:
            raise ProfileError(key, "it is missing", "a text", f'write {key} = "..."')
    name, base = text_at("name", document["name"]), text_at("base", document["base"])
    if base not in names:
        listed = ", ".join(names)
        raise ProfileError("base", f"{base!r} is no profile", listed, "name one of these")
    if name in names:
        raise ProfileError(
            "name",
            f"{name!r} is a profile that comes with the program",
            "another name",
            "give the house's profile a name of its own",
        )
    texts = {key: text_at(key, document[key]) for key in ("title", "source") if key in document}
    return House(name, base, texts.get("title", ""), texts.get("source", ""), _changes(document))


def _changes(document: Mapping[str, object]) -> tuple[Change, ...]:
    """All changed settings in the order of SHAPES, flat or under [values]."""
    flat = {
        key: entry
        for key, entry in document.items()
        if key not in ("name", "base", "title", "source", "values")
    }
    nested = table_at("values", document.get("values", {}))
    for key in (*flat, *nested):
        if key not in SHAPES:
            near = get_close_matches(key, SHAPES, n=3)
            raise ProfileError(
                f"values.{key}",
                "there is no such setting",
                ", ".join(near) or "the settings `smartshoe rules show` lists",
                "correct or remove it",
            )
        if key in flat and key in nested:
            raise ProfileError(f"values.{key}", "it is there twice", "once", "take one out")
    entries = flat | nested
    return tuple(_change(name, entries[name]) for name in SHAPES if name in entries)


def _change(name: str, entry: object) -> Change:
    if not isinstance(entry, dict):
        return Change(name, entry, DEFAULT_REASON)
    path = f"values.{name}"
    known_keys(path, entry, ("value", "reason"))
    if "value" not in entry:
        raise ProfileError(f"{path}.value", "there is no value", allowed(SHAPES[name]), "set one")
    reason = text_at(f"{path}.reason", entry["reason"]) if "reason" in entry else DEFAULT_REASON
    return Change(name, entry["value"], reason)


def house_profile(house: House, base: Profile) -> Profile:
    """The base with the house's changes; ProfileError for one that the base's clauses refuse."""
    values = {value.name: value for value in base.values}
    for change in house.changes:
        _shaped(change, base)
    asked = {change.name: frozen(change.value) for change in house.changes}
    for change in house.changes:
        name, value = change.name, asked[change.name]
        list_name = companion(name)
        if list_name:
            limit = asked.get(list_name, base.value(list_name).value)
            if not within(value, limit, name):
                if list_name in asked or not _houses_to_set(base.value(list_name)):
                    raise _refused(base, name, value, in_words(limit))
                why = f"the house's {name} needs it"
                wider = _widened(name, value, limit)
                values[list_name] = _set_by_house(base.value(list_name), wider, why)
        else:
            _permitted(base, name, value)
        values[name] = _set_by_house(base.value(name), value, change.reason)
    return settled_profile(
        name=house.name,
        title=house.title or f"{base.title}, as {house.name}",
        source=house.source or base.source,
        base=base.name,
        own_clauses=base.own_clauses,
        values=tuple(values[name] for name in SHAPES),
        citations=base.citations,
    )


def _houses_to_set(value: ProfileValue) -> bool:
    """Whether nothing but an assumption stands behind it."""
    return value.assumed and not value.basis


def _set_by_house(before: ProfileValue, value: SettingValue, reason: str) -> ProfileValue:
    return ProfileValue(before.name, value, before.basis, False, (), reason, house=True)


def _shaped(change: Change, base: Profile) -> None:
    name, value = change.name, change.value
    if fits(SHAPES[name], value):
        return
    clauses = _clauses(base, name)
    if name in _ONE_FOR_ALL and isinstance(value, list):
        uniform = base.citation(RulePoint.VIGORISH_UNIFORM)
        clauses += uniform.grounds.basis if uniform is not None else ()
    list_name = companion(name)
    known = in_words(base.value(list_name).value) if list_name else allowed(SHAPES[name])
    raise misfit(name, value, known, tuple(dict.fromkeys(clauses)))


def _clauses(base: Profile, name: str) -> tuple[str, ...]:
    """The clauses of the base's rule behind a setting and the list of its choices."""
    names = (name, companion(name)) if companion(name) else (name,)
    return tuple(dict.fromkeys(clause for one in names for clause in base.value(one).basis))


def _refused(base: Profile, name: str, value: SettingValue, allowed_there: str) -> ProfileError:
    clauses = _clauses(base, name)
    return misfit(name, list(value) if isinstance(value, tuple) else value, allowed_there, clauses)


def _permitted(base: Profile, name: str, value: SettingValue) -> None:
    """Refuse a change of what the clauses fix."""
    before = base.value(name)
    if value == before.value or isinstance(SHAPES[name], Text):
        return
    if name == "calls_required":
        _calls_kept(base, value)
        return
    if before.assumed:
        return
    if name in _STRICTER:
        upwards = _STRICTER[name] > 0
        if not (isinstance(value, int) and isinstance(before.value, int)):
            raise _refused(base, name, value, in_words(before.value))
        if (value >= before.value) if upwards else (value <= before.value):
            return
        bound = "or more" if upwards else "or less"
        raise _refused(base, name, value, f"{in_words(before.value)} {bound}")
    if name.endswith("_allowed") and _narrower(name, value, before.value):
        return
    raise _refused(base, name, value, in_words(before.value))


def _narrower(name: str, value: SettingValue, before: SettingValue) -> bool:
    """Whether a list or limit of choices allows nothing that it did not allow before."""
    if isinstance(SHAPES[name], OddsLimitText):
        if NOT_APPLICABLE in (value, before):
            return False
        now, then = OddsLimit.parse(str(value)), OddsLimit.parse(str(before))
        return then.allows(now.odds) and (now.exactly or not then.exactly)
    assert isinstance(value, tuple)
    assert isinstance(before, tuple)
    return bool(value) and all(one in before for one in value)


def _widened(name: str, value: SettingValue, limit: SettingValue) -> SettingValue:
    """A list or limit of choices, so that it allows `value` as well."""
    if isinstance(SHAPES[companion(name)], OddsLimitText):
        if value == NOT_APPLICABLE:
            return NOT_APPLICABLE
        exactly = limit == NOT_APPLICABLE or OddsLimit.parse(str(limit)).exactly
        return str(OddsLimit(Odds.parse(str(value)), exactly))
    assert isinstance(limit, tuple)
    more = value if isinstance(value, tuple) else (value,)
    wider = (*limit, *(one for one in more if one not in limit))
    return wider if fits(SHAPES[companion(name)], list(wider)) else limit


def _calls_kept(base: Profile, value: SettingValue) -> None:
    """Calls may be added; one that the base's own rule asks for may not be left out."""
    before = base.value("calls_required").value
    assert isinstance(before, tuple)
    assert isinstance(value, tuple)
    for word in before:
        call = Call(str(word))
        citation = base.citation(_CALLED_AT[call])
        asked_for = citation is not None and citation.grounds.basis
        if call not in value and asked_for:
            kept = ", ".join(map(str, before))
            raise _refused(base, "calls_required", value, f"{kept}, and more")

"""A profile: the options of a jurisdiction or house, each with its clauses; to and from TOML.

Written, it reads back as an equal profile; the comments of the shipped files are lost.
Source: README, "Profiles"; controller/rules/profiles/shipped/*.toml.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile_consistency import ProfileSettings, find_contradictions
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.profiles.rule_values import RuleValues, rule_values
from controller.rules.profiles.setting_definitions import LATER_SETTINGS, SHAPES
from controller.rules.profiles.setting_types import (
    SettingValue,
    describe_allowed,
    fits,
    to_setting_value,
)
from controller.system.messages.catalogue import to_words
from foundation.message import Message, MessageError, message


class Grounds(Struct, frozen=True):
    """The grounds of a value or citation: clauses of the profile's own rule, or an assumption.

    With `assumed` and a basis, `reason` says which part is assumed. `borrowed` are clauses of
    another rule that the assumed part comes from.
    """

    basis: tuple[str, ...]
    assumed: bool
    borrowed: tuple[str, ...]
    reason: str

    @property
    def clauses(self) -> tuple[str, ...]:
        """Own clauses first, then borrowed ones."""
        return self.basis + self.borrowed


class ProfileValue(Struct, frozen=True):
    """One setting with its grounds. `house`: the house chose it, and `reason` is the house's."""

    name: str
    value: SettingValue
    basis: tuple[str, ...]
    assumed: bool
    borrowed: tuple[str, ...]
    reason: str
    house: bool = False


class Citation(Struct, frozen=True):
    point: RulePoint
    grounds: Grounds


class Profile(Struct, frozen=True):
    """One profile; `values` in the order of SHAPES, `citations` in the order of RulePoint.

    `base` names the profile that a house has changed, and is empty for one that comes with the
    program. `own_clauses` is the id prefix of its rule document.
    """

    name: str
    title: str
    source: str
    base: str
    own_clauses: str
    values: tuple[ProfileValue, ...]
    citations: tuple[Citation, ...]
    rules: RuleValues

    @property
    def assumed(self) -> tuple[str, ...]:
        """Names of the settings that no clause and no house has chosen."""
        return tuple(value.name for value in self.values if value.assumed)

    @property
    def house(self) -> tuple[str, ...]:
        """Names of the settings that the house has chosen."""
        return tuple(value.name for value in self.values if value.house)

    def citation(self, point: RulePoint) -> Citation | None:
        """The citation at one point, None where the profile has none."""
        return next((citation for citation in self.citations if citation.point is point), None)

    def citations_for(self, point: RulePoint) -> tuple[str, ...]:
        """The clause ids to cite at `point`: the profile's own, then borrowed ones."""
        citation = self.citation(point)
        return citation.grounds.clauses if citation is not None else ()

    def value(self, name: str) -> ProfileValue:
        """One setting by its name, which is one of SHAPES."""
        return next(value for value in self.values if value.name == name)


class ProfileError(MessageError):
    """A fault in a profile: its place (a key path), the allowed values, the remedy.

    `clauses` are those that refuse it, empty where it is only the form that is wrong. `others` are
    further faults of the same profile; as a text each is a line.
    """

    others: tuple["ProfileError", ...] = ()

    def __init__(
        self,
        path: str | Message,
        problem: Message,
        allowed_there: Message,
        remedy: Message,
        clauses: tuple[str, ...] = (),
    ) -> None:
        self.path = path
        self.problem = problem
        self.allowed = allowed_there
        self.remedy = remedy
        self.clauses = clauses
        if clauses and ("clauses", clauses) not in problem.parameters:
            problem = message("problem_with_clauses", problem=problem, clauses=clauses)
        super().__init__(
            message(
                "profile_fault",
                place=path,
                problem=problem,
                allowed=allowed_there,
                remedy=remedy,
            )
        )

    def __str__(self) -> str:
        return "\n".join(to_words(one.why) for one in (self, *self.others))


def raise_faults(faults: Sequence[ProfileError]) -> None:
    """Raise the first fault, with the others; nothing happens where there is none."""
    if faults:
        faults[0].others = tuple(faults[1:])
        raise faults[0]


SET_ONE_OF_THESE: Final = message("set_one_of_these")
WHOLE_TEXT: Final = message("the_whole_text")
# Points that texts stored by earlier versions do not have -> the row that was cited there instead.
_LATER_CITATIONS = {
    RulePoint.BANKER_012_PLAYER_STOOD: RulePoint.BANKER_ROW_012,
    RulePoint.BANKER_7_PLAYER_STOOD: RulePoint.BANKER_ROW_7,
}
_TEXT_KEYS = ("name", "title", "source", "own_clauses")
_GROUNDS_KEYS = ("basis", "assumed", "borrowed", "reason")


def document_of(toml_text: str) -> str:
    """The id prefix of a profile's rule document; "" where its text cannot be read."""
    try:
        return str(tomllib.loads(toml_text).get("own_clauses", ""))
    except tomllib.TOMLDecodeError:
        return ""


def parse_profile(toml_text: str, clauses: Mapping[str, Clause]) -> Profile:
    """Read a complete profile. Raises ProfileError for the first fault.

    `clauses` is the catalogue (parse_clauses). Every setting of SHAPES must be there, with a clause
    of the profile's own rule (its id prefix is `own_clauses`) as basis, or marked as assumed or as
    the house's, with a reason. A RulePoint that is not there cites nothing.
    """
    document = toml_document(toml_text)
    known = (*_TEXT_KEYS, "values", "citations")
    exactly_keys(WHOLE_TEXT, document, known, ("base",))
    name, title, source, own = (text_at(key, document[key]) for key in _TEXT_KEYS)
    base = text_at("base", document["base"]) if "base" in document else ""
    values = {**LATER_SETTINGS, **table_at("values", document["values"])}
    citations = table_at("citations", document["citations"])
    citations |= {
        later: citations[row]
        for later, row in _LATER_CITATIONS.items()
        if row in citations and later not in citations
    }
    exactly_keys("values", values, tuple(SHAPES))
    known_keys("citations", citations, tuple(RulePoint))
    return build_profile(
        name=name,
        title=title,
        source=source,
        base=base,
        own_clauses=own,
        values=tuple(_value(key, values[key], own, clauses) for key in SHAPES),
        citations=tuple(
            _citation(point, citations[point], own, clauses)
            for point in RulePoint
            if point in citations
        ),
        stored=True,
    )


def build_profile(
    *,
    name: str,
    title: str,
    source: str,
    base: str,
    own_clauses: str,
    values: tuple[ProfileValue, ...],
    citations: tuple[Citation, ...],
    stored: bool = False,
) -> Profile:
    """Build a profile from consistent values. Raises ProfileError where two contradict.

    `stored`: a text of whichever version; it may hold what a house may no longer set.
    """
    by_name = {value.name: value.value for value in values}
    rules = rule_values(by_name)
    house = tuple(value.name for value in values if value.house)
    settings = ProfileSettings(
        by_name,
        rules,
        {value.name: value.basis for value in values},
        {citation.point: citation.grounds.basis for citation in citations},
        house,
    )
    raise_faults(
        [
            ProfileError(
                f"values.{found.setting}", found.problem, found.allowed, found.remedy, found.clauses
            )
            for found in find_contradictions(settings, stored=stored)
        ]
    )
    if house and not base:
        raise ProfileError(
            f"values.{house[0]}.house",
            message("house_mark_without_base"),
            message("house_true_where_base"),
            message("name_base_or_take_mark_out"),
        )
    return Profile(name, title, source, base, own_clauses, values, citations, rules)


def _value(name: str, entry: object, own: str, clauses: Mapping[str, Clause]) -> ProfileValue:
    path = f"values.{name}"
    table = table_at(path, entry)
    known_keys(path, table, ("value", *_GROUNDS_KEYS, "house"))
    house = _yes_no(f"{path}.house", table.get("house", False))
    grounds = _grounds(path, table, own, clauses, house=house)
    shape = SHAPES[name]
    if "value" not in table:
        raise no_value(name)
    value = table["value"]
    if not fits(shape, value):
        raise setting_error(name, value, describe_allowed(shape), grounds.basis)
    return ProfileValue(
        name=name,
        value=to_setting_value(value),
        basis=grounds.basis,
        assumed=grounds.assumed,
        borrowed=grounds.borrowed,
        reason=grounds.reason,
        house=house,
    )


def no_value(name: str) -> ProfileError:
    """A setting without a value."""
    allowed = describe_allowed(SHAPES[name])
    return ProfileError(
        f"values.{name}.value", message("there_is_no_value"), allowed, message("set_one")
    )


def setting_error(
    name: str,
    value: object,
    allowed_there: Message,
    clauses: tuple[str, ...],
    remedy: Message = SET_ONE_OF_THESE,
) -> ProfileError:
    """The error for a refused value, with the clauses of its setting."""
    problem = message("not_a_value_of_setting", configured=_toml(value))
    if clauses:
        problem = message("value_not_allowed_by", configured=_toml(value), clauses=clauses)
    return ProfileError(f"values.{name}", problem, allowed_there, remedy, clauses)


def _toml(value: object) -> str:
    """A value approximately as in the TOML file."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _citation(point: RulePoint, entry: object, own: str, clauses: Mapping[str, Clause]) -> Citation:
    path = f"citations.{point.value}"
    table = table_at(path, entry)
    known_keys(path, table, _GROUNDS_KEYS)
    grounds = _grounds(path, table, own, clauses)
    if not grounds.clauses:
        raise ProfileError(
            path,
            message("cites_nothing"),
            message("one_clause_id_at_least"),
            message("name_clause_in_borrowed"),
        )
    return Citation(point, grounds)


def _grounds(
    path: str,
    table: Mapping[str, object],
    own: str,
    clauses: Mapping[str, Clause],
    *,
    house: bool = False,
) -> Grounds:
    basis = _clause_ids(f"{path}.basis", table.get("basis", []), clauses)
    borrowed = _clause_ids(f"{path}.borrowed", table.get("borrowed", []), clauses)
    assumed = _yes_no(f"{path}.assumed", table.get("assumed", False))
    reason = text_at(f"{path}.reason", table["reason"]) if "reason" in table else ""
    for clause_id in basis:
        if clauses[clause_id].rule != own:
            raise ProfileError(
                f"{path}.basis",
                message("clause_of_another_rule", clause=clause_id),
                message("clauses_of_rule", rule=own),
                message("move_to_borrowed"),
            )
    grounds = Grounds(basis, assumed, borrowed, reason)
    if house:
        _check_house_mark(path, grounds)
    else:
        _check_assumption(path, grounds)
    return grounds


def _check_house_mark(path: str, grounds: Grounds) -> None:
    if grounds.assumed or grounds.borrowed or not grounds.reason:
        raise ProfileError(
            path,
            message("house_value_not_assumed"),
            message("house_true_with_reason"),
            message("leave_assumed_and_borrowed_out"),
        )


def _check_assumption(path: str, grounds: Grounds) -> None:
    if not grounds.assumed and (grounds.borrowed or grounds.reason):
        raise ProfileError(
            path,
            message("borrows_but_not_assumed"),
            message("assumed_true"),
            message("add_assumed_true"),
        )
    if not grounds.assumed and not grounds.basis:
        raise ProfileError(
            path,
            message("rests_on_nothing"),
            message("clause_or_assumed_with_reason"),
            message("add_one_of_them"),
        )
    if grounds.assumed and not grounds.reason:
        raise ProfileError(
            f"{path}.reason",
            message("assumed_without_reason"),
            message("a_sentence"),
            message("say_why_assumed"),
        )


def _clause_ids(path: str, entry: object, clauses: Mapping[str, Clause]) -> tuple[str, ...]:
    if not isinstance(entry, list):
        raise _it_is(path, entry, message("list_of_clause_ids"), message("put_it_in_brackets"))
    for clause_id in entry:
        if not isinstance(clause_id, str) or clause_id not in clauses:
            raise ProfileError(
                path,
                message("no_such_clause", configured=repr(clause_id)),
                message("ids_of_clauses_csv"),
                message("correct_the_id"),
            )
    return tuple(entry)


def toml_document(text: str) -> dict[str, object]:
    """Parse TOML text. Raises ProfileError."""
    try:
        return tomllib.loads(text)
    except ValueError as error:  # a number of too many digits is no TOMLDecodeError
        fault = message("in_its_own_words", foreign=str(error))
        raise ProfileError(
            WHOLE_TEXT, fault, message("toml"), message("correct_text_at_place")
        ) from error
    except RecursionError as error:
        fault = message("brackets_nested_too_deep")
        raise ProfileError(WHOLE_TEXT, fault, message("toml"), message("write_it_flat")) from error


def _it_is(path: str, entry: object, allowed: Message, remedy: Message) -> ProfileError:
    return ProfileError(path, message("it_is_value", configured=repr(entry)), allowed, remedy)


def _yes_no(path: str, entry: object) -> bool:
    if not isinstance(entry, bool):
        raise _it_is(path, entry, message("true_or_false"), message("set_one"))
    return entry


def text_at(path: str, entry: object) -> str:
    """A printable text. Raises ProfileError for anything else."""
    if not isinstance(entry, str) or not entry.strip() or not entry.isprintable():
        raise _it_is(path, entry, message("text_of_one_printable_line"), message("write_one"))
    return entry


def table_at(path: str, entry: object) -> dict[str, object]:
    """A table. Raises ProfileError for anything else."""
    if not isinstance(entry, dict):
        raise _it_is(path, entry, message("a_table"), message("write_braces"))
    return entry


def known_keys(path: str | Message, table: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Refuse a key that is not in `known`."""
    for key in table:
        if key not in known:
            allowed = message("listed", parts=known)
            remedy = message("correct_or_remove_it")
            raise ProfileError(_below(path, key), message("there_is_no_such_key"), allowed, remedy)


def exactly_keys(
    path: str | Message,
    table: Mapping[str, object],
    needed: tuple[str, ...],
    more: tuple[str, ...] = (),
) -> None:
    """Refuse unknown keys, and a table without one of the needed keys."""
    known_keys(path, table, (*needed, *more))
    for key in needed:
        if key not in table:
            allowed = message("listed", parts=needed)
            place = _below(path, key)
            raise ProfileError(place, message("it_is_missing"), allowed, message("add_it"))


def _below(path: str | Message, key: str) -> str | Message:
    if isinstance(path, str):
        return f"{path}.{key}"
    return message("place_below", place=path, key=key)


def render_profile(profile: Profile) -> str:
    """The complete profile as TOML."""
    head = [
        ("name", profile.name),
        ("title", profile.title),
        ("source", profile.source),
        ("own_clauses", profile.own_clauses),
    ]
    if profile.base:
        head.insert(1, ("base", profile.base))
    lines = [f"{key} = {_text(value)}" for key, value in head]
    lines += ["", "[values]", *map(_value_toml, profile.values), "", "[citations]"]
    lines += [f"{one.point} = {{ {_grounds_toml(one.grounds)} }}" for one in profile.citations]
    return "\n".join(lines) + "\n"


def _value_toml(value: ProfileValue) -> str:
    grounds = _grounds_toml(Grounds(value.basis, value.assumed, value.borrowed, value.reason))
    house = "house = true" if value.house else ""
    parts = (f"value = {_toml_literal(value.value)}", house, grounds)
    return f"{value.name} = {{ {', '.join(part for part in parts if part)} }}"


def _grounds_toml(grounds: Grounds) -> str:
    parts = (
        f"basis = {_toml_literal(grounds.basis)}" if grounds.basis else "",
        "assumed = true" if grounds.assumed else "",
        f"borrowed = {_toml_literal(grounds.borrowed)}" if grounds.borrowed else "",
        f"reason = {_text(grounds.reason)}" if grounds.reason else "",
    )
    return ", ".join(part for part in parts if part)


def _toml_literal(value: SettingValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(_toml_literal(one) for one in value)}]"
    return _text(value) if isinstance(value, str) else str(value)


def _text(text: str) -> str:
    """A TOML basic string; text here is printable, so JSON escapes the same characters."""
    return json.dumps(text, ensure_ascii=False)

"""A profile: one jurisdiction's or house's options, each with the clauses it rests on.

Responsible for: reading a whole profile's TOML text, and refusing one that cites a clause that does
not exist, sets a value without a basis, or hides that a value is assumed or the house's own.
Not responsible for: finding the file, what a clause says (clauses), what a setting may hold
(settings), and what a house may change (house).
Source: README, "Profiles"; profiles/*.toml.
"""

import tomllib
from collections.abc import Mapping

from controller.profiles.clauses import Clause
from controller.profiles.profile_consistency import Settled, contradiction
from controller.profiles.rule_points import RulePoint
from controller.profiles.rule_values import RuleValues, rule_values
from controller.profiles.setting_definitions import SHAPES
from controller.profiles.setting_types import SettingValue, allowed, fits, frozen
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Grounds:
    """What something rests on: clauses of the profile's own rule, or an assumption.

    `assumed` may be only a part, beside a basis; then `reason` says which. `borrowed` are the
    clauses of another rule that the assumed part is taken from.
    """

    basis: tuple[str, ...]
    assumed: bool
    borrowed: tuple[str, ...]
    reason: str

    @property
    def clauses(self) -> tuple[str, ...]:
        """Own clauses first, then borrowed ones."""
        return self.basis + self.borrowed


@dataclass(frozen=True, slots=True)
class ProfileValue:
    """One setting. `house`: the house has set it; then `reason` is the house's."""

    name: str
    value: SettingValue
    basis: tuple[str, ...]
    assumed: bool
    borrowed: tuple[str, ...]
    reason: str
    house: bool = False


@dataclass(frozen=True, slots=True)
class Citation:
    point: RulePoint
    grounds: Grounds


@dataclass(frozen=True, slots=True)
class Profile:
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
        """What the profile says of one point, with whether it is assumed; None for nothing."""
        return next((citation for citation in self.citations if citation.point is point), None)

    def citations_for(self, point: RulePoint) -> tuple[str, ...]:
        """The clause ids to cite at `point`: the profile's own, then borrowed ones."""
        citation = self.citation(point)
        return citation.grounds.clauses if citation is not None else ()

    def value(self, name: str) -> ProfileValue:
        """One setting by its name, which is one of SHAPES."""
        return next(value for value in self.values if value.name == name)


class ProfileError(Exception):
    """What is wrong with a profile: where (a key path), what is allowed there, what to do.

    `clauses` are those that refuse it, empty where it is only the form that is wrong.
    """

    def __init__(
        self,
        path: str,
        problem: str,
        allowed_there: str,
        remedy: str,
        clauses: tuple[str, ...] = (),
    ) -> None:
        by = f" ({', '.join(clauses)})" if any(one not in problem for one in clauses) else ""
        super().__init__(f"{path}: {problem}{by}. Allowed: {allowed_there}. Remedy: {remedy}.")
        self.path = path
        self.problem = problem
        self.allowed = allowed_there
        self.remedy = remedy
        self.clauses = clauses


_TEXT_KEYS = ("name", "title", "source", "own_clauses")
_GROUNDS_KEYS = ("basis", "assumed", "borrowed", "reason")


def parse_profile(toml_text: str, clauses: Mapping[str, Clause]) -> Profile:
    """Read a whole profile; ProfileError for the first fault found.

    `clauses` is the catalogue (parse_clauses). Every setting of SHAPES must be there, with a clause
    of the profile's own rule (its id prefix is `own_clauses`) as basis, or marked as assumed or as
    the house's, with a reason. A RulePoint that is not there cites nothing.
    """
    document = toml_document(toml_text)
    known = (*_TEXT_KEYS, "values", "citations")
    exactly_keys("the whole text", document, known, ("base",))
    name, title, source, own = (text_at(key, document[key]) for key in _TEXT_KEYS)
    base = text_at("base", document["base"]) if "base" in document else ""
    values = table_at("values", document["values"])
    citations = table_at("citations", document["citations"])
    exactly_keys("values", values, tuple(SHAPES))
    known_keys("citations", citations, tuple(RulePoint))
    return settled_profile(
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
    )


def settled_profile(
    *,
    name: str,
    title: str,
    source: str,
    base: str,
    own_clauses: str,
    values: tuple[ProfileValue, ...],
    citations: tuple[Citation, ...],
) -> Profile:
    """A profile of values that go together; ProfileError where two of them do not."""
    by_name = {value.name: value.value for value in values}
    rules = rule_values(by_name)
    house = tuple(value.name for value in values if value.house)
    settled = Settled(
        by_name,
        rules,
        {value.name: value.basis for value in values},
        {citation.point: citation.grounds.basis for citation in citations},
        house,
    )
    found = contradiction(settled)
    if found is not None:
        raise ProfileError(
            f"values.{found.setting}", found.problem, found.allowed, found.remedy, found.clauses
        )
    if house and not base:
        raise ProfileError(
            f"values.{house[0]}.house",
            "it is marked as the house's but the text names no base",
            "house = true where base names the profile that was changed",
            "name the base or take the mark out",
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
        raise ProfileError(f"{path}.value", "there is no value", allowed(shape), "set one")
    value = table["value"]
    if not fits(shape, value):
        raise misfit(name, value, allowed(shape), grounds.basis)
    return ProfileValue(
        name=name,
        value=frozen(value),
        basis=grounds.basis,
        assumed=grounds.assumed,
        borrowed=grounds.borrowed,
        reason=grounds.reason,
        house=house,
    )


def misfit(name: str, value: object, allowed_there: str, clauses: tuple[str, ...]) -> ProfileError:
    """The refusal of a value, by the clauses the setting rests on where there are any."""
    refused = f"not allowed by {', '.join(clauses)}" if clauses else "not a value for it"
    problem = f"{_toml(value)} is {refused}"
    return ProfileError(f"values.{name}", problem, allowed_there, "set one of these", clauses)


def _toml(value: object) -> str:
    """A value as the file has it, or nearly."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _citation(point: RulePoint, entry: object, own: str, clauses: Mapping[str, Clause]) -> Citation:
    path = f"citations.{point.value}"
    table = table_at(path, entry)
    known_keys(path, table, _GROUNDS_KEYS)
    grounds = _grounds(path, table, own, clauses)
    if not grounds.clauses:
        raise ProfileError(
            path, "it cites nothing", "at least one clause id", "name a clause in borrowed"
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
                f"{clause_id} is a clause of another rule",
                f"clauses of {own}",
                "move it to borrowed, with assumed = true and a reason",
            )
    grounds = Grounds(basis, assumed, borrowed, reason)
    if house:
        _house_shown(path, grounds)
    else:
        _assumption_shown(path, grounds)
    return grounds


def _house_shown(path: str, grounds: Grounds) -> None:
    if grounds.assumed or grounds.borrowed or not grounds.reason:
        raise ProfileError(
            path,
            "it is the house's, so it is not assumed, borrows nothing and has a reason",
            "house = true with a reason, and a basis where there is one",
            "leave assumed and borrowed out and give the reason",
        )


def _assumption_shown(path: str, grounds: Grounds) -> None:
    if not grounds.assumed and (grounds.borrowed or grounds.reason):
        raise ProfileError(
            path,
            "it borrows or gives a reason but is not marked assumed",
            "assumed = true",
            "add assumed = true",
        )
    if not grounds.assumed and not grounds.basis:
        raise ProfileError(
            path,
            "it rests on nothing",
            "a clause id in basis, or assumed = true with a reason",
            "add one of them",
        )
    if grounds.assumed and not grounds.reason:
        raise ProfileError(
            f"{path}.reason",
            "it is assumed but does not say why",
            "a sentence",
            "say why it is assumed",
        )


def _clause_ids(path: str, entry: object, clauses: Mapping[str, Clause]) -> tuple[str, ...]:
    if not isinstance(entry, list):
        raise ProfileError(path, f"it is {entry!r}", "a list of clause ids", "put it in brackets")
    for clause_id in entry:
        if not isinstance(clause_id, str) or clause_id not in clauses:
            raise ProfileError(
                path,
                f"there is no clause {clause_id!r}",
                "ids of data/clauses.csv",
                "correct the id",
            )
    return tuple(entry)


def toml_document(text: str) -> dict[str, object]:
    """TOML text as a table; ProfileError where it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(
            "the whole text", f"{error}", "TOML", "correct the text at that line and column"
        ) from error
    except RecursionError as error:
        raise ProfileError(
            "the whole text", "brackets nested too deep", "TOML", "write it flat"
        ) from error


def _yes_no(path: str, entry: object) -> bool:
    if not isinstance(entry, bool):
        raise ProfileError(path, f"it is {entry!r}", "true or false", "set one")
    return entry


def text_at(path: str, entry: object) -> str:
    """A printable text; ProfileError where it is none."""
    if not isinstance(entry, str) or not entry.strip() or not entry.isprintable():
        raise ProfileError(path, f"it is {entry!r}", "a text of one printable line", "write one")
    return entry


def table_at(path: str, entry: object) -> dict[str, object]:
    """A table; ProfileError where it is none."""
    if not isinstance(entry, dict):
        raise ProfileError(path, f"it is {entry!r}", "a table", "write { ... }")
    return entry


def known_keys(path: str, table: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Refuse a key that is none of these."""
    for key in table:
        if key not in known:
            raise ProfileError(
                f"{path}.{key}", "there is no such key", ", ".join(known), "correct or remove it"
            )


def exactly_keys(
    path: str, table: Mapping[str, object], needed: tuple[str, ...], more: tuple[str, ...] = ()
) -> None:
    """Refuse a key that is none of these, and a table that lacks a needed one."""
    known_keys(path, table, (*needed, *more))
    for key in needed:
        if key not in table:
            raise ProfileError(f"{path}.{key}", "it is missing", ", ".join(needed), "add it")

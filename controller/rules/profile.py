"""A profile: one jurisdiction's or house's options, each with the clauses it rests on.

Responsible for: reading a profile's TOML text, and refusing one that cites a clause that does not
exist, sets a value without a basis, or hides that a value is assumed.
Not responsible for: finding the file, for what a clause says (clauses) and for what a setting may
hold (rule_values).
Source: README, "Profiles"; profiles/*.toml.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from controller.rules.clauses import Clause
from controller.rules.rule_points import RulePoint
from controller.rules.rule_values import (
    SHAPES,
    RuleValues,
    SettingValue,
    allowed,
    fits,
    rule_values,
)


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
    name: str
    value: SettingValue
    basis: tuple[str, ...]
    assumed: bool
    borrowed: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Citation:
    point: RulePoint
    grounds: Grounds


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile; `values` in the order of SHAPES, `citations` in the order of RulePoint."""

    name: str
    title: str
    source: str
    values: tuple[ProfileValue, ...]
    citations: tuple[Citation, ...]
    rules: RuleValues

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
    """What is wrong with a profile: where (a key path), what is allowed there, what to do."""

    def __init__(self, path: str, problem: str, allowed_there: str, remedy: str) -> None:
        super().__init__(f"{path}: {problem}. Allowed: {allowed_there}. Remedy: {remedy}.")
        self.path = path
        self.allowed = allowed_there
        self.remedy = remedy


_TEXT_KEYS = ("name", "title", "source", "own_clauses")
_GROUNDS_KEYS = ("basis", "assumed", "borrowed", "reason")


def parse_profile(toml_text: str, clauses: Mapping[str, Clause]) -> Profile:
    """Read a profile whole; ProfileError for the first fault found.

    `clauses` is the catalogue (parse_clauses). Every setting of SHAPES and every RulePoint must be
    there, each with a clause of the profile's own rule (its id prefix is `own_clauses`) as basis,
    or marked assumed with a reason.
    """
    try:
        document: dict[str, object] = tomllib.loads(toml_text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(
            "the whole text", f"{error}", "TOML", "correct the text at that line and column"
        ) from error
    _exactly_keys("the whole text", document, (*_TEXT_KEYS, "values", "citations"))
    name, title, source, own = (_text(key, document[key]) for key in _TEXT_KEYS)
    values = _table("values", document["values"])
    citations = _table("citations", document["citations"])
    _exactly_keys("values", values, tuple(SHAPES))
    _known_keys("citations", citations, tuple(RulePoint))
    read = tuple(_value(key, values[key], own, clauses) for key in SHAPES)
    by_name = {value.name: value.value for value in read}
    rules = rule_values(by_name)
    _agree(by_name, rules)
    return Profile(
        name=name,
        title=title,
        source=source,
        values=read,
        citations=tuple(
            _citation(point, citations[point], own, clauses)
            for point in RulePoint
            if point in citations
        ),
        rules=rules,
    )


def _value(name: str, entry: object, own: str, clauses: Mapping[str, Clause]) -> ProfileValue:
    path = f"values.{name}"
    table = _table(path, entry)
    _known_keys(path, table, ("value", *_GROUNDS_KEYS))
    value = table.get("value")
    shape = SHAPES[name]
    if not fits(shape, value):
        problem = "there is no value" if value is None else f"{value!r} is not a value for it"
        raise ProfileError(f"{path}.value", problem, allowed(shape), "set one of these")
    assert isinstance(value, int | str | list)
    grounds = _grounds(path, table, own, clauses)
    return ProfileValue(
        name=name,
        value=tuple(value) if isinstance(value, list) else value,
        basis=grounds.basis,
        assumed=grounds.assumed,
        borrowed=grounds.borrowed,
        reason=grounds.reason,
    )


def _citation(point: RulePoint, entry: object, own: str, clauses: Mapping[str, Clause]) -> Citation:
    path = f"citations.{point.value}"
    table = _table(path, entry)
    _known_keys(path, table, _GROUNDS_KEYS)
    grounds = _grounds(path, table, own, clauses)
    if not grounds.clauses:
        raise ProfileError(
            path, "it cites nothing", "at least one clause id", "name a clause in borrowed"
        )
    return Citation(point, grounds)


def _grounds(
    path: str, table: Mapping[str, object], own: str, clauses: Mapping[str, Clause]
) -> Grounds:
    basis = _clause_ids(f"{path}.basis", table.get("basis", []), clauses)
    borrowed = _clause_ids(f"{path}.borrowed", table.get("borrowed", []), clauses)
    assumed = table.get("assumed", False)
    if not isinstance(assumed, bool):
        raise ProfileError(f"{path}.assumed", f"it is {assumed!r}", "true or false", "set one")
    reason = _text(f"{path}.reason", table["reason"]) if "reason" in table else ""
    for clause_id in basis:
        if clauses[clause_id].rule != own:
            raise ProfileError(
                f"{path}.basis",
                f"{clause_id} is a clause of another rule",
                f"clauses of {own}",
                "move it to borrowed, with assumed = true and a reason",
            )
    for clause_id in borrowed:
        if clauses[clause_id].rule == own:
            raise ProfileError(
                f"{path}.borrowed",
                f"{clause_id} is a clause of this rule",
                f"clauses of other rules than {own}",
                "move it to basis",
            )
    _assumption_shown(path, Grounds(basis, assumed, borrowed, reason))
    return Grounds(basis, assumed, borrowed, reason)


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


def _agree(values: Mapping[str, SettingValue], rules: RuleValues) -> None:
    """Refuse settings that contradict each other."""
    most = rules.decks_per_shoe if rules.decks_max is None else rules.decks_max
    if not rules.decks_min <= rules.decks_per_shoe <= most:
        raise ProfileError(
            "values.decks_per_shoe.value",
            f"{rules.decks_per_shoe} is outside decks_min and decks_max",
            f"{rules.decks_min} or more, up to decks_max",
            "change it or the limits",
        )
    for name in ("shuffle_mode", "deal_option"):
        choices = values[f"{name}_allowed"]
        assert isinstance(choices, tuple)
        if values[name] not in choices:
            raise ProfileError(
                f"values.{name}.value",
                f"{values[name]!r} is not in {name}_allowed",
                ", ".join(choices),
                "set one of these or extend the list",
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


def _text(path: str, entry: object) -> str:
    if not isinstance(entry, str) or not entry.strip():
        raise ProfileError(path, f"it is {entry!r}", "a text that is not empty", "write one")
    return entry


def _table(path: str, entry: object) -> dict[str, object]:
    if not isinstance(entry, dict):
        raise ProfileError(path, f"it is {entry!r}", "a table", "write { ... }")
    return entry


def _known_keys(path: str, table: Mapping[str, object], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise ProfileError(
                f"{path}.{key}", "there is no such key", ", ".join(known), "correct or remove it"
            )


def _exactly_keys(path: str, table: Mapping[str, object], known: tuple[str, ...]) -> None:
    _known_keys(path, table, known)
    for key in known:
        if key not in table:
            raise ProfileError(f"{path}.{key}", "it is missing", ", ".join(known), "add it")

"""`smartshoe rules`: shows rule profiles, the basis of each value, and clauses."""
# ruff: noqa: PLC0415 - rule data is loaded only when it is shown.

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.rules.chosen_profile import load_named_profile
from controller.system.command_line.errors import CommandError
from controller.system.command_line.output import MARK, echo, echo_json, echo_table
from controller.system.command_line.path_parameters import ProfileName

if TYPE_CHECKING:
    from controller.rules.profiles.clauses import Clause
    from controller.rules.profiles.profile import Grounds, Profile, ProfileValue
    from controller.rules.profiles.setting_types import SettingValue

HOUSE_MARK: Final = "HOUSE"

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def list_profiles(json: _Json = False) -> None:
    """List the profiles that come with the program."""
    from controller.rules.profiles.load import load_profile, profile_names

    profiles = [load_profile(name) for name in profile_names()]
    rows = [(one.name, one.title, one.source, len(one.assumed)) for one in profiles]
    if json:
        keys = ("name", "title", "source", "values_assumed")
        echo_json({"profiles": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    echo_table(("name", "title", "source", "values assumed"), [[*map(str, row)] for row in rows])


def show(
    name: ProfileName = "",
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead of NAME: the profile of this table."),
    ] = None,
    json: _Json = False,
    clauses: Annotated[
        bool, typer.Option("--clauses", help="Also print the text of every cited clause.")
    ] = False,
) -> None:
    """Show every value of a profile with its clauses, or as assumed, or as a house rule.

    With --config also what this table observes; what it does not observe is prompted, recorded as
    not observed, and never an irregularity.
    """
    from controller.rules.profiles.load import load_clauses

    catalogue = load_clauses()
    if (config is None) is not bool(name):
        raise CommandError(
            "it is given twice" if name else "it is missing",
            place="NAME",
            allowed="either NAME or --config FILE",
            remedy="`smartshoe rules list` shows the names",
        )
    profile, observed = (load_named_profile(name), "") if config is None else _at_table(config)
    cited = _cited(profile, catalogue) if clauses else ()
    if json:
        echo_json(_as_json(profile, cited))
        return
    own = profile.own_clauses
    base = f"; changes {profile.base}" if profile.base else ""
    echo(f"{profile.title} ({profile.name}{base}); source: {profile.source}\n")
    if observed:
        echo(f"{observed}\n")
    if profile.house:
        echo(f"What it changes of {profile.base}.")
        echo_table(
            ("value", "is", f"in {profile.base}", "why"),
            [
                (one.name, _value(one.value), _value(before), one.reason)
                for one, before in _changes(profile)
            ],
        )
    echo(f"Values. {MARK}: a choice, not a rule of this document.")
    if profile.house:
        echo(f"{HOUSE_MARK}: a house rule.")
    echo_table(
        ("value", "is", "basis", "why"),
        [(one.name, _value(one.value), *_value_cells(own, one)) for one in profile.values],
    )
    echo("Clauses cited at each point of the procedure.")
    echo_table(
        ("point", "cites", "why assumed"),
        [(one.point.value, *_grounds_cells(own, one.grounds)) for one in profile.citations],
    )
    for one in cited:
        _print_clause(one, own)


def clause(
    clause_id: Annotated[str, typer.Argument(metavar="ID", help="A clause, such as NY-h-1.")],
    json: _Json = False,
) -> None:
    """Print one clause: its source, its text, and what the program checks."""
    from controller.rules.profiles.load import load_clauses

    catalogue = load_clauses()
    by_folded = {one.casefold(): one for one in catalogue}
    found = catalogue.get(by_folded.get(clause_id.casefold(), ""))
    if found is None:
        near = [by_folded[one] for one in get_close_matches(clause_id.casefold(), by_folded, n=3)]
        hint = f"did you mean {' or '.join(near)}?" if near else "`smartshoe clauses` lists them"
        raise CommandError(
            f"there is no clause {clause_id!r}",
            place="ID",
            allowed="the id of a clause, such as NY-h-1",
            remedy=hint,
        )
    if json:
        echo_json(_clause_json(found))
        return
    _print_clause(found)


def _print_clause(found: "Clause", own: str = "") -> None:
    """Print a clause; `own` is the document of the profile that cites it."""
    from controller.rules.profiles.borrowing import citation_words

    echo(f"{citation_words(own, (found.id,))}  {found.source}")
    echo(f"  {found.text}")
    echo(f"  kind: {found.kind.value}; {_observable(found)}")
    echo(f"  the program: {found.check}")


def _at_table(config: Path) -> tuple["Profile", str]:
    """A table's profile, and a sentence about what the table observes."""
    from controller.procedure.rulebook import ObservableFact
    from controller.rules.profiles.load import load_clauses
    from controller.rules.profiles.profile import parse_profile
    from controller.service.config.load import load_config

    table = load_config(config)
    facts = table.settings.observed
    seen = ", ".join(fact.value for fact in facts) or "only the shoe"
    unseen = ", ".join(fact.value for fact in ObservableFact if fact not in facts) or "nothing"
    words = f"Table {table.settings.table} observes {seen}. Prompted, never judged: {unseen}."
    return parse_profile(table.profile_text, load_clauses()), words


def _changes(profile: "Profile") -> list[tuple["ProfileValue", "SettingValue"]]:
    """What a house profile changes, each with the value of its base."""
    from controller.rules.profiles.load import load_profile

    if not profile.base:
        return []
    base = load_profile(profile.base)
    return [
        (one, base.value(one.name).value)
        for one in profile.values
        if one.house and one.value != base.value(one.name).value
    ]


def _value(value: "SettingValue") -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    words = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return words or "not given"


def _value_cells(own: str, one: "ProfileValue") -> tuple[str, str]:
    """The basis of a value and the reason; a house rule comes first."""
    from controller.rules.profiles.setting_definitions import CONSTANTS

    clauses, reason = _grounds_cells(own, _grounds(one))
    if one.name in CONSTANTS:
        return clauses, f"constant: {CONSTANTS[one.name]}"
    if not one.house:
        return clauses, reason
    return f"{HOUSE_MARK} within {clauses}" if clauses else HOUSE_MARK, one.reason


def _grounds(one: "ProfileValue") -> "Grounds":
    from controller.rules.profiles.profile import Grounds

    return Grounds(one.basis, one.assumed, one.borrowed, one.reason)


def _grounds_cells(own: str, grounds: "Grounds") -> tuple[str, str]:
    """The clauses, marked if assumed, and the reason."""
    from controller.rules.profiles.borrowing import citation_words

    clauses = ", ".join(grounds.basis)
    if not grounds.assumed:
        return clauses, ""
    borrowed = f" after {citation_words(own, grounds.borrowed)}" if grounds.borrowed else ""
    first = f"{clauses}; " if clauses else ""
    return f"{first}{MARK}{borrowed}", grounds.reason


def _cited(profile: "Profile", catalogue: Mapping[str, "Clause"]) -> tuple["Clause", ...]:
    """Every clause that the profile names, in the order of the catalogue."""
    named = {name for one in profile.values for name in (*one.basis, *one.borrowed)}
    named |= {name for one in profile.citations for name in one.grounds.clauses}
    return tuple(one for name, one in catalogue.items() if name in named)


def _observable(found: "Clause") -> str:
    from controller.rules.profiles.clauses import Observable

    words = {
        Observable.YES: "checked from the cards and the table's events",
        Observable.CONFIG: "checked when the configuration is read",
        Observable.HUMAN: "prompted and recorded, checked only if it is reported",
        Observable.OUT: "outside a table controller",
    }
    return words[found.observable]


def _clause_json(found: "Clause") -> dict[str, object]:
    return {
        "id": found.id,
        "source": found.source,
        "text": found.text,
        "kind": found.kind.value,
        "observable": found.observable.value,
        "check": found.check,
    }


def _json_value(value: "SettingValue") -> object:
    return list(value) if isinstance(value, tuple) else value


def _grounds_json(own: str, grounds: "Grounds") -> dict[str, object]:
    from controller.rules.profiles.borrowing import borrowed_by

    return {
        "basis": list(grounds.basis),
        "assumed": grounds.assumed,
        "borrowed": {one: borrowed_by(own, one) for one in grounds.borrowed},
        "reason": grounds.reason,
    }


def _as_json(profile: "Profile", cited: tuple["Clause", ...]) -> dict[str, object]:
    from controller.rules.profiles.borrowing import borrowed_by

    own = profile.own_clauses
    shown: dict[str, object] = {
        "name": profile.name,
        "title": profile.title,
        "source": profile.source,
        "base": profile.base,
        "changes": {
            one.name: {"value": _json_value(one.value), "in_base": _json_value(before)}
            for one, before in _changes(profile)
        },
        "values": {
            one.name: {
                "value": _json_value(one.value),
                **_grounds_json(own, _grounds(one)),
                "house": one.house,
            }
            for one in profile.values
        },
        "citations": {
            one.point.value: _grounds_json(own, one.grounds) for one in profile.citations
        },
    }
    if cited:
        shown["clauses"] = [
            {**_clause_json(one), "borrowed": borrowed_by(own, one.id)} for one in cited
        ]
    return shown

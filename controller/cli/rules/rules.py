"""`smartshoe rules`: what a table goes by, and what each value rests on.

Responsible for: showing profiles, their values with clause or assumption, the citations of each
rule point, and clauses.
Not responsible for: the rules (controller.rules).
Source: controller/profiles/README.md, "Clauses", "Profiles".
"""
# ruff: noqa: PLC0415 - rule data is loaded only when it is shown.

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.errors import Unable
from controller.cli.output import MARK, profile_named, say, say_json, say_table

if TYPE_CHECKING:
    from controller.profiles.clauses import Clause
    from controller.profiles.profile import Grounds, Profile, ProfileValue
    from controller.profiles.setting_types import SettingValue

HOUSE_MARK: Final = "HOUSE"

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    rules = typer.Typer(
        help="List the rule profiles; show one, or a clause.",
        epilog="\b\nexamples:\n  smartshoe rules\n  smartshoe rules list --json\n"
        "  smartshoe rules show s42-mini\n  smartshoe rules show ny-mini --clauses\n"
        "  smartshoe rules clause S42-h-4",
        invoke_without_command=True,
        rich_markup_mode=None,
    )
    rules.callback()(_list_by_default)
    rules.command("list", epilog="\b\nexample:\n  smartshoe rules list")(list_profiles)
    rules.command(
        epilog="\b\nexamples:\n  smartshoe rules show s42-mini\n"
        "  smartshoe rules show --config table.toml\n"
        "  smartshoe rules show house.toml --clauses"
    )(show)
    rules.command(epilog="\b\nexample:\n  smartshoe rules clause NY-h-1")(clause)
    app.add_typer(rules, name="rules")


def _list_by_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_profiles()


def list_profiles(json: _Json = False) -> None:
    """List the profiles that come with the program."""
    from controller.profiles.load import load_profile, profile_names

    profiles = [load_profile(name) for name in profile_names()]
    rows = [(one.name, one.title, one.source, len(one.assumed)) for one in profiles]
    if json:
        keys = ("name", "title", "source", "values_assumed")
        say_json({"profiles": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    say_table(("name", "title", "source", "values assumed"), [[*map(str, row)] for row in rows])


def show(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="A profile's name, or a house's .toml file.")
    ] = "",
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead of NAME: the profile of this table.toml."),
    ] = None,
    json: _Json = False,
    clauses: Annotated[
        bool, typer.Option("--clauses", help="Print the text of every clause cited, too.")
    ] = False,
) -> None:
    """Show every value of a profile, with its clauses, or that it is assumed or the house's.

    With --config it says, too, what this table observes; what it does not observe is prompted and
    recorded as not observed, and never judged.
    """
    from controller.profiles.load import load_clauses

    catalogue = load_clauses()
    if config is not None:
        profile, observed = _at_table(config)
    elif name:
        profile, observed = profile_named(name), ""
    else:
        raise Unable("which profile? Give NAME (see `smartshoe rules list`) or --config FILE")
    cited = _cited(profile, catalogue) if clauses else ()
    if json:
        say_json(_as_json(profile, cited))
        return
    base = f"; changes {profile.base}" if profile.base else ""
    say(f"{profile.title} ({profile.name}{base}); source: {profile.source}\n")
    if observed:
        say(f"{observed}\n")
    say(f"Values. What is marked {MARK} is no rule of this document, but a choice.")
    if profile.house:
        say(f"What is marked {HOUSE_MARK} is a house rule.")
    say_table(
        ("value", "is", "rests on", "why"),
        [(one.name, _value(one.value), *_value_cells(one)) for one in profile.values],
    )
    say("Clauses cited at each point of the procedure.")
    say_table(
        ("point", "cites", "why assumed"),
        [(one.point.value, *_grounds_cells(one.grounds)) for one in profile.citations],
    )
    for one in cited:
        _tell_clause(one)


def clause(
    clause_id: Annotated[str, typer.Argument(metavar="ID", help="A clause, such as NY-h-1.")],
    json: _Json = False,
) -> None:
    """Print one clause: where it stands, what it says, and what the program does about it."""
    from controller.profiles.load import load_clauses

    catalogue = load_clauses()
    found = catalogue.get(clause_id)
    if found is None:
        near = get_close_matches(clause_id, catalogue, n=3)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise Unable(f"there is no clause {clause_id!r}{hint}")
    if json:
        say_json(_clause_json(found))
        return
    _tell_clause(found)


def _tell_clause(found: "Clause") -> None:
    say(f"{found.id}  {found.source}")
    say(f"  {found.text}")
    say(f"  kind: {found.kind.value}; {_observable(found)}")
    say(f"  the program: {found.check}")


def _at_table(config: Path) -> tuple["Profile", str]:
    """A table's profile, and what the table observes in words."""
    from controller.config.load import load_config
    from controller.procedure.rulebook import Fact
    from controller.profiles.load import load_clauses
    from controller.profiles.profile import parse_profile

    table = load_config(config)
    facts = table.settings.observed
    seen = ", ".join(fact.value for fact in facts) or "nothing beside the shoe"
    unseen = ", ".join(fact.value for fact in Fact if fact not in facts) or "nothing"
    words = f"Table {table.settings.table} observes {seen}. Prompted, never judged: {unseen}."
    return parse_profile(table.profile_text, load_clauses()), words


def _value(value: "SettingValue") -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    words = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return words or "not given"


def _value_cells(one: "ProfileValue") -> tuple[str, str]:
    """What a value rests on and why; a house rule is said first."""
    clauses, reason = _grounds_cells(_grounds(one))
    if not one.house:
        return clauses, reason
    return f"{HOUSE_MARK} within {clauses}" if clauses else HOUSE_MARK, one.reason


def _grounds(one: "ProfileValue") -> "Grounds":
    from controller.profiles.profile import Grounds

    return Grounds(one.basis, one.assumed, one.borrowed, one.reason)


def _grounds_cells(grounds: "Grounds") -> tuple[str, str]:
    """Clauses, with what is assumed said first; and why."""
    clauses = ", ".join(grounds.basis)
    if not grounds.assumed:
        return clauses, ""
    borrowed = f" after {', '.join(grounds.borrowed)}" if grounds.borrowed else ""
    own = f"{clauses}; " if clauses else ""
    return f"{own}{MARK}{borrowed}", grounds.reason


def _cited(profile: "Profile", catalogue: Mapping[str, "Clause"]) -> tuple["Clause", ...]:
    """Every clause that the profile names, in the order of the catalogue."""
    named = {name for one in profile.values for name in (*one.basis, *one.borrowed)}
    named |= {name for one in profile.citations for name in one.grounds.clauses}
    return tuple(one for name, one in catalogue.items() if name in named)


def _observable(found: "Clause") -> str:
    from controller.profiles.clauses import Observable

    words = {
        Observable.YES: "checked from the cards and the table's events",
        Observable.CONFIG: "checked when the configuration is read",
        Observable.HUMAN: "prompted and recorded, judged only where it is reported",
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


def _grounds_json(grounds: "Grounds") -> dict[str, object]:
    return {
        "basis": list(grounds.basis),
        "assumed": grounds.assumed,
        "borrowed": list(grounds.borrowed),
        "reason": grounds.reason,
    }


def _as_json(profile: "Profile", cited: tuple["Clause", ...]) -> dict[str, object]:
    shown: dict[str, object] = {
        "name": profile.name,
        "title": profile.title,
        "source": profile.source,
        "base": profile.base,
        "values": {
            one.name: {
                "value": list(one.value) if isinstance(one.value, tuple) else one.value,
                **_grounds_json(_grounds(one)),
                "house": one.house,
            }
            for one in profile.values
        },
        "citations": {one.point.value: _grounds_json(one.grounds) for one in profile.citations},
    }
    if cited:
        shown["clauses"] = [_clause_json(one) for one in cited]
    return shown

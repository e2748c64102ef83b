"""What is wrong with a table.toml, in one sentence per problem.

Responsible for: turning what the validating library found into sentences that name the key, what
is wrong, what is allowed and what to do.
Not responsible for: finding problems (config_sections, config).
Source: package README, "Configuration".
"""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from controller.config_layout import LayoutSection, PitSection
from controller.config_sections import (
    ControlSection,
    JournalSection,
    MetricsSection,
    RulesSection,
    Section,
    ShoeSection,
    TableSection,
)

SECTIONS: Final[Mapping[str, type[Section]]] = MappingProxyType(
    {
        "table": TableSection,
        "rules": RulesSection,
        "layout": LayoutSection,
        "pit": PitSection,
        "shoe": ShoeSection,
        "journal": JournalSection,
        "metrics": MetricsSection,
        "control": ControlSection,
    }
)
_EXAMPLES: Final = MappingProxyType(
    {"table.name": 'name = "M-12"', "shoe.port": 'port = "/dev/serial/by-id/..."'}
)
_TYPES: Final = MappingProxyType(
    {
        "string_type": "text in quotes",
        "int_type": "a whole number without quotes",
        "bool_type": "true or false without quotes",
        "list_type": "a list in brackets",
    }
)


def unknown_name(name: str, value: object) -> str:
    """A sentence about something at the top of the file that is no section."""
    listed = ", ".join(f"[{known}]" for known in SECTIONS)
    if not isinstance(value, dict):
        owner = _owner(name)
        belongs = f"it belongs below [{owner}]" if owner else f"write it below one of {listed}"
        return f"{name}: it stands outside every section; {belongs}"
    near = _near(name, tuple(SECTIONS))
    return f"{name}: there is no such section; " + (
        f"did you mean [{near}]?" if near else f"there are {listed}"
    )


def problems_of(section: str, error: ValidationError) -> tuple[str, ...]:
    """Every problem of one section."""
    return tuple(_problem(section, found) for found in error.errors(include_url=False))


def _problem(section: str, found: ErrorDetails) -> str:
    place = ".".join((section, *map(str, found["loc"])))
    context = found.get("ctx", {})
    given = found["input"]
    match found["type"]:
        case "missing":
            example = _EXAMPLES.get(place, "")
            return f"{place}: it is missing. Write {example} below [{section}]"
        case "extra_forbidden":
            return f"{place}: there is no such key; {_near_key(section, str(found['loc'][-1]))}"
        case "value_error":
            return f"{place}: {context['error']}"
        case "string_too_long":
            return f"{place}: it is too long; at most {context['max_length']} characters"
        case "greater_than_equal":
            return f"{place}: {given!r} is not allowed; at least {context['ge']}"
        case "less_than_equal":
            return f"{place}: {given!r} is not allowed; at most {context['le']}"
        case "model_type":
            return f"{place}: it must be a section; write [{section}] on a line of its own"
        case kind if kind in _TYPES:
            return f"{place}: {_shown(given)} is not allowed; write {_TYPES[kind]}"
        case _:
            return f"{place}: {found['msg']}"


def _near_key(section: str, key: str) -> str:
    known = tuple(SECTIONS[section].model_fields)
    near = _near(key, known)
    owner = _owner(key)
    if owner:
        return f"it belongs below [{owner}]"
    return f'did you mean "{near}"?' if near else f"there are {', '.join(known)}"


def _near(word: str, known: tuple[str, ...]) -> str:
    """The known word most like this one, or nothing."""
    return next(iter(get_close_matches(word.lower(), known, n=1)), "")


def _owner(key: str) -> str:
    """The only section that has this key, or nothing."""
    owners = [name for name, model in SECTIONS.items() if key in model.model_fields]
    return owners[0] if len(owners) == 1 else ""


def _shown(value: object) -> str:
    """A value as the file might have it, kept short."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

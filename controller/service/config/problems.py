"""Sentences for the problems of table.toml: the key, what is wrong, what is allowed, a remedy."""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from controller.service.config.console_section import ConsoleSection
from controller.service.config.device_sections import (
    BatchesSection,
    ReaderSection,
    ScannerSection,
    ShoeSection,
    ShufflerSection,
    UsbSection,
    known_keys,
)
from controller.service.config.feed_section import FeedSection
from controller.service.config.machine_sections import OutputsSection, PowerSection
from controller.service.config.overlay_section import OverlaySection
from controller.service.config.sections import (
    ApprovalSection,
    ControlSection,
    EvidenceSection,
    JournalSection,
    LayoutSection,
    MetricsSection,
    MonitorsSection,
    PeopleSection,
    PitSection,
    RulesSection,
    Section,
    TableSection,
)
from drivers.catalogue import DEFAULT_MODELS
from drivers.model import DeviceKind

SECTIONS: Final[Mapping[str, type[Section]]] = MappingProxyType(
    {
        "table": TableSection,
        "rules": RulesSection,
        "layout": LayoutSection,
        "pit": PitSection,
        "shoe": ShoeSection,
        "shuffler": ShufflerSection,
        "batches": BatchesSection,
        "usb": UsbSection,
        "journal": JournalSection,
        "evidence": EvidenceSection,
        "monitors": MonitorsSection,
        "metrics": MetricsSection,
        "console": ConsoleSection,
        "control": ControlSection,
        "approval": ApprovalSection,
        "power": PowerSection,
        "outputs": OutputsSection,
        "overlay": OverlaySection,
        "people": PeopleSection,
    }
)
# Sections without defaults; not every table has them.
OPTIONAL_SECTIONS: Final = ("shuffler", "approval", "power", "outputs", "overlay")
# Sections that may be repeated, each as [[name]].
REPEATED_SECTIONS: Final[Mapping[str, type[Section]]] = MappingProxyType(
    {"reader": ReaderSection, "scanner": ScannerSection, "feed": FeedSection}
)
_ALL_SECTIONS: Final = MappingProxyType({**SECTIONS, **REPEATED_SECTIONS})
_EXAMPLES: Final = MappingProxyType(
    {
        "table.name": 'name = "M-12"',
        "shoe.port": 'port = "/dev/serial/by-id/..."',
        "power.gpio": 'gpio = "gpiochip0:17"',
        "shuffler.port": 'port = "/dev/serial/by-id/..."',
        "reader.port": 'port = "/dev/serial/by-id/..."',
        "reader.seat": 'seat = "discard_rack"',
        "scanner.port": 'port = "usbhid://0c2e:0b81/SERIAL"',
        "feed.name": 'name = "back-office"',
        "feed.host": 'host = "broker.example"',
        "scanner.model": f'model = "{DEFAULT_MODELS[DeviceKind.SCANNER]}"',
    }
)
_CORRECT: Final = "Remedy: correct it"
_SHORTEN: Final = "Remedy: shorten it"
_TYPES: Final = MappingProxyType(
    {
        "string_type": "text in quotes",
        "int_type": "a whole number without quotes",
        "bool_type": "true or false without quotes",
        "list_type": "a list in brackets",
        "dict_type": "a section of its own in brackets",
    }
)


def unknown_name_problem(name: str, value: object) -> str:
    """The problem with a name at the top of the file that is not a section."""
    listed = ", ".join(
        (*(f"[{known}]" for known in SECTIONS), *(f"[[{known}]]" for known in REPEATED_SECTIONS))
    )
    if not isinstance(value, dict):
        owner = _owning_section(name)
        belongs = f"move it below [{owner}]" if owner else "move it below one of them"
        return f"{name}: it is outside every section. Allowed: {listed}. Remedy: {belongs}"
    similar = _similar_word(name, tuple(_ALL_SECTIONS))
    hint = f"did you mean [{similar}]?" if similar else "correct or remove it"
    return f"{name}: there is no such section. Allowed: {listed}. Remedy: {hint}"


def not_a_list_problem(name: str) -> str:
    """The problem with a repeated section that is not written as a list."""
    return f"{name}: it must be a list of sections. Remedy: write [[{name}]] on a line before each"


def section_problems(
    section: str, kind: type[Section], error: ValidationError, number: int = 0
) -> tuple[str, ...]:
    """Every problem of one section; `number` is its place among repeated ones, from 1."""
    keys = tuple(kind.model_fields)
    return tuple(
        line
        for found in error.errors(include_url=False)
        for line in _problem(section, number, keys, found).splitlines()
    )


def _problem(section: str, number: int, keys: tuple[str, ...], found: ErrorDetails) -> str:
    head = f"{section}[{number}]" if number else section
    # pydantic marks a wrong key of a table with "[key]", which means nothing to a person.
    place = ".".join((head, *(str(part) for part in found["loc"] if part != "[key]")))
    context = found.get("ctx", {})
    given = found["input"]
    match found["type"]:
        case "missing":
            *above, key = map(str, found["loc"])
            example = _EXAMPLES.get(".".join((section, *above, key)), f'{key} = "..."')
            below = f"[[{section}]]" if number else f"[{section}]"
            where = f"in {'.'.join((head, *above))}" if above else f"below {below}"
            return f"{place}: it is missing. Remedy: write {example} {where}"
        case "extra_forbidden":
            return f"{place}: there is no such key. {_similar_key(keys, str(found['loc'][-1]))}"
        case "value_error":
            # All faults of a profile, each on a line.
            return "\n".join(f"{place}: {line}" for line in str(context["error"]).splitlines())
        case "string_too_long":
            allowed = f"Allowed: at most {context['max_length']} characters"
            return f"{place}: it is too long. {allowed}. {_SHORTEN}"
        case "greater_than_equal":
            least = context["ge"]
            return (
                f"{place}: {given!r} is not allowed. Allowed: at least {least}. Remedy: set"
                f" {place.rpartition('.')[2]} = {least} or more"
            )
        case "less_than_equal":
            most = context["le"]
            return (
                f"{place}: {given!r} is not allowed. Allowed: at most {most}. Remedy: set"
                f" {place.rpartition('.')[2]} = {most} or less"
            )
        case "model_type":
            return f"{place}: it must be a section. Remedy: write [{section}] on a line of its own"
        case kind if kind in _TYPES:
            allowed = f"Allowed: {_TYPES[kind]}"
            return f"{place}: {_short_text(given)} is not allowed. {allowed}. {_CORRECT}"
        case _:
            return f"{place}: {found['msg']}. {_CORRECT}"


def _similar_key(known: tuple[str, ...], key: str) -> str:
    similar = _similar_word(key, known)
    owner = _owning_section(key)
    if owner:
        return f"Remedy: move it below [{owner}]"
    hint = f'did you mean "{similar}"?' if similar else "correct or remove it"
    return f"Allowed: {', '.join(known)}. Remedy: {hint}"


def _similar_word(word: str, known: tuple[str, ...]) -> str:
    """The known word most similar to this one, or empty."""
    return next(iter(get_close_matches(word.lower(), known, n=1)), "")


def _owning_section(key: str) -> str:
    """The only section that has this key, or empty."""
    owners = [name for name, section in _ALL_SECTIONS.items() if key in known_keys(section)]
    return owners[0] if len(owners) == 1 else ""


def _short_text(value: object) -> str:
    """A value as TOML text, shortened."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

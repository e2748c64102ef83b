"""Fills the templates of pages and reports with values, each escaped; loaded where one is written.

A template may include and extend those of the packages named after its own.
Source: Jinja documentation, "Autoescaping".
"""

from functools import cache
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from controller.system.messages.catalogue import to_words
from foundation.message import Message

_OWN: Final = "controller.outlets"


def render(template: str, /, *packages: str, **values: object) -> str:
    """The template of that name, of the first of the packages that has it, filled with values."""
    return _environment(packages or (_OWN,)).get_template(template).render(values)


@cache
def _environment(packages: tuple[str, ...]) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["to_words"] = to_words
    environment.filters["css_string"] = css_string
    environment.globals["words"] = words
    return environment


def css_string(text: str) -> str:
    """The text as a string of a style sheet, which no text ends: all but letters is escaped."""
    plain = (one if one.isascii() and one.isalnum() else f"\\{ord(one):x} " for one in text)
    return f'"{"".join(plain)}"'


def words(text_id: str, /, **parameters: object) -> str:
    """A text of the catalogue by its id, for templates."""
    return to_words(Message(text_id, tuple(parameters.items())))  # type: ignore[arg-type]

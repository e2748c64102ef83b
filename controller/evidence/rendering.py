"""Fills the templates of this package with values, each escaped; loaded where a page is written.

Source: Jinja documentation, "Autoescaping"; controller/evidence/README.md, "Evidence bundle".
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from controller.messages.catalogue import to_words


def render(template: str, **values: object) -> str:
    """The template of that name, filled with these values."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("controller.evidence"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["to_words"] = to_words
    return environment

"""Fills the templates of this package with values, each escaped; loaded where a page is written.

Source: Jinja documentation, "Autoescaping"; controller/evidence/README.md, "Evidence bundle".
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(template: str, **values: object) -> str:
    """The template of that name, filled with these values."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("controller.evidence"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

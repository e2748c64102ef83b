"""JSON schemas of structs, with the same words on every version of Python.

Source: msgspec, "JSON Schema"; Python 3.13 strips the indentation of docstrings, earlier ones keep
it.
"""

from collections.abc import Iterable
from inspect import cleandoc
from typing import Any

from msgspec import json


def schemas_of(kinds: Iterable[Any], ref_template: str) -> dict[str, Any]:
    """The schema of each kind and of whatever they hold, by name."""
    _, schemas = json.schema_components(kinds, ref_template=ref_template)
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = cleandoc(schema["description"])
    return schemas

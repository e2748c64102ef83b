"""Builds HTML from elements, attributes and text that is always escaped.

Source: HTML Living Standard, "Serializing HTML fragments".
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, TypeAlias

from msgspec import Struct

# Elements without an end tag.
_VOID: Final = ("br", "meta")


class Markup(Struct, frozen=True):
    """A text that is already HTML."""

    html: str


Child: TypeAlias = Markup | str
NOTHING: Final = Markup("")


def element(tag: str, /, *children: Child, **attributes: str | int) -> Markup:
    """An element. `class_` is the attribute class; an underscore in a name stands for a dash.

    An attribute with an empty value is left out.
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    start = f"<{tag}{attribute_text}>"
    if tag in _VOID:
        return Markup(start)
    return Markup(f"{start}{concatenate(children).html}</{tag}>")


def concatenate(children: Iterable[Child]) -> Markup:
    """All children, one after the other."""
    return Markup("".join(one.html if isinstance(one, Markup) else escape(one) for one in children))


def join_with(children: Iterable[Child], between: str) -> Markup:
    """All children with the text `between` between them."""
    parts = tuple(children)
    return concatenate(
        piece
        for number, one in enumerate(parts)
        for piece in ((between, one) if number else (one,))
    )


class TableRow(Struct, frozen=True):
    """A row of a table; `kind` is its CSS class."""

    cells: tuple[Child, ...]
    kind: str = ""


def table(columns: Sequence[tuple[Child, str]], rows: Iterable[TableRow]) -> Markup:
    """A table. A column is its heading and the CSS class of its cells."""
    head = element(
        "tr", *(element("th", heading, scope="col", class_=kind) for heading, kind in columns)
    )
    body = (
        element(
            "tr",
            *(
                element("td", cell, class_=kind)
                for cell, (_, kind) in zip(row.cells, columns, strict=True)
            ),
            class_=row.kind,
        )
        for row in rows
    )
    return element("table", element("thead", head), element("tbody", *body))


def definition_list(pairs: Iterable[tuple[str, Child]], *, anchors: bool = False) -> Markup:
    """A list of names and values; `anchors`: each name is a link target."""
    return element(
        "dl",
        *(
            concatenate((element("dt", name, id=name if anchors else ""), element("dd", value)))
            for name, value in pairs
        ),
    )

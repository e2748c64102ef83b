"""HTML as values: text that is always escaped, and elements made of it.

Responsible for: putting elements, their attributes and text together so that no text can become
markup.
Not responsible for: what a page says (evidence_page) and for drawings (evidence_roads).
Source: HTML Living Standard, "Serializing HTML fragments".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, TypeAlias

# Elements without an end.
_VOID: Final = ("br", "meta")


@dataclass(frozen=True, slots=True)
class Markup:
    """Text that is HTML already."""

    html: str


Child: TypeAlias = Markup | str
NOTHING: Final = Markup("")


def element(tag: str, /, *children: Child, **attributes: str | int) -> Markup:
    """An element. `class_` is the attribute class; an underscore in a name stands for a dash.

    An attribute without a value is left out.
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    start = f"<{tag}{said}>"
    if tag in _VOID:
        return Markup(start)
    return Markup(f"{start}{together(children).html}</{tag}>")


def together(children: Iterable[Child]) -> Markup:
    """One after the other."""
    return Markup("".join(one.html if isinstance(one, Markup) else escape(one) for one in children))


def joined(children: Iterable[Child], between: str) -> Markup:
    """One after the other with a text between."""
    parts = tuple(children)
    return together(
        piece
        for number, one in enumerate(parts)
        for piece in ((between, one) if number else (one,))
    )


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table; `kind` is its class."""

    cells: tuple[Child, ...]
    kind: str = ""


def table(columns: Sequence[tuple[Child, str]], rows: Iterable[Row]) -> Markup:
    """A table. A column is its heading and the class of its cells."""
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


def facts(pairs: Iterable[tuple[str, Child]], *, anchors: bool = False) -> Markup:
    """A list of names and what they are; `anchors`: a link can lead to each name."""
    return element(
        "dl",
        *(
            together((element("dt", name, id=name if anchors else ""), element("dd", value)))
            for name, value in pairs
        ),
    )

"""docs/record-format.md describes every field of the record."""

from collections.abc import Iterator
from enum import Enum
from inspect import cleandoc
from pathlib import Path

from generated_parts import with_parts
from msgspec import NODEFAULT, Struct, inspect
from record_types import EMBEDDED, PLAIN, RecordTypes, class_of, tag_of
from recorded_texts import parts_of

from controller.core.tape.inputs import RECORD_FORMAT

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "record-format.md"
OR_MAX = 3  # forms of a field; more of them are a list
KINDS = {
    "identifier": "identifier",
    "person": "id of a person",
    "typed": "typed text",
    "configured": "configured text",
    "foreign": "foreign text",
    "parameter": "text of a parameter",
}


def anchor(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def form(one: inspect.Type) -> str:
    """The type of a field in words."""
    match one:
        case inspect.Metadata(type=inspect.StrType()):
            return KINDS.get(str((one.extra or {}).get("text")), "text")
        case inspect.Metadata(type=inner):
            return form(inner)
        case inspect.StructType():
            return anchor(class_of(one).__name__)
        case inspect.EnumType(cls=cls):
            return anchor(cls.__name__)
        case inspect.VarTupleType(item_type=item):
            return f"list of {form(item)}"
        case inspect.TupleType():
            return f"list of {len(one.item_types)}: {', '.join(map(form, parts_of(one)))}"
        case inspect.UnionType():
            forms = dict.fromkeys(map(form, parts_of(one)))
            ends = sorted(forms, key=lambda words: words == PLAIN[inspect.NoneType])
            return (" or " if len(ends) <= OR_MAX else ", ").join(ends)
        case _:
            return PLAIN[type(one)]


def section(kind: inspect.StructType, *, omits: bool) -> Iterator[str]:
    yield f"### {class_of(kind).__name__}\n"
    if tag := tag_of(kind):
        yield f"`{tag}`\n"
    yield cleandoc(class_of(kind).__doc__ or "").replace("\n\n", "\n") + "\n"
    if kind.fields:
        yield "| | |"
        yield "| --- | --- |"
        for field in kind.fields:
            unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
            omitted = not field.required and (omits or unset)
            left_out = "; optional" if omitted else ""
            yield f"| `{field.encode_name}` | {form(field.type)}{left_out} |"
        yield ""


def enum_section(kind: type[Enum]) -> Iterator[str]:
    members = ", ".join(f"`{one.value}`" for one in kind)
    yield f"### {kind.__name__}\n"
    yield f"{members}\n"


def described() -> str:
    types = RecordTypes()
    top = (*types.inputs, *types.entries)
    rest = [one for one in types.structs if one not in (*top, *EMBEDDED)]
    lines: list[str] = []
    parts: tuple[tuple[str, list[type[Struct]]], ...] = (
        ("Inputs", list(types.inputs)),
        ("Entries", list(types.entries)),
        ("Encoded in bytes", list(EMBEDDED)),
        ("Values", sorted(rest, key=lambda one: one.__name__)),
    )
    for title, kinds in parts:
        lines.append(f"## {title}\n")
        for kind in kinds:
            omits = kind.__struct_config__.omit_defaults
            lines += section(types.structs[kind], omits=omits)
    lines.append("## Closed sets\n")
    for one in sorted(types.enums, key=lambda one: one.__name__):
        lines += enum_section(one)
    return "\n".join(lines).rstrip() + "\n"


def written() -> str:
    return with_parts(PAGE.read_text("utf-8"), {"types": described()})


def test_the_page_describes_the_record() -> None:
    assert PAGE.read_text("utf-8") == written(), "run: make generate"


def test_the_page_names_the_format() -> None:
    assert f"Record format {RECORD_FORMAT}." in PAGE.read_text("utf-8")


def write_generated() -> None:
    PAGE.write_text(written(), "utf-8")

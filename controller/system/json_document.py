"""Decodes JSON from outside into typed structs; one formatter says what is wrong, and where.

Source: controller/service/commissioning/README.md, "Receipts", "The shuffler's identity", "Approved
firmware". Decisions. Times have all nine digits, because a signed time is not rounded; msgspec,
"JSON Schema"; Python 3.13 strips the indentation of docstrings, earlier ones keep it.
"""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from difflib import get_close_matches
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct, inspect

from controller.system.atomic_file import SmallFileError, read_text
from foundation.typed_reading import convert

T = TypeVar("T")

INT64_MAX: Final = 2**63 - 1
_NS_PER_S: Final = 1_000_000_000
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z", re.ASCII)
_SHOWN_MAX: Final = 60
_MISSING: Final = object()

# Numbers as 32 and as 63 bits hold them.
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**32 - 1)]
LongCount: TypeAlias = Annotated[int, Meta(ge=0, le=INT64_MAX)]
# A text that no message repeats, such as a PIN.
Secret: TypeAlias = Annotated[str, Meta(extra={"secret": True})]


class JsonError(ValueError):
    """A JSON text is not what was expected; the message names place, problem, allowed, remedy."""


class Document(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of JSON objects from outside: no unknown field, and every text is one line."""

    def __post_init__(self) -> None:
        names = zip(self.__struct_encode_fields__, self.__struct_fields__, strict=True)
        for name, attribute in names:
            value = getattr(self, attribute)
            for text in value if isinstance(value, tuple) else (value,):
                if isinstance(text, str) and not text.isprintable():
                    raise ValueError(f"`{name}` is not one line of text")


class HexBytes(bytes):
    """Bytes as lower-case hex digits; a subclass says how many."""

    SIZES: ClassVar[range] = range(2**16)

    @classmethod
    def allowed(cls) -> str:
        least, most = cls.SIZES[0], cls.SIZES[-1]
        count = f"{least} bytes" if least == most else f"{least} to {most} bytes"
        return f"{count} in lower-case hex digits"

    @classmethod
    def parse(cls, value: object) -> "HexBytes":
        """Raises ValueError."""
        if not isinstance(value, str) or re.fullmatch(r"(?:[0-9a-f]{2})*", value) is None:
            raise ValueError(cls.allowed())
        found = cls(bytes.fromhex(value))
        if len(found) not in cls.SIZES:
            raise ValueError(cls.allowed())
        return found


class Digest(HexBytes):
    """A SHA-256, or a key of Ed25519."""

    SIZES = range(32, 33)


class Signature(HexBytes):
    """A signature of Ed25519."""

    SIZES = range(64, 65)


class UtcTime(int):
    """Nanoseconds since the Unix epoch, as text with nine digits after the point."""

    @staticmethod
    def allowed() -> str:
        return "UTC such as 2026-11-21T10:00:00.000000000Z"

    @classmethod
    def parse(cls, value: object) -> "UtcTime":
        """Raises ValueError."""
        found = _TIME.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise ValueError(cls.allowed())
        seconds = round(datetime.fromisoformat(f"{found[1]}+00:00").timestamp())
        utc_ns = seconds * _NS_PER_S + int(found[2])
        if not 0 <= utc_ns <= INT64_MAX:
            raise ValueError(cls.allowed())
        return cls(utc_ns)


def time_text(utc_ns: int) -> str:
    """UTC with nine digits after the point, such as 2026-11-21T10:00:00.000000001Z."""
    if not 0 <= utc_ns <= INT64_MAX:
        return f"{utc_ns} ns"
    moment = datetime.fromtimestamp(utc_ns // _NS_PER_S, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{utc_ns % _NS_PER_S:09}Z"


# --- decoding -------------------------------------------------------------------------------------


def parse_json(text: str | bytes, remedy: str) -> object:
    """The JSON text as plain values. Raises JsonError, whose message ends with `remedy`."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise JsonError(f"it is not JSON: {error}. Remedy: {remedy}") from error


def typed(value: object, kind: type[T], remedy: str) -> T:
    """Plain JSON values as a value of `kind`. Raises JsonError."""
    try:
        return convert(value, kind, dec_hook=_parse)
    except msgspec.ValidationError as error:
        raise JsonError(describe_mismatch(str(error), value, kind, remedy)) from error


def read_document(text: str | bytes, kind: type[T], remedy: str) -> T:
    """The JSON text as a value of `kind`. Raises JsonError."""
    return typed(parse_json(text, remedy), kind, remedy)


def load_document(path: Path, kind: type[T], remedy: str) -> T:
    """The JSON file as a value of `kind`. Raises SmallFileError."""
    try:
        return read_document(read_text(path), kind, remedy)
    except JsonError as error:
        raise SmallFileError(f"{path}: {error}") from error


def plain_fields(document: Document) -> dict[str, Any]:
    """The fields of a document by name, bytes and times as plain values."""
    return {name: _plain(getattr(document, name)) for name in document.__struct_fields__}


def describe_mismatch(error: str, value: object, kind: object, remedy: str) -> str:
    """What msgspec says of a value that is not a `kind`, as place, problem, allowed and remedy.

    Items of a list are counted from 1.
    """
    words, _, path = error.partition(" - at `$")
    keys = [name or int(index) for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path)]
    field = re.search(r"field `(.*)`$", words, re.DOTALL) or re.match(r"`(\w+)` is not", words)
    unknown = "unknown field" in words
    found: inspect.Type = inspect.type_info(kind)
    try:
        for key in keys if unknown or not field else (*keys, field[1]):
            found, value = _inside(found, value, key)
    except LookupError:  # the name of an unknown field looks like a path
        return f"a field is not one. Allowed: {describe_type(found)}. Remedy: {remedy}"
    problem = "it is missing" if value is _MISSING else f"it is {_shown(value)}"
    if isinstance(found, inspect.Metadata) and (found.extra or {}).get("secret"):
        problem = "it is not a text"
    allowed = describe_type(found)
    if unknown:
        problem, remedy = "there is no such field", "remove it"
        allowed = ", ".join(_fields(_tagged(found, value))) or "none"
    elif near := _nearest(found, value):
        remedy = f"did you mean {near}?"
    if field is not None:
        keys.append(field[1] if field[1].isidentifier() else _shown(field[1]))
    place = "".join(f"[{one + 1}]" if isinstance(one, int) else f".{one}" for one in keys)
    said = f"{place[1:]}: {problem}" if place else problem
    return f"{said}. Allowed: {allowed}. Remedy: {remedy}"


def _nearest(found: inspect.Type, value: object) -> str:
    """The allowed word that is most like this one; empty where none is."""
    bare = _bare(found)
    if not isinstance(bare, inspect.EnumType) or not isinstance(value, str):
        return ""
    words = [str(one.value) for one in bare.cls]
    return next(iter(get_close_matches(value, words, n=1)), "")


def describe_type(found: inspect.Type) -> str:
    """What a type allows, for people."""
    match found:
        case inspect.Metadata(type=inner):
            return (found.extra_json_schema or {}).get("description") or describe_type(inner)
        case inspect.IntType(ge=least, le=most):
            return f"a whole number from {least} to {most}"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(max_length=most):
            return "one line of text" + (f" of at most {most} characters" if most else "")
        case inspect.EnumType(cls=kind):
            return ", ".join(str(one.value) for one in kind)
        case inspect.LiteralType(values=values):
            return ", ".join(map(str, values))
        case inspect.CustomType(cls=kind):
            return str(kind.allowed())  # type: ignore[attr-defined]
        case inspect.StructType():
            return f"an object of {', '.join(_fields(found)) or 'no fields'}"
        case inspect.UnionType(types=types) if len(_structs(found)) > 1:
            tags = ", ".join(str(one.tag) for one in _structs(found))
            return f"an object with {_structs(found)[0].tag_field}: {tags}"
        case inspect.UnionType(types=types):
            kinds = (one for one in types if not isinstance(one, inspect.NoneType))
            return " or ".join(map(describe_type, kinds))
        case inspect.VarTupleType(item_type=item, max_length=most):
            count = f" of at most {most}" if most else ""
            return f"a list{count}, each item {describe_type(item)}"
        case _:
            return type(found).__name__.removesuffix("Type").lower()


def _inside(found: inspect.Type, value: object, key: str | int) -> tuple[inspect.Type, object]:
    """Type and value of a field or of an item."""
    found = _bare(found)
    if isinstance(key, int):
        kinds = found.types if isinstance(found, inspect.UnionType) else (found,)
        items = [one.item_type for one in kinds if isinstance(one, inspect.VarTupleType)]
        return items[0], value[key] if isinstance(value, list) else _MISSING
    inner = value.get(key, _MISSING) if isinstance(value, dict) else _MISSING
    structs = _structs(found)
    if key == structs[0].tag_field:
        return inspect.LiteralType(tuple(one.tag for one in structs)), inner
    return _fields(_tagged(found, value))[key], inner


def _bare(found: inspect.Type) -> inspect.Type:
    """The type without what is said of it."""
    return found.type if isinstance(found, inspect.Metadata) else found


def _structs(found: inspect.Type) -> list[inspect.StructType]:
    found = _bare(found)
    kinds = found.types if isinstance(found, inspect.UnionType) else (found,)
    return [one for one in kinds if isinstance(one, inspect.StructType)]


def _tagged(found: inspect.Type, value: object) -> inspect.StructType:
    """The struct of a union that the value's tag names; else the first one."""
    structs = _structs(found)
    tag = value.get(structs[0].tag_field) if isinstance(value, dict) else None
    return next((one for one in structs if one.tag == tag), structs[0])


def _fields(found: inspect.StructType) -> dict[str, inspect.Type]:
    return {one.encode_name: one.type for one in found.fields}


def _shown(value: object) -> str:
    """A plain value as JSON; what an object holds is not shown: it may be a PIN."""
    if value and isinstance(value, dict):
        return "an object"
    if isinstance(value, list) and any(one and isinstance(one, dict | list) for one in value):
        return "a list"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."


def _parse(kind: type[HexBytes | UtcTime], value: object) -> object:
    return kind.parse(value)


def _plain(value: object) -> object:
    match value:
        case HexBytes():
            return bytes(value)
        case UtcTime():
            return int(value)
        case _:
            return value


def schemas_of(kinds: Iterable[Any], ref_template: str) -> dict[str, Any]:
    """The schema of each kind and of whatever they hold, by name."""
    _, schemas = msgspec.json.schema_components(kinds, ref_template=ref_template)
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = cleandoc(schema["description"])
    return schemas

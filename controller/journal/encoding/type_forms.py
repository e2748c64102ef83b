"""Forms: how values of each type stand in plain maps, arrays, numbers, text and bytes.

Responsible for: building, once per type, the pair of functions that turn its values into plain
ones and back, strictly; and for refusing types that have no such form.
Not responsible for: bytes (canonical).
Source: controller/journal/README.md, "Encoding".
"""

import types
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum, Flag
from typing import Final, TypeAlias, Union, get_args, get_origin, get_type_hints

from controller.journal.encoding import cbor_writer as field_code
from controller.journal.encoding.cbor_writer import Write

Plain: TypeAlias = "bool | int | str | bytes | list[Plain] | dict[str, Plain] | None"
Encode: TypeAlias = Callable[[object], Plain]
Decode: TypeAlias = Callable[[object], object]

_INT_MIN: Final = -(2**64)
_INT_MAX: Final = 2**64 - 1
_WRITERS: Final[dict[type, Write]] = {
    str: field_code.text,
    bytes: field_code.octets,
    bool: field_code.truth,
    type(None): field_code.nothing,
}


class CanonicalError(ValueError):
    """A value or bytes that have no canonical form; the message names the path to the place."""

    def __init__(self, detail: str, path: str = "") -> None:
        super().__init__(detail, path)
        self.detail = detail
        self.path = path

    def __str__(self) -> str:
        return f"{self.path}: {self.detail}" if self.path else self.detail

    def within(self, part: str) -> "CanonicalError":
        """The same error seen from one level further out."""
        return CanonicalError(self.detail, part + self.path)


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type are written.

    `to_bytes` gives the bytes of what `encode` gives, or raises Misfit where that raises.
    `value_type` and `plain_type` are the exact types before and after, by which a union tells
    its members apart; a union itself has `members` and neither of them.
    """

    name: str
    value_type: type
    plain_type: type
    encode: Encode
    decode: Decode
    to_bytes: Write
    members: tuple["Form", ...] = ()


@dataclass(frozen=True, slots=True)
class _Building:
    """What is known while forms are built: the classes that are open, met again inside themselves.

    `older`: the form reads what another version wrote. A field that is not there yet takes its
    default, one that is not there any more is passed over.
    """

    older: bool
    open_classes: dict[type, list[Form]]


def form_of(hint: object, *, older: bool = False) -> Form:
    """The form of a type hint, or a tolerant one. Raises CanonicalError where it has none."""
    return _form(hint, _Building(older, {}))


def _form(hint: object, building: _Building) -> Form:
    if get_origin(hint) in (Union, types.UnionType):
        return _union_form(tuple(_form(arm, building) for arm in get_args(hint)))
    if get_origin(hint) is tuple or hint is tuple:
        return _tuple_form(get_args(hint), building)
    if hint is None or hint is type(None):
        return _scalar_form(type(None))
    if isinstance(hint, type) and hint in (bool, int, str, bytes):
        return _int_form() if hint is int else _scalar_form(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_form(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass_form(hint, building)
    raise CanonicalError(f"{hint!r} cannot be stored: it has no canonical form")


def _found(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _how_many(value: object) -> str:
    """The items of a row, counted and not named: one of them may be a card."""
    return f"one of {len(value)}" if isinstance(value, list | tuple) else _found(value)


def _scalar_form(kind: type) -> Form:
    name = "None" if kind is type(None) else kind.__name__

    def same(value: object) -> Plain:
        if type(value) is not kind:
            raise CanonicalError(f"expected {name}, found {_found(value)}")
        return value  # type: ignore[return-value]

    return Form(name, kind, kind, same, same, _WRITERS[kind])


def _int_form() -> Form:
    def same(value: object) -> Plain:
        if type(value) is not int:
            raise CanonicalError(f"expected int, found {_found(value)}")
        if not _INT_MIN <= value <= _INT_MAX:
            raise CanonicalError(f"{value} does not fit in 64 bits and a sign")
        return value

    return Form("int", int, int, same, same, field_code.number)


def _enum_form(cls: type[Enum]) -> Form:
    name = cls.__name__
    by_plain: dict[object, Enum] = {member.value: member for member in cls}
    plain_types = {type(plain) for plain in by_plain}
    if issubclass(cls, Flag) or plain_types not in ({str}, {int}):
        raise CanonicalError(f"the values of enum {name} are not all text or all numbers")
    plain_type = plain_types.pop()

    def encode(value: object) -> Plain:
        if type(value) is not cls:
            raise CanonicalError(f"expected {name}, found {_found(value)}")
        plain: str | int = value._value_
        return plain

    def decode(plain: object) -> object:
        if type(plain) is not plain_type or plain not in by_plain:
            raise CanonicalError(f"expected a value of {name}, found {plain!r}")
        return by_plain[plain]

    return Form(name, cls, plain_type, encode, decode, field_code.members(cls))


def _tuple_form(args: tuple[object, ...], building: _Building) -> Form:
    if len(args) == 2 and args[1] is Ellipsis:
        return _array_form(_form(args[0], building))
    if Ellipsis in args:
        raise CanonicalError(f"tuple{list(args)} cannot be stored: it has no canonical form")
    return _row_form(tuple(_form(arg, building) for arg in args))


def _array_form(item: Form) -> Form:
    encode_item, decode_item = item.encode, item.decode

    def encode(value: object) -> Plain:
        if type(value) is not tuple:
            raise CanonicalError(f"expected tuple, found {_found(value)}")
        plain: list[Plain] = []
        try:
            for part in value:
                plain.append(encode_item(part))  # noqa: PERF401 the length tells where it failed
        except CanonicalError as error:
            raise error.within(f"[{len(plain)}]") from None
        return plain

    def decode(plain: object) -> object:
        if type(plain) is not list:
            raise CanonicalError(f"expected an array, found {_found(plain)}")
        values: list[object] = []
        try:
            for part in plain:
                values.append(decode_item(part))  # noqa: PERF401 as above
        except CanonicalError as error:
            raise error.within(f"[{len(values)}]") from None
        return tuple(values)

    return Form("tuple", tuple, list, encode, decode, field_code.array(item.to_bytes))


def _row_form(items: tuple[Form, ...]) -> Form:
    length = len(items)

    def encode(value: object) -> Plain:
        if type(value) is not tuple or len(value) != length:
            raise CanonicalError(f"expected a tuple of {length}, found {_how_many(value)}")
        plain: list[Plain] = []
        try:
            for item, part in zip(items, value, strict=True):
                plain.append(item.encode(part))
        except CanonicalError as error:
            raise error.within(f"[{len(plain)}]") from None
        return plain

    def decode(plain: object) -> object:
        if type(plain) is not list or len(plain) != length:
            raise CanonicalError(f"expected an array of {length}, found {_how_many(plain)}")
        values: list[object] = []
        try:
            for item, part in zip(items, plain, strict=True):
                values.append(item.decode(part))
        except CanonicalError as error:
            raise error.within(f"[{len(values)}]") from None
        return tuple(values)

    write = field_code.row(tuple(item.to_bytes for item in items))
    return Form("tuple", tuple, list, encode, decode, write)


def _dataclass_form(cls: type, building: _Building) -> Form:
    """The form of a dataclass; a class that contains itself is met again while it is open."""
    name, open_classes = cls.__name__, building.open_classes
    if cls in open_classes:
        built = open_classes[cls]
        return _later_form(cls, built)
    names = tuple(field.name for field in fields(cls))
    if "type" in names:
        raise CanonicalError(f"{name} has a field called type, which the encoding needs itself")
    frozen: bool = getattr(cls, "__dataclass_params__").frozen  # noqa: B009 unknown to its stub
    if not frozen or not all(field.init for field in fields(cls)):
        raise CanonicalError(f"{name} is not a frozen dataclass built from all its fields")
    built = open_classes[cls] = []
    hints = get_type_hints(cls)
    forms: list[tuple[str, Form]] = []
    for field in names:
        try:
            forms.append((field, _form(hints[field], building)))
        except CanonicalError as error:
            inward = " > " if error.path else ""
            raise error.within(f"{name}.{field}{inward}") from None
    decoder = _older_field_decoder if building.older else _field_decoder
    write = field_code.later(
        lambda: field_code.written_out(cls, {field: form.to_bytes for field, form in forms})
    )
    encoder = _field_encoder(cls, tuple(forms))
    form = Form(name, cls, dict, encoder, decoder(cls, tuple(forms)), write)
    built.append(form)
    del open_classes[cls]
    return form


def _later_form(cls: type, built: list[Form]) -> Form:
    """The form of a class that is still being built: looked up when it is used."""

    def encode(value: object) -> Plain:
        return built[0].encode(value)

    def decode(plain: object) -> object:
        return built[0].decode(plain)

    write = field_code.later(lambda: built[0].to_bytes)
    return Form(cls.__name__, cls, dict, encode, decode, write)


def _field_encoder(cls: type, forms: tuple[tuple[str, Form], ...]) -> Encode:
    name = cls.__name__
    encoders = tuple((field, form.encode) for field, form in forms)
    # The order of RFC 8949, 4.2.1: bytewise by encoded key, which for text is length, then bytes.
    # A copied dict keeps it, so it is found once per class and not once per value.
    ordered = sorted(
        ("type", *(field for field, _ in forms)),
        key=lambda key: (len(key.encode()), key.encode()),
    )
    blank: dict[str, Plain] = dict.fromkeys(ordered)
    blank["type"] = name

    def encode(value: object) -> Plain:
        if type(value) is not cls:
            raise CanonicalError(f"expected {name}, found {_found(value)}")
        plain = blank.copy()
        field = ""
        try:
            for field, encode_field in encoders:
                plain[field] = encode_field(getattr(value, field))
        except CanonicalError as error:
            raise error.within(f".{field}") from None
        return plain

    return encode


def _field_decoder(cls: type, forms: tuple[tuple[str, Form], ...]) -> Decode:
    name = cls.__name__
    decoders = tuple((field, form.decode) for field, form in forms)
    expected = {"type", *(field for field, _ in forms)}

    def decode(plain: object) -> object:
        if type(plain) is not dict:
            raise CanonicalError(f"expected a map for {name}, found {_found(plain)}")
        if plain.keys() != expected:
            raise CanonicalError(_difference(name, expected, set(plain)))
        if plain["type"] != name:
            raise CanonicalError(f"expected {name}, found type {plain['type']!r}")
        values: dict[str, object] = {}
        field = ""
        try:
            for field, decode_field in decoders:
                values[field] = decode_field(plain[field])
        except CanonicalError as error:
            raise error.within(f".{field}") from None
        try:
            return cls(**values)
        except (ValueError, TypeError, AssertionError) as error:
            raise CanonicalError(f"{name} refuses these values: {error}") from error

    return decode


def _older_field_decoder(cls: type, forms: tuple[tuple[str, Form], ...]) -> Decode:
    """As `_field_decoder`, for fields that another version did not have, or had beside these."""
    defaults: dict[str, object] = {
        field.name: field.default for field in fields(cls) if field.default is not MISSING
    }
    strict = _field_decoder(cls, forms)
    kept = {"type", *(field for field, _ in forms)}
    encoders = {field: form.encode for field, form in forms}

    def decode(plain: object) -> object:
        if type(plain) is not dict:
            return strict(plain)
        filled = {key: value for key, value in plain.items() if key in kept}
        for field, default in defaults.items():
            if field not in filled:
                filled[field] = encoders[field](default)
        return strict(filled)

    return decode


def _difference(name: str, expected: set[str], found: set[object]) -> str:
    missing = ", ".join(sorted(expected - found))
    extra = ", ".join(sorted(repr(key) for key in found - expected))
    parts = [f"missing {missing}"] if missing else []
    parts += [f"unknown {extra}"] if extra else []
    return f"fields of {name}: {'; '.join(parts)}"


def _union_form(arms: tuple[Form, ...]) -> Form:
    members = tuple(member for arm in arms for member in (arm.members or (arm,)))
    classes = {form.name: form for form in members if form.plain_type is dict}
    others = {form.plain_type: form for form in members if form.plain_type is not dict}
    if len(classes) + len(others) != len(members):
        names = ", ".join(form.name for form in members)
        raise CanonicalError(f"members of this union look alike when stored: {names}")
    encoders = {form.value_type: form.encode for form in members}
    class_decoders = {name: form.decode for name, form in classes.items()}
    other_decoders = {kind: form.decode for kind, form in others.items()}
    expected = " | ".join(form.name for form in members)

    def encode(value: object) -> Plain:
        encode_member = encoders.get(type(value))
        if encode_member is None:
            raise CanonicalError(f"expected {expected}, found {_found(value)}")
        return encode_member(value)

    def decode(plain: object) -> object:
        if type(plain) is dict:
            name = plain.get("type")
            decode_member = class_decoders.get(name) if type(name) is str else None
        else:
            decode_member = other_decoders.get(type(plain))
        if decode_member is None:
            what = repr(plain.get("type")) if type(plain) is dict else _found(plain)
            raise CanonicalError(f"expected {expected}, found {what}")
        return decode_member(plain)

    write = field_code.one_of({form.value_type: form.to_bytes for form in members})
    return Form(expected, object, object, encode, decode, write, members)

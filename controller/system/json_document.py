"""Reads typed fields of small JSON files; every missing, wrong or unknown field is a problem.

Source: controller/commissioning/README.md, "Receipts", "The shuffler's identity", "Approved
firmware". Decisions. Times have all nine digits, because a signed time is not rounded.
"""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

U32_MAX: Final = 2**32 - 1
U64_MAX: Final = 2**64 - 1
_NS_PER_S: Final = 1_000_000_000
# The end of the year 9999.
_UTC_NS_MAX: Final = 253_402_300_800 * _NS_PER_S
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z", re.ASCII)
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)


class JsonFields:
    """The fields of one JSON object; a wrong or missing field gives an empty value and a problem.

    `what` is the object's path in the file, empty for the whole; `remedy` ends each problem.
    """

    __slots__ = ("_fields", "_inner", "_problems", "_remedy", "_unreadable", "_what")

    def __init__(self, value: object, remedy: str, what: str = "") -> None:
        self._fields: dict[str, object] = dict(value) if isinstance(value, dict) else {}
        self._what = what
        self._remedy = remedy
        self._inner: list[JsonFields] = []
        self._problems: list[str] = []
        self._unreadable = ""
        if not isinstance(value, dict):
            self._unreadable = f"{what or 'it'} is not a JSON object. Remedy: {remedy}"

    @staticmethod
    def of(text: str, remedy: str) -> "JsonFields":
        """The fields of the JSON object in a text."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            fields = JsonFields(None, remedy)
            fields._unreadable = f"it is not JSON: {error}. Remedy: {remedy}"
            return fields
        return JsonFields(value, remedy)

    def holds(self, name: str) -> bool:
        """Whether the field is present."""
        return name in self._fields

    def text(self, name: str) -> str:
        value = self._fields.pop(name, None)
        if isinstance(value, str) and value.isprintable():
            return value
        self._add_problem(name, "one line of text")
        return ""

    def number(self, name: str, most: int = U32_MAX) -> int:
        value = self._fields.pop(name, None)
        if type(value) is int and 0 <= value <= most:
            return value
        self._add_problem(name, f"a whole number of at most {most}")
        return 0

    def choice(self, name: str, words: Iterable[str]) -> str:
        """One of these words; the first one if the value is wrong."""
        allowed = tuple(words)
        value = self._fields.pop(name, None)
        if isinstance(value, str) and value in allowed:
            return value
        self._add_problem(name, ", ".join(allowed))
        return allowed[0]

    def hex(self, name: str, least: int, most: int | None = None) -> bytes:
        """Bytes in lower-case hex digits, from `least` to `most` of them."""
        value = self._fields.pop(name, None)
        most = least if most is None else most
        if isinstance(value, str) and _HEX.fullmatch(value) and least <= len(value) // 2 <= most:
            return bytes.fromhex(value)
        count = f"{least} bytes" if least == most else f"{least} to {most} bytes"
        self._add_problem(name, f"{count} in lower-case hex digits")
        return b""

    def time(self, name: str) -> int:
        value = self._fields.pop(name, None)
        utc_ns = _parse_time(value) if isinstance(value, str) else None
        if utc_ns is None:
            self._add_problem(name, "UTC such as 2026-11-21T10:00:00.000000000Z")
            return 0
        return utc_ns

    def truth(self, name: str) -> bool:
        value = self._fields.pop(name, None)
        if isinstance(value, bool):
            return value
        self._add_problem(name, "true or false")
        return False

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of single-line texts, in order."""
        value = self._fields.pop(name, None)
        if isinstance(value, list) and all(
            isinstance(one, str) and one.isprintable() for one in value
        ):
            return tuple(value)
        self._add_problem(name, "a list of lines of text")
        return ()

    def inner(self, name: str) -> "JsonFields":
        """The fields of a nested object."""
        value = self._fields.pop(name, None)
        self._inner.append(JsonFields(value, self._remedy, self._place(name)))
        return self._inner[-1]

    def each(self, name: str) -> tuple["JsonFields", ...]:
        """The fields of each object in a list, in order."""
        value = self._fields.pop(name, None)
        if not isinstance(value, list):
            self._add_problem(name, "a list of objects")
            return ()
        found = tuple(
            JsonFields(one, self._remedy, f"{name}[{number}]")
            for number, one in enumerate(value, start=1)
        )
        self._inner.extend(found)
        return found

    def problems(self) -> tuple[str, ...]:
        """Every problem, unknown fields included."""
        if self._unreadable:
            return (self._unreadable,)
        unknown = tuple(
            f"{self._place(repr(name[:40]))}: there is no such field. Remedy: remove it"
            for name in self._fields
        )
        inner = (problem for one in self._inner for problem in one.problems())
        return (*self._problems, *unknown, *inner)

    def _place(self, name: str) -> str:
        return f"{self._what}.{name}" if self._what else name

    def _add_problem(self, name: str, allowed: str) -> None:
        self._problems.append(
            f"{self._place(name)}: it is missing or wrong. Allowed: {allowed}. Remedy:"
            f" {self._remedy}"
        )


def time_text(utc_ns: int) -> str:
    """UTC with nine digits after the point, such as 2026-11-21T10:00:00.000000001Z."""
    if not 0 <= utc_ns < _UTC_NS_MAX:
        return f"{utc_ns} ns"
    moment = datetime.fromtimestamp(utc_ns // _NS_PER_S, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{utc_ns % _NS_PER_S:09}Z"


def _parse_time(text: str) -> int | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{found[1]}+00:00")
    except ValueError:
        return None
    utc_ns = round(moment.timestamp()) * _NS_PER_S + int(found[2])
    return utc_ns if utc_ns >= 0 else None

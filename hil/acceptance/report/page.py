"""The report for people, as text to print."""

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hil.acceptance.report.results import WalkStep
from hil.acceptance.report.signed_report import steps_of

_WIDTH: Final = 100
_OUTCOME_WIDTH: Final = 8


def report_page(document: Mapping[str, Any]) -> str:
    """The page of a signed report. Raises BadReport."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield str(document["verdict"])
    yield ""
    yield from _facts(document)
    part = ""
    for step in steps_of(dict(document)):
        if step.part != part:
            part = step.part
            yield ""
            yield part.capitalize()
        yield from _step(step)
    yield ""
    yield from _differences(document)
    tape, key = document["tape"], document["key"]
    yield f"Tape       {tape['file']}, {tape['bytes']} bytes"
    yield f"  SHA-256  {tape['sha256']}"
    yield f"Signed     with the key {key['fingerprint']}"
    yield f"  {document['signature']}"


def _facts(document: Mapping[str, Any]) -> Iterator[str]:
    model, host = document["model"], document["host"]
    yield f"Model      {model['title']} ({model['name']}, a {model['kind']})"
    yield f"Driver     {model['driver']}"
    yield f"Port       {document['port']}, {document['line']}"
    for name, value in document["device"]["stated"].items():
        yield f"Device     {name} {value} (stated by the device)"
    for name, value in document["device"]["label"].items():
        yield f"Device     {name} {value} (typed from its label)"
    yield f"Host       {host['name']}, {host['system']}"
    yield f"Person     {document['person']} (not proved); answers: {document['answers']}"
    yield f"Time       {document['began']} to {document['ended']}"
    yield f"Allowed    {document['allowed']}"


def _step(step: WalkStep) -> Iterator[str]:
    yield f"  {step.outcome:<{_OUTCOME_WIDTH}}  {step.name}: {step.title}"
    indent = " " * (_OUTCOME_WIDTH + 4)
    if step.reason:
        yield from _wrapped(step.reason, indent)
    for name, value in step.figures:
        shown = "; ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
        yield from _wrapped(f"{name.replace('_', ' ')}: {shown}", indent)


def _differences(document: Mapping[str, Any]) -> Iterator[str]:
    """All that differed from the wire document, in one list."""
    found = [(step, one) for step in steps_of(dict(document)) for one in step.differences]
    yield "Differences from the wire document" + ("" if found else ": none")
    for step, one in found:
        line = f"{step.name}: {one.section}: stated: {one.stated}; found: {one.found}"
        yield from _wrapped(line, "  ")
        if one.data:
            yield from _wrapped(f"bytes {one.data}", "    ")
    yield ""


def _wrapped(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [indent.rstrip()]

"""What a served device sends unasked: one report, and each sending of it.

Responsible for: the two values every emulated device, line and delivery log share.
Not responsible for: what a report says (the devices) and what became of it (batch).
Source: package README, "Truth".
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """One report; `ordinal` counts from 1 over the life of the emulator, `code` is its kind."""

    ordinal: int
    code: str
    frame: bytes


@dataclass(frozen=True, slots=True)
class Copy:
    """One sending of a report."""

    report: Report
    number: int

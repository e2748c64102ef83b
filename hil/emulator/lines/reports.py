"""Defines a report that an emulated device sends unasked, and each copy of it that is sent."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """One report; `ordinal` counts from 1 over the emulator's lifetime, `code` is its kind."""

    ordinal: int
    code: str
    frame: bytes


@dataclass(frozen=True, slots=True)
class Copy:
    """One sending of a report."""

    report: Report
    number: int

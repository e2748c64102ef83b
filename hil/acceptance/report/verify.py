"""Verifies a report: its signature, its tape, and that the tape gives the events it states."""

from pathlib import Path

from msgspec import Struct

from controller.system.keys import PublicKey
from drivers.catalogue import find_by_option
from drivers.model import BadDeviceSettings
from hil.acceptance.report.signed_report import (
    BadReport,
    load_report,
    require_signature,
    require_tape,
    steps_of,
)
from hil.acceptance.wire.tape_check import require_same_events


class VerifiedReport(Struct, frozen=True):
    """A report that holds; `events` is how many its tape gave again."""

    key: PublicKey
    verdict: str
    events: int


def verify_report(path: Path, trusted: PublicKey | None) -> VerifiedReport:
    """Verify a report and the tape beside it. Raises BadReport.

    `trusted` None: any key, which the report names itself.
    """
    document = load_report(path)
    key = require_signature(document, trusted)
    steps_of(document)
    tape = require_tape(document, path.with_name(Path(str(document["tape"]["file"])).name))
    try:
        model = find_by_option(str(document["model"]["name"]))
    except BadDeviceSettings as error:
        raise BadReport(f"its model is not installed: {error}") from error
    events = require_same_events(document, tape, model)
    return VerifiedReport(key, str(document["verdict"]), events)

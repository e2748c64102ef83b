"""The answer to an action: its entries as plain values that disclose no card.

Source: controller.views.disclosure, ACTION_ANSWER; controller/control/README.md, "Control socket".
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias, assert_never

from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.messages.catalogue import to_words
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    Prompt,
    Refusal,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.verdicts import Accepted, Verdict
from controller.profiles.borrowing import with_borrowed, with_citation
from controller.system.keys import fingerprint_text
from controller.tape.entries import (
    BatchBound,
    CardSetApart,
    ClockStepped,
    CommandGiven,
    DeviceEventRecorded,
    DiskLevelRecorded,
    Entry,
    EventVerdicts,
    ManifestRequested,
    RunBegan,
    StateDigest,
    UsbDeviceRecorded,
)
from controller.views.disclosure import disclosed_clauses
from drivers.events import CommandAnswered
from firmware_bridge.message import Message

Plain: TypeAlias = dict[str, object]


def refusal_text(entries: Iterable[Entry], book: RuleBook) -> str:
    """Why the action was refused; empty if it was not. `book` says which clauses are borrowed."""
    refused = (entry for entry in entries if isinstance(entry, Refusal))
    return "; ".join(
        with_citation(book.document, to_words(one.why), one.clauses) for one in refused
    )


def plain_entries(entries: Iterable[Entry], book: RuleBook, table: TableState) -> list[Plain]:
    """The entries as dictionaries, in order; each has a `kind`.

    `book` and `table` are those in force now: they decide which clauses are disclosed.
    """
    plain = (one for entry in entries for one in _plain_entry(entry, book, table))
    return [with_borrowed(book.document, one) for one in plain]


def _plain_entry(entry: Entry, book: RuleBook, table: TableState) -> Iterator[Plain]:
    match entry:
        case EventVerdicts():
            yield from (_plain_verdict(one, book, table) for one in entry.verdicts)
        case ResolutionRecorded() | ActRecord() | SettingChanged() | CoupCorrected() | Refusal():
            yield _person_entry(entry)
        case CoupClosed(record):
            yield {"kind": "coup_closed", "coup": record.coup, "fate": record.fate.value}
        case CoupPayment():
            yield {"kind": "coup_paid", "coup": entry.coup}
        case ShoeOpened():
            yield {"kind": "shoe_opened", "gaming_day": entry.gaming_day, "shoe": entry.shoe}
        case ShoeEnded():
            yield {
                "kind": "shoe_ended",
                "gaming_day": entry.gaming_day,
                "shoe": entry.shoe,
                "coups": entry.coups,
                "cards_drawn": entry.cards_drawn,
                "irregularities": entry.irregularities,
            }
        case Prompt():
            yield {"kind": "prompt", "text": to_words(entry.text), "clauses": list(entry.clauses)}
        case CommandGiven():
            yield {
                "kind": "command",
                "command": to_words(entry.command),
                "why": to_words(entry.why),
            }
        case DeviceEventRecorded(event=CommandAnswered() as answered):
            yield {
                "kind": "command_answer",
                "command": answered.command,
                "outcome": answered.outcome.value,
                "detail": to_words(answered.detail),
            }
        case (
            BatchBound()
            | CardSetApart()
            | ManifestRequested()
            | StageChange()
            | ShuffleRecorded()
            | WarningOpened()
            | WarningClosed()
        ):
            yield _batch_entry(entry)
        case (
            DeviceEventRecorded()
            | BurnDone()
            | RunBegan()
            | StateDigest()
            | UsbDeviceRecorded()
            | DiskLevelRecorded()
            | ClockStepped()
        ):
            return
        case _:
            assert_never(entry)


def _batch_entry(
    entry: StageChange
    | ShuffleRecorded
    | WarningOpened
    | WarningClosed
    | BatchBound
    | CardSetApart
    | ManifestRequested,
) -> Plain:
    match entry:
        case StageChange():
            return {
                "kind": "batch_moved",
                "batch": entry.batch,
                "before": entry.before.value,
                "after": entry.after.value,
                "why": to_words(entry.why),
            }
        case ShuffleRecorded():
            return {
                "kind": "shuffle",
                "batch": entry.batch,
                "cycle": entry.proof.cycle,
                "count": entry.proof.count,
                "result": entry.proof.result.value,
                "refused": "" if entry.refused is None else to_words(entry.refused),
                "clauses": list(entry.clauses),
            }
        case WarningOpened():
            return {
                "kind": "warning",
                "number": entry.number,
                "about": entry.kind.value,
                "text": to_words(entry.text),
                "clauses": list(entry.clauses),
            }
        case WarningClosed():
            return {
                "kind": "warning_cleared",
                "number": entry.number,
                "about": entry.kind.value,
                "person": entry.person,
                "waited_ms": entry.waited_ns // 1_000_000,
            }
        case _:
            return _custody_entry(entry)


def _custody_entry(entry: BatchBound | CardSetApart | ManifestRequested) -> Plain:
    match entry:
        case BatchBound():
            return {
                "kind": "batch_bound",
                "batch": entry.batch,
                "back": entry.back,
                "cards": entry.cards,
                "signed_by": fingerprint_text(entry.signed_by),
            }
        case CardSetApart():
            # The tag is left out: it may be that of a card people have not seen.
            return {"kind": "card_set_apart", "back": entry.back, "clauses": list(entry.clauses)}
        case ManifestRequested():
            return {"kind": "manifest_wanted", "batch": entry.batch}
        case _:
            assert_never(entry)


def _person_entry(
    entry: ResolutionRecorded | ActRecord | SettingChanged | CoupCorrected | Refusal,
) -> Plain:
    match entry:
        case ResolutionRecorded():
            return {
                "kind": "resolution",
                "person": entry.person,
                "reason": entry.reason,
                "decision": entry.decision.value,
                "provisional": entry.provisional or "",
                "outcome": entry.outcome or "",
                "second": entry.second,
                "closed": list(entry.closed),
                "dealt_while_suspended": {"coups": entry.coups_dealt, "cards": entry.cards_dealt},
            }
        case ActRecord():
            # The detail is left out: it may name cards.
            return {
                "kind": "recorded",
                "what": entry.what,
                "person": entry.person,
                "clauses": list(entry.clauses),
            }
        case SettingChanged():
            return {
                "kind": "setting_changed",
                "setting": entry.setting,
                "old": entry.old,
                "new": entry.new,
                "clauses": list(entry.clauses),
            }
        case CoupCorrected():
            return {
                "kind": "coup_corrected",
                "shoe": entry.shoe,
                "coup": entry.coup,
                "before": entry.before.value,
                "outcome": entry.outcome.value,
                "person": entry.person,
                "second": entry.second,
                "reason": entry.reason,
                "owed": [{"seat": one.seat, "cents": one.cents} for one in entry.owed],
            }
        case Refusal():
            return {"kind": "refused", "what": entry.what, "why": to_words(entry.why)}
        case _:
            assert_never(entry)


def _plain_verdict(verdict: Verdict, book: RuleBook, table: TableState) -> Plain:
    if isinstance(verdict, Accepted):
        return {
            "kind": "accepted",
            "what": to_words(verdict.what),
            "clauses": list(verdict.clauses),
        }
    return {
        "kind": "irregularity",
        "number": verdict.number,
        "code": verdict.code.value,
        "title": to_words(Message(verdict.code.value)),
        "coup": verdict.coup,
        "clauses": list(disclosed_clauses(book, table, verdict)),
        "suspends": verdict.suspends,
    }

"""The answer to an action: its stored entries as conclusions that disclose no card.

Source: controller.record.disclosure, ACTION_ANSWER.
"""

from collections.abc import Iterable, Iterator
from typing import assert_never

from controller.core.tape.entries import (
    BatchBound,
    CardSetApart,
    ClockStepped,
    CommandGiven,
    DeviceEventRecorded,
    DiskLevelRecorded,
    Entry,
    EventVerdicts,
    ManifestRequested,
    PowerFailRecorded,
    RunBegan,
    StateDigest,
    UsbDeviceRecorded,
)
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.outlets.control.answer_schema import (
    AcceptedAnswer,
    AnsweredEntry,
    BatchBoundAnswer,
    BatchMovedAnswer,
    CardSetApartAnswer,
    CommandResultAnswer,
    CommandSentAnswer,
    CoupClosedAnswer,
    CoupCorrectedAnswer,
    CoupPaidAnswer,
    DealtOnAnswer,
    IrregularityAnswer,
    ManifestWantedAnswer,
    OwedAnswer,
    PromptAnswer,
    RecordedAnswer,
    RefusedAnswer,
    ResolutionAnswer,
    SettingChangedAnswer,
    ShoeEndedAnswer,
    ShoeOpenedAnswer,
    ShuffleAnswer,
    WarningAnswer,
    WarningClearedAnswer,
)
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
from controller.record.disclosure import disclosed_clauses
from controller.rules.profiles.borrowing import cite, with_citation
from controller.system.keys import fingerprint_text
from controller.system.messages.catalogue import to_words
from drivers.events import CommandAnswered
from foundation.message import Message


def refusal_text(entries: Iterable[Entry], book: RuleBook) -> str:
    """Why the action was refused; empty if it was not. `book` says which clauses are borrowed."""
    refused = (entry for entry in entries if isinstance(entry, Refusal))
    return "; ".join(
        with_citation(book.document, to_words(one.why), one.clauses) for one in refused
    )


def answered_entries(
    entries: Iterable[Entry], book: RuleBook, table: TableState
) -> tuple[AnsweredEntry, ...]:
    """The conclusions of the entries, in order.

    `book` and `table` are those in force now: they decide which clauses are disclosed.
    """
    return tuple(one for entry in entries for one in _answered(entry, book, table))


def _answered(entry: Entry, book: RuleBook, table: TableState) -> Iterator[AnsweredEntry]:
    match entry:
        case EventVerdicts():
            yield from (_verdict(one, book, table) for one in entry.verdicts)
        case ResolutionRecorded() | ActRecord() | SettingChanged() | CoupCorrected() | Refusal():
            yield _person_entry(entry, book)
        case CoupClosed(record):
            yield CoupClosedAnswer(record.coup, record.fate.value)
        case CoupPayment():
            yield CoupPaidAnswer(entry.coup)
        case ShoeOpened():
            yield ShoeOpenedAnswer(entry.gaming_day, entry.shoe)
        case ShoeEnded():
            yield ShoeEndedAnswer(
                gaming_day=entry.gaming_day,
                shoe=entry.shoe,
                coups=entry.coups,
                cards_drawn=entry.cards_drawn,
                irregularities=entry.irregularities,
            )
        case Prompt():
            yield PromptAnswer(*cite(book.document, entry.clauses), to_words(entry.text))
        case CommandGiven():
            yield CommandSentAnswer(to_words(entry.command), to_words(entry.why))
        case DeviceEventRecorded(event=CommandAnswered() as answered):
            yield CommandResultAnswer(
                command=answered.command,
                outcome=answered.outcome.value,
                detail=to_words(answered.detail),
            )
        case (
            BatchBound()
            | CardSetApart()
            | ManifestRequested()
            | StageChange()
            | ShuffleRecorded()
            | WarningOpened()
            | WarningClosed()
        ):
            yield _batch_entry(entry, book)
        case (
            DeviceEventRecorded()
            | BurnDone()
            | RunBegan()
            | StateDigest()
            | UsbDeviceRecorded()
            | DiskLevelRecorded()
            | PowerFailRecorded()
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
    book: RuleBook,
) -> AnsweredEntry:
    match entry:
        case StageChange():
            return BatchMovedAnswer(
                entry.batch, entry.before.value, entry.after.value, to_words(entry.why)
            )
        case ShuffleRecorded():
            return ShuffleAnswer(
                *cite(book.document, entry.clauses),
                batch=entry.batch,
                cycle=entry.proof.cycle,
                count=entry.proof.count,
                result=entry.proof.result.value,
                refused="" if entry.refused is None else to_words(entry.refused),
            )
        case WarningOpened():
            return WarningAnswer(
                *cite(book.document, entry.clauses),
                number=entry.number,
                about=entry.kind.value,
                text=to_words(entry.text),
            )
        case WarningClosed():
            waited_ms = entry.waited_ns // 1_000_000
            return WarningClearedAnswer(entry.number, entry.kind.value, entry.person, waited_ms)
        case BatchBound():
            signed_by = fingerprint_text(entry.signed_by)
            return BatchBoundAnswer(entry.batch, entry.back, entry.cards, signed_by)
        case CardSetApart():
            # The tag is left out: it may be that of a card people have not seen.
            return CardSetApartAnswer(*cite(book.document, entry.clauses), entry.back)
        case ManifestRequested():
            return ManifestWantedAnswer(entry.batch)
        case _:
            assert_never(entry)


def _person_entry(
    entry: ResolutionRecorded | ActRecord | SettingChanged | CoupCorrected | Refusal,
    book: RuleBook,
) -> AnsweredEntry:
    match entry:
        case ResolutionRecorded():
            return ResolutionAnswer(
                person=entry.person,
                reason=entry.reason,
                decision=entry.decision,
                provisional=entry.provisional or "",
                outcome=entry.outcome or "",
                second=entry.second,
                closed=entry.closed,
                dealt_while_suspended=DealtOnAnswer(entry.coups_dealt, entry.cards_dealt),
            )
        case ActRecord():
            # The detail is left out: it may name cards.
            return RecordedAnswer(*cite(book.document, entry.clauses), entry.what, entry.person)
        case SettingChanged():
            return SettingChangedAnswer(
                *cite(book.document, entry.clauses),
                setting=entry.setting,
                old=entry.old,
                new=entry.new,
            )
        case CoupCorrected():
            return CoupCorrectedAnswer(
                shoe=entry.shoe,
                coup=entry.coup,
                before=entry.before,
                outcome=entry.outcome,
                person=entry.person,
                second=entry.second,
                reason=entry.reason,
                owed=tuple(OwedAnswer(one.seat, one.cents) for one in entry.owed),
            )
        case Refusal():
            return RefusedAnswer(entry.what, to_words(entry.why))
        case _:
            assert_never(entry)


def _verdict(verdict: Verdict, book: RuleBook, table: TableState) -> AnsweredEntry:
    if isinstance(verdict, Accepted):
        return AcceptedAnswer(*cite(book.document, verdict.clauses), to_words(verdict.what))
    return IrregularityAnswer(
        *cite(book.document, disclosed_clauses(book, table, verdict)),
        number=verdict.number,
        code=verdict.code.value,
        title=to_words(Message(verdict.code.value)),
        coup=verdict.coup,
        suspends=verdict.suspends,
    )

"""Collects all entries of a sealed shoe that belong to one coup, and what people saw of it."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from controller.core.tape.entries import EventVerdicts, StateDigest
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    CoupRecord,
    Prompt,
    RecordedCard,
    ResolutionRecorded,
    ShoeOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.verdicts import Accepted, Irregularity
from controller.record.disclosure import record_seen
from controller.rules.actions.actions import CorrectCoup, ReportTurned
from controller.rules.actions.choices import FloorDecision, LayoutPart
from controller.rules.coup import Place
from office.evidence.card_owners import coups_of_cards, match_draws
from office.evidence.sealed_shoe import ShoeAccount, ShoeEntry

_ERROR_CARD_TURNED: Final = ReportTurned(LayoutPart.ERROR_CARD)


class PlacedCard(Struct, frozen=True):
    """A card of a hand. `at` is the entry of its draw; None if it was held from before the coup."""

    dealt: RecordedCard
    at: ShoeEntry | None

    @property
    def claimed(self) -> Place:
        """The place that the shoe claimed for it."""
        judged = self.at.entry if self.at is not None else None
        drawn = judged.event if isinstance(judged, EventVerdicts) else None
        return drawn.claimed if isinstance(drawn, CardDrawn) else Place.UNCLAIMED


class RaisedIrregularity(Struct, frozen=True):
    """An irregularity, the entry that raised it, and the decision that closed it, if any."""

    at: ShoeEntry
    irregularity: Irregularity
    decided: ShoeEntry | None


class CoupAccount(Struct, frozen=True):
    """A coup with everything that belongs to it; `entries` are in order.

    `corrections` are the entries that correct its outcome, the last one counts.
    `drawn` are the records of all cards drawn in it, including those drawn in error. `seen`: people
    have seen its hands; `errors_seen`: they have seen the cards drawn in error.
    """

    shoe: ShoeAccount
    closed_at: ShoeEntry
    closed: CoupClosed
    paid: CoupPayment | None
    cards: tuple[PlacedCard, ...]
    entries: tuple[ShoeEntry, ...]
    raised: tuple[RaisedIrregularity, ...]
    decisions: tuple[ShoeEntry, ...]
    corrections: tuple[ShoeEntry, ...]
    drawn: frozenset[int]
    seen: bool
    errors_seen: bool

    @property
    def record(self) -> CoupRecord:
        return self.closed.record

    @property
    def corrected(self) -> CoupCorrected | None:
        """The correction that counts, if there is one."""
        last = self.corrections[-1].entry if self.corrections else None
        return last if isinstance(last, CoupCorrected) else None

    @property
    def name(self) -> str:
        """Gaming day, shoe and coup, such as 2026-11-21/7/34."""
        return f"{self.shoe.name}/{self.record.coup}"

    def card_clauses(self, seq: int) -> tuple[str, ...]:
        """The clauses that the verdicts on the card of record `seq` cite."""
        if not self.seen:
            return ()
        verdicts = (
            verdict
            for one in self.entries
            if one.seq == seq and isinstance(one.entry, EventVerdicts)
            for verdict in one.entry.verdicts
        )
        return tuple(dict.fromkeys(one for verdict in verdicts for one in verdict.clauses))

    def card_seen(self, seq: int) -> bool:
        """Whether people have seen the card of record `seq`, one of this coup."""
        if any(one.at is not None and one.at.seq == seq for one in self.cards):
            return self.seen
        return seq in self.drawn and self.errors_seen


def coup_account(shoe: ShoeAccount, number: int) -> CoupAccount | None:
    """The coup of that number; None if the shoe has no such finished coup."""
    at = next(
        (one for one in shoe.entries if _closed_coup_number(one, shoe.number) == number), None
    )
    if at is None or not isinstance(at.entry, CoupClosed):
        return None
    record = at.entry.record
    coup_of = coups_of_cards(shoe.entries, shoe.number)
    numbers = _irregularity_numbers(shoe, at, number)
    later = tuple(
        one for one in shoe.later if _corrects(shoe, one, number) or _decides(one, numbers)
    )
    entries = (*_entries_of_coup(shoe, coup_of, at, numbers), *later)
    decisions = tuple(one for one in entries if isinstance(one.entry, ResolutionRecorded))
    return CoupAccount(
        shoe=shoe,
        closed_at=at,
        closed=at.entry,
        paid=next(
            (one for one in shoe.entries_of(CoupPayment) if _is_payment_for(one, record)), None
        ),
        cards=tuple(PlacedCard(*one) for one in match_draws(record, shoe.entries, coup_of)),
        entries=entries,
        raised=tuple(_raised_irregularities(entries, decisions, record)),
        decisions=decisions,
        corrections=tuple(one for one in entries if _corrects(shoe, one, number)),
        drawn=frozenset(seq for seq, coup in coup_of.items() if coup == number),
        seen=record_seen(record, face_up=shoe.face_up),
        errors_seen=_errors_seen(entries, record),
    )


def _closed_coup_number(one: ShoeEntry, shoe: int) -> int:
    """The number of the coup of this shoe that this entry closes; 0 for none."""
    entry = one.entry
    of_it = isinstance(entry, CoupClosed) and entry.record.shoe == shoe
    return entry.record.coup if of_it and isinstance(entry, CoupClosed) else 0


def _corrects(shoe: ShoeAccount, one: ShoeEntry, number: int) -> bool:
    """Whether the entry corrects that coup of the shoe."""
    entry = one.entry
    if not isinstance(entry, CoupCorrected) or entry.coup != number:
        return False
    return shoe.is_named_by(entry.gaming_day, entry.shoe)


def _is_payment_for(paid: CoupPayment, record: CoupRecord) -> bool:
    here = (paid.gaming_day, paid.shoe, paid.coup)
    return here == (record.gaming_day, record.shoe, record.coup)


def _entries_of_coup(
    shoe: ShoeAccount, coup_of: Mapping[int, int], at: ShoeEntry, numbers: frozenset[int]
) -> Iterator[ShoeEntry]:
    """Entries from the end of the coup before, or of the burn, to the last decision about this one.

    One input may end a coup and begin the next, or hold many coups, and a coup dealt while play was
    suspended is closed late: an entry stored while another coup is dealt belongs to that coup.
    `at` closed it; `numbers` are those of its irregularities.
    """
    number = _closed_coup_number(at, shoe.number)
    begins = _first_record(shoe, coup_of, at, number)
    ends = _next_event_record(shoe, at.seq)
    to_correct = _coups_to_correct(shoe)
    dealt = 0
    for one in shoe.entries:
        dealt = coup_of.get(one.seq, dealt)
        if to_correct.get(one.cause, number) != number:
            continue
        named = one.cause in to_correct or (
            _raises_irregularity_of(one, number)
            or _decides(one, numbers)
            or coup_of.get(one.seq) == number
        )
        if named or (begins <= one.seq < ends and not _belongs_to_other_coup(one, number, dealt)):
            yield one
        if dealt and _closed_coup_number(one, shoe.number) == dealt:
            dealt = 0


def _coups_to_correct(shoe: ShoeAccount) -> dict[int, int]:
    """The coup that each request of a correction is about, by the number of its input.

    0 where it is of another shoe: until this one was opened, or if the request says so.
    """
    opened = shoe.opened_seq
    return {
        one.cause: request.coup if one.seq > opened and request.shoe in (0, shoe.number) else 0
        for one in shoe.entries
        if isinstance(request := one.judged_action, CorrectCoup)
    }


def _first_record(shoe: ShoeAccount, coup_of: Mapping[int, int], at: ShoeEntry, number: int) -> int:
    """The first record of this coup, which may come before its first card."""
    first = min((seq for seq, coup in coup_of.items() if coup == number), default=at.seq)
    begins = 0
    for one in shoe.entries:
        if one.seq >= first:
            break
        if 0 < _closed_coup_number(one, shoe.number) < number:
            begins = _next_event_record(shoe, one.seq)
        elif isinstance(one.entry, ShoeOpened | BurnDone):
            begins = one.seq + 1
    return min(begins, first)


def _next_event_record(shoe: ShoeAccount, seq: int) -> int:
    """The record of the next event: until then everything follows from record `seq`."""
    later = (
        one.seq for one in shoe.entries if one.seq > seq and isinstance(one.entry, EventVerdicts)
    )
    return next(later, shoe.heading.last_seq + 1)


def _irregularity_numbers(shoe: ShoeAccount, at: ShoeEntry, number: int) -> frozenset[int]:
    """The numbers of this coup's irregularities."""
    raised = (
        one.number
        for judged in shoe.entries_of(EventVerdicts)
        for one in _irregularities(judged)
        if one.coup == number
    )
    listed = at.entry.record.irregular if isinstance(at.entry, CoupClosed) else ()
    return frozenset((*raised, *listed))


def _irregularities(judged: EventVerdicts) -> Iterator[Irregularity]:
    return (one for one in judged.verdicts if isinstance(one, Irregularity))


def _decides(one: ShoeEntry, numbers: frozenset[int]) -> bool:
    entry = one.entry
    return isinstance(entry, ResolutionRecorded) and not numbers.isdisjoint(entry.closed)


def _raises_irregularity_of(one: ShoeEntry, number: int) -> bool:
    """Whether an irregularity of this coup is raised here."""
    entry = one.entry
    return isinstance(entry, EventVerdicts) and any(
        found.coup == number for found in _irregularities(entry)
    )


def _belongs_to_other_coup(one: ShoeEntry, number: int, dealt: int) -> bool:
    """Whether the entry is about another coup. `dealt` is the coup on the layout, 0 for none."""
    match one.entry:
        case StateDigest():
            return True
        case CoupClosed(record=record):
            return record.coup != number
        case CoupPayment(coup=coup):
            return coup != number
        case EventVerdicts() | Prompt():
            return dealt not in (0, number)
        case _:
            return False


def _raised_irregularities(
    entries: tuple[ShoeEntry, ...], decisions: tuple[ShoeEntry, ...], record: CoupRecord
) -> Iterator[RaisedIrregularity]:
    for one in entries:
        if not isinstance(one.entry, EventVerdicts):
            continue
        for found in _irregularities(one.entry):
            if found.coup == record.coup or found.number in record.irregular:
                yield RaisedIrregularity(one, found, _decision_on(found.number, decisions))


def _decision_on(number: int, decisions: tuple[ShoeEntry, ...]) -> ShoeEntry | None:
    return next((one for one in decisions if _decides(one, frozenset({number}))), None)


def _errors_seen(entries: tuple[ShoeEntry, ...], record: CoupRecord) -> bool:
    """Whether every card drawn in error was turned up, or burned: only a seen card is burned."""
    turned = 0
    for one in entries:
        match one.entry:
            case EventVerdicts(verdicts=verdicts) if one.judged_action == _ERROR_CARD_TURNED:
                turned += any(isinstance(verdict, Accepted) for verdict in verdicts)
            case ResolutionRecorded(decision=FloorDecision.BURN):
                return True
    return turned >= len(record.aside)

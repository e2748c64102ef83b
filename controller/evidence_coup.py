"""One coup out of a sealed shoe: its record and everything that belongs to it.

Responsible for: which entries of the shoe are about one coup, where its cards stand in the records,
its payment, irregularities and decisions, and what of it people have seen.
Not responsible for: reading the file (evidence_shoe) and for words and pages (evidence_page).
Source: package README, "Evidence bundle", "Disclosure".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from controller.card_rows import CardRow, RowRole
from controller.disclosure import record_seen
from controller.entries import Judged, StateDigest
from controller.evidence_shoe import SealedShoe, Told
from controller.procedure.effects import (
    CoupClosed,
    CoupPaid,
    CoupRecord,
    Prompted,
    RecordedCard,
    ResolutionRecorded,
)
from controller.procedure.events import CardDrawn, CardsTurned, TurnedCards
from controller.procedure.verdicts import Accepted, Irregularity
from controller.rules.coup import Place

_ROLES = {
    Place.PLAYER_1: RowRole.PLAYER_1,
    Place.BANKER_1: RowRole.BANKER_1,
    Place.PLAYER_2: RowRole.PLAYER_2,
    Place.BANKER_2: RowRole.BANKER_2,
    Place.PLAYER_3: RowRole.PLAYER_3,
    Place.BANKER_3: RowRole.BANKER_3,
}


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card of a hand. `row` is its row in the file, None where no row says it."""

    dealt: RecordedCard
    row: CardRow | None


@dataclass(frozen=True, slots=True)
class Raised:
    """An irregularity, where it was raised, and the decision that closed it, if any did."""

    at: Told
    irregularity: Irregularity
    decided: Told | None


@dataclass(frozen=True, slots=True)
class CoupAccount:
    """A coup with all that belongs to it. `told` is what happened, in order.

    `seen` says that people have seen its hands, `errors_seen` the cards drawn in error.
    """

    shoe: SealedShoe
    closed_at: Told
    closed: CoupClosed
    paid: CoupPaid | None
    cards: tuple[PlacedCard, ...]
    told: tuple[Told, ...]
    raised: tuple[Raised, ...]
    decisions: tuple[Told, ...]
    seen: bool
    errors_seen: bool

    @property
    def record(self) -> CoupRecord:
        return self.closed.record

    @property
    def name(self) -> str:
        """Gaming day, shoe and coup, as people write them."""
        return f"{self.shoe.name}/{self.record.coup}"

    def card_clauses(self, seq: int) -> tuple[str, ...]:
        """What the verdicts on the card that record `seq` tells of cite."""
        if not self.seen:
            return ()
        verdicts = (
            verdict
            for told in self.told
            if told.seq == seq and isinstance(told.entry, Judged)
            for verdict in told.entry.verdicts
        )
        return tuple(dict.fromkeys(one for verdict in verdicts for one in verdict.clauses))

    def row_at(self, seq: int) -> CardRow | None:
        """The row of the card that record `seq` tells of."""
        return next((row for row in self.shoe.rows if row.seq == seq), None)

    def card_seen(self, seq: int) -> bool:
        """Whether people have seen the card that record `seq` tells of: one of its hands."""
        row = self.row_at(seq)
        if row is None or row.coup != self.record.coup:
            return False
        return self.seen if row.role in _ROLES.values() else self.errors_seen


def coup_account(shoe: SealedShoe, number: int) -> CoupAccount | None:
    """The coup of that number; None where the shoe has none."""
    at = next((one for one in shoe.told if _closes(one, shoe.number) == number), None)
    if at is None or not isinstance(at.entry, CoupClosed):
        return None
    record = at.entry.record
    told = tuple(_about(shoe, at, number))
    decisions = tuple(one for one in told if isinstance(one.entry, ResolutionRecorded))
    return CoupAccount(
        shoe=shoe,
        closed_at=at,
        closed=at.entry,
        paid=next((one for one in shoe.entries(CoupPaid) if _pays(one, record)), None),
        cards=tuple(PlacedCard(dealt, _row_of(shoe, number, dealt)) for dealt in record.cards),
        told=told,
        raised=tuple(_raised(told, decisions, record)),
        decisions=decisions,
        seen=record_seen(record, face_up=shoe.face_up),
        errors_seen=_errors_turned(told) >= len(record.aside),
    )


def _closes(one: Told, shoe: int) -> int:
    """The number of the coup of this shoe that is closed here, 0 for none."""
    entry = one.entry
    of_it = isinstance(entry, CoupClosed) and entry.record.shoe == shoe
    return entry.record.coup if of_it and isinstance(entry, CoupClosed) else 0


def _pays(paid: CoupPaid, record: CoupRecord) -> bool:
    here = (paid.gaming_day, paid.shoe, paid.coup)
    return here == (record.gaming_day, record.shoe, record.coup)


def _row_of(shoe: SealedShoe, number: int, dealt: RecordedCard) -> CardRow | None:
    wanted = _ROLES.get(dealt.place)
    found = (row for row in shoe.rows if row.coup == number and row.role is wanted)
    return next(found, None)


def _about(shoe: SealedShoe, at: Told, number: int) -> Iterator[Told]:
    """Entries from the end of the coup before to the last decision about this one.

    What one input led to stays together; a card belongs to the coup that its row says, as an input
    may end one coup and begin the next.
    """
    coup_of = {row.seq: row.coup for row in shoe.rows}
    mine = {row.seq for row in shoe.rows if row.coup == number}
    before = max(
        (one.cause for one in shoe.told if 0 < _closes(one, shoe.number) < number), default=0
    )
    first = min((one.cause for one in shoe.told if one.seq in mine), default=at.cause)
    numbers = _numbers(shoe, at, number)
    begins = min(before + 1, first)
    others = {one.cause for one in shoe.told if coup_of.get(one.seq, number) not in (0, number)}
    for one in shoe.told:
        if isinstance(one.entry, StateDigest):
            continue
        if one.cause > at.cause:
            about = _decides(one, numbers)
        elif one.cause < begins:
            about = one.seq in mine or _of(one, number)
        else:
            called = isinstance(one.entry, Prompted) and one.cause in others
            about = not (called or _of_another(one, coup_of, number)) or _of(one, number)
        if about:
            yield one


def _numbers(shoe: SealedShoe, at: Told, number: int) -> frozenset[int]:
    """The irregularities of this coup."""
    raised = (
        one.number
        for judged in shoe.entries(Judged)
        for one in _irregularities(judged)
        if one.coup == number
    )
    listed = at.entry.record.irregular if isinstance(at.entry, CoupClosed) else ()
    return frozenset((*raised, *listed))


def _irregularities(judged: Judged) -> Iterator[Irregularity]:
    return (one for one in judged.verdicts if isinstance(one, Irregularity))


def _decides(one: Told, numbers: frozenset[int]) -> bool:
    entry = one.entry
    return isinstance(entry, ResolutionRecorded) and not numbers.isdisjoint(entry.closed)


def _of(one: Told, number: int) -> bool:
    """Whether an irregularity of this coup is raised here."""
    entry = one.entry
    return isinstance(entry, Judged) and any(
        found.coup == number for found in _irregularities(entry)
    )


def _of_another(one: Told, coup_of: dict[int, int], number: int) -> bool:
    """Whether it is another coup's card, end or payment."""
    match one.entry:
        case CoupClosed(record=record):
            return record.coup != number
        case CoupPaid(coup=coup):
            return coup != number
        case Judged(event=CardDrawn()):
            return coup_of.get(one.seq, number) != number
        case _:
            return False


def _raised(
    told: tuple[Told, ...], decisions: tuple[Told, ...], record: CoupRecord
) -> Iterator[Raised]:
    for one in told:
        if not isinstance(one.entry, Judged):
            continue
        for found in _irregularities(one.entry):
            if found.coup == record.coup or found.number in record.irregular:
                yield Raised(one, found, _decision_on(found.number, decisions))


def _decision_on(number: int, decisions: tuple[Told, ...]) -> Told | None:
    return next((one for one in decisions if _decides(one, frozenset({number}))), None)


def _errors_turned(told: tuple[Told, ...]) -> int:
    """How many cards drawn in error were turned up."""
    return sum(
        isinstance(one.entry, Judged)
        and isinstance(one.entry.event, CardsTurned)
        and one.entry.event.what is TurnedCards.ERROR_CARD
        and any(isinstance(verdict, Accepted) for verdict in one.entry.verdicts)
        for one in told
    )

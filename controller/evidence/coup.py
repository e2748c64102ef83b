"""One coup out of a sealed shoe: its record and everything that belongs to it.

Responsible for: which entries of the shoe are about one coup, where its cards stand in the records,
its payment, irregularities and decisions, and what of it people have seen.
Not responsible for: reading the file (evidence_shoe) and for words and pages (evidence_page).
Source: package README, "Evidence bundle", "Disclosure".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from controller.evidence.card_owners import coups_of_cards, placed
from controller.evidence.sealed_shoe import SealedShoe, Told
from controller.procedure.decisions import Decision
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupPaid,
    CoupRecord,
    Prompted,
    RecordedCard,
    ResolutionRecorded,
    ShoeOpened,
)
from controller.procedure.events import CardDrawn, CardsTurned, TurnedCards
from controller.procedure.verdicts import Accepted, Irregularity
from controller.rules.coup import Place
from controller.tape.entries import Judged, StateDigest
from controller.views.disclosure import record_seen


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card of a hand. `at` tells of its draw; None where it was held from before the coup."""

    dealt: RecordedCard
    at: Told | None

    @property
    def claimed(self) -> Place:
        """Where the shoe believed it goes."""
        judged = self.at.entry if self.at is not None else None
        drawn = judged.event if isinstance(judged, Judged) else None
        return drawn.claimed if isinstance(drawn, CardDrawn) else Place.UNCLAIMED


@dataclass(frozen=True, slots=True)
class Raised:
    """An irregularity, where it was raised, and the decision that closed it, if any did."""

    at: Told
    irregularity: Irregularity
    decided: Told | None


@dataclass(frozen=True, slots=True)
class CoupAccount:
    """A coup with all that belongs to it. `told` is what happened, in order.

    `drawn` are the records of all cards drawn in it, those in error too. `seen` says that people
    have seen its hands, `errors_seen` the cards drawn in error.
    """

    shoe: SealedShoe
    closed_at: Told
    closed: CoupClosed
    paid: CoupPaid | None
    cards: tuple[PlacedCard, ...]
    told: tuple[Told, ...]
    raised: tuple[Raised, ...]
    decisions: tuple[Told, ...]
    drawn: frozenset[int]
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

    def card_seen(self, seq: int) -> bool:
        """Whether people have seen the card that record `seq` tells of: one of this coup."""
        if any(one.at is not None and one.at.seq == seq for one in self.cards):
            return self.seen
        return seq in self.drawn and self.errors_seen


def coup_account(shoe: SealedShoe, number: int) -> CoupAccount | None:
    """The coup of that number; None where the shoe has none."""
    at = next((one for one in shoe.told if _closes(one, shoe.number) == number), None)
    if at is None or not isinstance(at.entry, CoupClosed):
        return None
    record = at.entry.record
    coup_of = coups_of_cards(shoe.told, shoe.number)
    told = tuple(_about(shoe, coup_of, at, number))
    decisions = tuple(one for one in told if isinstance(one.entry, ResolutionRecorded))
    return CoupAccount(
        shoe=shoe,
        closed_at=at,
        closed=at.entry,
        paid=next((one for one in shoe.entries(CoupPaid) if _pays(one, record)), None),
        cards=tuple(PlacedCard(*one) for one in placed(record, shoe.told, coup_of)),
        told=told,
        raised=tuple(_raised(told, decisions, record)),
        decisions=decisions,
        drawn=frozenset(seq for seq, coup in coup_of.items() if coup == number),
        seen=record_seen(record, face_up=shoe.face_up),
        errors_seen=_errors_seen(told, record),
    )


def _closes(one: Told, shoe: int) -> int:
    """The number of the coup of this shoe that is closed here, 0 for none."""
    entry = one.entry
    of_it = isinstance(entry, CoupClosed) and entry.record.shoe == shoe
    return entry.record.coup if of_it and isinstance(entry, CoupClosed) else 0


def _pays(paid: CoupPaid, record: CoupRecord) -> bool:
    here = (paid.gaming_day, paid.shoe, paid.coup)
    return here == (record.gaming_day, record.shoe, record.coup)


def _about(shoe: SealedShoe, coup_of: Mapping[int, int], at: Told, number: int) -> Iterator[Told]:
    """Entries from the end of the coup before, or of the burn, to the last decision about this one.

    One input may hold the end of a coup and the beginning of the next, or many coups, and a coup
    dealt while play was suspended is closed late: what is said while another coup is dealt is
    about that one.
    """
    numbers = _numbers(shoe, at, number)
    begins = _begins(shoe, coup_of, at, number)
    ends = _next_judged(shoe, at.seq)
    dealt = 0
    for one in shoe.told:
        dealt = coup_of.get(one.seq, dealt)
        named = _of(one, number) or _decides(one, numbers) or coup_of.get(one.seq) == number
        if named or (begins <= one.seq < ends and not _of_another(one, number, dealt)):
            yield one
        if dealt and _closes(one, shoe.number) == dealt:
            dealt = 0


def _begins(shoe: SealedShoe, coup_of: Mapping[int, int], at: Told, number: int) -> int:
    """The first record about this coup, wherever its first card is."""
    first = min((seq for seq, coup in coup_of.items() if coup == number), default=at.seq)
    begins = 0
    for one in shoe.told:
        if one.seq >= first:
            break
        if 0 < _closes(one, shoe.number) < number:
            begins = _next_judged(shoe, one.seq)
        elif isinstance(one.entry, ShoeOpened | BurnDone):
            begins = one.seq + 1
    return min(begins, first)


def _next_judged(shoe: SealedShoe, seq: int) -> int:
    """The record of the next event: until then everything follows from what is told at `seq`."""
    later = (one.seq for one in shoe.told if one.seq > seq and isinstance(one.entry, Judged))
    return next(later, shoe.heading.last_seq + 1)


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


def _of_another(one: Told, number: int, dealt: int) -> bool:
    """Whether it is about another coup. `dealt` is the coup on the layout, 0 for none."""
    match one.entry:
        case StateDigest():
            return True
        case CoupClosed(record=record):
            return record.coup != number
        case CoupPaid(coup=coup):
            return coup != number
        case Judged() | Prompted():
            return dealt not in (0, number)
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


def _errors_seen(told: tuple[Told, ...], record: CoupRecord) -> bool:
    """Whether every card drawn in error was turned up, or burned, which asks for a card seen."""
    turned = 0
    for one in told:
        match one.entry:
            case Judged(event=CardsTurned(what=TurnedCards.ERROR_CARD), verdicts=verdicts):
                turned += any(isinstance(verdict, Accepted) for verdict in verdicts)
            case ResolutionRecorded(decision=Decision.BURN.value):
                return True
    return turned >= len(record.aside)

"""Vigorish owed by each seat, its collection, its forms, and the refusals until it is paid.

Source: NY-c-3-ii-when to NY-c-3-ii-hold, NY-c-4-time, WA-ov-6-when, S42-c-3-ii-when to S42-c-3-iv,
S42-c-4-time; F-18, F-24, D-22.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishDeadline, VigorishMode
from controller.settlement.payout import PayoutLine
from controller.settlement.results import VigorishOn
from controller.settlement.terms import Terms
from controller.settlement.vigorish import is_deferred
from controller.settlement.wagers import money


class OwedVigorish(Struct, frozen=True):
    """Vigorish a seat owes, in cents: `marked` is deferred, `due` must be paid at once."""

    seat: int
    due: int
    marked: int

    @property
    def cents(self) -> int:
        return self.due + self.marked


class WaivedVigorish(Struct, frozen=True):
    """Uncollected vigorish of a patron, borne by the casino, with its form."""

    form_number: int
    patron: str
    cents: int


class VigorishLedger(Struct, frozen=True):
    """`owed` by ascending seat, no zero entries; `waived` in this gaming day.

    `last_form` is the number of the last form used, 0 for none.
    """

    owed: tuple[OwedVigorish, ...] = ()
    waived: tuple[WaivedVigorish, ...] = ()
    last_form: int = 0

    def owed_by(self, seat: int) -> OwedVigorish:
        """What the seat owes, possibly nothing."""
        found = (entry for entry in self.owed if entry.seat == seat)
        return next(found, OwedVigorish(seat, 0, 0))


EMPTY_LEDGER: Final = VigorishLedger()


class VigorishForm(Struct, frozen=True):
    """The complimentary vigorish form as filled in (S42-c-3-iii-A-form)."""

    number: int
    patron: str
    dealer: str
    pit_boss: str
    pit_clerk: str
    patron_signed: bool
    reason: str


class LedgerStatement(Struct, frozen=True):
    """A sentence on an entry of the ledger, with its clauses."""

    text: str
    clauses: tuple[str, ...]


class LedgerRefusal(Struct, frozen=True):
    """A refusal because of an open entry or an incomplete form, with its remedy."""

    why: str
    clauses: tuple[str, ...]
    remedy: str

    def __str__(self) -> str:
        cited = f" ({', '.join(self.clauses)})" if self.clauses else ""
        return f"{self.why}{cited}. {self.remedy}"


class LedgerEntryResult(Struct, frozen=True):
    """The ledger after an entry; `warnings` are about the form."""

    ledger: VigorishLedger
    statement: LedgerStatement
    warnings: tuple[LedgerStatement, ...] = ()


# --- entries ------------------------------------------------------------------------------------


def enter_owed(
    terms: Terms, ledger: VigorishLedger, lines: tuple[PayoutLine, ...]
) -> VigorishLedger:
    """Enter the vigorish of a coup: marked where it may be deferred, else due at once."""
    for line in lines:
        if line.vigorish_on is not VigorishOn.NOTHING:
            entry = ledger.owed_by(line.seat)
            if is_deferred(terms, line.vigorish_on):
                entry = replace(entry, marked=entry.marked + line.vigorish)
            else:
                entry = replace(entry, due=entry.due + line.vigorish)
            ledger = _with_entry(ledger, entry)
    return ledger


def collect_vigorish(
    terms: Terms, ledger: VigorishLedger, seat: int
) -> LedgerEntryResult | LedgerRefusal:
    """Record that everything the seat owes was collected."""
    entry = ledger.owed_by(seat)
    if not entry.cents:
        return _nothing_owed(seat)
    text = f"seat {seat}: vigorish {money(entry.cents)} collected"
    clauses = terms.cite(RulePoint.VIGORISH_WHEN, RulePoint.VIGORISH_HELD)
    return LedgerEntryResult(
        _with_entry(ledger, OwedVigorish(seat, 0, 0)), LedgerStatement(text, clauses)
    )


def document_uncollected(
    terms: Terms, ledger: VigorishLedger, seat: int, form: VigorishForm
) -> LedgerEntryResult | LedgerRefusal:
    """Record deferred vigorish that stays uncollected, with its form."""
    entry = ledger.owed_by(seat)
    refusal = _not_documentable(terms, entry) or _form_incomplete(terms, form)
    if refusal is not None:
        return refusal
    remaining = _with_entry(ledger, replace(entry, marked=0))
    line = WaivedVigorish(form.number, form.patron, entry.marked)
    signed = "signed by the patron" if form.patron_signed else f"not signed: {form.reason}"
    text = (
        f"seat {seat}: vigorish {money(entry.marked)} of {form.patron} not collected; form"
        f" {form.number} by {form.dealer}, {form.pit_boss} and {form.pit_clerk}, {signed}"
    )
    points = (RulePoint.VIGORISH_UNCOLLECTED, RulePoint.VIGORISH_FORM_SIGNED)
    return LedgerEntryResult(
        replace(remaining, waived=(*remaining.waived, line), last_form=form.number),
        LedgerStatement(text, terms.cite(*points, RulePoint.VIGORISH_HELD)),
        _out_of_sequence(terms, ledger, form.number),
    )


def void_form(
    terms: Terms, ledger: VigorishLedger, number: int, pit_boss: str, pit_clerk: str
) -> LedgerEntryResult | LedgerRefusal:
    """Record a void form: its number is used, nothing is waived."""
    if not terms.rules.uncollected_vig_form:
        return _no_form(terms)
    clauses = terms.cite(RulePoint.VIGORISH_FORM_VOID)
    if number < 1 or not pit_boss or not pit_clerk:
        return LedgerRefusal(
            "a void form has its number and is signed by pit boss and pit clerk",
            clauses,
            "Name number, pit boss and pit clerk",
        )
    text = f"form {number} void; signed by {pit_boss} and {pit_clerk}"
    return LedgerEntryResult(
        replace(ledger, last_form=number),
        LedgerStatement(text, clauses),
        _out_of_sequence(terms, ledger, number),
    )


# --- refusals because of open entries -----------------------------------------------------------


def next_card_refusal(terms: Terms, ledger: VigorishLedger) -> LedgerRefusal | None:
    """Refuse the next coup's first card while vigorish is due at once."""
    due = tuple(entry for entry in ledger.owed if entry.due)
    if not due:
        return None
    return LedgerRefusal(
        f"vigorish is due before the next card: {_listed((e.seat, e.due) for e in due)}",
        terms.cite(*_due_at_once(terms)),
        "Collect it",
    )


def reshuffle_refusal(terms: Terms, ledger: VigorishLedger) -> LedgerRefusal | None:
    """Refuse reshuffle, another batch and the next shoe while a seat owes anything."""
    if not ledger.owed:
        return None
    return LedgerRefusal(
        "vigorish is owed and the cards may not be reshuffled: "
        + _listed((entry.seat, entry.cents) for entry in ledger.owed),
        terms.cite(RulePoint.VIGORISH_DEADLINE, RulePoint.VIGORISH_HELD),
        _remedy(terms),
    )


def patron_leaving_refusal(terms: Terms, ledger: VigorishLedger, seat: int) -> LedgerRefusal | None:
    """Where the rules require it, refuse that a patron who owes vigorish leaves."""
    entry = ledger.owed_by(seat)
    early = terms.rules.vig_deadline is VigorishDeadline.SHOE_END_OR_PATRON_LEAVES
    if not entry.cents or not early:
        return None
    return LedgerRefusal(
        f"the patron of seat {seat} leaves and owes vigorish {money(entry.cents)}",
        terms.cite(RulePoint.VIGORISH_PATRON_LEAVES),
        _remedy(terms),
    )


# --- the end of a gaming day --------------------------------------------------------------------


def complimentary_totals(terms: Terms, ledger: VigorishLedger) -> tuple[LedgerStatement, ...]:
    """Vigorish borne by the casino in this gaming day, for each patron in order of the forms."""
    patrons = tuple(dict.fromkeys(line.patron for line in ledger.waived))
    return tuple(_patron_total(terms, ledger, patron) for patron in patrons)


def end_gaming_day(ledger: VigorishLedger) -> VigorishLedger:
    """Begin the next gaming day: debts and form numbers carry over."""
    return replace(ledger, waived=())


def _patron_total(terms: Terms, ledger: VigorishLedger, patron: str) -> LedgerStatement:
    own = tuple(line for line in ledger.waived if line.patron == patron)
    forms = ", ".join(str(line.form_number) for line in own)
    total = money(sum(line.cents for line in own))
    return LedgerStatement(
        f"{patron}: cash complimentary {total}, vigorish by form {forms}",
        terms.cite(RulePoint.VIGORISH_COMPLIMENTARY),
    )


# --- reasons ------------------------------------------------------------------------------------


def _not_documentable(terms: Terms, entry: OwedVigorish) -> LedgerRefusal | None:
    if not entry.cents:
        return _nothing_owed(entry.seat)
    if not terms.rules.uncollected_vig_form:
        return _no_form(terms)
    if not entry.marked:
        return LedgerRefusal(
            f"seat {entry.seat}: only vigorish that was deferred can be documented",
            terms.cite(*_due_at_once(terms), RulePoint.VIGORISH_UNCOLLECTED),
            "Collect it",
        )
    return None


def _form_incomplete(terms: Terms, form: VigorishForm) -> LedgerRefusal | None:
    if form.number < 1 or not form.patron:
        return LedgerRefusal(
            "a form has its printed number and names the patron",
            terms.cite(RulePoint.VIGORISH_UNCOLLECTED),
            "State both",
        )
    clauses = terms.cite(RulePoint.VIGORISH_FORM_SIGNED)
    if not (form.dealer and form.pit_boss and form.pit_clerk):
        return LedgerRefusal(
            "dealer, pit boss and pit clerk sign the form", clauses, "Name all three"
        )
    if not form.patron_signed and not form.reason:
        return LedgerRefusal(
            "the patron signs, or the form says why not", clauses, "State the reason"
        )
    return None


def _out_of_sequence(
    terms: Terms, ledger: VigorishLedger, number: int
) -> tuple[LedgerStatement, ...]:
    if not ledger.last_form or number == ledger.last_form + 1:
        return ()
    text = f"form {number} follows form {ledger.last_form}: forms are used in order"
    return (LedgerStatement(text, terms.cite(RulePoint.VIGORISH_FORM_SEQUENCE)),)


def _due_at_once(terms: Terms) -> tuple[RulePoint, ...]:
    on_ties = terms.rules.vig_mode is VigorishMode.TIE25
    return (RulePoint.TIE25_TIME,) if on_ties else (RulePoint.VIGORISH_WHEN,)


def _no_form(terms: Terms) -> LedgerRefusal:
    return LedgerRefusal(
        "the rules of this table have no form for uncollected vigorish",
        terms.cite(RulePoint.VIGORISH_HELD),
        "Collect it; the marker stays until then",
    )


def _nothing_owed(seat: int) -> LedgerRefusal:
    return LedgerRefusal(f"seat {seat} owes no vigorish", (), "Name a seat that does")


def _remedy(terms: Terms) -> str:
    return "Collect it or document it" if terms.rules.uncollected_vig_form else "Collect it"


def _listed(owed: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"seat {seat} {money(cents)}" for seat, cents in owed)


def _with_entry(ledger: VigorishLedger, entry: OwedVigorish) -> VigorishLedger:
    others = tuple(other for other in ledger.owed if other.seat != entry.seat)
    owed = (*others, entry) if entry.cents else others
    return replace(ledger, owed=tuple(sorted(owed, key=lambda one: one.seat)))

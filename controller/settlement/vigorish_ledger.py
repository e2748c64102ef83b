"""The ledger: who still owes vigorish, and what may not happen until it is closed.

Responsible for: vigorish owed by seat, collecting it, the form for what stays uncollected, and
the refusals that rest on an open entry.
Not responsible for: amounts (vigorish), and for stopping play (procedure).
Source: NY-c-3-ii-when to NY-c-3-ii-hold, NY-c-4-time, WA-ov-6-when, S42-c-3-ii-when to
S42-c-3-iv, S42-c-4-time; F-18, F-24, D-22.
"""

from collections.abc import Iterable
from typing import Final

from controller.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishDeadline, VigorishMode
from controller.settlement.payout import Line
from controller.settlement.results import VigorishOn
from controller.settlement.terms import Terms
from controller.settlement.vigorish import deferred
from controller.settlement.wagers import money
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Owed:
    """Vigorish of a seat, in cents: what is marked may wait, the rest is due at once."""

    seat: int
    due: int
    marked: int

    @property
    def cents(self) -> int:
        return self.due + self.marked


@dataclass(frozen=True, slots=True)
class Waived:
    """Vigorish of a patron that the casino bears, by the form that says so."""

    form_number: int
    patron: str
    cents: int


@dataclass(frozen=True, slots=True)
class Ledger:
    """`owed` by seat, ascending, none without cents; `waived` in this gaming day.

    `last_form` is the number of the form used last, 0 for none.
    """

    owed: tuple[Owed, ...] = ()
    waived: tuple[Waived, ...] = ()
    last_form: int = 0

    def of(self, seat: int) -> Owed:
        """What the seat owes, which may be nothing."""
        found = (entry for entry in self.owed if entry.seat == seat)
        return next(found, Owed(seat, 0, 0))


EMPTY_LEDGER: Final = Ledger()


@dataclass(frozen=True, slots=True)
class Form:
    """The complimentary vigorish form, as its staff fill it in (S42-c-3-iii-A-form)."""

    number: int
    patron: str
    dealer: str
    pit_boss: str
    pit_clerk: str
    patron_signed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class LedgerStatement:
    """What was entered, for the record, or what has to be done about an entry."""

    text: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LedgerRefusal:
    """What an open entry or an incomplete form forbids, and what to do."""

    why: str
    clauses: tuple[str, ...]
    remedy: str

    def __str__(self) -> str:
        cited = f" ({', '.join(self.clauses)})" if self.clauses else ""
        return f"{self.why}{cited}. {self.remedy}"


@dataclass(frozen=True, slots=True)
class Entered:
    """The ledger after an entry; `warnings` are remarks on the form."""

    ledger: Ledger
    statement: LedgerStatement
    warnings: tuple[LedgerStatement, ...] = ()


# --- entries ------------------------------------------------------------------------------------


def owe(terms: Terms, ledger: Ledger, lines: tuple[Line, ...]) -> Ledger:
    """Enter the vigorish of a coup's lines: marked where it may wait, else due at once."""
    for line in lines:
        if line.vigorish_on is not VigorishOn.NOTHING:
            entry = ledger.of(line.seat)
            if deferred(terms, line.vigorish_on):
                entry = replace(entry, marked=entry.marked + line.vigorish)
            else:
                entry = replace(entry, due=entry.due + line.vigorish)
            ledger = _with(ledger, entry)
    return ledger


def collect(terms: Terms, ledger: Ledger, seat: int) -> Entered | LedgerRefusal:
    """All that the seat owes was collected; its marker goes."""
    entry = ledger.of(seat)
    if not entry.cents:
        return _nothing_owed(seat)
    text = f"seat {seat}: vigorish {money(entry.cents)} collected"
    clauses = terms.cite(RulePoint.VIGORISH_WHEN, RulePoint.VIGORISH_HELD)
    return Entered(_with(ledger, Owed(seat, 0, 0)), LedgerStatement(text, clauses))


def document(terms: Terms, ledger: Ledger, seat: int, form: Form) -> Entered | LedgerRefusal:
    """Vigorish that was deferred and will not be collected is written down on its form."""
    entry = ledger.of(seat)
    refusal = _not_documentable(terms, entry) or _form_incomplete(terms, form)
    if refusal is not None:
        return refusal
    kept = _with(ledger, replace(entry, marked=0))
    line = Waived(form.number, form.patron, entry.marked)
    signed = "signed by the patron" if form.patron_signed else f"not signed: {form.reason}"
    text = (
        f"seat {seat}: vigorish {money(entry.marked)} of {form.patron} not collected; form"
        f" {form.number} by {form.dealer}, {form.pit_boss} and {form.pit_clerk}, {signed}"
    )
    points = (RulePoint.VIGORISH_UNCOLLECTED, RulePoint.VIGORISH_FORM_SIGNED)
    return Entered(
        replace(kept, waived=(*kept.waived, line), last_form=form.number),
        LedgerStatement(text, terms.cite(*points, RulePoint.VIGORISH_HELD)),
        _out_of_sequence(terms, ledger, form.number),
    )


def void_form(
    terms: Terms, ledger: Ledger, number: int, pit_boss: str, pit_clerk: str
) -> Entered | LedgerRefusal:
    """A form was voided: its number is used and nothing is waived."""
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
    return Entered(
        replace(ledger, last_form=number),
        LedgerStatement(text, clauses),
        _out_of_sequence(terms, ledger, number),
    )


# --- what an open entry forbids -----------------------------------------------------------------


def blocks_next_card(terms: Terms, ledger: Ledger) -> LedgerRefusal | None:
    """Vigorish that is due at once is collected before the next coup's first card."""
    due = tuple(entry for entry in ledger.owed if entry.due)
    if not due:
        return None
    return LedgerRefusal(
        f"vigorish is due before the next card: {_listed((e.seat, e.due) for e in due)}",
        terms.cite(*_due_at_once(terms)),
        "Collect it",
    )


def blocks_reshuffle(terms: Terms, ledger: Ledger) -> LedgerRefusal | None:
    """No reshuffle, no other batch and no next shoe while a seat owes anything."""
    if not ledger.owed:
        return None
    return LedgerRefusal(
        "vigorish is owed and the cards may not be reshuffled: "
        + _listed((entry.seat, entry.cents) for entry in ledger.owed),
        terms.cite(RulePoint.VIGORISH_DEADLINE, RulePoint.VIGORISH_HELD),
        _close(terms),
    )


def patron_leaves(terms: Terms, ledger: Ledger, seat: int) -> LedgerRefusal | None:
    """Where the rule says so, a seat's entry is closed when its patron leaves."""
    entry = ledger.of(seat)
    early = terms.rules.vig_deadline is VigorishDeadline.SHOE_END_OR_PATRON_LEAVES
    if not entry.cents or not early:
        return None
    return LedgerRefusal(
        f"the patron of seat {seat} leaves and owes vigorish {money(entry.cents)}",
        terms.cite(RulePoint.VIGORISH_PATRON_LEAVES),
        _close(terms),
    )


# --- the end of a gaming day --------------------------------------------------------------------


def complimentary(terms: Terms, ledger: Ledger) -> tuple[LedgerStatement, ...]:
    """The vigorish the casino bore in this gaming day, patron by patron as the forms came."""
    patrons = tuple(dict.fromkeys(line.patron for line in ledger.waived))
    return tuple(_of_patron(terms, ledger, patron) for patron in patrons)


def day_ended(ledger: Ledger) -> Ledger:
    """The next gaming day begins; what is owed stays owed, and forms go on in order."""
    return replace(ledger, waived=())


def _of_patron(terms: Terms, ledger: Ledger, patron: str) -> LedgerStatement:
    own = tuple(line for line in ledger.waived if line.patron == patron)
    forms = ", ".join(str(line.form_number) for line in own)
    total = money(sum(line.cents for line in own))
    return LedgerStatement(
        f"{patron}: cash complimentary {total}, vigorish by form {forms}",
        terms.cite(RulePoint.VIGORISH_COMPLIMENTARY),
    )


# --- reasons ------------------------------------------------------------------------------------


def _not_documentable(terms: Terms, entry: Owed) -> LedgerRefusal | None:
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


def _form_incomplete(terms: Terms, form: Form) -> LedgerRefusal | None:
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


def _out_of_sequence(terms: Terms, ledger: Ledger, number: int) -> tuple[LedgerStatement, ...]:
    if not ledger.last_form or number == ledger.last_form + 1:
        return ()
    text = f"form {number} follows form {ledger.last_form}: forms are used in order"
    return (LedgerStatement(text, terms.cite(RulePoint.VIGORISH_FORM_SEQUENCE)),)


def _due_at_once(terms: Terms) -> tuple[RulePoint, ...]:
    on_ties = terms.rules.vig_mode is VigorishMode.TIE25
    return (RulePoint.TIE25_TIME,) if on_ties else (RulePoint.VIGORISH_WHEN,)


def _no_form(terms: Terms) -> LedgerRefusal:
    return LedgerRefusal(
        "this table's rule knows no form for vigorish that stays uncollected",
        terms.cite(RulePoint.VIGORISH_HELD),
        "Collect it; the marker stays until then",
    )


def _nothing_owed(seat: int) -> LedgerRefusal:
    return LedgerRefusal(f"seat {seat} owes no vigorish", (), "Name a seat that does")


def _close(terms: Terms) -> str:
    return "Collect it or document it" if terms.rules.uncollected_vig_form else "Collect it"


def _listed(owed: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"seat {seat} {money(cents)}" for seat, cents in owed)


def _with(ledger: Ledger, entry: Owed) -> Ledger:
    others = tuple(other for other in ledger.owed if other.seat != entry.seat)
    kept = (*others, entry) if entry.cents else others
    return replace(ledger, owed=tuple(sorted(kept, key=lambda one: one.seat)))

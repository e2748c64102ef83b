"""Vigorish owed by each seat, its collection, its forms, and the refusals until it is paid.

Source: NY-c-3-ii-when to NY-c-3-ii-hold, NY-c-4-time, WA-ov-6-when, S42-c-3-ii-when to S42-c-3-iv,
S42-c-4-time; F-18, F-24, D-22.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import VigorishDeadline, VigorishMode
from controller.rules.settlement.payout import PayoutLine
from controller.rules.settlement.results import VigorishOn
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.vigorish import is_deferred
from controller.rules.settlement.wagers import money
from foundation.message import Message, message

# Cited with vigorish that was collected, and with a form for vigorish that was not.
COLLECTED_POINTS: Final = (RulePoint.VIGORISH_WHEN, RulePoint.VIGORISH_HELD)
DOCUMENTED_POINTS: Final = (
    RulePoint.VIGORISH_UNCOLLECTED,
    RulePoint.VIGORISH_FORM_SIGNED,
    RulePoint.VIGORISH_HELD,
)


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

    text: Message
    clauses: tuple[str, ...]


class LedgerRefusal(Struct, frozen=True):
    """A refusal because of an open entry or an incomplete form, with its remedy."""

    why: Message
    clauses: tuple[str, ...]
    remedy: Message


class LedgerEntryResult(Struct, frozen=True):
    """The ledger after an entry; `warnings` are about the form, `due` is done with it then."""

    ledger: VigorishLedger
    statement: LedgerStatement
    warnings: tuple[LedgerStatement, ...] = ()
    due: tuple[LedgerStatement, ...] = ()


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
    text = message("vigorish_collected", seat=seat, amount=money(entry.cents))
    clauses = terms.cite(*COLLECTED_POINTS)
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
    signed = message("form_signed_by_patron")
    if not form.patron_signed:
        signed = message("form_not_signed", typed=form.reason)
    text = message(
        "vigorish_not_collected",
        seat=seat,
        amount=money(entry.marked),
        patron=form.patron,
        form=form.number,
        dealer=form.dealer,
        pit_boss=form.pit_boss,
        pit_clerk=form.pit_clerk,
        signed=signed,
    )
    return LedgerEntryResult(
        replace(remaining, waived=(*remaining.waived, line), last_form=form.number),
        LedgerStatement(text, terms.cite(*DOCUMENTED_POINTS)),
        _out_of_sequence(terms, ledger, form.number),
        (_copies_of_form(terms, form.number),),
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
            message("void_form_number_and_signed_by_pit"),
            clauses,
            message("name_number_pit_boss_and_pit_clerk"),
        )
    text = message("form_void_signed_by_and", number=number, pit_boss=pit_boss, pit_clerk=pit_clerk)
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
        message("vigorish_due_before_next_card", seats=_listed((e.seat, e.due) for e in due)),
        terms.cite(*points_due_at_once(terms)),
        message("collect"),
    )


def reshuffle_refusal(terms: Terms, ledger: VigorishLedger) -> LedgerRefusal | None:
    """Refuse reshuffle, another batch and the next shoe while a seat owes anything."""
    if not ledger.owed:
        return None
    return LedgerRefusal(
        message(
            "vigorish_owed_before_reshuffle",
            seats=_listed((entry.seat, entry.cents) for entry in ledger.owed),
        ),
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
        message("patron_leaves_owing_vigorish", seat=seat, amount=money(entry.cents)),
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
    forms = tuple(line.form_number for line in own)
    total = money(sum(line.cents for line in own))
    return LedgerStatement(
        message("complimentary_total", patron=patron, amount=total, forms=forms),
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
            message("seat_only_vigorish_deferred_can_be_documented", seat=entry.seat),
            terms.cite(*points_due_at_once(terms), RulePoint.VIGORISH_UNCOLLECTED),
            message("collect"),
        )
    return None


def _form_incomplete(terms: Terms, form: VigorishForm) -> LedgerRefusal | None:
    if form.number < 1 or not form.patron:
        return LedgerRefusal(
            message("form_printed_number_and_names_patron"),
            terms.cite(RulePoint.VIGORISH_UNCOLLECTED),
            message("state_both"),
        )
    clauses = terms.cite(RulePoint.VIGORISH_FORM_SIGNED)
    if not (form.dealer and form.pit_boss and form.pit_clerk):
        return LedgerRefusal(
            message("dealer_pit_boss_and_pit_clerk_sign"), clauses, message("name_all_three")
        )
    if not form.patron_signed and not form.reason:
        return LedgerRefusal(
            message("patron_signs_or_form_says_why_not"), clauses, message("state_reason")
        )
    return None


def _copies_of_form(terms: Terms, number: int) -> LedgerStatement:
    """Where the original and the duplicate of a form go."""
    text = message("form_copies_go_to", number=number)
    return LedgerStatement(text, terms.cite(RulePoint.VIGORISH_FORM_COPIES))


def _out_of_sequence(
    terms: Terms, ledger: VigorishLedger, number: int
) -> tuple[LedgerStatement, ...]:
    if not ledger.last_form or number == ledger.last_form + 1:
        return ()
    text = message("forms_are_used_in_order", number=number, last_form=ledger.last_form)
    return (LedgerStatement(text, terms.cite(RulePoint.VIGORISH_FORM_SEQUENCE)),)


def points_due_at_once(terms: Terms) -> tuple[RulePoint, ...]:
    """The points by which vigorish is due before the next card."""
    on_ties = terms.rules.vig_mode is VigorishMode.TIE25
    return (RulePoint.TIE25_TIME,) if on_ties else (RulePoint.VIGORISH_WHEN,)


def _no_form(terms: Terms) -> LedgerRefusal:
    return LedgerRefusal(
        message("rules_this_table_no_form_for_uncollected"),
        terms.cite(RulePoint.VIGORISH_HELD),
        message("collect_marker_stays_until_then"),
    )


def _nothing_owed(seat: int) -> LedgerRefusal:
    return LedgerRefusal(message("seat_owes_no_vigorish", seat=seat), (), message("name_seat_does"))


def _remedy(terms: Terms) -> Message:
    return (
        message("collect_or_document") if terms.rules.uncollected_vig_form else message("collect")
    )


def _listed(owed: Iterable[tuple[int, int]]) -> tuple[Message, ...]:
    return tuple(message("seat_owes", seat=seat, amount=money(cents)) for seat, cents in owed)


def _with_entry(ledger: VigorishLedger, entry: OwedVigorish) -> VigorishLedger:
    others = tuple(other for other in ledger.owed if other.seat != entry.seat)
    owed = (*others, entry) if entry.cents else others
    return replace(ledger, owed=tuple(sorted(owed, key=lambda one: one.seat)))

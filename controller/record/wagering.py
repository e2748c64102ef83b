"""Snapshot part: wagers, payment, vigorish and changed settings.

Source: NY (c)(3)(ii); S42 (c)(3)(ii)-(iv).
"""

from controller.procedure.effects import CoupPayment
from controller.procedure.people.pit_values import differences_from_pit
from controller.procedure.people.setting_changes import setting_text
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.wagering.payment import coup_facts, terms_of
from controller.procedure.wagering.wagers import is_betting_closed, standing_wagers
from controller.record.disclosure import record_withheld
from controller.record.snapshot import (
    AmountView,
    ChangedSettingView,
    NoticeView,
    OwedVigorishView,
    PaymentStepView,
    PaymentView,
    WageringView,
    WagerView,
    WinView,
)
from controller.record.snapshot_devices import PitDifferenceView
from controller.rules.outcome import CoupFate
from controller.rules.profiles.borrowing import cite, with_citation
from controller.rules.setting_values import VigorishDeadline
from controller.rules.settlement.admission import WagerRefusal, admit_wagers
from controller.rules.settlement.results import wager_results
from controller.rules.settlement.vigorish_ledger import OwedVigorish, complimentary_totals
from controller.rules.settlement.wagers import KIND_NAMES, Wager, money, wager_name
from controller.system.messages.catalogue import to_words
from foundation.message import message

_DEADLINES = {
    VigorishDeadline.BEFORE_RESHUFFLE: message("deadline_before_reshuffle"),
    VigorishDeadline.SHOE_END_OR_PATRON_LEAVES: message("deadline_shoe_end_or_patron_leaves"),
}
_AT_ONCE = message("deadline_before_next_card")
_PATRON_LEFT = message("deadline_patron_left")


def wagering_view(book: RuleBook, table: TableState) -> WageringView:
    """An amount is given in cents and as text. `book` is the one in effect."""
    wagering, terms = table.wagering, terms_of(book)
    paid = wagering.last_payment
    return WageringView(
        locked=is_betting_closed(book, table),
        wagers=_wagers(book, table),
        verbal=tuple(AmountView(one.seat, one.cents, money(one.cents)) for one in wagering.verbal),
        owed=tuple(_owed(book, table, entry) for entry in wagering.ledger.owed),
        complimentary=tuple(complimentary_of_day(book, table)),
        wins=_wins(book, table),
        payment=_payment(book, paid) if paid is not None else None,
        offered=tuple(kind.value for kind in terms.offered),
        notices=tuple(
            NoticeView(one.setting, one.value, one.to, one.person) for one in table.notices
        ),
        settings=_settings(book, table),
        pit_differences=tuple(
            PitDifferenceView(
                *cite(book.document, one.clauses),
                setting=one.setting,
                value=one.own,
                of_pit=one.of_pit,
            )
            for one in differences_from_pit(book, table)
        ),
    )


def complimentary_of_day(book: RuleBook, table: TableState) -> list[str]:
    """Vigorish that the casino paid in this gaming day, patron by patron."""
    return [
        to_words(line.text) for line in complimentary_totals(terms_of(book), table.wagering.ledger)
    ]


def wager_refusal_words(own: str, refused: WagerRefusal) -> str:
    """A refused wager as a person reads it; `own` is the profile's rule document."""
    why = with_citation(own, to_words(refused.why), refused.clauses)
    name = wager_name(refused.kind, refused.medium)
    return to_words(
        message("wager_refused", seat=refused.seat, wager=name, why=why, remedy=refused.remedy)
    )


def _wagers(book: RuleBook, table: TableState) -> tuple[WagerView, ...]:
    """Wagers on the open coup, else on the next one, by seat."""
    coup = table.shoe.coup if table.shoe is not None else None
    stood = standing_wagers(table.wagering, coup.number) if coup is not None else None
    wagers = stood.wagers if stood is not None else table.wagering.wagers
    admission = admit_wagers(terms_of(book), wagers)
    shown = [_wager(one, "") for one in admission.standing]
    shown += [_wager(one, to_words(refusal.why)) for one, refusal in admission.refused]
    return tuple(sorted(shown, key=lambda wager: wager.seat))


def _wager(wager: Wager, refused: str) -> WagerView:
    return WagerView(
        seat=wager.seat,
        cents=wager.cents,
        amount=money(wager.cents),
        kind=wager.kind.value,
        name=to_words(wager_name(wager.kind, wager.medium)),
        refused=refused,
        medium=wager.medium.value,
    )


def _owed(book: RuleBook, table: TableState, entry: OwedVigorish) -> OwedVigorishView:
    if entry.due:
        deadline = _AT_ONCE
    elif entry.seat in table.wagering.vacated:
        deadline = _PATRON_LEFT
    else:
        deadline = _DEADLINES.get(book.values.vig_deadline, _AT_ONCE)
    return OwedVigorishView(entry.seat, entry.cents, money(entry.cents), to_words(deadline))


def _wins(book: RuleBook, table: TableState) -> tuple[WinView, ...]:
    """The result of every possible wager on the last coup, made or not; none if it is corrected."""
    shoe = table.shoe
    record = shoe.last_coup if shoe is not None else None
    if shoe is None or record is None or record.ghost or record.fate is not CoupFate.COUNTED:
        return ()
    finished = shoe.finished_coup(record.coup)
    if finished is not None and finished.outcome is not record.outcome:
        return ()
    if record_withheld(book, record):
        return ()
    return tuple(
        WinView(
            *cite(book.document, one.clauses),
            kind=one.kind.value,
            name=to_words(KIND_NAMES[one.kind]),
            verdict=one.verdict.value,
            odds=str(one.odds) if one.odds is not None else None,
        )
        for one in wager_results(terms_of(book), coup_facts(record))
    )


def _payment(book: RuleBook, paid: CoupPayment) -> PaymentView:
    steps = (
        PaymentStepView(
            *cite(book.document, act.clauses),
            seat=act.seat,
            act=act.act.value,
            cents=act.cents,
            text=to_words(act.text),
        )
        for act in paid.steps
    )
    return PaymentView(paid.coup, "" if paid.note is None else to_words(paid.note), tuple(steps))


def _settings(book: RuleBook, table: TableState) -> tuple[ChangedSettingView, ...]:
    """Settings changed at this table and still in effect; each is the house's own choice."""
    return tuple(
        ChangedSettingView(
            *cite(book.document, book.profile.value(one.setting).basis),
            setting=one.setting,
            value=one.value,
            file=one.file_value,
            reason=one.reason,
        )
        for one in table.settings
        if setting_text(book, one.setting) == one.value
    )

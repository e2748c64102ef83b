"""What people did beside the coups: notices of changes, vigorish and its forms, duties.

Source: NY-c-5-notice, NY-c-3-ii-mark; S42-c-3-iii-A-form to S42-c-3-iii-F, S42-j-3-ii, S42-d-1,
S42-e-5; NJ-7.3-f-2.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.procedure.effects import ActRecord, CoupPayment, Prompt, SettingChanged
from controller.rules.actions.actions import (
    CollectVigorish,
    DocumentVigorish,
    GiveNotice,
    RecordAct,
)
from controller.rules.actions.choices import ActKind
from controller.rules.settlement.payment_order import PaymentAct
from controller.rules.settlement.payout import PayoutLine
from controller.rules.settlement.wagers import money
from controller.system.messages.catalogue import to_words
from office.evidence.sealed_shoe import ShoeEntry
from office.reports.shoes import ReportedShoe

# Acts that are no duty: of conduct, of the shoe itself, of wagers.
_NO_DUTY: Final = (
    *(ActKind.SHOE_PASSED, ActKind.CARDS_TOUCHED, ActKind.WAGER_TOUCHED),
    *(ActKind.SHOE_EMPTY, ActKind.SHOE_JAMMED, ActKind.VERBAL_WAGER),
)
# Acts whose amount says how deep the stack was cut, in cards.
_CUTS: Final = (ActKind.CUT, ActKind.CUT_BY_DEALER, ActKind.CUT_MOVED, ActKind.CUT_CARDS_PLACED)
_OUT_OF_ORDER: Final = "forms_are_used_in_order"


class NoticeRow(Struct, frozen=True):
    """A notice of a coming change. `effective` is the change, None where none is in the records."""

    shoe: ReportedShoe
    at: ShoeEntry
    setting: str
    value: str
    to: str
    effective: ShoeEntry | None
    clauses: tuple[str, ...]


class VigorishKind(StrEnum):
    """What became of vigorish, or of a form for it."""

    OWED = "owed"  # at once: as winners are paid, or before the next card
    MARKED = "owed_later"  # marked on the layout
    EXEMPT = "exempt"  # by total card wagers
    COLLECTED = "collected"
    DOCUMENTED = "documented"
    VOID = "form_void"
    MISSING = "form_missing"
    WAIVED = "waived_of_patron"  # the sum of a patron's forms


class VigorishRow(Struct, frozen=True):
    """Vigorish of a seat or patron. `form` is a number, or a range of missing ones.

    `at` is None for what follows from several records.
    """

    shoe: ReportedShoe
    at: ShoeEntry | None
    kind: VigorishKind
    clauses: tuple[str, ...]
    coup: int | None = None
    seat: int | None = None
    amount: str = ""
    form: str = ""
    patron: str = ""
    text: str = ""


class DutyRow(Struct, frozen=True):
    """A duty that somebody did. `depth`: after how many cards the stack was cut."""

    shoe: ReportedShoe
    at: ShoeEntry
    act: ActKind
    batch: str
    depth: int | None
    person: str
    second: str
    text: str
    clauses: tuple[str, ...]


# --- notices --------------------------------------------------------------------------------------


def notice_rows(shoes: Sequence[ReportedShoe]) -> tuple[NoticeRow, ...]:
    """The notices in order, each with the next change to its value."""
    entries = [(shoe, one) for shoe in shoes for one in shoe.shoe.entries]
    changes = [one for _, one in entries if isinstance(one.entry, SettingChanged)]
    rows = []
    for shoe, one in entries:
        act, recorded = _act_of(one), one.entry
        if isinstance(act, GiveNotice) and isinstance(recorded, ActRecord):
            effective = next((each for each in changes if _makes(each, act, one)), None)
            rows.append(
                NoticeRow(shoe, one, act.setting, act.value, act.to, effective, recorded.clauses)
            )
    return tuple(rows)


def _makes(change: ShoeEntry, notice: GiveNotice, at: ShoeEntry) -> bool:
    made = change.entry
    assert isinstance(made, SettingChanged), "a change of a setting"
    same = (made.setting, made.new) == (notice.setting, notice.value.strip())
    return same and change.seq > at.seq


# --- vigorish -------------------------------------------------------------------------------------


def vigorish_rows(shoes: Sequence[ReportedShoe]) -> tuple[VigorishRow, ...]:
    """What was owed, collected and documented, in order; then missing forms, and sums by patron."""
    rows = [row for shoe in shoes for one in shoe.shoe.entries for row in _vigorish_of(shoe, one)]
    return (*rows, *_missing_forms(shoes, rows), *_waived(rows))


def _vigorish_of(shoe: ReportedShoe, one: ShoeEntry) -> Iterator[VigorishRow]:
    match one.entry:
        case CoupPayment():
            yield from _charged(shoe, one, one.entry)
        case ActRecord():
            yield from _recorded(shoe, one, one.entry)


def _charged(shoe: ReportedShoe, one: ShoeEntry, paid: CoupPayment) -> Iterator[VigorishRow]:
    acts = {(step.seat, step.kind): step.act for step in paid.steps if step.act in _CHARGES}
    for line in paid.settlement.lines:
        if line.charged_by:
            yield VigorishRow(
                shoe,
                one,
                _CHARGES[acts[line.seat, line.kind]] if line.vigorish else VigorishKind.EXEMPT,
                line.charged_by,
                coup=paid.coup,
                seat=line.seat,
                amount=_charge(line),
            )


_CHARGES: Final = {
    PaymentAct.COLLECT_VIGORISH: VigorishKind.OWED,
    PaymentAct.MARK_VIGORISH: VigorishKind.MARKED,
}


def _charge(line: PayoutLine) -> str:
    return money(line.vigorish) if line.vigorish else ""


def _recorded(shoe: ReportedShoe, one: ShoeEntry, recorded: ActRecord) -> Iterator[VigorishRow]:
    act, said = _act_of(one), dict(recorded.detail.parameters)
    amount, text = str(said.get("amount", "")), to_words(recorded.detail)
    match act:
        case CollectVigorish(seat=seat):
            yield VigorishRow(
                shoe,
                one,
                VigorishKind.COLLECTED,
                recorded.clauses,
                seat=seat,
                amount=amount,
                text=text,
            )
        case DocumentVigorish(form_number=form, void=True):
            yield VigorishRow(
                shoe, one, VigorishKind.VOID, recorded.clauses, form=str(form), text=text
            )
        case DocumentVigorish(seat=seat, form_number=form, patron=patron):
            yield VigorishRow(
                shoe,
                one,
                VigorishKind.DOCUMENTED,
                recorded.clauses,
                seat=seat,
                amount=amount,
                form=str(form),
                patron=patron,
                text=text,
            )


def _missing_forms(
    shoes: Sequence[ReportedShoe], rows: Sequence[VigorishRow]
) -> Iterator[VigorishRow]:
    """Numbers that were left out when a form was used, and not used later in these records."""
    used = {int(row.form) for row in rows if row.form}
    for shoe in shoes:
        for one in shoe.shoe.entries:
            if not isinstance(one.entry, Prompt) or one.entry.text.id != _OUT_OF_ORDER:
                continue
            said = dict(one.entry.text.parameters)
            left_out = _unused(int(str(said["last_form"])) + 1, int(str(said["number"])) - 1, used)
            for first, last in left_out:
                form = str(first) if first == last else f"{first}-{last}"
                yield VigorishRow(shoe, one, VigorishKind.MISSING, one.entry.clauses, form=form)


def _unused(first: int, last: int, used: set[int]) -> Iterator[tuple[int, int]]:
    """The ranges of numbers from first to last that are in none of the used."""
    for number in (*sorted(one for one in used if first <= one <= last), last + 1):
        if first < number:
            yield first, number - 1
        first = number + 1


def _waived(rows: Sequence[VigorishRow]) -> Iterator[VigorishRow]:
    """For each patron the sum of what the forms say, with their numbers."""
    documented = [row for row in rows if row.kind is VigorishKind.DOCUMENTED]
    for patron in dict.fromkeys(row.patron for row in documented):
        own = [row for row in documented if row.patron == patron]
        cents = sum(int(row.amount.replace(".", "")) for row in own)
        yield VigorishRow(
            own[-1].shoe,
            None,
            VigorishKind.WAIVED,
            tuple(dict.fromkeys(clause for row in own for clause in row.clauses)),
            amount=money(cents),
            form=" ".join(row.form for row in own),
            patron=patron,
        )


# --- duties ---------------------------------------------------------------------------------------


def duty_rows(shoes: Sequence[ReportedShoe]) -> tuple[DutyRow, ...]:
    """What was posted, inspected, verified, shuffled, cut, loaded, and by whom."""
    return tuple(
        DutyRow(
            shoe,
            one,
            act.kind,
            act.batch,
            act.amount if act.kind in _CUTS and act.amount else None,
            recorded.person,
            act.second,
            to_words(recorded.detail),
            recorded.clauses,
        )
        for shoe in shoes
        for one in shoe.shoe.entries
        if isinstance(act := _act_of(one), RecordAct)
        and isinstance(recorded := one.entry, ActRecord)
        and act.kind not in _NO_DUTY
    )


def _act_of(one: ShoeEntry) -> object:
    return None if one.action is None else one.action.action

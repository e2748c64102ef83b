"""Builds the report of a gaming day: its shoes, figures, irregularities, corrections, settings.

Self-contained, without scripts, without cards that nobody has seen; it prints on A4.
Source: HTML Living Standard; CSS 2.2, "Paged media".
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from controller.outlets.rendering import render
from controller.procedure.effects import SettingChanged
from controller.rules.outcome import CoupFate, Outcome
from controller.rules.profiles.borrowing import borrowed_by, describe_citation
from controller.rules.profiles.clauses import Clause
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from foundation.message import Message
from office.evidence import page_values as values
from office.evidence.page import clause_text
from office.evidence.sealed_shoe import ShoeAccount, ShoeEntry
from office.evidence.timeline import describe_correction, entry_lines, local_and_utc
from office.reports.coup_rows import counting_outcome
from office.reports.day_acts import duty_rows, notice_rows, vigorish_rows
from office.reports.figures import NS_PER_S, DecisionTimes, Figures, figures_of
from office.reports.links import ReportLinks
from office.reports.proceedings import Proceedings
from office.reports.shoe_page import (
    PACKAGES,
    decision_text,
    duration_text,
    from_to_text,
    outcome_summary,
)
from office.reports.shoes import ReportedShoe
from office.reports.tables import TABLE_NAMES

_PER_CENT: Final = 100
_FATES: Final = {
    CoupFate.COUNTED: "Counted by their cards",
    CoupFate.VOID: "Void by a decision",
    CoupFate.PARTIAL: "Partial: reports are missing",
    CoupFate.FLOOR_DECIDED: "Outcome stated by a decision",
}


class DayShoe(Struct, frozen=True):
    """A shoe in the list of the day; `tally` is Player, Banker, Tie, without outcome."""

    shoe: ReportedShoe
    begins: str
    ends: str
    coups: int
    tally: tuple[int, ...]
    corrected: int


def day_page(
    shoes: Sequence[ReportedShoe],
    unsealed: Sequence[int],
    proceedings: Proceedings,
    clauses: Mapping[str, Clause],
    links: ReportLinks,
) -> str:
    """The whole page, with ids in place of names. `unsealed`: shoes of the day left out."""
    newest, figures = shoes[-1], figures_of(shoes, proceedings)
    heading, contents = newest.shoe.heading, newest.shoe
    outcomes = [counting_outcome(coup) for shoe in shoes for coup in shoe.coups]
    settings = tuple(_setting_lines(shoes))
    ids = [one for each in proceedings.irregularities for one in each.clauses]
    notices, vigorish, duties = notice_rows(shoes), vigorish_rows(shoes), duty_rows(shoes)
    ids += [one for line in settings for one in line.clauses]
    ids += [one for notice in notices for one in notice.clauses]
    ids += [one for charged in vigorish for one in charged.clauses]
    ids += [one for duty in duties for one in duty.clauses]
    return render(
        "day.html",
        *PACKAGES,
        title=f"Gaming day {heading.gaming_day}, table {heading.table}",
        links=links,
        grave=bool(proceedings.irregularities) or figures.corrections > 0 or bool(unsealed),
        verdict=f"{counted(len(shoes), 'shoe')}, {outcome_summary(outcomes)}",
        summary=_summary(figures),
        from_to=from_to_text(shoes[0].shoe, contents),
        unsealed=unsealed,
        shoes=tuple(map(_day_shoe, shoes)),
        outcomes=tuple(_outcome_rows(figures)),
        counts=tuple(_counts(figures)),
        times=tuple(_times(proceedings, figures)),
        kinds=tuple((code, to_words(Message(code)), n) for code, n in _by_code(figures)),
        decisions=figures.decisions,
        mean_text=_mean_text,
        duration_text=duration_text,
        irregularities=proceedings.irregularities,
        corrections=tuple((shoe, coup) for shoe in shoes for coup in shoe.coups if coup.corrected),
        settings=settings,
        notices=notices,
        vigorish=vigorish,
        duties=duties,
        tables=TABLE_NAMES,
        proof=newest.seal,
        first_seq=shoes[0].shoe.heading.first_seq,
        last_seq=heading.last_seq,
        clauses=tuple((one, clause_text(clauses.get(one))) for one in dict.fromkeys(ids)),
        cited=lambda one: describe_citation(one, borrowed_by(contents.document, one)),
        moment=lambda utc_ns: values.moment(contents, utc_ns),
        decision_text=decision_text,
        describe_correction=describe_correction,
        owed_texts=values.owed_texts,
        sentence=values.sentence,
    )


def bundles_page(shoes: Sequence[ReportedShoe], links: ReportLinks) -> str:
    """The index of the evidence of every coup of the day."""
    heading = shoes[0].shoe.heading
    return render(
        "bundles.html",
        *PACKAGES,
        title=f"Evidence of gaming day {heading.gaming_day}, table {heading.table}",
        links=links,
        shoes=shoes,
        counting=counting_outcome,
    )


def _day_shoe(shoe: ReportedShoe) -> DayShoe:
    now = [counting_outcome(coup) for coup in shoe.coups]
    heading = shoe.shoe.heading
    return DayShoe(
        shoe=shoe,
        begins=_clock(shoe.shoe, heading.from_ns),
        ends=_clock(shoe.shoe, heading.until_ns),
        coups=len(now),
        tally=tuple(now.count(one) for one in (*Outcome, None)),
        corrected=sum(coup.corrected is not None for coup in shoe.coups),
    )


def _clock(shoe: ShoeAccount, utc_ns: int) -> str:
    """Local time to the minute, with the day: a gaming day has two."""
    return local_and_utc(utc_ns, shoe.zone)[0][:16]


def _summary(figures: Figures) -> str:
    total = sum(figures.irregularities.values())
    parts = [
        counted(total, "irregularity", "irregularities") if total else "No irregularity",
        f"{figures.undecided} without a decision" if figures.undecided else "",
        counted(figures.corrections, "correction") if figures.corrections else "",
        f"play suspended {duration_text(figures.suspended_ns)} in all"
        if figures.suspensions
        else "",
    ]
    return f"{', '.join(part for part in parts if part)}."


def _by_code(figures: Figures) -> list[tuple[str, int]]:
    """The irregularities by code, the most frequent first."""
    return sorted(figures.irregularities.items(), key=lambda one: (-one[1], one[0]))


def _outcome_rows(figures: Figures) -> Iterator[tuple[str, int, int, str]]:
    """Outcome, coups now, coups at their end, share of the coups with an outcome now."""
    decided = sum(figures.outcomes.values())
    for one in Outcome:
        count = figures.outcomes[one]
        share = f"{_PER_CENT * count / decided:.1f} %" if decided else ""
        yield one.value.capitalize(), count, figures.at_end[one], share
    yield (
        "Without outcome",
        figures.without_outcome,
        figures.coups - sum(figures.at_end.values()),
        "",
    )


def _counts(figures: Figures) -> Iterator[tuple[str, str]]:
    """The other counts of coups."""
    yield "Shoes", str(figures.shoes)
    yield "Coups", str(figures.coups)
    yield from (
        (_FATES[fate], str(count))
        for fate, count in figures.fates.items()
        if count or fate in (CoupFate.COUNTED, CoupFate.VOID)
    )
    yield "Ghost hands", str(figures.ghost_hands)
    yield "Naturals", str(figures.naturals)
    yield "Pairs", f"Player {figures.player_pairs}, Banker {figures.banker_pairs}"
    yield "Corrections", str(figures.corrections)
    yield "Changes of settings", str(figures.settings_changed)


def _times(proceedings: Proceedings, figures: Figures) -> Iterator[tuple[str, str]]:
    """Suspended time and what the shuffler cost."""
    suspended = f"{duration_text(figures.suspended_ns)}, {counted(figures.suspensions, 'time')}"
    if proceedings.suspended_at_end:
        suspended += "; the last time is not over in these records and not counted"
    yield "Play suspended", suspended
    yield "Irregularities without a decision", str(figures.undecided)
    down_ns = figures.shuffler_down_ns
    yield "Shuffler down", "no shuffler" if down_ns is None else duration_text(down_ns)
    if down_ns is not None:
        waited = duration_text(figures.warnings_waited_ns)
        cleared = f"{figures.warnings_cleared} cleared after {waited} in all"
        yield "Warnings of the shuffler", f"{figures.warnings}, {cleared}"


def _mean_text(one: DecisionTimes) -> str:
    return "" if one.mean_s is None else duration_text(round(one.mean_s * NS_PER_S))


class SettingLine(Struct, frozen=True):
    """A change of a setting in one sentence."""

    at: ShoeEntry
    shoe: int
    text: str
    reason: str
    clauses: tuple[str, ...]


def _setting_lines(shoes: Sequence[ReportedShoe]) -> Iterator[SettingLine]:
    for shoe in shoes:
        for one in shoe.shoe.entries:
            if isinstance(changed := one.entry, SettingChanged):
                for line in entry_lines(one):
                    reason = f" Reason: {changed.reason}." if changed.reason else ""
                    yield SettingLine(one, shoe.shoe.number, line.text, reason, line.clauses)

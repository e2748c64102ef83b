"""Builds the report of a shoe: every coup, burn and cut card, irregularities, people, seal, roads.

Self-contained, without scripts, without cards that nobody has seen; it prints on A4.
Source: HTML Living Standard; CSS 2.2, "Paged media".
"""

from collections.abc import Iterable, Mapping
from typing import Final

from controller.outlets.rendering import render
from controller.outlets.road_drawings import road_drawings
from controller.procedure.effects import (
    ResolutionRecorded,
)
from controller.rules.outcome import Outcome
from controller.rules.profiles.borrowing import borrowed_by, describe_citation
from controller.rules.profiles.clauses import Clause
from controller.system.messages.quantity import counted
from office.evidence import page_values as values
from office.evidence.page import clause_text, shoe_roads
from office.evidence.sealed_shoe import ShoeAccount
from office.evidence.timeline import (
    TableClock,
    TimelineLine,
    describe_correction,
    describe_decision,
    local_and_utc,
)
from office.reports.coup_rows import CoupRow, counting_outcome, coup_rows
from office.reports.links import ReportLinks
from office.reports.people_rows import people_rows
from office.reports.proceedings import FollowedIrregularity, proceedings_of
from office.reports.shoe_lines import shoe_lines
from office.reports.shoes import ReportedShoe

# Where templates are looked for, in this order.
PACKAGES: Final = ("office.reports", "office.evidence")


def shoe_page(shoe: ReportedShoe, clauses: Mapping[str, Clause], links: ReportLinks) -> str:
    """The whole page, with ids in place of names."""
    contents, heading = shoe.shoe, shoe.shoe.heading
    rows = coup_rows(shoe.coups)
    followed = proceedings_of((shoe,)).irregularities
    lines = tuple(shoe_lines(shoe))
    texts = {one: clause_text(clauses.get(one)) for one in _cited_ids(rows, followed, lines)}
    return render(
        "shoe.html",
        *PACKAGES,
        title=f"Shoe {contents.name}, table {heading.table}",
        shoe=shoe,
        heading=heading,
        links=links,
        batch=values.batch_text(heading.batch, heading.back),
        from_to=from_to_text(contents, contents),
        grave=bool(followed) or any(row.grave for row in rows),
        verdict=outcome_summary(counting_outcome(coup) for coup in shoe.coups),
        summary=_trouble_summary(rows, followed),
        values=values.shoe(contents),
        roads=road_drawings(shoe_roads(contents), 0),
        rows=rows,
        rule_sets=_numbered(row.clauses for row in rows if row.clauses),
        clock=TableClock.at(heading.from_ns, contents.zone),
        lines=lines,
        irregularities=followed,
        people=people_rows(shoe),
        bound=shoe.receipts.bound,
        shuffles=shoe.receipts.shuffles,
        proof=shoe.seal,
        clauses=tuple(texts.items()),
        clause_text_of=texts,
        cited=lambda one: describe_citation(one, borrowed_by(contents.document, one)),
        moment=lambda utc_ns: values.moment(contents, utc_ns),
        decision_text=decision_text,
        describe_correction=describe_correction,
        sentence=values.sentence,
        owed_texts=values.owed_texts,
    )


def from_to_text(first: ShoeAccount, last: ShoeAccount) -> str:
    """From the first record of one shoe to the last of another, by the table's clock."""
    began, ended = (
        local_and_utc(utc_ns, last.zone)[0].split(" ")
        for utc_ns in (first.heading.from_ns, last.heading.until_ns)
    )
    return f"{began[0]} {began[1][:5]} to {ended[0]} {ended[1][:5]} {ended[2]}"


def _numbered(sets: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """The sets of clauses, each with a number: many coups have the same."""
    return {ids: number for number, ids in enumerate(dict.fromkeys(sets), start=1)}


def outcome_summary(outcomes: Iterable[Outcome | None]) -> str:
    """How many coups there were, and how many had which outcome."""
    each = tuple(outcomes)
    tally = ", ".join(f"{one.value.capitalize()} {each.count(one)}" for one in Outcome)
    return f"{counted(len(each), 'coup')}: {tally}, without outcome {each.count(None)}"


def decision_text(one: FollowedIrregularity) -> str:
    """The decision that closed it, by whom, when, and how long it took."""
    decided = one.decided
    if decided is None or not isinstance(decided.entry, ResolutionRecorded):
        return "The records of this report contain no decision about it."
    words = describe_decision(decided, decided.entry)
    return (
        f"{words} At {values.moment(one.shoe.shoe, decided.utc_ns)},"
        f" {duration_text(one.waited_ns or 0)} later."
    )


def duration_text(ns: int) -> str:
    """A time such as 1 h 02 min 03 s, or 4.3 s."""
    tenths, whole = ns // 100_000_000, ns // 1_000_000_000
    if whole < _MINUTE_S:
        return f"{tenths / 10:.1f} s"
    hours, minutes, seconds = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


_MINUTE_S: Final = 60


def _trouble_summary(rows: tuple[CoupRow, ...], followed: tuple[FollowedIrregularity, ...]) -> str:
    """How many irregularities and corrections there were."""
    corrected = sum(row.coup.corrected is not None for row in rows)
    found = counted(len(followed), "irregularity", "irregularities") if followed else ""
    undecided = sum(one.decided is None for one in followed)
    parts = [
        f"{found}, {undecided} without a decision" if undecided else found,
        f"{counted(corrected, 'coup')} corrected" if corrected else "",
    ]
    words = "; ".join(part for part in parts if part)
    return f"{words}." if words else "No irregularity, no correction."


def _cited_ids(
    rows: tuple[CoupRow, ...],
    followed: tuple[FollowedIrregularity, ...],
    lines: tuple[TimelineLine, ...],
) -> tuple[str, ...]:
    ids = [one for row in rows for one in row.clauses]
    ids += [clause for one in followed for clause in one.clauses]
    ids += [clause for line in lines for clause in line.clauses]
    return tuple(dict.fromkeys(ids))

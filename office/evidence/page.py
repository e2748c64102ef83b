"""Builds a coup's HTML page: self-contained, without scripts, without cards nobody has seen.

Source: HTML Living Standard; CSS 2.2, "Paged media".
"""

from collections.abc import Iterator, Mapping

from controller.outlets.rendering import render
from controller.outlets.road_drawings import road_drawings
from controller.rules.outcome import CoupFate
from controller.rules.profiles.borrowing import borrowed_by, describe_citation
from controller.rules.profiles.clauses import Clause
from controller.rules.roads import RoadCoup, Roads, build_roads
from controller.rules.settlement.wagers import money, wager_name
from controller.system.messages.catalogue import to_words
from office.evidence import page_values as values
from office.evidence.coup import CoupAccount
from office.evidence.seal import SealProof
from office.evidence.sealed_shoe import ShoeAccount
from office.evidence.timeline import (
    NOT_OBSERVED,
    TableClock,
    TimelineLine,
    describe_closed_coup,
    timeline_lines,
)


def page(account: CoupAccount, proof: SealProof, clauses: Mapping[str, Clause]) -> str:
    """The whole page."""
    lines = timeline_lines(account)
    record, heading = account.record, account.shoe.heading
    return render(
        "page.html",
        "office.evidence",
        title=f"Coup {record.coup} of shoe {account.shoe.name}, table {heading.table}",
        account=account,
        heading=heading,
        batch=values.batch_text(heading.batch, heading.back),
        grave=bool(account.raised or account.corrections) or record.fate is not CoupFate.COUNTED,
        verdict=values.sentence(describe_closed_coup(record)),
        corrected=values.corrected(account),
        summary=values.summary(account),
        hands=values.hands(account),
        drawn=values.drawn_cards(account),
        result=values.result(account),
        shoe=values.shoe(account.shoe),
        lines=lines,
        unobserved=any(NOT_OBSERVED in line.text for line in lines),
        roads=road_drawings(shoe_roads(account.shoe), record.coup),
        clauses=tuple((one, clause_text(clauses.get(one))) for one in _cited_ids(account, lines)),
        cited=lambda one: describe_citation(one, borrowed_by(account.shoe.document, one)),
        proof=proof,
        clock=TableClock.at(account.closed_at.utc_ns, account.shoe.zone),
        wager_name=lambda line: to_words(wager_name(line.kind, line.medium)),
        money=money,
        moment=lambda utc_ns: values.moment(account.shoe, utc_ns),
        irregularity_text=lambda raised: values.irregularity_text(account, raised),
        decision_text=lambda raised: values.decision_text(account, raised),
        correction_text=lambda entry: values.correction_text(account, entry),
        owed_texts=values.owed_texts,
    )


def shoe_roads(shoe: ShoeAccount) -> Roads:
    """The roads of the whole shoe: every coup with an outcome, the corrected one if there is one.

    Pairs and naturals are those of the cards, also of a corrected coup.
    """
    corrected = {one.coup: one.outcome for one in shoe.corrections}
    records = (closed.record for closed in shoe.coups)
    return build_roads(
        tuple(
            RoadCoup(
                record.coup,
                corrected.get(record.coup, record.outcome),
                record.result is not None and record.result.player_pair,
                record.result is not None and record.result.banker_pair,
                record.result is not None and record.result.natural,
                record.coup in corrected,
            )
            for record in records
            if record.outcome is not None
        )
    )


def clause_text(clause: Clause | None) -> str:
    """Its text and source, in words."""
    return f"{clause.text} ({clause.source})" if clause is not None else "not in the catalogue"


def _cited_ids(account: CoupAccount, lines: tuple[TimelineLine, ...]) -> Iterator[str]:
    ids = [*account.closed.clauses, *(one for line in lines for one in line.clauses)]
    if account.paid is not None:
        for step in account.paid.steps:
            ids += step.clauses
        for line in account.paid.settlement.lines:
            ids += (*line.clauses, *line.charged_by)
    if account.seen:
        for raised in account.raised:
            ids += raised.irregularity.clauses
    yield from dict.fromkeys(ids)

"""Builds a coup's HTML page: self-contained, without scripts, without cards nobody has seen.

Source: controller/evidence/README.md, "Evidence bundle"; HTML Living Standard; CSS 2.2, "Paged
media".
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from controller.evidence import page_sections as sections
from controller.evidence.coup import CoupAccount
from controller.evidence.html import Child, Markup, element
from controller.evidence.page_sections import Citations, SealProof, sentence
from controller.evidence.road_drawings import road_drawings
from controller.evidence.timeline import (
    TimelineLine,
    describe_closed_coup,
    local_and_utc,
    timeline_lines,
)
from controller.procedure.effects import CoupFate
from controller.profiles.clauses import Clause
from controller.rules.roads import RoadCoup, Roads, build_roads


def page(account: CoupAccount, proof: SealProof, clauses: Mapping[str, Clause]) -> str:
    """The whole page."""
    lines = timeline_lines(account)
    cited = Citations(clauses, tuple(_cited_ids(account, lines)))
    table = account.shoe.heading.table
    title = f"Coup {account.record.coup} of shoe {account.shoe.name}, table {table}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'",
        ),
        element("title", title),
        element("style", Markup((files("controller.evidence") / "page.css").read_text("utf-8"))),
    )
    body = element(
        "body",
        element("h1", title),
        _introduction(account),
        _summary(account),
        *_sections(account, proof, lines, cited),
        element(
            "footer", "This page is made from the sealed records beside it; the records prevail."
        ),
    )
    return "<!doctype html>\n" + element("html", head, body, lang="en").html + "\n"


def _sections(
    account: CoupAccount, proof: SealProof, lines: tuple[TimelineLine, ...], cited: Citations
) -> Iterator[Markup]:
    parts: tuple[tuple[str, Iterable[Child]], ...] = (
        ("The cards", sections.cards(account, cited)),
        ("The result and the rules applied", sections.result(account, cited)),
        ("Wagers and payment", sections.wagers(account, cited)),
        ("Irregularities and decisions", sections.irregularities(account, cited)),
        ("What happened", sections.happenings(account, lines, cited)),
        ("The roads of the shoe", _roads(account)),
        ("The shoe", sections.shoe(account)),
        ("How this is proved", sections.proof(account, proof)),
        ("The clauses", sections.clauses(cited)),
    )
    for heading, children in parts:
        shown = tuple(children)
        if shown:
            yield element("section", element("h2", heading), *shown)


def _roads(account: CoupAccount) -> Iterator[Markup]:
    drawings = road_drawings(shoe_roads(account), account.record.coup)
    shown = (
        element("div", element("h3", name), drawing, class_="road") for name, drawing in drawings
    )
    yield element("div", *shown, class_="roads")
    if account.record.outcome is not None:
        yield element("p", f"The frame is around coup {account.record.coup}.")


def shoe_roads(account: CoupAccount) -> Roads:
    """The roads of the whole shoe: every coup with an outcome."""
    records = (closed.record for closed in account.shoe.coups)
    return build_roads(
        tuple(
            RoadCoup(
                record.coup,
                record.outcome,
                record.result is not None and record.result.player_pair,
                record.result is not None and record.result.banker_pair,
            )
            for record in records
            if record.outcome is not None
        )
    )


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


def _introduction(account: CoupAccount) -> Markup:
    local, utc = local_and_utc(account.closed_at.utc_ns, account.shoe.zone)
    heading = account.shoe.heading
    back = f"the batch with {heading.back} backs" if heading.back else "batch unknown"
    batch = f"batch {heading.batch} ({heading.back} backs)" if heading.batch else back
    return element(
        "p",
        f"Table {heading.table}, gaming day {heading.gaming_day}, shoe {heading.shoe},"
        f" {batch}. Closed at {local} local time, {utc} UTC.",
        class_="where",
    )


def _summary(account: CoupAccount) -> Markup:
    record = account.record
    grave = bool(account.raised) or record.fate is not CoupFate.COUNTED
    counts = _counts(account)
    irregularities = "No irregularity."
    if account.raised:
        irregularities = _number(len(account.raised), "irregularity", "irregularities")
        undecided = sum(one.decided is None for one in account.raised)
        irregularities += (
            f", {undecided} without a decision." if undecided else "; the decisions are below."
        )
    return element(
        "div",
        element("strong", sentence(describe_closed_coup(record))),
        f"{counts} {irregularities}",
        class_="verdict grave" if grave else "verdict",
    )


def _number(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"


def _counts(account: CoupAccount) -> str:
    result = account.record.result
    if result is None or not account.seen:
        return ""
    natural = ", a natural" if result.natural else ""
    return f"Player {result.player_count}, Banker {result.banker_count}{natural}."

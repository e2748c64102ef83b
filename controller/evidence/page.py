"""The page of a coup: what a bundle shows to a person.

Responsible for: one HTML page about one coup of a sealed shoe that needs nothing but itself: no
script, no other file. It shows no card that nobody has seen.
Not responsible for: what belongs to the coup (evidence_coup), sentences (evidence_lines), drawings
(evidence_roads) and files (evidence_bundle).
Source: package README, "Evidence bundle"; HTML Living Standard; CSS 2.2, "Paged media".
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from controller.evidence import page_sections as sections
from controller.evidence.coup import CoupAccount
from controller.evidence.html import Child, Markup, element
from controller.evidence.page_sections import Cited, Proof, sentence
from controller.evidence.road_drawings import road_drawings
from controller.evidence.timeline import Line, closed_words, lines_of, moment
from controller.procedure.effects import CoupFate
from controller.profiles.clauses import Clause
from controller.rules.roads import Played, Roads, roads_of


def page(account: CoupAccount, proof: Proof, clauses: Mapping[str, Clause]) -> str:
    """The whole page."""
    lines = lines_of(account)
    cited = Cited(clauses, tuple(_cited(account, lines)))
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
        _where(account),
        _verdict(account),
        *_sections(account, proof, lines, cited),
        element("footer", "This page is a reading of the sealed records beside it; they decide."),
    )
    return "<!doctype html>\n" + element("html", head, body, lang="en").html + "\n"


def _sections(
    account: CoupAccount, proof: Proof, lines: tuple[Line, ...], cited: Cited
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
    return roads_of(
        tuple(
            Played(
                record.coup,
                record.outcome,
                record.result is not None and record.result.player_pair,
                record.result is not None and record.result.banker_pair,
            )
            for record in records
            if record.outcome is not None
        )
    )


def _cited(account: CoupAccount, lines: tuple[Line, ...]) -> Iterator[str]:
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


def _where(account: CoupAccount) -> Markup:
    local, utc = moment(account.closed_at.utc_ns, account.shoe.zone)
    heading = account.shoe.heading
    back = f"the batch with {heading.back} backs" if heading.back else "batch not known"
    batch = f"batch {heading.batch} ({heading.back} backs)" if heading.batch else back
    return element(
        "p",
        f"Table {heading.table}, gaming day {heading.gaming_day}, shoe {heading.shoe},"
        f" {batch}. Over at {local} local time, {utc} UTC.",
        class_="where",
    )


def _verdict(account: CoupAccount) -> Markup:
    record = account.record
    grave = bool(account.raised) or record.fate is not CoupFate.COUNTED
    counts = _counts(account)
    said = "No irregularity."
    if account.raised:
        said = _number(len(account.raised), "irregularity", "irregularities")
        undecided = sum(one.decided is None for one in account.raised)
        said += (
            f", {undecided} without a decision."
            if undecided
            else "; what was decided stands below."
        )
    return element(
        "div",
        element("strong", sentence(closed_words(record))),
        f"{counts} {said}",
        class_="verdict grave" if grave else "verdict",
    )


def _number(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _counts(account: CoupAccount) -> str:
    result = account.record.result
    if result is None or not account.seen:
        return ""
    natural = ", a natural" if result.natural else ""
    return f"Player {result.player_count}, Banker {result.banker_count}{natural}."

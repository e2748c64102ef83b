"""What each outlet says of a played table, by the product's own functions, as lines of text.

An outlet that only a moment shows (pages, exports) is asked at MOMENTS: where cards lie that nobody
has seen, where play is suspended, and at the end. The one place that imports outlets.
"""

import contextlib
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from masks import masked
from msgspec import json as msgspec_json
from msgspec import structs, to_builtins
from msgspec.structs import replace
from played_tables import PlayedTable, log_lines, table_of
from prometheus_client import generate_latest

from controller.archive.consumers import FeedContent
from controller.archive.export import finished_span, open_irregularities, rows
from controller.cli import main as cli
from controller.core.state import Stored
from controller.journal.encoding import GENESIS
from controller.journal.folder import sealed_files
from controller.journal.store import open_read_only
from controller.outlets.console.api import openapi_document
from controller.outlets.console.pages.page import (
    Viewer,
    render_page,
    render_parts,
    render_patrons,
    render_patrons_part,
)
from controller.outlets.console.stream import event
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.answers import answered_entries, refusal_text
from controller.outlets.control.table_requests import TableRequests, refused
from controller.outlets.feed.asyncapi import document_text
from controller.outlets.feed.mapping import feed_events, record_groups
from controller.outlets.feed.state import FeedRules, FeedState
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics, device_labels
from controller.outlets.overlay.line_text import LineForm, lines_of
from controller.procedure.people.setting_changes import effective_book
from controller.record.build import build_snapshot
from controller.record.monitored import Shown, TableWatch
from controller.record.snapshot import RunFacts, Snapshot
from controller.rules.actions.actions import OperatorAction
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_clauses
from controller.service.coup_history import CoupHistory
from controller.service.shoe_monitors import ShoeMonitors
from controller.service.table_log import TableLog
from office.evidence.bundle import coup_json
from office.evidence.coup import coup_account
from office.evidence.lookup import FoundShoe, find_day, find_later_acts
from office.evidence.page import page
from office.evidence.seal import seal_proof, shoe_proofs
from office.evidence.sealed_shoe import read_shoe_account
from office.evidence.timeline import timeline_lines
from office.reports.day_folder import day_files

Texts: TypeAlias = dict[str, list[str]]
# Moments at which pages and exports are asked; the last is the end.
MOMENTS: Final = 16
# Who looks at the operator page; sign-on tokens are not random here.
VIEWERS: Final = (Viewer(), Viewer(role=Role.FLOORPERSON, person="Ann Lee", accounts=True))
CSRF: Final = "csrf"
_SEALING: Final = "smartshoe.evidence"


class TableOutlets:
    """Follows one played table, and notes what each outlet says."""

    def __init__(self, table: PlayedTable) -> None:
        self.table = table
        self.texts: Texts = {}
        self._requests = TableRequests(table, self.snapshot, table.people)  # type: ignore[arg-type]
        self._shown: dict[str, str] = {}
        self._exported: list[str] = []
        self._watch = TableWatch()
        self._suspended = self.ended = False
        self._moments = 0
        self.coups = CoupHistory(table.folder, lambda: None)
        self.monitors = ShoeMonitors(table.folder, id, lambda: None, id)
        self._log = TableLog(table.core.settings)
        devices = device_labels(table.core.settings)
        self.metrics = TableMetrics(table, "bench", devices=devices, journal=table.folder)
        self._parts: dict[str, str] = {}

    def note(self, outlet: str, *lines: str) -> None:
        self.texts.setdefault(outlet, []).extend(lines)

    def snapshot(self) -> Snapshot:
        """What people may see, as a running table shows it."""
        table = self.table
        facts = RunFacts(
            health=table.health,
            # Its log is written by a thread of its own: what it has reached differs in play.
            seals=table.sealing_status.view() if self.ended else None,
            accounts=table.people.account_count(),
            advisories=self.monitors.advisories,
            coups=self.coups.coups,
            pause=self.monitors.pause,
        )
        return build_snapshot(table.core, table.state, facts)

    # --- each transaction -------------------------------------------------------------------------

    def stored(self, stored: Stored) -> None:
        """A transaction was stored."""
        for one in (self.metrics, self._log, self.monitors, self.coups):
            one.stored(stored)
        if not stored.conclusions:
            return
        self.note("overlay", *self._overlay(stored))
        self.note("answers", *self._answers(stored))
        self.note("monitored", *self._monitored(stored))
        self.note("socket", *self._changed_fields(stored))
        suspended = stored.state.table.suspension is not None
        coup = stored.state.table.shoe.coup if stored.state.table.shoe is not None else None
        drawn = coup is not None and stored.head.seq % 3 == 0
        if suspended != self._suspended or drawn:
            self._suspended = suspended
            self.moment(f"record {stored.head.seq}")

    def _overlay(self, stored: Stored) -> Iterator[str]:
        for text in lines_of(self.table.name, stored):
            yield repr(LineForm().encode(text))

    def _answers(self, stored: Stored) -> Iterator[str]:
        """What the answer to an action would hold of each conclusion; acts are answered so."""
        book = effective_book(stored.book, stored.state.table)
        for conclusion in stored.conclusions:
            item, entries = conclusion.item, conclusion.entries
            proof = item.proof.value if isinstance(item, OperatorAction) else ""
            why = refusal_text(entries, book)
            concluded = answered_entries(entries, book, stored.state.table)
            answer = refused(why) if why else Answer(ok=True, proof=proof, entries=concluded)
            if why or concluded:
                yield f"{type(item).__name__} {self._requests.encoded(answer).decode()}"

    def _monitored(self, stored: Stored) -> Iterator[str]:
        shown = Shown.by(effective_book(stored.book, stored.state.table))
        for conclusion in stored.conclusions:
            self._watch, taken = self._watch.take(shown, conclusion)
            for item, said in taken:
                fields = {name: str(value) for name, value in structs.asdict(item).items()}
                yield f"{type(item).__name__} {json.dumps(fields)}"
                yield from (f"  {json.dumps(to_builtins(one))}" for one in said)

    def _changed_fields(self, stored: Stored) -> Iterator[str]:
        """The fields of the snapshot that changed, as the socket sends them."""
        sent = json.loads(self._requests.named_json(self.snapshot()))
        shown = {name: json.dumps(value) for name, value in sent.items()}
        yield f"record {stored.head.seq}"
        yield from (f"  {n} {v}" for n, v in shown.items() if self._shown.get(n) != v)
        self._shown = shown

    # --- moments ----------------------------------------------------------------------------------

    def end(self) -> None:
        """The table has ended; its outlets answer until after that."""
        self.ended = True
        self.moment("end")

    def moment(self, name: str) -> None:
        """Ask what only a moment shows."""
        if self._moments >= MOMENTS and not self.ended:
            return
        self._moments += 1
        shown = self.snapshot()
        for viewer in VIEWERS:
            page = render_page(shown, viewer, CSRF)
            self.note("pages", f"-- {name} {viewer.role or 'nobody'}", page)
        self.note("patrons", f"-- {name}", render_patrons(shown, VIEWERS[0]))
        parts = {**render_parts(shown, VIEWERS[0]), "patrons": render_patrons_part(shown)}
        changed = {one: part for one, part in parts.items() if self._parts.get(one) != part}
        self._parts = parts
        self.note(
            "event_stream", f"-- {name}", event(msgspec_json.encode(changed), "parts").decode()
        )
        body = self._requests.named_json(shown)
        self.note("api", f"-- {name}", body.decode(), event(body, "snapshot").decode())
        with open_read_only(self.table.folder) as reader:
            span = finished_span(reader)
            exported = [
                repr(one) for one in (*rows(reader, span), *open_irregularities(reader, span))
            ]
        new = [one for one in exported if one not in self._exported]
        self.note("journal_rows", f"-- {name}: {len(exported)} rows", *new)
        self._exported = exported


# --- what the records say -------------------------------------------------------------------------


def feed_lines(table: PlayedTable, content: FeedContent) -> Iterator[str]:
    """Every event of the floor feed with its topic."""
    state = FeedState.at(0, GENESIS, "", FeedRules())
    for group in record_groups(table.records):
        state, made = feed_events(state, group, content, load_clauses())
        for one in made:
            yield f"{one.topic} {msgspec_json.encode(one.event).decode()}"


def exported_json(table: PlayedTable) -> list[str]:
    """What `smartshoe journal export --json` prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(("journal", "export", str(table.folder), "--json"))
    assert code == 0, err.getvalue()
    errors = err.getvalue().replace(str(table.folder), "JOURNAL")
    return [*errors.splitlines(), *out.getvalue().splitlines()]


def found_shoes(table: PlayedTable) -> Iterator[FoundShoe]:
    for day in sorted({path.parent.name for path in sealed_files(table.folder)}):
        yield from find_day(table.folder, day)


def evidence_texts(found: FoundShoe) -> Iterator[tuple[str, str]]:
    """coup.json and time line of each coup of a sealed shoe; the page of those with more to say."""
    clauses = load_clauses()
    later = find_later_acts(found)
    shoe = replace(read_shoe_account(found.file, clauses), later=later.entries)
    proof = next(iter(shoe_proofs(found, later).values()))
    for number in range(1, found.file.heading.coups + 1):
        account = coup_account(shoe, number)
        if account is None:
            yield "coup_json", f"-- coup {number}: never ended"
            continue
        yield "coup_json", f"-- {account.name}"
        plain = json.dumps(coup_json(account), indent=1, ensure_ascii=False)
        yield from (("coup_json", line) for line in plain.splitlines())
        yield "time_line", f"-- {account.name}"
        for line in timeline_lines(account):
            yield "time_line", f"{line.text} {list(line.clauses)} {line.grave}"
        if account.raised or account.corrections:
            shown = page(account, seal_proof(found, later, proof), clauses)
            yield "bundle_page", f"-- {account.name}"
            yield from (("bundle_page", line) for line in shown.splitlines())


def report_lines(table: PlayedTable, day: str) -> Iterator[str]:
    """The tables of a day's report."""
    for name, data in day_files(table.folder, day, load_clauses()):
        if name.endswith(".csv"):
            yield f"-- {day} {name}"
            yield from data.decode().splitlines()


def metrics_lines(outlets: TableOutlets) -> list[str]:
    text = generate_latest(TablesCollector([outlets.metrics])).decode()
    return [line for line in text.splitlines() if not line.startswith("#")]


def parquet_lines(table: PlayedTable, folder: Path) -> Iterator[str]:
    """Schema and rows of the tables for analysts."""
    from pyarrow import parquet  # noqa: PLC0415 (not in the environment of `make test`)

    from office.analytics.export import export_tables  # noqa: PLC0415 (as its command does)

    report = export_tables([table.folder], folder)
    yield f"rows {json.dumps(report.rows)} problems {report.problems}"
    for path in sorted(folder.rglob("*.parquet")):
        read = parquet.ParquetFile(path)
        yield f"-- {path.relative_to(folder)}"
        yield f"created by {read.metadata.created_by}"
        yield from (f"{one.name}: {one.type}" for one in read.schema_arrow)
        kept = read.metadata.metadata or {}
        known = {key: value for key, value in kept.items() if key != b"ARROW:schema"}
        yield from (f"{key!r} {value!r}" for key, value in sorted(known.items()))
        yield from (json.dumps(row, default=str) for row in read.read().to_pylist())


# --- all of them ----------------------------------------------------------------------------------


def raw_texts(name: str, folder: Path) -> Texts:
    """What every outlet says of the table of that tape, as it says it."""
    with table_of(name, folder) as table, log_lines() as logged:
        outlets = TableOutlets(table)
        for _ in table.play(outlets):
            pass
        outlets.end()
        texts = outlets.texts
        texts["log"] = [one for one in logged if _SEALING not in one]
        # Two threads write them.
        texts["log"] += sorted(masked(one) for one in logged if _SEALING in one)
    for content in FeedContent:
        texts[f"feed_{content.value}"] = list(feed_lines(table, content))
    texts["journal_json"] = exported_json(table)
    for found in found_shoes(table):
        for outlet, line in evidence_texts(found):
            texts.setdefault(outlet, []).append(line)
    texts["reports"] = [
        line
        for day in sorted({path.parent.name for path in sealed_files(table.folder)})
        for line in report_lines(table, day)
    ]
    texts["metrics"] = metrics_lines(outlets)
    return {outlet: _lines(found) for outlet, found in texts.items()}


def _lines(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in text.split("\n")]


def masked_texts(texts: Texts) -> Texts:
    return {outlet: list(map(masked, lines)) for outlet, lines in texts.items()}


def parquet_texts(name: str, folder: Path) -> Texts:
    """The tables for analysts of the table of that tape."""
    with table_of(name, folder) as table:
        for _ in table.play():
            pass
        return {"parquet": _lines(parquet_lines(table, folder / "tables"))}


def schema_texts() -> Texts:
    """The published schemas of outlets."""
    openapi = json.dumps(openapi_document(), indent=1)
    return {
        "feed_schema": document_text().splitlines(),
        "api_schema": openapi.splitlines(),
    }

"""The metrics of a running table over real HTTP, checked by promtool."""

import http.client
import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from controller.archive.log_writer import LogStatus
from controller.archive.sealer import Sealer, SealingStatus
from controller.archive.signer import SigningSettings
from controller.core.settings import DeviceSettings, Settings
from controller.core.state import Conclusion, Stored
from controller.core.stored_settings import SETTINGS
from controller.core.tape.entries import (
    ClockEvidence,
    ClockStepped,
    DeviceEventRecorded,
    Entry,
    EventVerdicts,
)
from controller.core.tape.inputs import DiskLevel, DiskSpace, Started, Tick
from controller.outlets.console.sites import WebPlace, WebServer, WebServers, WebUnavailable
from controller.outlets.console.table_parts import MetricsPart
from controller.outlets.metrics.definitions import COMMON_LABELS, DEALING_SHOE
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.procedure.effects import (
    CoupClosed,
    CoupCorrected,
    CoupFate,
    CoupRecord,
    ResolutionRecorded,
)
from controller.procedure.events import CardDrawn, CardRepeated
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Accepted, Irregularity
from controller.rules.actions.actions import OperatorAction, Resolution
from controller.rules.actions.choices import FloorDecision
from controller.rules.actions.declaration import Role
from controller.rules.advisory import AdvisoryKind
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses, profile_text
from controller.service.config.time_zone import zone_data
from controller.table.table import Health, RunSpec, Table
from controller.version import VERSION, software_identifier
from drivers.events import Stage
from drivers.faults import DeviceFault
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.rig.observed_table import ObservedTable

PORT = "/dev/ttyUSB0"
THIS = software_identifier()
READ_AT = Timestamp(5_000_000_000, 1_763_715_600_000_000_000)
CARD = EventVerdicts(
    CardDrawn(Card(Rank(9), Suit("H")), Place.PLAYER_1), (Accepted(message("player_1")),)
)

# The shoe starts, stands by, and its first burn card is an ace.
SHOE_STARTS = bytes.fromhex("05 30 53 03 36 30")
STANDS_BY = bytes.fromhex("05 31 50 03 36 32")
BURN_ACE = bytes.fromhex("05 32 44 C0 91 03 32 34")

MakeStored = Callable[..., Stored]


Counted = tuple[Table, TableMetrics]


def table_at(journal: Path, name: str = "M7", pit: str = "") -> Counted:
    """A table that is not started, and its metrics."""
    shoe = DeviceSettings(PORT, "angel-eye-ii-ex")
    settings = SETTINGS.encode(
        Settings(name, "3", 8, 6 * 3600, (ObservableFact.RESULT_BUTTON,), shoe)
    )
    profile = profile_text("s42-mini").encode()

    def start(replaced: str) -> Started:
        return Started(now(), "boot", THIS, settings, profile, zone_data("UTC"), replaced)

    def count(stored: Stored) -> None:
        metrics.stored(stored)

    table = ObservedTable(name, RunSpec(journal, load_clauses(), start), now, count)
    metrics = TableMetrics(table, pit, devices={PORT: DEALING_SHOE})
    return table, metrics


@pytest.fixture
def counted(fast_dir: Path) -> Iterator[Counted]:
    table, metrics = table_at(fast_dir / "journal", pit="pit 3")
    table.start()
    assert table.health is Health.RUNNING, table.failure
    yield table, metrics
    table.stop()
    table.join()


@pytest.fixture
def table(counted: Counted) -> Table:
    return counted[0]


@pytest.fixture
def metrics(counted: Counted) -> TableMetrics:
    return counted[1]


@pytest.fixture
def server(table: Table, metrics: TableMetrics) -> Iterator[WebServer]:
    server = WebServer(WebPlace("127.0.0.1", 0))
    server.add(table.name, MetricsPart(table, metrics))
    server.start()
    yield server
    server.stop()


def page(server: WebServer, path: str, method: str = "GET") -> tuple[int, str, str]:
    """Status, content type and body."""
    parts = urlsplit(server.url_of("M7"))
    assert parts.hostname is not None
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read().decode()
    finally:
        connection.close()


def own_labels(labels: dict[str, str]) -> dict[str, str]:
    """The labels besides those of every series."""
    return {name: value for name, value in labels.items() if name not in COMMON_LABELS}


def value(text: str, name: str, **labels: str) -> float | None:
    """The value of one sample, or None."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == f"smartshoe_{name}" and own_labels(sample.labels) == labels:
                return sample.value
    return None


def shown(metrics: TableMetrics) -> str:
    return generate_latest(TablesCollector([metrics])).decode()


def metric_reader(metrics: TableMetrics) -> Callable[..., float | None]:
    text = shown(metrics)
    return lambda name, **labels: value(text, name, **labels)


@pytest.fixture
def stored(table: Table) -> MakeStored:
    """A transaction whose input bytes were read some milliseconds before."""

    def made(*entries: Entry, took_ms: int = 4) -> Stored:
        assert table.published is not None
        at = Timestamp(READ_AT.monotonic_ns + took_ms * 1_000_000, READ_AT.utc_ns)
        chunk = Chunk(PORT, READ_AT, b"bytes of a report")
        return Stored(
            (Conclusion(chunk, entries),), (), at, table.published[1], table.published[0].book
        )

    return made


def irregularity(code: IrregularityCode) -> Irregularity:
    return Irregularity(code, 1, 3, message("no_pair"), ("S42-h-4",), (), suspends=True)


def coup(outcome: Outcome | None, fate: CoupFate = CoupFate.COUNTED) -> CoupClosed:
    return CoupClosed(CoupRecord("2025-11-21", 1, 1, (), (), None, None, outcome, fate, False, ()))


# --- counting -----------------------------------------------------------------------------------


def test_cards_are_counted_whatever_their_verdict(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    wrong = EventVerdicts(CARD.event, (irregularity(IrregularityCode.OVERDRAW),))

    metrics.stored(stored(CARD, wrong))
    metrics.stored(stored(CARD))

    assert metric_reader(metrics)("cards_drawn_total") == 3


def test_a_repeated_report_counts_no_card(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    again = CardRepeated(Card(Rank(9), Suit("H")), Place.PLAYER_1)

    metrics.stored(stored(EventVerdicts(again, (Accepted(message("repeated")),))))

    assert metric_reader(metrics)("cards_drawn_total") == 0


def test_coups_are_counted_by_outcome(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    metrics.stored(stored(coup(Outcome.PLAYER), coup(Outcome.PLAYER), coup(Outcome.TIE)))
    metrics.stored(stored(coup(Outcome.BANKER, CoupFate.FLOOR_DECIDED)))
    metrics.stored(stored(coup(None, CoupFate.VOID), coup(None, CoupFate.PARTIAL)))

    value = metric_reader(metrics)
    assert value("coups_total", outcome="player") == 2
    assert value("coups_total", outcome="banker") == 1
    assert value("coups_total", outcome="tie") == 1
    assert value("coups_total", outcome="void") == 2


def test_a_correction_is_counted_and_the_coups_stay_as_counted(
    metrics: TableMetrics, table: Table, stored: MakeStored, corrected_coup: CoupCorrected
) -> None:
    metrics.stored(stored(coup(Outcome.PLAYER), corrected_coup))

    value = metric_reader(metrics)
    counts = {one.value: value("coup_corrections_total", outcome=one.value) for one in Outcome}
    assert counts == {"player": 0, "banker": 0, "tie": 1}
    assert value("coups_total", outcome="player") == 1
    assert value("coups_total", outcome="tie") == 0


def test_decisions_are_counted_by_role_and_kind_and_name_nobody(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    person = "person-00112233aabb"
    decided = ResolutionRecorded(person, "seen", FloorDecision.VOID_COUP, None, None, (1,))
    transaction = stored(decided)
    voids = Resolution(FloorDecision.VOID_COUP)
    act = OperatorAction(READ_AT, person, Role.PIT_MANAGER, "uid-7", voids, "seen")
    transaction = replace(transaction, conclusions=(Conclusion(act, (decided,)),))

    for _ in range(12):
        metrics.stored(transaction)

    value = metric_reader(metrics)
    assert value("decisions_total", role="pit_manager", decision="void-coup") == 12
    assert person not in shown(metrics)


def test_every_irregularity_code_starts_at_zero(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    for code in IrregularityCode:
        before = metric_reader(metrics)("irregularities_total", code=code.value)
        metrics.stored(stored(EventVerdicts(CARD.event, (irregularity(code),))))
        after = metric_reader(metrics)("irregularities_total", code=code.value)

        assert (before, after) == (0, 1), code


def test_advisories_are_counted_and_every_kind_starts_at_zero(
    metrics: TableMetrics, table: Table
) -> None:
    metrics.count_advisory(AdvisoryKind.ORDER)

    read = metric_reader(metrics)
    counts = {kind: read("advisories_total", kind=kind.value) for kind in AdvisoryKind}
    assert counts == {kind: float(kind is AdvisoryKind.ORDER) for kind in AdvisoryKind}


def test_a_clock_step_is_counted(metrics: TableMetrics, table: Table, stored: MakeStored) -> None:
    step = ClockStepped(-3_600_000_000_000, READ_AT.utc_ns, ClockEvidence.SAME_BOOT)
    before = metric_reader(metrics)("clock_steps_total")
    metrics.stored(stored(step, step))

    assert (before, metric_reader(metrics)("clock_steps_total")) == (0, 2)


def test_the_disk_level_is_shown(metrics: TableMetrics, table: Table) -> None:
    item = DiskSpace(READ_AT, DiskLevel.LOW, 5, 10, 1)
    assert table.act(item) is not None
    levels = [metric_reader(metrics)("disk_room", level=level.value) for level in DiskLevel]
    assert levels == [0, 0, 1, 0]


def test_the_disk_level_is_unknown_before_the_first_check(
    metrics: TableMetrics, table: Table
) -> None:
    levels = [metric_reader(metrics)("disk_room", level=level.value) for level in DiskLevel]
    assert levels == [1, 0, 0, 0]


def test_every_link_fault_starts_at_zero(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    for kind in LinkFaultKind:
        before = metric_reader(metrics)("link_errors_total", device=DEALING_SHOE, kind=kind.value)
        metrics.stored(
            stored(DeviceEventRecorded(PORT, DeviceFault(kind, message("bytes_not_a_frame"))))
        )
        after = metric_reader(metrics)("link_errors_total", device=DEALING_SHOE, kind=kind.value)

        assert (before, after) == (0, 1), kind


def test_the_delay_from_read_bytes_to_stored_verdict(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    metrics.stored(stored(CARD, took_ms=4))
    metrics.stored(stored(CARD, took_ms=300))
    metrics.stored(stored(coup(Outcome.TIE), took_ms=800))

    value = metric_reader(metrics)
    assert value("scan_to_stored_seconds_count") == 2
    assert value("scan_to_stored_seconds_sum") == pytest.approx(0.304)
    assert value("scan_to_stored_seconds_bucket", le="0.0025") == 0
    assert value("scan_to_stored_seconds_bucket", le="0.005") == 1
    assert value("scan_to_stored_seconds_bucket", le="0.5") == 2


def test_a_verdict_without_bytes_has_no_delay(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    ticked = stored(CARD)
    conclusion = Conclusion(Tick(READ_AT), ticked.conclusions[0].entries)

    metrics.stored(Stored((conclusion,), (), ticked.at, ticked.state, ticked.book))

    assert metric_reader(metrics)("scan_to_stored_seconds_count") == 0


def test_each_durable_transaction_counts(metrics: TableMetrics, table: Table) -> None:
    before = metric_reader(metrics)("journal_transactions_total")

    table.act(PortOpened(PORT, now(), bytes(32)))

    assert (before, metric_reader(metrics)("journal_transactions_total")) == (1, 2)


# --- the state ----------------------------------------------------------------------------------


def test_a_table_that_waits_for_its_shoe(metrics: TableMetrics, table: Table) -> None:
    value = metric_reader(metrics)

    assert value("table_health", health="running") == 1
    assert value("table_health", health="failed") == 0
    assert value("device_stage", device="dealing_shoe", stage="closed") == 1
    assert value("suspended") == 0
    assert value("cards_left") is None
    assert value("shoe_number") is None
    build = THIS.removeprefix(f"{VERSION}+")
    info = {"version": VERSION, "build": build, "profile": "s42-mini", "document": "S42"}
    assert table.published is not None
    assert value("table_info", **info, gaming_day=table.published[1].table.today) == 1


def test_a_shoe_in_its_burn(metrics: TableMetrics, table: Table) -> None:
    for item in (
        PortOpened(PORT, now(), bytes(32)),
        *(Chunk(PORT, now(), report) for report in (SHOE_STARTS, STANDS_BY, BURN_ACE)),
    ):
        table.act(item)

    value = metric_reader(metrics)
    stages = {
        stage: value("device_stage", device="dealing_shoe", stage=stage.value) for stage in Stage
    }
    assert stages == {stage: float(stage is Stage.ONLINE) for stage in Stage}
    assert value("shoe_number") == 1
    assert value("cards_drawn_total") == 1
    assert value("cards_left") == 415
    assert value("coups_in_shoe") == 0
    assert value("scan_to_stored_seconds_count") == 1


def test_a_suspended_table_after_a_restart(suspended: Path) -> None:
    table, metrics = table_at(suspended)
    table.start()
    try:
        value = metric_reader(metrics)
        assert value("suspended") == 1
        assert value("open_irregularities") == 1
        assert value("coups_in_shoe") == 2
        # Without the journal's folder they begin at 0.
        assert value("cards_drawn_total") == 0
    finally:
        table.stop()
        table.join()


def test_a_card_leaves_no_trace_in_labels(
    metrics: TableMetrics, table: Table, stored: MakeStored
) -> None:
    before = labels_of(shown(metrics))
    metrics.stored(stored(CARD))

    assert labels_of(shown(metrics)) - before == set()


def labels_of(page: str) -> set[tuple[str, str]]:
    families = text_string_to_metric_families(page)
    return {pair for one in families for sample in one.samples for pair in sample.labels.items()}


def test_a_scrape_stays_small(metrics: TableMetrics, table: Table) -> None:
    families = text_string_to_metric_families(shown(metrics))

    assert sum(len(family.samples) for family in families) <= 300


# --- over HTTP ----------------------------------------------------------------------------------


@pytest.mark.needs("prometheus")
def test_promtool_accepts_names_and_help_texts(server: WebServer) -> None:
    text = page(server, "/metrics")[2]

    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )

    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_a_scrape_in_the_text_format(server: WebServer) -> None:
    status, kind, text = page(server, "/metrics")

    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert value(text, "journal_transactions_total") == 1
    assert "_created" not in text


def test_head_gives_no_body(server: WebServer) -> None:
    assert page(server, "/metrics", "HEAD")[::2] == (200, "")


def test_other_paths_list_the_pages(server: WebServer) -> None:
    status, _, text = page(server, "/")

    assert status == 404
    assert text == "not found; the pages are\n/metrics\n/healthz\n/readyz\n"


def test_a_running_table_is_alive_and_ready(server: WebServer) -> None:
    alive = page(server, "/healthz")
    ready = page(server, "/readyz?verbose=1")

    assert alive[::2] == (200, "table M7: running\n")
    assert ready[::2] == (200, "table M7: running; shoe device closed\n")


def test_a_table_that_ended_is_neither(server: WebServer, table: Table) -> None:
    table.stop()
    table.join()

    assert page(server, "/healthz")[::2] == (503, "table M7: stopped\n")
    assert page(server, "/readyz")[::2] == (503, "table M7: stopped\n")
    assert value(page(server, "/metrics")[2], "table_health", health="stopped") == 1


def test_a_table_that_could_not_start_says_why(fast_dir: Path) -> None:
    (fast_dir / "journal").write_text("a file where a folder belongs")
    table, metrics = table_at(fast_dir / "journal")
    table.start()
    table.join()
    server = WebServer(WebPlace("127.0.0.1", 0))
    server.add(table.name, MetricsPart(table, metrics))
    server.start()
    try:
        status, _, text = page(server, "/readyz")
    finally:
        server.stop()

    assert status == 503
    assert text == f"table M7: refused {table.failure}\n"


def test_a_loop_that_hangs_is_not_alive(metrics: TableMetrics) -> None:
    hung = SimpleNamespace(
        name="M7", health=Health.RUNNING, failure="", responds=lambda timeout_s: False
    )
    server = WebServer(WebPlace("127.0.0.1", 0))
    server.add(hung.name, MetricsPart(hung, metrics))  # type: ignore[arg-type]
    server.start()
    try:
        assert page(server, "/healthz")[::2] == (503, "table M7: its loop does not respond\n")
    finally:
        server.stop()


def test_several_tables_have_a_path_each(
    table: Table, metrics: TableMetrics, fast_dir: Path
) -> None:
    other, other_metrics = table_at(fast_dir / "other", "M8/east")
    other.start()
    server = WebServer(WebPlace("127.0.0.1", 0), by_name=True)
    server.add(table.name, MetricsPart(table, metrics))
    server.add(other.name, MetricsPart(other, other_metrics))
    server.start()
    try:
        assert 'smartshoe_suspended{pit="pit 3",table="M7"} 0.0\n' in page(server, "/metrics/M7")[2]
        east = page(server, "/metrics/M8%2Feast")[2]
        assert 'smartshoe_suspended{pit="",table="M8/east"} 0.0\n' in east
        assert page(server, "/metrics")[0] == 404
        assert page(server, "/healthz")[2] == "table M7: running\ntable M8/east: running\n"
        table.stop()
        table.join()
        assert page(server, "/healthz")[0] == 503
        assert page(server, "/healthz/M8%2Feast")[::2] == (200, "table M8/east: running\n")
        assert page(server, "/readyz/M7")[::2] == (503, "table M7: stopped\n")
        server.remove("M7")
        assert page(server, "/metrics/M7")[0] == 404
    finally:
        server.stop()
        other.stop()
        other.join()


def test_tables_that_name_the_same_port_share_one_server_until_the_last_is_gone(
    table: Table, metrics: TableMetrics
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    other = SimpleNamespace(name="M8")
    servers = WebServers(by_name=True)

    assert servers.serve_metrics(WebPlace("127.0.0.1", port), table, metrics).endswith(
        f":{port}/metrics/M7"
    )
    url = servers.serve_metrics(WebPlace("127.0.0.1", port), other, metrics)  # type: ignore[arg-type]
    assert url.endswith(f":{port}/metrics/M8")
    servers.withdraw("M8")
    with urllib.request.urlopen(url.replace("M8", "M7")) as answer:
        assert answer.status == 200
    servers.withdraw("M7")

    with socket.create_server(("127.0.0.1", port)):
        pass  # it is free again


def test_a_port_in_use_names_the_key_to_change(table: Table, metrics: TableMetrics) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = WebServer(WebPlace("127.0.0.1", port))
        server.add(table.name, MetricsPart(table, metrics))

        with pytest.raises(
            WebUnavailable, match=r"in use. Remedy: set \[metrics\] port to a free one"
        ):
            server.start()


def test_by_default_only_this_machine_can_connect(server: WebServer) -> None:
    port = urlsplit(server.url_of("M7")).port

    # The port stays free on every other address of this machine.
    with socket.create_server(("127.0.0.2", port or 0)) as other:
        assert other.getsockname()[1] == port


def test_silent_clients_block_neither_scrapes_nor_stop(table: Table, metrics: TableMetrics) -> None:
    server = WebServer(WebPlace("127.0.0.1", 0))
    server.add(table.name, MetricsPart(table, metrics))
    server.start()
    parts = urlsplit(server.url_of("M7"))
    address = (parts.hostname or "", parts.port or 0)
    silent = [socket.create_connection(address) for _ in range(8)]
    try:
        assert page(server, "/metrics")[0] == 200
        server.stop()
        assert [client.recv(10) for client in silent] == [b""] * 8
    finally:
        for client in silent:
            client.close()


def test_sixteen_idle_connections_do_not_close_the_metrics_to_prometheus(
    server: WebServer,
) -> None:
    parts = urlsplit(server.url_of("M7"))
    address = (parts.hostname or "", parts.port or 0)
    with ExitStack() as idle:
        for _ in range(16):
            idle.enter_context(socket.create_connection(address))

        assert page(server, "/metrics")[0] == 200


@pytest.mark.parametrize(
    ("request_in_pieces", "status"),
    [
        ((b"GET /metr", b"ics HTTP/1.0\r\n\r", b"\n"), b"HTTP/1.1 200 "),
        ((b"GET /metrics HTTP/1.0\n\n",), b"HTTP/1.1 200 "),
        ((b"GET /metrics HTTP/1.0\r\nX: ", b"x" * 16 * 1024), b"HTTP/1.1 400 "),
        ((b"DELETE /metrics HTTP/1.0\r\n\r\n",), b"HTTP/1.1 405 "),
    ],
)
def test_a_request_is_answered_when_it_is_whole(
    server: WebServer, request_in_pieces: tuple[bytes, ...], status: bytes
) -> None:
    parts = urlsplit(server.url_of("M7"))
    with socket.create_connection((parts.hostname or "", parts.port or 0), 10.0) as client:
        for piece in request_in_pieces:
            client.sendall(piece)

        assert client.recv(100).startswith(status)


# --- seals --------------------------------------------------------------------------------------


def sealing(table: Table, status: SealingStatus) -> Table:
    """The table with a sealer in this status."""
    sealer = Sealer("M7", SigningSettings(Path("unused")), now)
    sealer._status = status
    table._spec = replace(table._spec, sealer=sealer)
    return table


def test_sealed_and_unsealed_shoes_are_shown(metrics: TableMetrics, table: Table) -> None:
    status = SealingStatus(sealed=3, unsealed=1, seconds=0.25, unsigned="no key")
    sealing(table, status)
    value = metric_reader(metrics)
    assert (value("seal_seconds_count"), value("seal_seconds_sum")) == (3, 0.25)
    assert (value("shoes_unsealed"), value("seals_unsigned")) == (1, 1)


def test_the_head_of_the_evidence_log_is_shown(metrics: TableMetrics, table: Table) -> None:
    root = bytes.fromhex("0123456789abcdef") + bytes(24)
    head = LogStatus(size=7, root=root, waiting=2, absent=("w.example: no answer",))
    running = sealing(table, SealingStatus())
    assert running._spec.sealer is not None
    running._spec.sealer.log.status = head
    value = metric_reader(metrics)
    assert (value("log_size"), value("log_root48")) == (7, 0x0123456789AB)
    assert (value("log_leaves_waiting"), value("log_witnesses_behind")) == (2, 1)


def test_a_table_without_a_sealer_has_no_seal_metrics(metrics: TableMetrics, table: Table) -> None:
    assert metric_reader(metrics)("shoes_unsealed") is None

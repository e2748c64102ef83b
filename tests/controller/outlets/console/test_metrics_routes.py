"""Pages of metrics as a server answers them: when, in whose turn, to whom, and what counts.

Source: prometheus_client, "Exporting".
"""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from prometheus_client import exposition
from prometheus_client.openmetrics import exposition as openmetrics_exposition
from prometheus_client.parser import text_string_to_metric_families

from controller.core.state import Stored
from controller.journal.values import Head
from controller.outlets.console import page_turns
from controller.outlets.console.metrics_routes import MetricsPages
from controller.outlets.console.page_turns import PageTurns
from controller.outlets.console.sites import WebPlace, WebServer, WebServers
from controller.outlets.console.table_parts import MetricsPart
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.record.snapshot import Health
from controller.table.accounts.passwords import Passwords
from foundation.timestamp import Timestamp

LOOPBACK = "127.0.0.1"
TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text"
FOR_EVER_S = 3600.0


def stopped_table(name: str = "M7") -> SimpleNamespace:
    return SimpleNamespace(
        name=name,
        health=Health.STOPPED,
        failure="",
        published=None,
        stored_seq=0,
        sealing_status=None,
        followers=(),
        waiting=0,
    )


@pytest.fixture
def part() -> MetricsPart:
    table = stopped_table()
    return MetricsPart(table, TableMetrics(table))  # type: ignore[arg-type]


@pytest.fixture
def serve() -> Iterator[Callable[..., WebServer]]:
    """Starts a server of these parts."""
    with ExitStack() as stack:

        def started(*parts: MetricsPart, ready: bool = True) -> WebServer:
            server = WebServer(WebPlace(LOOPBACK, 0), by_name=len(parts) > 1, ready=ready)
            for part in parts:
                server.add(part.table.name, part)
            server.start()
            stack.callback(server.stop)
            return server

        yield started


def asked(
    server: WebServer,
    path: str = "/metrics",
    method: str = "GET",
    **fields: str,
) -> tuple[int, str, bytes]:
    """Status, content type and content of an answer."""
    parts = urlsplit(server.url_of("M7"))
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    try:
        connection.request(method, path, headers=fields)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read()
    finally:
        connection.close()


def scrapes(server: WebServer) -> float:
    """How many pages were served before this one."""
    _, _, page = asked(server)
    families = text_string_to_metric_families(page.decode())
    samples = [sample for one in families for sample in one.samples]
    return next(one.value for one in samples if one.name == "smartshoe_scrape_seconds_count")


# --- the library's bytes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "module", "content_type"),
    [
        ("", exposition, TEXT),
        (OPENMETRICS, openmetrics_exposition, f"{OPENMETRICS}; version=1.0.0; charset=utf-8"),
    ],
    ids=["text", "openmetrics"],
)
def test_what_the_librarys_encoder_returns_is_what_is_served(
    serve, part, monkeypatch: pytest.MonkeyPatch, accept: str, module: object, content_type: str
) -> None:
    server = serve(part)
    assert b"smartshoe_table_health" in asked(server, Accept=accept)[2]
    monkeypatch.setattr(module, "generate_latest", lambda _registry, **_: b"another page")
    assert asked(server, Accept=accept) == (200, content_type, b"another page")


def test_names_in_the_query_select_samples(serve, part) -> None:
    server = serve(part)
    status, kind, page = asked(server, "/metrics?name%5B%5D=smartshoe_table_health")
    assert (status, kind) == (200, TEXT)
    names = {line.partition(b"{")[0] for line in page.splitlines() if not line.startswith(b"#")}
    assert names == {b"smartshoe_table_health"}
    assert asked(server, "/metrics?name[]=nothing") == (200, TEXT, b"")


HOSTILE = (
    b"Accept: text/plain;version=1.x",
    b"Accept: text/plain\r\nAccept: application/openmetrics-text;version=1.x",
    b"Accept: application/openmetrics-text;version=2.\x01",
    b"Accept: application/openmetrics-text;version=2.\xff\xfe;escaping=\x80",
    b"Accept: application/openmetrics-text;version=9." + b"9" * 7000,
    b"Accept: " + b",;=" * 2500,
    b"Accept:",
)


@pytest.mark.parametrize("field", HOSTILE, ids=lambda field: str(len(field)))
def test_no_field_is_answered_by_an_internal_error(serve, part, field: bytes) -> None:
    parts = urlsplit(serve(part).url_of("M7"))
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + field)
        client.sendall(b"\r\n\r\n")
        answer = client.makefile("rb").read()
    head = answer.partition(b"\r\n")[0]
    # 400: what is no field of HTTP at all.
    assert head in (b"HTTP/1.1 200 OK", b"HTTP/1.1 400 Bad Request")
    assert (b"smartshoe_table_health" in answer) is (b" 200 " in head)


@pytest.mark.parametrize(
    "query", ["name[]=" + "%00" * 2000, "%ff%fe=%&&;=&name[]", "name[]=a&" * 800]
)
def test_no_query_is_answered_by_an_internal_error(serve, part, query: str) -> None:
    assert asked(serve(part), f"/metrics?{query}")[:2] == (200, TEXT)


# --- what counts as read ------------------------------------------------------------------------


def test_pages_that_were_served_are_counted_and_nothing_else(serve, part) -> None:
    server, metrics = serve(part), part.metrics
    asked(server, "/healthz")
    asked(server, method="HEAD")
    asked(server, "/metrics/none")
    assert metrics.read_s is None
    assert [scrapes(server) for _ in range(3)] == [0, 1, 2]
    assert metrics.read_s == 0


def test_who_gives_no_password_has_read_nothing(serve) -> None:
    table = stopped_table()
    metrics = TableMetrics(table)  # type: ignore[arg-type]
    server = serve(MetricsPart(table, metrics, Passwords({})))  # type: ignore[arg-type]
    assert asked(server)[0] == 401
    assert metrics.read_s is None


def test_the_time_since_a_page_was_served_is_in_whole_seconds() -> None:
    at = Timestamp(7_000_000_000, 0)
    metrics = TableMetrics(stopped_table(), clock=lambda: at)  # type: ignore[arg-type]
    metrics.count_page(at)
    at = Timestamp(12_900_000_000, 0)
    assert metrics.read_s == 5


# --- when it is answered ------------------------------------------------------------------------


def test_a_page_asked_for_before_the_program_is_ready_is_answered_then(
    serve, part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MetricsPages, "READY_S_MAX", FOR_EVER_S)
    server = serve(part, ready=False)
    answers: list[int] = []
    early = threading.Thread(target=lambda: answers.append(asked(server)[0]))
    early.start()
    assert asked(server, "/healthz")[0] == 503  # its server goes on
    assert answers == []
    server.program_is_ready()
    early.join()
    assert answers == [200]


def test_a_table_of_a_program_that_is_not_ready_for_long_is_answered(
    serve, part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MetricsPages, "READY_S_MAX", 0.0)
    assert asked(serve(part, ready=False))[0] == 200


def up_to(seq: int) -> Stored:
    """A transaction whose newest record has this number."""
    at, head = Timestamp(0, 0), Head(seq, bytes(32))
    return Stored((), (), at, None, None, seq - 1, head, shoe_ended=False)  # type: ignore[arg-type]


def test_what_a_status_has_shown_is_counted_on_a_page_asked_for_after_it(
    serve, part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MetricsPages, "COUNTED_S_MAX", FOR_EVER_S)
    part.table.stored_seq = 3
    part.metrics.stored(up_to(2))
    server = serve(part)
    pages: list[bytes] = []
    scrape = threading.Thread(target=lambda: pages.append(asked(server)[2]))
    scrape.start()
    assert asked(server, "/healthz")[0] == 503  # its server goes on
    assert pages == []
    part.metrics.stored(up_to(3))
    scrape.join()
    assert b'smartshoe_journal_records{pit="",table="M7"} 3.0' in pages[0]


def test_counts_that_are_far_behind_keep_no_page_back(
    serve, part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MetricsPages, "COUNTED_S_MAX", 0.0)
    part.table.stored_seq = 3
    assert asked(serve(part))[0] == 200


def test_one_page_at_a_time_is_written_and_a_pause_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = Timestamp(1_000_000_000, 0)
    monkeypatch.setattr(page_turns, "now", lambda: at)
    turns = PageTurns()
    assert turns.begin()
    assert not turns.begin()
    turns.end()
    assert not turns.begin()
    at = Timestamp(at.monotonic_ns + int(PageTurns.PAUSE_S * 1e9), 0)
    assert turns.begin()


def test_tables_of_several_servers_take_turns_and_all_are_answered() -> None:
    """A page that finds another being written would fail here."""
    tables = [stopped_table(f"M{number}") for number in range(16)]
    writing = threading.Lock()

    class Alone(TableMetrics):
        def samples(self):
            assert writing.acquire(blocking=False), "two pages are written at once"
            try:
                return super().samples()
            finally:
                writing.release()

    servers = WebServers(by_name=True)
    servers.program_is_ready()
    try:
        urls = [
            servers.serve_metrics(WebPlace(LOOPBACK, 0), table, Alone(table))  # type: ignore[arg-type]
            for table in tables
        ]
        found: list[int] = []

        def scrape(url: str) -> None:
            parts = urlsplit(url)
            connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
            connection.request("GET", parts.path)
            found.append(connection.getresponse().status)
            connection.close()

        threads = [threading.Thread(target=scrape, args=(url,)) for url in urls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [200] * 16
    finally:
        for table in tables:
            servers.withdraw(table.name)

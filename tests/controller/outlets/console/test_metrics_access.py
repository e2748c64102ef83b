"""Who may scrape over the network: real TLS clients with the right and the wrong papers."""

import base64
import gc
import http.client
import socket
import ssl
import threading
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from controller.outlets.console.sites import WebPlace, WebServer, WebServers, WebUnavailable
from controller.outlets.console.table_parts import MetricsPart
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.record.snapshot import Health
from controller.system.tls import ServerTlsFiles, server_context
from controller.table.accounts.passwords import Passwords, read_passwords
from controller.table.accounts.pin import PinHasher
from hil.rig.device_programs import wait_until
from hil.rig.servers.certificates import CertificateAuthority

RIGHT = "a long password: with a colon"
# What argon2 prints for "password" and the salt "somesalt" (test.c of its source).
BY_ARGON2 = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"


TABLE = SimpleNamespace(
    name="M7",
    health=Health.STOPPED,
    failure="",
    published=None,
    stored_seq=0,
    sealing_status=None,
    followers=(),
    waiting=0,
)


@pytest.fixture
def authority(tmp_path: Path) -> CertificateAuthority:
    return CertificateAuthority(tmp_path, "house")


@pytest.fixture
def serve(tmp_path: Path, authority: CertificateAuthority) -> Iterator[Callable[..., WebServer]]:
    """Starts a server with TLS, and with what its clients need."""
    with ExitStack() as stack:

        def started(*, client_ca: bool = False, passwords: str = "") -> WebServer:
            certificate, key = authority.signed("table")
            tls = ServerTlsFiles(certificate, key, authority.file if client_ca else None)
            file = tmp_path / "scrapers.txt" if passwords else None
            if file is not None:
                file.write_text(passwords)
            admitted = None if file is None else Passwords(read_passwords(file))
            server = WebServer(WebPlace("127.0.0.1", 0, tls))
            server.add("M7", MetricsPart(TABLE, TableMetrics(TABLE), admitted))  # type: ignore[arg-type]
            server.start()
            stack.callback(server.stop)
            return server

        yield started


def client(
    authority: CertificateAuthority, papers: tuple[Path, Path] | None = None
) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=authority.file)
    if papers is not None:
        context.load_cert_chain(*papers)
    return context


def port_of(server: WebServer) -> int:
    parts = urlsplit(server.url_of("M7"))
    assert parts.scheme == "https"
    assert parts.port is not None
    return parts.port


def asked(
    server: WebServer, context: ssl.SSLContext, path: str = "/metrics", password: str = ""
) -> tuple[int, str, http.client.HTTPMessage]:
    connection = http.client.HTTPSConnection("127.0.0.1", port_of(server), context=context)
    try:
        word = base64.b64encode(f"prometheus:{password}".encode()).decode()
        connection.request("GET", path, headers={"Authorization": f"Basic {word}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers
    finally:
        connection.close()


# --- certificates ---------------------------------------------------------------------------------


def test_a_client_with_a_certificate_of_the_authority_reads_every_page(serve, authority) -> None:
    server, context = serve(client_ca=True), client(authority, authority.signed("scraper"))
    status, text, _ = asked(server, context)
    assert status == 200
    assert text.startswith("# HELP smartshoe_table_health")
    assert asked(server, context, "/healthz")[:2] == (
        503,
        "table M7: stopped\n",
    )


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/readyz"])
def test_a_client_without_a_certificate_reads_nothing(serve, authority, path: str) -> None:
    server = serve(client_ca=True)
    with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
        asked(server, client(authority), path)


def test_a_certificate_of_another_authority_is_none(serve, authority, tmp_path: Path) -> None:
    server, other = serve(client_ca=True), CertificateAuthority(tmp_path, "other")
    with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
        asked(server, client(authority, other.signed("stranger")))


def test_a_certificate_that_has_run_out_is_none(serve, authority) -> None:
    server = serve(client_ca=True)
    with pytest.raises((ssl.SSLError, ConnectionError, http.client.RemoteDisconnected)):
        asked(server, client(authority, authority.signed("late", days=1)))


def test_old_versions_of_tls_are_refused(authority) -> None:
    context = server_context(ServerTlsFiles(*authority.signed("table")))
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


def test_a_request_without_tls_is_not_answered(serve) -> None:
    with socket.create_connection(("127.0.0.1", port_of(serve(client_ca=True))), 30.0) as plain:
        plain.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        said = b"".join(iter(lambda: plain.recv(4096), b""))
    assert b"HTTP" not in said
    assert b"smartshoe" not in said


# --- passwords ------------------------------------------------------------------------------------


def test_the_right_password_reads_and_a_wrong_one_is_asked_again(serve, authority) -> None:
    server = serve(passwords=f"# Prometheus\nprometheus:{PinHasher().hash(RIGHT)}\n")
    context = client(authority)
    for path in ("/metrics", "/healthz", "/readyz", "/elsewhere"):
        status, text, headers = asked(server, context, path, "wrong")
        assert (status, headers["WWW-Authenticate"].partition(" ")[0]) == (401, "Basic")
        assert "smartshoe" not in text
    assert asked(server, context, password=RIGHT)[0] == 200


def test_a_hash_that_the_program_argon2_printed_is_taken(tmp_path: Path) -> None:
    (tmp_path / "scrapers.txt").write_text(f"prometheus:{BY_ARGON2}\n")
    passwords = Passwords(read_passwords(tmp_path / "scrapers.txt"))
    assert passwords.admits(basic("prometheus", "password"))
    assert not passwords.admits(basic("prometheus", "Password"))


class CountingHasher(PinHasher):
    """Counts the hashes that are made."""

    def __init__(self) -> None:
        super().__init__()
        self.made = 0

    def matches(self, pin: str, pin_hash: str) -> bool:
        self.made += 1
        return super().matches(pin, pin_hash)


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def test_a_password_is_hashed_once_and_every_wrong_one_each_time() -> None:
    passwords = Passwords({"a": PinHasher().hash(RIGHT), "b": PinHasher().hash("other")})
    passwords._hasher = hasher = CountingHasher()
    assert [passwords.admits(basic("a", RIGHT)) for _ in range(3)] == [True] * 3
    assert hasher.made == 1
    assert not any(passwords.admits(basic("a", "other")) for _ in range(2))
    assert not passwords.admits(basic("b", RIGHT))
    assert not passwords.admits(basic("nobody", RIGHT))
    assert hasher.made == 5
    assert passwords.admits(basic("a", RIGHT))
    assert hasher.made == 5


@pytest.mark.parametrize("field", ["", "Basic", "Basic ", "Basic !", "Bearer x", "Basic /w==", "b"])
def test_another_field_admits_nobody(field: str) -> None:
    assert not Passwords({"": PinHasher().hash("")} if field == "b" else {}).admits(field)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it has 0 names"),
        ("# nobody\n", "it has 0 names"),
        ("prometheus:secret", "line 1: it is no name with a hash"),
        ("prometheus", "line 1: it is no name with a hash"),
        ("\n:$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA", "line 2: it is no name with a hash"),
        ("a:$argon2id$v=19$nonsense", "line 1: it is no name with a hash"),
        (
            f"a:$argon2id$v=19$m=600000,t=1,p=1${'A' * 22}${'A' * 43}",
            "line 1: its costs m=600000, t=1, p=1 are not taken. Allowed: .* m from 8 times p",
        ),
    ],
)
def test_a_bad_file_of_passwords_stops_the_start(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "scrapers.txt").write_text(text or "\n")
    with pytest.raises(WebUnavailable, match=problem) as caught:
        WebServers().serve_metrics(
            WebPlace("127.0.0.1", 0),
            TABLE,  # type: ignore[arg-type]
            TableMetrics(TABLE),
            tmp_path / "scrapers.txt",
        )
    assert "Remedy: " in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    one = PinHasher().hash(RIGHT)
    (tmp_path / "twice").write_text(f"a:{one}\na:{one}\n")
    with pytest.raises(Exception, match="line 2: this name is there twice"):
        read_passwords(tmp_path / "twice")


# --- nobody holds others up -----------------------------------------------------------------------


def test_clients_that_never_finish_the_handshake_keep_nobody_out(serve, authority) -> None:
    server, context = serve(client_ca=True), client(authority, authority.signed("scraper"))
    with ExitStack() as stack:
        for number in range(20):
            idle = stack.enter_context(socket.create_connection(("127.0.0.1", port_of(server))))
            if number % 2:
                idle.sendall(b"\x16\x03\x01\x02\x00\x01")  # a part of a first message
        assert asked(server, context)[0] == 200
        server.stop()


def test_what_a_handshake_took_is_freed_with_its_connection(serve, authority) -> None:
    """Not by the garbage collector, which comes late: each holds some 300 kB."""
    server, context = serve(client_ca=True), client(authority, authority.signed("scraper"))

    def take_part() -> None:
        with socket.create_connection(("127.0.0.1", port_of(server))) as idle:
            idle.sendall(b"\x16\x03\x01\x02\x00\x01")
            asked(server, context)

    gc.collect()
    gc.disable()
    try:
        take_part()
        before = len(tls_protocols())
        for _ in range(20):
            take_part()
        wait_until(lambda: len(tls_protocols()) <= before + 1)
    finally:
        gc.enable()


def tls_protocols() -> list[SSLProtocol]:
    return [one for one in gc.get_objects() if type(one) is SSLProtocol]


def test_a_stop_ends_a_handshake(serve) -> None:
    server = serve(client_ca=True)
    with socket.create_connection(("127.0.0.1", port_of(server)), 30.0) as idle:
        idle.sendall(b"\x16\x03\x01")
        stopped = threading.Thread(target=server.stop)
        stopped.start()
        # What it sent was not read: its end may be a reset.
        with suppress(ConnectionResetError):
            assert idle.recv(10) == b""
        stopped.join()
        assert not stopped.is_alive()


# --- files ----------------------------------------------------------------------------------------


def test_files_that_do_not_fit_are_named_with_a_remedy(tmp_path: Path, authority) -> None:
    certificate, key = authority.signed("table")
    _, other_key = authority.signed("scraper")
    (tmp_path / "no.pem").write_text("nothing")
    for files, named in (
        (ServerTlsFiles(certificate, other_key), certificate),
        (ServerTlsFiles(tmp_path / "missing.crt", key), tmp_path / "missing.crt"),
        (ServerTlsFiles(certificate, key, tmp_path / "no.pem"), tmp_path / "no.pem"),
    ):
        with pytest.raises(WebUnavailable) as caught:
            WebServer(WebPlace("127.0.0.1", 0, files)).start()
        assert str(named) in str(caught.value)
        assert "Remedy: " in str(caught.value)

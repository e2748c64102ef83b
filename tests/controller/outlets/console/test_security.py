"""What a request must prove: its form, its host, and the account of this machine it comes from."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from declared_needs import PYTHON_OF_ANYBODY
from starlette.requests import Request

from controller.outlets.console.security import Forbidden, check_form, check_host, is_local

NOBODY = 65534


def request(client: str = "127.0.0.1", **headers: str) -> Request:
    fields = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return Request(
        {
            "type": "http",
            "method": "POST",
            "scheme": "http",
            "path": "/act",
            "query_string": b"",
            "server": ("127.0.0.1", 9309),
            "client": (client, 5000),
            "headers": fields,
        }
    )


OWN = {"host": "127.0.0.1:9309", "sec_fetch_site": "same-origin"}


def test_a_form_of_the_session_from_its_own_page_is_taken() -> None:
    check_form(request(**OWN), "secret", "secret")
    check_form(request(host="127.0.0.1:9309", origin="http://127.0.0.1:9309"), "secret", "secret")


@pytest.mark.parametrize(
    ("headers", "given"),
    [
        (OWN, "other"),
        (OWN, ""),
        ({**OWN, "sec_fetch_site": "cross-site"}, "secret"),
        ({**OWN, "sec_fetch_site": "same-site"}, "secret"),
        ({"host": "127.0.0.1:9309", "origin": "http://elsewhere.example"}, "secret"),
        # A browser says one of both; who says neither is none.
        ({"host": "127.0.0.1:9309"}, "secret"),
    ],
)
def test_any_other_form_is_refused(headers: dict[str, str], given: str) -> None:
    with pytest.raises(Forbidden) as refused:
        check_form(request(**headers), "secret", given)
    assert refused.value.status == 403


def test_a_host_is_one_of_this_server() -> None:
    for host in ("127.0.0.1:9309", "localhost", "[::1]:9309", "M-12.pit.example"):
        check_host(request(host=host), ("m-12.pit.example",))
    for host in ("rebound.example", "127.0.0.1.example", ""):
        with pytest.raises(Forbidden) as refused:
            check_host(request(host=host), ("m-12.pit.example",))
        assert refused.value.status == 421


# --- the table's own screen -----------------------------------------------------------------------


@pytest.fixture(params=["127.0.0.1", "::1", "mapped"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A connection within this machine: its client's end and its server's."""
    if request.param == "mapped":
        listener = socket.create_server(
            ("::", 0), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1
        )
        address = "127.0.0.1"
    else:
        family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
        listener = socket.create_server((request.param, 0), family=family, backlog=1)
        address = request.param
    with listener, socket.create_connection((address, listener.getsockname()[1])) as client:
        server, _ = listener.accept()
        with server:
            yield client, server


@pytest.fixture
def control_socket(tmp_path: Path) -> Path:
    """Stands for the socket: its owner and its modes count."""
    file = tmp_path / "control"
    file.touch(mode=0o660)
    return file


def request_over(server: socket.socket, **headers: str) -> Request:
    given = request(**headers)
    given.scope["client"] = server.getpeername()[:2]
    given.scope["server"] = server.getsockname()[:2]
    return given


def test_who_may_use_the_control_socket_is_the_tables_screen(
    ends: tuple[socket.socket, socket.socket], control_socket: Path
) -> None:
    assert is_local(request_over(ends[1]), control_socket)


def test_another_machine_is_not(control_socket: Path) -> None:
    assert not is_local(request("192.0.2.7"), control_socket)


@pytest.mark.parametrize(
    "header", ["forwarded", "x_forwarded_for", "x_forwarded_proto", "via", "x_real_ip"]
)
def test_what_a_proxy_of_this_machine_passes_on_is_not(
    ends: tuple[socket.socket, socket.socket], control_socket: Path, header: str
) -> None:
    assert not is_local(request_over(ends[1], **{header: "192.0.2.7"}), control_socket)


def test_a_client_that_has_gone_is_nobody_although_the_kernel_names_uid_0_then(
    ends: tuple[socket.socket, socket.socket], control_socket: Path
) -> None:
    client, server = ends
    asked = request_over(server)
    client.close()
    assert not is_local(asked, control_socket)


CONNECT = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))):
    print("connected", flush=True)
    sys.stdin.read()
"""


@pytest.mark.needs("another-account")
@pytest.mark.parametrize(
    ("owner", "group", "mode", "local"),
    [
        (0, 0, 0o660, False),
        (0, 0, 0o666, True),
        (NOBODY, 0, 0o660, True),
        # Debian's nobody is in nogroup.
        (0, NOBODY, 0o660, True),
        (0, NOBODY, 0o640, False),
    ],
)
def test_another_account_is_if_owner_group_and_modes_of_the_socket_admit_it(
    control_socket: Path, owner: int, group: int, mode: int, *, local: bool
) -> None:
    os.chown(control_socket, owner, group)
    control_socket.chmod(mode)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words = [PYTHON_OF_ANYBODY, "-I", "-c", CONNECT, str(listener.getsockname()[1])]
        with subprocess.Popen(
            words,
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ):
            server, _ = listener.accept()
            with server:
                assert is_local(request_over(server), control_socket) is local

"""Who sees and does what over HTTP, at a table with accounts: by page, API and control socket.

Source: D-32.
"""

import http.client
import json
import logging
import re
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter
from serving_table import Serving, connected

from controller.journal.people import PEOPLE_NAME
from controller.outlets.console.http_server import WAITING_THREADS
from controller.outlets.console.sessions import ATTEMPTS_MAX, ATTEMPTS_S
from controller.outlets.console.sites import ConsolePart, WebPlace, WebServers
from controller.outlets.control.act_rate import ACTS_PER_S_MAX
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import READERS, Proof, Role, values_of
from controller.table.accounts.sign_on import FAILURES_MAX

pytestmark = pytest.mark.needs("requests")

PINS = {role: f"{number}70918" for number, role in enumerate(Role, start=1)}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
# What a proxy adds; who asks through one is not at the table's own screen.
ELSEWHERE = {"Via": "1.1 proxy"}
CALL = "/api/v1/actions/no-more-bets"


def name_of(role: Role) -> str:
    return f"The {role.value}"


class Client:
    """One browser or program, at an address of its own within this machine."""

    def __init__(self, url: str, address: str = "127.0.0.1", **headers: str) -> None:
        self.url = url
        self.session = requests.Session()
        self.session.mount("http://", HTTPAdapter())
        self.session.get_adapter("http://").init_poolmanager(  # type: ignore[attr-defined]
            1, 1, source_address=(address, 0)
        )
        self.session.headers.update(headers)

    def get(self, path: str, **others: Any) -> requests.Response:
        return self.session.get(self.url + path, allow_redirects=False, **others)

    def post(self, path: str, **others: Any) -> requests.Response:
        return self.session.post(self.url + path, allow_redirects=False, **others)

    def sign_on(self, role: Role) -> requests.Response:
        """Get a token by the API, and use it from now on."""
        answer = self.post("/api/v1/sign-on", json={"by": name_of(role), "pin": PINS[role]})
        assert answer.status_code == 200, answer.text
        self.session.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        return answer

    def sign_on_by_page(self, role: Role) -> None:
        page = self.get("/sign-on")
        given = {"csrf": self.csrf(page), "by": name_of(role), "pin": PINS[role]}
        answer = self.post("/sign-on", data=given, headers=FORM)
        assert answer.status_code == 303, answer.text

    @staticmethod
    def csrf(page: requests.Response) -> str:
        found = re.search(r'data-csrf="([^"]+)"', page.text)
        assert found is not None
        return found[1]


class Web:
    """A table in this process with its control socket and its pages, and six persons."""

    def __init__(self, serving: Serving, stack: ExitStack) -> None:
        self.serving = serving
        self.stack = stack
        self.servers = WebServers()
        part = ConsolePart(serving.requests, serving.path)
        place = WebPlace("127.0.0.1", 0)
        self.url = self.servers.serve_console(place, part).rstrip("/")

    def client(self, **headers: str) -> Client:
        return Client(self.url, **headers)

    def change(self, change: str, of: Role, **others: str) -> None:
        request = {"request": "people", "change": change, "name": name_of(of), **others}
        answer = self.serving.client.request(request)
        assert answer.ok, answer.error


@pytest.fixture
def web(suspended: Path, fast_dir: Path) -> Iterator[Web]:
    with ExitStack() as stack:
        serving = Serving(suspended, fast_dir / "control.sock")
        stack.callback(serving.end)
        served = Web(serving, stack)
        stack.callback(served.servers.withdraw, "M7")
        for role, pin in PINS.items():
            served.change("added", role, role=role.value, pin=pin)
        yield served


# --- every action, every role, every carrier ------------------------------------------------------


def values_for(name: str, person: str) -> dict[str, Any]:
    """Required values of an action, as JSON; the second person is the same one, who is proved."""
    plain: dict[type, Any] = {int: 1, bool: True, tuple: []}
    values = {
        one.name: one.choices[0] if one.choices else plain.get(one.kind, "words")
        for one in values_of(ACTIONS[name])
        if one.required
    }
    return values | ({"second": person} if "second" in values else {})


def text_of(value: Any) -> str:
    return {True: "yes", str([]): "none"}.get(value if value is True else str(value), str(value))


Take = Callable[[str, dict[str, Any]], str]


def by_socket(web: Web, role: Role, number: int) -> Take:
    connection = web.stack.enter_context(connected(web.serving.path))
    answers = web.stack.enter_context(connection.makefile("rb"))

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        connection.sendall(json.dumps(request).encode() + b"\n")
        return dict(json.loads(answers.readline()))

    assert ask({"request": "sign-on", "by": name_of(role), "pin": PINS[role]})["ok"]

    def take(name: str, values: dict[str, Any]) -> str:
        return str(ask({"request": "act", "action": name, "reason": "r", **values}).get("error"))

    return take


def by_api(web: Web, role: Role, number: int) -> Take:
    client = Client(web.url, f"127.0.1.{number}", **ELSEWHERE)
    client.sign_on(role)

    def take(name: str, values: dict[str, Any]) -> str:
        answer = client.post(f"/api/v1/actions/{name}", json={"reason": "r", **values})
        return str(answer.json().get("detail"))

    return take


def by_page(web: Web, role: Role, number: int) -> Take:
    client = Client(web.url, f"127.0.2.{number}", **ELSEWHERE)
    client.sign_on_by_page(role)
    page = client.get("/actions")
    assert set(re.findall(r'id="action-([\w-]+)"', page.text)) == declared(role)
    about = {"csrf": client.csrf(page), "reason": "r"}

    def take(name: str, values: dict[str, Any]) -> str:
        form = {key: text_of(value) for key, value in values.items()}
        answer = client.post("/act", data={**about, "action": name, **form}, headers=FORM)
        return answer.text

    return take


def declared(role: Role) -> set[str]:
    return {name for name, kind in ACTIONS.items() if role in kind.roles}


@pytest.mark.parametrize("carrier", [by_socket, by_api, by_page])
def test_each_role_may_take_the_same_actions_by_every_carrier(web: Web, carrier: Any) -> None:
    names = list(ACTIONS)
    chunks = [
        names[at : at + ACTS_PER_S_MAX - 1] for at in range(0, len(names), ACTS_PER_S_MAX - 1)
    ]
    for number, role in enumerate(Role, start=1):
        refused = set()
        for chunk in chunks:
            take = carrier(web, role, number)
            answers = {name: take(name, values_for(name, name_of(role))) for name in chunk}
            refused |= {
                name
                for name, text in answers.items()
                if text.startswith(f"role: {name} is not for")
            }
            assert not [text for text in answers.values() if "it is missing" in text]
        assert set(names) - refused == declared(role), role
    assert {role for role in Role if not declared(role)} == set(READERS)


# --- from elsewhere -------------------------------------------------------------------------------


def test_from_elsewhere_nobody_acts_in_a_name_alone(web: Web) -> None:
    for role in (*READERS, Role.FLOORPERSON):
        client = web.client(**ELSEWHERE)
        client.sign_on(role)
        answer = client.post(CALL, json={"by": name_of(Role.DEALER)})
        assert (answer.status_code, answer.json()["detail"][:28]) == (
            403,
            "by: it is not proved who tha",
        )
    assert web.serving.actions() == []


def test_at_the_tables_screen_a_name_is_enough_for_what_a_dealer_does(web: Web) -> None:
    client = web.client()
    token = client.post("/api/v1/sign-on", json={}).json()["token"]
    client.post(CALL, json={"by": "Di"}, headers={"Authorization": f"Bearer {token}"})
    assert [one.proof for one in web.serving.actions()] == [Proof.NONE]


@pytest.mark.parametrize(
    ("change", "values"),
    [("removed", {}), ("role", {"role": "dealer"}), ("pin", {"pin": "852741"})],
)
def test_whose_account_changes_is_signed_on_nowhere(
    web: Web, change: str, values: dict[str, str]
) -> None:
    program, browser = web.client(**ELSEWHERE), web.client(**ELSEWHERE)
    program.sign_on(Role.PIT_MANAGER)
    browser.sign_on_by_page(Role.PIT_MANAGER)
    assert program.get("/api/v1/snapshot").status_code == 200
    assert browser.get("/").status_code == 200
    web.change(change, Role.PIT_MANAGER, **values)
    assert program.get("/api/v1/snapshot").status_code == 401
    assert program.post(CALL, json={"by": "Di"}).status_code == 401
    assert browser.get("/").headers["location"] == "/sign-on"
    # At the table's own screen the page is there, and names nobody.
    del browser.session.headers["Via"]
    assert name_of(Role.PIT_MANAGER) not in browser.get("/").text.split("<main")[0]


# --- streams --------------------------------------------------------------------------------------


def change_the_table(web: Web) -> None:
    assert web.serving.client.request({"request": "act", "action": "no-more-bets", "by": "Di"})


def test_a_stream_of_the_api_ends_with_its_sign_on(web: Web) -> None:
    client = web.client(**ELSEWHERE)
    client.sign_on(Role.SURVEILLANCE)
    with client.get("/api/v1/stream", stream=True) as stream:
        lines = stream.iter_lines()
        assert next(one for one in lines if one.startswith(b"data: "))
        assert client.post("/api/v1/sign-off").status_code == 204
        change_the_table(web)
        assert [one for one in lines if one] == []


def test_a_page_that_is_open_learns_that_its_sign_on_has_ended(web: Web) -> None:
    client = web.client(**ELSEWHERE)
    client.sign_on_by_page(Role.INSPECTOR)
    with client.get("/events", stream=True) as stream:
        lines = stream.iter_lines()
        assert next(one for one in lines if one == b"event: parts")
        web.change("removed", Role.INSPECTOR)
        change_the_table(web)
        assert [one for one in lines if one.startswith(b"event: ")] == [b"event: ended"]


def test_a_page_whose_sign_on_ended_before_its_stream_began_learns_it_too(web: Web) -> None:
    browser = web.client()
    browser.sign_on_by_page(Role.FLOORPERSON)
    found = re.search(r'data-stream="(/events[^"]+)"', browser.get("/").text)
    assert found is not None
    with browser.get(found[1], stream=True) as stream:
        assert (
            next(one for one in stream.iter_lines() if one.startswith(b"event")) == b"event: parts"
        )
    web.change("removed", Role.FLOORPERSON)
    assert browser.get(found[1]).text == "event: ended\ndata: 1\n\n"


# --- signing on -----------------------------------------------------------------------------------


def test_a_second_person_signs_on_beside_the_first_by_the_api(web: Web) -> None:
    client = web.client(**ELSEWHERE)
    client.sign_on(Role.FLOORPERSON)
    old = client.session.headers["Authorization"]
    assert client.sign_on(Role.PIT_MANAGER).json()["role"] == "pit_manager"
    names = {"by": name_of(Role.FLOORPERSON), "second": name_of(Role.PIT_MANAGER)}
    body = {**names, "coup": 1, "outcome": "banker", "reason": "the camera shows it"}
    client.post("/api/v1/actions/correct-coup", json=body)
    (stored,) = web.serving.actions()
    assert (stored.proof, stored.second_proof) == (Proof.PIN, Proof.PIN)
    assert client.get("/api/v1/snapshot", headers={"Authorization": old}).status_code == 401


def test_a_second_person_gives_the_pin_beside_who_has_signed_on_at_the_page(web: Web) -> None:
    client = web.client(**ELSEWHERE)
    client.sign_on_by_page(Role.FLOORPERSON)
    # The form has no field for who acts: that is known.
    form = {
        "csrf": client.csrf(client.get("/actions")),
        "action": "correct-coup",
        "reason": "the camera shows it",
        "coup": "1",
        "outcome": "banker",
        "second": name_of(Role.PIT_MANAGER),
        "second_pin": PINS[Role.PIT_MANAGER],
    }
    client.post("/act", data=form, headers=FORM)
    (stored,) = web.serving.actions()
    assert (stored.role, stored.proof) == (Role.FLOORPERSON, Proof.PIN)
    assert stored.second_proof is Proof.PIN


def test_who_signs_on_at_a_page_takes_the_place_of_who_was_there(web: Web) -> None:
    client = web.client()
    client.sign_on_by_page(Role.FLOORPERSON)
    client.sign_on_by_page(Role.DEALER)
    page = client.get("/")
    assert name_of(Role.DEALER) in page.text
    form = {"csrf": client.csrf(page), "action": "close-shoe", "reason": "r"}
    assert client.post("/act", data=form, headers=FORM).text.startswith("role: close-shoe is not")


def test_signing_on_changes_the_cookie_and_the_secret_of_the_forms(web: Web) -> None:
    client = web.client()
    before, cookies = client.csrf(client.get("/")), client.session.cookies.get_dict()
    client.sign_on_by_page(Role.DEALER)
    planted = web.client()
    planted.session.cookies.update(cookies)
    assert name_of(Role.DEALER) not in planted.get("/").text.split("<main")[0]
    form = {"csrf": before, "action": "no-more-bets"}
    assert client.post("/act", data=form, headers=FORM).status_code == 403


def test_tables_of_one_machine_at_different_ports_have_cookies_of_their_own(web: Web) -> None:
    client = web.client()
    client.get("/")
    port = web.url.rpartition(":")[2]
    assert list(client.session.cookies.keys()) == [f"smartshoe_session_{port}"]


def test_who_tried_too_often_is_told_when_to_come_back(web: Web) -> None:
    client = web.client(**ELSEWHERE)
    wrong = {"by": "Zoe Nobody", "pin": "1"}
    answers = [client.post("/api/v1/sign-on", json=wrong) for _ in range(ATTEMPTS_MAX + 1)]
    assert [one.status_code for one in answers] == [403] * ATTEMPTS_MAX + [429]
    assert answers[-1].headers["retry-after"] == str(ATTEMPTS_S)


WRONG = {"by": name_of(Role.FLOORPERSON), "pin": "1"}
RIGHT = {"by": name_of(Role.FLOORPERSON), "pin": PINS[Role.FLOORPERSON]}


def test_wrong_pins_at_the_own_screen_and_socket_count_together(web: Web) -> None:
    page = web.client()
    about = {"csrf": page.csrf(page.get("/sign-on"))}
    for _ in range(2):
        page.post("/sign-on", data={**about, **WRONG}, headers=FORM)
        web.client().post("/api/v1/sign-on", json=WRONG)
    assert not web.serving.client.request({"request": "sign-on", **WRONG}).ok
    assert not web.serving.client.request({"request": "sign-on", **RIGHT}).ok
    assert web.client().post("/api/v1/sign-on", json=RIGHT).status_code == 403
    assert page.post("/sign-on", data={**about, **RIGHT}, headers=FORM).status_code == 403


def guess_from_elsewhere(web: Web) -> Client:
    """Wrong PINs from a client on another machine, more than lock an account; that client."""
    elsewhere = web.client(**ELSEWHERE)
    for _ in range(FAILURES_MAX + 1):
        assert elsewhere.post("/api/v1/sign-on", json=WRONG).status_code == 403
    return elsewhere


def test_guesses_from_elsewhere_lock_nobody_out_at_the_table(web: Web) -> None:
    elsewhere = guess_from_elsewhere(web)

    assert elsewhere.post("/api/v1/sign-on", json=RIGHT).status_code == 403
    assert web.serving.client.request({"request": "sign-on", **RIGHT}).ok
    assert web.client().post("/api/v1/sign-on", json=RIGHT).status_code == 200
    page = web.client()
    about = {"csrf": page.csrf(page.get("/sign-on"))}
    assert page.post("/sign-on", data={**about, **RIGHT}, headers=FORM).status_code == 303


def test_guesses_from_elsewhere_leave_the_pin_of_one_action_at_the_own_screen(web: Web) -> None:
    guess_from_elsewhere(web)
    page = web.client()
    form = {"csrf": page.csrf(page.get("/sign-on")), "action": "resolve", "reason": "seen"}

    answer = page.post("/act", data={**form, **RIGHT, "decision": "void_coup"}, headers=FORM)

    assert "sign-on: it was refused" not in answer.text


def test_a_pin_from_elsewhere_that_is_right_ends_no_lock_at_the_table(web: Web) -> None:
    for _ in range(FAILURES_MAX):
        assert not web.serving.client.request({"request": "sign-on", **WRONG}).ok

    assert web.client(**ELSEWHERE).post("/api/v1/sign-on", json=RIGHT).status_code == 200
    assert not web.serving.client.request({"request": "sign-on", **RIGHT}).ok


def test_an_unlock_ends_both_locks(web: Web) -> None:
    elsewhere = guess_from_elsewhere(web)
    for _ in range(FAILURES_MAX):
        assert not web.serving.client.request({"request": "sign-on", **WRONG}).ok

    web.change("unlocked", Role.FLOORPERSON)

    assert web.serving.client.request({"request": "sign-on", **RIGHT}).ok
    assert elsewhere.post("/api/v1/sign-on", json=RIGHT).status_code == 200


def test_pins_that_wait_from_elsewhere_keep_the_own_screen_from_no_check(web: Web) -> None:
    port = int(web.url.rpartition(":")[2])
    body = b'{"by": "Zoe Nobody", "pin": "1"}'
    head = b"POST /api/v1/sign-on HTTP/1.1\r\nHost: 127.0.0.1\r\nVia: 1.1 proxy\r\n"
    head += b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    waiting = []
    for number in range(1, 41):
        waiting.append(socket.create_connection(("127.0.0.1", port), 30, (f"127.0.3.{number}", 0)))
        web.stack.enter_context(waiting[-1])
        waiting[-1].sendall(head + body)

    assert web.client().post("/api/v1/sign-on", json=RIGHT).status_code == 200

    answered = [one for one in waiting if select.select([one], [], [], 0)[0]]
    assert len(answered) < len(waiting)


def test_pins_that_are_tried_side_by_side_keep_nobody_else_waiting(web: Web) -> None:
    port = int(web.url.rpartition(":")[2])
    body = b'{"by": "Zoe Nobody", "pin": "1"}'
    head = b"Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d" % len(body)
    tried = []
    with web.serving.people.alone():
        for number in range(1, WAITING_THREADS + 2):
            address = (f"127.0.3.{number}", 0)
            tried.append(socket.create_connection(("127.0.0.1", port), 30, address))
            web.stack.enter_context(tried[-1])
            tried[-1].sendall(b"POST /api/v1/sign-on HTTP/1.1\r\n%b\r\n\r\n%b" % (head, body))
        assert web.client().get("/patrons").status_code == 200
    assert {one.recv(12) for one in tried} == {b"HTTP/1.1 403"}


# --- what goes wrong ------------------------------------------------------------------------------


def test_where_the_file_of_people_cannot_be_read_the_pages_say_so(web: Web) -> None:
    (web.serving.journal / PEOPLE_NAME).write_bytes(b"no database" * 100)
    client = web.client()
    for answer in (client.get("/"), client.get("/api/v1/snapshot")):
        assert answer.status_code == 503
        assert "Remedy" in answer.text or answer.json()["remedy"]


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: other.example\r\n\r\n",
        b"POST /act HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /act HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 10_000,
        b"\x16\x03\x01",
    ],
)
def test_what_is_not_http_is_answered_with_strict_headers_and_no_content(
    web: Web, sent: bytes
) -> None:
    port = int(web.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(sent + b"\r\n\r\n")
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert (answer.status, answer.read()) == (400, b"")
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_a_request_that_breaks_off_is_no_internal_error(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "smartshoe.console")
    head = b"POST /api/v1/sign-on HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    port = int(web.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(head + b"Content-Length: 20\r\n\r\n{")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    web.servers.withdraw("M7")
    assert caplog.records == []

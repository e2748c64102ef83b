"""The API of a running table: the client of its page, and requests made from its document."""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import schemathesis
from declared_needs import PYTHON_OF_ANYBODY
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode
from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program
from hil.rig.servers.certificates import CertificateAuthority

pytestmark = pytest.mark.needs("schemathesis", "requests")
ROOT = Path(__file__).resolve().parents[2]
PIN = "270918"
CONFIG = """\
table = {{ name = "M-12" }}
rules = {{ observed = ["no_more_bets"] }}
shoe = {{ port = "{port}", report_interval_ms_min = 1, reports_s_max = 0 }}
metrics = {{ port = 0 }}
"""
NOBODY = 65534
ASK = """
import http.client, sys
connection = http.client.HTTPConnection(sys.argv[1])
connection.request("GET", sys.argv[2])
print(connection.getresponse().status)
"""
EXAMPLES = 8
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


class Served:
    """A running table, its API, and the shoe that it reads."""

    def __init__(self, program: Program, shoe: PtyServer[AngelEye]) -> None:
        self.shoe = shoe
        found = re.search(r"page (http://\S+?)/\s", program.log_text())
        assert found is not None
        self.url = found[1]
        file = program.config.parent / "pin"
        file.write_text(PIN)
        words = ("people", "add", "Ann Lee", "--role", "floorperson", "--new-pin-file", str(file))
        assert ExitCode(main([*words, "--config", str(program.config)])) is ExitCode.DONE

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, dict[str, object]]:
        """The status and the JSON of an answer."""
        data = None if body is None else json.dumps(body).encode()
        fields = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(f"{self.url}/api/v1{path}", data, fields)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def token(self) -> str:
        status, given = self.ask("/sign-on", {"by": "Ann Lee", "pin": PIN})
        assert status == 200
        return str(given["token"])


@pytest.fixture
def served(fast_dir: Path) -> Iterator[Served]:
    with PtyServer(AngelEye(), link=fast_dir / "shoe") as shoe:
        config = fast_dir / "table.toml"
        config.write_text(CONFIG.format(port=shoe.path))
        with Program(config, fast_dir / "program.log") as program:
            program.start()
            program.await_log("page http://")
            shoe.perform(lambda one: one.power_on())
            yield Served(program, shoe)
            program.stop()


def client_of_the_page() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text(), re.DOTALL)
    return str(code)


def test_the_client_of_the_page_is_short_and_acknowledges(served: Served, tmp_path: Path) -> None:
    code = client_of_the_page()
    assert len(code.splitlines()) < 60
    (tmp_path / "client.py").write_text(code)
    environment = {**os.environ, "TABLE": served.url, "NAME": "Ann Lee", "PIN": PIN}
    with subprocess.Popen(
        [sys.executable, tmp_path / "client.py"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as client:
        assert client.stdout is not None
        try:
            # Without the call of "no more bets", which is an irregularity that suspends nothing.
            for name in ("AD", "2C", "9H"):
                card = card_named(name)
                served.shoe.perform(lambda shoe, card=card: shoe.draw(card))
            lines = iter(client.stdout)
            seen = [next(line for line in lines if line.endswith(" 1\n"))]
            seen.append(next(line for line in lines if line.endswith(" 0\n")))
        finally:
            client.kill()
    assert seen == ["banker_1 1\n", "banker_1 0\n"]


def test_an_action_without_a_token_is_refused_with_the_remedy(served: Served) -> None:
    status, problem = served.ask("/actions/no-more-bets", {})
    assert status == 401
    assert "sign-on" in str(problem["remedy"])


def test_a_wrong_pin_gives_no_token(served: Served) -> None:
    status, problem = served.ask("/sign-on", {"by": "Ann Lee", "pin": "1"})
    assert (status, "token" in problem) == (403, False)


def test_what_the_rules_refuse_is_a_conflict(served: Served) -> None:
    bearer = {"Authorization": f"Bearer {served.token()}"}
    status, problem = served.ask(
        "/actions/resolve", {"decision": "continue", "reason": "nothing is open"}, **bearer
    )
    assert (status, problem["status"]) == (409, 409)


def test_a_page_of_another_origin_may_send_nothing(served: Served) -> None:
    status, _ = served.ask(
        "/sign-on", {"by": "Ann Lee", "pin": PIN}, Origin="http://elsewhere.example"
    )
    assert status == 403


def test_another_name_for_this_machine_reads_nothing(served: Served) -> None:
    request = urllib.request.Request(f"{served.url}/api/v1/snapshot")
    request.add_header("Host", "rebound.example")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    refused.value.close()
    assert refused.value.code == 421


@pytest.mark.needs("another-account")
@pytest.mark.parametrize(
    ("path", "status"), [("/", 303), ("/events", 401), ("/api/v1/snapshot", 401)]
)
def test_an_account_of_the_machine_that_may_not_use_the_socket_signs_on_first(
    served: Served, path: str, status: int
) -> None:
    done = subprocess.run(
        [PYTHON_OF_ANYBODY, "-I", "-c", ASK, served.url.removeprefix("http://"), path],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == status


OVER_TLS = """
[console]
port = 0
certificate = "table.crt"
key = "table.pem"
client_ca = "house.crt"
"""
JSON = {"Content-Type": "application/json"}
LONG = '{"by": "' + "x" * 64 * 1024 + '"}'


def every_status(bearer: dict[str, str]) -> list[tuple[int, str, str, dict[str, str], str]]:
    """A request for each status of the document but 429 and 503: status, method, path and so on."""
    signed = {**JSON, **bearer}
    return [
        (200, "GET", "/openapi.json", {}, ""),
        (200, "GET", "/snapshot", {}, ""),
        (200, "GET", "/actions", {}, ""),
        (200, "POST", "/sign-on", JSON, "{}"),
        (400, "POST", "/sign-on", JSON, "{"),
        (400, "POST", "/actions/no-more-bets", signed, "{"),
        (401, "GET", "/snapshot", {"Authorization": "Bearer none"}, ""),
        (401, "POST", "/sign-off", {}, ""),
        (401, "POST", "/actions/no-more-bets", JSON, "{}"),
        (403, "POST", "/sign-on", {**JSON, "Origin": "http://elsewhere.example"}, "{}"),
        (403, "POST", "/sign-on", JSON, '{"by": "Ann Lee", "pin": "1"}'),
        (404, "GET", "/none", {}, ""),
        (404, "POST", "/actions/none", signed, "{}"),
        (405, "POST", "/snapshot", JSON, "{}"),
        (405, "GET", "/sign-on", {}, ""),
        (
            409,
            "POST",
            "/actions/resolve",
            signed,
            '{"decision": "continue", "reason": "none is open"}',
        ),
        (413, "POST", "/sign-on", JSON, LONG),
        (415, "POST", "/sign-on", {"Content-Type": "text/plain"}, "{}"),
        (421, "GET", "/snapshot", {"Host": "rebound.example"}, ""),
        (421, "POST", "/sign-on", {**JSON, "Host": "rebound.example"}, "{}"),
        (422, "POST", "/sign-on", JSON, '{"name": "Ann Lee"}'),
        (422, "POST", "/sign-on", JSON, "[]"),
        (422, "POST", "/actions/resolve", signed, '{"decision": "maybe", "reason": "none"}'),
        (422, "POST", "/actions/resolve", signed, '{"decision": "continue", "reason": ""}'),
        (422, "POST", "/actions/no-more-bets", signed, '{"by": null}'),
        (
            422,
            "POST",
            "/actions/declare-result",
            signed,
            '{"outcome": "tie", "player_pair": null}',
        ),
        (204, "POST", "/sign-off", bearer, ""),
    ]


def test_every_status_of_the_document_is_answered_as_it_says(served: Served) -> None:
    document = json.loads((ROOT / "docs" / "api" / "openapi.json").read_text())
    documented = {
        status
        for path in document["paths"].values()
        for operation in path.values()
        for status in operation["responses"]
    }
    rows = every_status({"Authorization": f"Bearer {served.token()}"})
    for status, method, path, headers, body in rows:
        answer = requests.request(method, f"{served.url}/api/v1{path}", headers=headers, data=body)
        kind = answer.headers.get("content-type", "")
        assert answer.status_code == status, (method, path, answer.text)
        if status >= 400:
            assert kind == "application/problem+json", (method, path)
            problem = answer.json()
            assert problem["status"] == status
            # What the rules refuse may need no remedy.
            assert status == 409 or problem["remedy"], (method, path, problem)
        operation = document["paths"].get(path, {}).get(method.lower())
        if operation is not None:
            assert str(status) in operation["responses"], (method, path)
    assert {str(row[0]) for row in rows} | {"429", "503"} >= documented


def test_the_eleventh_sign_on_of_a_minute_is_too_many(served: Served) -> None:
    for _ in range(10):
        assert served.ask("/sign-on", {"by": "Bo Ray", "pin": "1"})[0] == 403
    status, problem = served.ask("/sign-on", {"by": "Bo Ray", "pin": "1"})
    assert (status, problem["status"]) == (429, 429)


PATHS = (
    *("/", "/actions", "/patrons", "/sign-on", "/static/console.css", "/static/console.js"),
    *("/static/none.js", "/none", "/act", "/metrics", "/healthz", "/readyz"),
    *("/api/v1/openapi.json", "/api/v1/snapshot", "/api/v1/actions", "/api/v1/none"),
)


def test_every_answer_has_strict_headers_and_none_names_the_server(served: Served) -> None:
    for path in PATHS:
        for host in ({}, {"Host": "rebound.example"}):
            answer = requests.get(served.url + path, headers=host, allow_redirects=False)
            policy = answer.headers["content-security-policy"].split("; ")
            assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(
                policy
            )
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert answer.headers["cache-control"] == "no-store"
            assert "usb=()" in answer.headers["permissions-policy"]
            assert "server" not in answer.headers
            assert "access-control-allow-origin" not in answer.headers
            # Without TLS a promise of it would lock browsers out.
            assert "strict-transport-security" not in answer.headers


def test_over_tls_only_clients_with_a_certificate_are_answered(fast_dir: Path) -> None:
    authority = CertificateAuthority(fast_dir, "house")
    authority.signed("table")
    client = authority.signed("screen")
    config = fast_dir / "table.toml"
    config.write_text(CONFIG.format(port="socket://127.0.0.1:1") + OVER_TLS)
    with Program(config, fast_dir / "program.log") as program:
        program.start()
        url = program.await_log(r"page (https://\S+?)/\s")[1]
        with pytest.raises(requests.exceptions.RequestException):
            requests.get(url, verify=str(authority.file))
        answer = requests.get(url, verify=str(authority.file), cert=tuple(map(str, client)))
        program.stop()
    assert answer.status_code == 200
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    cookie = answer.headers["set-cookie"].split("; ")[1:]
    assert {"HttpOnly", "Secure", "SameSite=strict"} <= set(cookie)


def in_words(body: dict[str, object]) -> dict[str, object]:
    """The same by who signed on, with words for texts that are none: so it gets to the table."""
    kept = {key: value for key, value in body.items() if key not in ("by", "role")}
    for key, value in {"reason": "", **kept}.items():
        if isinstance(value, str) and not (value.strip() and value.isprintable()):
            kept[key] = "words"
    return kept


def test_requests_made_from_the_document_are_answered_as_it_says(served: Served) -> None:
    """Every path but the endless stream, with valid and invalid values, and with words."""
    document = json.loads((ROOT / "docs" / "api" / "openapi.json").read_text())
    schema = schemathesis.openapi.from_dict(document)
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {served.token()}"
    statuses: dict[str, set[int]] = defaultdict(set)
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path in ("/stream", "/sign-off", "/sign-on"):
            continue

        @seed(7)
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def is_answered(case) -> None:
            bodies = (
                (case.body, in_words(case.body)) if isinstance(case.body, dict) else (case.body,)
            )
            for case.body in bodies:
                response = case.call(base_url=f"{served.url}/api/v1", session=session)
                statuses[case.path].add(response.status_code)
                assert response.status_code < 500, response.text
                # A text may fit its schema and still be refused: it is not printable.
                case.validate_response(response, checks=CHECKS)

        is_answered()
    session.close()
    # Every action was stored, refused by the rules, or not the person's: no body stops before that.
    assert [path for path, found in statuses.items() if not found & {200, 403, 409}] == []
    assert {200, 403, 409, 422} <= set().union(*statuses.values())

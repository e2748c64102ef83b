"""The API of a running table: the client of its page, and requests made from its document.

Source: docs/api.md; controller/console/README.md, "API".
"""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from controller.cli.errors import ExitCode
from controller.cli.main import main
from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program

ROOT = Path(__file__).resolve().parents[2]
PIN = "270918"
CONFIG = """\
table = {{ name = "M-12" }}
rules = {{ observed = ["no_more_bets"] }}
shoe = {{ port = "{port}", report_interval_ms_min = 1 }}
metrics = {{ port = 0 }}
"""
EXAMPLES = 12
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


def test_requests_made_from_the_document_are_answered_as_it_says(served: Served) -> None:
    """Every path but the endless stream, with valid and invalid values."""
    document = json.loads((ROOT / "docs" / "api" / "openapi.json").read_text())
    schema = schemathesis.openapi.from_dict(document)
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {served.token()}"
    asked = 0
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
            nonlocal asked
            response = case.call(base_url=f"{served.url}/api/v1", session=session)
            asked += 1
            assert response.status_code < 500, response.text
            # A text may fit its schema and still be refused: it is empty, or not printable.
            case.validate_response(response, checks=CHECKS)

        is_answered()
    session.close()
    assert asked > EXAMPLES

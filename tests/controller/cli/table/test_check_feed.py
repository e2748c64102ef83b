"""`smartshoe check-config` shows each consumer of the floor feed, and what leaves the table."""

from pathlib import Path

import pytest

from controller.cli.main import main

TABLE = """\
[table]
name = "M-12"

[shoe]
port = "/dev/ttyS9"

[[feed]]
name = "back-office"
host = "broker.example"
user = "table-12"
password_file = "feed.password"

[[feed]]
name = "analysis"
host = "127.0.0.1"
port = 1883
tls = false
content = "finished_coups"
backfill = true
"""


def test_each_consumer_has_a_line_without_its_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "feed.password").write_text("secret")
    (tmp_path / "table.toml").write_text(TABLE)

    assert main(("check-config", str(tmp_path / "table.toml"))) == 0

    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "back-office: mqtt at broker.example:8883 (TLS) as table-12, topics smartshoe/...,"
        " meters_and_events"
    ) in shown
    assert (
        "analysis: mqtt at 127.0.0.1:1883 (no TLS), topics smartshoe/..., finished_coups, back-fill"
    ) in shown
    assert "secret" not in shown

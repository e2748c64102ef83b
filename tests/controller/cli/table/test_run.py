"""`smartshoe run`: every refused start ends with the same exit code and a sentence."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal.store import Journal
from controller.service import app
from controller.service.config.load import load_config
from controller.service.install.approval import ApprovedPart, sign_approval
from controller.system.command_line.errors import ExitCode
from controller.system.keys import make_key

CONFIG = """\
[table]
name = "M7"
[shoe]
port = "/dev/null"
[journal]
folder = "{folder}/journal"
[control]
socket = "{folder}/control.sock"
[metrics]
port = {port}
"""


RUN = ("-m", "controller.cli.main", "run", "--as-root")
# Other processes write to the same disk between the two starts.
FREE = re.compile(r"[\d.]+ [KMG]iB are free")


def run(config: Path, *python: str) -> tuple[int, str]:
    """The exit code and the sentence of a start, which --json turns into one object."""
    plain, shown = ended(config, python), ended(config, python, "--json")
    error = json.loads(shown.stdout)["error"]
    (sentence,) = [one for one in plain.stderr.splitlines() if one.startswith("smartshoe: ")]

    assert plain.stdout == ""
    assert shown.returncode == plain.returncode
    assert "smartshoe: " not in shown.stderr
    assert error["place"]
    assert error["remedy"]
    assert FREE.sub("SIZE are free", error["problem"]) in FREE.sub("SIZE are free", sentence)
    assert "Traceback" not in plain.stderr + shown.stderr
    return plain.returncode, sentence


def ended(config: Path, python: tuple[str, ...], *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *python, *RUN, str(config), *words],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def config(fast_dir: Path) -> Path:
    path = fast_dir / "table.toml"
    path.write_text(CONFIG.format(folder=fast_dir, port=0))
    return path


def test_an_address_in_use_refuses_the_start(config: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config.write_text(CONFIG.format(folder=config.parent, port=port))

        code, errors = run(config)

    assert code == ExitCode.NO_TABLE
    assert str(port) in errors


def test_a_journal_in_use_refuses_the_start(config: Path) -> None:
    with Journal.open(config.parent / "journal"):
        code, errors = run(config)

    assert code == ExitCode.NO_TABLE
    assert "journal" in errors


def test_sealed_shoes_without_their_journal_refuse_the_start_and_are_named_before_it(
    config: Path, capsys
) -> None:
    shoe = config.parent / "journal" / "shoes" / "2026-11-21" / "0007.shoe"
    shoe.parent.mkdir(parents=True)
    shoe.write_bytes(b"SMSHSEAL")

    code, errors = run(config)

    named = "the journal has the sealed shoe shoes/2026-11-21/0007.shoe"
    assert code == ExitCode.NO_TABLE
    assert named in errors
    assert "docs/damaged-journal.md" in errors
    assert main(["check-config", str(config)]) == ExitCode.DONE
    assert named in capsys.readouterr().out
    main(["doctor", str(config)])
    assert named in " ".join(capsys.readouterr().out.split())


def test_settings_with_a_problem_refuse_the_start(config: Path) -> None:
    config.write_text(config.read_text().replace("[metrics]", "[metrcs]"))

    code, errors = run(config)

    assert code == ExitCode.NO_TABLE
    assert "metrcs" in errors


def test_without_assertions_it_does_not_start(config: Path) -> None:
    code, errors = run(config, "-O")

    assert code == ExitCode.NO_TABLE
    assert errors.startswith("smartshoe: python: -O removes ")


def test_a_disk_that_is_too_full_refuses_the_start(config: Path) -> None:
    limits = "warn_free_mib = 16777216\nstop_free_mib = 16777216"
    config.write_text(config.read_text().replace("[journal]", f"[journal]\n{limits}"))

    code, errors = run(config)

    assert code == ExitCode.NO_TABLE
    assert "no table runs" in errors


def test_a_socket_in_use_refuses_the_start(config: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(config.parent / "control.sock"))
        other.listen()

        code, errors = run(config)

    assert code == ExitCode.NO_TABLE
    assert "control.sock: another smartshoe is running there" in errors


def test_a_configuration_that_cannot_be_read_is_unusable(config: Path) -> None:
    config.unlink()

    assert run(config)[0] == ExitCode.UNUSABLE


def test_root_starts_no_table_where_an_account_is_there_for_it(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(app, "has_account", lambda _lookup: True)

    code = main(["run", str(config)])

    assert code == ExitCode.NO_TABLE
    assert "account: root may do more" in capsys.readouterr().err
    assert not (config.parent / "journal").exists()


def test_a_refused_start_leaves_signals_as_they_were(config: Path) -> None:
    """What is blocked here stays blocked in every program that is started from here."""
    config.write_text(config.read_text().replace("[metrics]", "[metrcs]"))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    main(["run", str(config)])

    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_rules_that_must_be_approved_and_are_not_refuse_the_start(config: Path) -> None:
    key = make_key(config.parent / "body.key")
    approval = '[approval]\nfile = "it"\nkeys = ["body.key.pub"]\nrequired = ["profile"]\n'
    config.write_text(config.read_text() + approval)
    signed = sign_approval((load_config(config),), (ApprovedPart.CONFIGURATION,), "body", key)
    (config.parent / "it").write_bytes(signed)

    shown = ended(config, ())

    assert shown.returncode == ExitCode.NO_TABLE
    assert "INFO smartshoe: approval: profile: NOT APPROVED" in shown.stderr
    assert "INFO smartshoe: approval: configuration: approved by body, key " in shown.stderr
    assert "approval: not approved: profile. Allowed: " in shown.stderr

"""A pipe in the place of a file: every command refuses it at once, and nobody waits for its end.

Source: controller/system/named_file.py.
"""

import os
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

FIRMWARE = ("firmware", "approve", "--version", "1.0", "--counter", "1", "--list", "list.json")
COMMANDS = {
    "run": ("run", "PIPE", "--as-root"),
    "check-config": ("check-config", "PIPE"),
    "status": ("status", "PIPE"),
    "act": ("act", "no-more-bets", "--config", "PIPE"),
    "odds": ("odds", "--profile", "PIPE"),
    "rules show": ("rules", "show", "PIPE"),
    "try, profile": ("try", "P 9h", "--profile", "PIPE"),
    "setup": ("setup", "--answers", "PIPE"),
    "verify": ("verify", "PIPE"),
    "verify, key": ("verify", "--key", "PIPE", "table.key"),
    "audit, key": ("audit", ".", "--key", "PIPE"),
    "replay": ("replay", "PIPE"),
    "keys show": ("keys", "show", "PIPE"),
    "firmware approve, image": (*FIRMWARE, "--image", "PIPE", "--key", "table.key"),
    "firmware approve, key": (*FIRMWARE, "--sha256", "0" * 64, "--key", "PIPE"),
    "verify-program": ("verify-program", "PIPE", "--key", "table.key.pub"),
    "batch import": ("batch", "import", "PIPE", "--maker", "M", "--operator", "O"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_pipe_is_refused(words: tuple[str, ...], tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["keys", "make", "table.key"]) == ExitCode.DONE
    # A profile of a house has this ending.
    os.mkfifo("pipe.toml")
    capsys.readouterr()

    code = main([word.replace("PIPE", "pipe.toml") for word in words])

    said = capsys.readouterr().err
    assert code in (ExitCode.UNUSABLE, ExitCode.NO), said
    assert "internal error" not in said
    assert "pipe.toml" in said
    assert "Remedy: " in said


CERTIFICATE = """
[table]
name = "M-12"
[rules]
observed = ["result_button"]
[shoe]
port = "/dev/ttyUSB0"
[metrics]
address = "0.0.0.0"
certificate = "pipe"
key = "pipe"
password_file = "pipe"
"""


def test_pipes_that_a_configuration_names_are_said_by_check_config(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("table.toml").write_text(CERTIFICATE)

    assert main(["check-config", "table.toml"]) != ExitCode.DONE

    said = capsys.readouterr().err
    assert said.count("it is a pipe, and only a regular file is read") == 2

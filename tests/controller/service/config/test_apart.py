"""A configuration that a process of its own reads is the one that this process would read."""

import subprocess
import sys
from pathlib import Path

import pytest

_START = """\
import os, signal, sys
from pathlib import Path
from controller.service.config import apart
file, fate = Path(sys.argv[1]), sys.argv[2]
if fate == "killed":
    apart._read_and_leave = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
result = apart.begin_reading(file)
if fate == "read":
    config = result()
    print("pydantic" in sys.modules)
    from controller.service.config.load import load_config
    print(config == load_config(file))
else:
    from controller.service.config.document import ConfigError
    try:
        print(result().settings.table)
    except ConfigError as error:
        print(error)
"""
TABLE = """\
[table]
name = "M-7"

[shoe]
port = "/dev/ttyUSB0"

[people]
unix = { anna = "A. Floor" }

[outputs]
red = "gpiochip0:1"
exit_lock = "gpiochip0:2"

[overlay]
listen = "127.0.0.1:7001"

[[feed]]
name = "office"
host = "127.0.0.1"
tls = false
"""


def started(folder: Path, text: str, fate: str) -> list[str]:
    file = folder / "table.toml"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-c", _START, str(file), fate],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return done.stdout.splitlines()


def test_it_is_the_same_and_its_reader_is_not_loaded(tmp_path: Path) -> None:
    assert started(tmp_path, TABLE, "read") == ["False", "True"]


@pytest.mark.parametrize("fate", ["refused", "killed"])
def test_what_is_wrong_is_said_once_by_the_process_that_asks(tmp_path: Path, fate: str) -> None:
    said = started(tmp_path, TABLE.replace('port = "/dev/ttyUSB0"', 'prot = "x"'), fate)
    assert [one for one in said if "shoe.prot" in one]
    assert all(one.startswith(f"{tmp_path / 'table.toml'}: shoe.") for one in said)


def test_a_reader_that_is_killed_is_no_error_of_the_configuration(tmp_path: Path) -> None:
    assert started(tmp_path, TABLE, "killed") == ["M-7"]

"""[overlay] of table.toml: where lines for video recorders go, and what is refused."""

from pathlib import Path

import pytest

from controller.service.config.document import ConfigError
from controller.service.config.load import load_config
from controller.service.config.table_config import OverlaySettings, TableConfig
from controller.system.line_output import LineOutputSettings

TABLE = '[table]\nname = "M-12"\n[rules]\nprofile = "ny-mini"\n[shoe]\nport = "/dev/ttyS9"\n'


def loaded(folder: Path, text: str) -> TableConfig:
    (folder / "table.toml").write_text(TABLE + text)
    return load_config(folder / "table.toml")


def test_a_table_without_the_section_has_no_overlay(tmp_path: Path) -> None:
    assert loaded(tmp_path, "").overlay is None


def test_addresses_width_encoding_and_line_end(tmp_path: Path) -> None:
    text = (
        '[overlay]\nlisten = "127.0.0.1:7001"\nconnect = ["nvr.example:5001", "[fd00::9]:5002"]\n'
        'width = 40\nencoding = "latin-1"\nline_end = "lf"\n'
    )
    assert loaded(tmp_path, text).overlay == OverlaySettings(
        LineOutputSettings(("127.0.0.1", 7001), (("nvr.example", 5001), ("fd00::9", 5002))),
        40,
        "latin-1",
        crlf=False,
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it names no recorder.*Remedy"),
        ('listen = "0.0.0.0:7001"', "every address of this machine.*Remedy: name that address"),
        ('listen = "[::]:7001"', "every address of this machine"),
        ('listen = "7001"', "is not an address and a port.*Remedy"),
        ('listen = "127.0.0.1:70000"', "is not an address and a port"),
        ('connect = ["10.0.0.1:0"]', "has no port"),
        ('listen = "127.0.0.1:1"\nwidth = 5', "width"),
        ('listen = "127.0.0.1:1"\nencoding = "utf-16"', "encoding"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        loaded(tmp_path, f"[overlay]\n{text}\n")

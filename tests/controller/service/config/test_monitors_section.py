"""[monitors]: how long a pause after the cut card may be, and how the record has it."""

from pathlib import Path

import pytest

from controller.core.stored_settings import SETTINGS, read_settings
from controller.service.config.load import ConfigError, load_config

TABLE = '[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n'


def written(folder: Path, text: str = "") -> Path:
    file = folder / "table.toml"
    file.write_text(TABLE + text)
    return file


@pytest.mark.parametrize("minutes", [2, 5, 240])
def test_the_pause_stands_in_the_record(tmp_path: Path, minutes: int) -> None:
    settings = load_config(written(tmp_path, f"[monitors]\nstall_minutes = {minutes}\n")).settings

    assert read_settings(SETTINGS.encode(settings)).pause_minutes_max == minutes


def test_the_default_leaves_the_record_as_it_was(tmp_path: Path) -> None:
    """An approval of a configuration holds on, and older journals read the same."""
    plain = load_config(written(tmp_path)).settings
    stated = load_config(written(tmp_path, "[monitors]\nstall_minutes = 15\n")).settings

    assert plain.pause_minutes_max == 15
    assert SETTINGS.encode(plain) == SETTINGS.encode(stated)
    assert b"stall" not in SETTINGS.encode(plain)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("1", "1 is not allowed. Allowed: at least 2. Remedy: set stall_minutes = 2 or more"),
        (
            "241",
            "241 is not allowed. Allowed: at most 240. Remedy: set stall_minutes = 240 or less",
        ),
        ("15.5", "15.5 is not allowed. Allowed: a whole number without quotes"),
        ('"15"', "'15' is not allowed. Allowed: a whole number without quotes"),
    ],
)
def test_another_pause_is_refused(tmp_path: Path, value: str, problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_config(written(tmp_path, f"[monitors]\nstall_minutes = {value}\n"))

    assert f"monitors.stall_minutes: {problem}" in str(refused.value)

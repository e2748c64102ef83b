"""[shuffler] model = "contacts": its port of lines, its keys, and that the house admits it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.core.stored_settings import SETTINGS, read_settings
from controller.service.config.document import ConfigError
from controller.service.config.load import load_config
from drivers.shufflers.contacts_model import (
    CONTACTS_SHUFFLER,
    ContactsSettings,
    JamLevel,
    LineLevel,
)
from firmware_bridge.attestation import Trust

TABLE = """\
[table]
name = "M7"
[rules]
profile = "s42-mini"
[shoe]
port = "/dev/ttyUSB0"
[shuffler]
model = "contacts"
port = "gpio://gpiochip7:5,6,13,19"
"""
ADMITTED = TABLE + "bare = true\n"

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        file = tmp_path / "table.toml"
        file.write_text(text)
        return file

    return written


def test_its_wiring_and_times_are_read_and_stored(write: Write) -> None:
    wired = 'lid_open = "high"\njam = "none"\nshuffle_s_min = 75\nshuffle_s_max = 240\n'
    settings = load_config(write(ADMITTED + wired)).settings
    shuffler = settings.shuffler

    assert shuffler is not None
    assert shuffler.by_contacts
    assert shuffler.trust == Trust(bare=True)
    assert CONTACTS_SHUFFLER.read_settings(shuffler.driver) == ContactsSettings(
        lid_open=LineLevel.HIGH, jam=JamLevel.NONE, shuffle_s_min=75, shuffle_s_max=240
    )
    assert read_settings(SETTINGS.encode(settings)) == settings


def test_only_such_a_shuffler_is_by_contacts(write: Write) -> None:
    other = TABLE.replace('"contacts"', '"tablelink"').replace(
        "gpio://gpiochip7:5,6,13,19", "/dev/m"
    )
    shuffler = load_config(write(other + "bare = true\n")).settings.shuffler

    assert shuffler is not None
    assert not shuffler.by_contacts


def test_what_the_house_accepts_with_it_is_a_remark(write: Write) -> None:
    (remark,) = load_config(write(ADMITTED)).remarks

    assert remark.startswith("the shuffler shows only contacts (bare = true): a person enters")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TABLE, r"shuffler.bare: it is missing, .* Allowed: true. Remedy: write bare = true"),
        (TABLE + "bare = false\n", r"shuffler.bare: it is missing, "),
        (
            ADMITTED + 'identity = "x.json"\n',
            r"shuffler.identity: a device of this model has no identity. Remedy: remove the key",
        ),
        (
            ADMITTED + "shuffle_s_min = 900\n",
            r"shuffle_s_min and shuffle_s_max are 900 and 900. Allowed: .* Remedy: measure",
        ),
        (ADMITTED + "shuffle_s_min = 0\n", r"shuffler.shuffle_s_min: 0 .* Allowed: 1 to 3600"),
        (ADMITTED + 'done = "on"\n', r'shuffler.done: "on" .* Allowed: "high", "low"'),
        (
            ADMITTED.replace("5,6,13,19", "5,6,13,19,26"),
            r"shuffler.port: .* Allowed: a chip by its name below /dev, and 1 to 4 of its lines",
        ),
        (
            ADMITTED.replace('"contacts"', '"tablelink"'),
            r"port: gpio://.* is lines of a chip, which tablelink does not speak over. Allowed: ",
        ),
        (
            ADMITTED + '[outputs]\nred = "gpiochip7:13"\n',
            r"outputs.red: gpiochip7:13 is the line of shuffler.port. Allowed: .*Remedy",
        ),
        (
            ADMITTED + '[power]\ngpio = "gpiochip7:5"\n',
            r"power.gpio: gpiochip7:5 is the line of shuffler.port. Allowed: .*Remedy",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(write: Write, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        load_config(write(text))


def test_check_config_shows_lines_wiring_and_what_is_accepted(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-config", str(write(ADMITTED))]) == 0

    shown = " ".join(capsys.readouterr().out.split())
    assert "gpio://gpiochip7:5,6,13,19, lid_open low, running high, done high, jam low" in shown
    assert "none: any device is accepted (bare)" in shown
    assert "the shuffler shows only contacts" in shown
    assert "/dev/gpiochip7 is not there. Remedy: `gpioinfo` lists chips and lines" in shown

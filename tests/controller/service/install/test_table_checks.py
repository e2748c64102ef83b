"""What `doctor` says of a table's journal before a start."""

from pathlib import Path

import pytest

from controller.archive.replay import recovery
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.service.install import table_checks
from controller.service.install.diagnosis import Grade
from controller.service.install.table_checks import check_journal
from controller.version import software_identifier

NEWER = "9.9.9+000000000000"


@pytest.fixture
def config(three_coups: Path, fast_dir: Path) -> TableConfig:
    """A table in the middle of a shoe."""
    file = fast_dir / "table.toml"
    file.write_text(
        f'[table]\nname = "M7"\n[rules]\nprofile = "s42-mini"\nobserved = ["result_button"]\n'
        f'[shoe]\nport = "/dev/ttyUSB0"\n[journal]\nfolder = "{three_coups}"\n'
    )
    return load_config(file)


def test_an_open_shoe_of_this_program_is_no_problem(config: TableConfig) -> None:
    assert [one.grade for one in check_journal(config)] == [Grade.GOOD]


def test_an_open_shoe_of_another_program_is_said_before_the_start(
    config: TableConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (recovery, table_checks):
        monkeypatch.setattr(module, "software_identifier", lambda: NEWER)

    whole, other = check_journal(config)

    assert (whole.grade, other.grade) == (Grade.GOOD, Grade.PROBLEM)
    dealt = f"its open shoe was dealt with {software_identifier()}, and this is {NEWER}"
    assert other.what == dealt
    assert "--close-coup-as-partial" in other.remedy

"""Which tables of a folder may run.

Source: controller/table/README.md, "Several tables in one process".
"""

import pwd
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from controller.service.app import require_account_of_tables, usable_tables
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.service.table_program import StartRefused

Put = Callable[..., Path]
MESSAGE = "the ace of spades"

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")


@pytest.fixture
def put(tmp_path: Path) -> Put:
    def written(file: str, name: str, more: str = "") -> Path:
        path = tmp_path / file
        path.write_text(
            f'[table]\nname = "{name}"\n[rules]\nprofile = "s42-mini"\n'
            f'[shoe]\nport = "/dev/{file}"\n[journal]\nfolder = "{file}.d"\n'
            f'[control]\nsocket = "{file}.sock"\n{more}'
        )
        return path

    return written


def names(tables: tuple[TableConfig, ...]) -> list[str]:
    return [one.file.name for one in tables]


def test_a_file_with_an_error_leaves_the_others(put: Put, tmp_path: Path, caplog) -> None:
    put("a.toml", "M-1")
    wrong = put("b.toml", "M-2", "[nothing]\n")

    usable, unusable = usable_tables(tmp_path)

    assert (names(usable), unusable) == (["a.toml"], (wrong,))
    assert f"{wrong}: nothing: there is no such section" in caplog.text


def test_of_two_that_claim_the_same_the_running_one_keeps_it(put: Put, tmp_path: Path) -> None:
    put("a.toml", "M-1")
    running = put("b.toml", "M-1")

    assert names(usable_tables(tmp_path)[0]) == ["a.toml"]
    assert names(usable_tables(tmp_path, (running,))[0]) == ["b.toml"]


def test_an_internal_error_at_one_file_leaves_the_others(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog
) -> None:
    bad = put("a.toml", "M-1")
    put("b.toml", "M-2")

    def load(file: Path) -> TableConfig:
        if file == bad:
            raise ZeroDivisionError(MESSAGE)
        return load_config(file)

    monkeypatch.setattr("controller.service.config.load.load_config", load)

    assert names(usable_tables(tmp_path)[0]) == ["b.toml"]
    assert f"{bad}: internal error: ZeroDivisionError" in caplog.text
    assert MESSAGE not in caplog.text


@pytest.mark.parametrize("shoe_is_open", [True, False])
def test_a_table_that_differs_from_its_pit_starts_only_with_an_open_shoe(
    shoe_is_open: bool, put: Put, tmp_path: Path, deal: Callable[..., Path], caplog
) -> None:
    procedure = '[pit]\nbaccarat_pay_procedure = "{}"\n'
    put("a.toml", 'M-1"\npit = "3', procedure.format("iii"))
    later = put("b.toml", 'M-2"\npit = "3', procedure.format("i"))
    if shoe_is_open:
        copytree(deal(*OPENING), tmp_path / "b.toml.d")

    usable, unusable = usable_tables(tmp_path)

    assert (names(usable), unusable) == (
        (["a.toml", "b.toml"], ()) if shoe_is_open else (["a.toml"], (later,))
    )
    assert "pit.baccarat_pay_procedure: it is i, and iii in" in caplog.text


def test_a_folder_without_a_usable_table_is_refused_with_every_problem(
    put: Put, tmp_path: Path
) -> None:
    files = put("a.toml", "M-1", "[nothing]\n"), put("b.toml", "M-2", "[nothing]\n")

    with pytest.raises(StartRefused) as refused:
        usable_tables(tmp_path)

    assert all(str(file) in str(refused.value) for file in files)


def test_a_relative_folder_has_the_files_that_running_tables_name(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a.toml", "M-1")
    running, wrong = put("b.toml", "M-1"), put("c.toml", "M-3", "[nothing]\n")
    monkeypatch.chdir(tmp_path)

    usable, unusable = usable_tables(Path(), (load_config(running).file,))

    assert names(usable) == ["b.toml"]
    assert unusable == (tmp_path / "a.toml", wrong)


def account_of_root(_name: str) -> object:
    """A machine that has the account for tables, as each has one of this number."""
    return pwd.getpwuid(0)


def no_account(_name: str) -> object:
    """A machine without it: a container, a trial."""
    return pwd.getpwnam("nobody has this name")


def test_root_runs_no_table_where_an_account_is_there_for_it() -> None:
    with pytest.raises(StartRefused) as refused:
        require_account_of_tables(account_of_root)

    assert str(refused.value).startswith("account: root may do more than a table needs")
    assert "`systemctl start smartshoe@M-12`" in str(refused.value)
    assert "`sudo -u smartshoe smartshoe run`" in str(refused.value)


def test_elsewhere_root_is_warned_and_runs_it(caplog: pytest.LogCaptureFixture) -> None:
    require_account_of_tables(no_account)

    [line] = caplog.records
    assert line.levelname == "WARNING"
    assert line.getMessage().startswith("the table runs as root, which may do more than")

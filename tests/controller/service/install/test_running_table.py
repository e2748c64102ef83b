"""Which running table is meant where its file may not be read: sockets of the machine are asked."""

import ctypes
import json
import os
import pwd
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import controller
from controller.cli.main import main
from controller.outlets.control.client import (
    ControlClient,
    ControlError,
    ForeignAccount,
    NoPermission,
    TableNotRunning,
)
from controller.service.config.document import ConfigError
from controller.service.install import running_table
from controller.service.install.running_table import Machine, find_table
from controller.system.command_line.errors import ExitCode

NOBODY = 65534
HIDDEN = 0o000
Run = Callable[..., Path]


@pytest.fixture
def machine(fast_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose tables this account runs; the current folder is an empty one."""
    place = fast_dir / "machine"
    made = Machine(place / "etc", place / "run", pwd.getpwuid(os.geteuid()).pw_name)
    for folder in (made.files, made.sockets, place / "here"):
        folder.mkdir(parents=True)
    # Another account may enter, as it may on a table's machine.
    for one in (fast_dir, place):
        one.chmod(0o755)
    monkeypatch.setattr(running_table, "MACHINE", made)
    monkeypatch.chdir(place / "here")
    return made


@pytest.fixture
def run(machine: Machine, serve: Callable[..., Path], fast_dir: Path) -> Run:
    """Runs a table; its socket has that file name; its file has that, and is hidden."""

    def running(name: str, file_name: str = "", *, config: str = "") -> Path:
        folder = fast_dir / f"state-{len(list(machine.sockets.iterdir()))}"
        folder.mkdir()
        made = serve(folder / "journal", name).rename(
            machine.sockets / (file_name or f"{name}.sock")
        )
        if config:
            hidden_file(machine, config)
        return made

    return running


def hidden_file(machine: Machine, name: str) -> Path:
    file = machine.files / name
    file.parent.mkdir(exist_ok=True)
    file.write_text('[table]\nname = "not to be read"\n')
    file.chmod(HIDDEN)
    return file


@cache
def load_program() -> None:
    """Every module: the clone may lie in a home that is closed to who loads one later."""
    for one in walk_packages(controller.__path__, "controller."):
        with suppress(ImportError):  # what tables for analysts need may be absent
            import_module(one.name)


@contextmanager
def as_who_may_not_read() -> Iterator[None]:
    """Root reads every file: this thread opens files as somebody else, who may open the sockets."""
    if os.geteuid():
        yield
        return
    for one in running_table.MACHINE.sockets.iterdir():
        if not one.is_symlink():
            one.chmod(0o666)
    load_program()
    with opening_as_nobody():
        yield


@contextmanager
def opening_as_nobody() -> Iterator[None]:
    """Of this thread alone, and of those that it starts: setfsuid(2)."""
    kernel = ctypes.CDLL(None)
    kernel.setfsuid(NOBODY if os.geteuid() == 0 else os.geteuid())
    try:
        yield
    finally:
        kernel.setfsuid(os.geteuid())


def found(given: str | Path) -> Path:
    with as_who_may_not_read():
        return find_table(Path(given)).path


def refused(given: str | Path) -> str:
    with as_who_may_not_read(), pytest.raises((ControlError, ConfigError)) as error:
        find_table(Path(given))
    return str(error.value)


# --- what is found --------------------------------------------------------------------------------


def test_a_table_whose_file_is_hidden_answers_at_the_socket_of_its_name(
    machine: Machine, run: Run
) -> None:
    made = run("M-12", config="M-12.toml")

    for given in ("M-12", machine.files / "M-12", machine.files / "M-12.toml"):
        assert found(given) == made


def test_a_file_that_may_be_read_says_where_the_table_answers(machine: Machine, run: Run) -> None:
    run("M-12")
    (machine.files / "M-12.toml").write_text(
        '[table]\nname = "M-12"\n[control]\nsocket = "/elsewhere/M-12.sock"\n'
    )

    assert found("M-12") == Path("/elsewhere/M-12.sock")


def test_a_table_is_known_by_its_name_and_not_by_its_sockets(machine: Machine, run: Run) -> None:
    run("K-7", "M-12.sock")
    made = run("M-12", "a.sock")
    hidden_file(machine, "M-12.toml")

    assert found("M-12") == made
    assert found("K-7") == machine.sockets / "M-12.sock"


def test_a_table_of_a_pit_is_found_with_and_without_its_pit(machine: Machine, run: Run) -> None:
    made = run("M-23", config="pit-3/M-23.toml")

    assert found("M-23") == made
    assert found("pit-3/M-23") == made


def test_a_name_with_slashes_is_a_name_and_no_path(machine: Machine, run: Run) -> None:
    made = run("house/pit-3/M-12", "a.sock")

    assert found("house/pit-3/M-12") == made


def test_names_of_paths_lead_to_no_socket_elsewhere(machine: Machine, run: Run) -> None:
    run("M-12").rename(machine.sockets.parent / "M-12.sock")

    assert "no such file" in refused("../M-12")
    assert "no such file" in refused("../run/../M-12")


@pytest.mark.parametrize("stray", ["file", "folder"])
def test_the_name_of_a_table_of_the_machine_is_no_stray_file_of_the_current_folder(
    machine: Machine, run: Run, stray: str
) -> None:
    made = run("M-12", config="M-12.toml")
    if stray == "file":
        Path("M-12").write_text('[control]\nsocket = "/elsewhere/somebody.sock"\n')
    else:
        Path("M-12").mkdir()

    assert found("M-12") == made


# --- what is not believed -------------------------------------------------------------------------


def test_a_stale_socket_a_link_and_a_file_are_passed_over(machine: Machine, run: Run) -> None:
    run("M-12", "z.sock").rename(machine.sockets.parent / "z.sock")
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(machine.sockets / "M-12.sock"))
    stale.close()
    (machine.sockets / "a.sock").symlink_to(machine.sockets.parent / "z.sock")
    (machine.sockets / "b.sock").touch()

    file = hidden_file(machine, "M-12.toml")
    assert refused("M-12") == (
        f"no table M-12 runs here; {file} is there and this account may not read it. Remedy: have"
        " the table started, or name one that runs"
    )


@pytest.mark.needs("another-account")
def test_a_socket_of_another_account_is_passed_over(machine: Machine, run: Run) -> None:
    os.chown(run("M-12", config="M-12.toml"), NOBODY, -1)

    assert refused("M-12").startswith("no table M-12 runs here; ")


def test_nothing_is_said_to_a_program_of_another_account(serve, fast_dir: Path) -> None:
    client = ControlClient(serve(fast_dir / "journal"), served_by=NOBODY)

    with pytest.raises(ForeignAccount, match="a program of another account answers here"):
        client.status()


def test_an_account_that_is_not_there_runs_no_table(
    machine: Machine, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("M-12", config="M-12.toml")
    nobody = Machine(machine.files, machine.sockets, "no-such-account")
    monkeypatch.setattr(running_table, "MACHINE", nobody)

    assert refused("M-12").startswith("no table M-12 runs here; ")


# --- what is said ---------------------------------------------------------------------------------


def test_the_tables_that_run_are_named(machine: Machine, run: Run) -> None:
    run("K-7")
    hidden_file(machine, "M-12.toml")

    assert "may not read it. Allowed: K-7. Remedy: " in refused("M-12")


def test_a_folder_of_sockets_that_is_closed_names_its_group(machine: Machine, run: Run) -> None:
    run("M-12", config="M-12.toml")
    machine.sockets.chmod(HIDDEN)
    try:
        with opening_as_nobody(), pytest.raises(NoPermission) as error:
            find_table(Path("M-12"))
    finally:
        machine.sockets.chmod(0o755)
    assert str(error.value).startswith("no table M-12 runs here that this account may ask; ")
    assert "Allowed: group " in str(error.value)


def test_a_socket_that_is_closed_to_this_account_is_not_a_table_that_does_not_run(
    machine: Machine, run: Run
) -> None:
    run("M-12", config="M-12.toml").chmod(HIDDEN)

    with opening_as_nobody(), pytest.raises(NoPermission, match="that this account may ask; "):
        find_table(Path("M-12"))


def test_two_tables_of_one_name_are_told_apart_by_their_sockets(machine: Machine, run: Run) -> None:
    one, other = run("M-12", "a.sock"), run("M-12", "b.sock")

    assert refused("M-12") == (
        f"M-12: several tables of this name run: {one}, {other}. Allowed: one of them. Remedy:"
        " name its socket by --socket"
    )


def test_a_table_that_does_not_answer_is_not_said_to_be_down(machine: Machine) -> None:
    hidden_file(machine, "M-12.toml")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(machine.sockets / "M-12.sock"))
        silent.listen()

        assert "the table did not answer within 2 s" in refused("M-12")


def test_a_name_that_is_nowhere_is_answered_as_before(machine: Machine, run: Run) -> None:
    run("M-12", config="M-12.toml")

    assert refused("M-13").endswith('Allowed: M-12. Remedy: did you mean "M-12"?')


def test_no_table_at_all_is_a_table_that_does_not_run(machine: Machine) -> None:
    hidden_file(machine, "M-12.toml")

    with as_who_may_not_read(), pytest.raises(TableNotRunning):
        find_table(Path("M-12"))


# --- the commands ---------------------------------------------------------------------------------

BY, FLOOR = ("--by", "D. Dealer"), ("--by", "A. Floor")


@pytest.mark.parametrize(
    "words",
    [
        ("status", "M-12"),
        ("status", "--config", "M-12"),
        ("resolve", "M-12"),
        ("act", "notice", "M-12", "setting=vig_rate", "value=4", "to=players", *FLOOR),
        ("act", "notice", "setting=vig_rate", "M-12", "value=4", "to=players", *FLOOR),
        ("act", "notice", "setting=vig_rate", "value=4", "to=players", "--config", "M-12", *FLOOR),
    ],
)
def test_every_command_finds_it(machine: Machine, run: Run, words, capsys) -> None:
    run("M-12", config="M-12.toml")

    with as_who_may_not_read():
        code = main(list(words))

    assert code == ExitCode.DONE, capsys.readouterr()


@pytest.mark.parametrize(
    "words",
    [
        ("status", "M-12"),
        ("status", "{files}/M-12.toml"),
        ("resolve", "M-12"),
        ("act", "dealer-on", "M-12", *BY),
        ("close-shoe", "M-12", *BY, "--reason", "dead table"),
        ("people", "remove", "M-12", "A. Floor"),
        ("doctor", "M-12"),
    ],
)
def test_every_command_says_that_no_table_runs_and_that_its_file_is_hidden(
    machine: Machine, words, capsys
) -> None:
    file = hidden_file(machine, "M-12.toml")

    with as_who_may_not_read():
        code = main([one.format(files=machine.files) for one in words])

    assert code == ExitCode.NO_TABLE
    said = capsys.readouterr().err
    assert f"no table M-12 runs here; {file} is there and this account may not read it" in said


def test_of_a_folder_each_table_is_asked(machine: Machine, run: Run, capsys) -> None:
    run("K-7", config="K-7.toml")
    hidden_file(machine, "M-12.toml")

    with as_who_may_not_read():
        assert main(["status", str(machine.files)]) == ExitCode.NO
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("K-7   running, ")
    assert second == "M-12  does not run"


def test_doctor_says_what_it_could_not_look_at(machine: Machine, run: Run, capsys) -> None:
    run("M-12", config="M-12.toml")

    with as_who_may_not_read():
        main(["doctor", "M-12", "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"][str(machine.files / "M-12.toml")]
    words = [f"{one['area']}: {one['what']}" for one in findings]
    assert words[0].endswith("this account may not read it")
    assert "table: it runs" in words


def test_an_act_has_one_table(capsys) -> None:
    assert main(["act", "dealer-on", "M-12", "M-13", *BY]) == ExitCode.UNUSABLE
    assert "one of them is the table; a value is key=value" in capsys.readouterr().err

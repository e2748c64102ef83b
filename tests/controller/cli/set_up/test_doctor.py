"""`smartshoe doctor` on tables that stand still, whole and broken.

Source: controller/install/README.md, "Doctor".
"""

import json
import os
import socket
from pathlib import Path

import pytest

from controller.cli.errors import ExitCode
from controller.cli.main import main

TABLE = '[table]\nname = "M-12"\n[shoe]\nport = "socket://127.0.0.1:1"\n'


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "M-12.toml"
    file.write_text(TABLE)
    return file


def findings(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, list[str]]]:
    """The exit code, and grade and words of every finding by area."""
    code = main(["doctor", str(file), "--json"])
    shown = json.loads(capsys.readouterr().out)["findings"]
    found: dict[str, list[str]] = {}
    for one in (*shown["machine"], *shown[str(file)]):
        found.setdefault(one["area"], []).append(f"{one['grade']}: {one['what']}")
    return code, found


def test_a_table_that_stands_still_has_no_problem(table: Path, capsys) -> None:
    code, found = findings(table, capsys)

    assert code == ExitCode.DONE
    assert found["journal"][-1].startswith("good: there is none yet")
    assert found["table"] == ["remark: it does not run"]


def test_it_changes_nothing(table: Path, capsys) -> None:
    main(["doctor", str(table)])

    assert [one.name for one in table.parent.iterdir()] == [table.name]


def test_each_problem_says_what_to_do(table: Path, capsys) -> None:
    table.write_text(TABLE.replace("socket://127.0.0.1:1", "/dev/no-such-port"))

    assert main(["doctor", str(table)]) == ExitCode.NO
    shown = capsys.readouterr().out
    place = shown.index("PROBLEM  ports: /dev/no-such-port")
    assert "why: the table runs, and hears nothing of that device" in shown[place:]
    assert "do: plug the device in" in shown[place:]


def test_a_wrong_configuration_keeps_nothing_else_from_being_looked_at(table: Path, capsys) -> None:
    table.write_text(TABLE + "speed = 1\n")
    code, found = findings(table, capsys)

    assert code == ExitCode.NO
    assert found["configuration"][0].startswith(f"problem: {table}: shoe.speed")
    assert "clock" in found


def test_a_damaged_journal_is_a_problem(table: Path, capsys) -> None:
    journal = table.parent / "journal"
    journal.mkdir(mode=0o700)
    (journal / "live.db").write_bytes(b"no database")
    code, found = findings(table, capsys)

    assert code == ExitCode.NO
    assert found["journal"][-1].startswith("problem: ")
    assert "disk" in found


def test_a_journal_that_others_may_read_is_a_problem(table: Path, capsys) -> None:
    (table.parent / "journal").mkdir()
    (table.parent / "journal").chmod(0o755)
    _, found = findings(table, capsys)

    assert found["modes"][0].startswith("problem: other accounts may look into")


def test_a_port_in_use_by_another_program_is_a_problem(table: Path, capsys) -> None:
    device, host = os.openpty()
    table.write_text(TABLE.replace("socket://127.0.0.1:1", os.ttyname(host)))
    try:
        _, found = findings(table, capsys)
    finally:
        os.close(device)
        os.close(host)

    assert "is in use by" in found["ports"][0]


def test_a_broker_that_does_not_answer_is_a_problem(table: Path, capsys) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]  # bound, and nobody listens
        feed = f'[[feed]]\nname = "floor"\nhost = "127.0.0.1"\nport = {port}\ntls = false\n'
        table.write_text(TABLE + feed)
        _, found = findings(table, capsys)

    assert "does not answer" in found["brokers"][0]


def test_a_broker_that_answers_is_good(table: Path, capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as broker:
        port = broker.getsockname()[1]
        feed = f'[[feed]]\nname = "floor"\nhost = "127.0.0.1"\nport = {port}\ntls = false\n'
        table.write_text(TABLE + feed)
        _, found = findings(table, capsys)

    assert found["brokers"][0].startswith("good: floor at")


def test_a_folder_is_looked_at_table_by_table(table: Path, capsys) -> None:
    (table.parent / "K-7.toml").write_text(TABLE.replace("M-12", "K-7"))
    main(["doctor", str(table.parent), "--json"])

    shown = json.loads(capsys.readouterr().out)["findings"]
    assert [Path(one).name for one in shown] == ["machine", "K-7.toml", "M-12.toml"]


def test_between_shoes_without_a_journal(table: Path, capsys) -> None:
    assert main(["doctor", "--between-shoes", str(table)]) == ExitCode.DONE
    assert capsys.readouterr().out == "no shoe is open\n"


def test_what_cannot_be_read_keeps_no_upgrade_away(table: Path, capsys) -> None:
    table.write_text("name = \n")

    assert main(["doctor", "--between-shoes", str(table.parent)]) == ExitCode.DONE
    assert "not looked at" in capsys.readouterr().err

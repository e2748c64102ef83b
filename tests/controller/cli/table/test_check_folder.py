"""`check-config FOLDER`: every table's problems, and those between the tables."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
Put = Callable[..., None]

TAKEN = "shoe.port: /dev/ttyUSB0 is shoe.port of"
CORRECT = "Allowed: one device at each port. Remedy: correct one of them."


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Writes a table of the folder: with its own journal, socket and port, unless given."""

    def written(name: str, port: str = "") -> None:
        text = (
            f'[table]\nname = "{name}"\n[journal]\nfolder = "{name}"\n[control]\nsocket ='
            f' "{name}.sock"\n[shoe]\nport = {port or json.dumps(f"/dev/{name}")}\n'
        )
        (tmp_path / f"{name}.toml").write_text(text)

    return written


def test_tables_that_can_start_are_ok(put: Put, tmp_path: Path, capsys: Capture) -> None:
    put("M-1")
    put("M-12")

    assert main(["check-config", str(tmp_path)]) == ExitCode.DONE
    assert capsys.readouterr().out == "M-1   ok\nM-12  ok\n"


def test_the_problems_of_each_table_follow_its_name(
    put: Put, tmp_path: Path, capsys: Capture
) -> None:
    put("M-1", "7")
    put("M-2")
    (tmp_path / "M-3.toml").write_text("[")

    assert main(["check-config", str(tmp_path)]) == ExitCode.NO
    output = capsys.readouterr()
    one, problem, two, three, broken = output.out.splitlines()
    assert one.split() == ["M-1", "1", "problem"]
    assert problem.startswith(f"  {tmp_path}/M-1.toml: shoe.port: 7 is not allowed. Allowed: ")
    assert two.split() == ["M-2", "ok"]
    assert three.split() == ["M-3.toml", "1", "problem"]
    assert broken.startswith(f"  {tmp_path}/M-3.toml: not TOML: ")
    assert output.err == ""


def test_what_two_tables_share_is_a_problem_of_the_later_one(
    put: Put, tmp_path: Path, capsys: Capture
) -> None:
    put("M-2", '"/dev/ttyUSB0"')
    put("M-1", '"/dev/ttyUSB0"')

    assert main(["check-config", str(tmp_path)]) == ExitCode.NO
    assert capsys.readouterr().out.splitlines() == [
        "M-1  ok",
        "M-2  1 problem",
        f"  {tmp_path}/M-2.toml: {TAKEN} {tmp_path}/M-1.toml. {CORRECT}",
    ]


def test_the_tables_are_a_list_as_json(put: Put, tmp_path: Path, capsys: Capture) -> None:
    put("M-1")
    put("M-2", "7")

    assert main(["check-config", str(tmp_path), "--json"]) == ExitCode.NO
    shown = json.loads(capsys.readouterr().out)
    one, two = shown["tables"]
    assert shown["ok"] is False
    assert (one["ok"], one["table"], one["problems"]) == (True, "M-1", [])
    assert one["control_socket"] == f"{tmp_path}/M-1.sock"
    assert (two["ok"], two["table"], two["file"]) == (False, "M-2", f"{tmp_path}/M-2.toml")
    assert two["problems"][0]["remedy"] == "correct it"


def test_one_table_of_the_folder_is_checked_by_its_name(
    put: Put, tmp_path: Path, capsys: Capture
) -> None:
    put("M-1")
    put("M-2", "7")

    assert main(["check-config", f"{tmp_path}/M-1"]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("table                M-1\n")

    main(["check-config", f"{tmp_path}/M-1", "--json"])
    assert json.loads(capsys.readouterr().out)["file"] == f"{tmp_path}/M-1.toml"


def test_a_folder_without_tables_is_an_error(tmp_path: Path, capsys: Capture) -> None:
    assert main(["check-config", str(tmp_path)]) == ExitCode.UNUSABLE
    assert "this folder has no table" in capsys.readouterr().err


def test_a_table_that_differs_from_its_pit_is_a_problem_of_the_later_one(
    put: Put, tmp_path: Path, capsys: Capture
) -> None:
    for name, procedure in (("M-1", "iii"), ("M-2", "i")):
        put(name)
        file = tmp_path / f"{name}.toml"
        text = file.read_text().replace("[journal]", 'pit = "3"\n[journal]')
        file.write_text(f'{text}[pit]\nbaccarat_pay_procedure = "{procedure}"\n')
    words = f"pit.baccarat_pay_procedure: it is i, and iii in {tmp_path}/M-1.toml."

    assert main(["check-config", str(tmp_path)]) == ExitCode.NO
    one, two, problem = capsys.readouterr().out.splitlines()
    assert (one, two) == ("M-1  ok", "M-2  1 problem")
    assert problem.startswith(f"  {tmp_path}/M-2.toml: {words}")
    main(["doctor", str(tmp_path / "M-2.toml")])
    assert words in " ".join(capsys.readouterr().out.split())

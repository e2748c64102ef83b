"""`smartshoe check-config`: the settings of a table, or all problems of the file."""

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal.people import Account, PeopleFile
from controller.system.command_line.errors import ExitCode
from controller.system.keys import fingerprint_text, make_key

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def example(fast_dir: Path, capsys: Capture) -> Path:
    """The example configuration, written to a file as its help says."""
    assert main(["check-config", "--example"]) == ExitCode.DONE
    file = fast_dir / "table.toml"
    file.write_text(capsys.readouterr().out)
    return file


def test_the_example_passes_its_own_check(example: Path, capsys: Capture) -> None:
    assert main(["check-config", str(example)]) == ExitCode.DONE

    output = capsys.readouterr()
    assert "profile " in output.out
    assert "listen-only" in output.out
    assert output.err == ""


def test_the_check_as_json(example: Path, capsys: Capture) -> None:
    main(["check-config", str(example), "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert shown["ok"] is True
    assert shown["decks"] == 8


def test_every_problem_is_printed(example: Path, capsys: Capture) -> None:
    example.write_text('[tabel]\nname = "M-1"\n')

    assert main(["check-config", str(example)]) == ExitCode.NO

    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) > 1


def test_problems_as_json(example: Path, capsys: Capture) -> None:
    example.write_text('[tabel]\nname = "M-1"\n')
    main(["check-config", str(example), "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert shown["ok"] is False
    assert len(shown["errors"]) > 1
    assert {one["place"] for one in shown["errors"]} == {str(example)}


def test_a_file_that_is_not_there_is_named(fast_dir: Path, capsys: Capture) -> None:
    assert main(["check-config", str(fast_dir / "t.toml")]) == ExitCode.UNUSABLE
    assert "t.toml: no such file" in capsys.readouterr().err


def test_without_a_file_the_error_says_how_to_get_one(capsys: Capture) -> None:
    assert main(["check-config"]) == ExitCode.UNUSABLE
    assert "--example" in capsys.readouterr().err


def with_evidence(example: Path, lines: str) -> None:
    example.write_text(example.read_text().replace("[evidence]", f"[evidence]\n{lines}"))


def test_the_key_that_the_first_start_makes_is_named(example: Path, capsys: Capture) -> None:
    main(["check-config", str(example)])
    key = example.parent / "journal" / "table.key"
    assert f"seals                signed by {key}, created at the first start" in (
        capsys.readouterr().out
    )


def test_the_signing_key_is_shown_with_its_fingerprint(example: Path, capsys: Capture) -> None:
    key = make_key(example.parent / "house.key")
    with_evidence(example, 'key = "house.key"')
    main(["check-config", str(example), "--json"])
    assert json.loads(capsys.readouterr().out)["seals"] == (
        f"signed by {example.parent}/house.key, fingerprint"
        f" {fingerprint_text(key.public.fingerprint)}"
    )


def test_a_key_that_cannot_be_used_is_a_remark(example: Path, capsys: Capture) -> None:
    with_evidence(example, 'key = "house.key"')
    main(["check-config", str(example), "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["seals"] == "NOT SIGNED"
    assert shown["remarks"][-1].startswith(
        f"evidence: seals would not be signed: {example.parent}/house.key: there is no key."
    )


def test_disabled_signing_is_shown(example: Path, capsys: Capture) -> None:
    with_evidence(example, "sign = false")
    main(["check-config", str(example), "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["seals"] == "NOT SIGNED: evidence.sign is false"


# --- people ----------------------------------------------------------------------------------


def test_without_accounts_it_says_that_nobody_is_proved(example: Path, capsys: Capture) -> None:
    main(["check-config", str(example)])

    assert "no accounts are set up: who acts is not proved" in capsys.readouterr().out


def test_whose_account_of_the_machine_proves_nobody_is_a_remark(
    example: Path, capsys: Capture
) -> None:
    example.write_text(f'{example.read_text()}\nunix = {{ alee = "Ann Lee", bray = "Bo Ray" }}\n')
    people = PeopleFile(example.parent / "journal")
    (example.parent / "journal").mkdir()
    people.put_account(Account(people.id_of("Ann Lee"), "floorperson", "a hash"))

    main(["check-config", str(example), "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert shown["people"] == "1 account"
    assert shown["remarks"][-1] == "people.unix: 'Bo Ray' has no account and is not proved"

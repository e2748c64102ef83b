"""`smartshoe sign-release` and `verify-program` on a tree."""

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode
from controller.version import VERSION, software_identifier

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def release(fast_dir: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The statement of a tree of one file, signed by its maker."""
    monkeypatch.chdir(fast_dir)
    Path("tree").mkdir()
    Path("tree/rules.py").write_text("NATURAL = 8\n")
    assert main(["keys", "make", "maker.key"]) == ExitCode.DONE
    sign = ["sign-release", "tree", "--key", "maker.key", "--name", "maker.example"]
    assert main(sign) == ExitCode.DONE
    (statement,) = fast_dir.glob("*.release")
    return statement.name


def verified(release: str, *words: str) -> int:
    return main(["verify-program", release, "--key", "maker.key.pub", "--tree", "tree", *words])


def test_a_tree_as_released_is_a_yes(release: str, capsys: Capture) -> None:
    assert verified(release) == ExitCode.DONE
    assert "1 of 1 files are as released" in capsys.readouterr().out


def test_a_release_names_the_program_by_version_and_build(release: str, capsys: Capture) -> None:
    assert release == f"smartshoe-{VERSION}.release"
    Path("again").mkdir()
    sign = ["sign-release", "tree", "--key", "maker.key", "--name", "maker.example"]
    capsys.readouterr()
    assert main([*sign, "--out", "again"]) == ExitCode.DONE
    assert f"program   {software_identifier()}\n" in capsys.readouterr().out

    assert verified(release) == ExitCode.DONE
    assert f"release    {software_identifier()}, signed by maker" in capsys.readouterr().out


def test_a_changed_and_a_foreign_file_are_a_no_and_named(release: str, capsys: Capture) -> None:
    Path("tree/rules.py").write_text("NATURAL = 9\n")
    Path("tree/sitecustomize.py").write_text("")

    assert verified(release) == ExitCode.NO
    shown = capsys.readouterr().out
    assert "0 of 1 files are as released" in shown
    assert "  changed: rules.py\n  not of the release: sitecustomize.py\n" in shown


def test_a_process_of_another_tree_is_a_no(release: str, capsys: Capture) -> None:
    capsys.readouterr()

    assert verified(release, "--pid", "1", "--json") in (ExitCode.NO, ExitCode.UNUSABLE)
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_no_signature_is_made_over_another(release: str, capsys: Capture) -> None:
    sign = ["sign-release", "tree", "--key", "maker.key", "--name", "maker.example"]

    assert main(sign) == ExitCode.UNUSABLE
    assert "not overwritten" in capsys.readouterr().err

"""The commands of the office in the program's page, and where their distribution is missing."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from controller.cli.declaration import find_command, installed
from controller.cli.main import main
from controller.system.command_line.brought import BROUGHT, OFFICE
from controller.system.command_line.command import HelpSection
from controller.system.command_line.errors import ExitCode

ROOT = Path(__file__).resolve().parents[3]
SITE = Path(sysconfig.get_path("purelib"))


@pytest.fixture
def without(tmp_path: Path) -> Path:
    """The libraries that are installed, without the office, the bench and the key in a token."""
    folder = tmp_path / "site"
    folder.mkdir()
    for one in SITE.iterdir():
        if not one.name.startswith(("smartshoe_office", "smartshoe_hil", "pkcs11", "_smartshoe")):
            (folder / one.name).symlink_to(one)
    return folder


def played(site: Path, *words: str, text: str = "") -> tuple[int, str, str]:
    """The code of a command there, and what it prints."""
    done = subprocess.run(
        (sys.executable, "-S", "-P", "-m", "controller.cli.main", *words),
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{site}"},
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_each_command_is_brought_under_the_name_on_the_page() -> None:
    for name, one in BROUGHT.items():
        found = find_command([name]) or find_command([name, "day"])
        assert found is not None
        assert found[0].section is HelpSection.OFFICE
        assert one.summary.endswith(".")
    sections = {one.section for each in installed() for one in each.commands}
    assert sections == set(HelpSection)


@pytest.mark.parametrize("words", ["audit journal", "evidence --help", "report", "report day -h"])
def test_a_command_that_is_not_installed_says_which_distribution_brings_it(
    words: str, without: Path
) -> None:
    name = words.partition(" ")[0]

    code, out, err = played(without, *words.split())

    assert (code, out) == (ExitCode.UNUSABLE, "")
    assert err == (
        f"smartshoe: {name}: {OFFICE} brings it, which is not installed here. Remedy: install"
        f" {OFFICE}, of the version that `smartshoe --version` prints\n"
    )


def test_tables_for_analysts_say_so_too(without: Path, tmp_path: Path) -> None:
    words = ("journal", "export", str(tmp_path), "--parquet", str(tmp_path / "tables"))

    code, _, err = played(without, *words)

    assert code == ExitCode.UNUSABLE
    assert err.startswith(f"smartshoe: --parquet: {OFFICE} brings it, which is not installed here")


def test_the_page_of_the_program_is_the_same(
    without: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--help"])

    assert played(without, "--help") == (ExitCode.DONE, capsys.readouterr().out, "")


def test_completion_leaves_out_what_is_not_installed(
    without: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SMARTSHOE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "smartshoe ")
    monkeypatch.setenv("COMP_CWORD", "1")

    code, out, _ = played(without)

    assert code == ExitCode.DONE
    assert {"verify", "journal"} <= set(out.split())
    assert not set(BROUGHT) & set(out.split())


def test_a_key_in_a_token_names_its_library(without: Path, tmp_path: Path) -> None:
    given = ("--module", "lib.so", "--token", "casino", "--key", "table", "--pin-file", "pin")

    code, _, err = played(without, "keys", "sign", *given, text="data")

    assert code == ExitCode.UNUSABLE
    assert (
        "keys sign: python-pkcs11 is not installed here. Remedy: install smartshoe[pkcs11]" in err
    )

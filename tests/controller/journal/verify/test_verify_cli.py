"""`smartshoe verify` over sealed shoes prints the same report as the verifier alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.journal import verify as verifier
from controller.system.command_line.errors import ExitCode

DAY = "2026-11-21"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def archive(sealed_shoes, fast_dir: Path) -> Path:
    sealed_shoes.write(fast_dir / "archive")
    return fast_dir / "archive"


def test_it_prints_what_the_verifier_alone_prints(archive: Path, capsys: Capture) -> None:
    assert main(["verify", str(archive)]) == ExitCode.DONE

    alone = subprocess.run(
        [sys.executable, "-I", verifier.__file__, archive],
        check=True,
        capture_output=True,
        text=True,
    )
    assert capsys.readouterr().out == alone.stdout


def test_a_single_shoe_and_its_missing_neighbour(archive: Path, capsys: Capture) -> None:
    shoe = archive / "shoes" / DAY / "0002.shoe"
    assert main(["verify", str(shoe), "--json"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["records"] == 12

    shoe.unlink()
    assert main(["verify", str(archive)]) == ExitCode.NO
    assert "(shoe 2 of 2026-11-21)" in capsys.readouterr().out


def test_keys_and_witnesses_are_accepted(
    archive: Path, public_key: Path, other_key: Path, capsys: Capture
) -> None:
    main(["verify", str(archive), "--json"])
    codes = json.loads(capsys.readouterr().out)["codes"].values()
    words = ["verify", str(archive), "--key", str(public_key)]
    for code in codes:
        words += ["--witness", code]

    assert main(words) == ExitCode.DONE
    assert main([*words, "--witness", "AAAAA-BBBBB-CCCCC-DDDDD"]) == ExitCode.NO
    assert main(["verify", str(archive), "--key", str(other_key)]) == ExitCode.NO


def test_a_key_file_that_is_not_a_key_is_wrong_usage(archive: Path, capsys: Capture) -> None:
    assert main(["verify", str(archive), "--key", str(archive / "none.pub")]) == ExitCode.UNUSABLE
    assert "none.pub: not a public key" in capsys.readouterr().err


def test_a_folder_without_a_journal_cannot_be_read(fast_dir: Path, capsys: Capture) -> None:
    assert main(["verify", str(fast_dir)]) == ExitCode.UNUSABLE
    assert "holds no live.db" in capsys.readouterr().err

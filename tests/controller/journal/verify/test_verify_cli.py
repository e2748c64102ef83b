"""`smartshoe verify` over sealed shoes: the same report as the verifier alone.

Responsible for: what the command takes, prints and ends with.
Not responsible for: live parts (tests/controller/test_cli_journal), what is found (the rest here).
Source: package README, "Command line"; controller/journal/README.md, "Verifier".
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli.errors import Exit
from controller.cli.main import main
from controller.journal import verify as verifier

DAY = "2026-11-21"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def archive(sealed_shoes, fast_dir: Path) -> Path:
    sealed_shoes.write(fast_dir / "archive")
    return fast_dir / "archive"


def test_it_prints_what_the_verifier_alone_prints(archive: Path, capsys: Capture) -> None:
    assert main(["verify", str(archive)]) == Exit.DONE

    alone = subprocess.run(
        [sys.executable, "-I", verifier.__file__, archive],
        check=True,
        capture_output=True,
        text=True,
    )
    assert capsys.readouterr().out == alone.stdout


def test_a_single_shoe_and_its_missing_neighbour(archive: Path, capsys: Capture) -> None:
    shoe = archive / "shoes" / DAY / "0002.shoe"
    assert main(["verify", str(shoe), "--json"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out)["records"] == 12

    shoe.unlink()
    assert main(["verify", str(archive)]) == Exit.NO
    assert "shoe 2 of 2026-11-21 is missing" in capsys.readouterr().out


def test_keys_and_witnesses_are_taken(
    archive: Path, public_key: Path, other_key: Path, capsys: Capture
) -> None:
    main(["verify", str(archive), "--json"])
    codes = json.loads(capsys.readouterr().out)["codes"].values()
    words = ["verify", str(archive), "--key", str(public_key)]
    for code in codes:
        words += ["--witness", code]

    assert main(words) == Exit.DONE
    assert main([*words, "--witness", "AAAAA-BBBBB-CCCCC-DDDDD"]) == Exit.NO
    assert main(["verify", str(archive), "--key", str(other_key)]) == Exit.NO


def test_a_key_that_is_none_is_wrong_usage(archive: Path, capsys: Capture) -> None:
    assert main(["verify", str(archive), "--key", str(archive / "none.pub")]) == Exit.UNUSABLE
    assert "none.pub: no public key" in capsys.readouterr().err


def test_a_folder_that_holds_nothing_of_a_journal_is_said_to_be_none(
    fast_dir: Path, capsys: Capture
) -> None:
    assert main(["verify", str(fast_dir)]) == Exit.UNUSABLE
    assert "it holds no live.db, no shoes/ and no manifest.json" in capsys.readouterr().err

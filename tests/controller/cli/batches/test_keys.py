"""`smartshoe keys`: prints the public half of a key and never the private one."""

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode
from controller.system.keys import load_key, public_path

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def file(fast_dir: Path) -> Path:
    return fast_dir / "table.key"


def test_a_key_is_made_and_its_public_half_printed(file: Path, capsys: Capture) -> None:
    assert main(["keys", "make", str(file)]) == ExitCode.DONE

    output = capsys.readouterr().out
    assert load_key(file).public.pem() in output
    assert "fingerprint   " in output


def test_a_second_key_is_refused(file: Path, capsys: Capture) -> None:
    main(["keys", "make", str(file)])
    before = file.read_bytes()

    assert main(["keys", "make", str(file)]) == ExitCode.UNUSABLE
    assert "is not overwritten" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_the_public_half_as_json(file: Path, capsys: Capture) -> None:
    main(["keys", "make", str(file)])
    public_path(file).unlink()
    capsys.readouterr()

    assert main(["keys", "show", str(file), "--json"]) == ExitCode.DONE
    public = load_key(file).public
    assert json.loads(capsys.readouterr().out) == {
        "key_file": str(file),
        "public_key_file": str(public_path(file)),
        "public_key": public.pem(),
        "fingerprint": public.fingerprint.hex(),
    }
    assert public_path(file).read_text() == public.pem()


@pytest.mark.parametrize("words", [("make",), ("show",), ("show", "--json")])
def test_nothing_of_the_private_half_is_printed(
    words: tuple[str, ...], file: Path, capsys: Capture
) -> None:
    if "show" in words:
        main(["keys", "make", str(file)])
    main(["keys", words[0], str(file), *words[1:]])

    private = file.read_text().splitlines()[1]
    output = capsys.readouterr()
    assert "PRIVATE" not in output.out + output.err
    assert private[-43:] not in output.out + output.err


def test_a_missing_key_is_reported(file: Path, capsys: Capture) -> None:
    assert main(["keys", "show", str(file)]) == ExitCode.UNUSABLE
    assert "there is no key" in capsys.readouterr().err

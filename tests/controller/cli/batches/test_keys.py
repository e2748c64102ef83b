"""`smartshoe keys`: what is printed, and that the private half is not."""

import json
from pathlib import Path

import pytest

from controller.cli.errors import Exit
from controller.cli.main import main
from controller.system.keys import load_key, public_path

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def file(fast_dir: Path) -> Path:
    return fast_dir / "table.key"


def test_a_key_is_made_and_its_public_half_told(file: Path, capsys: Capture) -> None:
    assert main(["keys", "make", str(file)]) == Exit.DONE

    said = capsys.readouterr().out
    assert load_key(file).public.pem() in said
    assert "fingerprint   " in said


def test_a_second_key_is_refused(file: Path, capsys: Capture) -> None:
    main(["keys", "make", str(file)])
    before = file.read_bytes()

    assert main(["keys", "make", str(file)]) == Exit.UNUSABLE
    assert "it is not overwritten" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_the_public_half_as_json(file: Path, capsys: Capture) -> None:
    main(["keys", "make", str(file)])
    public_path(file).unlink()
    capsys.readouterr()

    assert main(["keys", "show", str(file), "--json"]) == Exit.DONE
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
    said = capsys.readouterr()
    assert "PRIVATE" not in said.out + said.err
    assert private[-43:] not in said.out + said.err


def test_a_missing_key_is_told(file: Path, capsys: Capture) -> None:
    assert main(["keys", "show", str(file)]) == Exit.UNUSABLE
    assert "there is no key" in capsys.readouterr().err

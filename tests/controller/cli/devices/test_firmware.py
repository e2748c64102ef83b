"""`smartshoe firmware`: each change signs the list again, and only if it was validly signed."""

import hashlib
import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.service.commissioning.firmware_list import load_list, load_trusted_list
from controller.system.command_line.errors import ExitCode
from controller.system.keys import load_public, make_key, public_path

Capture = pytest.CaptureFixture[str]

FIRST = "c0" * 32
SECOND = "0b" * 32


@pytest.fixture
def key(fast_dir: Path) -> Path:
    make_key(fast_dir / "table.key")
    return fast_dir / "table.key"


@pytest.fixture
def file(fast_dir: Path) -> Path:
    return fast_dir / "approved.json"


def firmware(command: str, key: Path, file: Path, *words: str) -> int:
    return main(["firmware", command, "--key", str(key), "--list", str(file), *words])


def approve(key: Path, file: Path, sha256: str = FIRST, *words: str) -> int:
    return firmware(
        "approve", key, file, "--sha256", sha256, "--version", "1.2.0", "--counter", "3", *words
    )


def images(file: Path) -> list[tuple[str, str, int]]:
    return [
        (one.sha256.hex(), one.version, one.security_counter)
        for one in load_list(file).statement.images
    ]


def test_an_image_is_approved_by_its_file(key: Path, file: Path, capsys: Capture) -> None:
    image = file.with_name("shuffler.bin")
    image.write_bytes(b"firmware" * 100_000)

    assert (
        firmware(
            "approve", key, file, "--image", str(image), "--version", "1.2.0", "--counter", "3"
        )
        == ExitCode.DONE
    )
    digest = hashlib.sha256(b"firmware" * 100_000).hexdigest()
    assert digest in capsys.readouterr().out
    assert images(file) == [(digest, "1.2.0", 3)]
    load_trusted_list(file, (load_public(public_path(key)),))


def test_a_second_image_joins_the_first_and_both_are_signed(key: Path, file: Path) -> None:
    approve(key, file)
    approve(key, file, SECOND)

    assert [image for image, _, _ in images(file)] == [SECOND, FIRST]
    load_trusted_list(file, (load_public(public_path(key)),))


def test_an_image_that_is_on_the_list_gets_the_new_version(key: Path, file: Path) -> None:
    approve(key, file)
    firmware("approve", key, file, "--sha256", FIRST, "--version", "1.2.1", "--counter", "4")

    assert images(file) == [(FIRST, "1.2.1", 4)]


def test_a_changed_list_is_not_signed_again(key: Path, file: Path, capsys: Capture) -> None:
    approve(key, file)
    changed = file.read_text().replace('"1.2.0"', '"6.6.6"')
    file.write_text(changed)

    assert approve(key, file, SECOND) == ExitCode.NO
    assert "the list was changed after it was signed" in capsys.readouterr().err
    assert file.read_text() == changed


def test_the_list_of_another_key_is_extended_only_with_trust(
    key: Path, file: Path, capsys: Capture
) -> None:
    other = file.with_name("other.key")
    make_key(other)
    approve(other, file)

    assert approve(key, file, SECOND) == ExitCode.NO
    assert "--trust" in capsys.readouterr().err
    assert approve(key, file, SECOND, "--trust", str(public_path(other))) == ExitCode.DONE
    assert len(images(file)) == 2
    load_trusted_list(file, (load_public(public_path(key)),))


def test_an_image_is_withdrawn(key: Path, file: Path) -> None:
    approve(key, file)
    approve(key, file, SECOND)

    assert firmware("withdraw", key, file, "--sha256", FIRST) == ExitCode.DONE
    assert [image for image, _, _ in images(file)] == [SECOND]
    load_trusted_list(file, (load_public(public_path(key)),))


@pytest.mark.parametrize(
    ("sha256", "expected"), [(SECOND, "is not on it"), (FIRST, "the list would be empty")]
)
def test_an_image_that_cannot_be_withdrawn_stays(
    key: Path, file: Path, capsys: Capture, sha256: str, expected: str
) -> None:
    approve(key, file)
    before = file.read_bytes()

    assert firmware("withdraw", key, file, "--sha256", sha256) == ExitCode.NO
    assert expected in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--version", "1", "--counter", "3"), "either --image file or --sha256 hex"),
        (("--sha256", "c0", "--version", "1", "--counter", "3"), "64 hex digits"),
        (("--sha256", FIRST, "--version", " ", "--counter", "3"), "--version: ''"),
        (("--sha256", FIRST, "--version", "1" * 65, "--counter", "3"), "1 to 64 bytes"),
        (("--sha256", FIRST, "--version", "1", "--counter", "-1"), "--counter: "),
        (("--image", "nowhere.bin", "--version", "1", "--counter", "1"), "nowhere.bin: no such"),
    ],
)
def test_an_invalid_approval_is_refused(
    key: Path, file: Path, capsys: Capture, words: tuple[str, ...], expected: str
) -> None:
    assert firmware("approve", key, file, *words) == ExitCode.UNUSABLE
    assert expected in capsys.readouterr().err.lower()
    assert not file.exists()


def test_the_list_is_shown(key: Path, file: Path, capsys: Capture) -> None:
    approve(key, file, FIRST, "--note", "tested on the bench")
    capsys.readouterr()

    assert main(["firmware", "list", str(file)]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert FIRST in shown
    assert "tested on the bench" in shown


def test_an_unchanged_signed_list_is_verified(key: Path, file: Path, capsys: Capture) -> None:
    approve(key, file)
    capsys.readouterr()
    words = ["firmware", "verify", str(file), "--key", str(public_path(key)), "--json"]

    assert main(words) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["signed"] is True


def test_a_list_of_an_unknown_key_is_not_verified(key: Path, file: Path, capsys: Capture) -> None:
    approve(key, file)
    make_key(file.with_name("other.key"))
    capsys.readouterr()

    assert main(["firmware", "verify", str(file), "--key", f"{file.parent}/other.key.pub"]) == 1
    assert capsys.readouterr().out.startswith("NOT TRUSTED: ")

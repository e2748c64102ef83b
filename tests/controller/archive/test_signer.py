"""Signing with a key file, with the house's program, or not at all, and the messages for each."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.archive.sealer import Sealer
from controller.archive.signer import (
    KeySigner,
    NoSigner,
    ProgramSigner,
    SignFailed,
    SigningSettings,
    open_signer,
    why_not_made,
)
from controller.journal.store import Journal, JournalError
from controller.system.keys import TableKey, make_key, public_path
from foundation.timestamp import Timestamp

DATA = b"what is signed"


@pytest.fixture
def key(tmp_path: Path) -> TableKey:
    return make_key(tmp_path / "token.key")


@pytest.fixture
def program(tmp_path: Path, key: TableKey) -> Callable[[str], SigningSettings]:
    """Settings for a program that runs this Python; its signatures are verified with `key`."""

    def settings(text: str) -> SigningSettings:
        file = tmp_path / "sign.py"
        file.write_text(text)
        return SigningSettings(
            key=tmp_path / "unused.key",
            program=(sys.executable, str(file), "--slot", "1"),
            public_key=public_path(tmp_path / "token.key"),
        )

    return settings


def test_the_default_key_is_created_once_and_then_used(tmp_path: Path) -> None:
    settings = SigningSettings(tmp_path / "table.key")
    first = open_signer(settings, make=True)
    again = open_signer(settings, make=True)
    assert isinstance(first, KeySigner)
    assert isinstance(again, KeySigner)
    assert first.public == again.public
    assert stat.S_IMODE((tmp_path / "table.key").stat().st_mode) == 0o600
    assert "just created" in first.words
    assert "just created" not in again.words
    assert first.public.verifies(first.sign(DATA), DATA)


def test_without_make_no_key_is_created(tmp_path: Path) -> None:
    signer = open_signer(SigningSettings(tmp_path / "table.key"))
    assert isinstance(signer, NoSigner)
    assert list(tmp_path.iterdir()) == []


def test_a_key_program_is_out_of_reach_of_ctrl_c_at_the_table(program, tmp_path: Path) -> None:
    """The terminal sends Ctrl-C to its whole session: the seal in progress is finished first."""
    session = tmp_path / "session"
    write = f"pathlib.Path({str(session)!r}).write_text(str(os.getsid(0)))"
    settings = program(f"import os, pathlib; {write}")
    signer = open_signer(settings)
    with pytest.raises(SignFailed):
        signer.sign(DATA)
    assert int(session.read_text()) != os.getsid(0)


def test_a_configured_key_is_never_created(tmp_path: Path) -> None:
    signer = open_signer(SigningSettings(tmp_path / "house.key", make=False), make=True)
    assert isinstance(signer, NoSigner)
    assert signer.wanted
    assert "house.key: there is no key. Remedy: make one with `smartshoe keys make" in signer.words


def test_a_key_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    make_key(tmp_path / "table.key")
    (tmp_path / "table.key").chmod(0o640)
    signer = open_signer(SigningSettings(tmp_path / "table.key"), make=True)
    assert isinstance(signer, NoSigner)
    assert "its mode is 0640" in signer.words


def test_nobody_signs_if_signing_is_switched_off(tmp_path: Path) -> None:
    signer = open_signer(SigningSettings(tmp_path / "table.key", sign=False), make=True)
    assert signer == NoSigner("evidence.sign is false", wanted=False)
    assert list(tmp_path.iterdir()) == []


def test_a_program_signs_its_standard_input(program, tmp_path: Path) -> None:
    signer = open_signer(
        program(f"""\
import sys
from pathlib import Path
from cryptography.hazmat.primitives.serialization import load_pem_private_key
assert sys.argv[1:] == ["--slot", "1"]
key = load_pem_private_key(Path({str(tmp_path / "token.key")!r}).read_bytes(), None)
sys.stdout.buffer.write(key.sign(sys.stdin.buffer.read()))
""")
    )
    assert isinstance(signer, ProgramSigner)
    assert signer.public.verifies(signer.sign(DATA), DATA)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("print('x' * 63, end='')", "did not print a signature by the key of evidence.public_key"),
        ("print('x' * 64, end='')", "did not print a signature by the key of evidence.public_key"),
        ("", "did not print a signature by the key of evidence.public_key"),
        ("raise SystemExit(3)", "ended with 3. Remedy"),
        ("raise SystemExit('no token')", "ended with 1: no token. Remedy"),
    ],
)
def test_output_that_is_not_a_signature_is_refused(program, text: str, message: str) -> None:
    signer = open_signer(program(text))
    assert isinstance(signer, ProgramSigner)
    with pytest.raises(SignFailed) as caught:
        signer.sign(DATA)
    assert message in str(caught.value)


def test_a_program_that_hangs_is_ended(key) -> None:
    signer = ProgramSigner(("/usr/bin/sleep", "60"), key.public, "", timeout_s=0.05)
    with pytest.raises(SignFailed, match=r"sleep returned no signature within 0.05 s. Remedy: "):
        signer.sign(DATA)


def test_a_missing_program_is_named(key) -> None:
    signer = ProgramSigner(("/no/such/program",), key.public, "")
    with pytest.raises(SignFailed, match=r"/no/such/program cannot be run: No such file"):
        signer.sign(DATA)


def test_a_missing_public_key_is_named(tmp_path: Path) -> None:
    settings = SigningSettings(
        tmp_path / "table.key", program=("/bin/true",), public_key=tmp_path / "token.pub"
    )
    signer = open_signer(settings, make=True)
    assert isinstance(signer, NoSigner)
    assert "token.pub: there is no such public key" in signer.words


@pytest.mark.needs("openssl")
def test_a_program_may_sign_with_ecdsa(tmp_path: Path) -> None:
    """As tpm2_sign does: DER on its standard output."""
    private, public = str(tmp_path / "p256.pem"), tmp_path / "token.pub"
    openssl = "/usr/bin/openssl"
    for words in (
        ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private],
        ["pkey", "-in", private, "-pubout", "-out", str(public)],
    ):
        subprocess.run([openssl, *words], check=True, capture_output=True)
    program = (openssl, "dgst", "-sha256", "-sign", private)
    signer = open_signer(SigningSettings(tmp_path / "unused", program=program, public_key=public))
    assert isinstance(signer, ProgramSigner)

    signature = signer.sign(DATA)

    assert len(signature) == 64
    assert signer.public.verifies(signature, DATA)
    raw = ProgramSigner(("/bin/echo", "-n", "x" * 64), signer.public, "")
    with pytest.raises(SignFailed, match="Allowed: DER, ECDSA over the SHA-256"):
        raw.sign(DATA)


# --- a key that a first start cannot make ---------------------------------------------------------


def test_a_key_that_can_be_made_has_no_reason_against_it(tmp_path: Path) -> None:
    settings = SigningSettings(tmp_path / "table.key")

    assert why_not_made(settings, tmp_path / "journal") == ""
    assert why_not_made(SigningSettings(tmp_path / "journal/table.key"), tmp_path / "journal") == ""


@pytest.mark.parametrize("by_table", [True, False])
def test_a_folder_that_is_not_there_is_named(tmp_path: Path, *, by_table: bool) -> None:
    settings = SigningSettings(tmp_path / "keys/table.key")

    why = why_not_made(settings, tmp_path / "journal", by_table=by_table)
    assert why.startswith(f"{settings.key} cannot be made: {tmp_path / 'keys'} is not there")


def test_the_public_half_of_another_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "table.key.pub").write_text("another's")

    why = why_not_made(SigningSettings(tmp_path / "table.key"), tmp_path)
    assert "table.key.pub of another key is there" in why


def test_a_first_start_that_cannot_make_its_key_begins_no_log(tmp_path: Path) -> None:
    at = Timestamp(1, 1)
    sealer = Sealer("M7", SigningSettings(tmp_path / "keys/table.key"), lambda: at)
    with (
        Journal.open(tmp_path / "journal") as journal,
        pytest.raises(JournalError, match="the table's key cannot be made, and its first start"),
    ):
        sealer.begin(journal)

    assert not (tmp_path / "journal/log.db").exists()

"""The table's key: made once, read only from a private file, never shown."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from controller.system import keys
from controller.system.keys import (
    KeyAlgorithm,
    KeyFileError,
    PublicKey,
    export_public,
    fingerprint_text,
    load_key,
    load_public,
    make_key,
    public_path,
    signature_der,
    signature_of_der,
)

# RFC 8032, section 7.1, test 2: secret key, public key, message 72, signature.
SEED = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
PUBLIC = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
MESSAGE = bytes.fromhex("72")
SIGNATURE = bytes.fromhex(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)
# RFC 8410, section 7: PKCS 8 without attributes is this prefix and the seed.
PEM_OF_TEST_2 = (
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"
    "-----END PRIVATE KEY-----\n"
)
# RFC 6979, appendix A.2.5: public key of P-256, signature with SHA-256 of "sample".
POINT = bytes.fromhex(
    "04"
    "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
)
SIGNED_SAMPLE = bytes.fromhex(
    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
)


@pytest.fixture
def path(fast_dir: Path) -> Path:
    return fast_dir / "table.key"


@pytest.fixture
def test_2(path: Path) -> Path:
    path.write_text(PEM_OF_TEST_2)
    path.chmod(0o600)
    return path


def test_a_key_file_of_the_standards_example_signs_as_it_says(test_2: Path) -> None:
    key = load_key(test_2)

    assert key.public.raw == PUBLIC
    assert key.sign(MESSAGE) == SIGNATURE


def test_a_signature_is_verified_with_the_public_key_alone() -> None:
    public = PublicKey(PUBLIC)

    assert public.verifies(SIGNATURE, MESSAGE)
    assert not public.verifies(SIGNATURE, b"s")
    assert not public.verifies(bytes(64), MESSAGE)
    assert not public.verifies(b"", MESSAGE)


def test_a_signature_of_ecdsa_is_verified_as_the_standards_example_says() -> None:
    public = PublicKey(POINT)

    assert public.algorithm is KeyAlgorithm.ECDSA_P256
    assert public.verifies(SIGNED_SAMPLE, b"sample")
    assert not public.verifies(SIGNED_SAMPLE, b"test")
    assert not public.verifies(SIGNED_SAMPLE[::-1], b"sample")
    assert not public.verifies(signature_der(SIGNED_SAMPLE), b"sample")


@pytest.mark.parametrize("raw", [b"", POINT[1:], POINT[:33], b"\x02" + POINT[1:], bytes(65)])
def test_bytes_that_are_no_key_verify_nothing(raw: bytes) -> None:
    assert not PublicKey(raw).verifies(SIGNED_SAMPLE, b"sample")


def test_the_two_forms_of_a_signature_of_ecdsa_are_one() -> None:
    der = signature_der(SIGNED_SAMPLE)

    assert der.hex().startswith("3046022100efd48b2a")
    assert signature_of_der(der) == SIGNED_SAMPLE


@pytest.mark.parametrize("der", [b"", b"x" * 70, bytes.fromhex("3006020101020100ff")])
def test_what_is_no_signature_in_der_is_refused(der: bytes) -> None:
    with pytest.raises(ValueError):
        signature_of_der(der)


def test_a_signature_of_a_longer_curve_is_refused() -> None:
    with pytest.raises(ValueError, match="another curve"):
        signature_of_der(bytes.fromhex("3026022101" + "00" * 32 + "020101"))


def test_a_fingerprint_is_the_sha_256_of_the_public_key() -> None:
    assert fingerprint_text(PublicKey(PUBLIC).fingerprint) == (
        "39f713d0 a644253f 04529421 b9f51b9b 08979d08 295959c4 f3990ee6 17f5139f"
    )


def test_a_new_key_is_private_and_its_public_key_readable(path: Path) -> None:
    key = make_key(path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(public_path(path).stat().st_mode) == 0o644
    assert load_key(path) == key
    assert load_public(public_path(path)) == key.public


def test_two_keys_differ(fast_dir: Path) -> None:
    assert make_key(fast_dir / "a.key").public != make_key(fast_dir / "b.key").public


def test_a_strict_umask_does_not_hide_the_public_key(path: Path) -> None:
    before = os.umask(0o077)
    try:
        make_key(path)
    finally:
        os.umask(before)

    assert stat.S_IMODE(public_path(path).stat().st_mode) == 0o644


@pytest.mark.parametrize("content", [b"", b"anything", PEM_OF_TEST_2.encode()])
def test_an_existing_file_is_never_overwritten(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    with pytest.raises(KeyFileError, match="not overwritten"):
        make_key(path)
    assert path.read_bytes() == content


def test_a_public_key_without_its_key_is_not_overwritten(path: Path) -> None:
    make_key(path)
    path.unlink()

    with pytest.raises(
        KeyFileError, match=r"table\.key\.pub: the key of this public key is not here"
    ):
        make_key(path)
    assert not path.exists()


def test_an_incomplete_key_file_is_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keys.os, "fsync", full)

    with pytest.raises(KeyFileError, match="cannot be written: No space left on device"):
        make_key(path)
    assert not path.exists()


def test_file_and_folder_are_on_the_disk_before_the_key_is_used(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        real(descriptor)

    monkeypatch.setattr(keys.os, "fsync", noted)
    make_key(path)

    folder = str(path.parent)
    assert synced == [str(path), folder, str(public_path(path)), folder]


def test_a_missing_key_is_reported_with_the_command_to_make_one(path: Path) -> None:
    with pytest.raises(
        KeyFileError, match=r"Remedy: make one with `smartshoe keys make .*table\.key`"
    ):
        load_key(path)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o601])
def test_a_key_accessible_to_others_is_refused(test_2: Path, mode: int) -> None:
    test_2.chmod(mode)

    with pytest.raises(KeyFileError, match=rf"mode is {mode:04o}.*`chmod 600 "):
        load_key(test_2)


def test_a_key_of_another_account_is_refused(test_2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(keys.os, "geteuid", lambda: other)

    with pytest.raises(KeyFileError, match=rf"belongs to account {other - 1}.*`chown {other} "):
        load_key(test_2)


def test_a_link_is_refused(test_2: Path) -> None:
    link = test_2.with_name("link.key")
    link.symlink_to(test_2)

    with pytest.raises(KeyFileError, match="a file, not a link"):
        load_key(link)


def test_a_folder_is_refused(path: Path) -> None:
    path.mkdir(mode=0o700)

    with pytest.raises(KeyFileError, match="this is not a file"):
        load_key(path)


@pytest.mark.parametrize("text", ["", "nonsense", PEM_OF_TEST_2[:60], PEM_OF_TEST_2.lower()])
def test_a_damaged_key_is_refused(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)

    with pytest.raises(KeyFileError, match="this is not an Ed25519 key, or it is damaged"):
        load_key(path)


def test_a_public_key_in_place_of_the_key_is_refused(path: Path) -> None:
    make_key(path)
    public_path(path).chmod(0o600)

    with pytest.raises(KeyFileError, match="this is not an Ed25519 key"):
        load_key(public_path(path))


def test_the_key_in_place_of_a_public_key_is_refused(test_2: Path) -> None:
    with pytest.raises(KeyFileError, match="no public key of Ed25519 or ECDSA P-256"):
        load_public(test_2)


def test_a_missing_public_key_is_refused(path: Path) -> None:
    with pytest.raises(KeyFileError, match="there is no such public key"):
        load_public(path)


def test_a_public_key_is_exported_again_where_it_is_missing(test_2: Path) -> None:
    exported = export_public(test_2, load_key(test_2).public)

    assert load_public(exported).raw == PUBLIC
    assert export_public(test_2, load_key(test_2).public) == exported


def test_a_public_key_of_another_is_not_overwritten(test_2: Path) -> None:
    public_path(test_2).write_text("of another")

    with pytest.raises(KeyFileError, match="not overwritten"):
        export_public(test_2, load_key(test_2).public)


def test_a_key_never_shows_its_private_half(test_2: Path) -> None:
    shown = repr(load_key(test_2))

    assert "rivate" not in shown
    assert SEED not in shown


@pytest.mark.needs("openssl")
def test_openssl_reads_the_same_public_key(path: Path) -> None:
    key = make_key(path)
    openssl = shutil.which("openssl")
    assert openssl is not None

    openssl = subprocess.run(
        [openssl, "pkey", "-in", path, "-pubout"], capture_output=True, text=True, check=True
    )

    assert openssl.stdout == key.public.pem()


@pytest.mark.needs("openssl")
def test_a_public_key_of_ecdsa_is_read_and_written_as_openssl_does(fast_dir: Path) -> None:
    private, file = fast_dir / "p256.pem", fast_dir / "token.pub"
    for words in (
        ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(private)],
        ["pkey", "-in", str(private), "-pubout", "-out", str(file)],
    ):
        subprocess.run(["/usr/bin/openssl", *words], check=True, capture_output=True)
    public = load_public(file)
    made = subprocess.run(
        ["/usr/bin/openssl", "dgst", "-sha256", "-sign", private],
        input=b"a seal",
        capture_output=True,
        check=True,
    )

    assert public.pem() == file.read_text()
    assert public.verifies(signature_of_der(made.stdout), b"a seal")


@pytest.mark.needs("openssl")
def test_a_key_of_another_curve_is_refused(fast_dir: Path) -> None:
    file = fast_dir / "other.pub"
    words = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
    made = subprocess.run(["/usr/bin/openssl", *words], capture_output=True, check=True)
    pub = ["/usr/bin/openssl", "pkey", "-pubout", "-out", file]
    subprocess.run(pub, input=made.stdout, check=True)

    with pytest.raises(KeyFileError, match="no public key of Ed25519 or ECDSA P-256"):
        load_public(file)

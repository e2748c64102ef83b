"""A table whose key is in a token plays, seals and logs; the verifier checks both with that key.

Source: PKCS#11 (SoftHSM2), TPM 2.0 (swtpm).
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pkcs11
import pytest
from pkcs11 import Attribute, ObjectClass
from pkcs11.exceptions import AttributeSensitive

from controller.archive.replay.report import ReplayFinding, replay
from controller.archive.signer import ProgramSigner, SignFailed, SigningSettings, open_signer
from controller.cli.main import main
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.verify import verify
from controller.system.command_line.errors import ExitCode
from hil.dealing.dealer import DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.progress import poll_until
from hil.rig.in_process import RigSettings, TableRig

MODULE = "/usr/lib/softhsm/libsofthsm2.so"
HANDLE = "0x81010001"
PIN = "654321"


def run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


@pytest.fixture
def pin_file(tmp_path: Path) -> Path:
    file = tmp_path / "token.pin"
    file.write_text(PIN)
    file.chmod(0o600)
    return file


@pytest.fixture
def softhsm(
    tmp_path: Path, pin_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], SigningSettings]:
    """A PKCS#11 token with one key of this type, and the signer of a table that uses it."""
    (tmp_path / "tokens").mkdir()
    config = tmp_path / "softhsm2.conf"
    config.write_text(f"directories.tokendir = {tmp_path}/tokens\n")
    monkeypatch.setenv("SOFTHSM2_CONF", str(config))

    def made(key_type: str) -> SigningSettings:
        pins = ("--so-pin", "12345678", "--pin", PIN)
        run("softhsm2-util", "--init-token", "--free", "--label", "casino", *pins)
        tool = ("pkcs11-tool", "--module", MODULE, "--token-label", "casino")
        key = ("--label", "bac-12", "--id", "01")
        run(*tool, "--login", "--pin", PIN, "--keypairgen", "--key-type", key_type, *key)
        read, public = tmp_path / "read.pub", tmp_path / "token.pub"
        run(*tool, "--read-object", "--type", "pubkey", *key, "--output-file", str(read))
        # The tool writes one of Ed25519 as PEM, one of ECDSA as DER.
        form = "PEM" if read.read_bytes().startswith(b"-----") else "DER"
        openssl = ("openssl", "pkey", "-pubin", "-inform", form)
        run(*openssl, "-in", str(read), "-out", str(public))
        program = (
            *(str(Path(sys.executable).with_name("smartshoe")), "keys", "sign"),
            *("--module", MODULE, "--token", "casino", "--key", "bac-12"),
            *("--pin-file", str(pin_file)),
        )
        return SigningSettings(tmp_path / "unused", program=program, public_key=public)

    return made


@pytest.fixture
def tpm(
    tmp_path: Path, pin_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SigningSettings]:
    """A TPM with a key of ECDSA P-256 that never leaves it; tpm2_sign is the signer."""
    socket = tmp_path / "tpm"
    tcti = f"swtpm:path={socket}"
    monkeypatch.setenv("TPM2TOOLS_TCTI", tcti)
    (tmp_path / "state").mkdir()
    words = ("socket", "--tpm2", "--tpmstate", f"dir={tmp_path}/state")
    sockets = (
        "--server",
        f"type=unixio,path={socket}",
        "--ctrl",
        f"type=unixio,path={socket}.ctrl",
    )
    flags = ("--flags", "not-need-init,startup-clear")
    with subprocess.Popen(["swtpm", *words, *sockets, *flags]) as machine:
        try:
            poll_until(Path(f"{socket}.ctrl").exists, "no socket of swtpm")
            yield key_in_tpm(tmp_path, tcti, pin_file)
        finally:
            machine.terminate()


def key_in_tpm(folder: Path, tcti: str, pin_file: Path) -> SigningSettings:
    attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|sign"
    primary, key, public = (str(folder / name) for name in ("primary", "key", "token.pub"))
    parts = ("-u", f"{key}.pub", "-r", f"{key}.priv")
    run("tpm2_createprimary", "-C", "o", "-G", "ecc256", "-c", primary)
    pin = f"file:{pin_file}"
    run(
        *("tpm2_create", "-C", primary, "-G", "ecc256:ecdsa-sha256"),
        *("-p", pin, "-a", attributes, *parts),
    )
    run("tpm2_flushcontext", "-t")
    run("tpm2_load", "-C", primary, *parts, "-c", key)
    run("tpm2_flushcontext", "-t")
    run("tpm2_evictcontrol", "-C", "o", "-c", key, HANDLE)
    run("tpm2_readpublic", "-c", HANDLE, "-f", "pem", "-o", public)
    sign = ("/usr/bin/tpm2_sign", "-T", tcti, "-c", HANDLE, "-p", pin)
    program = (*sign, "-g", "sha256", "-f", "plain", "-o", "/dev/stdout")
    return SigningSettings(folder / "unused", program=program, public_key=Path(public))


def check_played(bench, folder: Path, signing: SigningSettings, algorithm: str) -> None:
    """Deal a shoe at a table with that signer; the verifier checks it with the token's key."""
    assert signing.public_key is not None
    settings = RigSettings(sealed=True, signing=signing)
    bench.play(DealerSettings(seed=11), rig_settings=settings, until_sealed=True)
    (file,) = sealed_files(folder)
    sealed = read_sealed(file)

    assert sealed.heading.algorithm == algorithm
    report = verify(folder, keys=[signing.public_key])
    assert not report.problems
    # A stop waits for no slow token: heads that it has not signed by then are noted, and that of
    # the next start, which it signs, covers them. The shoe itself has its signature.
    assert not [note for note in report.notes if "shoe" in note.partition(":")[0]]
    assert replay(folder).finding is ReplayFinding.SAME
    key = str(signing.public_key)
    assert main(["audit", str(folder), "--key", key, "--deep"]) == ExitCode.DONE
    bundle = folder.parent / "coup-3"
    assert (
        main(["evidence", "1/3", "--journal", str(folder), "--out", str(bundle)]) == ExitCode.DONE
    )
    assert not verify(bundle, keys=[signing.public_key]).problems
    changed = bytearray(file.read_bytes())
    changed[-1] ^= 1
    file.write_bytes(changed)
    assert verify(folder, keys=[signing.public_key]).problems


@pytest.mark.needs("softhsm2")
@pytest.mark.needs("opensc")
@pytest.mark.needs("openssl")
@pytest.mark.parametrize(
    ("key_type", "algorithm"),
    [("EC:edwards25519", "ed25519"), ("EC:prime256v1", "ecdsa-p256")],
)
def test_a_table_whose_key_is_in_a_pkcs11_token_is_verified(
    bench, fast_dir: Path, softhsm: Callable[[str], SigningSettings], key_type: str, algorithm: str
) -> None:
    check_played(bench, fast_dir / "journal-1", softhsm(key_type), algorithm)


@pytest.mark.needs("swtpm")
@pytest.mark.needs("tpm2-tools")
def test_a_table_whose_key_is_in_a_tpm_is_verified(
    bench, fast_dir: Path, tpm: SigningSettings
) -> None:
    check_played(bench, fast_dir / "journal-1", tpm, "ecdsa-p256")


@pytest.mark.needs("softhsm2")
@pytest.mark.needs("opensc")
@pytest.mark.needs("openssl")
def test_a_token_pulled_in_mid_shoe_loses_nothing(
    bench, fast_dir: Path, tmp_path: Path, softhsm: Callable[[str], SigningSettings]
) -> None:
    """It is pulled in coup 3; the whole shoe is dealt, and sealed once it is plugged in again."""
    signing, folder = softhsm("EC:edwards25519"), fast_dir / "journal-1"
    settings = RigSettings(sealed=True, signing=signing)
    pulled = tmp_path / "pulled"

    def pull(rig: TableRig) -> None:
        if not pulled.exists():
            (tmp_path / "tokens").rename(pulled)
        rig.resolve_if_permitted()

    mistakes = (PlannedMistake(Mistake.WRONG_RESULT, 3),)
    dealer = DealerSettings(seed=11, mistakes=mistakes)
    played = bench.play(dealer, rig_settings=settings, floorperson=pull)
    assert len(played.coups) == len(played.truth.coups)
    assert sealed_files(folder) == ()

    pulled.rename(tmp_path / "tokens")
    with bench.server("pty") as server, TableRig(folder, server.path, settings) as rig:
        rig.wait_until_sealed(1)

    (file,) = sealed_files(folder)
    assert read_sealed(file).heading.coups == len(played.truth.coups)
    assert signing.public_key is not None
    assert not verify(folder, keys=[signing.public_key]).problems


@pytest.mark.needs("softhsm2")
@pytest.mark.needs("opensc")
@pytest.mark.needs("openssl")
def test_a_token_that_refuses_the_pin_says_so(
    softhsm: Callable[[str], SigningSettings], pin_file: Path
) -> None:
    signer = open_signer(softhsm("EC:edwards25519"))
    assert isinstance(signer, ProgramSigner)
    pin_file.write_text("000000")
    with pytest.raises(SignFailed, match=r"key bac-12 in token casino: PinIncorrect"):
        signer.sign(b"a seal")
    assert PIN not in " ".join(signer.program)


@pytest.mark.needs("softhsm2")
@pytest.mark.needs("opensc")
@pytest.mark.needs("openssl")
def test_a_key_in_a_token_cannot_be_taken_out(softhsm: Callable[[str], SigningSettings]) -> None:
    """Not by whoever has the library, the PIN and the account of the table."""
    softhsm("EC:edwards25519")
    with pkcs11.lib(MODULE).get_token(token_label="casino").open(user_pin=PIN) as session:
        key = session.get_key(object_class=ObjectClass.PRIVATE_KEY, label="bac-12")
        assert not key[Attribute.EXTRACTABLE]
        with pytest.raises(AttributeSensitive):
            key[Attribute.VALUE]

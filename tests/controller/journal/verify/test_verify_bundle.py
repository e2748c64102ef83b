"""The verifier on evidence bundles: each listed file is there and unchanged, and no other."""

import base64
import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.verify import CannotRead, VerifyReport, report_lines, verify

DAY = "2026-11-21"
SHOE, PAGE = f"shoes/{DAY}/0002.shoe", "page.html"
LEAF, PROOF = f"log/{DAY}-0002.leaf", f"log/{DAY}-0002.tlog-proof"
WITNESS = Ed25519PrivateKey.from_private_bytes(bytes(range(7, 39)))


def manifest(files: dict[str, bytes]) -> bytes:
    listed = {name: sha256(data).hexdigest() for name, data in files.items()}
    return json.dumps({"form": "smartshoe-bundle-2", "files": listed, "coup": 3}).encode()


@pytest.fixture
def log(sealed_shoes):
    """The log of the five shoes; the second is leaf 2."""
    return sealed_shoes.log()


@pytest.fixture
def files(sealed_shoes, log) -> dict[str, bytes]:
    """The second of three shoes of a day, its leaf, its proof, a page."""
    files = {
        SHOE: sealed_shoes.shoes[1].data,
        LEAF: log.entries[2],
        PROOF: log.proof(2),
        PAGE: b"<p>A coup.</p>",
    }
    return {**files, "manifest.json": manifest(files)}


@pytest.fixture
def bundle(fast_dir: Path, files: dict[str, bytes]) -> Callable[..., Path]:
    """Packs the files, with some of them changed, and a manifest that agrees."""

    def made(**changes: bytes) -> Path:
        names = {"shoe": SHOE, "leaf": LEAF, "proof": PROOF}
        plain = files | {names[name]: data for name, data in changes.items()}
        del plain["manifest.json"]
        return packed(fast_dir, {**plain, "manifest.json": manifest(plain)})

    return made


def unpacked(fast_dir: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (fast_dir / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
        (fast_dir / "bundle" / name).write_bytes(data)
    return fast_dir / "bundle"


def packed(fast_dir: Path, files: dict[str, bytes]) -> Path:
    path = fast_dir / "bundle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as bundle:
        for name, data in files.items():
            bundle.writestr(name, data)
    return path


BOTH = pytest.mark.parametrize("made", [unpacked, packed])


def problems_of(path: Path) -> list[str]:
    return [str(problem) for problem in verify(path).problems]


@BOTH
def test_an_intact_bundle(fast_dir: Path, files: dict[str, bytes], made) -> None:
    report = verify(made(fast_dir, files))

    assert report.problems == []
    assert (report.shoes, list(report.codes)) == (1, [DAY])
    assert "records 1 to 13 are in shoes that are not here" in report.notes
    assert "files outside shoes/ and log/ are not signed, only listed" in report.notes


@BOTH
@pytest.mark.parametrize("name", [SHOE, LEAF, PROOF, PAGE])
def test_a_missing_changed_or_unlisted_file_is_named(
    fast_dir: Path, files: dict[str, bytes], made, name: str
) -> None:
    data = files.pop(name)
    assert f"{name}: missing: the manifest names it" in problems_of(made(fast_dir, files))

    files[name] = data[:-1] + b"!"
    assert f"{name}: changed since it was listed" in problems_of(made(fast_dir, files))

    files[name] = data
    files["more.txt"] = b"more"
    assert problems_of(made(fast_dir, files)) == ["more.txt: extra: the manifest does not name it"]


@BOTH
@pytest.mark.parametrize(
    "text", [b"", b"[]", b'{"form": "smartshoe-bundle-1", "files": {}}', b'{"files": 3}']
)
def test_a_manifest_that_cannot_be_read_is_named(
    fast_dir: Path, files: dict[str, bytes], made, text: bytes
) -> None:
    files["manifest.json"] = text

    assert problems_of(made(fast_dir, files))[0].startswith("manifest.json: it cannot be read: ")


def test_a_folder_without_a_manifest_is_not_a_bundle(
    fast_dir: Path, files: dict[str, bytes]
) -> None:
    del files["manifest.json"]

    assert problems_of(packed(fast_dir, files))[0].startswith("manifest.json: it cannot be read: ")


def test_a_changed_shoe_is_named_although_the_manifest_agrees(
    fast_dir: Path, files: dict[str, bytes]
) -> None:
    shoe = files[SHOE]
    files[SHOE] = shoe[:100] + bytes((shoe[100] ^ 1,)) + shoe[101:]
    del files["manifest.json"]
    files["manifest.json"] = manifest(files)

    problem, *_ = problems_of(packed(fast_dir, files))
    assert problem == f"{SHOE}: digest: a byte of this file was changed"


# --- proofs ---------------------------------------------------------------------------------------


def vouching_line(path: Path, *keys: Path) -> str:
    return report_lines(verify(path, keys=keys))[1].strip()


def cosigned(text: str, time_s: int) -> bytes:
    """A witness's line under a checkpoint."""
    public = b"\x04" + WITNESS.public_key().public_bytes_raw()
    signature = WITNESS.sign(f"cosignature/v1\ntime {time_s}\n{text}".encode())
    signed = sha256(b"witness.example\n" + public).digest()[:4] + time_s.to_bytes(8, "big")
    return f"\u2014 witness.example {base64.b64encode(signed + signature).decode()}\n".encode()


@pytest.fixture
def witness_key(fast_dir: Path) -> Path:
    public = b"\x04" + WITNESS.public_key().public_bytes_raw()
    named = sha256(b"witness.example\n" + public).hexdigest()[:8]
    text = f"witness.example+{named}+{base64.b64encode(public).decode()}\n"
    (fast_dir / "witness.vkey").write_text(text)
    return fast_dir / "witness.vkey"


def test_the_second_line_says_that_the_tables_key_signed_the_head(bundle, public_key: Path) -> None:
    line = vouching_line(bundle(), public_key)

    assert line.startswith(f"{bundle()}: head 6 signed by key 56475aa7 ")
    assert vouching_line(bundle()) == f"{line}, a key that is not checked (give --key)"


def test_the_second_line_says_who_cosigned_and_when(bundle, log, witness_key: Path) -> None:
    path = bundle(proof=log.proof(2, log.notes[-1] + cosigned(log.head(), 1_795_260_000)))

    assert vouching_line(path, witness_key).endswith(
        "; head 6 cosigned by witness.example, 2026-11-21 11:20:00 UTC"
    )


def test_a_wrong_cosignature_of_a_known_witness_is_a_problem(bundle, log, witness_key) -> None:
    path = bundle(proof=log.proof(2, log.notes[-1] + cosigned("another head", 1_795_260_000)))

    (problem,) = verify(path, keys=(witness_key,)).problems
    assert problem.what == "head 6: a signature of witness.example does not hold"
    assert verify(path).intact, "nobody asked for that witness"


def test_a_head_that_the_tables_key_did_not_sign_vouches_for_nothing(bundle, log) -> None:
    path = bundle(proof=log.proof(2, log.note()))

    assert vouching_line(path) == f"{path}: nobody signed it"


def test_a_wrong_signature_of_the_tables_key_is_a_problem(bundle, log) -> None:
    line = log.notes[-2].rpartition(b"\n\n")[2].splitlines()[-1]
    path = bundle(proof=log.proof(2, log.head().encode() + b"\n" + line + b"\n"))

    assert problems_of(path) == [f"{PROOF}: head 6: a signature of Table-7 does not hold"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"proof@v1", b"proof@v2"),
        (b"index 2", b"index 3"),
        (b"index 2", b"index 6"),
        (b"index 2", b"index 999999999999999999999"),
        (b"index 2", b"index -1"),
        (b"\n\n", b"\n" + base64.b64encode(bytes(32)) + b"\n\n"),
        (b"\nTable-7\n", b"\nTable-8\n"),
        (b"\n6\n", b"\n7\n"),
        (b"\n6\n", b"\n06\n"),
    ],
)
def test_a_changed_proof_is_a_problem(bundle, log, old: bytes, new: bytes) -> None:
    changed = log.proof(2).replace(old, new, 1)

    (problem,) = problems_of(bundle(proof=changed))
    assert problem.startswith(f"{PROOF}: ")


def test_every_changed_byte_of_a_proof_is_a_problem_or_leaves_it_unsigned(bundle, log) -> None:
    whole = log.proof(2, log.note(log.key))
    for at in range(0, len(whole), 3):
        changed = whole[:at] + bytes((whole[at] ^ 1,)) + whole[at + 1 :]
        report = verify(bundle(proof=changed))
        assert report.problems or not report.vouched, f"byte {at}"


def test_the_leaf_of_another_shoe_or_another_leaf_proves_nothing(bundle, log) -> None:
    for index in (0, 1, 3):
        path = bundle(leaf=log.entries[index], proof=log.proof(index))
        assert problems_of(path) == [
            f"{PROOF}: the shoe is not proven: its leaf is of another shoe"
        ]

    changed = bundle(leaf=log.entries[2].replace(b"\x19", b"\x20", 1))
    assert len(problems_of(changed)) == 1


def test_a_missing_leaf_or_proof_is_a_problem(fast_dir: Path, files: dict[str, bytes]) -> None:
    for name in (LEAF, PROOF):
        plain = {one: data for one, data in files.items() if one not in (name, "manifest.json")}
        (problem,) = problems_of(packed(fast_dir, {**plain, "manifest.json": manifest(plain)}))
        assert problem.startswith(f"{PROOF}: the shoe is not proven: ")


def test_a_kept_head_is_compared_with_the_one_in_the_bundle(bundle, log, fast_dir: Path) -> None:
    code = next(iter(verify(bundle()).codes.values()))
    (fast_dir / "same").write_bytes(log.note())
    (fast_dir / "earlier").write_bytes(log.note(size=4))
    (fast_dir / "other").write_bytes(log.note().replace(b"A", b"B").replace(b"e", b"f"))

    assert verify(bundle(), witnesses=(code, str(fast_dir / "same"))).intact
    (problem,) = verify(bundle(), witnesses=(str(fast_dir / "earlier"),)).problems
    assert problem.what == "witness: no head that is here is the one of head 4, which was kept"
    (problem,) = verify(bundle(), witnesses=(str(fast_dir / "other"),)).problems
    assert problem.what == "witness: head 6 is another than the one kept"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_twice_in_a_zip_is_named(fast_dir: Path, files: dict[str, bytes]) -> None:
    path = packed(fast_dir, files)
    with zipfile.ZipFile(path, "a") as bundle:
        bundle.writestr(PAGE, b"<p>Another coup.</p>")

    with pytest.raises(CannotRead, match="or one twice, as no bundle does"):
        verify(path)


def test_a_changed_byte_of_a_zip_is_harmless_or_reported(
    fast_dir: Path, files: dict[str, bytes]
) -> None:
    path = packed(fast_dir, files)
    whole, intact = path.read_bytes(), content(verify(path))
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes((whole[at] ^ 1 << at % 8,)) + whole[at + 1 :])
        try:
            report = verify(path)
        except CannotRead:
            continue
        assert report.problems or content(report) == intact, f"byte {at}"


def content(report: VerifyReport) -> tuple[object, ...]:
    return report.records, report.shoes, report.codes, report.head_hex


def test_a_compressed_zip_is_refused(fast_dir: Path, files: dict[str, bytes]) -> None:
    """Only what is stored as it is can take no more work than its size."""
    path = fast_dir / "bundle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in files.items():
            bundle.writestr(name, data)

    with pytest.raises(CannotRead, match="it compresses its files"):
        verify(path)


@BOTH
def test_a_manifest_cannot_name_a_file_outside(
    fast_dir: Path, files: dict[str, bytes], made
) -> None:
    (fast_dir / "outside").write_bytes(b"secret")
    del files["manifest.json"]
    listed = files | {"../outside": b"secret"}

    assert problems_of(made(fast_dir, {**files, "manifest.json": manifest(listed)})) == [
        "../outside: missing: the manifest names it"
    ]


def test_a_file_that_is_not_a_zip_cannot_be_read(fast_dir: Path) -> None:
    (fast_dir / "bundle.zip").write_bytes(b"PK\x03\x04" + bytes(100))

    with pytest.raises(CannotRead, match="not a zip file"):
        verify(fast_dir / "bundle.zip")

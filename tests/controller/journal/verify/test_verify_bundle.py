"""The verifier on evidence bundles: each listed file is there and unchanged, and no other.

Source: controller/journal/README.md, "Verifier".
"""

import json
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from controller.journal.verify import CannotRead, VerifyReport, verify

DAY = "2026-11-21"
SHOE, LIST, PAGE = f"shoes/{DAY}/0002.shoe", f"days/{DAY}.seals.json", "page.html"


def manifest(files: dict[str, bytes]) -> bytes:
    listed = {name: sha256(data).hexdigest() for name, data in files.items()}
    return json.dumps({"form": "smartshoe-bundle-1", "files": listed, "coup": 3}).encode()


@pytest.fixture
def files(sealed_shoes) -> dict[str, bytes]:
    """The second of three shoes of a day, the day's list, a page."""
    files = {
        SHOE: sealed_shoes.shoes[1].data,
        LIST: sealed_shoes.list_of(DAY),
        PAGE: b"<p>A coup.</p>",
    }
    return {**files, "manifest.json": manifest(files)}


def unpacked(fast_dir: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (fast_dir / "bundle" / name).parent.mkdir(parents=True, exist_ok=True)
        (fast_dir / "bundle" / name).write_bytes(data)
    return fast_dir / "bundle"


def packed(fast_dir: Path, files: dict[str, bytes]) -> Path:
    path = fast_dir / "bundle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
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
    assert "files outside shoes/ and days/ are not signed, only listed" in report.notes


@BOTH
@pytest.mark.parametrize("name", [SHOE, LIST, PAGE])
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
    "text", [b"", b"[]", b'{"form": "smartshoe-bundle-2", "files": {}}', b'{"files": 3}']
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

    (problem,) = problems_of(packed(fast_dir, files))
    assert problem.startswith(f"{SHOE}, byte 100: heading: ")


def test_a_bundle_without_its_list_has_a_note(fast_dir: Path, files: dict[str, bytes]) -> None:
    files = {SHOE: files[SHOE], PAGE: files[PAGE]}
    report = verify(packed(fast_dir, {**files, "manifest.json": manifest(files)}))

    assert report.intact
    assert f"{LIST} is missing, so that only its own seal vouches for {SHOE}" in report.notes


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_twice_in_a_zip_is_named(fast_dir: Path, files: dict[str, bytes]) -> None:
    path = packed(fast_dir, files)
    with zipfile.ZipFile(path, "a") as bundle:
        bundle.writestr(PAGE, b"<p>Another coup.</p>")

    assert f"{PAGE}: extra: it is in the bundle more than once" in problems_of(path)


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


def test_a_file_that_is_not_a_zip_cannot_be_read(fast_dir: Path) -> None:
    (fast_dir / "bundle.zip").write_bytes(b"PK\x03\x04" + bytes(100))

    with pytest.raises(CannotRead, match="not a zip file"):
        verify(fast_dir / "bundle.zip")

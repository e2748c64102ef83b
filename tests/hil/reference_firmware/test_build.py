"""Building the reference firmware: sizes, digest, and what is said where it cannot be built."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hil.reference_firmware import build as firmware_build
from hil.reference_firmware.build import Build, FirmwareUnable, Role, built

FLASH_MAX = 24 * 1024
RAM_WITHOUT_RING_MAX = 8 * 1024
SIZES = re.compile(r"flash (\d+) of \d+ bytes, RAM (\d+) of \d+ bytes: ring (\d+), all else (\d+)")


CODE = sorted(
    path for path in firmware_build.SOURCES.rglob("*") if path.suffix in (".c", ".h", ".ld")
)


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.name)
def test_a_file_of_it_opens_with_what_it_answers_for_and_fits_in_one_head(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    opening = text[: text.index("*/")]

    assert opening.startswith("/* Responsible for: ")
    assert " * Not responsible for: " in opening
    assert " * Source: " in opening
    assert len(text.splitlines()) <= 450


@pytest.mark.debian("gcc-arm-none-eabi", program="arm-none-eabi-gcc")
@pytest.mark.parametrize("role", Role)
def test_it_is_small_and_the_build_says_so(role: Role) -> None:
    said = SIZES.search(built(Build.ARM, role).said)

    assert said is not None
    flash, ram, ring, rest = map(int, said.groups())
    assert 4096 < flash < FLASH_MAX
    assert 1024 < rest < RAM_WITHOUT_RING_MAX
    assert ring + rest == ram


@pytest.mark.debian("gcc-arm-none-eabi", program="arm-none-eabi-gcc")
def test_it_states_the_digest_of_all_the_rest_of_its_image(tmp_path: Path) -> None:
    image = built(Build.ARM, Role.SHOE).folder / "shoe.elf"
    stated, rest = tmp_path / "stated", tmp_path / "rest"
    copy = ("arm-none-eabi-objcopy", "-O", "binary")
    subprocess.run((*copy, "-j", ".image", image, stated), check=True)
    subprocess.run((*copy, "-R", ".image", image, rest), check=True)

    assert stated.read_bytes() == hashlib.sha256(rest.read_bytes()).digest()


@pytest.mark.parametrize(
    ("build", "packages"),
    [
        (Build.ARM, "gcc-arm-none-eabi libnewlib-arm-none-eabi"),
        (Build.HOST, "gcc libc6-dev"),
        (Build.FUZZ, "clang libclang-rt-14-dev"),
    ],
)
def test_a_compiler_that_is_missing_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, build: Build, packages: str
) -> None:
    make = shutil.which("make")
    assert make is not None
    (tmp_path / "make").symlink_to(make)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(FirmwareUnable, match=f"apt-get install .* {packages}$"):
        built(build, Role.SHOE)


@pytest.mark.debian("gcc", program="gcc")
def test_a_build_that_fails_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fast_dir: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(fast_dir))
    broken = tmp_path / "firmware"
    shutil.copytree(firmware_build.SOURCES, broken)
    (broken / "core" / "frame.c").write_text("no C at all\n")
    monkeypatch.setattr(firmware_build, "SOURCES", broken)

    with pytest.raises(FirmwareUnable, match="gcc libc6-dev") as told:
        built(Build.HOST, Role.SHOE)

    assert "frame.c" in str(told.value)
    assert not list((fast_dir / "smartshoe" / "firmware").iterdir())

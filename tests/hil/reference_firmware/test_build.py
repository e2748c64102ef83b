"""Building the reference firmware: sizes, image digest, and error messages."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hil.reference_firmware import build as firmware_build
from hil.reference_firmware.build import Build, FirmwareRole, FirmwareUnable, build_firmware

FLASH_MAX = 24 * 1024
RAM_WITHOUT_RING_MAX = 8 * 1024
SIZES = re.compile(r"flash (\d+) of \d+ bytes, RAM (\d+) of \d+ bytes: ring (\d+), all else (\d+)")


CODE = sorted(
    path for path in firmware_build.SOURCES.rglob("*") if path.suffix in (".c", ".h", ".ld")
)


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.name)
def test_each_source_file_has_a_header_and_at_most_450_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    opening = text[: text.index("*/")]

    assert opening.startswith("/* ")
    assert " * Not: " in opening
    assert " * Source: " in opening
    assert len(text.splitlines()) <= 450


@pytest.mark.needs("gcc-arm-none-eabi")
@pytest.mark.parametrize("role", FirmwareRole)
def test_flash_and_ram_sizes_are_within_their_limits(role: FirmwareRole) -> None:
    sizes = SIZES.search(build_firmware(Build.ARM, role).make_output)

    assert sizes is not None
    flash, ram, ring, rest = map(int, sizes.groups())
    assert 4096 < flash < FLASH_MAX
    assert 1024 < rest < RAM_WITHOUT_RING_MAX
    assert ring + rest == ram


@pytest.mark.needs("gcc-arm-none-eabi")
def test_the_image_contains_the_digest_of_its_remainder(tmp_path: Path) -> None:
    image = build_firmware(Build.ARM, FirmwareRole.SHOE).folder / "shoe.elf"
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
def test_a_missing_compiler_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, build: Build, packages: str
) -> None:
    make = shutil.which("make")
    assert make is not None
    (tmp_path / "make").symlink_to(make)
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(FirmwareUnable, match=f"apt-get install .* {packages}$"):
        build_firmware(build, FirmwareRole.SHOE)


@pytest.mark.needs("gcc")
def test_a_failed_build_gives_the_compiler_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fast_dir: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(fast_dir))
    broken = tmp_path / "firmware"
    shutil.copytree(firmware_build.SOURCES, broken)
    (broken / "core" / "frame.c").write_text("no C at all\n")
    monkeypatch.setattr(firmware_build, "SOURCES", broken)

    with pytest.raises(FirmwareUnable, match="gcc libc6-dev") as failure:
        build_firmware(Build.HOST, FirmwareRole.SHOE)

    assert "frame.c" in str(failure.value)
    assert not list((fast_dir / "smartshoe" / "firmware").iterdir())

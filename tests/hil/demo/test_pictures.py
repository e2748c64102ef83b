"""The picture of the demo's screen in docs is what a demo shows today."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hil.demo.pictures import (
    BROWSERS,
    GAMING_DAY,
    SCREEN_COUP,
    SCREEN_FILE,
    captured_scene,
    main,
    screen_svg,
)

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"
PNG = b"\x89PNG\r\n\x1a\n"


def test_the_picture_of_the_screen_is_what_a_demo_shows(fast_dir: Path) -> None:
    scene = captured_scene(fast_dir / "demo")
    svg = screen_svg(scene)

    assert scene.table.suspension is not None
    assert f"coup&#160;{SCREEN_COUP}" in svg
    assert GAMING_DAY in svg
    assert "@font-face" not in svg
    assert svg == (PICTURES / SCREEN_FILE).read_text(encoding="utf-8"), "run `make pictures`"


def test_both_pictures_are_written_with_a_browser(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser of this test writes its last argument's page as the picture."""
    browser = fast_dir / BROWSERS[0]
    browser.write_text(
        "#!/bin/sh\nfor word; do case $word in --screenshot=*) to=${word#*=};; esac; done\n"
        'cp "${word#file://}" "$to"\n'
    )
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fast_dir}:{os.environ['PATH']}")

    assert main(fast_dir / "pictures") == 0
    page = (fast_dir / "pictures" / "evidence.png").read_text(encoding="utf-8")
    assert "RESULT_MISMATCH" in page
    assert (fast_dir / "pictures" / SCREEN_FILE).exists()


def test_without_a_browser_the_missing_package_is_named(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(fast_dir))

    assert main(fast_dir / "pictures") == 1
    assert "apt-get install chromium" in capsys.readouterr().err


def test_the_picture_of_the_page_is_a_png() -> None:
    assert (PICTURES / "evidence.png").read_bytes().startswith(PNG)


def test_the_closing_commands_work_where_the_demo_was_started(fast_dir: Path) -> None:
    """Neither the environment nor its folder is on the path."""
    root = Path(__file__).parents[3]
    system = {**os.environ, "PATH": "/usr/bin:/bin"}
    program = str(Path(sys.executable).with_name("smartshoe-hil"))
    command = [program, "demo", "--speed", "max", "--journal", str(fast_dir / "journal")]
    done = subprocess.run(command, cwd=root, env=system, capture_output=True, text=True, check=True)
    hints = [line.strip() for line in done.stdout.splitlines() if line.startswith("  ")][-4:]

    assert [hint.split()[1] for hint in hints] == ["verify", "replay", "rules", "demo"]
    ended = subprocess.run(["sh", "-c", hints[0]], cwd=root, env=system, check=False)
    assert ended.returncode == 0

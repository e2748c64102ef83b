"""Makes the README's pictures: the demo's screen as SVG, a coup's evidence page as PNG."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from msgspec import structs
from rich.console import Console

from controller.procedure.verdicts import Irregularity
from controller.rules.profiles.load import load_clauses, load_profile
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.demo.card_glyphs import UNICODE
from hil.demo.demo import play
from hil.demo.floor_view import Clauses, shown_clauses
from hil.demo.follow import JournalFollower
from hil.demo.plan import DemoSettings, Tempo, usual_mistakes
from hil.demo.screen import LineScreen
from hil.demo.view import Scene, render
from hil.rig.program import PROGRAM
from hil.run_guard import guarded_run

SEED: Final = 7
COLUMNS, ROWS = 100, 33
SCREEN_COUP: Final = 34
# The default mistakes of a demo declare a wrong result in this coup.
PAGE_COUP: Final = "1/6"
PAGE_SIZE: Final = "980,1090"
READING_S: Final = 600.0
# The same seed gives the same file on every day.
GAMING_DAY: Final = "2026-11-22"
SCREEN_FILE, PAGE_FILE = "demo.svg", "evidence.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--window-size={PAGE_SIZE}",
)
# As rich's own, but without fonts from the network.
SVG_FORMAT: Final = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


class PictureTaken(Exception):
    """The screen has been captured; the demo need not go on."""


class PictureSettings(DemoSettings):
    """A demo whose floorperson waits until the picture has been taken."""

    @property
    def tempo(self) -> Tempo:
        return replace(super().tempo, reading_s=READING_S)


@dataclass
class ScreenCapture:
    """Keeps the first scene with an open irregularity, then ends the demo."""

    scene: Scene | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def show(self, scene: Scene, journal_events: JournalFollower) -> None:
        """Raises PictureTaken once snapshot and journal both have the irregularity."""
        raised = {one.number for one in scene.history if isinstance(one, Irregularity)}
        pending = {one.number for one in scene.table.irregularities}
        if pending and pending <= raised:
            table = structs.replace(scene.table, gaming_day=GAMING_DAY)
            self.scene = replace(scene, table=table)
            raise PictureTaken


def captured_scene(folder: Path) -> Scene:
    """A demo's screen while an overdrawn card suspends the table."""
    mistakes = (PlannedMistake(Mistake.EXTRA_CARD, SCREEN_COUP),)
    screen = ScreenCapture()
    with suppress(PictureTaken):
        play(PictureSettings(folder, SEED, mistakes=mistakes), screen)
    assert screen.scene is not None, "the demo raised no irregularity"
    return screen.scene


def screen_svg(scene: Scene) -> str:
    """The scene as SVG, drawn as on a terminal."""
    console = Console(
        file=StringIO(),
        record=True,
        width=COLUMNS,
        height=ROWS,
        force_terminal=True,
        color_system="truecolor",
        _environ={},
    )
    console.print(render(scene, _clauses(scene.table.profile), UNICODE, COLUMNS, ROWS))
    return console.export_svg(title="make demo", code_format=SVG_FORMAT)


def _clauses(profile: str) -> Clauses:
    return shown_clauses(load_profile(profile), load_clauses())


def evidence_page(folder: Path) -> Path:
    """The page of a coup of a demo, from its evidence bundle."""
    journal, bundle = folder / "journal", folder / "coup.zip"
    console = Console(file=StringIO())
    settings = DemoSettings(journal, SEED, mistakes=usual_mistakes(1))
    play(settings, LineScreen(console, _clauses(settings.profile)))
    command = (*PROGRAM, "evidence", PAGE_COUP, "--journal", str(journal), "--out", str(bundle))
    subprocess.run(command, check=True, capture_output=True, start_new_session=True)
    with zipfile.ZipFile(bundle) as archive:
        return Path(archive.extract("index.html", folder))


def photograph(browser: str, page: Path, picture: Path) -> None:
    """Draw the top of a page as PNG. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="browser-") as home:
        profile, shot = f"--user-data-dir={home}/profile", f"--screenshot={picture}"
        subprocess.run(
            (browser, *BROWSER_FLAGS, profile, shot, page.as_uri()),
            check=True,
            capture_output=True,
            env={**os.environ, "HOME": home},
            start_new_session=True,
        )


def main(folder: Path) -> int:
    """Write both pictures; 1 where no browser is installed for the second."""
    folder.mkdir(parents=True, exist_ok=True)
    with guarded_run(), tempfile.TemporaryDirectory(prefix="pictures-") as name:
        scene = captured_scene(Path(name) / "screen")
        (folder / SCREEN_FILE).write_text(screen_svg(scene), encoding="utf-8")
        print(f"{folder / SCREEN_FILE}: the demo's screen")
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            print(f"{PAGE_FILE} needs a browser: apt-get install chromium", file=sys.stderr)
            return 1
        photograph(browser, evidence_page(Path(name)), (folder / PAGE_FILE).absolute())
        print(f"{folder / PAGE_FILE}: the evidence page of coup {PAGE_COUP}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")))

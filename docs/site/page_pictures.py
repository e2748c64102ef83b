"""Makes the pictures of the operator page again: a real demo, seen in Debian's Chromium.

Run by `make pictures`. What is dealt follows from the seed; how far play was, when a picture was
taken, does not.
"""

import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from playwright.sync_api import Page, sync_playwright

from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.demo.demo import play
from hil.demo.follow import JournalFollower
from hil.demo.pictures import PictureSettings, PictureTaken
from hil.demo.plan import Speed
from hil.demo.view import Scene
from hil.run_guard import guarded_run

CHROMIUM: Final = "/usr/bin/chromium"
SEED: Final = 7
PLAY_COUP, STOP_COUP = 26, 40
TOUCH, DESKTOP = (1024, 600), (1280, 720)


class PageCamera:
    """Photographs the page once `is_so` holds of what the demo shows, then ends the demo.

    Each picture: its file, the path below the table, size, theme, language.
    """

    def __init__(
        self,
        folder: Path,
        browser: Any,
        is_so: Callable[[Scene], bool],
        pictures: tuple[tuple[str, str, tuple[int, int], str, str], ...],
    ) -> None:
        self._folder, self._browser = folder, browser
        self._is_so, self._pictures = is_so, pictures
        self._address = ""

    def say(self, line: str) -> None:
        """The demo's lines; one has the address."""
        if line.startswith("page: http"):
            self._address = line.removeprefix("page: ")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def show(self, scene: Scene, _events: JournalFollower) -> None:
        """Raises PictureTaken."""
        if not self._is_so(scene):
            return
        for file, path, size, theme, language in self._pictures:
            self._photograph(self._folder / file, path, size, theme, language)
        raise PictureTaken

    def _photograph(
        self, file: Path, path: str, size: tuple[int, int], theme: str, language: str
    ) -> None:
        width, height = size
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme
        )
        page: Page = context.new_page()
        page.goto(self._address + path)
        if language:
            page.get_by_role("button", name=language).click()
        page.wait_for_selector("#main")
        page.screenshot(path=file)
        context.close()
        print(f"{file}")


def is_dealing(scene: Scene) -> bool:
    coup = scene.table.coup
    return coup is not None and coup.number >= PLAY_COUP


def is_stopped(scene: Scene) -> bool:
    return bool(scene.table.irregularities)


def main(folder: Path) -> None:
    """Play two demos and photograph each."""
    extra = (PlannedMistake(Mistake.EXTRA_CARD, STOP_COUP),)
    with (
        guarded_run(),
        tempfile.TemporaryDirectory(prefix="pictures-") as name,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        dealing = PageCamera(
            folder,
            browser,
            is_dealing,
            (
                ("page-play.png", "", TOUCH, "dark", ""),
                ("page-desktop.png", "", DESKTOP, "light", ""),
            ),
        )
        stopped = PageCamera(
            folder,
            browser,
            is_stopped,
            (
                ("page-stop.png", "", TOUCH, "light", ""),
                ("page-stop-zh.png", "", TOUCH, "dark", "繁體中文"),
                ("page-patrons.png", "patrons", DESKTOP, "light", ""),
                ("page-patrons-zh.png", "patrons?language=zh_Hant", DESKTOP, "light", ""),
            ),
        )
        brisk = PictureSettings(Path(name) / "dealing", SEED, speed=Speed.BRISK)
        quick = PictureSettings(Path(name) / "stopped", SEED, mistakes=extra)
        for settings, camera in ((brisk, dealing), (quick, stopped)):
            with suppress(PictureTaken):
                play(settings, camera, camera.say)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))

"""Whole demos in a process of their own: output, exit codes, Ctrl-C, refusals, help pages."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.core.tape.records import read_entry
from controller.journal.people import PeopleFile
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.procedure.effects import ResolutionRecorded
from hil.dealing.mistakes import DESCRIPTIONS, ONLY_REMARKED, Mistake
from hil.dealing.truth import read_json_lines
from hil.demo.floorperson import NAME
from hil.rig.shoe_models import NEEDS_KEYS

PROMISED = {
    "shoes",
    "coups",
    "cards",
    "player",
    "banker",
    "tie",
    "irregularities",
    "journal",
    "verified",
}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "hil.cli", *words]


def run(*words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*words),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


def demo(journal: Path, *words: str) -> tuple[dict[str, Any], str]:
    """A demo that succeeds: the object of its last line, and its other output."""
    done = run("demo", "--speed", "max", "--json", "--journal", str(journal), *words)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report, done.stderr


def resolutions(journal: Path) -> list[ResolutionRecorded]:
    with open_read_only(journal) as reader:
        entries = [read_entry(stored.record) for stored in reader.records()]
    return [entry for entry in entries if isinstance(entry, ResolutionRecorded)]


@pytest.mark.full
def test_two_shoes_end_with_a_verified_journal(fast_dir: Path) -> None:
    report, words = demo(fast_dir / "journal", "--seed", "7", "--shoes", "2")
    journal = Path(report["journal"])
    truth = read_json_lines((journal / "truth.jsonl").read_text().splitlines())

    assert report.keys() >= PROMISED
    assert report["verified"] is True
    assert (report["intact"], report["replay"], report["equals_truth"]) == (True, "same", True)
    assert report["shoes"] == 2
    assert (report["sealed"], report["signed"]) == (2, 2)
    assert report["coups"] == len(truth.coups) == 155
    assert report["player"] + report["banker"] + report["tie"] + report["void"] == report["coups"]
    assert report["mistakes"] == [made.mistake.value for made in truth.mistakes]
    assert report["irregularities"] == len(truth.mistakes) == 6
    assert report["batches"] == ["red", "blue"]
    assert verify(journal).head_hex == report["head"]
    assert words.count("\ncoup ") == 155


@pytest.mark.full
def test_a_careless_dealer_deals_on_and_every_card_is_taken_over(fast_dir: Path) -> None:
    report, _ = demo(fast_dir / "journal", "--seed", "7", "--dealer", "careless")
    decided = resolutions(fast_dir / "journal")

    assert report["verified"] is True
    assert report["irregularities_by_code"]["DEALT_WHILE_SUSPENDED"] >= 1
    assert "take-over" in {one.provisional for one in decided}
    assert {one.person for one in decided} == {PeopleFile(fast_dir / "journal").id_of(NAME)}
    assert all(one.reason.startswith("demonstration: ") for one in decided)


@pytest.mark.full
def test_a_shoe_on_tcp_under_another_rule_without_mistakes_in_the_default_folder(
    fast_dir: Path,
) -> None:
    words = ("--transport", "tcp", "--profile", "ny-mini", "--no-mistakes")
    done = run("demo", "--speed", "max", "--json", *words, cwd=fast_dir)
    report = json.loads(done.stdout.splitlines()[-1])
    (folder,) = (fast_dir / "journal").iterdir()

    assert done.returncode == 0
    assert (report["verified"], report["irregularities"], report["profile"]) == (True, 0, "ny-mini")
    assert report["batches"] == ["red"]
    assert folder.name.startswith("demo-")
    assert report["journal"] == str(folder)


@pytest.mark.full
def test_a_shoe_changed_early_takes_the_idle_batch_out_in_play(fast_dir: Path) -> None:
    report, _ = demo(fast_dir / "journal", "--shoes", "2", "--mistake", "shoe_changed_early@1.5")

    assert (report["verified"], report["batches"]) == (True, ["red", "blue"])
    assert report["irregularities_by_code"] == {"IDLE_BATCH_OUT": 1, "SHOE_CHANGED_EARLY": 1}


@pytest.mark.full
def test_four_shoes_are_dealt_from_red_blue_red_blue(fast_dir: Path) -> None:
    report, words = demo(fast_dir / "journal", "--seed", "7", "--shoes", "4")

    assert (report["verified"], report["batches"]) == (True, ["red", "blue", "red", "blue"])
    assert "proven shuffles" in words


@pytest.mark.full
def test_an_rfid_shoe_is_proved_and_every_card_located(fast_dir: Path) -> None:
    report, words = demo(fast_dir / "journal", "--shoe", "rfid", "--seed", "7")
    truth = read_json_lines((fast_dir / "journal" / "truth.jsonl").read_text().splitlines())
    drawn = report["cards"]

    assert (report["verified"], report["shoe"], report["shoes"]) == (True, "rfid", 1)
    assert report["irregularities"] == len(truth.mistakes) == 3
    assert report["whereabouts"]["RED-0001"] == {"shoe": 416 - drawn, "discard_rack": drawn}
    assert sum(report["whereabouts"]["BLUE-0001"].values()) == 416
    assert f"batch RED-0001 (red), 416 cards: {416 - drawn} in the dealing shoe" in words


def test_a_careless_dealer_at_an_rfid_shoe(fast_dir: Path) -> None:
    report, _ = demo(
        *(fast_dir / "journal", "--shoe", "rfid", "--seed", "8"),
        *("--dealer", "careless", "--transport", "tcp", "--mistake", "wrong_result@2"),
    )

    assert report["verified"] is True


@pytest.mark.parametrize("mistake", ["burn_short", "forced_exit"])
def test_an_rfid_shoe_refuses_mistakes_that_need_keys(mistake: str, fast_dir: Path) -> None:
    words = ("--shoe", "rfid", "--mistake", f"{mistake}@2", "--journal", str(fast_dir / "journal"))
    done = run("demo", *words)

    assert done.returncode == 2
    assert mistake in done.stderr
    assert "no keys" in done.stderr
    assert not (fast_dir / "journal").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_proves_what_was_dealt_until_then(fast_dir: Path, number: signal.Signals) -> None:
    words = ("demo", "--speed", "max", "--shoes", "200", "--journal", str(fast_dir / "journal"))
    with subprocess.Popen(command(*words), stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        while not running.stdout.readline().startswith("coup   5"):
            assert running.poll() is None
        running.send_signal(number)
        rest, _ = running.communicate()

    assert running.returncode == 0
    assert "Stopped; this is what was dealt until then." in rest
    assert rest.count("\n  yes  ") == 4
    assert verify(fast_dir / "journal").intact
    assert not (fast_dir / "journal" / "live.db-wal").exists(), "the program ended in order"


def test_a_terminal_gets_the_live_view(fast_dir: Path) -> None:
    near, far = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "32"}
    words = ("demo", "--speed", "max", "--seed", "7", "--journal", str(fast_dir / "journal"))
    seen = b""
    with subprocess.Popen(command(*words), stdin=far, stdout=far, env=environment) as running:
        os.close(far)
        try:
            while received := os.read(near, 65536):
                seen += received
        except OSError:  # the other end is closed
            os.close(near)
    shown = seen.decode()
    before, alternate, screen = shown.partition("\x1b[?1049h")

    assert running.returncode == 0
    assert before.startswith("demo: seed 7, max speed, journal ")
    assert alternate
    assert "PLAYER" in screen
    assert "\x1b[?1049l" in screen
    assert screen.index("\x1b[?1049l") < screen.index("every coup is recorded as it was dealt")


@pytest.mark.needs("chromium")
def test_a_demo_is_played_in_a_browser_and_its_page_stays_until_ctrl_c(fast_dir: Path) -> None:
    browser, opened = fast_dir / "browser", fast_dir / "opened"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    environment = {**os.environ, "BROWSER": str(browser)}
    words = ("demo", "--page", "--speed", "max", "--seed", "7", "--no-mistakes")
    at = ("--journal", str(fast_dir / "journal"))
    with subprocess.Popen(
        command(*words, *at), stdout=subprocess.PIPE, text=True, env=environment
    ) as running:
        assert running.stdout is not None
        while "stays on until Ctrl-C" not in (line := running.stdout.readline()):
            assert running.poll() is None
        page = opened.read_text()
        assert page in line
        shown = seen_in_chromium(page)
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate()

    assert "Coup 80" in shown
    assert running.returncode == 0
    assert rest.count("\n  yes  ") == 4
    assert f"The operator page, while it was played: {page}" in rest


def seen_in_chromium(address: str) -> str:
    """What a person reads on the page."""
    from page_expectations import wait_for_progress  # noqa: PLC0415 (only with chromium)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (only with chromium)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        page = browser.new_page()
        wait_for_progress(page)
        page.goto(address)
        text = page.locator("#main").inner_text()
        browser.close()
        return text


def test_where_no_browser_can_be_opened_the_address_is_said(fast_dir: Path) -> None:
    screens = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    environment = {name: text for name, text in os.environ.items() if name not in screens}
    words = ("demo", "--page", "--speed", "max", "--journal", str(fast_dir / "journal"))
    with subprocess.Popen(
        command(*words), stdout=subprocess.PIPE, text=True, env=environment
    ) as running:
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(3)]
        running.send_signal(signal.SIGINT)
        running.communicate()
    assert re.fullmatch(r"page: http://127\.0\.0\.1:\d+/\n", lines[1])
    assert lines[2].startswith("page: no browser can be opened from here; open the address")


def test_a_folder_that_is_not_empty_is_refused(fast_dir: Path) -> None:
    (fast_dir / "table.toml").write_text("mine")
    done = run("demo", "--journal", str(fast_dir))

    assert done.returncode == 2
    assert "it is not empty. Remedy: name a new folder with --journal" in done.stderr
    assert [path.name for path in fast_dir.iterdir()] == ["table.toml"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--mistake", "sneezing@3"), "is not a planned mistake. Allowed: NAME@COUP"),
        (("--mistake", "wrong_result@0"), "NAME@COUP"),
        (
            ("--mistake", "wrong_result@1", "--no-mistakes"),
            "Allowed: one of them. Remedy: leave one out",
        ),
        (("--profile", "ny-maxi"), "Allowed: house-baccarat, house-mini, "),
        (("--speed", "warp"), "warp"),
        (("--shoes", "0"), "--shoes"),
    ],
)
def test_wrong_options_are_refused_with_the_allowed_ones(
    words: tuple[str, ...], reason: str
) -> None:
    done = run("demo", *words)

    assert done.returncode == 2
    assert reason in done.stderr


def test_mistakes_are_listed_with_their_descriptions() -> None:
    lines = run("mistakes").stdout.splitlines()

    assert [line.split(maxsplit=1) for line in lines] == [
        [mistake.value, words] for mistake, words in DESCRIPTIONS.items()
    ]


def test_version() -> None:
    assert run("--version").stdout.startswith("smartshoe-hil ")


@pytest.mark.full
@pytest.mark.parametrize("mistake", [each for each in Mistake if each not in NEEDS_KEYS])
def test_every_mistake_that_needs_no_keys_is_detected_at_an_rfid_shoe(
    fast_dir: Path, mistake: Mistake
) -> None:
    words = ("--shoe", "rfid", "--seed", "3", "--shoes", "2", "--mistake", f"{mistake.value}@4")
    report, _ = demo(fast_dir / "journal", *words)

    assert report["mistakes"] == [mistake.value]
    assert (report["irregularities"] >= 1) is (mistake not in ONLY_REMARKED)


@pytest.mark.full
@pytest.mark.parametrize("manner", ["waits", "careless"])
@pytest.mark.parametrize("mistake", list(Mistake))
def test_every_mistake_can_be_demonstrated(fast_dir: Path, mistake: Mistake, manner: str) -> None:
    words = ("--seed", "3", "--shoes", "2", "--mistake", f"{mistake.value}@4", "--dealer", manner)
    report, _ = demo(fast_dir / "journal", *words)

    assert report["mistakes"] == [mistake.value]
    assert (report["irregularities"] >= 1) is (mistake not in ONLY_REMARKED)

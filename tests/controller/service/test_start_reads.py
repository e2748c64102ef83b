"""What a start reads for convenience stops no start, whatever is wrong with it.

Each reading that a start could do without is here, with what may be wrong with what it reads.
"""

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.journal.folder import sealed_files
from controller.outlets.console.sites import WebServers
from controller.service.config.load import load_config
from controller.service.install.diagnosis import Grade
from controller.service.install.table_checks import check_journal
from controller.service.noise_limit import NoiseLimit
from controller.service.power_fail import PowerLines
from controller.service.table_program import SharedParts, TableProgram
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import TcpServer

CONFIG = """\
[table]
name = "M7"
pit = "3"
[rules]
profile = "s42-mini"
decks = 8
observed = ["result_button"]
[shoe]
port = "{port}"
[journal]
folder = "journal"
[evidence]
key = "table.key"
[metrics]
enabled = false
[[feed]]
name = "floor"
host = "127.0.0.1"
port = 1
topic = "smartshoe"
tls = false
"""
# The files that a start reads beside the evidence itself, by what each is read for; `*`: any.
READ_FOR_CONVENIENCE = {
    "the noise allowance, the coups of the shoe before, the monitors": "shoes/*/0002.shoe",
    "an earlier shoe, for the monitors": "shoes/*/0001.shoe",
    "the counts of the metrics": "counts.json",
    "what the monitors know": "monitors.json",
    "how far the log's files for other programs go": "log/checkpoint",
    "the tree of the log": "log/tile/*/*.p/*",
    "where a consumer of the feed is": "feed/floor.json",
}


def _flipped(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def _exchanged(path: Path) -> None:
    others = [one for one in path.parent.iterdir() if one != path and one.is_file()]
    path.write_bytes(others[0].read_bytes() if others else b"{}\n")


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], None]] = {
    "a bit in its middle": lambda path: _flipped(path, path.stat().st_size // 2),
    "a bit in its beginning": lambda path: _flipped(path, min(60, path.stat().st_size - 1)),
    "empty": lambda path: path.write_bytes(b""),
    "missing": Path.unlink,
    "exchanged": _exchanged,
    "a folder": _as_folder,
    "another's size": lambda path: path.write_bytes(
        b"M7\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n"
    ),
}


@pytest.fixture
def config(sealed_journal, fast_dir: Path, monkeypatch) -> Iterator[Path]:
    """A table between two shoes, both of the last hour; its shoe is on the line."""
    # The shoes were dealt a year ago; an hour of that size is one of today.
    monkeypatch.setattr(NoiseLimit, "WINDOW_NS", 1 << 60)
    journal = sealed_journal(2, then=())
    for name in ("counts.json", "monitors.json", "feed/floor.json"):
        (journal / name).parent.mkdir(exist_ok=True)
        (journal / name).write_text("{}\n")
    with TcpServer(AngelEye()) as server:
        file = fast_dir / "table.toml"
        file.write_text(CONFIG.format(port=server.url))
        yield file


def starts(config: Path) -> bool:
    """Start the table, and stop it as soon as it serves people."""
    served = []
    shared = SharedParts(several=False, web=WebServers(), power_lines=PowerLines())
    program = TableProgram(load_config(config), shared, close_coup_as_partial=False)

    def running() -> None:
        served.append(True)
        program.stop()

    program.run(running)
    return bool(served)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("reading", READ_FOR_CONVENIENCE)
def test_no_reading_for_convenience_stops_a_start(config: Path, reading: str, damage: str) -> None:
    for path in sorted((config.parent / "journal").glob(READ_FOR_CONVENIENCE[reading])):
        DAMAGES[damage](path)

    assert starts(config)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("a bit in its middle", "the sealed file cannot be read: its digest does not match"),
        ("a bit in its beginning", "the sealed file cannot be read: "),
        ("exchanged", "is not here: it was moved or lost"),
        ("missing", "is not here: it was moved or lost"),
    ],
)
def test_a_damaged_recent_shoe_is_said_with_a_remedy_by_the_start_and_by_doctor(
    config: Path, caplog, damage: str, words: str
) -> None:
    newest = sealed_files(config.parent / "journal")[-1]
    DAMAGES[damage](newest)
    caplog.set_level(logging.WARNING)

    assert starts(config)
    (said,) = [
        one.getMessage() for one in caplog.records if "the start goes on" in one.getMessage()
    ]
    (found,) = [one for one in check_journal(load_config(config)) if one.grade is Grade.PROBLEM]

    assert words in said
    assert "Remedy: " in said
    assert words in found.what
    assert "from the archive or the last backup" in found.remedy


def test_a_shoe_in_the_place_of_another_is_said(config: Path, caplog, sealed_journal) -> None:
    """Of a journal of the same table: its numbers fit, its records are others."""
    newest = sealed_files(config.parent / "journal")[-1]
    other = sealed_journal(2, then=(), name="other", trouble=lambda script: script.later(7))
    shutil.copy(sealed_files(other)[-1], newest)
    caplog.set_level(logging.WARNING)

    assert starts(config)
    assert f"{newest}: the sealed file is not the one that was sealed there" in caplog.text


def test_a_whole_journal_is_not_warned_about(config: Path, caplog) -> None:
    caplog.set_level(logging.WARNING)

    assert starts(config)
    assert "the start goes on" not in caplog.text
    assert [one.grade for one in check_journal(load_config(config))] == [Grade.GOOD]

"""Serial servers without control lines are remembered over starts of the program."""

import logging
from pathlib import Path

import pytest

from controller.table.serial_servers import FILE, SerialServersFile

SHOE = "rfc2217://192.0.2.10:4001"
SHUFFLER = "rfc2217://192.0.2.10:4002"


def test_a_server_is_known_at_the_next_start_and_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    servers = SerialServersFile(tmp_path)
    assert not servers.knows(SHOE)

    servers.add(SHOE)
    servers.add(SHUFFLER)

    after_a_start = SerialServersFile(tmp_path)
    assert after_a_start.knows(f"{SHOE}?timeout=2")
    assert after_a_start.knows(SHUFFLER)
    assert [one.getMessage() for one in caplog.records] == [
        f"{url} does not answer for control lines (RFC 2217, SET-CONTROL): opened without them,"
        " from now on at once"
        for url in (SHOE, SHUFFLER)
    ]


def test_a_damaged_file_is_found_out_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    servers = SerialServersFile(tmp_path)

    assert not servers.knows(SHOE)
    assert "not UTF-8 text" in caplog.text
    servers.add(SHOE)
    assert SerialServersFile(tmp_path).knows(SHOE)


def test_a_folder_that_cannot_be_written_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    (tmp_path / FILE).mkdir()

    SerialServersFile(tmp_path).add(SHOE)

    assert "cannot be" in caplog.text

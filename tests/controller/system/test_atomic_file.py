"""Small text files: bounded reads, atomic writes."""

from pathlib import Path

import pytest

from controller.system.atomic_file import (
    SmallFileError,
    read_text,
    require_new,
    store_text,
)


@pytest.fixture
def file(fast_dir: Path) -> Path:
    return fast_dir / "folder" / "list.json"


def test_written_text_is_read_back(file: Path) -> None:
    store_text(file, "one")
    store_text(file, "M\u00fcller")

    assert read_text(file) == "M\u00fcller"
    assert [path.name for path in file.parent.iterdir()] == ["list.json"]


def test_a_missing_file_is_named(file: Path) -> None:
    with pytest.raises(SmallFileError, match="there is no such file"):
        read_text(file)


def test_a_folder_is_not_a_file(fast_dir: Path) -> None:
    with pytest.raises(SmallFileError, match="cannot be read"):
        read_text(fast_dir)


def test_an_endless_file_is_not_read_whole() -> None:
    with pytest.raises(SmallFileError, match="it is a device, and only a regular file is read"):
        read_text(Path("/dev/zero"))


def test_a_long_file_is_not_read_whole(fast_dir: Path) -> None:
    with (fast_dir / "long").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SmallFileError, match="longer than 1048576 bytes"):
        read_text(fast_dir / "long")


def test_text_that_is_not_utf_8_is_reported_with_its_line(fast_dir: Path) -> None:
    (fast_dir / "latin").write_bytes(b"one\n\xfc")

    with pytest.raises(SmallFileError, match="latin, line 2: not UTF-8"):
        read_text(fast_dir / "latin")


def test_a_failed_write_leaves_nothing_behind(fast_dir: Path) -> None:
    (fast_dir / "list.json").mkdir()

    with pytest.raises(SmallFileError, match="cannot be written"):
        store_text(fast_dir / "list.json", "one")
    assert [path.name for path in fast_dir.iterdir()] == ["list.json"]


def test_an_existing_name_is_refused_even_for_a_dangling_link(fast_dir: Path) -> None:
    (fast_dir / "link").symlink_to("nowhere")

    require_new(fast_dir / "free")
    with pytest.raises(SmallFileError, match="not overwritten"):
        require_new(fast_dir / "link")


def test_a_link_in_the_place_of_the_new_file_is_not_followed(fast_dir: Path) -> None:
    elsewhere = fast_dir / "elsewhere"
    elsewhere.write_text("somebody else's")
    (fast_dir / ".batch.csv.new").symlink_to(elsewhere)

    with pytest.raises(SmallFileError):
        store_text(fast_dir / "batch.csv", "cards")

    assert elsewhere.read_text() == "somebody else's"

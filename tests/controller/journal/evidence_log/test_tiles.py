"""The files of a log: their names, which ones a log has, and damage that is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.evidence_log.tiles import (
    ENTRY_BYTES_MAX,
    TILE_WIDTH,
    Tile,
    TileError,
    entries_bytes,
    entries_path,
    read_entries,
    read_tile,
    tile_bytes,
    tile_hashes,
    tiles_of,
)
from controller.journal.evidence_log.tree import frontier_of, leaf_hash

LEAVES = tuple(leaf_hash(number.to_bytes(3, "big")) for number in range(600))


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "tile/0/000"),
        (Tile(0, 999), "tile/0/999"),
        (Tile(1, 1000), "tile/1/x001/000"),
        (Tile(0, 1_234_067), "tile/0/x001/x234/067"),
        (Tile(2, 5, 17), "tile/2/005.p/17"),
        (Tile(0, 1_234_067, 1), "tile/0/x001/x234/067.p/1"),
    ],
)
def test_a_tile_has_the_published_path(tile: Tile, path: str) -> None:
    assert tile.path == path


def test_entries_have_the_path_of_their_tile() -> None:
    assert entries_path(1_234_067) == "tile/entries/x001/x234/067"
    assert entries_path(0, 3) == "tile/entries/000.p/3"


@pytest.mark.parametrize(
    ("size", "before", "paths"),
    [
        (0, 0, []),
        (1, 0, ["tile/0/000.p/1"]),
        (256, 255, ["tile/0/000", "tile/1/000.p/1"]),
        (257, 256, ["tile/0/001.p/1"]),
        (257, 257, []),
        (512, 257, ["tile/0/001", "tile/1/000.p/2"]),
        (600, 0, ["tile/0/000", "tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2"]),
    ],
)
def test_the_tiles_that_came_since(size: int, before: int, paths: list[str]) -> None:
    assert [one.path for one in tiles_of(size, before)] == paths


def test_tiles_of_a_level_have_the_roots_of_the_full_tiles_below() -> None:
    first, second = (tile_hashes(LEAVES, Tile(0, index)) for index in (0, 1))
    above = tile_hashes(LEAVES, Tile(1, 0, 2))

    assert first == LEAVES[:TILE_WIDTH]
    assert above == (frontier_of(first).root, frontier_of(second).root)
    assert read_tile(tile_bytes(above), 2) == above


@pytest.mark.parametrize("data", [b"", b"x" * 63, b"x" * 65])
def test_a_tile_of_another_length_is_damaged(data: bytes) -> None:
    with pytest.raises(TileError, match="a tile of 2 hashes has 64 bytes"):
        read_tile(data, 2)


@given(st.lists(st.binary(max_size=9), min_size=1, max_size=30))
def test_entries_are_read_as_they_were_written(entries: list[bytes]) -> None:
    assert read_entries(entries_bytes(entries), len(entries)) == tuple(entries)


def test_the_longest_entry_fits() -> None:
    longest = bytes(ENTRY_BYTES_MAX)
    assert read_entries(entries_bytes([longest]), 1) == (longest,)


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x00\x02a", b"\x00\x01a\x00\x01b\x00\x01c"])
def test_entries_that_are_cut_off_or_too_many_are_damaged(data: bytes) -> None:
    with pytest.raises(TileError):
        read_entries(data, 2)

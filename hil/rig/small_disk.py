"""A small file system of its own, which a test fills to its last page.

Source: mount(8), tmpfs(5).
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.table.disk_space import MIB, disk_usage

FILLER = "filler"
PIECE_BYTES = MIB // 4


class NoMount(Exception):
    """This account may not mount a file system; the message says what mount(8) said."""


@contextmanager
def small_disk(place: Path, size_bytes: int) -> Iterator[Path]:
    """A file system of that many bytes at the folder `place`. Raises NoMount."""
    place.mkdir(exist_ok=True)
    options = f"size={size_bytes},mode=0750"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "smartshoe-test", str(place)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        raise NoMount(mounted.stderr.strip())
    try:
        yield place
    finally:
        # Lazily: what failed may have left a table that still holds its files.
        subprocess.run(["umount", "--lazy", str(place)], check=True)  # noqa: S607


def fill(place: Path, leave_bytes: int = 0) -> None:
    """Fill the disk as another program would."""
    with (place / FILLER).open("ab", buffering=0) as filler:
        while (free := disk_usage(place).free_bytes) > leave_bytes:
            filler.write(bytes(min(free - leave_bytes, PIECE_BYTES)))


def empty(place: Path) -> None:
    """Remove what `fill` wrote."""
    (place / FILLER).unlink()

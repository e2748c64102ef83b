"""Which program this is: its version by name, and by the bytes that decide what is recorded.

Not: the distribution's metadata (a test keeps name and metadata equal).
"""

import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

VERSION: Final = "0.13.0"

# The files that decide what a record, a saved state or a sealed shoe holds: whatever core, replay,
# drivers and the form of a sealed shoe import of ours, and the rules as data. A test compares this
# list with the import graph. Texts for people are left out.
SOURCES: Final = (
    "controller/rules/actions/*.py",
    "controller/archive/finished_shoe.py",
    "controller/core/*.py",
    "controller/custody/*.py",
    "controller/custody/batch_life/*.py",
    "controller/journal/*.py",
    "controller/system/messages/catalogue.py",
    "controller/rules/advisory.py",
    "controller/monitors/stall.py",
    "controller/procedure/*.py",
    "controller/procedure/acts/*.py",
    "controller/procedure/calls/*.py",
    "controller/procedure/dealing/*.py",
    "controller/procedure/irregularities/*.py",
    "controller/procedure/opening/*.py",
    "controller/procedure/people/*.py",
    "controller/procedure/shuffler/*.py",
    "controller/procedure/table/*.py",
    "controller/procedure/wagering/*.py",
    "controller/rules/profiles/*.py",
    "controller/rules/profiles/data/clauses.csv",
    "controller/rules/profiles/shipped/*.toml",
    "controller/archive/replay/*.py",
    "controller/rules/*.py",
    "controller/rules/settlement/*.py",
    "controller/system/atomic_file.py",
    "controller/system/json_document.py",
    "controller/system/named_file.py",
    "controller/core/tape/*.py",
    "controller/version.py",
    "drivers/*.py",
    "drivers/readers/*.py",
    "drivers/scanners/*.py",
    "drivers/shoes/*.py",
    "drivers/shufflers/*.py",
    "drivers/tablelink/*.py",
    "firmware_bridge/*.py",
    "firmware_bridge/angel_eye/*.py",
    "firmware_bridge/contacts/*.py",
    "firmware_bridge/feig/*.py",
    "firmware_bridge/hid_pos/*.py",
    "firmware_bridge/ssi/*.py",
    "firmware_bridge/tablelink/*.py",
    "firmware_bridge/transport/clock.py",
    "firmware_bridge/transport/port.py",
    "foundation/*.py",
)
# The distributions that those files import: by version, for their files differ between machines.
LIBRARIES: Final = ("cobs", "cryptography", "fastcrc", "msgspec", "transitions")
_BUILD_DIGITS: Final = 12
_ROOT: Final = Path(__file__).resolve().parents[1]


@cache
def software_identifier() -> str:
    """Version and build as one word, such as 0.13.0+0123456789ab: what records name.

    The build is of the files as they are at the first call: each process asks once.
    """
    return identifier_at(_ROOT)


def identifier_at(root: Path) -> str:
    """The identifier of this version's program as its files stand below `root`.

    Raises OSError where a file cannot be read.
    """
    libraries = "".join(f"{name}=={_library_version(name, root)}\n" for name in LIBRARIES)
    digest = sha256(source_digest(SOURCES, root) + libraries.encode())
    return f"{VERSION}+{digest.hexdigest()[:_BUILD_DIGITS]}"


def source_digest(patterns: tuple[str, ...], root: Path = _ROOT) -> bytes:
    """SHA-256 over path and bytes of the files that match, in the order of their paths."""
    digest = sha256()
    for path in matching_files(patterns, root):
        data = (root / path).read_bytes()
        digest.update(f"{path} {len(data)}\n".encode() + data)
    return digest.digest()


def matching_files(patterns: tuple[str, ...], root: Path = _ROOT) -> tuple[str, ...]:
    """The paths below `root` of the files that match, sorted; what an editor hides is left out."""
    found = (file for pattern in patterns for file in root.glob(pattern))
    paths = {file.relative_to(root).as_posix() for file in found if file.name[0] != "."}
    return tuple(sorted(paths))


def _library_version(name: str, root: Path) -> str:
    """The version of a distribution beside the program, else where Python finds it."""
    # Only who asks for the build waits for this import.
    from importlib.metadata import Distribution, PackageNotFoundError  # noqa: PLC0415

    for found in Distribution.discover(name=name, path=[str(root), *sys.path]):
        return found.version
    raise PackageNotFoundError(name)

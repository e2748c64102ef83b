"""The signed list of a gaming day's seals: its content, its JSON file, and its short code.

Source: controller/journal/README.md, "List of seals"; RFC 4648 (base32), RFC 8032 (Ed25519).
"""

import base64
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from controller.journal.shoe_file import SIGNATURE_BYTES, ShoeFile
from controller.system.atomic_file import (
    SmallFileError,
    store_text,
    sync_folder,
)
from controller.system.json_document import (
    Count,
    Digest,
    Document,
    HexBytes,
    LongCount,
    load_document,
    plain_fields,
)
from controller.system.keys import PublicKey

FORM: Final = "smartshoe-seals-1"
SIGNED_PREFIX: Final = "smartshoe seals 1"
FOLDER_NAME: Final = "days"
SUFFIX: Final = ".seals.json"
KEY_BYTES: Final = 32
_CODE_LETTERS: Final = 20
_GROUP_LETTERS: Final = 5
_FOLDER_MODE: Final = 0o750
_FILE_MODE: Final = 0o640
_REMEDY: Final = (
    "use the list as the table wrote it; if this one is moved away, the table writes it again from"
    " its sealed files"
)

Sign = Callable[[bytes], bytes]


class Seal(Struct, frozen=True):
    """One sealed file: shoe number, digest, record numbers, UTC time of its last input."""

    shoe: int
    digest: bytes
    first_seq: int
    last_seq: int
    until_ns: int


class DayList(Struct, frozen=True):
    """The seals of one table and gaming day, in order of their records.

    `signer` is the public key that made `signature`; both are empty where the table has no key.
    """

    table: str
    gaming_day: str
    seals: tuple[Seal, ...] = ()
    signer: bytes = b""
    signature: bytes = b""


def seal_of(shoe: ShoeFile) -> Seal:
    """The list's entry for a sealed file."""
    heading = shoe.heading
    return Seal(heading.shoe, shoe.digest, heading.first_seq, heading.last_seq, heading.until_ns)


def with_seal(day: DayList, seal: Seal) -> DayList:
    """The list with that seal inserted in order of records, and without a signature."""
    others = (one for one in day.seals if one.last_seq != seal.last_seq)
    seals = tuple(sorted((*others, seal), key=lambda one: one.last_seq))
    return replace(day, seals=seals, signer=b"", signature=b"")


def signed_bytes(day: DayList) -> bytes:
    """The bytes that the signature covers."""
    lines = [SIGNED_PREFIX, day.table, day.gaming_day]
    lines += (
        f"{one.shoe} {one.digest.hex()} {one.first_seq} {one.last_seq} {one.until_ns}"
        for one in day.seals
    )
    return "".join(f"{line}\n" for line in lines).encode()


def sign_day(day: DayList, signer: bytes, sign: Sign) -> DayList:
    """The list with a signature; `sign` takes the bytes to sign and returns 64 bytes."""
    return replace(day, signer=signer, signature=sign(signed_bytes(day)))


def signature_holds(day: DayList) -> bool:
    """Whether the key that the list names signed it; False for an unsigned list."""
    if not day.signer or not day.signature:
        return False
    return PublicKey(day.signer).verifies(day.signature, signed_bytes(day))


def short_code(day: DayList) -> str:
    """Twenty letters and digits derived from the list, for people to read out and note."""
    letters = base64.b32encode(sha256(signed_bytes(day)).digest()).decode()[:_CODE_LETTERS]
    groups = range(0, _CODE_LETTERS, _GROUP_LETTERS)
    return "-".join(letters[at : at + _GROUP_LETTERS] for at in groups)


# --- the file -------------------------------------------------------------------------------------


def day_path(folder: Path, gaming_day: str) -> Path:
    """The path of that day's list in a journal's folder."""
    return folder / FOLDER_NAME / f"{gaming_day}{SUFFIX}"


def newest_list(folder: Path, gaming_day: str = "") -> Path:
    """The path of that day's list, or of the newest list. Raises SmallFileError."""
    found = sorted(one.name for one in (folder / FOLDER_NAME).glob(f"*{SUFFIX}"))
    wanted = f"{gaming_day}{SUFFIX}" if gaming_day else next(reversed(found), "")
    if wanted not in found or not wanted:
        days = ", ".join(name.removesuffix(SUFFIX) for name in found[-5:]) or "no day"
        of = f"of {gaming_day}" if gaming_day else "of seals"
        raise SmallFileError(
            f"{folder}: there is no list {of} here; the newest are of {days}. Remedy: name one of"
            " these with --day, and the folder of a journal or of its archive"
        )
    return folder / FOLDER_NAME / wanted


def list_text(day: DayList) -> str:
    """The content of the file: JSON, one field per line."""
    fields = {
        "form": FORM,
        "table": day.table,
        "gaming_day": day.gaming_day,
        "seals": [
            {
                "shoe": one.shoe,
                "digest": one.digest.hex(),
                "first_seq": one.first_seq,
                "last_seq": one.last_seq,
                "until_ns": one.until_ns,
            }
            for one in day.seals
        ],
        "signer": day.signer.hex(),
        "signature": day.signature.hex(),
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


class _SealEntry(Document, frozen=True):
    shoe: Count
    digest: Digest
    first_seq: LongCount
    last_seq: LongCount
    until_ns: LongCount


class _Signer(HexBytes):
    SIZES = range(KEY_BYTES + 1)


class _Signature(HexBytes):
    SIZES = range(SIGNATURE_BYTES + 1)


class _DayFile(Document, frozen=True):
    form: Literal["smartshoe-seals-1"]
    table: str
    gaming_day: str
    seals: tuple[_SealEntry, ...]
    signer: _Signer
    signature: _Signature


def read_day(path: Path) -> DayList:
    """Read a list without checking its signature. Raises SmallFileError."""
    file = load_document(path, _DayFile, _REMEDY)
    seals = tuple(Seal(**plain_fields(one)) for one in file.seals)
    return DayList(file.table, file.gaming_day, seals, bytes(file.signer), bytes(file.signature))


def store_day(folder: Path, day: DayList) -> Path:
    """Write the list, replacing an existing one. Raises SmallFileError."""
    path = day_path(folder, day.gaming_day)
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(_FOLDER_MODE)
            sync_folder(folder)
    except OSError as error:
        raise SmallFileError(
            f"{path}: cannot be written: {error.strerror}. Remedy: make room, and let this account"
            " write into the folder"
        ) from error
    store_text(path, list_text(day), _FILE_MODE)
    return path

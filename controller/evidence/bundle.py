"""The bundle of a coup: one file that proves itself on any machine.

Responsible for: what stands in a bundle, its manifest, and writing it whole or not at all.
Not responsible for: finding the shoe (evidence_files), reading it (evidence_shoe, evidence_coup),
the page (evidence_page) and checking a bundle (journal.verify, which goes with it).
Source: package README, "Evidence bundle"; PKWARE APPNOTE.TXT 6.3 (the ZIP format).

Decisions. Nothing in it is compressed and every time in it is the same, so that equal evidence
gives equal bytes with every version of every library; the sealed file is compressed already.
"""

import contextlib
import errno
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Final

from controller.archive.day_list import day_path, read_day, short_code
from controller.commissioning.shuffle_receipt_file import file_name, shuffle_text
from controller.evidence.coup import CoupAccount, coup_account
from controller.evidence.lookup import FoundShoe, NoSuchCoup, batch_papers
from controller.evidence.page import page, shoe_roads
from controller.evidence.page_sections import Proof
from controller.evidence.sealed_shoe import told_by
from controller.journal.shoe_file import NO_SEAL, ShoeFileError
from controller.profiles.clauses import Clause
from controller.system.atomic_file import SmallFileError, require_new, sync_folder, write_synced
from controller.system.json_document import time_text
from controller.system.keys import PublicKey, fingerprint_text
from controller.tape.entries import BatchBound

FORM: Final = "smartshoe-bundle-1"
COUP_FORM: Final = "smartshoe-coup-1"
MANIFEST: Final = "manifest.json"
PAGE: Final = "index.html"
VERIFIER: Final = "verify.py"
_MODE: Final = 0o640
# The earliest moment that the format can say.
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_README: Final = (
    "Evidence of one coup at a baccarat table; open index.html in any browser to read it.\n"
    "To check it, unpack all of it and run in its folder: python3 verify.py .\n"
    "It needs Python 3 alone; where the package cryptography is there it checks signatures, too.\n"
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a bundle by name, in order; the manifest is one of them."""

    coup: str
    files: tuple[tuple[str, bytes], ...]

    def packed(self) -> bytes:
        """The bundle as one file."""
        out = BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            for name, data in self.files:
                entry = zipfile.ZipInfo(name, _MOMENT)
                entry.create_system = _UNIX
                entry.external_attr = _MODE << 16
                archive.writestr(entry, data)
        return out.getvalue()


def bundle_of(
    found: FoundShoe, coup: int, clauses: Mapping[str, Clause], made_utc_ns: int
) -> Bundle:
    """The bundle of a coup. Raises NoSuchCoup, ShoeFileError, SmallFileError."""
    account = coup_account(told_by(found.file, clauses), coup)
    if account is None:
        raise NoSuchCoup(f"{found.path}: coup {coup} was begun and never came to its end")
    contents = {
        f"shoes/{account.shoe.heading.gaming_day}/{found.path.name}": found.data,
        PAGE: page(account, _proof(found), clauses).encode(),
        VERIFIER: (files("controller.journal") / VERIFIER).read_bytes(),
        "README.txt": _README.encode(),
        "clauses.json": _json(_clauses(account, clauses)),
        "coup.json": _json(coup_plain(account)),
        "roads.json": _json(asdict(shoe_roads(account))),
        **_day_list(found),
        **_receipts(found),
    }
    listed = dict(sorted(contents.items()))
    manifest = {
        "form": FORM,
        "coup": account.name,
        "table": account.shoe.heading.table,
        "made": time_text(made_utc_ns),
        "provisional": False,
        "files": {name: sha256(data).hexdigest() for name, data in listed.items()},
    }
    named = sorted({**listed, MANIFEST: _json(manifest)}.items())
    return Bundle(account.name, tuple(named))


def coup_plain(account: CoupAccount) -> dict[str, object]:
    """Everything the records say about the coup, as it stands in them."""
    return {
        "form": COUP_FORM,
        "coup": account.name,
        "table": account.shoe.heading.table,
        "closed": {"record": account.closed_at.seq, "says": account.closed_at.plain()},
        "irregularities": [raised.irregularity.number for raised in account.raised],
        "decisions": [told.seq for told in account.decisions],
        "happenings": [
            {"record": told.seq, "at": time_text(told.utc_ns), "says": told.plain()}
            for told in account.told
        ],
    }


def _clauses(account: CoupAccount, clauses: Mapping[str, Clause]) -> list[dict[str, str]]:
    """Every clause that the shoe cites, in the order of the catalogue."""
    cited = frozenset(account.shoe.cited())
    return [
        {"id": one.id, "source": one.source, "text": one.text, "check": one.check}
        for one in clauses.values()
        if one.id in cited
    ]


def _proof(found: FoundShoe) -> Proof:
    said = found.file.heading
    signer = ""
    if said.signer:
        key = PublicKey(said.signer)
        if not key.verifies(found.file.signature, found.file.signed_bytes):
            raise ShoeFileError(
                f"{found.path}: its signature is not by the key that it names. Remedy: take the"
                " file from the archive"
            )
        signer = fingerprint_text(key.fingerprint)
    before = "none: it is the first" if said.previous == NO_SEAL else said.previous.hex()
    return Proof(
        file=f"shoes/{said.gaming_day}/{found.path.name}",
        digest=found.file.digest.hex(),
        previous=before,
        signer=signer,
        code=_code(found),
    )


def _code(found: FoundShoe) -> str:
    """The short code of the day's list, where there is one and it names this file."""
    path = day_path(found.folder, found.file.heading.gaming_day)
    if not path.is_file():
        return ""
    day = read_day(path)
    return short_code(day) if any(one.digest == found.file.digest for one in day.seals) else ""


def _day_list(found: FoundShoe) -> dict[str, bytes]:
    path = day_path(found.folder, found.file.heading.gaming_day)
    return {f"{path.parent.name}/{path.name}": path.read_bytes()} if path.is_file() else {}


def _receipts(found: FoundShoe) -> dict[str, bytes]:
    papers = batch_papers(found)
    receipts = {f"receipts/{file_name(one)}": shuffle_text(one).encode() for one in papers.shuffles}
    if papers.bound is not None:
        receipts["receipts/batch.json"] = _json(_bound(papers.bound))
    return receipts


def _bound(bound: BatchBound) -> dict[str, object]:
    """How the table came to know the batch: what its receipt stated, checked when it was bound."""
    return {
        "batch": bound.batch,
        "back": bound.back,
        "decks": bound.decks,
        "cards": bound.cards,
        "manifest_sha256": bound.digest.hex(),
        "maker": bound.maker,
        "operator": bound.operator,
        "signed_by": bound.signed_by,
    }


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


# --- the file -------------------------------------------------------------------------------------


def store_bundle(path: Path, data: bytes) -> None:
    """Write a new file: whole and on the disk, or not at all. Raises SmallFileError."""
    require_new(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write_synced(part, data, _MODE)
        _name(part, path)
        sync_folder(path.parent)
    except OSError as error:
        raise SmallFileError(
            f"{path}: cannot be written: {error.strerror}. Remedy: make its folder, make room, and"
            " let this account write there"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _name(part: Path, path: Path) -> None:
    """Give the finished file its name, where no file has it meanwhile."""
    try:
        path.hardlink_to(part)
    except FileExistsError:
        require_new(path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # A stick has no second names: between the look and the rename somebody could be quicker.
        require_new(path)
        part.rename(path)

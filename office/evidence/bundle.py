"""Builds the evidence bundle of a coup: one ZIP file that can be verified on any machine.

Nothing in it is compressed and every file time is the same, so that equal evidence gives equal
bytes with every version of every library; the sealed file is compressed already.
Source: PKWARE APPNOTE.TXT 6.3 (the ZIP format).
"""

import contextlib
import errno
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from controller.core.tape.entries import BatchBound
from controller.journal.evidence_log.shoe_proof import ShoeProof
from controller.journal.people import PeopleFile, names_in, put_names
from controller.rules.profiles.borrowing import borrowed_by, with_borrowed
from controller.rules.profiles.clauses import Clause
from controller.service.commissioning.shuffle_receipt_file import file_name, shuffle_text
from controller.system.atomic_file import SmallFileError, require_new, sync_folder, write_synced
from controller.system.json_document import time_text
from controller.system.keys import fingerprint_text
from controller.system.messages.catalogue import catalogue_source
from office.evidence.coup import CoupAccount, coup_account
from office.evidence.lookup import (
    FoundShoe,
    LaterActs,
    NoSuchCoup,
    find_batch_receipts,
    find_later_acts,
)
from office.evidence.page import page, shoe_roads
from office.evidence.seal import seal_proof, shoe_proofs, stored_name
from office.evidence.sealed_shoe import read_shoe_account

FORM: Final = "smartshoe-bundle-2"
COUP_FORM: Final = "smartshoe-coup-1"
MANIFEST: Final = "manifest.json"
PAGE: Final = "index.html"
VERIFIER: Final = "verify.py"
# The texts that the page was written with, by the ids that the records hold.
WORDS: Final = "words.po"
# The names of the ids in the bundle, as far as they are not erased; the page has them in place.
PEOPLE: Final = "people.json"
_MODE: Final = 0o640
# The earliest time that the ZIP format can state.
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_README: Final = (
    "Evidence of one coup at a baccarat table; open index.html in any browser to read it.\n"
    "To check it, unpack all files and run in their folder: python3 verify.py .\n"
    "It needs only Python 3; if the package cryptography is installed, it checks signatures, too.\n"
)


class Bundle(Struct, frozen=True):
    """The files of a bundle by name, sorted; the manifest is one of them.

    `provisional`: a correction of the shoe's coups is not sealed yet.
    """

    coup: str
    provisional: bool
    files: tuple[tuple[str, bytes], ...]

    def to_zip(self) -> bytes:
        """The bundle as one ZIP file."""
        out = BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            for name, data in self.files:
                entry = zipfile.ZipInfo(name, _MOMENT)
                entry.create_system = _UNIX
                entry.external_attr = _MODE << 16
                archive.writestr(entry, data)
        return out.getvalue()


def build_bundle(
    found: FoundShoe, coup: int, clauses: Mapping[str, Clause], made_utc_ns: int
) -> Bundle:
    """The bundle of a coup. Raises NoSuchCoup, JournalError, ShoeFileError, SmallFileError."""
    later = find_later_acts(found)
    shoe = replace(read_shoe_account(found.file, clauses), later=later.entries)
    account = coup_account(shoe, coup)
    if account is None:
        raise NoSuchCoup(f"{found.path}: coup {coup} was begun and never ended")
    proofs = shoe_proofs(found, later)
    shown = page(account, seal_proof(found, later, next(iter(proofs.values()))), clauses)
    receipts = _receipts(found)
    texts = (shown, *(data.decode() for data in receipts.values()))
    names = names_in("".join(texts), PeopleFile(found.folder).names())
    contents = {
        f"shoes/{account.shoe.heading.gaming_day}/{found.path.name}": found.data,
        PAGE: put_names(shown, {one: escape(name) for one, name in names.items()}).encode(),
        PEOPLE: _json(names),
        VERIFIER: (files("controller.journal") / VERIFIER).read_bytes(),
        "README.txt": _README.encode(),
        "clauses.json": _json([*_clauses(account, clauses)]),
        "coup.json": _json(coup_json(account)),
        WORDS: catalogue_source(),
        "roads.json": _json(to_builtins(shoe_roads(account.shoe))),
        **_files_of_later_acts(later),
        **_files_of_proofs(proofs),
        **receipts,
    }
    in_order = dict(sorted(contents.items()))
    manifest = {
        "form": FORM,
        "coup": account.name,
        "table": account.shoe.heading.table,
        "made": time_text(made_utc_ns),
        "provisional": later.provisional,
        "files": {name: sha256(data).hexdigest() for name, data in in_order.items()},
    }
    files_by_name = sorted({**in_order, MANIFEST: _json(manifest)}.items())
    return Bundle(account.name, later.provisional, tuple(files_by_name))


def coup_json(account: CoupAccount) -> dict[str, object]:
    """All records of the coup as plain JSON values."""
    plain: dict[str, object] = {
        "form": COUP_FORM,
        "coup": account.name,
        "table": account.shoe.heading.table,
        "closed": {"record": account.closed_at.seq, "says": account.closed_at.plain()},
        "irregularities": [raised.irregularity.number for raised in account.raised],
        "decisions": [one.seq for one in account.decisions],
        "corrected": account.corrected.outcome.value if account.corrected is not None else None,
        "corrections": [one.seq for one in account.corrections],
        "happenings": [
            {"record": one.seq, "at": time_text(one.utc_ns), "says": one.plain()}
            for one in account.entries
        ],
    }
    return with_borrowed(account.shoe.document, plain)


def _clauses(
    account: CoupAccount, clauses: Mapping[str, Clause]
) -> Iterator[dict[str, str | None]]:
    """Every clause that the shoe cites, in the order of the catalogue."""
    cited = frozenset(account.shoe.cited())
    for one in clauses.values():
        if one.id in cited:
            decision = borrowed_by(account.shoe.document, one.id)
            shown = {"id": one.id, "source": one.source, "text": one.text, "check": one.check}
            yield {**shown, "borrowed": decision}


def _files_of_later_acts(later: LaterActs) -> dict[str, bytes]:
    """The sealed files of later shoes up to the last that holds an act about this one."""
    return {stored_name(path): data for path, data in later.files}


def _files_of_proofs(proofs: Mapping[str, ShoeProof]) -> dict[str, bytes]:
    entries = {f"{name}.leaf": proof.leaf.entry for name, proof in proofs.items()}
    return entries | {f"{name}.tlog-proof": proof.text for name, proof in proofs.items()}


def _receipts(found: FoundShoe) -> dict[str, bytes]:
    of_batch = find_batch_receipts(found)
    receipts = {
        f"receipts/{file_name(one)}": shuffle_text(one).encode() for one in of_batch.shuffles
    }
    if of_batch.bound is not None:
        receipts["receipts/batch.json"] = _json(_binding_json(of_batch.bound))
    return receipts


def _binding_json(bound: BatchBound) -> dict[str, object]:
    """What the batch's receipt stated when the batch was bound and the receipt was checked."""
    return {
        "batch": bound.batch,
        "back": bound.back,
        "decks": bound.decks,
        "cards": bound.cards,
        "manifest_sha256": bound.digest.hex(),
        "maker": bound.maker,
        "operator": bound.operator,
        "signed_by": fingerprint_text(bound.signed_by),
    }


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


# --- the file -------------------------------------------------------------------------------------


def store_bundle(path: Path, data: bytes) -> None:
    """Write a new file completely and synced to disk, or not at all. Raises SmallFileError."""
    require_new(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write_synced(part, data, _MODE)
        _link_name(part, path)
        sync_folder(path.parent)
    except OSError as error:
        raise SmallFileError(
            f"{path}: cannot be written: {error.strerror}. Remedy: create its folder, free disk"
            " space, or give this account write permission"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _link_name(part: Path, path: Path) -> None:
    """Give the finished file its name, unless another file has it by now."""
    try:
        path.hardlink_to(part)
    except FileExistsError:
        require_new(path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # This file system has no hard links: a race between check and rename remains possible.
        require_new(path)
        part.rename(path)

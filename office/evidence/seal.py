"""The seal of a shoe as texts: file, digest, key, signed head of the evidence log, short code.

Source: C2SP tlog-proof.
"""

from pathlib import Path

from msgspec import Struct

from controller.archive.signer import seal_holds
from controller.journal.evidence_log.shoe_proof import ShoeProof, shoe_proof
from controller.journal.log_database import LogDatabase
from controller.journal.shoe_file import ShoeFileError, read_shoe
from controller.journal.values import JournalError
from controller.system.keys import PublicKey, fingerprint_text
from office.evidence.lookup import FoundShoe, LaterActs


class SealProof(Struct, frozen=True):
    """The seal of the shoe as texts. `signer` is a key fingerprint, empty if nobody signed.

    `head` is the signed head of the evidence log that includes the shoe, `code` its short code,
    which is that of the gaming day.
    `later` says where corrections and decisions after the shoe's end are proved, empty if there
    are none.
    """

    file: str
    digest: str
    signer: str
    head: str
    code: str
    later: str = ""


def seal_proof(found: FoundShoe, later: LaterActs, proof: ShoeProof) -> SealProof:
    """The seal of that shoe. Raises ShoeFileError: its signature is not of its key."""
    heading = found.file.heading
    signer = ""
    if heading.signer:
        if not seal_holds(found.file):
            raise ShoeFileError(
                f"{found.path}: its signature was not made with the key that it names. Remedy: take"
                " the file from the archive"
            )
        signer = fingerprint_text(PublicKey(heading.signer).fingerprint)
    return SealProof(
        file=f"shoes/{heading.gaming_day}/{found.path.name}",
        digest=found.file.digest.hex(),
        signer=signer,
        head=f"{proof.head.size} of the evidence log, leaf {proof.leaf.number}",
        code=proof.code,
        later=_later_proof(later),
    )


def shoe_proofs(found: FoundShoe, later: LaterActs) -> dict[str, ShoeProof]:
    """The proof in the evidence log of each sealed file, by its name in the bundle's log folder.

    The shoe itself is the first. Raises JournalError: the log does not name it.
    """
    files = [(found.path, found.data), *later.files]
    proofs: dict[str, ShoeProof] = {}
    with LogDatabase.open_read_only(found.folder) as log:
        for path, data in files:
            proof = shoe_proof(log, read_shoe(data).digest)
            if proof is None:
                raise JournalError(
                    f"{log.file}: the evidence log does not name {path} yet. Remedy: ask again when"
                    " the table has said it there, which it does at its next start, too"
                )
            proofs[f"log/{path.parent.name}-{path.stem}"] = proof
    return proofs


def stored_name(path: Path) -> str:
    """The name of a sealed file within a journal or a bundle."""
    return f"shoes/{path.parent.name}/{path.name}"


def _later_proof(later: LaterActs) -> str:
    proofs = []
    if later.holding:
        names = ", ".join(map(stored_name, later.holding))
        files = f"the files {names}" if len(later.holding) > 1 else f"the file {names}"
        proofs.append(f"Corrections and decisions after the shoe's end are in {files}.")
    if later.provisional:
        proofs.append(
            f"{'The last ones' if proofs else 'Corrections and decisions'} after the shoe's end are"
            " not sealed yet, and nothing here proves them: ask for this evidence again when the"
            " next shoe is sealed."
        )
    return " ".join(proofs)

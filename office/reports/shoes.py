"""Reads a sealed shoe with everything a report says of it: coups, seal, corrections, receipts."""

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from controller.rules.profiles.clauses import Clause
from office.evidence.coup import CoupAccount, coup_account
from office.evidence.lookup import (
    BatchReceipts,
    FoundShoe,
    LaterActs,
    find_batch_receipts,
    find_later_acts,
)
from office.evidence.seal import SealProof, seal_proof, shoe_proofs
from office.evidence.sealed_shoe import ShoeAccount, read_shoe_account


class ReportedShoe(Struct, frozen=True, dict=True):
    """A sealed shoe. `coups` are its finished coups by number; `later` holds what people corrected
    or decided about it after its end.
    """

    found: FoundShoe
    shoe: ShoeAccount
    coups: tuple[CoupAccount, ...]
    later: LaterActs
    seal: SealProof
    receipts: BatchReceipts

    @cached_property
    def coup_of_irregularity(self) -> dict[int, CoupAccount]:
        """The coup of each irregularity that has one, by the irregularity's number."""
        return {raised.irregularity.number: coup for coup in self.coups for raised in coup.raised}


def read_reported_shoe(found: FoundShoe, clauses: Mapping[str, Clause]) -> ReportedShoe:
    """The whole shoe. Raises JournalError, ShoeFileError."""
    later = find_later_acts(found)
    shoe = replace(read_shoe_account(found.file, clauses), later=later.entries)
    numbers = sorted({closed.record.coup for closed in shoe.coups})
    proofs = shoe_proofs(found, later)
    return ReportedShoe(
        found=found,
        shoe=shoe,
        coups=tuple(coup for one in numbers if (coup := coup_account(shoe, one)) is not None),
        later=later,
        seal=seal_proof(found, later, next(iter(proofs.values()))),
        receipts=find_batch_receipts(found),
    )

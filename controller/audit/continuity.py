"""Two sealed files that follow each other: do they agree where they meet?

Responsible for: the link of seals, the numbers of records, the chain, day and number of the shoes,
the turn of the batches, and the state one leaves to the other.
Not responsible for: what stands inside one of them.
Source: controller/journal/README.md, "Shoe file", "Base"; NY-a-4-iv-b, D-20.
"""

from collections.abc import Iterator

from controller.audit.findings import LivePart, Said, Sealed, Weight
from controller.journal.shoe_file import NO_SEAL


def disagreements(before: Sealed, after: Sealed) -> Iterator[Said]:
    """What does not agree, told of the later one."""
    if after.table != before.table:
        yield _said(after, f"the shoe before it is of table {before.table}")
    gap = after.first_seq - before.last_seq - 1
    if gap > 0:
        words = f"records {before.last_seq + 1} to {after.first_seq - 1} before it are not here"
        yield _said(after, f"{words}: a sealed file is missing")
        return
    if gap < 0:
        yield _said(after, f"its records begin before those of {before.file} end")
        return
    if after.previous != before.digest:
        yield _said(after, f"it does not name the seal before it, {before.digest.hex()}")
    if after.chain_before != before.chain_after:
        yield _said(after, f"its chain does not go on from that of {before.file}")
    yield from _order(before, after)
    turns = after.turns
    same = after.back and after.back == before.back and before.coups > 0
    if turns is not None and same and after.clean:
        words = f"its batch, {after.back}, is that of the shoe before it, and two take turns"
        yield _said(after, words, turns)
    if before.state_after and after.state_before and before.state_after != after.state_before:
        yield _said(after, "the state it begins with is not the one the shoe before it ends with")


def _order(before: Sealed, after: Sealed) -> Iterator[Said]:
    was, now = before.gaming_day, after.gaming_day
    if now < was:
        yield _said(after, f"its gaming day is before {was}, that of the shoe before it")
        return
    due = before.shoe + 1 if now == was else 1
    if after.shoe != due:
        yield _said(after, f"it is number {after.shoe} of its gaming day; due was {due}")


def begins(first: Sealed) -> Iterator[Said]:
    """What is to be known of the first file that is here."""
    if first.previous != NO_SEAL:
        words = f"the sealed files before it are not here; its seal names {first.previous.hex()}"
        yield Said(Weight.NOTE, first.file, first.table, first.gaming_day, first.shoe, 0, words)
    elif first.first_seq != 1:
        yield _said(first, f"it names no seal before it and begins with record {first.first_seq}")


def open_part(before: Sealed, live: LivePart) -> Iterator[Said]:
    """Whether the open part of a journal goes on where its last sealed file ends."""
    agrees = (live.seq, live.chain, live.seal) == (
        before.last_seq,
        before.chain_after,
        before.digest,
    )
    if agrees:
        return
    weight, words = Weight.FINDING, f"its open part does not go on where {before.file} ends"
    if (live.seq, live.chain, live.seal) == (
        before.first_seq - 1,
        before.chain_before,
        before.previous,
    ):
        words = f"it still holds the records of {before.file}; the next start takes them out"
        weight = Weight.NOTE
    yield Said(weight, live.file, before.table, "", 0, 0, words)


def _said(sealed: Sealed, words: str, clauses: tuple[str, ...] = ()) -> Said:
    day, shoe = sealed.gaming_day, sealed.shoe
    return Said(Weight.FINDING, sealed.file, sealed.table, day, shoe, 0, words, clauses)

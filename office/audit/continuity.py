"""Checks that two consecutive sealed files agree where they meet, and the open part after the last.

Compares seals, record numbers, chain, day and number of the shoes, the alternation of batches, and
the state that one leaves to the next.
Source: NY-a-4-iv-b, D-20.
"""

from collections.abc import Iterator

from controller.journal.encoding import GENESIS
from controller.procedure.opening.gaming_day import SHOES_A_DAY
from office.audit.findings import AuditMessage, LivePart, ShoeLink, Weight


def disagreements(before: ShoeLink, after: ShoeLink) -> Iterator[AuditMessage]:
    """What does not agree between two consecutive files, reported for the later one."""
    if after.table != before.table:
        yield _finding(after, f"the shoe before it is of table {before.table}")
    gap = after.first_seq - before.last_seq - 1
    if gap > 0:
        words = f"records {before.last_seq + 1} to {after.first_seq - 1} before it are not here"
        yield _finding(after, f"{words}: a sealed file is missing")
        return
    if gap < 0:
        yield _finding(after, f"its records begin before the end of {before.file}")
        return
    if after.chain_before != before.chain_after:
        yield _finding(after, f"its chain does not continue that of {before.file}")
    yield from _check_shoe_number(before, after)
    clauses = after.alternation
    same = after.back and after.back == before.back and before.coups > 0
    if clauses is not None and same and after.clean:
        words = f"its batch, {after.back}, is that of the shoe before it, but two batches alternate"
        yield _finding(after, words, clauses)
    if before.state_after and after.state_before and before.state_after != after.state_before:
        yield _finding(after, "the state before it is not the state after the previous shoe")


def _check_shoe_number(before: ShoeLink, after: ShoeLink) -> Iterator[AuditMessage]:
    was, now = before.gaming_day, after.gaming_day
    # Where a person put the day back, its shoes begin at 1001, the next time at 2001.
    first = after.shoe // SHOES_A_DAY * SHOES_A_DAY + 1
    if now < was and first == 1:
        yield _finding(after, f"its gaming day is before {was}, that of the shoe before it")
        return
    due = before.shoe + 1 if now == was else first
    if after.shoe != due:
        yield _finding(after, f"it is shoe {after.shoe} of its gaming day; due was {due}")


def check_first_shoe(first: ShoeLink) -> Iterator[AuditMessage]:
    """Messages on the first file that is here."""
    if first.first_seq > 1:
        words = f"the sealed files of records 1 to {first.first_seq - 1} are not here"
        yield AuditMessage(
            Weight.NOTE, first.file, first.table, first.gaming_day, first.shoe, 0, words
        )
    elif first.chain_before != GENESIS:
        yield _finding(first, "it begins with record 1, but its chain continues another")


def check_open_part(before: ShoeLink, live: LivePart) -> Iterator[AuditMessage]:
    """Check that the open part of a journal begins where its last sealed file ends."""
    agrees = (live.seq, live.chain, live.seal) == (
        before.last_seq,
        before.chain_after,
        before.digest,
    )
    if agrees:
        return
    weight, words = Weight.FINDING, f"its open part does not begin where {before.file} ends"
    if (live.seq, live.chain) == (before.first_seq - 1, before.chain_before):
        words = f"it still holds the records of {before.file}; the next start removes them"
        weight = Weight.NOTE
    yield AuditMessage(weight, live.file, before.table, "", 0, 0, words)


def _finding(sealed: ShoeLink, words: str, clauses: tuple[str, ...] = ()) -> AuditMessage:
    return AuditMessage(
        Weight.FINDING,
        sealed.file,
        sealed.table,
        sealed.gaming_day,
        sealed.shoe,
        0,
        words,
        clauses,
        sealed.document,
    )

"""The audit of sealed shoes, one after the other: digest, signature, terms, screen, replay.

Responsible for: everything that can be said of one sealed file alone, quickly where nothing
happened in its shoe, and from its records where something did, where its rows do not decide or are
not right, or where all are wanted.
Not responsible for: neighbours (neighbours), which files there are (walk) and other processes
(crew).
Source: package README, "Audit"; controller/journal/README.md, "Shoe file".
"""

import os
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from controller.audit.finding_text import Fault
from controller.audit.findings import Said, Sealed, Tally, Weight
from controller.audit.screen import screen
from controller.audit.signatures import SignedDay, signature_words
from controller.audit.terms import Terms, TermsUnread, terms_of
from controller.journal.card_row_format import ROLE_AT, RowRole
from controller.journal.shoe_file import ROW_BYTES, ShoeFile, ShoeFileError, read_shoe
from controller.journal.values import JournalError
from controller.profiles.rule_points import RulePoint

if TYPE_CHECKING:
    from controller.audit.replay_check import Told

_RUNS_KEPT: Final = 256
# A first part is a run's settings, a second one a state: some ten kilobytes each.
_LEAD_BYTES_MAX: Final = 1 << 22
_CUT: Final = bytes((RowRole.CUT_CARD,))


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What is asked. `keys`: public keys to trust; none: whoever a file names.

    `deep`: every shoe is told again.
    """

    keys: tuple[bytes, ...] = ()
    deep: bool = False


@dataclass(frozen=True, slots=True)
class ShoeReport:
    """One sealed file: what its neighbours must agree with, its tally, and what was found."""

    sealed: Sealed
    tally: Tally
    said: tuple[Said, ...]


class ShoeAudit:
    """Audits files of one process. It remembers the terms of runs, which many shoes share."""

    def __init__(self, settings: AuditSettings) -> None:
        self._settings = settings
        self._terms: OrderedDict[tuple[str, int], Terms] = OrderedDict()

    def audit(self, path: str, journal: str, day: SignedDay) -> ShoeReport:
        """Audit one file of the journal of that name. Raises ShoeFileError, OSError."""
        shoe = read_shoe(_content(path))
        heading = shoe.heading
        findings = [Fault(0, words, ()) for words in self._signed(shoe, day)]
        notes: list[Fault] = []
        terms: Terms | None = None
        # What is not clean is told by its records alone: rules may have changed on the way.
        decided = heading.clean and not heading.irregularities
        try:
            terms = self._terms_of(shoe, journal)
            if decided:
                screened = screen(shoe.rows, terms)
                findings += (*screened.faults, *_said_wrong(shoe, terms))
                decided = not screened.unclear
        except TermsUnread:
            decided = False
        sealed = _sealed(path, shoe, terms)
        told = None
        if self._settings.deep or findings or not decided:
            told = _told_again(shoe)
            findings += [Fault(0, words, ()) for words in told.different]
            notes += [Fault(0, words, ()) for words in _noted(told)]
            sealed = replace(sealed, state_before=told.state_before, state_after=told.state_after)
        said = (
            *_all_said(Weight.FINDING, sealed, findings),
            *_all_said(Weight.NOTE, sealed, notes),
        )
        return ShoeReport(sealed, _tally(sealed, shoe, told, len(findings)), said)

    def _signed(self, shoe: ShoeFile, day: SignedDay) -> Iterator[str]:
        own_too = self._settings.deep
        return signature_words(shoe, day, self._settings.keys, own_too=own_too)

    def _terms_of(self, shoe: ShoeFile, journal: str) -> Terms:
        """The terms of the run that opened the shoe: read once a run of a journal."""
        place = (journal, shoe.heading.opened_seq)
        known = self._terms.get(place)
        if known is None:
            known = self._terms[place] = terms_of(_opening_run(shoe))
            if len(self._terms) > _RUNS_KEPT:
                self._terms.popitem(last=False)
        return known


def _content(path: str) -> bytes:
    """The whole file, read at once: a file object costs as much as the reading."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        data = os.read(descriptor, size)
        # A system may give less than was asked for.
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
    finally:
        os.close(descriptor)
    return data


def _opening_run(shoe: ShoeFile) -> bytes:
    """The record that began the run in which the shoe was opened, without unpacking all."""
    heading = shoe.heading
    if heading.opened_seq == heading.started_seq:
        return _leading_parts(shoe, 1)[0]
    at = heading.opened_seq - heading.first_seq
    if at == 0:
        return _leading_parts(shoe, 3)[2]
    records = shoe.parts().records
    if not 0 <= at < len(records):
        raise ShoeFileError(f"it names record {heading.opened_seq} for its run, which it has not")
    return records[at]


def _leading_parts(shoe: ShoeFile, count: int) -> tuple[bytes, ...]:
    """The first parts of the packed ones."""
    unpacking = zlib.decompressobj()
    plain, parts, at, packed = b"", [], 0, shoe.packed
    try:
        for _ in range(count):
            for wanted in (4, 0):
                wanted = wanted or int.from_bytes(plain[at - 4 : at], "big")
                if wanted > _LEAD_BYTES_MAX:
                    raise ShoeFileError("a part of it is longer than any settings or state")
                while len(plain) < at + wanted:
                    more = unpacking.decompress(packed, at + wanted - len(plain))
                    packed = unpacking.unconsumed_tail
                    if not more:
                        raise ShoeFileError("its records end before they begin")
                    plain += more
                at += wanted
            parts.append(plain[at - wanted : at])
    except zlib.error as error:
        raise ShoeFileError(f"its records cannot be unpacked: {error}") from error
    return tuple(parts)


def _said_wrong(shoe: ShoeFile, terms: Terms) -> Iterator[Fault]:
    """Where the heading is not what rows and terms say."""
    heading = shoe.heading
    if heading.decks != terms.decks:
        words = f"its heading says {heading.decks} decks, the table's settings {terms.decks}"
        yield Fault(0, words, terms.clauses(RulePoint.DECKS_COUNT))
    begun = shoe.rows[ROLE_AT::ROW_BYTES].count(RowRole.PLAYER_1)
    if begun != heading.coups:
        yield Fault(0, f"its heading says {heading.coups} coups, its rows {begun}", ())


def _told_again(shoe: ShoeFile) -> "Told":
    # Most shoes are never told again: the program's core is loaded for the first that is.
    from controller.audit.replay_check import Told, tell_shoe  # noqa: PLC0415

    try:
        return tell_shoe(shoe)
    except JournalError as error:
        return Told(different=(str(error),))


def _noted(told: "Told") -> Iterator[str]:
    if told.untold:
        yield f"not told again: {told.untold}"
    for words in told.otherwise:
        yield f"of another version: {words}"


def _sealed(file: str, shoe: ShoeFile, terms: Terms | None) -> Sealed:
    said = shoe.heading
    return Sealed(
        file=file,
        table=said.table,
        gaming_day=said.gaming_day,
        shoe=said.shoe,
        digest=shoe.digest,
        previous=said.previous,
        first_seq=said.first_seq,
        last_seq=said.last_seq,
        chain_before=said.chain_before,
        chain_after=said.chain_after,
        clean=said.clean,
        coups=said.coups,
        back=said.back,
        turns=terms.turns if terms is not None else None,
    )


def _tally(sealed: Sealed, shoe: ShoeFile, told: "Told | None", findings: int) -> Tally:
    rows = len(shoe.rows) // ROW_BYTES
    return Tally(
        sealed.table,
        sealed.gaming_day,
        shoes=1,
        coups=sealed.coups,
        cards=rows - shoe.rows[ROLE_AT::ROW_BYTES].count(_CUT),
        clean=int(told is None and not findings),
        replayed=int(told is not None and not told.untold),
        untold=int(told is not None and bool(told.untold)),
        findings=findings,
    )


def _all_said(weight: Weight, sealed: Sealed, faults: list[Fault]) -> Iterator[Said]:
    for one in faults:
        yield Said(
            weight,
            sealed.file,
            sealed.table,
            sealed.gaming_day,
            sealed.shoe,
            one.coup,
            one.words,
            one.clauses,
        )

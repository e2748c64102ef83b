"""Audits one sealed shoe: digest, signature, rules in force, screen of rows, replay if needed.

Source: RFC 8032 (signature).
"""

import errno
import os
import stat
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from controller.journal.card_row_format import ROLE_AT, RowRole
from controller.journal.shoe_file import ROW_BYTES, ShoeFile, ShoeFileError, read_shoe
from controller.journal.values import JournalError
from controller.rules.profiles.rule_points import RulePoint
from office.audit.findings import AuditCounts, AuditMessage, ShoeLink, Weight
from office.audit.screen import Discrepancy, screen
from office.audit.shoe_rules import RulesUnreadable, ShoeRules, rules_of_run

if TYPE_CHECKING:
    from office.audit.advisories import ShoeAdvisories
    from office.audit.replay_check import ReplayComparison
from controller.archive.signer import seal_holds
from controller.journal.shoe_file import UNSIGNED

_RUNS_CACHED: Final = 256
# The first packed part is a run's settings, the second a state: some ten kilobytes each.
_LEAD_BYTES_MAX: Final = 1 << 22
_CUT: Final = bytes((RowRole.CUT_CARD,))


class AuditSettings(Struct, frozen=True):
    """Options of an audit. `keys`: public keys to trust; none: the key that a file names.

    `deep`: replay every shoe.
    """

    keys: tuple[bytes, ...] = ()
    deep: bool = False


class ShoeReport(Struct, frozen=True):
    """The result of one sealed file: its link to neighbours, its counts, and the messages."""

    sealed: ShoeLink
    tally: AuditCounts
    messages: tuple[AuditMessage, ...]


class ShoeAudit:
    """Audits files in one process. It caches the rules of runs, which many shoes share."""

    def __init__(self, settings: AuditSettings) -> None:
        self._settings = settings
        self._rules: OrderedDict[tuple[str, int], ShoeRules] = OrderedDict()

    def audit(self, path: str, journal: str) -> ShoeReport:
        """Audit one file of the journal of that name. Raises ShoeFileError, OSError."""
        shoe = read_shoe(_read_bytes(path))
        heading = shoe.heading
        signature = _signature_problems(shoe, self._settings.keys)
        findings = [Discrepancy(0, words, ()) for words in signature]
        notes: list[Discrepancy] = []
        rules: ShoeRules | None = None
        # A shoe that is not clean is decided by its records: settings may have changed during it.
        decided = heading.clean and not heading.irregularities
        try:
            rules = self._rules_of(shoe, journal)
            if decided:
                screened = screen(shoe.rows, rules)
                findings += (*screened.discrepancies, *_check_heading(shoe, rules))
                decided = not screened.unclear
        except RulesUnreadable:
            decided = False
        sealed = _shoe_link(path, shoe, rules)
        replayed = None
        if self._settings.deep or findings or not decided:
            replayed = _replay(shoe)
            findings += [Discrepancy(0, words, ()) for words in replayed.different]
            notes += [Discrepancy(0, words, ()) for words in _replay_notes(replayed)]
            sealed = replace(
                sealed, state_before=replayed.state_before, state_after=replayed.state_after
            )
        messages = (
            *_messages(Weight.FINDING, sealed, findings),
            *_messages(Weight.NOTE, sealed, notes),
        )
        return ShoeReport(sealed, _counts(sealed, shoe, replayed, len(findings)), messages)

    def monitored(
        self, path: str, journal: str, monitors: "ShoeAdvisories"
    ) -> tuple[AuditMessage, ...]:
        """What the monitors, which have seen the shoes before it, note of one file.

        Nothing of one that cannot be read or whose rules cannot: its audit says so.
        """
        try:
            shoe = read_shoe(_read_bytes(path))
            rules = self._rules_of(shoe, journal)
        except (JournalError, OSError, RulesUnreadable):
            return ()
        said = [Discrepancy(0, words, ()) for words in monitors.of(shoe, endless=rules.continuous)]
        return tuple(_messages(Weight.NOTE, _shoe_link(path, shoe, rules), said))

    def _rules_of(self, shoe: ShoeFile, journal: str) -> ShoeRules:
        """The rules of the run that opened the shoe, read once per run of a journal."""
        run = (journal, shoe.heading.opened_seq)
        known = self._rules.get(run)
        if known is None:
            known = self._rules[run] = rules_of_run(_opening_run(shoe))
            if len(self._rules) > _RUNS_CACHED:
                self._rules.popitem(last=False)
        return known


def _read_bytes(path: str) -> bytes:
    """The whole file, read without a file object, which would cost as much as the reading."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        size = status.st_size
        data = os.read(descriptor, size)
        # A read may return fewer bytes than requested.
        while len(data) < size and (more := os.read(descriptor, size - len(data))):
            data += more
    finally:
        os.close(descriptor)
    return data


def _opening_run(shoe: ShoeFile) -> bytes:
    """The record that began the run in which the shoe was opened; unpacks as little as possible."""
    heading = shoe.heading
    if heading.opened_seq == heading.started_seq:
        return _leading_parts(shoe, 1)[0]
    at = heading.opened_seq - heading.first_seq
    if at == 0:
        return _leading_parts(shoe, 3)[2]
    records = shoe.parts().records
    if not 0 <= at < len(records):
        raise ShoeFileError(f"record {heading.opened_seq}, named as its run, is not in it")
    return records[at]


def _leading_parts(shoe: ShoeFile, count: int) -> tuple[bytes, ...]:
    """The first `count` packed parts."""
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


def _check_heading(shoe: ShoeFile, rules: ShoeRules) -> Iterator[Discrepancy]:
    """Compare the heading with rows and rules."""
    heading = shoe.heading
    if heading.decks != rules.decks:
        words = f"decks: {heading.decks} in its heading, {rules.decks} in the table's settings"
        yield Discrepancy(0, words, rules.clauses(RulePoint.DECKS_COUNT))
    begun = shoe.rows[ROLE_AT::ROW_BYTES].count(RowRole.PLAYER_1)
    if begun != heading.coups:
        words = f"coups: {heading.coups} in its heading, {begun} in its rows"
        yield Discrepancy(0, words, ())


def _replay(shoe: ShoeFile) -> "ReplayComparison":
    # Most shoes are never replayed: the program's core is loaded for the first that is.
    from office.audit.replay_check import ReplayComparison, replay_shoe  # noqa: PLC0415

    try:
        return replay_shoe(shoe)
    except JournalError as error:
        return ReplayComparison(different=(str(error),))


def _replay_notes(replayed: "ReplayComparison") -> Iterator[str]:
    if replayed.not_replayed:
        yield f"not replayed: {replayed.not_replayed}"
    for words in replayed.other_version:
        yield f"of another version: {words}"


def _shoe_link(file: str, shoe: ShoeFile, rules: ShoeRules | None) -> ShoeLink:
    heading = shoe.heading
    return ShoeLink(
        file=file,
        table=heading.table,
        gaming_day=heading.gaming_day,
        shoe=heading.shoe,
        digest=shoe.digest,
        first_seq=heading.first_seq,
        last_seq=heading.last_seq,
        chain_before=heading.chain_before,
        chain_after=heading.chain_after,
        clean=heading.clean,
        coups=heading.coups,
        back=heading.back,
        alternation=rules.alternation if rules is not None else None,
        document=rules.profile.own_clauses if rules is not None else "",
    )


def _counts(
    sealed: ShoeLink, shoe: ShoeFile, replayed: "ReplayComparison | None", findings: int
) -> AuditCounts:
    rows = len(shoe.rows) // ROW_BYTES
    return AuditCounts(
        sealed.table,
        sealed.gaming_day,
        shoes=1,
        coups=sealed.coups,
        cards=rows - shoe.rows[ROLE_AT::ROW_BYTES].count(_CUT),
        clean=int(replayed is None and not findings),
        replayed=int(replayed is not None and not replayed.not_replayed),
        untold=int(replayed is not None and bool(replayed.not_replayed)),
        findings=findings,
    )


def _messages(
    weight: Weight, sealed: ShoeLink, discrepancies: list[Discrepancy]
) -> Iterator[AuditMessage]:
    for one in discrepancies:
        yield AuditMessage(
            weight,
            sealed.file,
            sealed.table,
            sealed.gaming_day,
            sealed.shoe,
            one.coup,
            one.words,
            one.clauses,
            sealed.document,
        )


def _signature_problems(shoe: ShoeFile, keys: tuple[bytes, ...]) -> Iterator[str]:
    """What is wrong with this shoe's signature. `keys`: keys to trust; none: the key it names."""
    signer = shoe.heading.signer
    if not signer:
        if keys:
            yield "it is not signed"
        if shoe.signature != UNSIGNED:
            yield "it has a signature but names no key"
        return
    if keys and signer not in keys:
        yield f"it is signed with key {signer.hex()}, which is not trusted"
    if not seal_holds(shoe):
        yield "its signature is not valid"

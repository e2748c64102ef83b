"""The evidence log of a table: adds leaves, and signs each head with a key that is erased after it.

The keys of the next two heads are durable. A step is: leaf and head are stored together, then the
key after the next is written over the used one. What a crash left of a step is finished when the
log is opened.
Source: C2SP signed-note, tlog-checkpoint.
"""

import contextlib
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

from msgspec.structs import replace

from controller.journal.encoding import EncodingError
from controller.journal.evidence_log.checkpoint import TreeHead, parse_checkpoint
from controller.journal.evidence_log.head_keys import HeadKeys, HeadKeysMissing
from controller.journal.evidence_log.leaf import LEAVES, MARKED, Leaf, LeafKind, beginnings_of
from controller.journal.evidence_log.note import (
    NoteError,
    SignatureLine,
    SignedNote,
    parse_note,
    sign_line,
    table_key,
)
from controller.journal.evidence_log.tiles import StoredTree, tile_roots_of
from controller.journal.evidence_log.tree import leaf_hash
from controller.journal.log_database import TILES_NAME, LogDatabase
from controller.journal.values import JournalError
from controller.system.keys import TableKey


class LogRefused(JournalError):
    """The log cannot be continued; the message says why and what to do."""


class EvidenceLog:
    """The log of one table. To be used by one thread at a time.

    Methods raise JournalError and OSError; then nothing was added, and the call may be repeated.
    """

    def __init__(
        self, origin: str, database: LogDatabase, keys: HeadKeys, tree: StoredTree
    ) -> None:
        """Use `open` or `begin`."""
        self.origin = origin
        self.database = database
        self._keys = keys
        self._used = 0
        self.tree = tree

    @classmethod
    def begin(cls, folder: Path, origin: str, first: Leaf) -> "EvidenceLog":
        """Make a new log with its first leaf, whose head nobody has signed yet."""
        database = LogDatabase.open(folder, create=True)
        assert not database.size, "there is no log here yet"
        try:
            keys = HeadKeys(folder, create=True)
            log = cls(origin, database, keys, StoredTree(database.entries))
            log.add(first)
        except BaseException:
            database.close()
            raise
        return log

    @classmethod
    def open(cls, folder: Path, origin: str) -> "EvidenceLog":
        """Open a log and finish what a crash left of its last step; one of format 1 goes on as 2.

        Raises LogRefused.
        """
        database = LogDatabase.open(folder, create=False)
        try:
            head = _newest_head(database)
            log = cls(origin, database, HeadKeys(folder), tree_of(database, head))
            log._finish_step(head)
            if not database.is_marked:
                marks = leaves_of_kinds(database, *sorted(MARKED))
                database.go_on_as_newest([(number, leaf.kind.value) for number, leaf in marks])
        except HeadKeysMissing as error:
            database.close()
            raise _cannot_sign(database, str(error)) from error
        except BaseException:
            database.close()
            raise
        return log

    def close(self) -> None:
        self.database.close()
        self._keys.close()

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self.tree.frontier.size

    @property
    def head(self) -> TreeHead:
        """The newest head."""
        return TreeHead(self.origin, self.size, self.tree.frontier.root)

    def add(self, leaf: Leaf) -> TreeHead:
        """Add a leaf; the head after it is durable on return, and its key erased."""
        self._replace_used()
        size = self.size + 1
        next_key = self._keys.key(size + 1)
        if next_key is None:
            raise _cannot_sign(self.database, "the one after it is not in its place")
        entry = LEAVES.encode(replace(leaf, next_key=next_key.public.raw))
        hashed = leaf_hash(entry)
        head = TreeHead(self.origin, size, self.tree.frontier.with_leaf(hashed).root)
        # The first head has no key of its own: the table's key signs it.
        signer = self._keys.key(size) if size > 1 else None
        if size > 1 and signer is None:
            raise _cannot_sign(self.database, "it is not in its place")
        note = SignedNote(head.text(), tuple(self._lines(head, signer)))
        mark = leaf.kind.value if leaf.kind in MARKED else ""
        self.database.append(size - 1, entry, note.to_bytes(), mark)
        self.tree.add(hashed)
        self._used = size
        # The leaf is stored: what fails here is done before the next one.
        with contextlib.suppress(OSError):
            self._replace_used()
        return head

    def _replace_used(self) -> None:
        if self._used:
            self._keys.replace(self._used)
            self._used = 0

    def _lines(self, head: TreeHead, signer: TableKey | None) -> list[SignatureLine]:
        if signer is None:
            return []
        key = table_key(self.origin, signer.public)
        return [sign_line(key, head.text(), signer.sign)]

    def add_signatures(self, size: int, lines: Sequence[SignatureLine]) -> None:
        """Add further signatures to the head of that size; one of the same key is replaced."""
        note = self.note(size)
        named = {(line.name, line.key_id) for line in lines}
        others = (one for one in note.signatures if (one.name, one.key_id) not in named)
        signed = replace(note, signatures=(*others, *lines))
        self.database.set_note(size, signed.to_bytes())

    def note(self, size: int) -> SignedNote:
        """The signed head of that size."""
        return stored_note(self.database, size)

    def newest(self) -> Leaf:
        """The newest leaf."""
        return next(leaves_newest_first(self.database))

    def _finish_step(self, stored: TreeHead) -> None:
        size = self.size
        if stored.origin != self.origin:
            raise LogRefused(
                f"{self.database.file}: this is the log of table {stored.origin}, and the"
                f" configuration names {self.origin}. Allowed: one table for each journal. Remedy:"
                " put table.name back, or name another folder"
            )
        if stored != self.head:
            raise LogRefused(
                f"{self.database.file}: its leaves do not lead to its newest head: they were"
                f" changed. {REMEDY}"
            )
        signer = self._keys.key(size + 1)
        if signer is None or signer.public.raw != self.newest().next_key:
            raise _cannot_sign(self.database, f"{self._keys.path.name} does not hold it")
        # The used key may be there yet, or half of the one after the next, which no leaf has named.
        if self._keys.key(size + 2) is None:
            self._keys.replace(size)


REMEDY = (
    "Remedy: keep it as evidence, and run `smartshoe verify` on a copy; a named person begins a new"
    " log with `smartshoe journal begin-log`, and every later verification says so"
)


def _cannot_sign(database: LogDatabase, why: str) -> LogRefused:
    return LogRefused(
        f"{database.file}: the key that signs the next head is not here: {why}. {REMEDY}"
    )


def stored_note(database: LogDatabase, size: int) -> SignedNote:
    """The signed head of that size. Raises LogRefused."""
    try:
        return parse_note(database.note(size) or b"", unsigned=True)
    except NoteError as error:
        raise LogRefused(f"{database.file}: head {size}: {error}. {REMEDY}") from error


def _newest_head(database: LogDatabase) -> TreeHead:
    if not database.size:
        raise LogRefused(f"{database.file}: it is empty. {REMEDY}")
    return read_head(database, database.size)[0]


def read_head(database: LogDatabase, size: int) -> tuple[TreeHead, SignedNote]:
    """The head of that size with its signatures. Raises LogRefused."""
    note = stored_note(database, size)
    try:
        return parse_checkpoint(note.text), note
    except NoteError as error:
        raise LogRefused(f"{database.file}: head {size}: {error}. {REMEDY}") from error


def tree_of(database: LogDatabase, head: TreeHead) -> StoredTree:
    """The tree of all leaves, by the tiles that were written where they lead to that head.

    They may be damaged, or another log's: then by the leaves alone. Raises JournalError.
    """
    roots = tile_roots_of(database.file.with_name(TILES_NAME))
    tree = StoredTree(database.entries, roots)
    if roots and (tree.frontier.size < head.size or tree.root(0, head.size) != head.root):
        return StoredTree(database.entries)
    return tree


def leaves_newest_first(database: LogDatabase) -> Iterator[Leaf]:
    """What the leaves say, the newest first. Raises LogRefused, JournalError."""
    return (_leaf(database, entry) for entry in database.newest_first())


def leaves_of_kinds(database: LogDatabase, *kinds: LeafKind) -> Iterator[tuple[int, Leaf]]:
    """Number and leaf of those kinds, of MARKED, in order. Raises LogRefused, JournalError."""
    assert MARKED.issuperset(kinds), "these leaves are looked for"
    if database.is_marked:
        found = database.marked(*(one.value for one in kinds))
    else:
        found = database.entries_beginning(*(one for kind in kinds for one in beginnings_of(kind)))
    return ((number, _leaf(database, entry)) for number, entry in found)


def seals_named_since(database: LogDatabase, seq: int) -> frozenset[bytes]:
    """The seals of the sealed shoes whose leaves speak of that record or a later one.

    Of a log that is open for adding leaves. Raises LogRefused, JournalError.
    """
    found = database.marked(LeafKind.SHOE.value, newest_first=True)
    leaves = (_leaf(database, entry) for _, entry in found)
    return frozenset(leaf.seal for leaf in takewhile(lambda leaf: leaf.seq >= seq, leaves))


def _leaf(database: LogDatabase, entry: bytes) -> Leaf:
    try:
        return LEAVES.decode(entry)
    except EncodingError as error:
        raise LogRefused(f"{database.file}: a leaf: {error}. {REMEDY}") from error

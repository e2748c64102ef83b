"""A checkpoint: the head of a log as the text of a signed note.

Source: C2SP tlog-checkpoint.
"""

import base64
import binascii
import re
from hashlib import sha256
from typing import Final

from msgspec import Struct

from controller.journal.evidence_log.note import NoteError, is_key_name
from controller.journal.evidence_log.tree import HASH_BYTES

_CODE_LETTERS: Final = 20
_GROUP_LETTERS: Final = 5
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)


class TreeHead(Struct, frozen=True):
    """The size and root of the log of that origin; a size fits into 63 bits."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The text that is signed; nothing else of ours goes there."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def short_code(head: TreeHead) -> str:
    """Twenty letters and digits derived from a head, for people to read out and note."""
    letters = base64.b32encode(sha256(head.text().encode()).digest()).decode()[:_CODE_LETTERS]
    groups = range(0, _CODE_LETTERS, _GROUP_LETTERS)
    return "-".join(letters[at : at + _GROUP_LETTERS] for at in groups)


def parse_checkpoint(text: str) -> TreeHead:
    """The checkpoint in a note's text; further lines are passed over. Raises NoteError."""
    lines = text.split("\n")
    if len(lines) < 4:
        raise NoteError("a checkpoint has the lines origin, size and root")
    origin, size, root = lines[:3]
    if not is_key_name(origin):
        raise NoteError("the origin of a checkpoint has no spaces and no plus")
    if not _SIZE.fullmatch(size) or int(size) >= 1 << 63:
        raise NoteError("the size of a checkpoint is a decimal number below 2**63")
    try:
        decoded = base64.b64decode(root, validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if len(decoded) != HASH_BYTES or base64.b64encode(decoded).decode() != root:
        raise NoteError(f"the root of a checkpoint is {HASH_BYTES} bytes in base64")
    return TreeHead(origin, int(size), decoded)

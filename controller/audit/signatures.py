"""Who signed a sealed shoe: its day's signed list where it names the shoe, else its own signature.

Responsible for: one check of a signature a day where the day's list is whole, and what a shoe
without a good signature is told.
Not responsible for: the list's file (seal_list) and for digests (they are checked where a file is
read).
Source: controller/journal/README.md, "List of seals", "Shoe file"; RFC 8032.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from controller.archive.day_list import DayList, Seal, read_day, verifies
from controller.journal.shoe_file import UNSIGNED, ShoeFile
from controller.system.atomic_file import SmallFileError
from controller.system.keys import PublicKey


@dataclass(frozen=True, slots=True)
class SignedDay:
    """A day's list as far as it is there. `good`: its signature is; `words`: what is wrong.

    `shoes` are the numbers of its shoes by digest of their seals.
    """

    table: str = ""
    gaming_day: str = ""
    shoes: Mapping[bytes, int] = field(default_factory=dict)
    signer: bytes = b""
    good: bool = False
    words: str = ""

    def stands_for(self, shoe: ShoeFile) -> bool:
        """Whether its signature is as good as the shoe's own."""
        said = shoe.heading
        listed = self.good and self.shoes.get(shoe.digest) == said.shoe
        ours = (self.table, self.gaming_day, self.signer)
        return listed and ours == (said.table, said.gaming_day, said.signer)


NO_LIST = SignedDay()


def signed_day(path: Path) -> SignedDay:
    """The list in that file, its signature checked."""
    if not path.exists():
        return NO_LIST
    try:
        day = _signed_as_read(path)
        good = day is not None
        if day is None:
            day = read_day(path)
            good = verifies(day)
    except (SmallFileError, OSError) as error:
        return SignedDay(words=f"the day's list of seals cannot be read: {error}")
    words = "" if good or not day.signature else "the signature of the day's list is not good"
    shoes = {seal.digest: seal.shoe for seal in day.seals}
    return SignedDay(day.table, day.gaming_day, shoes, day.signer, good, words)


def _signed_as_read(path: Path) -> DayList | None:
    """The list where its signature holds for what it says; None for any other.

    A good signature stands for all that is relied on, so that no field need be looked at apart:
    that costs as much as the shoes of the day.
    """
    try:
        said = json.loads(path.read_bytes())
        seals = tuple(
            Seal(
                one["shoe"],
                bytes.fromhex(one["digest"]),
                one["first_seq"],
                one["last_seq"],
                one["until_ns"],
            )
            for one in said["seals"]
        )
        keys = bytes.fromhex(said["signer"]), bytes.fromhex(said["signature"])
        day = DayList(said["table"], said["gaming_day"], seals, *keys)
        return day if verifies(day) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def signature_words(
    shoe: ShoeFile, day: SignedDay, keys: tuple[bytes, ...], *, own_too: bool
) -> Iterator[str]:
    """What is wrong with who signed this shoe. `keys`: whom to trust; none: whoever it names.

    `own_too`: look at the shoe's own signature even where the day's list stands for it.
    """
    signer = shoe.heading.signer
    if not signer:
        if keys:
            yield "it is not signed"
        if shoe.signature != UNSIGNED:
            yield "it has a signature and names no key"
        return
    if keys and signer not in keys:
        yield f"it is signed with key {signer.hex()}, which is none of those to trust"
    looked_at = own_too or not day.stands_for(shoe)
    if looked_at and not PublicKey(signer).verifies(shoe.signature, shoe.signed_bytes):
        yield "its signature is not good"


def list_words(day: SignedDay, found: Mapping[bytes, int]) -> Iterator[str]:
    """Where the list of a day and the sealed files of that day do not name the same shoes.

    `found` are the numbers of the shoes that are here, by digest.
    """
    if day.words:
        yield day.words
    if not day.shoes or day.shoes == found:
        return
    for digest, shoe in day.shoes.items():
        if digest not in found:
            yield f"the day's list names shoe {shoe}, and its sealed file is not here"
    for digest, shoe in found.items():
        if digest not in day.shoes:
            yield f"shoe {shoe} is here and the day's list does not name its seal"

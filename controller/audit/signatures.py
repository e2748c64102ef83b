"""Checks who signed a sealed shoe: the day's signed list where it names the shoe, else the file.

Source: controller/journal/README.md, "List of seals", "Shoe file"; RFC 8032.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from controller.archive.day_list import read_day, signature_holds
from controller.journal.shoe_file import UNSIGNED, ShoeFile
from controller.system.atomic_file import SmallFileError
from controller.system.keys import PublicKey


class SignedDay(Struct, frozen=True):
    """A day's list as read. `good`: its signature is valid; `words`: what is wrong with it.

    `shoes` are the numbers of its shoes by the digest of their seals.
    """

    table: str = ""
    gaming_day: str = ""
    shoes: Mapping[bytes, int] = field(default_factory=dict)
    signer: bytes = b""
    good: bool = False
    words: str = ""

    def covers(self, shoe: ShoeFile) -> bool:
        """Whether the list's signature vouches for the shoe as well as the shoe's own."""
        heading = shoe.heading
        listed = self.good and self.shoes.get(shoe.digest) == heading.shoe
        own = (self.table, self.gaming_day, self.signer)
        return listed and own == (heading.table, heading.gaming_day, heading.signer)


NO_LIST = SignedDay()


def signed_day(path: Path) -> SignedDay:
    """Read the list in that file and check its signature."""
    if not path.exists():
        return NO_LIST
    try:
        day = read_day(path)
        good = signature_holds(day)
    except (SmallFileError, OSError) as error:
        return SignedDay(words=f"the day's list of seals cannot be read: {error}")
    words = "" if good or not day.signature else "the signature of the day's list is not valid"
    shoes = {seal.digest: seal.shoe for seal in day.seals}
    return SignedDay(day.table, day.gaming_day, shoes, day.signer, good, words)


def signature_problems(
    shoe: ShoeFile, day: SignedDay, keys: tuple[bytes, ...], *, own_too: bool
) -> Iterator[str]:
    """What is wrong with this shoe's signature. `keys`: keys to trust; none: the key it names.

    `own_too`: check the shoe's own signature even if the day's list covers it.
    """
    signer = shoe.heading.signer
    if not signer:
        if keys:
            yield "it is not signed"
        if shoe.signature != UNSIGNED:
            yield "it has a signature but names no key"
        return
    if keys and signer not in keys:
        yield f"it is signed with key {signer.hex()}, which is not trusted"
    check_own = own_too or not day.covers(shoe)
    if check_own and not PublicKey(signer).verifies(shoe.signature, shoe.signed_bytes):
        yield "its signature is not valid"


def list_problems(day: SignedDay, found: Mapping[bytes, int]) -> Iterator[str]:
    """The differences between a day's list and the sealed files of that day.

    `found` are the numbers of the shoes that are here, by digest.
    """
    if day.words:
        yield day.words
    if not day.shoes or day.shoes == found:
        return
    for digest, shoe in day.shoes.items():
        if digest not in found:
            yield f"the day's list names shoe {shoe}, but its sealed file is not here"
    for digest, shoe in found.items():
        if digest not in day.shoes:
            yield f"shoe {shoe} is here, but the day's list does not name its seal"

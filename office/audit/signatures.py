"""Checks who signed a sealed shoe.

Source: RFC 8032.
"""

from collections.abc import Iterator

from controller.archive.signer import seal_holds
from controller.journal.shoe_file import UNSIGNED, ShoeFile


def signature_problems(shoe: ShoeFile, keys: tuple[bytes, ...]) -> Iterator[str]:
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

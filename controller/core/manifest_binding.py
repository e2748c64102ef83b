"""Binding a batch to the table, and what people and the machine tell of cards and devices.

Responsible for: taking a manifest that was read from the folder of batches, or refusing it with
what to do; setting a card apart; what is noted of USB devices.
Not responsible for: files, receipts and keys (batches), and for where a card is (custody).
Source: NY (a)(4)(iv)(a)-(b); S42 (a)(4)(i)-(iii); D-17, D-18.
"""

from hashlib import sha256
from typing import Final

from controller.custody import batch_actions as batches
from controller.custody.manifest import Manifest
from controller.custody.manifest_csv import heading_problem
from controller.custody.state import CustodyState
from controller.journal.encoding.codec import CanonicalError, Codec
from controller.procedure.acts.recording import two_batches
from controller.procedure.effects import Refused
from controller.procedure.rulebook import RuleBook
from controller.profiles.rule_points import RulePoint
from controller.tape.actions import SetCardApart
from controller.tape.entries import BatchBound, CardSetApart, HostNoted
from controller.tape.inputs import DevicePlugged, DeviceUnplugged, ManifestGiven, OperatorAction

MANIFESTS: Final[Codec[Manifest]] = Codec(Manifest)

BATCHES_MAX: Final = 2
_POINTS: Final = (RulePoint.BATCH_ONE_BACK, RulePoint.BATCH_EQUAL)


def is_batch_name(name: str) -> bool:
    """Whether a text may name a batch: the name is also that of its file."""
    return not heading_problem("batch", name)


def bound(
    state: CustodyState, book: RuleBook, item: ManifestGiven
) -> tuple[CustodyState, BatchBound | Refused]:
    """Follow the cards of this batch from now on, or say why not."""
    if item.problem:
        return state, _refused(item, item.problem, ())
    try:
        manifest = MANIFESTS.decode(item.content)
    except CanonicalError as error:
        return state, _refused(item, f"its manifest cannot be read: {error}", ())
    clauses = book.clauses(*_POINTS)
    if two_batches(book) and manifest.back not in book.backs:
        backs = " and ".join(book.backs)
        why = f"its back is {manifest.back}; the batches of this table are {backs}"
        return state, _refused(item, why, book.clauses(RulePoint.BATCH_BACKS_DIFFER))
    if manifest.decks != book.decks:
        why = f"it has {manifest.decks} decks; this table deals from {book.decks}"
        return state, _refused(item, why, clauses)
    backs_bound = [ledger.manifest.back for ledger in state.batches]
    if manifest.back not in backs_bound and len(backs_bound) >= BATCHES_MAX:
        why = (
            f"batches with {' and '.join(backs_bound)} backs are bound already, and a table has no"
            " third: bind one with the back of the batch that it replaces"
        )
        return state, _refused(item, why, clauses)
    recorded = batches.bind(state, manifest)
    if recorded.refusal:
        return state, _refused(item, recorded.refusal, clauses)
    entry = BatchBound(
        batch=manifest.batch,
        back=manifest.back,
        decks=manifest.decks,
        cards=len(manifest),
        digest=sha256(item.content).digest(),
        maker=item.maker,
        operator=item.operator,
        signed_by=item.signed_by,
        changed=recorded.state != state,
    )
    return recorded.state, entry


def _refused(item: ManifestGiven, why: str, clauses: tuple[str, ...]) -> Refused:
    return Refused("bind-batch", f"batch {item.batch}, named by {item.named_by}: {why}", clauses)


def set_apart(
    state: CustodyState, book: RuleBook, item: OperatorAction, action: SetCardApart
) -> tuple[CustodyState, CardSetApart | Refused]:
    """A damaged or foreign card leaves its batch, which may not be dealt until it is whole."""
    clauses = book.clauses(RulePoint.DECKS_COUNT)
    recorded = batches.set_apart(state, action.batch, action.tag or None, item.reason)
    if recorded.refusal:
        return state, Refused("set-card-apart", recorded.refusal, clauses)
    apart = CardSetApart(action.batch, action.tag, item.person, item.reason, clauses)
    return recorded.state, apart


def host_noted(item: DevicePlugged | DeviceUnplugged) -> HostNoted:
    """What the machine told of a USB device, for the record."""
    if isinstance(item, DeviceUnplugged):
        return HostNoted("gone", "", "", item.path, "")
    usb_id = f"{item.vendor_id:04x}:{item.product_id:04x}"
    what = "refused" if item.refused else "appeared"
    return HostNoted(what, usb_id, item.serial_number, item.path, item.refused)

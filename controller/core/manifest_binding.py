"""Binds a batch to the table by its manifest, and sets single cards apart.

Source: NY (a)(4)(iv)(a)-(b); S42 (a)(4)(i)-(iii); D-17, D-18.
"""

from hashlib import sha256
from typing import Final

from controller.actions.actions import Action, BindBatch, OperatorAction, SetCardApart
from controller.custody import batch_actions
from controller.custody.manifest import Manifest
from controller.custody.manifest_csv import heading_problem
from controller.custody.state import CustodyState
from controller.journal.encoding import Codec, EncodingError
from controller.procedure.acts.recording import uses_two_batches
from controller.procedure.effects import Refusal
from controller.procedure.rulebook import RuleBook
from controller.profiles.rule_points import RulePoint
from controller.tape.entries import BatchBound, CardSetApart, UsbDeviceRecorded
from controller.tape.inputs import DevicePlugged, DeviceUnplugged, ManifestGiven

MANIFESTS: Final[Codec[Manifest]] = Codec(Manifest)

BATCHES_MAX: Final = 2


def is_batch_name(name: str) -> bool:
    """Whether a text is a valid batch name, which is also its file's name."""
    return not heading_problem("batch", name)


def bind_batch(
    state: CustodyState, book: RuleBook, item: ManifestGiven
) -> tuple[CustodyState, BatchBound | Refusal]:
    """Start tracking the cards of a batch, or refuse it with the reason."""
    if item.problem:
        return state, _refused(item, item.problem, ())
    try:
        manifest = MANIFESTS.decode(item.content)
    except EncodingError as error:
        return state, _refused(item, f"its manifest cannot be read: {error}", ())
    clauses = book.clauses(*BindBatch.points)
    if uses_two_batches(book) and manifest.back not in book.backs:
        backs = " and ".join(book.backs)
        why = f"its back is {manifest.back}; the batches of this table are {backs}"
        return state, _refused(item, why, book.clauses(RulePoint.BATCH_BACKS_DIFFER))
    if manifest.decks != book.decks:
        why = f"it has {manifest.decks} decks; this table deals from {book.decks}"
        return state, _refused(item, why, clauses)
    backs_bound = [ledger.manifest.back for ledger in state.batches]
    if manifest.back not in backs_bound and len(backs_bound) >= BATCHES_MAX:
        why = (
            f"batches with {' and '.join(backs_bound)} backs are bound already, and a table has two"
            " batches: bind one with the back of the batch that it replaces"
        )
        return state, _refused(item, why, clauses)
    result = batch_actions.bind_batch(state, manifest)
    if result.refusal:
        return state, _refused(item, result.refusal, clauses)
    entry = BatchBound(
        batch=manifest.batch,
        back=manifest.back,
        decks=manifest.decks,
        cards=len(manifest),
        digest=sha256(item.content).digest(),
        maker=item.maker,
        operator=item.operator,
        signed_by=item.signed_by,
        changed=result.state != state,
    )
    return result.state, entry


def _refused(item: ManifestGiven, why: str, clauses: tuple[str, ...]) -> Refusal:
    return Refusal("bind-batch", f"batch {item.batch}, named by {item.named_by}: {why}", clauses)


def set_card_apart(
    state: CustodyState, book: RuleBook, item: OperatorAction[Action], action: SetCardApart
) -> tuple[CustodyState, CardSetApart | Refusal]:
    """Set a damaged or foreign card apart; its batch is blocked until it is whole again."""
    clauses = book.clauses(*action.points)
    result = batch_actions.set_apart(state, action.batch, action.tag or None, item.reason)
    if result.refusal:
        return state, Refusal("set-card-apart", result.refusal, clauses)
    apart = CardSetApart(action.batch, action.tag, item.person, item.reason, clauses)
    return result.state, apart


def usb_device_entry(item: DevicePlugged | DeviceUnplugged) -> UsbDeviceRecorded:
    """The entry for a USB device that appeared, was refused or is gone."""
    if isinstance(item, DeviceUnplugged):
        return UsbDeviceRecorded("gone", "", "", item.path, None)
    usb_id = f"{item.vendor_id:04x}:{item.product_id:04x}"
    what = "refused" if item.refused else "appeared"
    return UsbDeviceRecorded(what, usb_id, item.serial_number, item.path, item.refused)

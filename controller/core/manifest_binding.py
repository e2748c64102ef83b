"""Binds a batch to the table by its manifest, and sets single cards apart.

Source: NY (a)(4)(iv)(a)-(b); S42 (a)(4)(i)-(iii); D-17, D-18.
"""

from hashlib import sha256
from typing import Final

from controller.core.tape.entries import BatchBound, CardSetApart
from controller.core.tape.inputs import ManifestGiven
from controller.custody import batch_actions
from controller.custody.manifest import Manifest
from controller.custody.manifest_csv import heading_problem
from controller.custody.state import CustodyState
from controller.journal.encoding import Codec, EncodingError
from controller.procedure.acts.recording import uses_two_batches
from controller.procedure.effects import Refusal
from controller.procedure.rulebook import RuleBook
from controller.rules.actions.actions import Action, BindBatch, OperatorAction, SetCardApart
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message

MANIFESTS: Final[Codec[Manifest]] = Codec(Manifest)

BATCHES_MAX: Final = 2


def is_batch_name(name: str) -> bool:
    """Whether a text is a valid batch name, which is also its file's name."""
    return heading_problem("batch", name) is None


def bind_batch(
    state: CustodyState, book: RuleBook, item: ManifestGiven
) -> tuple[CustodyState, BatchBound | Refusal]:
    """Start tracking the cards of a batch, or refuse it with the reason."""
    if item.problem is not None:
        return state, _refused(item, item.problem, ())
    try:
        manifest = MANIFESTS.decode(item.content)
    except EncodingError as error:
        return state, _refused(item, message("manifest_cannot_be_read", foreign=str(error)), ())
    clauses = book.clauses(*BindBatch.points)
    if uses_two_batches(book) and manifest.back not in book.backs:
        why = message("back_is_not_of_table", batch=manifest.back, backs=book.backs)
        return state, _refused(item, why, book.clauses(RulePoint.BATCH_BACKS_DIFFER))
    if manifest.decks != book.decks:
        why = message("has_other_decks", decks=manifest.decks, dealt=book.decks)
        return state, _refused(item, why, clauses)
    backs_bound = tuple(ledger.manifest.back for ledger in state.batches)
    if manifest.back not in backs_bound and len(backs_bound) >= BATCHES_MAX:
        why = message("two_batches_bound_already", backs=backs_bound)
        return state, _refused(item, why, clauses)
    result = batch_actions.bind_batch(state, manifest)
    if result.refusal is not None:
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


def _refused(item: ManifestGiven, why: Message, clauses: tuple[str, ...]) -> Refusal:
    named = message("batch_named_by", foreign=item.batch, named_by=item.named_by, why=why)
    return Refusal("bind-batch", named, clauses)


def set_card_apart(
    state: CustodyState, book: RuleBook, item: OperatorAction[Action], action: SetCardApart
) -> tuple[CustodyState, CardSetApart | Refusal]:
    """Set a damaged or foreign card apart; its batch is blocked until it is whole again."""
    clauses = book.clauses(*action.points)
    result = batch_actions.set_apart(state, action.batch, action.tag or None, item.reason)
    if result.refusal is not None:
        return state, Refusal("set-card-apart", result.refusal, clauses)
    apart = CardSetApart(action.batch, action.tag, item.person, item.reason, clauses)
    return result.state, apart

"""Whole batches handled by people: bound, moved, counted, set apart.

Not: who may record an act (procedure).
Source: NY-a-4-iv-a, NY-a-4-iv-b-diff, NY-a-4-iv-c, NY-d-inspect; S42-a-4-ii to S42-a-4-iv; D-19;
field practice (Hollywood 2015).

A bar code is read at every loading: binding a manifest that is already bound moves no card and
lifts no block that damage caused. A batch with a damaged card is bound again as another manifest,
under a new name or with the new card's tag.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_ledger import BatchLedger, new_ledger
from controller.custody.card_states import (
    ON_TABLE,
    STATE_IN,
    CardPlace,
    CardState,
    transition_table,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.manifest import Manifest
from controller.custody.state import (
    CustodyChange,
    CustodyState,
    batch_of_back,
    find_card,
    with_card_state,
    with_ledger,
)
from foundation.message import Message, message

# Places of a whole batch: no hand holds one, and setting apart requires a reason (set_apart).
WHOLE_BATCH_PLACES: Final = (
    CardPlace.SHUFFLER,
    CardPlace.SHOE,
    CardPlace.CARTON,
    CardPlace.DISCARD_RACK,
    CardPlace.UNKNOWN,
)
# Cards that stay when people move the whole batch: known to be elsewhere, or not found.
_NOT_MOVED: Final = (
    *ON_TABLE,
    CardState.QUARANTINE,
    CardState.CLEARED_LAST,
    CardState.CLEARED_BEFORE,
    CardState.LOST,
    CardState.ABSENT,
)


class BatchActionResult(Struct, frozen=True):
    """The state after an act; `refusal` is why nothing changed, None where the act applied."""

    state: CustodyState
    refusal: Message | None = None


def bind_batch(state: CustodyState, manifest: Manifest) -> BatchActionResult:
    """Bind the manifest as the batch with its back."""
    number = batch_of_back(state, manifest.back)
    if number is not None and state.batches[number].manifest == manifest:
        return BatchActionResult(state)
    others = tuple(ledger for at, ledger in enumerate(state.batches) if at != number)
    refusal = _manifest_defect(manifest) or _conflict(manifest, others)
    if refusal is not None:
        return BatchActionResult(state, refusal)
    ledger = new_ledger(manifest)
    if number is None:
        return BatchActionResult(replace(state, batches=(*state.batches, ledger)))
    before = state.batches[number]
    if _in_use(state, before):
        why = message("end_shoe_before_replacing", name=before.manifest.batch, batch=manifest.back)
        return BatchActionResult(state, why)
    if before.manifest.tags == manifest.tags and before.manifest.batch == state.last_batch:
        # The same cards were dealt under the old name: alternation goes on under the new one.
        state = replace(state, last_batch=manifest.batch)
    return BatchActionResult(with_ledger(state, number, ledger))


def _manifest_defect(manifest: Manifest) -> Message | None:
    """Why the manifest is unusable; None where it is valid."""
    tags = len(manifest.faces)
    fits = len(manifest.tags) == tags * manifest.tag_bytes and len(manifest.deck_numbers) == tags
    if not (tags and fits):
        return message("manifest_is_damaged", name=manifest.batch)
    if not (manifest.batch and manifest.back):
        return message("batch_needs_name_and_back")
    return None


def _conflict(manifest: Manifest, others: tuple[BatchLedger, ...]) -> Message | None:
    """Why the manifest cannot be bound beside the other batch; None where it can."""
    name, back = manifest.batch, manifest.back
    for ledger in others:
        other = ledger.manifest
        if other.batch == name:
            return message("name_bound_with_other_back", name=name, bound=other.back, batch=back)
        shared = sum(other.find(card.tag) is not None for card in manifest.cards())
        if shared:
            return message("batches_share_tags", names=(other.batch, name), count=shared)
    return None


def _in_use(state: CustodyState, ledger: BatchLedger) -> bool:
    if state.shoe is None:
        return False
    on_table = any(map(ledger.places.count, ON_TABLE))
    return state.shoe.in_play == ledger.manifest.batch or on_table


def move_batch(state: CustodyState, number: int, place: CardPlace) -> CustodyState:
    """Move the whole batch to a place, except cards that are set apart or not found.

    The batch in play stays: its cards move one by one.
    """
    assert place in WHOLE_BATCH_PLACES, f"a whole batch cannot be at {place}"
    ledger = state.batches[number]
    if state.shoe is not None and state.shoe.in_play == ledger.manifest.batch:
        return state
    moved = (one for one in CardState if one not in _NOT_MOVED)
    ledger = ledger.move_all(transition_table(dict.fromkeys(moved, STATE_IN[place])))
    return replace(with_ledger(state, number, ledger), mix_reported=False)


def set_apart(state: CustodyState, back: str, tag: str | None, reason: str) -> BatchActionResult:
    """Set apart one card, or with `tag` None the whole batch; the batch is blocked from then on."""
    number = batch_of_back(state, back)
    if number is None:
        return BatchActionResult(state, _not_bound(state, back))
    ledger = state.batches[number]
    why = message("as_typed", typed=reason) if reason else None
    if tag is None:
        if _in_use(state, ledger):
            return BatchActionResult(state, message("batch_in_play_end_shoe_first", batch=back))
        ledger = ledger.move_all(transition_table(dict.fromkeys(CardState, CardState.QUARANTINE)))
        ledger = replace(ledger, damage=why or message("batch_was_set_apart"))
        return BatchActionResult(with_ledger(state, number, ledger))
    card = find_card(state, tag)
    if card is None or card.number != number:
        return BatchActionResult(state, message("tag_not_in_batch", typed=tag, batch=back))
    state = with_card_state(state, card, CardState.QUARANTINE)
    if card.is_cut_card():
        return BatchActionResult(state)
    damaged = replace(state.batches[number], damage=why or message("one_of_its_cards_set_apart"))
    return BatchActionResult(with_ledger(state, number, damaged))


def record_count(state: CustodyState, number: int, count: int, step: Message) -> CustodyChange:
    """Record a count of the batch by people or the shuffler, without cards that are set apart."""
    ledger = state.batches[number]
    apart = ledger.count(CardPlace.QUARANTINE)
    expected = ledger.cards() - (0 if apart == ledger.cards() else apart)
    surplus = count - expected
    if not surplus:
        return with_ledger(state, number, _with_missing_found(replace(ledger, miscount=0))), ()
    state = with_ledger(state, number, replace(ledger, miscount=surplus))
    code = FindingCode.CARD_EXTRA if surplus > 0 else FindingCode.CARD_ABSENT
    manifest = ledger.manifest
    detail = message("batch_counted", name=manifest.batch, counted=count, expected=expected)
    return state, (Finding(code, step, detail, back=manifest.back),)


def _with_missing_found(ledger: BatchLedger) -> BatchLedger:
    """A right count of a batch at one place also found the cards that were missing."""
    here = max(WHOLE_BATCH_PLACES[:-1], key=ledger.count)
    missing = (CardState.LOST, CardState.ABSENT, CardState.UNKNOWN)
    elsewhere = sum(map(ledger.places.count, missing)) + ledger.count(CardPlace.QUARANTINE)
    if ledger.count(here) + elsewhere < ledger.cards():
        return ledger
    return ledger.move_all(transition_table(dict.fromkeys(missing, STATE_IN[here])))


def _not_bound(state: CustodyState, back: str) -> Message:
    """Why there is no batch with that back."""
    backs = tuple(ledger.manifest.back for ledger in state.batches)
    if not backs:
        return message("no_batch_bound", typed=back)
    return message("no_such_batch_bound", typed=back, backs=backs)

"""Whole batches handled by people: bound, moved, counted, set apart; refused with a reason.

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
    PLACE_WORDS,
    STATE_IN,
    CardPlace,
    CardState,
    transition_table,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.manifest import Manifest
from controller.custody.state import (
    CustodyState,
    batch_of_back,
    find_card,
    with_card_state,
    with_ledger,
)
from firmware_bridge.message import Wording

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
    """The state after an act; `refusal` is why nothing changed, empty where the act applied."""

    state: CustodyState
    refusal: str = ""
    findings: tuple[Finding, ...] = ()


def bind_batch(state: CustodyState, manifest: Manifest, blocked: str = "") -> BatchActionResult:
    """Bind the manifest as the batch with its back. `blocked`: why it may not be dealt from."""
    number = batch_of_back(state, manifest.back)
    if number is not None and state.batches[number].manifest == manifest:
        ledger = replace(state.batches[number], blocked=blocked)
        return BatchActionResult(with_ledger(state, number, ledger))
    others = tuple(ledger for at, ledger in enumerate(state.batches) if at != number)
    refusal = _manifest_defect(manifest) or _conflict(manifest, others)
    if refusal:
        return BatchActionResult(state, refusal)
    ledger = new_ledger(manifest, blocked=blocked)
    if number is None:
        return BatchActionResult(replace(state, batches=(*state.batches, ledger)))
    before = state.batches[number]
    if _in_use(state, before):
        return BatchActionResult(
            state,
            f"batch {before.manifest.batch} is in play: end the shoe before another batch with"
            f" {manifest.back} backs takes its place",
        )
    if before.manifest.tags == manifest.tags and before.manifest.batch == state.last_batch:
        # The same cards were dealt under the old name: alternation goes on under the new one.
        state = replace(state, last_batch=manifest.batch)
    return BatchActionResult(with_ledger(state, number, ledger))


def _manifest_defect(manifest: Manifest) -> str:
    """Why the manifest is unusable; empty where it is valid."""
    tags = len(manifest.faces)
    fits = len(manifest.tags) == tags * manifest.tag_bytes and len(manifest.deck_numbers) == tags
    if not (tags and fits):
        return f"the manifest of batch {manifest.batch} is damaged: enrol the batch again"
    if not (manifest.batch and manifest.back):
        return "a batch needs a name and a back: enrol it with both"
    return ""


def _conflict(manifest: Manifest, others: tuple[BatchLedger, ...]) -> str:
    """Why the manifest cannot be bound beside the other batch; empty where it can."""
    for ledger in others:
        other = ledger.manifest
        if other.batch == manifest.batch:
            return (
                f"batch {manifest.batch} is bound with {other.back} backs, not {manifest.back}:"
                " bind the manifest that belongs to this bar code"
            )
        shared = sum(other.find(card.tag) is not None for card in manifest.cards())
        if shared:
            tags = "1 tag" if shared == 1 else f"{shared} tags"
            return (
                f"batches {other.batch} and {manifest.batch} share {tags}: a card belongs to one"
                " batch; enrol both again"
            )
    return ""


def _in_use(state: CustodyState, ledger: BatchLedger) -> bool:
    if state.shoe is None:
        return False
    on_table = any(map(ledger.places.count, ON_TABLE))
    return state.shoe.in_play == ledger.manifest.batch or on_table


def move_batch(state: CustodyState, back: str, place: CardPlace) -> BatchActionResult:
    """Move the whole batch to a place, except cards that are set apart or not found."""
    number, refusal = _number_of(state, back)
    if number is None:
        return BatchActionResult(state, refusal)
    ledger = state.batches[number]
    if state.shoe is not None and state.shoe.in_play == ledger.manifest.batch:
        return BatchActionResult(
            state, f"the batch with {back} backs is in play: end the shoe first"
        )
    if place not in WHOLE_BATCH_PLACES:
        allowed = ", ".join(PLACE_WORDS[one] for one in WHOLE_BATCH_PLACES)
        return BatchActionResult(
            state, f"a whole batch cannot be {PLACE_WORDS[place]}; allowed: {allowed}"
        )
    moved = (one for one in CardState if one not in _NOT_MOVED)
    ledger = ledger.move_all(transition_table(dict.fromkeys(moved, STATE_IN[place])))
    return BatchActionResult(replace(with_ledger(state, number, ledger), mix_reported=False))


def set_apart(state: CustodyState, back: str, tag: str | None, reason: str) -> BatchActionResult:
    """Set apart one card, or with `tag` None the whole batch; the batch is blocked from then on."""
    number, refusal = _number_of(state, back)
    if number is None:
        return BatchActionResult(state, refusal)
    ledger = state.batches[number]
    if tag is None:
        if _in_use(state, ledger):
            return BatchActionResult(
                state, f"the batch with {back} backs is in play: end the shoe first"
            )
        ledger = ledger.move_all(transition_table(dict.fromkeys(CardState, CardState.QUARANTINE)))
        damage = reason or "the batch was set apart"
        return BatchActionResult(with_ledger(state, number, replace(ledger, damage=damage)))
    card = find_card(state, tag)
    if card is None or card.number != number:
        return BatchActionResult(
            state, f"tag {tag} is not in the batch with {back} backs; read the card again"
        )
    state = with_card_state(state, card, CardState.QUARANTINE)
    if card.is_cut_card():
        return BatchActionResult(state)
    damage = reason or "one of its cards was set apart"
    return BatchActionResult(
        with_ledger(state, number, replace(state.batches[number], damage=damage))
    )


def record_count(
    state: CustodyState, back: str, count: int, step: Wording = "the count of the batch"
) -> BatchActionResult:
    """Record a count of the batch by people or the shuffler, without cards that are set apart."""
    number, refusal = _number_of(state, back)
    if number is None:
        return BatchActionResult(state, refusal)
    ledger = state.batches[number]
    apart = ledger.count(CardPlace.QUARANTINE)
    expected = ledger.cards() - (0 if apart == ledger.cards() else apart)
    surplus = count - expected
    if not surplus:
        return BatchActionResult(
            with_ledger(state, number, _with_missing_found(replace(ledger, miscount=0)))
        )
    state = with_ledger(state, number, replace(ledger, miscount=surplus))
    code = FindingCode.CARD_EXTRA if surplus > 0 else FindingCode.CARD_ABSENT
    detail = f"batch {ledger.manifest.batch}: {count} cards counted, {expected} expected"
    return BatchActionResult(state, findings=(Finding(code, step, detail, back=back),))


def _with_missing_found(ledger: BatchLedger) -> BatchLedger:
    """A right count of a batch at one place also found the cards that were missing."""
    here = max(WHOLE_BATCH_PLACES[:-1], key=ledger.count)
    missing = (CardState.LOST, CardState.ABSENT, CardState.UNKNOWN)
    elsewhere = sum(map(ledger.places.count, missing)) + ledger.count(CardPlace.QUARANTINE)
    if ledger.count(here) + elsewhere < ledger.cards():
        return ledger
    return ledger.move_all(transition_table(dict.fromkeys(missing, STATE_IN[here])))


def _number_of(state: CustodyState, back: str) -> tuple[int | None, str]:
    """The number of the batch with that back, or None and why there is none."""
    number = batch_of_back(state, back)
    if number is not None:
        return number, ""
    backs = ", ".join(ledger.manifest.back for ledger in state.batches)
    known = f"bound backs: {backs}" if backs else "bind a batch first"
    return None, f"no batch with {back or 'such'} backs is bound to this table; {known}"

"""Batches and people: bound to the table, put somewhere whole, set apart, counted.

Responsible for: what people record of whole batches, refused with the reason where it cannot be.
Not responsible for: who may record what (the procedure) and for how a manifest is made (enrolment).
Source: NY-a-4-iv-a, NY-a-4-iv-b-diff, NY-a-4-iv-c, NY-d-inspect; S42-a-4-ii to S42-a-4-iv; D-19;
field practice (Hollywood 2015).

Decisions. A bar code is read at every loading: binding the manifest that is bound already changes
no place, and lifts no block that came from damage. A batch with a damaged card is bound anew as
another manifest, under a name of its own or with the new card's tag.
"""

from typing import Final

from controller.custody.batch_ledger import BatchLedger, ledger_of
from controller.custody.card_states import (
    ON_TABLE,
    PLACE_WORDS,
    PLAIN,
    Standing,
    Whereabouts,
    moving,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.manifest import Manifest
from controller.custody.state import (
    CustodyState,
    batch_of_back,
    located,
    standing,
    with_ledger,
)
from firmware_bridge.values import dataclass, replace

# Where a whole batch can be said to be; a hand holds none, and setting apart wants a reason.
WHOLE_AT: Final = (
    Whereabouts.SHUFFLER,
    Whereabouts.SHOE,
    Whereabouts.CARTON,
    Whereabouts.DISCARD_RACK,
    Whereabouts.UNKNOWN,
)
# Not in a batch that people move whole: cards that are known to be elsewhere, or not found.
_STAYS: Final = (
    *ON_TABLE,
    Standing.QUARANTINE,
    Standing.CLEARED_LAST,
    Standing.CLEARED_BEFORE,
    Standing.LOST,
    Standing.ABSENT,
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of something people recorded; `refusal` says why nothing did, else empty."""

    state: CustodyState
    refusal: str = ""
    findings: tuple[Finding, ...] = ()


def bind(state: CustodyState, manifest: Manifest, blocked: str = "") -> Recorded:
    """This is the batch with that back from now on. `blocked`: why it may not be dealt from."""
    number = batch_of_back(state, manifest.back)
    if number is not None and state.batches[number].manifest == manifest:
        ledger = replace(state.batches[number], blocked=blocked)
        return Recorded(with_ledger(state, number, ledger))
    others = tuple(ledger for at, ledger in enumerate(state.batches) if at != number)
    refusal = _unfit(manifest) or _clash(manifest, others)
    if refusal:
        return Recorded(state, refusal)
    ledger = ledger_of(manifest, blocked=blocked)
    if number is None:
        return Recorded(replace(state, batches=(*state.batches, ledger)))
    before = state.batches[number]
    if _in_use(state, before):
        return Recorded(
            state,
            f"batch {before.manifest.batch} is in play: end the shoe before another batch with"
            f" {manifest.back} backs takes its place",
        )
    if before.manifest.tags == manifest.tags and before.manifest.batch == state.last_batch:
        # The same cards under another name had their turn under the old one.
        state = replace(state, last_batch=manifest.batch)
    return Recorded(with_ledger(state, number, ledger))


def _unfit(manifest: Manifest) -> str:
    """Why such a manifest can be of no use at all."""
    tags = len(manifest.faces)
    fits = len(manifest.tags) == tags * manifest.tag_bytes and len(manifest.deck_numbers) == tags
    if not (tags and fits):
        return f"the manifest of batch {manifest.batch} is damaged: enrol the batch again"
    if not (manifest.batch and manifest.back):
        return "a batch needs a name and a back: enrol it with both"
    return ""


def _clash(manifest: Manifest, others: tuple[BatchLedger, ...]) -> str:
    """Why such a manifest cannot stand beside the other batch."""
    for ledger in others:
        other = ledger.manifest
        if other.batch == manifest.batch:
            return (
                f"batch {manifest.batch} is bound with {other.back} backs, not {manifest.back}:"
                " bind the manifest that belongs to this bar code"
            )
        shared = sum(other.find(card.tag) is not None for card in manifest.cards())
        if shared:
            return (
                f"{shared} tags of batch {manifest.batch} are in batch {other.batch}, too: a card"
                " is of one batch; enrol both again"
            )
    return ""


def _in_use(state: CustodyState, ledger: BatchLedger) -> bool:
    if state.shoe is None:
        return False
    on_table = any(map(ledger.places.count, ON_TABLE))
    return state.shoe.in_play == ledger.manifest.batch or on_table


def batch_moved(state: CustodyState, back: str, place: Whereabouts) -> Recorded:
    """People put the whole batch there: all of it but what is set apart or was never found."""
    number, refusal = _known(state, back)
    if number is None:
        return Recorded(state, refusal)
    ledger = state.batches[number]
    if state.shoe is not None and state.shoe.in_play == ledger.manifest.batch:
        return Recorded(state, f"the batch with {back} backs is in play: end the shoe first")
    if place not in WHOLE_AT:
        allowed = ", ".join(PLACE_WORDS[one] for one in WHOLE_AT)
        return Recorded(state, f"no whole batch is {PLACE_WORDS[place]}; it is one of: {allowed}")
    goes = (one for one in Standing if one not in _STAYS)
    ledger = ledger.swept(moving(dict.fromkeys(goes, PLAIN[place])))
    return Recorded(replace(with_ledger(state, number, ledger), told_mixed=False))


def set_apart(state: CustodyState, back: str, tag: str | None, reason: str) -> Recorded:
    """A card, or with no tag the whole batch, is set apart; the batch is blocked from now on."""
    number, refusal = _known(state, back)
    if number is None:
        return Recorded(state, refusal)
    ledger = state.batches[number]
    if tag is None:
        if _in_use(state, ledger):
            return Recorded(state, f"the batch with {back} backs is in play: end the shoe first")
        ledger = ledger.swept(moving(dict.fromkeys(Standing, Standing.QUARANTINE)))
        damage = reason or "the batch was set apart"
        return Recorded(with_ledger(state, number, replace(ledger, damage=damage)))
    card = located(state, tag)
    if card is None or card.number != number:
        return Recorded(
            state, f"tag {tag} is not of the batch with {back} backs; read the card again"
        )
    state = standing(state, card, Standing.QUARANTINE)
    if card.is_cut_card():
        return Recorded(state)
    damage = reason or "a card of it was set apart"
    return Recorded(with_ledger(state, number, replace(state.batches[number], damage=damage)))


def counted(
    state: CustodyState, back: str, count: int, step: str = "the count of the batch"
) -> Recorded:
    """The batch was counted, by people or by the shuffler, without what is set apart."""
    number, refusal = _known(state, back)
    if number is None:
        return Recorded(state, refusal)
    ledger = state.batches[number]
    apart = ledger.count(Whereabouts.QUARANTINE)
    expected = ledger.cards() - (0 if apart == ledger.cards() else apart)
    off = count - expected
    if not off:
        return Recorded(with_ledger(state, number, _all_found(replace(ledger, miscount=0))))
    state = with_ledger(state, number, replace(ledger, miscount=off))
    code = FindingCode.CARD_EXTRA if off > 0 else FindingCode.CARD_ABSENT
    detail = f"the batch {ledger.manifest.batch} counts {count} cards and has {expected}"
    return Recorded(state, findings=(Finding(code, step, detail, back=back),))


def _all_found(ledger: BatchLedger) -> BatchLedger:
    """A right count of a batch that lies at one place found those that were nowhere, too."""
    here = max(WHOLE_AT[:-1], key=ledger.count)
    gone = (Standing.LOST, Standing.ABSENT, Standing.UNKNOWN)
    rest = sum(map(ledger.places.count, gone)) + ledger.count(Whereabouts.QUARANTINE)
    if ledger.count(here) + rest < ledger.cards():
        return ledger
    return ledger.swept(moving(dict.fromkeys(gone, PLAIN[here])))


def _known(state: CustodyState, back: str) -> tuple[int | None, str]:
    number = batch_of_back(state, back)
    if number is not None:
        return number, ""
    backs = ", ".join(ledger.manifest.back for ledger in state.batches)
    known = f"the backs bound here are {backs}" if backs else "bind a batch first"
    return None, f"no batch with {back or 'such'} backs is bound to this table; {known}"

"""Opens and ends a shoe in custody, and identifies the batch it is dealt from.

Not: when a shoe begins (procedure).
Source: NY-a-4-iv-b-same to NY-a-4-iv-d-every, S42-a-4-iii-same to S42-a-4-v-every, S42-f-1-same;
D-17, D-21; field practice (Rivers 2018, the two-pack scam).

The first card names the batch in play, or the record of the loading where there is one; later cards
outvote both. So one odd card at the head of a shoe gives one or two findings instead of one for
each of seventy coups, and the cards correct a false record.
"""

from msgspec.structs import replace

from controller.custody.card_states import (
    ALL_INTO_SHOE,
    INTO_SHOE,
    NOT_IN_SHOE,
    SHOE_ENDED,
    SHOE_OPENED,
    CardState,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import (
    CardRef,
    CustodyState,
    ShoeCustody,
    batch_of_back,
    batch_of_name,
    move_all,
    with_ledger,
)
from foundation.message import Message, message


def open_shoe(
    state: CustodyState,
    expected_back: str,
    alternates: bool,
    *,
    joined: bool = False,
    endless: bool = False,
) -> CustodyState:
    """Begin a shoe. `expected_back` is the back recorded as loaded, empty where none was.

    `alternates`: the batches must take turns, and the last shoe is known.
    `joined`: cards left it before this program ran. `endless`: a continuous shuffler feeds it.
    """
    state = move_all(state, SHOE_OPENED)
    shoe = ShoeCustody(
        expected=expected_back, alternates=alternates, incomplete=joined, endless=endless
    )
    state = replace(state, shoe=shoe, mix_reported=False)
    number = batch_of_back(state, expected_back)
    if number is None:
        return state
    shoe = replace(shoe, in_play=state.batches[number].manifest.batch, lead=1)
    return _put_in_play(replace(state, shoe=shoe), number)


def end_shoe(state: CustodyState, *, played: bool = True) -> CustodyState:
    """End the shoe in play. `played`: a coup was dealt, so the batch had its turn."""
    shoe = state.shoe
    if shoe is None:
        return state
    last = shoe.in_play if played else state.last_batch
    return replace(move_all(state, SHOE_ENDED), shoe=None, last_batch=last)


def mark_reports_missing(state: CustodyState) -> CustodyState:
    """Note that reports of the shoe are missing: cards may have left it unreported."""
    if state.shoe is None:
        return state
    return replace(state, shoe=replace(state.shoe, incomplete=True))


def ensure_shoe(state: CustodyState) -> tuple[CustodyState, ShoeCustody]:
    """The state with a shoe in play: the current one, else one opened without a record."""
    if state.shoe is not None:
        return state, state.shoe
    state = open_shoe(state, "", alternates=False)
    assert state.shoe is not None
    return state, state.shoe


def identify_batch(
    state: CustodyState, shoe: ShoeCustody, card: CardRef, step: Message
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Update the batch in play by the card that left last; the findings that follow."""
    manifest = card.ledger.manifest
    findings = []
    current = batch_of_name(state, shoe.in_play)
    back = shoe.expected if current is None else state.batches[current].manifest.back
    if back and back != manifest.back:
        findings.append(
            card.finding(FindingCode.WRONG_BATCH, step, _wrong_batch_detail(shoe, current, back))
        )
    first = not shoe.begun
    takes_over = shoe.lead == 0 and shoe.in_play != manifest.batch
    if takes_over:
        state = _put_in_play(state, card.number)
        shoe = replace(shoe, begun=True, last=card.tag, in_play=manifest.batch, lead=1)
    else:
        more = 1 if shoe.in_play == manifest.batch else -1
        shoe = replace(shoe, begun=True, last=card.tag, lead=shoe.lead + more)
    repeated = shoe.alternates and manifest.batch == state.last_batch
    if repeated and (first or takes_over) and not shoe.repeat_reported:
        shoe = replace(shoe, repeat_reported=True)
        detail = message("last_shoe_from_same_batch")
        findings.insert(0, card.finding(FindingCode.BATCH_REPEATED, step, detail))
    block = card.ledger.block_reason()
    if block and shoe.in_play == manifest.batch and not shoe.block_reported:
        shoe = replace(shoe, block_reported=True)
        detail = message("its_batch_may_not_be_dealt_from", why=block)
        findings.append(card.finding(FindingCode.BATCH_BLOCKED, step, detail))
    return replace(state, shoe=shoe), tuple(findings)


def _wrong_batch_detail(shoe: ShoeCustody, current: int | None, back: str) -> Message:
    if shoe.begun and current is not None:
        return message("shoe_dealt_from_batch", batch=back)
    return message("batch_recorded_as_loaded", batch=back)


def _put_in_play(state: CustodyState, number: int) -> CustodyState:
    """Move all cards of that batch into the shoe, except those that left it or are set apart."""
    for other, ledger in enumerate(state.batches):
        if other == number:
            whole = ledger.places.count(CardState.QUARANTINE) == len(ledger.places)
            table = ALL_INTO_SHOE if whole else INTO_SHOE
        else:
            table = NOT_IN_SHOE
        state = with_ledger(state, other, ledger.move_all(table))
    return state

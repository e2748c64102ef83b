"""A shoe in custody: its opening, its end, and from which batch it is dealt.

Responsible for: moving whole batches as a shoe begins and ends, telling the batch in play from the
cards that come, and the findings of it: wrong batch, batch repeated, batch blocked.
Not responsible for: single cards (passing, sights) and for when a shoe begins (the procedure).
Source: NY-a-4-iv-b-same to NY-a-4-iv-d-every, S42-a-4-iii-same to S42-a-4-v-every, S42-f-1-same;
D-17, D-21; field practice (Rivers 2018, the two-pack scam).

Decisions. The first card says which batch is in play, or the record of the loading, if there is
one; later cards outvote both. One odd card at the head of a shoe is then one finding, or two, and
not seventy coups of them, and a false record is corrected by the cards themselves.
"""

from controller.custody.card_states import (
    ALL_INTO_SHOE,
    INTO_SHOE,
    NOT_IN_SHOE,
    SHOE_ENDED,
    SHOE_OPENED,
    Standing,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import (
    CustodyState,
    Located,
    ShoeCustody,
    batch_of_back,
    batch_of_name,
    swept,
    with_ledger,
)
from firmware_bridge.values import replace


def shoe_opened(
    state: CustodyState,
    expected_back: str,
    alternates: bool,
    *,
    joined: bool = False,
    endless: bool = False,
) -> CustodyState:
    """A shoe begins. `expected_back` is what people recorded as loaded, empty where nobody did.

    `alternates`: the batches must take turns, and it is known which shoe was the one before.
    `joined`: cards left it before this program looked. `endless`: a continuous shuffler feeds it.
    """
    state = swept(state, SHOE_OPENED)
    shoe = ShoeCustody(
        expected=expected_back, alternates=alternates, incomplete=joined, endless=endless
    )
    state = replace(state, shoe=shoe, told_mixed=False)
    number = batch_of_back(state, expected_back)
    if number is None:
        return state
    shoe = replace(shoe, in_play=state.batches[number].manifest.batch, lead=1)
    return _put_in_play(replace(state, shoe=shoe), number)


def shoe_ended(state: CustodyState, *, played: bool = True) -> CustodyState:
    """The shoe in play is over. `played`: a coup was dealt, so the batch had its turn."""
    shoe = state.shoe
    if shoe is None:
        return state
    last = shoe.in_play if played else state.last_batch
    return replace(swept(state, SHOE_ENDED), shoe=None, last_batch=last)


def reports_missing(state: CustodyState) -> CustodyState:
    """Reports of the shoe in play are missing: what was not seen to leave may have left."""
    if state.shoe is None:
        return state
    return replace(state, shoe=replace(state.shoe, incomplete=True))


def in_a_shoe(state: CustodyState) -> tuple[CustodyState, ShoeCustody]:
    """The state with a shoe in play: the one that is, or one that nobody announced."""
    if state.shoe is not None:
        return state, state.shoe
    state = shoe_opened(state, "", alternates=False)
    assert state.shoe is not None
    return state, state.shoe


def judged_batch(
    state: CustodyState, shoe: ShoeCustody, card: Located, step: str
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """This card passed last: which batch it speaks for, and what that proves."""
    manifest = card.ledger.manifest
    findings = []
    current = batch_of_name(state, shoe.in_play)
    back = shoe.expected if current is None else state.batches[current].manifest.back
    if back and back != manifest.back:
        findings.append(card.finding(FindingCode.WRONG_BATCH, step, _wrong(shoe, current, back)))
    first = not shoe.begun
    taken = shoe.lead == 0 and shoe.in_play != manifest.batch
    if taken:
        state = _put_in_play(state, card.number)
        shoe = replace(shoe, begun=True, last=card.tag, in_play=manifest.batch, lead=1)
    else:
        more = 1 if shoe.in_play == manifest.batch else -1
        shoe = replace(shoe, begun=True, last=card.tag, lead=shoe.lead + more)
    repeated = shoe.alternates and manifest.batch == state.last_batch
    if repeated and (first or taken) and not shoe.told_repeated:
        shoe = replace(shoe, told_repeated=True)
        detail = "the shoe before this one was dealt from the same batch, and two take turns"
        findings.insert(0, card.finding(FindingCode.BATCH_REPEATED, step, detail))
    block = card.ledger.block()
    if block and shoe.in_play == manifest.batch and not shoe.told_blocked:
        shoe = replace(shoe, told_blocked=True)
        detail = f"its batch may not be dealt from: {block}"
        findings.append(card.finding(FindingCode.BATCH_BLOCKED, step, detail))
    return replace(state, shoe=shoe), tuple(findings)


def _wrong(shoe: ShoeCustody, current: int | None, back: str) -> str:
    if shoe.begun and current is not None:
        return f"the shoe is dealt from the batch with {back} backs"
    return f"the batch with {back} backs was recorded as loaded"


def _put_in_play(state: CustodyState, number: int) -> CustodyState:
    """All of that batch is in the shoe, but what already left it and what is set apart."""
    for other, ledger in enumerate(state.batches):
        if other == number:
            whole = ledger.places.count(Standing.QUARANTINE) == len(ledger.places)
            table = ALL_INTO_SHOE if whole else INTO_SHOE
        else:
            table = NOT_IN_SHOE
        state = with_ledger(state, other, ledger.swept(table))
    return state

"""Takes one happening of the table: the monitors' new state, and what they have to say."""

from typing import TypeAlias, assert_never

from msgspec.structs import replace

from controller.monitors.across_shoes.state import across_after
from controller.monitors.budget import FRACTION_BITS, strength_millibits
from controller.monitors.faces import face_of
from controller.monitors.items import (
    BatchInPlay,
    BurnEnds,
    CardSeen,
    CardsUnseen,
    CoupBegins,
    CoupEnds,
    CutCardCameOut,
    CutCardPutIn,
    MonitorItem,
    PersonActs,
    ShoeEnds,
    ShoeOpens,
    TimedItem,
    TimePasses,
)
from controller.monitors.past import add_shoe
from controller.monitors.people import (
    LIMIT_LOG2,
    MONTHS_LIMIT_LOG2,
    coup_ends,
    mark_said,
    over_limit,
    person_acts,
    shoe_ends,
)
from controller.monitors.shoe_watch import (
    Raised,
    begin_coup,
    end_block,
    name_batch,
    note_turned,
    open_shoe,
    pass_cards,
    past_shoe,
    said_again,
    watch_card,
)
from controller.monitors.stall import CoupPause, stall
from controller.monitors.state import MonitorState
from controller.monitors.words import words_of
from controller.rules.advisory import Advisory, AdvisoryKind, Evidence

Said: TypeAlias = tuple[Advisory, ...]


def take(state: MonitorState, item: MonitorItem) -> tuple[MonitorState, Said]:
    """The state after a happening, and the advisories it raised.

    Cards outside a shoe are passed over: they belong to none.
    """
    if isinstance(item, CardSeen):  # first, as it is by far the most frequent
        shoe, past = state.shoe, state.past
        if shoe is None:
            return state, ()
        shoe, said = watch_card(shoe, past, face_of(item.card))
        if item.turned is not None:
            shoe = note_turned(shoe, item.turned)
        after = MonitorState(shoe, past, state.pause, state.people, state.limits, state.across)
        return after, said
    match item:
        case CoupEnds():
            return _end_coup(state, item)
        case PersonActs():
            people, months = (
                person_acts(counts, item.person, item.role)
                for counts in (state.people, state.across.people)
            )
            return replace(state, people=people, across=replace(state.across, people=months)), ()
        case CoupBegins() | CutCardPutIn() | CutCardCameOut() | TimePasses():
            return _take_time(state, item)
        case ShoeOpens():
            state, said = _end_shoe(state)
            return replace(
                state, shoe=open_shoe(item.shoe, item.decks, item.batch, burns=item.burns)
            ), said
        case ShoeEnds():
            return _end_shoe(state)
        case CardsUnseen() | BurnEnds() | BatchInPlay():
            return _pass(state, item), ()
        case _:
            assert_never(item)


def _pass(state: MonitorState, item: CardsUnseen | BurnEnds | BatchInPlay) -> MonitorState:
    shoe = state.shoe
    if shoe is None:
        return state
    match item:
        case CardsUnseen():
            return replace(state, shoe=pass_cards(shoe, item.unseen))
        case BurnEnds():
            return replace(state, shoe=end_block(shoe))
        case BatchInPlay():
            return replace(state, shoe=name_batch(shoe, item.batch, item.shuffler))
        case _:
            assert_never(item)


def _end_shoe(state: MonitorState) -> tuple[MonitorState, Said]:
    """A cut card that is in before its shoe is open is awaited on; one of an ended shoe is not."""
    shoe = state.shoe
    if shoe is None:
        return state, ()
    across, said = across_after(state.across, shoe, state.past)
    past = add_shoe(state.past, past_shoe(shoe))
    ended = MonitorState(None, past, None, shoe_ends(state.people), state.limits, across)
    return ended, (*said_again(shoe), *said)


# --- people ---------------------------------------------------------------------------------------


def _end_coup(state: MonitorState, item: CoupEnds) -> tuple[MonitorState, Said]:
    """Count the coup; test those who acted on it."""
    acting, months_acting = state.people.acting, state.across.people.acting
    people = coup_ends(state.people, item.at_table)
    months = coup_ends(state.across.people, item.at_table)
    shoe = None if state.shoe is None else end_block(state.shoe)
    across = replace(state.across, people=months)
    state = MonitorState(shoe, state.past, state.pause, people, state.limits, across)
    if not acting:
        return state, ()
    said: Said = ()
    for found, over in over_limit(people, acting, LIMIT_LOG2):
        state, new = _say(state, AdvisoryKind.PERSON, over * 1_000 >> FRACTION_BITS, found)
        said += new
        if new:
            state = replace(state, people=mark_said(state.people, found.person))
    for found, over in over_limit(months, months_acting, MONTHS_LIMIT_LOG2):
        state, new = _say(state, AdvisoryKind.PERSON_MONTHS, over * 1_000 >> FRACTION_BITS, found)
        said += new
        if new:
            marked = mark_said(state.across.people, found.person)
            state = replace(state, across=replace(state.across, people=marked))
    return state, said


# --- stalls ---------------------------------------------------------------------------------------


def _take_time(state: MonitorState, item: TimedItem) -> tuple[MonitorState, Said]:
    match item:
        case CutCardPutIn():
            return replace(state, pause=CoupPause(AdvisoryKind.STALL_CUT, item.at_ns)), ()
        case CutCardCameOut():
            return replace(state, pause=CoupPause(AdvisoryKind.STALL_LAST, item.at_ns)), ()
        case TimePasses() | CoupBegins():
            if isinstance(item, CoupBegins) and state.shoe is not None:
                state = replace(state, shoe=begin_coup(state.shoe, item.at_ns))
            pause = state.pause
            if pause is None:
                return state, ()
            state, said = _look_at_pause(state, pause, item.at_ns)
            return (replace(state, pause=None) if isinstance(item, CoupBegins) else state), said
        case _:
            assert_never(item)


def _look_at_pause(state: MonitorState, pause: CoupPause, at_ns: int) -> tuple[MonitorState, Said]:
    if at_ns < pause.since_ns:  # the machine has started again since: its clock begins anew
        return replace(state, pause=CoupPause(pause.kind, at_ns, pause.said)), ()
    found = stall(state.limits, pause, at_ns)
    if found is None:
        return state, ()
    millibits = strength_millibits(found.lasted_ns, found.allowed_ns)
    said_pause = CoupPause(pause.kind, pause.since_ns, said=True)
    return _say(replace(state, pause=said_pause), pause.kind, millibits, found)


def _say(
    state: MonitorState, kind: AdvisoryKind, millibits: int, evidence: Evidence
) -> tuple[MonitorState, Said]:
    """Say it, unless this shoe has heard it."""
    shoe = state.shoe
    if shoe is None:
        return state, (Advisory(kind, 0, 0, millibits, evidence, words_of(evidence)),)
    if any(one.said.kind is kind for one in shoe.raised):
        return state, ()
    out = len(shoe.cards)
    new = Advisory(kind, shoe.number, out, millibits, evidence, words_of(evidence), shoe.batch)
    raised = (*shoe.raised, Raised(new, new))
    return replace(state, shoe=replace(shoe, raised=raised)), (new,)

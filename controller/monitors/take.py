"""Takes one happening of the table: the monitors' new state, and what they have to say.

Source: controller/monitors/README.md, "Items".
"""

from typing import TypeAlias, assert_never

from msgspec.structs import replace

from controller.monitors.advisory import Advisory, AdvisoryKind, Evidence
from controller.monitors.budget import FRACTION_BITS, strength_millibits
from controller.monitors.faces import face_of
from controller.monitors.items import (
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
    coup_ends,
    evidence_log2,
    mark_said,
    person_acts,
    person_evidence,
    shoe_ends,
)
from controller.monitors.shoe_watch import (
    end_block,
    open_shoe,
    pass_cards,
    past_shoe,
    said_again,
    watch_card,
)
from controller.monitors.stall import CoupPause, stall
from controller.monitors.state import MonitorState, Raised
from controller.monitors.words import words_of

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
        return MonitorState(shoe, past, state.pause, state.people, state.limits), said
    match item:
        case CoupEnds():
            return _end_coup(state, item)
        case PersonActs():
            people = person_acts(state.people, item.person, item.role)
            return replace(state, people=people), ()
        case CoupBegins() | CutCardPutIn() | CutCardCameOut() | TimePasses():
            return _take_time(state, item)
        case ShoeOpens():
            state, said = _end_shoe(state)
            return replace(
                state, shoe=open_shoe(item.shoe, item.decks, item.batch, burns=item.burns)
            ), said
        case ShoeEnds():
            return _end_shoe(state)
        case CardsUnseen() | BurnEnds():
            return _pass(state, item), ()
        case _:
            assert_never(item)


def _pass(state: MonitorState, item: CardsUnseen | BurnEnds) -> MonitorState:
    if state.shoe is None:
        return state
    if isinstance(item, CardsUnseen):
        return replace(state, shoe=pass_cards(state.shoe, item.unseen))
    return replace(state, shoe=end_block(state.shoe))


def _end_shoe(state: MonitorState) -> tuple[MonitorState, Said]:
    """A cut card that is in before its shoe is open is awaited on; one of an ended shoe is not."""
    if state.shoe is None:
        return state, ()
    past = add_shoe(state.past, past_shoe(state.shoe))
    ended = MonitorState(None, past, None, shoe_ends(state.people), state.limits)
    return ended, said_again(state.shoe)


# --- people ---------------------------------------------------------------------------------------


def _end_coup(state: MonitorState, item: CoupEnds) -> tuple[MonitorState, Said]:
    """Count the coup; test those who acted on it."""
    acting = state.people.acting
    people = coup_ends(state.people, item.at_table)
    shoe = None if state.shoe is None else end_block(state.shoe)
    state = replace(state, shoe=shoe, people=people)
    said: Said = ()
    for one in people.people if acting else ():
        if one.person not in acting or one.said:
            continue
        found = max(person_evidence(people, one), key=evidence_log2)
        over = evidence_log2(found) - LIMIT_LOG2
        if over >= 0:
            millibits = over * 1_000 >> FRACTION_BITS
            state, new = _say(state, AdvisoryKind.PERSON, millibits, found)
            said += new
            if new:
                state = replace(state, people=mark_said(state.people, one.person))
    return state, said


# --- stalls ---------------------------------------------------------------------------------------


def _take_time(state: MonitorState, item: TimedItem) -> tuple[MonitorState, Said]:
    match item:
        case CutCardPutIn():
            return replace(state, pause=CoupPause(AdvisoryKind.STALL_CUT, item.at_ns)), ()
        case CutCardCameOut():
            return replace(state, pause=CoupPause(AdvisoryKind.STALL_LAST, item.at_ns)), ()
        case TimePasses() | CoupBegins():
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

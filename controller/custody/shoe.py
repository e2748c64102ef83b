"""The shoe in custody: opened and ended, its batch, cards that leave it, and its faces counted.

Not: when a shoe begins (procedure).
Source: NY-a-4-i-decks, NY-a-4-iv-b-same to NY-a-4-iv-d-every; S42-a-1-decks, S42-a-4-iii-same to
S42-a-4-v-every, S42-f-1-same; D-17, D-18, D-21; field practice (Rivers 2018, the two-pack scam;
Hollywood 2015; Parx 2018: a queen missing, an extra jack, and the count right).

The first card names the batch in play, or the record of the loading where there is one; later cards
outvote both. So one odd card at the head of a shoe gives one or two findings instead of one for
each of seventy coups, and the cards correct a false record.

After a finding the latest read counts: the card is where it was read last. A card that was read
together with others proves nothing: if it was in the shoe, its place is unknown from then on; if it
was already on the table, it stays there.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.card_states import (
    ALL_INTO_SHOE,
    BURN_RACKED,
    CLEARED_TO_READ,
    CLEARED_UNREAD,
    DRAWN,
    INTO_SHOE,
    LEFT_BEFORE,
    NOT_IN_SHOE,
    ON_TABLE,
    PLACE_OF,
    PLACE_WORDS,
    SHOE_ENDED,
    SHOE_OPENED,
    STATE_IN,
    CardPlace,
    CardState,
)
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import (
    AsideCard,
    CardRef,
    CustodyState,
    ShoeCustody,
    batch_of_back,
    batch_of_name,
    find_card,
    move_all,
    with_card_state,
    with_ledger,
)
from controller.rules.cards import Card, face_number
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


FOREIGN_TAGS_MAX: Final = 16


class ExitRead(Struct, frozen=True):
    """The result of a card leaving the shoe: its face where its tag proves it, and findings.

    `back` is the back of its batch, empty where the card is unknown.
    """

    state: CustodyState
    card: Card | None = None
    cut_card: bool = False
    back: str = ""
    findings: tuple[Finding, ...] = ()


def apply_exit_read(state: CustodyState, tag: str | None, sure: bool, step: Message) -> ExitRead:
    """A card left the shoe. `tag` None: not read; `sure` False: one of several tags read."""
    state, shoe = ensure_shoe(state)
    card = None if tag is None else find_card(state, tag)
    if tag is None or not sure:
        return ExitRead(_unproven(state, shoe, card))
    if card is None:
        return _foreign(state, shoe, tag, step)
    if card.is_cut_card():
        state = replace(state, shoe=replace(shoe, last=""))
        return ExitRead(with_card_state(state, card, CardState.CUT_CARD_OUT), cut_card=True)
    state, findings = identify_batch(state, shoe, card, step)
    ledger = state.batches[card.number]
    findings += _repeat_findings(state, replace(card, ledger=ledger), step)
    state = with_card_state(state, card, CardState.PASSED)
    manifest = ledger.manifest
    return ExitRead(state, manifest.card(card.index), back=manifest.back, findings=findings)


def apply_stray_read(state: CustodyState, tag: str | None, sure: bool, step: Message) -> ExitRead:
    """A card left a shoe that has ended, before the next began: it goes to the discard rack.

    It is not counted, and does not change which batch is due next.
    """
    card = None if tag is None else find_card(state, tag)
    if tag is None or not sure:
        return ExitRead(state)
    if card is None:
        return ExitRead(state, findings=(foreign_card_finding(tag, step),))
    if card.is_cut_card():
        return ExitRead(with_card_state(state, card, CardState.CUT_CARD_OUT), cut_card=True)
    manifest = card.ledger.manifest
    findings = _repeat_findings(state, card, step)
    state = with_card_state(state, card, CardState.RACK)
    return ExitRead(state, manifest.card(card.index), back=manifest.back, findings=findings)


def _unproven(state: CustodyState, shoe: ShoeCustody, card: CardRef | None) -> CustodyState:
    if card is None:
        return replace(state, shoe=replace(shoe, last="", unread=shoe.unread + 1))
    state = replace(state, shoe=replace(shoe, last="", unsure=shoe.unsure + 1))
    stays = card.state() in DRAWN or card.is_cut_card()
    return state if stays else with_card_state(state, card, CardState.UNSURE)


def _foreign(state: CustodyState, shoe: ShoeCustody, tag: str, step: Message) -> ExitRead:
    state = replace(state, shoe=with_foreign_tag(replace(shoe, last=""), tag))
    return ExitRead(state, findings=(foreign_card_finding(tag, step),))


def foreign_card_finding(tag: str, step: Message) -> Finding:
    """The finding for a card of no batch of this table."""
    detail = message("tag_in_no_manifest")
    return Finding(FindingCode.FOREIGN_CARD, step, detail, tag=tag)


def with_foreign_tag(shoe: ShoeCustody, tag: str) -> ShoeCustody:
    """The shoe with that tag added to its reported foreign tags; the oldest is dropped."""
    others = tuple(known for known in shoe.foreign if known != tag)
    return replace(shoe, foreign=(*others, tag)[-FOREIGN_TAGS_MAX:])


def _repeat_findings(state: CustodyState, card: CardRef, step: Message) -> tuple[Finding, ...]:
    """Findings for a card that should no longer have been in the shoe."""
    before = card.state()
    where = PLACE_WORDS[PLACE_OF[before]]
    if before in ON_TABLE:
        if before == CardState.PASSED:
            where = message("just_out_of_the_shoe")
        detail = message("same_card_at_this_moment", where=where)
        return (card.finding(FindingCode.DUPLICATE_CARD, step, detail),)
    endless = state.shoe is not None and state.shoe.endless
    if before in LEFT_BEFORE and not endless:
        if PLACE_OF[before] is CardPlace.UNKNOWN:
            where = message("away_not_read_in_rack")
        detail = message("left_the_shoe_again", where=where)
        return (card.finding(FindingCode.CARD_RETURNED, step, detail),)
    if before == CardState.QUARANTINE:
        detail = message("left_the_shoe_again", where=where)
        return (card.finding(FindingCode.CARD_RETURNED, step, detail),)
    return ()


# --- moves of play -------------------------------------------------------------------------------

# A drawn card at an unknown place is LOST, not UNKNOWN: it has left the shoe.
_DRAWN_STATE_IN: Final = MappingProxyType(
    {
        **STATE_IN,
        CardPlace.DISCARD_RACK: CardState.RACK_LAST,
        CardPlace.UNKNOWN: CardState.LOST,
    }
)


def place_last_card(state: CustodyState, place: CardPlace, number: int = 0) -> CustodyState:
    """Move the card drawn last to a place; aside it is held by its number in the shoe."""
    shoe = state.shoe
    if shoe is None:
        return state
    if place is CardPlace.ASIDE:
        held = AsideCard(number, shoe.last)
        known = any(one.tag and one.tag == shoe.last for one in shoe.aside)
        aside = shoe.aside if known else (*shoe.aside, held)
        state = replace(state, shoe=replace(shoe, aside=aside))
    card = find_card(state, shoe.last) if shoe.last else None
    return state if card is None else with_card_state(state, card, _DRAWN_STATE_IN[place])


def restart_burn(state: CustodyState) -> CustodyState:
    """Start the burn over: cards burned so far are in the discard rack."""
    return move_all(state, BURN_RACKED)


def clear_hands(state: CustodyState, rack_is_read: bool) -> CustodyState:
    """Move the hands to the discard rack; with a reader there, once it reads them."""
    return move_all(state, CLEARED_TO_READ if rack_is_read else CLEARED_UNREAD)


def is_aside(state: CustodyState, number: int) -> bool:
    """Whether the card with that number is held aside."""
    shoe = state.shoe
    return shoe is not None and number in [one.number for one in shoe.aside]


def move_aside_card(
    state: CustodyState, number: int, place: CardPlace, rack_is_read: bool
) -> CustodyState:
    """Move a card that is held aside; to ASIDE it stays."""
    shoe = state.shoe
    if shoe is None or place is CardPlace.ASIDE:
        return state
    at = [one.number for one in shoe.aside].index(number)
    held, others = shoe.aside[at], (*shoe.aside[:at], *shoe.aside[at + 1 :])
    state = replace(state, shoe=replace(shoe, aside=others))
    card = find_card(state, held.tag) if held.tag else None
    if card is None:
        return state
    cleared = place is CardPlace.DISCARD_RACK and rack_is_read
    card_state = CardState.CLEARED_LAST if cleared else _DRAWN_STATE_IN[place]
    return with_card_state(state, card, card_state)


_COUNTED_MAX: Final = 255


def count_face(
    state: CustodyState, card: Card | None, decks: int, describe_step: Callable[[], Message]
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Count a drawn card, None where it was not read; a finding where it is one too many.

    `describe_step` gives the step of play that the finding names.
    """
    state, shoe = ensure_shoe(state)
    if card is None or shoe.endless:
        return state, ()
    index = face_number(card)
    count = shoe.faces[index] + 1
    stored = bytes((min(count, _COUNTED_MAX),))
    faces = shoe.faces[:index] + stored + shoe.faces[index + 1 :]
    state = replace(state, shoe=replace(shoe, faces=faces))
    if count <= decks:
        return state, ()
    size = message("number_of_decks", count=decks)
    detail = message("number_of_its_rank_and_suit", number=count, decks=size)
    return state, (Finding(FindingCode.TOO_MANY_OF_A_CARD, describe_step(), detail, card),)

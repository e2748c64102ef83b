"""The state of custody: bound batches and the shoe in play, with look-ups and updates.

Source: NY-a-4-iv-*, S42-a-4-*; D-22 (what must survive a restart).
"""

from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_ledger import BatchLedger
from controller.custody.card_states import ON_TABLE, CardPlace, CardState
from controller.custody.findings import Finding, FindingCode
from foundation.message import Message

FACES: Final = 52


class AsideCard(Struct, frozen=True):
    """A card drawn in error, by its number in the shoe; `tag` is empty where unknown."""

    number: int
    tag: str


class ShoeCustody(Struct, frozen=True):
    """One shoe, from its opening to its end.

    `expected` is the back recorded as loaded. `in_play` is the batch it is dealt from, by cards and
    record; `lead` is by how many cards that batch is ahead of the other one.
    `incomplete`: it was joined in play, or reports of it are missing. `endless`: a continuous
    shuffler feeds it, so cards come back. `begun`: a card of a bound batch was read.

    `unread` counts cards that left without a tag, `unsure` those read among others; both decrease
    when a card that was not read leaving is read on the table. `last` is the tag of the card that
    left last, empty where unknown. `aside` are the cards drawn in error that lie on the table.
    `foreign` are the last foreign tags reported. `faces` counts the cards of each rank and suit,
    where the shoe reads no tags. `repeat_reported`, `block_reported`: that finding was made once
    for this shoe.
    """

    expected: str = ""
    alternates: bool = False
    incomplete: bool = False
    endless: bool = False
    in_play: str = ""
    lead: int = 0
    begun: bool = False
    unread: int = 0
    unsure: int = 0
    last: str = ""
    aside: tuple[AsideCard, ...] = ()
    foreign: tuple[str, ...] = ()
    faces: bytes = bytes(FACES)
    repeat_reported: bool = False
    block_reported: bool = False


class CustodyState(Struct, frozen=True):
    """Custody of a table. `last_batch` is the batch of the last shoe played, empty if unknown.

    `mix_reported`: the finding that both batches are in the discard rack was made.
    """

    batches: tuple[BatchLedger, ...] = ()
    shoe: ShoeCustody | None = None
    last_batch: str = ""
    mix_reported: bool = False


CustodyChange: TypeAlias = tuple[CustodyState, tuple[Finding, ...]]


class CardRef(Struct, frozen=True):
    """A card found by its tag: the number of its batch, its ledger, and its index in it."""

    number: int
    ledger: BatchLedger
    index: int
    tag: str

    def state(self) -> int:
        return self.ledger.places[self.index]

    def is_cut_card(self) -> bool:
        return not self.ledger.manifest.faces[self.index]

    def finding(self, code: FindingCode, step: Message, detail: Message) -> Finding:
        """A finding about this card."""
        manifest = self.ledger.manifest
        return Finding(code, step, detail, manifest.card(self.index), self.tag, manifest.back)


def find_card(state: CustodyState, tag: str) -> CardRef | None:
    """The card with that tag, in either batch; None where no batch has it."""
    for number, ledger in enumerate(state.batches):
        index = ledger.manifest.find(tag)
        if index is not None:
            return CardRef(number, ledger, index, tag.upper())
    return None


def batch_of_back(state: CustodyState, back: str) -> int | None:
    """The number of the batch with that back, None where none is bound."""
    for number, ledger in enumerate(state.batches):
        if ledger.manifest.back == back:
            return number
    return None


def batch_of_name(state: CustodyState, name: str) -> int | None:
    """The number of the batch with that name, None where none is bound."""
    for number, ledger in enumerate(state.batches):
        if ledger.manifest.batch == name:
            return number
    return None


def with_ledger(state: CustodyState, number: int, ledger: BatchLedger) -> CustodyState:
    """The state with that ledger replaced."""
    batches = state.batches
    return replace(state, batches=(*batches[:number], ledger, *batches[number + 1 :]))


def move_all(state: CustodyState, table: bytes) -> CustodyState:
    """The state with every card's state mapped by a transition table (card_states)."""
    return replace(state, batches=tuple(ledger.move_all(table) for ledger in state.batches))


def with_card_state(state: CustodyState, card: CardRef, card_state: CardState) -> CustodyState:
    """The state with one card in another state."""
    shoe = state.shoe
    if shoe is not None and shoe.aside and card_state is not CardState.ASIDE:
        aside = tuple(one for one in shoe.aside if one.tag != card.tag)
        state = replace(state, shoe=replace(shoe, aside=aside))
    ledger = state.batches[card.number].with_state(card.index, card_state)
    return with_ledger(state, card.number, ledger)


def check_consistent(state: CustodyState) -> None:
    """The invariants, checked after every event."""
    for ledger in state.batches:
        ledger.check_consistent()
    backs = {ledger.manifest.back for ledger in state.batches}
    names = {ledger.manifest.batch for ledger in state.batches}
    distinct = len(backs) == len(names) == len(state.batches)
    assert distinct, "two batches have the same name or back"
    shoe = state.shoe
    if shoe is None:
        loose = sum(ledger.places.count(on) for ledger in state.batches for on in ON_TABLE)
        assert not loose, f"{loose} cards on the table without a shoe in play"
        return
    bound = not shoe.in_play or shoe.in_play in names
    assert bound, f"batch {shoe.in_play} is in play but not bound"
    aside = sum([ledger.places.count(CardState.ASIDE) for ledger in state.batches])
    known = sum([bool(one.tag) for one in shoe.aside])
    assert aside == known, f"{aside} cards are in neither hand, but {known} were drawn in error"
    counted = len(shoe.faces) == FACES and min(shoe.unread, shoe.unsure, shoe.lead) >= 0
    assert counted, "a count of this shoe is negative or incomplete"


class BatchCounts(Struct, frozen=True):
    """The number of cards of a batch at each place. It names no card, so it may be shown."""

    batch: str
    back: str
    blocked: Message | None
    places: tuple[tuple[CardPlace, int], ...]


def batch_counts(state: CustodyState) -> tuple[BatchCounts, ...]:
    """The number of cards of each batch at each place.

    Cards that left unread or among others left the shoe in play, whichever they are.
    """
    result = []
    shoe = state.shoe
    for ledger in state.batches:
        numbers = dict(ledger.counts())
        manifest = ledger.manifest
        if shoe is not None and shoe.in_play == manifest.batch:
            # One tag may have been read with several cards that passed, so `unsure` counts them.
            left = shoe.unread + shoe.unsure - ledger.places.count(CardState.UNSURE)
            left = min(left, numbers[CardPlace.SHOE])
            numbers[CardPlace.SHOE] -= left
            numbers[CardPlace.UNKNOWN] += left
        places = tuple(numbers.items())
        result.append(BatchCounts(manifest.batch, manifest.back, ledger.block_reason(), places))
    return tuple(result)

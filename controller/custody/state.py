"""All that custody knows: the batches bound to the table, and what came out of the shoe in play.

Responsible for: the shape of that state, looking a tag up in it, moving a card in it, what does
not add up in it, and the numbers that may be shown of it.
Not responsible for: what any event proves (shoes, passing, sights, batches, faces).
Source: NY-a-4-iv-*, S42-a-4-*; D-22 (what must survive a restart).
"""

from typing import Final

from controller.custody.batch_ledger import BatchLedger
from controller.custody.card_states import ON_TABLE, Standing, Whereabouts
from controller.custody.findings import Finding, FindingCode
from firmware_bridge.values import dataclass, replace

FACES: Final = 52


@dataclass(frozen=True, slots=True)
class ShoeCustody:
    """One shoe, from its opening to its end.

    `expected` is the back recorded as loaded. `in_play` is the batch it is dealt from, as far as
    cards and record tell; `lead` is by how many cards that batch is ahead of the other one.
    `incomplete`: it was joined in play, or reports of it are missing. `endless`: a continuous
    shuffler feeds it, so cards come back. `begun`: a card of a bound batch was read.

    `unread` cards passed without a tag, `unsure` ones among others; both are used up as cards that
    never left by the exit are seen on the table. `last` is the tag of the card that passed last,
    empty where that is not known. `aside` are the tags of the cards drawn in error, in their order,
    empty for one that is not known. `foreign` are the last foreign tags told. `faces` counts the
    cards of each rank and suit, where the shoe reads no tags.
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
    aside: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    faces: bytes = bytes(FACES)
    told_repeated: bool = False
    told_blocked: bool = False


@dataclass(frozen=True, slots=True)
class CustodyState:
    """The whole. `last_batch` is the batch of the last shoe that was played, empty if unknown.

    `told_mixed`: it was told that both batches are in the discard rack.
    """

    batches: tuple[BatchLedger, ...] = ()
    shoe: ShoeCustody | None = None
    last_batch: str = ""
    told_mixed: bool = False


@dataclass(frozen=True, slots=True)
class Located:
    """Which card a tag is: the number of its batch here, its ledger, its index there, its tag."""

    number: int
    ledger: BatchLedger
    index: int
    tag: str

    def standing(self) -> int:
        return self.ledger.places[self.index]

    def is_cut_card(self) -> bool:
        return not self.ledger.manifest.faces[self.index]

    def finding(self, code: FindingCode, step: str, detail: str) -> Finding:
        """What is proven of this card."""
        manifest = self.ledger.manifest
        return Finding(code, step, detail, manifest.card(self.index), self.tag, manifest.back)


def located(state: CustodyState, tag: str) -> Located | None:
    """The card that a tag is, in either batch."""
    for number, ledger in enumerate(state.batches):
        index = ledger.manifest.find(tag)
        if index is not None:
            return Located(number, ledger, index, tag.upper())
    return None


def batch_of_back(state: CustodyState, back: str) -> int | None:
    """The number of the batch with that back."""
    for number, ledger in enumerate(state.batches):
        if ledger.manifest.back == back:
            return number
    return None


def batch_of_name(state: CustodyState, name: str) -> int | None:
    """The number of the batch with that name."""
    for number, ledger in enumerate(state.batches):
        if ledger.manifest.batch == name:
            return number
    return None


def with_ledger(state: CustodyState, number: int, ledger: BatchLedger) -> CustodyState:
    """The state with another ledger of that batch."""
    batches = state.batches
    return replace(state, batches=(*batches[:number], ledger, *batches[number + 1 :]))


def swept(state: CustodyState, table: bytes) -> CustodyState:
    """The state with all cards of all batches moved by a table (standings)."""
    return replace(state, batches=tuple(ledger.swept(table) for ledger in state.batches))


def standing(state: CustodyState, card: Located, becomes: Standing) -> CustodyState:
    """The state with one card standing so, whatever it stood like before."""
    shoe = state.shoe
    if shoe is not None and becomes is not Standing.ASIDE and card.tag in shoe.aside:
        aside = tuple(tag for tag in shoe.aside if tag != card.tag)
        state = replace(state, shoe=replace(shoe, aside=aside))
    ledger = state.batches[card.number].standing(card.index, becomes)
    return with_ledger(state, card.number, ledger)


def check(state: CustodyState) -> tuple[str, ...]:
    """What of the whole does not add up, in words; to be asked after every event."""
    problems = [problem for ledger in state.batches for problem in ledger.check()]
    backs = [ledger.manifest.back for ledger in state.batches]
    names = [ledger.manifest.batch for ledger in state.batches]
    if len(set(backs)) < len(backs) or len(set(names)) < len(names):
        problems.append("two batches of one name or one back")
    shoe = state.shoe
    if shoe is None:
        loose = sum(ledger.places.count(on) for ledger in state.batches for on in ON_TABLE)
        if loose:
            problems.append(f"{loose} cards on the table, and no shoe is in play")
        return tuple(problems)
    if shoe.in_play and shoe.in_play not in names:
        problems.append(f"batch {shoe.in_play} is in play and is not bound")
    aside = sum(ledger.places.count(Standing.ASIDE) for ledger in state.batches)
    known = sum(tag != "" for tag in shoe.aside)
    if aside != known:
        problems.append(f"{aside} cards lie in neither hand, and {known} were drawn in error")
    if len(shoe.faces) != FACES or min(shoe.unread, shoe.unsure, shoe.lead) < 0:
        problems.append("a count of this shoe is below nothing or of no card")
    return tuple(problems)


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """How many cards of a batch are at each place. No card is named: this may be shown."""

    batch: str
    back: str
    blocked: str
    places: tuple[tuple[Whereabouts, int], ...]


def counts(state: CustodyState) -> tuple[BatchCounts, ...]:
    """Of each batch, how many cards are where.

    Cards that passed unread or among others left the shoe in play, whichever they are.
    """
    shown = []
    shoe = state.shoe
    for ledger in state.batches:
        numbers = dict(ledger.counts())
        manifest = ledger.manifest
        if shoe is not None and shoe.in_play == manifest.batch:
            # One tag may have been read with several cards that passed, so `unsure` counts them.
            left = shoe.unread + shoe.unsure - ledger.places.count(Standing.UNSURE)
            left = min(left, numbers[Whereabouts.SHOE])
            numbers[Whereabouts.SHOE] -= left
            numbers[Whereabouts.UNKNOWN] += left
        places = tuple(numbers.items())
        shown.append(BatchCounts(manifest.batch, manifest.back, ledger.block(), places))
    return tuple(shown)

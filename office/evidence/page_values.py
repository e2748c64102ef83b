"""The values of a coup's page, as texts; none shows a card that nobody has seen."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from controller.procedure.effects import (
    BurnDone,
    CoupCorrected,
    RecordedCard,
    ResolutionRecorded,
)
from controller.procedure.people.corrections import describe_owed
from controller.procedure.places import PLACE_NAMES, PLAYER_PLACES
from controller.record.people import decisions_made
from controller.record.snapshot import HIDDEN_CARD
from controller.rules.cards import Card, Suit
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from office.evidence.coup import CoupAccount, PlacedCard, RaisedIrregularity
from office.evidence.sealed_shoe import ShoeAccount, ShoeEntry
from office.evidence.timeline import (
    OUTCOME_TEXTS,
    describe_correction,
    describe_decision,
    describe_irregularity,
    local_and_utc,
)

# The variation selector after each suit asks for text in the page's colour, not for an emoji.
_SUITS: Final = {
    Suit.DIAMOND: "\u2666\ufe0e",
    Suit.CLUB: "\u2663\ufe0e",
    Suit.SPADE: "\u2660\ufe0e",
    Suit.HEART: "\u2665\ufe0e",
}
_RED_SUITS: Final = (Suit.DIAMOND, Suit.HEART)
_NOT_DECLARED: Final = "no result was reported"


class ShownCard(Struct, frozen=True):
    """A card that lay at a place of a hand."""

    face: str
    place: str
    red: bool


class ShownHand(Struct, frozen=True):
    """A hand as it lay; `kind` is its CSS class, `count` None where nobody has seen it."""

    name: str
    kind: str
    cards: tuple[ShownCard, ...]
    count: int | None = None


class DrawnCard(Struct, frozen=True):
    """A card in drawing order; `at` is None if it was held from before the coup."""

    face: str
    place: str
    claimed: str
    at: ShoeEntry | None


def sentence(words: str) -> str:
    """The text with its first letter in upper case."""
    return f"{words[:1].upper()}{words[1:]}"


def moment(shoe: ShoeAccount, utc_ns: int) -> str:
    """Local time and UTC."""
    local, utc = local_and_utc(utc_ns, shoe.zone)
    return f"{local} local time, {utc} UTC"


def batch_text(batch: str, back: str) -> str:
    """The batch of the shoe, as far as it is known."""
    if batch:
        return f"batch {batch} ({back} backs)"
    return f"the batch with {back} backs" if back else "batch unknown"


def summary(account: CoupAccount) -> str:
    """The counts, and how many irregularities there were."""
    return f"{_counts(account)} {_irregularity_count(account)}"


def _counts(account: CoupAccount) -> str:
    result = account.record.result
    if result is None or not account.seen:
        return ""
    natural = ", a natural" if result.natural else ""
    return f"Player {result.player_count}, Banker {result.banker_count}{natural}."


def _irregularity_count(account: CoupAccount) -> str:
    if not account.raised:
        return "No irregularity."
    number = counted(len(account.raised), "irregularity", "irregularities")
    undecided = sum(one.decided is None for one in account.raised)
    if undecided:
        return f"{number}, {undecided} without a decision."
    return f"{number}; the decisions are below."


# --- cards and result -----------------------------------------------------------------------------


def hands(account: CoupAccount) -> tuple[ShownHand, ...]:
    """Both hands, and the cards that were drawn in error."""
    dealt = account.record.cards
    result = account.record.result if account.seen else None
    player = _cards(account, (one for one in dealt if one.place in PLAYER_PLACES))
    banker = _cards(account, (one for one in dealt if one.place not in PLAYER_PLACES))
    shown = (
        ShownHand("Player's Hand", "player", player, result.player_count if result else None),
        ShownHand("Banker's Hand", "banker", banker, result.banker_count if result else None),
    )
    if not account.record.aside:
        return shown
    aside = tuple(
        _card(one.card, "in error", seen=account.errors_seen) for one in account.record.aside
    )
    return (*shown, ShownHand("In no hand", "beside", aside))


def _cards(account: CoupAccount, dealt: Iterator[RecordedCard]) -> tuple[ShownCard, ...]:
    return tuple(
        _card(one.card, to_words(PLACE_NAMES[one.place]).split(" ")[1], seen=account.seen)
        for one in dealt
    )


def _card(card: Card | None, place: str, *, seen: bool) -> ShownCard:
    red = seen and card is not None and card.suit in _RED_SUITS
    return ShownCard(_face(card, seen=seen), place, red)


def _face(card: Card | None, *, seen: bool) -> str:
    """Rank and suit symbol."""
    if not seen:
        return HIDDEN_CARD
    return f"{str(card)[:-1]}{_SUITS[card.suit]}" if card is not None else "not read"


def drawn_cards(account: CoupAccount) -> tuple[DrawnCard, ...]:
    """The cards of both hands in drawing order."""
    return tuple(
        DrawnCard(
            _face(one.dealt.card, seen=account.seen),
            _place(one),
            to_words(PLACE_NAMES[one.claimed]),
            one.at,
        )
        for one in account.cards
    )


def _place(one: PlacedCard) -> str:
    place, held = to_words(PLACE_NAMES[one.dealt.place]), one.dealt.carried_from
    if held is None:
        return place
    return f"{place}, held from {f'coup {held}' if held else 'before the first coup'}"


def result(account: CoupAccount) -> tuple[tuple[str, str], ...]:
    """The outcome by the cards, the pairs, the declared result, and what counts."""
    record, won = account.record, account.record.result
    by_cards = "unknown: the cards are not complete"
    if won is not None:
        natural = ", a natural" if won.natural else ""
        counts = f"Player {won.player_count}, Banker {won.banker_count}{natural}"
        by_cards = f"{OUTCOME_TEXTS[won.outcome]}, {counts}"
    declared = record.declared
    return (
        ("By the cards", by_cards if account.seen else "not shown: nobody has seen the cards"),
        ("Pairs", _pairs(account)),
        ("Declared by the dealer", OUTCOME_TEXTS[declared] if declared else _NOT_DECLARED),
        ("Counts as", _counts_as(account)),
    )


def _counts_as(account: CoupAccount) -> str:
    outcome = account.record.outcome
    if outcome is None:
        return "nothing"
    if account.corrected is None:
        return OUTCOME_TEXTS[outcome]
    return (
        f"{OUTCOME_TEXTS[account.corrected.outcome]}, by correction;"
        f" the coup was counted as: {OUTCOME_TEXTS[outcome]}"
    )


def corrected(account: CoupAccount) -> str:
    """The outcome that counts by correction; empty where there is none."""
    if account.corrected is None:
        return ""
    return f"Corrected: {OUTCOME_TEXTS[account.corrected.outcome]}"


def correction_text(account: CoupAccount, at: ShoeEntry) -> str:
    """Who corrected the outcome to what, why and when."""
    assert isinstance(at.entry, CoupCorrected), "only a correction is described so"
    return f"{describe_correction(at, at.entry)} At {moment(account.shoe, at.utc_ns)}."


def owed_texts(at: ShoeEntry) -> tuple[str, ...]:
    """What is owed because of a correction, line by line."""
    assert isinstance(at.entry, CoupCorrected), "only a correction is described so"
    return tuple(map(to_words, describe_owed(at.entry)))


def _pairs(account: CoupAccount) -> str:
    won = account.record.result
    if won is None or not account.seen:
        return "not shown"
    pairs = (("Player", won.player_pair), ("Banker", won.banker_pair))
    return " and ".join(name for name, is_pair in pairs if is_pair) or "none"


# --- irregularities and the shoe ------------------------------------------------------------------


def irregularity_text(account: CoupAccount, raised: RaisedIrregularity) -> str:
    """What was irregular."""
    return sentence(describe_irregularity(account, raised.irregularity))


def decision_text(account: CoupAccount, raised: RaisedIrregularity) -> str:
    """The decision that closed the irregularity, by whom and when."""
    decided = raised.decided
    if decided is None or not isinstance(decided.entry, ResolutionRecorded):
        return "The records of this shoe contain no decision about it."
    words = describe_decision(decided, decided.entry)
    return f"{words} At {moment(account.shoe, decided.utc_ns)}."


def _decisions(contents: ShoeAccount) -> tuple[tuple[str, str], ...]:
    """How often each person made which decision in the shoe; nothing where nobody did."""
    made = decisions_made(one.entry for one in contents.entries)
    words = "; ".join(f"{person}: {decision} {count}" for person, decision, count in made)
    return (("Decisions", words),) if words else ()


def shoe(contents: ShoeAccount) -> tuple[tuple[str, str], ...]:
    """The shoe, its burn, its outcomes and its times."""
    heading = contents.heading
    pairs = [
        ("Table", heading.table),
        ("Gaming day and shoe", contents.name),
        ("Batch", heading.batch or "unknown"),
        ("Back", heading.back or "unknown"),
        ("Decks", str(heading.decks)),
        ("Coups", str(heading.coups)),
        ("Irregularities", str(len(contents.irregularities))),
        *_decisions(contents),
        ("Program", f"smartshoe {heading.software}"),
    ]
    burn = next(contents.entries_of(BurnDone), None)
    if burn is not None:
        first = _face(burn.first, seen=True)
        pairs.append(("Burn", f"first card {first}, {burn.removed} in all"))
    ended = contents.ended
    if ended is not None:
        tally = f"Player {ended.player}, Banker {ended.banker}, Tie {ended.tie}, void {ended.void}"
        pairs += [("Outcomes at its end", tally), ("Cards drawn", str(ended.cards_drawn))]
        if ended.person:
            pairs.append(("Closed by", f"{ended.person}: {ended.reason}"))
    pairs += [("From", moment(contents, heading.from_ns))]
    pairs += [("Until", moment(contents, heading.until_ns))]
    return tuple(pairs)

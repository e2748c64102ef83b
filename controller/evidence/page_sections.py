"""The parts of a coup's page.

Responsible for: the cards, the result, wagers, irregularities, what happened, the shoe, its proof
and the clauses, each as a part of a page. None shows a card that nobody has seen.
Not responsible for: the order of the parts and the page around them (evidence_page).
Source: package README, "Evidence bundle", "Disclosure".
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from controller.evidence.coup import CoupAccount, PlacedCard, Raised
from controller.evidence.html import (
    NOTHING,
    Child,
    Markup,
    Row,
    element,
    facts,
    joined,
    table,
    together,
)
from controller.evidence.timeline import (
    NOT_OBSERVED,
    OUTCOME_WORDS,
    Clock,
    Line,
    decision_words,
    irregularity_words,
    moment,
)
from controller.procedure.effects import BurnDone, RecordedCard, ResolutionRecorded, ShoeEnded
from controller.procedure.places import PLAYER_PLACES, WORDS
from controller.profiles.clauses import Clause
from controller.rules.cards import Card, Suit
from controller.settlement.payout import Line as PayLine
from controller.settlement.wagers import KIND_NAMES, money
from controller.views.disclosure import HIDDEN_CARD

# The sign after each suit asks for a letter in the text's own colour, not for a picture.
_SUITS: Final = {
    Suit.DIAMOND: "\u2666\ufe0e",
    Suit.CLUB: "\u2663\ufe0e",
    Suit.SPADE: "\u2660\ufe0e",
    Suit.HEART: "\u2665\ufe0e",
}
_RED_SUITS: Final = (Suit.DIAMOND, Suit.HEART)
_UNSEEN: Final = (
    "Nobody has seen these cards: the coup did not count and may have gone face down to the discard"
    " rack. The sealed records hold what the shoe read."
)


@dataclass(frozen=True, slots=True)
class Proof:
    """What seals the shoe, in words. `signer` is a fingerprint; empty where nobody signed.

    `code` is the short code of the gaming day's list of seals, empty where there is no list.
    """

    file: str
    digest: str
    previous: str
    signer: str
    code: str


@dataclass(frozen=True, slots=True)
class Cited:
    """Clauses that a page cites. One that is not in the catalogue is cited by its id alone."""

    clauses: Mapping[str, Clause]
    ids: tuple[str, ...]

    def shown(self, ids: Iterable[str]) -> Markup:
        """Ids that lead to their text further down."""
        links = (element("a", one, href=f"#{one}") for one in ids)
        return element("span", joined(links, ", "), class_="clauses")


def sentence(words: str) -> str:
    """With a capital at its beginning."""
    return f"{words[:1].upper()}{words[1:]}"


# --- cards and result -----------------------------------------------------------------------------


def cards(account: CoupAccount, cited: Cited) -> Iterator[Child]:
    """Both hands as they lay, then the cards in the order of drawing."""
    player = [one for one in account.record.cards if one.place in PLAYER_PLACES]
    banker = [one for one in account.record.cards if one.place not in PLAYER_PLACES]
    result = account.record.result if account.seen else None
    counts = (result.player_count, result.banker_count) if result is not None else (None, None)
    hands = [
        _hand("Player's Hand", "player", player, account, counts[0]),
        _hand("Banker's Hand", "banker", banker, account, counts[1]),
    ]
    if account.record.aside:
        hands.append(_aside(account))
    yield element("div", *hands, class_="hands")
    if not account.seen:
        yield element("p", _UNSEEN)
    clock = _clock(account)
    yield element("h3", "In the order of drawing")
    yield table(
        (
            ("", "number"),
            ("Card", "time"),
            ("Went to", ""),
            ("The shoe believed", ""),
            *_times(clock),
            ("Clauses", ""),
            ("Record", "number"),
        ),
        (
            Row(_drawn(account, clock, number, one, cited))
            for number, one in enumerate(account.cards, start=1)
        ),
    )


def _hand(
    name: str, kind: str, dealt: list[RecordedCard], account: CoupAccount, count: int | None
) -> Markup:
    shown = (_card(one.card, WORDS[one.place].split(" ")[1], seen=account.seen) for one in dealt)
    counted = element("p", f"Count {count}", class_="count") if count is not None else NOTHING
    return element(
        "div",
        element("h3", name),
        element("div", *shown, class_="cards"),
        counted,
        class_=f"hand {kind}",
    )


def _aside(account: CoupAccount) -> Markup:
    shown = (_card(one.card, "in error", seen=account.errors_seen) for one in account.record.aside)
    return element(
        "div",
        element("h3", "In no hand"),
        element("div", *shown, class_="cards"),
        class_="hand beside",
    )


def _card(card: Card | None, place: str, *, seen: bool) -> Markup:
    red = seen and card is not None and card.suit in _RED_SUITS
    return element(
        "div",
        element("span", card_words(card, seen=seen), class_="face"),
        element("span", place, class_="place"),
        class_="card red" if red else "card",
    )


def card_words(card: Card | None, *, seen: bool) -> str:
    """Rank and the sign of the suit."""
    if not seen:
        return HIDDEN_CARD
    if card is None:
        return "not read"
    return f"{str(card)[:-1]}{_SUITS[card.suit]}"


def _clock(account: CoupAccount) -> Clock:
    return Clock.at(account.closed_at.utc_ns, account.shoe.zone)


def _times(clock: Clock) -> tuple[tuple[Markup, str], tuple[Markup, str]]:
    """The headings of both times."""
    local = together(("Local ", clock.offset, element("br"), clock.day))
    utc = together(("UTC", element("br"), clock.utc_day))
    return (local, "time"), (utc, "time")


def _drawn(
    account: CoupAccount, clock: Clock, number: int, one: PlacedCard, cited: Cited
) -> tuple[Child, ...]:
    place = WORDS[one.dealt.place]
    held = one.dealt.carried_from
    if held is not None:
        place += f", held from coup {held}" if held else ", held from before the first coup"
    shown = card_words(one.dealt.card, seen=account.seen)
    if one.at is None:
        return str(number), shown, place, "", "", "", "", ""
    clauses = cited.shown(account.card_clauses(one.at.seq))
    times = clock.times(one.at.utc_ns)
    return str(number), shown, place, WORDS[one.claimed], *times, clauses, str(one.at.seq)


def result(account: CoupAccount, cited: Cited) -> Iterator[Child]:
    """What the cards make, what was declared, what counts, and by which clauses."""
    record = account.record
    by_cards = "cannot be told: the cards are not whole"
    if record.result is not None:
        won = record.result
        natural = ", a natural" if won.natural else ""
        by_cards = (
            f"{OUTCOME_WORDS[won.outcome]}, Player {won.player_count}, Banker"
            f" {won.banker_count}{natural}"
        )
    pairs = _pairs(account)
    yield facts(
        (
            ("By the cards", by_cards if account.seen else "not told: nobody has seen the cards"),
            ("Pairs", pairs),
            (
                "Declared by the dealer",
                OUTCOME_WORDS[record.declared] if record.declared else "nothing was reported",
            ),
            ("Counts as", OUTCOME_WORDS[record.outcome] if record.outcome else "nothing"),
            ("Rules applied", cited.shown(account.closed.clauses) if account.seen else "none told"),
        )
    )
    if record.ghost:
        yield element("p", "Dealt as a ghost hand: face up, without wagers.")


def _pairs(account: CoupAccount) -> str:
    won = account.record.result
    if won is None or not account.seen:
        return "not told"
    told = (("Player", won.player_pair), ("Banker", won.banker_pair))
    return " and ".join(name for name, pair in told if pair) or "none"


# --- wagers, irregularities, happenings -----------------------------------------------------------


def wagers(account: CoupAccount, cited: Cited) -> Iterator[Child]:
    """What each wager came to and what the dealer had to do; nothing where no wager is recorded."""
    paid = account.paid
    if paid is None:
        return
    if not paid.settlement.lines and not paid.steps:
        yield element("p", "No wager was stated.")
        return
    yield table(
        (
            ("Seat", "number"),
            ("Wager", ""),
            ("Stake", "number"),
            ("", ""),
            ("Odds", ""),
            ("Paid", "number"),
            ("Vigorish", "number"),
            ("Clauses", ""),
        ),
        (Row(_wager(line, cited)) for line in paid.settlement.lines),
    )
    yield element("h3", "The dealer's acts, in the order due")
    yield element(
        "ol", *(element("li", step.text, " ", cited.shown(step.clauses)) for step in paid.steps)
    )
    if paid.note:
        yield element("p", paid.note)


def _wager(line: PayLine, cited: Cited) -> tuple[Child, ...]:
    return (
        str(line.seat),
        KIND_NAMES[line.kind],
        money(line.stake),
        line.verdict.value,
        str(line.odds) if line.odds is not None else "",
        money(line.paid),
        money(line.vigorish) if line.vigorish else "",
        cited.shown((*line.clauses, *line.charged_by)),
    )


def irregularities(account: CoupAccount, cited: Cited) -> Iterator[Child]:
    """Each irregularity with the decision that closed it."""
    if not account.raised:
        yield element("p", "None.")
    for raised in account.raised:
        yield _irregularity(account, raised, cited)


def _irregularity(account: CoupAccount, raised: Raised, cited: Cited) -> Markup:
    found = raised.irregularity
    local, utc = moment(raised.at.utc_ns, account.shoe.zone)
    stops = "play was suspended" if found.suspends else "play went on"
    shown = cited.shown(found.clauses) if account.seen else NOTHING
    return element(
        "div",
        element("h3", f"{found.number}. {found.code.value}"),
        element("p", f"{sentence(irregularity_words(account, found))}. ", shown),
        element("p", f"Noticed at {local} local time, {utc} UTC; {stops}."),
        element("p", _decision(account, raised)),
        class_="irregular",
    )


def _decision(account: CoupAccount, raised: Raised) -> str:
    decided = raised.decided
    if decided is None or not isinstance(decided.entry, ResolutionRecorded):
        return "No decision about it stands in the records of this shoe."
    local, utc = moment(decided.utc_ns, account.shoe.zone)
    return f"{decision_words(decided, decided.entry)} At {local} local time, {utc} UTC."


def happenings(account: CoupAccount, lines: tuple[Line, ...], cited: Cited) -> Iterator[Child]:
    """Everything about the coup, in order."""
    clock = _clock(account)
    rows = []
    for line in lines:
        times = clock.times(line.told.utc_ns)
        cells = (*times, line.text, cited.shown(line.clauses), str(line.told.seq))
        rows.append(Row(cells, "grave" if line.grave else ""))
    yield table((*_times(clock), ("What", "words"), ("Clauses", ""), ("Record", "number")), rows)
    if any(NOT_OBSERVED in line.text for line in lines):
        yield element(
            "p", "Not observed: nothing at this table senses or tells whether it was done."
        )


# --- the shoe, its proof, the clauses -------------------------------------------------------------


def shoe(account: CoupAccount) -> Iterator[Child]:
    """The shoe the coup was dealt from."""
    said, told = account.shoe.heading, account.shoe
    pairs: list[tuple[str, Child]] = [
        ("Table", said.table),
        ("Gaming day and shoe", told.name),
        ("Batch", said.batch or "not known"),
        ("Back", said.back or "not known"),
        ("Decks", str(said.decks)),
        ("Coups", str(said.coups)),
        ("Irregularities", str(said.irregularities)),
        ("Program", f"smartshoe {said.software}"),
    ]
    burn = next(told.entries(BurnDone), None)
    if burn is not None:
        first = card_words(burn.first, seen=True)
        pairs.append(("Burn", f"first card {first}, {burn.removed} cards in all"))
    ended = next((one for one in told.entries(ShoeEnded) if one.shoe == told.number), None)
    if ended is not None:
        tally = f"Player {ended.player}, Banker {ended.banker}, Tie {ended.tie}, void {ended.void}"
        pairs += [("Outcomes", tally), ("Cards drawn", str(ended.cards_drawn))]
        if ended.person:
            pairs.append(("Closed by", f"{ended.person}: {ended.reason}"))
    for name, utc_ns in (("From", said.from_ns), ("Until", said.until_ns)):
        local, utc = moment(utc_ns, told.zone)
        pairs.append((name, f"{local} local time, {utc} UTC"))
    yield facts(pairs)


def proof(account: CoupAccount, sealed: Proof) -> Iterator[Child]:
    """What seals the shoe, and how anybody checks it."""
    said = account.shoe.heading
    unsigned = "nobody: this table has no key, and the digest alone protects the file"
    yield facts(
        (
            ("Sealed file", element("code", sealed.file)),
            ("Its digest", element("code", sealed.digest)),
            ("The seal before", element("code", sealed.previous)),
            ("Records", f"{said.first_seq} to {said.last_seq}"),
            ("Signed by the key", element("code", sealed.signer) if sealed.signer else unsigned),
            (
                "Short code of the day",
                element("code", sealed.code, class_="code") if sealed.code else "no list of seals",
            ),
        )
    )
    yield element(
        "p",
        "In the folder of this page: ",
        element("code", "python3 verify.py ."),
        " It needs nothing but Python, and its cryptography package to check signatures. It names"
        " every file that was changed. Compare the fingerprint of the key with the one the house"
        " has published, and the short code with one that was noted elsewhere that day: who can"
        " change every file here cannot change those.",
    )


def clauses(cited: Cited) -> Iterator[Child]:
    """The text of what the page cites."""
    yield element("p", "In this program's own short words; the rule documents decide.")
    pairs: list[tuple[str, Child]] = []
    for one in cited.ids:
        known = cited.clauses.get(one)
        text = f"{known.text} ({known.source})" if known is not None else "not in the catalogue"
        pairs.append((one, text))
    yield facts(pairs, anchors=True)

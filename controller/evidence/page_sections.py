"""The sections of a coup's page; none shows a card that nobody has seen.

Source: controller/evidence/README.md, "Evidence bundle"; controller/views/README.md, "Disclosure".
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from controller.evidence.coup import CoupAccount, PlacedCard, RaisedIrregularity
from controller.evidence.html import (
    NOTHING,
    Child,
    Markup,
    TableRow,
    concatenate,
    definition_list,
    element,
    join_with,
    table,
)
from controller.evidence.timeline import (
    NOT_OBSERVED,
    OUTCOME_TEXTS,
    TableClock,
    TimelineLine,
    describe_decision,
    describe_irregularity,
    local_and_utc,
)
from controller.procedure.effects import BurnDone, RecordedCard, ResolutionRecorded, ShoeEnded
from controller.procedure.places import PLACE_NAMES, PLAYER_PLACES
from controller.profiles.clauses import Clause
from controller.rules.cards import Card, Suit
from controller.settlement.payout import PayoutLine as PayLine
from controller.settlement.wagers import KIND_NAMES, money
from controller.views.disclosure import HIDDEN_CARD

# The variation selector after each suit asks for text in the page's colour, not for an emoji.
_SUITS: Final = {
    Suit.DIAMOND: "\u2666\ufe0e",
    Suit.CLUB: "\u2663\ufe0e",
    Suit.SPADE: "\u2660\ufe0e",
    Suit.HEART: "\u2665\ufe0e",
}
_RED_SUITS: Final = (Suit.DIAMOND, Suit.HEART)
_UNSEEN: Final = (
    "Nobody has seen these cards: the coup did not count and may have gone face down to the discard"
    " rack. The sealed records contain the faces that the shoe read."
)


class SealProof(Struct, frozen=True):
    """The seal of the shoe as texts. `signer` is a key fingerprint, empty if nobody signed.

    `code` is the short code of the gaming day's list of seals, empty if there is no list.
    """

    file: str
    digest: str
    previous: str
    signer: str
    code: str


class Citations(Struct, frozen=True):
    """The clauses that a page cites. One that is not in the catalogue is cited by its id only."""

    clauses: Mapping[str, Clause]
    ids: tuple[str, ...]

    def links(self, ids: Iterable[str]) -> Markup:
        """Links from clause ids to their text further down."""
        links = (element("a", one, href=f"#{one}") for one in ids)
        return element("span", join_with(links, ", "), class_="clauses")


def sentence(words: str) -> str:
    """The text with its first letter in upper case."""
    return f"{words[:1].upper()}{words[1:]}"


# --- cards and result -----------------------------------------------------------------------------


def cards(account: CoupAccount, cited: Citations) -> Iterator[Child]:
    """Both hands as they lay, then the cards in drawing order."""
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
    clock = _closing_clock(account)
    yield element("h3", "In drawing order")
    yield table(
        (
            ("", "number"),
            ("Card", "time"),
            ("Went to", ""),
            ("The shoe claimed", ""),
            *_time_headings(clock),
            ("Clauses", ""),
            ("Record", "number"),
        ),
        (
            TableRow(_card_row(account, clock, number, one, cited))
            for number, one in enumerate(account.cards, start=1)
        ),
    )


def _hand(
    name: str, kind: str, dealt: list[RecordedCard], account: CoupAccount, count: int | None
) -> Markup:
    shown = (
        _card(one.card, PLACE_NAMES[one.place].split(" ")[1], seen=account.seen) for one in dealt
    )
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
        element("span", card_text(card, seen=seen), class_="face"),
        element("span", place, class_="place"),
        class_="card red" if red else "card",
    )


def card_text(card: Card | None, *, seen: bool) -> str:
    """Rank and suit symbol."""
    if not seen:
        return HIDDEN_CARD
    if card is None:
        return "not read"
    return f"{str(card)[:-1]}{_SUITS[card.suit]}"


def _closing_clock(account: CoupAccount) -> TableClock:
    return TableClock.at(account.closed_at.utc_ns, account.shoe.zone)


def _time_headings(clock: TableClock) -> tuple[tuple[Markup, str], tuple[Markup, str]]:
    """The column headings of local time and UTC."""
    local = concatenate(("Local ", clock.offset, element("br"), clock.day))
    utc = concatenate(("UTC", element("br"), clock.utc_day))
    return (local, "time"), (utc, "time")


def _card_row(
    account: CoupAccount, clock: TableClock, number: int, one: PlacedCard, cited: Citations
) -> tuple[Child, ...]:
    place = PLACE_NAMES[one.dealt.place]
    held = one.dealt.carried_from
    if held is not None:
        place += f", held from coup {held}" if held else ", held from before the first coup"
    shown = card_text(one.dealt.card, seen=account.seen)
    if one.at is None:
        return str(number), shown, place, "", "", "", "", ""
    clauses = cited.links(account.card_clauses(one.at.seq))
    times = clock.times(one.at.utc_ns)
    return str(number), shown, place, PLACE_NAMES[one.claimed], *times, clauses, str(one.at.seq)


def result(account: CoupAccount, cited: Citations) -> Iterator[Child]:
    """The outcome by the cards, the declared result, what counts, and the clauses."""
    record = account.record
    by_cards = "unknown: the cards are not complete"
    if record.result is not None:
        won = record.result
        natural = ", a natural" if won.natural else ""
        by_cards = (
            f"{OUTCOME_TEXTS[won.outcome]}, Player {won.player_count}, Banker"
            f" {won.banker_count}{natural}"
        )
    pairs = _pairs(account)
    yield definition_list(
        (
            ("By the cards", by_cards if account.seen else "not shown: nobody has seen the cards"),
            ("Pairs", pairs),
            (
                "Declared by the dealer",
                OUTCOME_TEXTS[record.declared] if record.declared else "no result was reported",
            ),
            ("Counts as", OUTCOME_TEXTS[record.outcome] if record.outcome else "nothing"),
            ("Rules applied", cited.links(account.closed.clauses) if account.seen else "not shown"),
        )
    )
    if record.ghost:
        yield element("p", "Dealt as a ghost hand: face up, without wagers.")


def _pairs(account: CoupAccount) -> str:
    won = account.record.result
    if won is None or not account.seen:
        return "not shown"
    pairs = (("Player", won.player_pair), ("Banker", won.banker_pair))
    return " and ".join(name for name, is_pair in pairs if is_pair) or "none"


# --- wagers, irregularities, happenings -----------------------------------------------------------


def wagers(account: CoupAccount, cited: Citations) -> Iterator[Child]:
    """The result of each wager and the dealer's acts; nothing if no wager was recorded."""
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
        (TableRow(_wager(line, cited)) for line in paid.settlement.lines),
    )
    yield element("h3", "The dealer's acts, in the order due")
    yield element(
        "ol", *(element("li", step.text, " ", cited.links(step.clauses)) for step in paid.steps)
    )
    if paid.note:
        yield element("p", paid.note)


def _wager(line: PayLine, cited: Citations) -> tuple[Child, ...]:
    return (
        str(line.seat),
        KIND_NAMES[line.kind],
        money(line.stake),
        line.verdict.value,
        str(line.odds) if line.odds is not None else "",
        money(line.paid),
        money(line.vigorish) if line.vigorish else "",
        cited.links((*line.clauses, *line.charged_by)),
    )


def irregularities(account: CoupAccount, cited: Citations) -> Iterator[Child]:
    """Each irregularity with the decision that closed it."""
    if not account.raised:
        yield element("p", "None.")
    for raised in account.raised:
        yield _irregularity(account, raised, cited)


def _irregularity(account: CoupAccount, raised: RaisedIrregularity, cited: Citations) -> Markup:
    found = raised.irregularity
    local, utc = local_and_utc(raised.at.utc_ns, account.shoe.zone)
    stops = "play was suspended" if found.suspends else "play went on"
    shown = cited.links(found.clauses) if account.seen else NOTHING
    return element(
        "div",
        element("h3", f"{found.number}. {found.code.value}"),
        element("p", f"{sentence(describe_irregularity(account, found))}. ", shown),
        element("p", f"Noticed at {local} local time, {utc} UTC; {stops}."),
        element("p", _decision(account, raised)),
        class_="irregular",
    )


def _decision(account: CoupAccount, raised: RaisedIrregularity) -> str:
    decided = raised.decided
    if decided is None or not isinstance(decided.entry, ResolutionRecorded):
        return "The records of this shoe contain no decision about it."
    local, utc = local_and_utc(decided.utc_ns, account.shoe.zone)
    return f"{describe_decision(decided, decided.entry)} At {local} local time, {utc} UTC."


def happenings(
    account: CoupAccount, lines: tuple[TimelineLine, ...], cited: Citations
) -> Iterator[Child]:
    """The timeline of the coup."""
    clock = _closing_clock(account)
    rows = []
    for line in lines:
        times = clock.times(line.source.utc_ns)
        cells = (*times, line.text, cited.links(line.clauses), str(line.source.seq))
        rows.append(TableRow(cells, "grave" if line.grave else ""))
    yield table(
        (*_time_headings(clock), ("What", "words"), ("Clauses", ""), ("Record", "number")), rows
    )
    if any(NOT_OBSERVED in line.text for line in lines):
        yield element("p", "Not observed: the table has no way to know whether it was done.")


# --- the shoe, its proof, the clauses -------------------------------------------------------------


def shoe(account: CoupAccount) -> Iterator[Child]:
    """The shoe the coup was dealt from."""
    heading, contents = account.shoe.heading, account.shoe
    pairs: list[tuple[str, Child]] = [
        ("Table", heading.table),
        ("Gaming day and shoe", contents.name),
        ("Batch", heading.batch or "unknown"),
        ("Back", heading.back or "unknown"),
        ("Decks", str(heading.decks)),
        ("Coups", str(heading.coups)),
        ("Irregularities", str(heading.irregularities)),
        ("Program", f"smartshoe {heading.software}"),
    ]
    burn = next(contents.entries_of(BurnDone), None)
    if burn is not None:
        first = card_text(burn.first, seen=True)
        pairs.append(("Burn", f"first card {first}, {burn.removed} in all"))
    ended = next(
        (one for one in contents.entries_of(ShoeEnded) if one.shoe == contents.number), None
    )
    if ended is not None:
        tally = f"Player {ended.player}, Banker {ended.banker}, Tie {ended.tie}, void {ended.void}"
        pairs += [("Outcomes", tally), ("Cards drawn", str(ended.cards_drawn))]
        if ended.person:
            pairs.append(("Closed by", f"{ended.person}: {ended.reason}"))
    for name, utc_ns in (("From", heading.from_ns), ("Until", heading.until_ns)):
        local, utc = local_and_utc(utc_ns, contents.zone)
        pairs.append((name, f"{local} local time, {utc} UTC"))
    yield definition_list(pairs)


def proof(account: CoupAccount, sealed: SealProof) -> Iterator[Child]:
    """The shoe's seal, and how anybody can check it."""
    heading = account.shoe.heading
    unsigned = "not signed: this table has no key, and only the digest protects the file"
    yield definition_list(
        (
            ("Sealed file", element("code", sealed.file)),
            ("Digest", element("code", sealed.digest)),
            ("Previous seal", element("code", sealed.previous)),
            ("Records", f"{heading.first_seq} to {heading.last_seq}"),
            ("Signed by the key", element("code", sealed.signer) if sealed.signer else unsigned),
            (
                "Short code of the day",
                element("code", sealed.code, class_="code") if sealed.code else "no list of seals",
            ),
        )
    )
    yield element(
        "p",
        "To check it, run in the folder of this page: ",
        element("code", "python3 verify.py ."),
        " It needs only Python, and the package cryptography to check signatures. It names every"
        " file that was changed. Compare the fingerprint of the key with the one that the house has"
        " published, and the short code with one noted elsewhere on that day: somebody who can"
        " change every file here cannot change those.",
    )


def clauses(cited: Citations) -> Iterator[Child]:
    """The text of the cited clauses."""
    yield element("p", "In this program's own short words; the rule documents prevail.")
    pairs: list[tuple[str, Child]] = []
    for one in cited.ids:
        known = cited.clauses.get(one)
        text = f"{known.text} ({known.source})" if known is not None else "not in the catalogue"
        pairs.append((one, text))
    yield definition_list(pairs, anchors=True)

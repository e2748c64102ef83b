"""The values of a coup in a report's list of coups; none shows a card that nobody has seen."""

from collections.abc import Iterable

from msgspec import Struct

from controller.procedure.effects import RecordedCard
from controller.procedure.places import PLAYER_PLACES
from controller.record.snapshot import HIDDEN_CARD, UNREAD_CARD
from controller.rules.outcome import CoupFate, Outcome
from controller.system.messages.catalogue import to_words
from office.evidence.coup import CoupAccount
from office.evidence.page_values import ShownHand, hands
from office.evidence.timeline import FATE_TEXTS, OUTCOME_TEXTS


class CoupRow(Struct, frozen=True):
    """A coup as a row: what lay, what it was, what counts. `marks` are natural and pairs."""

    coup: CoupAccount
    hands: tuple[ShownHand, ...]
    marks: str
    outcome: str
    declared: str
    remarks: str
    clauses: tuple[str, ...]

    @property
    def number(self) -> int:
        return self.coup.record.coup

    @property
    def grave(self) -> bool:
        """Whether something about it was not as it should be."""
        record = self.coup.record
        return bool(
            self.coup.raised or self.coup.corrections or record.fate is not CoupFate.COUNTED
        )


def coup_rows(coups: Iterable[CoupAccount]) -> tuple[CoupRow, ...]:
    """A row for each coup."""
    return tuple(
        CoupRow(
            coup=coup,
            hands=hands(coup),
            marks=_marks(coup),
            outcome=_outcome_text(coup),
            declared="" if coup.record.declared is None else _short(coup.record.declared),
            remarks=_remarks(coup),
            clauses=coup_clauses(coup),
        )
        for coup in coups
    )


def counting_outcome(coup: CoupAccount) -> Outcome | None:
    """The outcome that counts now: by the last correction, else the one at the coup's end."""
    return coup.corrected.outcome if coup.corrected is not None else coup.record.outcome


def coup_clauses(coup: CoupAccount) -> tuple[str, ...]:
    """The clauses that its cards, its outcome and its irregularities cite, each once."""
    if not coup.seen:
        return ()
    ids = [*coup.closed.clauses]
    for one in coup.cards:
        ids += coup.card_clauses(one.at.seq) if one.at is not None else ()
    for raised in coup.raised:
        ids += raised.irregularity.clauses
    return tuple(dict.fromkeys(ids))


def cards_text(coup: CoupAccount, *, players: bool) -> str:
    """The cards of one hand in the order of its places, such as "9h Kc"."""
    dealt = (one for one in coup.record.cards if (one.place in PLAYER_PLACES) is players)
    return _spelled(dealt, seen=coup.seen)


def error_cards_text(coup: CoupAccount) -> str:
    """The cards that were drawn in error and are in no hand."""
    return _spelled(coup.record.aside, seen=coup.errors_seen)


def _spelled(dealt: Iterable[RecordedCard], *, seen: bool) -> str:
    unread = to_words(UNREAD_CARD)
    shown = (str(one.card) if one.card is not None else unread for one in dealt)
    return " ".join(one if seen else HIDDEN_CARD for one in shown)


def _marks(coup: CoupAccount) -> str:
    result = coup.record.result
    if result is None or not coup.seen:
        return ""
    there = (
        ("natural", result.natural),
        ("Player pair", result.player_pair),
        ("Banker pair", result.banker_pair),
    )
    return ", ".join(name for name, is_there in there if is_there)


def _short(outcome: Outcome) -> str:
    return outcome.value.capitalize()


def _outcome_text(coup: CoupAccount) -> str:
    outcome = counting_outcome(coup)
    return "none counts" if outcome is None else _short(outcome)


def _remarks(coup: CoupAccount) -> str:
    """What an orderly coup has not: another fate, a correction, a ghost hand."""
    record, found = coup.record, []
    if record.fate is not CoupFate.COUNTED:
        found.append(FATE_TEXTS[record.fate])
    if coup.corrected is not None and record.outcome is not None:
        found.append(f"corrected; at its end: {OUTCOME_TEXTS[record.outcome]}")
    if record.ghost:
        found.append("a ghost hand, without wagers")
    if record.suspended_cards:
        found.append("cards were dealt while play was suspended")
    return "; ".join(found)

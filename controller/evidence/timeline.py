"""What happened in a coup, a line each, in words for a person.

Responsible for: one sentence for each entry that is about a coup, the clauses it cites, and the
moment in the table's own time and in UTC. No sentence shows a card that nobody has seen.
Not responsible for: which entries those are (evidence_coup) and for the page (evidence_page).
Source: package README, "Evidence bundle", "Disclosure".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from controller.evidence.coup import CoupAccount
from controller.evidence.sealed_shoe import Told
from controller.procedure.effects import (
    BatchMoved,
    BurnDone,
    CoupClosed,
    CoupFate,
    CoupPaid,
    CoupRecord,
    Prompted,
    Recorded,
    Refused,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    ShuffleRecorded,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import CardDrawn, IrregularityResolved
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.verdicts import Accepted, Irregularity
from controller.rules.outcome import Outcome
from controller.settlement.wagers import money
from controller.tape.entries import CommandGiven, DeviceNoted, Judged, RunBegan
from controller.views.coup import card_text
from drivers.events import CardPassed, TagSeen

_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
OUTCOME_WORDS: Final = {
    Outcome.PLAYER: "Player wins",
    Outcome.BANKER: "Banker wins",
    Outcome.TIE: "Tie",
}
FATE_WORDS: Final = {
    CoupFate.COUNTED: "counted by its cards",
    CoupFate.VOID: "void by a floorperson's decision",
    CoupFate.PARTIAL: "partial: reports of it are missing",
    CoupFate.FLOOR_DECIDED: "decided by a floorperson: reports of it are missing",
}
NOT_OBSERVED: Final = " (not observed)"
_DECISION_WORDS: Final = {
    "continue": "play goes on",
    "carry-card": "play goes on; the card drawn in error is held for the next hand",
    "burn-card": "play goes on; the card drawn in error is burned",
    "void-coup": "the coup in which play was suspended is void",
    "state-outcome": "the outcome is stated",
    "close-shoe": "the shoe is closed",
}
_HELD_WORDS: Final = {
    "take-over": "; what was dealt meanwhile counts",
    "void": "; what was dealt meanwhile is void",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A happening. `grave`: an irregularity, or a decision about one."""

    told: Told
    text: str
    clauses: tuple[str, ...] = ()
    grave: bool = False


def lines_of(account: CoupAccount) -> tuple[Line, ...]:
    """What happened, in order."""
    return tuple(line for one in account.told for line in _lines(account, one))


def moment(utc_ns: int, zone: ZoneInfo) -> tuple[str, str]:
    """The moment to the millisecond, in the table's own time with its offset, and in UTC."""
    whole, rest_ms = utc_ns // _NS_PER_S, utc_ns % _NS_PER_S // _NS_PER_MS
    utc = datetime.fromtimestamp(whole, UTC)
    local = utc.astimezone(zone)
    offset = local.strftime("%z")
    return (
        f"{local:%Y-%m-%d %H:%M:%S}.{rest_ms:03} {offset[:3]}:{offset[3:5]}",
        f"{utc:%Y-%m-%d %H:%M:%S}.{rest_ms:03}",
    )


@dataclass(frozen=True, slots=True)
class Clock:
    """Times of one table beside a day that stands above them. `offset` is from UTC."""

    zone: ZoneInfo
    day: str
    offset: str
    utc_day: str

    @staticmethod
    def at(utc_ns: int, zone: ZoneInfo) -> "Clock":
        """The clock whose day is that of the moment."""
        local, utc = moment(utc_ns, zone)
        day, _, offset = local.split(" ")
        return Clock(zone, day, offset, utc.split(" ")[0])

    def times(self, utc_ns: int) -> tuple[str, str]:
        """Local time and UTC, with day and offset only where they are other ones."""
        local, utc = moment(utc_ns, self.zone)
        return (
            local.removeprefix(f"{self.day} ").removesuffix(f" {self.offset}"),
            utc.removeprefix(f"{self.utc_day} "),
        )


def _lines(account: CoupAccount, told: Told) -> Iterator[Line]:
    match told.entry:
        case Judged(event=IrregularityResolved(), verdicts=(Accepted(),)):
            return  # the decision's own record says it, and who took it
        case Judged():
            yield from _judged(account, told, told.entry)
        case CoupClosed(record=record, clauses=clauses):
            yield Line(told, f"The coup is over: {closed_words(record)}.", clauses)
        case CoupPaid(settlement=settlement):
            gain = money(settlement.house_gain)
            yield Line(told, f"Wagers are settled; the house's gain is {gain}.")
        case ResolutionRecorded():
            yield Line(told, decision_words(told, told.entry), grave=True)
        case _:
            yield from _beside(told)


def _judged(account: CoupAccount, told: Told, judged: Judged) -> Iterator[Line]:
    face = _face(account, told, judged)
    for verdict in judged.verdicts:
        held = " (while play was suspended)" if verdict.provisional else ""
        match verdict:
            case Accepted(what=what, clauses=clauses):
                yield Line(told, f"{what[:1].upper()}{what[1:]}{face}{held}.", clauses)
            case Irregularity():
                clauses = verdict.clauses if account.seen else ()
                words = irregularity_words(account, verdict)
                text = f"Irregularity {verdict.number}: {words}{face}{held}."
                yield Line(told, text, clauses, grave=True)
        face = ""


def _face(account: CoupAccount, told: Told, judged: Judged) -> str:
    event = judged.event
    if not isinstance(event, CardDrawn) or not account.card_seen(told.seq):
        return ""
    return f": {card_text(event.card)}"


def irregularity_words(account: CoupAccount, found: Irregularity) -> str:
    """What was wrong; its details only where people have seen the cards they follow from."""
    title = CATALOGUE[found.code].title
    if not account.seen or not found.detail:
        return title
    return found.detail if found.detail.startswith(title) else f"{title}: {found.detail}"


def closed_words(record: CoupRecord) -> str:
    """What became of a coup, without its cards."""
    outcome = "no outcome counts" if record.outcome is None else OUTCOME_WORDS[record.outcome]
    return f"{outcome}, {FATE_WORDS[record.fate]}"


def decision_words(told: Told, decided: ResolutionRecorded) -> str:
    """Who decided what, and why."""
    done = _DECISION_WORDS.get(decided.decision, decided.decision)
    stated = f" ({decided.outcome})" if decided.outcome else ""
    held = _HELD_WORDS.get(decided.provisional, "")
    numbers = ", ".join(map(str, decided.closed))
    return (
        f"{who(told, decided.person)} decided: {done}{stated}{held}. Reason: {decided.reason}."
        f" Closes irregularity {numbers}."
    )


def who(told: Told, person: str) -> str:
    """A person with the role and the way in which the program knew them."""
    if told.by is None:
        return person
    return f"{person} ({told.by.role.value.replace('_', ' ')}, known by {told.by.known_by})"


def _beside(told: Told) -> Iterator[Line]:
    """What is not about cards and their end: people, devices, batches."""
    match told.entry:
        case Prompted(text=text, clauses=clauses, observed=observed):
            unseen = "" if observed else NOT_OBSERVED
            yield Line(told, f"The table was told: {text}{unseen}.", clauses)
        case Recorded(what=what, person=person, detail=detail, clauses=clauses):
            yield Line(told, f"{who(told, person)}: {what}{_after(detail)}.", clauses)
        case Refused(what=what, why=why, clauses=clauses):
            yield Line(told, f"Refused: {what}{_after(why)}.", clauses)
        case SettingChanged(setting=setting, old=old, new=new, person=person, clauses=clauses):
            yield Line(told, f"{who(told, person)} changed {setting}: {old} to {new}.", clauses)
        case CommandGiven(command=command, why=why):
            yield Line(told, f"Order to a device: {command}{_after(why)}.")
        case WarningOpened(number=number, text=text, clauses=clauses):
            yield Line(told, f"Warning {number} of the shuffler: {text}.", clauses)
        case WarningClosed(number=number, person=person, reason=reason):
            yield Line(told, f"{who(told, person)} cleared warning {number}{_after(reason)}.")
        case BatchMoved(batch=batch, before=before, after=after, why=why, clauses=clauses):
            text = f"Batch {batch} went from {before} to {after}{_after(why)}."
            yield Line(told, text.replace("_", " "), clauses)
        case _:
            yield from _of_the_shoe(told)


def _of_the_shoe(told: Told) -> Iterator[Line]:
    match told.entry:
        case ShoeOpened(shoe=shoe, decks=decks):
            yield Line(told, f"Shoe {shoe} was opened, {decks} decks.")
        case BurnDone(removed=removed):
            yield Line(told, f"The burn is over: {removed} cards.")
        case ShoeEnded(coups=coups):
            yield Line(told, f"The shoe ended after {coups} coups.")
        case RunBegan(software=software):
            yield Line(told, f"The program began a run (version {software}).")
        case ShuffleRecorded(batch=batch, refused=refused, clauses=clauses):
            counts = f"does not count: {refused}" if refused else "counts"
            yield Line(told, f"A shuffle of batch {batch} {counts}.", clauses)
        case DeviceNoted(event=CardPassed() | TagSeen()):
            return  # what it showed is judged in a line of its own, or was of no card that left
        case DeviceNoted(port=port, event=event):
            yield Line(told, f"Device at {port}: {_apart(type(event).__name__)}.")
        case None:
            yield Line(told, "An entry of another software version.")
        case other:
            yield Line(told, f"{_apart(type(other).__name__)}.")


def _after(detail: str) -> str:
    return f" ({detail})" if detail else ""


def _apart(name: str) -> str:
    """StageChanged as people write it: stage changed."""
    return "".join(f" {one.lower()}" if one.isupper() else one for one in name).strip()

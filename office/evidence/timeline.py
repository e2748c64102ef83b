"""One sentence for each entry of a coup, without cards that nobody has seen; local time and UTC."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from controller.core.tape.entries import CommandGiven, DeviceEventRecorded, EventVerdicts, RunBegan
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    CoupRecord,
    Prompt,
    Refusal,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.verdicts import Accepted, Irregularity
from controller.record.irregularity import irregularity_words
from controller.record.people import proof_words
from controller.record.snapshot import UNREAD_CARD
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.outcome import CoupFate, Outcome
from controller.rules.settlement.wagers import money
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from drivers.events import CardPassed, TagSeen
from foundation.message import Message
from office.evidence.coup import CoupAccount
from office.evidence.sealed_shoe import ShoeEntry

_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
OUTCOME_TEXTS: Final = {
    Outcome.PLAYER: "Player wins",
    Outcome.BANKER: "Banker wins",
    Outcome.TIE: "Tie",
}
FATE_TEXTS: Final = {
    CoupFate.COUNTED: "counted by its cards",
    CoupFate.VOID: "void by a floorperson's decision",
    CoupFate.PARTIAL: "partial: reports of it are missing",
    CoupFate.FLOOR_DECIDED: "decided by a floorperson: reports of it are missing",
}
NOT_OBSERVED: Final = " (not observed)"
_DECISION_TEXTS: Final = {
    FloorDecision.CONTINUE: "play goes on",
    FloorDecision.CARRY: "play goes on; the card drawn in error is held for the next hand",
    FloorDecision.BURN: "play goes on; the card drawn in error is burned",
    FloorDecision.VOID_COUP: "the coup in which play was suspended is void",
    FloorDecision.STATE_OUTCOME: "the outcome is stated",
    FloorDecision.CLOSE_SHOE: "the shoe is closed",
}
_PROVISIONAL_TEXTS: Final = {
    None: "",
    Provisional.TAKE_OVER: "; what was dealt meanwhile counts",
    Provisional.VOID: "; what was dealt meanwhile is void",
}


class TimelineLine(Struct, frozen=True):
    """One sentence about entry `source`. `grave`: an irregularity, or a decision about one."""

    source: ShoeEntry
    text: str
    clauses: tuple[str, ...] = ()
    grave: bool = False


def timeline_lines(account: CoupAccount) -> tuple[TimelineLine, ...]:
    """The lines of a coup, in order."""
    return tuple(line for one in account.entries for line in _lines(account, one))


def entry_lines(source: ShoeEntry) -> tuple[TimelineLine, ...]:
    """The lines of an entry about people, devices, batches or the shoe, and no card."""
    return tuple(_other_lines(source))


def local_and_utc(utc_ns: int, zone: ZoneInfo) -> tuple[str, str]:
    """Date and time to the millisecond in the table's time zone, with its offset, and in UTC."""
    whole, rest_ms = utc_ns // _NS_PER_S, utc_ns % _NS_PER_S // _NS_PER_MS
    utc = datetime.fromtimestamp(whole, UTC)
    local = utc.astimezone(zone)
    offset = local.strftime("%z")
    return (
        f"{local:%Y-%m-%d %H:%M:%S}.{rest_ms:03} {offset[:3]}:{offset[3:5]}",
        f"{utc:%Y-%m-%d %H:%M:%S}.{rest_ms:03}",
    )


class TableClock(Struct, frozen=True):
    """Formats times under a heading that gives the day. `offset` is the zone's offset from UTC."""

    zone: ZoneInfo
    day: str
    offset: str
    utc_day: str

    @staticmethod
    def at(utc_ns: int, zone: ZoneInfo) -> "TableClock":
        """The clock whose heading day is the day of `utc_ns`."""
        local, utc = local_and_utc(utc_ns, zone)
        day, _, offset = local.split(" ")
        return TableClock(zone, day, offset, utc.split(" ")[0])

    def times(self, utc_ns: int) -> tuple[str, str]:
        """Local time and UTC, with day and offset only where they differ from the heading's."""
        local, utc = local_and_utc(utc_ns, self.zone)
        return (
            local.removeprefix(f"{self.day} ").removesuffix(f" {self.offset}"),
            utc.removeprefix(f"{self.utc_day} "),
        )


def _lines(account: CoupAccount, source: ShoeEntry) -> Iterator[TimelineLine]:
    match source.entry:
        case EventVerdicts(verdicts=(Accepted(),)) if (
            source.judged_action is not None and source.judged_action.own_entry
        ):
            return  # the decision's own entry gives it, with the person
        case EventVerdicts():
            yield from _verdict_lines(account, source, source.entry)
        case CoupClosed(record=record, clauses=clauses):
            yield TimelineLine(
                source, f"The coup is over: {describe_closed_coup(record)}.", clauses
            )
        case CoupPayment(settlement=settlement):
            gain = money(settlement.house_gain)
            yield TimelineLine(source, f"Wagers are settled; the house's gain is {gain}.")
        case ResolutionRecorded():
            yield TimelineLine(source, describe_decision(source, source.entry), grave=True)
        case CoupCorrected():
            yield TimelineLine(source, describe_correction(source, source.entry), grave=True)
        case _:
            yield from _other_lines(source)


def _verdict_lines(
    account: CoupAccount, source: ShoeEntry, judged: EventVerdicts
) -> Iterator[TimelineLine]:
    face = _face_text(account, source, judged)
    for verdict in judged.verdicts:
        held = " (while play was suspended)" if verdict.provisional else ""
        match verdict:
            case Accepted(clauses=clauses):
                what = to_words(verdict.what)
                yield TimelineLine(source, f"{what[:1].upper()}{what[1:]}{face}{held}.", clauses)
            case Irregularity():
                clauses = verdict.clauses if account.seen else ()
                found = describe_irregularity(account, verdict)
                text = f"Irregularity {verdict.number}: {found}{face}{held}."
                yield TimelineLine(source, text, clauses, grave=True)
        face = ""


def _face_text(account: CoupAccount, source: ShoeEntry, judged: EventVerdicts) -> str:
    event = judged.event
    if not isinstance(event, CardDrawn) or not account.card_seen(source.seq):
        return ""
    return f": {to_words(UNREAD_CARD) if event.card is None else event.card}"


def describe_irregularity(account: CoupAccount, found: Irregularity) -> str:
    """What was wrong; with details only if people have seen the cards they follow from."""
    return irregularity_words(found) if account.seen else to_words(Message(found.code.value))


def describe_closed_coup(record: CoupRecord) -> str:
    """The outcome and fate of a coup, without its cards."""
    outcome = "no outcome counts" if record.outcome is None else OUTCOME_TEXTS[record.outcome]
    return f"{outcome}, {FATE_TEXTS[record.fate]}"


def describe_decision(source: ShoeEntry, decided: ResolutionRecorded) -> str:
    """The person, the decision, the reason and the closed irregularities."""
    done = _DECISION_TEXTS[decided.decision]
    stated = f" ({decided.outcome})" if decided.outcome else ""
    held = _PROVISIONAL_TEXTS[decided.provisional]
    numbers = ", ".join(map(str, decided.closed))
    who = person_text(source, decided.person)
    if decided.second:
        who += f" and {second_text(source, decided.second)}"
    return (
        f"{who} decided: {done}{stated}{held}. Reason: {decided.reason}."
        f" Closes {'irregularity' if len(decided.closed) == 1 else 'irregularities'} {numbers}."
    )


def describe_correction(source: ShoeEntry, corrected: CoupCorrected) -> str:
    """Both persons, the outcome that counts now, the one before, and the reason."""
    second = second_text(source, corrected.second)
    who = f"{person_text(source, corrected.person)} and {second}"
    now, before = OUTCOME_TEXTS[corrected.outcome], OUTCOME_TEXTS[corrected.before]
    return f"{who} corrected the outcome: {now}; before: {before}. Reason: {corrected.reason}."


def person_text(source: ShoeEntry, person: str) -> str:
    """The person who acted, with the role and how the program identified them.

    These are the action's, and of its own person: whom the entry names beside them is named alone.
    """
    if source.action is None:
        return person
    if person != source.action.person:
        actor = person_text(source, source.action.person)
        return f"{actor}, naming {person}" if person else actor
    role = source.action.role.value.replace("_", " ")
    known = proof_words(source.action.proof)
    return f"{person} ({role}, {known}, identified by {source.action.identified_by})"


def second_text(source: ShoeEntry, person: str) -> str:
    """The second person, with how the person is known."""
    if source.action is None:
        return person
    return f"{person} ({proof_words(source.action.second_proof)})"


def _other_lines(source: ShoeEntry) -> Iterator[TimelineLine]:
    """Lines of people, devices and batches."""
    match source.entry:
        case Prompt(text=text, clauses=clauses, observed=observed):
            unseen = "" if observed else NOT_OBSERVED
            yield TimelineLine(source, f"Prompted: {to_words(text)}{unseen}.", clauses)
        case ActRecord(what=what, person=person, detail=detail, clauses=clauses):
            who = f"{person_text(source, person)}: " if person else ""
            done = f"{who}{what}{_in_parentheses(to_words(detail))}."
            yield TimelineLine(source, done, clauses)
        case Refusal(what=what, why=why, clauses=clauses):
            yield TimelineLine(source, f"Refused: {what}{_in_parentheses(to_words(why))}.", clauses)
        case SettingChanged(setting=setting, old=old, new=new, person=person, clauses=clauses):
            yield TimelineLine(
                source, f"{person_text(source, person)} changed {setting}: {old} to {new}.", clauses
            )
        case CommandGiven(command=command, why=why):
            yield TimelineLine(
                source, f"Order to a device: {to_words(command)}{_in_parentheses(to_words(why))}."
            )
        case WarningOpened(number=number, text=text, clauses=clauses):
            yield TimelineLine(
                source, f"Warning {number} of the shuffler: {to_words(text)}.", clauses
            )
        case WarningClosed(number=number, person=person, reason=reason):
            yield TimelineLine(
                source,
                f"{person_text(source, person)} cleared warning {number}{_in_parentheses(reason)}.",
            )
        case StageChange(batch=batch, before=before, after=after, why=why, clauses=clauses):
            moved = f"Batch {batch} went from {before} to {after}{_in_parentheses(to_words(why))}."
            yield TimelineLine(source, moved.replace("_", " "), clauses)
        case _:
            yield from _shoe_lines(source)


def _shoe_lines(source: ShoeEntry) -> Iterator[TimelineLine]:
    match source.entry:
        case ShoeOpened(shoe=shoe, decks=decks):
            yield TimelineLine(source, f"Shoe {shoe} was opened, {counted(decks, 'deck')}.")
        case BurnDone(removed=removed):
            yield TimelineLine(source, f"The burn is complete: {counted(removed, 'card')}.")
        case ShoeEnded(coups=coups):
            yield TimelineLine(source, f"The shoe ended after {counted(coups, 'coup')}.")
        case RunBegan(software=software):
            yield TimelineLine(source, f"The program began a run (version {software}).")
        case ShuffleRecorded(batch=batch, refused=refused, clauses=clauses):
            counts = "counts" if refused is None else f"does not count: {to_words(refused)}"
            yield TimelineLine(source, f"A shuffle of batch {batch} {counts}.", clauses)
        case DeviceEventRecorded(event=CardPassed() | TagSeen()):
            return  # the card has a line of its own, or none left the shoe
        case DeviceEventRecorded(port=port, event=event):
            yield TimelineLine(source, f"Device at {port}: {_split_words(type(event).__name__)}.")
        case None:
            yield TimelineLine(source, "An entry of another software version.")
        case other:
            yield TimelineLine(source, f"{_split_words(type(other).__name__)}.")


def _in_parentheses(detail: str) -> str:
    return f" ({detail})" if detail else ""


def _split_words(name: str) -> str:
    """A class name as words: StageChanged gives "stage changed"."""
    return "".join(f" {one.lower()}" if one.isupper() else one for one in name).strip()

"""Formats a played script as text and as JSON values: verdicts, effects, wagers, phase.

Every face is shown: it comes from the script, so its writer knows it.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeAlias, assert_never

from msgspec import Struct

from controller.core.script.player import PlayedStatement
from controller.core.script.statement_forms import unparse
from controller.core.script.statements import UNREAD
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.custody.batch_life.state import WarningKind
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    CoupRecord,
    Effect,
    Prompt,
    PromptKind,
    Refusal,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase, due_words
from controller.procedure.places import PLAYER_PLACES
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Accepted, Irregularity, Verdict
from controller.record.irregularity import forbidden_words, irregularity_words, permitted_words
from controller.rules.cards import Card
from controller.rules.odds import Odds
from controller.rules.outcome import CoupFate
from controller.rules.profiles.borrowing import citation_words, with_borrowed
from controller.rules.settlement.coup_facts import derive_facts
from controller.rules.settlement.results import WagerResult, void_results, wager_results
from controller.rules.settlement.terms import Terms
from controller.rules.settlement.wagers import WagerKind
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import counted
from foundation.message import Message

Plain: TypeAlias = dict[str, object]
_INDENT: Final = " " * 8
# A field that is called kind itself goes by what it is a kind of; `kind` is the tag of a value.
_KIND_NAMES: Final[Mapping[type, str]] = MappingProxyType(
    {PromptKind: "prompt", WagerKind: "wager", WarningKind: "warning"}
)


def statement_lines(book: RuleBook, played: PlayedStatement) -> list[str]:
    """The statement and its verdicts and effects, one line each."""
    statement = played.statement
    place = f"{statement.line}:{statement.column}"
    lines = [f"{place:<7} {unparse(statement.body)}"]
    for verdict in played.verdicts:
        lines += _indented(_verdict_lines(book, verdict))
    for effect in played.effects:
        lines += _indented(_effect_lines(book, played, effect))
    lines += _indented([f"next: {_next(played)}"])
    return lines


def statement_json(book: RuleBook, played: PlayedStatement) -> Plain:
    """The statement and its verdicts and effects as plain JSON values."""
    effects: list[Plain] = []
    for effect in played.effects:
        plain = _plain_object(effect)
        if isinstance(effect, CoupClosed):
            plain["wagers"] = [
                _plain_object(one) for one in _wager_results(book, played, effect.record)
            ]
        effects.append(plain)
    shown: Plain = {
        "line": played.statement.line,
        "column": played.statement.column,
        "statement": unparse(played.statement.body),
        "verdicts": [_verdict_json(one) for one in played.verdicts],
        "effects": effects,
        "phase": played.state.phase.value,
    }
    return with_borrowed(book.document, shown)


def _next(played: PlayedStatement) -> str:
    """What is due; a declared result waits for nothing but the decision."""
    state = played.state
    due = to_words(due_words(state.phase))
    if state.suspension is None or state.due_phase is Phase.DECLARED:
        return due
    return f"{due}, then {to_words(due_words(state.due_phase))}"


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"{_INDENT}{line}" for line in lines)


def _cited(book: RuleBook, clauses: tuple[str, ...]) -> str:
    return f" [{citation_words(book.document, clauses)}]" if clauses else ""


def _verdict_lines(book: RuleBook, verdict: Verdict) -> list[str]:
    note = " (while suspended)" if verdict.provisional else ""
    if isinstance(verdict, Accepted):
        return [f"{to_words(verdict.what)}{note}{_cited(book, verdict.clauses)}"]
    where = f"coup {verdict.coup}" if verdict.coup else "between coups"
    found = irregularity_words(verdict)
    head = f"IRREGULARITY {verdict.number} {verdict.code.value}, {where}{note}: {found}"
    return [
        f"{head}{_cited(book, verdict.clauses)}",
        *(f"  permitted: {one}" for one in permitted_words(verdict)),
        *(f"  forbidden: {one}" for one in forbidden_words(verdict)),
        f"  decisions: {', '.join(_decisions(verdict))}"
        + ("" if verdict.suspends else "; play goes on"),
    ]


def _verdict_json(verdict: Verdict) -> Plain:
    if isinstance(verdict, Accepted):
        return {
            "kind": "accepted",
            "detail": to_words(verdict.what),
            "clauses": list(verdict.clauses),
            "provisional": verdict.provisional,
        }
    return {
        **_plain_object(verdict),
        "detail": irregularity_words(verdict),
        "permitted": permitted_words(verdict),
        "forbidden": forbidden_words(verdict),
        "decisions": _decisions(verdict),
    }


def _decisions(raised: Irregularity) -> list[str]:
    return [one.as_accepted for one in raised.decisions]


def _effect_lines(book: RuleBook, played: PlayedStatement, effect: Effect) -> list[str]:
    match effect:
        case CoupClosed(record, clauses):
            results = _wager_results(book, played, record)
            return [
                _record_text(record) + _cited(book, clauses),
                *(_wager_text(book, one) for one in results),
            ]
        case CoupPayment():
            note = [f"  {to_words(effect.note)}"] if effect.note is not None else []
            steps = [f"  {to_words(one.text)}{_cited(book, one.clauses)}" for one in effect.steps]
            return [f"to pay for coup {effect.coup}, in this order:", *steps, *note]
        case CoupCorrected():
            corrected = f"coup {effect.coup} of shoe {effect.shoe} corrected: {effect.outcome}"
            people = f"by {effect.person} and {effect.second}, {effect.reason}"
            return [f"{corrected}, was {effect.before}, {people}"]
        case Prompt():
            return [f"due: {to_words(effect.text)}{_cited(book, effect.clauses)}"]
        case Refusal():
            return [f"REFUSED {effect.what}: {to_words(effect.why)}{_cited(book, effect.clauses)}"]
        case ActRecord():
            detail = to_words(effect.detail)
            detail = f", {detail}" if detail else ""
            return [
                f"on record: {effect.what}, {effect.person}{detail}{_cited(book, effect.clauses)}"
            ]
        case SettingChanged():
            changed = f"{effect.setting} is {effect.new}, was {effect.old}"
            return [f"setting: {changed}{_cited(book, effect.clauses)}"]
        case ResolutionRecorded():
            closed = ", ".join(map(str, effect.closed))
            people = " and ".join(filter(None, (effect.person, effect.second)))
            return [f"resolved: {effect.decision} by {people}, closes {closed}"]
        case ShoeOpened():
            joined = ", joined in play" if effect.joined else ""
            decks = counted(effect.decks, "deck")
            return [f"shoe {effect.shoe} of {effect.gaming_day}, {decks}{joined}"]
        case ShoeEnded():
            coups, cards = counted(effect.coups, "coup"), counted(effect.cards_drawn, "card")
            return [f"shoe {effect.shoe} ended: {coups}, {cards}"]
        case BurnDone():
            not_proven = "" if effect.proven else ", not proven"
            return [f"burned: {counted(effect.removed, 'card')}{not_proven}"]
        case _:
            return [_batch_effect_text(book, effect)]


def _batch_effect_text(
    book: RuleBook,
    effect: StageChange | ShuffleRecorded | WarningOpened | WarningClosed,
) -> str:
    """The life of the batches, and warnings of the shuffler."""
    match effect:
        case StageChange():
            stages = f"{effect.before} to {effect.after}".replace("_", " ")
            why = to_words(effect.why) + _cited(book, effect.clauses)
            return f"batch {effect.batch}: {stages}; {why}"
        case ShuffleRecorded():
            refused = effect.refused
            counts = "counts" if refused is None else f"does not count: {to_words(refused)}"
            cycle = effect.proof.cycle
            text = f"shuffle {cycle} of batch {effect.batch} {counts}"
            return text + _cited(book, effect.clauses)
        case WarningOpened():
            return f"warning {effect.number}: {to_words(effect.text)}{_cited(book, effect.clauses)}"
        case WarningClosed():
            return f"warning {effect.number} cleared by {effect.person}: {effect.reason}"
        case _:
            assert_never(effect)


def _record_text(record: CoupRecord) -> str:
    hands = f"Player {_hand_text(record, player=True)}; Banker {_hand_text(record, player=False)}"
    text = f"coup {record.coup} {record.fate.value.replace('_', ' ')}"
    if record.outcome is not None:
        text += f", {record.outcome.value}"
    if record.result is not None:
        text += f" {record.result.player_count} to {record.result.banker_count}"
    aside = f"; {len(record.aside)} aside" if record.aside else ""
    return f"{text}: {hands}{aside}"


def _hand_text(record: CoupRecord, *, player: bool) -> str:
    hand = [one.card for one in record.cards if (one.place in PLAYER_PLACES) is player]
    return " ".join(UNREAD if card is None else str(card) for card in hand) or "no card"


def _wager_results(
    book: RuleBook, played: PlayedStatement, record: CoupRecord
) -> tuple[WagerResult, ...]:
    """The result of every wager; empty if the cards do not determine it."""
    terms = Terms.of(effective_book(book, played.state).profile)
    if record.fate is CoupFate.VOID:
        return void_results(terms, own_void=record.own_void)
    faces = tuple(one.card for one in record.cards if one.card is not None)
    if record.fate is not CoupFate.COUNTED or record.result is None:
        return ()
    return wager_results(terms, derive_facts(faces))


def _wager_text(book: RuleBook, one: WagerResult) -> str:
    odds = f" {one.odds}" if one.odds is not None else ""
    return f"  {one.kind.value} {one.verdict.value}{odds}{_cited(book, one.clauses)}"


def _plain_object(value: object) -> Plain:
    """Any value of the procedure by its fields; `kind` is its tag, if its type has one."""
    assert isinstance(value, Struct)
    tag = type(value).__struct_config__.tag
    shown: Plain = {"kind": tag} if tag is not None else {}
    for field in value.__struct_fields__:
        item = getattr(value, field)
        shown[_KIND_NAMES[type(item)] if field == "kind" else field] = _plain(item)
    return shown


def _plain(value: object) -> object:
    match value:
        case Card() | Odds():
            return str(value)
        case Enum():
            return value.value
        case bytes():
            return value.hex()
        case tuple():
            return [_plain(one) for one in value]
        case Message():
            return to_words(value)
        case Struct():
            return _plain_object(value)
        case _:
            return value

"""A played script in words and as plain values.

Responsible for: one statement with its verdicts, effects, wagers that win, and the phase after it.
Nothing is left out: what this module has no words for is shown by its fields.
Not responsible for: disclosure. The faces come from the script, so its writer knows them.
Source: controller/script/README.md, "Playing".
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Final, TypeAlias

from controller.procedure.effects import (
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
)
from controller.procedure.people.setting_changes import effective
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Accepted, Verdict
from controller.rules.cards import Card
from controller.rules.odds import Odds
from controller.script.player import Played
from controller.script.printer import unparse
from controller.script.statements import UNREAD
from controller.settlement.coup_facts import facts_of
from controller.settlement.results import Judgement, what_is_void, what_wins
from controller.settlement.terms import Terms

Plain: TypeAlias = dict[str, object]
_INDENT: Final = " " * 8
_INNER: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def played_lines(book: RuleBook, played: Played) -> list[str]:
    """The statement and all that came of it, a line each."""
    statement = played.statement
    place = f"{statement.line}:{statement.column}"
    lines = [f"{place:<7} {unparse(statement.said)}"]
    for verdict in played.verdicts:
        lines += _indented(_verdict_lines(verdict))
    for effect in played.effects:
        lines += _indented(_effect_lines(book, played, effect))
    lines += _indented([f"phase: {_phase(played)}"])
    return lines


def played_json(book: RuleBook, played: Played) -> Plain:
    """The same as plain values."""
    effects: list[Plain] = []
    for effect in played.effects:
        shown = _plain_object(effect)
        if isinstance(effect, CoupClosed):
            shown["wagers"] = [_plain_object(one) for one in _judged(book, played, effect.record)]
        effects.append(shown)
    return {
        "line": played.statement.line,
        "column": played.statement.column,
        "statement": unparse(played.statement.said),
        "verdicts": [_verdict_json(one) for one in played.verdicts],
        "effects": effects,
        "phase": played.state.phase.value,
    }


def _phase(played: Played) -> str:
    suspension = played.state.suspension
    phase = played.state.phase.value
    return phase if suspension is None else f"{phase}, then {suspension.resume_to.value}"


def _indented(lines: list[str]) -> Iterator[str]:
    return (f"{_INDENT}{line}" for line in lines)


def _cited(clauses: tuple[str, ...]) -> str:
    return f" [{', '.join(clauses)}]" if clauses else ""


def _verdict_lines(verdict: Verdict) -> list[str]:
    note = " (while suspended)" if verdict.provisional else ""
    if isinstance(verdict, Accepted):
        return [f"{verdict.what}{note}{_cited(verdict.clauses)}"]
    where = f"coup {verdict.coup}" if verdict.coup else "between coups"
    head = f"IRREGULARITY {verdict.number} {verdict.code.value}, {where}{note}: {verdict.detail}"
    return [
        f"{head}{_cited(verdict.clauses)}",
        *(f"  permitted: {words}" for words in verdict.permitted),
        *(f"  forbidden: {words}" for words in verdict.forbidden),
        f"  decisions: {', '.join(verdict.decisions)}"
        + ("" if verdict.suspends else "; play goes on"),
    ]


def _verdict_json(verdict: Verdict) -> Plain:
    if isinstance(verdict, Accepted):
        return {
            "kind": "accepted",
            "detail": verdict.what,
            "clauses": list(verdict.clauses),
            "provisional": verdict.provisional,
        }
    return _plain_object(verdict)


def _effect_lines(book: RuleBook, played: Played, effect: object) -> list[str]:
    match effect:
        case CoupClosed(record, clauses):
            judged = _judged(book, played, record)
            return [_record_words(record) + _cited(clauses), *map(_judged_words, judged)]
        case CoupPaid():
            note = [f"  {effect.note}"] if effect.note else []
            steps = [f"  {one.text}{_cited(one.clauses)}" for one in effect.steps]
            return [f"to pay for coup {effect.coup}, in this order:", *steps, *note]
        case Prompted():
            return [f"due: {effect.text}{_cited(effect.clauses)}"]
        case Refused():
            return [f"REFUSED {effect.what}: {effect.why}{_cited(effect.clauses)}"]
        case Recorded():
            detail = f", {effect.detail}" if effect.detail else ""
            return [f"on record: {effect.what}, {effect.person}{detail}{_cited(effect.clauses)}"]
        case SettingChanged():
            words = f"{effect.setting} is {effect.new}, was {effect.old}"
            return [f"setting: {words}{_cited(effect.clauses)}"]
        case ResolutionRecorded():
            closed = ", ".join(map(str, effect.closed))
            return [f"resolved: {effect.decision} by {effect.person}, closes {closed}"]
        case ShoeOpened():
            joined = ", joined in play" if effect.joined else ""
            return [f"shoe {effect.shoe} of {effect.gaming_day}, {effect.decks} decks{joined}"]
        case ShoeEnded():
            return [f"shoe {effect.shoe} ended: {effect.coups} coups, {effect.cards_drawn} cards"]
        case BurnDone():
            return [f"burned: {effect.removed} cards{'' if effect.proven else ', not proven'}"]
        case _:
            return [", ".join(f"{name}: {value}" for name, value in _plain_object(effect).items())]


def _record_words(record: CoupRecord) -> str:
    cards = " ".join(f"{one.place.value}={_plain(one.card) or UNREAD}" for one in record.cards)
    words = f"coup {record.coup} {record.fate.value}"
    if record.outcome is not None:
        words += f", {record.outcome.value}"
    if record.result is not None:
        words += f" {record.result.player_count} to {record.result.banker_count}"
    aside = f"; {len(record.aside)} aside" if record.aside else ""
    return f"{words}: {cards}{aside}"


def _judged(book: RuleBook, played: Played, record: CoupRecord) -> tuple[Judgement, ...]:
    """Which wagers win, where the cards tell it."""
    terms = Terms.of(effective(book, played.state).profile)
    if record.fate is CoupFate.VOID:
        return what_is_void(terms)
    faces = tuple(one.card for one in record.cards if one.card is not None)
    if record.fate is not CoupFate.COUNTED or record.result is None:
        return ()
    return what_wins(terms, facts_of(faces))


def _judged_words(one: Judgement) -> str:
    odds = f" {one.odds}" if one.odds is not None else ""
    return f"  {one.kind.value} {one.verdict.value}{odds}{_cited(one.clauses)}"


def _plain_object(value: object) -> Plain:
    """Any value of the procedure by its fields; `kind` is its name in small letters."""
    assert is_dataclass(value)
    shown: Plain = {"kind": _INNER.sub("_", type(value).__name__).lower()}
    for one in fields(value):
        # A field may be called kind itself: a kind of wager.
        name = "wager" if one.name == "kind" else one.name
        shown[name] = _plain(getattr(value, one.name))
    return shown


def _plain(value: object) -> object:
    match value:
        case Card() | Odds():
            return str(value)
        case Enum():
            return value.value
        case tuple():
            return [_plain(one) for one in value]
        case _ if is_dataclass(value):
            return _plain_object(value)
        case _:
            return value

"""A dealing script's statement as one line of the verdicts' net: codes, clauses, numbers, phase.

Sentences are left out: words may be improved, a verdict may not change.
"""

from typing import Final

from controller.core.script.parser import parse
from controller.core.script.player import PlayedStatement, play
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.procedure.effects import (
    ActRecord,
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupPayment,
    CoupRecord,
    Effect,
    Prompt,
    Refusal,
    ResolutionRecorded,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.verdicts import Accepted, Verdict
from controller.rules.profiles.load import load_profile

SEATS: Final = (1, 2, 3, 4, 5)
# Phases that were one when the net was written.
PHASES_THEN: Final = {
    Phase.BURN_UNCOUNTED: Phase.BURN_REST,
    Phase.BOXED_BURN: Phase.BURN_REST,
    Phase.REMEDY_BURN: Phase.BURN_REST,
    Phase.REMEDY_BURN_UNCOUNTED: Phase.BURN_REST,
    Phase.COUP_BURN: Phase.BURN_REST,
    Phase.BETTING_CLOSED: Phase.PLAYER_1,
    Phase.PARTIAL: Phase.RESULT,
    Phase.DECLARED: Phase.RESULT,
    Phase.ABANDONED_COMPLETE: Phase.RESULT,
}


def rule_book(profile: str, decks: int, observed: str) -> RuleBook:
    """The rules for a script of the net; `observed` names facts, comma-separated."""
    named = observed.split(",")
    facts = tuple(fact for fact in ObservableFact if fact.value in named)
    return RuleBook.of(load_profile(profile), decks, facts, SEATS)


def answers_to(profile: str, decks: int, observed: str, script: str) -> list[str]:
    """One line for each statement of `script`."""
    return [answer(one) for one in play(rule_book(profile, decks, observed), parse(script))]


def answer(played: PlayedStatement) -> str:
    words = [*map(_verdict, played.verdicts), *map(_effect, played.effects)]
    state = played.state
    resumes = "" if state.suspension is None else f"/{_phase_then(state.due_phase)}"
    words.append(f"={_phase_then(state.phase)}{resumes}")
    return " ".join(words)


def _phase_then(phase: Phase) -> str:
    return PHASES_THEN.get(phase, phase).value


def _clauses(clauses: tuple[str, ...]) -> str:
    return f"[{','.join(clauses)}]"


def _verdict(verdict: Verdict) -> str:
    provisional = "~" if verdict.provisional else ""
    if isinstance(verdict, Accepted):
        return f"ok{provisional}{_clauses(verdict.clauses)}"
    suspends = "s" if verdict.suspends else ""
    decisions = ",".join(one.as_accepted for one in verdict.decisions)
    return (
        f"!{verdict.code.value}#{verdict.number}@{verdict.coup}{suspends}{provisional}"
        f"{_clauses(verdict.clauses)}{{{decisions}}}"
    )


def _effect(effect: Effect) -> str:
    match effect:
        case Refusal():
            return f"refused{_clauses(effect.clauses)}"
        case CoupClosed():
            return f"coup:{_coup(effect.record)}{_clauses(effect.clauses)}"
        case CoupPayment():
            settled = effect.settlement
            gains = ",".join(f"{seat}:{settled.seat_gain(seat)}" for seat in settled.seats)
            back = sum(act.cents for act in effect.returned)
            return f"paid:{effect.coup}:{settled.house_gain}:{gains}:{back}"
        case Prompt():
            unobserved = "" if effect.observed else "?"
            return f"due:{effect.kind.value}{unobserved}{_clauses(effect.clauses)}"
        case ActRecord():
            return f"recorded{_clauses(effect.clauses)}"
        case ResolutionRecorded():
            closed = ",".join(map(str, effect.closed))
            cards, outcome = effect.provisional or "", effect.outcome or ""
            return f"resolved:{effect.decision}:{cards}:{outcome}:{closed}"
        case _:
            return _other_effect(effect)


def _other_effect(effect: Effect) -> str:
    """Effects on shoes, settings, batches and warnings."""
    match effect:
        case SettingChanged():
            return f"set:{effect.setting}:{effect.old}:{effect.new}{_clauses(effect.clauses)}"
        case CoupCorrected():
            owed = ",".join(f"{one.seat}:{one.kind.value}:{one.cents}" for one in effect.owed)
            return f"corrected:{effect.coup}:{effect.before}>{effect.outcome}:{owed}"
        case ShoeOpened():
            joined = ":joined" if effect.joined else ""
            return f"shoe:{effect.gaming_day}:{effect.shoe}:{effect.decks}{joined}"
        case ShoeEnded():
            outcomes = f"{effect.player}/{effect.banker}/{effect.tie}/{effect.void}"
            counts = f"{effect.cards_drawn}:{effect.coups}:{outcomes}:{effect.irregularities}"
            return f"ended:{effect.shoe}:{counts}"
        case BurnDone():
            return f"burned:{effect.removed}{'' if effect.proven else '?'}"
        case StageChange():
            stages = f"{effect.batch}:{effect.before}>{effect.after}"
            return f"batch:{stages}{_clauses(effect.clauses)}"
        case ShuffleRecorded():
            refused = ":refused" if effect.refused else ""
            return f"shuffle:{effect.batch}{refused}{_clauses(effect.clauses)}"
        case WarningOpened():
            return f"warning:{effect.number}:{effect.kind}:{effect.code}{_clauses(effect.clauses)}"
        case WarningClosed():
            return f"cleared:{effect.number}:{effect.kind}"
        case _:
            raise AssertionError(f"the net has no word for {effect!r}")


def _coup(record: CoupRecord) -> str:
    cards = "".join(f"{one.place.value[0]}{one.card or '??'}" for one in record.cards)
    points = "-"
    if record.result is not None:
        points = f"{record.result.player_count}-{record.result.banker_count}"
    outcome = record.outcome.value if record.outcome is not None else "none"
    declared = record.declared.value if record.declared is not None else "none"
    aside = len(record.aside)
    return f"{record.coup}:{record.fate.value}:{outcome}:{declared}:{points}:{cards}:{aside}"

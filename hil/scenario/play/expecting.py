"""Compares what a scenario expects with what the table has concluded."""

from collections.abc import Callable, Sequence
from typing import Final

from controller.procedure.phases import Phase
from controller.record.snapshot import Snapshot
from drivers.events import Stage
from hil.scenario.language.expectation_forms import COUNTED
from hil.scenario.language.statements import Expect, Subject
from hil.scenario.play.bench import TableSide
from hil.scenario.play.facts import Fact

# Subjects that are compared with what is so now, not with what was concluded.
_STANDING: Final = (
    Subject.PHASE,
    Subject.STAGE,
    Subject.LINK,
    Subject.LOCK,
    Subject.METRIC,
    Subject.ADVISORY,
)
_DOWN: Final = (None, Stage.CLOSED, Stage.LOST)


class NeverSo(Exception):
    """The expectation cannot come true any more; the message says why."""


class Expectations:
    """Checks expectations one after the other; each irregularity is expected once."""

    def __init__(self, table: TableSide) -> None:
        self._table = table
        self._checked = 0  # facts before it were expected, or judged as unexpected
        self.caught_card: int | None = None  # of the first catch

    def failure(self, expected: Expect) -> str:
        """Why it is not so; empty if it is. Takes what it finds as expected. Raises NeverSo."""
        if expected.subject in _STANDING:
            return self._standing(expected)
        return self._concluded(expected)

    def unexpected(self) -> tuple[Fact, ...]:
        """Irregularities that no expectation named."""
        return tuple(self._table.facts.since(self._checked, Subject.IRREGULARITY))

    def _concluded(self, expected: Expect) -> str:
        facts = self._table.facts
        new = facts.since(self._checked, Subject.IRREGULARITY)
        if expected.subject is Subject.NOTHING:
            return "" if not new else f"raised: {_names(new)}"
        if expected.subject is Subject.IRREGULARITY:
            found = tuple(one.words[0] for one in new)
            wanted = expected.words
            right = set(wanted) <= set(found) if expected.others else found == wanted
            if not expected.others and found != wanted[: len(found)]:
                raise NeverSo(f"raised: {_names(new)}")
            if not right:
                return f"raised: {_names(new) or 'nothing'}"
            at = next(one for one in new if one.words[0] == wanted[0])
            return self._in_time(expected, at, lambda: self._take_all(facts.facts))
        later = facts.facts[self._checked_of(expected) :]
        matching = [one for one in later if _matches(expected, one)]
        if not matching:
            same = [one.text for one in later if one.subject is expected.subject]
            return f"not concluded; there is: {', '.join(same) or 'nothing'}"
        return self._in_time(expected, matching[0], lambda: None)

    def _checked_of(self, expected: Expect) -> int:
        """Coups and findings stay true: the whole run is searched for them."""
        return self._checked if expected.subject is Subject.REFUSAL else 0

    def _take_all(self, facts: list[Fact]) -> None:
        self._checked = len(facts)

    def _in_time(self, expected: Expect, found: Fact, take: Callable[[], None]) -> str:
        if expected.card and found.card > self._latest(expected):
            return f"it was known at card {found.card} only"
        take()
        if expected.caught:
            self._catch(found.card)
        return ""

    def _catch(self, card: int) -> None:
        if self.caught_card is None:
            self.caught_card = card

    def _latest(self, expected: Expect) -> int:
        """The last card of the shoe at which it may have come to be known."""
        return self._table.facts.card_of(expected.card, expected.face)

    def _standing(self, expected: Expect) -> str:
        if expected.subject is Subject.METRIC:
            return _metric_failure(expected, self._table)
        shown = self._table.snapshot()
        if expected.subject is Subject.ADVISORY:
            said = [one for one in shown.advisories if one.kind.value == expected.words[0]]
            if not said:
                return f"said: {', '.join(one.kind.value for one in shown.advisories) or 'nothing'}"
            if expected.card and said[0].card > self._latest(expected):
                return f"it was said at card {said[0].card} only"
            if expected.caught:
                self._catch(said[0].card)
            return ""
        seen = _standing_words(expected, shown)
        if seen != expected.words:
            return f"it is {' '.join(seen) or 'not known'}"
        if expected.caught:
            self._catch(self._table.facts.cards_drawn)
        return ""


def _matches(expected: Expect, fact: Fact) -> bool:
    if fact.subject is not expected.subject:
        return False
    if expected.subject is Subject.REFUSAL:
        return set(expected.words) <= set(fact.words)
    if expected.words[1:] == (COUNTED,):
        return fact.words[0] == expected.words[0] and fact.words[1] != "void"
    return fact.words == expected.words


def _names(facts: Sequence[Fact]) -> str:
    return ", ".join(one.words[0] for one in facts)


def _standing_words(expected: Expect, shown: Snapshot) -> tuple[str, ...]:
    """What is so now of the thing that is expected."""
    match expected.subject:
        case Subject.PHASE:
            value = shown.phase.value
            return (value.value,) if isinstance(value, Phase) else ()
        case Subject.LOCK:
            locked = shown.device.locked
            return () if locked is None else ("locked" if locked else "free",)
        case Subject.LINK:
            part = expected.words[0]
            stage = shown.device.stage if part == "shoe" else _shuffler_stage(shown)
            return (part, "down" if stage in _DOWN else "up")
        case _:
            back = expected.words[0]
            batches = shown.shuffler.batches if shown.shuffler is not None else ()
            known = next((one.stage for one in batches if one.back == back), "unknown")
            return (back, str(known))


def _shuffler_stage(shown: Snapshot) -> Stage | None:
    return shown.shuffler.stage if shown.shuffler is not None else None


def _metric_failure(expected: Expect, table: TableSide) -> str:
    name, how, number = expected.words
    value = table.metric(name)
    if value is None:
        return "there is no such metric"
    wanted = float(number)
    met = {
        "is": value == wanted,
        "at-least": value >= wanted,
        "at-most": value <= wanted,
    }[how]
    return "" if met else f"it is {value:g}"

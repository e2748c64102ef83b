"""Facts that a table has concluded, each with the card and the moment at which it was known."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from controller.core.state import Conclusion
from controller.core.tape.entries import Entry, EventVerdicts
from controller.journal.people import put_names
from controller.procedure.effects import CoupClosed, Refusal, ShoeOpened, WarningOpened
from controller.procedure.events import CardDrawn, CustodyFindingRaised
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import OperatorAction
from controller.rules.cards import Card
from controller.system.messages.catalogue import to_words
from hil.scenario.language.statements import Subject


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. `card` is how many cards of the shoe had left; `at_ns` is UTC; `text` describes it.

    `words` are compared with those of an expectation.
    """

    subject: Subject
    words: tuple[str, ...]
    card: int
    at_ns: int
    text: str = ""


class FactReader:
    """Collects the facts of a table, conclusion by conclusion.

    `names` gives the names of persons by their ids, where the record holds ids.
    """

    def __init__(self, names: Callable[[], Mapping[str, str]] = dict) -> None:
        self._names = names
        self.facts: list[Fact] = []
        self.faces: list[Card | None] = []  # that left the shoe in play; None: not read
        self.cards_judged = 0  # of all shoes
        self.card_times_ns: list[int] = []  # of all shoes, UTC
        self.suspensions = 0  # irregularities that suspended the table

    @property
    def cards_drawn(self) -> int:
        """How many cards have left the shoe in play."""
        return len(self.faces)

    def card_of(self, number: int, face: Card | None) -> int:
        """Which card of the shoe was the one of that number with that face; 0: none was.

        Without a face it is the number itself.
        """
        if face is None:
            return number
        places = [place for place, one in enumerate(self.faces, start=1) if one == face]
        return places[number - 1] if len(places) >= number else 0

    def take(self, conclusion: Conclusion) -> None:
        """Take the next conclusion in."""
        at_ns = conclusion.item.at.utc_ns
        if any(isinstance(one, ShoeOpened) for one in conclusion.entries):
            self.faces = []
        for entry in conclusion.entries:
            self._count(entry, at_ns)
            for subject, words, text in _facts_in(entry):
                self.facts.append(Fact(subject, words, self.cards_drawn, at_ns, text))
        refused = [one for one in conclusion.entries if isinstance(one, Refusal)]
        if refused and isinstance(conclusion.item, OperatorAction):
            clauses = tuple(clause for one in refused for clause in one.clauses)
            text = f"refused: {put_names(to_words(refused[0].why), self._names())}"
            self.facts.append(Fact(Subject.REFUSAL, clauses, self.cards_drawn, at_ns, text))

    def refused(self, why: str, at_ns: int) -> None:
        """A person was refused before anything came to be judged."""
        self.facts.append(Fact(Subject.REFUSAL, (), self.cards_drawn, at_ns, f"refused: {why}"))

    def _count(self, entry: Entry, at_ns: int) -> None:
        if isinstance(entry, EventVerdicts) and isinstance(entry.event, CardDrawn):
            self.faces.append(entry.event.card)
            self.cards_judged += 1
            self.card_times_ns.append(at_ns)
        if isinstance(entry, EventVerdicts):
            for one in entry.verdicts:
                self.suspensions += isinstance(one, Irregularity) and one.suspends

    def since(self, number: int, subject: Subject) -> Sequence[Fact]:
        """The facts of a subject after the first `number` facts."""
        return [one for one in self.facts[number:] if one.subject is subject]


def _facts_in(entry: Entry) -> list[tuple[Subject, tuple[str, ...], str]]:
    match entry:
        case EventVerdicts():
            found: list[tuple[Subject, tuple[str, ...], str]] = [
                (Subject.IRREGULARITY, (one.code.value,), f"irregularity {one.code.value}")
                for one in entry.verdicts
                if isinstance(one, Irregularity)
            ]
            if isinstance(entry.event, CustodyFindingRaised):
                code = entry.event.finding.code.value
                found.append((Subject.FINDING, (code,), f"finding {code}"))
            return found
        case WarningOpened():
            return [(Subject.WARNING, (entry.kind.value,), f"warning {entry.kind.value}")]
        case CoupClosed():
            record = entry.record
            fate = record.outcome.value if record.outcome is not None else "void"
            return [(Subject.COUP, (str(record.coup), fate), f"coup {record.coup}: {fate}")]
        case _:
            return []

"""Says of a cited clause that it is borrowed from another rule document, and by which decision.

Not: what a profile borrows at a point (its grounds).
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from controller.system.messages.catalogue import to_words
from foundation.message import message

Plain: TypeAlias = dict[str, object]

# The fields of plain values that list clauses.
CITING: Final = ("clauses", "charged_by")
_UNKNOWN: Final = "assumed"
# The decision that borrows a part of a rule document where another one is silent. Of several parts
# that a clause belongs to, the last one here counts.
_DECISIONS: Final = (
    ("NY-b-1-iv", "X-19"),
    ("NY-c-7", "X-19"),
    ("NJ-7.3-g-4", "X-20"),
    ("NJ-7.3-g-5", "X-20"),
    ("NJ-7.3-g-6", "X-20"),
    ("S42-a-1-decks", "X-1"),
    ("S42-a-1-colour", "X-3"),
    ("S42-a-1-cut", "X-3"),
    ("S42-a-4", "X-2"),
    ("S42-b-1-i-C", "X-12"),
    ("S42-b-1-ii-C", "X-12"),
    ("S42-b-2", "X-20"),
    ("S42-b-4", "X-23"),
    ("S42-c-1", "X-21"),
    ("S42-c-2", "X-22"),
    ("S42-c-3", "X-15"),
    ("S42-c-3-pay", "X-21"),
    ("S42-c-3-rate", "X-13"),
    ("S42-c-3-i", "X-14"),
    ("S42-c-4", "X-16"),
    ("S42-c-5-notice", "X-32"),
    ("S42-d", "X-30"),
    ("S42-e-1", "D-20"),
    ("S42-e-2", "D-34"),
    ("S42-e-2-ii-B", "X-32"),
    ("S42-e-3", "D-34"),
    ("S42-e-4", "X-6"),
    ("S42-e-5", "X-6"),
    ("S42-e-6", "X-3"),
    ("S42-e-6-move", "X-6"),
    ("S42-e-6-burn1", "X-4"),
    ("S42-e-6-burnn", "X-4"),
    ("S42-e-6-value", "D-12"),
    ("S42-e-6-shown", "X-5"),
    ("S42-e-7", "X-6"),
    ("S42-e-8", "X-33"),
    ("S42-f-1-same", "D-17"),
    ("S42-g-2", "X-23"),
    ("S42-g-3", "X-9"),
    ("S42-h-2", "X-8"),
    ("S42-h-3", "X-10"),
    ("S42-h-4", "X-8"),
    ("S42-h-5", "X-7"),
    ("S42-i", "X-8"),
    ("S42-j-2", "X-24"),
    ("S42-j-3", "X-24"),
    ("S42-k", "X-26"),
    ("S42-k-4", "X-27"),
    ("S42-k-5-dealer", "D-37"),
)


def borrowed_by(own: str, clause_id: str) -> str | None:
    """The decision that borrows a clause for the rule document `own`; None for one of its own.

    An `own` of "" is unknown: nothing is said to be borrowed then.
    """
    if own in ("", clause_id.partition("-")[0]):
        return None
    fitting = (name for part, name in _DECISIONS if f"{clause_id}-".startswith(f"{part}-"))
    return (_UNKNOWN, *fitting)[-1]


def borrowed_among(own: str, clauses: Iterable[str]) -> dict[str, str]:
    """The decision by clause, for those of the clauses that are borrowed."""
    named = ((one, borrowed_by(own, one)) for one in clauses)
    return {one: decision for one, decision in named if decision is not None}


def cite(own: str, clauses: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The clauses, and the decision by clause for those that are borrowed."""
    return clauses, borrowed_among(own, clauses)


def citation_words(own: str, clauses: Iterable[str]) -> str:
    """The clauses as a person reads them, comma-separated, as `S42-e-5 (borrowed, X-6)`."""
    cited = tuple(describe_citation(one, borrowed_by(own, one)) for one in clauses)
    return to_words(message("clauses_cited", clauses=cited))


def with_citation(own: str, words: str, clauses: tuple[str, ...]) -> str:
    """The words, with the clauses in parentheses behind them if there are any."""
    if not clauses:
        return words
    cited = citation_words(own, clauses)
    return to_words(message("words_with_clauses", words=words, clauses=cited))


def describe_citation(clause_id: str, decision: str | None) -> str:
    """One clause, with the decision that borrows it."""
    if decision is None:
        return clause_id
    return to_words(message("clause_borrowed", clause=clause_id, decision=decision))


def with_borrowed(own: str, plain: Plain) -> Plain:
    """Plain values in which every object that cites a borrowed clause says so.

    Its `borrowed` names the decision by clause.
    """
    shown = {name: _deep(own, value) for name, value in plain.items()}
    borrowed = borrowed_among(own, _cited(plain))
    return {**shown, "borrowed": borrowed} if borrowed else shown


def _deep(own: str, value: object) -> object:
    match value:
        case dict():
            return with_borrowed(own, value)
        case list():
            return [_deep(own, one) for one in value]
        case _:
            return value


def _cited(plain: Plain) -> Iterator[str]:
    """The clauses that an object itself cites."""
    for name in CITING:
        named = plain.get(name)
        if isinstance(named, list):
            yield from (one for one in named if isinstance(one, str))

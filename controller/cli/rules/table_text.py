"""The table of play in words, for docs/state-table.md and `smartshoe rules play`."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from controller.procedure import phases
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.table import claims, facts
from controller.procedure.table.book_table import OmittedRow
from controller.procedure.table.row import Condition, Row
from controller.system.messages.catalogue import to_words

_CONTINUOUS: Final = "a continuous shuffler feeds the shoe"
_SHOE_BY_SHOE: Final = "no continuous shuffler feeds the shoe"
# What a condition says of a rule book where it does not hold, and where it does.
_BOOK_WORDS: Final[Mapping[Condition, tuple[str, str]]] = MappingProxyType(
    {
        facts.calls_observed: ("no more bets is not observed", "no more bets is observed"),
        facts.results_observed: ("results are not observed", "results are observed"),
        facts.end_observed: (
            "neither results nor no more bets are observed",
            "results or no more bets are observed",
        ),
        facts.continuous: (_SHOE_BY_SHOE, _CONTINUOUS),
        facts.changes_shoes: (_CONTINUOUS, _SHOE_BY_SHOE),
    }
)
# Names of sets, largest first, so that a row says "any card" and not twelve claims.
_SETS: Final = MappingProxyType(
    {
        "any card, or of an unseen coup": claims.ANY_OR_UNSEEN,
        "any card": claims.ANY_CARD,
        "a card of a hand": claims.HAND_CARDS,
        "a first-four card": claims.FIRST_FOUR,
        "a later first-four card, or of an unseen coup": claims.JOINING,
        "a third or further card": claims.LATE,
        "a third card": claims.THIRD_CARDS,
        "a burn card": claims.BURN_CARDS,
        "a later burn card": claims.IN_BURN,
        "any phase": phases.RESTING,
        "in a shoe": phases.IN_SHOE,
        "in play": phases.IN_PLAY,
        "resumable": phases.RESUMABLE_PHASES,
        "may hold": phases.MAY_HOLD,
        "a coup": phases.COUP_PHASES,
        "a whole coup": phases.WHOLE_COUPS,
        "a burn": phases.BURN_PHASES,
        "incomplete": phases.INCOMPLETE,
        "needs a card": phases.NEEDS_A_CARD,
        "a card is due": phases.DUE_PHASES,
        "coup ends": phases.COUP_ENDS,
        "a burn before play": phases.BURNS_BEFORE_PLAY,
        "a burn for an irregularity": phases.REMEDY_BURNS,
        "complete": phases.COMPLETE,
        "a burn before a coup": phases.BURNS_BEFORE_COUP,
        "before a coup": phases.BEFORE_A_COUP,
        "hands complete": phases.HANDS_COMPLETE,
        "left": phases.ABANDONED_PHASES,
    }
)


class RowText(NamedTuple):
    """A row in words. `irregularity` says of a happening without effect why it has none."""

    happens: str
    phase: str
    condition: str
    irregularity: str
    done: str
    then: str


HEAD: Final = ("what happens", "phase", "if", "irregularity", "what is done", "then")


def omission_text(one: OmittedRow) -> str:
    """Why a row is left out."""
    if one.condition is None:
        return "an earlier row always answers"
    return _BOOK_WORDS[one.condition][one.holds]


def row_text(one: Row) -> RowText:
    """The row in words; sets of happenings and of phases by their names."""
    irregularity = ", ".join(f"`{code}`" for code in one.raises)
    if one.why is not None:
        irregularity = f"no effect: {to_words(one.why)}"
    then = [f"`{one.to}`"] if one.to is not None else []
    then += [_spaced(one.again.__name__)] if one.again is not None else []
    return RowText(
        _set_names(one.on),
        _set_names(one.at),
        " and ".join((*condition_names(one.when), *condition_names(one.unless, "not "))),
        irregularity,
        ", ".join(callback_names(one)),
        ", ".join(then),
    )


def condition_names(named: Iterable[Condition], before: str = "") -> list[str]:
    return [f"{before}{_spaced(one.__name__)}" for one in named]


def callback_names(one: Row) -> list[str]:
    """What a row does, in order; that a card is counted is not said."""
    return [_spaced(do.__name__) for do in (one.reads, one.do, one.then) if do is not None]


def irregularities(rows: Iterable[Row]) -> tuple[IrregularityCode, ...]:
    """Those that the rows raise, in their order."""
    return tuple(dict.fromkeys(code for one in rows for code in one.raises))


def clauses_by_document(code: IrregularityCode, book: RuleBook) -> dict[str, list[str]]:
    """The clauses that an irregularity cites at a rule book, by rule document, its own first."""
    cited: dict[str, list[str]] = {book.profile.own_clauses: []}
    for clause in book.clauses(*CATALOGUE[code].points):
        cited.setdefault(clause.partition("-")[0], []).append(clause)
    return {document: named for document, named in cited.items() if named}


def _set_names(members: tuple[Trigger, ...] | tuple[Phase, ...]) -> str:
    left: list[Trigger | Phase] = list(members)
    words: list[str] = []
    for name, many in _SETS.items():
        if set(many) <= set(left) and len(many) > 1:
            left = [one for one in left if one not in many]
            words.append(name)
    return ", ".join((*words, *(f"`{one}`" for one in left)))


def _spaced(name: str) -> str:
    return name.replace("_", " ")

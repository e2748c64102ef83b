"""A row of the table of play, and how the library gets it."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from msgspec import Struct
from transitions import Machine

from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Play, Step, accept
from foundation.message import Message

Condition: TypeAlias = Callable[[Play], bool]
Conditions: TypeAlias = Condition | tuple[Condition, ...]
Control: TypeAlias = Callable[[Play], None]
# As the library types it, but every one takes the play.
Callback: TypeAlias = str | Callable[..., bool | None]
Triggers: TypeAlias = Trigger | tuple[Trigger, ...]
Phases: TypeAlias = Phase | tuple[Phase, ...]

# What a row does, by what it is given beside the rule book, the step and the happening.


class Do(Protocol):
    """Nothing more: what is in order, and what follows a move."""

    __name__: str

    def __call__(self, book: RuleBook, step: Step, event: Any, /) -> Step: ...


class DoRaising(Protocol):
    """The irregularity to raise."""

    __name__: str

    def __call__(
        self, book: RuleBook, step: Step, event: Any, code: IrregularityCode, /
    ) -> Step: ...


class DoRaisingTwo(Protocol):
    """Two irregularities of one happening."""

    __name__: str

    def __call__(
        self,
        book: RuleBook,
        step: Step,
        event: Any,
        code: IrregularityCode,
        second: IrregularityCode,
        /,
    ) -> Step: ...


class DoExplaining(Protocol):
    """Why the happening has no effect."""

    __name__: str

    def __call__(self, book: RuleBook, step: Step, event: Any, why: Message, /) -> Step: ...


class Breach(Struct, frozen=True):
    """The irregularities of a row, and what raises them: `breach`, `two_breaches`."""

    codes: tuple[IrregularityCode, ...]
    do: Callable[..., Step]


class NoEffect(Struct, frozen=True):
    """Why a happening has no effect, and what is done beside saying so."""

    why: Message
    do: DoExplaining


class Row(Struct, frozen=True, kw_only=True):
    """What is done in a phase when something happens. The first row answers whose conditions hold.

    Lawful where it `raises` nothing; `why` says why a happening has no effect. `do` comes before
    the move `to` another phase, `then` after it, and `again` is what is asked then. Without `to`
    the phase stays, or what is done moves on by triggers of its own. A card is counted as drawn
    first (`counts`), unless it is of no shoe in play; one without a place is read as the one that
    is due (`reads`).
    """

    on: tuple[Trigger, ...]
    at: tuple[Phase, ...]
    when: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()
    raises: tuple[IrregularityCode, ...] = ()
    why: Message | None = None
    counts: Control | None = None
    reads: Control | None = None
    do: Callable[..., Step] | None = None
    to: Phase | None = None
    then: Do | None = None
    again: Control | None = None


def breach(code: IrregularityCode, do: DoRaising) -> Breach:
    """An irregularity, and what raises it."""
    return Breach((code,), do)


def two_breaches(first: IrregularityCode, second: IrregularityCode, do: DoRaisingTwo) -> Breach:
    """Two irregularities of one happening, and what raises them."""
    return Breach((first, second), do)


def row(
    on: Triggers,
    at: Phases,
    *,
    when: Conditions = (),
    unless: Conditions = (),
    raises: Breach | None = None,
    why: Message | NoEffect | None = None,
    counts: Control | None = None,
    reads: Control | None = None,
    do: Do | None = None,
    to: Phase | None = None,
    then: Do | None = None,
    again: Control | None = None,
) -> Row:
    """A row; one value may stand for a tuple of one.

    One of `raises`, `why` and `do` says what is done: what it takes is what it gets.
    """
    assert [raises, why, do].count(None) >= 2, "one answer"
    given = raises if raises is not None else why if isinstance(why, NoEffect) else None
    return Row(
        on=on if isinstance(on, tuple) else (on,),
        at=at if isinstance(at, tuple) else (at,),
        when=when if isinstance(when, tuple) else (when,),
        unless=unless if isinstance(unless, tuple) else (unless,),
        raises=raises.codes if raises is not None else (),
        why=why.why if isinstance(why, NoEffect) else why,
        counts=counts,
        reads=reads,
        do=given.do if given is not None else do,
        to=to,
        then=then,
        again=again,
    )


def add_rows(machine: Machine, rows: Sequence[Row]) -> None:
    """Add the rows in their order; none where an earlier row answers whenever it would."""
    earlier: dict[tuple[Trigger, Phase], list[Row]] = {}
    for one in rows:
        before, after = _callbacks(one)
        for trigger in one.on:
            for phase in one.at:
                added = earlier.setdefault((trigger, phase), [])
                if any(answers_whenever(other, one) for other in added):
                    continue
                added.append(one)
                machine.add_transition(
                    trigger,
                    phase,
                    one.to,
                    conditions=list(one.when),
                    unless=list(one.unless),
                    before=before,
                    after=after,
                )


def answers_whenever(earlier: Row, later: Row) -> bool:
    """Whether the conditions of the earlier row hold wherever those of the later one do."""
    return set(earlier.when) <= set(later.when) and set(earlier.unless) <= set(later.unless)


def _callbacks(one: Row) -> tuple[list[Callback], list[Callback]]:
    before: list[Callback] = [do for do in (one.counts, one.reads) if do is not None]
    if one.why is not None:
        before.append(_callback(one.do or _no_effect, one.why))
    elif one.do is not None:
        before.append(_callback(one.do, *one.raises))
    after: list[Callback] = [_callback(one.then)] if one.then is not None else []
    if one.again is not None:
        after.append(one.again)
    return before, after


def _callback(do: Callable[..., Step], *given: IrregularityCode | Message) -> Control:
    def carry_out(play: Play) -> None:
        play.step = do(play.book, play.step, play.event, *given)

    carry_out.__name__ = do.__name__
    return carry_out


def _no_effect(book: object, step: Step, event: object, why: Message) -> Step:
    return accept(step, why)

"""A row of the table of play, and how the library gets it.

Source: controller/procedure/README.md, "The procedure".
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from transitions import Machine

from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.play import Play
from controller.procedure.step_result import Step, accept
from firmware_bridge.message import Message

Condition: TypeAlias = Callable[[Play], bool]
# Takes the rule book, the step and the happening; then the codes to raise, or why nothing happens.
Do: TypeAlias = Callable[..., Step]
Control: TypeAlias = Callable[[Play], None]
# As the library types it, but every one takes the play.
Callback: TypeAlias = str | Callable[..., bool | None]
Triggers: TypeAlias = Trigger | tuple[Trigger, ...]
Phases: TypeAlias = Phase | tuple[Phase, ...]


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
    do: Do | None = None
    to: Phase | None = None
    then: Do | None = None
    again: Control | None = None


def row(
    on: Triggers,
    at: Phases,
    *,
    when: Condition | tuple[Condition, ...] = (),
    unless: Condition | tuple[Condition, ...] = (),
    raises: IrregularityCode | tuple[IrregularityCode, ...] = (),
    why: Message | None = None,
    reads: Control | None = None,
    do: Do | None = None,
    to: Phase | None = None,
    then: Do | None = None,
    again: Control | None = None,
) -> Row:
    """A row; one value may stand for a tuple of one."""
    return Row(
        on=on if isinstance(on, tuple) else (on,),
        at=at if isinstance(at, tuple) else (at,),
        when=when if isinstance(when, tuple) else (when,),
        unless=unless if isinstance(unless, tuple) else (unless,),
        raises=raises if isinstance(raises, tuple) else (raises,),
        why=why,
        reads=reads,
        do=do,
        to=to,
        then=then,
        again=again,
    )


def add_rows(machine: Machine, rows: Sequence[Row]) -> None:
    """Add the rows in their order; none to a phase and trigger that has one without conditions."""
    closed: set[tuple[Trigger, Phase]] = set()
    for one in rows:
        before, after = _callbacks(one)
        for trigger in one.on:
            for phase in one.at:
                if (trigger, phase) in closed:
                    continue
                machine.add_transition(
                    trigger,
                    phase,
                    one.to,
                    conditions=list(one.when),
                    unless=list(one.unless),
                    before=before,
                    after=after,
                )
                if not (one.when or one.unless):
                    closed.add((trigger, phase))


def _callbacks(one: Row) -> tuple[list[Callback], list[Callback]]:
    before: list[Callback] = [do for do in (one.counts, one.reads) if do is not None]
    if one.why is not None:
        before.append(_callback(one.do or _no_effect, (one.why,)))
    elif one.do is not None:
        before.append(_callback(one.do, one.raises))
    after: list[Callback] = [_callback(one.then)] if one.then is not None else []
    if one.again is not None:
        after.append(one.again)
    return before, after


def _callback(do: Do, further: tuple[Any, ...] = ()) -> Control:
    def carry_out(play: Play) -> None:
        play.step = do(play.book, play.step, play.event, *further)

    carry_out.__name__ = do.__name__
    return carry_out


def _no_effect(book: object, step: Step, event: object, why: Message) -> Step:
    return accept(step, why)

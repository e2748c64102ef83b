"""Reports that may be missing between two shoes: kept until a loading is on record, or raised.

Source: NY (a)(3); S42 (f)(1); D-22.

Decisions. With no shoe in play nothing is broken off by it, and nobody has to decide at once. But
cards of the next shoe may have left unseen: only a loading of that shoe after the device was back
proves its beginning, recorded by a person or reported by the device. Without one the shoe's first
card is CONTINUITY_UNPROVEN; it is judged as the first, and the floorperson looks whether it is.
"""

from msgspec import UNSET
from msgspec.structs import replace

from controller.procedure.effects import PromptKind
from controller.procedure.events import ReportsMissing
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.rulebook import RuleBook
from controller.procedure.step_result import Step, accept, prompt, raise_irregularity
from controller.rules.profiles.rule_points import RulePoint
from foundation.message import Message, message


def keep_loss(book: RuleBook, step: Step, event: ReportsMissing, why: Message) -> Step:
    """Keep that reports may be missing, and prompt the loading that is to be recorded."""
    step = accept(step, why)
    if step.state.loading_unseen is True:
        return step
    step = step.with_state(replace(step.state, loading_unseen=True))
    if book.continuous:
        return step  # it is not loaded shoe by shoe
    text = message("record_loading_of_next_shoe")
    return prompt(book, step, PromptKind.BATCH, text, RulePoint.SHOE_LOADED)


def note_loading(step: Step) -> Step:
    """The next shoe was loaded: what was missed before is none of its cards."""
    if step.state.loading_unseen is UNSET:
        return step
    return step.with_state(replace(step.state, loading_unseen=UNSET))


def raise_kept_loss(book: RuleBook, step: Step) -> Step:
    """At a shoe's first card: raise what may be missing, if no loading was recorded since."""
    if step.state.loading_unseen is UNSET:
        return step
    detail = message("unknown_number_and_no_loading_since")
    code = IrregularityCode.CONTINUITY_UNPROVEN
    return raise_irregularity(book, note_loading(step), code, detail)

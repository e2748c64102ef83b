"""The schema of an answer on the control socket; of an action, its conclusions without any card.

Not: how a conclusion is made from a stored entry (controller.outlets.control.answers).
"""

from typing import Any, TypeAlias

from msgspec import Struct

from controller.record.snapshot import Snapshot
from controller.rules.actions.choices import FloorDecision
from controller.rules.outcome import Outcome


class _Kind(Struct, frozen=True, tag_field="kind"):
    """A conclusion; its kind is its tag."""


class _Citing(_Kind, frozen=True):
    """A conclusion by clauses; `borrowed` names the decision for each of another document."""

    clauses: tuple[str, ...]
    borrowed: dict[str, str]


class AcceptedAnswer(_Citing, frozen=True, tag="accepted"):
    what: str


class IrregularityAnswer(_Citing, frozen=True, tag="irregularity"):
    number: int
    code: str
    title: str
    coup: int
    suspends: bool


class DealtOnAnswer(Struct, frozen=True):
    """Coups and cards that were dealt while the table was suspended."""

    coups: int
    cards: int


class ResolutionAnswer(_Kind, frozen=True, tag="resolution"):
    person: str
    reason: str
    decision: FloorDecision
    provisional: str
    outcome: str
    second: str
    closed: tuple[int, ...]
    dealt_while_suspended: DealtOnAnswer


class RecordedAnswer(_Citing, frozen=True, tag="recorded"):
    what: str
    person: str


class SettingChangedAnswer(_Citing, frozen=True, tag="setting_changed"):
    setting: str
    old: str
    new: str


class OwedAnswer(Struct, frozen=True):
    """What a correction owes a seat."""

    seat: int
    cents: int


class CoupCorrectedAnswer(_Kind, frozen=True, tag="coup_corrected"):
    shoe: int
    coup: int
    before: Outcome
    outcome: Outcome
    person: str
    second: str
    reason: str
    owed: tuple[OwedAnswer, ...]


class RefusedAnswer(_Kind, frozen=True, tag="refused"):
    what: str
    why: str


class CoupClosedAnswer(_Kind, frozen=True, tag="coup_closed"):
    coup: int
    fate: str


class CoupPaidAnswer(_Kind, frozen=True, tag="coup_paid"):
    coup: int


class ShoeOpenedAnswer(_Kind, frozen=True, tag="shoe_opened"):
    gaming_day: str
    shoe: int


class ShoeEndedAnswer(_Kind, frozen=True, tag="shoe_ended"):
    gaming_day: str
    shoe: int
    coups: int
    cards_drawn: int
    irregularities: int


class PromptAnswer(_Citing, frozen=True, tag="prompt"):
    text: str


class CommandSentAnswer(_Kind, frozen=True, tag="command"):
    command: str
    why: str


class CommandResultAnswer(_Kind, frozen=True, tag="command_answer"):
    command: str
    outcome: str
    detail: str


class BatchMovedAnswer(_Kind, frozen=True, tag="batch_moved"):
    batch: str
    before: str
    after: str
    why: str


class ShuffleAnswer(_Citing, frozen=True, tag="shuffle"):
    batch: str
    cycle: int
    count: int
    result: str
    refused: str


class WarningAnswer(_Citing, frozen=True, tag="warning"):
    number: int
    about: str
    text: str


class WarningClearedAnswer(_Kind, frozen=True, tag="warning_cleared"):
    number: int
    about: str
    person: str
    waited_ms: int


class BatchBoundAnswer(_Kind, frozen=True, tag="batch_bound"):
    batch: str
    back: str
    cards: int
    signed_by: str


class CardSetApartAnswer(_Citing, frozen=True, tag="card_set_apart"):
    back: str


class ManifestWantedAnswer(_Kind, frozen=True, tag="manifest_wanted"):
    batch: str


AnsweredEntry: TypeAlias = (
    AcceptedAnswer
    | IrregularityAnswer
    | ResolutionAnswer
    | RecordedAnswer
    | SettingChangedAnswer
    | CoupCorrectedAnswer
    | RefusedAnswer
    | CoupClosedAnswer
    | CoupPaidAnswer
    | ShoeOpenedAnswer
    | ShoeEndedAnswer
    | PromptAnswer
    | CommandSentAnswer
    | CommandResultAnswer
    | BatchMovedAnswer
    | ShuffleAnswer
    | WarningAnswer
    | WarningClearedAnswer
    | BatchBoundAnswer
    | CardSetApartAnswer
    | ManifestWantedAnswer
)


class Answer(Struct, frozen=True, omit_defaults=True):
    """The answer to a request; `error` says why it was refused.

    Of an action: its conclusions, and how the person is known (`proof`). `persons` says why ids
    stand in the place of names.
    """

    ok: bool
    error: str = ""
    proof: str = ""
    entries: tuple[AnsweredEntry, ...] = ()
    snapshot: Snapshot | None = None
    actions: tuple[dict[str, Any], ...] = ()
    persons: str = ""

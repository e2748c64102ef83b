"""The audiences of what happens at a table: a closed list, and what each may have.

Levels differ on purpose. `disclose.py` reads this table, and nothing else decides it again.
Source: D-8 (a scan is not disclosure).
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.events import (
    CardRepeated,
    DomainEvent,
    ReportsMissing,
    ShoeDeviceStarted,
    ShufflerDisconnected,
    ShufflerEventsLost,
)
from controller.record.seen import (
    AcceptedSeen,
    ActSeen,
    BoundSeen,
    BurnSeen,
    CardApartSeen,
    CardSeen,
    ClockJumpSeen,
    ClockSeen,
    CommandSeen,
    CorrectionSeen,
    CoupPaidSeen,
    CoupSeen,
    CutSeen,
    DecisionSeen,
    DeviceSeen,
    DiskSeen,
    GamingDaySeen,
    IrregularitySeen,
    PowerSeen,
    PromptSeen,
    RefusalSeen,
    RevealedSeen,
    RunSeen,
    Seen,
    SettingSeen,
    ShoeEndedSeen,
    ShoeOpenedSeen,
    ShuffleSeen,
    StageSeen,
    TableDeviceSeen,
    UsbSeen,
    WantedSeen,
    WarningClearedSeen,
    WarningSeen,
)
from drivers.events import (
    CardPassed,
    CommandAnswered,
    DeviceErrorCleared,
    DeviceErrorRaised,
    DeviceEvent,
    DeviceStarted,
    ReportsLost,
    StageChanged,
    TagSeen,
)
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    ContactRestored,
    DeviceMemoryFilling,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleAborted,
    ShufflerStarted,
    ShufflerWarning,
    ShuffleStarted,
)


class Audience(StrEnum):
    """Who is told what happened."""

    ANSWER = "answer"  # who acted, in the answer to the action
    FLOOR = "floor"  # consumers of the floor feed with content "meters_and_events"
    FLOOR_COUPS = "floor_coups"  # those with content "finished_coups"
    EXPORT = "export"  # readers of `journal export`
    ANALYST = "analyst"  # readers of the tables for analysts
    MONITOR = "monitor"  # the shoe monitors
    PEOPLE = "people"  # people at the table: the coups of the page
    VIDEO = "video"  # the video recorder's picture
    LOG = "log"  # readers of the program's log
    INQUIRY = "inquiry"  # readers of evidence bundles and reports
    TRIAL = "trial"  # who tries rules with `smartshoe try`


class Cards(StrEnum):
    """Which cards, and what follows from them."""

    NONE = "none"
    COUNTED = "counted"  # those of a coup that counts or was declared, however it was dealt
    SEEN = "seen"  # those that people have seen
    ALL = "all"


class Moment(StrEnum):
    """From when on a card may be shown."""

    NEVER = "never"
    DRAW = "draw"
    END_OF_COUP = "end_of_coup"
    END_OF_SHOE = "end_of_shoe"


class Clauses(StrEnum):
    """Which clauses of an irregularity: others than those of its kind may follow from cards."""

    NONE = "none"
    KIND = "kind"
    KIND_THEN_ALL = "kind_then_all"  # those of its kind until people have seen the cards
    SEEN_ALL = "seen_all"  # none until people have seen the cards


class Persons(StrEnum):
    """How persons are named."""

    NONE = "none"
    ID = "id"
    NAME = "name"  # the outlet puts names in the place of ids, from the people's file


class Permitted(Struct, frozen=True):
    """What one audience may have.

    `outcome`: outcomes at the end of a coup. `typed`: what a person typed. `details`: texts that
    may name a card; those of the shuffler's warnings are given to more. `tags`: the tag of a card.
    `forms`: what it is told of at all; of acts those in `acts` alone, of devices those events.
    """

    cards: Cards
    moment: Moment
    outcome: bool
    clauses: Clauses
    persons: Persons
    typed: bool
    details: bool
    warning_texts: bool
    tags: bool
    forms: frozenset[type[Struct]]
    acts: frozenset[str] | None = None
    device_events: tuple[type, ...] = ()


DEALER_ON: Final = "dealer-on"
DEALER_OFF: Final = "dealer-off"
ACCOUNT: Final = "account"
_DEALERS: Final = frozenset((DEALER_ON, DEALER_OFF))
_IDENTITIES: Final = (IdentityProven, IdentityRefused)
# Not cards, chips and locks: a lock follows from cards.
_OF_DEVICES: Final = (
    *(StageChanged, DeviceFault, DeviceErrorRaised, DeviceErrorCleared, DeviceStarted, ReportsLost),
    *(ContactRestored, DeviceMemoryFilling, DeviceSilent, DeviceTampered, DoorMoved, JamReported),
    *(ModeChanged, ResidualCards, SelfTested, ShuffleAborted, ShufflerStarted, ShufflerWarning),
    *(ShuffleStarted, *_IDENTITIES),
    *(ShufflerEventsLost, ShufflerDisconnected, ReportsMissing, ShoeDeviceStarted, CardRepeated),
)


def _forms(*forms: type[Struct]) -> frozenset[type[Struct]]:
    return frozenset(forms)


_PLAY: Final = _forms(CoupSeen, IrregularitySeen, DecisionSeen, CorrectionSeen)
_ACTS: Final = _forms(ActSeen, RefusalSeen, SettingSeen, AcceptedSeen, PromptSeen)
_BATCHES: Final = _forms(StageSeen, BoundSeen, CardApartSeen, ShuffleSeen)
_WARNINGS: Final = _forms(WarningSeen, WarningClearedSeen)
_HOST: Final = _forms(RunSeen, GamingDaySeen, ClockSeen, DiskSeen, PowerSeen, UsbSeen)
_SHOES: Final = _forms(ShoeOpenedSeen, ShoeEndedSeen)
_DEVICES: Final = _forms(DeviceSeen, TableDeviceSeen)
_EVERYTHING: Final = _forms(*get_args(Seen))
_DEVICE_EVENTS: Final = (*get_args(DeviceEvent), *get_args(DomainEvent))

_FLOOR: Final = Permitted(
    cards=Cards.NONE,
    moment=Moment.NEVER,
    outcome=True,
    clauses=Clauses.KIND,
    persons=Persons.ID,
    typed=False,
    details=False,
    warning_texts=False,
    tags=False,
    forms=_PLAY
    | _BATCHES
    | _WARNINGS
    | _HOST
    | _SHOES
    | _DEVICES
    | _forms(ActSeen, SettingSeen, BurnSeen),
    acts=_DEALERS,
    device_events=(StageChanged, DeviceErrorRaised, DeviceErrorCleared, *_IDENTITIES),
)

AUDIENCES: Final[Mapping[Audience, Permitted]] = MappingProxyType(
    {
        Audience.ANSWER: Permitted(
            cards=Cards.NONE,
            moment=Moment.NEVER,
            outcome=False,
            clauses=Clauses.KIND_THEN_ALL,
            persons=Persons.NAME,
            typed=True,
            details=False,
            warning_texts=True,
            tags=False,
            forms=_PLAY
            | _ACTS
            | _BATCHES
            | _WARNINGS
            | _SHOES
            | _forms(CoupPaidSeen, WantedSeen, CommandSeen, DeviceSeen),
            device_events=(CommandAnswered,),
        ),
        Audience.FLOOR: _FLOOR,
        Audience.FLOOR_COUPS: replace(_FLOOR, cards=Cards.COUNTED, moment=Moment.END_OF_COUP),
        Audience.EXPORT: Permitted(
            cards=Cards.SEEN,
            moment=Moment.END_OF_COUP,
            outcome=True,
            clauses=Clauses.KIND_THEN_ALL,
            persons=Persons.NAME,
            typed=True,
            details=False,
            warning_texts=False,
            tags=False,
            forms=_PLAY | _forms(RunSeen, ShoeEndedSeen),
        ),
        Audience.ANALYST: Permitted(
            cards=Cards.SEEN,
            moment=Moment.END_OF_COUP,
            outcome=True,
            clauses=Clauses.KIND_THEN_ALL,
            persons=Persons.ID,
            typed=False,
            details=False,
            warning_texts=False,
            tags=False,
            forms=_PLAY | _SHOES | _DEVICES | _forms(RunSeen, ActSeen, ShuffleSeen),
            acts=_DEALERS,
            device_events=_OF_DEVICES,
        ),
        Audience.MONITOR: Permitted(
            cards=Cards.SEEN,
            moment=Moment.END_OF_COUP,
            outcome=False,
            clauses=Clauses.NONE,
            persons=Persons.ID,
            typed=False,
            details=False,
            warning_texts=False,
            tags=False,
            forms=_SHOES
            | _forms(CardSeen, RevealedSeen, CutSeen, TableDeviceSeen, CoupSeen, BurnSeen)
            | _forms(StageSeen, ShuffleSeen, RunSeen, ActSeen, DecisionSeen, CorrectionSeen),
            device_events=(ReportsMissing,),
        ),
        Audience.PEOPLE: Permitted(
            cards=Cards.SEEN,
            moment=Moment.END_OF_COUP,
            outcome=True,
            clauses=Clauses.KIND_THEN_ALL,
            persons=Persons.NAME,
            typed=True,
            details=False,
            warning_texts=False,
            tags=False,
            forms=_forms(ShoeOpenedSeen, CoupSeen, CorrectionSeen),
        ),
        Audience.VIDEO: Permitted(
            cards=Cards.SEEN,
            moment=Moment.END_OF_COUP,
            outcome=True,
            clauses=Clauses.NONE,
            persons=Persons.NONE,
            typed=False,
            details=False,
            warning_texts=False,
            tags=False,
            forms=_PLAY,
        ),
        Audience.LOG: Permitted(
            cards=Cards.NONE,
            moment=Moment.NEVER,
            outcome=True,
            clauses=Clauses.KIND_THEN_ALL,
            persons=Persons.ID,
            typed=False,
            details=False,
            warning_texts=False,
            tags=False,
            forms=(_PLAY - {CoupSeen})
            | _WARNINGS
            | _DEVICES
            | _forms(ActSeen, BoundSeen, ClockSeen, ClockJumpSeen, DiskSeen),
            acts=frozenset((ACCOUNT,)),
            device_events=(DeviceFault, *_IDENTITIES),
        ),
        Audience.INQUIRY: Permitted(
            cards=Cards.SEEN,
            moment=Moment.END_OF_SHOE,
            outcome=True,
            clauses=Clauses.SEEN_ALL,
            persons=Persons.NAME,
            typed=True,
            details=True,
            warning_texts=True,
            tags=True,
            forms=_EVERYTHING - {TableDeviceSeen, RevealedSeen, ClockJumpSeen, GamingDaySeen},
            # A card has a line of its own.
            device_events=tuple(one for one in _DEVICE_EVENTS if one not in (CardPassed, TagSeen)),
        ),
        Audience.TRIAL: Permitted(
            cards=Cards.ALL,
            moment=Moment.DRAW,
            outcome=True,
            clauses=Clauses.SEEN_ALL,
            persons=Persons.NAME,
            typed=True,
            details=True,
            warning_texts=True,
            tags=True,
            forms=_EVERYTHING,
            device_events=_DEVICE_EVENTS,
        ),
    }
)

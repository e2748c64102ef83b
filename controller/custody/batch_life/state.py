"""What is known of the two batches' lives and of the shuffler between them.

Responsible for: the shape of that state and of what one fact makes of it.
Not responsible for: following facts (following) and for what may be done now (judging).
Source: NY (a)(4)(iv); S42 (a)(4), (e); D-17 to D-22; field practice (SugarHouse: a warning is an
interlock, not a lamp).
"""

from enum import StrEnum
from typing import Final

from controller.custody.batch_life.stages import BatchStage
from drivers.shuffler_events import ShuffleProof, ShufflerMode
from firmware_bridge.values import dataclass


class Bar(StrEnum):
    """Why a batch may not be dealt from."""

    SHORT = "short"
    LONG = "long"
    FOREIGN = "foreign"  # another back, or faces that are not of its decks
    UNSHUFFLED = "unshuffled"
    UNPROVEN = "unproven"  # its shuffle is not proven: unverified, unsigned, of another device
    JAMMED = "jammed"
    BROKEN_OFF = "broken_off"
    TOUCHED = "touched"  # a door was opened on it, or people handled it
    REPEATED = "repeated"  # the shoe before was dealt from it
    NOT_RELEASED = "not_released"
    DEVICE = "device"  # the shuffler is not trusted, not in play mode, holds residual cards


class WarningKind(StrEnum):
    """What a warning is about."""

    LAMP = "lamp"  # the device's own warning
    JAM = "jam"
    DOOR = "door"
    RESIDUAL = "residual"
    MODE = "mode"
    BROKEN_OFF = "broken_off"
    COUNT = "count"  # what lies in a compartment is not what must lie there: count, faces, back
    POWER = "power"
    SELF_TEST = "self_test"
    TAMPER = "tamper"
    IDENTITY = "identity"
    EVENTS_LOST = "events_lost"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class OpenWarning:
    """A warning that nobody with a name has cleared. `number` counts them and never comes again.

    `code` is the device's own for a lamp, else 0; `compartment` 0 where it is about the device.
    `active`: what it is about is still so; such a one cannot be cleared before it is not.
    `since_ns` is UTC.
    """

    number: int
    kind: WarningKind
    code: int
    text: str
    since_ns: int
    active: bool
    compartment: int = 0


@dataclass(frozen=True, slots=True)
class BatchLife:
    """One batch. `cards` None: not counted since it was collected. `proof` of its last shuffle.

    `compartment` is where it lies in the shuffler, 0 elsewhere; `cycle` the shuffle under way, else
    0. `by_hand`: shuffled by hand, on record. `bars` stay until the batch begins anew; that cards
    are missing or foreign stays until a right count.
    """

    back: str
    stage: BatchStage = BatchStage.UNKNOWN
    compartment: int = 0
    cards: int | None = None
    proof: ShuffleProof | None = None
    by_hand: bool = False
    bars: tuple[Bar, ...] = ()
    cycle: int = 0


@dataclass(frozen=True, slots=True)
class Lineage:
    """All of it. `lives` is empty where the table has no shuffler that tells.

    `into_shuffler` is the batch that people said goes in next; `in_play` the batch that the open
    shoe is dealt from, whatever its stage; `last_played` the batch of the last shoe from which a
    coup was dealt, for ever, empty where that is not known; `renewed` are those replaced by new
    cards since. `trusted`: the shuffler has proven who it is since it was last heard of. `doors`
    are those told open (0 the housing), `residuals` the cards left in the shuffler by compartment,
    `cycles` the last shuffle of each device heard of, the device heard last at the end.
    `warnings_told` counts the warnings given so far. `silent`: it was told that the shuffler is not
    heard. `may_repeat`: a supervisor suspended alternation so that this batch may come again.
    """

    lives: tuple[BatchLife, ...] = ()
    into_shuffler: str = ""
    in_play: str = ""
    last_played: str = ""
    renewed: tuple[str, ...] = ()
    device: str = ""
    version: str = ""
    bare: bool = False
    trusted: bool = False
    silent: bool = False
    may_repeat: str = ""
    mode: ShufflerMode = ShufflerMode.PLAY
    doors: tuple[int, ...] = ()
    residuals: tuple[tuple[int, int], ...] = ()
    cycles: tuple[tuple[str, int], ...] = ()
    warnings: tuple[OpenWarning, ...] = ()
    warnings_told: int = 0

    def life(self, back: str) -> BatchLife | None:
        """The batch with that back."""
        return next((one for one in self.lives if one.back == back), None)

    def lying_in(self, compartment: int) -> BatchLife | None:
        """The batch known to lie in that compartment."""
        return next(
            (one for one in self.lives if compartment and one.compartment == compartment), None
        )

    def other(self, back: str) -> BatchLife | None:
        """The batch with the other back."""
        return next((one for one in self.lives if one.back != back), None)

    @property
    def door_open(self) -> bool:
        """Whether a door of the shuffler or of a compartment is told open."""
        return bool(self.doors)

    @property
    def residual(self) -> int:
        """Cards left in the shuffler where none may be."""
        return sum(cards for _, cards in self.residuals)

    def jammed(self, compartment: int) -> bool:
        """Whether a jam there, or of the device as a whole, is not cleared yet."""
        return any(
            one.kind is WarningKind.JAM and one.active and one.compartment in (0, compartment)
            for one in self.warnings
        )

    @property
    def interlocked(self) -> bool:
        """Whether no next card may be drawn before a person clears what is open."""
        return bool(self.warnings)


NO_LINEAGE: Final = Lineage()

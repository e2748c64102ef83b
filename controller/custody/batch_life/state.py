"""The state of the two batches and of the shuffler between them.

Source: NY (a)(4)(iv); S42 (a)(4), (e); D-17 to D-22; field practice (SugarHouse: a warning is an
interlock, not a lamp).
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.custody.batch_life.stages import BatchStage
from drivers.shuffler_events import ShuffleProof, ShufflerMode


class BlockReason(StrEnum):
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
    COUNT = "count"  # wrong contents of a compartment: count, faces or back
    POWER = "power"
    SELF_TEST = "self_test"
    TAMPER = "tamper"
    IDENTITY = "identity"
    EVENTS_LOST = "events_lost"
    SILENT = "silent"


class OpenWarning(Struct, frozen=True):
    """A warning not yet cleared by a named person. `number` counts them and is never reused.

    `code` is the device's own code of a warning light, else 0; `compartment` is 0 for the device as
    a whole. `active`: its cause lasts; it can be cleared only once the cause has ended.
    `since_ns` is UTC.
    """

    number: int
    kind: WarningKind
    code: int
    text: str
    since_ns: int
    active: bool
    compartment: int = 0


class BatchLife(Struct, frozen=True):
    """One batch. `cards` is None while not counted; `proof` is of its last shuffle.

    `compartment` is its place in the shuffler, 0 elsewhere; `cycle` the number of the running
    shuffle, else 0. `by_hand`: shuffled by hand, on record. `block_reasons` last until the batch
    starts over; missing or foreign cards until a right count.
    """

    back: str
    stage: BatchStage = BatchStage.UNKNOWN
    compartment: int = 0
    cards: int | None = None
    proof: ShuffleProof | None = None
    by_hand: bool = False
    block_reasons: tuple[BlockReason, ...] = ()
    cycle: int = 0


class Lineage(Struct, frozen=True):
    """Both batches and the shuffler. `lives` is empty where no shuffler reports.

    `into_shuffler` is the batch recorded to go in next; `in_play` the batch that the open shoe is
    dealt from, whatever its stage; `last_played` the batch of the last shoe from which a coup was
    dealt, empty where unknown; `renewed` are the batches replaced by new cards since. `trusted`:
    the shuffler has proven its identity since it was last silent. `bare`: it has no key to sign
    with. `doors` are the open doors (0: housing), `residuals` pairs of compartment and cards left
    there, `cycles` pairs of device and its highest shuffle number, last device at the end.
    `warnings_given` counts all warnings so far. `silent`: the warning of silence was given.
    `may_repeat`: the batch that a floorperson permits twice in a row.
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
    warnings_given: int = 0

    def life(self, back: str) -> BatchLife | None:
        """The batch with that back, None where there is none."""
        return next((one for one in self.lives if one.back == back), None)

    def in_compartment(self, compartment: int) -> BatchLife | None:
        """The batch in that compartment, None where none is known."""
        return next(
            (one for one in self.lives if compartment and one.compartment == compartment), None
        )

    def other(self, back: str) -> BatchLife | None:
        """The batch with the other back."""
        return next((one for one in self.lives if one.back != back), None)

    @property
    def door_open(self) -> bool:
        """Whether a door of the shuffler or of a compartment is open."""
        return bool(self.doors)

    @property
    def residual(self) -> int:
        """The number of residual cards in the shuffler."""
        return sum(cards for _, cards in self.residuals)

    def jammed(self, compartment: int) -> bool:
        """Whether there is an active jam in that compartment or in the device as a whole."""
        return any(
            one.kind is WarningKind.JAM and one.active and one.compartment in (0, compartment)
            for one in self.warnings
        )

    @property
    def interlocked(self) -> bool:
        """Whether open warnings forbid the next card until a person clears them."""
        return bool(self.warnings)


NO_LINEAGE: Final = Lineage()

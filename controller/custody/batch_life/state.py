"""The state of the two batches and of the shuffler between them.

Source: NY (a)(4)(iv); S42 (a)(4), (e); D-17 to D-22; field practice (SugarHouse: a warning is an
interlock, not a lamp).
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.custody.batch_life.stages import READY, BatchStage
from drivers.shuffler_events import ShuffleProof, ShufflerMode, ShuffleShown
from foundation.message import Message


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
    text: Message
    since_ns: int
    active: bool
    compartment: int = 0


class BatchLife(Struct, frozen=True):
    """One batch. `cards` is None while not counted; `proof` is of its last shuffle.

    `compartment` is its place in the shuffler, 0 elsewhere; `cycle` the number of the running
    shuffle, else 0. `by_hand`: shuffled by hand, on record. `shown`: its last shuffle, where lamps
    show it and nothing proves it. `block_reasons` last until the batch starts over; missing or
    foreign cards until a right count.
    """

    back: str
    stage: BatchStage = BatchStage.UNKNOWN
    compartment: int = 0
    cards: int | None = None
    proof: ShuffleProof | None = None
    by_hand: bool = False
    block_reasons: tuple[BlockReason, ...] = ()
    cycle: int = 0
    shown: ShuffleShown | None = None

    @property
    def stored(self) -> bool:
        """Whether the batch lies in the shuffler and was not released."""
        return self.compartment > 0 and self.stage not in READY


class Lineage(Struct, frozen=True):
    """Where both batches are and were, and the shuffler: the one record of it, by their backs.

    `lives` is empty where no shuffler reports. `loaded` is the batch recorded as put into the
    dealing shoe for the next shoe; `last_dealt` the batch of the last shoe that a card was drawn
    from, empty where unknown; `dealing`: that shoe is open, as the shuffler's facts have it;
    `last_played` the batch of the last shoe from which a coup was dealt; `renewed` are the batches
    replaced by new cards since. `may_repeat` is the batch that a floorperson permits twice in a
    row, `short` are batches that ran out before their count and were not counted again (D-40).
    `in_rack` is the batch in the discard rack, `rack_extra` how many more cards lie there than this
    program saw dealt (negative: fewer). `into_shuffler` is the batch recorded to go into the
    shuffler next; `in_shuffler` and `opened` are what people recorded where the shuffler does not
    report: the batch in it, and whether it was opened since.

    `trusted`: the shuffler has proven its identity since it was last silent. `bare`: it has no key
    to sign with. `doors` are the open doors (0: housing), `residuals` pairs of compartment and
    cards left there, `cycles` pairs of device and its highest shuffle number, last device at the
    end. `warnings_given` counts all warnings so far. `silent`: the warning of silence was given.
    """

    lives: tuple[BatchLife, ...] = ()
    loaded: str = ""
    last_dealt: str = ""
    dealing: bool = False
    last_played: str = ""
    renewed: tuple[str, ...] = ()
    may_repeat: str = ""
    short: tuple[str, ...] = ()
    in_rack: str = ""
    rack_extra: int = 0
    into_shuffler: str = ""
    in_shuffler: str = ""
    opened: bool = False
    device: str = ""
    version: str = ""
    bare: bool = False
    trusted: bool = False
    silent: bool = False
    mode: ShufflerMode = ShufflerMode.PLAY
    doors: tuple[int, ...] = ()
    residuals: tuple[tuple[int, int], ...] = ()
    cycles: tuple[tuple[str, int], ...] = ()
    warnings: tuple[OpenWarning, ...] = ()
    warnings_given: int = 0

    @property
    def in_play(self) -> str:
        """The batch that the open shoe is dealt from, whatever its stage; empty where unknown."""
        return self.last_dealt if self.dealing else ""

    def life(self, back: str) -> BatchLife | None:
        """The batch with that back, None where there is none."""
        for one in self.lives:
            if one.back == back:
                return one
        return None

    def in_compartment(self, compartment: int) -> BatchLife | None:
        """The batch in that compartment, None where none is known."""
        for one in self.lives:
            if compartment and one.compartment == compartment:
                return one
        return None

    def other(self, back: str) -> BatchLife | None:
        """The batch with the other back."""
        return next((one for one in self.lives if one.back != back), None)

    @property
    def stored_batch(self) -> str:
        """The batch in the shuffler: by its reports, else as people recorded; empty for none.

        With both in it, the one of the next shoe.
        """
        if not self.lives:
            return self.in_shuffler
        stored = [one.back for one in self.lives if one.stored]
        return next((back for back in stored if back != self.last_dealt), "".join(stored[:1]))

    @property
    def door_open(self) -> bool:
        """Whether a door of the shuffler or of a compartment is open."""
        return bool(self.doors)

    @property
    def residual(self) -> int:
        """The number of residual cards in the shuffler."""
        return sum(cards for _, cards in self.residuals)

    def residual_in(self, compartment: int) -> int:
        """The number of residual cards that may lie in that compartment."""
        return sum(cards for place, cards in self.residuals if place in (0, compartment))

    def jammed(self, compartment: int) -> bool:
        """Whether there is an active jam in that compartment or in the device as a whole."""
        for one in self.warnings:
            if one.kind is WarningKind.JAM and one.active and one.compartment in (0, compartment):
                return True
        return False

    @property
    def interlocked(self) -> bool:
        """Whether open warnings forbid the next card until a person clears them."""
        return bool(self.warnings)


NO_LINEAGE: Final = Lineage()

"""The statements that a scenario has beside those of the dealing language, as values."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from controller.core.script.statements import StatementBody
from controller.procedure.rulebook import ObservableFact
from controller.rules.cards import Card
from hil.dealing.mistakes import Mistake

# --- the heading: what is played, on what ---------------------------------------------------------


class TablePart(StrEnum):
    """A part of the table that a scenario names."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"
    RACK = "rack"
    TABLE = "table"  # the program's computer


class Named(Struct, frozen=True):
    """The scenario's name, and what it shows in one line."""

    name: str
    title: str


class Source(Struct, frozen=True):
    """The source of an incident."""

    text: str


class FirstKnown(Struct, frozen=True):
    """The first moment at which an incident can be known."""

    text: str


class Control(Struct, frozen=True):
    """The controls that stop an incident, by their names, in the order of its catches."""

    names: tuple[str, ...]


class ProfileUsed(Struct, frozen=True):
    """The profile of the table."""

    name: str


class ObservedFacts(Struct, frozen=True):
    """The facts that the table can sense, or that people enter."""

    facts: tuple[ObservableFact, ...]


class DeviceWanted(Struct, frozen=True):
    """A device that the scenario needs; `model` as the language names it, such as rfid."""

    part: TablePart
    model: str


Heading: TypeAlias = (
    Named | Source | FirstKnown | Control | ProfileUsed | ObservedFacts | DeviceWanted
)

# --- what happens: cards and the dealer -----------------------------------------------------------


class HandShuffle(Struct, frozen=True):
    """A batch is shuffled by hand; `keeping` cards dealt last stay together in their order."""

    back: str
    keeping: int


class PutInOrder(Struct, frozen=True):
    """A batch in people's hands is put into the order of new decks."""

    back: str


class SwapCard(Struct, frozen=True):
    """A card of a batch in people's hands is exchanged.

    `position` counts from the front of the batch as it lies; 0: the first card with the face `old`.
    `face`: the face of the piece that takes its place, None for the same one; `other_batch`: the
    piece is of the other batch, else of no batch.
    """

    back: str
    position: int
    face: Card | None
    other_batch: bool
    old: Card | None = None


class SwapAll(Struct, frozen=True):
    """All cards of a batch are exchanged for cards of no batch, in the same order."""

    back: str


class RemoveCards(Struct, frozen=True):
    """Cards are taken out of a batch in people's hands, from its front."""

    back: str
    cards: int


class CutCardAt(Struct, frozen=True):
    """The cut card goes in so many cards from the back, at the next loading."""

    from_back: int


class LoadShoe(Struct, frozen=True):
    """The batch in people's hands goes into the shoe, which is switched on."""

    back: str


class EmptyShoe(Struct, frozen=True):
    """All cards of the shoe, dealt or not, go back into people's hands."""


class DealBurn(Struct, frozen=True):
    """The dealer burns by the rules."""


class DealCoups(Struct, frozen=True):
    """The dealer deals so many coups by the rules, with their results; 0: to the last hand.

    `careless`: he goes on while the table is suspended.
    """

    coups: int
    careless: bool = False


class Err(Struct, frozen=True):
    """The dealer makes that mistake at its next occasion; the deal stops after it."""

    mistake: Mistake


class DrawNext(Struct, frozen=True):
    """The next card leaves the shoe, whatever is due; with a face the next one of that face."""

    card: Card | None


class CardFault(StrEnum):
    """What goes wrong with the next card at the shoe's exit, and at which shoe."""

    DOUBLE_READ = "double_read"  # RFID, as far as PULLED_BACK
    TWO_TAGS = "two_tags"
    PULLED_BACK = "pulled_back"
    NO_TAG = "no_tag"
    SLOW_CARD = "slow_card"
    FOREIGN_TAG = "foreign_tag"
    OTHER_TRANSPONDER = "other_transponder"
    UNREADABLE = "unreadable"  # any
    DOUBLE_FEED = "double_feed"  # any: the card behind it comes with it, unseen
    MISREAD = "misread"  # Angel Eye: another face
    CLAIMED_WRONGLY = "claimed_wrongly"  # Angel Eye: for the other hand
    REPORTED_TWICE = "reported_twice"  # Angel Eye: the report comes again later


class NextCardDoes(Struct, frozen=True):
    """Something goes wrong with the next card at the shoe's exit."""

    fault: CardFault


class FloorDecides(Struct, frozen=True):
    """A floorperson takes the first permitted decision on all that is open."""


class FloorClears(Struct, frozen=True):
    """A floorperson clears every open warning whose cause is over."""


# --- what happens: the shuffler -------------------------------------------------------------------


class PutIn(Struct, frozen=True):
    """A batch in people's hands is laid into the shuffler's tray."""

    back: str


class TakeOut(Struct, frozen=True):
    """The released cards of a batch are taken out."""

    back: str


class Press(Struct, frozen=True):
    """A button of the shuffler, for a compartment; waits for the end unless `at_once`."""

    button: str
    compartment: int
    at_once: bool


class ShuffleBatch(Struct, frozen=True):
    """A batch is put in, loaded, counted, shuffled and stored."""

    back: str


class BringOut(Struct, frozen=True):
    """A stored batch is released and taken out."""

    back: str


class MoveDoor(Struct, frozen=True):
    """A door of the shuffler; 0 is that of its housing."""

    compartment: int
    is_open: bool


class JamMechanism(Struct, frozen=True):
    compartment: int
    jammed: bool


class StickSensor(Struct, frozen=True):
    """A sensor says what it said: a door is never closed, or the shoe's gate never moves.

    `compartment` is that of the door; None: the gate of an RFID shoe.
    """

    compartment: int | None
    stuck: bool


class LeaveCards(Struct, frozen=True):
    """Cards stay in the shuffler where none may be; 0: they are taken out."""

    cards: int
    compartment: int


class ReachIn(Struct, frozen=True):
    """A batch is taken out of its compartment by the door."""

    back: str


class TurnModeKey(Struct, frozen=True):
    mode: str


class Lamp(Struct, frozen=True):
    """A warning light of the shuffler."""

    code: int
    on: bool
    text: str


class Interfere(Struct, frozen=True):
    """Somebody interferes with a device."""

    part: TablePart
    how: "Interference"


class Interference(StrEnum):
    """What somebody does to a device."""

    OPENED = "opened"  # its housing, past the seal
    RECONFIGURED = "reconfigured"
    REFLASHED = "reflashed"  # other firmware, not approved
    ROLLED_BACK = "rolled-back"  # its memory is set back
    EXCHANGED = "exchanged"  # another device that claims to be it
    LYING = "lying"  # approved firmware that proves shuffles which it does not do
    MISCOUNTING = "miscounting"  # it counts one card too few


# --- what happens: cables, power, the program, time -----------------------------------------------


class MovePlug(Struct, frozen=True):
    part: TablePart
    plugged: bool


class SwitchPower(Struct, frozen=True):
    part: TablePart
    on: bool


class HostFault(StrEnum):
    """What befalls the program's computer."""

    KILL = "kill"  # the program ends at once, and is started again
    STOP = "stop"  # it stands still for a while, and goes on
    DISK_FULL = "disk-full"
    DISK_FREE = "disk-free"
    SLOW_DISK = "slow-disk"
    CLOCK_STEP = "clock-step"


class Befall(Struct, frozen=True):
    """A fault of the program's computer; `ns` says how long it lasts or how far it goes."""

    fault: HostFault
    ns: int


class WireFault(StrEnum):
    """What a line does to what a device sends; NONE ends all of them."""

    DROP = "drop"
    CORRUPT = "corrupt"
    DUPLICATE = "duplicate"
    DELAY = "delay"
    REORDER = "reorder"
    SPLIT = "split"
    NOISE = "noise"
    WRONG_BAUD = "wrong-baud"
    STALL = "stall"
    FLOOD = "flood"
    HALF_FRAMES = "half-frames"
    NONE = "none"


class Disturb(Struct, frozen=True):
    """A fault on a line: a share of frames in thousandths, or for STALL and DELAY a time."""

    part: TablePart
    fault: WireFault
    permille: int
    ns: int


class Wait(Struct, frozen=True):
    ns: int


Happening: TypeAlias = (
    HandShuffle
    | PutInOrder
    | SwapCard
    | SwapAll
    | RemoveCards
    | CutCardAt
    | LoadShoe
    | EmptyShoe
    | DealBurn
    | DealCoups
    | Err
    | DrawNext
    | NextCardDoes
    | FloorDecides
    | FloorClears
    | PutIn
    | TakeOut
    | Press
    | ShuffleBatch
    | BringOut
    | MoveDoor
    | JamMechanism
    | StickSensor
    | LeaveCards
    | ReachIn
    | TurnModeKey
    | Lamp
    | Interfere
    | MovePlug
    | SwitchPower
    | Befall
    | Disturb
    | Wait
)

# --- what is expected -----------------------------------------------------------------------------


class Subject(StrEnum):
    """What an expectation is about."""

    IRREGULARITY = "irregularity"
    NOTHING = "nothing"  # no irregularity since the last expectation
    REFUSAL = "refusal"
    FINDING = "finding"
    WARNING = "warning"
    ADVISORY = "advisory"
    COUP = "coup"
    PHASE = "phase"
    STAGE = "stage"
    LINK = "link"
    METRIC = "metric"
    LOCK = "lock"


class Expect(Struct, frozen=True):
    """Something that the table has concluded by now, or concludes within a time.

    `words` depend on the subject. `card`: it was known when that card of the shoe had left, at the
    latest, with a `face` that card among those of the face; 0: whenever. `caught`: an incident is
    caught by it. `others`: other irregularities may be raised, too.
    """

    subject: Subject
    words: tuple[str, ...]
    card: int = 0
    within_ns: int = 0
    caught: bool = False
    others: bool = False
    face: Card | None = None


class MeasureKind(StrEnum):
    """A time that a run measures."""

    SCAN_TO_VERDICT = "scan-to-verdict"
    UNPLUG_TO_DETECTED = "unplug-to-detected"
    EXCHANGE = "exchange"
    STEP = "step"


class Measure(Struct, frozen=True):
    """A time measured until now, and its limit; 0: none, the figure alone is wanted."""

    kind: MeasureKind
    limit_ns: int


ScenarioBody: TypeAlias = StatementBody | Heading | Happening | Expect | Measure

"""What a rig has to be capable of to play a scenario, statement by statement."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from controller.core.script.statements import Burn, DueCard, HandCard
from controller.procedure.events import CardDrawn, CutCardDrawn
from hil.scenario.language import statements as said
from hil.scenario.language.reading import Scenario

# A wait up to here is waited for; nobody sits through a longer one.
WAIT_NS_MAX: Final = 5 * 60 * 10**9


class Capability(StrEnum):
    """What a rig can do; MEANINGS has a line for each."""

    ANGEL_EYE = "angel-eye"
    RFID = "rfid"
    SHUFFLER = "shuffler"
    RACK = "rack"
    CHOSEN_CARDS = "chosen-cards"
    SPARE_CARDS = "spare-cards"
    UNREADABLE_CARDS = "unreadable-cards"
    EXIT_FAULTS = "exit-faults"
    STUCK_SENSORS = "stuck-sensors"
    SHUFFLER_DOORS = "shuffler-doors"
    SHUFFLER_FAULTS = "shuffler-faults"
    MODE_KEY = "mode-key"
    TAMPER = "tamper"
    INTERFERENCE = "interference"
    CABLES = "cables"
    SHUFFLER_CABLE = "shuffler-cable"
    POWER_SHOE = "power-shoe"
    POWER_SHUFFLER = "power-shuffler"
    POWER_TABLE = "power-table"
    PROGRAM_KILL = "program-kill"
    DISK = "disk"
    SLOW_DISK = "slow-disk"
    CLOCK = "clock"
    WIRE_FAULTS = "wire-faults"
    LONG_WAITS = "long-waits"
    METRICS = "metrics"
    SCAN_TIMES = "scan-times"


MEANINGS: Final = {
    Capability.ANGEL_EYE: "has a dealing shoe that reads faces",
    Capability.RFID: "has a dealing shoe that identifies every card",
    Capability.SHUFFLER: "has a shuffler for two batches",
    Capability.RACK: "has a reader under the discard rack",
    Capability.CHOSEN_CARDS: "draws the card that is wanted, not the one that happens to come",
    Capability.SPARE_CARDS: "has cards of no batch, to exchange for others",
    Capability.UNREADABLE_CARDS: "has cards that no shoe can read",
    Capability.EXIT_FAULTS: "lets go wrong what a tag or the light barrier can do wrong",
    Capability.STUCK_SENSORS: "lets a door's sensor or the shoe's gate get stuck",
    Capability.SHUFFLER_DOORS: "opens the shuffler's doors",
    Capability.SHUFFLER_FAULTS: "jams the shuffler, leaves cards in it, lights its lamps",
    Capability.MODE_KEY: "turns the key of the shuffler's mode",
    Capability.TAMPER: "opens the shuffler's housing past its seal",
    Capability.INTERFERENCE: "changes the shuffler, its firmware or its memory, or exchanges it",
    Capability.CABLES: "pulls the cables of shoe and rack, and plugs them in",
    Capability.SHUFFLER_CABLE: "pulls the cable of the shuffler, and plugs it in",
    Capability.POWER_SHOE: "switches the shoe's power",
    Capability.POWER_SHUFFLER: "switches the shuffler's power",
    Capability.POWER_TABLE: "cuts the power of the program's computer",
    Capability.PROGRAM_KILL: "kills or halts the program",
    Capability.DISK: "fills the program's disk",
    Capability.SLOW_DISK: "slows the program's disk",
    Capability.CLOCK: "steps the computer's clock",
    Capability.WIRE_FAULTS: "disturbs what a device sends on its line",
    Capability.LONG_WAITS: "lets more than 5 minutes pass, because its clock can be moved",
    Capability.METRICS: "serves the program's metrics",
    Capability.SCAN_TIMES: "sees when the last byte of a card comes",
}

_SHOES: Final = {"angel-eye": Capability.ANGEL_EYE, "rfid": Capability.RFID}
_POWER: Final = {
    said.TablePart.SHOE: Capability.POWER_SHOE,
    said.TablePart.SHUFFLER: Capability.POWER_SHUFFLER,
    said.TablePart.TABLE: Capability.POWER_TABLE,
}
_HOST: Final = {
    said.HostFault.KILL: Capability.PROGRAM_KILL,
    said.HostFault.STOP: Capability.PROGRAM_KILL,
    said.HostFault.DISK_FULL: Capability.DISK,
    said.HostFault.DISK_FREE: Capability.DISK,
    said.HostFault.SLOW_DISK: Capability.SLOW_DISK,
    said.HostFault.CLOCK_STEP: Capability.CLOCK,
}
_CHOOSES_CARDS: Final = (
    Burn,
    HandCard,
    DueCard,
    CardDrawn,
    CutCardDrawn,
    said.DealBurn,
    said.DealCoups,
    said.DrawNext,
)
_OF_KIND: Final[dict[type, Capability]] = {
    said.SwapCard: Capability.SPARE_CARDS,
    said.SwapAll: Capability.SPARE_CARDS,
    said.NextCardDoes: Capability.EXIT_FAULTS,
    said.StickSensor: Capability.STUCK_SENSORS,
    said.MoveDoor: Capability.SHUFFLER_DOORS,
    said.ReachIn: Capability.SHUFFLER_DOORS,
    said.TurnModeKey: Capability.MODE_KEY,
    said.JamMechanism: Capability.SHUFFLER_FAULTS,
    said.LeaveCards: Capability.SHUFFLER_FAULTS,
    said.Lamp: Capability.SHUFFLER_FAULTS,
    said.Disturb: Capability.WIRE_FAULTS,
}


@dataclass(frozen=True, slots=True)
class Need:
    """A capability that a scenario needs. `text` and `line` of the statement that needs it."""

    capability: Capability
    text: str
    line: int


def needs(scenario: Scenario) -> frozenset[Capability]:
    """Every capability that the scenario needs."""
    return frozenset(one.capability for one in needs_by_line(scenario))


def needs_by_line(scenario: Scenario) -> Iterator[Need]:
    """What the scenario needs: first its devices, in line 0, then statement by statement."""
    yield Need(_SHOES[scenario.shoe], f"device shoe {scenario.shoe}", 0)
    if scenario.shuffler:
        yield Need(Capability.SHUFFLER, "device shuffler tablelink", 0)
    if scenario.rack:
        yield Need(Capability.RACK, "device rack feig", 0)
    for step in scenario.steps:
        for capability in _needs_of(step.body):
            yield Need(capability, step.text, step.line)


def _needs_of(body: said.ScenarioBody) -> Iterator[Capability]:
    if isinstance(body, _CHOOSES_CARDS):
        yield Capability.CHOSEN_CARDS
    if type(body) in _OF_KIND:
        yield _OF_KIND[type(body)]
    match body:
        case Burn(first=None) | HandCard(card=None) | DueCard(card=None) | CardDrawn(card=None):
            yield Capability.UNREADABLE_CARDS
        case said.Interfere():
            opened = body.how is said.Interference.OPENED
            yield Capability.TAMPER if opened else Capability.INTERFERENCE
        case said.MovePlug():
            shuffler = body.part is said.TablePart.SHUFFLER
            yield Capability.SHUFFLER_CABLE if shuffler else Capability.CABLES
        case said.SwitchPower():
            yield _POWER[body.part]
        case said.Befall():
            yield _HOST[body.fault]
        case said.Wait() if body.ns > WAIT_NS_MAX:
            yield Capability.LONG_WAITS
        case said.Measure(kind=said.MeasureKind.SCAN_TO_VERDICT):
            yield Capability.SCAN_TIMES
        case said.Expect(subject=said.Subject.METRIC):
            yield Capability.METRICS
        case said.Expect() if body.within_ns > WAIT_NS_MAX:
            yield Capability.LONG_WAITS
        case _:
            pass

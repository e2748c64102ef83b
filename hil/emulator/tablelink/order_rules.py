"""What an emulated shuffler does when it is asked, and what it refuses in the state it is in.

Responsible for: the reasons for refusing a request or a press, the compartment a button means, and
the status it tells.
Not responsible for: doing it (shuffler_machine).
Source: wire document of TableLink/1, "Requests"; package README, "TableLink devices".
"""

from dataclasses import dataclass

from hil.emulator.tablelink.cbor import Map
from hil.emulator.tablelink.compartment import Bay, Holding, Mode, Standing
from hil.emulator.tablelink.wire import Ask

HOUSING = 0
COMPARTMENTS = (1, 2)
WORK = (Ask.LOAD, Ask.COUNT, Ask.SHUFFLE, Ask.STORE, Ask.RELEASE)
# In which states of a compartment each may begin, those the machine chooses by itself first.
FROM = {
    Ask.LOAD: (Holding.EMPTY, Holding.LOADING, Holding.HELD),
    Ask.COUNT: (Holding.LOADING, Holding.HELD, Holding.COUNTED),
    Ask.SHUFFLE: (Holding.COUNTED,),
    Ask.STORE: (Holding.SHUFFLED,),
    Ask.RELEASE: (Holding.STORED,),
}
FROM_IN_SERVICE = (
    Holding.LOADING,
    Holding.COUNTED,
    Holding.SHUFFLED,
    Holding.STORED,
    Holding.HELD,
)


@dataclass(frozen=True, slots=True)
class Machine:
    """How it stands; `bays` and `standings` by compartment."""

    mode: Mode
    door_open: bool
    bays: tuple[Bay, ...]
    standings: tuple[Standing, ...]
    tray: int
    testing: bool
    gate_closed: bool

    @property
    def busy(self) -> bool:
        return self.testing or any(bay.operation is not None for bay in self.bays)

    @property
    def any_door(self) -> bool:
        return self.door_open or any(bay.door_open for bay in self.bays)

    @property
    def residual(self) -> int:
        return sum(len(bay.stuck) for bay in self.bays)


def status(machine: Machine, warnings: tuple[int, ...], recorded: int) -> Map:
    """As STATUS answers it; `warnings` are the codes of the lamps that are on.

    `recorded` is the number of the last event: the host waits until it has that one.
    """
    compartments = zip(COMPARTMENTS, machine.standings, strict=True)
    return {
        1: int(machine.mode),
        2: machine.any_door,
        3: tuple(
            (number, int(one.holding), one.cards, one.back, one.cycle)
            for number, one in compartments
        ),
        4: machine.residual,
        5: warnings,
        6: machine.gate_closed,
        7: recorded,
    }


def chosen(ask: Ask, standings: tuple[Standing, ...]) -> int:
    """The compartment a button means when nobody says which."""
    for holding in FROM[ask]:
        for number, standing in zip(COMPARTMENTS, standings, strict=True):
            if standing.holding is holding:
                return number
    return COMPARTMENTS[0]


def objection(machine: Machine, ask: Ask, argument: int) -> str:
    """Why it does not do that now; empty: it does."""
    if ask in WORK:
        return _objection_to_work(machine, ask, argument)
    match ask:
        case Ask.SELF_TEST if machine.busy:
            return "busy"
        case Ask.ABORT if argument not in (HOUSING, *COMPARTMENTS):
            return "no such compartment"
        case Ask.MODE if argument not in tuple(Mode):
            return "no such mode"
        case Ask.MODE if machine.busy:
            return "busy"
        case _:
            return ""


def _objection_to_work(machine: Machine, ask: Ask, number: int) -> str:
    if number not in COMPARTMENTS:
        return "no such compartment"
    bay, standing = machine.bays[number - 1], machine.standings[number - 1]
    reasons = (
        (machine.gate_closed, "the memory of events is nearly full"),
        (_mode_forbids(machine.mode, ask), f"not in {machine.mode.name.lower()} mode"),
        (machine.door_open or bay.door_open, "a door is open"),
        (bay.jammed, "a card is jammed"),
        (machine.residual > 0, "cards are left where none may be"),
        (bay.operation is not None or machine.testing, "busy"),
        (_state_forbids(machine.mode, ask, standing), _state_text(standing)),
        (ask is Ask.LOAD and not machine.tray, "no cards in the tray"),
        (_tray_is_fed(machine, ask), "busy"),
    )
    return next((why for holds, why in reasons if holds), "")


def _mode_forbids(mode: Mode, ask: Ask) -> bool:
    """Service takes cards out; sorting does all but storing; a test does nothing with cards."""
    match mode:
        case Mode.PLAY:
            return False
        case Mode.SERVICE:
            return ask is not Ask.RELEASE
        case Mode.SORT:
            return ask not in (Ask.LOAD, Ask.COUNT, Ask.SHUFFLE)
        case Mode.TEST:
            return True


def _state_forbids(mode: Mode, ask: Ask, standing: Standing) -> bool:
    if mode is Mode.SERVICE:
        return standing.holding not in FROM_IN_SERVICE
    return standing.holding not in FROM[ask]


def _state_text(standing: Standing) -> str:
    if standing.holding is Holding.EMPTY:
        return "the compartment is empty"
    return f"the compartment is {standing.holding.name.lower()}"


def _tray_is_fed(machine: Machine, ask: Ask) -> bool:
    """There is one tray for both compartments."""
    feeding = any(bay.operation and bay.operation.ask is Ask.LOAD for bay in machine.bays)
    return ask is Ask.LOAD and feeding

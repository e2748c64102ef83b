"""Makes a scenario from a seed: a table, shoes dealt at it, and the faults of a swarm."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from hil.dealing.tags import BACKS
from hil.soak.faults import (
    CUT_CARD_AT,
    FAULTS,
    IGNORED,
    WRONG_BATCH,
    FaultPlace,
    Moment,
    NamedFault,
)

PROFILES: Final = ("s42-mini", "ny-mini", "ny-midi")
SHOES_MAX: Final = 3
# Where the cut card lies in a short shoe, from the back; and in a shoe that is dealt whole.
SHORT: Final = (384, 402)
WHOLE: Final = (14, 30)
WHOLE_SHARE: Final = 0.002
# How many of all seeds have no fault, and how many those of people alone.
FAULTLESS_SHARE, PEOPLE_SHARE = 0.12, 0.25
FAULT_SHARE: Final = 0.4
# Of the mistakes for which a shoe is dealt to its last cards, so many are kept: they take long.
WHOLE_SHOES_KEPT: Final = 0.05
WARNINGS_CLEARED: Final = 4
_SPANS: Final = {f"dealer-{one.value}": span for one, span in CUT_CARD_AT.items()}


@dataclass(frozen=True, slots=True)
class Swarm:
    """The table of a seed, and the faults that may happen at it."""

    profile: str
    rfid: bool
    shuffler: bool
    faults: tuple[NamedFault, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.faults)


def swarm_of(seed: int) -> Swarm:
    """Which devices and which faults a seed has: each place and each fault is in or out."""
    chance = Random(f"swarm:{seed}")  # noqa: S311 - reproducible
    profile, rfid = chance.choice(PROFILES), chance.random() < 0.5
    shuffler = chance.random() < 0.6
    kind = chance.random()
    places: tuple[FaultPlace, ...] = tuple(one for one in FaultPlace if chance.random() < 0.5)
    if kind < FAULTLESS_SHARE:
        places = ()
    elif kind < FAULTLESS_SHARE + PEOPLE_SHARE:
        places = (FaultPlace.PEOPLE,)
    possible = (one for one in FAULTS if one.possible(rfid=rfid, shuffler=shuffler))
    faults = tuple(one for one in possible if one.place in places and chance.random() < 0.5)
    return Swarm(profile, rfid, shuffler, faults)


def scenario_of(seed: int) -> str:
    """The text of the scenario of a seed."""
    return _ScenarioWriter(swarm_of(seed), Random(f"soak:{seed}"), seed).text()  # noqa: S311


@dataclass(slots=True)
class _ScenarioWriter:
    """Writes one scenario. `_ends` are statements that end a fault, each due after so many more."""

    swarm: Swarm
    chance: Random
    seed: int
    _lines: list[str] = field(default_factory=list)
    _ends: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)

    def text(self) -> str:
        swarm = self.swarm
        self._lines += [
            f'scenario soak-{self.seed} "made from seed {self.seed}"',
            f"profile {swarm.profile}",
            f"device shoe {'rfid' if swarm.rfid else 'angel-eye'}",
        ]
        if swarm.shuffler:
            self._lines.append("device shuffler tablelink")
            self._prepare("shuffle red", "shuffle blue", back="red")
        for number in range(self.chance.randint(1, SHOES_MAX)):
            self._shoe(BACKS[number % 2])
        self._end_all()
        return "\n".join((*self._lines, ""))

    def _shoe(self, back: str) -> None:
        other = BACKS[1 - BACKS.index(back)]
        if self.swarm.shuffler:
            self._prepare(f"bring out {back}", back=back)
        else:
            self._lines.append(f"hand-shuffle {back}")
        span = WHOLE if self.chance.random() < WHOLE_SHARE else SHORT
        for fault in self._happening(Moment.LOADING):
            span = _SPANS.get(fault.name, span)
            if fault.name != WRONG_BATCH:
                self._lines += fault.write(self.chance, back)[0]
            elif not self.swarm.shuffler:
                back, other = other, back
        self._lines.append(f"insert cut card at {self.chance.randint(*span)}")
        self._lines.append(f"load {back}")
        if self._has(WRONG_BATCH) and self.chance.random() < FAULT_SHARE:
            self._lines.append(f"load {other}")
        self._deal("deal burn", back)
        for _ in range(self.chance.randint(1, 4)):
            self._deal(f"deal {self.chance.randint(1, 3)} coups", back)
        self._deal("deal to the end", back)
        if self.chance.random() < 0.3:
            self._lines.append("close shoe")
        self._lines.append("unload")
        if self.swarm.shuffler:
            self._prepare(f"shuffle {back}", back=back)

    def _deal(self, text: str, back: str) -> None:
        for fault in self._happening(Moment.DEALING):
            if fault.name != IGNORED:
                self._begin(fault, back)
        self._lines.append(text)
        self._pass()
        if not (self._has(IGNORED) and self.chance.random() < 0.5):
            self._lines.append("floor decides")

    def _prepare(self, *texts: str, back: str) -> None:
        """Statements at the shuffler, its faults between them, and warnings that are cleared."""
        for text in texts:
            for fault in self._happening(Moment.PREPARING):
                self._begin(fault, back)
            self._lines.append(text)
            self._pass()
        if any(one.needs and one.moment is Moment.PREPARING for one in self.swarm.faults):
            self._lines += [
                f'clear warning {number} because "looked into"'
                for number in range(1, WARNINGS_CLEARED + 1)
            ]
            self._lines.append("floor decides")

    def _has(self, name: str) -> bool:
        return name in self.swarm.names

    def _happening(self, moment: Moment) -> list[NamedFault]:
        of_moment = [one for one in self.swarm.faults if one.moment is moment]
        if not of_moment or self.chance.random() >= FAULT_SHARE:
            return []
        chosen = self.chance.choice(of_moment)
        whole = max(_SPANS.get(chosen.name, SHORT)) < min(SHORT)
        rare = whole and self.chance.random() < 1 - WHOLE_SHOES_KEPT
        return [] if rare else [chosen]

    def _begin(self, fault: NamedFault, back: str) -> None:
        begin, end = fault.write(self.chance, back)
        self._lines += [one for one in begin if one]
        if end:
            self._ends.append((self.chance.randint(1, 2), end))

    def _pass(self) -> None:
        """One more statement was made: end the faults that are due to end."""
        left = []
        for count, end in self._ends:
            if count <= 1:
                self._lines += end
            else:
                left.append((count - 1, end))
        self._ends = left

    def _end_all(self) -> None:
        for _, end in self._ends:
            self._lines += end
        self._ends = []

"""Two batches and a shuffler, told in the words of play, for every test of the lives of batches.

Responsible for: a table that follows fact after fact and keeps what came of it, and the ways round
that many tests begin with.
Not responsible for: invariants (test_any_order) and for what a device's bytes mean.
Source: controller/README.md, "The life of a batch".
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from controller.custody.batch_life.change import Followed
from controller.custody.batch_life.facts import (
    CutMade,
    Fact,
    FirstCardOut,
    GoesIn,
    PutIntoShoe,
    ShoeOver,
    WarningAnswered,
)
from controller.custody.batch_life.follow import begun, follow
from controller.custody.batch_life.permissions import hindrances
from controller.custody.batch_life.stages import EDGES, BatchStage
from controller.custody.batch_life.state import Bar, BatchLife, Lineage
from controller.state_table import StateTable
from drivers.shuffler_events import (
    CompartmentChanged,
    CompartmentState,
    IdentityProven,
    ShuffleBegan,
    ShuffleDone,
    ShuffleProof,
    ShuffleResult,
    ShufflerMode,
    ShufflerStatus,
)

LIVES = StateTable(EDGES)
DECKS = 8
CARDS = 416
DEVICE = "5348000000000001"
PAIRED = IdentityProven(DEVICE, "1.4.0", bytes(32), 3, 1, bare=False)
ONE_FACE_OFF = bytes((7, 9, *[8] * 50))  # an ace of diamonds is missing, a two is too many


def receipt(compartment: int, cycle: int, **other: object) -> ShuffleProof:
    """The receipt of a whole shuffle, but for what is told otherwise."""
    good = ShuffleProof(
        device=DEVICE,
        boot_id=7,
        boot_count=1,
        cycle=cycle,
        compartment=compartment,
        count=CARDS,
        result=ShuffleResult.GOOD,
        back="",
        faces=b"",
        began_us=1_000,
        ended_us=2_000,
        image=bytes(32),
        version="1.4.0",
        sealed=b"\x84",
        signed=True,
        genuine=True,
    )
    return replace(good, **other)  # type: ignore[arg-type]


@dataclass(slots=True)
class Batches:
    """What is known of red and blue; `last` is what the last fact made of it."""

    lineage: Lineage = field(default_factory=lambda: begun(("red", "blue")))
    last: Followed = field(default_factory=lambda: Followed(Lineage()))
    now_ns: int = 0

    def tell(self, *facts: Fact) -> Followed:
        for fact in facts:
            self.now_ns += 1
            self.last = follow(
                LIVES, self.lineage, fact, cards=CARDS, decks=DECKS, at_ns=self.now_ns
            )
            self.lineage = self.last.lineage
        return self.last

    def life(self, back: str = "red") -> BatchLife:
        life = self.lineage.life(back)
        assert life is not None
        return life

    def stage(self, back: str = "red") -> BatchStage:
        return self.life(back).stage

    def bars(self, back: str = "red") -> list[Bar]:
        """Why it may not be put into the shoe now, first wrong step first."""
        return [one.bar for one in hindrances(self.lineage, back)]

    def remarked(self) -> list[tuple[Bar, str]]:
        return [(one.bar, one.back) for one in self.last.remarks]

    def warnings(self) -> list[tuple[str, int, bool]]:
        return [(one.kind.value, one.compartment, one.active) for one in self.lineage.warnings]

    def compartment(
        self,
        number: int,
        state: str,
        cards: int | None = None,
        back: str = "",
        faces: bytes = b"",
    ) -> Followed:
        return self.tell(CompartmentChanged(number, CompartmentState(state), cards, back, faces))

    def loaded(self, back: str = "red", number: int = 1) -> None:
        self.tell(GoesIn(back))
        self.compartment(number, "loading")

    def counted(self, back: str = "red", number: int = 1) -> None:
        self.loaded(back, number)
        self.compartment(number, "counted", CARDS)

    def shuffling(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.counted(back, number)
        self.tell(ShuffleBegan(number, cycle))
        self.compartment(number, "shuffling")

    def shuffled(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.shuffling(back, number, cycle)
        self.tell(ShuffleDone(receipt(number, cycle)))

    def stored(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.shuffled(back, number, cycle)
        self.compartment(number, "stored", CARDS)

    def released(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.stored(back, number, cycle)
        self.takes_out(number)

    def takes_out(self, number: int) -> None:
        self.compartment(number, "released")
        self.compartment(number, "empty")

    def played(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.released(back, number, cycle)
        self.deals(back)
        self.tell(ShoeOver(played=True))

    def deals(self, back: str = "red") -> None:
        self.tell(CutMade(), PutIntoShoe(back), FirstCardOut(""))

    def answers_all(self) -> None:
        self.tell(*(WarningAnswered(one.number) for one in self.lineage.warnings))

    def status(
        self,
        *compartments: tuple[int, str, int | None, str, int],
        mode: str = "play",
        door_open: bool = False,
        residual: int = 0,
        lamps: tuple[int, ...] = (),
    ) -> Followed:
        told = tuple(
            (number, CompartmentState(state), cards, back, cycle)
            for number, state, cards, back, cycle in compartments
        )
        return self.tell(ShufflerStatus(ShufflerMode(mode), door_open, told, residual, lamps))


@pytest.fixture(scope="session")
def tables() -> Callable[[], Batches]:
    """Makes tables with a paired shuffler, and two batches of which nothing is known yet."""

    def make() -> Batches:
        table = Batches()
        table.tell(PAIRED)
        return table

    return make


@pytest.fixture
def batches(tables: Callable[[], Batches]) -> Batches:
    return tables()


@pytest.fixture
def unpaired() -> Batches:
    """A shuffler of which nobody knows who it is."""
    return Batches()


@pytest.fixture(scope="session")
def proof() -> Callable[..., ShuffleProof]:
    return receipt


@pytest.fixture
def paired() -> IdentityProven:
    return PAIRED


@pytest.fixture
def one_face_off() -> bytes:
    return ONE_FACE_OFF

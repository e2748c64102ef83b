"""Fixtures for batch life: a table that applies facts, and usual starting situations."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from controller.custody.batch_life.change import LineageUpdate
from controller.custody.batch_life.facts import (
    Fact,
    FirstCardOut,
    ShoeOver,
)
from controller.custody.batch_life.lifecycle import apply_batch_fact, new_lineage
from controller.custody.batch_life.permissions import obstacles_to_dealing
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import BatchLife, BlockReason, Lineage
from controller.rules.actions.actions import ClearWarning, RecordAct
from controller.rules.actions.choices import ActKind
from drivers.shuffler_events import (
    CompartmentChanged,
    CompartmentState,
    IdentityProven,
    ShuffleDone,
    ShuffleProof,
    ShuffleResult,
    ShufflerMode,
    ShufflerStatus,
    ShuffleStarted,
)

DECKS = 8
CARDS = 416
DEVICE = "5348000000000001"
PAIRED = IdentityProven(DEVICE, "1.4.0", bytes(32), 3, 1, bare=False)
ONE_FACE_OFF = bytes((7, 9, *[8] * 50))  # an ace of diamonds is missing, a two is too many


def receipt(compartment: int, cycle: int, **other: object) -> ShuffleProof:
    """The receipt of a complete shuffle, with some fields changed."""
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
    """The state of red and blue; `last` is the result of the last fact."""

    lineage: Lineage = field(default_factory=lambda: new_lineage(("red", "blue")))
    last: LineageUpdate = field(default_factory=lambda: LineageUpdate(Lineage()))
    now_ns: int = 0

    def apply(self, *facts: Fact) -> LineageUpdate:
        for fact in facts:
            self.now_ns += 1
            self.last = apply_batch_fact(
                self.lineage, fact, cards=CARDS, decks=DECKS, at_ns=self.now_ns
            )
            self.lineage = self.last.lineage
        return self.last

    def life(self, back: str = "red") -> BatchLife:
        life = self.lineage.life(back)
        assert life is not None
        return life

    def stage(self, back: str = "red") -> BatchStage:
        return self.life(back).stage

    def block_reasons(self, back: str = "red") -> list[BlockReason]:
        """Why the batch may not be put into the shoe now, first wrong step first."""
        return [one.reason for one in obstacles_to_dealing(self.lineage, back)]

    def remarks(self) -> list[tuple[BlockReason, str]]:
        return [(one.reason, one.back) for one in self.last.remarks]

    def warnings(self) -> list[tuple[str, int, bool]]:
        return [(one.kind.value, one.compartment, one.active) for one in self.lineage.warnings]

    def compartment(
        self,
        number: int,
        state: str,
        cards: int | None = None,
        back: str = "",
        faces: bytes = b"",
    ) -> LineageUpdate:
        return self.apply(CompartmentChanged(number, CompartmentState(state), cards, back, faces))

    def loaded(self, back: str = "red", number: int = 1) -> None:
        self.apply(RecordAct(ActKind.INTO_SHUFFLER, back))
        self.compartment(number, "loading")

    def counted(self, back: str = "red", number: int = 1) -> None:
        self.loaded(back, number)
        self.compartment(number, "counted", CARDS)

    def shuffling(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.counted(back, number)
        self.apply(ShuffleStarted(number, cycle))
        self.compartment(number, "shuffling")

    def shuffled(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.shuffling(back, number, cycle)
        self.apply(ShuffleDone(receipt(number, cycle)))

    def stored(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.shuffled(back, number, cycle)
        self.compartment(number, "stored", CARDS)

    def released(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.stored(back, number, cycle)
        self.take_out(number)

    def take_out(self, number: int) -> None:
        self.compartment(number, "released")
        self.compartment(number, "empty")

    def played(self, back: str = "red", number: int = 1, cycle: int = 1) -> None:
        self.released(back, number, cycle)
        self.deal(back)
        self.apply(ShoeOver(played=True))

    def deal(self, back: str = "red") -> None:
        self.apply(RecordAct(ActKind.CUT), RecordAct(ActKind.LOADED, back), FirstCardOut(""))

    def clear_warnings(self) -> None:
        self.apply(*(ClearWarning(one.number) for one in self.lineage.warnings))

    def status(
        self,
        *compartments: tuple[int, str, int | None, str, int],
        mode: str = "play",
        door_open: bool = False,
        residual: int = 0,
        lamps: tuple[int, ...] = (),
    ) -> LineageUpdate:
        reported = tuple(
            (number, CompartmentState(state), cards, back, cycle)
            for number, state, cards, back, cycle in compartments
        )
        return self.apply(ShufflerStatus(ShufflerMode(mode), door_open, reported, residual, lamps))


@pytest.fixture(scope="session")
def tables() -> Callable[[], Batches]:
    """Makes tables with a paired shuffler and two unknown batches."""

    def make() -> Batches:
        table = Batches()
        table.apply(PAIRED)
        return table

    return make


@pytest.fixture
def batches(tables: Callable[[], Batches]) -> Batches:
    return tables()


@pytest.fixture
def unpaired() -> Batches:
    """A table whose shuffler has not proven its identity."""
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

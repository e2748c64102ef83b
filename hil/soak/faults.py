"""The faults by name: what goes wrong on the wire, in a device, in the host, and with people.

Each is written with statements of a scenario: those that begin it, and those that end it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from hil.dealing.mistakes import DESCRIPTIONS, Mistake
from hil.emulator.feig.rfid_shoe import FAULT_WORDS
from hil.rig.shoe_models import NEEDS_KEYS


class FaultPlace(StrEnum):
    """Where something goes wrong."""

    WIRE = "wire"
    DEVICE = "device"
    SHUFFLER = "shuffler"
    HOST = "host"
    PEOPLE = "people"


class Needs(StrEnum):
    """What a table must have for a fault."""

    NOTHING = ""
    ANGEL_EYE = "an Angel Eye"
    RFID = "an RFID shoe"
    SHUFFLER = "a shuffler"


class Moment(StrEnum):
    """When a fault may happen."""

    DEALING = "dealing"
    PREPARING = "preparing"  # while batches are shuffled and brought out
    LOADING = "loading"  # a batch is in people's hands


Lines = tuple[str, ...]
# From chance and the back of the batch in play or due: the statements that begin it and end it.
WriteFault = Callable[[Random, str], tuple[Lines, Lines]]


@dataclass(frozen=True, slots=True)
class NamedFault:
    """One fault: its name, where it happens, what it is, and how it is written."""

    name: str
    place: FaultPlace
    words: str
    write: WriteFault
    needs: Needs = Needs.NOTHING
    moment: Moment = Moment.DEALING

    def possible(self, *, rfid: bool, shuffler: bool) -> bool:
        """Whether a table with these devices can have it."""
        return {
            Needs.NOTHING: True,
            Needs.ANGEL_EYE: not rfid,
            Needs.RFID: rfid,
            Needs.SHUFFLER: shuffler,
        }[self.needs]


def _once(text: str) -> WriteFault:
    return lambda _, back: ((text.replace("BACK", back),), ())


def _until(begin: str, *end: str) -> WriteFault:
    return lambda _, back: ((begin.replace("BACK", back),), end)


def _share(device: str, fault: str, least: int, most: int) -> WriteFault:
    """A fault of a line with a share of the frames."""
    return lambda chance, _: (
        (f"wire {device} {fault} {chance.randint(least, most)}%",),
        (f"wire {device} none",),
    )


def _time(device: str, fault: str, *times: str) -> WriteFault:
    return lambda chance, _: (
        (f"wire {device} {fault} {chance.choice(times)}",),
        (f"wire {device} none",),
    )


def _any(*texts: str) -> WriteFault:
    return lambda chance, back: ((chance.choice(texts).replace("BACK", back),), ())


STALLS: Final = ("500ms", "2s", "8s", "30s")
_WIRE: Final = (
    ("drop", "frames are lost", 5, 60),
    ("corrupt", "frames are damaged", 5, 60),
    ("duplicate", "frames come twice", 10, 100),
    ("reorder", "a frame comes after the next one", 10, 60),
    ("split", "frames come in pieces of a few bytes", 50, 100),
    ("noise", "bytes that nobody sent come between frames", 10, 80),
    ("wrong-baud", "no byte is what was sent", 30, 100),
    ("flood", "thousands of bytes that nobody sent come before frames", 5, 40),
    ("half-frames", "frames break off in the middle", 5, 60),
)
_LATE: Final = (
    ("delay", "all bytes come later", ("50ms", "300ms", "2s")),
    ("stall", "nothing comes for a time, then all of it", STALLS),
)


def _wire_faults() -> tuple[NamedFault, ...]:
    found = []
    for device in ("shoe", "shuffler"):
        needs = Needs.SHUFFLER if device == "shuffler" else Needs.NOTHING
        moment = Moment.PREPARING if device == "shuffler" else Moment.DEALING
        for fault, words, least, most in _WIRE:
            write = _share(device, fault, least, most)
            name = f"{device}-{fault}"
            found.append(NamedFault(name, FaultPlace.WIRE, words, write, needs, moment))
        for fault, words, times in _LATE:
            write = _time(device, fault, *times)
            name = f"{device}-{fault}"
            found.append(NamedFault(name, FaultPlace.WIRE, words, write, needs, moment))
        pulled = _until(f"unplug {device}", f"plug {device}")
        words = "the cable is pulled, and put in again later"
        found.append(NamedFault(f"{device}-unplug", FaultPlace.WIRE, words, pulled, needs, moment))
    return tuple(found)


def _device_faults() -> tuple[NamedFault, ...]:
    both = (
        ("unreadable", "the next card cannot be read", Needs.NOTHING),
        ("double_feed", "the card behind comes out with the next one, unseen", Needs.NOTHING),
        ("misread", "the next card is read as another one", Needs.ANGEL_EYE),
        ("claimed_wrongly", "the next card is claimed for the other hand", Needs.ANGEL_EYE),
        ("reported_twice", "the next card is reported again", Needs.ANGEL_EYE),
        *((one.value, words, Needs.RFID) for one, words in FAULT_WORDS.items()),
    )
    cards = tuple(
        NamedFault(f"card-{name}", FaultPlace.DEVICE, words, _once(f"next card {name}"), needs)
        for name, words, needs in both
    )
    return (
        *cards,
        NamedFault(
            "shoe-reboot",
            FaultPlace.DEVICE,
            "the shoe loses power",
            _until("power shoe off", "power shoe on"),
        ),
        NamedFault(
            "shoe-gate-stuck",
            FaultPlace.DEVICE,
            "the light barrier at the exit no longer changes",
            _until("stuck gate", "stuck gate cleared"),
            Needs.RFID,
        ),
    )


def _shuffler_faults() -> tuple[NamedFault, ...]:
    rows: tuple[tuple[str, str, WriteFault], ...] = (
        ("jam", "a card jams", _two("jam C", "jam C cleared")),
        ("door", "a door is opened", _two("door C open", "door C closed")),
        (
            "door-stuck",
            "the sensor of a door that was opened never says closed",
            _two(("stuck door C", "door C open"), ("stuck door C cleared", "door C closed")),
        ),
        ("residual", "cards stay where none may be", _two("residual 3 in C", "residual taken")),
        ("reach-in", "a hand takes a batch out by the door", _once("reach in BACK")),
        ("lamp", "a warning light of the machine", _until('lamp 21 on "card feed"', "lamp 21 off")),
        ("mode", "the mode key is turned", _until("mode sort", "mode play")),
        ("reboot", "the shuffler loses power", _until("power shuffler off", "power shuffler on")),
        ("miscount", "it counts one card too few", _once("interfere shuffler miscounting")),
        (
            "lying",
            "approved firmware proves shuffles that it does not do",
            _once("interfere shuffler lying"),
        ),
        ("opened", "its housing is opened past the seal", _once("interfere shuffler opened")),
        ("reconfigured", "its settings are changed", _once("interfere shuffler reconfigured")),
        (
            "reflashed",
            "it gets firmware that nobody approved",
            _once("interfere shuffler reflashed"),
        ),
        ("rolled-back", "its memory is set back", _once("interfere shuffler rolled-back")),
        ("exchanged", "another machine claims to be it", _once("interfere shuffler exchanged")),
    )
    return tuple(
        NamedFault(
            f"shuffler-{name}", FaultPlace.SHUFFLER, words, write, Needs.SHUFFLER, Moment.PREPARING
        )
        for name, words, write in rows
    )


def _two(begin: str | Lines, end: str | Lines) -> WriteFault:
    """A fault of either compartment."""

    def write(chance: Random, _back: str) -> tuple[Lines, Lines]:
        number = str(chance.choice((1, 2)))
        first, last = (((one,) if isinstance(one, str) else one) for one in (begin, end))
        begun = tuple(one.replace("C", number) for one in first)
        return begun, tuple(one.replace("C", number) for one in last)

    return write


def _host_faults() -> tuple[NamedFault, ...]:
    def lasting(fault: str, *times: str) -> WriteFault:
        return _any(*(f"host {fault} {one}" for one in times))

    rows: tuple[tuple[str, str, WriteFault], ...] = (
        ("kill", "the program ends at once and is started again", _once("host kill")),
        ("stop", "the program stands still, and goes on", lasting("stop", "500ms", "3s", "20s")),
        ("power", "the computer loses power", _until("power table off", "power table on")),
        (
            "disk-full",
            "nothing can be stored: the program ends",
            _until("host disk-full", "host disk-free"),
        ),
        ("slow-disk", "each store takes its time", lasting("slow-disk", "5s", "30s", "2min")),
        (
            "clock-step",
            "the computer's clock is set forward",
            lasting("clock-step", "90s", "2h", "30h"),
        ),
    )
    return tuple(NamedFault(f"host-{name}", FaultPlace.HOST, *rest) for name, *rest in rows)  # type: ignore[arg-type]


def _people_faults() -> tuple[NamedFault, ...]:
    mistakes = tuple(
        NamedFault(
            f"dealer-{one.value}",
            FaultPlace.PEOPLE,
            words,
            _once(f"err {one.value}"),
            Needs.ANGEL_EYE if one in NEEDS_KEYS else Needs.NOTHING,
            Moment.LOADING if one in CUT_CARD_AT else Moment.DEALING,
        )
        for one, words in DESCRIPTIONS.items()
    )
    at_loading = (
        ("card-swapped", "a card is exchanged for one of no batch",
         lambda chance, back: ((f"swap {back} {chance.randint(1, 30)} for Ac",), ())),
        ("card-of-other-back", "a card is exchanged for one of the other batch",
         lambda chance, back: ((f"swap {back} {chance.randint(1, 30)} for other back",), ())),
        ("batch-swapped", "all cards are exchanged", _once("swap BACK all")),
        ("cards-removed", "cards are taken out",
         lambda chance, back: ((f"remove {chance.randint(1, 4)} from {back}",), ())),
        ("order-kept", "a batch is put into the order of new decks", _once("sort BACK")),
    )  # fmt: skip
    return (
        *mistakes,
        *(
            NamedFault(f"people-{name}", FaultPlace.PEOPLE, words, write, moment=Moment.LOADING)
            for name, words, write in at_loading
        ),
        NamedFault(
            WRONG_BATCH,
            FaultPlace.PEOPLE,
            "the other batch is loaded",
            _once("load BACK"),
            moment=Moment.LOADING,
        ),
        NamedFault(IGNORED, FaultPlace.PEOPLE, "nobody decides, dealing goes on", _once("")),
        NamedFault(
            "people-wrong-person",
            FaultPlace.PEOPLE,
            "a dealer states what only a floorperson may",
            _once("record shoe-empty as dealer"),
        ),
    )


# Mistakes that need the cut card in its place: the least and the most cards behind it.
CUT_CARD_AT: Final = {
    Mistake.CUT_CARD_DURING_BURN: (415, 415),
    Mistake.CUT_CARD_NEAR_BACK: (12, 13),
    Mistake.INSUFFICIENT_CARDS: (2, 5),
}
WRONG_BATCH: Final = "people-wrong-batch"
IGNORED: Final = "people-ignored-warning"
FAULTS: Final = (
    *_wire_faults(),
    *_device_faults(),
    *_shuffler_faults(),
    *_host_faults(),
    *_people_faults(),
)
BY_NAME: Final = {one.name: one for one in FAULTS}

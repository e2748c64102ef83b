"""The guided lists of readers, shufflers and scanners.

Source: firmware_bridge/feig/README.md, firmware_bridge/tablelink/README.md,
firmware_bridge/hid_pos/README.md, firmware_bridge/ssi/README.md.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers import commands, events, shuffler_events
from drivers.commands import ShufflerOrder
from drivers.events import Spot
from drivers.model import ReaderSeat
from drivers.shuffler_events import CompartmentState, ShuffleResult
from hil.acceptance.walk.guided_step import (
    EVENTS,
    READ,
    REQUESTS,
    GuidedStep,
    event_step,
    record_step,
)

LAYOUT: Final = (
    record_step(
        "player",
        "Lay a card with a tag where the Player's hand lies.",
        "a record with the tag and that antenna",
        events.TagSeen,
        spot=Spot.PLAYER,
        tag=READ,
    ),
    record_step(
        "banker",
        "Lay another one where the Banker's hand lies.",
        "a record with the tag and that antenna",
        events.TagSeen,
        spot=Spot.BANKER,
        tag=READ,
    ),
    GuidedStep(
        name="taken-away",
        act="Take both cards away.",
        states="nothing: a reader reports tags that come, not tags that go",
        section="Records",
    ),
)
DISCARD_RACK: Final = (
    record_step(
        "discard",
        "Lay a card with a tag into the rack.",
        "a record with the tag",
        events.TagSeen,
        spot=Spot.DISCARD_RACK,
        tag=READ,
    ),
    record_step(
        "discard-2",
        "Lay another one on it.",
        "a record with its tag",
        events.TagSeen,
        spot=Spot.DISCARD_RACK,
        tag=READ,
    ),
    LAYOUT[-1],
)
ENROLMENT: Final = (
    GuidedStep(
        name="listing",
        act="Lay a few cards on the reader; the program lists their tags.",
        states="an inventory, and the blocks of each tag",
        section="Commands and status",
        kinds=(events.ListingDone,),
        fields=(("count", READ),),
        command=commands.ListTags(),
        reads=True,
    ),
)
READERS: Final[Mapping[ReaderSeat, tuple[GuidedStep, ...]]] = MappingProxyType(
    {
        ReaderSeat.LAYOUT: LAYOUT,
        ReaderSeat.DISCARD_RACK: DISCARD_RACK,
        ReaderSeat.ENROLMENT: ENROLMENT,
    }
)


def _compartment(name: str, act: str, state: CompartmentState, **fields: object) -> GuidedStep:
    return event_step(
        name,
        act,
        f"COMPARTMENT, {state.value}",
        shuffler_events.CompartmentChanged,
        picked=(("state", state),),
        **fields,
    )


SHUFFLER: Final = (
    GuidedStep(
        name="status",
        act="The program asks for the status, which changes nothing.",
        states="the STATUS map",
        section=REQUESTS,
        kinds=(shuffler_events.ShufflerStatus,),
        fields=(("mode", shuffler_events.ShufflerMode.PLAY),),
        command=commands.OrderShuffler(ShufflerOrder.STATUS),
        reads=True,
    ),
    event_step("lid-open", "Open the lid.", "LID, open", shuffler_events.DoorMoved, open=True),
    event_step("lid-closed", "Close it.", "LID, not open", shuffler_events.DoorMoved, open=False),
    _compartment("load", "Put a batch in and have it loaded.", CompartmentState.LOADING),
    _compartment("count", "Have it counted.", CompartmentState.COUNTED, cards=READ),
    event_step(
        "shuffle",
        "Have it shuffled.",
        "BATCH_STARTED, with a cycle never used before",
        shuffler_events.ShuffleStarted,
        cycle=READ,
    ),
    GuidedStep(
        name="shuffled",
        act="Wait for the end of the shuffle.",
        states="BATCH_DONE with its receipt, signed where the device has a key",
        section=EVENTS,
        kinds=(shuffler_events.ShuffleDone,),
        fields=(("proof.result", ShuffleResult.GOOD), ("proof.genuine", True)),
        follows=True,
    ),
    _compartment("store", "Have the batch stored.", CompartmentState.STORED),
    _compartment("release", "Have the batch released.", CompartmentState.RELEASED),
    _compartment("taken-out", "Take the cards out.", CompartmentState.EMPTY),
    event_step("jam", "Make a card jam.", "JAM", shuffler_events.JamReported, cleared=False),
    event_step(
        "jam-cleared", "Take it out.", "JAM, cleared", shuffler_events.JamReported, cleared=True
    ),
    event_step(
        "power-on",
        "Switch it off and on.",
        "POWER_UP with the boot count",
        shuffler_events.ShufflerStarted,
        boot_count=READ,
    ),
    GuidedStep(
        name="self-test",
        act="The program orders a self-test.",
        states="SELF_TEST answered with 0, and SELFTEST, passed",
        section=REQUESTS,
        kinds=(shuffler_events.SelfTested,),
        fields=(("passed", True),),
        command=commands.OrderShuffler(ShufflerOrder.SELF_TEST),
    ),
)


def _scan(name: str, act: str) -> GuidedStep:
    return GuidedStep(
        name=name,
        act=act,
        states="the text of the label, once",
        section="",
        kinds=(events.BarCodeRead,),
        fields=(("text", READ),),
        printed="text",
    )


SCANNER: Final = (
    _scan("scan-1", "Scan a label."),
    _scan("scan-2", "Scan another label."),
    _scan("scan-long", "Scan the longest label that will be in use."),
)

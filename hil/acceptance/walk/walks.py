"""The guided lists of the kinds and models of devices, and which is whose.

Source: firmware_bridge/angel_eye/README.md, firmware_bridge/feig/README.md,
firmware_bridge/tablelink/README.md, firmware_bridge/hid_pos/README.md,
firmware_bridge/ssi/README.md.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from drivers import commands, events, shuffler_events
from drivers.catalogue import AnyModel
from drivers.commands import ShufflerOrder
from drivers.events import DeclaredWinner, Spot
from drivers.model import CardReading, DeviceKind, Installation, ReaderSeat
from drivers.shuffler_events import CompartmentState, ShuffleResult
from hil.acceptance.walk.guided_step import (
    EVENTS,
    READ,
    REQUESTS,
    GuidedStep,
    event_step,
    record_step,
)

_CODES: Final = "Codes"


def _card(name: str, act: str) -> GuidedStep:
    return GuidedStep(
        name=name,
        act=act,
        states="`D`: the place it is for, and its face",
        section=_CODES,
        kinds=(events.CardRead,),
        fields=(("face", READ), ("repeated", False)),
        printed="face",
    )


def _key(name: str, act: str, bits: str, **fields: object) -> GuidedStep:
    return GuidedStep(
        name=name,
        act=act,
        states=f"`G` with {bits}",
        section=_CODES,
        kinds=(events.ResultButtonPressed,),
        fields=tuple(fields.items()),
    )


ANGEL_EYE: Final = (
    GuidedStep(
        name="power-on",
        act="Switch the shoe off and on, without a card in the exit.",
        states="`S`, no payload",
        section=_CODES,
        kinds=(events.DeviceStarted,),
    ),
    _card("card-1", "Draw one card."),
    _card("card-2", "Draw another card of another suit."),
    GuidedStep(
        name="stand-by",
        act="Press stand-by.",
        states="`P`, no payload",
        section=_CODES,
        kinds=(events.StandByEntered,),
    ),
    _key("key-player", "Deal what it takes, then press Player.", "1", winner=DeclaredWinner.PLAYER),
    _key("key-banker", "Deal what it takes, then press Banker.", "4", winner=DeclaredWinner.BANKER),
    _key("key-tie", "Deal what it takes, then press Tie.", "2", winner=DeclaredWinner.TIE),
    _key(
        "key-player-pair",
        "Deal what it takes, then press a result with Player pair.",
        "bit 0",
        player_pair=True,
        banker_pair=False,
    ),
    _key(
        "key-banker-pair",
        "Deal what it takes, then press a result with Banker pair.",
        "bit 1",
        player_pair=False,
        banker_pair=True,
    ),
    GuidedStep(
        name="forced-exit",
        act="Leave a coup by forced exit.",
        states="`G` with 7",
        section=_CODES,
        kinds=(events.ForcedExitUsed,),
    ),
    GuidedStep(
        name="cut-card",
        act="Insert the cut card and draw it.",
        states="`C`, no payload",
        section=_CODES,
        kinds=(events.CutCardSeen,),
    ),
    GuidedStep(
        name="error",
        act="Make the shoe report an error: draw a card backwards, or cover its code.",
        states="`E`: in error mode or not, and the code",
        section=_CODES,
        kinds=(events.DeviceErrorRaised,),
    ),
    GuidedStep(
        name="error-cleared",
        act="Clear the error at the shoe.",
        states="`e` and the code",
        section=_CODES,
        kinds=(events.DeviceErrorCleared,),
    ),
    GuidedStep(
        name="lock",
        act="The program locks the exit.",
        states="ACK, and `L` with bit 0",
        section="Commands",
        kinds=(events.LockChanged,),
        fields=(("locked", True),),
        command=commands.LockExit(),
    ),
    GuidedStep(
        name="unlock",
        act="The program unlocks the exit.",
        states="ACK, and `L` without bit 0",
        section="Commands",
        kinds=(events.LockChanged,),
        fields=(("locked", False),),
        command=commands.UnlockExit(),
    ),
)
RFID_SHOE: Final = (
    record_step(
        "card-1",
        "Draw one card with a tag.",
        "a record with the tag, and one of the gate where there is one",
        events.CardPassed,
        tag=READ,
        sure=True,
    ),
    record_step("card-2", "Draw another one.", "as before", events.CardPassed, tag=READ, sure=True),
    record_step(
        "cut-card", "Draw the cut card.", "a record with its tag", events.CardPassed, tag=READ
    ),
    record_step(
        "no-tag",
        "With a gate: draw a card without a tag.",
        "a record of the gate alone",
        events.CardPassed,
        tag=None,
    ),
    record_step(
        "pulled-back",
        "With a gate: draw a card half out, and push it back for some seconds.",
        "a record with the tag, and none of the gate",
        events.TagPulledBack,
    ),
    record_step(
        "slow-card",
        "With a gate: leave a card in the exit for some seconds.",
        "a record of the gate, and the next one late",
        events.SlowCard,
    ),
    record_step("two-cards", "Draw two cards as one.", "a record of each tag", events.TagsTogether),
)


def _shoe_error(name: str, act: str, states: str, kind: type, code: int) -> GuidedStep:
    return event_step(name, act, states, kind, picked=(("code", code),), code=code)


TABLELINK_SHOE: Final = (
    event_step("loaded", "Load the shoe with a pack.", "SHOE_LOADED", events.DeviceStarted),
    GuidedStep(
        name="card-1",
        act="Draw one card.",
        states="CARD_OUT with what the shoe reads of a card",
        section=EVENTS,
        kinds=(events.CardPassed, events.CardRead),
    ),
    GuidedStep(
        name="card-2",
        act="Draw another card.",
        states="CARD_OUT with what the shoe reads of a card",
        section=EVENTS,
        kinds=(events.CardPassed, events.CardRead),
    ),
    event_step("cut-card", "Draw the cut card.", "CUT_CARD", events.CutCardSeen),
    _shoe_error("lid-open", "Open the lid.", "LID, open", events.DeviceErrorRaised, 2),
    _shoe_error("lid-closed", "Close the lid.", "LID, not open", events.DeviceErrorCleared, 2),
    _shoe_error("jam", "Make a card jam.", "JAM", events.DeviceErrorRaised, 3),
    _shoe_error("jam-cleared", "Take it out.", "JAM, cleared", events.DeviceErrorCleared, 3),
    GuidedStep(
        name="lock",
        act="The program locks the exit.",
        states="LOCK answered with 0",
        section=REQUESTS,
        kinds=(events.LockChanged,),
        fields=(("locked", True),),
        command=commands.LockExit(),
    ),
    GuidedStep(
        name="unlock",
        act="The program unlocks the exit.",
        states="UNLOCK answered with 0",
        section=REQUESTS,
        kinds=(events.LockChanged,),
        fields=(("locked", False),),
        command=commands.UnlockExit(),
    ),
)


def any_shoe(model: AnyModel) -> tuple[GuidedStep, ...]:
    """The steps for a shoe of another distribution, by what its model says it can do."""
    card = events.CardPassed if model.cards is CardReading.TAG else events.CardRead
    field = "tag" if model.cards is CardReading.TAG else "face"
    read: dict[str, object] = {field: READ} if model.cards is not CardReading.NONE else {}
    steps = [
        record_step("card-1", "Draw one card.", "a report of it", card, **read),
        record_step("card-2", "Draw another card.", "a report of it", card, **read),
        record_step("cut-card", "Draw the cut card.", "a report of it", events.CutCardSeen),
    ]
    if model.result_buttons:
        for winner in DeclaredWinner:
            act = f"Press {winner.value}."
            steps.append(
                record_step(
                    f"key-{winner.value}",
                    act,
                    "a report of it",
                    events.ResultButtonPressed,
                    winner=winner,
                )
            )
    return tuple(replace(one, section="") for one in steps)


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


def walk_of(model: AnyModel, installed: Installation) -> tuple[GuidedStep, ...]:
    """The steps for a device of this model, in order."""
    match model.kind, model.name:
        case DeviceKind.SHOE, "angel-eye-ii-ex":
            return ANGEL_EYE
        case DeviceKind.SHOE, "feig-rfid":
            return RFID_SHOE
        case DeviceKind.SHOE, "tablelink":
            return TABLELINK_SHOE
        case DeviceKind.SHUFFLER, "tablelink":
            return SHUFFLER
        case DeviceKind.READER, _:
            return READERS[installed.seat]
        case DeviceKind.SCANNER, _:
            return SCANNER
        case DeviceKind.SHUFFLER, _:
            return tuple(one for one in SHUFFLER if one.command is None)
        case _:
            return any_shoe(model)

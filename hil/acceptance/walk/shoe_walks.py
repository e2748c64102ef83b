"""The guided lists of dealing shoes.

Source: firmware_bridge/angel_eye/README.md, firmware_bridge/feig/README.md,
firmware_bridge/tablelink/README.md.
"""

from typing import Final

from msgspec.structs import replace

from drivers import commands, events
from drivers.catalogue import AnyModel
from drivers.events import DeclaredWinner
from drivers.model import CardReading
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

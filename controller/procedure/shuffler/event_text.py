"""What the shuffler tells, in words for the record.

Responsible for: one short sentence for each of its events. What the device wrote itself is not
repeated here: it is untrusted, and stands in the event.
Not responsible for: what follows from it (living).
Source: drivers, "Shufflers".
"""

from typing import assert_never

from drivers.shuffler_events import (
    CompartmentChanged,
    DeviceHeardAgain,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleDone,
    ShufflerEvent,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
)


def told_in_words(event: ShufflerEvent) -> str:
    """The event as a sentence."""
    match event:
        case CompartmentChanged():
            cards = "not counted" if event.cards is None else f"{event.cards} cards"
            return f"compartment {event.compartment} is {event.state.value}, {cards}"
        case ShuffleBegan():
            return f"shuffle {event.cycle} began in compartment {event.compartment}"
        case ShuffleDone(proof):
            return f"shuffle {proof.cycle} is done in compartment {proof.compartment}"
        case ShuffleAborted():
            where = f"in compartment {event.compartment}"
            return f"shuffle {event.cycle} was broken off {where}: {event.reason.value}"
        case JamReported():
            jam = "the jam is cleared" if event.cleared else "cards are jammed"
            return f"{jam} in compartment {event.compartment}"
        case ResidualCards():
            return f"{event.cards} cards are left in compartment {event.compartment}"
        case DoorMoved():
            of = f"the door of compartment {event.compartment}"
            door = of if event.compartment else "the shuffler's door"
            return f"{door} is {'open' if event.open else 'closed'}"
        case _:
            return _of_device(event)


def _of_device(
    event: ModeChanged
    | ShufflerWarning
    | SelfTested
    | ShufflerStarted
    | ShufflerStatus
    | DeviceTampered
    | IdentityProven
    | IdentityRefused
    | DeviceSilent
    | DeviceHeardAgain,
) -> str:
    match event:
        case ModeChanged():
            return f"the shuffler is in {event.mode.value} mode"
        case ShufflerWarning():
            return f"warning light {event.code} is {'on' if event.active else 'off'}"
        case SelfTested():
            return f"the shuffler's self-test {'passed' if event.passed else 'failed'}"
        case ShufflerStarted():
            return f"the shuffler started, boot {event.boot_count}"
        case ShufflerStatus():
            return "the shuffler's status"
        case DeviceTampered():
            return "the shuffler was opened or changed"
        case IdentityProven():
            return "the shuffler let in without identity" if event.bare else "the paired shuffler"
        case IdentityRefused():
            return "a shuffler that is not let in: nothing it tells is taken"
        case DeviceSilent():
            return "the shuffler counts as gone" if event.lost else "the shuffler is silent"
        case DeviceHeardAgain():
            return "the shuffler is heard again"
        case _:
            assert_never(event)

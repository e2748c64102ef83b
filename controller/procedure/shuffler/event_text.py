"""Describes each shuffler event in one short sentence for the record.

Text written by the device is untrusted: it stays in the event and is not repeated here.
Source: drivers, "Shufflers".
"""

from typing import assert_never

from drivers.shuffler_events import (
    CompartmentChanged,
    ContactRestored,
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
    ShuffleDone,
    ShufflerEvent,
    ShufflerStarted,
    ShufflerStatus,
    ShufflerWarning,
    ShuffleStarted,
)


def describe_event(event: ShufflerEvent) -> str:
    """Describe the event in one sentence."""
    match event:
        case CompartmentChanged():
            cards = "not counted" if event.cards is None else f"{event.cards} cards"
            return f"compartment {event.compartment} is {event.state.value}, {cards}"
        case ShuffleStarted():
            return f"shuffle {event.cycle} began in compartment {event.compartment}"
        case ShuffleDone(proof):
            return f"shuffle {proof.cycle} is done in compartment {proof.compartment}"
        case ShuffleAborted():
            where = f"in compartment {event.compartment}"
            return f"shuffle {event.cycle} was aborted {where}: {event.reason.value}"
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
            return _describe_device_event(event)


def _describe_device_event(
    event: ModeChanged
    | ShufflerWarning
    | SelfTested
    | ShufflerStarted
    | ShufflerStatus
    | DeviceTampered
    | IdentityProven
    | IdentityRefused
    | DeviceSilent
    | ContactRestored,
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
            return "status report of the shuffler"
        case DeviceTampered():
            return "the shuffler was opened or changed"
        case IdentityProven():
            return (
                "the shuffler was accepted without an identity"
                if event.bare
                else "the shuffler proved its identity"
            )
        case IdentityRefused():
            return "the shuffler was not accepted: its events are ignored"
        case DeviceSilent():
            return "the shuffler is considered lost" if event.lost else "the shuffler is silent"
        case ContactRestored():
            return "the shuffler answers again"
        case _:
            assert_never(event)

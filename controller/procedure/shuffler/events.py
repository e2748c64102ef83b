"""Events of the shuffler, and a person's clearing of its warnings.

Source: NY-a-4-iv-c; S42-a-4-iv, S42-e-8-ii-A; D-19, D-20, D-32; field practice (SugarHouse).

Decisions. Events are applied as they arrive, whether the table is suspended or not. At a table
without a configured shuffler they are noted and change nothing. Text written by the device is
untrusted: it stays in the event and is not repeated in the words for it.
"""

from typing import assert_never

from msgspec.structs import replace

from controller.custody.batch_life.facts import EventsLost, Fact, ShufflerPortLost
from controller.custody.batch_life.warnings import clear_refusal
from controller.procedure.acts.recording import begin_act
from controller.procedure.effects import Refusal, WarningClosed
from controller.procedure.events import (
    ShufflerDisconnected,
    ShufflerDomainEvent,
    ShufflerEventsLost,
    ShufflerReported,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import apply_change, next_lineage
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept
from controller.rules.actions.actions import ClearWarning, OperatorAction
from controller.rules.actions.declaration import name_of
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
    ShuffleShown,
    ShuffleStarted,
)
from foundation.message import Message, message


def apply_shuffler_event(book: RuleBook, state: TableState, event: ShufflerDomainEvent) -> Step:
    """Apply an event of the shuffler."""
    match event:
        case ShufflerReported():
            return _apply_report(book, state, event.event, describe_event(event.event), event.at_ns)
        case ShufflerEventsLost():
            text = (
                message("lost_events_shuffler_count", count=event.count)
                if event.count
                else message("lost_events_shuffler_unknown_number")
            )
            return _apply_report(book, state, EventsLost(event.count), text, event.at_ns)
        case ShufflerDisconnected():
            return _apply_report(
                book, state, ShufflerPortLost(), message("shuffler_port_lost"), event.at_ns
            )
        case _:
            assert_never(event)


def _apply_report(book: RuleBook, state: TableState, fact: Fact, text: Message, at_ns: int) -> Step:
    if not book.shuffler:
        return accept(begin_act(state), message("this_table_no_shuffler_reports", text=text))
    update = next_lineage(book, state, fact, at_ns)
    step = apply_change(book, begin_act(replace(state, shuffler_event_ns=at_ns)), update)
    if update.remarks:
        remarks = tuple(remark.detail for remark in update.remarks)
        text = message("one_after_another", texts=(text, *remarks))
    return accept(step, text)


def clear_warning(book: RuleBook, state: TableState, act: OperatorAction[ClearWarning]) -> Step:
    """Clear a warning, with a person and a reason, once its cause is gone."""
    why = clear_refusal(state.lineage, act.action.number)
    if why is None and not act.reason.strip():
        why = message("give_reason_what_cause_and_how_corrected")
    if why is not None:
        return begin_act(state).with_effect(Refusal(name_of(act.action), why))
    update = next_lineage(book, state, act.action, act.at.utc_ns)
    step = apply_change(book, begin_act(state), update)
    for warning in update.closed:
        step = step.with_effect(
            WarningClosed(
                number=warning.number,
                kind=warning.kind,
                person=act.person,
                reason=act.reason,
                waited_ns=max(0, act.at.utc_ns - warning.since_ns),
            )
        )
    return accept(
        step,
        message("warning_number_cleared_by_person", number=act.action.number, person=act.person),
    )


# --- in words -------------------------------------------------------------------------------------


def describe_event(event: ShufflerEvent) -> Message:
    """Describe the event in one sentence."""
    match event:
        case CompartmentChanged():
            # By far the most frequent report: without a call for its message.
            number, state, cards = event.compartment, event.state.value, event.cards
            if cards is None:
                return Message(
                    "compartment_not_counted", (("compartment", number), ("state", state))
                )
            return Message(
                "compartment_counted",
                (("compartment", number), ("state", state), ("cards", cards)),
            )
        case ShuffleStarted():
            return message(
                "shuffle_began_in_compartment", cycle=event.cycle, compartment=event.compartment
            )
        case ShuffleDone(proof):
            return message(
                "shuffle_done_in_compartment", cycle=proof.cycle, compartment=proof.compartment
            )
        case ShuffleShown():
            return message("lamps_show_shuffle", cycle=event.cycle)
        case ShuffleAborted():
            return message(
                "shuffle_aborted",
                cycle=event.cycle,
                compartment=event.compartment,
                reason=event.reason.value,
            )
        case JamReported():
            if event.cleared:
                return message("jam_cleared_in_compartment", compartment=event.compartment)
            return message("cards_jammed_in_compartment", compartment=event.compartment)
        case ResidualCards():
            return message(
                "cards_left_in_compartment", cards=event.cards, compartment=event.compartment
            )
        case DoorMoved():
            door = message("shuffler_door")
            if event.compartment:
                door = message("door_of_compartment", compartment=event.compartment)
            return (
                message("door_open", door=door) if event.open else message("door_closed", door=door)
            )
        case _:
            return _describe_device_event(event)


def _describe_light(event: ShufflerWarning) -> Message:
    if event.active:
        return message("warning_light_on", code=event.code)
    return message("warning_light_off", code=event.code)


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
) -> Message:
    match event:
        case ModeChanged():
            return message("shuffler_mode_is", mode=event.mode.value)
        case ShufflerWarning():
            return _describe_light(event)
        case SelfTested():
            if event.passed:
                return message("shuffler_self_test_passed")
            return message("shuffler_self_test_failed")
        case ShufflerStarted():
            return message("shuffler_started", boot_count=event.boot_count)
        case ShufflerStatus():
            return message("status_report_shuffler")
        case DeviceTampered():
            return message("shuffler_opened_or_changed")
        case IdentityProven():
            return (
                message("shuffler_accepted_without_identity")
                if event.bare
                else message("shuffler_proved_identity")
            )
        case IdentityRefused():
            return message("shuffler_not_accepted_events_ignored")
        case DeviceSilent():
            return message("shuffler_considered_lost") if event.lost else message("shuffler_silent")
        case ContactRestored():
            return message("shuffler_answers_again")
        case _:
            assert_never(event)

"""Tests the common part of the FEIG reader drivers: faults, losses and refused commands."""

import pytest

from controller.system.messages.catalogue import to_words
from drivers.commands import ClearError, DeviceCommand, ListTags, LockExit, SetPolling, UnlockExit
from drivers.events import CommandAnswered, CommandOutcome, LossReason, ReportsLost
from drivers.faults import DeviceFault
from drivers.readers.feig_model import FEIG_READER
from drivers.readers.feig_reader import events_of, kind_name
from firmware_bridge.feig.items import (
    BufferOverflow,
    BufferRecord,
    FeigItem,
    InventoryDone,
    KeepAlive,
    ReaderIdentified,
    RepeatsDropped,
    RequestFailed,
)
from firmware_bridge.link import ContinuityUnproven, LinkFaultKind
from foundation.message import Message, message
from foundation.timestamp import Timestamp

AT = Timestamp(1_000, 1_000)


@pytest.mark.parametrize(
    ("item", "kind", "reason"),
    [
        (BufferOverflow(), LinkFaultKind.BUFFER_OVERFLOW, LossReason.GAP),
        (ContinuityUnproven(), LinkFaultKind.CONTINUITY_UNPROVEN, LossReason.UNPROVEN),
    ],
)
def test_overflow_gives_a_fault_and_a_loss_of_unknown_size(
    item: FeigItem, kind: LinkFaultKind, reason: LossReason
) -> None:
    fault, lost = events_of(item)

    assert isinstance(fault, DeviceFault)
    assert fault.kind is kind
    assert lost == ReportsLost(reason, 0)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(None, LinkFaultKind.NO_ANSWER), (0x80, LinkFaultKind.DEVICE_STATUS)],
)
def test_a_failed_request_gives_a_fault_that_names_it(
    status: int | None, kind: LinkFaultKind
) -> None:
    (fault,) = events_of(
        RequestFailed(message("reader_inventory"), status, message("reader_does_not_answer"))
    )

    assert isinstance(fault, DeviceFault)
    assert fault.kind is kind
    assert "inventory" in to_words(fault.detail)


@pytest.mark.parametrize(
    "item",
    [
        ReaderIdentified(b"\x03"),
        KeepAlive(b"\x00\x00"),
        RepeatsDropped(3),
        BufferRecord(b"\xe0"),
        InventoryDone(1),
    ],
)
def test_items_about_tags_give_no_reader_event(item: FeigItem) -> None:
    assert events_of(item) == ()


@pytest.mark.parametrize("command", [LockExit(), UnlockExit(), ClearError(1), ListTags()])
def test_unsupported_commands_are_refused_with_advice(command: DeviceCommand) -> None:
    reader = FEIG_READER.build()
    before = reader.initial()

    after, output = reader.command(before, command, AT)

    (answer,) = output.events
    assert isinstance(answer, CommandAnswered)
    assert answer.command == type(command).__name__
    assert answer.outcome is CommandOutcome.REFUSED
    assert isinstance(answer.detail, Message)
    assert after == before
    assert output.to_write == output.at_once == ()


@pytest.mark.parametrize("closely", [True, False])
def test_set_polling_gives_no_answer(closely: bool) -> None:
    reader = FEIG_READER.build()

    _state, output = reader.command(reader.initial(), SetPolling(closely), AT)

    assert output.events == ()


def test_transponder_kinds_are_named() -> None:
    assert kind_name(0x04) == "ISO 14443 A (04)"
    assert kind_name(0x84) == "EPC class 1 gen 2 (84)"
    assert kind_name(0x55) == "unknown (55)"

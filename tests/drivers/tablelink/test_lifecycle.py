"""Tests the life cycle of a TableLink device: HELLO, admission, refusal, silence, loss."""

import pytest
from in_words import in_words

from controller.system.messages.catalogue import to_words
from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.shell import OPENED
from drivers.shuffler_events import (
    ContactRestored,
    DeviceMemoryFilling,
    DeviceSilent,
    IdentityProven,
    IdentityRefused,
)
from drivers.tablelink.device import (
    LifecycleReport,
    TableLinkLifecycle,
    advance_life,
    apply_item,
)
from firmware_bridge.attestation import Attestation
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import ShoeEmpty
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    DeviceHello,
    DeviceNotAdmitted,
    DeviceSilence,
    EventsMissing,
    RequestAnswer,
    RequestType,
    RingFillLevel,
    SilenceEnded,
    TableLinkEvent,
    TableLinkItem,
    TableLinkRequest,
)
from foundation.message import message

DEVICE = bytes.fromhex("A0 11 22 33 44 55 66 77")
IMAGE = bytes(range(32))
HELLO = DeviceHello(DEVICE, boot_id=77, boot_count=3, firmware="1.2.0", debug=False)
STATED = Attestation(
    nonce=bytes(32),
    device=DEVICE,
    boot_id=77,
    image=IMAGE,
    version="1.2.0",
    security_counter=5,
    boot_count=3,
    debug=False,
)
PROVEN = IdentityProven(
    "a011223344556677",
    version="1.2.0",
    image=IMAGE,
    security_counter=5,
    boot_count=3,
    bare=False,
)
WHY = message("device_has_no_identity")
GREETED = StageChanged(Stage.IDENTIFIED, "device a011223344556677: firmware 1.2.0, boot 3")


def apply_items(
    life: TableLinkLifecycle, *items: TableLinkItem | LinkFault
) -> tuple[TableLinkLifecycle, tuple[LifecycleReport, ...]]:
    reports: list[LifecycleReport] = []
    for item in items:
        life, events = apply_item(life, item)
        reports.extend(events)
    return life, tuple(reports)


def opened() -> TableLinkLifecycle:
    return advance_life(TableLinkLifecycle(), (OPENED,))[0]


def online() -> TableLinkLifecycle:
    return apply_items(opened(), HELLO, DeviceAdmitted(DEVICE, STATED))[0]


def test_an_open_port_is_the_first_stage() -> None:
    life, events = advance_life(TableLinkLifecycle(), (OPENED,))

    assert life.stage is Stage.OPENED
    assert in_words(events) == (StageChanged(Stage.OPENED, "port open"),)


def test_a_paired_device_is_identified_then_online() -> None:
    life, reports = apply_items(opened(), HELLO, DeviceAdmitted(DEVICE, STATED))

    assert life.stage is Stage.ONLINE
    assert in_words(reports) == (GREETED, StageChanged(Stage.ONLINE, "identity proved"), PROVEN)


def test_a_bare_device_is_admitted_without_proof() -> None:
    _life, reports = apply_items(opened(), HELLO, DeviceAdmitted(DEVICE, None))

    assert in_words(reports) == (
        GREETED,
        StageChanged(Stage.ONLINE, "admitted without an identity, as configured"),
        IdentityProven(
            "a011223344556677",
            version="1.2.0",
            image=b"",
            security_counter=0,
            boot_count=3,
            bare=True,
        ),
    )


def test_debugging_shows_in_the_hello_text() -> None:
    hello = DeviceHello(DEVICE, boot_id=1, boot_count=4, firmware="1.2.0", debug=True)

    _life, reports = apply_items(opened(), hello)

    detail = "device a011223344556677: firmware 1.2.0, boot 4, debugging on"
    assert in_words(reports) == (StageChanged(Stage.IDENTIFIED, detail),)


@pytest.mark.parametrize("rolled_back", [True, False])
def test_an_unknown_device_never_comes_online(rolled_back: bool) -> None:
    life, reports = apply_items(opened(), HELLO, DeviceNotAdmitted(DEVICE, WHY, rolled_back))

    assert life.stage is Stage.IDENTIFIED
    assert in_words(reports) == (
        GREETED,
        IdentityRefused("a011223344556677", to_words(WHY), rolled_back),
    )


def test_another_device_on_the_same_cable_ends_the_first_ones_session() -> None:
    life, reports = apply_items(online(), HELLO, DeviceNotAdmitted(DEVICE, WHY, rolled_back=False))

    assert life.stage is Stage.IDENTIFIED
    assert in_words(reports) == (
        StageChanged(Stage.OPENED, "the device opens a new session"),
        GREETED,
        IdentityRefused("a011223344556677", to_words(WHY), rolled_back=False),
    )


def test_a_refusal_without_a_new_hello_ends_the_session_too() -> None:
    life, reports = apply_items(online(), DeviceNotAdmitted(DEVICE, WHY, rolled_back=False))

    assert life.stage is Stage.OPENED
    assert in_words(reports) == (
        StageChanged(Stage.OPENED, "the device is not admitted"),
        IdentityRefused("a011223344556677", to_words(WHY), rolled_back=False),
    )


def test_a_device_that_booted_comes_online_again() -> None:
    life, reports = apply_items(online(), HELLO, DeviceAdmitted(DEVICE, STATED))

    assert life.stage is Stage.ONLINE
    assert in_words(reports) == (
        StageChanged(Stage.OPENED, "the device opens a new session"),
        GREETED,
        StageChanged(Stage.ONLINE, "identity proved"),
        PROVEN,
    )


@pytest.mark.parametrize(
    ("item", "events"),
    [
        (DeviceSilence(3000, lost=False), (DeviceSilent(3000, lost=False),)),
        (
            DeviceSilence(5000, lost=True),
            (
                DeviceSilent(5000, lost=True),
                StageChanged(Stage.OPENED, "no frames from the device"),
            ),
        ),
        (SilenceEnded(), (ContactRestored(),)),
        (
            RingFillLevel(3700, 4096, gate_closed=True),
            (DeviceMemoryFilling(3700, 4096, stopped=True),),
        ),
        (
            EventsMissing(3),
            (
                DeviceFault(LinkFaultKind.SEQUENCE_GAP, "3 events of the device lost for good"),
                ReportsLost(LossReason.GAP, 3),
            ),
        ),
        (
            LinkFault(LinkFaultKind.BAD_CHECKSUM, message("crc_does_not_match_frame")),
            (DeviceFault(LinkFaultKind.BAD_CHECKSUM, "the CRC does not match the frame"),),
        ),
    ],
)
def test_each_item_maps_to_its_events(item: TableLinkItem, events: tuple[DeviceEvent, ...]) -> None:
    assert in_words(apply_item(online(), item)[1]) == events


@pytest.mark.parametrize(
    "item",
    [
        TableLinkEvent(1, 77, 5, ShoeEmpty(), None, None),
        RequestAnswer(TableLinkRequest(RequestType.STATUS), None, None, None),
    ],
)
def test_items_about_cards_and_batches_are_passed_on(item: TableLinkItem) -> None:
    assert apply_item(online(), item) == (online(), (item,))


def test_a_device_that_was_silent_has_to_prove_itself_again() -> None:
    life, reports = apply_items(
        online(), DeviceSilence(5000, lost=True), SilenceEnded(), DeviceAdmitted(DEVICE, STATED)
    )

    assert life.stage is Stage.ONLINE
    assert in_words(reports) == (
        DeviceSilent(5000, lost=True),
        StageChanged(Stage.OPENED, "no frames from the device"),
        ContactRestored(),
        StageChanged(Stage.IDENTIFIED, "the device answered"),
        StageChanged(Stage.ONLINE, "identity proved"),
        PROVEN,
    )


def test_a_lost_port_ends_every_stage() -> None:
    for life in (TableLinkLifecycle(), opened(), apply_items(opened(), HELLO)[0], online()):
        after, events = advance_life(life, ((Stage.LOST, message("usb_unplugged")),))

        assert after.stage is Stage.LOST
        assert in_words(events) == (StageChanged(Stage.LOST, "unplugged"),)

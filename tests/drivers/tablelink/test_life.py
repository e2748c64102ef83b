"""The life of a TableLink device: greeted, let in, refused, silent, gone."""

import pytest

from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage, StageChanged
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    DeviceHeardAgain,
    DeviceMemoryFilling,
    DeviceSilent,
    IdentityProven,
    IdentityRefused,
)
from drivers.tablelink.life import Life, Said, hear, port_lost, port_opened
from firmware_bridge.attestation import Attestation
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import ShoeEmpty
from firmware_bridge.tablelink.items import (
    Admitted,
    Answered,
    DeviceSaidHello,
    EventsMissing,
    Happened,
    HeardAgain,
    NotAdmitted,
    Order,
    Request,
    RingFilling,
    Silent,
    TableLinkItem,
)

DEVICE = bytes.fromhex("A0 11 22 33 44 55 66 77")
IMAGE = bytes(range(32))
HELLO = DeviceSaidHello(DEVICE, boot_id=77, boot_count=3, firmware="1.2.0", debug=False)
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
GREETED = StageChanged(Stage.IDENTIFIED, "device a011223344556677: firmware 1.2.0, boot 3")


def live(life: Life, *items: TableLinkItem | LinkFault) -> tuple[Life, tuple[Said, ...]]:
    said: list[Said] = []
    for item in items:
        life, told = hear(life, item)
        said.extend(told)
    return life, tuple(said)


def opened() -> Life:
    return port_opened(Life())[0]


def online() -> Life:
    return live(opened(), HELLO, Admitted(DEVICE, STATED))[0]


def test_an_open_port_is_the_first_stage() -> None:
    life, events = port_opened(Life())

    assert life.stage is Stage.OPENED
    assert events == (StageChanged(Stage.OPENED, "port open"),)


def test_a_paired_device_is_identified_then_online() -> None:
    life, said = live(opened(), HELLO, Admitted(DEVICE, STATED))

    assert life.stage is Stage.ONLINE
    assert said == (GREETED, StageChanged(Stage.ONLINE, "it proved who it is"), PROVEN)


def test_a_bare_device_shows_that_it_proved_nothing() -> None:
    _life, said = live(opened(), HELLO, Admitted(DEVICE, None))

    assert said == (
        GREETED,
        StageChanged(Stage.ONLINE, "let in without an identity, as the configuration says"),
        IdentityProven(
            "a011223344556677",
            version="1.2.0",
            image=b"",
            security_counter=0,
            boot_count=3,
            bare=True,
        ),
    )


def test_debugging_shows_in_the_greeting() -> None:
    hello = DeviceSaidHello(DEVICE, boot_id=1, boot_count=4, firmware="1.2.0", debug=True)

    _life, said = live(opened(), hello)

    detail = "device a011223344556677: firmware 1.2.0, boot 4, debugging on"
    assert said == (StageChanged(Stage.IDENTIFIED, detail),)


@pytest.mark.parametrize("rolled_back", [True, False])
def test_an_unknown_device_never_comes_online(rolled_back: bool) -> None:
    why = "its key is not the one that was paired: pair it anew"

    life, said = live(opened(), HELLO, NotAdmitted(DEVICE, why, rolled_back))

    assert life.stage is Stage.IDENTIFIED
    assert said == (GREETED, IdentityRefused("a011223344556677", why, rolled_back))


def test_another_device_at_the_same_cable_takes_the_first_one_off() -> None:
    life, said = live(online(), HELLO, NotAdmitted(DEVICE, "why", rolled_back=False))

    assert life.stage is Stage.IDENTIFIED
    assert said == (
        StageChanged(Stage.OPENED, "the device begins anew"),
        GREETED,
        IdentityRefused("a011223344556677", "why", rolled_back=False),
    )


def test_a_refusal_without_a_new_greeting_takes_it_off_too() -> None:
    life, said = live(online(), NotAdmitted(DEVICE, "why", rolled_back=False))

    assert life.stage is Stage.OPENED
    assert said == (
        StageChanged(Stage.OPENED, "the device is not let in"),
        IdentityRefused("a011223344556677", "why", rolled_back=False),
    )


def test_a_device_that_booted_comes_online_again() -> None:
    life, said = live(online(), HELLO, Admitted(DEVICE, STATED))

    assert life.stage is Stage.ONLINE
    assert said == (
        StageChanged(Stage.OPENED, "the device begins anew"),
        GREETED,
        StageChanged(Stage.ONLINE, "it proved who it is"),
        PROVEN,
    )


@pytest.mark.parametrize(
    ("item", "events"),
    [
        (Silent(3000, lost=False), (DeviceSilent(3000, lost=False),)),
        (
            Silent(5000, lost=True),
            (
                DeviceSilent(5000, lost=True),
                StageChanged(Stage.OPENED, "nothing is heard of it"),
            ),
        ),
        (HeardAgain(), (DeviceHeardAgain(),)),
        (
            RingFilling(3700, 4096, gate_closed=True),
            (DeviceMemoryFilling(3700, 4096, stopped=True),),
        ),
        (
            EventsMissing(3),
            (
                DeviceFault(
                    LinkFaultKind.SEQUENCE_GAP, "3 events of the device are missing for ever"
                ),
                ReportsLost(LossReason.GAP, 3),
            ),
        ),
        (
            LinkFault(LinkFaultKind.BAD_CHECKSUM, "CRC\x00"),
            (DeviceFault(LinkFaultKind.BAD_CHECKSUM, "CRC?"),),
        ),
    ],
)
def test_what_is_told_of_it(item: TableLinkItem, events: tuple[DeviceEvent, ...]) -> None:
    assert hear(online(), item)[1] == events


@pytest.mark.parametrize(
    "item",
    [
        Happened(1, 77, 5, ShoeEmpty(), None, None),
        Answered(Request(Order.STATUS), None, "", None),
    ],
)
def test_what_concerns_cards_and_batches_is_left_to_the_device(item: TableLinkItem) -> None:
    assert hear(online(), item) == (online(), (item,))


def test_a_device_that_was_silent_has_to_prove_itself_again() -> None:
    life, said = live(online(), Silent(5000, lost=True), HeardAgain(), Admitted(DEVICE, STATED))

    assert life.stage is Stage.ONLINE
    assert said == (
        DeviceSilent(5000, lost=True),
        StageChanged(Stage.OPENED, "nothing is heard of it"),
        DeviceHeardAgain(),
        StageChanged(Stage.IDENTIFIED, "it answered"),
        StageChanged(Stage.ONLINE, "it proved who it is"),
        PROVEN,
    )


def test_a_lost_port_ends_every_stage() -> None:
    for life in (Life(), opened(), live(opened(), HELLO)[0], online()):
        after, events = port_lost(life, "unplugged")

        assert after.stage is Stage.LOST
        assert events == (StageChanged(Stage.LOST, "unplugged"),)


def test_a_devices_words_are_bounded() -> None:
    hello = DeviceSaidHello(DEVICE, 1, 1, "\u2028" * 500, debug=False)

    life, _said = live(opened(), hello, NotAdmitted(DEVICE, "y" * 5000, rolled_back=False))

    assert life.version == "?" * 64
    assert live(life, NotAdmitted(DEVICE, "y" * 5000, rolled_back=False))[1] == (
        IdentityRefused("a011223344556677", "y" * 300, rolled_back=False),
    )

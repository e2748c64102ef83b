"""Proven device identities: trusted, bare or refused, and reset when the port is reopened."""

import pytest

from controller.core.state import NOT_PROVEN, DeviceIdentity, next_identity
from drivers.events import Stage, StageChanged, StandByEntered
from drivers.shuffler_events import DeviceSilent, IdentityProven, IdentityRefused
from foundation.message import message

PROVEN = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=False)
BARE = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=True)
NO_IDENTITY = message("device_has_no_identity")
REFUSED = IdentityRefused("5A02", NO_IDENTITY, rolled_back=False)
TRUSTED = DeviceIdentity("5A01", "1.4.0", trusted=True)


def after(*events: object) -> DeviceIdentity:
    known = NOT_PROVEN
    for event in events:
        known = next_identity(known, event)
    return known


def test_a_device_with_a_proven_identity_is_trusted() -> None:
    assert after(PROVEN) == TRUSTED


def test_a_bare_device_is_accepted_and_not_trusted() -> None:
    assert after(BARE) == DeviceIdentity("5A01", "1.4.0", bare=True)


def test_a_refused_device_has_only_a_reason() -> None:
    assert after(PROVEN, REFUSED) == DeviceIdentity("5A02", refused=NO_IDENTITY)


@pytest.mark.parametrize("stage", [Stage.OPENED, Stage.LOST])
@pytest.mark.parametrize("before", [PROVEN, BARE, REFUSED])
def test_a_reopened_or_lost_port_resets_the_identity(before, stage) -> None:
    assert after(before, StageChanged(stage, message("usb_unplugged"))) == NOT_PROVEN


@pytest.mark.parametrize(
    "event",
    [
        StandByEntered(),
        DeviceSilent(1500, lost=False),
        StageChanged(Stage.ONLINE, message("identity_proved")),
    ],
)
def test_other_events_keep_the_identity(event) -> None:
    assert after(PROVEN, event) == TRUSTED

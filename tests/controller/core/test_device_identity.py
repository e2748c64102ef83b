"""Who a device has proven to be: trusted, bare or refused, and forgotten when it begins anew."""

import pytest

from controller.core.device_identity import NOT_PROVEN, DeviceIdentity, identity_after
from drivers.events import Stage, StageChanged, StandBy
from drivers.shuffler_events import DeviceSilent, IdentityProven, IdentityRefused

PROVEN = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=False)
BARE = IdentityProven("5A01", "1.4.0", bytes(32), 3, 12, bare=True)
REFUSED = IdentityRefused("5A02", "its key is another than the paired one", rolled_back=False)
TRUSTED = DeviceIdentity("5A01", "1.4.0", trusted=True)


def after(*events: object) -> DeviceIdentity:
    known = NOT_PROVEN
    for event in events:
        known = identity_after(known, event)
    return known


def test_a_device_that_proves_itself_is_trusted() -> None:
    assert after(PROVEN) == TRUSTED


def test_a_bare_device_is_let_in_and_not_trusted() -> None:
    assert after(BARE) == DeviceIdentity("5A01", "1.4.0", bare=True)


def test_a_refused_device_is_known_by_the_reason_alone() -> None:
    assert after(PROVEN, REFUSED) == DeviceIdentity(
        "5A02", refused="its key is another than the paired one"
    )


@pytest.mark.parametrize("stage", [Stage.OPENED, Stage.LOST])
@pytest.mark.parametrize("before", [PROVEN, BARE, REFUSED])
def test_a_device_that_begins_anew_proves_itself_anew(before, stage) -> None:
    assert after(before, StageChanged(stage, "unplugged")) == NOT_PROVEN


@pytest.mark.parametrize(
    "event", [StandBy(), DeviceSilent(1500, lost=False), StageChanged(Stage.ONLINE, "")]
)
def test_what_says_nothing_of_who_it_is_changes_nothing(event) -> None:
    assert after(PROVEN, event) == TRUSTED

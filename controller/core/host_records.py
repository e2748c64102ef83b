"""The entries of inputs that change nothing at the table: accounts, USB, noise, floods, power."""

from typing import TypeAlias, assert_never

from controller.core.device_intake import noise_fault, reports_fault
from controller.core.tape.entries import (
    DeviceEventRecorded,
    Entry,
    PowerFailRecorded,
    UsbDeviceFate,
    UsbDeviceRecorded,
)
from controller.core.tape.inputs import (
    AccountChange,
    AccountChanged,
    DevicePlugged,
    DeviceUnplugged,
    NoiseDropped,
    PowerFailing,
    ReportsExceeded,
)
from controller.procedure.effects import ActRecord
from foundation.message import message

RecordedInput: TypeAlias = (
    NoiseDropped | ReportsExceeded | DevicePlugged | DeviceUnplugged | PowerFailing | AccountChanged
)


def record_of(item: RecordedInput) -> Entry:
    """The entry of the input."""
    match item:
        case NoiseDropped():
            return DeviceEventRecorded(item.port, noise_fault(item))
        case ReportsExceeded():
            return DeviceEventRecorded(item.port, reports_fault(item))
        case DevicePlugged() | DeviceUnplugged():
            return usb_device_entry(item)
        case PowerFailing(sign=sign):
            return PowerFailRecorded(sign)
        case AccountChanged():
            return account_record(item)
        case _:
            assert_never(item)


def account_record(item: AccountChanged) -> ActRecord:
    """Which account was changed, and by whom; never a PIN or its hash."""
    if item.by:
        who = message("person_known_by", person=item.by, proof=item.proof.value)
    elif item.change is AccountChange.LOCKED:
        who = message("wrong_pins_from", identified_by=item.identified_by)
    else:
        who = message("machine_administrator", identified_by=item.identified_by)
    role = item.role.value if item.role is not None else "unknown"
    change = message("account_change", change=item.change.value, role=role, who=who)
    return ActRecord("account", item.person, change, ())


def usb_device_entry(item: DevicePlugged | DeviceUnplugged) -> UsbDeviceRecorded:
    """A USB device that appeared, was refused or is gone."""
    if isinstance(item, DeviceUnplugged):
        return UsbDeviceRecorded(UsbDeviceFate.GONE, "", "", item.path, None)
    usb_id = f"{item.vendor_id:04x}:{item.product_id:04x}"
    what = UsbDeviceFate.REFUSED if item.refused is not None else UsbDeviceFate.APPEARED
    return UsbDeviceRecorded(what, usb_id, item.serial_number, item.path, item.refused)

"""The devices, keys and batches of a configuration, as `smartshoe check-config` shows them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias, assert_never

from msgspec import to_builtins

from controller.core.manifest_binding import bind_batch
from controller.core.settings import DeviceSettings
from controller.core.tape.entries import ManifestRequested
from controller.custody.state import CustodyState
from controller.procedure.effects import Refusal
from controller.procedure.rulebook import RuleBook
from controller.rules.profiles.profile import Profile
from controller.service.commissioning.batch_folder import BatchFile, cards_path, receipt_path
from controller.service.commissioning.pairing_file import key_fingerprint
from controller.service.config.table_config import TableConfig
from controller.service.device_log import device_role
from controller.service.manifest_lookup import BY_CONFIGURATION, look_up, manifest_given
from controller.system.keys import KeyFileError, fingerprint_text, load_public
from controller.system.messages.catalogue import to_words
from drivers.catalogue import find_model
from drivers.model import CardReading, DeviceKind
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.allow_list import AllowedId, AllowedPlace, AllowEntry
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import port_absence
from firmware_bridge.transport.port_url import UsbUrl, parse_port_url

Plain: TypeAlias = dict[str, object]

ANY_BUT_KEYBOARDS: Final = "any device but keyboards"


def devices_plain(config: TableConfig) -> Plain:
    """Readers, scanners and the allow-list, in the order of the file."""
    bauds = {port: line.baud for port, line in config.lines}
    readers = [
        {"seat": one.seat.value} | _device_plain(DeviceKind.READER, one, bauds)
        for one in config.settings.readers
    ]
    scanners = [_device_plain(DeviceKind.SCANNER, one, bauds) for one in config.settings.scanners]
    allowed = [str(entry) for entry in config.allowed.entries] if config.allowed else None
    return {
        "readers": readers,
        "scanners": scanners,
        **_shuffler_plain(config, bauds),
        "usb_allowed": allowed or ANY_BUT_KEYBOARDS,
    }


def _device_plain(kind: DeviceKind, one: DeviceSettings, bauds: Mapping[str, int]) -> Plain:
    model = find_model(kind, one.model)
    return {
        "model": one.model,
        "title": model.title,
        "port": one.port,
        "baud": bauds[one.port],
        "settings": settings_plain(kind, one),
    }


def settings_plain(kind: DeviceKind, device: DeviceSettings) -> Plain:
    """The settings of a device's driver, the defaults too."""
    model = find_model(kind, device.model)
    settings: Plain = to_builtins(model.read_settings(device.driver))
    return settings


def describe_settings(settings: Plain) -> str:
    """The settings of a device as text."""
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _shuffler_plain(config: TableConfig, bauds: Mapping[str, int]) -> Plain:
    """The shuffler, its required identity, and the roles of its orders; empty without one."""
    one = config.settings.shuffler
    if one is None:
        return {}
    shuffler = _device_plain(DeviceKind.SHUFFLER, one, bauds)
    orders = {order: list(roles) for order, roles in one.orders}
    return {
        "shuffler": shuffler,
        **trust_plain("shuffler", one.trust),
        "shuffler_commands": "allowed" if one.allow_commands else "none: listen-only",
        "shuffler_orders": orders,
    }


def trust_plain(name: str, trust: Trust) -> Plain:
    """The identity a device must prove, and the firmware it may run."""
    pin = trust.pin
    if pin is None:
        return {f"{name}_identity": "none: any device is accepted (bare)"}
    key = fingerprint_text(key_fingerprint(pin.key))
    return {
        f"{name}_identity": f"device {pin.device.hex()}, key {key}, pairing {pin.pairing}",
        f"{name}_firmware": [
            f"{one.version}, security counter {one.security_counter}, {one.image.hex()}"
            for one in trust.approved
        ],
    }


def describe_orders(orders: Plain) -> str:
    """The roles that may give each order; orders with the same roles are grouped."""
    by_people: dict[str, list[str]] = {}
    for order, roles in orders.items():
        people = ", ".join(map(str, roles)) if isinstance(roles, list) else ""
        by_people.setdefault(people.replace("_", " "), []).append(order)
    return "; ".join(f"{', '.join(some)}: {people}" for people, some in by_people.items())


def describe_device(one: Plain) -> str:
    """One reader, scanner or shuffler as text."""
    port = str(one["port"])
    # No line speed applies to a device reached through its USB interface, nor to lines of a chip.
    without_speed = port.startswith(("usb://", "usbhid://", "gpio://"))
    line = f"{port}" if without_speed else f"{port} at {one['baud']} baud"
    name = str(one.get("seat", one["title"])).replace("_", " ")
    settings = one["settings"]
    own = describe_settings(settings) if isinstance(settings, dict) else ""
    return f"{name}: {line}, {own}" if own else f"{name}: {line}"


def device_remarks(config: TableConfig) -> Iterator[str]:
    """Ports of the table that are not there, or that the USB allow-list can never admit."""
    for port, _ in config.lines:
        absence = port_absence(port)
        if absence is not None:
            yield f"{device_role(config.settings, port)}: {to_words(absence)}"
        url = parse_port_url(port)
        if config.allowed is None or not isinstance(url, UsbUrl):
            continue
        if not any(_may_admit(entry, url) for entry in config.allowed.entries):
            yield f'{port} is not on the USB allow-list: add "{url.entry}" to [usb] allow'


def _may_admit(entry: AllowEntry, url: UsbUrl) -> bool:
    match entry:
        case AllowedPlace(path=path):
            return url.path in ("", path)
        case AllowedId(vendor_id, product_id, serial_number):
            same = (vendor_id, product_id) == (url.vendor_id, url.product_id)
            return same and (not url.serial_number or serial_number in ("", url.serial_number))
        case _:
            assert_never(entry)


def has_batches(config: TableConfig) -> bool:
    """Whether this table's cards have, or need, a batch."""
    return bool(config.bound_batches) or config.settings.shoe_model.cards is not CardReading.FACE


def keys_plain(config: TableConfig) -> list[Plain]:
    """The keys whose batch receipts are trusted."""
    return [_key(path) for path in config.batch_keys]


def _key(file: Path) -> Plain:
    try:
        return {"file": str(file), "fingerprint": fingerprint_text(load_public(file).fingerprint)}
    except KeyFileError as error:
        return {"file": str(file), "fingerprint": "", "problem": str(error)}


def describe_key(one: Plain) -> str:
    """One key as text."""
    return f"{one['file']}, {one['fingerprint'] or 'which is missing or cannot be used'}"


def batches_plain(config: TableConfig, profile: Profile) -> Iterator[Plain]:
    """Each bound batch as the table would bind it at its start, in order."""
    settings = config.settings
    book = RuleBook.of(profile, settings.decks, settings.observed, settings.seats, settings.backs)
    state = CustodyState()
    for name in config.bound_batches:
        found = look_up(config.batches_folder, config.batch_keys, name)
        wanted = ManifestRequested(name, BY_CONFIGURATION)
        state, entry = bind_batch(state, book, manifest_given(found, wanted, now()))
        problem = ""
        if isinstance(entry, Refusal):
            problem = to_words(entry.why).removeprefix(
                f"batch {name}, named by {to_words(BY_CONFIGURATION)}: "
            )
        yield {"batch": name, **_receipt_plain(found), "problem": problem}


def _receipt_plain(found: BatchFile) -> Plain:
    """The contents of manifest and receipt."""
    manifest, receipt = found.manifest, found.receipt
    if manifest is None or receipt is None:
        return {"found": manifest is not None, "receipt": receipt is not None}
    statement = receipt.statement
    return {
        "found": True,
        "receipt": True,
        "back": manifest.back,
        "decks": manifest.decks,
        "tags": len(manifest),
        "result": statement.result.value,
        "maker": statement.maker,
        "operator": statement.operator,
        "signed_by": fingerprint_text(statement.key_fingerprint),
    }


def describe_batch(one: Plain, keys: Sequence[Plain]) -> str:
    """One bound batch as text."""
    if one["problem"]:
        return f"{one['batch']}: not for play, see the remarks"
    signed = (str(key["file"]) for key in keys if key["fingerprint"] == one["signed_by"])
    return (
        f"{one['batch']}: {one['back']}, {one['decks']} decks, {one['tags']} tags, by"
        f" {one['maker']}; {one['result']} by {one['operator']}, signed with {next(signed, '')}"
    )


def batch_remarks(
    config: TableConfig, keys: Sequence[Plain], batches: Sequence[Plain]
) -> Iterator[str]:
    """What must be done before a batch can be bound."""
    if keys and not batches and not any(key["fingerprint"] for key in keys):
        yield f"no batch can be bound: {keys[0]['problem']}"
    for one in batches:
        if not one["problem"]:
            continue
        yield f"batch {one['batch']} would not be bound: {one['problem']}{_remedy(config, one)}"


def _remedy(config: TableConfig, one: Plain) -> str:
    name = str(one["batch"])
    if not one["found"] and not cards_path(config.batches_folder, name).exists():
        return (
            f". Remedy: `smartshoe batch enrol {name}` at a reader, `smartshoe batch import FILE`"
            " of a maker's list, or remove it from [batches] bound"
        )
    if not one["receipt"] and not receipt_path(config.batches_folder, name).exists():
        return (
            ". Remedy: put its receipt beside it, or sign it again with `smartshoe batch enrol"
            f" {name} --replace` or `smartshoe batch import FILE --replace`"
        )
    return ""

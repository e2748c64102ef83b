"""The settings that a table will use: plain values in the order of its file, and their words."""
# ruff: noqa: PLC0415 - what a section needs is loaded only for a table that has it.

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
from controller.service.manifest_lookup import BY_CONFIGURATION, look_up, manifest_given
from controller.service.table_log import device_role
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


def plain_settings(config: TableConfig) -> Plain:
    """The settings the table will use, in the order of the file."""
    settings, shoe = config.settings, config.settings.shoe
    profile = _profile(config.profile_text)
    batches, remarks = _batches(config, profile)
    seals, unsigned = _seals(config)
    people, not_proved = _people(config)
    scheme = "http" if config.metrics_tls is None else "https"
    metrics = f"{scheme}://{config.metrics_address}:{config.metrics_port}/metrics"
    minutes = settings.gaming_day_start_s // 60
    return {
        "table": settings.table,
        "pit": settings.pit,
        **({"trial": "nothing is written to a device"} if config.trial else {}),
        "profile": f"{profile.name} ({profile.title})",
        "decks": settings.decks,
        "seats": list(settings.seats) or "not given: the layout is not checked",
        "backs": list(settings.backs),
        "gaming_day_starts": f"{minutes // 60:02}:{minutes % 60:02} {config.zone_name}",
        "observed": [fact.value for fact in settings.observed],
        "shoe_model": f"{shoe.model} ({shoe.plug_in})" if shoe.plug_in else shoe.model,
        "shoe_port": shoe.port,
        "shoe_baud": config.lines[0][1].baud,
        "shoe_commands": "allowed" if shoe.allow_commands else "none: listen-only",
        **(_trust_plain("shoe", shoe.trust) if settings.shoe_model.proves_identity else {}),
        "shoe_settings": _settings_plain(DeviceKind.SHOE, shoe),
        "wire_log": config.log_level_wire,
        **_devices_plain(config),
        **batches,
        "journal": str(config.journal_folder),
        "seals": seals,
        "control_socket": str(config.control_socket),
        **_approval(config),
        **_lines(config),
        "control_group": config.control_group or "that of the program",
        "people": people,
        "metrics": metrics if config.metrics_enabled else "off",
        "console": _console(config),
        **_feeds(config),
        "values_assumed": list(profile.assumed),
        "values_of_the_house": list(profile.house),
        "remarks": [
            *config.remarks,
            *_device_remarks(config),
            *remarks,
            *unsigned,
            *not_proved,
            *_certificates(config),
            *_journal(config),
        ],
    }


def _journal(config: TableConfig) -> tuple[str, ...]:
    """Why the next start refuses the journal, where sealed shoes stand without their live part."""
    from controller.journal.database import FILE_NAME
    from controller.journal.store import require_live_records
    from controller.journal.values import JournalError

    try:
        if not (config.journal_folder / FILE_NAME).exists():
            require_live_records(config.journal_folder, 0)
    except JournalError as error:
        return (f"the table does not start: {error}",)
    except OSError:
        # Whoever may not read the journal may still read what the configuration says.
        return ()
    return ()


def _console(config: TableConfig) -> str:
    """The address of the table's page."""
    console = config.console
    if console is None:
        return "off"
    scheme = "http" if console.tls is None else "https"
    return f"{scheme}://{console.address}:{console.port}/"


def _feeds(config: TableConfig) -> Plain:
    """The consumers of the floor feed, if the table has any; no password."""
    shown = []
    for one in config.feeds:
        line = "TLS" if one.tls else "no TLS"
        who = f" as {one.user}" if one.user else ""
        again = ", back-fill" if one.backfill else ""
        where = f"mqtt at {one.host}:{one.port} ({line}){who}, topics {one.topic}/..."
        shown.append(f"{one.name}: {where}, {one.content}{again}")
    return {"feeds": shown} if shown else {}


def _lines(config: TableConfig) -> Plain:
    """The lines of the machine, if the table has any, and what they are without power."""
    power, outputs = config.machine.power, config.machine.outputs
    shown: Plain = {}
    if power is not None:
        shown["power_fails"] = f"{power.line} {'low' if power.active_low else 'high'}, or SIGPWR"
    if outputs is not None:
        lamps = [f"{light} {line}" for light, line in outputs.lamps.items()]
        shown["stack_light"] = lamps or "none"
        if outputs.exit_lock is not None:
            closed, without = ("high", "open") if outputs.closed_high else ("low", "closed")
            shown["exit_lock"] = (
                f"{outputs.exit_lock}, closed by {closed}: {without} without power and while the"
                " table does not run"
            )
    return shown


def _approval(config: TableConfig) -> Plain:
    """What of the configuration is approved, if it names an approval."""
    from controller.service.install.approval import approval_of

    approval = approval_of(config)
    return {} if approval is None else {"approval": list(approval.words())}


def _people(config: TableConfig) -> tuple[str, tuple[str, ...]]:
    """How many persons have an account, and remarks on those who are not proved."""
    from controller.journal.people import PeopleFile
    from controller.journal.values import JournalError
    from controller.record.people import no_accounts_words
    from controller.system.messages.quantity import counted

    file = PeopleFile(config.journal_folder)
    try:
        accounts = {one.person for one in file.accounts() if one.person}
        unknown = [name for name in config.unix_people.values() if file.find(name) not in accounts]
    except (JournalError, OSError):
        return "cannot be read by this account", ()
    if not accounts:
        return no_accounts_words(), ()
    remarks = (f"people.unix: {name!r} has no account and is not proved" for name in unknown)
    return counted(len(accounts), "account"), tuple(remarks)


def _seals(config: TableConfig) -> tuple[str, tuple[str, ...]]:
    """The signer of the seals of finished shoes, and a remark if a required one is missing."""
    from controller.archive.signer import NoSigner, open_signer, why_not_made

    signing = config.signing
    if signing.makes_key:
        why = why_not_made(signing, config.journal_folder, by_table=False)
        refused = (f"evidence: the first start is refused: {why}",) if why else ()
        return f"signed by {signing.key}, created at the first start", refused
    signer = open_signer(signing)
    if not isinstance(signer, NoSigner):
        return f"signed by {signer.words}", ()
    if not signer.wanted:
        return f"NOT SIGNED: {signer.words}", ()
    return "NOT SIGNED", (f"evidence: seals would not be signed: {signer.words}",)


def _batches(config: TableConfig, profile: Profile) -> tuple[Plain, tuple[str, ...]]:
    """The batch folder, keys and bound batches if the table needs any, and remarks about them."""

    if not _has_batches(config):
        return {}, ()
    keys, bound = _keys_plain(config), list(_batches_plain(config, profile))
    folder = str(config.batches_folder)
    shown: Plain = {
        "batches_folder": folder,
        "batch_keys": keys,
        "bound_batches": bound,
    }
    return shown, tuple(_batch_remarks(config, keys, bound))


def _profile(text: str) -> Profile:
    from controller.rules.profiles.load import load_clauses
    from controller.rules.profiles.profile import parse_profile

    return parse_profile(text, load_clauses())


def _certificates(config: TableConfig) -> tuple[str, ...]:
    """Remarks on certificates; what reads them is loaded only for a table that has any."""
    page = None if config.console is None else config.console.tls
    if config.metrics_tls is None and page is None and not any(one.tls for one in config.feeds):
        return ()
    from controller.service.install.certificates import certificate_remarks

    return tuple(certificate_remarks(config))


# --- devices --------------------------------------------------------------------------------------


def _devices_plain(config: TableConfig) -> Plain:
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
        "settings": _settings_plain(kind, one),
    }


def _settings_plain(kind: DeviceKind, device: DeviceSettings) -> Plain:
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
        **_trust_plain("shuffler", one.trust),
        "shuffler_commands": "allowed" if one.allow_commands else "none: listen-only",
        "shuffler_orders": orders,
    }


def _trust_plain(name: str, trust: Trust) -> Plain:
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


def _device_remarks(config: TableConfig) -> Iterator[str]:
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


# --- keys and batches -----------------------------------------------------------------------------


def _has_batches(config: TableConfig) -> bool:
    """Whether this table's cards have, or need, a batch."""
    return bool(config.bound_batches) or config.settings.shoe_model.cards is not CardReading.FACE


def _keys_plain(config: TableConfig) -> list[Plain]:
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


def _batches_plain(config: TableConfig, profile: Profile) -> Iterator[Plain]:
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


def _batch_remarks(
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

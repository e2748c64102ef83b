"""The settings that a table will use, as plain values in the order of its file."""
# ruff: noqa: PLC0415 - what a section needs is loaded only for a table that has it.

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.rules.profiles.profile import Profile
    from controller.service.config.table_config import TableConfig


def plain_settings(config: "TableConfig") -> dict[str, object]:
    """The settings the table will use, in the order of the file."""
    from controller.cli.table.check_config_devices import (
        device_remarks,
        devices_plain,
        settings_plain,
        trust_plain,
    )
    from drivers.model import DeviceKind

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
        **(trust_plain("shoe", shoe.trust) if settings.shoe_model.proves_identity else {}),
        "shoe_settings": settings_plain(DeviceKind.SHOE, shoe),
        "wire_log": config.log_level_wire,
        **devices_plain(config),
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
            *device_remarks(config),
            *remarks,
            *unsigned,
            *not_proved,
            *_certificates(config),
            *_journal(config),
        ],
    }


def _journal(config: "TableConfig") -> tuple[str, ...]:
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


def _console(config: "TableConfig") -> str:
    """The address of the table's page."""
    console = config.console
    if console is None:
        return "off"
    scheme = "http" if console.tls is None else "https"
    return f"{scheme}://{console.address}:{console.port}/"


def _feeds(config: "TableConfig") -> dict[str, object]:
    """The consumers of the floor feed, if the table has any; no password."""
    shown = []
    for one in config.feeds:
        line = "TLS" if one.tls else "no TLS"
        who = f" as {one.user}" if one.user else ""
        again = ", back-fill" if one.backfill else ""
        where = f"mqtt at {one.host}:{one.port} ({line}){who}, topics {one.topic}/..."
        shown.append(f"{one.name}: {where}, {one.content}{again}")
    return {"feeds": shown} if shown else {}


def _lines(config: "TableConfig") -> dict[str, object]:
    """The lines of the machine, if the table has any, and what they are without power."""
    power, outputs = config.machine.power, config.machine.outputs
    shown: dict[str, object] = {}
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


def _approval(config: "TableConfig") -> dict[str, object]:
    """What of the configuration is approved, if it names an approval."""
    from controller.service.install.approval import approval_of

    approval = approval_of(config)
    return {} if approval is None else {"approval": list(approval.words())}


def _people(config: "TableConfig") -> tuple[str, tuple[str, ...]]:
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


def _seals(config: "TableConfig") -> tuple[str, tuple[str, ...]]:
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


def _batches(
    config: "TableConfig", profile: "Profile"
) -> tuple[dict[str, object], tuple[str, ...]]:
    """The batch folder, keys and bound batches if the table needs any, and remarks about them."""
    from controller.cli.table.check_config_devices import (
        batch_remarks,
        batches_plain,
        has_batches,
        keys_plain,
    )

    if not has_batches(config):
        return {}, ()
    keys, bound = keys_plain(config), list(batches_plain(config, profile))
    folder = str(config.batches_folder)
    shown: dict[str, object] = {
        "batches_folder": folder,
        "batch_keys": keys,
        "bound_batches": bound,
    }
    return shown, tuple(batch_remarks(config, keys, bound))


def _profile(text: str) -> "Profile":
    from controller.rules.profiles.load import load_clauses
    from controller.rules.profiles.profile import parse_profile

    return parse_profile(text, load_clauses())


def _certificates(config: "TableConfig") -> tuple[str, ...]:
    """Remarks on certificates; what reads them is loaded only for a table that has any."""
    page = None if config.console is None else config.console.tls
    if config.metrics_tls is None and page is None and not any(one.tls for one in config.feeds):
        return ()
    from controller.service.install.certificates import certificate_remarks

    return tuple(certificate_remarks(config))

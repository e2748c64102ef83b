"""What two tables may not share (name, journal, socket, key, port, line), and what a pit's must."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from controller.core.settings import Settings
from controller.rules.settlement.pit import NO_PIT_SETTINGS, PIT_KEYS
from controller.service.config.console_section import overlap
from controller.service.config.document import ConfigError
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.system.tls import ServerTlsFiles
from firmware_bridge.transport.port_url import DevicePath, GpioUrl, NetworkUrl, parse_port_url

_CORRECT: Final = "Remedy: correct one of them"
_METRICS_FILES: Final = "certificate, key, client_ca and password_file"


class _Claim(Struct, frozen=True):
    """Something of which a table has one of its own.

    `thing` is its kind and what tells it from others, `shown` the words for it. Two claims with the
    same `shared` go together, if it is not empty.
    """

    key: str
    thing: tuple[str, str]
    shown: str
    allowed: str
    shared: str = ""


class CheckedTable(Struct, frozen=True):
    """One file: its configuration, None if it has none, and its problems, alone or with others.

    `pit_problems` are those with other tables of its pit: a table with an open shoe goes on.
    """

    file: Path
    config: TableConfig | None
    problems: tuple[str, ...]
    pit_problems: tuple[str, ...] = ()


def checked_tables(
    files: Iterable[Path], load: Callable[[Path], TableConfig] = load_config
) -> tuple[CheckedTable, ...]:
    """Each file alone; those without a problem beside those before them, too. In order.

    `load` raises ConfigError for the problems of a file.
    """
    alone = tuple(_checked(file, load) for file in files)
    configs = tuple(one.config for one in alone if one.config is not None)
    between, in_pit = collisions(configs), pit_collisions(configs)
    return tuple(
        one
        if one.config is None
        else replace(one, problems=between[one.config.file], pit_problems=in_pit[one.config.file])
        for one in alone
    )


def _checked(file: Path, load: Callable[[Path], TableConfig]) -> CheckedTable:
    try:
        return CheckedTable(file, load(file), ())
    except ConfigError as error:
        return CheckedTable(file, None, error.problems)


def collisions(configs: tuple[TableConfig, ...]) -> Mapping[Path, tuple[str, ...]]:
    """The problems of each file with those before it; for most files there is none.

    Of two files that collide the later one has the problem, whatever else is wrong with either.
    Links in the file system are not followed.
    """
    owners: dict[tuple[str, str], tuple[Path, _Claim]] = {}
    problems: dict[Path, tuple[str, ...]] = {}
    for number, config in enumerate(configs):
        found = list(_web_problems(config, configs[:number]))
        for claim in _claims(config):
            file, owner = owners.setdefault(claim.thing, (config.file, claim))
            if file != config.file and not (claim.shared and claim.shared == owner.shared):
                found.append(
                    f"{claim.key}: {claim.shown} is {owner.key} of {file}. Allowed:"
                    f" {claim.allowed}. {_CORRECT}"
                )
        problems[config.file] = tuple(found)
    return problems


def pit_collisions(configs: tuple[TableConfig, ...]) -> Mapping[Path, tuple[str, ...]]:
    """Where each table has another value than one before it of its pit."""
    problems: dict[Path, tuple[str, ...]] = {}
    for number, config in enumerate(configs):
        pit = config.settings.pit
        mates = [one for one in configs[:number] if pit and one.settings.pit == pit]
        found = {key: words for mate in reversed(mates) for key, words in _apart(config, mate)}
        problems[config.file] = tuple(found.values())
    return problems


def _apart(config: TableConfig, mate: TableConfig) -> Iterator[tuple[str, str]]:
    """Each key in which two tables of a pit differ: as [pit] has it, or by their profiles."""
    own, other = (
        NO_PIT_SETTINGS if one.settings.shared is UNSET else one.settings.shared
        for one in (config, mate)
    )
    name = config.settings.pit
    for key in PIT_KEYS:
        here, there = own.text(key), other.text(key)
        if here and there and here != there:
            yield key, _apart_words(f"pit.{key}", here, there, mate, name)
    bound = {one.setting: one for one in mate.shared_settings}
    for one in config.shared_settings:
        there = bound[one.setting].own if one.setting in bound else one.own
        named = [pit.text(one.setting) for pit in (own, other) if pit.text(one.setting)]
        if one.own != there and (one.clauses or named) and len(named) < len((own, other)):
            cited = f"{one.setting} {one.own}"
            words = _apart_words("rules.profile", cited, there, mate, name, one.clauses)
            yield one.setting, words


def _apart_words(
    place: str,
    here: str,
    there: str,
    mate: TableConfig,
    pit: str,
    clauses: tuple[str, ...] = (),
) -> str:
    cited = f" ({', '.join(clauses)})" if clauses else ""
    return (
        f"{place}: it is {here}, and {there} in {mate.file}. Allowed: one value for all tables of"
        f" pit {pit}{cited}. Remedy: set the same in both, or correct the pit of one"
    )


def _claims(config: TableConfig) -> Iterator[_Claim]:
    name, signing = config.settings.table, config.signing
    yield _Claim("table.name", ("name", name), name, "a name of its own for each table")
    journal = os.path.normpath(config.journal_folder)
    yield _Claim(
        "journal.folder", ("file", journal), journal, "a journal of its own for each table"
    )
    listen = config.overlay.output.listen if config.overlay is not None else None
    if listen is not None and listen[1]:
        shown = "{}:{}".format(*listen)
        yield _Claim(
            "overlay.listen", ("overlay", shown), shown, "a port of its own for each table"
        )
    socket = os.path.normpath(config.control_socket)
    yield _Claim("control.socket", ("file", socket), socket, "a socket of its own for each table")
    # The key that a start makes is in the journal, which is claimed already.
    if signing.sign and not signing.program and not signing.make:
        key = os.path.normpath(signing.key)
        yield _Claim("evidence.key", ("file", key), key, "a key of its own for each table")
    for place, port in _ports(config.settings):
        match parse_port_url(port):
            case GpioUrl(lines):
                allowed = "a line of its own for each contact"
                for line in map(str, lines):
                    yield _Claim(f"{place}.port", ("line", line), line, allowed)
                continue
        yield _Claim(
            f"{place}.port", ("port", _port_identity(port)), port, "one device at each port"
        )
    yield from _line_claims(config)


def _ports(settings: Settings) -> Iterator[tuple[str, str]]:
    """The place of each device in its file, and its port."""
    yield "shoe", settings.shoe.port
    for name, devices in (("reader", settings.readers), ("scanner", settings.scanners)):
        for number, device in enumerate(devices, start=1):
            yield f"{name}[{number}]", device.port
    if settings.shuffler is not None:
        yield "shuffler", settings.shuffler.port


def _port_identity(port: str) -> str:
    """The port, however it is written; a serial server serves one client, in either protocol."""
    match parse_port_url(port):
        case DevicePath(path):
            return os.path.normpath(path)
        case NetworkUrl(_, host, number):
            return f"{host}:{number}"
        case usb:
            return str(usb)


def _line_claims(config: TableConfig) -> Iterator[_Claim]:
    """Lines of GPIO chips. One power-fail line serves several tables that read it alike."""
    power, outputs = config.machine.power, config.machine.outputs
    if power is not None:
        yield _Claim(
            "power.gpio",
            ("line", str(power.line)),
            str(power.line),
            "a line for the power of several tables, with one level, or for one output",
            shared="low" if power.active_low else "high",
        )
    if outputs is None:
        return
    lock = {} if outputs.exit_lock is None else {"exit_lock": outputs.exit_lock}
    for key, line in ({str(light): line for light, line in outputs.lamps.items()} | lock).items():
        allowed = "a line of its own for each output"
        yield _Claim(f"outputs.{key}", ("line", str(line)), str(line), allowed)


class _WebServer(Struct, frozen=True):
    """A server that a section of a table names."""

    section: str
    address: str
    port: int
    tls: ServerTlsFiles | None
    passwords: Path | None = None


def _web_servers(config: TableConfig) -> Iterator[_WebServer]:
    if config.metrics_enabled:
        yield _WebServer(
            "metrics",
            config.metrics_address,
            config.metrics_port,
            config.metrics_tls,
            config.metrics_passwords,
        )
    where = config.console
    own = (config.metrics_enabled, config.metrics_address, config.metrics_port)
    # With the metrics it is one server.
    if where is not None and (True, where.address, where.port) != own:
        yield _WebServer("console", where.address, where.port, where.tls)


def _web_problems(config: TableConfig, before: Sequence[TableConfig]) -> Iterator[str]:
    """One port serves several tables; two servers at one port exclude each other."""
    for one in _web_servers(config):
        yield from islice(_web_server_problems(one, before), 1)


def _web_server_problems(one: _WebServer, before: Sequence[TableConfig]) -> Iterator[str]:
    for table in before:
        for other in _web_servers(table):
            if one.port != other.port or one.port == 0:
                continue
            both = one.section == other.section == "metrics"
            if one.address == other.address and (
                one.tls != other.tls or (both and one.passwords != other.passwords)
            ):
                files = "certificate, key and client_ca" if not both else _METRICS_FILES
                yield (
                    f"{one.section}.certificate: {table.file} has other files for the server at"
                    f" port {one.port}. Allowed: the same {files} in both, or another port. Remedy:"
                    " correct one of them"
                )
            elif one.address != other.address and overlap(one.address, other.address):
                yield (
                    f"{one.section}.address: {one.address} and {other.address} of {table.file} are"
                    f" not two servers at port {one.port}. Allowed: the same address in both, or"
                    " another port. Remedy: correct one of them"
                )

"""What `smartshoe doctor` looks at of one table: journal, keys, running table, page, its peers.

Source: RFC 5280, section 4.1.2.5 (until when a certificate is valid).
"""

import datetime as dt
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from controller.archive.replay.recovery import RecoveryError
from controller.archive.signer import NoSigner, open_signer, why_not_made
from controller.journal.database import FILE_NAME
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from controller.journal.verify import CannotRead, verify
from controller.outlets.control.client import ControlClient, ControlError, TableNotRunning
from controller.record.snapshot import Health, Snapshot
from controller.service.config.collisions import pit_collisions
from controller.service.config.document import ConfigError
from controller.service.config.load import TableConfig, load_config
from controller.service.config.table_files import table_files
from controller.service.install.approval import approval_of, missing_parts
from controller.service.install.certificates import REMEDY as CERTIFICATE_REMEDY
from controller.service.install.certificates import certificate_remarks
from controller.service.install.diagnosis import Diagnosis, good, problem, remark
from controller.service.install.machine_checks import account_of, acting_as, start_of
from controller.service.install.open_shoes import recovered_of
from controller.service.install.running_table import find_table
from controller.system.reach import why_not_trusted, why_unreachable
from controller.system.tls import (
    ServerTlsFiles,
    TlsContext,
    TlsUnavailable,
    client_context,
    is_strict,
    made_strict,
    server_context,
    valid_until_s,
)
from controller.version import software_identifier
from drivers.catalogue import find_model
from drivers.events import Stage
from firmware_bridge.transport.clock import now

ANSWER_S: Final = 3.0
# A shoe of these days is in no archive alone: a prune keeps seven.
RECENT_NS: Final = 86_400 * 1_000_000_000
# Six times the interval of deploy/prometheus.
READ_S_MAX: Final = 60
_HTTPS_PORT, _HTTP_PORT = 443, 80
DAYS_LEFT_MIN: Final = 30
_S_PER_DAY: Final = 24 * 3600
_NS_PER_S: Final = 1_000_000_000


def check_pit(config: TableConfig) -> Iterator[Diagnosis]:
    """Where this table differs from others of its pit, by the files of its folder."""
    if not config.settings.pit:
        return
    others = (one for one in table_files(config.file.parent) if one != config.file)
    mates = tuple(filter(None, map(_readable, others)))
    for words in pit_collisions((*mates, config))[config.file]:
        what, _, remedy = words.partition(" Remedy: ")
        yield problem("pit", what, "a folder's later table starts only with an open shoe", remedy)


def _readable(file: Path) -> TableConfig | None:
    try:
        return load_config(file)
    except ConfigError:
        return None


def check_remarks(config: TableConfig) -> Iterator[Diagnosis]:
    """What check-config remarks, and what of the configuration is not approved."""
    if config.trial:
        yield remark(
            "trial", "nothing is written to a device", "the table cannot lock the shoe", ""
        )
    for words in config.remarks:
        yield remark("configuration", words, "", "")
    for kind, device in config.settings.devices:
        model = find_model(kind, device.model)
        if model.reports_s_of(device.driver) == 0:
            yield remark(
                "configuration",
                f"{kind}.{model.report_limit} is 0: any number of reports a second is taken",
                "what floods the port fills the disk, with megabytes a second",
                "leave it out: the default is more than any hand deals",
            )
    missing = missing_parts(config, approval_of(config))
    if missing:
        yield problem(
            "approval",
            f"not approved: {', '.join(missing)}",
            "the table does not start: [approval] required says so",
            "have the approving body sign it again: smartshoe approve",
        )


def check_keys(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether the seals of finished shoes are signed."""
    signing = config.signing
    if signing.makes_key:
        yield _key_to_be_made(config)
        return
    with acting_as(account_of(config.file)):
        signer = open_signer(signing)
    if not isinstance(signer, NoSigner):
        yield good("keys", f"seals are signed by {signer.words}")
        return
    make = problem if signer.wanted else remark
    what, _, remedy = signer.words.partition(" Remedy: ")
    yield make(
        "keys",
        f"seals are not signed: {what}",
        "evidence without a signature proves less: anybody could have written it",
        remedy or "smartshoe keys make, and name the key in [evidence]",
    )


def _key_to_be_made(config: TableConfig) -> Diagnosis:
    """Whether the first start can make the key: it is refused where it cannot."""
    with acting_as(account_of(config.file)):
        why = why_not_made(config.signing, config.journal_folder)
    if not why:
        return good("keys", f"{config.signing.key} is made at the first start")
    what, _, remedy = why.partition(". Remedy: ")
    return problem("keys", what, "the first start is refused: it names the key", remedy)


def check_journal(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether the journal is whole up to its head, and this version goes on with it."""
    try:
        recovered = recovered_of(config)
        if recovered is None:
            yield good("journal", "there is none yet; the first start makes it")
            return
        report = verify(config.journal_folder / FILE_NAME)
        with open_read_only(config.journal_folder) as journal:
            recent = journal.recent_shoes(now().utc_ns - RECENT_NS)
    except (JournalError, RecoveryError, CannotRead, OSError) as error:
        what, _, remedy = str(error).partition(" Remedy: ")
        yield problem(
            "journal", what, "the table does not start", remedy or "smartshoe verify says more"
        )
        return
    if not report.intact:
        yield problem(
            "journal",
            f"{config.journal_folder} is damaged",
            "a verifier will refuse the evidence from there on",
            "smartshoe verify names the place; what then: docs/damaged-journal.md",
        )
    else:
        yield good("journal", "every record of its live part is there, up to the newest")
    if recent.damage:
        what, _, remedy = recent.damage.partition(" Remedy: ")
        yield problem(
            "journal",
            what,
            "the table starts, and a verifier will refuse the evidence of that shoe",
            remedy,
        )
    this = software_identifier()
    if recovered.shoe_open and recovered.software not in {"", this}:
        yield problem(
            "journal",
            f"its open shoe was dealt with {recovered.software}, and this is {this}",
            "the table does not start in the middle of a shoe of another version",
            f"install {recovered.software} again and deal the shoe to its end; or a floorperson"
            " takes it over: smartshoe run --close-coup-as-partial",
        )


def check_running(config: TableConfig) -> Iterator[Diagnosis]:
    """The running table: its health, its devices, its seals, its page, its metrics."""
    try:
        table = ControlClient(config.control_socket, ANSWER_S).status()
    except TableNotRunning:
        yield _at_rest(start_of(config.file))
        yield from _check_ports_of_web(config, runs=False)
        return
    except ControlError as error:
        yield problem("table", str(error), "people cannot decide at the table", "")
        return
    yield from _snapshot_findings(table)
    yield from _check_ports_of_web(config, runs=True)
    if config.metrics_enabled:
        yield _prometheus_finding(table.metrics_read_s)


def check_by_socket(given: Path) -> Iterator[Diagnosis]:
    """What a running table says of itself where this account may not read its file.

    Nothing where neither a file nor a running table is known by this name.
    """
    try:
        findings = tuple(_snapshot_findings(find_table(given, ANSWER_S).status()))
    except ConfigError:
        return
    except TableNotRunning:
        findings = (_at_rest(start_of(given)),)
    except ControlError as error:
        findings = (problem("table", str(error), "people cannot decide at the table", ""),)
    yield remark(
        "configuration",
        f"{given}: this account may not read it",
        "of this table only what it says of itself is looked at",
        "run smartshoe doctor as root, who may read everything",
    )
    yield from findings


def _at_rest(start: str) -> Diagnosis:
    return remark(
        "table",
        "it does not run",
        "its devices and its seals cannot be looked at",
        f"{start}, then look again",
    )


def _snapshot_findings(table: Snapshot) -> Iterator[Diagnosis]:
    if table.health is Health.RUNNING:
        yield good("table", "it runs")
    else:
        yield problem(
            "table",
            f"it is {table.health.value}: {table.failure}",
            "it deals no card",
            "see its log",
        )
    for one in table.wagering.pit_differences:
        yield problem(
            "pit",
            f"{one.setting} is {one.value}, its pit has {one.of_pit}",
            "tables of a pit share it",
            f"smartshoe act change-setting {table.table} setting={one.setting} value={one.of_pit}",
        )
    yield from _device_findings(table)
    if table.seals is not None and table.seals.problem:
        yield problem(
            "seals",
            table.seals.problem,
            f"{table.seals.unsealed} finished shoes wait to be sealed",
            "mend the signer: see keys above; the table seals them by itself then",
        )


def _device_findings(table: Snapshot) -> Iterator[Diagnosis]:
    devices = [("shoe", table.device.port, table.device.stage, table.device.remarks)]
    devices += [(one.kind, one.port, one.stage, one.remarks) for one in table.beside]
    if table.shuffler is not None:
        devices.append(("shuffler", table.shuffler.port, table.shuffler.stage, ()))
    for role, port, stage, remarks in devices:
        for words in remarks:
            what, _, remedy = words.partition(" Remedy: ")
            yield remark(
                "devices",
                f"{role} at {port}: {what.rstrip('.')}",
                "what it sends so is not used",
                remedy or "see its log and docs/wire-a-shoe.md",
            )
        if stage is Stage.ONLINE:
            yield good("devices", f"{role} at {port} is online")
        elif stage in (Stage.OPENED, Stage.IDENTIFIED):
            yield remark(
                "devices",
                f"{role} at {port} is {stage.value}: nothing that is understood has come yet",
                "no card is seen until it has",
                f"draw a card; if nothing comes: smartshoe devices monitor {port}, with the table"
                " stopped, shows the bytes (speed, wires, model)",
            )
        else:
            yield problem(
                "devices",
                f"{role} at {port} is {stage.value}",
                "the table hears nothing of it",
                "look at its cable and its power; smartshoe devices lists what is there",
            )


def _prometheus_finding(read_s: int | None) -> Diagnosis:
    """Whether somebody reads the metrics: only that shows that a Prometheus has this table."""
    if read_s is not None and read_s < READ_S_MAX:
        return good("prometheus", f"the metrics were read {read_s} s ago")
    last = "since the table started" if read_s is None else f"for {read_s} s"
    return remark(
        "prometheus",
        f"nobody has read the metrics {last}",
        "no alarm comes, whatever happens",
        "name the table in prometheus.yml, as deploy/prometheus shows; docs/monitoring.md says how",
    )


def check_others(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether witnesses and brokers answer, by certificates that are taken; no more is sent."""
    for witness in config.witnesses:
        parts = urlsplit(witness.url)
        secure = parts.scheme == "https"
        port = parts.port or (_HTTPS_PORT if secure else _HTTP_PORT)
        peer = _NetworkPeer(
            "witnesses", witness.url, parts.hostname or "", port, "no head is cosigned"
        )
        yield _answers(peer, client_context if secure else None)
    for feed in config.feeds:
        place = f"{feed.name} at {feed.host}:{feed.port}"
        peer = _NetworkPeer(
            "brokers", place, feed.host, feed.port, "its events wait in the journal"
        )
        trust = partial(client_context, feed.ca, feed.certificate, feed.key)
        yield _answers(peer, trust if feed.tls else None)


class _NetworkPeer(NamedTuple):
    """Somebody on the network, and what happens without him."""

    area: str
    place: str
    host: str
    port: int
    why: str


def _answers(peer: _NetworkPeer, context: Callable[[], TlsContext] | None) -> Diagnosis:
    """`context` None: it is spoken to without TLS."""
    words = why_unreachable(peer.host, peer.port)
    if words:
        return problem(
            peer.area,
            f"{peer.place} does not answer: {words}",
            f"{peer.why} until it does; the table plays on",
            "start it, or correct its address; a unit reaches other machines only by"
            " systemctl edit smartshoe@TABLE, [Service] IPAddressAllow=ADDRESS",
        )
    if context is None:
        return good(peer.area, f"{peer.place} answers")
    try:
        return _trusted(peer, context)
    except (OSError, ValueError) as error:
        return problem(
            peer.area,
            f"{peer.place} answers, and not by TLS: {error}",
            f"{peer.why} until it does; the table plays on",
            "look at its certificate and at the files that the table names for it",
        )


def _trusted(peer: _NetworkPeer, context: Callable[[], TlsContext]) -> Diagnosis:
    """Whether its certificate is taken, here and on Debian 13. Raises OSError, ValueError."""

    def refused(*, strict: bool) -> str:
        return why_not_trusted(peer.host, peer.port, made_strict(context(), strict=strict))

    why = refused(strict=True)
    if not why:
        return good(peer.area, f"{peer.place} answers")
    everywhere = refused(strict=False)
    if everywhere:
        return problem(
            peer.area,
            f"{peer.place}: its certificate is refused: {everywhere}",
            f"{peer.why} until it is another; the table plays on",
            "name its authority (ca), or have its certificate renewed",
        )
    make = problem if is_strict(context()) else remark
    return make(
        peer.area,
        f"{peer.place}: its certificate is refused on Debian 13: {why.lower()}",
        f"{peer.why} on Debian 13, whose Python 3.13 holds certificates to RFC 5280",
        f"have its people {CERTIFICATE_REMEDY}",
    )


# --- page and metrics -----------------------------------------------------------------------------


def _check_ports_of_web(config: TableConfig, *, runs: bool) -> Iterator[Diagnosis]:
    """Whether the page and the metrics of a running table answer; else, whether others listen."""
    for area, address, port, why in _places(config):
        unreachable = why_unreachable(address, port)
        place = f"{address}:{port}"
        if runs and unreachable:
            yield problem(
                area,
                f"{place} does not answer: {unreachable}",
                why,
                "see the table's log; another program may have the port: ss -ltnp",
            )
        elif runs:
            yield good(area, f"{place} answers")
        elif not unreachable:
            yield remark(
                area,
                f"something listens at {place} while this table does not run",
                "unless it is another table of the same process, this one does not start",
                "ss -ltnp names the program: end it, or choose another port",
            )


def _places(config: TableConfig) -> Iterator[tuple[str, str, int, str]]:
    """Area, address and port of each, and what is lost without it; not those of a chosen port."""
    if config.metrics_enabled and config.metrics_port:
        why = "Prometheus cannot see the table, and no alarm comes"
        yield "metrics", config.metrics_address, config.metrics_port, why
    if config.console is not None and config.console.port:
        why = "the people at the table do not see what is due"
        yield "page", config.console.address, config.console.port, why


def check_certificates(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether the table's account may use them, and for how long they are valid."""
    for words in certificate_remarks(config):
        what, _, remedy = words.partition(" Remedy: ")
        yield remark(
            "certificate", what, "whoever connects from there does not get through", remedy
        )
    page = None if config.console is None else config.console.tls
    for files in dict.fromkeys(one for one in (config.metrics_tls, page) if one is not None):
        try:
            with acting_as(account_of(config.file)):
                server_context(files)
        except TlsUnavailable as error:
            what, _, remedy = str(error).partition(" Remedy: ")
            yield problem("certificate", what, "the table does not start", remedy)
        else:
            yield _validity(files)


def _validity(files: ServerTlsFiles) -> Diagnosis:
    ends_s = valid_until_s(files.certificate)
    left_s = ends_s - now().utc_ns // _NS_PER_S
    words = (
        f"{files.certificate} is valid until {dt.datetime.fromtimestamp(ends_s, dt.UTC):%Y-%m-%d}"
    )
    if left_s >= DAYS_LEFT_MIN * _S_PER_DAY:
        return good("certificate", words)
    make = remark if left_s > 0 else problem
    return make(
        "certificate",
        words,
        "browsers and Prometheus refuse an expired one",
        "have it renewed, and restart the table between two shoes: it is read at the start",
    )

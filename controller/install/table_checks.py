"""What `smartshoe doctor` looks at of one table: journal, keys, running table, who it speaks to.

Source: controller/install/README.md, "Doctor".
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from controller.archive.signer import NoSigner, open_signer
from controller.config.load import TableConfig
from controller.control.client import ControlClient, ControlError, TableNotRunning
from controller.install.approval import approval_of, missing_parts
from controller.install.diagnosis import Diagnosis, good, problem, remark
from controller.install.machine_checks import account_of, acting_as, start_of
from controller.install.open_shoes import recovered_of
from controller.install.web_checks import check_ports_of_web
from controller.journal.database import FILE_NAME
from controller.journal.values import JournalError
from controller.journal.verify import CannotRead, verify
from controller.replay.recovery import RecoveryError
from controller.system.reach import why_unreachable
from controller.version import VERSION
from controller.views.snapshot import Health, Snapshot
from drivers.events import Stage

ANSWER_S: Final = 3.0
# Six times the interval of deploy/prometheus.
READ_S_MAX: Final = 60
_HTTPS_PORT, _HTTP_PORT = 443, 80


def check_remarks(config: TableConfig) -> Iterator[Diagnosis]:
    """What check-config remarks, and what of the configuration is not approved."""
    if config.trial:
        yield remark(
            "trial", "nothing is written to a device", "the table cannot lock the shoe", ""
        )
    for words in config.remarks:
        yield remark("configuration", words, "", "")
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
    if signing.sign and not signing.program and signing.make and not signing.key.exists():
        yield good("keys", f"{signing.key} is made at the first start")
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


def check_journal(config: TableConfig) -> Iterator[Diagnosis]:
    """Whether the journal is whole up to its head, and this version goes on with it."""
    try:
        recovered = recovered_of(config)
        if recovered is None:
            yield good("journal", "there is none yet; the first start makes it")
            return
        report = verify(config.journal_folder / FILE_NAME)
    except (JournalError, RecoveryError, CannotRead, OSError) as error:
        yield problem(
            "journal", str(error), "the table does not start", "smartshoe verify says more"
        )
        return
    if not report.intact:
        yield problem(
            "journal",
            f"{config.journal_folder} is damaged",
            "a verifier will refuse the evidence from there on",
            "keep it as it is, smartshoe verify names the place, and begin another journal folder",
        )
    else:
        yield good("journal", "every record of its live part is there, up to the newest")
    if recovered.shoe_open and recovered.software not in {"", VERSION}:
        yield problem(
            "journal",
            f"its open shoe was dealt with {recovered.software}, and this is {VERSION}",
            "the table does not start in the middle of a shoe of another version",
            f"install {recovered.software} again and deal the shoe to its end; or a floorperson"
            " takes it over: smartshoe run --close-coup-as-partial",
        )


def check_running(config: TableConfig) -> Iterator[Diagnosis]:
    """The running table: its health, its devices, its seals, its page, its metrics."""
    try:
        table = ControlClient(config.control_socket, ANSWER_S).status()
    except TableNotRunning:
        yield remark(
            "table",
            "it does not run",
            "its devices and its seals cannot be looked at",
            f"{start_of(config.file)}, then look again",
        )
        yield from check_ports_of_web(config, runs=False)
        return
    except ControlError as error:
        yield problem("table", str(error), "people cannot decide at the table", "")
        return
    if table.health is Health.RUNNING:
        yield good("table", "it runs")
    else:
        yield problem(
            "table",
            f"it is {table.health.value}: {table.failure}",
            "it deals no card",
            "see its log",
        )
    yield from _device_findings(table)
    if table.seals is not None and table.seals.problem:
        yield problem(
            "seals",
            table.seals.problem,
            f"{table.seals.unsealed} finished shoes wait to be sealed",
            "mend the signer: see keys above; the table seals them by itself then",
        )
    yield from check_ports_of_web(config, runs=True)
    if config.metrics_enabled:
        yield _prometheus_finding(table.metrics_read_s)


def _device_findings(table: Snapshot) -> Iterator[Diagnosis]:
    devices = [("shoe", table.device.port, table.device.stage)]
    devices += [(one.kind, one.port, one.stage) for one in table.beside]
    if table.shuffler is not None:
        devices.append(("shuffler", table.shuffler.port, table.shuffler.stage))
    for role, port, stage in devices:
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
    """Whether witnesses and brokers answer; nothing is sent to them."""
    for witness in config.witnesses:
        parts = urlsplit(witness.url)
        port = parts.port or (_HTTPS_PORT if parts.scheme == "https" else _HTTP_PORT)
        yield _answers("witnesses", witness.url, parts.hostname or "", port, "no head is cosigned")
    for feed in config.feeds:
        place = f"{feed.name} at {feed.host}:{feed.port}"
        yield _answers("brokers", place, feed.host, feed.port, "its events wait in the journal")


def _answers(area: str, place: str, host: str, port: int, why: str) -> Diagnosis:
    words = why_unreachable(host, port)
    if not words:
        return good(area, f"{place} answers")
    return problem(
        area,
        f"{place} does not answer: {words}",
        f"{why} until it does; the table plays on",
        "start it, or correct its address; a unit reaches other machines only by"
        " systemctl edit smartshoe@TABLE, [Service] IPAddressAllow=ADDRESS",
    )

"""What `smartshoe doctor` looks at of a table's web server: page, metrics, and their certificates.

Source: RFC 5280, section 4.1.2.5.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Final

from controller.service.config.table_config import TableConfig
from controller.service.install.certificates import certificate_remarks
from controller.service.install.diagnosis import Diagnosis, good, problem, remark
from controller.service.install.machine_checks import account_of, acting_as
from controller.system.reach import why_unreachable
from controller.system.tls import ServerTlsFiles, TlsUnavailable, server_context, valid_until_s
from firmware_bridge.transport.clock import now

DAYS_LEFT_MIN: Final = 30
_S_PER_DAY: Final = 24 * 3600
_NS_PER_S: Final = 1_000_000_000


def check_ports_of_web(config: TableConfig, *, runs: bool) -> Iterator[Diagnosis]:
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

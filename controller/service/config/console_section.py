"""The section of table.toml for the table's page and its API over HTTP."""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from controller.service.config.sections import (
    IpAddress,
    MetricsSection,
    Section,
    ServerSection,
    is_loopback,
)
from controller.service.config.table_config import ConsoleSettings
from controller.system.messages.catalogue import languages
from controller.system.tls import TlsUnavailable, server_context

DEFAULT_ADDRESS: Final = "127.0.0.1"
DEFAULT_PORT: Final = 9309
_HOSTS_MAX: Final = 16
_HOST: Final = re.compile(r"[A-Za-z0-9.-]{1,253}")


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError(
            f"{text!r} is not a host name. Allowed: a name without scheme and port. Remedy: write"
            ' it as "table-12.pit.example"'
        )
    return text


def _language(text: str) -> str:
    if text not in languages():
        raise ValueError(
            f"{text!r} is not a language of the program. Allowed: {', '.join(languages())}. Remedy:"
            " choose one of them"
        )
    return text


class ConsoleSection(ServerSection):
    address: IpAddress | None = None
    port: Annotated[int, Field(ge=0, le=65535)] | None = None
    hosts: Annotated[list[Annotated[str, AfterValidator(_host)]], Field(max_length=_HOSTS_MAX)] = (
        Field(default_factory=list)
    )
    sign_on_minutes: Annotated[int, Field(ge=1, le=12 * 60)] = 15
    language: Annotated[str, AfterValidator(_language)] = "en"


def console_settings(sections: Mapping[str, Section], folder: Path) -> ConsoleSettings | None:
    """Where the page is served; None where it is not.

    Without an address and a port of its own it is served with the metrics, as long as there are
    any for this machine alone: who named other machines for the metrics did not name them for it.
    """
    console, metrics = sections.get("console"), sections.get("metrics")
    if not isinstance(console, ConsoleSection) or not console.enabled:
        return None
    beside = metrics if isinstance(metrics, MetricsSection) and metrics.enabled else None
    address, port, tls = console.address, console.port, console.tls_files(folder)
    if address is None and port is None:
        if beside is None or not is_loopback(beside.address):
            return None
        address, port = beside.address, beside.port
    address = DEFAULT_ADDRESS if address is None else address
    port = DEFAULT_PORT if port is None else port
    if beside is not None and tls is None and (address, port) == (beside.address, beside.port):
        tls = beside.tls_files(folder)
    return ConsoleSettings(
        address, port, tls, tuple(console.hosts), console.sign_on_minutes, console.language
    )


def console_problems(path: Path, sections: Mapping[str, Section]) -> Iterator[str]:
    """Problems of the page with its files, and with the metrics at the same port."""
    folder = path.absolute().parent
    found, metrics = console_settings(sections, folder), sections.get("metrics")
    if found is None:
        return
    if found.tls is None and not is_loopback(found.address):
        yield (
            f"console.address: {found.address} can be reached from other machines. Allowed: TLS, or"
            ' this machine alone. Remedy: name certificate and key, or write address = "127.0.0.1"'
        )
    try:
        if found.tls is not None:
            server_context(found.tls)
    except TlsUnavailable as error:
        yield f"console: {error}"
    if not isinstance(metrics, MetricsSection) or not metrics.enabled:
        return
    if found.port != metrics.port or found.port == 0:
        return
    if found.address == metrics.address:
        if found.tls != metrics.tls_files(folder):
            yield (
                "console.certificate: [metrics] has other files for the same address and port."
                " Allowed: the same certificate, key and client_ca in both, or another port."
                " Remedy: correct one of them"
            )
    elif overlap(found.address, metrics.address):
        yield (
            f"console.address: {found.address} and {metrics.address} of [metrics] are not two"
            f" servers at port {found.port}. Allowed: the same address in both, or another port."
            " Remedy: correct one of them"
        )


def overlap(one: str, other: str) -> bool:
    """Whether servers at both addresses would take each other's port."""
    words = {"127.0.0.1" if text == "localhost" else text for text in (one, other)}
    addresses = {ipaddress.ip_address(text) for text in words}
    return len(addresses) == 1 or any(address.is_unspecified for address in addresses)

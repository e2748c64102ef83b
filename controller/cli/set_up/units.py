"""What systemd says of a table's unit, and whether the running process is of what is installed.

Source: systemctl(1).
"""

import ipaddress
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from controller.service.config.table_config import TableConfig
from controller.service.config.table_files import INSTALLED
from controller.service.install.diagnosis import Diagnosis, good, problem, remark
from controller.service.install.machine_checks import unit_of
from controller.service.install.running import problems, running_program
from controller.service.install.statement import SignedStatementError
from controller.system.reach import Address, addresses_of
from firmware_bridge.transport.port_url import NetworkUrl, parse_port_url

BOOTED: Final = Path("/run/systemd/system")
_ASK_S: Final = 10.0
_PROPERTIES: Final = (
    "LoadState,UnitFileState,ActiveState,SubState,Result,MainPID,IPAddressAllow,IPAddressDeny"
)


def check_unit(file: Path, config: TableConfig | None) -> Iterator[Diagnosis]:
    """The unit of an installed table; nothing where no systemd runs, or for a table elsewhere."""
    if not BOOTED.is_dir() or not _is_installed(file):
        return
    unit = unit_of(file)
    facts = _facts(unit)
    if facts.get("LoadState") != "loaded":
        yield problem(
            "unit",
            f"{unit} is not there",
            "nothing starts the table with the machine",
            "install the package, or copy deploy/smartshoe@.service; then systemctl daemon-reload",
        )
        return
    if facts.get("UnitFileState") == "enabled":
        yield good("unit", f"{unit} starts with the machine")
    else:
        yield remark(
            "unit",
            f"{unit} does not start with the machine",
            "after a power cut nobody watches the table",
            f"systemctl enable {unit}",
        )
    if config is not None:
        allow, deny = facts.get("IPAddressAllow", ""), facts.get("IPAddressDeny", "")
        yield from reach_findings(unit, hosts_of(config), allow.split(), deny.split())
    state = facts.get("ActiveState", "")
    if state == "active":
        yield from _running_findings(unit, int(facts.get("MainPID", "0")))
    elif state == "failed":
        yield problem(
            "unit",
            f"{unit} has failed: {facts.get('Result', '')}",
            "the table does not run",
            f"journalctl -u {unit} -n 20 says why; then systemctl restart {unit}",
        )
    else:
        yield remark(
            "unit", f"{unit} is {state}", "the table does not run", f"systemctl start {unit}"
        )


def hosts_of(config: TableConfig) -> tuple[str, ...]:
    """Every host that the table speaks to: serial servers, witnesses, brokers."""
    ports = (parse_port_url(url) for url, _ in config.lines)
    hosts = [one.host for one in ports if isinstance(one, NetworkUrl)]
    hosts += [urlsplit(one.url).hostname or "" for one in config.witnesses]
    hosts += [one.host for one in config.feeds]
    return tuple(dict.fromkeys(hosts))


def reach_findings(
    unit: str, hosts: Sequence[str], allow: Sequence[str], deny: Sequence[str]
) -> Iterator[Diagnosis]:
    """The hosts that the unit's lists of networks keep it from; a name that is not known is none.

    What is allowed goes before what is denied (systemd.resource-control(5)).
    """
    for host in hosts:
        for address in addresses_of(host):
            if _is_in(address, deny) and not _is_in(address, allow):
                yield problem(
                    "unit",
                    f"{unit} may not reach {host}",
                    "the table hears nothing of it, though this machine may",
                    f"systemctl edit {unit}: [Service], IPAddressAllow={address}; then systemctl"
                    " restart it between two shoes",
                )
                break


def _is_in(address: Address, networks: Sequence[str]) -> bool:
    return any(address in ipaddress.ip_network(one, strict=False) for one in networks)


def _is_installed(file: Path) -> bool:
    """Whether it is a table of the machine, or of one of its pits."""
    return INSTALLED in file.resolve().parents[:2]


def _facts(unit: str) -> dict[str, str]:
    words = ("systemctl", "show", "-p", _PROPERTIES, unit)
    done = subprocess.run(  # noqa: S603 - its name is that of a table's file
        words, capture_output=True, text=True, check=True, timeout=_ASK_S
    )
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def _running_findings(unit: str, pid: int) -> Iterator[Diagnosis]:
    try:
        doubts = problems(running_program(pid), Path(sys.prefix))
    except SignedStatementError as error:
        yield remark("unit", f"{unit} runs; {error}", "its version is not known", "run it as root")
        return
    if not doubts:
        yield good("unit", f"{unit} runs what is installed")
        return
    yield problem(
        "unit",
        f"{unit} runs something else than what is installed: {doubts[0]}",
        "what runs and what is looked at are two versions",
        f"between two shoes: systemctl restart {unit}",
    )

"""What `smartshoe doctor` says of the hosts that a unit may reach.

Source: deploy/smartshoe@.service; systemd.resource-control(5), IPAddressAllow.
"""

from pathlib import Path

import pytest

from controller.cli.set_up.units import hosts_of, reach_findings
from controller.service.config.load import load_config

UNIT = "smartshoe@M-12"
LOCALHOST = ("127.0.0.0/8", "::1/128")
ANY = ("0.0.0.0/0", "::/0")
SERVER = "192.0.2.17"
TABLE = f"""\
table = {{ name = "M-12" }}
shoe = {{ port = "socket://{SERVER}:4001" }}
[evidence]
[[feed]]
name = "floor"
host = "192.0.2.18"
port = 8883
"""


def test_a_serial_server_that_the_unit_may_not_reach_is_said_with_the_line_that_allows_it() -> None:
    (found,) = reach_findings(UNIT, [SERVER], LOCALHOST, ANY)
    assert found.what == "smartshoe@M-12 may not reach 192.0.2.17"
    assert "systemctl edit smartshoe@M-12: [Service], IPAddressAllow=192.0.2.17" in found.remedy


@pytest.mark.parametrize(
    ("host", "allow", "deny"),
    [
        ("127.0.0.1", LOCALHOST, ANY),
        (SERVER, (*LOCALHOST, "192.0.2.0/24"), ANY),
        (SERVER, (), ()),
    ],
)
def test_what_the_unit_may_reach_is_not_said(
    host: str, allow: tuple[str, ...], deny: tuple[str, ...]
) -> None:
    assert not list(reach_findings(UNIT, [host], allow, deny))


def test_serial_servers_and_brokers_are_hosts_of_a_table(fast_dir: Path) -> None:
    file = fast_dir / "M-12.toml"
    file.write_text(TABLE)
    assert hosts_of(load_config(file)) == (SERVER, "192.0.2.18")

"""[console]: where the page is served, to whom, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from controller.service.config.load import ConfigError, load_config
from controller.service.config.table_config import ConsoleSettings
from controller.system.tls import ServerTlsFiles
from hil.rig.servers.certificates import CertificateAuthority

TABLE = '[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n'

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a table's file beside the certificate table.crt, its key, and other.crt with its."""
    authority = CertificateAuthority(tmp_path, "house")
    authority.signed("table")
    authority.signed("other")

    def written(text: str) -> Path:
        file = tmp_path / "table.toml"
        file.write_text(TABLE + text)
        return file

    return written


def served(file: Path) -> ConsoleSettings | None:
    return load_config(file).console


def test_by_default_the_page_is_served_with_the_metrics_to_this_machine(write: Write) -> None:
    assert served(write("")) == ConsoleSettings("127.0.0.1", 9309, None, (), 15, "en")


def test_every_setting_is_read(write: Write, tmp_path: Path) -> None:
    file = write(
        '[console]\naddress = "192.0.2.7"\nport = 9310\ncertificate = "table.crt"\n'
        'key = "table.pem"\nclient_ca = "house.crt"\nhosts = ["m7.pit.example"]\n'
        'sign_on_minutes = 5\nlanguage = "zh_Hant"\n'
    )
    files = ServerTlsFiles(tmp_path / "table.crt", tmp_path / "table.pem", tmp_path / "house.crt")
    assert served(file) == ConsoleSettings(
        "192.0.2.7", 9310, files, ("m7.pit.example",), 5, "zh_Hant"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[metrics]\naddress = "::1"\nport = 9400\n', ("::1", 9400)),
        ("[metrics]\nport = 0\n", ("127.0.0.1", 0)),
        ("[console]\nport = 9400\n", ("127.0.0.1", 9400)),
        ('[console]\naddress = "::1"\n', ("::1", 9309)),
        ('[console]\naddress = "localhost"\nport = 0\n', ("localhost", 0)),
        ("[metrics]\nenabled = false\n[console]\nport = 9400\n", ("127.0.0.1", 9400)),
        # The metrics of other machines do not make the page theirs.
        (
            """[metrics]
address = "192.0.2.7"
certificate = "table.crt"
key = "table.pem"
client_ca = "house.crt"
""",
            None,
        ),
        ("[metrics]\nenabled = false\n", None),
        ("[console]\nenabled = false\n", None),
        ("[console]\nenabled = false\nport = 9400\n", None),
    ],
)
def test_where_it_is_served(write: Write, text: str, place: tuple[str, int] | None) -> None:
    found = served(write(text))
    assert (None if found is None else (found.address, found.port)) == place


def test_at_the_port_of_the_metrics_it_has_their_certificate(write: Write, tmp_path: Path) -> None:
    found = served(write('[metrics]\ncertificate = "table.crt"\nkey = "table.pem"\n'))
    assert found is not None
    assert found.tls == ServerTlsFiles(tmp_path / "table.crt", tmp_path / "table.pem")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("enabled = 1\n", r"console.enabled: .*1"),
        ('address = "table-12"\n', r"console.address: 'table-12' is not an IP address. Remedy: "),
        ("port = -1\n", r"console.port: .*-1.*"),
        ("port = 65536\n", r"console.port: .*65536.*"),
        ('port = "9309"\n', r"console.port: .*9309.*"),
        ('hosts = ["https://m7.example"]\n', r"console.hosts.* is not a host name.* Remedy: write"),
        (f"hosts = {['m7.example'] * 17}\n".replace("'", '"'), r"console.hosts: .*16"),
        ("sign_on_minutes = 0\n", r"console.sign_on_minutes: .*1"),
        ("sign_on_minutes = 721\n", r"console.sign_on_minutes: .*720"),
        ('language = "fr"\n', r"console.language: 'fr' is not .* Allowed: en, zh_Hant"),
        ("theme = 1\n", r"console.theme: .*"),
        ('certificate = "table.crt"\n', r"console: certificate and key belong together"),
        ('client_ca = "house.crt"\n', r"console: client_ca checks the clients of TLS"),
        (
            'address = "192.0.2.7"\n',
            r"console.address: 192.0.2.7 can be reached.*Remedy: name cert",
        ),
        ('address = "0.0.0.0"\n', r"console.address: 0.0.0.0 can be reached.*Remedy: name cert"),
        (
            'certificate = "none.crt"\nkey = "table.pem"\nport = 9310\n',
            r"console: .*none.crt and .*table.pem cannot be used: No such file",
        ),
        (
            'certificate = "table.crt"\nkey = "other.pem"\nport = 9310\n',
            r"console: .*cannot be used: key values mismatch.* Remedy: ",
        ),
        (
            'certificate = "table.crt"\nkey = "table.pem"\nclient_ca = "table.pem"\nport = 9310\n',
            r"console: .*table.pem cannot be used.* Remedy: name the certificate of the authority",
        ),
        # Two servers at one port.
        (
            'port = 9309\ncertificate = "table.crt"\nkey = "table.pem"\n',
            r"console.certificate: \[metrics\] has other files.* Remedy: correct one of them",
        ),
        (
            'address = "0.0.0.0"\nport = 9309\ncertificate = "table.crt"\nkey = "table.pem"\n',
            r"console.address: 0.0.0.0 and 127.0.0.1 of \[metrics\] are not two servers",
        ),
    ],
)
def test_what_cannot_be_served_is_refused_with_the_remedy(
    write: Write, text: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        load_config(write("[console]\n" + text))

"""`smartshoe doctor` on tables that stand still, whole and broken."""

import json
import os
import pwd
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from cryptography.x509 import load_pem_x509_certificate

from controller.cli.main import main
from controller.cli.set_up import doctor
from controller.service.install import machine_checks, table_checks
from controller.system.command_line.errors import ExitCode
from foundation.timestamp import Timestamp
from hil.emulator.witness import Witness
from hil.rig.servers.certificates import CertificateAuthority

WITNESS = Witness("w", {}).published_key
TABLE = '[table]\nname = "M-12"\n[shoe]\nport = "socket://127.0.0.1:1"\n'


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "M-12.toml"
    file.write_text(TABLE)
    return file


def findings(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, list[str]]]:
    """The exit code, and grade and words of every finding by area."""
    code = main(["doctor", str(file), "--json"])
    shown = json.loads(capsys.readouterr().out)["findings"]
    found: dict[str, list[str]] = {}
    for one in (*shown["machine"], *shown[str(file)]):
        found.setdefault(one["area"], []).append(f"{one['grade']}: {one['what']}")
    return code, found


def test_a_table_that_stands_still_has_no_problem(table: Path, capsys) -> None:
    code, found = findings(table, capsys)

    assert code == ExitCode.DONE
    assert found["journal"][-1].startswith("good: there is none yet")
    assert found["table"] == ["remark: it does not run"]


def test_it_changes_nothing(table: Path, capsys) -> None:
    main(["doctor", str(table)])

    assert [one.name for one in table.parent.iterdir()] == [table.name]


def test_each_problem_says_what_to_do(table: Path, capsys) -> None:
    table.write_text(TABLE.replace("socket://127.0.0.1:1", "/dev/no-such-port"))

    assert main(["doctor", str(table)]) == ExitCode.NO
    shown = capsys.readouterr().out
    place = shown.index("PROBLEM  ports: /dev/no-such-port")
    assert "why: the table runs, and hears nothing of that device" in shown[place:]
    assert "do: plug the device in" in shown[place:]


def test_a_key_that_others_may_read_is_said_once_with_its_own_remedy(table: Path, capsys) -> None:
    main(["keys", "make", str(table.parent / "table.key")])
    (table.parent / "table.key").chmod(0o644)
    table.write_text(f'{TABLE}[evidence]\nkey = "table.key"\n')
    capsys.readouterr()

    assert main(["doctor", str(table)]) == ExitCode.NO
    _, _, shown = capsys.readouterr().out.partition("PROBLEM  keys: ")
    what, _, remedy = shown.partition("do: ")
    assert "its mode is 0644" in what
    assert "Remedy" not in what
    assert remedy.startswith("`chmod 600 ")


def test_a_full_disk_is_said_with_its_limit(table: Path, capsys) -> None:
    table.write_text(f"{TABLE}[journal]\nwarn_free_mib = {2**24}\nstop_free_mib = {2**24}\n")

    assert main(["doctor", str(table)]) == ExitCode.NO
    shown = capsys.readouterr().out
    assert "PROBLEM  disk: " in shown
    assert f"below {2**24} MiB no table runs" in shown


def test_a_table_of_nobodys_unit_is_started_by_hand(table: Path, capsys) -> None:
    main(["doctor", str(table)])
    assert f"do: smartshoe run {table}, then look again" in capsys.readouterr().out


def test_a_machine_without_a_table_says_so(monkeypatch, capsys) -> None:
    monkeypatch.setattr(doctor, "_table_files", lambda _given: ())

    assert main(["doctor"]) == ExitCode.DONE
    assert "REMARK   tables: none is set up in /etc/smartshoe" in capsys.readouterr().out


def test_a_wrong_configuration_keeps_nothing_else_from_being_looked_at(table: Path, capsys) -> None:
    table.write_text(TABLE + "speed = 1\n")
    code, found = findings(table, capsys)

    assert code == ExitCode.NO
    assert found["configuration"][0].startswith(f"problem: {table}: shoe.speed")
    assert "clock" in found


def test_a_damaged_journal_is_a_problem(table: Path, capsys) -> None:
    journal = table.parent / "journal"
    journal.mkdir(mode=0o700)
    (journal / "live.db").write_bytes(b"no database")
    code, found = findings(table, capsys)

    assert code == ExitCode.NO
    assert found["journal"][-1].startswith("problem: ")
    assert "disk" in found


def test_a_journal_that_others_may_read_is_a_problem(table: Path, capsys) -> None:
    (table.parent / "journal").mkdir()
    (table.parent / "journal").chmod(0o755)
    _, found = findings(table, capsys)

    assert found["modes"][0].startswith("problem: other accounts may look into")


def test_a_port_in_use_by_another_program_is_a_problem(table: Path, capsys) -> None:
    device, host = os.openpty()
    table.write_text(TABLE.replace("socket://127.0.0.1:1", os.ttyname(host)))
    try:
        _, found = findings(table, capsys)
    finally:
        os.close(device)
        os.close(host)

    assert "is in use by" in found["ports"][0]


def test_a_program_below_a_folder_of_our_name_is_another_program(
    table: Path, tmp_path: Path, capsys
) -> None:
    device, host = os.openpty()
    port = os.ttyname(host)
    reader = tmp_path / "smartshoe" / "reader.py"
    reader.parent.mkdir()
    reader.write_text(
        "import sys\nwith open(sys.argv[1]):\n    print('open', flush=True)\n    input()\n"
    )
    table.write_text(TABLE.replace("socket://127.0.0.1:1", port))
    words = [sys.executable, str(reader), port]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"open\n"
            os.close(host)
            _, found = findings(table, capsys)
        finally:
            other.communicate(b"\n")
            os.close(device)

    assert f"{reader} {port}" in found["ports"][0]


def test_a_broker_that_does_not_answer_is_a_problem(table: Path, capsys) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]  # bound, and nobody listens
        feed = f'[[feed]]\nname = "floor"\nhost = "127.0.0.1"\nport = {port}\ntls = false\n'
        table.write_text(TABLE + feed)
        _, found = findings(table, capsys)

    assert "does not answer" in found["brokers"][0]


def test_a_broker_that_answers_is_good(table: Path, capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as broker:
        port = broker.getsockname()[1]
        feed = f'[[feed]]\nname = "floor"\nhost = "127.0.0.1"\nport = {port}\ntls = false\n'
        table.write_text(TABLE + feed)
        _, found = findings(table, capsys)

    assert found["brokers"][0].startswith("good: floor at")


def web_table(port: int, further: str = "") -> str:
    return f"{TABLE}[metrics]\nenabled = false\n[console]\nport = {port}\n{further}"


def test_a_port_of_the_page_at_which_another_program_listens_is_remarked(
    table: Path, capsys
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        table.write_text(web_table(other.getsockname()[1]))
        _, found = findings(table, capsys)

    assert found["page"][0].startswith("remark: something listens at 127.0.0.1:")


@pytest.mark.parametrize(
    ("days", "grade"), [(31, "good"), (30, "good"), (29, "remark"), (0, "problem"), (-1, "problem")]
)
def test_a_certificate_is_said_before_it_ends(
    table: Path, capsys, monkeypatch: pytest.MonkeyPatch, days: int, grade: str
) -> None:
    authority = CertificateAuthority(table.parent, "house")
    certificate, key = authority.signed("table")
    files = f'certificate = "{certificate}"\nkey = "{key}"\n'
    table.write_text(web_table(0, files))
    end = load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc
    then = int(end.timestamp()) - days * 24 * 3600
    monkeypatch.setattr(table_checks, "now", lambda: Timestamp(0, then * 1_000_000_000))

    _, found = findings(table, capsys)

    words = f"{grade}: {certificate} is valid until {end:%Y-%m-%d}"
    assert found["certificate"] == [words]


# --- of an installed table ------------------------------------------------------------------------


@pytest.fixture
def installed(table: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The table's file as if its folder were that of the machine, and nobody the unit's account."""
    monkeypatch.setattr(machine_checks, "INSTALLED", table.parent)
    monkeypatch.setattr(machine_checks, "ACCOUNT", "nobody")
    for folder in (table.parent, *table.parent.parents):
        if folder.owner() == pwd.getpwuid(os.geteuid()).pw_name and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    return table


def remedies(file: Path, area: str, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, str]]:
    main(["doctor", str(file), "--json"])
    found = json.loads(capsys.readouterr().out)["findings"][str(file)]
    return [(one["grade"], one["remedy"]) for one in found if one["area"] == area]


def test_a_journal_where_the_unit_may_not_write_is_to_be_where_it_may(
    installed: Path, capsys
) -> None:
    ((grade, remedy),) = remedies(installed, "journal", capsys)[:1]

    assert grade == "problem"
    assert remedy == 'write [journal] folder = "/var/lib/smartshoe/M-12/journal"'


def test_of_a_folder_that_its_account_may_write_it_is_remarked(installed: Path, capsys) -> None:
    journal = installed.parent / "disk"
    journal.mkdir()
    journal.chmod(0o777)
    installed.write_text(TABLE + f'[journal]\nfolder = "{journal}"\n')

    ((grade, remedy),) = remedies(installed, "journal", capsys)[:1]

    assert grade == "remark"
    assert f"ReadWritePaths={journal}" in remedy


def test_a_pits_tables_are_run_by_the_unit_of_the_pit(installed: Path) -> None:
    pit = installed.parent / "pit-3" / "M-12.toml"
    assert machine_checks.unit_of(installed) == "smartshoe@M-12"
    assert machine_checks.unit_of(pit) == "smartshoe@pit-3"


def test_a_folder_is_looked_at_table_by_table(table: Path, capsys) -> None:
    (table.parent / "K-7.toml").write_text(TABLE.replace("M-12", "K-7"))
    main(["doctor", str(table.parent), "--json"])

    shown = json.loads(capsys.readouterr().out)["findings"]
    assert [Path(one).name for one in shown] == ["machine", "K-7.toml", "M-12.toml"]


def test_between_shoes_without_a_journal(table: Path, capsys) -> None:
    assert main(["doctor", "--between-shoes", str(table)]) == ExitCode.DONE
    assert capsys.readouterr().out == "no shoe is open\n"


def test_what_cannot_be_read_keeps_no_upgrade_away(table: Path, capsys) -> None:
    table.write_text("name = \n")

    assert main(["doctor", "--between-shoes", str(table.parent)]) == ExitCode.DONE
    assert "not looked at" in capsys.readouterr().err


# --- the package, and another Debian --------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This environment passes for that of the packages of table and bench for Debian 12."""
    folder = tmp_path / "package"
    for name, place in {"smartshoe": folder, "smartshoe-hil": tmp_path / "package-hil"}.items():
        files = {str(one): f"{name}_0.9.0+deb{one}_amd64.deb" for one in (12, 13)}
        facts = json.dumps({"debian": 12, "files": files})
        place.mkdir()
        (place / "package.json").write_text(facts)
    monkeypatch.setattr(machine_checks, "PACKAGE", folder)
    monkeypatch.setattr(machine_checks.sys, "prefix", str(folder))
    return folder


@pytest.mark.parametrize(
    ("machine", "finding", "remedy"),
    [
        ("12", "good: it is that for Debian 12", ""),
        (
            "13",
            "remark: it is that for Debian 12, and this machine is Debian 13",
            "install ./smartshoe_0.9.0+deb13_amd64.deb ./smartshoe-hil_0.9.0+deb13_amd64.deb",
        ),
        ("14", "remark: it is that for Debian 12, and this machine is Debian 14", "no package"),
    ],
)
def test_the_right_package_for_this_debian_is_named(
    table: Path, capsys, package: Path, monkeypatch, machine: str, finding: str, remedy: str
) -> None:
    release = {"ID": "debian", "VERSION_ID": machine, "PRETTY_NAME": f"Debian {machine}"}
    monkeypatch.setattr(machine_checks.platform, "freedesktop_os_release", lambda: release)

    main(["doctor", str(table), "--json"])
    (found,) = (
        one
        for one in json.loads(capsys.readouterr().out)["findings"]["machine"]
        if one["area"] == "package"
    )
    assert f"{found['grade']}: {found['what']}" == finding
    assert remedy in found["remedy"]


def test_an_environment_that_is_no_package_is_not_looked_at(table: Path, capsys) -> None:
    assert "package" not in findings(table, capsys)[1]


# --- certificates that Debian 13 refuses ----------------------------------------------------------


@contextmanager
def serving(certificate: Path, key: Path) -> Iterator[int]:
    """A server that does nothing but the handshake; its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection, suppress(OSError):
                    context.wrap_socket(connection, server_side=True).close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield int(listening.getsockname()[1])
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("strict_here", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_a_witness_whose_certificate_debian_13_refuses_is_named_with_what_is_missing(
    table: Path, capsys, monkeypatch: pytest.MonkeyPatch, whole: bool, strict_here: bool
) -> None:
    authority = CertificateAuthority(table.parent, "house")
    certificate, key = authority.signed("witness", identified=whole)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    monkeypatch.setattr(table_checks, "is_strict", lambda _: strict_here)
    with serving(certificate, key) as port:
        url = f"https://127.0.0.1:{port}"
        table.write_text(f'{TABLE}[[evidence.witnesses]]\nurl = "{url}"\nkey = "{WITNESS}"\n')
        code, found = findings(table, capsys)

    if whole:
        assert found["witnesses"] == [f"good: {url} answers"]
        return
    grade = "problem" if strict_here else "remark"
    missing = "its certificate is refused on Debian 13: missing authority key identifier"
    assert found["witnesses"] == [f"{grade}: {url}: {missing}"]
    assert code == (ExitCode.NO if strict_here else ExitCode.DONE)


def test_a_witness_of_an_unknown_authority_is_refused_everywhere(
    table: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = CertificateAuthority(table.parent, "house").signed("witness")
    other = CertificateAuthority(table.parent, "other")
    monkeypatch.setenv("SSL_CERT_FILE", str(other.file))
    with serving(certificate, key) as port:
        url = f"https://127.0.0.1:{port}"
        table.write_text(f'{TABLE}[[evidence.witnesses]]\nurl = "{url}"\nkey = "{WITNESS}"\n')
        _, found = findings(table, capsys)

    assert found["witnesses"][0].startswith(f"problem: {url}: its certificate is refused: ")


def test_a_file_that_debian_13_refuses_is_named_with_its_place(table: Path, capsys) -> None:
    authority = CertificateAuthority(table.parent, "house")
    certificate, key = authority.signed("table", identified=False)
    files = f'certificate = "{certificate}"\nkey = "{key}"\nclient_ca = "{authority.file}"\n'
    table.write_text(f'{TABLE}[metrics]\naddress = "192.0.2.7"\n{files}')

    words = f"metrics.certificate: {certificate} (CN=table: no authorityKeyIdentifier)"
    _, found = findings(table, capsys)
    assert found["certificate"][0].startswith(f"remark: {words}: Debian 13 refuses it")
    assert main(["check-config", str(table)]) == ExitCode.DONE
    shown = " ".join(capsys.readouterr().out.split())
    assert words in shown
    assert "docs/certificates.md" in shown


def test_a_brokers_authority_that_debian_13_refuses_is_named(table: Path, capsys) -> None:
    authority = CertificateAuthority(table.parent, "house", identified=False)
    table.write_text(
        f'{TABLE}[[feed]]\nname = "office"\nhost = "127.0.0.1"\nport = 1\nca = "{authority.file}"\n'
    )

    assert main(["check-config", str(table)]) == ExitCode.DONE
    shown = " ".join(capsys.readouterr().out.split())
    assert f"feed[1].ca: {authority.file} (CN=house: no subjectKeyIdentifier)" in shown

"""The packages on a clean Debian without a network: installed, tables dealt, upgraded, removed.

Run by `python -m hil.gate package` in namespaces of its own, where only loopback is: nothing that
it does reaches another machine, a mount or a process of this one. Each command runs in the root
folder of that Debian. Prints a line for each case with its time; the last one is the outcome.
Usage: package_on_debian.py ROOT VERSION-BEFORE VERSION
"""

import contextlib
import errno
import hashlib
import json
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from loopback import raise_loopback
from people_walk import TABLE as WALKED
from people_walk import Place, walk

ROOT = Path(sys.argv[1])
BEFORE, NOW = sys.argv[2:4]
FIXED = "0.0.1"
PACKAGES = ("smartshoe", "smartshoe-office", "smartshoe-hil")
TABLE = "M-12"
CONFIG = ROOT / f"etc/smartshoe/{TABLE}.toml"
STATE = ROOT / f"var/lib/smartshoe/{TABLE}"
JOURNAL = f"/var/lib/smartshoe/{TABLE}/journal"
PROGRAM = ROOT / "usr/lib/smartshoe"
ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/root",
    "DEBIAN_FRONTEND": "noninteractive",
}
AS_TABLE = ("setpriv", "--reuid=smartshoe", "--regid=smartshoe", "--init-groups")
BY = ("--by", "Ann Lee", "--pin-file", "/tmp/ann.pin")
WAIT_S = 60.0
PORT = 4001
ANSWERS = f"""\
[table]
name = "{TABLE}"
[rules]
observed = ["result_button"]
[shoe]
port = "socket://127.0.0.1:{PORT}"
[[person]]
name = "Ann Lee"
role = "floorperson"
pin_file = "ann.pin"
"""
ELSEWHERE = ("192.0.2.1", "198.51.100.1", "1.1.1.1")


# --- commands in the root folder ------------------------------------------------------------------


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the root folder; its output has both streams."""
    return subprocess.run(
        ["chroot", str(ROOT), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=ENVIRONMENT,
        check=False,
        timeout=240,
    )


def done(*words: str) -> str:
    ended = run(*words)
    assert ended.returncode == 0, f"{' '.join(words)} ended with {ended.returncode}: {ended.stdout}"
    return ended.stdout


def refused(*words: str) -> str:
    ended = run(*words)
    assert ended.returncode != 0, f"{' '.join(words)} was not refused: {ended.stdout}"
    return ended.stdout


def install(version: str, *packages: str) -> tuple[str, ...]:
    """The command that installs these packages, else all, in one version."""
    downgrade = ("--allow-downgrades",) if version == BEFORE else ()
    named = (f"{one}={version}" for one in packages or PACKAGES)
    return ("apt-get", "install", "--yes", *downgrade, *named)


def installed() -> dict[str, str]:
    """The version of each package that Debian says is installed."""
    found = {}
    for one in PACKAGES:
        said = run("dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Version}", one).stdout
        status, _, version = said.partition("|")
        # The first letter is what is wanted of it, such as to hold it; the second what is so.
        if status[1:2] == "i":
            found[one] = version
    return found


def all_of(version: str) -> dict[str, str]:
    return dict.fromkeys(PACKAGES, version)


def wait_until(what: str, is_so: Callable[[], object]) -> None:
    until_s = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until_s, f"{what}: not after {WAIT_S:.0f} s"
        time.sleep(0.1)


# --- the table and its emulated shoe --------------------------------------------------------------


@contextlib.contextmanager
def running_table() -> Iterator[None]:
    """The table, run as its unit runs it: as its account, with the folder that the unit makes."""
    whose = ("-m", "700", "-o", "smartshoe", "-g", "smartshoe")
    done("install", "-d", *whose, f"/{STATE.relative_to(ROOT)}")
    with (ROOT / "tmp/table.log").open("ab") as log:
        table = subprocess.Popen(
            ["chroot", str(ROOT), *AS_TABLE, "smartshoe", "run", TABLE],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=ENVIRONMENT,
        )
    try:
        wait_until("the table runs", lambda: table.poll() is not None or status())
        yield
        table.terminate()
        assert table.wait(WAIT_S) == 0, "the table did not end in order"
    finally:
        table.kill()
        table.wait()


@contextlib.contextmanager
def emulated_shoe(seed: int, coups: int = 0) -> Iterator[subprocess.Popen[str]]:
    """A shoe of the bench's own emulator at the table's port; `coups` 0: a whole shoe."""
    dealing = ("--seed", str(seed), "--coups", str(coups), "--pace-ms", "5")
    shoe = subprocess.Popen(
        ["chroot", str(ROOT), "smartshoe-hil", "emulate", "--tcp", str(PORT), *dealing],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        env=ENVIRONMENT,
    )
    try:
        yield shoe
    finally:
        shoe.kill()
        shoe.wait()


def order(shoe: subprocess.Popen[str], word: str) -> None:
    assert shoe.stdin is not None
    shoe.stdin.write(f"{word}\n")
    shoe.stdin.flush()


def status() -> dict[str, Any]:
    """The table's snapshot; empty if it does not run."""
    ended = run("smartshoe", "status", TABLE, "--json")
    found: dict[str, Any] = json.loads(ended.stdout) if ended.returncode == 0 else {}
    return found


def coups_begun() -> int:
    shoe = status().get("shoe")
    return int(shoe["coups_begun"]) if shoe else 0


def sealed() -> dict[str, str]:
    """The digest of every sealed shoe."""
    files = sorted((STATE / "journal/shoes").glob("*/*.shoe"))
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def kept() -> dict[str, str]:
    """The digest of every file of the table: configuration, journal, keys."""
    files = sorted(one for one in (CONFIG, *STATE.rglob("*")) if one.is_file())
    return {
        str(one.relative_to(ROOT)): hashlib.sha256(one.read_bytes()).hexdigest() for one in files
    }


def problems(*, but: str = "") -> list[str]:
    """What `smartshoe doctor` calls a problem, without one area."""
    found = json.loads(run("smartshoe", "doctor", TABLE, "--json").stdout)["findings"]
    return [
        f"{one['area']}: {one['what']}"
        for findings in found.values()
        for one in findings
        if one["grade"] == "problem" and one["area"] != but
    ]


def intact() -> str:
    return done(*AS_TABLE, "smartshoe", "verify", JOURNAL)


# --- the cases, in their order --------------------------------------------------------------------


def no_network_is_there() -> None:
    assert [name for _, name in socket.if_nameindex()] == ["lo"]
    for address in ELSEWHERE:
        with contextlib.closing(socket.socket()) as connection:
            assert connection.connect_ex((address, 80)) == errno.ENETUNREACH, address
    assert run("getent", "hosts", "deb.debian.org").returncode != 0


def the_local_repository_is_the_only_source() -> None:
    done("apt-get", "update")
    sources = done("apt-cache", "policy")
    assert "file:/srv/repository" in sources
    assert "http" not in sources, sources
    assert not (ROOT / "usr/bin/python3").exists(), "this Debian is not a clean one"


def the_package_of_the_table_is_installed_alone() -> None:
    said = done(*install(BEFORE, "smartshoe"))
    assert "installed; nothing was started" in said
    assert FIXED in done("smartshoe", "--version")
    assert (CONFIG.parent / "table.toml.example").is_file()
    assert not (ROOT / "run/smartshoe.restart").exists()
    assert installed() == {"smartshoe": BEFORE}
    assert not (ROOT / "usr/bin/smartshoe-hil").is_symlink()
    for command in (("audit", "journal"), ("evidence", "--help"), ("report", "day", "--help")):
        assert "smartshoe-office brings it" in refused("smartshoe", *command)


def those_of_office_and_bench_are_installed_beside_it() -> None:
    for one in PACKAGES[1:]:
        done(*install(BEFORE, one))
    assert installed() == all_of(BEFORE)
    for command in ("audit", "evidence", "report"):
        done("smartshoe", command, "--help")
    done("smartshoe-hil", "--help")


def a_table_is_set_up_with_a_person_on_record() -> None:
    (ROOT / "tmp/ann.pin").write_text("270918\n")
    (ROOT / "tmp/answers.toml").write_text(ANSWERS)
    said = json.loads(done("smartshoe", "setup", "--answers", "/tmp/answers.toml", "--json"))
    assert said["file"] == f"/etc/smartshoe/{TABLE}.toml"
    assert said["people"] == ["Ann Lee"]
    assert CONFIG.stat().st_mode & 0o777 == 0o640
    assert done("stat", "-c", "%U:%G", f"/etc/smartshoe/{TABLE}.toml").strip() == "root:smartshoe"
    assert TABLE in done("smartshoe", "check-config", TABLE)
    assert "Ann Lee, floorperson" in done("smartshoe", "people", "list", JOURNAL)


def doctor_finds_nothing_that_keeps_it_from_starting() -> None:
    assert not problems(), problems()


def two_accounts_and_five_people_do_what_the_page_says_and_no_more() -> None:
    page = ROOT / "usr/share/doc/smartshoe/docs/commissioning.md"
    count = walk(Place(ROOT, ENVIRONMENT), page, PORT + 1)
    assert count > 0
    # The cases after this one are of the other table alone.
    done("rm", "-r", f"/etc/smartshoe/{WALKED}.toml", f"/var/lib/smartshoe/{WALKED}")


def the_first_shoe_is_dealt_and_no_version_replaces_the_program_meanwhile() -> None:
    with emulated_shoe(seed=7) as shoe, running_table():
        wait_until("three coups", lambda: coups_begun() >= 3)
        order(shoe, "hold")
        said = refused(*install(NOW))
        assert f"a shoe is open at {TABLE}" in said, said
        assert installed() == all_of(BEFORE)
        order(shoe, "go")
        wait_until("the shoe is sealed", sealed)
        assert not problems(), problems()
    assert "1 sealed shoe" in intact()


def the_version_before_is_upgraded() -> None:
    before = kept()
    done(*install(NOW))
    assert installed() == all_of(NOW)
    assert kept() == before
    assert FIXED not in done("smartshoe", "--version")


def the_new_version_goes_on_and_no_older_one_replaces_it_while_a_shoe_is_open() -> None:
    before = sealed()
    with emulated_shoe(seed=8, coups=3), running_table():
        wait_until("three coups", lambda: coups_begun() >= 3)
    # The table has stopped; its shoe is open all the same.
    assert f"a shoe is open at {TABLE}" in refused(*install(BEFORE))
    with running_table():
        done("smartshoe", "close-shoe", TABLE, *BY, "--reason", "rollback")
        wait_until("the shoe is sealed", lambda: len(sealed()) > len(before))
    assert before.items() <= sealed().items()
    assert "2 sealed shoes" in intact()


def the_version_before_comes_back_and_keeps_the_journal() -> None:
    before = kept()
    done(*install(BEFORE))
    assert kept() == before
    with emulated_shoe(seed=9), running_table():
        wait_until("three shoes are sealed", lambda: len(sealed()) == 3)
    assert "3 sealed shoes" in intact()


def a_program_that_is_broken_is_replaced() -> None:
    (broken,) = PROGRAM.glob("lib/python3.*/site-packages/msgspec")
    (broken / "__init__.py").unlink()
    for compiled in broken.rglob("__init__*.pyc"):
        compiled.unlink()
    refused("smartshoe", "doctor", "--between-shoes")
    done(*install(NOW))
    assert "3 sealed shoes" in intact()


def a_table_of_a_pit_is_asked_for_its_shoe_too() -> None:
    pit = CONFIG.parent / "pit-3"
    pit.mkdir()
    CONFIG.rename(pit / CONFIG.name)
    try:
        with emulated_shoe(seed=10, coups=2), running_table():
            wait_until("two coups", lambda: coups_begun() >= 2)
        assert f"a shoe is open at {TABLE}" in refused(*install(BEFORE))
        with running_table():
            done("smartshoe", "close-shoe", TABLE, *BY, "--reason", "a pit")
            wait_until("the shoe is sealed", lambda: len(sealed()) == 4)
    finally:
        (pit / CONFIG.name).rename(CONFIG)
        pit.rmdir()


def office_and_bench_are_removed_and_leave_nothing() -> None:
    done("apt-get", "remove", "--yes", *PACKAGES[1:])
    assert installed() == {"smartshoe": NOW}
    assert not list(PROGRAM.parent.glob("smartshoe-*"))
    assert not (ROOT / "usr/bin/smartshoe-hil").is_symlink()
    assert not list((ROOT / "usr/share/doc").glob("smartshoe-*"))
    assert not problems(), problems()
    done(*install(NOW))


def removal_keeps_configuration_and_evidence() -> None:
    before = kept()
    said = done("apt-get", "remove", "--yes", "smartshoe")
    assert "Kept: /etc/smartshoe" in said
    assert kept() == before
    assert installed() == {}
    assert not list(PROGRAM.parent.glob("smartshoe*"))
    assert not [one for one in PACKAGES if (ROOT / "usr/bin" / one).is_symlink()]


def it_is_installed_again_and_goes_on() -> None:
    done(*install(NOW))
    assert "4 sealed shoes" in intact()
    assert not problems(), problems()


def a_purge_deletes_what_it_says() -> None:
    count = sum(one.is_file() for one in (ROOT / "var/lib/smartshoe").rglob("*"))
    # A machine may have its evidence on a disk of its own.
    disk = ROOT / "var/lib/smartshoe-evidence/M-12"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(disk)], check=True)
    (disk / "copy").write_text("")
    said = done("apt-get", "purge", "--yes", "smartshoe")
    assert f"deleting /var/lib/smartshoe, {count} files" in said, said
    assert "deleting /var/lib/smartshoe-evidence, 1 files" in said, said
    assert not CONFIG.parent.exists()
    assert not (ROOT / "var/lib/smartshoe").exists()
    assert "/var/lib/smartshoe-evidence itself stays" in said, said
    assert list(disk.iterdir()) == []
    assert "smartshoe" not in done("dpkg-query", "-W")


CASES = (
    no_network_is_there,
    the_local_repository_is_the_only_source,
    the_package_of_the_table_is_installed_alone,
    those_of_office_and_bench_are_installed_beside_it,
    a_table_is_set_up_with_a_person_on_record,
    doctor_finds_nothing_that_keeps_it_from_starting,
    two_accounts_and_five_people_do_what_the_page_says_and_no_more,
    the_first_shoe_is_dealt_and_no_version_replaces_the_program_meanwhile,
    the_version_before_is_upgraded,
    the_new_version_goes_on_and_no_older_one_replaces_it_while_a_shoe_is_open,
    the_version_before_comes_back_and_keeps_the_journal,
    a_program_that_is_broken_is_replaced,
    a_table_of_a_pit_is_asked_for_its_shoe_too,
    office_and_bench_are_removed_and_leave_nothing,
    removal_keeps_configuration_and_evidence,
    it_is_installed_again_and_goes_on,
    a_purge_deletes_what_it_says,
)


def mount_in_root() -> None:
    for words in (
        ("--rbind", "/dev", f"{ROOT}/dev"),
        ("-t", "proc", "proc", f"{ROOT}/proc"),
        ("-t", "sysfs", "sysfs", f"{ROOT}/sys"),
        ("-t", "tmpfs", "tmpfs", f"{ROOT}/run"),
        ("-t", "tmpfs", "tmpfs", f"{ROOT}/tmp"),
    ):
        subprocess.run(["mount", *words], check=True)


def run_cases(cases: tuple[Callable[[], None], ...]) -> int:
    """Run them in their order, in this root without a network; 1 at the first that fails."""
    raise_loopback()
    mount_in_root()
    begun_s = time.monotonic()
    for case in cases:
        case_s = time.monotonic()
        try:
            case()
        except Exception:  # noqa: BLE001 - each failure is said, with the log
            log = ROOT / "tmp/table.log"
            end = log.read_text(encoding="utf-8")[-3000:] if log.is_file() else ""
            print(f"FAIL  {case.__name__}\n{traceback.format_exc()}\n{end}")
            return 1
        took_s = time.monotonic() - case_s
        print(f"ok    {case.__name__.replace('_', ' ')} ({took_s:.1f} s)", flush=True)
    print(f"      all of it: {time.monotonic() - begun_s:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    code = run_cases(CASES)
    print(f"gate: package ended with {code}", flush=True)
    sys.exit(code)

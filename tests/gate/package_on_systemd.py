"""Table and bench under a real systemd: installed, enabled, watched, upgraded, removed, purged.

Run by `python -m hil.gate package` as a unit of a clean Debian machine without a network, which
has just installed the version before. Prints a line for each case; the last one is the outcome.
Usage: package_on_systemd.py VERSION-BEFORE VERSION
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

BEFORE, NOW = sys.argv[1:3]
UNIT = "smartshoe@M-12"
FOLDER = Path("/etc/smartshoe")
STATE = Path("/var/lib/smartshoe/M-12")
WANTS = Path(f"/etc/systemd/system/multi-user.target.wants/{UNIT}.service")
WATCHDOG_S = 6
WAIT_S = 90.0
# The state lies in the machine's memory, which is small.
SETTINGS = {
    "port = ": 'port = "socket://127.0.0.1:4001"',
    "# warn_free_mib = ": "warn_free_mib = 2",
    "# stop_free_mib = ": "stop_free_mib = 2",
}
ASK_PAGE = """
import http.client
connection = http.client.HTTPConnection("127.0.0.1", 9309)
connection.request("GET", "/")
print(connection.getresponse().status)
"""
CLOSE = ("smartshoe", "close-shoe", "M-12", "--by", "Ann Lee", "--reason", "another version")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command; its output has both streams."""
    return subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
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


def shown(name: str) -> str:
    return done("systemctl", "show", UNIT, "--value", "-p", name).strip()


def log() -> str:
    return run("journalctl", "--no-pager", "-o", "cat", "-u", UNIT).stdout


def wait_until(what: str, is_so: Callable[[], object]) -> None:
    until_s = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until_s, f"{what}: not after {WAIT_S:.0f} s"
        time.sleep(0.2)


def install(version: str) -> tuple[str, ...]:
    downgrade = ("--allow-downgrades",) if version == BEFORE else ()
    named = (f"{one}={version}" for one in ("smartshoe", "smartshoe-hil"))
    return ("apt-get", "install", "--yes", *downgrade, *named)


def intact() -> str:
    return done("runuser", "-u", "smartshoe", "--", "smartshoe", "verify", str(STATE / "journal"))


def findings() -> list[tuple[str, str, str]]:
    """Grade, area and words of what `smartshoe doctor` finds at the table."""
    found = json.loads(run("smartshoe", "doctor", "M-12", "--json").stdout)["findings"]
    table = found[str(FOLDER / "M-12.toml")]
    return [(one["grade"], one["area"], one["what"]) for one in table]


def status_of_page(account: str) -> str:
    """What the operator page answers to a program of this account."""
    words = ("/usr/bin/python3", "-c", ASK_PAGE)
    return done("runuser", "-u", account, "--", *words).strip()


def coups_begun() -> int:
    ended = run("smartshoe", "status", "M-12", "--json")
    shoe = json.loads(ended.stdout)["shoe"] if ended.returncode == 0 else None
    return int(shoe["coups_begun"]) if shoe else 0


@contextlib.contextmanager
def open_shoe(seed: int) -> Iterator[None]:
    """An emulated shoe that deals three coups and leaves its shoe open at the running table."""
    dealing = ("--tcp", "4001", "--seed", str(seed), "--coups", "3", "--no-orders")
    done("systemd-run", "--unit=shoe", "/usr/bin/smartshoe-hil", "emulate", *dealing)
    try:
        wait_until("three coups", lambda: coups_begun() >= 3)
        yield
    finally:
        run("systemctl", "stop", "shoe")


# --- the cases, in their order --------------------------------------------------------------------


def the_installation_started_nothing() -> None:
    assert BEFORE in done("dpkg-query", "-W", "smartshoe")
    assert done("systemctl", "list-units", "--all", "--plain", "--no-legend", "smartshoe@*") == ""
    assert not list(WANTS.parent.glob("smartshoe@*"))


def a_table_is_configured() -> None:
    lines = (FOLDER / "table.toml.example").read_text(encoding="utf-8").splitlines()
    for start, setting in SETTINGS.items():
        lines = [setting if line.startswith(start) else line for line in lines]
    (FOLDER / "M-12.toml").write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")
    assert ("remark", "unit", f"{UNIT} does not start with the machine") in findings()


def enable_now_runs_the_table() -> None:
    quick = Path(f"/etc/systemd/system/{UNIT}.service.d/gate.conf")
    quick.parent.mkdir()
    quick.write_text(f"[Service]\nWatchdogSec={WATCHDOG_S}\n", encoding="utf-8")
    done("systemctl", "daemon-reload")
    done("systemctl", "enable", "--now", UNIT)
    assert (shown("ActiveState"), shown("SubState")) == ("active", "running")
    assert "table M-12 is running" in shown("StatusText")
    assert WANTS.is_symlink()
    process = Path(f"/proc/{shown('MainPID')}")
    assert process.owner() == "smartshoe"
    assert "/usr/lib/smartshoe/bin/smartshoe" in (process / "cmdline").read_text()


def doctor_finds_the_unit_enabled_and_of_what_is_installed() -> None:
    found = findings()
    assert ("good", "unit", f"{UNIT} starts with the machine") in found, found
    assert ("good", "unit", f"{UNIT} runs what is installed") in found, found
    assert ("good", "page", "127.0.0.1:9309 answers") in found, found
    # Nobody serves its shoe yet; the table says so, and nothing else is wrong.
    wrong = [one for one in found if one[0] == "problem" and one[1] != "devices"]
    assert not wrong, wrong


def the_page_is_for_accounts_of_the_control_group_and_others_sign_on() -> None:
    for account, groups in (("screen", ("--groups", "smartshoe-control")), ("guest", ())):
        done("useradd", *groups, account)
    assert status_of_page("screen") == "200"
    assert status_of_page("guest") == "303"


def the_watchdog_ends_a_program_that_hangs() -> None:
    restarts = int(shown("NRestarts"))
    os.kill(int(shown("MainPID")), signal.SIGSTOP)
    wait_until(
        "started again by the watchdog",
        lambda: int(shown("NRestarts")) > restarts and shown("ActiveState") == "active",
    )
    assert "Watchdog timeout" in log()


def no_version_replaces_the_program_in_the_middle_of_a_shoe() -> None:
    with open_shoe(seed=7):
        process = shown("MainPID")
        assert "a shoe is open at M-12" in refused(*install(NOW))
        assert shown("MainPID") == process
        done(*CLOSE)
        wait_until("the shoe is sealed", lambda: list(STATE.glob("journal/shoes/*/*.shoe")))


def between_shoes_the_table_stops_and_starts_again_as_the_new_version() -> None:
    process = shown("MainPID")
    done(*install(NOW))
    assert shown("ActiveState") == "active"
    assert shown("MainPID") != process
    assert ("good", "unit", f"{UNIT} runs what is installed") in findings()
    assert "1 sealed shoe" in intact()


def systemctl_stop_ends_it_in_order() -> None:
    done("systemctl", "stop", UNIT)
    assert (shown("Result"), shown("ExecMainStatus")) == ("success", "0")
    assert "intact" in intact()
    done("systemctl", "start", UNIT)


def the_version_before_comes_back_at_the_running_table() -> None:
    done(*install(BEFORE))
    assert shown("ActiveState") == "active"
    assert "0.0.1" in done("smartshoe", "--version")
    assert "1 sealed shoe" in intact()


def removal_is_refused_in_the_middle_of_a_shoe_and_keeps_the_evidence() -> None:
    with open_shoe(seed=8):
        assert "a shoe is open at M-12" in refused("apt-get", "remove", "--yes", "smartshoe")
        assert shown("ActiveState") == "active"
        done(*CLOSE)
        wait_until("two are sealed", lambda: len(list(STATE.glob("journal/shoes/*/*.shoe"))) == 2)
    done("apt-get", "remove", "--yes", "smartshoe")
    assert run("systemctl", "is-active", UNIT).stdout.strip() == "inactive"
    assert len(list(STATE.glob("journal/shoes/*/*.shoe"))) == 2
    assert (FOLDER / "M-12.toml").is_file()


def it_is_installed_again_and_the_table_goes_on() -> None:
    done(*install(NOW))
    done("systemctl", "start", UNIT)
    assert shown("ActiveState") == "active"
    done("systemctl", "stop", UNIT)
    assert "2 sealed shoes" in intact()


def a_purge_leaves_nothing_of_a_table() -> None:
    done("systemctl", "start", UNIT)
    said = done("apt-get", "purge", "--yes", "smartshoe")
    assert "deleting /var/lib/smartshoe" in said
    # It is a disk of its own here, which is emptied.
    assert not list(Path("/var/lib/smartshoe").iterdir())
    assert not FOLDER.exists()
    assert not WANTS.is_symlink()
    assert not Path(f"/etc/systemd/system/{UNIT}.service.d").exists()
    assert done("systemctl", "list-units", "--plain", "--no-legend", "smartshoe@*") == ""


CASES = (
    the_installation_started_nothing,
    a_table_is_configured,
    enable_now_runs_the_table,
    doctor_finds_the_unit_enabled_and_of_what_is_installed,
    the_page_is_for_accounts_of_the_control_group_and_others_sign_on,
    the_watchdog_ends_a_program_that_hangs,
    no_version_replaces_the_program_in_the_middle_of_a_shoe,
    between_shoes_the_table_stops_and_starts_again_as_the_new_version,
    systemctl_stop_ends_it_in_order,
    the_version_before_comes_back_at_the_running_table,
    removal_is_refused_in_the_middle_of_a_shoe_and_keeps_the_evidence,
    it_is_installed_again_and_the_table_goes_on,
    a_purge_leaves_nothing_of_a_table,
)


def main() -> int:
    for case in CASES:
        begun_s = time.monotonic()
        try:
            case()
        except Exception:  # noqa: BLE001 - each failure is said, with the log
            print(f"FAIL  {case.__name__}\n{traceback.format_exc()}\n{log()[-6000:]}")
            return 1
        took_s = time.monotonic() - begun_s
        print(f"ok    {case.__name__.replace('_', ' ')} ({took_s:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    code = 1
    try:
        code = main()
    finally:
        print(f"gate: unit ended with {code}", flush=True)
        os.sync()
        subprocess.run(["systemctl", "poweroff", "--force", "--force"], check=False)
    sys.exit(code)

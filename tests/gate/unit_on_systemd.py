"""The unit of deploy/ under a real systemd: starts, kills, watchdog, accounts, USB, upgrade.

Run by `python -m hil.gate` as a unit of a Debian machine of its own, which was installed as
deploy/README.md says. Prints a line for each case; the last one is the outcome.
"""

import contextlib
import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from hil.usb.bed import READER, UsbTestBed

UNIT = "smartshoe@M-12"
STATE = Path("/var/lib/smartshoe/M-12")
CURRENT = Path("/opt/smartshoe/current")
CONFIG = "/etc/smartshoe/M-12.toml"
WATCHDOG_S = 6
WAIT_S = 90.0
EXPOSURE_MAX = 1.5
LOOPBACK_METRICS = "http://127.0.0.1:9309/metrics"
TABLE_OF_PIT = """\
[table]
name = "{name}"
[rules]
observed = ["result_button"]
[shoe]
port = "socket://127.0.0.1:40{port}"
[journal]
folder = "/var/lib/smartshoe/pit-3/{name}"
warn_free_mib = 2
stop_free_mib = 2
[control]
socket = "/run/smartshoe/{name}.sock"
[metrics]
port = 9310
"""
LINES = Path("/sys/devices/platform/gpio-sim.0/gpiochip0")
READ = "import sys, urllib.request as web; print(web.urlopen(sys.argv[1]).read().decode())"


def run(*words: str, account: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command, as an account if one is named; its output has both streams."""
    who = ("runuser", "-u", account, "--") if account else ()
    return subprocess.run(
        [*who, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
        timeout=240,
    )


def done(*words: str, account: str = "") -> str:
    ended = run(*words, account=account)
    assert ended.returncode == 0, f"{' '.join(words)} ended with {ended.returncode}: {ended.stdout}"
    return ended.stdout


def refused(*words: str, account: str) -> str:
    ended = run(*words, account=account)
    assert ended.returncode != 0, f"{account} may {' '.join(words)}: {ended.stdout}"
    return ended.stdout


def smartshoe(*words: str, account: str = "smartshoe") -> str:
    return done(f"{CURRENT}/bin/smartshoe", *words, account=account)


def shown(name: str) -> str:
    return done("systemctl", "show", UNIT, "--value", "-p", name).strip()


def log() -> str:
    return done("journalctl", "--no-pager", "-o", "cat", "-u", UNIT)


def wait_until(what: str, is_so: Callable[[], object]) -> None:
    until_s = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until_s, f"{what}: not after {WAIT_S:.0f} s\n{log()[-3000:]}"
        time.sleep(0.2)


def restarted_after(restarts: int) -> bool:
    return int(shown("NRestarts")) > restarts and shown("ActiveState") == "active"


# --- the machine as it was installed --------------------------------------------------------------


def the_accounts_and_folders_are_there() -> None:
    folders = map(Path, ("/run/smartshoe", "/var/lib/smartshoe", "/var/lib/smartshoe-evidence"))
    found = {
        str(one): f"{one.owner()}:{one.group()} {one.stat().st_mode & 0o7777:o}" for one in folders
    }
    assert found == {
        "/run/smartshoe": "smartshoe:smartshoe-control 2750",
        "/var/lib/smartshoe": "smartshoe:smartshoe 711",
        "/var/lib/smartshoe-evidence": "smartshoe:smartshoe-evidence 2750",
    }


def the_unit_starts_and_the_table_runs() -> None:
    done("systemctl", "start", UNIT)
    assert shown("ActiveState") == "active"
    assert "table M-12 is running" in shown("StatusText")
    wait_until("the shoe is open", lambda: "shoe: socket://127.0.0.1:4001 is open" in log())


def its_exposure_is_as_low_as_is_said() -> None:
    output = done("systemd-analyze", "security", "--no-pager", UNIT).splitlines()[-1]
    print("     ", output.strip(), flush=True)
    level = re.search(r"level for .*: ([\d.]+)", output)
    assert level is not None
    assert float(level[1]) <= EXPOSURE_MAX


def limits_and_filters_are_in_force() -> None:
    status = Path(f"/proc/{shown('MainPID')}/status").read_text()
    assert re.search(r"^Seccomp:\s2$", status, re.MULTILINE), status
    assert re.search(r"^NoNewPrivs:\s1$", status, re.MULTILINE), status
    assert re.search(r"^CapBnd:\s0{16}$", status, re.MULTILINE), status
    group = Path("/sys/fs/cgroup") / shown("ControlGroup").lstrip("/")
    assert int((group / "memory.max").read_text()) == 256 << 20
    used = int((group / "memory.current").read_text())
    print(f"      memory of the unit: {used / 1e6:.0f} MB of 268", flush=True)


def the_hardware_watchdog_is_fed_by_systemd() -> None:
    assert done("systemctl", "show", "-p", "RuntimeWatchdogUSec").strip().endswith("=20s")
    watchdog = Path("/sys/class/watchdog/watchdog0")
    assert (watchdog / "state").read_text().strip() == "active"
    assert (watchdog / "timeout").read_text().strip() == "20"


def nothing_but_the_state_and_the_sockets_can_be_written() -> None:
    mounts = Path(f"/proc/{shown('MainPID')}/mountinfo").read_text().splitlines()
    places = {words[4]: words[5].split(",")[0] for words in map(str.split, mounts)}
    writable = {place for place, option in places.items() if option == "rw"}
    kernels = {one for one in writable if one.startswith(("/proc", "/sys", "/dev"))}
    assert writable - kernels == {str(STATE), "/run/smartshoe"}, places
    assert kernels <= {"/dev", "/dev/pts", "/proc", "/sys"}, places


# --- who may do what ------------------------------------------------------------------------------


def a_floorperson_reads_the_status_and_decides() -> None:
    assert "table      M-12, running" in smartshoe("status", "M-12", account="floor1")
    output = run(
        *(f"{CURRENT}/bin/smartshoe", "resolve", "M-12", "--by", "Ann Lee"),
        *("--reason", "why", "--decision", "continue"),
        account="floor1",
    )
    # Nothing is open: the answer is the table's own.
    assert output.returncode == 1, output.stdout


def surveillance_cannot_reach_the_control_socket() -> None:
    refused(f"{CURRENT}/bin/smartshoe", "status", "M-12", account="camera1")


def nobody_but_the_table_reads_the_open_shoe() -> None:
    for account in ("floor1", "camera1"):
        for file in ("live.db", "live.db-wal", "table.key", "lock"):
            refused("cat", str(STATE / "journal" / file), account=account)
        refused("ls", str(STATE), account=account)


def everybody_reads_the_metrics_and_surveillance_the_log() -> None:
    for account in ("floor1", "camera1"):
        counted = done("/usr/bin/python3", "-c", READ, LOOPBACK_METRICS, account=account)
        assert "smartshoe_" in counted
    assert "table M-12 is running" in done("journalctl", "-u", UNIT, account="camera1")
    assert "table M-12 is running" not in run("journalctl", "-u", UNIT, account="floor1").stdout


def nobody_looks_into_the_running_program() -> None:
    for account in ("smartshoe", "floor1", "camera1"):
        for file in ("environ", "maps", "mem"):
            refused("head", "-c", "1", f"/proc/{shown('MainPID')}/{file}", account=account)


def nobody_changes_the_program() -> None:
    for account in ("smartshoe", "floor1", "camera1"):
        refused(
            "touch", f"{CURRENT}/lib/python3.11/site-packages/sitecustomize.py", account=account
        )
        refused("touch", CONFIG, account=account)


def root_starts_no_table() -> None:
    ended = run(f"{CURRENT}/bin/smartshoe", "run", CONFIG)
    assert ended.returncode == 4, ended.stdout
    assert "account: root may do more" in ended.stdout


def the_running_program_is_the_released_one_and_a_changed_one_is_found() -> None:
    sign = ("sign-release", str(CURRENT.resolve()), "--name", "maker.example", "--out", "/tmp")
    done(f"{CURRENT}/bin/smartshoe", "keys", "make", "/tmp/maker.key")
    done(f"{CURRENT}/bin/smartshoe", *sign, "--key", "/tmp/maker.key")
    (release,) = map(str, Path("/tmp").glob("*.release"))
    verify = ("verify-program", release, "--key", "/tmp/maker.key.pub", "--pid", shown("MainPID"))
    output = done(f"{CURRENT}/bin/smartshoe", *verify)
    assert "was started from this tree, which has not changed since" in output, output
    print("     ", output.splitlines()[1].strip(), flush=True)
    planted = CURRENT / "lib/python3.11/site-packages/sitecustomize.py"
    planted.write_text("")
    output = run(f"{CURRENT}/bin/smartshoe", *verify).stdout
    assert "not of the release: lib/python3.11/site-packages/sitecustomize.py" in output, output
    assert "was changed after it was started" in output, output
    planted.unlink()


def the_confined_unit_drives_its_stack_light() -> None:
    wait_until("one lamp is lit", lambda: len(lamps_lit()) == 1)
    assert Path("/dev/smartshoe/lines").resolve().group() == "smartshoe"


def lamps_lit() -> list[int]:
    """The first three lines that are high, as the simulated chip says."""
    values = [(LINES / f"sim_gpio{one}/value").read_text().strip() for one in range(3)]
    return [one for one, value in enumerate(values) if value == "1"]


# --- what goes wrong ------------------------------------------------------------------------------


def a_killed_program_is_started_again() -> None:
    restarts = int(shown("NRestarts"))
    os.kill(int(shown("MainPID")), signal.SIGKILL)
    wait_until("started again after a kill", lambda: restarted_after(restarts))


def the_watchdog_ends_a_program_that_hangs() -> None:
    restarts = int(shown("NRestarts"))
    os.kill(int(shown("MainPID")), signal.SIGSTOP)
    wait_until("started again by the watchdog", lambda: restarted_after(restarts))
    assert "Watchdog timeout" in log()


def no_core_was_dumped() -> None:
    os.kill(int(shown("MainPID")), signal.SIGABRT)
    wait_until("started again after an abort", lambda: shown("SubState") == "running")
    assert "core-dump" not in log().partition("status=6/ABRT")[2]
    assert not [*Path("/").glob("core*"), *STATE.glob("core*")]


def a_reader_on_usb_is_opened_and_another_device_is_kept_out() -> None:
    with UsbTestBed(on_kernel=True) as bed:
        device = "hil.emulator.feig.device:FeigReader"
        bed.plug(
            "reader",
            {**READER, "serial_number": "12345678"},
            [{"kind": "bulk", "device": device}],
            "1-1",
        )
        wait_until("the reader is open", lambda: "usb://0ab1:0002 is open" in log())
        node = Path("/dev/smartshoe/reader").resolve()
        assert (node.group(), node.stat().st_mode & 0o777) == ("smartshoe", 0o660)
        stranger = {
            "vendor_id": 0x046D,
            "product_id": 0xC31C,
            "product": "keyboard",
            "serial_number": "",
        }
        bed.plug("keyboard", stranger, [{"kind": "keyboard"}], "1-2")
        wait_until("the keyboard is kept out", lambda: authorized("046d", "c31c") == "0")
        assert authorized("0ab1", "0002") == "1"


def authorized(vendor: str, product: str) -> str:
    """What the kernel says of the plugged-in device with these ids; empty if there is none."""
    for device in Path("/sys/bus/usb/devices").glob("*/idVendor"):
        words = [device.with_name(one).read_text().strip() for one in ("idVendor", "idProduct")]
        if words == [vendor, product]:
            return device.with_name("authorized").read_text().strip()
    return ""


# --- stop, evidence, upgrade ----------------------------------------------------------------------


def power_that_fails_ends_the_table_for_good() -> None:
    done("systemctl", "kill", "--signal=SIGPWR", UNIT)
    wait_until("ended by the power", lambda: shown("ActiveState") == "inactive")
    assert (shown("Result"), shown("ExecMainStatus")) == ("success", "0")
    assert "the power fails (by signal)" in log()
    assert lamps_lit() == []
    done("systemctl", "start", UNIT)


def a_stop_is_in_order_and_the_journal_is_intact() -> None:
    done("systemctl", "stop", UNIT)
    assert (shown("Result"), shown("ExecMainStatus")) == ("success", "0")
    assert "intact" in smartshoe("verify", str(STATE / "journal"))


def an_upgrade_with_a_shoe_open_is_refused_and_taken_back() -> None:
    before = CURRENT.readlink()
    point_current_to("next")
    ended = run("systemctl", "start", UNIT)
    assert ended.returncode != 0, "another version went on in the middle of a shoe"
    assert shown("ExecMainStatus") == "4"
    assert shown("NRestarts") == "0", "a table that may not start is not started again"
    assert "a shoe is open that version" in log()
    point_current_to(str(before))
    done("systemctl", "reset-failed", UNIT)
    done("systemctl", "start", UNIT)


def an_upgrade_between_shoes_goes_on_with_the_journal() -> None:
    smartshoe(
        *("close-shoe", "M-12", "--by", "Ann Lee", "--reason", "upgrade"),
        account="floor1",
    )
    wait_until("the shoe is sealed", lambda: list((STATE / "journal" / "shoes").glob("*/*.shoe")))
    done("systemctl", "stop", UNIT)
    point_current_to("next")
    done("systemctl", "start", UNIT)
    assert "+next" in smartshoe("--version")
    done("systemctl", "stop", UNIT)
    assert "intact" in smartshoe("verify", str(STATE / "journal"))


def surveillance_reads_finished_shoes_once_they_are_copied() -> None:
    words = (
        "journal",
        "archive",
        str(STATE / "journal"),
        "--to",
        "/var/lib/smartshoe-evidence/M-12",
    )
    done(
        "sh",
        "-c",
        f"umask 027; exec {CURRENT}/bin/smartshoe {' '.join(words)}",
        account="smartshoe",
    )
    output = smartshoe("verify", "/var/lib/smartshoe-evidence/M-12", account="camera1")
    assert "intact" in output
    refused("ls", "/var/lib/smartshoe-evidence", account="floor1")


def several_tables_run_as_one_unit_and_a_reload_touches_what_changed() -> None:
    folder, unit = Path("/etc/smartshoe/pit-3"), "smartshoe@pit-3"
    folder.mkdir()
    for name in ("M-21", "M-22"):
        (folder / f"{name}.toml").write_text(
            TABLE_OF_PIT.format(name=name, port=name[2:]), encoding="utf-8"
        )
    done("systemctl", "start", unit)
    wait_until("both run", lambda: status_of(unit) == "2 of 2 tables run")

    (folder / "M-22.toml").rename(folder / "M-22.toml.off")
    (folder / "M-23.toml").write_text(TABLE_OF_PIT.format(name="M-23", port="23"), encoding="utf-8")
    done("systemctl", "reload", unit)

    wait_until("the third runs", Path("/run/smartshoe/M-23.sock").exists)
    wait_until("the second is gone", lambda: not Path("/run/smartshoe/M-22.sock").exists())
    assert "table      M-23, running" in smartshoe("status", "M-23", account="floor1")
    assert done("systemctl", "show", unit, "--value", "-p", "NRestarts").strip() == "0"
    said = done("journalctl", "--no-pager", "-o", "cat", "-u", unit)
    assert said.count("table M-21 is running") == 1
    assert "table M-22 stopped; everything is stored" in said
    assert "table M-21 stopped" not in said
    done("systemctl", "stop", unit)
    assert done("systemctl", "show", unit, "--value", "-p", "Result").strip() == "success"


def status_of(unit: str) -> str:
    return done("systemctl", "show", unit, "--value", "-p", "StatusText").strip()


def point_current_to(version: str) -> None:
    done("ln", "-sfn", version, str(CURRENT))


CASES = (
    the_accounts_and_folders_are_there,
    the_unit_starts_and_the_table_runs,
    its_exposure_is_as_low_as_is_said,
    limits_and_filters_are_in_force,
    the_hardware_watchdog_is_fed_by_systemd,
    nothing_but_the_state_and_the_sockets_can_be_written,
    a_floorperson_reads_the_status_and_decides,
    surveillance_cannot_reach_the_control_socket,
    nobody_but_the_table_reads_the_open_shoe,
    everybody_reads_the_metrics_and_surveillance_the_log,
    nobody_looks_into_the_running_program,
    nobody_changes_the_program,
    root_starts_no_table,
    the_running_program_is_the_released_one_and_a_changed_one_is_found,
    a_reader_on_usb_is_opened_and_another_device_is_kept_out,
    the_confined_unit_drives_its_stack_light,
    a_killed_program_is_started_again,
    the_watchdog_ends_a_program_that_hangs,
    no_core_was_dumped,
    power_that_fails_ends_the_table_for_good,
    a_stop_is_in_order_and_the_journal_is_intact,
    an_upgrade_with_a_shoe_open_is_refused_and_taken_back,
    an_upgrade_between_shoes_goes_on_with_the_journal,
    surveillance_reads_finished_shoes_once_they_are_copied,
    several_tables_run_as_one_unit_and_a_reload_touches_what_changed,
)


@contextlib.contextmanager
def emulated_shoe() -> Iterator[None]:
    """A shoe at the table's TCP port, which deals a few coups and leaves its shoe open."""
    dealing = ("--seed", "7", "--coups", "4", "--pace-ms", "200", "--no-orders")
    words = (f"{CURRENT.resolve()}/bin/smartshoe-hil", "emulate", "--tcp", "4001", *dealing)
    done("systemd-run", "--unit=shoe", *words)
    try:
        yield
    finally:
        run("systemctl", "stop", "shoe")


def randomness() -> None:
    """Say that there is some (random(4), RNDADDENTROPY): this machine has no device, no secret."""
    with Path("/dev/random").open("wb") as device:
        fcntl.ioctl(device, 0x40085203, struct.pack("ii64s", 512, 64, bytes(range(64))))


def simulated_lines() -> None:
    """A GPIO chip that the kernel simulates, named as table.toml names it by the rules of udev."""
    run("mount", "-t", "configfs", "configfs", "/sys/kernel/config")
    chip = Path("/sys/kernel/config/gpio-sim/table")
    (chip / "bank0").mkdir(parents=True)
    (chip / "bank0/num_lines").write_text("8")
    (chip / "live").write_text("1")
    wait_until("the chip has its name", Path("/dev/smartshoe/lines").exists)


def people_and_a_quick_watchdog() -> None:
    for account, groups in (
        ("floor1", "smartshoe-control"),
        ("camera1", "smartshoe-evidence,systemd-journal"),
    ):
        done("useradd", "--create-home", "--groups", groups, account)
    drop_in = Path(f"/etc/systemd/system/{UNIT}.service.d/gate.conf")
    drop_in.parent.mkdir()
    drop_in.write_text(
        f"[Unit]\nStartLimitBurst=50\n[Service]\nWatchdogSec={WATCHDOG_S}\n", encoding="utf-8"
    )
    done("systemctl", "daemon-reload")


def main() -> int:
    print("      systemd", done("systemctl", "--version").split()[1], flush=True)
    randomness()
    people_and_a_quick_watchdog()
    simulated_lines()
    with emulated_shoe():
        for case in CASES:
            begun_s = time.monotonic()
            try:
                case()
            except Exception:  # noqa: BLE001 - each failure is said, with the log
                print(f"FAIL  {case.__name__}\n{traceback.format_exc()}\n{log()[-6000:]}")
                return 1
            print(
                f"ok    {case.__name__.replace('_', ' ')} ({time.monotonic() - begun_s:.1f} s)",
                flush=True,
            )
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

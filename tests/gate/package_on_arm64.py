"""The programs of the ARM64 packages under emulation: version, configuration, a whole sealed shoe.

Run by `python -m hil.gate arm64` in namespaces of its own, with loopback as the only network.
Prints a line for each case with its time. Usage: package_on_arm64.py ROOT
"""

import fcntl
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(sys.argv[1])
TABLE = ROOT / "tmp/table"
BIN = "/usr/lib/smartshoe/bin"
# The first word makes Python use the environment of the package.
PYTHON = ("/usr/bin/qemu-aarch64-static", "-0", f"{BIN}/python3", "/usr/bin/python3.11")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root"}
CONFIGURATION = """\
[table]
name = "M-12"
[rules]
observed = ["result_button"]
[shoe]
port = "socket://127.0.0.1:4001"
"""
WAIT_S = 180.0


def command(*words: str) -> list[str]:
    return ["chroot", str(ROOT), *PYTHON, *words]


def done(*words: str) -> str:
    ended = subprocess.run(
        command(*words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=ENVIRONMENT,
        check=False,
        timeout=WAIT_S,
    )
    assert ended.returncode == 0, f"{' '.join(words)} ended with {ended.returncode}: {ended.stdout}"
    return ended.stdout


def started(log: str, *words: str) -> "subprocess.Popen[bytes]":
    with (TABLE / log).open("ab") as file:
        return subprocess.Popen(
            command(*words), stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=ENVIRONMENT
        )


def it_runs_on_arm64_from_the_packages_environment() -> None:
    asked = "import platform, sys; print(platform.machine(), sys.prefix)"
    assert done("-c", asked).split() == ["aarch64", "/usr/lib/smartshoe"]
    assert done(f"{BIN}/smartshoe", "--version").startswith("smartshoe ")


def check_config_shows_the_table() -> None:
    (TABLE / "M-12.toml").write_text(CONFIGURATION, encoding="utf-8")
    assert "M-12" in done(f"{BIN}/smartshoe", "check-config", "/tmp/table/M-12.toml")


def a_whole_shoe_is_dealt_sealed_and_verified() -> None:
    emulate = ("emulate", "--tcp", "4001", "--seed", "7", "--no-orders")
    shoe = started("shoe.log", "/usr/lib/smartshoe-hil/bin/smartshoe-hil", *emulate)
    table = started("table.log", f"{BIN}/smartshoe", "run", "--as-root", "/tmp/table/M-12.toml")
    try:
        until_s = time.monotonic() + WAIT_S
        while not list(TABLE.glob("journal/shoes/*/*.shoe")):
            log = (TABLE / "table.log").read_text(encoding="utf-8")[-2000:]
            assert table.poll() is None, log
            assert time.monotonic() < until_s, log
            time.sleep(0.2)
        table.terminate()
        assert table.wait(WAIT_S) == 0, "the table did not end in order"
    finally:
        for process in (table, shoe):
            process.kill()
            process.wait()
    said = done(f"{BIN}/smartshoe", "verify", "/tmp/table/journal")
    assert "1 sealed shoe" in said, said
    assert "intact" in said, said


CASES = (
    it_runs_on_arm64_from_the_packages_environment,
    check_config_shows_the_table,
    a_whole_shoe_is_dealt_sealed_and_verified,
)


def main() -> int:
    # Loopback of the new network namespace is down (netdevice(7), SIOCSIFFLAGS).
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anything:
        fcntl.ioctl(anything, 0x8914, struct.pack("16sh14x", b"lo", 0x1))
    for words in (
        ("--rbind", "/dev", f"{ROOT}/dev"),
        ("-t", "proc", "proc", f"{ROOT}/proc"),
        ("-t", "tmpfs", "tmpfs", f"{ROOT}/tmp"),
    ):
        subprocess.run(["mount", *words], check=True)
    TABLE.mkdir()
    for case in CASES:
        begun_s = time.monotonic()
        case()
        took_s = time.monotonic() - begun_s
        print(f"ok    {case.__name__.replace('_', ' ')} ({took_s:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

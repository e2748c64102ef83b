"""Prometheus's library is loaded after the start, by the web server, and for metrics alone.

Source: performance goals P10, P12.
"""

import sys
from pathlib import Path
from urllib.request import urlopen

from hil.rig.program import Program

LIBRARY, READY = "loads prometheus_client in", "reports that it is ready"
# The program, which says on its log when it is ready and which thread loads the library.
TELLING = f"""\
import sys, threading
from controller.cli.main import main
from controller.system.systemd import Notifier

def tell(event, arguments):
    if event == "import" and arguments[0] == "prometheus_client":
        print("{LIBRARY}", threading.current_thread().name, file=sys.stderr, flush=True)

def ready(notifier, status):
    print("{READY}", file=sys.stderr, flush=True)
    report(notifier, status)

sys.addaudithook(tell)
report, Notifier.ready = Notifier.ready, ready
sys.exit(main(sys.argv[1:]))
"""
COMMAND = (sys.executable, "-P", "-c", TELLING)
TABLE = """\
table = {{ name = "M-12" }}
shoe = {{ port = "socket://127.0.0.1:1" }}
metrics = {{ {metrics} }}
console = {{ enabled = true, port = 0 }}
"""


def program_with(folder: Path, metrics: str) -> Program:
    config = folder / "table.toml"
    config.write_text(TABLE.format(metrics=metrics))
    return Program(config, folder / "program.log", command=COMMAND)


def test_it_is_loaded_by_the_web_server_after_the_program_is_ready(fast_dir: Path) -> None:
    with program_with(fast_dir, "port = 0") as program:
        program.start()
        loading = program.await_log(f"{LIBRARY} (.+)")
        unread = program.snapshot().metrics_read_s
        with urlopen(program.await_log(r"metrics (http://\S+/metrics)")[1]) as page:
            assert b"smartshoe_table_health" in page.read()
        read = program.snapshot().metrics_read_s
        program.stop()
        log = program.log_text()
    assert loading[1].startswith("web http://")
    assert unread is None, "loading reads no table"
    assert read is not None
    assert log.index(READY) < log.index(LIBRARY)


def test_without_metrics_it_is_not_loaded(fast_dir: Path) -> None:
    with program_with(fast_dir, "enabled = false") as program:
        program.start()
        page = program.await_log(r"page (http://\S+)")[1]
        with urlopen(page) as answer:
            assert answer.status == 200
        program.stop()
        log = program.log_text()
    assert READY in log
    assert LIBRARY not in log

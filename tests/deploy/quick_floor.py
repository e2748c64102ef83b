"""A floor that lives forty times faster: shipped configurations with shorter times, and receivers.

What is shortened are times alone; rules, routes and texts are the shipped ones.
"""

import http.server
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from rule_files import ALERT_RULES, ALERTMANAGER, PROMETHEUS, RECORDING_RULES, SECONDS, read

from hil.rig.loopback_server import LOOPBACK

FASTER = 40
# Loaded machines take their time: a scrape is not made forty times shorter, but ten times.
SCRAPE = "1s"
JUDGED = "500ms"
DURATION = re.compile(r"\[(\d+)([smhd])\]")
RECEIVER = "127.0.0.1:9480"


def shorter(duration: str) -> str:
    """A duration of Prometheus, forty times shorter."""
    return f"{round(int(duration[:-1]) * SECONDS[duration[-1]] * 1000 / FASTER)}ms"


def shorter_windows(expression: str) -> str:
    return DURATION.sub(lambda found: f"[{shorter(found[1] + found[2])}]", expression)


def quick_rules(shipped: Path, folder: Path) -> None:
    """Write the rules with shorter windows and waits into the folder."""
    content = read(shipped)
    for group in content["groups"]:
        for rule in group["rules"]:
            rule["expr"] = shorter_windows(rule["expr"])
            if "for" in rule:
                rule["for"] = shorter(rule["for"])
    (folder / shipped.name).write_text(yaml.safe_dump(content), encoding="utf-8")


def quick_prometheus(folder: Path, targets: list[dict[str, Any]], alertmanager: int) -> Path:
    """Write configuration, rules and the list of tables; returns the configuration's file."""
    (folder / "targets").mkdir(parents=True)
    for rules in (ALERT_RULES, RECORDING_RULES):
        quick_rules(rules, folder)
    (folder / "targets/pit.yml").write_text(yaml.safe_dump(targets), encoding="utf-8")
    content = read(PROMETHEUS / "prometheus.yml")
    content["global"] |= {
        "scrape_interval": SCRAPE,
        "scrape_timeout": SCRAPE,
        "evaluation_interval": JUDGED,
    }
    (named,) = content["alerting"]["alertmanagers"][0]["static_configs"]
    named["targets"] = [f"{LOOPBACK}:{alertmanager}"]
    content["scrape_configs"] = content["scrape_configs"][:1]
    file = folder / "prometheus.yml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return file


def quick_alertmanager(folder: Path, receiver: int) -> Path:
    """Write the configuration with shorter waits; returns its file."""
    folder.mkdir()
    text = ALERTMANAGER.read_text(encoding="utf-8")
    text = re.sub(
        r"((?:group_wait|group_interval|repeat_interval): )(\w+)",
        lambda found: found[1] + shorter(found[2]),
        text,
    )
    assert RECEIVER in text
    file = folder / "alertmanager.yml"
    file.write_text(text.replace(RECEIVER, f"{LOOPBACK}:{receiver}"), encoding="utf-8")
    return file


@dataclass(frozen=True)
class Told:
    """One message that arrived: where, the alarm's name and tables, firing or resolved."""

    path: str
    status: str
    alarm: str
    tables: tuple[str, ...]
    summaries: tuple[str, ...]


@dataclass
class Receivers:
    """The web hooks of Alertmanager, and a page to be scraped; a context manager."""

    page: Callable[[], bytes] = lambda: b""
    told: list[Told] = field(default_factory=list)
    _came: threading.Condition = field(default_factory=threading.Condition)

    def __enter__(self) -> "Receivers":
        receivers = self

        class Answers(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receivers._take(self.path, json.loads(body))
                self.send_response(200)
                self.end_headers()

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(receivers.page())

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing."""

        self._server = http.server.ThreadingHTTPServer((LOOPBACK, 0), Answers)
        self._thread = threading.Thread(target=self._server.serve_forever, name="receivers")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def of(self, alarm: str, status: str) -> list[Told]:
        return [one for one in self.told if (one.alarm, one.status) == (alarm, status)]

    def wait_for(self, alarm: str, status: str, count: int) -> None:
        """Wait until so many such messages have come."""
        with self._came:
            self._came.wait_for(lambda: len(self.of(alarm, status)) >= count)

    def _take(self, path: str, message: dict[str, Any]) -> None:
        alerts = message["alerts"]
        told = Told(
            path,
            message["status"],
            message["groupLabels"]["alertname"],
            tuple(one["labels"].get("table", "") for one in alerts),
            tuple(one["annotations"]["summary"] for one in alerts),
        )
        with self._came:
            self.told.append(told)
            self._came.notify_all()

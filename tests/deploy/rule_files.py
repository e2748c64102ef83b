"""The shipped rules as values: alarms, recording rules, and the metrics that each reads."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PROMETHEUS = DEPLOY / "prometheus"
ALERTMANAGER = DEPLOY / "alertmanager/alertmanager.yml"
ALERT_RULES = PROMETHEUS / "alerts.rules.yml"
RECORDING_RULES = PROMETHEUS / "recording.rules.yml"
HEARTBEAT = "heartbeat"
# What Prometheus itself and its library for programs say; the rest are metrics of the table.
OF_PROMETHEUS = ("up", "scrape_duration_seconds", "process_start_time_seconds")
METRIC = re.compile(rf"\b(smartshoe_\w+|{'|'.join(OF_PROMETHEUS)})\b(?!:)")
SELECTOR = re.compile(r"\b((?:smartshoe|process|scrape)_\w+|up)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"')
RECORD = re.compile(r"\b(?:table|pit):smartshoe_\w+:\w+")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Alarm:
    """One alarm. `for_s`: how long its expression holds before it fires, in seconds."""

    name: str
    expression: str
    for_s: float
    severity: str
    annotations: dict[str, str]


def seconds(text: str) -> float:
    """A duration of Prometheus in seconds."""
    return float(text[:-1]) * SECONDS[text[-1]]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _rules(path: Path) -> list[dict[str, Any]]:
    return [rule for group in read(path)["groups"] for rule in group["rules"]]


@cache
def alarms() -> tuple[Alarm, ...]:
    return tuple(
        Alarm(
            rule["alert"],
            rule["expr"],
            seconds(rule.get("for", "0s")),
            rule["labels"]["severity"],
            rule["annotations"],
        )
        for rule in _rules(ALERT_RULES)
    )


@cache
def records() -> dict[str, str]:
    """The expressions of the recording rules by name."""
    return {rule["record"]: rule["expr"] for rule in _rules(RECORDING_RULES)}


def expanded(expression: str) -> str:
    """The expression with the recording rules that it names put in."""
    return RECORD.sub(lambda found: f"({records()[found[0]]})", expression)


def metrics_of(expression: str) -> set[str]:
    """The metrics that an expression reads, those of its recording rules too."""
    return set(METRIC.findall(expanded(expression)))


def matchers_of(expression: str) -> set[tuple[str, str, str]]:
    """(metric, label, value) of each value that a selector names."""
    return {
        (metric, label, value)
        for metric, inside in SELECTOR.findall(expanded(expression))
        for label, how, values in MATCHER.findall(inside)
        for value in (values.split("|") if "~" in how else [values])
    }

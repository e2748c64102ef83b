"""A real Prometheus with a configuration of ours, and its answers to queries.

Source: Prometheus documentation, "HTTP API".
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import urlencode

from msgspec import Struct

from hil.rig.loopback_server import LOOPBACK
from hil.rig.servers.http_server import HttpChildServer

_ENOUGH_MEMORY: Final = "--storage.tsdb.retention.size=1GB"


class QueryFailed(Exception):
    """Prometheus refused a query; the message is its own."""


class Sample(Struct, frozen=True):
    """One series of an answer: its labels, and its value or its (seconds, value) pairs."""

    labels: Mapping[str, str]
    value: float = float("nan")
    values: tuple[tuple[float, float], ...] = ()


class Prometheus(HttpChildServer):
    """Scrapes and judges by `config`, a configuration file; its blocks are in FOLDER/data."""

    program: ClassVar[str] = "prometheus"
    package: ClassVar[str] = "prometheus"

    def __init__(
        self, folder: Path, config: Path, port: int = 0, options: Sequence[str] = ()
    ) -> None:
        super().__init__(folder, port)
        self.config = config
        self._options = tuple(options)

    def arguments(self) -> Sequence[str]:
        return (
            f"--config.file={self.config}",
            f"--storage.tsdb.path={self.folder / 'data'}",
            f"--web.listen-address={LOOPBACK}:{self.port}",
            _ENOUGH_MEMORY,
            *self._options,
        )

    def query(self, expression: str, at_s: float | None = None) -> tuple[Sample, ...]:
        """The samples of an instant query, now or at that time. Raises QueryFailed."""
        when = {} if at_s is None else {"time": str(at_s)}
        found = self._ask("query", {"query": expression, **when})
        if found["resultType"] == "scalar":
            return (Sample({}, float(found["result"][1])),)
        return tuple(Sample(one["metric"], float(one["value"][1])) for one in found["result"])

    def query_range(
        self, expression: str, from_s: float, until_s: float, step_s: float
    ) -> tuple[Sample, ...]:
        """The series of a range query. Raises QueryFailed."""
        span = {"start": str(from_s), "end": str(until_s), "step": str(step_s)}
        found = self._ask("query_range", {"query": expression, **span})
        return tuple(
            Sample(one["metric"], values=tuple((at, float(text)) for at, text in one["values"]))
            for one in found["result"]
        )

    def alerts(self) -> tuple[Mapping[str, Any], ...]:
        """The alerts that are pending or firing now."""
        return tuple(self._ask("alerts", {})["alerts"])

    def _ask(self, what: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        _, body = self.get(f"/api/v1/{what}?{urlencode(parameters)}")
        answer: dict[str, Any] = json.loads(body)
        if answer["status"] != "success":
            raise QueryFailed(f"{parameters.get('query', what)}: {answer['error']}")
        data: dict[str, Any] = answer["data"]
        return data

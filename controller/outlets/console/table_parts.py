"""What is served of one table, as values that servers and routes share."""

from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from controller.outlets.control.table_requests import TableRequests
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.table.accounts.passwords import Passwords
from controller.table.table import Table


class MetricsPart(Struct, frozen=True):
    """The metrics of a table; `passwords` None: who reaches the server may read them."""

    table: Table
    metrics: TableMetrics
    passwords: Passwords | None = None


class ConsolePart(Struct, frozen=True):
    """The page and the API of a table.

    Who may write to `control_socket` needs no PIN to read and to act as a dealer. `hosts` are names
    of the server besides its address; a sign-on that is not used for acts ends after
    `sign_on_minutes`; `language` is that of a new session.
    """

    requests: TableRequests
    control_socket: Path
    language: str = "en"
    sign_on_minutes: int = 15
    hosts: tuple[str, ...] = ()


class TableParts(Struct, frozen=True):
    """What one server serves of one table."""

    metrics: MetricsPart | None = None
    console: ConsolePart | None = None


Part: TypeAlias = MetricsPart | ConsolePart

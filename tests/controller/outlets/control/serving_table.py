"""A table from a journal with its control socket, for the tests of both."""

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controller.core.settings import DeviceSettings, Settings
from controller.core.state import Stored
from controller.core.stored_settings import SETTINGS
from controller.core.tape.inputs import Started
from controller.journal.people import PeopleFile
from controller.outlets.control.client import ControlClient
from controller.outlets.control.server import ControlServer
from controller.outlets.control.table_requests import NO_UNIX, TableRequests
from controller.procedure.effects import ActRecord
from controller.procedure.rulebook import ObservableFact
from controller.record.build import build_snapshot
from controller.record.snapshot import RunFacts, Snapshot
from controller.rules.actions.actions import OperatorAction
from controller.rules.profiles.load import load_clauses, profile_text
from controller.service.config.time_zone import zone_data
from controller.table.table import Health, RunSpec
from controller.version import software_identifier
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp
from hil.rig.observed_table import ObservedTable

THIS = software_identifier()
PORT = "/dev/ttyUSB0"


class Clock:
    """A clock that stands until it is moved on."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> Timestamp:
        return Timestamp(int(self.seconds * 1e9), now().utc_ns)


class Serving:
    """A table from a journal, its control socket and what it stored."""

    def __init__(self, journal: Path, path: Path, **others: Any) -> None:
        self.stored: list[Stored] = []
        shoe = DeviceSettings(PORT, "angel-eye-ii-ex")
        settings = Settings("M7", "3", 8, 6 * 3600, (ObservableFact.RESULT_BUTTON,), shoe)
        encoded, profile = SETTINGS.encode(settings), profile_text("s42-mini").encode()

        def start(replaced: str) -> Started:
            return Started(now(), "boot", THIS, encoded, profile, zone_data("UTC"), replaced)

        beginning = RunSpec(journal, load_clauses(), start)
        self.path = path
        self.table = ObservedTable("M7", beginning, now, self.stored.append)
        self.table.start()
        assert self.table.health is Health.RUNNING, self.table.failure
        self.journal = journal
        self.people = PeopleFile(journal)
        self.clock = Clock()
        self.server = self.served_at(path, **others)
        self.server.start()
        self.client = ControlClient(path)

    def served_at(
        self, path: Path, unix: Mapping[str, str] = NO_UNIX, group: str = ""
    ) -> ControlServer:
        self.requests = TableRequests(self.table, self.shown, self.people, self.clock, unix=unix)
        return ControlServer(path, self.requests, self.clock, group=group)

    def shown(self) -> Snapshot:
        assert self.table.published is not None
        return build_snapshot(
            *self.table.published, RunFacts(self.table.health, self.table.failure)
        )

    def end(self) -> None:
        self.table.stop()
        self.table.join()
        self.server.stop()

    def records(self) -> list[ActRecord]:
        made = (each.entries for stored in self.stored for each in stored.conclusions)
        return [one for entries in made for one in entries if isinstance(one, ActRecord)]

    def actions(self) -> list[OperatorAction]:
        items = [one.item for stored in self.stored for one in stored.conclusions]
        return [item for item in items if isinstance(item, OperatorAction)]


def connected(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(str(path))
    return connection

"""A real Table with journal, pump and serial port on any URL, in this process.

For end-to-end tests and measurements.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from threading import Condition
from types import TracebackType
from typing import Self

from msgspec import Struct

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.manifest_binding import MANIFESTS
from controller.core.settings import DeviceSettings, Settings
from controller.core.state import Stored
from controller.core.stored_settings import SETTINGS
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import ManifestGiven, Started
from controller.custody.manifest_csv import read_manifest
from controller.journal.folder import sealed_files
from controller.journal.people import PeopleFile
from controller.outlets.control.requests import action_from_request
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import TableState
from controller.record.snapshot import Health
from controller.rules.actions.actions import OperatorAction, Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_clauses, profile_text
from controller.table.table import RunSpec
from controller.version import software_identifier
from drivers.catalogue import AnyModel
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX, AngelEyeSettings
from drivers.shoes.rfid_model import FEIG_RFID, RfidSettings
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.open_port import open_port
from firmware_bridge.transport.port import LineSettings, Parity, Port
from firmware_bridge.transport.pump import PortPump
from foundation.message import message
from hil.dealing.tags import usual_batches
from hil.emulator.feig.rfid_shoe import GATE_INPUT, RfidShoe
from hil.emulator.lines.line import LineServer
from hil.progress import SAMPLE_S, Patience, poll_until
from hil.rig.console import DEALER, ConsoleDealer, result_values
from hil.rig.observed_table import ObservedTable
from hil.rig.shoe_models import ShoeKind

BY_BENCH = message("as_typed", typed="the bench")
# The bench's floorperson takes the first of these decisions that is permitted.
DECISION_PREFERENCE = (
    FloorDecision.CONTINUE,
    FloorDecision.BURN,
    FloorDecision.VOID_COUP,
    FloorDecision.CLOSE_SHOE,
)
MODELS: Mapping[ShoeKind, AnyModel] = {
    ShoeKind.ANGEL_EYE: ANGEL_EYE_II_EX,
    ShoeKind.RFID: FEIG_RFID,
}
DRIVERS = {
    ShoeKind.ANGEL_EYE: AngelEyeSettings(),
    ShoeKind.RFID: RfidSettings(gate_input=GATE_INPUT),
}


@dataclass(frozen=True, slots=True)
class RigSettings:
    """What differs from one bench table to the next.

    `bound`: the table of an RFID shoe gets the manifests of its two batches at the start.
    `driver`: other settings of the shoe's driver than the bench's. `sealed`: finished shoes are
    moved into sealed files, signed by a key in the journal's folder, or as `signing` says.
    """

    table: str = "BENCH-1"
    profile: str = "s42-mini"
    decks: int = 8
    observed: tuple[ObservableFact, ...] = (ObservableFact.RESULT_BUTTON,)
    allow_commands: bool = False
    driver: Struct | None = None
    boot_id: str = "bench"
    shoe: ShoeKind = ShoeKind.ANGEL_EYE
    bound: bool = True
    sealed: bool = False
    signing: SigningSettings | None = None

    def settings(self, port: str) -> Settings:
        """The table's settings on that port."""
        model = MODELS[self.shoe]
        driver = model.to_store(self.driver or DRIVERS[self.shoe])
        shoe = DeviceSettings(port, model.name, driver, self.allow_commands)
        return Settings(self.table, "bench", self.decks, 6 * 3600, self.observed, shoe)


def utc_zone() -> bytes:
    """TZif data of UTC, from the tzdata package."""
    return (files("tzdata") / "zoneinfo" / "UTC").read_bytes()


class TableRig:
    """A running table. Use as a context manager; leaving it stops the table cleanly."""

    def __init__(
        self,
        journal: Path,
        url: str,
        settings: RigSettings | None = None,
        port: Port | None = None,
    ) -> None:
        self.settings = settings or RigSettings()
        self.entries: list[Entry] = []
        self.transactions = 0
        self._journal = journal
        self._people = PeopleFile(journal)
        self._changed = Condition()
        table_settings = self.settings.settings(url)

        def start(replaced: str) -> Started:
            text = profile_text(self.settings.profile).encode()
            configuration = SETTINGS.encode(table_settings)
            boot_id = self.settings.boot_id
            return Started(
                now(), boot_id, software_identifier(), configuration, text, utc_zone(), replaced
            )

        signing = self.settings.signing or SigningSettings(journal / "table.key")
        seals = Sealer(self.settings.table, signing, now) if self.settings.sealed else None
        spec = RunSpec(journal, load_clauses(), start, sealer=seals)
        self.table = ObservedTable(self.settings.table, spec, now, self._on_stored)
        model = MODELS[self.settings.shoe]
        line = LineSettings(model.baud, Parity(model.parity))
        self.pump = PortPump(url, port or open_port(url, line), self.table.put)
        self.table.attach_writer(url, self.pump)

    def __enter__(self) -> Self:
        self.table.start()
        assert self.table.health is Health.RUNNING, self.table.failure
        if self.settings.shoe is ShoeKind.RFID and self.settings.bound:
            self.bind_batches()
        self.pump.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.pump.stop()
        self.pump.join()
        self.table.stop()
        self.table.join()

    @property
    def state(self) -> TableState:
        """The newest stored state of the table."""
        published = self.table.published
        assert published is not None
        return published[1].table

    def wait_for(self, ready: Callable[[TableState], bool]) -> None:
        """Wait until the stored state is `ready`. Raises StoodStill with the state."""
        version, patience = -1, Patience(progress=lambda: self.transactions)
        while not ready(self.state):
            patience.check(f"still {self.state}; table {self.table.health}")
            version = self.table.wait_for_change(version, SAMPLE_S)

    def wait_until_sealed(self, shoes: int) -> None:
        """Wait until so many shoes are sealed. Raises StoodStill."""
        poll_until(lambda: len(sealed_files(self._journal)) >= shoes, f"{shoes} shoes are sealed")

    def of(self, kind: type[Entry]) -> list[Entry]:
        """The entries of one kind so far."""
        with self._changed:
            return [entry for entry in self.entries if isinstance(entry, kind)]

    def resolve(self, resolution: Resolution, person: str = "bench floorperson") -> None:
        """Take a floorperson's decision and check that it is stored."""
        action = OperatorAction(
            at=now(),
            person=self._people.id_of(person),
            role=Role.FLOORPERSON,
            identified_by="bench",
            action=resolution,
            reason="scripted",
        )
        stored = self.table.act(action)
        assert stored is not None, "the decision was not stored"

    def bind_batches(self) -> None:
        """Bind the two usual batches by their manifests and check that they are stored."""
        for batch in usual_batches(self.settings.decks):
            content = MANIFESTS.encode(read_manifest(batch.csv()))
            given = ManifestGiven(
                now(),
                batch.name,
                BY_BENCH,
                content,
                maker="the bench",
            )
            stored = self.table.act(given)
            assert stored is not None, "the manifest was not stored"

    def console_dealer(self, line: LineServer[RfidShoe]) -> ConsoleDealer:
        """The dealer at this table's console, for a runner that plays that shoe."""

        def wait_all_delivered() -> None:
            taken = line.wait_for(lambda shoe: shoe.all_delivered)
            assert taken, f"cards were not read; table {self.table.health}"

        def declare(declaration: Mapping[str, object]) -> None:
            action = action_from_request("declare-result", result_values(declaration))
            at, role = now(), Role.DEALER
            dealer = self._people.id_of(DEALER)
            stored = self.table.act(OperatorAction(at, dealer, role, "bench", action, ""))
            assert stored is not None, "the declared result was not stored"

        return ConsoleDealer(wait_all_delivered, declare)

    def resolve_if_permitted(self) -> None:
        """Take the first permitted decision, if any: continue, else void, else close.

        A card drawn in error counts as seen: it is burned with its amount.
        """
        published = self.table.published
        assert published is not None
        core, state = published
        permitted = permitted_decisions(core.book, state.table, Provisional.TAKE_OVER)
        if not permitted:
            return
        decision = next(decision for decision in DECISION_PREFERENCE if decision in permitted)
        self.resolve(Resolution(decision, Provisional.TAKE_OVER))

    def _on_stored(self, stored: Stored) -> None:
        with self._changed:
            self.transactions += 1
            for conclusion in stored.conclusions:
                self.entries.extend(conclusion.entries)
            self._changed.notify_all()

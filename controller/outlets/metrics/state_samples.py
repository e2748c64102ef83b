"""The metrics that follow from the newest stored state of a table; none discloses a card."""

from collections.abc import Iterator

from controller.core.core import Core
from controller.core.state import CoreState, sync_state
from controller.core.tape.inputs import DiskLevel
from controller.custody.batch_life.state import Lineage
from controller.custody.state import batch_counts
from controller.outlets.metrics.definitions import BY_NAME, DEALING_SHOE, SHUFFLER, WITHHELD
from controller.outlets.metrics.samples import NO_LABELS, NS_PER_S, Samples, states
from controller.procedure.opening.gaming_day import gaming_day_due
from controller.procedure.people.pit_values import differences_from_pit, pit_in_force
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.state import ShoeState, TableState
from controller.record.build import shown_phase
from controller.record.custody import disclosed_places
from controller.rules.settlement.pit import NO_PIT_SETTINGS, PIT_VALUES
from controller.version import VERSION, software_identifier
from drivers.events import Stage

_PHASES = BY_NAME["phase"].values("phase")
_DISK_LEVELS = BY_NAME["disk_room"].values("level")
_SYNCS = BY_NAME["clock_sync"].values("state")
_STAGES = BY_NAME["device_stage"].values("stage")
_BATCH_STAGES = BY_NAME["batch_stage"].values("stage")


def state_samples(core: Core, state: CoreState) -> Samples:
    """The samples of a published state. What is not known is left out."""
    table, settings = state.table, core.settings
    book = effective_book(core.book, table)
    phase = shown_phase(book, table)
    disk = state.host.disk.level if state.host.disk is not None else DiskLevel.UNKNOWN
    build = software_identifier().removeprefix(f"{VERSION}+")
    day = table.shoe_day or table.today
    info = (VERSION, build, book.profile.name, book.document, day)
    numbers = {
        "suspended": int(table.phase is Phase.SUSPENDED),
        "open_irregularities": len(table.open_irregularities),
        "gaming_day_due": int(gaming_day_due(table) is not None),
        **_shoe_numbers(table.shoe),
    }
    found: Samples = {name: {NO_LABELS: value} for name, value in numbers.items()}
    found["table_info"] = {info: 1}
    found["phase"] = dict(states(WITHHELD if phase.value is None else phase.value, _PHASES))
    found["disk_room"] = dict(states(disk.value, _DISK_LEVELS))
    found["clock_sync"] = dict(states(sync_state(state.host).value, _SYNCS))
    if pit_in_force(book, table) != NO_PIT_SETTINGS:
        differing = {one.setting for one in differences_from_pit(book, table)}
        found["pit_differs"] = {(one,): int(one in differing) for one in PIT_VALUES}
    stages = dict(_stages(core, state))
    found["device_stage"] = {
        labels: value
        for device, stage in stages.items()
        for labels, value in states(stage.value, _STAGES, device).items()
    }
    found["cards_at"] = {
        (batch.back, place): count
        for batch in batch_counts(state.custody)
        for place, count in disclosed_places(batch.places)
    }
    identities: dict[str, tuple[bool, bool]] = {}
    if settings.shoe_model.proves_identity:
        identities[DEALING_SHOE] = (state.shoe_identity.trusted, state.shoe_identity.bare)
    if settings.shuffler is not None:
        lineage = table.lineage
        trusted = stages[SHUFFLER] is Stage.ONLINE and lineage.trusted
        identities[SHUFFLER] = (trusted, lineage.bare)
        down = not trusted or is_interlocked(book, table)
        found |= _shuffler(lineage, down=down)
    found["device_trusted"] = {(one,): int(trusted) for one, (trusted, _) in identities.items()}
    found["device_bare"] = {(one,): int(bare) for one, (_, bare) in identities.items()}
    return found


def suspending_code(table: TableState) -> tuple[int, str] | None:
    """Number and code of the first open irregularity that suspends the table; None for none."""
    if table.phase is not Phase.SUSPENDED:
        return None
    suspends = ((one.number, one.code.value) for one in table.open_irregularities if one.suspends)
    return next(suspends, None)


def _shoe_numbers(shoe: ShoeState | None) -> dict[str, int]:
    """Absent rather than wrong: no shoe yet, or one joined after some cards had left."""
    if shoe is None:
        return {}
    left = {} if shoe.joined else {"cards_left": shoe.cards_left()}
    return {**left, "shoe_number": shoe.number, "coups_in_shoe": shoe.coups_begun}


def _stages(core: Core, state: CoreState) -> Iterator[tuple[str, Stage]]:
    yield DEALING_SHOE, state.shoe_driver.stage
    shuffler = core.settings.shuffler
    for one in state.auxiliary:
        of_shuffler = shuffler is not None and one.port == shuffler.port
        yield SHUFFLER if of_shuffler else one.port, one.state.stage


def _shuffler(lineage: Lineage, *, down: bool) -> Samples:
    found: Samples = {
        "shuffler_down": {NO_LABELS: int(down)},
        "shuffler_warnings_open": {NO_LABELS: len(lineage.warnings)},
        "batch_stage": {
            labels: value
            for life in lineage.lives
            for labels, value in states(life.stage.value, _BATCH_STAGES, life.back).items()
        },
        "batch_bars": {(life.back,): len(life.block_reasons) for life in lineage.lives},
    }
    if lineage.warnings:
        since_ns = min(one.since_ns for one in lineage.warnings)
        found["shuffler_warning_since_seconds"] = {NO_LABELS: since_ns / NS_PER_S}
    return found

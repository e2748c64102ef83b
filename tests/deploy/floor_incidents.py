"""What goes wrong on a floor, one thing at a table, and the alarms that it raises: these alone.

Of several, Alertmanager tells the cause and keeps back what follows from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace
from simulated_history import SimulatedPage

from controller.archive.log_writer import LogStatus
from controller.core.tape.inputs import ClockSync, ClockSyncRead, DiskLevel, DiskSpace
from controller.record.snapshot import Health
from controller.rules.advisory import AdvisoryKind
from hil.scenario.commands.files import SHIPPED
from hil.scenario.language.reading import Scenario, parse_scenario, read_scenario

AT_REAL_TABLES = SHIPPED / "incidents"
FACES = "device shoe angel-eye"
TAGS = "device shoe rfid"
SHUFFLER = "device shoe angel-eye\ndevice shuffler tablelink"
DEALT = ("load red", "deal burn", "deal coup", "wait 30s")
READY = ("shuffle red", "shuffle blue", "bring out red")
# Long enough for every alarm to fire, and for a window to pass.
AFTER = "wait 20min"
MIB = 1 << 20
# Behind the name of a table in a list of targets that names it otherwise.
ELSEWHERE = " of another place"


@dataclass(frozen=True)
class FloorIncident:
    """`play` is what happens at a table with these devices; `alarms` are all that it raises."""

    name: str
    alarms: frozenset[str]
    scenario: Scenario
    play: Callable[[SimulatedPage], object]
    # That of the scenarios' own tests.
    seed: int = 1


INCIDENTS: list[FloorIncident] = []


def incident(
    *alarms: str, devices: str = FACES
) -> Callable[[Callable[[SimulatedPage], object]], Callable[[SimulatedPage], object]]:
    """Note a function as what happens in an incident, by its name."""

    def note(play: Callable[[SimulatedPage], object]) -> Callable[[SimulatedPage], object]:
        scenario = parse_scenario(devices, play.__name__, play.__name__)
        INCIDENTS.append(FloorIncident(play.__name__, frozenset(alarms), scenario, play))
        return play

    return note


# --- the table and its program ------------------------------------------------------------------


@incident("TableDown")
def power_is_off(page: SimulatedPage) -> None:
    page.play(*DEALT)
    page.around.up = False
    page.play("wait 5min")


@incident("TableNotRunning")
def disk_took_no_record(page: SimulatedPage) -> None:
    page.play(*DEALT)
    page.around.health = Health.STORE_FAILED
    page.play("wait 5min")


@incident("TableLoopStalled")
def loop_stands_still(page: SimulatedPage) -> None:
    page.play(*DEALT)
    page.around.stores, page.around.waiting = False, 7
    page.play("wait 5min")


@incident("TableStartsAgain")
def program_ends_again_and_again(page: SimulatedPage) -> None:
    for number in range(1, 5):
        page.around.started_s = 100.0 * number
        page.play("wait 2min")


@incident("TableNamedOtherwise")
def machine_moved_to_another_place(page: SimulatedPage) -> None:
    page.around.listed = f"{page.name}{ELSEWHERE}"
    page.play("wait 10min")


@incident("TableNameTwice")
def spare_machine_runs_beside_the_first(page: SimulatedPage) -> None:
    page.play("wait 5min")
    page.around.twin = True
    page.play("wait 5min")


@incident("ScrapeSlow")
def network_is_overloaded(page: SimulatedPage) -> None:
    page.around.scrape_s = 1.5
    page.play(AFTER)


# --- play ---------------------------------------------------------------------------------------


@incident("CardOverdrawn")
def overdrawn_card_decided_at_once(page: SimulatedPage) -> None:
    page.play("load red", "deal burn", "wait 6min", "err extra_card", "deal 20 coups")
    page.play("wait 1min", "floor decides", AFTER)


@incident("CardOverdrawn", "TableSuspendedLong")
def overdrawn_card_nobody_decides(page: SimulatedPage) -> None:
    page.play("load red", "deal burn", "wait 6min", "err extra_card", "deal 20 coups", AFTER)


@incident("CardMissing", devices=TAGS)
def batch_is_a_card_short(page: SimulatedPage) -> None:
    page.play(
        "wait 10min",
        'record inspected batch red amount 415 as floorperson by "Ann Lee" because "counted"',
        AFTER,
    )


@incident("PersonAdvisory")
def one_person_voids_more_than_the_others(page: SimulatedPage) -> None:
    page.play("wait 5min")
    page.advise(AdvisoryKind.PERSON)
    page.play(AFTER)


@incident("PaceSlow")
def cards_are_squeezed_for_minutes(page: SimulatedPage) -> None:
    page.play("load red", "deal burn")
    for _ in range(50):
        page.play("deal coup", "wait 160s")


@incident("GamingDayDue", "ClockStepped")
def clock_jumps_by_two_days(page: SimulatedPage) -> None:
    page.play(*DEALT, "wait 6min", "host clock-step 48h", "wait 1min", "deal coup", AFTER)


@incident("ClockStepped")
def clock_is_set_by_minutes(page: SimulatedPage) -> None:
    page.play(*DEALT, "wait 6min", "host clock-step 10min", "wait 1min", "deal coup", AFTER)


@incident("ClockUnsynchronised")
def time_server_is_gone(page: SimulatedPage) -> None:
    table = page.table
    table.take(ClockSyncRead(table.at, ClockSync.SYNCHRONISED))
    page.play("wait 5min")
    table.take(ClockSyncRead(table.at, ClockSync.UNSYNCHRONISED))
    page.play("wait 40min")


# --- devices ------------------------------------------------------------------------------------


@incident("DeviceLost")
def shoe_is_unplugged(page: SimulatedPage) -> None:
    page.play(*DEALT, "unplug shoe", "wait 5min")


@incident("DeviceGarbled")
def speed_of_the_line_is_wrong(page: SimulatedPage) -> None:
    page.play(
        *DEALT, "wait 10min", "wire shoe wrong-baud 100%", "deal 3 coups careless", "wait 5min"
    )


@incident("ReportsLost")
def report_of_a_card_is_lost(page: SimulatedPage) -> None:
    page.play(*DEALT, "wait 6min", "wire shoe drop 100%", "draw", "wire shoe none")
    page.play("draw", "floor decides", AFTER)


@incident("LinkErrors")
def cable_is_about_to_fail(page: SimulatedPage) -> None:
    page.play("load red", "deal burn", "wire shoe noise 30%")
    for _ in range(40):
        page.play("deal coup", "floor decides", "wait 30s")


# What follows an unread card may be a card too many for the hand: a person decides each time.
@incident("ReadQualityLow", "CardOverdrawn", devices=TAGS)
def reader_is_dirty(page: SimulatedPage) -> None:
    page.play("load red", "deal burn")
    for number in range(60):
        fault = ("next card unreadable",) if number % 5 == 0 else ()
        page.play(*fault, "deal coup", "floor decides", "wait 30s")


@incident(
    *("DeviceUntrusted", "DeviceNotOnline", "ShufflerDown", "ShufflerWarningOpen"),
    devices=SHUFFLER,
)
def another_shuffler_stands_there(page: SimulatedPage) -> None:
    page.play(*READY, "wait 2min", "interfere shuffler exchanged", "wait 30min")


@incident(
    *("DeviceLost", "DeviceUntrusted", "ShufflerDown", "ShufflerWarningOpen"), devices=SHUFFLER
)
def shuffler_is_unplugged(page: SimulatedPage) -> None:
    page.play(*READY, "wait 2min", "unplug shuffler", "wait 30min")


@incident("ShuffleRefused", "ShufflerDown", "ShufflerWarningOpen", devices=SHUFFLER)
def shuffler_counts_otherwise(page: SimulatedPage) -> None:
    page.play("wait 6min", "interfere shuffler miscounting", "shuffle red", AFTER)


# --- records ------------------------------------------------------------------------------------


def disk_at(page: SimulatedPage, level: DiskLevel) -> None:
    space = DiskSpace(page.table.at, level, 50 * MIB, 100 * MIB, 20 * MIB)
    page.table.take(space)


@incident("DiskLow")
def disk_runs_low(page: SimulatedPage) -> None:
    page.play(*DEALT)
    disk_at(page, DiskLevel.LOW)
    page.play(AFTER)


@incident("DiskFull")
def disk_is_full(page: SimulatedPage) -> None:
    page.play(*DEALT)
    disk_at(page, DiskLevel.STOP)
    page.play(AFTER)


@incident("JournalLag")
def subscriber_hangs(page: SimulatedPage) -> None:
    page.play(*DEALT)
    page.around.follower.taking_since_ns = page.table.at.monotonic_ns
    page.play("wait 10min")


@incident("StoredLeftOut")
def subscriber_leaves_records_out(page: SimulatedPage) -> None:
    page.play("wait 5min")
    page.around.follower.skipped = 3
    page.play(AFTER)


@incident("ShoesUnsealed")
def sealing_fails(page: SimulatedPage) -> None:
    page.around.sealing = replace(page.around.sealing, unsealed=1)
    page.play("wait 45min")


@incident("SealsUnsigned")
def key_is_gone(page: SimulatedPage) -> None:
    page.around.sealing = replace(page.around.sealing, unsigned="no key")
    page.play(AFTER)


@incident("EvidenceLogShrank")
def older_journal_is_put_back(page: SimulatedPage) -> None:
    page.around.head = LogStatus(900, b"a" * 32)
    page.play("wait 10min")
    page.around.head = LogStatus(700, b"b" * 32)
    page.play(AFTER)


@incident("EvidenceLogForked")
def record_is_replaced(page: SimulatedPage) -> None:
    page.around.head = LogStatus(900, b"a" * 32)
    page.play("wait 10min")
    page.around.head = LogStatus(900, b"b" * 32)
    page.play(AFTER)


@incident("LogLeavesWaiting")
def disk_of_the_log_hangs(page: SimulatedPage) -> None:
    page.around.head = LogStatus(900, b"a" * 32, waiting=4)
    page.play(AFTER)


@incident("WitnessBehind")
def witness_does_not_answer(page: SimulatedPage) -> None:
    page.around.head = LogStatus(900, b"a" * 32, absent=("w1: no answer",))
    page.play("wait 45min")


@incident("FeedDisconnected")
def broker_is_down(page: SimulatedPage) -> None:
    page.around.consumer.connected = False
    page.play(AFTER)


@incident("FeedLag")
def broker_is_slow(page: SimulatedPage) -> None:
    page.around.consumer.lag_seconds = 900.0
    page.play(AFTER)


# --- incidents at real tables, as the library of scenarios has them -----------------------------

OF_SCENARIOS = {
    "cutters_2011": {"IntegrityAdvisory"},
    "deckmate_firmware_swap": {
        *("DeviceUntrusted", "DeviceNotOnline", "ShufflerDown", "ShufflerWarningOpen"),
    },
    "golden_nugget_2012": {"IntegrityAdvisory"},
    "hollywood_2015": {"ShufflerWarningOpen", "ShufflerDown"},
    "macau_cold_deck_2024": {"CardForeign", "TableSuspendedLong"},
    "parx_2018": {"CardDuplicate", "TableSuspendedLong"},
    "rivers_2018": {"CardForeign", "TableSuspendedLong"},
    "sugarhouse_2017": {
        *("InterlockIgnored", "ShufflerDown", "ShufflerWarningOpen", "TableSuspendedLong"),
    },
    "taj_mahal_2011": {
        *("BatchNotShuffled", "InterlockIgnored", "TableSuspendedLong"),
        *("ShufflerDown", "ShufflerWarningOpen"),
    },
    "tran_slug": {"IntegrityAdvisory"},
    "two_pack_scam": {"BatchNotShuffled", "TableSuspendedLong"},
}


def _scenario(path: Path) -> FloorIncident:
    scenario = read_scenario(path)

    def play(page: SimulatedPage) -> None:
        page.play("wait 6min")
        for step in scenario.steps:
            page.perform(step.body)
        page.play(AFTER)

    return FloorIncident(path.stem, frozenset(OF_SCENARIOS[path.stem]), scenario, play)


INCIDENTS += [_scenario(path) for path in sorted(AT_REAL_TABLES.glob("*.scenario"))]

"""The panels of the dashboard of one table."""

from collections.abc import Mapping

from grafana_panels import (
    AMBER,
    BY_TABLE,
    DOWN,
    GREEN,
    NEUTRAL,
    NONE_IS_GOOD,
    RATE,
    RED,
    Column,
    PanelOf,
    Shown,
    bars,
    lines,
    or_down,
    rows,
    stat,
)

from controller.core.tape.inputs import DiskLevel
from controller.custody.batch_life.stages import BatchStage
from controller.table.disk_space import DiskLimits
from drivers.events import Stage

ONE = 'pit="$pit", table="$table"'
# Values that no series has: the table answers, and what is asked for is not there.
ABSENT = -1
LIMITS = DiskLimits()

BYTES = Shown("bytes")
# By the limits of a table that sets none, where it does not say itself how full its disk is.
DISK = Shown("bytes", {}, RED, ((LIMITS.stop_bytes, AMBER), (LIMITS.warn_bytes, GREEN)))
# Where it does, the colour is its own level.
DISK_BY_LEVEL = {
    DiskLevel.ENOUGH.value: Shown("bytes", colour=GREEN),
    DiskLevel.LOW.value: Shown("bytes", colour=AMBER),
    DiskLevel.STOP.value: Shown("bytes", colour=RED),
}
DEVICE_STAGES: Mapping[str, tuple[str, str]] = {
    Stage.CLOSED: ("closed", RED),
    Stage.OPENED: ("opened, no answer yet", AMBER),
    Stage.IDENTIFIED: ("identified, not ready", AMBER),
    Stage.ONLINE: ("online", GREEN),
    Stage.LOST: ("lost", RED),
}
BATCH_STAGES: Mapping[str, tuple[str, str]] = {
    **{one: (one.value.replace("_", " "), NEUTRAL) for one in BatchStage},
    BatchStage.UNKNOWN: ("not known", AMBER),
    BatchStage.HELD: ("held", RED),
}


def or_absent(expression: str) -> str:
    """ABSENT where the table answers without this metric."""
    there = f"{BY_TABLE} (smartshoe_table_info{{{ONE}}}) * {ABSENT}"
    return or_down(f"{expression} or on (pit, table) {there}", ONE)


def of_one(metric: str) -> str:
    return f"{BY_TABLE} ({metric}{{{ONE}}})"


def disk_free(matchers: str) -> str:
    """Free bytes with the table's own level of them as a label."""
    level = f"max by (pit, table, level) (smartshoe_disk_room{{{matchers}}} == 1)"
    free = f"min by (pit, table) (smartshoe_disk_free_bytes{{{matchers}}})"
    known = f"{level} * on (pit, table) group_left () {free}"
    return or_down(f"{known} or on (pit, table) {free}", matchers)


def stages(metric: str, labels: str, matchers: str) -> str:
    """The stage of each thing that has one; of a table that is down, that it is."""
    down = f'{BY_TABLE} (up{{job="smartshoe", {matchers}}}) == 0'
    now = f"max by (pit, table, {labels}, stage) ({metric}{{{matchers}}} == 1)"
    return f'{now} or on (pit, table) label_replace({down}, "stage", "{DOWN}", "", "")'


def stage_column(words: Mapping[str, tuple[str, str]]) -> Column:
    return Column("stage", "Stage", Shown("string", {**words, DOWN: (DOWN, RED)}, colour=AMBER))


TABLE = {
    "The table now": (
        stat(
            "Answers",
            f'{BY_TABLE} (up{{job="smartshoe", {ONE}}})',
            Shown(words={1: ("yes", GREEN), 0: ("no", RED)}, colour=RED),
        ),
        stat(
            "Suspended",
            or_down(of_one("smartshoe_suspended"), ONE),
            Shown(words={0: ("no", GREEN), 1: ("suspended", RED)}, colour=RED),
        ),
        stat(
            "Open irregularities",
            or_down(of_one("smartshoe_open_irregularities"), ONE),
            NONE_IS_GOOD,
        ),
        stat(
            "Shoe",
            or_absent(of_one("smartshoe_shoe_number")),
            Shown(words={ABSENT: ("no shoe", NEUTRAL)}, decimals=0),
        ),
        stat(
            "Cards left",
            or_absent(of_one("smartshoe_cards_left")),
            Shown(words={ABSENT: ("not known", NEUTRAL)}, decimals=0),
            "Known in a shoe that was seen from its beginning.",
        ),
        stat(
            "Since the last coup",
            or_absent(f"clamp_min(time() - {of_one('smartshoe_last_coup_timestamp_seconds')}, 0)"),
            Shown("s", words={ABSENT: ("no coup yet", NEUTRAL)}),
        ),
    ),
    "Play": (
        lines(
            "Coups per hour",
            "short",
            (f"table:smartshoe_coups:per_hour{{{ONE}}}", "coups"),
            axis="coups an hour",
        ),
        bars("Coups by outcome", "smartshoe_coups_total", "outcome", ONE, "15m"),
        lines(
            "Pace",
            "s",
            (f"table:smartshoe_coup_seconds:p50{{{ONE}}}", "a coup, half within"),
            (f"table:smartshoe_coup_seconds:p90{{{ONE}}}", "a coup, nine of ten within"),
            (f"table:smartshoe_between_coups_seconds:p50{{{ONE}}}", "between coups, half within"),
            (
                f"table:smartshoe_between_coups_seconds:p90{{{ONE}}}",
                "between coups, nine of ten within",
            ),
        ),
        bars("Irregularities", "smartshoe_irregularities_total", "code", ONE, "5m", "By code."),
        lines(
            "Until a person decided",
            "s",
            (f"table:smartshoe_decision_seconds:mean{{{ONE}}}", "mean of a day"),
        ),
        bars(
            "Advisories",
            "smartshoe_advisories_total",
            "kind",
            ONE,
            "5m",
            "Of the shoe monitors. None is a verdict.",
        ),
    ),
    "Devices": (
        rows(
            "Stage of each device",
            stages("smartshoe_device_stage", "device", ONE),
            Column("device", "Device"),
            stage_column(DEVICE_STAGES),
        ),
        lines(
            "Bytes",
            "Bps",
            (
                f"sum by (device) (rate(smartshoe_device_bytes_total{{{ONE}}}[{RATE}]))",
                "{{device}}",
            ),
        ),
        lines(
            "Events",
            "suffix: a second",
            (
                f"sum by (device) (rate(smartshoe_device_events_total{{{ONE}}}[{RATE}]))",
                "{{device}}",
            ),
        ),
        bars("Faults of the line", "smartshoe_link_errors_total", "device", ONE, "5m"),
        lines("Cards read", "percentunit", (f"table:smartshoe_reads:share_read{{{ONE}}}", "read")),
        lines(
            "From a card's bytes to its stored verdict",
            "s",
            (f"table:smartshoe_scan_to_stored_seconds:p99{{{ONE}}}", "99 of 100 within"),
        ),
    ),
    "Batches and shuffler": (
        rows(
            "Stage of each batch",
            stages("smartshoe_batch_stage", "back", ONE),
            Column("back", "Batch"),
            stage_column(BATCH_STAGES),
            nothing="no data, or no shuffler",
        ),
        bars("Shuffles", "smartshoe_shuffles_total", "result", ONE, "1h"),
        lines(
            "Shuffler in use",
            "percentunit",
            (f"table:smartshoe_shuffler:available{{{ONE}}}", "share of the day"),
        ),
        lines(
            "Warnings of the shuffler",
            "short",
            (f"smartshoe_shuffler_warnings_open{{{ONE}}}", "open"),
            axis="open warnings",
            decimals=0,
        ),
    ),
    "Records": (
        stat(
            "Leaves of the evidence log",
            or_absent(of_one("smartshoe_log_size")),
            Shown(words={ABSENT: ("no signed head", NEUTRAL)}, decimals=0),
        ),
        stat(
            "48 bits of its root",
            or_absent(of_one("smartshoe_log_root48")),
            Shown("hex", words={ABSENT: ("no signed head", NEUTRAL)}),
        ),
        stat(
            "Shoes to be sealed",
            or_absent(of_one("smartshoe_shoes_unsealed")),
            Shown(
                words={0: ("none", GREEN), ABSENT: ("not sealed here", NEUTRAL)},
                colour=AMBER,
                decimals=0,
            ),
        ),
        stat(
            "Seals without a key",
            or_absent(of_one("smartshoe_seals_unsigned")),
            Shown(
                words={
                    0: ("signed", GREEN),
                    1: ("not signed", AMBER),
                    ABSENT: ("not sealed here", NEUTRAL),
                },
                colour=AMBER,
            ),
        ),
        stat("Journal", or_down(of_one("smartshoe_journal_bytes"), ONE), BYTES),
        PanelOf(
            "stat",
            "Disk free",
            4,
            ((disk_free(ONE), "{{level}}"),),
            DISK,
            "Amber and red below the table's own limits.",
            of_legend=DISK_BY_LEVEL,
        ),
        lines(
            "Behind the journal",
            "s",
            (f"smartshoe_journal_lag_seconds{{{ONE}}}", "subscribers"),
            (f"smartshoe_feed_lag_seconds{{{ONE}}}", "feed {{consumer}}"),
        ),
        lines(
            "Events sent to the feed",
            "suffix: a second",
            (f"rate(smartshoe_feed_events_total{{{ONE}}}[{RATE}])", "{{consumer}}"),
        ),
    ),
}

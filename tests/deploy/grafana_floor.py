"""The panels of the dashboard of the floor."""

from grafana_panels import (
    AMBER,
    BY_TABLE,
    GREEN,
    NONE_IS_BEST,
    NONE_IS_GOOD,
    NUMBER,
    RED,
    VALUE,
    Column,
    PanelOf,
    Shown,
    lines,
    or_down,
    rows,
    stat,
)

from controller.core.tape.inputs import DiskLevel

PITS = 'pit=~"$pit"'
PIT, TABLE_NAME = Column("pit", "Pit"), Column("table", "Table")
UPS = f'{BY_TABLE} (up{{job="smartshoe", {PITS}}})'
FIRING = f'ALERTS{{alertstate="firing", severity!="heartbeat", {PITS}}}'
# It fires while alarms are judged and a table answers; nothing counts as none only beside it.
HEARTBEAT = 'ALERTS{alertstate="firing", severity="heartbeat"}'
ALARM_LABELS = {
    "severity": "Severity",
    "alertname": "Alarm",
    "pit": "Pit",
    "table": "Table",
    "code": "Code",
    "kind": "Kind",
    "result": "Result",
    "device": "Device",
    "consumer": "Consumer",
    "subscriber": "Subscriber",
}
SEVERITIES = {
    "page": ("page: go now", RED),
    "ticket": ("ticket: look today", AMBER),
    "heartbeat": ("alarms are judged", GREEN),
}
OF_ALARMS = f"max by ({', '.join(ALARM_LABELS)})"


def alarms_of(severity: str) -> str:
    return f'count(ALERTS{{alertstate="firing", {severity}, {PITS}}}) or 0 * count({HEARTBEAT})'


def disks_at(level: DiskLevel) -> str:
    return f'sum({BY_TABLE} (smartshoe_disk_room{{level="{level.value}", {PITS}}}))'


FLOOR = {
    "The floor now": (
        stat("Tables in the list", f"count({UPS})", width=3),
        stat(
            "Tables that answer",
            f"count({UPS} > 0) or 0 * count({UPS})",
            Shown(words={0: ("none", RED)}),
            width=3,
        ),
        stat("Tables down", f"count({UPS} == 0) or 0 * count({UPS})", NONE_IS_GOOD, width=3),
        stat(
            "Suspended", f"sum({BY_TABLE} (smartshoe_suspended{{{PITS}}}))", NONE_IS_GOOD, width=3
        ),
        stat("Pages", alarms_of('severity="page"'), NONE_IS_GOOD, width=3),
        stat(
            "Alarms",
            alarms_of('severity!="heartbeat"'),
            NONE_IS_GOOD,
            "Pages and tickets; none only while alarms are judged and a table answers.",
            width=3,
        ),
        PanelOf(
            "stat",
            "Disks with little space",
            3,
            ((disks_at(DiskLevel.LOW), "low"), (disks_at(DiskLevel.STOP), "full")),
            NONE_IS_BEST,
            "By the tables' own limits; a table with a full disk stops.",
            of_legend={"full": NONE_IS_GOOD},
        ),
        stat("Coups per hour", f"sum(pit:smartshoe_coups:per_hour{{{PITS}}})", width=3),
    ),
    "Tables": (
        rows(
            "Alarms that fire",
            f"{OF_ALARMS} ({FIRING}) or {OF_ALARMS} ({HEARTBEAT})",
            *(
                Column(
                    label,
                    title,
                    Shown("string", SEVERITIES, colour=RED) if label == "severity" else None,
                )
                for label, title in ALARM_LABELS.items()
            ),
            words="docs/alerts.md says what to do first at each.",
            nothing="no data: no alarm is judged, or no table answers",
        ),
        rows(
            "Coups per hour by table",
            or_down(f"table:smartshoe_coups:per_hour{{{PITS}}}", PITS),
            PIT,
            TABLE_NAME,
            Column(VALUE, "Coups an hour", NUMBER),
        ),
        rows(
            "Suspended for",
            or_down(
                "time() - max by (pit, table, code)"
                f" (smartshoe_suspended_since_timestamp_seconds{{{PITS}}})"
                f" or on (pit, table) {BY_TABLE} (smartshoe_suspended{{{PITS}}})",
                PITS,
            ),
            PIT,
            TABLE_NAME,
            Column("code", "Irregularity"),
            Column(
                VALUE,
                "Suspended for",
                Shown("s", words={0: ("not suspended", GREEN)}, colour=RED),
            ),
        ),
        rows(
            "Versions, rules and gaming days",
            "count by (version, build, profile, document, gaming_day)"
            f" (smartshoe_table_info{{{PITS}}})",
            Column("version", "Version"),
            Column("build", "Build"),
            Column("profile", "Profile"),
            Column("document", "Rules"),
            Column("gaming_day", "Gaming day"),
            Column(VALUE, "Tables", NUMBER),
        ),
    ),
    "Play": (
        lines(
            "Coups per hour by pit",
            "short",
            (f"pit:smartshoe_coups:per_hour{{{PITS}}}", "{{pit}}"),
            axis="coups an hour",
        ),
        lines(
            "Irregularities in 1,000 coups",
            "short",
            (
                f"topk(10, table:smartshoe_irregularities:per_1000_coups{{{PITS}}})",
                "{{pit}} {{table}}",
            ),
            words="The ten tables with the most, over a day.",
            axis="in 1,000 coups",
        ),
        lines(
            "Until a person decided",
            "s",
            (f"topk(10, table:smartshoe_decision_seconds:mean{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Between coups, half within",
            "s",
            (
                f"topk(10, table:smartshoe_between_coups_seconds:p50{{{PITS}}})",
                "{{pit}} {{table}}",
            ),
        ),
    ),
    "Machines and devices": (
        lines(
            "Cards read, the ten lowest",
            "percentunit",
            (f"bottomk(10, table:smartshoe_reads:share_read{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Shufflers in use, the ten lowest",
            "percentunit",
            (f"bottomk(10, table:smartshoe_shuffler:available{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Devices by stage",
            "short",
            (f"sum by (stage) (smartshoe_device_stage{{{PITS}}})", "{{stage}}"),
            axis="devices",
            decimals=0,
        ),
        lines(
            "Disk free, the ten lowest",
            "bytes",
            (f"bottomk(10, smartshoe_disk_free_bytes{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Scrape",
            "s",
            (f'max by (pit) (scrape_duration_seconds{{job="smartshoe", {PITS}}})', "{{pit}}"),
        ),
        lines(
            "Feed behind, the ten furthest",
            "s",
            (f"topk(10, smartshoe_feed_lag_seconds{{{PITS}}})", "{{pit}} {{table}}"),
        ),
    ),
}

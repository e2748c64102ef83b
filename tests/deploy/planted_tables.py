"""Tables whose figures are planted into the blocks of a real Prometheus, at one moment."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from controller.custody.batch_life.stages import BatchStage

AT_S = 1_800_000_000
# A floor whose alarms nobody judged, an hour before.
UNJUDGED_S = AT_S - 3600
BEFORE_S = 600
MIB, GB = 1 << 20, 1_000_000_000
PIT, FULL_PIT, DARK_PIT, EMPTY_PIT = "pit-3", "pit-4", "pit-5", "pit-6"
TABLES_OF_FULL_PIT = 80
Labels = dict[str, str]
Series = tuple[str, Labels, float]


def disk(free: float, level: str = "") -> Iterator[Series]:
    yield "smartshoe_disk_free_bytes", {}, free
    for one in ("unknown", "enough", "low", "stop") if level else ():
        yield "smartshoe_disk_room", {"level": one}, float(one == level)


def device(name: str, stage: str) -> Series:
    return "smartshoe_device_stage", {"device": name, "stage": stage}, 1


def batch(back: str, stage: str) -> Series:
    return "smartshoe_batch_stage", {"back": back, "stage": stage}, 1


def running(suspended: int = 0, irregularities: int = 0, up: int = 1) -> Iterator[Series]:
    info = {"version": "0.9.0", "build": "3f81a0c2d94e", "profile": "s42-mini", "document": "S42"}
    yield "up", {}, up
    yield "smartshoe_table_info", {**info, "gaming_day": "2027-01-15"}, 1
    yield "smartshoe_suspended", {}, suspended
    yield "smartshoe_open_irregularities", {}, irregularities
    yield "smartshoe_journal_bytes", {}, 4096


def in_shoe(cards: int, coup_ended_s: float = 30) -> Iterator[Series]:
    yield "smartshoe_shoe_number", {}, 3
    yield "smartshoe_cards_left", {}, cards
    yield "smartshoe_last_coup_timestamp_seconds", {}, AT_S - coup_ended_s
    yield "smartshoe_coups_total", {"outcome": "banker"}, 50


def records(unsealed: int = 0, unsigned: int = 0) -> Iterator[Series]:
    yield "smartshoe_log_size", {}, 90
    yield "smartshoe_log_root48", {}, 255
    yield "smartshoe_shoes_unsealed", {}, unsealed
    yield "smartshoe_seals_unsigned", {}, unsigned


def planted() -> dict[tuple[str, str], list[Series]]:
    """The series of each table by pit and name."""
    plays = [*running(), *in_shoe(416), *records(), *disk(400 * GB, "enough")]
    since = "smartshoe_suspended_since_timestamp_seconds"
    tables: dict[tuple[str, str], list[Series]] = {
        (PIT, "plays"): [*plays, device("dealing_shoe", "online"), batch("red", "in_play")],
        (PIT, "suspended"): [
            *running(1, 1),
            *in_shoe(101, 180),
            (since, {"code": "OVERDRAW"}, AT_S - 180),
            *records(2, 1),
            *disk(1 * GB, "low"),
            device("dealing_shoe", "lost"),
            device("shuffler", "identified"),
            batch("blue", "held"),
        ],
        (PIT, "down"): [("up", {}, 0)],
        (PIT, "not begun"): [
            *running(),
            *disk(50 * MIB, "stop"),
            device("dealing_shoe", "closed"),
            device("shuffler", "opened"),
            # So many batches has no table: one for each stage.
            *(batch(one.value, one.value) for one in BatchStage),
        ],
        (PIT, "named otherwise"): [("up", {}, 1)],
        # Values that no version has: what is not known to be good is not shown as good.
        (PIT, "strange"): [
            *running(2, 2, up=2),
            ("smartshoe_seals_unsigned", {}, 2),
            device("dealing_shoe", "molten"),
            batch("red", "molten"),
            *disk(30 * MIB),
        ],
        (PIT, "1 GB, no level"): [*running(), *disk(1 * GB)],
        (PIT, "400 GB, no level"): [*running(), *disk(400 * GB)],
        (DARK_PIT, "down"): [("up", {}, 0)],
    }
    for number in range(TABLES_OF_FULL_PIT):
        tables[FULL_PIT, f"M-{number}"] = plays
    return tables


def alarm(name: str, severity: str, **labels: str) -> Series:
    named = {"alertname": name, "severity": severity, "alertstate": "firing"}
    return "ALERTS", named | labels, 1


ALARMS = (
    alarm("AlertPathAlive", "heartbeat"),
    alarm("CardOverdrawn", "page", pit=PIT, table="suspended", code="OVERDRAW"),
    alarm("TableDown", "page", pit=PIT, table="down"),
    alarm("TableDown", "page", pit=DARK_PIT, table="down"),
    alarm("DiskLow", "ticket", pit=PIT, table="suspended"),
    alarm("OfAnotherHouse", "shout", pit=PIT, table="plays"),
)


def samples(series: Series, at_s: int) -> Iterator[str]:
    """Its sample in OpenMetrics; a counter has one of 0 before it."""
    name, labels, value = series
    inside = ",".join(f'{label}="{one}"' for label, one in labels.items())
    if name.endswith("_total"):
        yield f"{name}{{{inside}}} 0 {at_s - BEFORE_S}"
    yield f"{name}{{{inside}}} {value} {at_s}"


def plant(folder: Path) -> Path:
    """Make the blocks of a Prometheus of these tables; returns their folder."""
    text, data = folder / "planted.om", folder / "data"
    with text.open("w", encoding="utf-8") as file:
        for (pit, table), all_series in planted().items():
            here = {"job": "smartshoe", "instance": f"{table}:9309", "pit": pit, "table": table}
            for name, labels, value in all_series:
                for at_s in (AT_S, UNJUDGED_S):
                    file.writelines(
                        f"{line}\n" for line in samples((name, here | labels, value), at_s)
                    )
        for one in ALARMS:
            file.writelines(f"{line}\n" for line in samples(one, AT_S))
        file.write("# EOF\n")
    subprocess.run(
        ["promtool", "tsdb", "create-blocks-from", "openmetrics", str(text), str(data)],
        check=True,
        capture_output=True,
    )
    return data

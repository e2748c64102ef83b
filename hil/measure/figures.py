"""The bench's arithmetic: medians, percentiles, straight lines, and figures as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from statistics import median

# Below this many pooled samples a 99th percentile rests on one or two outliers.
P99_SAMPLES_MIN = 2_000
# With more preemptions than this the tail measures the other work.
DISTURBED_PER_MILLE_MAX = 2
# Paced runs have few samples by nature; their percentile is reported with their number.
PACED_SAMPLES_MIN = 200

NS_PER_US = 1_000
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


class Unit(StrEnum):
    """The unit of a figure, as it is printed."""

    RATIO = "x"
    US = "us"
    MS = "ms"
    MB = "MB"
    BYTES = "B"
    PERCENT = "%"
    PER_S = "/s"
    COUNT = ""


@dataclass(frozen=True, slots=True)
class FittedLine:
    """y = start + slope * x, and how well it fits (1: every point lies on it)."""

    start: float
    slope: float
    r_squared: float


def percentile(samples: Sequence[int], percent: float) -> int:
    """The smallest sample that at least `percent` of all samples do not exceed."""
    assert samples, "no samples"
    ordered = sorted(samples)
    rank = max(1, ceil(len(ordered) * percent / 100))
    return ordered[rank - 1]


def median_of_medians(blocks: Sequence[Sequence[int]]) -> float:
    """The median of the repeats' medians, so that one bad repeat does not count."""
    return median(median(block) for block in blocks if block)


def pool_samples(blocks: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The samples of all repeats together."""
    return tuple(sample for block in blocks for sample in block)


def fit_line(points: Sequence[tuple[float, float]]) -> FittedLine:
    """The least-squares line through at least two points of different x."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    var_x = sum((x - mean_x) ** 2 for x, _ in points)
    assert var_x > 0, "all points have one x"
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / var_x
    start = mean_y - slope * mean_x
    total = sum((y - mean_y) ** 2 for _, y in points)
    residual = sum((y - start - slope * x) ** 2 for x, y in points)
    return FittedLine(start, slope, 1.0 if total == 0 else 1 - residual / total)


def format_figure(value: float, unit: Unit) -> str:
    """A figure in three significant digits with its unit, such as `2.31x` or `181 k/s`."""
    if unit is Unit.PER_S:
        if value >= NS_PER_MS:
            return f"{value / NS_PER_MS:.3g} M/s"
        if value >= NS_PER_US:
            return f"{value / NS_PER_US:.3g} k/s"
    digits = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    gap = "" if unit in (Unit.RATIO, Unit.COUNT, Unit.PER_S) else " "
    return f"{digits}{gap}{unit.value}"

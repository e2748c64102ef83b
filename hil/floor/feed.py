"""The feed of a floor: what each table is given, and the coups that the consumer holds."""

from collections import Counter

from hil.floor.scraping import JOB
from hil.rig.servers.feed_consumer import FeedConsumer, Held
from hil.rig.servers.prometheus import Prometheus

# This Mosquitto saves after each change.
FEED = """
[[feed]]
name = "floor"
host = "127.0.0.1"
port = {port}
tls = false
broker_saves_s = 5
"""
_COUP = ".coup.v1"


def consumed_coups(held: Held) -> dict[str, int]:
    """The coups of each table that the consumer holds."""
    counts: Counter[str] = Counter()
    for source, events in held.events.items():
        table = source.rpartition("/")[2]
        counts[table] += sum(str(one["type"]).endswith(_COUP) for one in events.values())
    return dict(counts)


def feed_gaps(held: Held) -> int:
    """Events that are named as the previous one, and that the consumer does not hold."""
    return sum(len(held.gaps(source)) for source in held.events)


def await_consumed(consumer: FeedConsumer, dealt: dict[str, int]) -> None:
    """Wait until the consumer holds all coups, as long as something moves."""
    consumer.wait(lambda held: consumed_coups(held) == dealt)


def longest_lag_s(prometheus: Prometheus, seconds: float) -> float:
    """The longest time that an event waited to be sent, as scraped in the last so many seconds."""
    span = f"[{max(1, round(seconds))}s]"
    found = prometheus.query(f'max(max_over_time(smartshoe_feed_lag_seconds{{job="{JOB}"}}{span}))')
    return found[0].value if found else float("nan")

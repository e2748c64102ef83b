"""Floods of log lines: a burst passes, then one line a second says how many more came."""

import logging

from controller.table.line_limit import LineLimit
from foundation.timestamp import Timestamp

S = 1_000_000_000


class Limited:
    """A limit with what it passed on, and a clock."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.at_ns = S
        self.limit = LineLimit(self.pass_on, lambda: Timestamp(self.at_ns, self.at_ns))

    def pass_on(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name}: {record.getMessage()}")

    def log(self, words: str, name: str = "smartshoe.irregularities", times: int = 1) -> None:
        for _ in range(times):
            self.limit.take(logging.LogRecord(name, logging.WARNING, "", 0, words, None, None))


def test_of_a_flood_a_burst_passes_and_then_a_line_a_second_says_how_many_more() -> None:
    limited = Limited()
    limited.log("OVERDRAW", times=LineLimit.BURST + 2_800)
    assert limited.lines == ["smartshoe.irregularities: OVERDRAW"] * LineLimit.BURST

    for _ in range(3):
        limited.at_ns += S
        limited.limit.say_left_out()
        limited.log("OVERDRAW", times=2_800)
    limited.limit.close()

    said = limited.lines[LineLimit.BURST :]
    assert said == ["smartshoe.irregularities: and 2,800 more"] * 4


def test_a_flood_of_one_kind_hides_no_line_of_another() -> None:
    limited = Limited()
    limited.log("OVERDRAW", times=LineLimit.BURST + 1)
    limited.log("the shoe is lost", "smartshoe.devices")

    assert limited.lines[-1] == "smartshoe.devices: the shoe is lost"
    limited.limit.close()


def test_after_a_flood_single_lines_pass_again() -> None:
    limited = Limited()
    limited.log("OVERDRAW", times=LineLimit.BURST + 1)
    limited.at_ns += 3 * S
    limited.limit.say_left_out()
    limited.log("void decided by Ann Lee")

    assert limited.lines[-2:] == [
        "smartshoe.irregularities: and 1 more",
        "smartshoe.irregularities: void decided by Ann Lee",
    ]
    limited.limit.close()


def test_what_was_left_out_last_is_said_by_itself(monkeypatch) -> None:
    limited = Limited()
    limited.log("OVERDRAW", times=LineLimit.BURST + 7)
    limited.limit.close()

    assert limited.lines[-1] == "smartshoe.irregularities: and 7 more"


def test_the_wire_is_logged_whole() -> None:
    limited = Limited()
    limited.log("event", "smartshoe.wire.dev", times=5 * LineLimit.BURST)

    assert len(limited.lines) == 5 * LineLimit.BURST

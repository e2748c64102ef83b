"""Settings of an Angel Eye link: choices its specification leaves open, and its limits.

Source: firmware_bridge/angel_eye/README.md, settings.
"""

from enum import StrEnum

from msgspec import Struct

from firmware_bridge.angel_eye.frames import BccReading


class SequenceCycle(StrEnum):
    """The order of SEQ characters, which the shoe's manufacturer has not published."""

    HEX = "0-9A-F"
    DECIMAL = "0-9"
    ONE_TO_NINE = "1-9"
    LEARN = "learn"  # the order of the first complete cycle; until then no gap can be proved


class PayloadForm(StrEnum):
    """Whether the payload bytes of a report carry bit 7; public programs of the shoe differ."""

    BIT_7 = "bit_7"
    PLAIN = "plain"
    LEARN = "learn"  # bit 7, until reports without it were steady


class AngelEyeLinkSettings(Struct, frozen=True):
    """Durations in nanoseconds.

    `report_interval_ns_min` is the shortest mean time between two different reports over half
    a cycle and more: nobody draws cards faster than four a second. Copies of a report come within
    `repeat_window_ns`; where they come late, within `late_repeat_reports` times that interval.
    `silence_ns_max`: the longest silence within a frame; the longest frame takes 273 ms.
    `listened_ns_min`: a shorter opening without a report does not count as listening.
    `longer_payload`: what follows the known bytes of a payload is ignored. `learn_frames`: so many
    reports in a row without bit 7, and understood without it, are its form where it is learnt.
    """

    seq_cycle: SequenceCycle = SequenceCycle.HEX
    bcc_reading: BccReading = BccReading.STX_COUNTED
    report_interval_ns_min: int = 250_000_000
    repeat_window_ns: int = 2_000_000_000
    late_repeat_reports: int = 16
    silence_ns_max: int = 1_000_000_000
    command_timeout_ns: int = 500_000_000
    command_resends_max: int = 2
    busy_delay_ns: int = 200_000_000
    busy_resends_max: int = 5
    listened_ns_min: int = 2_000_000_000
    commands_waiting_max: int = 8
    payload: PayloadForm = PayloadForm.BIT_7
    longer_payload: bool = False
    learn_frames: int = 8

    def __post_init__(self) -> None:
        assert self.report_interval_ns_min > 0
        assert self.repeat_window_ns > 0
        assert self.late_repeat_reports > 0
        assert self.silence_ns_max > 0
        assert self.command_timeout_ns > 0
        assert self.busy_delay_ns > 0

    @property
    def repeat_ns_max(self) -> int:
        """The longest time after a report in which the same bytes are a copy of it."""
        return max(self.repeat_window_ns, self.late_repeat_reports * self.report_interval_ns_min)

"""The outputs of the program by name, and what one may show while cards lie face down.

Source: D-8 (a scan is not disclosure).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct


class OutputName(StrEnum):
    """Every output of the program."""

    SNAPSHOT = "snapshot"
    ACTION_ANSWER = "action_answer"
    CONTROL_REFUSAL = "control_refusal"
    PAGES = "pages"
    API = "api"
    METRICS = "metrics"
    HEALTH_PAGES = "health_pages"
    LOG = "log"
    WIRE_LOG = "wire_log"
    SERVICE_NOTICE = "service_notice"
    DEVICE_BYTES = "device_bytes"
    PROGRAM_WORDS = "program_words"
    JOURNAL = "journal"
    STATUS_WORDS = "status_words"
    MONITOR = "monitor"
    WIRE_RECORD = "wire_record"
    DEVICE_LIST = "device_list"
    KEY = "key"
    BATCH = "batch"
    BATCH_READER = "batch_reader"
    VERIFY_REPORT = "verify_report"
    REPLAY_REPORT = "replay_report"
    EVIDENCE_BUNDLE = "evidence_bundle"
    REPORT = "report"
    AUDIT_REPORT = "audit_report"
    JOURNAL_FILES = "journal_files"
    TABLES = "tables"
    OVERLAY = "overlay"
    REFERENCE = "reference"
    SET_UP = "set_up"
    TRIED = "tried"
    FAULT = "fault"
    ERROR_WORDS = "error_words"
    WITNESS = "witness"
    FEED = "feed"


class AllowedContent(StrEnum):
    """What an output may show while cards lie face down."""

    NO_CARD = "no card, and nothing that follows from one"
    SEEN = "cards people have seen, and what follows from those"
    MASKED = "no card byte, outside maintenance of a closed table"
    OWN = "no table's cards: the rules, or what the person who asks has written"
    BATCH = "which identity is which card of a batch: no order of cards, and no place of one"
    EVIDENCE = "every input as it came in: whoever may read it is trusted as the records are"


Channel: TypeAlias = Literal[
    "terminal",
    "log",
    "socket",
    "file",
    "database",
    "device",
    "bytes",
    "metrics",
    "process",
]


class Output(Struct, frozen=True):
    """One output; `modules` lists the modules that write it, by channel.

    Tests compare `modules` with every output in the source, both ways.
    """

    name: OutputName
    description: str
    allowed: AllowedContent
    modules: Mapping[Channel, tuple[str, ...]]

"""What people may have seen, and the list of every way out of the program.

Responsible for: saying when a card, and what follows from it, is disclosed, and naming each output
that could show one.
Not responsible for: the outputs themselves and for what was turned
(controller.procedure.calls.visibility).
Source: D-8 (a scan is not disclosure); S42-g-3-i to S42-g-3-iii, NY-f-3-i-a to NY-f-3-ii-e,
S42-e-6-shown, NY-e-1, WA-ov-9-face; package README, "Disclosure".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from controller.procedure.calls.visibility import (
    all_seen,
    card_seen,
    errors_seen,
    hands_seen,
    is_seen,
    is_there,
)
from controller.procedure.effects import CoupFate, CoupRecord
from controller.procedure.events import TurnedCards
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import CoupState, DealtCard
from controller.rules.hands import HandName
from controller.rules.setting_values import BurnDisclosure, DealOption

HIDDEN_CARD = "??"

_PARTS = {
    HandName.PLAYER: (TurnedCards.PLAYER_HAND, TurnedCards.PLAYER_THIRD),
    HandName.BANKER: (TurnedCards.BANKER_HAND, TurnedCards.BANKER_THIRD),
}


class WayOut(StrEnum):
    """Every output of the program."""

    SNAPSHOT = "snapshot"
    ACTION_ANSWER = "action_answer"
    CONTROL_REFUSAL = "control_refusal"
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
    DEVICE_LIST = "device_list"
    KEY = "key"
    BATCH = "batch"
    BATCH_READER = "batch_reader"
    VERIFY_REPORT = "verify_report"
    REPLAY_REPORT = "replay_report"
    EVIDENCE_BUNDLE = "evidence_bundle"
    AUDIT_REPORT = "audit_report"
    JOURNAL_FILES = "journal_files"
    REFERENCE = "reference"
    TRIED = "tried"
    FAULT = "fault"
    ERROR_WORDS = "error_words"


class Passes(StrEnum):
    """What may pass at a way out while cards lie face down."""

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


@dataclass(frozen=True, slots=True)
class Way:
    """One way out: by which modules, through which channel; `package.*` for all of a package.

    Tests compare `by` with every output in the source, both ways.
    """

    out: WayOut
    what: str
    passes: Passes
    by: Mapping[Channel, tuple[str, ...]]


WAYS: Final = (
    Way(
        WayOut.SNAPSHOT,
        "control socket: status and subscriptions",
        Passes.SEEN,
        by={
            "socket": (
                "controller.control.server",
                "controller.system.connections",
                "controller.control.client",
            )
        },
    ),
    Way(
        WayOut.ACTION_ANSWER,
        "control socket: what an action led to",
        Passes.NO_CARD,
        by={"socket": ("controller.control.server", "controller.control.client")},
    ),
    Way(
        WayOut.CONTROL_REFUSAL,
        "control socket: why a request or an action was refused",
        Passes.NO_CARD,
        by={"socket": ("controller.control.server",)},
    ),
    Way(
        WayOut.METRICS,
        "HTTP: counts for Prometheus",
        Passes.NO_CARD,
        by={
            "metrics": ("controller.metrics.collector", "controller.metrics.server"),
            "socket": ("controller.system.http", "controller.system.connections"),
            "bytes": ("controller.system.http",),
        },
    ),
    Way(
        WayOut.HEALTH_PAGES,
        "HTTP: /healthz, /readyz and pages that are not there",
        Passes.NO_CARD,
        by={"socket": ("controller.system.http",), "bytes": ("controller.system.http",)},
    ),
    Way(
        WayOut.LOG,
        "log: start, end, devices, warnings by kind, batches by name, faults by kind and place",
        Passes.NO_CARD,
        by={
            "log": (
                "controller.service.app",
                "controller.service.device_log",
                "controller.table.disk_space",
                "controller.archive.sealer",
                "controller.table.table",
            )
        },
    ),
    Way(
        WayOut.WIRE_LOG,
        "log: what arrives on a port, where [log] wire asks for it",
        Passes.MASKED,
        by={"log": ("controller.service.device_log",)},
    ),
    Way(
        WayOut.SERVICE_NOTICE,
        "datagrams to systemd: ready, alive, stopping",
        Passes.NO_CARD,
        by={"socket": ("controller.system.systemd",)},
    ),
    Way(
        WayOut.DEVICE_BYTES,
        "bytes written to a device: commands and acknowledgements",
        Passes.NO_CARD,
        by={
            "device": (
                "firmware_bridge.transport.serial_port",
                "firmware_bridge.transport.usb_devices",
                "firmware_bridge.transport.usb_port",
            ),
            "socket": ("firmware_bridge.transport.serial_port",),
            "bytes": (
                "controller.table.table",
                "firmware_bridge.transport.pump",
                "firmware_bridge.transport.serial_port",
                "firmware_bridge.transport.usb_port",
            ),
        },
    ),
    Way(
        WayOut.PROGRAM_WORDS,
        "stderr of `smartshoe run`: why it does not start, why it ended",
        Passes.NO_CARD,
        by={"terminal": ("controller.service.app",)},
    ),
    Way(
        WayOut.JOURNAL,
        "live.db, its lock and reserve, sealed shoes, archives, tapes, private copies for reading",
        Passes.EVIDENCE,
        by={
            "database": (
                "controller.journal.database",
                "controller.journal.reader",
                "controller.journal.store",
                "controller.journal.verify",
            ),
            "file": (
                "controller.table.disk_space",
                "controller.journal.database",
                "controller.journal.folder",
                "controller.journal.tape_file",
                "controller.journal.verify",
                "controller.archive.prune",
                "controller.system.atomic_file",
            ),
            "bytes": (
                "controller.journal.tape_file",
                "controller.system.atomic_file",
            ),
            "process": ("controller.archive.signer",),
        },
    ),
    Way(
        WayOut.STATUS_WORDS,
        "`smartshoe status`, `resolve`, `close-shoe`, `act`: a snapshot or an answer in words",
        Passes.SEEN,
        by={
            "terminal": (
                "controller.cli.table.commands",
                "controller.cli.output",
            )
        },
    ),
    Way(
        WayOut.MONITOR,
        "`smartshoe devices monitor`",
        Passes.MASKED,
        by={"terminal": ("controller.cli.devices.monitor", "controller.cli.devices.commands")},
    ),
    Way(
        WayOut.DEVICE_LIST,
        "`smartshoe devices`: what is plugged in",
        Passes.NO_CARD,
        by={"terminal": ("controller.cli.devices.device_list",)},
    ),
    Way(
        WayOut.KEY,
        "the table's key, paired devices, approved firmware, `smartshoe keys` and its like",
        Passes.NO_CARD,
        by={
            "file": ("controller.system.keys", "controller.system.atomic_file"),
            "bytes": ("controller.system.keys", "controller.system.atomic_file"),
            "terminal": (
                "controller.cli.devices.firmware",
                "controller.cli.devices.identity",
                "controller.cli.batches.keys",
            ),
        },
    ),
    Way(
        WayOut.BATCH,
        "files of batches, their receipts and those of shuffles, `smartshoe batch`, `shuffles`",
        Passes.BATCH,
        by={
            "file": ("controller.system.atomic_file",),
            "bytes": ("controller.system.atomic_file",),
            "terminal": (
                "controller.cli.batches.commands",
                "controller.cli.batches.options",
                "controller.cli.batches.enrol",
                "controller.cli.batches.pile_view",
                "controller.cli.batches.recount",
                "controller.cli.batches.shuffles",
            ),
        },
    ),
    Way(
        WayOut.BATCH_READER,
        "bytes written to a device that serves no table: a batch is counted, a device is paired",
        Passes.NO_CARD,
        by={"bytes": ("controller.commissioning.pairing", "controller.commissioning.pile_reader")},
    ),
    Way(
        WayOut.VERIFY_REPORT,
        "`smartshoe verify`: counts, record numbers and the head of the chain",
        Passes.NO_CARD,
        by={"terminal": ("controller.cli.evidence.verify_replay", "controller.journal.verify")},
    ),
    Way(
        WayOut.REPLAY_REPORT,
        "`smartshoe replay`: kinds of entries and codes, to a reader of the journal",
        Passes.NO_CARD,
        by={"terminal": ("controller.cli.evidence.verify_replay",)},
    ),
    Way(
        WayOut.EVIDENCE_BUNDLE,
        "`smartshoe evidence`: a coup of a sealed shoe in a file, its page only with cards seen",
        Passes.EVIDENCE,
        by={
            "file": ("controller.evidence.bundle", "controller.system.atomic_file"),
            "bytes": ("controller.system.atomic_file",),
            "terminal": ("controller.cli.evidence.bundle",),
        },
    ),
    Way(
        WayOut.AUDIT_REPORT,
        "`smartshoe audit`: counts, and cards of finished shoes where a rule is broken",
        Passes.SEEN,
        by={
            "terminal": ("controller.cli.evidence.audit",),
            "process": ("controller.audit.worker_pool",),
        },
    ),
    Way(
        WayOut.JOURNAL_FILES,
        "`smartshoe journal`: sealed shoes by number, lists of seals, rows of finished coups",
        Passes.SEEN,
        by={
            "terminal": (
                "controller.cli.evidence.journal_files",
                "controller.cli.evidence.journal_retention",
            )
        },
    ),
    Way(
        WayOut.REFERENCE,
        "`smartshoe rules`, `clauses`, `odds`, `check-config`, `act --list`, help and version",
        Passes.OWN,
        by={
            "terminal": (
                "controller.cli.table.act_values",
                "controller.cli.table.act_list",
                "controller.cli.rules.clauses",
                "controller.cli.commands",
                "controller.cli.rules.odds",
                "controller.cli.rules.rules",
                "controller.cli.table.check_config",
            )
        },
    ),
    Way(
        WayOut.TRIED,
        "`smartshoe try` and `settle`: a script or a coup that somebody writes",
        Passes.OWN,
        by={"terminal": ("controller.cli.rules.settle", "controller.cli.rules.try_script")},
    ),
    Way(
        WayOut.FAULT,
        "stderr of a command: a known error in its words, a fault of ours by kind and place",
        Passes.NO_CARD,
        by={"terminal": ("controller.cli.errors",)},
    ),
    Way(
        WayOut.ERROR_WORDS,
        "words of an error: what is wrong with a request, a file, a port, a record",
        Passes.NO_CARD,
        by={"terminal": ("controller.cli.errors",)},
    ),
)


def card_disclosed(book: RuleBook, coup: CoupState, dealt: DealtCard) -> bool:
    """Whether a card of a hand may be shown; none that was dealt while the table was suspended."""
    return not coup.suspended_cards and card_seen(book, coup, dealt)


def errors_disclosed(coup: CoupState) -> bool:
    """Whether the cards drawn in error during the coup may be shown."""
    return not coup.suspended_cards and errors_seen(coup)


def count_disclosed(book: RuleBook, coup: CoupState, hand: HandName) -> bool:
    """Whether the count of a hand may be told: every card of it has been seen."""
    if coup.suspended_cards or coup.partial:
        return False
    two, third = _PARTS[hand]
    return is_seen(book, coup, two) and (not is_there(coup, third) or is_seen(book, coup, third))


def third_place_disclosed(book: RuleBook, coup: CoupState) -> bool:
    """Whether it may be told to which hand a third card belongs, as the rules make of both hands.

    At a table where nobody tells what was turned it lies before its hand for everybody to see.
    """
    return not book.observes(Fact.TURNED) or hands_seen(book, coup)


def coup_disclosed(book: RuleBook, coup: CoupState) -> bool:
    """Whether what follows from both hands may be told: who draws, the outcome, the clauses."""
    return not coup.suspended_cards and all_seen(book, coup)


def record_disclosed(book: RuleBook, record: CoupRecord) -> bool:
    """Whether people have seen the cards of a coup that is closed."""
    return record_seen(record, face_up=book.values.deal_option is DealOption.FACE_UP)


def record_seen(record: CoupRecord, *, face_up: bool) -> bool:
    """The same of a coup that was dealt long ago, where no more of the rules is at hand.

    A coup that counts by its cards was turned; one that is void or partial may go face down to
    the discard rack.
    """
    if face_up or record.declared is not None:
        return True
    return record.ghost or record.fate is CoupFate.COUNTED


def irregularity_disclosed(book: RuleBook, coup: CoupState | None, *, provisional: bool) -> bool:
    """Whether an irregularity may show the clauses that its cards made apply.

    `coup` is its coup while that is on the table; `provisional`: its cards were dealt while the
    table was suspended.
    """
    if coup is not None:
        return coup_disclosed(book, coup)
    return book.values.deal_option is DealOption.FACE_UP and not provisional


def burn_card_disclosed(book: RuleBook, index: int) -> bool:
    """Whether people have seen burn card `index`, counted from 0."""
    return index == 0 or book.values.burn_cards_disclosed is BurnDisclosure.ALL

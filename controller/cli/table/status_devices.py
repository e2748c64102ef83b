"""Lines of `status` about cards by place, the shuffler with its warnings, and other devices."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from controller.cli.table.status_tasks import WIDTH, CommandHints, labelled_line, wrapped_lines
from controller.custody.batch_life.stages import BatchStage
from controller.record.snapshot import Snapshot
from controller.record.snapshot_devices import (
    BatchCardsView,
    IdentityView,
    ShufflerBatchView,
    ShufflerView,
)
from controller.system.messages.quantity import counted

_NS_PER_S: Final = 1_000_000_000
_S_PER_MIN: Final = 60
_BARE: Final = "BARE: it proves no identity, and the configuration accepts it"
_UNTRUSTED: Final = "NOT TRUSTED: it has not proven its identity, and its reports are ignored"
_NO_BATCH = (
    "no batch is bound: every card is foreign until the bar code of a batch is scanned or"
    " `smartshoe act bind-batch` names it"
)
# Descriptions of the stages whose names are not clear enough.
_STAGES: Final = MappingProxyType(
    {
        BatchStage.UNKNOWN: "unknown; it must be counted again",
        BatchStage.COLLECTED: "on its way into the shuffler",
        BatchStage.IN_SHOE: "in the shoe",
        BatchStage.IN_PLAY: "in play",
        BatchStage.SPENT: "spent, to be collected",
        BatchStage.HELD: "held: it must be counted again",
    }
)


# --- cards ----------------------------------------------------------------------------------------


def batch_card_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """Number of cards by place for each batch; and why a batch may not be dealt from."""
    lines: list[str] = []
    for batch in table.custody.batches:
        lines += wrapped_lines("" if lines else "cards", _batch_words(batch), width)
    for batch in table.custody.batches:
        if batch.blocked:
            words = f"{batch.batch} may not be dealt from: {batch.blocked}"
            lines += wrapped_lines(" blocked", words, width)
    if not lines and table.device.reads_tags:
        lines += wrapped_lines("cards", _NO_BATCH, width)
    return lines + _named_lines(table, width)


def _batch_words(batch: BatchCardsView) -> str:
    cards = batch.cards
    # In the order in which a card passes the places.
    places = (
        (cards.shoe, "in the shoe"),
        (cards.hands + cards.aside, "on the table"),
        (cards.burn, "burned"),
        (cards.discard_rack, "in the discard rack"),
        (cards.shuffler, "in the shuffler"),
        (cards.carton, "in the carton"),
        (cards.quarantine, "set apart"),
        (cards.unknown, "in an unknown place"),
    )
    there = ", ".join(f"{count} {words}" for count, words in places if count)
    in_play = ", in play" if batch.in_play else ""
    return f"{batch.batch} ({batch.back}{in_play}): {there or 'none'}"


def _named_lines(table: Snapshot, width: int) -> list[str]:
    """Batches that were named and refused, each with its last reason."""
    last = {one.batch: one.refused for one in table.batches_named}
    lines: list[str] = []
    for refused in filter(None, last.values()):
        lines += wrapped_lines(" refused", refused, width)
    return lines


def auxiliary_device_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """The auxiliary readers and scanners, each with its stage."""
    lines: list[str] = []
    for name, words in _beside(table):
        lines += wrapped_lines(name, words, width)
    return lines


def _beside(table: Snapshot) -> Iterator[tuple[str, str]]:
    for one in table.beside:
        which = one.seat.replace("_", " ") or one.model
        yield one.kind, "; ".join([f"{which} at {one.port}: {one.stage}", *one.remarks])


# --- the shuffler ---------------------------------------------------------------------------------


def warning_lines(
    table: Snapshot, hints: CommandHints, width: int = WIDTH, at_ns: int = 0
) -> list[str]:
    """Warnings that block play, since when, and the commands. `at_ns` is UTC now, 0 if unknown."""
    lines: list[str] = []
    clearable = False
    for one in table.shuffler.warnings if table.shuffler is not None else ():
        head = f"{one.number} {one.kind.replace('_', ' ')}: {one.text}"
        lines += wrapped_lines("WARNING", head, width)
        lines += wrapped_lines(" since", since_words(one.since_ns, at_ns), width)
        if one.active:
            lines += wrapped_lines(
                " clear", "only when its cause is gone; it is still present", width
            )
            continue
        clearable = True
        if hints.as_template:
            continue
        number = f"number={one.number}"
        lines.append(labelled_line(" clear", hints.act("clear-warning", number, reason=True)))
    if clearable and hints.as_template:
        command = hints.act("clear-warning", "number=N", reason=True)
        lines += wrapped_lines(" clear", command, width)
    return [*lines, labelled_line("", "until then no card may be drawn")] if lines else []


def since_words(since_ns: int, at_ns: int) -> str:
    """The time, and how long ago that is now; both are UTC in nanoseconds, 0 if unknown."""
    since = datetime.fromtimestamp(since_ns // _NS_PER_S, UTC)
    words = f"{since:%Y-%m-%d %H:%M:%S} UTC"
    if at_ns < since_ns or not since_ns:
        return words
    minutes, seconds = divmod((at_ns - since_ns) // _NS_PER_S, _S_PER_MIN)
    return f"{words}, {minutes} min {seconds:02} s ago"


def shuffler_lines(table: Snapshot, width: int = WIDTH) -> list[str]:
    """The device and the batches."""
    shuffler = table.shuffler
    if shuffler is None:
        return []
    lines: list[str] = []
    for words in _device(shuffler):
        lines += wrapped_lines("" if lines else "shuffler", words, width)
    for batch in shuffler.batches:
        lines += wrapped_lines(f" {batch.back}"[:10], "; ".join(_batch(batch)), width)
    return lines


def describe_identity(identity: IdentityView | None) -> str:
    """The identity a device has proven, to follow its stage; empty for a device without one."""
    if identity is None:
        return ""
    if identity.refused:
        return f"; REFUSED: {identity.refused}: its reports are ignored"
    if identity.bare:
        return f"; {_device_name(identity)}; {_BARE}"
    if identity.trusted:
        return f"; {_device_name(identity)}, trusted"
    return f"; {_UNTRUSTED}"


def _device_name(device: IdentityView | ShufflerView) -> str:
    words = [f"device {device.device}"] if device.device else []
    words += [f"firmware {device.version}"] if device.version else []
    return " ".join(words) or "device without a name"


def _device(shuffler: ShufflerView) -> Iterator[str]:
    words = f"{shuffler.model} at {shuffler.port}: {shuffler.stage}"
    words += f"; {shuffler.mode} mode"
    if shuffler.door_open:
        words += "; a door is open"
    if shuffler.residual:
        words += f"; {counted(shuffler.residual, 'card')} left inside"
    yield words if shuffler.commands_allowed else f"{words}; listen-only"
    if shuffler.bare:
        yield f"{_device_name(shuffler)}; {_BARE}"
    elif shuffler.trusted:
        yield f"{_device_name(shuffler)}, trusted"
    else:
        yield _UNTRUSTED


def _batch(batch: ShufflerBatchView) -> Iterator[str]:
    words = _STAGES.get(batch.stage, batch.stage.value)
    if batch.compartment:
        words += f", compartment {batch.compartment}"
    yield words
    if batch.cards is not None:
        yield counted(batch.cards, "card")
    shuffle = batch.shuffle
    if shuffle is not None:
        result = shuffle.result.replace("_", " ")
        proof = "" if shuffle.genuine else ", not proven"
        yield (
            f"shuffle {shuffle.cycle}: {result}{proof}, {shuffle.count} cards, {shuffle.took_s} s"
        )
    if batch.shown is not None:
        cycle, took_s = batch.shown.cycle, batch.shown.took_s
        yield f"shuffle {cycle}: shown by its lamps, not proven, {took_s} s"
    if batch.by_hand:
        yield "shuffled by hand"
    if batch.bars:
        bars = ", ".join(bar.replace("_", " ") for bar in batch.bars)
        yield f"may NOT be dealt from: {bars}"

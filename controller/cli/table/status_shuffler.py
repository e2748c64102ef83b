"""Lines of `status` about the shuffler: blocking warnings, the device, and each batch.

Source: controller/procedure/README.md, "The shuffler at the table"; controller/cli/README.md,
"Command line".
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from controller.cli.table.status_tasks import WIDTH, CommandHints, labelled_line, wrapped_lines
from controller.views.quantity import counted
from controller.views.snapshot_reader import SnapshotPart

_NS_PER_S: Final = 1_000_000_000
_S_PER_MIN: Final = 60
_BARE: Final = "BARE: it proves no identity, and the configuration accepts it"
_UNTRUSTED: Final = "NOT TRUSTED: it has not proven its identity, and its reports are ignored"
# Descriptions of the stages whose names are not clear enough.
_STAGES: Final = MappingProxyType(
    {
        "unknown": "unknown; it must be counted again",
        "collected": "on its way into the shuffler",
        "in_shoe": "in the shoe",
        "in_play": "in play",
        "spent": "spent, to be collected",
        "held": "held: it must be counted again",
    }
)


def warning_lines(
    table: SnapshotPart, hints: CommandHints, width: int = WIDTH, at_ns: int = 0
) -> list[str]:
    """Warnings that block play, since when, and the commands. `at_ns` is UTC now, 0 if unknown."""
    lines: list[str] = []
    clearable = False
    shuffler = table.part("shuffler") or SnapshotPart({})
    for one in shuffler.parts("warnings"):
        head = f"{one.number('number')} {one.text('kind').replace('_', ' ')}: {one.text('text')}"
        lines += wrapped_lines("WARNING", head, width)
        lines += wrapped_lines(" since", _since(one, at_ns), width)
        if one.yes("active"):
            lines += wrapped_lines(
                " clear", "only when its cause is gone; it is still present", width
            )
            continue
        clearable = True
        if hints.as_template:
            continue
        number = f"number={one.number('number')}"
        lines.append(labelled_line(" clear", hints.act("clear-warning", number, reason=True)))
    if clearable and hints.as_template:
        command = hints.act("clear-warning", "number=N", reason=True)
        lines += wrapped_lines(" clear", command, width)
    return [*lines, labelled_line("", "until then no card may be drawn")] if lines else []


def _since(warning: SnapshotPart, at_ns: int) -> str:
    since_ns = warning.number("since_ns")
    since = datetime.fromtimestamp(since_ns // _NS_PER_S, UTC)
    words = f"{since:%Y-%m-%d %H:%M:%S} UTC"
    if at_ns < since_ns or not since_ns:
        return words
    minutes, seconds = divmod((at_ns - since_ns) // _NS_PER_S, _S_PER_MIN)
    return f"{words}, {minutes} min {seconds:02} s ago"


def shuffler_lines(table: SnapshotPart, width: int = WIDTH) -> list[str]:
    """The device and the batches."""
    shuffler = table.part("shuffler")
    if shuffler is None:
        return []
    lines: list[str] = []
    for words in _device(shuffler):
        lines += wrapped_lines("" if lines else "shuffler", words, width)
    for batch in shuffler.parts("batches"):
        lines += wrapped_lines(f" {batch.text('back')}"[:10], "; ".join(_batch(batch)), width)
    return lines


def describe_identity(device: SnapshotPart) -> str:
    """The identity a device has proven, to follow its stage; empty for a device without one."""
    identity = device.part("identity")
    if identity is None:
        return ""
    if identity.text("refused"):
        return f"; REFUSED: {identity.text('refused')}: its reports are ignored"
    if identity.yes("bare"):
        return f"; {_device_name(identity)}; {_BARE}"
    if identity.yes("trusted"):
        return f"; {_device_name(identity)}, trusted"
    return f"; {_UNTRUSTED}"


def _device_name(device: SnapshotPart) -> str:
    words = [f"device {device.text('device')}"] if device.text("device") else []
    words += [f"firmware {device.text('version')}"] if device.text("version") else []
    return " ".join(words) or "device without a name"


def _device(shuffler: SnapshotPart) -> Iterator[str]:
    words = f"{shuffler.text('model')} at {shuffler.text('port')}: {shuffler.text('stage')}"
    words += f"; {shuffler.text('mode')} mode"
    if shuffler.yes("door_open"):
        words += "; a door is open"
    if shuffler.number("residual"):
        words += f"; {counted(shuffler.number('residual'), 'card')} left inside"
    yield words if shuffler.yes("commands_allowed") else f"{words}; listen-only"
    if shuffler.yes("bare"):
        yield f"{_device_name(shuffler)}; {_BARE}"
    elif shuffler.yes("trusted"):
        yield f"{_device_name(shuffler)}, trusted"
    else:
        yield _UNTRUSTED


def _batch(batch: SnapshotPart) -> Iterator[str]:
    stage = batch.text("stage")
    words = _STAGES.get(stage, stage)
    if batch.number("compartment"):
        words += f", compartment {batch.number('compartment')}"
    yield words
    if batch.has("cards"):
        yield counted(batch.number("cards"), "card")
    shuffle = batch.part("shuffle")
    if shuffle is not None:
        result = shuffle.text("result").replace("_", " ")
        proof = "" if shuffle.yes("genuine") else ", not proven"
        yield (
            f"shuffle {shuffle.number('cycle')}: {result}{proof}, {shuffle.number('count')} cards,"
            f" {shuffle.number('took_s')} s"
        )
    if batch.yes("by_hand"):
        yield "shuffled by hand"
    if batch.texts("bars"):
        bars = ", ".join(bar.replace("_", " ") for bar in batch.texts("bars"))
        yield f"may NOT be dealt from: {bars}"

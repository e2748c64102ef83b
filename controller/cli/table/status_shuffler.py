"""The shuffler in words: warnings that keep play, the device, and where each batch stands.

Responsible for: those lines of `status`; a table without a shuffler that tells has none of them.
Not responsible for: what is in a snapshot (shuffler_view) and the rest of a status (cli_status).
Source: package README, "The shuffler at the table", "Command line".
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from controller.cli.table.status_tasks import WIDTH, Typed, line, wrapped
from controller.views.snapshot_reader import Shown

_NS_PER_S: Final = 1_000_000_000
_S_PER_MIN: Final = 60
_BARE: Final = "BARE: it proves nothing of itself, and the configuration lets it in all the same"
_UNTRUSTED: Final = "NOT TRUSTED: it has not proven who it is, and nothing it tells counts"
# A stage in words, where its name does not say it.
_STAGES: Final = MappingProxyType(
    {
        "unknown": "not known; it begins anew by counting",
        "collected": "on its way into the shuffler",
        "in_shoe": "in the shoe",
        "in_play": "in play",
        "spent": "spent, to be gathered",
        "held": "held: it begins anew by counting",
    }
)


def warning_lines(table: Shown, typed: Typed, width: int = WIDTH, at_ns: int = 0) -> list[str]:
    """What keeps play, since when, and what to type. `at_ns` is UTC now, 0 where nobody knows."""
    lines: list[str] = []
    shuffler = table.part("shuffler") or Shown({})
    for one in shuffler.parts("warnings"):
        head = f"{one.number('number')} {one.text('kind').replace('_', ' ')}: {one.text('text')}"
        lines += wrapped("WARNING", head, width)
        lines += wrapped(" since", _since(one, at_ns), width)
        if one.yes("active"):
            lines += wrapped(" clear", "not before its cause is gone: it is still so", width)
            continue
        number = f"number={one.number('number')}"
        lines.append(line(" clear", typed.act("clear-warning", number, reason=True)))
    return [*lines, line("", "no next card may be drawn before")] if lines else []


def _since(warning: Shown, at_ns: int) -> str:
    since_ns = warning.number("since_ns")
    told = datetime.fromtimestamp(since_ns // _NS_PER_S, UTC)
    words = f"{told:%Y-%m-%d %H:%M:%S} UTC"
    if at_ns < since_ns or not since_ns:
        return words
    minutes, seconds = divmod((at_ns - since_ns) // _NS_PER_S, _S_PER_MIN)
    return f"{words}, {minutes} min {seconds:02} s ago"


def shuffler_lines(table: Shown, width: int = WIDTH) -> list[str]:
    """The device and the batches."""
    shuffler = table.part("shuffler")
    if shuffler is None:
        return []
    lines: list[str] = []
    for words in _device(shuffler):
        lines += wrapped("" if lines else "shuffler", words, width)
    for batch in shuffler.parts("batches"):
        lines += wrapped(f" {batch.text('back')}"[:10], "; ".join(_batch(batch)), width)
    return lines


def identity_words(device: Shown) -> str:
    """What a device with an identity has proven, to stand behind its stage; empty for others."""
    identity = device.part("identity")
    if identity is None:
        return ""
    if identity.text("refused"):
        return f"; REFUSED: {identity.text('refused')}: nothing it tells is taken"
    if identity.yes("bare"):
        return f"; {_named(identity)}; {_BARE}"
    if identity.yes("trusted"):
        return f"; {_named(identity)}, trusted"
    return f"; {_UNTRUSTED}"


def _named(device: Shown) -> str:
    words = [f"device {device.text('device')}"] if device.text("device") else []
    words += [f"firmware {device.text('version')}"] if device.text("version") else []
    return " ".join(words) or "device without a name"


def _device(shuffler: Shown) -> Iterator[str]:
    words = f"{shuffler.text('model')} at {shuffler.text('port')}: {shuffler.text('stage')}"
    words += f"; {shuffler.text('mode')} mode"
    if shuffler.yes("door_open"):
        words += "; a door is open"
    if shuffler.number("residual"):
        words += f"; {shuffler.number('residual')} cards left inside"
    yield words if shuffler.yes("commands_allowed") else f"{words}; it is only listened to"
    if shuffler.yes("bare"):
        yield f"{_named(shuffler)}; {_BARE}"
    elif shuffler.yes("trusted"):
        yield f"{_named(shuffler)}, trusted"
    else:
        yield _UNTRUSTED


def _batch(batch: Shown) -> Iterator[str]:
    stage = batch.text("stage")
    words = _STAGES.get(stage, stage)
    if batch.number("compartment"):
        words += f", compartment {batch.number('compartment')}"
    yield words
    if batch.has("cards"):
        yield f"{batch.number('cards')} cards"
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

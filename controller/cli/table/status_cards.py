"""Lines of `status` about the number of cards by place, readers and scanners.

Source: controller/custody/README.md, "Batches at the table"; controller/config/README.md, "Devices
of a table"; controller/cli/README.md, "Command line".
"""

from collections.abc import Iterator

from controller.cli.table.status_tasks import WIDTH, wrapped_lines
from controller.views.snapshot_reader import SnapshotPart

# Places in the order in which a card passes them, with their names.
_PLACES = (
    (("shoe",), "in the shoe"),
    (("hands", "aside"), "on the table"),
    (("burn",), "burned"),
    (("discard_rack",), "in the discard rack"),
    (("shuffler",), "in the shuffler"),
    (("carton",), "in the carton"),
    (("quarantine",), "set apart"),
    (("unknown",), "in an unknown place"),
)
_NO_BATCH = (
    "no batch is bound: every card is foreign until the bar code of a batch is scanned or"
    " `smartshoe act bind-batch` names it"
)


def batch_card_lines(table: SnapshotPart, width: int = WIDTH) -> list[str]:
    """Number of cards by place for each batch; and why a batch may not be dealt from."""
    custody, device = table.part("custody"), table.part("device")
    if custody is None:
        return []
    lines: list[str] = []
    for batch in custody.parts("batches"):
        lines += wrapped_lines("" if lines else "cards", _batch_words(batch), width)
    for batch in custody.parts("batches"):
        if batch.text("blocked"):
            words = f"{batch.text('batch')} may not be dealt from: {batch.text('blocked')}"
            lines += wrapped_lines(" blocked", words, width)
    if not lines and device is not None and device.yes("reads_tags"):
        lines += wrapped_lines("cards", _NO_BATCH, width)
    return lines + _named_lines(table, width)


def _batch_words(batch: SnapshotPart) -> str:
    cards = batch.part("cards") or SnapshotPart({})
    there = [
        f"{count} {words}"
        for places, words in _PLACES
        if (count := sum(cards.number(place) for place in places))
    ]
    in_play = ", in play" if batch.yes("in_play") else ""
    head = f"{batch.text('batch')} ({batch.text('back')}{in_play})"
    return f"{head}: {', '.join(there) or 'none'}"


def _named_lines(table: SnapshotPart, width: int) -> list[str]:
    """Batches that were named and refused, each with its last reason."""
    last = {one.text("batch"): one.text("refused") for one in table.parts("batches_named")}
    lines: list[str] = []
    for refused in filter(None, last.values()):
        lines += wrapped_lines(" refused", refused, width)
    return lines


def auxiliary_device_lines(table: SnapshotPart, width: int = WIDTH) -> list[str]:
    """The auxiliary readers and scanners, each with its stage."""
    lines: list[str] = []
    for name, words in _beside(table):
        lines += wrapped_lines(name, words, width)
    return lines


def _beside(table: SnapshotPart) -> Iterator[tuple[str, str]]:
    for one in table.parts("beside"):
        which = one.text("seat").replace("_", " ") or one.text("model")
        yield one.text("kind"), f"{which} at {one.text('port')}: {one.text('stage')}"

"""Cards and devices in words: where the cards of each batch are, and how the devices stand.

Responsible for: the lines of `status` about batches, readers and scanners; a table without them
has none of these lines. Numbers alone: which card is where tells of cards nobody has seen.
Not responsible for: what custody found (cli_status_shown tells it with its irregularity), and what
is in a snapshot (custody_view).
Source: package README, "Batches at the table", "Devices of a table", "Command line".
"""

from collections.abc import Iterator

from controller.cli.table.status_tasks import WIDTH, wrapped
from controller.views.snapshot_reader import Shown

# Places in the order of a card's way, with the words for how many are there.
_PLACES = (
    (("shoe",), "in the shoe"),
    (("hands", "aside"), "on the table"),
    (("burn",), "burned"),
    (("discard_rack",), "in the discard rack"),
    (("shuffler",), "in the shuffler"),
    (("carton",), "in the carton"),
    (("quarantine",), "set apart"),
    (("unknown",), "nobody knows where"),
)
_NO_BATCH = (
    "no batch is bound: every card is foreign until the bar code of a batch is scanned or"
    " `smartshoe act bind-batch` names it"
)


def cards_lines(table: Shown, width: int = WIDTH) -> list[str]:
    """Of each batch, how many cards are where; a batch that may not be dealt from, and why."""
    custody, device = table.part("custody"), table.part("device")
    if custody is None:
        return []
    lines: list[str] = []
    for batch in custody.parts("batches"):
        lines += wrapped("" if lines else "cards", _batch_words(batch), width)
    for batch in custody.parts("batches"):
        if batch.text("blocked"):
            words = f"{batch.text('batch')} may not be dealt from: {batch.text('blocked')}"
            lines += wrapped(" blocked", words, width)
    if not lines and device is not None and device.yes("reads_tags"):
        lines += wrapped("cards", _NO_BATCH, width)
    return lines + _named_lines(table, width)


def _batch_words(batch: Shown) -> str:
    cards = batch.part("cards") or Shown({})
    there = [
        f"{count} {words}"
        for places, words in _PLACES
        if (count := sum(cards.number(place) for place in places))
    ]
    in_play = ", in play" if batch.yes("in_play") else ""
    head = f"{batch.text('batch')} ({batch.text('back')}{in_play})"
    return f"{head}: {', '.join(there) or 'none'}"


def _named_lines(table: Shown, width: int) -> list[str]:
    """Batches that were named and not bound, each as it was answered last."""
    last = {one.text("batch"): one.text("refused") for one in table.parts("batches_named")}
    lines: list[str] = []
    for refused in filter(None, last.values()):
        lines += wrapped(" refused", refused, width)
    return lines


def beside_lines(table: Shown, width: int = WIDTH) -> list[str]:
    """The readers and scanners beside the shoe, each with its stage."""
    lines: list[str] = []
    for name, words in _beside(table):
        lines += wrapped(name, words, width)
    return lines


def _beside(table: Shown) -> Iterator[tuple[str, str]]:
    for one in table.parts("beside"):
        which = one.text("seat").replace("_", " ") or one.text("model")
        yield one.text("kind"), f"{which} at {one.text('port')}: {one.text('stage')}"

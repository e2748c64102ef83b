"""`smartshoe batch enrol`: a batch read deck by deck at a real reader, and its signed receipt.

Responsible for: asking for one pile after the other, showing what lies there, keeping what was
read, and writing batch and receipt at the end.
Not responsible for: when a deck is complete (custody.enrolment), the reader (pile_reader), files
(batches).
Source: package README, "Enrolling a batch"; NY-a-4-iv-b-same, S42-a-4-iii-same.
"""
# ruff: noqa: PLC0415 - devices and the library of keys are loaded only when they are used.

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from controller.cli.batches.keys import DEFAULT_KEY
from controller.cli.batches.options import (
    ChipOption,
    FolderOption,
    JsonOption,
    KeyOption,
    MakerOption,
    ModelOption,
    NameArgument,
    OperatorOption,
    ReaderOption,
    ReplaceOption,
    WaitOption,
    one_line,
    other_batches,
    pile_reader,
    right_back,
    right_chip,
    right_name,
)
from controller.cli.batches.pile_view import PileView
from controller.cli.errors import Exit, Unable
from controller.cli.output import remark, say, say_json

if TYPE_CHECKING:
    from controller.commissioning.pile_reader import PileReader
    from controller.custody.enrolment.enrol import Enrolment, EnrolmentPlan, PileSeen
    from controller.custody.manifest import Manifest
    from controller.custody.receipt import Receipt

DEFAULT_FOLDER: Final = Path("batches")
DEFAULT_MODEL: Final = "isc.mr102"
DEFAULT_CHIP: Final = "smartshoe-1"
_DECKS_MAX: Final = 255
_CUT_CARDS_MAX: Final = 52
_NS_PER_S: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Way:
    """How to enrol: `sure` asks nobody; after `wait_s` without a change it gives up (0: never)."""

    folder: Path
    sure: bool
    wait_s: int


def add_to(batch: typer.Typer) -> None:
    """Add this command."""
    batch.command(
        epilog="\b\nexamples:\n"
        "  smartshoe batch enrol RED-0001 --back red --reader /dev/serial/by-id/... --maker Acme "
        '--operator "Ann Lee"\n'
        "  smartshoe batch enrol RED-0001 --back red --decks 8 --cut-cards 1 --resume "
        '--reader socket://10.0.0.9:10001 --maker Acme --operator "Ann Lee"\n\n'
        "Lay deck 1 on the reader, then deck 2, and so on; what is missing or too many is told. "
        "Ctrl-C keeps the decks that are complete, and --resume goes on with the next one."
    )(enrol)


def enrol(
    name: NameArgument,
    back: Annotated[str, typer.Option(metavar="COLOUR", help="The back colour of the cards.")],
    reader: ReaderOption,
    maker: MakerOption,
    operator: OperatorOption,
    decks: Annotated[int, typer.Option(min=1, max=_DECKS_MAX, help="Decks of the batch.")] = 8,
    cut_cards: Annotated[
        int, typer.Option(min=0, max=_CUT_CARDS_MAX, help="Cut cards that carry a chip.")
    ] = 0,
    model: ModelOption = DEFAULT_MODEL,
    chip: ChipOption = DEFAULT_CHIP,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the decks that were read before.")
    ] = False,
    replace: ReplaceOption = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask nothing: take each deck as it appears.")
    ] = False,
    wait: WaitOption = 0,
    json: JsonOption = False,
) -> None:
    """Read a batch deck by deck, check that it is whole, and sign a receipt for it."""
    from controller.commissioning.batch_folder import (
        partial_path,
        receipt_of,
        remove,
        require_room,
        store_batch,
    )
    from controller.custody.enrolment.enrol import EnrolmentPlan, whole
    from controller.custody.receipt import ReceiptResult
    from controller.system.keys import load_key
    from firmware_bridge.transport.clock import now

    made_by, by = one_line("--maker", maker), one_line("--operator", operator)
    # All that could be refused is refused before anybody lays eight decks on a reader.
    table_key = load_key(key)
    if not replace:
        require_room(folder, right_name(name))
    plan = EnrolmentPlan(
        batch=right_name(name),
        back=right_back(back),
        decks=decks,
        cut_cards=cut_cards,
        chip=right_chip(chip),
        others=other_batches(folder, name),
    )
    enrolment = _beginning(folder, plan, resume=resume, replace=replace)
    with pile_reader(reader, model) as device:
        enrolment = _read_batch(enrolment, device, Way(folder, yes, wait))
    manifest = whole(enrolment)
    receipt = receipt_of(
        manifest, table_key, ReceiptResult.READ, maker=made_by, operator=by, at=now()
    )
    store_batch(folder, manifest, receipt)
    remove(partial_path(folder, name))
    tell_stored(folder, manifest, receipt, json=json)


def tell_stored(folder: Path, manifest: "Manifest", receipt: "Receipt", *, json: bool) -> None:
    """What was written where."""
    from controller.commissioning.batch_folder import cards_path, receipt_path

    name = manifest.batch
    files = {
        "cards_file": str(cards_path(folder, name)),
        "receipt_file": str(receipt_path(folder, name)),
    }
    cut_cards = manifest.faces.count(0)
    cards = len(manifest) - cut_cards
    if json:
        said = receipt.statement
        told = {"result": said.result.value, "manifest_sha256": said.manifest_sha256.hex()}
        say_json({"batch": name, "cards": cards, "cut_cards": cut_cards, **told, **files})
        return
    beside = f" and {cut_cards} cut cards" if cut_cards else ""
    say(f"batch {name} is whole: {manifest.decks} decks, {cards} cards{beside}")
    say(f"cards     {files['cards_file']}")
    say(f"receipt   {files['receipt_file']}")


def _beginning(folder: Path, plan: "EnrolmentPlan", *, resume: bool, replace: bool) -> "Enrolment":
    """A new enrolment, or one that goes on. Raises Unable."""
    from controller.commissioning.batch_folder import load_sheet, partial_path
    from controller.custody.enrolment.enrol import Enrolment, resumed
    from controller.custody.manifest import ManifestError

    kept = partial_path(folder, plan.batch)
    if not resume:
        if kept.exists() and not replace:
            raise Unable(
                f"{kept}: decks of this batch were read before. Remedy: go on with --resume, or"
                " begin anew with --replace"
            )
        return Enrolment(plan)
    try:
        return resumed(plan, load_sheet(kept))
    except ManifestError as error:
        lines = "\n".join(f"{kept}: {problem}" for problem in error.problems)
        raise Unable(
            f"{lines}\nRemedy: give the options of the enrolment that was begun, or begin anew"
            " with --replace and without --resume"
        ) from error


def _read_batch(enrolment: "Enrolment", device: "PileReader[Any]", way: Way) -> "Enrolment":
    from controller.commissioning.batch_folder import partial_path, store_text
    from controller.custody.enrolment.enrol import due, so_far
    from controller.custody.manifest_csv import write_sheet

    kept = partial_path(way.folder, enrolment.plan.batch)
    view = PileView()
    device.wait_open()
    try:
        while (deck := due(enrolment)) is not None:
            _ask_for(deck, enrolment, sure=way.sure)
            enrolment = _read_pile(deck, enrolment, device, view, way)
            store_text(kept, write_sheet(so_far(enrolment)))
            remark(f"{_titled(deck, enrolment)} is complete; take it off the reader")
    except (KeyboardInterrupt, Unable):
        if enrolment.cards:
            remark(f"what is complete is kept in {kept}; go on with --resume")
        raise
    return enrolment


def _titled(deck: int, enrolment: "Enrolment") -> str:
    from controller.custody.enrolment.enrol import deck_name

    return f"{deck_name(deck)} of {enrolment.plan.decks}" if deck else "the pile of cut cards"


def _ask_for(deck: int, enrolment: "Enrolment", *, sure: bool) -> None:
    title = _titled(deck, enrolment)
    if sure:
        remark(f"lay {title} on the reader")
        return
    words = f"Lay {title} on the reader, then press Enter"
    # Not typer's prompt: it writes to stdout, where only the answer belongs.
    remark(words)
    if not sys.stdin.readline():
        raise Unable("nobody answers; with --yes each deck is taken as it appears")


def _read_pile(
    deck: int, enrolment: "Enrolment", device: "PileReader[Any]", view: PileView, way: Way
) -> "Enrolment":
    """List the pile until it is complete. Raises Unable where nothing changes for too long."""
    from controller.commissioning.pile_reader import ListingFailed
    from controller.custody.enrolment.enrol import DECK_CARDS, listed
    from firmware_bridge.transport.clock import now

    wanted = DECK_CARDS if deck else enrolment.plan.cut_cards
    before: tuple[int, tuple[str, ...]] = (0, ())
    changed_ns = now().monotonic_ns
    with view.pile(_titled(deck, enrolment), wanted):
        while True:
            listing = device.list_pile(view.reading)
            if isinstance(listing, ListingFailed):
                seen: tuple[int, tuple[str, ...]] = (before[0], (listing.reason,))
            else:
                enrolment, pile = listed(enrolment, listing.tags)
                if pile.taken:
                    return enrolment
                seen = (pile.cards, (*_notes(pile), *listing.remarks))
            view.standing(*seen)
            if seen != before:
                before, changed_ns = seen, now().monotonic_ns
            elif way.wait_s and now().monotonic_ns - changed_ns >= way.wait_s * _NS_PER_S:
                cards, notes = before
                lines = "".join(f"\n  {note}" for note in notes)
                title = _titled(deck, enrolment)
                raise Unable(f"{title} is not complete: {cards} of {wanted} cards{lines}", Exit.NO)


def _notes(pile: "PileSeen") -> tuple[str, ...]:
    if pile.leftover:
        return ("these cards are read; take them off the reader",)
    return tuple(f"{one.what}: {one.remedy}" for one in pile.troubles)

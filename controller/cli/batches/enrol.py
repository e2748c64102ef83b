"""`smartshoe batch enrol`: reads a batch deck by deck at a reader and signs its receipt.

Source: NY-a-4-iv-b-same, S42-a-4-iii-same.
"""
# ruff: noqa: PLC0415 - devices and the library of keys are loaded only when they are used.

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import Struct

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
    checked_back,
    checked_chip,
    checked_name,
    other_batches,
    pile_reader,
)
from controller.cli.batches.pile_view import PileView
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr
from controller.system.command_line.usage import checked_line
from controller.system.messages.quantity import counted

if TYPE_CHECKING:
    from controller.custody.enrolment.enrol import Enrolment, EnrolmentPlan, PileStatus
    from controller.custody.manifest import Manifest
    from controller.custody.receipt import Receipt
    from controller.service.commissioning.pile_reader import PileReader

DEFAULT_FOLDER: Final = Path("batches")
DEFAULT_MODEL: Final = "isc.mr102"
DEFAULT_CHIP: Final = "smartshoe-1"
_DECKS_MAX: Final = 255
_CUT_CARDS_MAX: Final = 52
_NS_PER_S: Final = 1_000_000_000


class EnrolOptions(Struct, frozen=True):
    """`assume_yes`: do not ask before each pile. `wait_s`: give up after so long without change."""

    folder: Path
    assume_yes: bool
    wait_s: int


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
        bool, typer.Option("--resume", help="Continue after the decks that were read before.")
    ] = False,
    replace: ReplaceOption = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask: read each deck as it appears.")
    ] = False,
    wait: WaitOption = 0,
    json: JsonOption = False,
) -> None:
    """Read a batch deck by deck, check that it is complete, and sign a receipt for it."""
    from controller.custody.enrolment.enrol import EnrolmentPlan, finished_manifest
    from controller.custody.receipt import ReceiptResult
    from controller.service.commissioning.batch_folder import (
        make_receipt,
        partial_path,
        remove,
        require_free_name,
        store_batch,
    )
    from controller.system.keys import load_key
    from firmware_bridge.transport.clock import now

    made_by, by = checked_line("--maker", maker), checked_line("--operator", operator)
    # Every possible refusal comes before anybody lays eight decks on a reader.
    table_key = load_key(key)
    if not replace:
        require_free_name(folder, checked_name(name))
    plan = EnrolmentPlan(
        batch=checked_name(name),
        back=checked_back(back),
        decks=decks,
        cut_cards=cut_cards,
        chip=checked_chip(chip),
        others=other_batches(folder, name),
    )
    enrolment = _start_or_resume(folder, plan, resume=resume, replace=replace)
    with pile_reader(reader, model) as device:
        enrolment = _read_batch(enrolment, device, EnrolOptions(folder, yes, wait))
    manifest = finished_manifest(enrolment)
    receipt = make_receipt(
        manifest, table_key, ReceiptResult.READ, maker=made_by, operator=by, at=now()
    )
    store_batch(folder, manifest, receipt)
    remove(partial_path(folder, name))
    print_stored_batch(folder, manifest, receipt, json=json)


def print_stored_batch(
    folder: Path, manifest: "Manifest", receipt: "Receipt", *, json: bool
) -> None:
    """Print the stored batch and its files."""
    from controller.service.commissioning.batch_folder import cards_path, receipt_path

    name = manifest.batch
    files = {
        "cards_file": str(cards_path(folder, name)),
        "receipt_file": str(receipt_path(folder, name)),
    }
    cut_cards = manifest.faces.count(0)
    cards = len(manifest) - cut_cards
    if json:
        statement = receipt.statement
        digest = statement.manifest_sha256.hex()
        result = {"result": statement.result.value, "manifest_sha256": digest}
        echo_json({"batch": name, "cards": cards, "cut_cards": cut_cards, **result, **files})
        return
    extra = f" and {counted(cut_cards, 'cut card')}" if cut_cards else ""
    echo(f"batch {name} is complete: {counted(manifest.decks, 'deck')}, {cards} cards{extra}")
    echo(f"cards     {files['cards_file']}")
    echo(f"receipt   {files['receipt_file']}")


def _start_or_resume(
    folder: Path, plan: "EnrolmentPlan", *, resume: bool, replace: bool
) -> "Enrolment":
    """A new enrolment, or one that is resumed. Raises CommandError."""
    from controller.custody.enrolment.enrol import Enrolment, resume_enrolment
    from controller.custody.manifest import ManifestError
    from controller.service.commissioning.batch_folder import load_sheet, partial_path
    from controller.system.messages.catalogue import to_words

    partial_file = partial_path(folder, plan.batch)
    if not resume:
        if partial_file.exists() and not replace:
            raise CommandError(
                f"{partial_file}: decks of this batch were read before. Remedy: continue with"
                " --resume, or start again with --replace"
            )
        return Enrolment(plan)
    try:
        return resume_enrolment(plan, load_sheet(partial_file))
    except ManifestError as error:
        lines = "\n".join(f"{partial_file}: {to_words(problem)}" for problem in error.problems)
        raise CommandError(
            f"{lines}\nRemedy: give the options of the started enrolment, or start again with"
            " --replace and without --resume"
        ) from error


def _read_batch(
    enrolment: "Enrolment", device: "PileReader[Any]", options: EnrolOptions
) -> "Enrolment":
    from controller.custody.enrolment.enrol import enrolled_sheet, next_deck
    from controller.custody.manifest_csv import write_sheet
    from controller.service.commissioning.batch_folder import partial_path, store_text

    partial_file = partial_path(options.folder, enrolment.plan.batch)
    view = PileView()
    device.wait_open()
    try:
        while (deck := next_deck(enrolment)) is not None:
            _ask_for(deck, enrolment, assume_yes=options.assume_yes)
            enrolment = _read_pile(deck, enrolment, device, view, options)
            store_text(partial_file, write_sheet(enrolled_sheet(enrolment)))
            echo_stderr(f"{_pile_title(deck, enrolment)} is complete; take it off the reader")
    except (KeyboardInterrupt, CommandError):
        if enrolment.cards:
            echo_stderr(f"the complete decks are kept in {partial_file}; continue with --resume")
        raise
    return enrolment


def _pile_title(deck: int, enrolment: "Enrolment") -> str:
    from controller.custody.enrolment.enrol import deck_name

    return f"{deck_name(deck)} of {enrolment.plan.decks}" if deck else "the pile of cut cards"


def _ask_for(deck: int, enrolment: "Enrolment", *, assume_yes: bool) -> None:
    title = _pile_title(deck, enrolment)
    if assume_yes:
        echo_stderr(f"lay {title} on the reader")
        return
    words = f"Lay {title} on the reader, then press Enter"
    # Not typer's prompt: it writes to stdout, where only the result belongs.
    echo_stderr(words)
    if not sys.stdin.readline():
        raise CommandError(
            "no answer on stdin",
            place="stdin",
            remedy="press Enter before each deck, or use --yes to read each deck as it appears",
        )


def _read_pile(
    deck: int,
    enrolment: "Enrolment",
    device: "PileReader[Any]",
    view: PileView,
    options: EnrolOptions,
) -> "Enrolment":
    """List the pile until it is complete. Raises CommandError if nothing changes for too long."""
    from controller.custody.enrolment.enrol import DECK_CARDS, add_listing
    from controller.service.commissioning.pile_reader import ListingFailed
    from firmware_bridge.transport.clock import now

    wanted = DECK_CARDS if deck else enrolment.plan.cut_cards
    before: tuple[int, tuple[str, ...]] = (0, ())
    changed_ns = now().monotonic_ns
    with view.pile(_pile_title(deck, enrolment), wanted):
        while True:
            listing = device.list_pile(view.show_progress)
            if isinstance(listing, ListingFailed):
                status: tuple[int, tuple[str, ...]] = (before[0], (listing.reason,))
            else:
                enrolment, pile = add_listing(enrolment, listing.tags)
                if pile.accepted:
                    return enrolment
                status = (pile.cards, (*_notes(pile), *listing.remarks))
            view.show_listing(*status)
            if status != before:
                before, changed_ns = status, now().monotonic_ns
            elif options.wait_s and now().monotonic_ns - changed_ns >= options.wait_s * _NS_PER_S:
                cards, notes = before
                lines = "".join(f"\n  {note}" for note in notes)
                title = _pile_title(deck, enrolment)
                raise CommandError(
                    f"{title} is not complete: {cards} of {wanted} cards{lines}",
                    ExitCode.NO,
                )


def _notes(pile: "PileStatus") -> tuple[str, ...]:
    if pile.leftover:
        return ("these cards have been read; take them off the reader",)
    return tuple(f"{one.what}: {one.remedy}" for one in pile.problems)

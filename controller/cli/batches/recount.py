"""`smartshoe batch verify`: compares a batch's cards with its files and its receipt.

Source: NY-a-4-iv-b-same, S42-a-4-iii-same.
"""
# ruff: noqa: PLC0415 - devices and the library of keys are loaded only when they are used.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.batches.enrol import DEFAULT_CHIP, DEFAULT_FOLDER, DEFAULT_MODEL
from controller.cli.batches.keys import DEFAULT_KEY
from controller.cli.batches.options import (
    ChipOption,
    FolderOption,
    JsonOption,
    KeyOption,
    ModelOption,
    NameArgument,
    TrustOption,
    WaitOption,
    checked_chip,
    checked_name,
    pile_reader,
    trusted_keys,
)
from controller.cli.batches.pile_view import PileView
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr

if TYPE_CHECKING:
    from controller.custody.enrolment.recount import Recount, RecountResult
    from controller.rules.cards import Card

_NS_PER_S = 1_000_000_000


def verify(
    name: NameArgument,
    reader: Annotated[
        str, typer.Option(metavar="PORT", help="Read the cards at this reader.")
    ] = "",
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Compare with this list of cards.")
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    chip: ChipOption = DEFAULT_CHIP,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    trust: TrustOption = None,
    wait: WaitOption = 0,
    json: JsonOption = False,
) -> None:
    """Check a batch's receipt, and whether exactly its cards are there."""
    from controller.custody.enrolment.recount import add_cards, recount_result, start_recount
    from controller.service.commissioning.batch_folder import load_batch, load_sheet

    batch = load_batch(folder, checked_name(name), trusted_keys(key, trust))
    if batch.manifest is None or batch.problem_words:
        raise CommandError(batch.problem_words, ExitCode.NO)
    if reader and against is not None:
        raise CommandError(
            "--reader and --against are both given", place="--reader", remedy="give one of them"
        )
    recount = start_recount(batch.manifest)
    if against is not None:
        recount = add_cards(recount, load_sheet(against).cards)
    elif reader:
        recount = _read(recount, reader, model, checked_chip(chip), wait)
    else:
        _print_files_ok(name, json=json)
        return
    found = recount_result(recount)
    _print_recount(name, found, json=json)
    if not found.same:
        raise typer.Exit(ExitCode.NO)


def _read(recount: "Recount", port: str, model: str, chip: str, wait_s: int) -> "Recount":
    """List piles until every card was read, Ctrl-C, or nothing changed for too long."""
    from controller.custody.enrolment.recount import add_listing, all_seen
    from controller.service.commissioning.pile_reader import ListingFailed
    from firmware_bridge.transport.clock import now

    view = PileView()
    echo_stderr("lay the cards on the reader, pile by pile; Ctrl-C ends with the cards read so far")
    changed_ns = now().monotonic_ns
    try:
        with (
            pile_reader(port, model) as device,
            view.pile(f"batch {recount.manifest.batch}", len(recount.manifest)),
        ):
            while not all_seen(recount):
                listing = device.list_pile(view.show_progress)
                before = recount
                if isinstance(listing, ListingFailed):
                    notes: tuple[str, ...] = (listing.reason,)
                else:
                    recount = add_listing(recount, listing.tags, chip)
                    notes = (*_notes(recount), *listing.remarks)
                view.show_listing(sum(recount.seen), notes)
                if recount != before:
                    changed_ns = now().monotonic_ns
                elif wait_s and now().monotonic_ns - changed_ns >= wait_s * _NS_PER_S:
                    break
    except KeyboardInterrupt:
        echo_stderr("")
    return recount


def _notes(recount: "Recount") -> tuple[str, ...]:
    from controller.custody.enrolment.recount import recount_result

    found = recount_result(recount)
    return (*_foreign_lines(found), *_mismatch_lines(found))


def _foreign_lines(found: "RecountResult") -> tuple[str, ...]:
    return tuple(
        f"tag {one.tag} is foreign"
        + (f", its chip names {one.card}" if one.card is not None else "")
        + ": take it out and keep it for the floorperson"
        for one in found.foreign
    )


def _mismatch_lines(found: "RecountResult") -> tuple[str, ...]:
    return tuple(
        f"tag {one.tag} is {_card_text(one.manifest)} in the batch's file, but its chip names"
        f" {_card_text(one.reported)}: set it apart and look at its face"
        for one in found.mismatches
    )


def _card_text(card: "Card | None") -> str:
    return "a cut card" if card is None else str(card)


def _print_files_ok(name: str, *, json: bool) -> None:
    if json:
        echo_json({"batch": name, "ok": True})
        return
    echo(f"batch {name}: cards and receipt match, and the receipt is signed with a known key")
    echo_stderr("no card was read: --reader PORT counts the cards themselves")


def _print_recount(name: str, found: "RecountResult", *, json: bool) -> None:
    if json:
        echo_json(
            {
                "batch": name,
                "ok": found.same,
                "counted": found.counted,
                "missing": [
                    {"tag": one.tag, "card": _plain(one.card), "deck": one.deck}
                    for one in found.missing
                ],
                "foreign": [{"tag": one.tag, "card": _plain(one.card)} for one in found.foreign],
                "otherwise": [
                    {"tag": one.tag, "manifest": _plain(one.manifest), "said": _plain(one.reported)}
                    for one in found.mismatches
                ],
            }
        )
        return
    total = found.counted + len(found.missing)
    echo(f"batch {name}: {found.counted} of {total} cards are present")
    for one in found.missing:
        echo(f"missing: {_card_text(one.card)}, deck {one.deck}, tag {one.tag}")
    for line in (*_foreign_lines(found), *_mismatch_lines(found)):
        echo(line)


def _plain(card: "Card | None") -> str | None:
    return None if card is None else str(card)

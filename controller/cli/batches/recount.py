"""`smartshoe batch verify`: whether a batch is still the same cards.

Responsible for: a batch's files against its receipt, and then its cards against its files, read at
a reader or taken from another list.
Not responsible for: comparing (custody.recount), the reader (pile_reader), files (batches).
Source: package README, "Counting a batch again"; NY-a-4-iv-b-same, S42-a-4-iii-same.
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
    pile_reader,
    right_chip,
    right_name,
    trusted_keys,
)
from controller.cli.batches.pile_view import PileView
from controller.cli.errors import Exit, Unable
from controller.cli.output import remark, say, say_json

if TYPE_CHECKING:
    from controller.custody.enrolment.recount import Recount, RecountResult
    from controller.rules.cards import Card

_NS_PER_S = 1_000_000_000


def add_to(batch: typer.Typer) -> None:
    """Add this command."""
    batch.command(
        epilog="\b\nexamples:\n  smartshoe batch verify RED-0001\n"
        "  smartshoe batch verify RED-0001 --reader /dev/serial/by-id/...\n"
        "  smartshoe batch verify RED-0001 --against from-shuffler.csv\n\n"
        "At a reader lay the cards down in piles, in any order; it ends when every card was seen, "
        "or at Ctrl-C with what is missing. Exit code 1: the batch is not the same cards."
    )(verify)


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
    """Check a batch's receipt, and whether its cards are all there and no others."""
    from controller.commissioning.batch_folder import load_batch, load_sheet
    from controller.custody.enrolment.recount import begin, compared, result

    batch = load_batch(folder, right_name(name), trusted_keys(key, trust))
    if batch.manifest is None or batch.problem:
        raise Unable(batch.problem, Exit.NO)
    if reader and against is not None:
        raise Unable("--reader and --against: give one of them")
    recount = begin(batch.manifest)
    if against is not None:
        recount = compared(recount, load_sheet(against).cards)
    elif reader:
        recount = _read(recount, reader, model, right_chip(chip), wait)
    else:
        _tell_files(name, json=json)
        return
    found = result(recount)
    _tell(name, found, json=json)
    if not found.same:
        raise typer.Exit(Exit.NO)


def _read(recount: "Recount", port: str, model: str, chip: str, wait_s: int) -> "Recount":
    """Lists piles until every card was seen, Ctrl-C, or nothing new for too long."""
    from controller.commissioning.pile_reader import ListingFailed
    from controller.custody.enrolment.recount import all_seen, listed
    from firmware_bridge.transport.clock import now

    view = PileView()
    remark("lay the cards on the reader, pile by pile; Ctrl-C ends with what was seen")
    changed_ns = now().monotonic_ns
    try:
        with (
            pile_reader(port, model) as device,
            view.pile(f"batch {recount.manifest.batch}", len(recount.manifest)),
        ):
            while not all_seen(recount):
                listing = device.list_pile(view.reading)
                before = recount
                if isinstance(listing, ListingFailed):
                    notes: tuple[str, ...] = (listing.reason,)
                else:
                    recount = listed(recount, listing.tags, chip)
                    notes = (*_notes(recount), *listing.remarks)
                view.standing(sum(recount.seen), notes)
                if recount != before:
                    changed_ns = now().monotonic_ns
                elif wait_s and now().monotonic_ns - changed_ns >= wait_s * _NS_PER_S:
                    break
    except KeyboardInterrupt:
        remark("")
    return recount


def _notes(recount: "Recount") -> tuple[str, ...]:
    from controller.custody.enrolment.recount import result

    found = result(recount)
    return (*_foreign_words(found), *_otherwise_words(found))


def _foreign_words(found: "RecountResult") -> tuple[str, ...]:
    return tuple(
        f"tag {one.tag} is foreign"
        + (f", its card says {one.card}" if one.card is not None else "")
        + ": take it out, and keep it for the floorperson"
        for one in found.foreign
    )


def _otherwise_words(found: "RecountResult") -> tuple[str, ...]:
    return tuple(
        f"tag {one.tag} is {_face(one.manifest)} by the batch's file and says"
        f" {_face(one.said)}: set it apart, and look at its face"
        for one in found.otherwise
    )


def _face(card: "Card | None") -> str:
    return "a cut card" if card is None else str(card)


def _tell_files(name: str, *, json: bool) -> None:
    if json:
        say_json({"batch": name, "ok": True})
        return
    say(f"batch {name}: cards and receipt belong together, and the receipt is of a known key")
    remark("no card was read: --reader PORT counts the cards themselves")


def _tell(name: str, found: "RecountResult", *, json: bool) -> None:
    if json:
        say_json(
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
                    {"tag": one.tag, "manifest": _plain(one.manifest), "said": _plain(one.said)}
                    for one in found.otherwise
                ],
            }
        )
        return
    total = found.counted + len(found.missing)
    say(f"batch {name}: {found.counted} of {total} cards are there")
    for one in found.missing:
        say(f"missing: {_face(one.card)}, deck {one.deck}, tag {one.tag}")
    for line in (*_foreign_words(found), *_otherwise_words(found)):
        say(line)


def _plain(card: "Card | None") -> str | None:
    return None if card is None else str(card)

"""The final report of a demo: the summary for people and the object of `--json`."""

import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from controller.custody.card_states import PLACE_WORDS
from controller.custody.card_states import CardPlace as Place
from controller.system.messages.catalogue import to_words
from hil.demo.batches import BatchPlaces
from hil.demo.card_glyphs import ALERT_STYLE, BANKER_STYLE, PLAYER_STYLE, TIE_STYLE
from hil.demo.dealing import DealingResult
from hil.demo.plain_lines import counted
from hil.demo.plan import DemoSettings
from hil.demo.proof import DemoProof, JournalTally


def json_report(
    settings: DemoSettings, proof: DemoProof, dealt: DealingResult
) -> dict[str, object]:
    """The object of `--json`."""
    tally = proof.tally
    return {
        "shoes": tally.shoes,
        "coups": len(tally.coups),
        "cards": tally.cards,
        "player": tally.player,
        "banker": tally.banker,
        "tie": tally.tie,
        "void": tally.void,
        "irregularities": tally.irregularities,
        "irregularities_by_code": dict(tally.codes),
        "mistakes": [made.mistake.value for made in dealt.truth.mistakes],
        "journal": str(settings.folder),
        "page": dealt.page,
        "verified": proof.verified,
        "intact": proof.intact,
        "replay": proof.replay,
        "equals_truth": not proof.difference,
        "head": proof.head,
        "sealed": proof.seals.sealed,
        "signed": proof.seals.signed,
        "seals_code": proof.seals.code,
        "interrupted": dealt.interrupted,
        "failure": dealt.failure,
        "seed": settings.seed,
        "speed": settings.speed.value,
        "profile": settings.profile,
        "dealer": settings.conduct.value,
        "transport": settings.transport.value,
        "shoe": settings.shoe.value,
        "batches": list(proof.tally.batches),
        "whereabouts": {one.batch: dict(one.places) for one in dealt.batch_places},
    }


def print_report(
    console: Console, settings: DemoSettings, proof: DemoProof, dealt: DealingResult
) -> None:
    """Print the summary, the proof, and commands for a closer look."""
    if dealt.interrupted:
        console.print(Text("Stopped; this is what was dealt until then.", ALERT_STYLE))
    console.print(_summary(proof.tally))
    for one in dealt.batch_places:
        console.print(batch_line(one), soft_wrap=True)
    for words, good in _findings(proof):
        mark = Text("  yes  " if good else "  NO   ", TIE_STYLE if good else f"bold {BANKER_STYLE}")
        console.print(mark.append(words, ""), soft_wrap=True)
    console.print()
    for command in commands(settings):
        console.out(f"  {command}", highlight=False)
    console.out(f"\nThe operator page, while it was played: {dealt.page}", highlight=False)


def batch_line(one: BatchPlaces) -> str:
    """Where the cards of a batch are, in one line."""
    places = ", ".join(
        f"{count} {to_words(PLACE_WORDS[Place(place)])}" for place, count in one.places
    )
    return f"batch {one.batch} ({one.back}), {counted(one.cards, 'card')}: {places}"


def _summary(tally: JournalTally) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    count = len(tally.coups)
    table.add_row("shoes", str(tally.shoes), "")
    table.add_row("batches in turn", Text(", ".join(_abbreviate(tally.batches))), "")
    table.add_row("proven shuffles", str(tally.shuffles), "")
    table.add_row("cards", str(tally.cards), "")
    table.add_row("coups", str(count), "")
    for name, number, style in (
        ("Player", tally.player, PLAYER_STYLE),
        ("Banker", tally.banker, BANKER_STYLE),
        ("Tie", tally.tie, TIE_STYLE),
        ("void", tally.void, "dim"),
    ):
        share = f"{100 * number / count:.1f} %" if count else ""
        table.add_row(Text(f"  {name}", style), str(number), share)
    table.add_row("irregularities", str(tally.irregularities), "")
    for code, number in tally.codes:
        table.add_row(Text(f"  {code}", ALERT_STYLE), str(number), "")
    return table


def _abbreviate(batches: Sequence[str]) -> Sequence[str]:
    """The first and the last batches if there are many."""
    return batches if len(batches) <= 6 else (*batches[:3], "...", *batches[-2:])


def _findings(proof: DemoProof) -> Iterator[tuple[str, bool]]:
    yield (
        f"the journal is complete and unchanged ({counted(proof.records, 'record')})",
        proof.intact,
    )
    same = proof.replay == "same"
    yield f"replaying its inputs gives {'the same' if same else 'other'} conclusions", same
    compared = "every coup is recorded as it was dealt"
    yield proof.difference or compared, not proof.difference
    sealed, signed = proof.seals.sealed, proof.seals.signed
    code = f"; code of the day {proof.seals.code}" if proof.seals.code else ""
    yield f"{counted(sealed, 'sealed shoe')}, {signed} of them signed{code}", signed == sealed


def commands(settings: DemoSettings) -> tuple[str, ...]:
    """The commands for a closer look."""
    journal = shlex.quote(str(from_here(settings.folder)))
    program = shlex.quote(installed_program())
    return (
        f"{program} verify {journal}",
        f"{program} replay {journal}",
        f"{program} rules show {settings.profile}",
        f"{installed_program('smartshoe-hil')} demo --page --seed {settings.seed}",
    )


def installed_program(name: str = "smartshoe") -> str:
    """What a person types to start it: its name, or its path where PATH lacks it."""
    beside = Path(sys.executable).with_name(name)
    on_path = shutil.which(name)
    if not beside.exists() or (on_path is not None and Path(on_path).samefile(beside)):
        return name
    return str(from_here(beside))


def from_here(path: Path) -> Path:
    """The path as a person types it: below the current folder without that folder's name."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path

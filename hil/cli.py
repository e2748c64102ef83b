"""`smartshoe-hil`: the bench's entry point.

Responsible for: its commands, their options, help pages with examples, and exit codes.
Not responsible for: what the commands do (demo, emulator_process).
Source: package README, "The demo", "The emulator as a process".
"""
# ruff: noqa: PLC0415 - a help page loads neither the program nor rich.

import json
import os
import secrets
import sys
from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.version import VERSION
from hil.dealing.mistakes import DESCRIPTIONS, Mistake, PlannedMistake, planned_mistake
from hil.demo.plan import DemoSettings, Manner, Speed, Transport, usual_mistakes
from hil.rig.shoe_models import NEEDS_KEYS, ShoeKind

if TYPE_CHECKING:
    from rich.console import Console

SEED_BELOW = 1_000_000
_PIPE_WIDTH = 160


class Exit(IntEnum):
    """Exit codes of `smartshoe-hil`."""

    DONE = 0
    NO = 1
    UNUSABLE = 2
    INTERRUPTED = 130


_EMULATE_EXAMPLES = """
examples:
  smartshoe-hil emulate --pty-link /tmp/shoe --seed 7
  smartshoe-hil emulate --tcp 4001 --speed 1 --pace-ms 800
  smartshoe-hil emulate --pty-link /tmp/shoe --mistake wrong_result@3 --wait-after-mistake
  smartshoe-hil emulate --tcp 4001 --noise 0.05 --truth truth.jsonl
  smartshoe-hil emulate --shoe rfid --tcp 4001 --batches . --console /run/smartshoe/control.sock

Orders on standard input: hold, go, unplug, replug (pty), drop (tcp), quit; to an RFID shoe also
fault NAME, power-off, power-on.
Mistakes are listed by `smartshoe-hil mistakes`."""

app = typer.Typer(
    name="smartshoe-hil",
    help="The bench of smartshoe: the other end of the shoe's cable.",
    epilog="\b\nexamples:\n"
    "  smartshoe-hil demo                                  watch a whole shoe\n"
    "  smartshoe-hil demo --speed max --seed 7 --json      for a program that reads along\n"
    "  smartshoe-hil emulate --tcp 4001                    only the shoe, for a table of yours\n"
    "  smartshoe-hil mistakes                              what a dealer can do wrong\n\n"
    "\b\nexit codes:\n  0  done; the answer is yes\n  1  the answer is no, or something failed\n"
    "  2  wrong usage, or it cannot begin\n  130  interrupted by Ctrl-C",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        print(f"smartshoe-hil {VERSION}")
        raise typer.Exit


@app.callback()
def smartshoe_hil(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """The bench of smartshoe: the other end of the shoe's cable."""


def _ordered(text: str) -> PlannedMistake:
    try:
        return planned_mistake(text)
    except ValueError:
        known = ", ".join(mistake.value for mistake in Mistake)
        raise typer.BadParameter(
            f"{text!r}: write NAME@COUP or NAME@SHOE.COUP, such as wrong_result@7; known: {known}"
        ) from None


def _known_profile(name: str) -> str:
    from controller.profiles.load import profile_names

    if name not in profile_names():
        raise typer.BadParameter(f"{name!r}: known are {', '.join(profile_names())}")
    return name


_DEMO_EPILOG = (
    "\b\nexamples:\n"
    "  smartshoe-hil demo\n"
    "  smartshoe-hil demo --shoes 4 --speed max --seed 7 --json\n"
    "  smartshoe-hil demo --mistake forced_exit@3 --mistake burn_short@1\n"
    "  smartshoe-hil demo --dealer careless --profile ny-mini\n"
    "  smartshoe-hil demo --transport tcp --journal /tmp/demo\n"
    "  smartshoe-hil demo --shoe rfid --shoes 2\n\n"
    "The journal's folder also keeps table.toml, the program's log and truth.jsonl, what was "
    "truly dealt. With --json standard output has one line, a JSON object; all else goes to "
    "standard error.\n\n"
    "Exit codes: 0 the journal is intact, replays the same and equals what was dealt (after "
    "Ctrl-C: as far as it was dealt), 1 it does not, or something failed, 2 it cannot begin."
)


_Shoes = Annotated[
    int, typer.Option("--shoes", min=1, max=10_000, metavar="N", help="How many shoes.")
]
_Speed = Annotated[
    Speed | None,
    typer.Option(
        "--speed",
        show_default="brisk on a terminal, else max",
        help="real: a dealer's tempo on a 4800 baud line, a quarter of an hour a shoe; "
        "brisk: about 50 s a shoe; max: as fast as the program judges.",
    ),
]
_Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        metavar="S",
        show_default="random, and shown",
        help="Equal seeds deal alike.",
    ),
]
_Profile = Annotated[
    str,
    typer.Option(
        "--profile",
        callback=_known_profile,
        metavar="NAME",
        help="The rules: a profile that `smartshoe rules` lists.",
    ),
]
_Mistakes = Annotated[
    list[PlannedMistake] | None,
    typer.Option(
        "--mistake",
        parser=_ordered,
        metavar="NAME@COUP",
        show_default="three in each shoe",
        help="A mistake of the dealer, at that coup or the first after it that offers the "
        "occasion; NAME@SHOE.COUP for a later shoe. May be given again.",
    ),
]
_Dealer = Annotated[
    Manner,
    typer.Option("--dealer", help="While the table is suspended he waits, or deals on."),
]
_Transport = Annotated[
    Transport,
    typer.Option("--transport", help="The line: a pseudo-terminal, or TCP on loopback."),
]
_ShoeKind = Annotated[
    ShoeKind,
    typer.Option(
        "--shoe",
        help="The dealing shoe: an Angel Eye reads faces; an RFID shoe reads which card it is, "
        "and the table tells where every card is.",
    ),
]
_Journal = Annotated[
    Path | None,
    typer.Option(
        "--journal",
        metavar="DIR",
        show_default="./journal/demo-DATE-TIME",
        help="A new folder for the journal; it is kept.",
    ),
]
_NoMistakes = Annotated[bool, typer.Option("--no-mistakes", help="He makes none.")]
_Json = Annotated[bool, typer.Option("--json", help="End with one JSON object on standard output.")]


@app.command(epilog=_DEMO_EPILOG)
def demo(
    shoes: _Shoes = 1,
    speed: _Speed = None,
    seed: _Seed = None,
    profile: _Profile = "s42-mini",
    mistake: _Mistakes = None,
    no_mistakes: _NoMistakes = False,
    dealer: _Dealer = Manner.WAITS,
    transport: _Transport = Transport.PTY,
    shoe: _ShoeKind = ShoeKind.ANGEL_EYE,
    journal: _Journal = None,
    as_json: _Json = False,
) -> None:
    """Watch an emulated shoe being dealt to the unchanged program.

    The shoe is served on a real pseudo-terminal or TCP port, the program is started as on any
    table, the dealer makes mistakes, a scripted floorperson (named as such in the journal)
    decides. At the end the journal is verified, replayed and compared with what was truly dealt.
    """
    if mistake and no_mistakes:
        raise typer.BadParameter("give --mistake or --no-mistakes, not both")
    _refuse_unseen(shoe, mistake or [])
    shown_on = sys.stderr if as_json else sys.stdout
    if speed is None:
        speed = Speed.BRISK if shown_on.isatty() else Speed.MAX
    settings = DemoSettings(
        folder=(journal or _new_folder()).absolute(),
        seed=secrets.randbelow(SEED_BELOW) if seed is None else seed,
        shoes=shoes,
        speed=speed,
        profile=profile,
        mistakes=() if no_mistakes else tuple(mistake or usual_mistakes(shoes, shoe)),
        manner=dealer,
        transport=transport,
        shoe=shoe,
    )
    raise typer.Exit(_demonstrate(settings, as_json=as_json))


def _refuse_unseen(shoe: ShoeKind, ordered: list[PlannedMistake]) -> None:
    """Mistakes that belong to keys the shoe has not, or that it could not tell."""
    unseen = sorted({one.mistake.value for one in ordered if one.mistake in NEEDS_KEYS})
    if shoe is ShoeKind.RFID and unseen:
        raise typer.BadParameter(
            f"--mistake {unseen[0]} does not show at --shoe rfid, which has no keys and claims "
            f"nothing of a card; order another, or take --shoe {ShoeKind.ANGEL_EYE.value}"
        )


def _new_folder() -> Path:
    """A name under ./journal that is not taken."""
    stem = f"demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    folder, number = Path("journal") / stem, 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"{stem}-{number}")
    return folder


def _demonstrate(settings: DemoSettings, *, as_json: bool) -> Exit:
    """Play, prove and tell."""
    from controller.journal.values import JournalError
    from controller.profiles.load import load_clauses
    from controller.system.atomic_file import SmallFileError
    from hil.demo.demo import CannotBegin, play
    from hil.demo.proof import prove
    from hil.demo.report import plain, tell
    from hil.demo.screen import screen_on
    from hil.rig.program import ProgramFailed

    console = _console(as_json=as_json)
    words = f"seed {settings.seed}, {settings.speed.value} speed, journal {settings.folder}"
    console.out(f"demo: {words}", highlight=False)
    try:
        dealt = play(settings, screen_on(console, load_clauses()))
        with console.status("verifying and replaying the journal ..."):
            proof = prove(
                settings.folder,
                dealt.truth,
                complete=dealt.complete,
                batches=dealt.batches,
            )
    except CannotBegin as error:
        return _fail(str(error), Exit.UNUSABLE)
    except (ProgramFailed, JournalError, SmallFileError) as error:
        return _fail(str(error), Exit.NO)
    tell(console, settings, proof, dealt)
    if dealt.failure:
        _fail(dealt.failure, Exit.NO)
    if as_json:
        print(json.dumps(plain(settings, proof, dealt)))
    return Exit.DONE if proof.verified and not dealt.failure else Exit.NO


def _console(*, as_json: bool) -> "Console":
    """Where people look: stdout, or stderr where stdout is a program's."""
    from rich.console import Console

    stream = sys.stderr if as_json else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(stderr=as_json, width=width, highlight=False)


def _fail(words: str, code: Exit) -> Exit:
    print(f"smartshoe-hil: {words}", file=sys.stderr)
    return code


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def emulate(context: typer.Context) -> None:
    """Serve an emulated shoe and its dealer on a pseudo-terminal or TCP port."""
    from hil.serve.shoe import main as run

    words = context.args or ["--help"]
    try:
        raise typer.Exit(run(words))
    finally:
        if {"-h", "--help"} & set(words):
            print(_EMULATE_EXAMPLES)


@app.command(epilog="\b\nexample:\n  smartshoe-hil demo --mistake wrong_result@3")
def mistakes(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List what the emulated dealer can do wrong on request."""
    if as_json:
        print(json.dumps({each.value: words for each, words in DESCRIPTIONS.items()}, indent=2))
        return
    width = max(len(each.value) for each in DESCRIPTIONS)
    for each, words in DESCRIPTIONS.items():
        print(f"{each.value:<{width}}  {words}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. `argv` without the program's name."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        app(args=words, prog_name="smartshoe-hil")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else Exit.DONE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # Who reads along has left; nothing more can be said to him.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.NO
    return Exit.DONE


if __name__ == "__main__":
    sys.exit(main())

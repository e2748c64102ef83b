"""`smartshoe-hil`: commands, options, help pages and exit codes of the bench."""
# ruff: noqa: PLC0415 - a help page loads neither the program nor rich.

import json
import secrets
import sys
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

from controller.system.command_line.command import ALWAYS, Example, example
from controller.system.command_line.errors import KNOWN_ERRORS, CommandError, ExitCode, write_stderr
from controller.system.command_line.help_lines import example_lines
from controller.system.command_line.program import run_program
from controller.system.command_line.standard_output import install_standard_streams
from controller.system.command_line.usage import usage_error
from controller.version import software_identifier
from hil.acceptance.command import ACCEPT_EXAMPLES, ACCEPT_NOTES, accept
from hil.dealing.mistakes import DESCRIPTIONS, PlannedMistake
from hil.demo.plan import DealerConduct, DemoSettings, Speed, Transport, usual_mistakes
from hil.floor.command import FLOOR_EXAMPLES, FLOOR_NOTES, floor
from hil.rig.shoe_models import NEEDS_KEYS, ShoeKind
from hil.run_guard import guarded_run, run_to_end
from hil.scenario.commands.command import (
    CHECK_EXAMPLES,
    RIGS_EXAMPLES,
    RUN_EXAMPLES,
    RUN_NOTES,
    check,
    rigs,
    run,
)
from hil.serve.command import EMULATE_EXAMPLES, EMULATE_NOTES, emulate, parse_mistake
from hil.serve.relay import RELAY_EXAMPLES, RELAY_NOTES, relay
from hil.serve.replay import REPLAY_EXAMPLES, REPLAY_NOTES, replay
from hil.soak.command import FAULTS_EXAMPLES, SOAK_EXAMPLES, SOAK_NOTES, faults, soak

if TYPE_CHECKING:
    from rich.console import Console

SEED_BELOW = 1_000_000
_NAME = "smartshoe-hil"
_PIPE_WIDTH = 160
_ERRORS = {
    **KNOWN_ERRORS,
    "hil.emulator.lines.line.LineUnavailable": ExitCode.UNUSABLE,
    "hil.demo.demo.CannotStart": ExitCode.UNUSABLE,
    "hil.rig.program.ProgramFailed": ExitCode.NO,
    "hil.soak.spread.CannotDistribute": ExitCode.UNUSABLE,
    "hil.rig.servers.child_server.ServerUnavailable": ExitCode.UNUSABLE,
    "hil.measure.checks.CannotMeasure": ExitCode.NO,
}


_CODES = (
    (ExitCode.DONE, "done; the answer is yes"),
    (ExitCode.NO, "the answer is no, or something failed"),
    (ExitCode.UNUSABLE, "wrong usage, or it cannot start"),
    (ExitCode.FAULT, ALWAYS[ExitCode.FAULT]),
    (ExitCode.INTERRUPTED, ALWAYS[ExitCode.INTERRUPTED]),
    (ExitCode.PIPE_CLOSED, ALWAYS[ExitCode.PIPE_CLOSED]),
)
_EXIT_CODES = "\b\nexit codes:\n" + "\n".join(f"  {code:<3}  {words}" for code, words in _CODES)


def example_block(examples: tuple[Example, ...]) -> str:
    """The examples of a page; `\\b` keeps its lines as they are."""
    return "\b\n" + "\n".join(example_lines(examples))


class GroupedCommand(TyperCommand):
    """A command whose help page has its options under the headings of their groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each group, in the order of the options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if (lines := option.get_help_record(ctx)) is not None:
                heading = getattr(option, "rich_help_panel", None) or "Other options"
                groups.setdefault(heading, []).append(lines)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


app = typer.Typer(
    name="smartshoe-hil",
    help="The bench of smartshoe: the other end of the shoe's cable.",
    epilog="\b\nfirst steps, with examples:\n"
    "  smartshoe-hil demo -h      watch a whole shoe\n"
    "  smartshoe-hil run -h       play scenarios that anyone can write\n"
    "  smartshoe-hil emulate -h   only the shoe, for your own table\n"
    "  smartshoe-hil replay -h    a recorded device, played back\n"
    "  smartshoe-hil accept -h    a first real device, on the bench\n"
    "  smartshoe-hil mistakes -h  the mistakes a dealer can make\n"
    "  smartshoe-hil soak -h      many simulated shoes with faults\n"
    "  smartshoe-hil floor -h     many tables at once, and what they cost\n\n"
    f"{_EXIT_CODES}",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"smartshoe-hil {software_identifier()}")
        raise typer.Exit


@app.callback()
def smartshoe_hil(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """The bench of smartshoe: the other end of the shoe's cable."""


def _known_profile(name: str) -> str:
    from controller.rules.profiles.load import profile_names

    if name not in profile_names():
        raise CommandError(
            f"there is no profile {name!r}",
            place="--profile",
            allowed=", ".join(profile_names()),
            remedy="use one of them",
        )
    return name


DEMO_EXAMPLES: Final = (
    example(
        "smartshoe-hil demo --seed 7",
        "demo: seed 7, max speed, journal ...",
        "...",
        "burn: 8 cards, the first was 7d",
        "coup   1  Player Js 3d (3)       Banker Ad 8s (9)       banker, natural",
        "...",
        "  yes  every coup is recorded as it was dealt",
        "...",
    ),
    example(
        "smartshoe-hil demo --speed max --seed 7 --no-mistakes --json 2> lines.txt",
        '{"shoes": 1, "coups": 80, ...}',
    ),
    example(
        "smartshoe-hil demo --profile ny-mini --seed 7 \\\n"
        "    --mistake forced_exit@3 --mistake burn_short@1",
        "...",
        "IRREGULARITY 1 BURN_SHORT, no coup: a coup was begun while burn cards were still ...",
        "...",
        "  yes  the journal is complete and unchanged (... records)",
        "...",
    ),
    example(
        "smartshoe-hil demo --shoe rfid --transport tcp --seed 7 --journal journal/rfid",
        "demo: seed 7, max speed, journal journal/rfid",
        "...",
        "  yes  every coup is recorded as it was dealt",
        "...",
        "  smartshoe verify journal/rfid",
        "...",
    ),
)
_DEMO_EPILOG = (
    f"{example_block(DEMO_EXAMPLES)}\n\n"
    "The journal's folder also gets table.toml, the program's log and truth.jsonl: what was "
    "truly dealt. With --json standard output has one line, a JSON object; all else goes to "
    "standard error.\n\n"
    "It is done (0) if the journal is intact, replays the same and equals what was dealt; after "
    "Ctrl-C, as far as it was dealt.\n\n" + _EXIT_CODES
)


_Shoes = Annotated[
    int, typer.Option("--shoes", min=1, max=10_000, metavar="N", help="Number of shoes.")
]
_Speed = Annotated[
    Speed | None,
    typer.Option(
        "--speed",
        show_default="brisk on a terminal, else max",
        help="real: a dealer's tempo on a 4800 baud line, a quarter of an hour a shoe; "
        "brisk: about 50 s a shoe; max: as fast as the program can judge.",
    ),
]
_Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        metavar="S",
        show_default="random, printed",
        help="Equal seeds deal equal cards.",
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
        parser=parse_mistake,
        metavar="NAME@COUP",
        show_default="three in each shoe",
        help="A mistake of the dealer, at that coup or the first later one where it is "
        "possible; NAME@SHOE.COUP for a later shoe. May be repeated.",
    ),
]
_Dealer = Annotated[
    DealerConduct, typer.Option("--dealer", help="What the dealer does while it is suspended.")
]
_Transport = Annotated[
    Transport, typer.Option("--transport", help="The line: a pseudo-terminal, or loopback TCP.")
]
_ShoeKind = Annotated[
    ShoeKind,
    typer.Option(
        "--shoe",
        help="The dealing shoe: an Angel Eye reads faces; an RFID shoe identifies each card, "
        "and the table tracks where every card is.",
    ),
]
_Journal = Annotated[
    Path | None,
    typer.Option(
        "--journal",
        metavar="DIR",
        show_default="./journal/demo-DATE-TIME",
        help="A new folder for the journal.",
    ),
]
_NoMistakes = Annotated[bool, typer.Option("--no-mistakes", help="The dealer makes no mistakes.")]
_Page = Annotated[
    bool, typer.Option("--page", help="Open its page in a browser; stay until Ctrl-C.")
]
_Json = Annotated[bool, typer.Option("--json", help="End with one JSON object on standard output.")]


@app.command(epilog=_DEMO_EPILOG)
def demo(
    shoes: _Shoes = 1,
    speed: _Speed = None,
    seed: _Seed = None,
    profile: _Profile = "s42-mini",
    mistake: _Mistakes = None,
    no_mistakes: _NoMistakes = False,
    dealer: _Dealer = DealerConduct.WAITS,
    transport: _Transport = Transport.PTY,
    shoe: _ShoeKind = ShoeKind.ANGEL_EYE,
    journal: _Journal = None,
    page: _Page = False,
    as_json: _Json = False,
) -> None:
    """Watch an emulated shoe being dealt to the unchanged program.

    The shoe is served on a real pseudo-terminal or TCP port, the program is started as at any
    table, the dealer makes mistakes, and a scripted floorperson (named so in the journal) decides.
    At the end the journal is verified, replayed and compared with what was truly dealt.
    """
    if mistake and no_mistakes:
        raise CommandError(
            "--mistake and --no-mistakes are both given",
            place="--mistake",
            allowed="one of them",
            remedy="leave one out",
        )
    _refuse_undetectable(shoe, mistake or [])
    stream = sys.stderr if as_json else sys.stdout
    if speed is None:
        speed = Speed.BRISK if stream.isatty() or page else Speed.MAX
    settings = DemoSettings(
        folder=(journal or _new_folder()).absolute(),
        seed=secrets.randbelow(SEED_BELOW) if seed is None else seed,
        shoes=shoes,
        speed=speed,
        profile=profile,
        mistakes=() if no_mistakes else tuple(mistake or usual_mistakes(shoes, shoe)),
        conduct=dealer,
        transport=transport,
        shoe=shoe,
        page=page,
    )
    with guarded_run():
        code = _run_demo(settings, as_json=as_json)
    raise typer.Exit(code)


def _refuse_undetectable(shoe: ShoeKind, ordered: list[PlannedMistake]) -> None:
    """Raises CommandError for mistakes that a shoe without keys cannot show."""
    undetectable = sorted({one.mistake.value for one in ordered if one.mistake in NEEDS_KEYS})
    if shoe is ShoeKind.RFID and undetectable:
        possible = ", ".join(each.value for each in DESCRIPTIONS if each not in NEEDS_KEYS)
        raise CommandError(
            f"{undetectable[0]} cannot be detected with --shoe rfid, which has no keys and reports"
            " no burn cards",
            place="--mistake",
            allowed=possible,
            remedy=f"choose another, or use --shoe {ShoeKind.ANGEL_EYE.value}",
        )


def _new_folder() -> Path:
    """A folder name below ./journal that does not exist yet."""
    stem = f"demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    folder, number = Path("journal") / stem, 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"{stem}-{number}")
    return folder


def _run_demo(settings: DemoSettings, *, as_json: bool) -> ExitCode:
    """Run the demo, prove it and print the report."""
    from controller.rules.profiles.load import load_clauses, load_profile
    from hil.demo.demo import play
    from hil.demo.floor_view import shown_clauses
    from hil.demo.proof import prove
    from hil.demo.report import from_here, json_report, print_report
    from hil.demo.screen import screen_on

    console = _console(as_json=as_json)
    line = f"demo: seed {settings.seed}, {settings.speed.value} speed"
    console.out(f"{line}, journal {from_here(settings.folder)}", highlight=False)
    clauses = shown_clauses(load_profile(settings.profile), load_clauses())

    dealt = play(settings, screen_on(console, clauses), partial(console.out, highlight=False))
    with console.status("verifying and replaying the journal ..."):
        proof = prove(
            settings.folder,
            dealt.truth,
            complete=dealt.complete,
            batches=dealt.batches,
        )
    print_report(console, settings, proof, dealt)
    if dealt.failure:
        write_stderr(f"{_NAME}: {dealt.failure}")
    if as_json:
        print(json.dumps(json_report(settings, proof, dealt)))
    return ExitCode.DONE if proof.verified and not dealt.failure else ExitCode.NO


def _console(*, as_json: bool) -> "Console":
    """The console for people: stdout, or stderr with --json."""
    from rich.console import Console

    stream = sys.stderr if as_json else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Console(stderr=as_json, width=width, highlight=False)


app.command(
    cls=GroupedCommand,
    epilog=f"{example_block(EMULATE_EXAMPLES)}\n\n{EMULATE_NOTES}\n\n{_EXIT_CODES}",
)(emulate)


app.command(epilog=f"{example_block(REPLAY_EXAMPLES)}\n\n{REPLAY_NOTES}\n\n{_EXIT_CODES}")(replay)
app.command(epilog=f"{example_block(RELAY_EXAMPLES)}\n\n{RELAY_NOTES}\n\n{_EXIT_CODES}")(relay)
app.command(epilog=f"{example_block(RUN_EXAMPLES)}\n\n{RUN_NOTES}\n\n{_EXIT_CODES}")(run)
app.command(epilog=f"{example_block(RIGS_EXAMPLES)}\n\n{_EXIT_CODES}")(rigs)
app.command(epilog=f"{example_block(CHECK_EXAMPLES)}\n\n{_EXIT_CODES}")(check)

app.command(
    cls=GroupedCommand,
    epilog=f"{example_block(ACCEPT_EXAMPLES)}\n\n{ACCEPT_NOTES}\n\n{_EXIT_CODES}",
)(accept)


MISTAKES_EXAMPLES: Final = (
    example(
        "smartshoe-hil mistakes",
        "burn_short                  one burn card too few; the next card is drawn as if ...",
        "...",
    ),
    example(
        "smartshoe-hil mistakes --json",
        "{",
        '  "burn_short": "one burn card too few; the next card is drawn as if play had begun",',
        "...",
    ),
)


@app.command(epilog=f"{example_block(MISTAKES_EXAMPLES)}\n\n{_EXIT_CODES}")
def mistakes(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the mistakes that the emulated dealer can make."""
    if as_json:
        print(json.dumps({each.value: words for each, words in DESCRIPTIONS.items()}, indent=2))
        return
    width = max(len(each.value) for each in DESCRIPTIONS)
    for each, words in DESCRIPTIONS.items():
        print(f"{each.value:<{width}}  {words}")


app.command(epilog=f"{example_block(SOAK_EXAMPLES)}\n\n{SOAK_NOTES}\n\n{_EXIT_CODES}")(soak)
app.command(epilog=f"{example_block(FAULTS_EXAMPLES)}\n\n{_EXIT_CODES}")(faults)
app.command(epilog=f"{example_block(FLOOR_EXAMPLES)}\n\n{FLOOR_NOTES}\n\n{_EXIT_CODES}")(floor)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. `argv` without the program's name."""
    words = list(sys.argv[1:] if argv is None else argv)
    if argv is None:
        install_standard_streams()
    return run_to_end(lambda: run_program(_NAME, _dispatch, words, _ERRORS))


def _dispatch(words: list[str]) -> int:
    try:
        ended = app(args=words, prog_name=_NAME, standalone_mode=False)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        command = _NAME if context is None else context.command_path
        if context is not None and error.format_message() == context.get_help():
            write_stderr(error.format_message())  # no command was named
            return ExitCode.UNUSABLE
        place = command.removeprefix(_NAME).strip() or _NAME
        raise usage_error(error, command, place) from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    return ended if isinstance(ended, int) else ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())

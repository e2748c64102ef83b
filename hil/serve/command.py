"""`smartshoe-hil emulate`: its options, in groups, and its help page."""
# ruff: noqa: PLC0415 - a help page does not load the program.

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.system.command_line.command import example
from controller.system.command_line.errors import CommandError
from hil.dealing.mistakes import Mistake, PlannedMistake, planned_mistake
from hil.emulator.angel_eye.device import SEQUENCE_DEFAULT
from hil.emulator.feig.device import Delivery
from hil.rig.shoe_models import ShoeKind
from hil.serve.options import (
    AngelEyeOptions,
    DealingOptions,
    LineOptions,
    RfidOptions,
    ShoeOptions,
)

DECKS_MAX: Final = 8
BAUD_MAX: Final = 4_000_000
COUNT_MAX: Final = 1_000_000
MS_MAX: Final = 3_600_000
LINE, DEALING, ANGEL_EYE, RFID = "Line", "Dealing", "With --shoe angel-eye", "With --shoe rfid"

EMULATE_EXAMPLES: Final = (
    example(
        "smartshoe-hil emulate --pty-link ./shoe --seed 7",
        '{"event": "ready", "path": ".../shoe", "shoe": "angel-eye", "url": ".../shoe"}',
        "An emulated shoe is at .../shoe; it begins at once; with --hold it waits for go. ...",
        "  smartshoe devices monitor .../shoe",
        "...",
    ),
    example(
        "smartshoe-hil emulate --tcp 4001 --speed 1 --pace-ms 800",
        '{"event": "ready", "path": "", "shoe": "angel-eye", "url": "socket://127.0.0.1:4001"}',
        "An emulated shoe is at socket://127.0.0.1:4001; it begins when somebody connects. ...",
        "...",
    ),
    example(
        "smartshoe-hil emulate --pty-link ./shoe --mistake wrong_result@3 --wait-after-mistake",
        '{"event": "ready", "path": ".../shoe", "shoe": "angel-eye", "url": ".../shoe"}',
        "...",
    ),
    example(
        "smartshoe-hil emulate --tcp 4001 --noise 0.05 --truth truth.jsonl",
        '{"event": "ready", ..., "url": "socket://127.0.0.1:4001"}',
        "...",
        '{"coups": 0, "event": "done", "reports": 0}',
    ),
    example(
        "smartshoe-hil emulate --shoe rfid --tcp 4001 --batches . --hold",
        '{"event": "ready", "path": "", "shoe": "rfid", "url": "socket://127.0.0.1:4001"}',
        "An emulated shoe is at socket://127.0.0.1:4001; type go to begin. ...",
        "  smartshoe devices monitor socket://127.0.0.1:4001 --model feig-rfid",
        "For a table, in table.toml: [shoe] port = ..., model = ..., gate_input = 1; then ...",
        "...",
    ),
)
EMULATE_NOTES: Final = """\
Orders on standard input: hold, go, unplug, replug (pty), drop (tcp), quit; to an RFID shoe also \
fault NAME, power-off, power-on. It ends with quit, with the end of its input, and on SIGINT \
(Ctrl-C), SIGTERM and SIGHUP. Standard output has one JSON object a line.

A file, folder or link that somebody else made is never replaced: choose names that are free."""


def parse_mistake(text: str) -> PlannedMistake:
    """A planned mistake of the command line. Raises CommandError."""
    try:
        return planned_mistake(text)
    except ValueError:
        known = ", ".join(mistake.value for mistake in Mistake)
        raise CommandError(
            f"{text!r} is not a planned mistake",
            place="--mistake",
            allowed=f"NAME@COUP or NAME@SHOE.COUP, where NAME is one of {known}",
            remedy="write it as wrong_result@7",
        ) from None


def _sequence(word: str) -> str:
    if not (word.isascii() and word.isprintable() and word):
        raise CommandError(
            f"{word!r} is not allowed",
            place="--seq-cycle",
            allowed="one or more printable ASCII characters, in their order",
            remedy=f"write it as {SEQUENCE_DEFAULT}",
        )
    return word


_PtyLink = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        rich_help_panel=LINE,
        help="Serve a pseudo-terminal, and make this link to it. Dealing begins at once.",
    ),
]
_Tcp = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=65535,
        metavar="PORT",
        rich_help_panel=LINE,
        help="Serve TCP on loopback, 0: on any free port. Dealing begins when somebody connects.",
    ),
]
_Speed = Annotated[
    int,
    typer.Option(
        min=0,
        max=1000,
        metavar="N",
        rich_help_panel=LINE,
        help="Bytes at N times the baud rate; 0: as fast as possible.",
    ),
]
_Baud = Annotated[
    int | None,
    typer.Option(
        min=50,
        max=BAUD_MAX,
        metavar="N",
        rich_help_panel=LINE,
        show_default="the shoe's own",
        help="Bits per second.",
    ),
]
_Noise = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="P",
        rich_help_panel=LINE,
        help="Probability of noise before a report.",
    ),
]
_Shoe = Annotated[
    ShoeKind,
    typer.Option(
        rich_help_panel=DEALING,
        help="An Angel Eye reads faces and has keys; an RFID shoe identifies each card.",
    ),
]
_Seed = Annotated[
    int,
    typer.Option(min=0, metavar="S", rich_help_panel=DEALING, help="Equal seeds deal equal cards."),
]
_Shoes = Annotated[
    int,
    typer.Option(min=1, max=10_000, metavar="N", rich_help_panel=DEALING, help="Number of shoes."),
]
_Decks = Annotated[
    int,
    typer.Option(
        min=1, max=DECKS_MAX, metavar="N", rich_help_panel=DEALING, help="Decks in each shoe."
    ),
]
_Coups = Annotated[
    int,
    typer.Option(
        min=0,
        max=COUNT_MAX,
        metavar="N",
        rich_help_panel=DEALING,
        help="Stop dealing after N coups; 0: deal all.",
    ),
]
_PaceMs = Annotated[
    int,
    typer.Option(
        min=0, max=MS_MAX, metavar="MS", rich_help_panel=DEALING, help="Pause after each action."
    ),
]
_Mistakes = Annotated[
    list[PlannedMistake] | None,
    typer.Option(
        parser=parse_mistake,
        metavar="NAME@COUP",
        rich_help_panel=DEALING,
        show_default="none",
        help="A mistake that `smartshoe-hil mistakes` lists, at that coup or the first later one "
        "where it is possible; NAME@SHOE.COUP for a later shoe. May be repeated.",
    ),
]
_BurnAfterOverdraw = Annotated[
    bool,
    typer.Option(
        "--burn-after-overdraw",
        rich_help_panel=DEALING,
        help="Burn by an overdrawn card's amount; else it is set aside.",
    ),
]
_Hold = Annotated[
    bool, typer.Option("--hold", rich_help_panel=DEALING, help="Do not deal before the order go.")
]
_WaitAfterMistake = Annotated[
    bool,
    typer.Option(
        "--wait-after-mistake",
        rich_help_panel=DEALING,
        help="Hold after a mistake until the order go.",
    ),
]
_NoOrders = Annotated[
    bool,
    typer.Option(
        "--no-orders",
        rich_help_panel=DEALING,
        help="Do not read standard input; serve until a signal, for a service or a script.",
    ),
]
_Truth = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=DEALING,
        help="A new file for what was truly dealt, as JSON lines.",
    ),
]
_Repeats = Annotated[
    int,
    typer.Option(
        min=1, max=3, metavar="N", rich_help_panel=ANGEL_EYE, help="Copies of each report."
    ),
]
_RepeatGapMs = Annotated[
    int,
    typer.Option(
        min=0, max=MS_MAX, metavar="MS", rich_help_panel=ANGEL_EYE, help="Pause between copies."
    ),
]
_SeqCycle = Annotated[
    str,
    typer.Option(
        callback=_sequence,
        metavar="WORD",
        rich_help_panel=ANGEL_EYE,
        help="The characters that number reports, in their order.",
    ),
]
_Delivery = Annotated[
    Delivery,
    typer.Option("--delivery", rich_help_panel=RFID, help="How records reach the host."),
]
_Buffer = Annotated[
    int,
    typer.Option(
        min=1, max=COUNT_MAX, metavar="N", rich_help_panel=RFID, help="Records the reader stores."
    ),
]
_ResendMs = Annotated[
    int,
    typer.Option(
        min=1,
        max=MS_MAX,
        metavar="MS",
        rich_help_panel=RFID,
        help="Send a record again after this time without an acknowledgement.",
    ),
]
_KeepAliveMs = Annotated[
    int,
    typer.Option(
        min=0,
        max=MS_MAX,
        metavar="MS",
        rich_help_panel=RFID,
        help="Send a keep-alive in this interval; 0: never.",
    ),
]
_Batches = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        rich_help_panel=RFID,
        help="Write RED-0001.csv and BLUE-0001.csv there, for `smartshoe batch import`.",
    ),
]
_Console = Annotated[
    Path | None,
    typer.Option(
        metavar="SOCKET",
        rich_help_panel=RFID,
        help="Declare results at this control socket of a table; left out: print declare, and "
        "wait for the order go.",
    ),
]


def emulate(
    pty_link: _PtyLink = None,
    tcp: _Tcp = None,
    speed: _Speed = 0,
    baud: _Baud = None,
    noise: _Noise = 0.0,
    shoe: _Shoe = ShoeKind.ANGEL_EYE,
    seed: _Seed = 1,
    shoes: _Shoes = 1,
    decks: _Decks = DECKS_MAX,
    coups: _Coups = 0,
    pace_ms: _PaceMs = 0,
    mistake: _Mistakes = None,
    burn_after_overdraw: _BurnAfterOverdraw = False,
    hold: _Hold = False,
    wait_after_mistake: _WaitAfterMistake = False,
    no_orders: _NoOrders = False,
    truth: _Truth = None,
    repeats: _Repeats = 3,
    repeat_gap_ms: _RepeatGapMs = 0,
    seq_cycle: _SeqCycle = SEQUENCE_DEFAULT,
    delivery: _Delivery = Delivery.ACKNOWLEDGED,
    buffer: _Buffer = 600,
    resend_ms: _ResendMs = 1000,
    keep_alive_ms: _KeepAliveMs = 0,
    batches: _Batches = None,
    console: _Console = None,
) -> None:
    """Serve an emulated shoe and its dealer for a table of your own.

    The shoe is on a pseudo-terminal (--pty-link) or on TCP (--tcp); name one of them. Standard
    error says what to type to connect to it.
    """
    from hil.serve.shoe import serve_shoe

    if (pty_link is None) is (tcp is None):
        raise CommandError(
            "no line is named" if tcp is None else "two lines are named",
            place="emulate",
            allowed="either --pty-link PATH or --tcp PORT",
            remedy="name one of them",
        )
    serve_shoe(
        ShoeOptions(
            shoe=shoe,
            line=LineOptions(
                None if pty_link is None else pty_link.absolute(), tcp, speed, baud, noise
            ),
            dealing=DealingOptions(
                seed=seed,
                shoes=shoes,
                decks=decks,
                coups=coups,
                pace_ms=pace_ms,
                mistakes=tuple(mistake or ()),
                burn_after_overdraw=burn_after_overdraw,
                hold=hold,
                wait_after_mistake=wait_after_mistake,
                orders=not no_orders,
                truth=truth,
            ),
            angel_eye=AngelEyeOptions(repeats, repeat_gap_ms, seq_cycle),
            rfid=RfidOptions(delivery, buffer, resend_ms, keep_alive_ms, batches, console),
        )
    )

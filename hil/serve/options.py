"""What the emulator process is told on its command line, and the parts that follow from it.

Responsible for: the options, the served device and the dealer they ask for.
Not responsible for: running them (emulator_process).
Source: package README, "The emulator as a process".
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import Mistake, planned_mistake
from hil.emulator.angel_eye.device import SEQUENCE_DEFAULT, AngelEye, AngelEyeSettings
from hil.emulator.feig.device import FeigSettings, Way
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.rig.shoe_models import ShoeKind, ShoeLine, line_settings, serve

NS_PER_MS = 1_000_000
ENVELOPES = {ShoeKind.ANGEL_EYE: Envelope.ANGEL_EYE, ShoeKind.RFID: Envelope.FEIG}
DESCRIPTION = "An emulated shoe and its dealer as a process of their own."


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on a wrong one."""
    parser = argparse.ArgumentParser(prog="hil.serve.shoe", description=DESCRIPTION)
    line = parser.add_mutually_exclusive_group(required=True)
    line.add_argument("--pty-link", type=Path, help="serve a pty behind this symlink")
    line.add_argument("--tcp", type=int, metavar="PORT", help="serve TCP on loopback; 0: any port")
    parser.add_argument("--shoe", type=ShoeKind, default=ShoeKind.ANGEL_EYE, choices=ShoeKind)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shoes", type=int, default=1)
    parser.add_argument("--decks", type=int, default=8)
    parser.add_argument("--coups", type=int, default=0, help="stop after so many coups; 0: all")
    parser.add_argument("--pace-ms", type=int, default=0, help="pause after each action")
    parser.add_argument("--speed", type=int, default=0, help="0: no pacing of bytes; n: n x baud")
    parser.add_argument("--baud", type=int, help="left out: that of the device")
    parser.add_argument("--repeats", type=int, default=3, choices=(1, 2, 3))
    parser.add_argument("--repeat-gap-ms", type=int, default=0)
    parser.add_argument("--seq-cycle", default=SEQUENCE_DEFAULT)
    parser.add_argument("--mistake", action="append", default=[], metavar="NAME@[SHOE.]COUP")
    parser.add_argument("--burn-after-overdraw", action="store_true")
    parser.add_argument("--truth", type=Path, help="write the truth here as JSON lines")
    parser.add_argument("--noise", type=float, default=0.0, help="probability of noise")
    parser.add_argument("--hold", action="store_true", help="begin only at `go`")
    parser.add_argument(
        "--wait-after-mistake", action="store_true", help="hold after a mistake until `go`"
    )
    rfid = parser.add_argument_group("--shoe rfid")
    rfid.add_argument("--way", type=Way, default=Way.ACKNOWLEDGED, choices=Way)
    rfid.add_argument("--buffer", type=int, default=600, help="records the reader can keep")
    rfid.add_argument("--resend-ms", type=int, default=1000)
    rfid.add_argument("--keep-alive-ms", type=int, default=0, help="0: none is sent")
    rfid.add_argument("--batches", type=Path, help="write the two batch files into this folder")
    rfid.add_argument(
        "--console",
        type=Path,
        help="declare results at this control socket; else `declare` is"
        " told on stdout, and it waits for `go`",
    )
    options = parser.parse_args(argv)
    try:
        options.mistakes = tuple(planned_mistake(text) for text in options.mistake)
    except ValueError as error:
        parser.error(f"--mistake: {error}; known: {', '.join(Mistake)}")
    return options


def make_server(options: argparse.Namespace) -> ShoeLine:
    """The served device the options ask for."""
    plan = FaultPlan(seed=options.seed, noise=options.noise, envelope=ENVELOPES[options.shoe])
    settings = line_settings(options.shoe, speed=options.speed)
    settings = replace(settings, faults=plan if options.noise else None)
    if options.baud is not None:
        settings = replace(settings, baud=options.baud)
    where = {"link": options.pty_link, "tcp": options.tcp}
    if options.shoe is ShoeKind.RFID:
        return serve(make_rfid_shoe(options), settings, **where)
    return serve(make_angel_eye(options), settings, **where)


def make_angel_eye(options: argparse.Namespace) -> AngelEye:
    return AngelEye(
        AngelEyeSettings(
            repeats=options.repeats,
            repeat_gap_ns=options.repeat_gap_ms * NS_PER_MS,
            seq_cycle=options.seq_cycle,
        )
    )


def make_rfid_shoe(options: argparse.Namespace) -> RfidShoe:
    settings = FeigSettings(
        way=options.way,
        buffer_records=options.buffer,
        resend_ns=options.resend_ms * NS_PER_MS,
        keep_alive_ns=options.keep_alive_ms * NS_PER_MS,
    )
    # Cards need time to pass only where bytes do.
    return RfidShoe(settings, by_hand=options.speed > 0)


def make_dealer(options: argparse.Namespace) -> Dealer:
    """The dealer the options ask for."""
    remedy = OverdrawRemedy.SET_ASIDE
    if options.burn_after_overdraw:
        remedy = OverdrawRemedy.BURN_AMOUNT
    return Dealer(
        DealerSettings(
            seed=options.seed,
            shoes=options.shoes,
            decks=options.decks,
            mistakes=options.mistakes,
            overdraw_remedy=remedy,
        )
    )

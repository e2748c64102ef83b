"""An emulated shoe and its dealer as a process of their own: `python -m hil.emulator_process`.

Responsible for: the command line, the lines on stdout that tell how far it is, the lines on stdin
that steer it, and the truth file. So a program under test can be killed and the shoe lives on.
Not responsible for: dealing and serving (hil.runner, hil.emulator).
Source: package README, "The emulator as a process".
"""

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from io import TextIOWrapper
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

from hil.dealing.actions import Action, MistakeMade
from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import Mistake, planned_mistake
from hil.dealing.truth import CoupTruth, TruthRecord, json_line
from hil.emulator.angel_eye import SEQUENCE_DEFAULT, AngelEye, AngelEyeSettings
from hil.emulator.line import LineServer, LineSettings
from hil.emulator.serve import PtyServer, TcpServer
from hil.faults import FaultPlan
from hil.runner import Pace, ShoeRunner, poll_gate

NS_PER_MS = 1_000_000
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Reins:
    """Lines on stdin: `hold` and `go`, `unplug` and `replug`, `drop`, `quit`.

    End of input is no order: dealing goes on to its end, only then the process need not stay.
    """

    def __init__(self, orders: TextIO, server: LineServer[AngelEye], *, held: bool) -> None:
        self._orders = orders
        self._server = server
        self._free = Event()
        self.finished = Event()
        self.quitting = Event()
        if not held:
            self._free.set()
        Thread(target=self._read, name="orders", daemon=True).start()
        Thread(target=self._await_signal, name="signals", daemon=True).start()

    def may_deal(self) -> bool:
        return self._free.is_set()

    def hold(self) -> None:
        self._free.clear()

    def quit(self) -> None:
        self.quitting.set()
        self.finished.set()

    def _await_signal(self) -> None:
        signal.sigwait(STOP_SIGNALS)
        self.quit()

    def _read(self) -> None:
        for line in self._orders:
            self._obey(line.strip())
        self.finished.set()

    def _obey(self, order: str) -> None:
        server = self._server
        match order:
            case "hold":
                self.hold()
            case "go":
                self._free.set()
            case "unplug" if isinstance(server, PtyServer):
                server.unplug()
            case "replug" if isinstance(server, PtyServer):
                server.replug()
            case "drop" if isinstance(server, TcpServer):
                server.drop()
            case "quit":
                self.quit()
            case _:
                tell("refused", order=order)


class Stopped(Exception):
    """The process was told to quit in the middle of a shoe."""


def tell(event: str, **facts: object) -> None:
    """One JSON line on stdout."""
    sys.stdout.write(json.dumps({"event": event, **facts}, sort_keys=True) + "\n")
    sys.stdout.flush()


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line. Exits with 2 on a wrong one."""
    parser = argparse.ArgumentParser(prog="hil.emulator_process", description=__doc__)
    line = parser.add_mutually_exclusive_group(required=True)
    line.add_argument("--pty-link", type=Path, help="serve a pty behind this symlink")
    line.add_argument("--tcp", type=int, metavar="PORT", help="serve TCP on loopback; 0: any port")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shoes", type=int, default=1)
    parser.add_argument("--decks", type=int, default=8)
    parser.add_argument("--coups", type=int, default=0, help="stop after so many coups; 0: all")
    parser.add_argument("--pace-ms", type=int, default=0, help="pause after each action")
    parser.add_argument("--speed", type=int, default=0, help="0: no pacing of bytes; n: n x baud")
    parser.add_argument("--baud", type=int, default=4800)
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
    options = parser.parse_args(argv)
    try:
        options.mistakes = tuple(planned_mistake(text) for text in options.mistake)
    except ValueError as error:
        parser.error(f"--mistake: {error}; known: {', '.join(Mistake)}")
    return options


def make_server(options: argparse.Namespace) -> LineServer[AngelEye]:
    """The served device the options ask for."""
    device = AngelEye(
        AngelEyeSettings(
            repeats=options.repeats,
            repeat_gap_ns=options.repeat_gap_ms * NS_PER_MS,
            seq_cycle=options.seq_cycle,
        )
    )
    faults = FaultPlan(seed=options.seed, noise=options.noise) if options.noise else None
    settings = LineSettings(speed=options.speed, baud=options.baud, faults=faults)
    if options.pty_link is not None:
        return PtyServer(device, settings, link=options.pty_link)
    return TcpServer(device, settings, port=options.tcp)


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


def play(
    options: argparse.Namespace, dealer: Dealer, server: LineServer[AngelEye], truth: TextIO | None
) -> None:
    """Deal until the end or `quit`, then stay until stdin ends or says `quit`."""
    reins = Reins(sys.stdin, server, held=options.hold)

    def while_held() -> None:
        if reins.quitting.is_set():
            raise Stopped
        poll_gate()

    def on_action(action: Action) -> None:
        if reins.quitting.is_set():
            raise Stopped
        if isinstance(action, MistakeMade):
            if options.wait_after_mistake:
                reins.hold()
            place = {"shoe": dealer.shoe_number, "coup": dealer.coup_number}
            tell("mistake", mistake=action.mistake.value, **place)

    def on_record(record: TruthRecord) -> None:
        if truth is not None:
            truth.write(json_line(record) + "\n")
            truth.flush()
        if isinstance(record, CoupTruth):
            tell("coup", shoe=record.shoe, coup=record.coup)

    runner = ShoeRunner(
        dealer,
        server,
        pace=Pace.uniform(options.pace_ms * NS_PER_MS),
        may_deal=reins.may_deal,
        while_held=while_held,
        on_action=on_action,
        on_record=on_record,
        coups_max=options.coups,
    )
    try:
        runner.run()
    except Stopped:
        runner.collect()
    tell("done", coups=len(dealer.truth.coups), reports=len(dealer.truth.reports))
    reins.finished.wait()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the process; 0 when the dealing came to its end or was told to quit."""
    options = arguments(argv)
    # Before any thread starts: all of them leave these signals to the one that waits for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    dealer = make_dealer(options)
    server = make_server(options)
    sink: AbstractContextManager[TextIOWrapper | None] = (
        nullcontext() if options.truth is None else options.truth.open("w", encoding="utf-8")
    )
    with sink as truth, server:
        where = server.path if isinstance(server, PtyServer) else ""
        url = server.url if isinstance(server, TcpServer) else where
        tell("ready", path=where, url=url)
        play(options, dealer, server, truth)
    return 0


if __name__ == "__main__":
    sys.exit(main())

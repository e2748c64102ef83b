"""What `smartshoe-hil emulate` was asked for, and the device, line, dealer and files of it."""

from dataclasses import replace
from pathlib import Path
from typing import TextIO

from msgspec import Struct

from controller.system.command_line.errors import CommandError
from hil.dealing.dealer import Dealer, DealerSettings, OverdrawRemedy
from hil.dealing.mistakes import PlannedMistake
from hil.dealing.tags import usual_batches
from hil.emulator.angel_eye.device import SEQUENCE_DEFAULT, AngelEye, AngelEyeSettings
from hil.emulator.feig.device import Delivery, FeigSettings
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.faults import Envelope, FaultPlan
from hil.rig.shoe_models import ShoeKind, ShoeLine, line_settings, serve

NS_PER_MS = 1_000_000
ENVELOPES = {ShoeKind.ANGEL_EYE: Envelope.ANGEL_EYE, ShoeKind.RFID: Envelope.FEIG}


class LineOptions(Struct, frozen=True):
    """The line: a pty behind that link, or that TCP port. `speed` 0: no pacing of bytes."""

    pty_link: Path | None = None
    tcp: int | None = None
    speed: int = 0
    baud: int | None = None
    noise: float = 0.0


class DealingOptions(Struct, frozen=True):
    """What is dealt, and when. `coups` 0: all."""

    seed: int = 1
    shoes: int = 1
    decks: int = 8
    coups: int = 0
    pace_ms: int = 0
    mistakes: tuple[PlannedMistake, ...] = ()
    burn_after_overdraw: bool = False
    hold: bool = False
    wait_after_mistake: bool = False
    orders: bool = True
    truth: Path | None = None


class AngelEyeOptions(Struct, frozen=True):
    """How an Angel Eye reports."""

    repeats: int = 3
    repeat_gap_ms: int = 0
    seq_cycle: str = SEQUENCE_DEFAULT


class RfidOptions(Struct, frozen=True):
    """How the reader of an RFID shoe reports. `keep_alive_ms` 0: never."""

    delivery: Delivery = Delivery.ACKNOWLEDGED
    buffer: int = 600
    resend_ms: int = 1000
    keep_alive_ms: int = 0
    batches: Path | None = None
    console: Path | None = None


class ShoeOptions(Struct, frozen=True):
    """A whole `smartshoe-hil emulate`."""

    shoe: ShoeKind
    line: LineOptions
    dealing: DealingOptions
    angel_eye: AngelEyeOptions
    rfid: RfidOptions


def make_server(options: ShoeOptions) -> ShoeLine:
    """The served device that the options ask for."""
    line = options.line
    plan = FaultPlan(seed=options.dealing.seed, noise=line.noise, envelope=ENVELOPES[options.shoe])
    settings = line_settings(options.shoe, speed=line.speed)
    settings = replace(settings, faults=plan if line.noise else None)
    if line.baud is not None:
        settings = replace(settings, baud=line.baud)
    if options.shoe is ShoeKind.RFID:
        return serve(_make_rfid_shoe(options), settings, link=line.pty_link, tcp=line.tcp)
    return serve(_make_angel_eye(options.angel_eye), settings, link=line.pty_link, tcp=line.tcp)


def _make_angel_eye(options: AngelEyeOptions) -> AngelEye:
    return AngelEye(
        AngelEyeSettings(
            repeats=options.repeats,
            repeat_gap_ns=options.repeat_gap_ms * NS_PER_MS,
            seq_cycle=options.seq_cycle,
        )
    )


def _make_rfid_shoe(options: ShoeOptions) -> RfidShoe:
    rfid = options.rfid
    settings = FeigSettings(
        delivery=rfid.delivery,
        buffer_records=rfid.buffer,
        resend_ns=rfid.resend_ms * NS_PER_MS,
        keep_alive_ns=rfid.keep_alive_ms * NS_PER_MS,
    )
    # A card takes time to pass only if bytes are paced.
    return RfidShoe(settings, by_hand=options.line.speed > 0)


def make_dealer(options: DealingOptions) -> Dealer:
    """The dealer that the options ask for."""
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


def open_truth(path: Path) -> TextIO:
    """The new file for the truth. Raises CommandError if it exists or cannot be made."""
    try:
        return path.open("x", encoding="utf-8")
    except FileExistsError:
        words = "exists and is left as it is"
    except OSError as error:
        words = f"cannot be made: {error.strerror}"
    raise CommandError(
        f"{path} {words}",
        place="--truth",
        allowed="a new file in a folder that exists",
        remedy="name another",
    )


def write_batches(folder: Path, decks: int) -> None:
    """Write the two batch files. Raises CommandError if other files have their names."""
    for batch in usual_batches(decks):
        path, text = folder / f"{batch.name}.csv", batch.csv()
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            if not path.is_file() or path.read_bytes() != text.encode():
                raise CommandError(
                    f"{path} exists with other content and is left as it is",
                    place="--batches",
                    allowed="a folder without it",
                    remedy="name another folder",
                ) from None
        except OSError as error:
            raise CommandError(
                f"{path} cannot be made: {error.strerror}",
                place="--batches",
                allowed="a folder that exists and that you may write to",
                remedy="name another folder",
            ) from None

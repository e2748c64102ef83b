"""The settings of a demo, the tempo of each speed, and the default mistakes."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.rig.shoe_models import NEEDS_KEYS, ShoeKind
from hil.rig.shoe_runner import Pace

NS_PER_MS = 1_000_000
DECKS = 8
OPERATOR = "demonstration"


class Speed(StrEnum):
    REAL = "real"
    BRISK = "brisk"
    MAX = "max"


class DealerConduct(StrEnum):
    """What the dealer does while the table is suspended."""

    WAITS = "waits"
    CARELESS = "careless"


class Transport(StrEnum):
    PTY = "pty"
    TCP = "tcp"


@dataclass(frozen=True, slots=True)
class Tempo:
    """The tempo of a demo.

    `line_speed` 0: bytes are not paced, 1: at the rate of the line. The first `slow_coups` coups
    and those after the cut card are dealt `slow_factor` times slower, so that a person can follow.
    `reading_s`: how long an irregularity is shown before the floorperson decides.
    """

    pace: Pace
    line_speed: int
    slow_coups: int
    slow_factor: int
    reading_s: float
    last_look_s: float


TEMPOS = {
    Speed.REAL: Tempo(
        Pace(
            draw_ns=900 * NS_PER_MS,
            cut_card_ns=1500 * NS_PER_MS,
            key_ns=900 * NS_PER_MS,
            after_burn_ns=2000 * NS_PER_MS,
            between_coups_ns=4000 * NS_PER_MS,
            between_shoes_ns=6000 * NS_PER_MS,
        ),
        line_speed=1,
        slow_coups=0,
        slow_factor=1,
        reading_s=10.0,
        last_look_s=3.0,
    ),
    Speed.BRISK: Tempo(
        Pace(
            draw_ns=34 * NS_PER_MS,
            cut_card_ns=300 * NS_PER_MS,
            key_ns=20 * NS_PER_MS,
            after_burn_ns=300 * NS_PER_MS,
            between_coups_ns=95 * NS_PER_MS,
            between_shoes_ns=1500 * NS_PER_MS,
        ),
        line_speed=0,
        slow_coups=2,
        slow_factor=8,
        reading_s=4.5,
        last_look_s=2.0,
    ),
    Speed.MAX: Tempo(
        Pace(), line_speed=0, slow_coups=0, slow_factor=1, reading_s=0.0, last_look_s=0.0
    ),
}

# One row for each shoe, then again from the first.
_DEFAULT_MISTAKES = (
    (
        (Mistake.WRONG_RESULT, 6),
        (Mistake.EXTRA_CARD, 24),
        (Mistake.MISSING_PLAYER_THIRD, 45),
    ),
    (
        (Mistake.BURN_SHORT, 1),
        (Mistake.OVERDRAW_AFTER_NATURAL, 18),
        (Mistake.WRONG_RESULT, 40),
    ),
    (
        (Mistake.FORCED_EXIT, 9),
        (Mistake.MISSING_BANKER_THIRD, 33),
        (Mistake.CARD_AFTER_LAST_HAND, 1),
    ),
)
# Their replacements at a shoe without keys.
_WITHOUT_KEYS = {
    Mistake.BURN_SHORT: (Mistake.EXTRA_CARD, 5),
    Mistake.FORCED_EXIT: (Mistake.WRONG_RESULT, 9),
}


def usual_mistakes(shoes: int, kind: ShoeKind = ShoeKind.ANGEL_EYE) -> tuple[PlannedMistake, ...]:
    """The default mistakes of a demo: three in each shoe."""
    return tuple(
        PlannedMistake(*_usual(mistake, coup, kind), shoe)
        for shoe in range(1, shoes + 1)
        for mistake, coup in _DEFAULT_MISTAKES[(shoe - 1) % len(_DEFAULT_MISTAKES)]
    )


def _usual(mistake: Mistake, coup: int, kind: ShoeKind) -> tuple[Mistake, int]:
    if kind is ShoeKind.RFID and mistake in NEEDS_KEYS:
        return _WITHOUT_KEYS[mistake]
    return mistake, coup


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """One demo. `folder` is the journal's folder, which also gets everything else.

    `page`: it is played in a browser, and stays on after its last coup until it is stopped.
    """

    folder: Path
    seed: int
    shoes: int = 1
    speed: Speed = Speed.MAX
    profile: str = "s42-mini"
    mistakes: tuple[PlannedMistake, ...] = ()
    conduct: DealerConduct = DealerConduct.WAITS
    transport: Transport = Transport.PTY
    shoe: ShoeKind = ShoeKind.ANGEL_EYE
    page: bool = False

    @property
    def tempo(self) -> Tempo:
        return TEMPOS[self.speed]

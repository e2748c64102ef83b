"""Clean shoes over a noisy line give exactly the dealt coups and no irregularity.

Source: wire document, "Reports".
"""

import pytest

from hil.dealing.dealer import DealerSettings
from hil.emulator.lines.faults import FaultPlan

SHORT = range(1, 9)
LONG = range(1, 51)


def dirty(seed: int) -> FaultPlan:
    return FaultPlan(
        seed=seed,
        fragment_bytes_max=5,
        joined=seed % 2 == 0,
        drop_repeat=0.2,
        extra_repeat=0.2,
        bad_bcc=0.2,
        noise=0.2,
    )


def exactly_the_dealt_coups(bench, transport: str, seed: int, as_dealt, as_recorded) -> None:
    played = bench.play(DealerSettings(seed=seed), transport, dirty(seed))
    assert played.codes == []
    assert [as_recorded(c) for c in played.coups] == [as_dealt(c) for c in played.truth.coups]
    assert len(played.coups) > 60


@pytest.mark.parametrize("seed", SHORT)
@pytest.mark.parametrize("transport", ["pty", "tcp"])
def test_a_shoe_over_a_noisy_line(bench, transport, seed, as_dealt, as_recorded) -> None:
    exactly_the_dealt_coups(bench, transport, seed, as_dealt, as_recorded)


@pytest.mark.full
@pytest.mark.parametrize("seed", [seed for seed in LONG if seed not in SHORT])
@pytest.mark.parametrize("transport", ["pty", "tcp"])
def test_fifty_shoes_over_a_noisy_line(bench, transport, seed, as_dealt, as_recorded) -> None:
    exactly_the_dealt_coups(bench, transport, seed, as_dealt, as_recorded)

"""Shrinks a scenario that violates something to the statements that it takes.

Source: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002 (ddmin).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from hil.scenario.language.reading import Scenario
from hil.soak.soak import Played, play
from hil.soak.writing import written

# A scenario is played at most so often while it is shrunk.
PLAYS_MAX = 400

PartT = TypeVar("PartT")


def shrink(scenario: Scenario, played: Played) -> Scenario:
    """The scenario with as few statements as still violate the same checker."""
    plays = 0

    def fails(steps: tuple[object, ...]) -> bool:
        nonlocal plays
        plays += 1
        if plays > PLAYS_MAX:
            return False
        tried = replace(scenario, steps=steps)  # type: ignore[arg-type]
        return play(tried, played.seed).checker == played.checker

    before = tuple(one for one in scenario.steps if one.line <= played.line)
    start = before if fails(before) else scenario.steps
    return replace(scenario, steps=minimised(start, fails))


def minimised(
    parts: tuple[PartT, ...], fails: Callable[[tuple[PartT, ...]], bool]
) -> tuple[PartT, ...]:
    """As few of the parts, in their order, as still fail: none of them can be left out."""
    size = 2
    while len(parts) > 1:
        step = max(1, len(parts) // size)
        for at in range(0, len(parts), step):
            left = parts[:at] + parts[at + step :]
            if left and fails(left):
                parts, size = left, max(2, size - 1)
                break
        else:
            if step == 1:
                break
            size = min(len(parts), size * 2)
    return parts


def scenario_text(scenario: Scenario, played: Played) -> str:
    """The scenario as a file, with how it is played again."""
    lines = [
        f"# violates: {played.checker}: {played.what}",
        f"# with the checkers: smartshoe-hil soak --scenario FILE --seed {played.seed}",
        f"# without: smartshoe-hil run FILE --rig simulated --seed {played.seed}",
        f'scenario {scenario.name} "{played.checker}"',
        f"profile {scenario.profile}",
        f"device shoe {scenario.shoe}",
        *(["device shuffler tablelink"] if scenario.shuffler else []),
        *(written(one.body) for one in scenario.steps),
    ]
    return "".join(f"{line}\n" for line in lines)

"""The list of the shoe's coups: in order, as corrected, and the same after a start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from followed_table import FollowedTable

from controller.journal.store import Journal
from controller.record.coup import road_coups
from controller.rules.actions.actions import CloseShoe, CorrectCoup
from controller.rules.outcome import Outcome
from controller.service.coup_history import CoupHistory

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
# Player 9h Kc, Banker 2d 5s: a natural; then Player 4d 2c, Banker 4s 2h: a tie.
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")


class Followed(FollowedTable):
    """A table, and how often its list was announced."""

    def __init__(self, journal: Journal, script) -> None:
        super().__init__(journal, script)
        self.announced: list[int] = []

    def follow(self) -> CoupHistory:
        """A new list, as after a start."""
        made = CoupHistory(self.folder, lambda: self.announced.append(1))
        self.subscribers.append(made)
        return made

    def corrected(self, coup: int, outcome: Outcome) -> None:
        self.acted(CorrectCoup(coup=coup, outcome=outcome, second="Bo Chu"))


@pytest.fixture
def followed(fast_dir: Path, script) -> Iterator[Followed]:
    with Journal.open(fast_dir / "journal") as journal:
        yield Followed(journal, script)


def outcomes(history: CoupHistory) -> list[tuple[int, Outcome | None, Outcome | None]]:
    return [(one.number, one.outcome, one.corrected) for one in history.coups]


def test_a_finished_coup_is_listed_with_what_people_saw(followed) -> None:
    history = followed.follow()
    followed.reported(*NEW_SHOE, *PLAYER_WINS[:-1])
    assert history.coups == ()
    before = len(followed.announced)
    followed.reported(PLAYER_WINS[-1])
    (one,) = history.coups
    assert (one.outcome, one.natural, one.player_pair) == (Outcome.PLAYER, True, False)
    assert len(followed.announced) == before + 1


def test_a_corrected_coup_counts_on_the_roads_by_its_correction(followed) -> None:
    history = followed.follow()
    followed.reported(*NEW_SHOE, *PLAYER_WINS, *PLAYER_WINS)
    followed.corrected(1, Outcome.BANKER)
    assert outcomes(history) == [
        (1, Outcome.PLAYER, Outcome.BANKER),
        (2, Outcome.PLAYER, None),
    ]
    first, second = road_coups(history.coups)
    assert (first.outcome, first.corrected) == (Outcome.BANKER, True)
    assert (second.outcome, second.corrected) == (Outcome.PLAYER, False)


def test_a_start_in_the_shoe_lists_what_came_before_it(followed) -> None:
    before = followed.follow()
    followed.reported(*NEW_SHOE, *PLAYER_WINS)
    followed.corrected(1, Outcome.TIE)
    after = followed.follow()
    followed.reported(*PLAYER_WINS)
    assert outcomes(after) == outcomes(before)
    assert len(after.coups) == 2


def test_the_next_shoe_begins_with_an_empty_list(followed) -> None:
    history = followed.follow()
    followed.reported(*NEW_SHOE, *PLAYER_WINS)
    followed.acted(CloseShoe())
    assert len(history.coups) == 1
    followed.reported(*NEW_SHOE)
    assert history.coups == ()

"""What a person is told of a batch that was named."""

from collections.abc import Iterator
from typing import cast

import pytest

from controller.cli.errors import Exit, Unable
from controller.cli.table.commands import named_so_far, tell_bound
from controller.control.client import ControlClient, ControlError

Capture = pytest.CaptureFixture[str]


class Answering:
    """A table that shows these answers, one snapshot after the other, and is silent then."""

    def __init__(self, *answers: list[dict[str, object]]) -> None:
        self.snapshots = [{"batches_named": named} for named in answers]

    def request(self, _request: dict[str, object]) -> dict[str, object]:
        return {"ok": True, "snapshot": self.snapshots[0]}

    def subscribe(self, _silence_s_max: float) -> Iterator[dict[str, object]]:
        yield from self.snapshots
        raise ControlError("silent")


def named(number: int, batch: str, refused: str = "") -> dict[str, object]:
    return {"number": number, "batch": batch, "named_by": "A. Floor", "refused": refused}


def client(*answers: list[dict[str, object]]) -> ControlClient:
    return cast("ControlClient", Answering(*answers))


@pytest.mark.parametrize(
    ("answers", "number"), [([], 0), ([named(3, "RED-1"), named(4, "BLUE-1")], 4)]
)
def test_answers_are_told_apart_by_their_number(
    answers: list[dict[str, object]], number: int
) -> None:
    assert named_so_far(client(answers)) == number


def test_a_batch_that_is_bound_is_told(capsys: Capture) -> None:
    tell_bound(client([], [named(1, "RED-1")]), "RED-1", 0, as_json=False)

    assert capsys.readouterr().out == "  batch RED-1 is bound: its cards are followed\n"


def test_a_batch_that_is_refused_is_told_with_the_reason() -> None:
    refused = [named(2, "RED-1", "batch RED-1: there is no such file")]

    with pytest.raises(Unable, match="bind-batch: batch RED-1: there is no such file") as told:
        tell_bound(client(refused), "RED-1", 1, as_json=False)
    assert told.value.code is Exit.NO


def test_an_older_answer_and_that_of_another_batch_are_passed_over(capsys: Capture) -> None:
    shown = [named(1, "RED-1", "old"), named(2, "BLUE-1", "another")]

    tell_bound(client(shown), "RED-1", 1, as_json=False)
    assert "is being looked up" in capsys.readouterr().out


def test_beside_json_the_words_go_to_stderr(capsys: Capture) -> None:
    tell_bound(client([named(1, "RED-1")]), "RED-1", 0, as_json=True)

    said = capsys.readouterr()
    assert (said.out, "is bound" in said.err) == ("", True)

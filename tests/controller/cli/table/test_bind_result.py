"""The result of `bind-batch` as it is printed."""

from collections.abc import Iterator
from typing import cast

import pytest
from shown_tables import shown

from controller.cli.table.commands import last_named_batch, report_binding
from controller.outlets.control.client import ControlClient, ControlError
from controller.record.snapshot import Snapshot
from controller.system.command_line.errors import CommandError, ExitCode

Capture = pytest.CaptureFixture[str]


class Answering:
    """A table that shows these answers, one snapshot after the other, and is silent then."""

    def __init__(self, *answers: list[dict[str, object]]) -> None:
        self.snapshots = [shown(batches_named=named) for named in answers]

    def status(self) -> Snapshot:
        return self.snapshots[0]

    def subscribe(self, _silence_s_max: float) -> Iterator[Snapshot]:
        yield from self.snapshots
        raise ControlError("silent")


def named(number: int, batch: str, refused: str = "") -> dict[str, object]:
    return {"number": number, "batch": batch, "named_by": "A. Floor", "refused": refused}


def client(*answers: list[dict[str, object]]) -> ControlClient:
    return cast("ControlClient", Answering(*answers))


@pytest.mark.parametrize(
    ("answers", "number"), [([], 0), ([named(3, "RED-1"), named(4, "BLUE-1")], 4)]
)
def test_answers_are_matched_by_their_number(answers: list[dict[str, object]], number: int) -> None:
    assert last_named_batch(client(answers)) == number


def test_a_bound_batch_is_reported(capsys: Capture) -> None:
    report_binding(client([], [named(1, "RED-1")]), "RED-1", 0, as_json=False)

    assert capsys.readouterr().out == "  batch RED-1 is bound: its cards are tracked\n"


def test_a_refused_batch_is_reported_with_the_reason() -> None:
    refused = [named(2, "RED-1", "batch RED-1: there is no such file")]

    with pytest.raises(
        CommandError, match="bind-batch: batch RED-1: there is no such file"
    ) as raised:
        report_binding(client(refused), "RED-1", 1, as_json=False)
    assert raised.value.code is ExitCode.NO


def test_an_older_answer_and_that_of_another_batch_are_passed_over(capsys: Capture) -> None:
    answers = [named(1, "RED-1", "old"), named(2, "BLUE-1", "another")]

    report_binding(client(answers), "RED-1", 1, as_json=False)
    assert "is being looked up" in capsys.readouterr().out


def test_with_json_the_text_goes_to_stderr(capsys: Capture) -> None:
    report_binding(client([named(1, "RED-1")]), "RED-1", 0, as_json=True)

    output = capsys.readouterr()
    assert (output.out, "is bound" in output.err) == ("", True)

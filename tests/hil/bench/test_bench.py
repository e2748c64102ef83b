"""The bench: arithmetic, goals, report, and one very short run. No test has a time limit."""

import json
import os
from pathlib import Path

import pytest

from controller.journal.card_row_format import CardRow, RowEnd, RowFlag, RowRole, row_bytes
from hil.bench import __main__ as command
from hil.bench.__main__ import counts, json_report, text_report
from hil.bench.card_path.compute import InMemoryProgram, Pipes
from hil.bench.measure.fixtures import CARD, Plan, bench_core, deal_reports
from hil.bench.measure.reference import PLACES, Reference, with_crc
from hil.bench.process.start_up import _loaded_modules
from hil.bench.stored.audit import (
    Corpus,
    _by_columns,
    _by_ifs,
    _dealt_cards,
    _for_c,
    hands_of,
    time_audit,
)
from hil.measure.checks import (
    Bound,
    CannotMeasure,
    GoalResult,
    check_goal,
    check_goal_unless,
    disturbed_reason,
    not_measured,
    report_figure,
    too_few_reason,
)
from hil.measure.figures import (
    Unit,
    fit_line,
    format_figure,
    median_of_medians,
    percentile,
    pool_samples,
)
from hil.run_record import MachineDescription, describe_machine

MACHINE = MachineDescription("a processor", 2, "CPython 3.11.7", "Linux", 0.5)


# --- arithmetic -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("percent", "expected"), [(1, 1), (50, 50), (99, 99), (100, 100), (99.5, 100)]
)
def test_a_percentile_is_a_sample(percent: float, expected: int) -> None:
    assert percentile(range(100, 0, -1), percent) == expected


def test_one_bad_repeat_does_not_move_the_median() -> None:
    assert median_of_medians([[10, 11, 12], [9, 11, 13], [900, 1000, 1100]]) == 11


def test_samples_of_all_repeats_are_pooled() -> None:
    assert pool_samples([[1, 2], [], [3]]) == (1, 2, 3)


def test_a_straight_line_is_fitted() -> None:
    line = fit_line([(0, 5), (10, 25), (20, 45)])

    assert (line.start, line.slope, line.r_squared) == pytest.approx((5, 2, 1))


def test_a_bent_line_does_not_fit() -> None:
    assert fit_line([(x, x**4) for x in range(10)]).r_squared < 0.98


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (12.646, Unit.RATIO, "12.6x"),
        (161.6, Unit.US, "162 us"),
        (4216.9, Unit.US, "4,217 us"),
        (457_773, Unit.PER_S, "458 k/s"),
        (1_800_000, Unit.PER_S, "1.8 M/s"),
        (170, Unit.PER_S, "170/s"),
        (0, Unit.COUNT, "0"),
        (0.15, Unit.PERCENT, "0.15 %"),
    ],
)
def test_figures_as_text(value: float, unit: Unit, expected: str) -> None:
    assert format_figure(value, unit) == expected


# --- judgement ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "judgement", "stretch_met"),
    [
        (1.9, GoalResult.MET, True),
        (2.0, GoalResult.MET, True),
        (2.1, GoalResult.MET, False),
        (3.0, GoalResult.MET, False),
        (3.1, GoalResult.MISSED, False),
    ],
)
def test_a_goal_is_met_up_to_its_bound(
    value: float, judgement: GoalResult, stretch_met: bool
) -> None:
    check = check_goal("P1", "card", value, Unit.RATIO, Bound(3, 2))

    assert (check.judgement, check.stretch_met) == (judgement, stretch_met)
    assert (check.must, check.stretch) == ("<= 3x", "<= 2x")


@pytest.mark.parametrize(("value", "judgement"), [(50, GoalResult.MET), (49, GoalResult.MISSED)])
def test_a_goal_may_be_a_minimum(value: float, judgement: GoalResult) -> None:
    check = check_goal("P2b", "quicker", value, Unit.RATIO, Bound(50, at_least=True))

    assert (check.judgement, check.must) == (judgement, ">= 50x")


def test_a_figure_with_a_reason_against_it_is_not_judged() -> None:
    check = check_goal_unless("slow disk", "P3", "card", 9, Unit.US, Bound(1))

    assert (check.judgement, check.why, check.value) == (GoalResult.NOT_JUDGED, "slow disk", 9)


def test_a_tail_needs_enough_samples_and_few_preemptions() -> None:
    assert too_few_reason(1_999, 2_000) == "1999 samples, 2000 are needed"
    assert too_few_reason(2_000, 2_000) == ""
    assert disturbed_reason(4, 2_000) == ""
    assert "5 times in 2000 samples" in disturbed_reason(5, 2_000)


# --- report ---------------------------------------------------------------------------------------

CHECKS = (
    check_goal("P1", "card", 1.5, Unit.RATIO, Bound(3, 2), "beside it"),
    check_goal("P4", "append", 2.0, Unit.RATIO, Bound(1.8)),
    check_goal_unless("slow disk", "P3", "durable", 9, Unit.US, Bound(1)),
    report_figure("replay", "coups", 400, Unit.PER_S),
    not_measured("P14", "no server"),
)


def test_the_report_shows_met_missed_and_not_judged() -> None:
    text = text_report(MACHINE, CHECKS, quick=False)

    assert "met, stretch too" in text
    assert "MISSED" in text
    assert "not judged: slow disk" in text
    assert "not judged: no server" in text
    assert text.endswith(counts(CHECKS))


def test_the_counts_add_up() -> None:
    assert counts(CHECKS) == ("1 met (1 of them the stretch goal too), 1 missed, 2 not judged")


def test_the_json_holds_every_line_and_the_machine() -> None:
    report = json.loads(json.dumps(json_report(MACHINE, CHECKS, quick=True)))

    assert [check["goal"] for check in report["checks"]] == ["P1", "P4", "P3", "replay", "P14"]
    assert report["checks"][1]["judgement"] == "MISSED"
    assert report["machine"]["processor"] == "a processor"


def test_the_machine_description_has_no_host_name() -> None:
    assert os.uname().nodename not in describe_machine().describe().split()


# --- what is measured -----------------------------------------------------------------------------


@pytest.fixture
def pipes(tmp_path: Path):
    made = Pipes()
    os.close(made.sink)
    made.sink = os.open(tmp_path / "verdicts", os.O_WRONLY | os.O_CREAT)
    yield made
    made.close()


def test_the_program_stores_every_report(pipes: Pipes, tmp_path: Path) -> None:
    program = InMemoryProgram(pipes, bench_core())
    reports = deal_reports(seed=1, coups_max=3)
    for report in reports:
        os.write(pipes.feed, report.frame)
        program.run_once()

    assert (tmp_path / "verdicts").read_bytes() == b"+" * len(reports)


def test_the_reference_moves_for_a_good_frame_only(pipes: Pipes, tmp_path: Path) -> None:
    reference = Reference(pipes.source, pipes.sink)
    frame = with_crc(b"\x05AD\x81\x91\x03F6")
    for data in (frame, frame, frame[:-1] + b"?"):
        os.write(pipes.feed, data)
        reference.run_once()

    assert (tmp_path / "verdicts").read_bytes() == b"++-"
    assert reference.state == PLACES[2]


def test_a_dealt_shoe_has_its_cards() -> None:
    reports = deal_reports(seed=1)

    assert 380 <= sum(report.code == CARD for report in reports) <= 416


def test_loaded_libraries_are_named() -> None:
    program = "import json, sys; json.dump(sorted(sys.modules), sys.stdout)"

    assert _loaded_modules(program, ("json", "sqlite3")) == ("json",)


def test_a_program_that_fails_to_load_reports_why() -> None:
    with pytest.raises(CannotMeasure, match="no such library"):
        _loaded_modules("raise ImportError('no such library')", ("json",))


# --- the command ----------------------------------------------------------------------------------


def test_a_short_run_reports_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.json"

    assert command.main(["--quick", "--only", "P2b", "--json", str(file)]) == 0

    output = capsys.readouterr()
    assert "arrival to handler" in output.out
    assert "[1/1] P2b" in output.err
    assert [check["goal"] for check in json.loads(file.read_text())["checks"]] == ["P2b"]


@pytest.mark.parametrize(("options", "code"), [(["--judge"], 1), ([], 0)])
def test_missed_goals_are_an_exit_code_only_with_judge(
    options: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = command.Measurement(("P4",), "nothing", lambda _plan: CHECKS)
    monkeypatch.setattr(command, "MEASUREMENTS", (missed,))
    monkeypatch.setattr(command, "record_run", lambda *_, **__: None)

    assert command.main(options) == code


@pytest.mark.parametrize(
    ("options", "recorded"), [([], 1), (["--only", "P4"], 0), (["--quick"], 0)]
)
def test_a_whole_run_is_recorded_with_its_counts(
    options: list[str], recorded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[tuple[object, ...]] = []
    missed = command.Measurement(("P4",), "nothing", lambda _plan: CHECKS)
    monkeypatch.setattr(command, "MEASUREMENTS", (missed,))
    monkeypatch.setattr(command, "record_run", lambda *words, **_: kept.append(words))
    command.main(options)

    assert len(kept) == recorded
    for what, figures, _ in kept:
        assert what == "make bench"
        assert figures == {"met": 1, "missed": 1, "not judged": 2}


def test_a_failed_measurement_is_not_judged() -> None:
    def fails(_plan: Plan) -> tuple[()]:
        raise CannotMeasure("it does not start")

    (check,) = command.run_measurements(
        Plan(quick=True), [command.Measurement(("P10",), "", fails)]
    )

    assert (check.goal, check.judgement, check.why) == (
        "P10",
        GoalResult.NOT_JUDGED,
        "it does not start",
    )


@pytest.mark.parametrize("words", [["--only", "P99"], ["--disk", "no-such-folder"]])
def test_a_wrong_command_line_is_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.arguments(words)

    assert ended.value.code == 2


def test_only_the_measurements_of_a_goal_are_selected() -> None:
    (only,) = command.select_measurements(frozenset({"P16"}))

    assert only.goals == ("P1", "P16")
    assert command.select_measurements(frozenset()) == command.MEASUREMENTS


# --- the audit ------------------------------------------------------------------------------------


def test_the_audits_corpus_is_clean_but_for_one_shoe_of_the_mixed_journal(fast_dir: Path) -> None:
    corpus = Corpus(fast_dir, shoes=2, decks=1)

    with corpus.volume(clean=2, mixed=1) as volume:
        total = time_audit(volume).report.total

    assert (total.shoes, total.clean, total.replayed) == (6, 5, 1)
    assert not (fast_dir / "volume").exists()


def test_plain_ifs_and_columns_agree_on_a_dealt_shoe() -> None:
    rows = packed_coup()
    columns = hands_of(rows)

    assert _by_columns([columns])
    assert _by_ifs([_dealt_cards(columns)])
    # The same cards, and another winner.
    wrong = (columns[0], columns[1], columns[2][:-1] + b"\x02")
    assert not _by_columns([wrong])
    assert not _by_ifs([_dealt_cards(wrong)])
    assert _for_c(_dealt_cards(columns)) == bytes((9, 0, 0, 4, 0, 0, 0, 1))


def packed_coup() -> bytes:
    """A natural nine on nine and king against four on king and four."""
    cards = ((3, 9), (4, 13), (5, 26), (6, 4))
    rows = (
        CardRow(
            seq=at,
            utc_ns=0,
            coup=1,
            role=RowRole(role),
            card=card,
            claimed=RowRole(role),
            flags=RowFlag.NONE,
            ends=RowEnd.PLAYER if at == 3 else RowEnd.NOT_LAST,
            declared=RowEnd.NOT_LAST,
            tag=bytes(16),
            chain=bytes(16),
        )
        for at, (role, card) in enumerate(cards)
    )
    return b"".join(map(row_bytes, rows))

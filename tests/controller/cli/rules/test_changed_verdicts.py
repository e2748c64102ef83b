"""`smartshoe rules changes`: two versions over a file of scripts."""

import json
import sys
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

SCRIPTS = """\
table --profile ny-mini
burn Ac + 1
P 9h; B Kc; P Qd; B Jh; result player
table --profile s42-mini --observed result_button
burn 2c + 2; P 7h; B 9c; P Kd; B 2h; result player
"""
PROGRAM = """\
#!{python}
import json, sys
from contextlib import redirect_stdout
from io import StringIO
from controller.cli.main import main
sys.path.insert(0, "")
shown = StringIO()
with redirect_stdout(shown):
    main(sys.argv[1:])
answer = json.loads(shown.getvalue())
for one in answer["statements"]:
    for verdict in one["verdicts"]:
        {change}
print(json.dumps(answer))
"""


@pytest.fixture
def scripts(fast_dir: Path) -> Path:
    (fast_dir / "all.scripts").write_text(SCRIPTS)
    return fast_dir / "all.scripts"


@pytest.fixture
def same() -> str:
    return str(Path(sys.executable).with_name("smartshoe"))


def other(folder: Path, change: str) -> str:
    """Another version, whose verdicts are those of this one but for a change."""
    program = folder / "other"
    program.write_text(PROGRAM.format(python=sys.executable, change=change))
    program.chmod(0o755)
    return str(program)


def compared(*words: str) -> int:
    return main(["rules", "changes", *words])


def test_two_equal_versions_differ_in_nothing(
    scripts: Path, same: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compared(str(scripts), "--old", same, "--new", same) == ExitCode.DONE
    assert capsys.readouterr().out == "2 scripts, 12 statements: 0 changed, 0 in words alone\n"


def test_a_changed_verdict_is_named_with_its_script_line_and_both_answers(
    scripts: Path, same: str, fast_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change = 'if verdict["kind"] != "accepted": verdict["code"] = "OTHERWISE"'

    code = compared(str(scripts), "--old", same, "--new", other(fast_dir, change))

    shown = capsys.readouterr().out
    assert code == ExitCode.NO
    assert "script 2, line 5: result player\n  old  MISSING_CARD [" in shown
    assert "\n  new  OTHERWISE [" in shown
    assert shown.endswith("2 scripts, 12 statements: 1 changed, 0 in words alone\n")


def test_another_wording_is_no_other_verdict(
    scripts: Path, same: str, fast_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = other(fast_dir, 'verdict["detail"] += "."')

    assert compared(str(scripts), "--old", same, "--new", program, "--json") == ExitCode.DONE
    shown = json.loads(capsys.readouterr().out)
    assert shown["ok"] is True
    assert {one["words"] for one in shown["changes"]} == {True}


def test_a_script_that_a_version_cannot_play_is_named(
    scripts: Path, same: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts.write_text("table --profile ny-mini\nburn Ac + 1\nsquint\n")

    assert compared(str(scripts), "--old", same, "--new", same) == ExitCode.UNUSABLE
    assert "script 1, line 2: " in capsys.readouterr().err


def test_statements_before_the_first_script_are_refused(
    scripts: Path, same: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts.write_text("burn Ac + 1\n")

    assert compared(str(scripts), "--old", same, "--new", same) == ExitCode.UNUSABLE
    assert "line 1: it comes before the first script" in capsys.readouterr().err

"""Nothing but the machine moves the phase of play: every place that sets one is named here."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CONTROLLER = Path(__file__).resolve().parents[2] / "controller"
# The phase of play, and the one beneath a suspension.
FIELDS = ("phase", "resume_to")
# Module, function -> why it sets a phase.
ALLOWED = {
    ("procedure/step_result.py", "phase"): "the setter of the machine's model",
    (
        "archive/replay/upgrade.py",
        "carried_over_state",
    ): "the taking over of an older version's state",
}
# These fill a field of that name in what people see, never in a state.
SHOWN = {
    ("record/build.py", "build_snapshot"): "the phase in a snapshot",
    ("record/build.py", "_suspension"): "the phase beneath in a snapshot",
    ("cli/rules/try_output.py", "statement_json"): "the phase in JSON",
    ("outlets/metrics/definitions.py", "<module>"): "the phase in a label",
}
# The state that has the phase, and the suspension that has the one beneath, as their first field.
HOLDERS = ("TableState", "Suspension")
# A suspension begins with the phase that the machine has just left.
BEGUN = {
    ("procedure/step_result.py", "suspend_if_due"): "the phase beneath is noted, none is moved"
}


def sets_a_phase(node: ast.AST) -> bool:
    """Whether this sets the phase of a state or of what is shown, in whichever form."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_, *_]) if name in HOLDERS:
            return True
        case ast.Call(args=[_, ast.Constant(value=name), *_]) if name in FIELDS:
            return True  # setattr, force_setattr
        case ast.Call(keywords=given):
            return any(one.arg in FIELDS for one in given)
        case ast.Assign(targets=targets):
            return any(isinstance(one, ast.Attribute) and one.attr in FIELDS for one in targets)
        case ast.AnnAssign(target=ast.Attribute(attr=name)):
            return name in FIELDS
        case ast.Dict(keys=keys):
            return any(isinstance(one, ast.Constant) and one.value in FIELDS for one in keys)
        case _:
            return False


def setters_in(tree: ast.AST, function: str = "<module>") -> Iterator[str]:
    """The functions that set a phase, once for each place."""
    for node in ast.iter_child_nodes(tree):
        if sets_a_phase(node):
            yield function
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from setters_in(node, node.name if named else function)


def found_setters() -> set[tuple[str, str]]:
    return {
        (path.relative_to(CONTROLLER).as_posix(), function)
        for path in CONTROLLER.rglob("*.py")
        for function in setters_in(ast.parse(path.read_text("utf-8")))
    }


def test_nothing_but_the_machine_moves_the_phase() -> None:
    assert found_setters() == {*ALLOWED, *SHOWN, *BEGUN}


@pytest.mark.parametrize(
    "text",
    [
        "replace(state, phase=Phase.RESULT)",
        "TableState(phase=Phase.RESULT)",
        "TableState(Phase.RESULT)",
        "Suspension(Phase.RESULT, 0)",
        "replace(suspension, resume_to=Phase.RESULT)",
        "step.state.phase = Phase.RESULT",
        "force_setattr(state, 'phase', Phase.RESULT)",
        "replace(state, **{'phase': Phase.RESULT})",
    ],
)
def test_every_form_of_setting_a_phase_is_seen(text: str) -> None:
    assert list(setters_in(ast.parse(f"def move():\n    {text}\n"))) == ["move"]


def test_reading_a_phase_sets_none() -> None:
    text = "def ask(state):\n    return TableState(), play.phase, replace(state, shoe=None)\n"
    assert list(setters_in(ast.parse(text))) == []

"""The procedure asks the table, not the phase: the few tests of a phase are named here."""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from controller.procedure import phases, places
from controller.procedure.phases import Phase

PROCEDURE = Path(__file__).resolve().parents[2] / "controller" / "procedure"
# The rows themselves.
TABLES = ("table/cards.py", "table/table.py")
TESTS_MAX = 10
# A test of which phase it is, or a look-up by it: module, function -> why the table cannot say it.
EXPLAINED = {
    ("phases.py", "due_words"): "the words for a phase",
    ("places.py", "due_place"): "the place of the card that is due",
    ("state.py", "shoe_over"): "the one name for it: what follows is another shoe",
    ("state.py", "betting_open"): "the one name for it: the next coup's wagers are not locked",
    ("state.py", "coup_left"): "the one name for it: the coup was left before its result",
    ("state.py", "burning"): "the one name for it: cards were burned in this burn",
    ("dealing/burn.py", "owe_burn_now"): "where a burn returns to is a value",
    ("people/boxed_cards.py", "boxed_card_found"): "where the deal goes on after the card: a value",
    ("people/suspension.py", "_decide_open_coup"): "a decision is no happening of the table",
    ("people/setting_changes.py", "_when_allowed"): "settings change where no coup, or no shoe, is",
}
# Two phases compared: whether a happening moved the table.
MOVED = {
    ("step_result.py", "moved"): "asked again only in another phase",
    ("table/facts.py", "resumes_in"): "play resumes where it stopped",
    ("table/facts.py", "back"): "play resumes where it stopped",
}
PHASE_NAMES = ("phase", "play_phase", "due_phase", "resume_to", "burn_return_phase")
# Tables by phase.
LOOK_UPS = {
    name
    for module in (phases, places)
    for name, value in vars(module).items()
    if isinstance(value, Mapping) and value and all(isinstance(one, Phase) for one in value)
}
PHASE_SETS = {
    name
    for name, value in vars(phases).items()
    if isinstance(value, tuple) and value and isinstance(value[0], Phase)
}


def names_a_phase(node: ast.expr) -> bool:
    """Whether this names a phase or a set of phases."""
    return any(
        (
            isinstance(one, ast.Attribute)
            and isinstance(one.value, ast.Name)
            and one.value.id == "Phase"
        )
        or (isinstance(one, ast.Name) and one.id in PHASE_SETS)
        for one in ast.walk(node)
    )


def is_a_phase(node: ast.expr) -> bool:
    """Whether this is the phase of something."""
    if isinstance(node, ast.Attribute):
        return node.attr in PHASE_NAMES
    return isinstance(node, ast.Name) and node.id in PHASE_NAMES


def is_a_look_up(node: ast.expr) -> bool:
    """Whether this is a table by phase."""
    return isinstance(node, ast.Name) and node.id in LOOK_UPS


def compared(node: ast.Compare) -> str:
    """`test` of which phase it is, `moved` where two phases are compared, else nothing."""
    sides = [node.left, *node.comparators]
    if any(isinstance(one, ast.Constant) and one.value is None for one in sides):
        return ""
    if any(map(names_a_phase, sides)) or any(map(is_a_look_up, sides)):
        return "test"
    if not any(map(is_a_phase, sides)):
        return ""
    return "test" if any(isinstance(one, ast.In | ast.NotIn) for one in node.ops) else "moved"


def found_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and compared(node):
            yield compared(node)
        if isinstance(node, ast.Subscript) and is_a_look_up(node.value):
            yield "test"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and is_a_look_up(node.func.value)
        ):
            yield "test"
        if isinstance(node, ast.Match) and is_a_phase(node.subject):
            yield "test"


def found_by_function() -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    for path in sorted(PROCEDURE.rglob("*.py")):
        name = path.relative_to(PROCEDURE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))) if name not in TABLES else ():
            if isinstance(node, ast.FunctionDef):
                found.update((kind, name, node.name) for kind in found_in(node))
    return found


def test_at_most_ten_tests_of_a_phase_remain_and_each_is_explained() -> None:
    tests = {key: count for key, count in found_by_function().items() if key[0] == "test"}
    assert {key[1:] for key in tests} == set(EXPLAINED)
    assert sum(tests.values()) <= TESTS_MAX


def test_where_two_phases_are_compared_something_may_have_moved() -> None:
    moved = {key: count for key, count in found_by_function().items() if key[0] == "moved"}
    assert {key[1:] for key in moved} == set(MOVED)
    assert sum(moved.values()) == len(MOVED)


def test_every_form_of_a_test_is_seen() -> None:
    forms = {
        "phase is Phase.RESULT": "test",
        "state.play_phase in COUP_ENDS": "test",
        "step.phase not in DUE_PLACE": "test",
        "back == Phase.BURN_FIRST": "test",
        "Phase.RESULT in legal": "test",
        "step.phase is before": "moved",
        "remedy.burn_return_phase is None": "",
        "place in HAND_PLACES": "",
    }
    for text, kind in forms.items():
        (node,) = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Compare)]
        assert compared(node) == kind, text
    for text in ("_DUE_WORDS[phase]", "DUE_PLACE.get(step.phase)"):
        assert list(found_in(ast.parse(text))) == ["test"], text
    assert list(found_in(ast.parse("match step.phase:\n    case _:\n        pass"))) == ["test"]

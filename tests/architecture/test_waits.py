"""No test waits for seconds; its limit is one of progress."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
# A look that is repeated, or a time in which nothing may come, is no limit.
LOOK_S_MAX = 0.5
WAITS = frozenset({"get", "communicate", "run", "wait", "acquire", "join", "urlopen", "result"})
CONNECTS = frozenset({"create_connection", "HTTPConnection", "HTTPSConnection", "settimeout"})
# Systems of their own, whose processes no test starts.
ELSEWHERE = ("gate", "mutation")


def limits_in(tree: ast.AST) -> Iterator[int]:
    """The lines that wait for so many seconds, or until a clock shows so much."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(ast.Call(ast.Attribute(_, "monotonic")), ast.Add()):
                yield node.lineno
            case ast.Call(ast.Attribute(_, name), arguments, keywords):
                named = [one.value for one in keywords if one.arg == "timeout"]
                given = [*arguments, *named] if name == "settimeout" else named
                if name in WAITS | CONNECTS and any(map(is_limit, given)):
                    yield node.lineno
            case _:
                pass


def is_limit(seconds: ast.expr) -> bool:
    match seconds:
        case ast.Constant(float() | int() as value):
            return value > LOOK_S_MAX
        case ast.Name(name):
            return name.isupper() and not name.startswith("POLL")
        case _:
            return False


def test_no_test_waits_for_seconds() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}"
        for path in sorted(TESTS.rglob("*.py"))
        if path.relative_to(TESTS).parts[0] not in ELSEWHERE
        for line in limits_in(ast.parse(path.read_text("utf-8")))
    ]

    assert not found, "wait for progress (hil.progress), or without a limit"


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("until_s = time.monotonic() + 5", True),
        ("events.get(timeout=WAIT_S)", True),
        ("process.communicate(timeout=20)", True),
        ("subprocess.run(words, timeout=60)", True),
        ("client.settimeout(10.0)", True),
        ("events.get()", False),
        ("events.get(timeout=0.05)", False),
        ("client.settimeout(None)", False),
    ],
)
def test_a_limit_is_found(line: str, is_found: bool) -> None:
    assert bool([*limits_in(ast.parse(line))]) is is_found

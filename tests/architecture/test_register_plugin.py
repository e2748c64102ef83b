"""A `clause` mark counts only if the program cites the clause, checked with generated tests."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest
from register_citations import (
    CITING,
    SCANNED,
    Citation,
    Citations,
    citing_classes,
    dotted,
    with_clauses,
)

from controller.journal.encoding import Codec
from controller.procedure import verdicts
from controller.procedure.effects import Prompt, PromptKind
from controller.procedure.step_result import Step, accept
from controller.procedure.verdicts import Accepted
from controller.rules.profiles.clause_register import Coverage
from foundation.message import message

PLUGIN = Path(__file__).resolve().parents[1] / "register"
README = "# The table\n<!-- register:begin -->\n<!-- register:end -->\n"
ONE_PROVEN = """\
{
"NY-h-1": {"kinds": ["checked"], "modules": ["controller.made_up"], "tests": \
["test_examples.py::test_a"]}
}
"""

# Imitates a module of the program: what counts is the module that makes a value.
PROGRAM = '''\
import sys
from types import ModuleType

import pytest

pytest_plugins = ("register_plugin",)

made_up = sys.modules["controller.made_up"] = ModuleType("controller.made_up")
exec("""
from controller.procedure.effects import Prompt, PromptKind
from controller.procedure.verdicts import Accepted


def judge(*clauses):
    return Accepted("a card", clauses)


def tell(*clauses):
    return Prompt(PromptKind.RESULT, "say it", clauses, observed=False)
""", vars(made_up))


@pytest.fixture
def program():
    return made_up


@pytest.fixture(scope="module")
def judged_once():
    return made_up.judge("NY-h-1")
'''
HEAD = "import pytest\nfrom controller.procedure.verdicts import Accepted\n"
GOOD = """
@pytest.mark.clause("NY-h-1")
def test_a(program):
    program.judge("NY-h-1", "NY-h-2-draw")
"""
FALSE = """
@pytest.mark.clause("NY-h-1")
def test_false(program):
    program.judge("NY-h-2-draw")
"""
FAILING = """
def test_failing():
    raise AssertionError
"""
UNKNOWN = """
@pytest.mark.clause("NY-z-9")
def test_unknown():
    pass
"""


@dataclass(slots=True)
class Run:
    """One run over generated tests, and its output and files."""

    folder: Path
    settings: list[str] = field(default_factory=list)
    output: str = ""
    code: int = -1

    def of(self, *tests: str, options: tuple[str, ...] = ()) -> "Run":
        ini = ["[pytest]", "markers =", "  clause: a clause", "  full: long", "testpaths = ."]
        ini += [f"pythonpath = {PLUGIN}", "register = register.json"]
        ini += ["register_readme = README.md", *self.settings]
        (self.folder / "pytest.ini").write_text("\n".join(ini))
        (self.folder / "conftest.py").write_text(PROGRAM)
        (self.folder / "test_examples.py").write_text(HEAD + "".join(tests))
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
        plugins = ("-p", "xdist") if "-n" in options else ()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-ra", *plugins, *options],
            cwd=self.folder,
            env={**env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        self.output, self.code = done.stdout + done.stderr, done.returncode
        return self

    def commits(self, register: str) -> "Run":
        (self.folder / "register.json").write_text(register)
        (self.folder / "README.md").write_text(README)
        return self

    @property
    def last_line(self) -> str:
        return self.output.strip().splitlines()[-1]

    @property
    def register(self) -> str:
        return (self.folder / "register.json").read_text()


@pytest.fixture
def run(fast_dir: Path) -> Run:
    return Run(fast_dir).commits(ONE_PROVEN)


# --- marks ---------------------------------------------------------------------------------------


def test_a_mark_counts_if_the_program_cites_the_clause(run: Run) -> None:
    assert run.of(GOOD).code == 0
    assert "clauses: 515; covered 1; " in run.output
    assert re.search(r"= 1 passed in [\d.]+s =", run.last_line)


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_mark_without_a_citation_fails_the_run(run: Run, processes: str) -> None:
    assert run.of(GOOD, FALSE, options=("-n", processes)).code == 1
    assert "test_examples.py::test_false: NY-h-1 (cited there: NY-h-2-draw)" in run.output
    assert re.search(r"= 2 passed, 1 error in [\d.]+s =", run.last_line)


def test_a_test_that_builds_the_verdict_itself_proves_nothing(run: Run) -> None:
    own = '\n@pytest.mark.clause("NY-h-1")\ndef test_own():\n    Accepted("a card", ("NY-h-1",))\n'
    assert run.of(own).code == 1
    assert "test_examples.py::test_own: NY-h-1 (cited there: nothing)" in run.output


def test_a_citation_in_another_test_is_no_proof(run: Run) -> None:
    unmarked = '\ndef test_b(program):\n    program.judge("NY-h-1")\n'
    assert run.of(unmarked, FALSE).code == 1


def test_a_partial_run_is_checked_for_its_marks_only(run: Run) -> None:
    assert run.of(GOOD, FALSE, options=("-k", "test_false")).code == 1
    assert "clauses: 515" not in run.output
    assert run.of(GOOD, options=("test_examples.py::test_a",)).code == 0


def test_one_case_of_a_function_must_cite(run: Run) -> None:
    cases = (
        '\n@pytest.mark.clause("NY-h-1")\n@pytest.mark.clause("S42-h-4")\n'
        '@pytest.mark.parametrize("clause", ["NY-h-1", "S42-h-4"])\n'
        "def test_a(program, clause):\n    program.judge(clause)\n"
    )
    assert "without a citation" not in run.of(cases).output
    assert run.of(cases, options=("-k", "S42")).code == 0


def test_a_shared_fixtures_citations_count_for_each_test(run: Run) -> None:
    both = "".join(
        f'\n@pytest.mark.clause("NY-h-1")\ndef test_{name}(judged_once):\n    pass\n'
        for name in "ab"
    )
    assert "without a citation" not in run.of(both).output


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_mark_of_an_unknown_clause_is_a_collection_error(run: Run, processes: str) -> None:
    assert run.of(GOOD, UNKNOWN, options=("-n", processes)).code != 0
    assert "test_examples.py::test_unknown: there is no clause 'NY-z-9'" in run.output


def test_a_mark_with_two_clauses_is_refused_with_the_correct_form(run: Run) -> None:
    two = '\n@pytest.mark.clause("NY-h-1", "NY-h-2-draw")\ndef test_two():\n    pass\n'
    assert 'write @pytest.mark.clause("NY-h-1"), one clause a mark' in run.of(two).output


# --- the register --------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", ["0", "2"])
def test_the_register_and_the_table_are_written_on_request(run: Run, processes: str) -> None:
    run.commits("{}")
    tell = '\n@pytest.mark.clause("NY-h-1")\ndef test_b(program):\n    program.tell("NY-h-1")\n'

    assert run.of(GOOD, tell, options=("--write-register", "-n", processes)).code == 0
    assert run.register == (
        '{\n"NY-h-1": {"kinds": ["checked", "prompted"], "modules": ["controller.made_up"], '
        '"tests": ["test_examples.py::test_a", "test_examples.py::test_b"]}\n}\n'
    )
    assert "| `NY` | 154 | 1 | 0 | 1 | 0 | 0 | 3 | 150 |" in (run.folder / "README.md").read_text()


@pytest.mark.parametrize(
    ("tests", "options", "reason"),
    [
        ((GOOD, FAILING), (), "not everything passed"),
        ((GOOD, FALSE), (), "marks do not count"),
        ((GOOD,), ("-k", "test_a"), "-k was given"),
        ((GOOD,), ("test_examples.py",), "only some of the tests were selected"),
    ],
)
def test_a_partial_or_failed_run_writes_nothing(
    run: Run, tests: tuple[str, ...], options: tuple[str, ...], reason: str
) -> None:
    run.commits("{}").of(*tests, options=("--write-register", *options))

    assert run.code == 1
    assert f"not written: {reason}" in run.output
    assert run.register == "{}"


@pytest.mark.parametrize(
    ("committed", "difference"),
    [
        ("{\n\n}\n", "proven now, not there: NY-h-1"),
        (ONE_PROVEN.replace("NY-h-1", "NY-h-2-stay"), "there, not proven now: NY-h-2-stay"),
        (ONE_PROVEN.replace("made_up", "core"), "other kinds, modules or tests: NY-h-1"),
        ("<<<<<<< ours\n", "It cannot be read"),
    ],
)
def test_a_register_that_differs_from_the_run_fails_it(
    run: Run, committed: str, difference: str
) -> None:
    assert run.commits(committed).of(GOOD).code == 1
    assert "run `make register` and commit what it writes" in run.output
    assert difference in run.output
    assert re.search(r"= 1 passed, 1 error in [\d.]+s =", run.last_line)


def test_an_open_clause_fails_the_run_if_the_register_must_be_complete(run: Run) -> None:
    run.settings.append("register_complete = true")

    assert run.of(GOOD).code == 1
    assert re.search(r"^NJ \(37\): NJ-sum-offer, ", run.output, re.MULTILINE)


def test_nothing_is_compared_if_a_marked_test_was_skipped(run: Run) -> None:
    skipped = '\n@pytest.mark.clause("NY-h-3-draw")\ndef test_s():\n    pytest.skip("no device")\n'

    assert run.of(GOOD, skipped).code == 0
    assert "not compared with the register, not run: test_examples.py::test_s" in run.output


def test_long_tests_are_checked_for_marks_but_prove_nothing(run: Run) -> None:
    long = f"\n@pytest.mark.full{GOOD.replace('test_a', 'test_long')}"

    assert run.of(GOOD, long).code == 0
    assert run.of(GOOD, f"\n@pytest.mark.full{FALSE}").code == 1


# --- citing classes ------------------------------------------------------------------------------


def test_every_class_with_clauses_is_listed_with_its_kind() -> None:
    found = {dotted(one) for name in SCANNED for one in with_clauses(name)}

    assert found - {dotted(one) for one in citing_classes()} == set()


def test_every_listed_name_exists() -> None:
    classes = {dotted(one) for one in citing_classes()}
    absent = [
        name for name, _ in CITING if name not in classes and name != "controller.rules.settlement"
    ]

    assert absent == []


def recorded(act: Callable[[], object]) -> set[Citation]:
    with Citations(citing_classes).recording() as found:
        act()
    return found


def in_module(name: str, act: str, **values: object) -> Callable[[], object]:
    """A function as a module of that name would hold it."""
    module = sys.modules["controller.made_up"] = ModuleType(name)
    vars(module).update(values)
    exec(f"def act():\n    return {act}\n", vars(module))
    made = vars(module)["act"]
    assert callable(made)
    return made


def test_the_caller_of_a_constructor_cites() -> None:
    values = {"accept": accept, "step": Step(None)}  # type: ignore[arg-type]
    act = in_module(
        "controller.procedure.dealing.coup_start", 'accept(step, "a card", ("NY-h-1",))', **values
    )

    expected = Citation(("NY-h-1",), Coverage.CHECKED, "controller.procedure.dealing.coup_start")
    assert recorded(act) == {expected}


@pytest.mark.parametrize(
    "module",
    [
        "controller.journal.encoding",
        "controller.record.disclosure",
        "hil.dealing.dealer",
        "controllers",
    ],
)
def test_values_read_back_masked_or_made_elsewhere_do_not_count(module: str) -> None:
    act = in_module(module, 'Accepted("a card", ("NY-h-1",))', Accepted=Accepted)
    assert recorded(act) == set()


def test_reading_a_record_is_not_a_citation() -> None:
    codec: Codec[Accepted] = Codec(Accepted)
    stored = codec.encode(Accepted(message("player_1"), ("NY-h-1",)))

    assert recorded(lambda: codec.decode(stored)) == set()


def test_an_inner_recording_takes_its_own_citations() -> None:
    citations = Citations(citing_classes)
    tell = in_module(
        "controller.core.core",
        'Prompt(kind, "say it", ("NY-h-1",), observed=False)',
        Prompt=Prompt,
        kind=PromptKind.RESULT,
    )
    with citations.recording() as outer, citations.recording() as inner:
        tell()

    assert (len(outer), len(inner)) == (0, 1)


def test_outside_a_recording_the_classes_are_unchanged() -> None:
    with Citations(citing_classes).recording():
        assert vars(verdicts)["Accepted"] is not Accepted

    assert vars(verdicts)["Accepted"] is Accepted

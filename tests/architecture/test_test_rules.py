"""The rules on skips, needs, long tests, threads and examples, on generated tests."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from declared_needs import main, needs

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
MODULES = ("declared_needs.py", "needs_plugin.py", "programs_plugin.py", "program_record.py")
NEEDS = """\
[base]
programs = ["sh"]
[needs.no-such-package]
what = "a program"
programs = ["no-such-program"]
debian = ["no-such-package", "its-headers"]
[needs.no-such-library]
what = "a library"
libraries = ["libno-such.so.1"]
debian = ["no-such-library"]
[needs.no-such-distribution]
what = "a library of Python"
distributions = ["no-such-distribution"]
[needs.low-setting]
what = "a setting of the kernel"
setting = { file = "/proc/sys/kernel/pid_max", above = 999999999, write = 0 }
command = "sysctl -w kernel.pid_max=0"
[needs.coreutils]
what = "a program that is here"
programs = ["true", "uname"]
debian = ["coreutils"]
"""
SETTINGS = f"""\
[pytest]
pythonpath = {CONFTEST.with_name("register")} {CONFTEST.with_name("progress")} needs
markers =
  full: long
"""

EXAMPLES = """\
import threading

import pytest
from hypothesis import given, strategies

STOP = threading.Event()


@pytest.mark.needs("no-such-package")
def test_needs_a_program():
    raise AssertionError


@pytest.mark.needs("no-such-library")
def test_needs_a_library():
    raise AssertionError


@pytest.mark.needs("low-setting")
def test_needs_a_setting():
    raise AssertionError


@pytest.mark.needs("coreutils")
def test_has_its_program():
    assert True


@pytest.mark.xfail(reason="not yet")
def test_expected_to_fail():
    raise AssertionError


@pytest.mark.full
def test_long():
    assert True


def test_leaves_a_thread():
    threading.Thread(target=STOP.wait, name="reader of port A", daemon=True).start()


def test_ends_its_thread():
    thread = threading.Thread(target=lambda: None)
    thread.start()


@given(strategies.integers())
def test_large_space(number):
    print("drawn", number)


def test_quick_directory(fast_dir):
    (fast_dir / "a").write_text("a")
    print("quick", fast_dir)
"""

FILE_OF_PROGRAMS = """\
import os
import subprocess
import sys

import pytest

RUN = "import subprocess; subprocess.run(['uname'], stdout=-3, check=True)"


def test_starts_uname():
    exec(RUN)


def test_starts_a_python_that_starts_uname():
    subprocess.run([sys.executable, "-c", RUN], check=True)


def test_starts_a_python_with_an_environment_of_its_own():
    subprocess.run([sys.executable, "-c", RUN], env={"PATH": os.environ["PATH"]}, check=True)


def test_starts_by_exec():
    words = [sys.executable, "-c", "import os; os.execvp('uname', ['uname'])"]
    subprocess.run(words, stdout=-3, check=True)


def test_starts_by_spawn():
    os.waitpid(os.posix_spawn("/usr/bin/uname", ["uname"], os.environ), 0)


@pytest.mark.needs("coreutils")
def test_declares_uname():
    exec(RUN)


def test_starts_a_python_that_closes_nothing():
    subprocess.run([sys.executable, "-c", "open('/dev/null')"], check=True)


def test_starts_what_it_made(tmp_path):
    (tmp_path / "made").write_text("#!/bin/sh\\n")
    (tmp_path / "made").chmod(0o755)
    subprocess.run([tmp_path / "made"], check=True)
    subprocess.run(["sh", "-c", ":"], check=True)
"""

FILE_OF_A_LIBRARY = """\
import no_such_distribution
import pytest

pytestmark = [pytest.mark.needs("no-such-distribution")]


def test_with_the_library():
    raise AssertionError
"""

WHOLE_FILE = """\
import pytest

pytest.skip("no device", allow_module_level=True)
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One run over the examples: the last outcome of each test, and the whole output."""

    outcomes: dict[str, str]
    output: str

    def drawn(self) -> list[str]:
        return re.findall(r"drawn (-?\d+)", self.output)

    def quick_directory(self) -> Path:
        (name,) = re.findall(r"quick (\S+)", self.output)
        return Path(name)


def run_tests(folder: Path, *options: str, forbid_skips: bool = False) -> Run:
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "needs").mkdir(exist_ok=True)
    for name in MODULES:
        shutil.copy(CONFTEST.with_name("needs") / name, folder / "needs")
    (folder / "needs/needs.toml").write_text(NEEDS)
    shutil.copy(CONFTEST, folder / "tests")
    (folder / "pytest.ini").write_text(SETTINGS)
    (folder / "tests/test_examples.py").write_text(EXAMPLES)
    (folder / "tests/test_programs.py").write_text(FILE_OF_PROGRAMS)
    (folder / "tests/test_library.py").write_text(FILE_OF_A_LIBRARY)
    (folder / "tests/test_whole_file.py").write_text(WHOLE_FILE)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    env["SMARTSHOE_FORBID_SKIPS"] = "1" if forbid_skips else ""
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    plugins = ("-p", "_hypothesis_pytestplugin", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", *plugins, *options],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    lines = re.findall(r"^([A-Z]+) tests/test_(?:exa|prog)\w+\.py::(\w+)", output, re.MULTILINE)
    return Run({name: outcome for outcome, name in lines}, output)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_tests(tmp_path_factory.mktemp("usual"))


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("strict")
    options = ("--full", "--continue-on-collection-errors", "-k", "not thread")
    return run_tests(folder, *options, forbid_skips=True)


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("seeded")
    return run_tests(folder, "-k", "large_space", "--hypothesis-seed=7")


def test_what_an_absent_need_leaves_out_is_named_at_both_ends(usual: Run) -> None:
    begin, _, end = usual.output.partition("collected ")

    assert "left out, because what they need is absent" in begin
    assert "  no-such-package: tests in test_examples.py\n" in begin
    assert "  no-such-library: tests in test_examples.py\n" in begin
    assert "  no-such-distribution: tests in test_library.py\n" in begin
    assert "coreutils" not in usual.output
    assert "= 5 tests left out =" in end
    assert "    1  needs no-such-package: a program\n" in end
    assert "    1  needs low-setting: a setting of the kernel\n" in end
    assert "    1  no device\n" in end
    assert "apt-get install no-such-package its-headers no-such-library\n" in end
    assert "To run them: make test-services" in end
    assert "To run them: sysctl -w kernel.pid_max=0\n" in end


def test_without_services_nothing_is_left_out_and_no_library_is_missed(tmp_path: Path) -> None:
    run = run_tests(
        tmp_path,
        *("--services", "none", "--continue-on-collection-errors"),
        *("-k", "large or quick or needs or library"),
    )

    assert run.outcomes.keys() == {"test_large_space", "test_quick_directory"}
    assert set(run.outcomes.values()) == {"PASSED"}
    assert "test_library" not in run.output
    assert "ERROR tests/test_whole_file.py" in run.output


def test_with_services_alone_the_others_are_left(tmp_path: Path) -> None:
    run = run_tests(tmp_path, "--services", "only")

    assert run.outcomes == {"test_has_its_program": "PASSED", "test_declares_uname": "PASSED"}
    assert "= 5 tests left out =" in run.output


def test_ci_installs_what_the_file_names() -> None:
    """It asks the same file, and takes the packages of this Debian."""
    ci = (CONFTEST.parents[1] / ".ci/run").read_text()
    assert "tests/needs/declared_needs.py packages" in ci
    assert "tests/needs/declared_needs.py settings" in ci


@pytest.mark.parametrize("release", ["12", "13"])
def test_every_need_says_what_brings_it(release: str) -> None:
    silent = [
        need.name
        for need in needs(release=release).values()
        if not (need.packages or need.command or need.distributions)
    ]
    assert not silent


def test_long_packages_are_not_for_ci(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["packages"]) == 0
    named = capsys.readouterr().out.split()
    assert {"python3", "make", "mosquitto"} <= set(named)
    assert not {"ser2net", "user-mode-linux"} & set(named)


@pytest.mark.parametrize(
    "name",
    [
        "test_starts_uname",
        "test_starts_a_python_that_starts_uname",
        "test_starts_a_python_with_an_environment_of_its_own",
        "test_starts_by_exec",
        "test_starts_by_spawn",
    ],
)
def test_a_program_that_is_not_declared_fails_its_test(usual: Run, name: str) -> None:
    assert usual.outcomes[name] == "ERROR"
    assert "the test started what it does not declare: uname; name the need" in usual.output


@pytest.mark.parametrize("name", ["test_declares_uname", "test_starts_what_it_made"])
def test_what_is_declared_or_made_may_be_started(usual: Run, name: str) -> None:
    assert usual.outcomes[name] == "PASSED"


def test_a_program_that_closes_not_all_fails_its_test(usual: Run) -> None:
    assert usual.outcomes["test_starts_a_python_that_closes_nothing"] == "ERROR"
    assert "a program that the test started left open:" in usual.output
    assert "unclosed file <_io.TextIOWrapper name='/dev/null'" in usual.output


def test_an_installed_package_skips_nothing(usual: Run) -> None:
    assert usual.outcomes["test_has_its_program"] == "PASSED"


@pytest.mark.parametrize("name", ["test_needs_a_program", "test_needs_a_library"])
def test_a_forbidden_skip_is_a_failure(strict: Run, name: str) -> None:
    assert strict.outcomes[name] in ("ERROR", "FAILED")


def test_a_forbidden_skip_still_names_the_package(strict: Run) -> None:
    assert "needs no-such-package" in strict.output


def test_forbidden_skips_also_forbid_expected_failures(usual: Run, strict: Run) -> None:
    assert usual.outcomes["test_expected_to_fail"] == "XFAIL"
    assert strict.outcomes["test_expected_to_fail"] == "FAILED"


def test_forbidden_skips_also_forbid_skipped_files(usual: Run, strict: Run) -> None:
    assert "ERROR tests/test_whole_file.py" not in usual.output
    assert "ERROR tests/test_whole_file.py" in strict.output


def test_long_tests_run_on_request(usual: Run, strict: Run) -> None:
    assert "test_long" not in usual.outcomes
    assert strict.outcomes["test_long"] == "PASSED"


def test_a_leftover_thread_is_named(usual: Run) -> None:
    assert usual.outcomes["test_leaves_a_thread"] == "ERROR"
    assert "the test left threads running: reader of port A" in usual.output


def test_an_ended_thread_is_accepted(usual: Run) -> None:
    assert usual.outcomes["test_ends_its_thread"] == "PASSED"


def test_examples_are_the_same_in_every_run(usual: Run, strict: Run) -> None:
    assert usual.drawn()
    assert usual.drawn() == strict.drawn()


def test_a_seed_gives_other_examples(usual: Run, seeded: Run) -> None:
    assert seeded.drawn()
    assert seeded.drawn() != usual.drawn()


def test_the_quick_directory_is_deleted(usual: Run) -> None:
    assert usual.outcomes["test_quick_directory"] == "PASSED"
    assert not usual.quick_directory().exists()

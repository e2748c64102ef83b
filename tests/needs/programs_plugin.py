"""A test fails at its end that starts a program it does not declare, or one that closes not all.

What shells start is not seen: shells of pages get a path of declared programs alone
(program_path.py), and `python -m hil.gate bare` runs the tests where nothing else is.
"""

import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Generator
from pathlib import Path

import program_record
import pytest
from declared_needs import base
from needs_plugin import needs_of

# What is elsewhere was made by the test, or is part of the environment.
SYSTEM = ("/bin", "/sbin", "/lib", "/usr", "/opt", "/snap")
PATH_FILE = "smartshoe_tests.pth"
LINE = """\
import os; {variable!r} in os.environ and os.path.exists({file!r}) and \
(lambda file: (exec(compile(file.read(), {file!r}, "exec"), \
{{"__name__": "smartshoe_path_file"}}), file.close()))(open({file!r}))
"""


def pytest_configure(config: pytest.Config) -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _write_path_file()
    if "PYTEST_XDIST_WORKER" in os.environ or not config.getoption("numprocesses", None):
        config.pluginmanager.register(StartedPrograms())


def _write_path_file() -> None:
    """Every Python of this environment records too, where a test is what started it."""
    path = Path(sysconfig.get_path("purelib")) / PATH_FILE
    try:
        # A run inside of a test leaves that of the run around it.
        if program_record.VARIABLE not in os.environ or not path.exists():
            line = LINE.format(variable=program_record.VARIABLE, file=program_record.__file__)
            path.write_text(line, "utf-8")
    except OSError:
        return  # An environment that others own: the Pythons of tests are not seen.


class StartedPrograms:
    """In each process that runs tests: one file, read on at the end of each test."""

    def __init__(self) -> None:
        self._file = Path(tempfile.gettempdir()) / f"started-{os.getpid()}"
        self._file.touch()
        self._read_bytes = 0
        os.environ[program_record.VARIABLE] = str(self._file)
        program_record.install()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None]:
        self._new_lines()  # Of the run itself, such as its look at what is absent.
        yield

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None]:
        yield
        lines = self._new_lines()
        unclosed = [line.strip() for line in lines if line.startswith(program_record.WARNING)]
        assert not unclosed, "\n".join(["a program that the test started left open:", *unclosed])
        undeclared = {name for line in lines for name in of_system(line)} - declared(item)
        assert not undeclared, (
            f"the test started what it does not declare: {', '.join(sorted(undeclared))};"
            " name the need, @pytest.mark.needs(...), or declare the program in needs.toml"
        )

    def _new_lines(self) -> list[str]:
        """What was written since the last call."""
        with self._file.open("rb") as file:
            file.seek(self._read_bytes)
            lines = file.read()
        self._read_bytes += len(lines)
        return lines.decode(errors="replace").splitlines()


def of_system(started: str) -> list[str]:
    """The name of the system's program that this word starts; nothing for another."""
    found = started if "/" in started else shutil.which(started)
    if found is None or not Path(found).is_absolute():
        return []
    if not found.startswith(tuple(f"{folder}/" for folder in SYSTEM)):
        return []
    return [] if Path(found).resolve() == Path(sys.executable).resolve() else [Path(found).name]


def declared(item: pytest.Item) -> set[str]:
    return {*base("programs"), *(one for need in needs_of(item) for one in need.programs)}

"""The bench uses what the program publishes: nothing of its commands."""

import pytest
from import_contracts import graph

pytestmark = pytest.mark.needs("import-linter")

# What commands of every distribution are made of.
COMMANDS = frozenset(
    f"controller.cli.{name}"
    for name in (
        "command",
        "commands",
        "errors",
        "help_page",
        "output",
        "path_parameters",
        "program",
        "standard_output",
    )
)


def imported_commands(package: str) -> set[str]:
    """Modules of the command line that this package imports."""
    importers = graph().find_descendants(package)
    return {
        imported
        for one in importers
        for imported in graph().find_modules_directly_imported_by(one)
        if imported.startswith("controller.cli")
    }


def test_the_bench_imports_no_command_of_the_program() -> None:
    assert imported_commands("hil") - COMMANDS == set()


def test_an_import_of_a_command_is_found() -> None:
    assert "controller.system.command_line.errors" in imported_commands("controller.cli")

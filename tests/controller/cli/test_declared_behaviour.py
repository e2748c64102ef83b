"""What holds for every declared command: --json, both forms of its subject, its exit codes."""

import ast
import inspect
import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from typer.models import OptionInfo

from controller.cli.commands import load_function
from controller.cli.declaration import installed
from controller.cli.main import main
from controller.system.command_line.command import ALWAYS, Command
from controller.system.command_line.errors import ExitCode
from controller.system.command_line.path_parameters import BothForms, with_both_forms

Capture = pytest.CaptureFixture[str]

# Those of the table, and of every other distribution that is installed.
COMMANDS = tuple(one for found in installed() for one in found.commands)
# Options that name a table, a journal or a profile, and the commands that are about something else.
SUBJECTS = {"--config": "FILE", "--journal": "JOURNAL", "--profile": "NAME"}
OTHER_SUBJECT = {
    ("rules show", "--config"): "it is about a profile, which a .toml file names, too",
    ("act", "--config"): "it is about an action; a word that ends with .toml is the configuration",
    ("devices record", "--config"): "it is about ports",
    ("try", "--profile"): "it is about a script",
}


def options_of(command: Command) -> set[str]:
    """The options of a command's help page."""
    if command.plain:
        source = inspect.getsource(import_module(command.function.partition(":")[0]))
        return {one.value for one in ast.walk(ast.parse(source)) if _is_option(one)}
    found: set[str] = set()
    for one in inspect.signature(with_both_forms(load_function(command))).parameters.values():
        for mark in get_args(one.annotation)[1:]:
            if isinstance(mark, OptionInfo):
                # In an annotation the library's first argument, the default, is the first name.
                names = {name for name in (mark.default, *(mark.param_decls or ())) if name}
                found |= names - {...} or {f"--{one.name.replace('_', '-')}"}
    return found


def _is_option(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_text and node.value.startswith("--")  # type: ignore[attr-defined]


def test_every_command_gives_json_and_so_its_errors(capsys: Capture) -> None:
    for command in COMMANDS:
        assert "--json" in options_of(command), command.name
        assert main([*command.name.split(), "--json", "--no-such-option"]) == ExitCode.UNUSABLE
        output = capsys.readouterr()
        error = json.loads(output.out)
        assert (error["ok"], error["exit_code"], output.err) == (False, 2, ""), command.name
        assert error["error"]["remedy"], command.name


def test_a_table_a_journal_and_a_profile_are_named_in_both_ways() -> None:
    found = 0
    for command in COMMANDS:
        if command.plain:
            continue  # `run`: the test of its words
        signature = inspect.signature(load_function(command))
        marks = [mark for one in signature.parameters.values() for mark in _marks(one)]
        for option in SUBJECTS.keys() & options_of(command):
            if (command.name, option) in OTHER_SUBJECT:
                continue
            form = next((mark for mark in marks if mark.option == option), None)
            assert form is not None, f"{command.name}: {option} is no argument"
            assert form.metavar.rstrip(".") == SUBJECTS[option]
            found += 1
    assert found > 20


def _marks(parameter: inspect.Parameter) -> Iterator[BothForms]:
    return (one for one in get_args(parameter.annotation)[1:] if isinstance(one, BothForms))


# --- exit codes -----------------------------------------------------------------------------------


def test_a_page_lists_the_exit_codes_that_its_functions_can_give() -> None:
    for command in COMMANDS:
        if command.plain:
            continue  # `run`: its codes stand with its errors, and tests of its starts give them
        function = load_function(command)
        module = inspect.getmodule(function)
        assert module is not None
        given = codes_given(module, function.__name__, set()) | {ExitCode.DONE, *ALWAYS}
        assert set(command.exit_codes()) == given, command.name


def codes_given(module: ModuleType, name: str, seen: set[tuple[str, str]]) -> set[ExitCode]:
    """The codes that a function of the command line names, and those it calls there."""
    if (module.__name__, name) in seen:
        return set()
    seen.add((module.__name__, name))
    tree = tree_of(module)
    imported = imports(tree)
    found: set[ExitCode] = set()
    for body in (one for one in tree.body if getattr(one, "name", None) == name):
        own = {one.arg for one in ast.walk(body) if isinstance(one, ast.arg)}
        for node in ast.walk(body):
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "ExitCode":
                found.add(ExitCode[node.attr])
            if not isinstance(node, ast.Name) or node.id in own:
                continue
            if node.id == "ControlClient":
                found.add(ExitCode.NO_TABLE)
            home = imported.get(node.id, (module.__name__, node.id))
            if home[0].startswith(("controller.cli.", "office.cli.")):
                found |= codes_given(import_module(home[0]), home[1], seen)
    return found


@cache
def tree_of(module: ModuleType) -> ast.Module:
    """The syntax of a module."""
    assert module.__file__ is not None
    return ast.parse(Path(module.__file__).read_text("utf-8"))


@cache
def imports(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """The names that a module imports, also within a function, and where each is defined."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }

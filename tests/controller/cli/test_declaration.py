"""The declaration of all commands: help pages, summaries, exit codes, completion."""

import inspect
import os
import re
import subprocess
import sys

import pytest

from controller.cli.commands import load_function
from controller.cli.declaration import BY_NAME, commands_of, find_command, installed
from controller.cli.main import main
from controller.system.command_line.command import ALWAYS, SUMMARY_MAX, Command, HelpSection
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]

# Those of the table, and of every other distribution that is installed.
COMMANDS = tuple(one for found in installed() for one in found.commands)
FAMILIES = tuple(found.family for found in installed() if found.family is not None)
EVERY = pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name.replace(" ", "-"))
FAMILY = pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.name)
WIDTH = 80


@EVERY
def test_the_function_of_a_command_exists(command: Command) -> None:
    assert inspect.isfunction(load_function(command))


@EVERY
def test_a_summary_is_short_and_a_sentence(command: Command) -> None:
    assert len(command.summary) <= SUMMARY_MAX
    assert command.summary.endswith(".")


@EVERY
def test_help_and_h_show_the_same_page(command: Command, capsys: Capture) -> None:
    assert main([*command.name.split(), "--help"]) == ExitCode.DONE
    page = capsys.readouterr().out
    assert main([*command.name.split(), "-h"]) == ExitCode.DONE

    assert capsys.readouterr().out == page
    assert page.lower().startswith(f"usage: smartshoe {command.name} ")


@EVERY
def test_a_page_has_every_example_and_exactly_its_exit_codes(
    command: Command, capsys: Capture
) -> None:
    main([*command.name.split(), "--help"])
    page = capsys.readouterr().out

    for example in command.examples:
        shown = [*example.line.split("\n"), *(f"    {line}" for line in example.shown_lines())]
        assert re.search("\n *".join(map(re.escape, shown)), page)
    codes = page.partition("exit codes:\n")[2]
    assert [int(code) for code in re.findall(r"^ +(\d+) +\S", codes, re.MULTILINE)] == sorted(
        {*map(int, command.codes), *map(int, ALWAYS)}
    )


@FAMILY
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_page_of_a_family_lists_its_commands_whole(
    family: object, option: str, capsys: Capture
) -> None:
    name = str(family.name)  # type: ignore[attr-defined]
    assert main([name, option]) == ExitCode.DONE

    page = capsys.readouterr().out
    for command in commands_of(name):
        assert re.search(rf"^  {command.name.split()[1]} +{command.summary}$", page, re.MULTILINE)


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_top_page_lists_every_command_in_its_section(option: str, capsys: Capture) -> None:
    assert main([option]) == ExitCode.DONE

    page = capsys.readouterr().out
    assert [line[:-1] for line in page.splitlines() if line[:-1] in tuple(HelpSection)] == [
        *HelpSection
    ]
    single = {one.name: one for one in COMMANDS if one.name == one.family}
    for name, one in (single | {one.name: one for one in FAMILIES}).items():
        section = page.partition(f"\n{one.section}:\n")[2].partition("\n\n")[0]
        assert re.search(rf"^  {name} +{re.escape(one.summary)}$", section, re.MULTILINE), name
    assert max(map(len, page.splitlines())) <= WIDTH


@FAMILY
def test_a_family_without_a_command(family: object, capsys: Capture) -> None:
    """Its default runs; without one the page goes to stderr."""
    name = str(family.name)  # type: ignore[attr-defined]
    default = str(family.default)  # type: ignore[attr-defined]
    if default:
        assert find_command([name]) == (BY_NAME[default], [])
        assert find_command([name, "--json"]) == (BY_NAME[default], ["--json"])
        assert find_command([name, "unknown"]) is None
        return
    assert main([name]) == ExitCode.UNUSABLE
    assert f"smartshoe {name} COMMAND" in capsys.readouterr().err


def test_names_are_unique() -> None:
    assert len({one.name for one in COMMANDS}) == len(COMMANDS)
    assert {one.family for one in COMMANDS if " " in one.name} == {one.name for one in FAMILIES}


def completed(*words: str) -> list[str]:
    """The completions of the last word in bash."""
    environment = {
        **os.environ,
        "COMP_WORDS": " ".join(("smartshoe", *words)),
        "COMP_CWORD": str(len(words)),
        "_SMARTSHOE_COMPLETE": "complete_bash",
    }
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli.main"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_completion_knows_every_command() -> None:
    assert set(completed("")) == {one.family for one in COMMANDS}
    assert set(completed("journal", "")) == {one.name.split()[1] for one in commands_of("journal")}
    assert "--witness" in completed("verify", "--w")


def test_the_completion_script_is_printed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli.main", "--show-completion", "bash"],
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "complete -o default -F _smartshoe_completion smartshoe" in done.stdout

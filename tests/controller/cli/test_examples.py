"""Every example of a help page is run in bash as it stands, and prints what the page shows.

Where an example needs a device, its words are parsed and its output is shown alone.
"""

import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from console_page import Example as Typed
from console_session import ConsoleSession, console_session
from typer.main import get_command

from controller.cli.commands import app_of
from controller.cli.declaration import find_command, installed
from controller.cli.help_page import FIRST_STEPS
from controller.system.command_line.command import CTRL_C, Command, Example

# Those of the table, and of every other distribution that is installed.
COMMANDS = tuple(one for found in installed() for one in found.commands)
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
DIGEST = "0b" * 32
TABLE = """\
[table]
name = "M-12"
[rules]
profile = "{profile}"
observed = [{observed}]
[shoe]
port = "socket://127.0.0.1:4001"
[metrics]
enabled = false
"""
ANGEL_EYE = TABLE.format(profile="s42-mini", observed='"result_button"')
RFID = TABLE.format(profile="ny-mini", observed='"turned", "wagers"').replace(
    "[metrics]",
    'model = "feig-rfid"\ngate_input = 1\n[batches]\nbound = ["RED-0001"]\n[metrics]',
)

KEY = "smartshoe keys make table.key"
BATCH = f"{KEY}\nsmartshoe batch import from-maker.csv --maker Acme --operator 'Ann Lee'"
APPROVE = "smartshoe firmware approve --version 1.2.0 --counter 3"
FIRMWARE = f"{KEY}\n{APPROVE} --image shuffler.bin\n{APPROVE} --sha256 {DIGEST}"
TREE = f"{KEY}\nmkdir tree\ncp table.toml tree"
DEMO = "smartshoe-hil demo --speed max --seed 7 --no-mistakes --journal journal"
HOLD = "smartshoe journal hold journal 2025-11-21/1 --by 'A. Person' --reason disputed"
ARCHIVE = "smartshoe journal archive journal --to archive"
# The log of the demo's table is begun anew as that of M-12.
LOGGED = f"{DEMO}\nsmartshoe journal begin-log table.toml --by 'Ann Lee'"
NEW_KEY = (
    f"{LOGGED}\ncp table.toml before.toml\nsmartshoe keys make new.key\n"
    "printf '[evidence]\\nkey = \"new.key\"\\n' >> table.toml"
)
ROTATED = f"{NEW_KEY}\nsmartshoe keys rotate table.toml --old before.toml --by 'Ann Lee'"


def typed(text: str, *printed: str) -> Typed:
    """What somebody types, and what of its output is awaited."""
    return Typed(text, 0, (*printed, "..."))


def emulate(*more: str, coups: int = 3) -> Typed:
    words = ("smartshoe-hil emulate --tcp 4001 --seed 7 --coups", str(coups), "--no-orders", *more)
    return typed(f"{' '.join(words)} &", "{...ready...")


RUN = typed("smartshoe run table.toml &", "...", "...is running;...")


def watch(line: str) -> Typed:
    return typed("smartshoe status table.toml --watch &", "...", f"{line}...")


DEALING = (emulate(), RUN, watch("last coup  3"))
SUSPENDED = (
    emulate("--mistake wrong_result@3 --wait-after-mistake"),
    RUN,
    watch("OPEN       1 RESULT_MISMATCH"),
)
DEALING_WITH_TAGS = (
    emulate("--shoe rfid --batches .", coups=1),
    *(typed(line, "...") for line in BATCH.replace("from-maker", "RED-0001").split("\n")),
    typed("smartshoe batch import BLUE-0001.csv --maker Acme --operator 'Ann Lee'", "..."),
    RUN,
    watch("due        the result"),
)
# What people do before they run the examples of a page, besides having the files below.
BEFORE: dict[str, str | tuple[Typed, ...]] = {
    "run": (emulate(),),
    "status": DEALING,
    "resolve": SUSPENDED,
    "close-shoe": DEALING,
    "act": DEALING_WITH_TAGS,
    "devices monitor": (emulate(),),
    "devices record": (emulate(),),
    "verify": f"{ARCHIVE}\nsmartshoe journal seals journal --write head.note",
    "audit": ARCHIVE,
    "evidence": ARCHIVE,
    "report shoe": ARCHIVE,
    "report day": ARCHIVE,
    "journal list": ARCHIVE,
    "journal export": ARCHIVE,
    "journal prune": ARCHIVE,
    "journal seals": ARCHIVE,
    "journal begin-log": DEMO,
    "backup": DEALING,
    "restore": (*DEALING, typed("smartshoe backup table.toml --to backup", "...")),
    "journal release": HOLD,
    "people list": HOLD,
    "people erase": HOLD,
    "shuffles list": DEMO,
    "shuffles export": DEMO,
    "shuffles verify": f"{DEMO}\nsmartshoe shuffles export journal --out receipts",
    "identity show": DEMO,
    "keys show": KEY,
    "approve": KEY,
    "sign-release": TREE,
    "verify-program": f"{TREE}\nsmartshoe sign-release tree --name maker.example",
    "keys rotate": NEW_KEY,
    "keys lost": NEW_KEY,
    "keys revoke": ROTATED,
    "keys retire": LOGGED,
    "firmware approve": KEY,
    "firmware withdraw": FIRMWARE,
    "firmware list": FIRMWARE,
    "firmware verify": FIRMWARE,
    "batch import": KEY,
    "batch verify": f"{BATCH}\nsmartshoe batch export RED-0001 --to from-shuffler.csv",
    "batch export": BATCH,
    "batch list": BATCH,
    "batch show": BATCH,
}
RUNNABLE = ("", CTRL_C)
EVERY = [(one, example) for one in COMMANDS for example in one.examples]


def makers_list() -> str:
    """A maker's list of a batch of one deck."""
    cards = [(rank, suit) for suit in "DCSH" for rank in RANKS]
    rows = [f"E004{number:012X},{rank},{suit},1" for number, (rank, suit) in enumerate(cards)]
    heading = ["# batch = RED-0001", "# back = red", "# decks = 1", "tag,rank,suit,deck"]
    return "\n".join([*heading, *rows, ""])


@pytest.fixture(scope="module")
def played_demo() -> Iterator[Path]:
    """The journal of the demo: many pages begin with it."""
    with console_session([typed(DEMO, "...")]) as session:
        session.check(typed(DEMO, "..."), "the demo")
        yield session.folder / "journal"


def prepare(session: ConsoleSession, command: Command, sealed_journal: Callable[..., Path]) -> None:
    """Put the files there that the examples name: a table's settings, a journal, others'."""
    folder = session.folder
    text = RFID if command.name == "act" else ANGEL_EYE
    (folder / "table.toml").write_text(session.with_free_ports(text))
    (folder / "pit-3").mkdir()
    (folder / "pit-3" / "M-12.toml").write_text(session.with_free_ports(text))
    (folder / "from-maker.csv").write_text(makers_list())
    (folder / "shuffler.bin").write_bytes(b"firmware")
    named = " ".join(example.line for example in command.examples).split()
    if any(word.startswith("journal") for word in named[2:]) and command.name not in BY_DEMO:
        journal = sealed_journal(2, 1)
        shutil.move(journal, folder / "journal")
        for key in journal.parent.glob("table.key*"):
            shutil.copy(key, folder)


BY_DEMO = frozenset(
    name for name, first in BEFORE.items() if isinstance(first, str) and first.startswith(DEMO)
)


def shown(example: Example) -> Typed:
    if example.needs == CTRL_C:
        return Typed(f"{example.line} &", 0, example.output)
    code = (f"[exit {example.code}]",) if example.code else ()
    return Typed(example.line, 0, (*example.output, *code))


def before(command: Command) -> list[Typed]:
    first = BEFORE.get(command.name, ())
    if not isinstance(first, str):
        return list(first)
    return [typed(line, "...") for line in first.split("\n") if line != DEMO]


def end_as_people_do(session: ConsoleSession, example: Example) -> None:
    """Ctrl-C ends it, with its exit code."""
    assert session.interrupt() == example.code, example.line


def name_of(command: Command) -> str:
    return command.name.replace(" ", "-")


NEEDS = {"devices list": ("libusb-1.0-0",), "journal export": ("pyarrow",)}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(one, marks=[pytest.mark.needs(need) for need in NEEDS.get(one.name, ())])
        for one in COMMANDS
    ],
    ids=name_of,
)
def test_the_examples_of_a_page_print_what_it_shows(
    command: Command, sealed_journal: Callable[..., Path], request: pytest.FixtureRequest
) -> None:
    first = before(command)
    run = [example for example in command.examples if example.needs in RUNNABLE]
    with console_session([*first, *map(shown, run)]) as session:
        if command.name in BY_DEMO:
            played: Path = request.getfixturevalue("played_demo")
            shutil.copytree(played, session.folder / "journal")
        prepare(session, command, sealed_journal)
        for one in first if run else ():
            session.check(one, f"before {command.name}")
        for example in run:
            session.check(shown(example), f"smartshoe {command.name} --help")
            if example.needs == CTRL_C:
                end_as_people_do(session, example)


@pytest.mark.parametrize(
    ("command", "example"),
    [case for case in EVERY if case[1].needs not in RUNNABLE],
    ids=lambda case: name_of(case) if isinstance(case, Command) else "example",
)
def test_the_words_of_an_example_with_a_device_are_known(
    command: Command, example: Example
) -> None:
    program, *words = shlex.split(example.line.replace("\\\n", " "))
    name = command.name.split()
    assert [program, *words[: len(name)]] == ["smartshoe", *name]

    words = words[len(name) :]
    with get_command(app_of(command)).make_context(command.name, words) as context:
        assert context.params


@pytest.mark.parametrize(("command", "example"), EVERY, ids=lambda case: getattr(case, "name", ""))
def test_an_example_shows_its_output(command: Command, example: Example) -> None:
    """One to six lines that say something, no longer than a page is wide."""
    shown = example.shown_lines()

    assert 1 <= len(shown) <= 7
    assert any(line != "..." for line in shown), f"{command.name}: nothing but '...'"
    assert all(line.strip() for line in shown), "an empty line would end the block of the page"
    assert max(map(len, [*shown, *example.line.split("\n")])) <= 90


@pytest.mark.parametrize("step", FIRST_STEPS, ids=lambda step: step[0])
def test_the_first_steps_name_commands(step: tuple[str, str]) -> None:
    assert find_command([step[0]]) is not None

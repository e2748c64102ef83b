"""Every example of a help page is run, or its words are parsed where it needs a device."""

import io
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.main import get_command

from controller.cli.command import Command, Example
from controller.cli.commands import app_of
from controller.cli.declaration import COMMANDS, find_command
from controller.cli.errors import ExitCode
from controller.cli.help_page import TOP_EXAMPLES
from controller.cli.main import main

Capture = pytest.CaptureFixture[str]

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
WHO = ("--maker", "Acme", "--operator", "Ann Lee")
MOMENT = "a table at the right moment"
TABLE = '[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n[control]\nsocket = "{}"\n'
CONFIGURED = ("status", "resolve", "close-shoe", "act")
EVERY = [(one, example) for one in COMMANDS for example in one.examples]


def makers_list() -> str:
    cards = [(rank, suit) for suit in "DCSH" for rank in RANKS]
    rows = [f"E004{number:012X},{rank},{suit},1" for number, (rank, suit) in enumerate(cards)]
    heading = ["# batch = RED-0001", "# back = red", "# decks = 1", "tag,rank,suit,deck"]
    return "\n".join([*heading, *rows, ""])


@pytest.fixture
def folder(fast_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every small file the examples name."""
    place = fast_dir / "examples"
    place.mkdir()
    monkeypatch.chdir(place)
    (place / "wagers.csv").write_text("5,banker,25.00\n")
    (place / "layout.csv").write_text("5,banker,25.00\n")
    (place / "evening.script").write_text("burn Ac + 1; P 9h; B Kc; P Qd; B Jh; result player\n")
    (place / "house.toml").write_text('name = "house"\ntitle = "a house"\nbase = "ny-mini"\n')
    (place / "from-maker.csv").write_text(makers_list())
    (place / "shuffler.bin").write_bytes(b"firmware")
    (place / "table.toml").write_text(TABLE.format(place / "control.sock"))
    return place


def words_of(example: Example, folder: Path) -> list[str]:
    """The words after `smartshoe`, with the example's folders inside the test's folder."""
    line = example.line.replace("\\\n", " ")
    line = line.rpartition(" | ")[2].partition(" > ")[0]
    line = line.replace("/var/lib/smartshoe", str(folder / "var"))
    program, *words = shlex.split(line.replace("/mnt/archive", str(folder / "archive")))
    assert program == "smartshoe"
    return words


def prepare(command: Command, folder: Path) -> None:
    """The steps that people take before they run this example."""
    name, archive = command.name, folder / "archive/table-1"
    journal = str(folder / "var/table-1")
    if name != "keys make" and not Path("table.key").exists():
        assert main(["keys", "make", "table.key"]) == ExitCode.DONE
    if (folder / "var").exists():
        assert main(["journal", "archive", journal, "--to", str(archive)]) == ExitCode.DONE
        assert main(["journal", "seals", journal, "--write", "seals.json"]) == ExitCode.DONE
    if name == "journal release":
        hold = find_command(["journal", "hold"])
        assert hold is not None
        assert main(words_of(hold[0].examples[0], folder)) == ExitCode.DONE
    if name.startswith("batch ") and name != "batch import":
        assert main(["batch", "import", "from-maker.csv", *WHO]) == ExitCode.DONE
        assert main(["batch", "export", "RED-0001", "--to", "from-shuffler.csv"]) == ExitCode.DONE
    if name.startswith("firmware ") and name != "firmware approve":
        images = ("--image", "shuffler.bin"), ("--sha256", "0b" * 32)
        for image in images:
            words = ["firmware", "approve", *image, "--version", "1", "--counter", "1"]
            assert main(words) == ExitCode.DONE


def identifier(case: object) -> str:
    return case.name.replace(" ", "-") if isinstance(case, Command) else "example"


def store_journal(folder: Path, sealed_journal: Callable[..., Path]) -> None:
    """The journal of the examples, its key and its public key."""
    (folder / "var").mkdir()
    journal = sealed_journal(2, 1)
    shutil.move(journal, folder / "var/table-1")
    for key in journal.parent.glob("table.key*"):
        shutil.copy(key, folder)


@pytest.mark.parametrize(
    ("command", "example"),
    [case for case in EVERY if not case[1].needs and case[0].name not in CONFIGURED],
    ids=identifier,
)
def test_an_example_ends_as_declared(
    command: Command,
    example: Example,
    folder: Path,
    sealed_journal: Callable[..., Path],
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "/table-1" in example.line or "/smartshoe" in example.line:
        store_journal(folder, sealed_journal)
    if " | " in example.line:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"burn 2c + 2; P 7h; B ??")))
    prepare(command, folder)
    capsys.readouterr()

    code = main(words_of(example, folder))

    output = capsys.readouterr()
    assert code == example.code, output
    assert output.out or " --to " in example.line


@pytest.mark.parametrize(
    ("command", "example"),
    [
        case
        for case in EVERY
        if case[0].name in CONFIGURED and (not case[1].needs or case[1].needs == MOMENT)
    ],
    ids=identifier,
)
def test_an_example_at_a_running_table(
    command: Command,
    example: Example,
    folder: Path,
    serve: Callable[[Path], Path],
    request: pytest.FixtureRequest,
    capsys: Capture,
) -> None:
    """Where it needs the right moment the table may refuse it, but understands it."""
    journal = request.getfixturevalue(
        "three_coups" if command.name == "close-shoe" else "suspended"
    )
    (folder / "table.toml").write_text(TABLE.format(serve(journal)))

    code = main(words_of(example, folder))

    expected = (ExitCode.DONE, ExitCode.NO) if example.needs else (example.code,)
    assert code in expected, capsys.readouterr()


@pytest.mark.parametrize(
    ("command", "example"),
    [case for case in EVERY if case[1].needs not in ("", MOMENT) and not case[0].plain],
    ids=identifier,
)
def test_the_words_of_an_example_with_a_device_are_known(
    command: Command, example: Example, folder: Path
) -> None:
    words = words_of(example, folder)[len(command.name.split()) :]

    with get_command(app_of(command)).make_context(command.name, words) as context:
        assert context.params


@pytest.mark.parametrize("example", find_command(["run"])[0].examples, ids=str)  # type: ignore[index]
def test_the_words_of_an_example_of_run_are_known(
    example: Example, folder: Path, capsys: Capture
) -> None:
    """The table they name is missing, and that is all that is wrong."""
    (folder / "table.toml").unlink()

    assert main(words_of(example, folder)) == ExitCode.UNUSABLE
    assert "table.toml: no such file" in capsys.readouterr().err


@pytest.mark.parametrize("example", TOP_EXAMPLES, ids=str)
def test_the_examples_of_the_top_page_name_commands(example: Example, folder: Path) -> None:
    assert find_command(words_of(example, folder)) is not None

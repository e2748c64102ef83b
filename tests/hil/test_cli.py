"""The command line of the bench: help pages, exit codes, and refusals in one sentence."""

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from console_page import Example
from console_session import console_session
from msgspec.structs import replace

GOLDEN = tomllib.loads(
    (Path(__file__).parents[1] / "vectors" / "capture.toml").read_text(encoding="utf-8")
)
# Without the byte that was written: a record that only listened waits for nobody.
HEARD = [one for one in GOLDEN["packet"] if one["event"] != 1]
BLOCKS = [GOLDEN["section"], GOLDEN["interface"], *HEARD]
RECORD = b"".join(bytes.fromhex(block["hex"]) for block in BLOCKS)
COMMANDS = (
    *("demo", "emulate", "replay", "relay", "run", "rigs", "check", "accept", "mistakes", "soak"),
    *("faults", "floor"),
)
# The scenario that the room's page shows first.
SCENARIO = re.findall(
    r"^```scenario\n(.*?)^```",
    (Path(__file__).parents[2] / "hil/scenario/README.md").read_text("utf-8"),
    re.DOTALL | re.MULTILINE,
)[0]
PAGES = ((), *((command,) for command in COMMANDS))


def hil(*words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return module("hil.cli", *words, cwd=cwd)


def module(name: str, *words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", name, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: " ".join(page) or "top")
def test_help_has_examples_and_exit_codes_and_cuts_nothing_off(page: tuple[str, ...]) -> None:
    short, long = hil(*page, "-h"), hil(*page, "--help")

    assert short.returncode == long.returncode == 0
    assert short.stdout == long.stdout
    assert "examples:\n  " in long.stdout
    for code in (0, 1, 2, 70, 130, 141):
        assert re.search(f"^    {code} +\\S", long.stdout, re.MULTILINE)
    words = long.stdout.partition("examples:")[0]
    assert "..." not in words.replace("[ARGS]...", "").replace("{SCENARIO}...", "")


def test_the_top_page_lists_every_command() -> None:
    page = hil("-h").stdout

    assert all(re.search(f"^  {command} +[A-Z].*\\.$", page, re.MULTILINE) for command in COMMANDS)
    assert hil().stderr == page
    assert hil().returncode == 2


def test_the_options_of_emulate_stand_in_groups() -> None:
    page = hil("emulate", "-h").stdout
    headings = re.findall(r"^([A-Z].*):$", page, re.MULTILINE)

    assert headings == [
        "Line",
        "Dealing",
        "With --shoe angel-eye",
        "With --shoe rfid",
        "Other options",
    ]


def shown_examples(page: str) -> list[Example]:
    """The examples of a help page: each command, and its output in deeper lines below it."""
    lines = page.partition("examples:\n")[2].partition("\n\n")[0].split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip())
    found: list[Example] = []
    for line in (each[margin:] for each in lines):
        if found and found[-1].text.endswith("\\"):
            found[-1] = replace(found[-1], text=f"{found[-1].text}\n{line}")
        elif line.startswith("    "):
            found[-1] = replace(found[-1], output=(*(found[-1].output or ()), line[4:]))
        else:
            found.append(Example(line, 1, ()))
    return found


@pytest.mark.parametrize(
    ("module_name", "page", "count"),
    [
        pytest.param("hil.cli", ("demo", "-h"), 4, marks=pytest.mark.full),
        ("hil.cli", ("emulate", "-h"), 5),
        ("hil.cli", ("replay", "-h"), 2),
        ("hil.cli", ("relay", "-h"), 2),
        ("hil.cli", ("accept", "-h"), 3),
        ("hil.cli", ("run", "-h"), 3),
        ("hil.cli", ("rigs", "-h"), 2),
        ("hil.cli", ("check", "-h"), 2),
        ("hil.cli", ("mistakes", "-h"), 2),
        ("hil.serve.shuffler", ("-h",), 2),
    ],
)
def test_every_example_prints_what_its_page_shows(
    module_name: str, page: tuple[str, ...], count: int
) -> None:
    examples = shown_examples(module(module_name, *page).stdout)

    assert len(examples) == count
    assert all(any(line != "..." for line in one.output or ()) for one in examples)
    with console_session(examples) as session:
        (session.folder / "shoe.pcapng").write_bytes(RECORD)
        (session.folder / "answers.toml").write_text('default = "skip: nobody is here"\n')
        (session.folder / "overdraw.scenario").write_text(SCENARIO)
        for one in examples:
            session.check(one, " ".join((module_name, *page)))


NO_ROOM = (
    "smartshoe-hil: standard output: No space left on device. Remedy: make room, or write"
    " elsewhere\n"
)


def ended(words: tuple[str, ...], output: int) -> tuple[int, str]:
    """The exit code and the errors of a run with that standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "hil.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_full_disk_is_a_sentence_and_a_closed_pipe_is_quiet() -> None:
    for words in (("-h",), ("mistakes",), ("mistakes", "--json"), ("emulate", "--tcp", "0")):
        with Path("/dev/full").open("wb") as full:
            assert ended(words, full.fileno()) == (2, NO_ROOM), words
        read, write = os.pipe()
        os.close(read)
        assert ended(words, write) == (141, ""), words
        os.close(write)


def test_the_end_of_its_input_ends_the_emulator(fast_dir: Path) -> None:
    done = hil("emulate", "--tcp", "0", cwd=fast_dir)
    ready, *_, ended = (json.loads(line) for line in done.stdout.splitlines())

    assert done.returncode == 0, done.stderr
    assert (ready["event"], ended["event"]) == ("ready", "done")
    assert f"smartshoe devices monitor {ready['url']}" in done.stderr
    assert f'port = "{ready["url"]}"' in done.stderr
    assert "standard input has ended" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("emulate",), "emulate: no line is named. Allowed: either --pty-link PATH or"),
        (
            ("emulate", "--tcp", "1", "--pty-link", "x"),
            "emulate: two lines are named. Allowed: either",
        ),
        (("emulate", "--tcp", "70000"), "--tcp: .*65535"),
        (("emulate", "--tcp", "http"), "--tcp: .*integer"),
        (("emulate", "--tcp", "0", "--shoe", "magic"), "--shoe: .*angel-eye.*rfid"),
        (("emulate", "--tcp", "0", "--noise", "2"), "--noise: .*1"),
        (("emulate", "--tcp", "0", "--decks", "0"), "--decks: .*1"),
        (("emulate", "--tcp", "0", "--seq-cycle", ""), "--seq-cycle: .*one or more"),
        (
            ("emulate", "--tcp", "0", "--mistake", "sneeze@3"),
            "--mistake: .*NAME@COUP.*one of burn_short",
        ),
        (("emulate", "--tcp", "0", "--dance"), "No such option: --dance"),
        (
            ("emulate", "--pty-link", "none/shoe"),
            "/none/shoe: .*No such file or directory. Allowed: a path",
        ),
        (("emulate", "--pty-link", "mine"), "/mine: a file with this name exists"),
        (
            ("emulate", "--tcp", "0", "--truth", "none/t"),
            "--truth: none/t .*No such.* Allowed: a new",
        ),
        (("emulate", "--tcp", "0", "--truth", "mine"), "--truth: mine exists and is left"),
        (
            ("emulate", "--tcp", "0", "--shoe", "rfid", "--batches", "none"),
            "--batches: none/.* Allowed: a folder that exists",
        ),
        (
            ("emulate", "--tcp", "0", "--shoe", "rfid", "--batches", "."),
            "--batches: RED-0001.csv exists with other content and is left as it is",
        ),
        (("dance",), f"No such command 'dance'. Allowed: {', '.join(COMMANDS)}"),
        (("emulat",), ". Remedy: did you mean emulate?"),
        (("run", "none"), "none: there is no such file. Allowed: a file, a folder"),
        (("run", "mine"), 'mine:1:1: no statement begins with "mine". Allowed: scenario, '),
        (("run", "step", "--rig", "none"), "--rig: there is no rig 'none'. Allowed: bench-exa"),
        (("run", "step", "--rig", "mine.toml"), "mine.toml: cannot be read: No such file"),
        (("run", "step", "--junit", "mine/x"), "Remedy: "),
        (("check", "none"), "there is no rig 'none'"),
        (("demo", "--shoes", "0"), "--shoes: .*1"),
        (
            ("demo", "--journal", "mine/x"),
            "cannot be created: Not a directory. Remedy: name another",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    words: tuple[str, ...], sentence: str, fast_dir: Path
) -> None:
    kept = {"mine": "mine", "RED-0001.csv": "my list", "step": "wait 1s"}
    for name, text in kept.items():
        (fast_dir / name).write_text(text)
    done = hil(*words, cwd=fast_dir)
    *_, last = done.stderr.splitlines()

    assert done.returncode == 2
    assert re.search(f"^smartshoe-hil: .*{sentence}", last)
    assert "Traceback" not in done.stderr
    assert {path.name: path.read_text() for path in fast_dir.iterdir()} == kept


def test_a_port_in_use_is_refused_and_the_truth_not_begun(fast_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = hil("emulate", "--tcp", port, "--truth", str(fast_dir / "truth"))

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"socket://127.0.0.1:{port}: it cannot be served: Address already in use" in done.stderr
    assert list(fast_dir.iterdir()) == []


def test_batch_files_that_are_the_same_may_be_there(fast_dir: Path) -> None:
    for _ in range(2):
        words = ("emulate", "--tcp", "0", "--shoe", "rfid", "--batches", str(fast_dir))
        assert hil(*words).returncode == 0

    assert {path.name for path in fast_dir.iterdir()} == {"RED-0001.csv", "BLUE-0001.csv"}


@pytest.mark.parametrize("name", ["hil.bench", "hil.crash", "hil.serve.shuffler"])
def test_the_other_command_lines_have_examples_and_exit_codes(name: str) -> None:
    done = module(name, "-h")

    assert done.returncode == 0
    assert re.search(rf"examples:\n  \S*python -m {name} ", done.stdout)
    assert "exit codes: 0 " in done.stdout


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        ("hil.bench", ("--json", "mine"), "--json: mine exists and is left as it is"),
        ("hil.bench", ("--disk", "none"), "--disk: none is not a folder; name one that exists"),
        ("hil.bench", ("--only", "P99"), "no such goal: P99; goals are P1, "),
        ("hil.crash", ("--json", "mine"), "--json: mine exists and is left as it is"),
        ("hil.crash", ("--json", "none/report"), "--json: none/report: there is no folder none"),
        ("hil.crash", ("--only", "kill,fire"), "no such kind: fire; kinds are kill, "),
        ("hil.crash", ("--folder", "none"), "--folder: none is not a folder"),
        ("hil.serve.shuffler", ("--pty-link", "mine"), "mine: a file with this name exists"),
        ("hil.serve.shuffler", ("--tcp", "70000"), "127.0.0.1:70000: it cannot be served"),
    ],
)
def test_the_other_command_lines_refuse_in_a_sentence(
    name: str, words: tuple[str, ...], sentence: str, fast_dir: Path
) -> None:
    (fast_dir / "mine").write_text("mine")
    done = module(name, *words, cwd=fast_dir)

    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert [(path.name, path.read_text()) for path in fast_dir.iterdir()] == [("mine", "mine")]


def test_an_unknown_command_is_named_once(fast_dir: Path) -> None:
    assert hil("emulat", cwd=fast_dir).stderr.startswith(
        "smartshoe-hil: No such command 'emulat'. Allowed: "
    )

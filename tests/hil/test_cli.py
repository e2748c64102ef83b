"""The command line of the bench: help pages, exit codes, and refusals in one sentence."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

RUN_S_MAX = 60
COMMANDS = ("demo", "emulate", "mistakes")
PAGES = ((), *((command,) for command in COMMANDS))


def hil(*words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return module("hil.cli", *words, cwd=cwd)


def module(name: str, *words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", name, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_S_MAX,
        check=False,
        cwd=cwd,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: " ".join(page) or "top")
def test_help_has_examples_and_exit_codes_and_cuts_nothing_off(page: tuple[str, ...]) -> None:
    short, long = hil(*page, "-h"), hil(*page, "--help")

    assert short.returncode == long.returncode == 0
    assert short.stdout == long.stdout
    assert re.search("examples?:\n  ", long.stdout)
    for code in (0, 1, 2, 130):
        assert re.search(f"^    {code} +\\S", long.stdout, re.MULTILINE)
    assert "..." not in long.stdout.replace("[ARGS]...", "")


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


def examples_of_emulate() -> list[str]:
    page = hil("emulate", "-h").stdout
    return re.findall("^    smartshoe-hil (emulate .*)$", page, re.MULTILINE)


def test_every_example_of_emulate_runs(fast_dir: Path) -> None:
    examples = examples_of_emulate()
    for example in examples:
        done = hil(*example.split(), cwd=fast_dir)
        ready, *_, ended = (json.loads(line) for line in done.stdout.splitlines())

        assert done.returncode == 0, done.stderr
        assert (ready["event"], ended["event"]) == ("ready", "done")
        assert f"smartshoe devices monitor {ready['url']}" in done.stderr
        assert f'port = "{ready["url"]}"' in done.stderr
        assert "standard input has ended" in done.stderr
    assert len(examples) == 5


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("emulate",), "name the line: either --pty-link PATH or --tcp PORT"),
        (("emulate", "--tcp", "1", "--pty-link", "x"), "name the line: either"),
        (("emulate", "--tcp", "70000"), "--tcp: .*65535"),
        (("emulate", "--tcp", "http"), "--tcp: .*integer"),
        (("emulate", "--tcp", "0", "--shoe", "magic"), "--shoe: .*angel-eye.*rfid"),
        (("emulate", "--tcp", "0", "--noise", "2"), "--noise: .*1"),
        (("emulate", "--tcp", "0", "--decks", "0"), "--decks: .*1"),
        (("emulate", "--tcp", "0", "--seq-cycle", ""), "--seq-cycle: .*one or more"),
        (("emulate", "--tcp", "0", "--mistake", "sneeze@3"), "NAME@COUP.*known: burn_short"),
        (("emulate", "--tcp", "0", "--dance"), "No such option: --dance"),
        (("emulate", "--pty-link", "none/shoe"), "/none/shoe: .*No such file or directory; name"),
        (("emulate", "--pty-link", "mine"), "/mine: a file with this name exists"),
        (("emulate", "--tcp", "0", "--truth", "none/t"), "--truth none/t: .*No such.*; name a"),
        (("emulate", "--tcp", "0", "--truth", "mine"), "--truth mine: it exists and is left"),
        (
            ("emulate", "--tcp", "0", "--shoe", "rfid", "--batches", "none"),
            "--batches none: .*; name a folder that exists",
        ),
        (
            ("emulate", "--tcp", "0", "--shoe", "rfid", "--batches", "."),
            "--batches .: RED-0001.csv exists with other content and is left as it is",
        ),
        (("dance",), "No such command 'dance'"),
        (("demo", "--shoes", "0"), "--shoes: .*1"),
        (("demo", "--journal", "mine/x"), "cannot be created: Not a directory; name another"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    words: tuple[str, ...], sentence: str, fast_dir: Path
) -> None:
    kept = {"mine": "mine", "RED-0001.csv": "my list"}
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
    assert f"TCP port {port} on 127.0.0.1 cannot be served: Address already in use" in done.stderr
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
    assert re.search(f"examples:\n  python -m {name} ", done.stdout)
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
        ("hil.serve.shuffler", ("--tcp", "70000"), "port 70000 on 127.0.0.1 cannot be served"),
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

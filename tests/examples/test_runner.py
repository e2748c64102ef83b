"""The runner of examples: what it accepts, and each kind of wrong example as an error."""

import socket
from pathlib import Path

import pytest
from console_page import ExampleError, pages, read_page
from console_session import LIMIT_S, ROOT, masked, output_matches
from run_page import check_page, main, name_of, write_page

SHORT_S = 1.0


@pytest.fixture
def page(fast_dir: Path) -> Path:
    return fast_dir / "page.md"


def console(*lines: str) -> str:
    return "\n".join(["```console", *lines, "```", ""])


def check(page: Path, text: str, limit_s: float = LIMIT_S) -> int:
    page.write_text(text)
    return check_page(page, limit_s)


@pytest.mark.parametrize(
    "lines",
    [
        ("$ echo a", "a"),
        ("$ printf 'a\\nb\\nc\\n'", "a", "...", "c"),
        ("$ printf 'a\\nc\\n'", "a", "...", "c"),
        ("$ printf 'a\\nb\\n'", "...", "b"),
        ("$ printf 'a\\nb\\n'", "a", "..."),
        ("$ echo one two three", "one ... three"),
        ("$ echo one two three", "one two three ..."),
        ("$ echo a; exit 3", "a", "[exit 3]"),
        ("$ echo a \\", "    b", "a b"),
        ("$ cat <<E", "> a", "> E", "a"),
        ("$ echo wrong >&2", "wrong"),
        ("$ true", "$ echo a", "a"),
        ("$ pwd", "~"),
        ("$ cat", "$ echo no input waits", "no input waits"),
        ("$ date --iso-8601=seconds", "2025-11-21T09:00:00+00:00"),
        ("$ ls -d .venv/bin/smartshoe Makefile", "...", "Makefile"),
        ("$ command -v smartshoe smartshoe-hil | grep -c bin", "2"),
        ("$ command -v python", "[exit 1]", "$ echo a", "a"),
    ],
    ids=lambda lines: lines[0],
)
def test_an_example_that_prints_what_is_shown(page: Path, lines: tuple[str, ...]) -> None:
    assert check(page, console(*lines)) == sum(line.startswith("$ ") for line in lines)


# A process that has ended and that nobody has waited for yet is in state Z.
ENDED = "$ until grep -q ' Z ' /proc/$(cat pid)/stat; do true; done; echo a"


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (("$ echo a", "b"), "page.md:2: $ echo a\n--- expected\n+++ got\n@@ -1 +1 @@\n-b\n+a"),
        (("$ echo a", "a", "$ echo b"), "page.md:4: $ echo b\n--- expected\n+++ got"),
        (("$ printf 'a\\nb\\n'", "a"), " a\n+b"),
        (("$ echo a", "a", "b"), " a\n-b"),
        (("$ printf 'a\\nb\\nc\\n'", "a", "...", "d"), "-d"),
        (("$ echo a; exit 1", "a"), " a\n+[exit 1]"),
        (("$ echo a", "a", "[exit 1]"), " a\n-[exit 1]"),
        (("$ echo a; exit 2", "a", "[exit 1]"), "-[exit 1]\n+[exit 2]"),
        (("$ echo a; exit 2", "..."), "+[exit 2]"),
        (("$ ls /none", "..."), "+[exit 2]"),
        (("$ true", "$ true"), "page.md:1: no output is shown in this block"),
        (("echo a", "a"), "page.md:2: a console block begins with '$ '"),
        (("$ echo begins; sleep 30", "begins"), "+[it did not end in time]"),
        (("$ false &", "ready"), "page.md:2: $ false &\n--- expected\n+++ got\n@@ -1 +0,0 @@"),
        (("$ echo a; sleep 30 &", "ready"), "-ready"),
        (("$ echo $$ > pid; echo ready; false &", "ready", ENDED, "a"), "ended with 1"),
    ],
    ids=lambda case: case[0] if isinstance(case, tuple) else "",
)
def test_a_wrong_example_is_an_error(page: Path, lines: tuple[str, ...], error: str) -> None:
    with pytest.raises(ExampleError) as raised:
        check(page, console(*lines), SHORT_S if "sleep" in lines[0] else LIMIT_S)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a\n\n```sh\nsmartshoe rules\n```\n", "page.md:3: commands without output"),
        ("```bash\n$ echo a\na\n```\n", "page.md:1: commands without output"),
        ("```\nsmartshoe-hil demo   # watch it\n```\n", "label it console"),
        ("a\n\n    .venv/bin/smartshoe verify journal\n", "page.md:3: commands without output"),
        ("```\n$ echo a\na\n```\n", "label it console"),
        ("<!-- not run: -->\n" + console("$ a", "b"), "page.md:1: give the reason"),
        ("<!-- not run: git -->\n\ntext\n", "page.md:1: no block follows"),
        ("<!-- not run: git -->\n" + console("$ git clone x"), "no output is shown"),
        ("<!-- setup: false -->\n" + console("$ echo a", "a"), "page.md:1: $ false"),
    ],
)
def test_a_page_that_breaks_the_rules_is_an_error(page: Path, text: str, error: str) -> None:
    with pytest.raises(ExampleError) as raised:
        check(page, text)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "```\nAngel Eye ──► smartshoe run ──► live.db\n```\n",
        "```toml\n[shoe]\nport = 'x'\n```\n",
        "```python\nmake(1)\n```\n",
        "The command `smartshoe verify` checks.\n",
    ],
)
def test_blocks_that_are_no_examples(page: Path, text: str) -> None:
    assert check(page, text) == 0


def test_setup_runs_unshown_before_its_block(page: Path) -> None:
    text = "<!-- setup: echo hidden > file -->\n" + console("$ cat file", "hidden")
    several = "<!-- setup:\n$ mkdir a\n$ echo b \\\n    > a/b; echo c; exit 2\n[exit 2]\n-->\n"

    assert check(page, text + several + console("$ cat a/b", "b")) == 5


def test_what_is_not_run_is_shown(page: Path) -> None:
    text = "<!-- not run: needs the network -->\n" + console("$ false", "Cloning ...")

    assert check(page, text) == 0
    assert len(read_page(page, "page.md")) == 1


def test_a_background_command_is_awaited_and_ended(page: Path, fast_dir: Path) -> None:
    fifo, ended = fast_dir / "fifo", fast_dir / "ended"
    command = (
        f"trap 'echo ended > {ended}; exit' TERM; echo ready; while :; do read < {fifo}; done &"
    )
    lines = (f"$ mkfifo {fifo}", f"$ {command}", "ready", "$ echo next", "next")

    assert check(page, console(*lines)) == 3
    assert ended.read_text() == "ended\n"


def test_make_installs_nothing(page: Path) -> None:
    """The stamps of the environment belong to the page, and are newer than pyproject.toml."""
    shown = "~/.venv/.installed-run"
    lines = (
        "$ realpath .venv/.installed-run",
        shown,
        "$ make -n demo",
        '".venv/bin/smart..." demo',
    )
    assert check(page, console(*lines)) == 2


def test_every_page_begins_in_a_fresh_folder(page: Path) -> None:
    text = console("$ ls file; echo a > file", "...")
    assert check(page, text) == 1
    assert check(page, console("$ cat file || echo none", "...", "none")) == 1


def test_output_is_written_where_it_differs(page: Path) -> None:
    page.write_text(
        "- item\n\n  ```console\n  $ echo a\n  $ printf 'a\\nb\\n'\n  ...\n  $ echo c; exit 1\n"
        "  wrong\n  ```\n\n```console\n$ echo begun; read < fifo &\n```\n"
    )
    assert write_page(page) == 3
    assert page.read_text() == (
        "- item\n\n  ```console\n  $ echo a\n  a\n  $ printf 'a\\nb\\n'\n  ...\n"
        "  $ echo c; exit 1\n  c\n  [exit 1]\n  ```\n\n```console\n$ echo begun; read < fifo &\n"
        "begun\nbash: line 1: fifo: No such file or directory\n```\n"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 2025-11-21 09:00:00.123 UTC", "at 2026-01-01 10:11:12 UTC"),
        ("day 2025-11-21", "day 2026-01-01"),
        ("took 12.5 ms", "took 3 s"),
        ("5 kB  x", "17.2 MiB    x"),
        ("key eb79a77b 47dd14a1 31524570 50f44905", "key 00000000 11111111 22222222 33333333"),
        ("head " + "0a" * 32, "head " + "ff" * 32),
        ("code QJFFM-H2GNS-3D24U-27QXI", "code AAAAA-BBBBB-CCCCC-DDDDD"),
        ("http://127.0.0.1:9309/metrics", "http://127.0.0.1:1/metrics"),
        ("/dev/pts/3", "/dev/pts/17"),
        ("\x1b[1mbold\x1b[0m", "bold"),
    ],
)
def test_what_changes_from_run_to_run_is_masked(one: str, other: str) -> None:
    assert masked(one) == masked(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7 coups", "8 coups"),
        ("seed 7", "seed 8"),
        ("2025-11-21/1", "2025-11-21/2"),
        ("Player 9h Kc (9)", "Player 8h Kc (9)"),
        ("Banker 10s 2d", "Banker 9s 2d"),
        ("12.5 ms", "12.5 coups"),
    ],
)
def test_what_stays_is_not_masked(one: str, other: str) -> None:
    assert not output_matches([one], [other])


def test_two_pages_may_name_the_same_port(page: Path) -> None:
    """A free port is in the place of the one that a page names, in commands and output."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = f"$ smartshoe-hil emulate --tcp {port} 2> error.txt"
        shown = (f'{{"event": "ready", ..., "url": "socket://127.0.0.1:{port}"}}', "...")
        assert check(page, console(command, *shown)) == 1
        assert check(page, console(f"$ echo --tcp {port} :{port} {port}", "... :... ...")) == 1


def test_every_page_of_the_repository_is_found() -> None:
    found = {name_of(path) for path in pages(ROOT)}

    assert {"README.md", "hil/README.md", "controller/script/README.md"} <= found
    assert not {"CHANGELOG.md"} & found
    assert not [name for name in found if name.startswith(".")]


def test_the_command_line_reports_and_fails(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page.write_text(console("$ echo a", "b"))
    assert main([str(page)]) == 1
    assert "-b\n+a" in capsys.readouterr().err
    assert main(["--write", str(page)]) == 0
    assert main([str(page)]) == 0
    assert capsys.readouterr().out.endswith(": 1 command, as shown\n")

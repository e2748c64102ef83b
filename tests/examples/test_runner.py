"""The runner of examples: what it accepts, and each kind of wrong example as an error."""

import socket
from pathlib import Path

import pytest
from console_page import ExampleError, pages, read_page
from console_session import LIMIT_S, ROOT, SHOWN_FOLDER, masked, output_matches
from mentions import read_mentions
from run_page import check_page, main, name_of, write_page

SHORT_S = 1.0


@pytest.fixture
def page(fast_dir: Path) -> Path:
    return fast_dir / "page.md"


def block(typed: str, *printed: str) -> str:
    """A block to be typed, and one that shows what it prints."""
    shown = ["", "```text", *printed, "```"] if printed else []
    return "\n".join(["```bash", typed, "```", *shown, "", ""])


def check(page: Path, text: str, limit_s: float = LIMIT_S) -> int:
    page.write_text(text)
    return check_page(page, limit_s)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("echo a", ("a",)),
        ("printf 'a\\nb\\nc\\n'", ("a", "...", "c")),
        ("printf 'a\\nc\\n'", ("a", "...", "c")),
        ("printf 'a\\nb\\n'", ("...", "b")),
        ("printf 'a\\nb\\n'", ("a", "...")),
        ("echo one two three", ("one ... three",)),
        ("echo one two three", ("one two three ...",)),
        ("echo a; (exit 3)", ("a", "[exit 3]")),
        ("(exit 3)\necho $?\nfalse", ("[exit 3]", "3", "[exit 1]")),
        ("echo a \\\n    b", ("a b",)),
        ("cat <<E\na\n\n$HOME\nE", ("a", "", SHOWN_FOLDER)),
        ("for each in a b; do\n  echo $each\ndone", ("a", "b")),
        ("echo 'a\nb'", ("a", "b")),
        ("echo a |\n  cat", ("a",)),
        ("# Nothing\ntrue\n\n", ()),
        ("echo wrong >&2", ("wrong",)),
        ("true\necho a", ("a",)),
        ("pwd", (SHOWN_FOLDER,)),
        ("cat\necho no input waits", ("no input waits",)),
        ("date --iso-8601=seconds", ("2025-11-21T09:00:00+00:00",)),
        ("ls -d .venv/bin/smartshoe Makefile", ("...", "Makefile")),
        ("command -v smartshoe smartshoe-hil | grep -c bin", ("2",)),
        ("command -v python\necho a", ("[exit 1]", "a")),
    ],
    ids=lambda words: words if isinstance(words, str) else "",
)
def test_an_example_that_prints_what_is_shown(
    page: Path, typed: str, printed: tuple[str, ...]
) -> None:
    assert check(page, block(typed, *printed)) == 1


def test_the_blocks_of_a_page_are_typed_into_one_shell(page: Path) -> None:
    text = (
        block("mkdir -p a/b && cd a")
        + block("shoe=7 && echo $shoe > file && cd b")
        + block("cat ../file; echo $shoe; pwd", "7", "7", f"{SHOWN_FOLDER}/a/b")
        + block("f() { echo $1; }\nf x", "x")
        + block("f y", "y")
    )
    assert check(page, text) == 5


@pytest.mark.parametrize(
    ("typed", "printed", "error"),
    [
        ("echo a", ("b",), "page.md:2: echo a\n--- expected\n+++ got\n@@ -1 +1 @@\n-b\n+a"),
        ("echo a", (), "page.md:2: echo a\n--- expected\n+++ got\n@@ -0,0 +1 @@\n+a"),
        ("printf 'a\\nb\\n'", ("a",), " a\n+b"),
        ("echo a", ("a", "b"), " a\n-b"),
        ("printf 'a\\nb\\nc\\n'", ("a", "...", "d"), "-d"),
        ("echo a; false", ("a",), " a\n+[exit 1]"),
        ("echo a", ("a", "[exit 1]"), " a\n-[exit 1]"),
        ("echo a; (exit 2)", ("a", "[exit 1]"), "-[exit 1]\n+[exit 2]"),
        ("echo a; (exit 2)", ("...",), "+[exit 2]"),
        ("false\necho a", ("a",), "+[exit 1]"),
        ("ls /none", ("...",), "+[exit 2]"),
        ("cd none", ("...",), "+[exit 1]"),
        ("$ echo a", ("a",), "page.md:2: $ echo a\na block to be typed has no prompts"),
        ("# apt-get install make", (), "a block to be typed has no prompts"),
        ("cat <<E\n> a\nE", ("a",), "page.md:3: > a\na block to be typed has no prompts"),
        ("ls ~/journal/...", ("a",), "no prompts and no `...`"),
        ("echo begins; sleep 30", ("begins",), "+[it did not end]"),
        ("echo a; exit 3", ("a", "[exit 3]"), "+[the shell ended]"),
        ("echo 'a", ("a",), "+[exit 2]"),
        ("false &", ("ready",), "page.md:2: false &\n--- expected\n+++ got"),
        ("echo a; sleep 30 &", ("ready",), "-ready"),
    ],
)
def test_a_wrong_example_is_an_error(
    page: Path, typed: str, printed: tuple[str, ...], error: str
) -> None:
    with pytest.raises(ExampleError) as raised:
        check(page, block(typed, *printed), SHORT_S if "sleep" in typed else LIMIT_S)
    assert error in str(raised.value)


def test_a_background_command_that_ends_with_an_error_is_one(page: Path) -> None:
    text = block("bash -c 'echo ready; exit 7' &", "ready") + block(
        "while kill -0 $! 2> errors; do :; done"
    )

    with pytest.raises(ExampleError, match=r"page.md:2: bash .* &\nended with 7:\nready"):
        check(page, text)


def test_a_page_may_end_what_it_began(page: Path) -> None:
    text = block("echo ready; exec sleep 1000 &", "ready") + block(
        "kill %1\nwait; echo over", "over"
    )

    assert check(page, text) == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a\n\n```sh\nsmartshoe rules\n```\n", "page.md:3: commands in a block labelled 'sh'"),
        ("```console\n$ echo a\na\n```\n", "page.md:1: commands in a block labelled 'console'"),
        ("```\nsmartshoe-hil demo   # watch it\n```\n", "label what is to be typed bash"),
        ("a\n\n    .venv/bin/smartshoe verify journal\n", "page.md:3: commands in a block"),
        ("```\n$ echo a\na\n```\n", "label what is to be typed bash"),
        ("<!-- not run: -->\n" + block("a", "b"), "page.md:1: give the reason"),
        ("<!-- not run: git -->\n\ntext\n", "page.md:1: no block follows"),
        (block("echo a") + "A word between.\n\n```text\na\n```\n", "page.md:2: echo a"),
        (block("apt-get install make"), "page.md:2: apt-get: this could change the machine"),
        (block("install -m 644 a /etc/a"), "page.md:2: /etc/: this could change the machine"),
        ("<!-- setup: smartshoe-hil emulate --none & -->\n", "page.md:1: smartshoe-hil"),
    ],
)
def test_a_page_that_breaks_the_rules_is_an_error(page: Path, text: str, error: str) -> None:
    with pytest.raises(ExampleError) as raised:
        check(page, text)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    "hidden",
    [
        "mkdir tables",
        "smartshoe-hil demo --speed max > demo.log",
        "smartshoe keys make table.key",
        "x=1",
        "until smartshoe status table.toml | grep -q OPEN; do :; done",
        "smartshoe-hil emulate --tcp 4001 --no-orders &\nprintf a > table.toml",
    ],
)
def test_what_makes_a_file_a_folder_or_a_variable_is_not_hidden(page: Path, hidden: str) -> None:
    with pytest.raises(ExampleError, match="only what stands in the place of a device or a token"):
        check(page, f"<!-- setup:\n{hidden}\n-->\n" + block("echo a", "a"))


@pytest.mark.parametrize(
    "text",
    [
        "```\nAngel Eye ──► smartshoe run ──► live.db\n```\n",
        "```toml\n[shoe]\nport = 'x'\n```\n",
        "```python\nmake(1)\n```\n",
        "```text\nsmartshoe: no table is given\n```\n",
        "The command `smartshoe verify` checks.\n",
    ],
)
def test_blocks_that_are_no_examples(page: Path, text: str) -> None:
    assert check(page, text) == 0


@pytest.mark.parametrize(
    ("sentence", "error"),
    [
        ("Say `smartshoe verfy`.", "page.md:1: smartshoe verfy\nsmartshoe has no command `verfy`"),
        ("Say `smartshoe-hil serve --speed 0`.", "smartshoe-hil has no command `serve`"),
        ("Say `make tset`.", "page.md:1: make tset\nthe Makefile has no `tset`"),
        ("Say `smartshoe verify --loud JOURNAL`.", "verify has no --loud"),
        ("Say `smartshoe run FILE --config-file F`.", "run has no --config-file"),
        ("Say `smartshoe evidence 1/6 --journal journal`.", "fails here; name what is there"),
        ("| a |\n| --- |\n| `smartshoe verify journal` |", "page.md:1: smartshoe verify journal"),
        (
            block("mkdir a && cd a") + "Then `smartshoe try ../none.deal`.",
            "page.md:5: smartshoe try",
        ),
    ],
)
def test_a_command_in_a_sentence_that_does_not_work_is_an_error(
    page: Path, sentence: str, error: str
) -> None:
    with pytest.raises(ExampleError) as raised:
        check(page, sentence)
    assert error in str(raised.value)


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("Say `smartshoe verify`, or `smartshoe verify --witness`.", 0),
        ("Say `smartshoe status M-12`, `make test` and `smartshoe-hil emulate -h`.", 0),
        ("Say `smartshoe evidence COUP --journal JOURNAL --out FILE.zip`.", 0),
        ("Say `smartshoe keys make table.key`: it is not typed, as it makes a file.", 0),
        ("Say `smartshoe act ACTION key=value ... --by NAME`.", 0),
        ("Say `smartshoe odds --profile ny-mini`.", 1),
        (block("echo 'P 7h' > a.deal") + "Say `smartshoe try a.deal --profile ny-mini`.", 2),
    ],
)
def test_a_command_in_a_sentence_that_only_reads_is_typed(
    page: Path, sentence: str, count: int
) -> None:
    page.write_text(sentence)
    assert len(read_page(page, "a")) + sum(m.is_typed for m in read_mentions(page, "a")) == count
    check_page(page)


def test_a_hidden_device_has_begun_before_the_next_block(page: Path) -> None:
    hidden = "smartshoe-hil emulate --tcp 4001 --seed 7 --coups 1 --no-orders &"
    text = f"<!-- setup:\n{hidden}\n-->\n" + block(
        "smartshoe devices monitor socket://127.0.0.1:4001 &", "socket://127.0.0.1:4001 is open..."
    )

    assert check(page, text) == 2


def test_what_is_not_run_is_shown(page: Path) -> None:
    text = "<!-- not run: needs the network -->\n" + block("false", "Cloning ...")

    assert check(page, text) == 0
    assert len(read_page(page, "page.md")) == 1


def test_a_background_command_is_awaited_and_ended(page: Path, fast_dir: Path) -> None:
    fifo, ended = fast_dir / "fifo", fast_dir / "ended"
    command = (
        f"trap 'echo ended > {ended}; exit' TERM; echo ready; while :; do read < {fifo}; done &"
    )
    text = block(f"mkfifo {fifo}\n{{ {command.removesuffix(' &')}; }} &", "ready")

    assert check(page, text + block("echo next", "next")) == 2
    assert ended.read_text() == "ended\n"


def test_a_pipeline_in_the_background_is_ended_whole(page: Path) -> None:
    text = block("{ echo ready; tail -f Makefile; } | cat &", "ready")

    assert check(page, text) == 1


def test_a_command_that_stands_still_beside_one_that_works_is_an_error(page: Path) -> None:
    text = block("echo ready; while :; do :; done &", "ready") + block("sleep 1000")

    with pytest.raises(ExampleError, match=r"\[it did not end\]"):
        check(page, text, SHORT_S)


def test_make_installs_nothing(page: Path) -> None:
    """The stamps of the environment belong to the page, and are newer than pyproject.toml."""
    text = block("realpath .venv/.installed-run", f"{SHOWN_FOLDER}/.venv/.installed-run") + block(
        "make -n demo", '".venv/bin/smart..." demo'
    )
    assert check(page, text) == 2


def test_every_page_begins_in_a_fresh_folder(page: Path) -> None:
    assert check(page, block("ls file; echo a > file", "...")) == 1
    assert check(page, block("cat file || echo none", "...", "none")) == 1


def test_output_is_written_where_it_differs(page: Path) -> None:
    page.write_text(
        "- item\n\n  ```bash\n  echo a\n  ```\n\n  ```bash\n  printf 'a\\nb\\n'\n  ```\n\n"
        "  ```text\n  ...\n  ```\n\n  ```bash\n  echo c; false\n  ```\n\n  ```text\n  wrong\n"
        "  ```\n\n```bash\necho begun; read < fifo &\n```\n"
    )
    assert write_page(page) == 3
    assert page.read_text() == (
        "- item\n\n  ```bash\n  echo a\n  ```\n\n  ```text\n  a\n  ```\n\n"
        "  ```bash\n  printf 'a\\nb\\n'\n  ```\n\n"
        "  ```text\n  ...\n  ```\n\n  ```bash\n  echo c; false\n  ```\n\n  ```text\n  c\n"
        "  [exit 1]\n  ```\n\n```bash\necho begun; read < fifo &\n```\n\n"
        "```text\nbegun\nbash: line 6: fifo: No such file or directory\n```\n"
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
        command = f"smartshoe-hil emulate --tcp {port} 2> error.txt"
        shown = (f'{{"event": "ready", ..., "url": "socket://127.0.0.1:{port}"}}', "...")
        assert check(page, block(command, *shown)) == 1
        assert check(page, block(f"echo --tcp {port} :{port} {port}", "... :... ...")) == 1


def test_every_page_of_the_repository_is_found() -> None:
    found = {name_of(path) for path in pages(ROOT)}

    assert {"README.md", "hil/dealing/README.md", "controller/core/script/README.md"} <= found
    assert not {"CHANGELOG.md"} & found
    assert not [name for name in found if name.startswith(".")]


def test_the_command_line_reports_and_fails(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page.write_text(block("echo a", "b"))
    assert main([str(page)]) == 1
    assert "-b\n+a" in capsys.readouterr().err
    assert main(["--write", str(page)]) == 0
    assert main([str(page)]) == 0
    assert capsys.readouterr().out.endswith(": 1 example, as shown\n")

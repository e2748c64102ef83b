"""The verifier as a program: alone, on a bare Python, with and without `cryptography`."""

import ast
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import verify as verifier
from controller.journal.store import Journal

SCRIPT = Path(verifier.__file__)
DAY = "2026-11-21"
# Without -S the library `cryptography` is found, with it only the standard library is.
BARE = ("-I", "-S")


@pytest.fixture
def archive(sealed_shoes, fast_dir: Path) -> Path:
    """Five shoes of two days, and a copy of the verifier alone."""
    sealed_shoes.write(fast_dir / "archive")
    return fast_dir / "archive"


def run(*words: object, python: tuple[str, ...] = BARE) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, *python, SCRIPT, *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_without_the_library_signatures_are_reported_as_unchecked(archive: Path) -> None:
    code, printed = run(archive)

    assert code == 0
    first, second, *_ = printed.splitlines()
    unchecked = "signatures were NOT checked: the library `cryptography` is not installed"
    assert first == f"intact: {archive}: {unchecked}"
    assert second.startswith("  shoes/2026-11-21/0001.shoe: intact; shoe 1, ")
    assert "\n  5 sealed shoes; 62 records: 27 inputs, 35 entries\n" in printed
    assert "These files alone do not show" in printed


def test_with_the_library_a_wrong_signature_is_found(archive: Path, public_key: Path) -> None:
    code, printed = run(archive, "--key", public_key, python=("-I",))
    assert code == 0
    assert "NOT checked" not in printed

    shoe = archive / "shoes" / DAY / "0001.shoe"
    shoe.write_bytes(shoe.read_bytes()[:-1] + b"\0")
    code, printed = run(archive, "--key", public_key, python=("-I",))
    assert code == 1
    what = "signature: the key that the heading names did not sign this file"
    assert f"0001.shoe: {what}\n" in printed
    assert run(archive, "--key", public_key)[0] == 0  # without the library it is not detected


def test_without_the_library_an_untrusted_key_is_still_found(
    archive: Path, other_key: Path
) -> None:
    code, printed = run(archive, "--key", other_key)

    assert code == 1
    assert printed.count("which is not trusted, signed it") == 5
    assert printed.count("log.db: key ") == 1


def test_a_copy_runs_anywhere(archive: Path, fast_dir: Path) -> None:
    """A copy under another name, without the rest of the program."""
    shutil.copy(SCRIPT, fast_dir / "check.py")
    done = subprocess.run(
        [sys.executable, *BARE, "check.py", "archive", "--json"],
        check=False,
        capture_output=True,
        text=True,
        cwd=fast_dir,
    )

    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    assert (shown["intact"], shown["shoes"], shown["problems"]) == (True, 5, [])


def test_json_gives_each_problem_its_place(archive: Path) -> None:
    shoe = archive / "shoes" / DAY / "0001.shoe"
    data = shoe.read_bytes()
    shoe.write_bytes(data[:50] + bytes((data[50] ^ 4,)) + data[51:])
    code, printed = run(archive, "--json")

    assert code == 1
    problem, *_ = json.loads(printed)["problems"]
    assert problem["file"] == f"shoes/{DAY}/0001.shoe"
    assert problem["what"] == "digest: a byte of this file was changed"


def test_a_witness_is_accepted(archive: Path) -> None:
    _, printed = run(archive, "--json")
    code = json.loads(printed)["codes"][DAY]

    assert run(archive, "--witness", code)[0] == 0
    assert run(archive, "--witness", "AAAAA-BBBBB-CCCCC-DDDDD")[0] == 1


def test_a_closed_pipe_is_not_an_error(archive: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, *BARE, SCRIPT, archive],
        check=False,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


def test_its_help_has_examples() -> None:
    code, printed = run("--help")

    assert code == 0
    assert "examples:\n  python3 verify.py /var/lib/smartshoe/table-1" in printed
    assert "0 intact, 1 not intact, 2 cannot be read." in printed


# --- live parts -----------------------------------------------------------------------------------


@pytest.fixture
def live(fast_dir: Path, log_maker) -> Path:
    """A journal of three records, nothing sealed."""
    with Journal.open(fast_dir / "journal") as journal:
        journal.append([b"\x92\xa2in\x01", b"\x92\xa3out\x02", b"\x92\xa3out\x03"])
    log_maker.add("commissioned")
    log_maker.write(fast_dir / "journal")
    return fast_dir / "journal"


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "live.db", isolation_level=None)) as ask:
        ask.execute(statement)


def test_an_intact_live_part(live: Path) -> None:
    code, printed = run(live)

    assert code == 0
    assert printed.startswith(
        f"intact: {live}: nobody signed it\n  0 sealed shoes; 3 records: 1 input"
    )


def test_it_names_what_is_wrong(live: Path) -> None:
    change(live, "DELETE FROM records WHERE seq = 1")
    code, printed = run(live)

    assert code == 1
    assert printed.startswith(
        f"NOT INTACT: {live}: nobody signed it\n  live.db: records 1 to 1 are missing\n"
    )


@pytest.mark.parametrize("content", [None, b""])
def test_an_unreadable_path_is_named(fast_dir: Path, content: bytes | None) -> None:
    if content is not None:
        (fast_dir / "live.db").write_bytes(content)
    code, printed = run(fast_dir)

    assert code == 2
    assert printed.startswith(f"cannot read: {fast_dir}")


def test_a_newer_format_is_not_checked(live: Path) -> None:
    change(live, "PRAGMA user_version = 7")
    code, printed = run(live)

    assert code == 2
    assert "live.db: it has another format: (1397576520, 7), not (1397576520, 5) or 6" in printed


def test_it_needs_the_standard_library_and_no_more_but_for_signatures() -> None:
    names = {
        (node.module or "").partition(".")[0] if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(ast.parse(SCRIPT.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }

    assert names - {"cryptography"} <= sys.stdlib_module_names

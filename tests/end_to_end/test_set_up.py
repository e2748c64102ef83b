"""`smartshoe setup` at a terminal and from a file; the table it wrote takes a card."""

import fcntl
import itertools
import json
import os
import pty
import select
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.core.tape.inputs import Started
from controller.core.tape.records import ChunkRun, read_input
from controller.journal.people import PeopleFile
from controller.journal.store import open_read_only
from controller.system.command_line.errors import ExitCode
from firmware_bridge.transport.port import Chunk, PortOpened
from hil.dealing.cards import card_named
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import PtyServer
from hil.rig.program import Program
from hil.rig.rfid_programs import wait_until

SETUP = (sys.executable, "-P", "-m", "controller.cli.main", "setup")
PIN = "270918"
CTRL_C = b"\x03"
READ_BYTES = 4096
AGAIN_S = 2.0


class Terminal:
    """A person at a terminal: waits for a question, types an answer."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self.process = process
        self._descriptor = descriptor
        self.shown = ""
        self._seen = 0

    def answer(self, question: str, typed: str) -> None:
        self.await_text(question)
        os.write(self._descriptor, f"{typed}\n".encode())

    def interrupt(self, question: str) -> None:
        """Ctrl-C until it has an effect: Python loses one that comes just before it reads."""
        self.await_text(question)
        while True:
            os.write(self._descriptor, CTRL_C)
            while select.select([self._descriptor], [], [], AGAIN_S)[0]:
                if not self._read() or self.process.poll() is not None:
                    return

    def await_text(self, text: str) -> None:
        while text not in self.shown[self._seen :]:
            assert self._read(), f"it ended before it asked {text!r}: {self.shown}"
        self._seen = self.shown.index(text, self._seen) + len(text)

    def end(self) -> int:
        while self._read():
            pass
        return self.process.wait()

    def _read(self) -> bool:
        try:
            data = os.read(self._descriptor, READ_BYTES)
        except OSError:  # the other end is closed
            return False
        self.shown += data.decode()
        return bool(data)


@contextmanager
def terminal(folder: Path, *words: str) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*SETUP, *words],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        # The terminal's own, so that Ctrl-C reaches it.
        preexec_fn=take_terminal,  # noqa: PLW1509 no thread of the test holds a lock here
        start_new_session=True,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def take_terminal() -> None:
    """Make the terminal the one that controls this session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def answer_devices(person: Terminal, port: str) -> None:
    """Everything up to the people, with defaults, for a shoe at this port."""
    person.answer("Name of the table", "B-7")
    for question in (
        "pit",
        "Time zone",
        "Rules of the table",
        "Decks",
        "Which of them",
        "trial",
        "The shoe",
    ):
        person.answer(question, "")
    person.answer("Port of the shoe", port)
    if not Path(port).exists():
        person.answer("Keep it all the same", "y")
    for question in ("The shuffler", "Language of the page"):
        person.answer(question, "")
    person.answer("Port of page and metrics", "0")


def test_a_table_set_up_at_a_terminal_takes_a_card(fast_dir: Path) -> None:
    with PtyServer(AngelEye(), link=fast_dir / "shoe") as shoe:
        with terminal(fast_dir, "--to", ".") as person:
            answer_devices(person, str(shoe.path))
            person.answer("Name of a person", "Ann Lee")
            person.answer("Role", "floorperson")
            # The space comes once nothing typed is shown any more; before, it is dropped.
            person.answer("PIN of Ann Lee: ", PIN)
            person.answer("the same again: ", PIN)
            person.answer("Name of a person", "")
            person.answer("Write it", "")
            assert person.end() == ExitCode.DONE, person.shown
        assert PIN not in person.shown
        assert "people, on record: Ann Lee (floorperson)" in person.shown

        config = fast_dir / "B-7.toml"
        with Program(config, fast_dir / "program.log") as program:
            program.start()
            shoe.perform(lambda one: one.power_on())
            for name in ("AD", "2C", "9H"):
                card = card_named(name)
                shoe.perform(lambda one, card=card: one.draw(card))
            wait_until(lambda: program.client.status().coup is not None)
            program.stop()
    people = PeopleFile(fast_dir / "journal")
    (account,) = people.accounts()
    assert (people.names()[account.person], account.role) == ("Ann Lee", "floorperson")


QUESTIONS = {
    "Name of the table": "B-7",
    "Its pit": "",
    "Time zone": "",
    "Rules of the table": "",
    "Decks": "",
    "Which of them": "",
    "trial": "",
    "The shoe": "",
    "Port of the shoe": "/dev/null",
    "The shuffler": "",
    "Language of the page": "",
    "Port of page": "0",
    "Name of a person": "Ann Lee",
    "Role": "",
    "PIN of Ann Lee: ": PIN,
    "the same again: ": PIN,
    "Name of a person; empty": "",
    "Write it": "",
}


@pytest.mark.parametrize(
    "last", ["Name of the table", "Port of the shoe", "PIN of Ann", "Write it"]
)
def test_ctrl_c_at_a_question_leaves_nothing(fast_dir: Path, last: str) -> None:
    before = itertools.takewhile(lambda one: not one[0].startswith(last), QUESTIONS.items())
    with terminal(fast_dir, "--to", ".") as person:
        for question, typed in before:
            person.answer(question, typed)
        person.interrupt(last)
        assert person.end() == ExitCode.INTERRUPTED, person.shown
        assert "ended; nothing is written" in person.shown
    assert list(fast_dir.iterdir()) == []


def test_who_does_not_want_the_file_gets_none(fast_dir: Path) -> None:
    with terminal(fast_dir, "--to", ".") as person:
        answer_devices(person, "/dev/ttyUSB9")
        person.answer("Name of a person", "")
        person.answer("Write it", "n")
        assert person.end() == ExitCode.INTERRUPTED, person.shown
        assert "ended; nothing is written" in person.shown
    assert list(fast_dir.iterdir()) == []


# --- from a file ----------------------------------------------------------------------------------

ANSWERS = """\
[table]
name = "M-12"
[shoe]
port = "/dev/ttyUSB9"
[metrics]
port = 0
[[person]]
name = "Ann Lee"
role = "floorperson"
pin_file = "ann.pin"
"""


def set_up(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SETUP, *words, "--to", "."],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def answered(fast_dir: Path) -> Path:
    (fast_dir / "answers.toml").write_text(ANSWERS)
    (fast_dir / "ann.pin").write_text(PIN)
    return fast_dir


def test_answers_of_a_file_set_a_table_up_and_a_second_time_change_no_account(
    answered: Path,
) -> None:
    first = set_up(answered, "--answers", "answers.toml")
    assert first.returncode == ExitCode.DONE, first.stderr
    assert "people, on record: Ann Lee (floorperson)" in first.stdout
    account = PeopleFile(answered / "journal").accounts()

    refused = set_up(answered, "--answers", "answers.toml")
    assert refused.returncode == ExitCode.NO
    assert "Remedy: --replace keeps the old one beside it" in refused.stderr

    again = set_up(answered, "--answers", "answers.toml", "--replace")
    assert again.returncode == ExitCode.DONE, again.stderr
    assert "have an account already, which is as it was: Ann Lee" in again.stdout
    assert PeopleFile(answered / "journal").accounts() == account


def test_a_shoe_that_deals_meanwhile_deals_into_no_new_journal(answered: Path) -> None:
    """Nobody runs the table yet: what is drawn is no play of it."""
    with PtyServer(AngelEye(), link=answered / "shoe") as shoe:
        file = answered / "answers.toml"
        file.write_text(ANSWERS.replace("/dev/ttyUSB9", str(shoe.path)))
        shoe.perform(lambda one: one.power_on())
        for name in ("AD", "2C", "9H"):
            card = card_named(name)
            shoe.perform(lambda one, card=card: one.draw(card))
        done = set_up(answered, "--answers", "answers.toml")

    assert done.returncode == ExitCode.DONE, done.stderr
    with open_read_only(answered / "journal") as journal:
        inputs = [read_input(one.record) for one in journal.records()]
    assert [one for one in inputs if isinstance(one, Started)]
    assert not [one for one in inputs if isinstance(one, PortOpened | Chunk | ChunkRun)]


def test_a_table_that_does_not_start_is_said_with_its_log(answered: Path) -> None:
    (answered / "journal").write_text("in the way")
    ended = set_up(answered, "--answers", "answers.toml")
    assert ended.returncode == ExitCode.NO
    assert "does not start, so nobody has an account yet" in ended.stderr
    assert "journal" in ended.stderr


def test_a_running_table_is_not_set_up(answered: Path) -> None:
    assert set_up(answered, "--answers", "answers.toml").returncode == ExitCode.DONE
    with Program(answered / "M-12.toml", answered / "program.log") as program:
        program.start()
        refused = set_up(answered, "--answers", "answers.toml", "--replace")
        program.stop()
    assert refused.returncode == ExitCode.NO
    assert "table M-12 is running. Remedy: end it first" in refused.stderr


def test_a_dry_run_writes_nothing(answered: Path) -> None:
    before = sorted(answered.iterdir())
    shown = set_up(answered, "--answers", "answers.toml", "--dry-run")
    assert shown.returncode == ExitCode.DONE
    assert 'name = "M-12"' in shown.stdout
    assert "Ann Lee" not in shown.stdout
    assert sorted(answered.iterdir()) == before


def test_a_program_gets_one_object_and_no_words(answered: Path) -> None:
    ended = set_up(answered, "--answers", "answers.toml", "--json")
    assert json.loads(ended.stdout) == {
        "ok": True,
        "file": "M-12.toml",
        "people": ["Ann Lee"],
        "page": "",
    }


def test_without_a_terminal_it_names_the_other_way(fast_dir: Path) -> None:
    ended = set_up(fast_dir)
    assert ended.returncode == ExitCode.UNUSABLE
    assert (
        "Allowed: a terminal without --json, or --answers FILE. Remedy: `smartshoe setup --example"
        in ended.stderr
    )

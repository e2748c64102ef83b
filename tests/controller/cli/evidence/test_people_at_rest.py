"""Who acts on a table that stands still, or on its folder, is proved where accounts are set up."""

import io
import json
import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import UNSET, Struct

from controller.archive.backup import TableFiles, check_backup, make_backup
from controller.archive.key_life import name_key
from controller.archive.prune import hold_shoe
from controller.archive.shoe_index import ShoeName
from controller.archive.signer import SigningSettings, open_signer
from controller.cli.main import main
from controller.journal.evidence_log.log import leaves_newest_first
from controller.journal.log_database import LogDatabase
from controller.journal.people import (
    NO_WRONG_PINS,
    PEOPLE_NAME,
    Account,
    PeopleFile,
    WrongPins,
)
from controller.journal.store import Journal
from controller.rules.actions.declaration import Author, Proof, Role
from controller.system.command_line.errors import ExitCode
from controller.system.keys import make_key
from controller.table.accounts.pin import PinHasher
from controller.table.accounts.sign_on import FAILURES_MAX

Capture = pytest.CaptureFixture[str]
ANN, PIN, WRONG_PIN, AT_NS = "Ann Lee", "270918", "300475", 1_795_000_000_000_000_000
PIN_HASH = PinHasher().hash(PIN)
SHOE = ShoeName("2025-11-21", 1)
TABLE = """\
table = {{ name = "M7" }}
shoe = {{ port = "socket://127.0.0.1:4001" }}
metrics = {{ enabled = false }}
evidence = {{ key = "{key}.key" }}
people = {{ unix = {{ {unix} }} }}
"""
HOLDER = (Role.FLOORPERSON, Role.DEALER)
KEEPER = (Role.PIT_MANAGER, Role.FLOORPERSON)


class RestingTable:
    """A table with one sealed shoe; the folder has its configuration, keys and journal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal = folder / "journal"
        make_key(folder / "new.key")
        self.configure()

    def configure(self, unix: str = "") -> None:
        for name, key in (("table", "table"), ("new", "new")):
            (self.folder / f"{name}.toml").write_text(TABLE.format(key=key, unix=unix))

    def add_account(self, role: Role, wrong: WrongPins = NO_WRONG_PINS) -> None:
        people = PeopleFile(self.journal)
        people.put_account(Account(people.id_of(ANN), role.value, PIN_HASH, wrong))

    def hold(self) -> None:
        hold_shoe(self.journal, SHOE, Author("B. Person"), "dispute", AT_NS)

    def rotate(self) -> None:
        old, new = (
            open_signer(SigningSettings(self.folder / f"{one}.key", make=False))
            for one in ("table", "new")
        )
        with Journal.open(self.journal) as journal:
            name_key(journal, "M7", new, Author("person-0123456789ab"), AT_NS, old=old)

    def back_up(self) -> None:
        config = TableFiles(self.folder / "table.toml", (), self.folder / "batches")
        make_backup(config, self.journal, self.folder / "backup", AT_NS)

    def files(self) -> dict[str, str]:
        """Digests of all files but those that count wrong PINs."""
        return {
            str(one.relative_to(self.folder)): sha256(one.read_bytes()).hexdigest()
            for one in sorted(self.folder.rglob("*"))
            if one.is_file() and not one.name.startswith((PEOPLE_NAME, "pin", "lock"))
        }

    def in_log(self) -> tuple[str, str]:
        """Who did it, and how that is known, by the newest leaf that names a person."""
        spare = self.folder / "spare" / "journal"
        folder = spare if spare.exists() else self.journal
        with LogDatabase.open_read_only(folder) as log:
            leaf = next(one for one in leaves_newest_first(log) if one.person)
        proof = Proof.NONE if leaf.proof is UNSET else leaf.proof
        return PeopleFile(folder).names()[leaf.person], proof.value

    def in_hold(self) -> tuple[str, str]:
        """The same by the file of the hold."""
        (file,) = (self.journal / "holds").iterdir()
        said = json.loads(file.read_text())
        person = said.get("released_by", said["person"])
        return PeopleFile(self.journal).names()[person], said.get("released_proof", said["proof"])


class Case(Struct, frozen=True):
    """A command; who may do it and who may not; what is done before it."""

    words: str
    roles: tuple[Role, Role] = KEEPER
    before: Callable[[RestingTable], None] = lambda _table: None
    recorded: Callable[[RestingTable], tuple[str, str]] = RestingTable.in_log


CASES = (
    Case(
        "journal hold journal 2025-11-21/1 --reason dispute", HOLDER, recorded=RestingTable.in_hold
    ),
    Case(
        "journal release journal 2025-11-21/1 --reason settled",
        HOLDER,
        RestingTable.hold,
        RestingTable.in_hold,
    ),
    Case("journal begin-log table.toml"),
    Case("keys rotate new.toml --old table.toml"),
    Case("keys lost new.toml"),
    Case("keys revoke new.toml --key table.key.pub", before=RestingTable.rotate),
    Case("keys retire table.toml"),
    Case("restore backup --to spare", before=RestingTable.back_up),
)
every_command = pytest.mark.parametrize(
    "case", CASES, ids=[" ".join(one.words.split()[:2]) for one in CASES]
)


@pytest.fixture
def table(
    fast_dir: Path, sealed_journal: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[RestingTable]:
    sealed_journal(1)
    monkeypatch.chdir(fast_dir)
    for pin in (PIN, WRONG_PIN):
        (fast_dir / f"pin-{pin}").write_text(f"{pin}\n")
    return RestingTable(fast_dir)


def run(case: Case, *more: str, by: str = ANN) -> ExitCode:
    return ExitCode(main([*case.words.split(), "--by", by, *more]))


@every_command
def test_the_person_whose_pin_was_given_is_on_record_as_proved(
    table: RestingTable, case: Case, capsys: Capture
) -> None:
    table.add_account(case.roles[0])
    case.before(table)

    assert run(case, "--pin-file", f"pin-{PIN}") == ExitCode.DONE

    assert "Ann Lee (proved by PIN)" in capsys.readouterr().out
    assert case.recorded(table) == (ANN, "pin")


@every_command
@pytest.mark.parametrize(
    ("more", "by", "why"),
    [
        ((), ANN, "by: it is not proved who that is: a name alone is a claim"),
        (("--pin-file", f"pin-{WRONG_PIN}"), ANN, "sign-on: it was refused"),
        (("--pin-file", f"pin-{PIN}"), "Zoe Nobody", "sign-on: it was refused"),
    ],
    ids=["no PIN", "wrong PIN", "unknown name"],
)
def test_a_name_alone_changes_nothing(
    table: RestingTable, case: Case, more: tuple[str, ...], by: str, why: str, capsys: Capture
) -> None:
    table.add_account(case.roles[0])
    case.before(table)
    before = table.files()

    assert run(case, *more, by=by) == ExitCode.NO

    assert why in capsys.readouterr().err
    assert table.files() == before


@every_command
def test_a_locked_account_changes_nothing(table: RestingTable, case: Case, capsys: Capture) -> None:
    table.add_account(case.roles[0], WrongPins(FAILURES_MAX, 2**62))
    case.before(table)
    before = table.files()

    assert run(case, "--pin-file", f"pin-{PIN}") == ExitCode.NO

    assert "sign-on: it was refused" in capsys.readouterr().err
    assert table.files() == before


@every_command
def test_a_role_that_may_not_changes_nothing(
    table: RestingTable, case: Case, capsys: Capture
) -> None:
    table.add_account(case.roles[1])
    case.before(table)
    before = table.files()

    assert run(case, "--pin-file", f"pin-{PIN}") == ExitCode.NO

    assert f" is not for {case.roles[1]}. Allowed: " in capsys.readouterr().err
    assert table.files() == before


@every_command
def test_without_accounts_a_name_is_believed_and_said_not_to_be_proved(
    table: RestingTable, case: Case, capsys: Capture
) -> None:
    case.before(table)

    assert run(case) == ExitCode.DONE

    assert "Ann Lee (not proved)" in capsys.readouterr().out
    assert case.recorded(table) == (ANN, "none")


@pytest.mark.parametrize("case", [CASES[0], CASES[-1]], ids=["hold", "restore"])
def test_wrong_pins_lock_the_account_however_often_the_command_is_started(
    table: RestingTable, case: Case
) -> None:
    table.add_account(case.roles[0])
    case.before(table)
    for _ in range(FAILURES_MAX):
        run(case, "--pin-file", f"pin-{WRONG_PIN}")

    assert run(case, "--pin-file", f"pin-{PIN}") == ExitCode.NO


def test_wrong_pins_leave_the_backup_as_it_was_made(table: RestingTable) -> None:
    table.add_account(Role.PIT_MANAGER)
    table.back_up()

    run(CASES[-1], "--pin-file", f"pin-{WRONG_PIN}")

    assert "journal/people.db" in check_backup(table.folder / "backup")


@pytest.mark.parametrize("case", [CASES[-2], CASES[-1]], ids=["keys retire", "restore"])
def test_the_account_of_the_machine_proves_its_person(
    table: RestingTable, case: Case, capsys: Capture
) -> None:
    table.add_account(Role.PIT_MANAGER)
    table.configure(unix=f'{os.geteuid()} = "{ANN}"')
    case.before(table)

    assert run(case) == ExitCode.DONE

    assert "Ann Lee (proved by the account of the machine)" in capsys.readouterr().out
    assert case.recorded(table) == (ANN, "account")


def test_a_pin_comes_from_stdin(table: RestingTable, monkeypatch: pytest.MonkeyPatch) -> None:
    table.add_account(Role.FLOORPERSON)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PIN}\n"))

    assert run(CASES[0], "--pin-file", "-") == ExitCode.DONE

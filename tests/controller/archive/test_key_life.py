"""The life of a table's key: rotated, lost, revoked, retired with the table; each is on record."""

import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.backup import say_restored
from controller.archive.key_life import KeyRefused, name_key, retire_table, revoke_key
from controller.archive.log_keys import keys_on_record, numbered
from controller.archive.sealer import Sealer
from controller.archive.signer import (
    NoSigner,
    ProgramSigner,
    Signer,
    SignFailed,
    SigningSettings,
    open_signer,
)
from controller.journal.evidence_log.leaf import Leaf
from controller.journal.evidence_log.log import LogRefused, leaves_newest_first, stored_note
from controller.journal.evidence_log.note import KeyType, NoteKey, table_key, valid_signatures
from controller.journal.log_database import LogDatabase
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.rules.actions.declaration import Author, Proof
from controller.system.keys import PublicKey, load_key, make_key
from foundation.timestamp import Timestamp

AT = Timestamp(1_000_000_000, 1_763_715_600 * 1_000_000_000)
ANN = Author("person-0123456789ab", Proof.PIN)


class KeyedTable:
    """A table that has run with the key named `now`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal = folder / "journal"
        self.use("first")

    def use(self, name: str) -> None:
        """Name that key in table.toml; it is made if it is not there."""
        if not self.path(name).exists():
            make_key(self.path(name))
        self.settings = SigningSettings(self.path(name), make=False)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def signer(self, name: str) -> Signer:
        return open_signer(SigningSettings(self.path(name), make=False))

    def public(self, name: str) -> PublicKey:
        signer = self.signer(name)
        assert not isinstance(signer, NoSigner)
        return signer.public

    def run(self) -> None:
        """A run without a card."""
        sealer = Sealer("M7", self.settings, lambda: AT)
        with Journal.open(self.journal) as journal:
            sealer.begin(journal)
            sealer.end(journal.head)

    def change(self, do: Callable[..., object], *args: object, **named: object) -> None:
        """A change while the table stands still, with the key that table.toml names."""
        with Journal.open(self.journal) as journal:
            do(journal, "M7", open_signer(self.settings), *args, ANN, AT.utc_ns, **named)

    def rotate(self, old: str, new: str) -> None:
        self.use(new)
        self.change(name_key, old=self.signer(old))

    def newest(self) -> Leaf:
        with LogDatabase.open_read_only(self.journal) as log:
            return next(leaves_newest_first(log))

    def first(self) -> Leaf:
        with LogDatabase.open_read_only(self.journal) as log:
            return list(leaves_newest_first(log))[-1]

    def signed_by(self, name: str) -> bool:
        """Whether that key signed the newest head."""
        key = table_key("M7", self.public(name))
        with LogDatabase.open_read_only(self.journal) as log:
            note = stored_note(log, log.size)
        return key.id in {one.key_id for one in note.signatures} and bool(
            valid_signatures(note, [key])
        )


@pytest.fixture
def table(fast_dir: Path) -> KeyedTable:
    one = KeyedTable(fast_dir)
    one.run()
    return one


# --- a start --------------------------------------------------------------------------------------


def test_a_start_with_another_key_than_the_log_names_is_refused(table: KeyedTable) -> None:
    table.use("second")
    with pytest.raises(LogRefused, match=r"names key .*\. Allowed: the key that the log names"):
        table.run()


def test_a_key_that_was_deleted_is_not_replaced_at_the_start(fast_dir: Path) -> None:
    """The first start makes the key; a later one would take a new one for the table's."""
    table = KeyedTable(fast_dir)
    table.settings = SigningSettings(table.journal / "table.key")
    table.run()
    for file in table.journal.glob("table.key*"):
        file.unlink()

    table.run()

    assert not (table.journal / "table.key").exists()
    assert table.newest().kind == "stop"


def test_a_start_without_its_key_goes_on_unsigned(table: KeyedTable) -> None:
    table.path("first").rename(table.folder / "elsewhere")
    table.run()
    assert table.newest().kind == "stop"


# --- rotated --------------------------------------------------------------------------------------


def test_a_rotated_key_is_signed_by_both_and_names_the_person(table: KeyedTable) -> None:
    table.rotate("first", "second")

    assert table.newest().key == numbered(table.public("second"))
    assert table.newest().person == ANN.person
    assert table.signed_by("first")
    assert table.signed_by("second")
    table.run()


def test_a_rotated_key_signs_no_more(table: KeyedTable) -> None:
    """Who copied the old key's file cannot go on with it."""
    table.rotate("first", "second")
    table.run()
    assert not table.signed_by("first")
    table.use("first")
    with pytest.raises(LogRefused, match="Allowed: the key that the log names"):
        table.run()


def test_a_rotation_needs_the_key_before(table: KeyedTable) -> None:
    table.use("second")
    with pytest.raises(KeyRefused, match=r"no key signs as the key before.*`smartshoe keys lost`"):
        table.change(name_key)
    make_key(table.path("third"))
    with pytest.raises(KeyRefused, match="signs as the key before, and the evidence log names"):
        table.change(name_key, old=table.signer("third"))


def test_the_same_key_is_no_rotation(table: KeyedTable) -> None:
    with pytest.raises(KeyRefused, match=r"names key .* already"):
        table.change(name_key)


def test_a_key_that_cannot_sign_is_not_put_on_record(table: KeyedTable) -> None:
    """Its head would lack its signature for ever."""
    size = table.newest()
    make_key(table.path("token"))
    token = ProgramSigner(("/bin/false",), table.public("token"), "a token")
    with Journal.open(table.journal) as journal, pytest.raises(SignFailed, match="ended with 1"):
        name_key(journal, "M7", token, ANN, AT.utc_ns, old=table.signer("first"))
    assert table.newest() == size
    table.run()


def test_a_table_that_was_not_signed_gets_a_key_by_a_person(fast_dir: Path) -> None:
    table = KeyedTable(fast_dir)
    table.settings = SigningSettings(fast_dir / "unused", sign=False)
    table.run()
    table.use("first")
    with pytest.raises(LogRefused, match="names no key"):
        table.run()

    table.change(name_key)

    assert table.signed_by("first")
    table.run()


# --- a key of ECDSA beside which another signs for witnesses --------------------------------------


@pytest.fixture
def hardware(fast_dir: Path) -> KeyedTable:
    """A table whose key is of ECDSA P-256, as in a TPM; openssl stands for the token."""
    private, public = str(fast_dir / "p256.pem"), str(fast_dir / "p256.pub")
    for words in (
        ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private],
        ["pkey", "-in", private, "-pubout", "-out", public],
    ):
        subprocess.run(["/usr/bin/openssl", *words], check=True, capture_output=True)
    table = KeyedTable(fast_dir)
    program = ("/usr/bin/openssl", "dgst", "-sha256", "-sign", private)
    table.settings = SigningSettings(fast_dir / "unused", program=program, public_key=Path(public))
    table.run()
    return table


def signers_of_newest(table: KeyedTable, leaf: Leaf) -> list[NoteKey]:
    """Which of the two keys that this leaf names have signed the newest head."""
    keys = [table_key("M7", PublicKey(one)) for one in (leaf.key[1:], leaf.witness_key)]
    with LogDatabase.open_read_only(table.journal) as log:
        note = stored_note(log, log.size)
    named = {one.key_id for one in note.signatures}
    known = [one for one in keys if one.id in named]
    assert [one.key for one in valid_signatures(note, known)] == [
        one for line in note.signatures for one in known if one.id == line.key_id
    ]
    return known


@pytest.mark.needs("openssl")
def test_beside_a_key_of_ecdsa_a_second_one_signs_for_witnesses(hardware: KeyedTable) -> None:
    first = hardware.first()
    file = hardware.journal / "witness.key"
    assert (first.key[:1], len(first.key), len(first.witness_key)) == (b"\x02", 66, 32)
    assert first.witness_key == load_key(file).public.raw
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.type for one in signers_of_newest(hardware, first)] == [
        KeyType.ECDSA,
        KeyType.ED25519,
    ]
    assert hardware.settings.public_key is not None
    assert not verify(hardware.journal, keys=[hardware.settings.public_key]).problems


@pytest.mark.needs("openssl")
def test_where_the_token_fails_the_key_for_witnesses_signs_alone(hardware: KeyedTable) -> None:
    hardware.settings = replace(hardware.settings, program=("/bin/false",))
    hardware.run()
    signed = signers_of_newest(hardware, hardware.first())
    assert [one.type for one in signed] == [KeyType.ED25519]
    assert hardware.settings.public_key is not None
    assert not verify(hardware.journal, keys=[hardware.settings.public_key]).problems


@pytest.mark.needs("openssl")
def test_another_key_for_witnesses_is_put_on_record_by_a_person(hardware: KeyedTable) -> None:
    for file in hardware.journal.glob("witness.key*"):
        file.unlink()
    with pytest.raises(LogRefused, match=r"witness\.key: there is no key"):
        hardware.run()
    make_key(hardware.journal / "witness.key")
    with pytest.raises(LogRefused, match="is not the key for witnesses that the"):
        hardware.run()

    hardware.change(name_key)

    newest = hardware.newest()
    assert (newest.key, newest.person) == (hardware.first().key, ANN.person)
    assert len(signers_of_newest(hardware, newest)) == 2
    hardware.run()


# --- lost, revoked, retired -----------------------------------------------------------------------


def test_a_lost_key_is_replaced_by_a_named_person(table: KeyedTable) -> None:
    table.path("first").unlink()
    table.use("second")

    table.change(name_key, lost=True)

    assert (table.newest().kind, table.newest().person) == ("key", ANN.person)
    assert table.signed_by("second")
    table.run()


def test_a_key_that_is_here_is_not_lost(table: KeyedTable) -> None:
    with pytest.raises(KeyRefused, match=r"names key .* already"):
        table.change(name_key, lost=True)


def test_a_revoked_key_is_named_and_never_used_again(table: KeyedTable) -> None:
    table.rotate("first", "second")
    table.change(revoke_key, table.public("first"))

    assert (table.newest().kind, table.newest().person) == ("revoked", ANN.person)
    assert table.newest().key == numbered(table.public("first"))
    assert table.signed_by("second")
    with pytest.raises(KeyRefused, match="was revoked"):
        table.rotate("second", "first")


def test_the_tables_key_in_use_is_not_revoked(table: KeyedTable) -> None:
    with pytest.raises(KeyRefused, match="is the table's key"):
        table.change(revoke_key, table.public("first"))


def test_a_strangers_key_is_not_revoked(table: KeyedTable) -> None:
    make_key(table.path("strange"))
    with pytest.raises(KeyRefused, match="was never this table's key"):
        table.change(revoke_key, table.public("strange"))


def test_a_retired_table_never_runs_again(table: KeyedTable) -> None:
    table.change(retire_table)

    assert (table.newest().kind, table.newest().person) == ("retired", ANN.person)
    assert table.signed_by("first")
    with pytest.raises(LogRefused, match="this table was retired"):
        table.run()
    with pytest.raises(LogRefused, match="this table was retired"):
        say_restored(table.journal, "M7", table.signer("first"), ANN, AT.utc_ns)
    with pytest.raises(LogRefused, match="this table was retired"):
        table.rotate("first", "second")


def test_no_key_changes_while_the_table_runs(table: KeyedTable) -> None:
    with Journal.open(table.journal), pytest.raises(Exception, match="already writes this journal"):
        table.rotate("first", "second")


def test_the_log_knows_the_keys_that_were_the_tables(table: KeyedTable) -> None:
    table.rotate("first", "second")
    table.rotate("second", "third")
    table.change(revoke_key, table.public("first"))

    with LogDatabase.open_read_only(table.journal) as log:
        found = keys_on_record(log)
    before = {numbered(table.public(name)) for name in ("first", "second")}
    assert (found.key, found.others) == (numbered(table.public("third")), before)
    assert found.revoked == {numbered(table.public("first"))}


def test_a_head_that_names_a_key_is_signed_later_where_the_token_failed(fast_dir: Path) -> None:
    table = KeyedTable(fast_dir)
    shutil.copy(table.path("first"), fast_dir / "kept.key")
    public = fast_dir / "first.key.pub"
    table.settings = SigningSettings(fast_dir / "x", program=("/bin/false",), public_key=public)
    table.run()
    assert not table.signed_by("first")

    table.use("first")
    table.run()

    key = table_key("M7", table.public("first"))
    with LogDatabase.open_read_only(table.journal) as log:
        assert valid_signatures(stored_note(log, 1), [key])


# --- what the verifier says -----------------------------------------------------------------------


def test_the_verifier_trusts_a_rotated_key_through_the_one_before(table: KeyedTable) -> None:
    table.rotate("first", "second")
    table.run()
    report = verify(table.journal, keys=[table.folder / "first.key.pub"])
    assert not report.problems
    assert any(f"key by {ANN.person} (proved by PIN)" in note for note in report.notes)


def test_the_verifier_does_not_trust_a_key_that_replaced_a_lost_one(table: KeyedTable) -> None:
    """Only who is told its fingerprint: the old key did not agree."""
    table.use("second")
    table.change(name_key, lost=True)
    table.run()
    old, new = (table.folder / f"{name}.key.pub" for name in ("first", "second"))
    assert verify(table.journal, keys=[old]).problems
    report = verify(table.journal, keys=[old, new])
    assert not report.problems
    assert any("did NOT sign" in note for note in report.notes)


def test_the_verifier_names_who_revoked_a_key_and_who_retired_the_table(table: KeyedTable) -> None:
    table.rotate("first", "second")
    table.change(revoke_key, table.public("first"))
    table.change(retire_table)
    report = verify(table.journal, keys=[table.folder / "first.key.pub"])
    assert not report.problems
    assert any(f"revoked by {ANN.person} (proved by PIN)" in note for note in report.notes)
    assert any(f"retired by {ANN.person} (proved by PIN)" in note for note in report.notes)

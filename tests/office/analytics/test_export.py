"""Tables have the rows of `journal export --json`, of finished coups alone, whole files or none.

Source: D-8.
"""

import builtins
import errno
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from controller.archive.copies import archive_shoes
from controller.archive.export import finished_span, rows
from controller.cli.main import main
from controller.journal.folder import sealed_files
from controller.journal.store import open_read_only
from controller.rules.actions.actions import CorrectCoup, SignDealerOff, SignDealerOn
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import profile_text
from hil.dealing.mistakes import Mistake
from hil.simulation.batches import BatchTable
from office.analytics.arrow import TablesError
from office.analytics.export import export_tables
from office.analytics.parquet_folder import ParquetFolder
from office.analytics.schema import TABLES, TableName
from office.audit.discovery import NothingToAudit

pytestmark = pytest.mark.needs("duckdb")

KINDS = {
    "coup": "coups",
    "irregularity": "irregularities",
    "decision": "decisions",
    "correction": "corrections",
    "shoe_ended": "shoes",
}
# What of a row of --json is in no table: what people typed, and what has another form there.
LEFT_OUT = ("kind", "at", "reason", "owed", "borrowed")
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def json_rows(journal: Path) -> list[dict[str, object]]:
    with open_read_only(journal) as opened:
        return list(rows(opened, finished_span(opened)))


def differences(tables: Path, journal: Path, read) -> list[str]:
    """Where the tables and the JSON rows differ."""
    found: list[str] = []
    expected = json_rows(journal)
    for kind, name in KINDS.items():
        of_kind = [one for one in expected if one["kind"] == kind]
        table = read(tables, name)
        if len(of_kind) != len(table):
            found.append(f"{name}: {len(of_kind)} rows as JSON, {len(table)} in the table")
        for row, stored in zip(of_kind, table, strict=False):
            at = f"{str(row['at'])[:26]}".replace("T", " ").rstrip("0").rstrip(".") + "+00"
            if at != stored["at_utc"]:
                found.append(f"{name}, record {row['record']}: {at} and {stored['at_utc']}")
            found += [
                f"{name}, record {row['record']}: {key} {value!r} and {stored[key]!r}"
                for key, value in row.items()
                if key not in LEFT_OUT and (value or None) != (stored[key] or None)
            ]
    return found


# --- the rows of --json ---------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["sealed", "open"])
def test_tables_of_a_troubled_shoe_are_the_rows_of_json(
    troubled_shoe, stored_and_sealed, fast_dir, read_table, part
) -> None:
    journal = fast_dir / "journal"
    stored_and_sealed(journal, troubled_shoe, fast_dir / "key", seal=part == "sealed")

    export_tables([journal], fast_dir / "tables")

    assert json_rows(journal)
    assert differences(fast_dir / "tables", journal, read_table) == []


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    seed=st.integers(0, 10**6),
    mistake=st.sampled_from(list(Mistake)),
    place=st.tuples(st.integers(1, 2), st.integers(1, 8)),
)
def test_tables_of_any_shoes_are_the_rows_of_json(
    dealt_journal, tmp_path_factory, read_table, seed, mistake, place
) -> None:
    journal = dealt_journal(seed, 2, (mistake, *place))
    tables = tmp_path_factory.mktemp("tables") / "tables"

    export_tables([journal], tables)

    assert differences(tables, journal, read_table) == []


def test_a_correction_has_what_is_owed_and_no_reason(sealed_journal, fast_dir, read_table) -> None:
    def correct(script) -> None:
        script.reported(*OPENING, *COUP)
        script.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))

    journal = sealed_journal(trouble=correct, then=COUP)
    export_tables([journal], fast_dir / "tables")

    (row,) = read_table(fast_dir / "tables", "corrections")
    assert (row["coup"], row["counted"], row["outcome"]) == (1, "player", "tie")
    assert (row["owed_seats"], row["owed_cents"]) == ([], [])
    assert "reason" not in row


# --- cards ----------------------------------------------------------------------------------------


def test_cards_of_coups_are_those_of_their_rows(sealed_days, fast_dir, read_table) -> None:
    export_tables([sealed_days], fast_dir / "tables")

    hands: dict[tuple[object, ...], dict[str, list[object]]] = {}
    for one in read_table(fast_dir / "tables", "cards"):
        seat = str(one["place"])[:-2]
        if seat in ("player", "banker"):
            coup = (one["gaming_day"], one["shoe"], one["coup"])
            hands.setdefault(coup, {"player": [], "banker": []})[seat].append(one["card"])
    coups = read_table(fast_dir / "tables", "coups")
    assert len(coups) > 20
    for one in coups:
        dealt = hands[one["gaming_day"], one["shoe"], one["coup"]]
        assert {seat: " ".join(map(str, cards)) for seat, cards in dealt.items()} == {
            "player": one["player"],
            "banker": one["banker"],
        }
        assert one["cards"] == len(dealt["player"]) + len(dealt["banker"])


def test_a_card_says_rank_suit_and_points_of_its_face(sealed_days, fast_dir, read_table) -> None:
    export_tables([sealed_days], fast_dir / "tables")

    seen = {
        one["card"]: (one["rank"], one["suit"], one["points"])
        for one in read_table(fast_dir / "tables", "cards")
    }
    assert {seen["9h"], seen["Kc"], seen["Ad"]} == {(9, "h", 9), (13, "c", 0), (1, "d", 1)}
    assert seen[None] == (None, None, None)
    assert len(seen) == 53


@pytest.mark.parametrize(("profile", "shown"), [("ny-mini", False), ("s42-mini", True)])
def test_the_burn_is_shown_as_far_as_its_rules_disclose_it(
    dealt_journal, fast_dir, read_table, profile, shown
) -> None:
    """NY (e)(1): the first card alone; S42 (e)(6): all of it."""
    export_tables([dealt_journal(5, 1, profile=profile)], fast_dir / "tables")

    burn = [one for one in read_table(fast_dir / "tables", "cards") if "burn" in str(one["place"])]
    assert {(one["place"], one["card"] is not None) for one in burn} == {
        ("burn_first", True),
        ("burn", shown),
    }
    assert all(one["read"] for one in burn)


def test_cards_that_nobody_has_seen_have_no_face(script, record, fast_dir, read_table) -> None:
    """A coup dealt face down goes void: its cards went to the discard rack as they lay."""
    table = script(profile=profile_text("ny-midi")).begun()
    table.reported(*OPENING, *COUP, *OVERDRAW)
    table.resolved()
    journal = record(table)
    export_tables([journal], fast_dir / "tables")

    first, void = read_table(fast_dir / "tables", "coups")
    assert (first["fate"], void["fate"]) == ("counted", "void")
    assert "?" in void["player"]
    assert void["clauses"] == []
    cards = [one for one in read_table(fast_dir / "tables", "cards") if one["coup"]]
    faces = {one["coup"]: set() for one in cards}
    for one in cards:
        faces[one["coup"]].add(one["card"])
    assert None not in faces[1]
    assert faces[2] == {None}


def test_the_coup_in_play_is_in_no_table(sealed_journal, fast_dir, read_table) -> None:
    journal = sealed_journal(then=(*OPENING, *COUP, *COUP[:3]))
    export_tables([journal], fast_dir / "tables")

    assert len(read_table(fast_dir / "tables", "coups")) == 1
    cards = read_table(fast_dir / "tables", "cards")
    assert [one["place"] for one in cards] == [
        *("burn_first", "burn"),
        *("player_1", "banker_1", "player_2", "banker_2"),
    ]


# --- what analysts want beside them ---------------------------------------------------------------


def test_a_coup_names_the_dealers_who_had_signed_on(script, record, fast_dir, read_table) -> None:
    table = script().begun()
    table.reported(*OPENING, *COUP)
    table.acted(SignDealerOn(), Role.DEALER)
    table.reported(*COUP)
    table.acted(SignDealerOff(), Role.DEALER)
    table.reported(*COUP)
    journal = record(table)
    export_tables([journal], fast_dir / "tables")

    dealers = [one["dealers"] for one in read_table(fast_dir / "tables", "coups")]
    assert dealers == [[], ["A. Floor"], []]


def test_the_dealer_is_known_in_a_day_read_without_the_day_before(
    sealed_journal, fast_dir, read_table
) -> None:
    def sign_on(script) -> None:
        script.acted(SignDealerOn(), Role.DEALER)

    journal = sealed_journal(1, 1, trouble=sign_on)
    sealed_files(journal)[0].unlink()
    shutil.rmtree(journal / "shoes" / "2025-11-21")
    for live in journal.glob("live.db*"):
        live.unlink()
    export_tables([journal], fast_dir / "tables")

    coups = read_table(fast_dir / "tables", "coups")
    assert {tuple(one["dealers"]) for one in coups} == {("A. Floor",)}
    assert {one["gaming_day"] for one in coups} == {"2025-11-22"}


def test_times_of_a_coup_are_from_its_first_card_and_from_the_coup_before(
    sealed_journal, fast_dir, read_table
) -> None:
    export_tables([sealed_journal(1)], fast_dir / "tables")

    first, second, *_ = read_table(fast_dir / "tables", "coups")
    # A report every 300 ms: four cards and the key, then the next coup's first card.
    assert (first["play_ms"], first["pause_ms"]) == (1_200, None)
    assert second["pause_ms"] == 300


def test_the_first_coup_of_every_shoe_has_no_pause_before_it(
    sealed_days, fast_dir, read_table
) -> None:
    """Between two shoes lie hours: that is `idle_ms` of the shoe, and no pause of a coup."""
    export_tables([sealed_days], fast_dir / "tables")

    coups = read_table(fast_dir / "tables", "coups")
    pauses = {(one["gaming_day"], one["shoe"], one["coup"]): one["pause_ms"] for one in coups}
    assert len({key[:2] for key in pauses}) == 3
    assert {pause for (_, _, coup), pause in pauses.items() if coup == 1} == {None}
    assert None not in {pause for (_, _, coup), pause in pauses.items() if coup > 1}


def test_a_coup_names_the_shuffler_of_its_batch(stored_and_sealed, fast_dir, read_table) -> None:
    table = BatchTable()
    for back in ("red", "blue"):
        table.shuffle_and_store(back)
    table.release_and_take("red")
    table.deal_shoe("red")
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "key")
    export_tables([fast_dir / "journal"], fast_dir / "tables")

    red, blue = read_table(fast_dir / "tables", "shuffles")
    assert (red["back"], red["refused"], red["cards"], blue["back"]) == ("red", None, 416, "blue")
    assert red["shuffle_ms"] >= 20_000
    (coup,) = read_table(fast_dir / "tables", "coups")
    assert (coup["back"], coup["shuffler"], coup["shuffle_cycle"]) == (
        *("red", red["shuffler"]),
        red["cycle"],
    )
    events = {one["event"] for one in read_table(fast_dir / "tables", "devices")}
    assert {"stage-changed", "shuffle-started", "identity-proven"} <= events


# --- folders --------------------------------------------------------------------------------------


def test_files_lie_in_partitions_of_table_and_day(sealed_days, fast_dir) -> None:
    export_tables([sealed_days], fast_dir / "tables")

    found = {
        path.relative_to(fast_dir / "tables").as_posix()
        for path in (fast_dir / "tables").rglob("*.parquet")
        if path.stem != "open"
    }
    assert found == {
        f"{name}/table=SIM-1/gaming_day={day}/sealed-{day}.parquet"
        for name in TABLES
        for day in ("2026-11-18", "2026-11-19")
    } | {
        # After the last shoe of the day, sealed with the first of the next.
        "devices/table=SIM-1/gaming_day=2026-11-18/sealed-2026-11-19.parquet"
    }


def test_a_table_name_with_odd_signs_is_one_partition(dealt_journal, fast_dir, read_table) -> None:
    journal = dealt_journal(9, 1, table="Pit3/M=12")
    export_tables([journal], fast_dir / "tables")

    assert {one["table"] for one in read_table(fast_dir / "tables", "coups")} == {"Pit3/M=12"}


def test_a_file_says_its_schema_and_what_its_columns_mean(sealed_days, fast_dir) -> None:
    export_tables([sealed_days], fast_dir / "tables")

    path = next((fast_dir / "tables" / "coups").rglob("*.parquet"))
    schema = parquet.read_schema(path)
    assert schema.metadata[b"smartshoe.schema"] == b"1"
    assert {one.name: one.metadata[b"description"].decode() for one in schema} == {
        one.name: one.says for one in TABLES[TableName.COUPS]
    }


def test_several_tables_below_one_folder_are_exported(dealt_journal, fast_dir, read_table) -> None:
    archives = fast_dir / "archives"
    for name in ("M-1", "M-2"):
        archive_shoes(dealt_journal(3, 1, table=name), archives / name, 0)

    report = export_tables([archives], fast_dir / "tables")

    assert (report.days_written, report.open_parts) == (2, 0)
    assert {one["table"] for one in read_table(fast_dir / "tables", "shoes")} == {"M-1", "M-2"}


def test_a_journal_and_its_archive_give_each_shoe_once(sealed_days, fast_dir, read_table) -> None:
    archive_shoes(sealed_days, fast_dir / "archive", 0)

    export_tables([fast_dir / "archive", sealed_days], fast_dir / "tables")

    assert differences(fast_dir / "tables", sealed_days, read_table) == []


def test_two_tables_of_one_name_are_refused(dealt_journal, fast_dir) -> None:
    one, other = dealt_journal(1, 1), dealt_journal(2, 1)

    with pytest.raises(TablesError, match="another file is shoe 1 of 2026-11-18"):
        export_tables([one, other], fast_dir / "tables")


@pytest.mark.parametrize("days", [("2026-11-18", "2026-11-19"), ("2026-11-19", "2026-11-18")])
def test_two_journals_of_one_name_do_not_merge_where_their_days_differ(
    dealt_journal, fast_dir, days: tuple[str, str]
) -> None:
    for seed, day in zip((1, 2), days, strict=True):
        shutil.copytree(dealt_journal(seed, 4) / "shoes" / day, fast_dir / f"pit-{seed}" / day)

    with pytest.raises(TablesError, match=r"of another journal than .*both are named table SIM-1"):
        export_tables([fast_dir / "pit-1", fast_dir / "pit-2"], fast_dir / "tables")


# --- again ----------------------------------------------------------------------------------------


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.stem != "open"
    }


def test_what_is_there_and_complete_is_not_written_again(sealed_days, fast_dir) -> None:
    export_tables([sealed_days], fast_dir / "tables")
    before = snapshot(fast_dir / "tables")

    report = export_tables([sealed_days], fast_dir / "tables")

    assert (report.days_there, report.days_written) == (2, 0)
    assert snapshot(fast_dir / "tables") == before


@pytest.mark.parametrize("name", list(TABLES))
@pytest.mark.parametrize("damage", ["missing", "short"])
def test_a_day_that_is_not_complete_is_replaced_whole(sealed_days, fast_dir, name, damage) -> None:
    export_tables([sealed_days], fast_dir / "tables")
    before = {key: data for key, (_, data) in snapshot(fast_dir / "tables").items()}
    path = next((fast_dir / "tables" / name / "table=SIM-1").rglob("sealed-*.parquet"))
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:100])

    report = export_tables([sealed_days], fast_dir / "tables")

    assert report.days_written == 1
    assert {key: data for key, (_, data) in snapshot(fast_dir / "tables").items()} == before


def test_a_shoe_sealed_since_replaces_its_day_and_leaves_the_open_part(
    sealed_journal, fast_dir, read_table
) -> None:
    """A copy of the same journal, one shoe later."""
    then = (*OPENING, *COUP, *COUP)
    export_tables([sealed_journal(1, then=then)], fast_dir / "tables")
    later = sealed_journal(2, then=OPENING, name="later")

    export_tables([later], fast_dir / "tables")

    assert differences(fast_dir / "tables", later, read_table) == []


def test_two_processes_write_the_same_files(sealed_days, fast_dir) -> None:
    export_tables([sealed_days], fast_dir / "one", 1)
    export_tables([sealed_days], fast_dir / "two", 2)

    one, two = snapshot(fast_dir / "one"), snapshot(fast_dir / "two")
    assert {key: data for key, (_, data) in one.items()} == {
        key: data for key, (_, data) in two.items()
    }


# --- what goes wrong ------------------------------------------------------------------------------


def test_ctrl_c_leaves_whole_files_and_the_rest_is_exported_next(
    sealed_days, fast_dir, monkeypatch
) -> None:
    def interrupted(self, part, made_of):
        if part.day == "2026-11-19":
            with monkeypatch.context() as inner:
                inner.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
                return store(self, part, made_of)
        return store(self, part, made_of)

    store = ParquetFolder.store
    with monkeypatch.context() as patch:
        patch.setattr(ParquetFolder, "store", interrupted)
        report = export_tables([sealed_days], fast_dir / "tables")
    left = [path for path in (fast_dir / "tables").rglob("*") if path.is_file()]

    assert not report.whole
    assert report.days_written == 1
    assert [path for path in left if path.name.endswith(".new")] == []
    assert export_tables([sealed_days], fast_dir / "tables").days_written == 1


def test_a_full_disk_is_a_sentence_with_a_remedy(sealed_days, fast_dir, monkeypatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(TablesError, match=r"No space left.*Remedy: make room"):
            export_tables([sealed_days], fast_dir / "tables")

    files = list((fast_dir / "tables").rglob("*.parquet*"))
    assert files == []


def test_a_folder_of_something_else_is_refused(sealed_days, fast_dir) -> None:
    (fast_dir / "tables").mkdir()
    (fast_dir / "tables" / "letters.txt").write_text("private")

    with pytest.raises(TablesError, match=r"files of something else.*Remedy: name another folder"):
        export_tables([sealed_days], fast_dir / "tables")


def test_tables_of_another_schema_are_refused(sealed_days, fast_dir) -> None:
    (fast_dir / "tables").mkdir()
    (fast_dir / "tables" / "smartshoe-tables.json").write_text(json.dumps({"schema": 0}))

    with pytest.raises(TablesError, match=r"tables of schema 0.*into a new folder"):
        export_tables([sealed_days], fast_dir / "tables")


def test_a_path_without_a_journal_is_refused(fast_dir) -> None:
    (fast_dir / "empty").mkdir()
    with pytest.raises(NothingToAudit):
        export_tables([fast_dir / "empty"], fast_dir / "tables")


def test_a_single_sealed_file_is_refused(sealed_days, fast_dir) -> None:
    with pytest.raises(TablesError, match="a single shoe of its day"):
        export_tables([sealed_files(sealed_days)[0]], fast_dir / "tables")


def test_a_damaged_shoe_leaves_its_day_out_and_says_so(
    sealed_days, fast_dir, read_table, capsys
) -> None:
    shutil.copytree(sealed_days, fast_dir / "journal")
    path = sealed_files(fast_dir / "journal")[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)

    words = ["journal", "export", f"{fast_dir}/journal", "--parquet", f"{fast_dir}/tables"]
    code = main(words)

    assert code == 1
    assert f"not exported: {path}: its digest does not match" in capsys.readouterr().err
    days = {one["gaming_day"] for one in read_table(fast_dir / "tables", "shoes")}
    assert days == {"2026-11-19"}


def test_without_pyarrow_the_command_says_what_to_install(
    sealed_days, fast_dir, monkeypatch, capsys
) -> None:
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)

    code = main(["journal", "export", str(sealed_days), "--parquet", f"{fast_dir}/tables"])

    assert code == 2
    assert "Remedy: install smartshoe-office[analytics]" in capsys.readouterr().err
    assert not (fast_dir / "tables").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--parquet", "tables", "--json"), "give one kind of output"),
        (("--parquet", "tables", "--day", "2026-11-18"), "exports every day"),
        (("other", "--json"), "one journal or archive with --tape and --json"),
    ],
)
def test_wrong_words_are_refused(sealed_days, capsys, words, said) -> None:
    assert main(["journal", "export", str(sealed_days), *words]) == 2
    assert said in "".join(capsys.readouterr())


def test_names_of_persons_are_in_no_file(disputed, fast_dir, read_table) -> None:
    """The second person is an id there, and its name stands beside the journal."""
    export_tables([disputed], fast_dir / "tables")

    seconds = {one["second"] for one in read_table(fast_dir / "tables", "decisions")} - {None}
    assert seconds
    assert all(one.startswith("person-") for one in seconds)
    assert all(
        b"C. Lee" not in path.read_bytes() for path in (fast_dir / "tables").rglob("*.parquet")
    )

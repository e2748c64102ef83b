"""`smartshoe journal`: text, JSON, exit codes and help of each command."""

import json
from pathlib import Path

import pytest

from controller.archive.shoe_index import shoe_summaries
from controller.cli import main as cli
from controller.journal.evidence_log.checkpoint import parse_checkpoint, short_code
from controller.journal.evidence_log.note import parse_note
from controller.journal.folder import sealed_files
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
BY = ("--by", "A. Person", "--reason", "patron disputes coup 2")


@pytest.fixture
def run(capsys: Capture):
    """Run `smartshoe journal ...`; its code, stdout and stderr."""

    def ran(*words: object) -> tuple[int, str, str]:
        code = cli.main(["journal", *map(str, words)])
        output = capsys.readouterr()
        return code, output.out, output.err

    return ran


@pytest.fixture
def journal(sealed_journal) -> Path:
    path: Path = sealed_journal(2, 1)
    return path


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def test_list_prints_one_line_per_shoe(run, journal, to) -> None:
    run("archive", journal, "--to", to, "--older-than", "0")
    (to / "shoes/2025-11-21/0002.shoe").unlink()
    run("hold", journal, "2025-11-21/2", *BY)

    code, out, err = run("list", journal, "--archive", to)

    lines = out.splitlines()
    assert (code, err, len(lines)) == (ExitCode.DONE, "", 4)
    assert lines[0].split() == ["shoe", "records", "coups", "irreg.", "clean", "signed", "bytes"]
    assert lines[1].startswith("2025-11-21/1 ")
    assert lines[1].endswith(" archived")
    assert lines[2].endswith(
        " not archived, held by A. Person (not proved): patron disputes coup 2"
    )


def test_list_as_json(run, journal) -> None:
    code, out, _ = run("list", journal, "--json")

    shoes = json.loads(out)["shoes"]
    assert code == ExitCode.DONE
    assert [(one["gaming_day"], one["shoe"], one["coups"]) for one in shoes] == [
        ("2025-11-21", 1, 3),
        ("2025-11-21", 2, 3),
        ("2025-11-22", 1, 3),
    ]
    assert all(one["clean"] and one["signed"] and one["archived"] is None for one in shoes)
    assert shoes[1]["first_record"] == shoes[0]["last_record"] + 1


def test_an_empty_journal_lists_nothing(run, sealed_journal) -> None:
    journal = sealed_journal()
    assert run("list", journal) == (ExitCode.DONE, f"{journal}: no sealed shoe here\n", "")


def test_export_writes_a_tape_that_replay_reads(run, journal, tmp_path, capsys) -> None:
    tape = tmp_path / "all.tape"
    code, out, _ = run("export", journal, "--tape", tape)
    assert code == ExitCode.DONE
    assert out.startswith(f"{tape}: ")
    assert cli.main(["replay", str(tape)]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith(f"the same: {tape}")


def test_export_prints_one_object_per_line(run, journal) -> None:
    code, out, _ = run("export", journal, "--json", "--day", "2025-11-22", "--shoe", "1")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == ExitCode.DONE
    assert [one["kind"] for one in found] == ["coup", "coup", "coup", "shoe_ended"]


def test_export_says_which_finished_coups_it_leaves_out(run, coup_sharing_an_input) -> None:
    folder, _table = coup_sharing_an_input
    code, out, err = run("export", folder, "--json")
    assert (code, out) == (ExitCode.DONE, "")
    assert f"{folder}: 1 finished coup not exported yet" in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "--tape OUT.tape for the records, --json for rows, or --parquet FOLDER"),
        (("--tape", "x.tape", "--json"), "give one kind of output"),
        (("--json", "--shoe", "1"), "--shoe needs --day: shoe numbers start again"),
        (("--json", "--day", "2025-12-01"), "no shoe of 2025-12-01 is sealed here"),
    ],
)
def test_export_rejects_wrong_options(run, journal, words, expected) -> None:
    code, out, err = run("export", journal, *words)
    assert code == ExitCode.UNUSABLE
    assert expected in (json.loads(out)["error"]["problem"] if "--json" in words else err)


def test_archive_and_prune_print_their_result(run, journal, to) -> None:
    code, out, _ = run("archive", journal, "--to", to)
    assert (code, "4 files copied and verified" in out) == (ExitCode.DONE, True)
    code, out, _ = run("archive", journal, "--to", to, "--json")
    assert len(json.loads(out)["there"]) == 4

    code, out, _ = run("prune", journal, "--archive", to)
    assert code == ExitCode.DONE
    assert (
        "2025-11-21/1  would be deleted\n2025-11-21/2  would be deleted\n2025-11-22/1  stays: the"
        " newest" in out
    )
    assert "Nothing was deleted: add --yes" in out
    assert len(sealed_files(journal)) == 3

    code, out, _ = run("prune", journal, "--archive", to, "--yes", "--json")
    shown = json.loads(out)
    assert (code, shown["deleted"], shown["go"]) == (0, True, ["2025-11-21/1", "2025-11-21/2"])
    assert [one["shoe"] for one in shown["stay"]] == ["2025-11-22/1"]
    assert len(sealed_files(journal)) == 1


def test_an_incomplete_archive_exits_with_1(run, journal, to) -> None:
    run("archive", journal, "--to", to)
    (to / "shoes/2025-11-21/0001.shoe").write_bytes(b"?")
    code, out, _ = run("archive", journal, "--to", to)
    assert code == ExitCode.NO
    assert out.startswith(f"PROBLEM: {to}/shoes/2025-11-21/0001.shoe: this file differs from")


@pytest.mark.parametrize("days", ["6", "0", "-1"])
def test_no_fewer_than_seven_days_are_kept(run, journal, to, days) -> None:
    code, _, err = run("prune", journal, "--archive", to, "--keep-days", days, "--yes")
    assert code == ExitCode.UNUSABLE
    assert "greater than or equal to 7" in err
    assert len(sealed_files(journal)) == 3


def test_a_shoe_is_held_and_released(run, journal) -> None:
    code, out, _ = run("hold", journal, "2025-11-21/0001.shoe", *BY)
    assert code == ExitCode.DONE
    held = "shoe 2025-11-21/1 is held by A. Person (not proved)"
    assert out == f"{held}: {journal}/holds/2025-11-21-1.json\n"
    code, _, err = run("hold", journal, "shoe 1", *BY)
    assert (code, "'shoe 1' is not the name of a shoe" in err) == (ExitCode.UNUSABLE, True)
    code, out, _ = run("release", journal, "2025-11-21/1", "--by", "B", "--reason", "settled")
    assert out.startswith("shoe 2025-11-21/1 is released by B (not proved): ")


def test_seals_are_shown_and_the_head_is_handed_to_a_witness(
    run, journal, tmp_path, capsys
) -> None:
    kept = tmp_path / "head.note"
    code, out, _ = run("seals", journal, "--day", "2025-11-21", "--write", kept)

    note = parse_note(kept.read_bytes())
    head = parse_checkpoint(note.text)
    assert code == ExitCode.DONE
    assert f"short code  {short_code(head)}\n" in out
    assert f"head        {head.size}, root {head.root.hex()}\n" in out
    digests = [one.digest.hex() for one in shoe_summaries(journal)]
    assert [one in out for one in digests] == [True, True, False]
    assert len(note.signatures) == 2, "the head's own key, and the table's"
    assert cli.main(["verify", str(journal), "--witness", str(kept)]) == ExitCode.DONE
    capsys.readouterr()
    code, _, err = run("seals", journal, "--write", kept)
    assert (code, "is not overwritten" in err) == (ExitCode.UNUSABLE, True)


def test_the_newest_day_is_shown_unless_one_is_named(run, journal) -> None:
    _, out, _ = run("seals", journal, "--json")
    assert json.loads(out)["gaming_day"] == "2025-11-22"
    code, _, err = run("seals", journal, "--day", "2024-01-01")
    assert code == ExitCode.UNUSABLE
    assert "no shoe of 2024-01-01 is sealed here" in err
    assert "the newest are of 2025-11-21, 2025-11-22" in err


@pytest.mark.parametrize(
    "command", ["list", "export", "archive", "prune", "hold", "release", "seals"]
)
def test_help_shows_examples(run, command) -> None:
    code, out, _ = run(command, "--help")
    assert code == ExitCode.DONE
    assert f"smartshoe journal {command} journal" in out


@pytest.mark.parametrize("command", ["list", "export --json", "seals", "prune --archive x"])
def test_a_missing_folder_is_reported_in_one_sentence(run, tmp_path, command) -> None:
    name, *options = command.split()
    code, out, err = run(name, tmp_path / "none", *options)
    assert code == ExitCode.UNUSABLE
    if "--json" in options:
        assert json.loads(out)["error"]["place"] == str(tmp_path / "none")
    else:
        assert err.startswith("smartshoe: ")
    assert "Traceback" not in out + err

"""Wherever people see a clause, one of another rule document says which decision borrows it."""

import html
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.json import encode
from shown_tables import shown

from controller.cli.main import main
from controller.cli.table.status_tasks import decision_detail_lines
from controller.core.build import build_core
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import entry_record, input_record
from controller.journal.store import Journal
from controller.outlets.control.answers import answered_entries
from controller.procedure.effects import ShuffleRecorded
from controller.procedure.verdicts import Irregularity
from controller.record.build import build_snapshot
from controller.rules.profiles.load import load_clauses, load_profile, profile_text
from controller.service.config.layout_rules import TableLayout, layout_problems
from controller.service.table_log import describe_irregularity
from controller.system.command_line.errors import ExitCode
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from foundation.message import message
from foundation.timestamp import Timestamp
from hil.dealing.dealer import DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.demo.card_glyphs import ASCII
from hil.demo.floor_view import floor_lines, shown_clauses
from hil.demo.plain_lines import event_lines
from hil.simulation.sealed_journal import DealtTable, deal_inputs, write_sealed_journal

OWN: Final = "NY"
DEALT: Final = DealtTable(
    DealerSettings(seed=21, shoes=2, decks=2, mistakes=(PlannedMistake(Mistake.EXTRA_CARD, 2),)),
    profile="ny-mini",
)
BORROWED: Final = "S42-e-1"
SHUFFLE: Final = ShuffleProof(
    device="5348554630303031",
    boot_id=1,
    boot_count=1,
    cycle=1,
    compartment=1,
    count=416,
    result=ShuffleResult.COUNT_DIFFERS,
    back="red",
    faces=b"",
    began_us=0,
    ended_us=1,
    image=bytes(32),
    version="1",
    sealed=b"",
    signed=True,
    genuine=True,
)
CLAUSE: Final = re.compile(r"\b(?:NY|NJ|WA|HG|S42)-[a-z][\w.-]*\w(?: \(borrowed, [DX]-\d+\))?")


def is_id(value: object) -> bool:
    return isinstance(value, str)


class Citations:
    """The clauses found in outputs, and those that are borrowed and not said to be."""

    def __init__(self) -> None:
        self.own = OWN
        self.found = 0
        self.bare: list[str] = []

    def read_text(self, text: str) -> None:
        for words in CLAUSE.findall(text):
            self._add(words, said="borrowed" in words)

    def read_json(self, value: object) -> None:
        """Objects say it beside the clauses that they cite, sentences behind each."""
        match value:
            case dict():
                named = value.get("borrowed") or {}
                for key, inner in value.items():
                    of_ids = key in ("clauses", "charged_by") and all(map(is_id, inner))
                    if of_ids or (key == "id" and "check" in value):
                        for one in [inner] if isinstance(inner, str) else inner:
                            self._add(one, said=bool(named if key == "id" else named.get(one)))
                    elif key == "basis":
                        for one in inner:
                            self._add(one, said=False)
                    elif key not in ("borrowed", "check"):
                        self.read_json(inner)
            case list():
                for inner in value:
                    self.read_json(inner)
            case str():
                self.read_text(value)
            case _:
                pass

    def _add(self, clause: str, *, said: bool) -> None:
        own = clause.startswith(f"{self.own}-")
        self.found += not own
        if own is said:
            self.bare.append(clause)


@pytest.fixture
def citations() -> Iterator[Citations]:
    """Read outputs into it; at the end it has found borrowed clauses, each said to be."""
    read = Citations()
    yield read
    assert read.found
    assert not read.bare


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A New York shoe with a card drawn in error, sealed."""
    folder = tmp_path_factory.mktemp("borrowed") / "journal"
    write_sealed_journal(folder, DEALT)
    return folder


@pytest.fixture(scope="module")
def bundle(journal: Path) -> dict[str, str]:
    """The texts of the evidence bundle of the coup with the card drawn in error, by name."""
    path = journal.parent / "coup.zip"
    assert main(["evidence", "1/2", str(journal), "--out", str(path)]) == ExitCode.DONE
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith((".json", ".html"))]
        return {name: archive.read(name).decode() for name in names}


def test_at_the_table_while_it_is_suspended(citations: Citations) -> None:
    """The snapshot, the status, answers to people, the log and the demo's lines and panel."""
    started, *rest = deal_inputs(DEALT)
    assert isinstance(started, Started)
    core = build_core(started, load_clauses())
    state, _ = core.handle(core.initial(), started)
    clauses = shown_clauses(core.book.profile, load_clauses())
    for item in rest:
        state, output = core.handle(state, item)
        answers = answered_entries(output.entries, core.book, state.table)
        citations.read_json(json.loads(encode(answers)))
        for entry in output.entries:
            raised = entry.verdicts if isinstance(entry, EventVerdicts) else ()
            for one in (one for one in raised if isinstance(one, Irregularity)):
                citations.read_text(describe_irregularity(core.book, state.table, one))
                citations.read_text("\n".join(event_lines(one, clauses)))
                table = build_snapshot(core, state)
                citations.read_json(json.loads(encode(table)))
                citations.read_text("\n".join(decision_detail_lines(table, 10_000)))
                for seen in (table, shown()):
                    panel = floor_lines(seen, [one], clauses, ASCII, 10_000, 40, careless=False)
                    citations.read_text("\n".join(line.plain for line in panel))


def test_in_an_evidence_bundle(citations: Citations, bundle: dict[str, str]) -> None:
    for name, text in bundle.items():
        if name.endswith(".json"):
            citations.read_json(json.loads(text))
        else:
            without_links = re.sub(r"<[^>]*>", "\n", text)
            citations.read_text(html.unescape(without_links))


def test_in_a_finished_coup_exported(
    citations: Citations, journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["journal", "export", str(journal), "--json"]) == ExitCode.DONE
    citations.read_json([json.loads(line) for line in capsys.readouterr().out.splitlines()])


def test_of_a_shuffle_that_does_not_count(
    citations: Citations, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the list as text and as JSON, and in the exported file, of which the text is read back."""
    at = Timestamp(0, 10**18)
    began = Started(at, "boot", "1", b"", profile_text(DEALT.profile).encode(), b"", "")
    refused = ShuffleRecorded("red", SHUFFLE, message("could_not_verify_it"), ("NY-h-1", BORROWED))
    path = tmp_path / "journal"
    opened = Journal.open(path)
    opened.append([input_record(began), entry_record(refused)])
    opened.close()

    assert main(["shuffles", "list", str(path)]) == ExitCode.DONE
    citations.read_text(" ".join(capsys.readouterr().out.split()))
    assert main(["shuffles", "list", str(path), "--json"]) == ExitCode.DONE
    citations.read_json(json.loads(capsys.readouterr().out))
    assert main(["shuffles", "export", str(path), "--out", str(tmp_path)]) == ExitCode.DONE
    (file,) = tmp_path.glob("*.shuffle.json")
    citations.read_json(json.loads(file.read_text()))


def test_in_a_configuration_that_is_refused(citations: Citations) -> None:
    profile, citations.own = load_profile("house-mini"), "HG"
    layout = TableLayout(seats=(1,), backs=("red", "red"))
    for problem in layout_problems(layout, profile):
        citations.read_text(str(problem))


def test_in_a_profile_that_is_shown(
    citations: Citations, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its tables break lines between a clause and its decision: there they are counted."""
    assert main(["rules", "show", DEALT.profile]) == ExitCode.DONE
    tables = capsys.readouterr().out
    assert tables.count("(borrowed,") == tables.count("S42-") > 0
    assert main(["rules", "show", DEALT.profile, "--json", "--clauses"]) == ExitCode.DONE
    citations.read_json(json.loads(capsys.readouterr().out))
    assert main(["rules", "show", DEALT.profile, "--clauses"]) == ExitCode.DONE
    headings = [line for line in capsys.readouterr().out.splitlines() if CLAUSE.match(line)]
    citations.read_text("\n".join(headings))

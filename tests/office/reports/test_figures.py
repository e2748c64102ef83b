"""Figures and tables of reports equal what is counted from the records by other means.

The other means: the metrics' counts, fed with every stored input, and sums over plain records.
"""

import csv
import random
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from floor_of_tables import write_floor

from controller.core.state import Conclusion
from controller.core.stored_settings import read_settings
from controller.core.tape.inputs import Started
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.encoding import RecordKind, unwrap
from controller.journal.folder import read_sealed, sealed_files
from controller.outlets.metrics.counts import TableCounts
from controller.outlets.metrics.definitions import SHUFFLER
from controller.procedure.effects import BurnDone, CoupClosed, CoupCorrected
from controller.rules.actions.actions import CorrectCoup, RequestGhostHand, Resolution
from controller.rules.actions.choices import FloorDecision
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses, profile_text
from hil.dealing.mistakes import Mistake
from office.reports.figures import NS_PER_S, figures_of
from office.reports.links import ReportLinks
from office.reports.proceedings import proceedings_of
from office.reports.shoe_page import shoe_page

SEEDS = tuple(range(8))
NO_GHOSTS = 'ghost_hands = { value = "off"'
PROFILES = ("s42-mini", "ny-mini", "house-mini", "nj-minibaccarat")


def conclusions_of(journal: Path) -> list[Conclusion]:
    """Every input of all sealed records with its entries."""
    records = [one for path in sealed_files(journal) for one in read_sealed(path).records()]
    found: list[Conclusion] = []
    for stored in records:
        if unwrap(stored.record)[0] is RecordKind.INPUT:
            item = read_input(stored.record)
            assert item is not None
            found.append(Conclusion(inputs_in(item)[-1], ()))
        elif (entry := read_entry(stored.record)) is not None:
            last = found[-1]
            found[-1] = Conclusion(last.item, (*last.entries, entry))
    return found


def counted_by_metrics(journal: Path, devices: dict[str, str] | None = None) -> TableCounts:
    counts = TableCounts(devices or {})
    for one in conclusions_of(journal):
        counts.take(one)
    return counts


def labelled(counts: TableCounts, name: str) -> dict[str, int | float]:
    return {labels[0]: count for labels, count in counts.samples[name].items() if count}


def all_figures(shoes_of, days_of, journal: Path):
    """The figures of each day of a journal."""
    found = []
    for day in days_of(journal):
        shoes = shoes_of(journal, day)
        found.append(figures_of(shoes, proceedings_of(shoes)))
    return found


def added(found, name: str) -> Counter:
    """A figure by kind, added up over days."""
    total: Counter = Counter()
    for one in found:
        total.update({str(kind): count for kind, count in getattr(one, name).items() if count})
    return total


def check(found, counts: TableCounts) -> None:
    """Everything that both count is equal."""
    at_end = added(found, "at_end")
    at_end["void"] = sum(one.coups - sum(one.at_end.values()) for one in found)
    assert +at_end == labelled(counts, "coups_total")
    assert added(found, "irregularities") == labelled(counts, "irregularities_total")
    assert sum(one.corrections for one in found) == sum(
        counts.samples["coup_corrections_total"].values()
    )
    decided: Counter = Counter()
    for (_role, kind), count in counts.samples["decisions_total"].items():
        decided[kind] += count
    del decided["correct-coup"]
    made: Counter = Counter()
    for one in found:
        made.update({kind.kind: kind.count for kind in one.decisions})
    assert made == decided


def mistakes_of(seed: int) -> tuple[tuple[Mistake, int, int], ...]:
    """Some mistakes in two shoes, by the seed."""
    chance = random.Random(seed)
    kinds = chance.sample(list(Mistake), 5)
    return tuple((kind, chance.randint(1, 2), chance.randint(1, 12)) for kind in kinds)


@pytest.mark.parametrize("seed", SEEDS)
def test_simulated_shoes_with_mistakes_are_counted_as_the_metrics_count_them(
    dealt, shoes_of, days_of, seed: int
) -> None:
    journal = dealt(seed, 2, *mistakes_of(seed), profile=PROFILES[seed % len(PROFILES)])

    found = all_figures(shoes_of, days_of, journal)

    assert sum(one.coups for one in found) > 3
    check(found, counted_by_metrics(journal))


@pytest.fixture(scope="module")
def floor(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("floor")
    write_floor(folder)
    return folder


@pytest.mark.parametrize("table", ["M-1", "M-2"])
def test_decisions_that_took_a_while_and_a_correction(
    floor: Path, shoes_of, days_of, table: str
) -> None:
    counts = counted_by_metrics(floor / table)

    found = all_figures(shoes_of, days_of, floor / table)

    check(found, counts)
    total_s = sum(k.total_ns for one in found for k in one.decisions) / NS_PER_S
    metric = counts.samples["decision_seconds_sum"]
    assert total_s == pytest.approx(sum(metric.values()))
    assert total_s >= 25
    assert sum(one.suspended_ns for one in found) / NS_PER_S == pytest.approx(total_s)


def test_a_correction_changes_the_outcome_that_counts_and_no_other(floor: Path, shoes_of) -> None:
    shoes = shoes_of(floor / "M-1", "2026-11-18")
    corrected = [one for shoe in shoes for one in shoe.shoe.entries_of(CoupCorrected)]
    closed = [one for shoe in shoes for one in shoe.shoe.entries_of(CoupClosed)]

    figures = figures_of(shoes, proceedings_of(shoes))

    before = Counter(one.record.outcome for one in closed)
    for one in corrected:
        before[one.before] -= 1
        before[one.outcome] += 1
    assert len(corrected) == 1
    assert figures.outcomes == {one: before[one] for one in Outcome}
    assert figures.outcomes != figures.at_end


def shuffler_port(journal: Path) -> str:
    started = conclusions_of(journal)[0].item
    assert isinstance(started, Started)
    shuffler = read_settings(started.configuration).shuffler
    assert shuffler is not None
    return shuffler.port


@pytest.mark.parametrize("table", ["M-11", "M-12"])
def test_the_time_a_shuffler_was_down(floor: Path, shoes_of, days_of, table: str) -> None:
    counts = counted_by_metrics(floor / table, {shuffler_port(floor / table): SHUFFLER})

    found = all_figures(shoes_of, days_of, floor / table)

    down_s = sum(counts.samples["shuffler_down_seconds_total"].values())
    assert sum(one.shuffler_down_ns for one in found) / NS_PER_S == pytest.approx(down_s)


def test_voids_ghost_hands_and_an_open_irregularity(
    script, stored_and_sealed, fast_dir: Path, shoes_of, days_of
) -> None:
    """A ghost hand, a coup void by a decision, a corrected coup, and a shoe that is closed."""
    coup = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
    text = profile_text("wa-mini")
    assert NO_GHOSTS in text
    table = script(profile=text.replace(NO_GHOSTS, "ghost_hands = { value = 1")).begun()
    table.reported("53", "50", "44 C0 91", "44 D1 C7", *coup)
    table.acted(RequestGhostHand())
    table.reported(*coup, *coup[:4], "44 83 A3")
    table.acted(Resolution(FloorDecision.VOID_COUP, second="C. Lee"))
    table.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))
    table.reported(*coup[:2], "43", *coup[2:], *coup)
    journal = fast_dir / "journal"
    stored_and_sealed(journal, table, fast_dir / "table.key")

    found = all_figures(shoes_of, days_of, journal)

    check(found, counted_by_metrics(journal))
    (figures,) = found
    assert figures.ghost_hands == 1
    assert figures.without_outcome == 1
    assert figures.corrections == 1
    assert figures.outcomes[Outcome.TIE] == 1


# --- tables ---------------------------------------------------------------------------------------


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text, newline="")))


def test_the_tables_say_what_the_figures_say(irregular_day: Path, shoes_of, report_of) -> None:
    shoes = shoes_of(irregular_day)
    figures = figures_of(shoes, proceedings_of(shoes))
    files = report_of(irregular_day)
    coups, irregular = rows_of(files["coups.csv"]), rows_of(files["irregularities.csv"])
    stated = {(one["figure"], one["kind"]): one["value"] for one in rows_of(files["figures.csv"])}

    assert len(coups) == figures.coups == int(stated["coups", ""])
    outcomes = Counter(one["outcome"] for one in coups)
    for outcome, count in figures.outcomes.items():
        assert outcomes[outcome.value] == count == int(stated["outcomes", outcome.value])
    assert Counter(one["code"] for one in irregular) == figures.irregularities
    assert sum(int(one["coups"]) for one in rows_of(files["shoes.csv"])) == figures.coups
    assert len({one["number"] for one in irregular}) == len(irregular) == 2
    assert all(one["decided_utc"] for one in irregular)


def test_a_card_after_the_last_hand_is_counted_with_the_file_that_holds_it(
    script, stored_and_sealed, fast_dir: Path, report_of
) -> None:
    """It is drawn when shoe 1 is over and shoe 2 is not yet open."""
    coup = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
    whole = ("53", "50", "44 C0 91", "44 D1 C7", *coup, *coup[:2], "43", *coup[2:], *coup)
    table = script().begun().reported(*whole, "44 81 C9")
    table.acted(Resolution(FloorDecision.CONTINUE))
    table.reported(*whole)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    files = report_of(fast_dir / "journal")

    (found,) = rows_of(files["irregularities.csv"])
    assert (found["code"], found["shoe"]) == ("CARD_AFTER_LAST_COUP", "2")
    assert [one["irregularities"] for one in rows_of(files["shoes.csv"])] == ["0", "1"]
    assert "<dt>Irregularities</dt><dd>1</dd>" in files["shoe-2.html"]


def test_tables_hold_the_burn_the_cut_card_and_the_roads_of_each_shoe(
    irregular_day: Path, shoes_of, report_of
) -> None:
    files = report_of(irregular_day)
    events, marks = rows_of(files["events.csv"]), rows_of(files["roads.csv"])
    for shoe, row in zip(shoes_of(irregular_day), rows_of(files["shoes.csv"]), strict=True):
        (burn,) = shoe.shoe.entries_of(BurnDone)
        assert (row["burn_first"], row["burn_cards"]) == (str(burn.first), str(burn.removed))
        assert row["table"] == "SIM-1"
        happenings = [one["what"] for one in events if one["shoe"] == row["shoe"]]
        assert f"The burn is complete: {burn.removed} cards." in happenings
        assert "A cut card left the shoe." in happenings
        beads = [
            (int(one["coup"]), one["mark"])
            for one in marks
            if (one["shoe"], one["road"]) == (row["shoe"], "bead_plate")
        ]
        assert beads == [
            (one.record.coup, one.record.outcome.value) for one in shoe.coups if one.record.outcome
        ]
    assert {one["road"] for one in marks} == {
        *("bead_plate", "big_road", "big_eye_boy", "small_road", "cockroach_pig"),
    }


def test_the_table_of_roads_has_the_ties_of_a_win_and_the_corrected_coup(
    script, stored_and_sealed, fast_dir: Path, report_of
) -> None:
    """Player, a tie, a tie that people corrected to Banker, Player, Player."""
    coup = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
    tie = ("44 81 C7", "44 91 97", "44 82 AD", "44 92 BA", "47 A0")
    table = script().begun().reported("53", "50", "44 C0 91", "44 D1 C7", *coup, *tie, *tie)
    table.acted(CorrectCoup(3, Outcome.BANKER, "S. Veil"))
    table.reported(*coup[:2], "43", *coup[2:], *coup)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    marks = rows_of(report_of(fast_dir / "journal")["roads.csv"])

    big_road = [one for one in marks if one["road"] == "big_road"]
    assert [(one["column"], one["row"], one["coup"], one["mark"]) for one in big_road] == [
        *(("0", "0", "1", "player"), ("1", "0", "3", "banker")),
        *(("2", "0", "4", "player"), ("2", "1", "5", "player")),
    ]
    assert [(one["ties"], one["corrected"]) for one in big_road[:2]] == [("2", "no"), ("", "yes")]


def test_a_decision_between_two_shoes_is_in_the_report_of_the_first(
    script, stored_and_sealed, fast_dir: Path, shoes_of
) -> None:
    """The result of coup 1 is not declared; a floorperson decides on it when the shoe is over."""
    coup = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
    last = (*coup[:2], "43", *coup[2:], *coup)
    table = script().begun().reported("53", "50", "44 C0 91", "44 D1 C7", *coup[:4], *last)
    table.acted(Resolution(FloorDecision.CONTINUE))
    table.reported("53", "50", "44 C0 91", "44 D1 C7", *last)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    first, second = shoes_of(fast_dir / "journal")
    alone, whole = proceedings_of((first,)), proceedings_of((first, second))

    for proceedings in (alone, whole):
        (found,) = proceedings.irregularities
        assert found.decided is not None
        assert found.decided.seq > first.shoe.heading.last_seq
        assert found.waited_ns == found.decided.utc_ns - found.at.utc_ns
    assert "play goes on" in shoe_page(first, load_clauses(), ReportLinks("journal"))
    # It is counted once, with the file that holds it.
    assert [len(one.decisions) for one in (alone, proceedings_of((second,)), whole)] == [0, 1, 1]


def test_the_list_of_coups_has_the_outcome_that_counts_and_the_one_at_its_end(
    script, stored_and_sealed, fast_dir: Path, report_of
) -> None:
    """A back office pays by `outcome`: a tie that people corrected to Banker is Banker there."""
    coup = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
    tie = ("44 81 C7", "44 91 97", "44 82 AD", "44 92 BA", "47 A0")
    table = script().begun().reported("53", "50", "44 C0 91", "44 D1 C7", *coup, *tie)
    table.acted(CorrectCoup(2, Outcome.BANKER, "S. Veil"))
    table.reported(*coup[:2], "43", *coup[2:], *coup)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    coups = rows_of(report_of(fast_dir / "journal")["coups.csv"])

    assert [(one["outcome_at_end"], one["outcome"], one["corrections"]) for one in coups] == [
        ("player", "player", "0"),
        ("tie", "banker", "1"),
        ("player", "player", "0"),
        ("player", "player", "0"),
    ]

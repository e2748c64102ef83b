"""What a bundle's coup.json states is compared with the records: each field, what is left out."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

import pytest

from controller.journal.shoe_file import read_shoe
from controller.journal.verify import StatedCoup, VerifyReport, report_lines, verify
from controller.rules.actions.actions import CorrectCoup
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses
from office.evidence.bundle import Bundle, build_bundle
from office.evidence.lookup import CoupReference, find_shoe

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
SHOE = "shoes/2025-11-20/0001.shoe"
MADE_NS = 1_763_720_000_000_000_001
# A natural, third cards with wagers, a tie, an overdraw that is void, one dealt meanwhile, a pair.
COUPS = (1, 2, 3, 4, 5, 6)


def bundle_of(journal: Path, coup: int) -> Bundle:
    return build_bundle(
        find_shoe(journal, CoupReference("", 1, coup)), coup, load_clauses(), MADE_NS
    )


@pytest.fixture(scope="session")
def bundles(disputed: Path) -> dict[int, Bundle]:
    return {coup: bundle_of(disputed, coup) for coup in COUPS}


@pytest.fixture
def verified(fast_dir: Path) -> Callable[..., VerifyReport]:
    """The report on a bundle with some files exchanged, and a manifest made anew."""

    def made(bundle: Bundle, **exchanged: object) -> VerifyReport:
        files = dict(bundle.files)
        for name, plain in exchanged.items():
            files[name.replace("_", ".")] = json.dumps(plain).encode()
        manifest = json.loads(files.pop("manifest.json"))
        manifest["files"] = {name: sha256(data).hexdigest() for name, data in files.items()}
        folder = Path(mkdtemp(dir=fast_dir))
        for name, data in {**files, "manifest.json": json.dumps(manifest).encode()}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return verify(folder)

    return made


def stated(bundle: Bundle) -> dict:
    return json.loads(dict(bundle.files)["coup.json"])


def problems(bundle: Bundle, coup: dict) -> list[str]:
    """What the verifier says of this coup.json beside the records of the bundle's shoe."""
    read = StatedCoup(json.dumps(coup).encode())
    for one in read_shoe(dict(bundle.files)[SHOE]).records():
        read.take(SHOE, one.seq, one.record)
    return list(read.problems("M7", provisional=False))


# --- honest bundles -------------------------------------------------------------------------------


@pytest.mark.parametrize("coup", COUPS)
def test_the_first_line_says_what_was_compared_and_what_is_not_signed(
    bundles, verified, coup: int
) -> None:
    lines = report_lines(verified(bundles[coup]))

    assert lines[0] == "intact: 1 shoe, coup.json agrees; index.html is not signed"
    assert "head " in lines[1]
    assert "signed by key" in lines[1]


def correct(script) -> None:
    script.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))


NEXT_SHOE = (*OPENING, *PLAYER_WINS, *PLAYER_WINS[:2], "43", *PLAYER_WINS[2:], *PLAYER_WINS)


@pytest.mark.parametrize(
    ("meanwhile", "after", "then", "agrees"),
    [
        (correct, None, (), "1 shoe, coup.json agrees"),
        (None, correct, NEXT_SHOE, "2 shoes, coup.json agrees"),
        (None, correct, (), "1 shoe, coup.json agrees, but for 1 record not sealed yet"),
    ],
    ids=["in its shoe", "in the next one", "not sealed yet"],
)
def test_corrections_are_compared_wherever_they_are_sealed(
    script, stored_and_sealed, verified, fast_dir: Path, meanwhile, after, then, agrees: str
) -> None:
    table = script().begun()
    table.reported(*OPENING, *PLAYER_WINS, *PLAYER_WINS[:3])
    for act in filter(None, (meanwhile,)):
        act(table)
    table.reported(*PLAYER_WINS[3:], *PLAYER_WINS[:2], "43", *PLAYER_WINS[2:], *PLAYER_WINS)
    for act in filter(None, (after,)):
        act(table)
    table.reported(*then)
    journal = fast_dir / "journal"
    stored_and_sealed(journal, table, fast_dir / "table.key")
    for coup in (1, 2):
        report = verified(bundle_of(journal, coup))
        words = agrees if coup == 1 else agrees.partition(",")[0]
        assert report.problems == []
        assert report_lines(report)[0].startswith(f"intact: {words}"), coup


# --- what a record states -------------------------------------------------------------------------


Place = tuple[str | int, ...]


def places(plain: object, at: Place = ()) -> Iterator[Place]:
    """Every text, number, truth value and absence in it, by its path."""
    inner = (
        plain.items()
        if isinstance(plain, dict)
        else enumerate(plain)
        if isinstance(plain, list)
        else None
    )
    if inner is None:
        yield at
        return
    for name, value in inner:
        yield from places(value, (*at, name))


def with_other(plain: dict, place: Place) -> dict:
    changed = deepcopy(plain)
    value: object = changed
    for name in place[:-1]:
        value = value[name]  # type: ignore[index]
    value[place[-1]] = other_than(value[place[-1]])  # type: ignore[index]
    return changed


def other_than(value: object) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return f"{value}x"
        case _:
            return "x"


def is_borrowed(place: Place) -> bool:
    """No record states which decision borrows a clause."""
    return "borrowed" in place


@pytest.mark.parametrize("coup", [2, 4])
def test_each_field_that_a_record_states_is_compared(bundles, coup: int) -> None:
    plain = stated(bundles[coup])
    assert problems(bundles[coup], plain) == []
    unnoticed = [
        place
        for place in places(plain)
        if not is_borrowed(place) and not _noticed(bundles[coup], with_other(plain, place))
    ]
    assert unnoticed == []


def _noticed(bundle: Bundle, coup: dict) -> bool:
    try:
        return problems(bundle, coup) != []
    except (ValueError, LookupError):
        return True


def test_an_exchanged_outcome_is_named_with_its_place(bundles, verified) -> None:
    plain = stated(bundles[2])
    plain["closed"]["says"]["record"]["outcome"] = "player"
    report = verified(bundles[2], coup_json=plain)

    assert [str(one) for one in report.problems] == [
        "coup.json: closed.says.record.outcome: the records do not say so"
    ]
    first = report_lines(report)[0]
    assert first == "NOT INTACT: 1 shoe, coup.json does not agree; index.html is not signed"


def test_another_kind_of_number_is_another_value(bundles) -> None:
    plain = stated(bundles[2])
    plain["closed"]["record"] = float(plain["closed"]["record"])

    assert problems(bundles[2], plain) == ["closed.record"]


@pytest.mark.parametrize("coup", [2, 4, 5])
def test_every_happening_may_be_missed(bundles, coup: int) -> None:
    """But for those of a coup around which others were dealt while play was suspended."""
    plain = stated(bundles[coup])
    overlapped = {4: ("coup-closed", "resolution-recorded"), 5: ("coup-closed",)}.get(coup)
    for one in plain["happenings"]:
        kind = one["says"]["type"]
        if overlapped is None or kind in overlapped or '"irregularity"' in json.dumps(one):
            left = {**plain, "happenings": [two for two in plain["happenings"] if two != one]}
            assert problems(bundles[coup], left) != [], one["record"]


def test_a_happening_of_another_coup_is_not_added(bundles) -> None:
    plain = stated(bundles[2])
    plain["happenings"].append(stated(bundles[1])["happenings"][0])

    assert problems(bundles[2], plain)


def test_a_field_that_is_added_is_named(bundles) -> None:
    plain = stated(bundles[2])
    plain["closed"]["says"]["record"]["winner"] = "player"

    assert problems(bundles[2], plain) == ["closed.says.record.winner"]


def test_one_name_twice_is_refused(bundles) -> None:
    text = json.dumps(stated(bundles[2]))
    with pytest.raises(ValueError, match="a name is there twice"):
        StatedCoup(
            text.replace('"outcome": "banker"', '"outcome": "player", "outcome": "banker"').encode()
        )


def test_the_manifest_names_the_same_coup(bundles, verified) -> None:
    report = verified(bundles[1], coup_json=stated(bundles[2]))

    assert [str(one) for one in report.problems] == [
        "coup.json: the manifest names another coup or table"
    ]


def test_a_bundle_without_it_says_so(bundles, verified, fast_dir: Path) -> None:
    bundle = bundles[2]
    files = tuple((name, data) for name, data in bundle.files if name != "coup.json")
    report = verified(Bundle(bundle.coup, bundle.provisional, files))

    first = report_lines(report)[0]
    assert first == "intact: 1 shoe, coup.json is not here; index.html is not signed"

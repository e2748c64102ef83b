"""Numbers that stand for something in stored bytes: fixed, whatever is added to an enum.

One that follows from the length or the order of an enum changes its meaning with a member more.
"""

import ast
import enum
from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import inspect

from controller.core.state import CoreState
from controller.core.tape.entries import Entry
from controller.core.tape.records import RecordedInput
from controller.custody.manifest import ManifestCard, build_manifest
from controller.journal.shoe_file import ALGORITHMS, ShoeHeading
from controller.monitors.across_shoes import pace, shufflers
from controller.monitors.across_shoes.shufflers import Shuffler
from controller.monitors.faces import face_of
from controller.monitors.past import PastShoe
from controller.procedure import finished_coups
from controller.procedure.finished_coups import EarlierShoe, FinishedCoup, packed_wagers
from controller.rules.advisory import OrderTest
from controller.rules.cards import FACES, SUIT_NUMBERS, Card, Rank, Suit, face_number
from controller.rules.outcome import Outcome
from controller.rules.settlement.payout import SettledWager
from controller.rules.settlement.wagers import KIND_NUMBERS, SEAT_MAX, WagerKind
from controller.service.shoe_monitors import SavedMonitors

ROOT = Path(__file__).resolve().parents[2]
# As 0.8.0 packed them: a wager of each kind, on the seats 1 to 9 and 99.
KINDS = (
    *("banker", "player", "tie", "bonus_player", "bonus_banker"),
    *("dragon_7", "panda_8", "total_4", "total_5", "total_6"),
)
SEATS = (*range(1, 10), SEAT_MAX)
GAINS = (-500, 500, 4000, 0, -500, 500, 475, -500, 1, 500)
PACKED = bytes.fromhex(
    "dc001e0a05001505022005092b05013605004105024c05d1fc315705006205d1fe0bcd03e70502"
)
# As 0.8.0 stored the outcomes of an earlier shoe: counted None, Player, Banker, Tie, and corrected.
OUTCOMES = bytes(range(16))


def settled() -> tuple[SettledWager, ...]:
    rows = zip(SEATS, KINDS, GAINS, strict=True)
    return tuple(SettledWager(seat, WagerKind(kind), 500, gain) for seat, kind, gain in rows)


# --- wagers ---------------------------------------------------------------------------------------


def test_wagers_are_stored_as_0_8_0_stored_them() -> None:
    assert packed_wagers(settled()) == PACKED
    assert FinishedCoup(1, None, settled=PACKED).wagers == settled()


class ElevenKinds(StrEnum):
    """A kind more, and before all others."""

    LUCKY_6 = "lucky_6"
    BANKER = "banker"


def test_an_eleventh_kind_of_wager_changes_no_stored_one(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {ElevenKinds.LUCKY_6: 1000, **KIND_NUMBERS}
    by_number = {number: kind for kind, number in numbers.items()}
    monkeypatch.setattr(finished_coups, "KIND_NUMBERS", numbers)
    monkeypatch.setattr(finished_coups, "_KIND_OF_NUMBER", by_number)

    assert FinishedCoup(1, None, settled=PACKED).wagers == settled()
    assert packed_wagers(settled()) == PACKED
    new = tuple(SettledWager(seat, ElevenKinds.LUCKY_6, 500, 6000) for seat in (1, 5, SEAT_MAX))  # type: ignore[arg-type]
    assert FinishedCoup(1, None, settled=packed_wagers((*new, *settled()))).wagers == (
        *new,
        *settled(),
    )


def test_every_kind_has_a_number_that_leaves_room_for_a_seat() -> None:
    assert set(KIND_NUMBERS) == set(WagerKind)
    assert len(set(KIND_NUMBERS.values())) == len(WagerKind)
    assert all(number % 1000 < 10 for number in KIND_NUMBERS.values())


# --- outcomes, cards, seals -----------------------------------------------------------------------


def test_outcomes_are_stored_as_0_8_0_stored_them() -> None:
    every = (None, Outcome.PLAYER, Outcome.BANKER, Outcome.TIE)
    pairs = [(counted, corrected) for corrected in every for counted in every]
    coups = tuple(FinishedCoup(number, *pair) for number, pair in enumerate(pairs, 1))

    shoe = EarlierShoe.of("2026-11-21", 1, coups)

    assert shoe.outcomes == OUTCOMES
    assert shoe.finished() == coups
    assert set(every) == {None, *Outcome}


def test_the_faces_of_cards_have_their_numbers() -> None:
    assert {str(card): face_number(card) for card in FACES} == {
        f"{rank}{suit}": 13 * number + place
        for number, suit in enumerate("dcsh")
        for place, rank in enumerate(("A", *map(str, range(2, 11)), "J", "Q", "K"))
    }
    assert set(SUIT_NUMBERS) == set(Suit)
    assert face_of(Card.parse("As")) == 0
    assert face_of(Card.parse("Kc")) == 51


def test_a_manifest_holds_the_numbers_of_faces_from_1() -> None:
    cards = tuple(ManifestCard(f"{place:04X}", card, 1) for place, card in enumerate(FACES))
    assert build_manifest("RED-1", "red", 1, cards).faces == bytes(range(1, 53))


def test_algorithms_have_the_numbers_that_seals_hold() -> None:
    assert dict(ALGORITHMS) == {"": 0, "ed25519": 1, "ecdsa-p256": 2}


# --- what the monitors know -----------------------------------------------------------------------


def test_the_tests_on_shufflers_are_stored_in_a_fixed_order() -> None:
    assert shufflers.TESTS[:6] == (
        OrderTest.ADJACENCY,
        OrderTest.COUPS,
        OrderTest.RISING,
        OrderTest.FALLING,
        OrderTest.GUESSING,
        OrderTest.POSITIONS,
    )
    assert set(shufflers.TESTS) == set(OrderTest)


def test_what_fewer_tests_held_of_a_shuffler_begins_anew() -> None:
    other = Shuffler("one", 7, 7, (1,) * 5, Shuffler("").counted[:5])
    cards = bytes(range(52)) * 2

    earlier = PastShoe(1, "red", cards, (52, 104))

    known, _, _ = shufflers.compare((other,), "one", earlier, cards, 2)

    assert [(one.device, one.shoes) for one in known] == [("one", 1)]


def test_what_fewer_bets_on_the_pace_held_begins_anew() -> None:
    other = pace.TablePace(9, pace.TablePace().bins, (1, 1))
    after, _, _ = pace.compare_pace(other, (30_000,) * pace.COUPS_MIN)
    assert after.shoes == 1


# --- all of them ----------------------------------------------------------------------------------

# The rooms whose values are stored, in records, states, sealed files or beside the journal.
ROOMS = (
    *("accounts", "actions", "archive", "commissioning", "core", "custody", "evidence_log", "feed"),
    *("journal", "metrics", "monitors", "procedure", "profiles", "rules", "settlement", "tape"),
)
COUNTING = {"len", "enumerate", "zip", "range", "reversed"}
ORDERED = {"tuple", "list", "sorted"}
# Where the length or order of an enum is used, and why nothing that is stored follows from it.
NO_NUMBER_FOLLOWS = {
    "controller.custody.card_states: len(CardState)": "codes of an IntEnum, each with its number",
    "controller.rules.cards: zip(_RANK_TEXTS, Rank, strict=True)": "ranks have their numbers",
}


def uses(module: ModuleType, tree: ast.Module) -> Iterator[ast.expr]:
    """Where a module makes something of the length or the order of an enum."""

    def is_enum(node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = getattr(getattr(module, node.value.id, None), node.attr, None)
        else:
            found = getattr(module, node.id, None) if isinstance(node, ast.Name) else None
        return isinstance(found, enum.EnumMeta)

    def is_ordered(node: ast.AST) -> bool:
        """An enum as a sequence: tuple(E), (None, *E)."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in ORDERED and any(map(is_enum, node.args))
        elements = node.elts if isinstance(node, (ast.Tuple, ast.List)) else []
        return any(isinstance(one, ast.Starred) and is_enum(one.value) for one in elements)

    assigned = [one for one in ast.walk(tree) if isinstance(one, (ast.Assign, ast.AnnAssign))]
    sequences = {
        target.id
        for one in assigned
        if one.value is not None and is_ordered(one.value)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name)
    }

    def is_sequence(node: ast.AST) -> bool:
        named = isinstance(node, ast.Name) and node.id in sequences
        return named or is_ordered(node)

    for one in ast.walk(tree):
        match one:
            case ast.Call(func=ast.Name(id=name), args=args) if name in COUNTING:
                if any(is_enum(x) or is_sequence(x) for x in args):
                    yield one
            case ast.Call(func=ast.Attribute(attr="index", value=value)) if is_sequence(value):
                yield one
            case ast.Subscript(value=value) if is_sequence(value):
                yield one


def found_in(source: str, module: ModuleType) -> list[str]:
    return [ast.unparse(one) for one in uses(module, ast.parse(source))]


def test_no_number_follows_from_the_length_or_order_of_an_enum() -> None:
    found = set()
    for path in (one for room in ROOMS for one in (ROOT / "controller" / room).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        module = import_module(name.removesuffix(".__init__"))
        found |= {f"{name}: {one}" for one in found_in(path.read_text("utf-8"), module)}
    assert found == set(NO_NUMBER_FOLLOWS)


def stored_enums(kind: inspect.Type, known: set[object]) -> Iterator[type[enum.Enum]]:
    """The enums that the type of a stored value reaches."""
    if isinstance(kind, inspect.EnumType):
        yield kind.cls
    elif isinstance(kind, inspect.StructType):
        if kind.cls not in known:
            known.add(kind.cls)
            for field in kind.fields:
                yield from stored_enums(field.type, known)
    else:
        for name in kind.__struct_fields__:
            part = getattr(kind, name)
            for one in part if isinstance(part, tuple) else (part,):
                if isinstance(one, inspect.Type):
                    yield from stored_enums(one, known)


@pytest.mark.parametrize("stored", [RecordedInput, Entry, CoreState, ShoeHeading, SavedMonitors])
def test_a_stored_enum_is_a_word(stored: object) -> None:
    """A word means what it says, whatever is added; a rank alone is stored as its number."""
    found = set(stored_enums(inspect.type_info(stored), set())) - {Rank}
    numbered = [one.__name__ for one in found if not issubclass(one, str)]
    assert numbered == []


@pytest.mark.parametrize(
    "source",
    [
        "n = len(WagerKind)",
        "for at, one in enumerate(WagerKind): pass",
        "KINDS = tuple(WagerKind)\nn = KINDS.index(kind)",
        "KINDS: Final = (None, *WagerKind)\nkind = KINDS[number]",
        "n = list(WagerKind).index(kind)",
        "KINDS = tuple(WagerKind)\nn = seat * len(KINDS)",
    ],
)
def test_such_a_number_is_found(source: str) -> None:
    assert found_in(source, finished_coups_with_kinds())


@pytest.mark.parametrize(
    "source", ["known = kind in tuple(WagerKind)", "names = {one: 1 for one in WagerKind}"]
)
def test_membership_is_no_number(source: str) -> None:
    assert found_in(source, finished_coups_with_kinds()) == []


def finished_coups_with_kinds() -> ModuleType:
    module = ModuleType("sample")
    vars(module)["WagerKind"] = WagerKind
    return module

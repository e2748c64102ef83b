"""The entries of a shoe that belong to one coup, from runs of the core, and what people saw."""

from collections.abc import Callable

import pytest

from controller.archive.finished_shoe import finished_shoe, shoe_records
from controller.core.tape.entries import EventVerdicts
from controller.journal.shoe_file import ShoeFileError, read_shoe, shoe_bytes
from controller.journal.store import open_read_only
from controller.journal.values import Base
from controller.procedure.effects import ResolutionRecorded
from controller.procedure.events import CardDrawn
from controller.rules.actions.actions import ReportTurned, Resolution
from controller.rules.actions.choices import FloorDecision, LayoutPart, Provisional
from controller.rules.coup import Place
from controller.rules.profiles.load import load_clauses, profile_text
from firmware_bridge.transport.port import Chunk
from office.evidence.coup import CoupAccount, coup_account
from office.evidence.sealed_shoe import ShoeAccount, ShoeEntry, read_shoe_account

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
CUT_CARD_COUP = (*COUP[:2], "43", *COUP[2:])
OVERDRAW = (*COUP[:4], "44 83 A3")
WRONG_RESULT = (*COUP[:4], "47 C0")
FACE_UP = 'deal_option = { value = "face_up", basis = ["S42-g-3-option", "S42-g-3-i"] }'
FACE_DOWN = 'deal_option = { value = "face_down_dealer", basis = ["S42-g-3-option", "S42-g-3-ii"] }'


@pytest.fixture
def sealed(record) -> Callable[..., ShoeAccount]:
    """The shoe that a script dealt, read from its sealed file."""

    def read(script) -> ShoeAccount:
        with open_read_only(record(script)) as journal:
            mine = shoe_records(journal.records())
        shoe = finished_shoe("M7", Base(), mine)
        file = read_shoe(shoe_bytes(shoe.heading, shoe.rows, shoe.parts))
        return read_shoe_account(file, load_clauses())

    return read


def coup(shoe: ShoeAccount, number: int) -> CoupAccount:
    found = coup_account(shoe, number)
    assert found is not None
    return found


def kinds(account: CoupAccount) -> list[str]:
    """Events and other entries of a coup, prompts left out."""
    names = [
        type(one.entry.event if isinstance(one.entry, EventVerdicts) else one.entry).__name__
        for one in account.entries
    ]
    return [name for name in names if name not in ("Prompt", "CommandGiven")]


WHOLE = [*["CardDrawn"] * 4, "ResultDeclared", "CoupClosed"]


def test_each_coup_has_its_own_cards_result_and_end(script, sealed) -> None:
    shoe = sealed(script().begun().reported(*OPENING, *COUP, *CUT_CARD_COUP, *COUP))

    assert kinds(coup(shoe, 1)) == WHOLE
    assert kinds(coup(shoe, 3)) == [*WHOLE, "ShoeEnded"]
    assert sorted(kinds(coup(shoe, 2))) == sorted([*WHOLE, "CutCardDrawn"])


def test_coups_that_arrived_in_one_read_are_separated(script, sealed) -> None:
    apart = script().begun().reported(*OPENING, *COUP, *CUT_CARD_COUP, *COUP)
    reads = [one for one in apart.inputs if isinstance(one, Chunk)]
    at_once = script().begun()
    at_once.give(Chunk(reads[0].port, reads[-1].at, b"".join(one.data for one in reads)))

    shoe = sealed(at_once)

    assert kinds(coup(shoe, 1)) == WHOLE
    assert kinds(coup(shoe, 3)) == [*WHOLE, "ShoeEnded"]


def test_the_first_card_of_the_next_coup_is_not_in_the_coup_it_ends(script, sealed) -> None:
    shoe = sealed(script(observed=()).begun().reported(*OPENING, *COUP[:4], *CUT_CARD_COUP, *COUP))

    assert kinds(coup(shoe, 1)) == [*["CardDrawn"] * 4, "CoupClosed"]
    assert kinds(coup(shoe, 2)).count("CardDrawn") == 4


@pytest.fixture
def dealt_on(script, sealed) -> ShoeAccount:
    """Coup 1 stops play, coup 2 is dealt all the same, then a floorperson decides."""
    table = script().begun().reported(*OPENING, *WRONG_RESULT, *COUP)
    decision = FloorDecision.VOID_COUP
    table.acted(Resolution(decision, Provisional.TAKE_OVER, second="C. Lee"))
    return sealed(table.reported(*CUT_CARD_COUP, *COUP))


def test_a_coup_dealt_while_suspended_is_separated_from_the_suspended_one(
    dealt_on: ShoeAccount,
) -> None:
    assert kinds(coup(dealt_on, 1)).count("CardDrawn") == 4
    assert kinds(coup(dealt_on, 1)).count("ResultDeclared") == 1
    assert kinds(coup(dealt_on, 2)).count("CardDrawn") == 4
    assert kinds(coup(dealt_on, 2)).count("ResultDeclared") == 1


def test_a_decision_is_in_every_coup_it_is_about(dealt_on: ShoeAccount) -> None:
    for number in (1, 2):
        account = coup(dealt_on, number)

        assert [type(one.entry) for one in account.decisions] == [ResolutionRecorded]
        assert [raised.decided for raised in account.raised] == list(account.decisions)
    assert not coup(dealt_on, 3).decisions


def test_each_card_has_the_record_of_its_draw(dealt_on: ShoeAccount) -> None:
    seqs = []
    for number in (1, 2, 3, 4):
        for placed in coup(dealt_on, number).cards:
            assert placed.at is not None
            assert isinstance(placed.at.entry, EventVerdicts)
            assert isinstance(placed.at.entry.event, CardDrawn)
            assert placed.at.entry.event.card == placed.dealt.card
            assert placed.claimed is placed.dealt.place
            seqs.append(placed.at.seq)

    assert seqs == sorted(set(seqs))


def test_cards_held_with_a_card_drawn_in_error_are_of_the_coup_that_they_become(
    script, sealed
) -> None:
    table = script().begun().reported(*OPENING, *OVERDRAW, "47 90", *COUP[:3])
    table.acted(Resolution(FloorDecision.CARRY, Provisional.TAKE_OVER))
    shoe = sealed(table.reported("47 C0", *CUT_CARD_COUP, *COUP))

    assert kinds(coup(shoe, 1)).count("CardDrawn") == 5
    assert kinds(coup(shoe, 2)).count("CardDrawn") == 3
    assert kinds(coup(shoe, 2)).count("ResolutionRecorded") == 1
    carried, *held = coup(shoe, 2).cards
    assert (carried.dealt.carried_from, carried.at) == (1, None)
    assert [one.at.entry.event.card for one in held] == [one.dealt.card for one in held]


def test_a_card_held_from_before_has_no_draw_in_its_coup(script, sealed) -> None:
    table = script().begun().reported(*OPENING, *OVERDRAW)
    table.acted(Resolution(FloorDecision.CARRY))
    # The shoe begins at Player's first card; the card held is that already. Banker has a natural.
    table.reported("47 90", "44 81 92", "44 91 AD", "44 82 C6", "47 C0")
    shoe = sealed(table.reported(*CUT_CARD_COUP, *COUP))

    held, *drawn = coup(shoe, 2).cards

    assert (str(held.dealt.card), held.dealt.carried_from, held.at) == ("3c", 1, None)
    assert all(one.at is not None for one in drawn)
    assert kinds(coup(shoe, 3)).count("CardDrawn") == 4


# --- what people have seen ------------------------------------------------------------------------


def an_overdraw(script, decision: FloorDecision, *, face_down: bool, turned: bool = False):
    text = profile_text("s42-mini")
    assert FACE_UP in text
    table = script(profile=text.replace(FACE_UP, FACE_DOWN) if face_down else text).begun()
    table.reported(*OPENING, *OVERDRAW)
    if turned:
        table.acted(ReportTurned(LayoutPart.ERROR_CARD))
    table.acted(Resolution(decision, second="C. Lee"))
    return table.reported(*CUT_CARD_COUP, *COUP)


@pytest.mark.parametrize(("face_down", "seen"), [(True, False), (False, True)])
def test_a_void_coup_was_seen_only_if_dealt_face_up(
    script, sealed, face_down: bool, seen: bool
) -> None:
    shoe = sealed(an_overdraw(script, FloorDecision.VOID_COUP, face_down=face_down))
    account = coup(shoe, 1)
    first = account.cards[0].at

    assert shoe.face_up is not face_down
    assert account.seen is seen
    assert first is not None
    assert account.card_seen(first.seq) is seen
    assert bool(account.card_clauses(first.seq)) is seen


def test_a_counted_coup_was_seen_even_if_dealt_face_down(script, sealed) -> None:
    shoe = sealed(an_overdraw(script, FloorDecision.VOID_COUP, face_down=True))

    assert coup(shoe, 2).seen


@pytest.mark.parametrize("turned", [False, True])
def test_a_card_drawn_in_error_was_seen_once_it_was_turned(script, sealed, turned: bool) -> None:
    table = an_overdraw(script, FloorDecision.VOID_COUP, face_down=False, turned=turned)

    assert coup(sealed(table), 1).errors_seen is turned


def test_a_card_burned_between_two_coups_shows_no_face(script, sealed) -> None:
    table = script().begun().reported(*OPENING, *OVERDRAW)
    table.acted(ReportTurned(LayoutPart.ERROR_CARD))
    table.acted(Resolution(FloorDecision.BURN))
    table.reported("47 90", "44 D1 C7", "44 D1 C8", "44 D1 C9")
    account = coup(sealed(table.reported(*CUT_CARD_COUP, *COUP)), 2)

    burned = [one for one in account.entries if one.seq < account.entries[-1].seq and is_burn(one)]

    assert len(burned) == 3
    assert not any(account.card_seen(one.seq) for one in burned)


def is_burn(entry: ShoeEntry) -> bool:
    drawn = entry.entry.event if isinstance(entry.entry, EventVerdicts) else None
    return isinstance(drawn, CardDrawn) and drawn.claimed is Place.BURN


# --- the content of a file ------------------------------------------------------------------------


def test_a_shoe_cites_every_clause_once(dealt_on: ShoeAccount) -> None:
    cited = dealt_on.cited()

    assert len(cited) == len(set(cited))
    assert {"S42-j-1-final", "S42-e-6-burn1"} <= set(cited)


def test_plain_values_have_bytes_as_hex_digits(dealt_on: ShoeAccount) -> None:
    digest = next(one for one in dealt_on.entries if b"state-digest" in one.record).plain()

    assert isinstance(digest, dict)
    assert digest["type"] == "state-digest"
    assert len(str(digest["digest"])) == 64


def test_a_file_without_its_last_record_is_refused(script, record) -> None:
    with open_read_only(record(script().begun().reported(*OPENING, *CUT_CARD_COUP, *COUP))) as one:
        shoe = finished_shoe("M7", Base(), shoe_records(one.records()))
    parts = shoe.parts
    cut = type(parts)(parts.started, parts.state, parts.records[:-1])

    with pytest.raises(ShoeFileError, match="its records end at"):
        read_shoe_account(read_shoe(shoe_bytes(shoe.heading, shoe.rows, cut)), load_clauses())

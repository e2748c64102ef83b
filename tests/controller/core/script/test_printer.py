"""The printer's text parses back to the same statement."""

from acts_of_people import acted, untimed
from hypothesis import given
from hypothesis import strategies as st

from controller.core.script.parser import parse
from controller.core.script.statement_forms import unparse
from controller.core.script.statements import (
    Burn,
    DueCard,
    HandCard,
    IdentityConfirmed,
    ShuffleFinished,
    ShufflerStatement,
)
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    GamingDayChanged,
    Loss,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    ShufflerDisconnected,
    ShufflerEventsLost,
)
from controller.rules.actions.actions import (
    CallNoMoreBets,
    ChangeSetting,
    ClearWarning,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
    DeclareResult,
    DocumentVigorish,
    GiveNotice,
    GiveUpReveal,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolution,
    StateWagers,
    VacateSeat,
)
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.rules.actions.declaration import Role
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.rules.settlement.wagers import Wager, WagerKind, WagerMedium
from drivers.shuffler_events import (
    AbortReason,
    CompartmentChanged,
    CompartmentState,
    DoorMoved,
    JamReported,
    ModeChanged,
    ResidualCards,
    ShuffleAborted,
    ShuffleResult,
    ShufflerMode,
    ShufflerWarning,
    ShuffleStarted,
)

CARDS = st.none() | st.builds(Card, st.sampled_from(Rank), st.sampled_from(Suit))
TEXTS = st.text(
    st.characters(exclude_categories=["C", "Z"], include_characters=' "\\;#'), max_size=9
)
MEDIA = st.sampled_from(WagerMedium)
WORDS = TEXTS | st.sampled_from(["by", "order", "at", "because", "void", "+", ",", ":", "none"])
SEATS = st.integers(1, 99)
TIMES_NS = st.integers(0, 9_999_999).map(lambda seconds: seconds * 1_000_000_000)
PLACES = st.sampled_from([Place.PLAYER_MORE, Place.BANKER_MORE, Place.BURN, Place.OUTSIDE])
RESOLUTIONS = st.builds(
    Resolution,
    st.sampled_from(FloorDecision),
    st.none() | st.sampled_from(Provisional),
    st.none() | st.sampled_from(Outcome),
    WORDS,
).filter(lambda one: (one.decision is FloorDecision.STATE_OUTCOME) is (one.outcome is not None))
COMPARTMENTS = st.sampled_from([1, 2])
CYCLES = st.integers(1, 10**9)
COUNTS = st.integers(0, 9_999)
SHUFFLER_EVENTS = st.one_of(
    st.builds(
        CompartmentChanged,
        COMPARTMENTS,
        st.sampled_from(CompartmentState),
        st.none() | COUNTS,
        WORDS,
        st.just(b""),
    ),
    st.builds(ShuffleStarted, COMPARTMENTS, CYCLES),
    st.builds(
        ShuffleFinished,
        COMPARTMENTS,
        CYCLES,
        COUNTS,
        WORDS,
        st.sampled_from(ShuffleResult),
        st.booleans(),
    ),
    st.builds(ShuffleAborted, COMPARTMENTS, CYCLES, st.sampled_from(AbortReason)),
    st.builds(DoorMoved, st.booleans(), st.integers(0, 2)),
    st.builds(JamReported, COMPARTMENTS, st.booleans()),
    st.builds(ResidualCards, COMPARTMENTS, COUNTS),
    st.builds(ModeChanged, st.sampled_from(ShufflerMode)),
    st.builds(ShufflerWarning, st.integers(0, 65_535), WORDS, st.booleans()),
    st.builds(IdentityConfirmed, st.booleans()),
)
NOTHING, START = st.just(""), st.just(0)


def acts(action, role=Role.DEALER, by=WORDS, because=NOTHING, at=START):
    """Actions by people; the time of those whose statement names none is the script's."""
    return st.builds(
        lambda one, person, reason, at_ns: acted(
            one, person, reason=reason, role=role, at_ns=at_ns
        ),
        action,
        by,
        because,
        at,
    )


BODIES = st.one_of(
    st.builds(Burn, CARDS, st.lists(CARDS, max_size=10).map(tuple)),
    st.builds(HandCard, st.sampled_from(HandName), st.integers(0, 3), CARDS),
    st.builds(DueCard, CARDS),
    st.builds(CardDrawn, CARDS, PLACES),
    st.builds(CardRepeated, CARDS, st.sampled_from(Place)),
    st.sampled_from([CutCardDrawn(), CoupForcedOut(), ShoeStandsBy(), ShoeDeviceStarted()]),
    acts(st.just(CallNoMoreBets()), by=st.just("Dee Dealer")),
    st.from_type(ResultDeclared),
    st.builds(ReportsMissing, st.just(Loss.GAP), st.integers(1, 10**9)),
    st.builds(
        ReportsMissing,
        st.sampled_from([Loss.UNPROVEN, Loss.UNREADABLE, Loss.NOT_JUDGED]),
        st.just(0),
    ),
    st.just(GamingDayChanged("2026-11-22")),
    st.builds(ProgramReplaced, WORDS),
    acts(st.just(ReportFaceUp())),
    acts(st.from_type(ReportTurned), by=st.just("Dee Dealer")),
    acts(st.builds(GiveUpReveal, st.sampled_from(HandName), st.booleans()), because=WORDS),
    acts(st.just(RequestGhostHand())),
    acts(
        st.builds(
            CorrectCoup, st.integers(1, 500), st.sampled_from(Outcome), WORDS, st.integers(0, 99)
        ),
        Role.FLOORPERSON,
        because=WORDS,
    ),
    st.sampled_from(Role).flatmap(
        lambda role: acts(
            st.builds(
                RecordAct,
                batch=WORDS,
                seat=st.just(0) | SEATS,
                amount=st.integers(0, 10**9),
                reference=WORDS,
                second=WORDS,
            ),
            role,
            by=WORDS.filter(bool),
            because=WORDS,
        )
    ),
    acts(
        st.builds(
            StateWagers,
            st.lists(
                st.builds(Wager, SEATS, st.sampled_from(WagerKind), st.integers(1, 10**12), MEDIA)
            ).map(tuple),
        )
    ),
    acts(st.builds(CollectVigorish, SEATS)),
    acts(st.builds(VacateSeat, SEATS)),
    acts(
        st.builds(
            DocumentVigorish,
            seat=SEATS,
            form_number=st.integers(1, 10**9),
            patron=WORDS,
            dealer=WORDS,
            pit_clerk=WORDS,
            patron_signed=st.booleans(),
            void=st.booleans(),
        ),
        Role.FLOORPERSON,
        because=WORDS,
    ),
    acts(
        st.builds(GiveNotice, WORDS, WORDS, WORDS, st.just("") | WORDS),
        Role.FLOORPERSON,
        at=TIMES_NS,
    ),
    acts(
        st.builds(ChangeSetting, WORDS, WORDS, st.just("") | WORDS),
        Role.FLOORPERSON,
        because=WORDS,
        at=TIMES_NS,
    ),
    acts(RESOLUTIONS, Role.FLOORPERSON, because=WORDS),
    acts(st.just(CloseShoe()), Role.FLOORPERSON, because=WORDS),
    st.sampled_from(Role).flatmap(
        lambda role: acts(st.from_type(DeclareResult), role, because=WORDS)
    ),
    st.builds(ShufflerStatement, SHUFFLER_EVENTS, TIMES_NS),
    st.builds(ShufflerEventsLost, st.integers(0, 10**9), TIMES_NS),
    st.builds(ShufflerDisconnected, TIMES_NS),
    acts(st.builds(ClearWarning, CYCLES), Role.FLOORPERSON, because=WORDS, at=TIMES_NS),
)


@given(st.lists(BODIES, max_size=5))
def test_printed_statements_parse_back_to_the_same_statements(bodies) -> None:
    text = "; ".join(map(unparse, bodies))

    assert [untimed(one.body) for one in parse(text)] == bodies


def test_a_decision_is_printed_with_its_default_person_and_reason() -> None:
    (statement,) = parse("resolve  void-coup take-over")

    assert unparse(statement.body) == (
        'resolve void-coup take-over by "Ann Lee" because "seen on the layout"'
    )


def test_a_card_is_printed_with_the_place_the_shoe_claims() -> None:
    card = Card.parse("7h")

    assert unparse(CardDrawn(card, Place.BANKER_2)) == "B2 7h"
    assert unparse(CardDrawn(card, Place.BURN_FIRST)) == "burn 7h"


def test_every_part_of_an_act_is_printed() -> None:
    text = (
        'record verified batch red seat 4 amount 180 reference W7 second "Bo Ray"'
        ' by "Ann Lee" as floorperson because "all there"'
    )
    (statement,) = parse(text)

    assert unparse(statement.body) == text
    assert len(RecordAct.__struct_fields__) == 6


def test_a_stated_shoe_is_printed_in_its_own_words() -> None:
    words = 'shoe empty by "Bo Ray" because "looked into it"'
    assert unparse(parse(words)[0].body) == words
    (recorded,) = parse("record shoe-empty seat 3 as floorperson")
    assert unparse(recorded.body) == 'record shoe-empty seat 3 by "Ann Lee" as floorperson'

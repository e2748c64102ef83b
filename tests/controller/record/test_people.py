"""People in a snapshot: who deals, who decided what, and that nothing proves who acts."""

from controller.procedure.effects import ResolutionRecorded
from controller.procedure.state import DecisionCount, StaffState
from controller.record.people import decisions_made, no_accounts_words, people_view
from controller.record.snapshot_devices import DecidedView, PeopleView
from controller.rules.actions.choices import FloorDecision

ANN, BO = "person-00112233aabb", "person-00112233aabc"


def decided(person: str, decision: FloorDecision) -> ResolutionRecorded:
    return ResolutionRecorded(person, "seen", decision, None, None, (1,))


def test_dealers_and_decisions_are_shown_by_id() -> None:
    staff = StaffState((ANN,), (), (DecisionCount(BO, "void-coup", 12),))

    decided = (DecidedView(BO, "void-coup", 12),)
    assert people_view(staff, 2) == PeopleView(2, "", (ANN,), decided)


def test_without_accounts_the_view_says_so() -> None:
    assert people_view(StaffState(), 0).remark == no_accounts_words()


def test_decisions_are_counted_by_person_and_kind_among_other_entries() -> None:
    void, go_on = FloorDecision.VOID_COUP, FloorDecision.CONTINUE
    entries = [decided(ANN, void), "another entry", decided(BO, void), decided(ANN, void)]

    assert decisions_made([*entries, decided(ANN, go_on)]) == (
        (ANN, "void-coup", 2),
        (BO, "void-coup", 1),
        (ANN, "continue", 1),
    )

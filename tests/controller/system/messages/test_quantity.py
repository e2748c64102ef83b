"""Numbers with their nouns."""

from controller.system.messages.quantity import counted


def test_only_one_is_singular() -> None:
    assert [counted(number, "deck") for number in (0, 1, 2)] == ["0 decks", "1 deck", "2 decks"]


def test_a_noun_can_have_its_own_plural() -> None:
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(2, "entry", "entries") == "2 entries"

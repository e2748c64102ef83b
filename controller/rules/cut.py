"""The cut card: coups left after it appears, and whether it was placed deep enough.

Source: S42-h-5-finish, S42-h-5-last, S42-h-5-onemore, S42-e-6-first. The text allows two readings
when the cut card appears between two coups; the profile chooses: controller/rules/README.md,
"Decisions".
"""

from controller.rules.setting_values import CutRoundStart


def coups_left_after_cut(
    at_coup_start: bool, setting: CutRoundStart, rounds_after_cut_round: int
) -> int:
    """Coups still to be completed from the moment the cut card appears.

    Counts the coup in progress; with `at_coup_start` (the previous coup needs no more cards and
    no card of the next has left the shoe) counts the next coup instead. The last of them is the
    last hand; with one left it is the last hand already.
    """
    assert rounds_after_cut_round >= 0
    if at_coup_start and setting is CutRoundStart.LAST_COUP:
        return 1
    return 1 + rounds_after_cut_round


def cards_behind(cards_total: int, cards_drawn: int) -> int:
    """Playing cards left in the shoe behind the cut card when it appears.

    Zero as well when more cards were drawn than the shoe should hold: the count is checked
    elsewhere.
    """
    return max(0, cards_total - cards_drawn)


def is_deep_enough(behind: int, min_from_back: int) -> bool:
    """Whether the cut card lay at least `min_from_back` cards from the back (S42-e-6-first)."""
    return behind >= min_from_back

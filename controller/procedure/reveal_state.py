"""What people have seen of a coup, and who turns its hands.

Responsible for: the shape of that part of the coup's state.
Not responsible for: judging it (revealing) and for what is shown (disclosure).
Source: NY (f)(3)(ii), (g)(2); S42 (g)(3)(iii), (k)(5); D-8, D-37.
"""

from typing import Final

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class RevealState:
    """`turned`: what was turned up, as words of TurnedCards.

    `player_seat`, `banker_seat` hold the right to turn that hand, 0 for the dealer or nobody yet;
    `given_up` are seats that gave the right up, by hand, for the rest of this coup.
    """

    turned: tuple[str, ...] = ()
    player_seat: int = 0
    banker_seat: int = 0
    player_given_up: tuple[int, ...] = ()
    banker_given_up: tuple[int, ...] = ()


UNTURNED: Final = RevealState()

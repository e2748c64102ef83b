"""The decks that a profile allows in a shoe, and the grounds of each bound.

Source: X-1 and X-2 of docs/decisions.md.
"""

from typing import Final

from msgspec import Struct

from controller.rules.profiles.profile import Profile
from controller.rules.setting_values import ShuffleMode

# A batch's manifest numbers its decks in one byte.
DECKS_MAX: Final = 255


class DecksRefusal(Struct, frozen=True):
    """What is allowed instead of a number of decks, with its grounds, and what to do."""

    allowed: str
    remedy: str


def decks_refusal(decks: int, profile: Profile) -> DecksRefusal | None:
    """Why a shoe may not have this many decks under a profile; None if it may."""
    rules = profile.rules
    dual = rules.shuffle_mode is ShuffleMode.DUAL_BATCH
    batch = (rules.batch_min_decks_each or 0) if dual else 0
    if decks < rules.decks_min:
        name, bound = "decks_min", f"at least {rules.decks_min}"
        remedy = f"set decks = {rules.decks_min} or more"
    elif rules.decks_max is not None and decks > rules.decks_max:
        name, bound = "decks_max", f"at most {rules.decks_max}"
        remedy = f"set decks = {rules.decks_max} or fewer"
    elif decks < batch:
        name, bound = "batch_min_decks_each", f"at least {batch} in each batch of a shuffler"
        remedy = f"set decks = {batch} or more, or another shuffle_mode in a profile of the house"
    elif decks > DECKS_MAX:
        allowed = f"at most {DECKS_MAX} (a batch's manifest holds no more)"
        return DecksRefusal(allowed, f"set decks = {DECKS_MAX} or fewer")
    else:
        return None
    value = profile.value(name)
    kind = "house rule" if value.house else "assumed"
    grounds = ", ".join(value.basis) or f"{profile.name}, {kind}: {value.reason}"
    return DecksRefusal(f"{bound} ({grounds})", remedy)

"""Amounts of money as people write them: units with cents.

Responsible for: from `100.00` to integer cents.
Not responsible for: which amounts a wager may have, and for writing them (settlement.wagers).
Source: package README, "Words".
"""

import re
from typing import Final

_AMOUNT: Final = re.compile(r"(0|[1-9][0-9]{0,12})(?:\.([0-9]{2}))?", re.ASCII)


def cents_of(text: str) -> int:
    """Cents of `100` or `100.00`. Raises ValueError, which says what is allowed."""
    match = _AMOUNT.fullmatch(text)
    cents = int(match[1]) * 100 + int(match[2] or 0) if match else 0
    if cents == 0:
        raise ValueError(f'"{text}" is no amount; allowed: more than 0, such as 100 or 12.50')
    return cents

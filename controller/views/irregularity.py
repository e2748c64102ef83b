"""An irregularity in words: the title of its code, and what was found.

Source: controller/procedure/README.md, "Irregularities".
"""

from controller.messages.catalogue import to_words
from controller.procedure.verdicts import Irregularity
from firmware_bridge.message import Message


def irregularity_words(found: Irregularity) -> str:
    """What is wrong in general, and here; it may name cards."""
    return f"{to_words(Message(found.code.value))}: {to_words(found.detail)}"

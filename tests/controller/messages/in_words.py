"""A value with its messages in words, to be compared with what a person reads.

Source: controller/messages/README.md.
"""

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from controller.messages.catalogue import to_words
from controller.settlement.vigorish_ledger import LedgerRefusal
from firmware_bridge.message import Message

Value = TypeVar("Value", bound=Struct)


def in_words(value: Value) -> Value:
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    texts = {name: to_words(one) for name, one in fields.items() if isinstance(one, Message)}
    return replace(value, **texts)


def ledger_refusal_words(refused: LedgerRefusal) -> str:
    """Why, the clauses, and the remedy."""
    cited = f" ({', '.join(refused.clauses)})" if refused.clauses else ""
    return f"{to_words(refused.why)}{cited}. {to_words(refused.remedy)}"

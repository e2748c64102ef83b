"""Tags in the field of a FEIG reader, listed and read when the table asks for it.

Responsible for: queueing such requests, their answers, and telling each that fails.
Not responsible for: bytes (messages, commands) and for when a request is sent (state, link).
Source: package README, "FEIG OBID", tags in the field.
"""

from typing import assert_never

from firmware_bridge.feig import commands, messages
from firmware_bridge.feig.frames import Answer, Form
from firmware_bridge.feig.items import (
    BlocksRead,
    Inventory,
    InventoryDone,
    ReadBlocks,
    RequestFailed,
)
from firmware_bridge.feig.messages import Malformed
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import FeigLinkState, Items, TagAsk, TagRequest
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import replace

# A reader that always says there is more is not asked for ever.
_ROUNDS_MAX = 64
_BYTE_MAX = 0xFF


def requested(
    settings: FeigLinkSettings, state: FeigLinkState, request: TagRequest
) -> tuple[FeigLinkState, Items]:
    """The table asks; it is told at once what cannot be asked."""
    ask = TagAsk(request)
    if not state.open:
        return state, (RequestFailed(ask.name, None, "the reader's port is not open"),)
    if len(state.waiting) >= settings.requests_waiting_max:
        detail = f"{settings.requests_waiting_max} requests already wait for the reader's answer"
        return state, (RequestFailed(ask.name, None, detail),)
    if isinstance(request, ReadBlocks) and not _can_be_asked(request):
        detail = "blocks are read of an identity of 8 bytes, 1 to 255 of them, the last one at 255"
        return state, (RequestFailed(ask.name, None, detail),)
    return replace(state, waiting=(*state.waiting, ask)), ()


def _can_be_asked(request: ReadBlocks) -> bool:
    return (
        len(request.identity) == commands.IDENTITY_BYTES
        and request.first >= 0
        and 1 <= request.count <= _BYTE_MAX
        and request.first + request.count <= _BYTE_MAX + 1
    )


def frame_of(ask: TagAsk, form: Form) -> bytes:
    """The request's bytes."""
    match ask.request:
        case Inventory():
            return commands.inventory(more=ask.rounds > 0, form=form)
        case ReadBlocks(identity, first, count):
            return commands.read_blocks(identity, first, count, form)
        case _:
            assert_never(ask.request)


def answered(state: FeigLinkState, ask: TagAsk, answer: Answer) -> tuple[FeigLinkState, Items]:
    """The reader answered the request."""
    match ask.request:
        case Inventory():
            return _listed(state, ask, answer)
        case ReadBlocks(identity, _first, count):
            return state, _blocks(ask, identity, count, answer)
        case _:
            assert_never(ask.request)


def unanswered(
    settings: FeigLinkSettings, state: FeigLinkState, ask: TagAsk, at: Timestamp
) -> tuple[FeigLinkState, Items]:
    """The answer did not come in time.

    It does not name its request: until it can no longer come, nothing is asked to which it could
    be taken for the answer.
    """
    dues = replace(state.dues, tags_ns=at.monotonic_ns + settings.inventory_ns_max)
    limit_ms = settings.inventory_ns_max // 1_000_000
    detail = f"the reader did not answer within {limit_ms} ms"
    return replace(state, dues=dues), (RequestFailed(ask.name, None, detail),)


def _listed(state: FeigLinkState, ask: TagAsk, answer: Answer) -> tuple[FeigLinkState, Items]:
    if answer.status == messages.NO_TRANSPONDER:
        return state, (InventoryDone(ask.found),)
    if answer.status not in (messages.OK, messages.MORE_DATA):
        return state, (_refused(ask, answer.status),)
    listed = messages.parse_inventory(answer.data)
    if isinstance(listed, Malformed):
        return state, _malformed(ask, answer.status, listed)
    ask = replace(ask, rounds=ask.rounds + 1, found=ask.found + len(listed))
    if answer.status == messages.OK:
        return state, (*listed, InventoryDone(ask.found))
    if ask.rounds >= _ROUNDS_MAX:
        detail = f"the reader has more tags after {_ROUNDS_MAX} answers"
        return state, (*listed, RequestFailed(ask.name, answer.status, detail))
    return replace(state, waiting=(ask, *state.waiting)), listed


def _blocks(ask: TagAsk, identity: bytes, count: int, answer: Answer) -> Items:
    if answer.status != messages.OK:
        return (_refused(ask, answer.status),)
    memory = messages.parse_blocks(answer.data, count)
    if isinstance(memory, Malformed):
        return _malformed(ask, answer.status, memory)
    return (BlocksRead(identity, memory),)


def _refused(ask: TagAsk, status: int) -> RequestFailed:
    words = messages.STATUS_WORDS.get(status, "unknown to this program")
    return RequestFailed(ask.name, status, words)


def _malformed(ask: TagAsk, status: int, malformed: Malformed) -> Items:
    return (
        LinkFault(LinkFaultKind.MALFORMED, malformed.reason),
        RequestFailed(ask.name, status, malformed.reason),
    )

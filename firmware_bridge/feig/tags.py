"""Inventory and block reads of tags in a FEIG reader's field, requested by the table.

Source: firmware_bridge/feig/README.md, tags in the field.
"""

from typing import assert_never

from msgspec.structs import replace

from firmware_bridge.feig import commands, messages
from firmware_bridge.feig.frames import AnswerFrame, FrameForm
from firmware_bridge.feig.items import (
    BlocksRead,
    Inventory,
    InventoryDone,
    ReadBlocks,
    RequestFailed,
)
from firmware_bridge.feig.messages import MalformedContent
from firmware_bridge.feig.settings import FeigLinkSettings
from firmware_bridge.feig.state import FeigItems, FeigLinkState, TagQuery, TagRequest
from firmware_bridge.link import LinkFault, LinkFaultKind
from foundation.message import message
from foundation.timestamp import Timestamp

# Limit for a reader that always reports more tags.
_ROUNDS_MAX = 64
_BYTE_MAX = 0xFF


def queue_request(
    settings: FeigLinkSettings, state: FeigLinkState, request: TagRequest
) -> tuple[FeigLinkState, FeigItems]:
    """Queue a tag request; one that cannot be sent fails at once."""
    query = TagQuery(request)
    if not state.open:
        return state, (RequestFailed(query.name, None, message("reader_port_not_open")),)
    if len(state.waiting) >= settings.requests_waiting_max:
        detail = message("requests_wait_for_reader", most=settings.requests_waiting_max)
        return state, (RequestFailed(query.name, None, detail),)
    if isinstance(request, ReadBlocks) and not _is_valid(request):
        return state, (RequestFailed(query.name, None, message("blocks_request_invalid")),)
    return replace(state, waiting=(*state.waiting, query)), ()


def _is_valid(request: ReadBlocks) -> bool:
    return (
        len(request.identity) == commands.IDENTITY_BYTES
        and request.first >= 0
        and 1 <= request.count <= _BYTE_MAX
        and request.first + request.count <= _BYTE_MAX + 1
    )


def encode_query(query: TagQuery, form: FrameForm) -> bytes:
    """Encode the request."""
    match query.request:
        case Inventory():
            return commands.inventory(more=query.rounds > 0, form=form)
        case ReadBlocks(identity, first, count):
            return commands.read_blocks(identity, first, count, form)
        case _:
            assert_never(query.request)


def handle_answer(
    state: FeigLinkState, query: TagQuery, answer: AnswerFrame
) -> tuple[FeigLinkState, FeigItems]:
    """Handle the reader's answer to a tag request."""
    match query.request:
        case Inventory():
            return _handle_inventory(state, query, answer)
        case ReadBlocks(identity, _first, count):
            return state, _blocks(query, identity, count, answer)
        case _:
            assert_never(query.request)


def handle_timeout(
    settings: FeigLinkSettings, state: FeigLinkState, query: TagQuery, at: Timestamp
) -> tuple[FeigLinkState, FeigItems]:
    """Fail a tag request that was not answered in time.

    Answers do not name their request: nothing that a late answer could be mistaken for is sent
    until it can no longer arrive.
    """
    schedule = replace(state.schedule, tags_ns=at.monotonic_ns + settings.inventory_ns_max)
    limit_ms = settings.inventory_ns_max // 1_000_000
    detail = message("reader_did_not_answer_within", ms=limit_ms)
    return replace(state, schedule=schedule), (RequestFailed(query.name, None, detail),)


def _handle_inventory(
    state: FeigLinkState, query: TagQuery, answer: AnswerFrame
) -> tuple[FeigLinkState, FeigItems]:
    if answer.status == messages.NO_TRANSPONDER:
        return state, (InventoryDone(query.found),)
    if answer.status not in (messages.OK, messages.MORE_DATA):
        return state, (_report_refusal(query, answer.status),)
    listed = messages.parse_inventory(answer.data)
    if isinstance(listed, MalformedContent):
        return state, _report_malformed(query, answer.status, listed)
    query = replace(query, rounds=query.rounds + 1, found=query.found + len(listed))
    if answer.status == messages.OK:
        return state, (*listed, InventoryDone(query.found))
    if query.rounds >= _ROUNDS_MAX:
        detail = message("reader_has_more_tags", answers=_ROUNDS_MAX)
        return state, (*listed, RequestFailed(query.name, answer.status, detail))
    return replace(state, waiting=(query, *state.waiting)), listed


def _blocks(query: TagQuery, identity: bytes, count: int, answer: AnswerFrame) -> FeigItems:
    if answer.status != messages.OK:
        return (_report_refusal(query, answer.status),)
    memory = messages.parse_blocks(answer.data, count)
    if isinstance(memory, MalformedContent):
        return _report_malformed(query, answer.status, memory)
    return (BlocksRead(identity, memory),)


def _report_refusal(query: TagQuery, status: int) -> RequestFailed:
    return RequestFailed(query.name, status, messages.status_meaning(status))


def _report_malformed(query: TagQuery, status: int, malformed: MalformedContent) -> FeigItems:
    return (
        LinkFault(LinkFaultKind.MALFORMED, malformed.reason),
        RequestFailed(query.name, status, malformed.reason),
    )

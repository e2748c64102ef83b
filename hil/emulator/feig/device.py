"""Emulates a FEIG OBID reader: transponders and inputs on one side, bytes on the other.

Time comes in with each call; the reader never waits and has no thread.

Source: wire document of FEIG OBID readers; where that is silent, hil/emulator/README.md,
"Decisions".
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from hil.emulator.feig.buffer import FeigLog, RecordBuffer
from hil.emulator.feig.field import TagField
from hil.emulator.feig.wire import (
    ANY_ADDRESS,
    AnswerStatus,
    BufferRecord,
    RecordField,
    Request,
    RequestFinder,
    TrType,
    answer_frame,
    encode_data_sets,
    encode_old_data_sets,
    encode_old_record,
    encode_record,
    encode_timer,
)
from hil.emulator.lines.reports import Copy, Report

NS_PER_MS = 1_000_000
DAY_MS = 24 * 3_600_000
PAGE_BYTES = 14
NOTIFICATION_PAGE = 49
ACKNOWLEDGE_BIT = 0x80
KEEP_ALIVE = 0x6E
OLD_FIELDS = RecordField.IDENTITY | RecordField.ANTENNA | RecordField.TIMER
FIELDS = OLD_FIELDS | RecordField.EXTENDED | RecordField.INPUT
READ_BUFFER, READ_BUFFER_OLD = 0x22, 0x21
TAG_CODE, INPUT_CODE, NOTICE_CODE, ALIVE_CODE = "T", "I", "N", "K"


class Delivery(StrEnum):
    """How records reach the host."""

    ACKNOWLEDGED = "acknowledged"  # sent unasked, stored until the host clears them
    UNACKNOWLEDGED = "unacknowledged"  # sent unasked and removed at once
    POLLED = "polled"  # stored until the host has read and cleared them


@dataclass(frozen=True, slots=True)
class FeigSettings:
    """The reader's set-up. `resend_ns`: how long it waits for the host to clear what it sent.

    `old_command`: the buffer is read with 0x21, and its records hold tags only.
    `keep_alive_ns` 0: it sends none. `gap_ns_max`: silence that ends an incomplete request.
    """

    address: int = 0
    delivery: Delivery = Delivery.ACKNOWLEDGED
    old_command: bool = False
    buffer_records: int = 600
    records_per_frame: int = 32
    resend_ns: int = 1_000_000_000
    keep_alive_ns: int = 0
    gap_ns_max: int = 12 * NS_PER_MS
    version: bytes = bytes.fromhex("03 03 00 44 53 0D 30")


class FeigReader:
    """The reader. Events in its field are passed in with their time."""

    def __init__(self, settings: FeigSettings | None = None) -> None:
        self.settings = settings or FeigSettings()
        self.log = FeigLog()
        self.powered = True
        self.inputs = 0
        self.field = TagField()
        self._buffer = RecordBuffer(self.settings.buffer_records, self.log)
        self.records_made = 0
        self._notices_made = 0
        self._finder = RequestFinder()
        self._read_command = READ_BUFFER_OLD if self.settings.old_command else READ_BUFFER
        self._answers: dict[int, Callable[[Request, int], tuple[int, bytes]]] = {
            0x31: self._buffer_info,
            0x32: self._clear,
            0x33: self._initialise,
            0x52: self._accept,
            0x63: self._reset,
            0x65: self._version,
            0x66: self._info,
            0x69: self._accept,
            KEEP_ALIVE: self._diagnosis,
            0x80: self._page,
            0x86: self._timer,
            0xB0: self._forward_to_field,
            self._read_command: self._read_buffer,
        }
        self._start()

    def _start(self) -> None:
        """Reset to the state after power-up: nothing stored, the timer at zero."""
        self._started_ns: int | None = None
        self._resend_at_ns: int | None = None
        self._alive_at_ns: int | None = None
        self._incomplete_at_ns: int | None = None
        self._finder.drop_incomplete()

    # Power, and what happens in the field.

    def power_off(self) -> None:
        """Cut its power: the buffer is lost."""
        self._buffer.drop_all()
        self.powered = False
        self._start()

    def power_on(self) -> None:
        """Restore its power; the timer starts at zero with the next event."""
        self.powered = True
        self._start()

    def timer_ms(self, at_ns: int) -> int:
        """The reader's own timer, which wraps after a day."""
        if self._started_ns is None:
            self._started_ns = at_ns
        return (at_ns - self._started_ns) // NS_PER_MS % DAY_MS

    def tag_read(self, identity: bytes, kind: int, antenna: int, at_ns: int) -> None:
        """A transponder entered the field of an antenna."""
        self._record(TAG_CODE, identity, kind, antenna, 0, at_ns)

    def input_changed(self, number: int, at_ns: int, *, high: bool) -> None:
        """Set an input, counted from 1, high or low; nothing happens without a change."""
        bit = 1 << number - 1
        inputs = self.inputs | bit if high else self.inputs & ~bit
        if inputs == self.inputs:
            return
        self.inputs = inputs
        if not self.settings.old_command:
            self._record(INPUT_CODE, b"", TrType.NONE, 0, bit, at_ns)

    def _record(
        self, code: str, identity: bytes, kind: int, antenna: int, changed: int, at_ns: int
    ) -> None:
        if not self.powered:
            return
        content = BufferRecord(identity, kind, antenna, self.timer_ms(at_ns), changed, self.inputs)
        self.records_made += 1
        old = self.settings.old_command
        encoded = encode_old_record(content, OLD_FIELDS) if old else encode_record(content, FIELDS)
        report = Report(self.records_made, code, encoded)
        self._buffer.add(report)

    # The wire.

    @property
    def stored_records(self) -> int:
        """How many records are in its buffer."""
        return len(self._buffer)

    @property
    def idle(self) -> bool:
        """Whether everything that is sent unasked was sent once."""
        return self._resend_at_ns is not None or not self._has_unsent_records()

    @property
    def next_due_ns(self) -> int | None:
        """When there is something to do; None: only after another input."""
        waiting = 0 if not self.idle else self._resend_at_ns
        dues = (waiting, self._alive_at_ns, self._incomplete_at_ns)
        return min((due for due in dues if due is not None), default=None)

    def host_appeared(self, at_ns: int) -> None:
        """Send unacknowledged records again at once."""
        if self._resend_at_ns is not None:
            self._resend_at_ns = at_ns

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host; returns the answers to requests completed by them."""
        if not self.powered:
            return b""
        self.timer_ms(at_ns)
        self.drop_incomplete(at_ns)
        accepted = (self.settings.address, ANY_ADDRESS)
        requests = self._finder.receive(data)
        answers = [self._answer(one, at_ns) for one in requests if one.address in accepted]
        unfinished = self._finder.unfinished
        self._incomplete_at_ns = at_ns + self.settings.gap_ns_max if unfinished else None
        return b"".join(answers)

    def tick(self, at_ns: int) -> bytes:
        """All bytes due at that time."""
        self.drop_incomplete(at_ns)
        return b"".join(copy.report.frame for copy in self.due(at_ns))

    def drop_incomplete(self, at_ns: int) -> None:
        """Drop a request that was interrupted for too long, without an answer."""
        if self._incomplete_at_ns is not None and at_ns >= self._incomplete_at_ns:
            self._incomplete_at_ns = None
            self._finder.drop_incomplete()

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """What is sent unasked now: a notification, a keep-alive."""
        if not self.powered or self.settings.delivery is Delivery.POLLED:
            return ()
        self.timer_ms(at_ns)
        return (*self._keep_alive(at_ns), *self._notification(at_ns))

    # Internals.

    def _has_unsent_records(self) -> bool:
        return (
            len(self._buffer) > 0 and self.powered and self.settings.delivery is not Delivery.POLLED
        )

    def _keep_alive(self, at_ns: int) -> tuple[Copy, ...]:
        pause_ns = self.settings.keep_alive_ns
        if not pause_ns:
            return ()
        if self._alive_at_ns is None:
            self._alive_at_ns = at_ns + pause_ns
        if at_ns < self._alive_at_ns:
            return ()
        self._alive_at_ns = at_ns + pause_ns
        frame = answer_frame(
            self.settings.address, KEEP_ALIVE, AnswerStatus.OK, bytes(2), advanced=True
        )
        return (self._notice(ALIVE_CODE, frame),)

    def _notification(self, at_ns: int) -> tuple[Copy, ...]:
        waits = self._resend_at_ns is not None and at_ns < self._resend_at_ns
        if waits or not self._has_unsent_records():
            return ()
        status, data = self._first_records(self.settings.records_per_frame)
        frame = answer_frame(self.settings.address, self._read_command, status, data, advanced=True)
        notice = self._notice(NOTICE_CODE, frame)
        if self.settings.delivery is Delivery.ACKNOWLEDGED:
            self._resend_at_ns = at_ns + self.settings.resend_ns
        else:
            self._buffer.forget(notice.report.ordinal)
        return (notice,)

    def _notice(self, code: str, frame: bytes) -> Copy:
        self._notices_made += 1
        return Copy(Report(self._notices_made, code, frame), 1)

    def _first_records(self, count_max: int) -> tuple[AnswerStatus, bytes]:
        status, records = self._buffer.read(count_max)
        if not records:
            return status, b""
        if self.settings.old_command:
            return status, encode_old_data_sets(records, OLD_FIELDS)
        return status, encode_data_sets(records, FIELDS)

    def _answer(self, request: Request, at_ns: int) -> bytes:
        answer = self._answers.get(request.command)
        status, data = (
            (AnswerStatus.UNKNOWN_COMMAND, b"") if answer is None else answer(request, at_ns)
        )
        address, command = self.settings.address, request.command
        return answer_frame(address, command, status, data, advanced=request.advanced)

    def _accept(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        return AnswerStatus.OK, b""

    def _reset(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        self.power_off()
        self.power_on()
        return AnswerStatus.OK, b""

    def _version(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        return AnswerStatus.OK, self.settings.version

    def _info(self, request: Request, _at_ns: int) -> tuple[int, bytes]:
        if len(request.data) != 1:
            return AnswerStatus.LENGTH, b""
        if request.data[0] != 0:
            return AnswerStatus.PARAMETER_RANGE, b""
        return AnswerStatus.OK, self.settings.version

    def _diagnosis(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        return AnswerStatus.OK, bytes(2)

    def _page(self, request: Request, _at_ns: int) -> tuple[int, bytes]:
        if len(request.data) != 1:
            return AnswerStatus.LENGTH, b""
        page = bytearray(PAGE_BYTES)
        # Bit 7 selects the permanent memory instead of the working one; here both are the same.
        number = request.data[0] & 0x7F
        if number == NOTIFICATION_PAGE and self.settings.delivery is Delivery.ACKNOWLEDGED:
            page[0] = ACKNOWLEDGE_BIT
        return AnswerStatus.OK, bytes(page)

    def _timer(self, _request: Request, at_ns: int) -> tuple[int, bytes]:
        return AnswerStatus.OK, encode_timer(self.timer_ms(at_ns))

    def _buffer_info(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        numbers = (self.settings.buffer_records, 0, len(self._buffer))
        return AnswerStatus.OK, b"".join(number.to_bytes(2, "big") for number in numbers)

    def _read_buffer(self, request: Request, at_ns: int) -> tuple[int, bytes]:
        if len(request.data) != (1 if self.settings.old_command else 2):
            return AnswerStatus.LENGTH, b""
        count = int.from_bytes(request.data, "big")
        if count == 0:
            return AnswerStatus.PARAMETER_RANGE, b""
        answer = self._first_records(min(count, self.settings.records_per_frame))
        # A notification that is already due is still sent, right after the answer.
        if self._resend_at_ns is not None:
            self._resend_at_ns = at_ns + self.settings.resend_ns
        return answer

    def _clear(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        self._buffer.clear()
        self._resend_at_ns = None
        return AnswerStatus.OK, b""

    def _initialise(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        self._buffer.drop_all()
        self._resend_at_ns = None
        return AnswerStatus.OK, b""

    def _forward_to_field(self, request: Request, _at_ns: int) -> tuple[int, bytes]:
        return self.field.answer(request.data)

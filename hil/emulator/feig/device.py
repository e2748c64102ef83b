"""A FEIG OBID reader: transponders and inputs on one side, bytes on the other.

Responsible for: its buffer, its timer, sending records unasked or when asked, and the answers to
the host's requests. Time comes in with each call; the reader never waits and has no thread.
Not responsible for: what moves past it (rfid_shoe), carrying bytes (serve, hil.simulation.cable).
Source: wire document of FEIG OBID readers; where that is silent the decisions stand in the package
README, "Decisions".
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from hil.emulator.feig.buffer import FeigLog, RecordBuffer
from hil.emulator.feig.field import TagField
from hil.emulator.feig.wire import (
    ANY_ADDRESS,
    Field,
    Moment,
    Request,
    RequestFinder,
    Status,
    TrType,
    answer_frame,
    clock,
    data_sets,
    old_data_sets,
    old_record,
    record,
)
from hil.emulator.lines.reports import Copy, Report

NS_PER_MS = 1_000_000
DAY_MS = 24 * 3_600_000
PAGE_BYTES = 14
NOTIFICATION_PAGE = 49
ACKNOWLEDGE_BIT = 0x80
KEEP_ALIVE = 0x6E
OLD_FIELDS = Field.IDENTITY | Field.ANTENNA | Field.TIMER
FIELDS = OLD_FIELDS | Field.EXTENDED | Field.INPUT
READ_BUFFER, READ_BUFFER_OLD = 0x22, 0x21
TAG_CODE, INPUT_CODE, NOTICE_CODE, ALIVE_CODE = "T", "I", "N", "K"


class Way(StrEnum):
    """How records reach the host."""

    ACKNOWLEDGED = "acknowledged"  # sent unasked, kept until the host clears them
    UNACKNOWLEDGED = "unacknowledged"  # sent unasked and forgotten
    POLLED = "polled"  # kept until the host has read and cleared them


@dataclass(frozen=True, slots=True)
class FeigSettings:
    """How a reader is set up. `resend_ns`: how long it waits for the host to clear what it sent.

    `old_command`: the buffer is read by 0x21, and its records are of tags alone.
    `keep_alive_ns` 0: it sends none. `gap_ns_max`: silence that ends an unfinished request.
    """

    address: int = 0
    way: Way = Way.ACKNOWLEDGED
    old_command: bool = False
    buffer_records: int = 600
    records_per_frame: int = 32
    resend_ns: int = 1_000_000_000
    keep_alive_ns: int = 0
    gap_ns_max: int = 12 * NS_PER_MS
    version: bytes = bytes.fromhex("03 03 00 44 53 0D 30")


class FeigReader:
    """The reader. What happens in its field comes with the moment at which it does."""

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
            0x52: self._nothing,
            0x63: self._reset,
            0x65: self._version,
            0x66: self._info,
            0x69: self._nothing,
            KEEP_ALIVE: self._diagnosis,
            0x80: self._page,
            0x86: self._timer,
            0xB0: self._to_transponders,
            self._read_command: self._read_buffer,
        }
        self._start()

    def _start(self) -> None:
        """As it is after power came: nothing kept, the timer at nought."""
        self._started_ns: int | None = None
        self._resend_at_ns: int | None = None
        self._alive_at_ns: int | None = None
        self._broken_at_ns: int | None = None
        self._finder.give_up()

    # Power, and what happens in the field.

    def power_off(self) -> None:
        """Without power nothing is kept."""
        self._buffer.drop_all()
        self.powered = False
        self._start()

    def power_on(self) -> None:
        """Begin anew; the timer starts at nought with the next thing that happens."""
        self.powered = True
        self._start()

    def timer_ms(self, at_ns: int) -> int:
        """The reader's own timer, which runs for a day."""
        if self._started_ns is None:
            self._started_ns = at_ns
        return (at_ns - self._started_ns) // NS_PER_MS % DAY_MS

    def tag_read(self, identity: bytes, kind: int, antenna: int, at_ns: int) -> None:
        """A transponder came into the field of an antenna."""
        self._note(TAG_CODE, identity, kind, antenna, 0, at_ns)

    def input_changed(self, number: int, at_ns: int, *, high: bool) -> None:
        """An input, counted from 1, goes up or down; nothing happens if it stays as it is."""
        bit = 1 << number - 1
        inputs = self.inputs | bit if high else self.inputs & ~bit
        if inputs == self.inputs:
            return
        self.inputs = inputs
        if not self.settings.old_command:
            self._note(INPUT_CODE, b"", TrType.NONE, 0, bit, at_ns)

    def _note(
        self, code: str, identity: bytes, kind: int, antenna: int, changed: int, at_ns: int
    ) -> None:
        if not self.powered:
            return
        moment = Moment(identity, kind, antenna, self.timer_ms(at_ns), changed, self.inputs)
        self.records_made += 1
        old = self.settings.old_command
        written = old_record(moment, OLD_FIELDS) if old else record(moment, FIELDS)
        report = Report(self.records_made, code, written)
        self._buffer.add(report)

    # The wire.

    @property
    def kept(self) -> int:
        """How many records it keeps."""
        return len(self._buffer)

    @property
    def idle(self) -> bool:
        """Whether all has been sent once that is sent unasked."""
        return self._resend_at_ns is not None or not self._has_news()

    @property
    def next_due_ns(self) -> int | None:
        """When there is something to do; None: only after a further input."""
        waiting = 0 if not self.idle else self._resend_at_ns
        dues = (waiting, self._alive_at_ns, self._broken_at_ns)
        return min((due for due in dues if due is not None), default=None)

    def host_appeared(self, at_ns: int) -> None:
        """What is not acknowledged is sent once more, at once."""
        if self._resend_at_ns is not None:
            self._resend_at_ns = at_ns

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host; the answers to the requests that ended in them."""
        if not self.powered:
            return b""
        self.timer_ms(at_ns)
        self.give_up_broken(at_ns)
        mine = (self.settings.address, ANY_ADDRESS)
        requests = self._finder.receive(data)
        answers = [self._answer(one, at_ns) for one in requests if one.address in mine]
        unfinished = self._finder.unfinished
        self._broken_at_ns = at_ns + self.settings.gap_ns_max if unfinished else None
        return b"".join(answers)

    def tick(self, at_ns: int) -> bytes:
        """All bytes due at that moment."""
        self.give_up_broken(at_ns)
        return b"".join(copy.report.frame for copy in self.due(at_ns))

    def give_up_broken(self, at_ns: int) -> None:
        """A request that was interrupted for too long is none; nothing is said of it."""
        if self._broken_at_ns is not None and at_ns >= self._broken_at_ns:
            self._broken_at_ns = None
            self._finder.give_up()

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """What is sent unasked now: a notification, a sign of life."""
        if not self.powered or self.settings.way is Way.POLLED:
            return ()
        self.timer_ms(at_ns)
        return (*self._sign_of_life(at_ns), *self._notification(at_ns))

    # Inside.

    def _has_news(self) -> bool:
        return len(self._buffer) > 0 and self.powered and self.settings.way is not Way.POLLED

    def _sign_of_life(self, at_ns: int) -> tuple[Copy, ...]:
        pause_ns = self.settings.keep_alive_ns
        if not pause_ns:
            return ()
        if self._alive_at_ns is None:
            self._alive_at_ns = at_ns + pause_ns
        if at_ns < self._alive_at_ns:
            return ()
        self._alive_at_ns = at_ns + pause_ns
        frame = answer_frame(self.settings.address, KEEP_ALIVE, Status.OK, bytes(2), advanced=True)
        return (self._notice(ALIVE_CODE, frame),)

    def _notification(self, at_ns: int) -> tuple[Copy, ...]:
        waits = self._resend_at_ns is not None and at_ns < self._resend_at_ns
        if waits or not self._has_news():
            return ()
        status, data = self._first_records(self.settings.records_per_frame)
        frame = answer_frame(self.settings.address, self._read_command, status, data, advanced=True)
        notice = self._notice(NOTICE_CODE, frame)
        if self.settings.way is Way.ACKNOWLEDGED:
            self._resend_at_ns = at_ns + self.settings.resend_ns
        else:
            self._buffer.forget(notice.report.ordinal)
        return (notice,)

    def _notice(self, code: str, frame: bytes) -> Copy:
        self._notices_made += 1
        return Copy(Report(self._notices_made, code, frame), 1)

    def _first_records(self, count_max: int) -> tuple[Status, bytes]:
        status, records = self._buffer.hand_over(count_max)
        if not records:
            return status, b""
        if self.settings.old_command:
            return status, old_data_sets(records, OLD_FIELDS)
        return status, data_sets(records, FIELDS)

    def _answer(self, request: Request, at_ns: int) -> bytes:
        answer = self._answers.get(request.command)
        status, data = (Status.UNKNOWN_COMMAND, b"") if answer is None else answer(request, at_ns)
        address, command = self.settings.address, request.command
        return answer_frame(address, command, status, data, advanced=request.advanced)

    def _nothing(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        return Status.OK, b""

    def _reset(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        self.power_off()
        self.power_on()
        return Status.OK, b""

    def _version(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        return Status.OK, self.settings.version

    def _info(self, request: Request, _at_ns: int) -> tuple[int, bytes]:
        if len(request.data) != 1:
            return Status.LENGTH, b""
        if request.data[0] != 0:
            return Status.PARAMETER_RANGE, b""
        return Status.OK, self.settings.version

    def _diagnosis(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        return Status.OK, bytes(2)

    def _page(self, request: Request, _at_ns: int) -> tuple[int, bytes]:
        if len(request.data) != 1:
            return Status.LENGTH, b""
        page = bytearray(PAGE_BYTES)
        # Bit 7 asks for the permanent memory instead of the working one; here both are alike.
        number = request.data[0] & 0x7F
        if number == NOTIFICATION_PAGE and self.settings.way is Way.ACKNOWLEDGED:
            page[0] = ACKNOWLEDGE_BIT
        return Status.OK, bytes(page)

    def _timer(self, _request: Request, at_ns: int) -> tuple[int, bytes]:
        return Status.OK, clock(self.timer_ms(at_ns))

    def _buffer_info(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        numbers = (self.settings.buffer_records, 0, len(self._buffer))
        return Status.OK, b"".join(number.to_bytes(2, "big") for number in numbers)

    def _read_buffer(self, request: Request, at_ns: int) -> tuple[int, bytes]:
        if len(request.data) != (1 if self.settings.old_command else 2):
            return Status.LENGTH, b""
        count = int.from_bytes(request.data, "big")
        if count == 0:
            return Status.PARAMETER_RANGE, b""
        answer = self._first_records(min(count, self.settings.records_per_frame))
        # A notification that is due is sent all the same, right behind the answer.
        if self._resend_at_ns is not None:
            self._resend_at_ns = at_ns + self.settings.resend_ns
        return answer

    def _clear(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        self._buffer.clear()
        self._resend_at_ns = None
        return Status.OK, b""

    def _initialise(self, _request: Request, _at_ns: int) -> tuple[int, bytes]:
        self._buffer.drop_all()
        self._resend_at_ns = None
        return Status.OK, b""

    def _to_transponders(self, request: Request, _at_ns: int) -> tuple[int, bytes]:
        return self.field.answer(request.data)

"""The program without input and output: maps one input to the next state, entries and writes.

A gaming day begins here too: by the clock of the inputs, or by a person's word after the clock
jumped.

Not: storing, writing to ports, threads, clock and files (table); the rules (procedure).
"""

from hashlib import sha256
from typing import Final, TypeAlias, assert_never

from msgspec import UNSET, Struct
from msgspec.structs import replace

from controller.core.approved_lists import with_lists_seen
from controller.core.device_commands import (
    describe_command,
    grant_command,
    wants_lock,
)
from controller.core.device_intake import (
    cards_read_later,
    drawn_event,
    event_from_device,
    event_from_shuffler,
    event_not_judged,
    noise_fault,
    reports_fault,
    track_event,
    track_table_read,
)
from controller.core.devices import DeviceResult, Devices
from controller.core.gaming_day import GamingCalendar
from controller.core.manifest_binding import bind_batch, set_card_apart
from controller.core.settings import Settings
from controller.core.state import (
    CoreState,
    Transition,
    after_clock_reading,
    after_start,
    disk_entry,
    encode_state,
    next_identity,
    with_disk_space,
)
from controller.core.tape.entries import (
    CommandGiven,
    CoreOutput,
    DeviceEventRecorded,
    Entry,
    EventVerdicts,
    ManifestRequested,
    PowerFailRecorded,
    RunBegan,
    StateDigest,
    UsbDeviceRecorded,
)
from controller.core.tape.inputs import (
    AccountChange,
    AccountChanged,
    AdvisoryGiven,
    ClockSyncRead,
    DevicePlugged,
    DeviceUnplugged,
    DiskSpace,
    Input,
    ManifestGiven,
    NoiseDropped,
    NotJudged,
    PowerFailing,
    ReportsExceeded,
    Started,
    Tick,
    UsbDeviceFate,
)
from controller.custody.batch_life.facts import ShoeOver
from controller.custody.moves import HandsCleared, Move
from controller.custody.state import CustodyChange, check_consistent
from controller.procedure.effects import ActRecord, Refusal
from controller.procedure.events import (
    AdvisoryRaised,
    ClockJumped,
    CustodyFindingRaised,
    GamingDayChanged,
    ProgramReplaced,
    ShoeDeviceStarted,
    ShufflerDisconnected,
    StepInput,
)
from controller.procedure.opening.gaming_day import DAY_NS, state_gaming_day
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step, hold_back_calls
from controller.rules.actions.actions import (
    Action,
    BindBatch,
    ClearShoeError,
    DeviceAction,
    GiveShufflerOrder,
    LockShoe,
    OperatorAction,
    SetCardApart,
    SetGamingDay,
    UnlockShoe,
)
from drivers.commands import DeviceCommand, LockExit, SetPolling, UnlockExit
from drivers.events import BarCodeRead, CardPassed, DeviceEvent, LockChanged, TagSeen
from firmware_bridge.transport.port import Chunk, PortEnd, PortLost, PortOpened
from foundation.message import Message, message
from foundation.timestamp import Timestamp

# No card is drawn in these phases, so readers may be polled less often.
_NO_CARDS_DUE: Final = (Phase.CLOSED, Phase.OPENING, Phase.SHOE_OVER)
_RESTARTED: Final = message("program_was_restarted")
_COUP_ENDS: Final = frozenset((HandsCleared, ShoeOver))


class Core(Struct, frozen=True):
    """The rules, devices and calendar of one run. Immutable; the state is passed in and out.

    `locks`: the shoe's exit is locked by command. `rack_read`: a reader reads the discard rack.
    """

    settings: Settings
    book: RuleBook
    devices: Devices
    calendar: GamingCalendar
    locks: bool
    rack_read: bool

    def initial(self) -> CoreState:
        """The state of a table that has never run."""
        shoe, auxiliary = self.devices.shoe.driver.initial(), self.devices.initial()
        return CoreState("", None, TableState(), shoe, auxiliary=auxiliary)

    def handle(self, state: CoreState, item: Input) -> tuple[CoreState, CoreOutput]:
        """Process one input. Total: no input raises."""
        transition = self._dispatch(note_jump(self.book, Transition(state), item), item)
        begins = isinstance(item, Started)
        if begins or transition.state.table is not state.table:
            transition = self._adjust_polling(transition, state, item)
        transition = _update_clock(transition, state.boot_id, item)
        # Unchanged custody was checked before; a state that a start read from the disk was not.
        if begins or transition.state.custody is not state.custody:
            check_consistent(transition.state.custody)
        saved_state = b""
        if transition.coup_ended or StateDigest in map(type, transition.entries):
            transition, saved_state = _with_digest(transition)
        output = CoreOutput(transition.entries, transition.writes, saved_state, transition.at_once)
        return transition.state, output

    def next_deadline_ns(self, state: CoreState) -> int | None:
        """Monotonic time at which a Tick is due, or None."""
        return self.devices.next_deadline_ns(state)

    def _dispatch(self, transition: Transition, item: Input) -> Transition:
        match item:
            case Chunk() | PortOpened() | PortLost():
                return self._apply_port_input(transition, item)
            case Started():
                return self._start_run(transition, item)
            case Tick():
                return self._tick_devices(transition, item.at)
            case OperatorAction():
                return self._apply_action(transition, item)
            case ManifestGiven():
                book = effective_book(self.book, transition.state.table)
                custody, entry = bind_batch(transition.state.custody, book, item)
                return transition.with_custody(custody).with_entries(entry)
            case ClockSyncRead(sync=sync):
                host = replace(transition.state.host, sync=sync)
                return replace(transition, state=replace(transition.state, host=host))
            case DiskSpace():
                host = with_disk_space(transition.state.host, item)
                transition = replace(transition, state=replace(transition.state, host=host))
                return transition.with_entries(disk_entry(item))
            case AdvisoryGiven(advisory=advisory, at=at):
                return self._apply_event(
                    transition, AdvisoryRaised(advisory.kind, advisory.words), at
                )
            case NotJudged():
                return self._go_on_without(transition, item)
            case _:
                return transition.with_entries(record_of(item))

    # --- devices ---------------------------------------------------------------------------------

    def _apply_port_input(
        self, transition: Transition, item: PortOpened | Chunk | PortLost
    ) -> Transition:
        result = self.devices.receive(transition, item)
        transition = self._apply_device_events(result, item.port, item.at)
        match item:
            case PortLost(port, at) if port == self._shuffler_port:
                return self._apply_event(transition, ShufflerDisconnected(at.utc_ns), at)
            case PortOpened(port, at) if port == self.devices.shoe.port:
                return self._lock_again(transition, at)
            case _:
                return transition

    def _go_on_without(self, transition: Transition, item: NotJudged) -> Transition:
        """The link takes the bytes; to the table what they reported is missing."""
        if item.action:
            return transition.with_entries(Refusal(item.action, message("act_was_not_judged")))
        chunk = Chunk(item.port, item.at, item.data)
        transition, _ = self.devices.receive(transition, chunk)
        missing = event_not_judged(item, self.devices.shoe.port, self._shuffler_port)
        return transition if missing is None else self._apply_event(transition, missing, item.at)

    def _tick_devices(self, transition: Transition, at: Timestamp) -> Transition:
        for port in self.devices.ports:
            transition = self._apply_device_events(
                self.devices.tick(transition, port, at), port, at
            )
        return transition

    def _adjust_polling(self, transition: Transition, before: CoreState, item: Input) -> Transition:
        """Poll the readers that need polling at the short interval while cards are being drawn."""
        frequent = transition.state.table.phase not in _NO_CARDS_DUE
        if frequent == (before.table.phase not in _NO_CARDS_DUE) and not isinstance(item, Started):
            return transition
        for port in self.devices.ports:
            result = self.devices.command(transition, port, SetPolling(frequent), item.at)
            transition = self._apply_device_events(result, port, item.at)
        return transition

    def _start_run(self, transition: Transition, item: Started) -> Transition:
        profile = self.book.profile
        began = RunBegan(
            table=self.settings.table,
            software=item.software,
            profile=profile.name,
            decks=self.settings.decks,
            observed=self.settings.observed,
            assumed=profile.assumed,
            same_boot=transition.state.boot_id == item.boot_id,
            house=profile.house,
        )
        state = with_lists_seen(replace(transition.state, boot_id=item.boot_id), self.settings)
        state = self.devices.match_states(state)
        state = replace(state, lock_wanted=self._lock_wanted_at_start(state))
        until = item.read_until if began.same_boot else None
        transition = self._close_ports(
            replace(transition, state=state).with_entries(began), item.at, until
        )
        if item.replaced:
            transition = self._apply_event(transition, ProgramReplaced(item.software), item.at)
        return transition

    def _lock_wanted_at_start(self, state: CoreState) -> bool | None:
        """A start restores a wanted lock; a release has to be requested again."""
        if not self.locks:
            return None
        book = effective_book(self.book, state.table)
        return True if state.lock_wanted or wants_lock(book, state.table) else None

    def _close_ports(
        self, transition: Transition, at: Timestamp, until: Timestamp | None
    ) -> Transition:
        """A run begins with every port closed; commands that awaited an answer are not resent.

        The procedure gets no event for it: each link shows later whether reports were missed.
        """
        ended_by = PortEnd.OTHER if until is None else PortEnd.RUN_ENDED
        waited_ns = 0 if until is None else at.monotonic_ns - until.monotonic_ns
        for port in self.devices.ports:
            if self.devices.is_open(transition.state, port):
                lost = PortLost(port, at, _RESTARTED, ended_by, waited_ns)
                transition = self._apply_device_events(
                    self.devices.receive(transition, lost), port, at
                )
        return transition

    def _apply_device_events(self, result: DeviceResult, port: str, at: Timestamp) -> Transition:
        transition, events = result
        for event in events:
            if transition.coup_ended:
                transition, _state = _with_digest(transition)
            transition = self._device_event(transition, port, event, at)
        return transition

    def _device_event(
        self, transition: Transition, port: str, event: DeviceEvent, at: Timestamp
    ) -> Transition:
        if port == self._shuffler_port:
            return self._shuffler_event(transition, port, event, at)
        if port == self.devices.shoe.port:
            known = next_identity(transition.state.shoe_identity, event)
            if known is not transition.state.shoe_identity:
                transition = replace(
                    transition, state=replace(transition.state, shoe_identity=known)
                )
        match event:
            case CardPassed():
                return self._card_passed(
                    transition.with_entries(DeviceEventRecorded(port, event)), event, at
                )
            case TagSeen():
                return self._tag_seen(
                    transition.with_entries(DeviceEventRecorded(port, event)), event, at
                )
            case BarCodeRead(text=text):
                wanted = ManifestRequested(text, message("the_scanner_at", port=port))
                return transition.with_entries(DeviceEventRecorded(port, event), wanted)
            case _:
                domain_event = event_from_device(event)
        if domain_event is None:
            transition = transition.with_entries(DeviceEventRecorded(port, event))
            unlocked = isinstance(event, LockChanged) and not event.locked
            of_shoe = port == self.devices.shoe.port
            return self._lock_again(transition, at) if unlocked and of_shoe else transition
        if isinstance(domain_event, ShoeDeviceStarted) and transition.state.lock_wanted:
            # A shoe is unlocked after power-on.
            return self._lock_again(self._apply_event(transition, domain_event, at), at)
        return self._apply_event(transition, domain_event, at)

    def _lock_again(self, transition: Transition, at: Timestamp) -> Transition:
        if not transition.state.lock_wanted:
            return transition
        return self._command(transition, LockExit(), message("lock_still_wanted"), at)

    def _shuffler_event(
        self, transition: Transition, port: str, event: DeviceEvent, at: Timestamp
    ) -> Transition:
        domain_event = event_from_shuffler(event, at)
        if domain_event is None:
            return transition.with_entries(DeviceEventRecorded(port, event))
        return self._apply_event(transition, domain_event, at)

    @property
    def _shuffler_port(self) -> str | None:
        return self.settings.shuffler.port if self.settings.shuffler is not None else None

    # --- cards with an identity ------------------------------------------------------------------

    def _card_passed(self, transition: Transition, event: CardPassed, at: Timestamp) -> Transition:
        """The procedure places the card by the order of drawing; then custody follows it."""
        drawn = drawn_event(transition.state.custody, event)
        return self._apply_event(transition, drawn, at, event)

    def _tag_seen(self, transition: Transition, event: TagSeen, at: Timestamp) -> Transition:
        state = transition.state
        read = track_table_read(state.custody, event, state.table)
        read_later = cards_read_later(read, event, state.table)
        transition = self._apply_custody(transition, (read.state, read.findings), at)
        for repeated in read_later:
            transition = self._apply_event(transition, repeated, at)
        return transition

    def _apply_custody(
        self, transition: Transition, change: CustodyChange, at: Timestamp
    ) -> Transition:
        custody, findings = change
        transition = transition.with_custody(custody)
        for finding in findings:
            transition = self._apply_event(transition, CustodyFindingRaised(finding), at)
        return transition

    def _apply_event(
        self,
        transition: Transition,
        event: StepInput,
        at: Timestamp,
        passed: CardPassed | None = None,
    ) -> Transition:
        """Judge the event; custody follows its effects. `passed`: the card at the exit, if any."""
        transition = begin_due_day(self.book, self.calendar, transition, at)
        before = transition.state.table
        book = effective_book(self.book, before)
        lock_wanted = self.locks and wants_lock(book, before)
        result = step(book, before, event)
        change = track_event(
            transition.state.custody,
            event,
            before,
            result,
            decks=book.decks,
            rack_read=self.rack_read,
            passed=passed,
        )
        if findings := change[1]:
            result = hold_back_calls(result, findings)
        judged = None if isinstance(event, OperatorAction) else event
        if result.state.settings is not before.settings:
            book = effective_book(self.book, result.state)
        transition = replace(
            transition,
            state=replace(transition.state, table=result.state),
            entries=(*transition.entries, EventVerdicts(judged, result.verdicts), *result.effects),
            coup_ended=transition.coup_ended or _coup_ended(result.moves),
        )
        if self.locks and wants_lock(book, result.state) != lock_wanted:
            transition = self._change_lock(transition, before, at, wanted=not lock_wanted)
        return self._apply_custody(transition, change, at)

    def _change_lock(
        self, transition: Transition, before: TableState, at: Timestamp, *, wanted: bool
    ) -> Transition:
        """Lock the shoe while the table is suspended or a warning of the shuffler is open."""
        suspended = transition.state.table.phase is Phase.SUSPENDED
        transition = replace(transition, state=replace(transition.state, lock_wanted=wanted))
        if wanted:
            why = message("table_is_suspended") if suspended else message("warning_is_open")
            return self._command(transition, LockExit(), why, at)
        resolved = before.phase is Phase.SUSPENDED
        why = message("floorperson_has_resolved") if resolved else message("warnings_are_cleared")
        return self._command(transition, UnlockExit(), why, at)

    def _command(
        self,
        transition: Transition,
        command: DeviceCommand,
        why: Message,
        at: Timestamp,
        port: str = "",
    ) -> Transition:
        port = port or self.devices.shoe.port
        transition = transition.with_entries(CommandGiven(port, describe_command(command), why))
        return self._apply_device_events(
            self.devices.command(transition, port, command, at), port, at
        )

    # --- people ----------------------------------------------------------------------------------

    def _apply_action(self, transition: Transition, item: OperatorAction[Action]) -> Transition:
        action: Action = item.action
        match action:
            case LockShoe() | UnlockShoe() | ClearShoeError() | GiveShufflerOrder():
                return self._apply_device_action(transition, item, action)
            case BindBatch(batch=batch):
                return transition.with_entries(ManifestRequested(batch, _who(item)))
            case SetGamingDay(day=day):
                return state_day(self.book, self.calendar, transition, item, day)
            case SetCardApart():
                book = effective_book(self.book, transition.state.table)
                custody, entry = set_card_apart(transition.state.custody, book, item, action)
                return transition.with_custody(custody).with_entries(entry)
            case _:
                return self._apply_event(transition, item, item.at)

    def _apply_device_action(
        self, transition: Transition, item: OperatorAction[Action], action: DeviceAction
    ) -> Transition:
        """Send the command that a person requested, or record why it is refused."""
        table = transition.state.table
        book = effective_book(self.book, table)
        granted = grant_command(self.settings, book, table, item.role, action)
        if isinstance(granted, Refusal):
            return transition.with_entries(granted)
        if granted.lock_wanted is not None:
            transition = replace(
                transition, state=replace(transition.state, lock_wanted=granted.lock_wanted)
            )
        why = message("person_with_reason", who=_who(item), typed=item.reason)
        return self._command(transition, granted.command, why, item.at, granted.port)


def _who(item: OperatorAction[Action]) -> Message:
    return message("role_person", role=item.role.value, person=item.person)


def _update_clock(transition: Transition, boot_id: str, item: Input) -> Transition:
    """Compare the timestamp of an input with the clock so far, and record a clock step."""
    known = transition.state.host
    if isinstance(item, Started):
        host = after_start(known, item.at, same_boot=boot_id == item.boot_id)
    else:
        host = after_clock_reading(known, item.at)
    if host is known:
        return transition
    transition = replace(transition, state=replace(transition.state, host=host))
    clock_step = host.last_step if host.steps != known.steps else None
    return transition if clock_step is None else transition.with_entries(clock_step)


def _with_digest(transition: Transition) -> tuple[Transition, bytes]:
    """The transition with the digest of its state, and that state, encoded."""
    encoded = encode_state(transition.state)
    digest = StateDigest(sha256(encoded).digest())
    return replace(transition.with_entries(digest), coup_ended=False), encoded


def _coup_ended(moves: tuple[Move, ...]) -> bool:
    """Whether a coup or a shoe ended, counted or held: the moment to save the state."""
    return not _COUP_ENDS.isdisjoint(map(type, moves))


def note_jump(book: RuleBook, transition: Transition, item: Input) -> Transition:
    """Note that the clock moved by more than a day, before a gaming day could begin by it.

    Between two boots the time may have passed: the clock alone cannot tell.
    """
    state, at, host = transition.state, item.at, transition.state.host
    if state.day is None or host.ahead_ns is None:
        return transition
    same_boot = not isinstance(item, Started) or item.boot_id == state.boot_id
    expected_ns = at.monotonic_ns + host.ahead_ns if same_boot else host.last_utc_ns
    if -DAY_NS <= at.utc_ns - expected_ns <= DAY_NS:
        return transition
    waiting_ns = state.table.time_before_jump_ns
    before_ns = state.host.last_utc_ns if waiting_ns is UNSET else waiting_ns
    return _apply(book, transition, ClockJumped(before_ns, at.utc_ns))


def begin_due_day(
    book: RuleBook, calendar: GamingCalendar, transition: Transition, at: Timestamp
) -> Transition:
    """Begin the next gaming day when the current one is over.

    A clock that is set back does not bring an earlier day back: its shoe numbers are used.
    """
    state = transition.state
    over = state.day is None or state.day.is_over(at.utc_ns)
    if not over or state.table.time_before_jump_ns is not UNSET:
        return transition
    day = calendar.day_of(at.utc_ns)
    turned = GamingDayChanged(max(day.name, state.table.today, state.table.shoe_day))
    return _apply(book, replace(transition, state=replace(state, day=day)), turned)


def state_day(
    book: RuleBook,
    calendar: GamingCalendar,
    transition: Transition,
    item: OperatorAction[Action],
    stated: str,
) -> Transition:
    """A person states the gaming day; an accepted one is that of the clock."""
    table, day = transition.state.table, calendar.day_of(item.at.utc_ns)
    result = state_gaming_day(table, item, stated, day.name)
    if result.state is table:
        return _with_table(transition, None, result)
    transition = replace(transition, state=replace(transition.state, day=day))
    transition = _with_table(transition, None, result)
    if day.name == table.today:
        return transition
    return _apply(book, transition, GamingDayChanged(day.name))


def _apply(
    book: RuleBook, transition: Transition, event: GamingDayChanged | ClockJumped
) -> Transition:
    table = transition.state.table
    return _with_table(transition, event, step(effective_book(book, table), table, event))


def _with_table(
    transition: Transition, event: GamingDayChanged | ClockJumped | None, result: Step
) -> Transition:
    state = replace(transition.state, table=result.state)
    transition = replace(transition, state=state)
    return transition.with_entries(EventVerdicts(event, result.verdicts), *result.effects)


RecordedInput: TypeAlias = (
    NoiseDropped | ReportsExceeded | DevicePlugged | DeviceUnplugged | PowerFailing | AccountChanged
)


def record_of(item: RecordedInput) -> Entry:
    """The entry of the input."""
    match item:
        case NoiseDropped():
            return DeviceEventRecorded(item.port, noise_fault(item))
        case ReportsExceeded():
            return DeviceEventRecorded(item.port, reports_fault(item))
        case DevicePlugged() | DeviceUnplugged():
            return usb_device_entry(item)
        case PowerFailing(sign=sign):
            return PowerFailRecorded(sign)
        case AccountChanged():
            return account_record(item)
        case _:
            assert_never(item)


def account_record(item: AccountChanged) -> ActRecord:
    """Which account was changed, and by whom; never a PIN or its hash."""
    if item.by:
        who = message("person_known_by", person=item.by, proof=item.proof.value)
    elif item.change is AccountChange.LOCKED:
        who = message("wrong_pins_from", identified_by=item.identified_by)
    else:
        who = message("machine_administrator", identified_by=item.identified_by)
    role = item.role.value if item.role is not None else "unknown"
    change = message("account_change", change=item.change.value, role=role, who=who)
    return ActRecord("account", item.person, change, ())


def usb_device_entry(item: DevicePlugged | DeviceUnplugged) -> UsbDeviceRecorded:
    """A USB device that appeared, was refused or is gone."""
    if isinstance(item, DeviceUnplugged):
        return UsbDeviceRecorded(UsbDeviceFate.GONE, "", "", item.path, None)
    usb_id = f"{item.vendor_id:04x}:{item.product_id:04x}"
    what = UsbDeviceFate.REFUSED if item.refused is not None else UsbDeviceFate.APPEARED
    return UsbDeviceRecorded(what, usb_id, item.serial_number, item.path, item.refused)

"""The control socket of a running table: requests, answers, roles, subscriptions and limits."""

import json
import os
import select
import socket
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from msgspec.json import encode
from msgspec.structs import replace
from serving_table import Serving, connected
from shown_tables import part

from controller.journal.people import PEOPLE_NAME
from controller.journal.verify import verify
from controller.outlets.control.act_rate import ACTS_PER_S_MAX
from controller.outlets.control.answer_schema import AcceptedAnswer, Answer, ResolutionAnswer
from controller.outlets.control.client import ANSWER, ControlClient, ControlError
from controller.outlets.control.server import (
    ACCOUNT_CONNECTIONS_MAX,
    LINE_BYTES_MAX,
    ControlUnavailable,
)
from controller.rules.actions.actions import (
    ACTIONS,
    CallNoMoreBets,
    CorrectCoup,
    OperatorAction,
    RecordAct,
    StateWagers,
)
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.table.table import Health
from firmware_bridge.transport.clock import now
from hil.rig.device_programs import wait_until

CALL = {"request": "act", "action": "no-more-bets", "by": "D. Dealer", "role": "dealer"}
DECISION = {
    "request": "act",
    "action": "resolve",
    "by": "A. Floor",
    "role": "floorperson",
    "reason": "card burned",
    "decision": "burn-card",
}


@pytest.fixture
def serving(fast_dir: Path) -> Iterator[Serving]:
    """A table before its first shoe."""
    serving = Serving(fast_dir / "fresh", fast_dir / "control.sock")
    yield serving
    serving.end()


@pytest.fixture
def after_overdraw(suspended: Path, fast_dir: Path) -> Iterator[Serving]:
    """A table suspended until a floorperson decides."""
    serving = Serving(suspended, fast_dir / "control.sock")
    yield serving
    serving.end()


@pytest.fixture
def say(serving: Serving) -> Iterator[Callable[[bytes], Answer]]:
    """Send bytes on one connection and read one line of answer each time."""
    with connected(serving.path) as connection, connection.makefile("rb") as answers:

        def ask(line: bytes) -> Answer:
            connection.sendall(line)
            return ANSWER.decode(answers.readline())

        yield ask


def error(answer: Answer) -> str:
    assert not answer.ok
    return answer.error


# --- asking -------------------------------------------------------------------------------------


def test_status_is_the_snapshot(serving: Serving) -> None:
    answer = serving.client.request({"request": "status"})

    assert answer == Answer(ok=True, snapshot=serving.shown())


def test_the_actions_are_listed_with_their_roles(serving: Serving) -> None:
    answer = serving.client.request({"request": "actions"})

    actions = answer.actions
    assert [one["action"] for one in actions] == list(ACTIONS)
    first = {key: value for key, value in actions[0].items() if key not in ("allowed", "schema")}
    assert first == {
        "action": "resolve",
        "roles": ["floorperson", "pit_manager"],
        "values": ["decision", "provisional", "outcome", "second"],
        "purpose": "decide on the open irregularities",
        "reason_required": True,
    }


# --- acting -------------------------------------------------------------------------------------


def test_a_decision_is_stored_before_it_is_answered(after_overdraw: Serving) -> None:
    answer = after_overdraw.client.request(DECISION)

    assert answer.ok
    assert AcceptedAnswer((), {}, "resolved by A. Floor") in answer.entries
    assert (
        part(
            ResolutionAnswer,
            person="A. Floor",
            reason="card burned",
            decision="burn-card",
            closed=[1],
        )
        in answer.entries
    )
    assert after_overdraw.shown().irregularities == ()


def test_the_answer_names_no_card(after_overdraw: Serving) -> None:
    answer = after_overdraw.client.request(DECISION)

    cards = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "dcsh"]
    assert not [card for card in cards if card in encode(answer).decode()]


def test_the_person_and_the_kernels_account_are_recorded(serving: Serving) -> None:
    serving.client.request(CALL)

    (action,) = serving.actions()
    assert (action.person, action.role.value) == (serving.people.id_of("D. Dealer"), "dealer")
    assert action.identified_by == f"uid-{os.getuid()}"


def test_an_impossible_action_is_refused_with_the_reason(serving: Serving) -> None:
    answer = serving.client.request(DECISION)

    assert answer == Answer(ok=False, error="no irregularity is open")


def test_a_decision_that_is_not_permitted_names_the_ones_that_are(after_overdraw: Serving) -> None:
    answer = after_overdraw.client.request({**DECISION, "decision": "state-outcome"})

    assert "state-outcome is not permitted here; permitted: " in error(answer)


def test_commands_without_allow_commands_are_refused(serving: Serving) -> None:
    request = {**DECISION, "action": "lock-shoe"}
    del request["decision"]

    assert "set allow_commands = true" in error(serving.client.request(request))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"role": "dealer"}, "role: resolve is not for dealer. Allowed: floorperson, pit_manager"),
        (
            {"role": "boss"},
            'role: it is "boss". Allowed: dealer, floorperson, pit_manager, engineer',
        ),
        ({"role": ["floorperson"]}, 'role: it is ["floorperson"]. Allowed: dealer, floorperson'),
        ({"by": ""}, "by: it is missing. Allowed: one line of text. Remedy: the name of the pers"),
        ({"by": 5}, "by: it is 5. Allowed: one line of text"),
        ({"reason": " "}, "reason: it is missing"),
        ({"reason": "two\nlines"}, "reason: it is not one printable line"),
        ({"reason": "\ud800"}, "it is not JSON: "),
        ({"action": "shuffle"}, "ACTION: 'shuffle' is not an action. Allowed: resolve, close"),
        ({"action": None}, "action: it is null. Allowed: one line of text"),
        ({"decision": "go"}, 'decision: it is "go". Allowed: continue, carry-card'),
        ({"decsion": "go"}, "decsion: there is no such field. Allowed: decision, provisional, "),
    ],
)
def test_a_wrong_request_changes_nothing(
    serving: Serving, change: dict[str, object], expected: str
) -> None:
    answer = serving.client.request({**DECISION, **change})

    assert error(answer).startswith(expected)
    assert serving.actions() == []


CORRECTION = {
    "request": "act",
    "action": "correct-coup",
    "by": "A. Floor",
    "role": "floorperson",
    "reason": "seen on the film",
    "coup": 1,
    "outcome": "tie",
    "second": "S. Veil",
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"role": "dealer"}, "role: correct-coup is not for dealer. Allowed: floorperson, pit_m"),
        ({"role": "surveillance"}, "role: correct-coup is not for surveillance. Allowed: floorp"),
        ({"reason": ""}, "reason: it is missing. Allowed: one line of text"),
        ({"second": ""}, "second: it is missing. Allowed: one line of text"),
    ],
)
def test_a_correction_is_for_a_floorperson_with_a_second_person_and_a_reason(
    serving: Serving, change: dict[str, object], expected: str
) -> None:
    assert error(serving.client.request({**CORRECTION, **change})).startswith(expected)
    assert serving.actions() == []


def test_a_correction_without_a_shoe_is_refused_and_on_record(serving: Serving) -> None:
    answer = serving.client.request(CORRECTION)

    assert error(answer) == "no shoe is at the table, and none of today has coups"
    (action,) = serving.actions()
    assert action.action == CorrectCoup(1, Outcome.TIE, serving.people.id_of("S. Veil"))


def test_a_call_needs_no_reason(serving: Serving) -> None:
    assert serving.client.request(CALL).ok


RECORD = {**CALL, "action": "record", "act": "inspected", "batch": "red", "second": "A. Floor"}


def test_an_act_goes_on_record(serving: Serving) -> None:
    answer = serving.client.request(RECORD)

    assert answer.ok
    (action,) = serving.actions()
    second = serving.people.id_of("A. Floor")
    assert action.action == RecordAct(ActKind.INSPECTED, "red", second=second)


def test_wagers_are_a_list_of_objects(serving: Serving) -> None:
    wagers = [{"seat": 5, "wager": "banker", "cents": 10000}]
    serving.client.request({**CALL, "action": "wagers", "wagers": wagers})

    (action,) = serving.actions()
    assert action.action == StateWagers((Wager(5, WagerKind.BANKER, 10000),))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"act": "recut"}, "role: such a record is not for dealer. Allowed: floorperson, pit_mana"),
        ({"act": "recut", "role": "floorperson"}, "reason: it is missing"),
        ({"act": "sung"}, 'act: it is "sung". Allowed: odds-posted, '),
        ({"hand": "player"}, "hand: there is no such field. Allowed: act, batch, seat, amount, "),
    ],
)
def test_an_invalid_act_is_refused(
    serving: Serving, change: dict[str, object], expected: str
) -> None:
    assert error(serving.client.request({**RECORD, **change})).startswith(expected)
    assert serving.actions() == []


def test_a_table_that_ended_stores_nothing_and_says_so(serving: Serving) -> None:
    serving.table.stop()
    serving.table.join()

    answer = serving.client.request(CALL)

    assert error(answer) == "nothing was stored, the table is stopped"


def test_a_table_that_cannot_store_says_so(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(action: OperatorAction) -> None:
        serving.table.health = Health.STORE_FAILED
        serving.table.failure = "the disk is full"

    monkeypatch.setattr(serving.table, "act", never)

    answer = serving.client.request(CALL)

    assert error(answer) == "nothing was stored, the table is store_failed: the disk is full"


def test_a_late_table_may_still_store_the_action(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving.table, "act", lambda action: None)

    answer = serving.client.request(CALL)

    assert "the action may still be stored. Remedy: check the status before you repeat it" in error(
        answer
    )


# --- what is no request -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"status\n", "it is not JSON: "),
        (b"\xff\xfe\n", "it is not JSON: "),
        (b"[" * 60_000 + b"\n", "it is not JSON: "),
        (b'["status"]\n', 'it is ["status"]. Allowed: an object with request: status, actions, '),
        (b"{}\n", "request: it is missing. Allowed: status, actions, subscribe, act, sign-on, "),
        (b'{"request": "stop"}\n', 'request: it is "stop". Allowed: status, actions, subscribe'),
        (b'{"request": 1}\n', "request: it is 1. Allowed: status, "),
        (b'{"request": "status", "pin": "1"}\n', "pin: there is no such field. Allowed: none. "),
        (b'{"request": "status", "pin": 1%s}\n' % (b"0" * 5000), "it is not JSON: "),
    ],
)
def test_a_wrong_line_is_answered_and_the_connection_kept(
    say: Callable[[bytes], Answer], line: bytes, expected: str
) -> None:
    assert error(say(line)).startswith(expected)
    assert say(b'{"request": "status"}\n').ok


def test_lines_may_be_split_and_joined(serving: Serving) -> None:
    asked = b'\n{"request": "status"}\r\n{"request": "actions"}\n'
    with connected(serving.path) as connection, connection.makefile("rb") as answers:
        for at in range(len(asked)):
            connection.sendall(asked[at : at + 1])

        assert "snapshot" in json.loads(answers.readline())
        assert "actions" in json.loads(answers.readline())


def test_an_endless_line_is_refused(serving: Serving) -> None:
    with connected(serving.path) as connection, connection.makefile("rb") as answers:
        connection.sendall(b" " * (LINE_BYTES_MAX + 1))

        expected = f"a request has at most {LINE_BYTES_MAX} bytes in one line"
        assert error(ANSWER.decode(answers.readline())) == expected
        assert answers.readline() == b""


def test_sixteen_idle_connections_do_not_lock_the_floorperson_out(after_overdraw: Serving) -> None:
    with ExitStack() as idle:
        for _ in range(ACCOUNT_CONNECTIONS_MAX):
            idle.enter_context(connected(after_overdraw.path))

        assert after_overdraw.client.request(DECISION).ok


def test_sixteen_subscriptions_that_nobody_reads_do_not_either(after_overdraw: Serving) -> None:
    with ExitStack() as unread:
        for _ in range(ACCOUNT_CONNECTIONS_MAX):
            connection = unread.enter_context(connected(after_overdraw.path))
            connection.sendall(b'{"request": "subscribe"}\n')
            assert connection.recv(1) == b"{"
        after_overdraw.clock.seconds += 1

        assert after_overdraw.client.request(DECISION).ok


def test_who_made_room_is_told_so_at_the_next_request(serving: Serving) -> None:
    with ExitStack() as idle:
        first, *_ = [
            idle.enter_context(connected(serving.path)) for _ in range(ACCOUNT_CONNECTIONS_MAX)
        ]
        assert serving.client.request({"request": "status"}).ok

        with first.makefile("rb") as answers:
            assert error(ANSWER.decode(answers.readline())).startswith(
                "this connection was idle and"
            )
            assert answers.readline() == b""


def await_last_word(connection: socket.socket) -> None:
    """Until the table has said that nothing more comes."""
    told = select.poll()
    told.register(connection, select.POLLRDHUP)
    told.poll()


def test_the_seventeenth_client_that_writes_before_it_reads_is_answered_in_words(
    serving: Serving,
) -> None:
    with ExitStack() as stack:
        for _ in range(ACCOUNT_CONNECTIONS_MAX):
            next(stack.enter_context(closing(serving.client.subscribe())))
        refused = stack.enter_context(connected(serving.path))
        await_last_word(refused)

        refused.sendall(b'{"request": "status"}\n')

        with refused.makefile("rb") as answers:
            expected = "no connection is free: an account has at most 16"
            assert error(ANSWER.decode(answers.readline())).startswith(expected)
            assert answers.readline() == b""


def test_who_made_room_and_writes_before_it_reads_is_told_so(serving: Serving) -> None:
    with ExitStack() as idle:
        first, *_ = [
            idle.enter_context(connected(serving.path)) for _ in range(ACCOUNT_CONNECTIONS_MAX)
        ]
        assert serving.client.request({"request": "status"}).ok
        await_last_word(first)

        first.sendall(b'{"request": "status"}\n')

        with first.makefile("rb") as answers:
            said = error(ANSWER.decode(answers.readline()))
            assert said.startswith("this connection was idle and")
            assert answers.readline() == b""


def test_a_thousand_refused_clients_keep_a_bounded_number_of_connections(serving: Serving) -> None:
    with ExitStack() as stack:
        for _ in range(ACCOUNT_CONNECTIONS_MAX):
            next(stack.enter_context(closing(serving.client.subscribe())))
        before = len([*Path("/proc/self/fd").iterdir()])
        for _ in range(1000):
            with connected(serving.path) as refused:
                assert refused.recv(1) == b"{"
        assert len([*Path("/proc/self/fd").iterdir()]) - before <= ACCOUNT_CONNECTIONS_MAX + 1


def test_two_hundred_clients_that_make_room_keep_a_bounded_number_of_threads(
    serving: Serving,
) -> None:
    with ExitStack() as idle:
        for _ in range(200):
            idle.enter_context(connected(serving.path))
        assert serving.client.request({"request": "status"}).ok
        wait_until(
            lambda: (
                sum(one.name == "control" for one in threading.enumerate())
                <= 2 * ACCOUNT_CONNECTIONS_MAX
            )
        )


def test_a_paused_screen_goes_on_with_the_newest_snapshot(serving: Serving) -> None:
    with closing(serving.client.subscribe()) as snapshots:
        next(snapshots)
        serving.table.act(action())
        serving.clock.seconds += 3600
        for _ in range(5):
            serving.table.act(action())

        assert any(shown == serving.shown() for shown in snapshots)


def test_subscriptions_that_are_read_keep_their_places(after_overdraw: Serving) -> None:
    with ExitStack() as read:
        followed = [
            read.enter_context(closing(after_overdraw.client.subscribe()))
            for _ in range(ACCOUNT_CONNECTIONS_MAX)
        ]
        for snapshots in followed:
            next(snapshots)
        after_overdraw.clock.seconds += 59
        with pytest.raises(ControlError, match="no connection is free: an account has at most 16"):
            next(after_overdraw.client.subscribe())
        assert "none is idle" in error(after_overdraw.client.request(DECISION))

        after_overdraw.table.act(action())
        assert all(next(snapshots).suspension is not None for snapshots in followed)


def test_the_twenty_first_act_of_a_second_is_refused_and_the_connection_kept(
    serving: Serving, say: Callable[[bytes], Answer]
) -> None:
    call = json.dumps(CALL).encode() + b"\n"
    for _ in range(ACTS_PER_S_MAX):
        assert say(call).ok

    expected = "a connection may send at most 20 acts a second: nothing was stored. Remedy: wait"
    assert error(say(call)).startswith(expected)
    assert say(b'{"request": "status"}\n').ok
    assert len(serving.actions()) == ACTS_PER_S_MAX
    serving.clock.seconds += 1
    assert say(call).ok


def test_a_closed_connection_frees_its_slot(serving: Serving) -> None:
    held = [connected(serving.path) for _ in range(ACCOUNT_CONNECTIONS_MAX)]
    for connection in held:
        connection.sendall(b'{"request": "status"}\n')
        assert connection.recv(1) == b"{"
    for connection in held:
        connection.close()
    for thread in threading.enumerate():
        if thread.name == "control":
            thread.join()

    assert serving.client.request({"request": "status"}).ok


# --- following ----------------------------------------------------------------------------------


def test_a_subscriber_sees_the_table_now_and_after_each_change(after_overdraw: Serving) -> None:
    with closing(after_overdraw.client.subscribe()) as snapshots:
        first = next(snapshots)
        after_overdraw.client.request(DECISION)
        second = next(snapshots)

    assert first.phase.value == "suspended"
    # Persons have their names there.
    now_shown = after_overdraw.shown()
    assert replace(second, people=now_shown.people) == now_shown
    assert second.phase.value != "suspended"


def test_a_subscriber_sees_the_end(serving: Serving) -> None:
    with closing(serving.client.subscribe()) as snapshots:
        next(snapshots)
        serving.table.stop()
        serving.table.join()

        assert next(shown for shown in snapshots if shown.health != "running") is not None


def test_no_ctrl_c_is_lost_while_nothing_changes(
    serving: Serving, interrupt_within: Callable[..., None]
) -> None:
    with closing(serving.client.subscribe()) as snapshots:
        next(snapshots)
        interrupt_within("subscribe", "_receive")

        with pytest.raises(KeyboardInterrupt):
            next(snapshots)


def test_the_stream_ends_with_the_server(serving: Serving) -> None:
    with closing(serving.client.subscribe()) as snapshots:
        next(snapshots)
        serving.server.stop()

        assert list(snapshots) == []


def test_a_slow_subscriber_blocks_nobody(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    # More than the operating system keeps for a connection.
    monkeypatch.setattr(
        serving.requests, "snapshot_of", lambda: replace(serving.shown(), failure="x" * 4_000_000)
    )
    with connected(serving.path) as deaf:
        deaf.sendall(b'{"request": "subscribe"}\n')
        assert deaf.recv(1) == b"{"
        for _ in range(10):
            assert serving.table.act(action()) is not None

        assert serving.client.request({"request": "status"}).ok


def test_a_disconnected_subscriber_is_dropped(serving: Serving) -> None:
    with closing(serving.client.subscribe()) as snapshots:
        next(snapshots)

    streams = [thread for thread in threading.enumerate() if thread.name == "control"]
    for thread in streams:
        thread.join()
    assert not [thread for thread in streams if thread.is_alive()]


def test_changes_in_a_burst_are_sent_together(serving: Serving) -> None:
    changes = 200
    with closing(serving.client.subscribe()) as snapshots:
        next(snapshots)
        for _ in range(changes):
            serving.table.act(action())
        serving.table.stop()
        serving.table.join()
        received = 1
        for shown in snapshots:
            received += 1
            if shown.health == "stopped":
                break

    assert received < changes


def action() -> OperatorAction:
    return OperatorAction(now(), "D. Dealer", Role.DEALER, "test", CallNoMoreBets(), "")


# --- the socket ---------------------------------------------------------------------------------


def test_the_socket_is_for_its_owner_and_group(serving: Serving) -> None:
    assert stat.S_IMODE(serving.path.stat().st_mode) == 0o660


def test_the_socket_is_removed_at_stop(serving: Serving) -> None:
    serving.server.stop()

    assert not serving.path.exists()


def test_a_stale_socket_is_replaced(fast_dir: Path) -> None:
    path = fast_dir / "control.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(path))

    serving = Serving(fast_dir / "fresh", path)
    try:
        assert serving.client.request({"request": "status"}).ok
    finally:
        serving.end()


def test_a_live_socket_is_left_alone(serving: Serving) -> None:
    second = serving.served_at(serving.path)

    with pytest.raises(ControlUnavailable, match="another smartshoe is running there"):
        second.start()

    assert serving.client.request({"request": "status"}).ok


def test_a_file_at_the_path_is_left_alone(serving: Serving, fast_dir: Path) -> None:
    path = fast_dir / "notes.txt"
    path.write_text("mine")

    with pytest.raises(ControlUnavailable, match=r"exists but is not a socket\. Remedy: remove it"):
        serving.served_at(path).start()

    assert path.read_text() == "mine"


def test_a_missing_folder_is_reported(serving: Serving, fast_dir: Path) -> None:
    path = fast_dir / "nowhere" / "control.sock"

    with pytest.raises(
        ControlUnavailable, match=r"No such file or directory. Remedy: set \[control\]"
    ):
        serving.served_at(path).start()


def test_another_programs_socket_is_not_removed(serving: Serving) -> None:
    serving.path.unlink()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.bind(str(serving.path))
        serving.server.stop()

        assert serving.path.exists()


# --- the client's own errors --------------------------------------------------------------------


def test_no_socket_means_no_table(fast_dir: Path) -> None:
    client = ControlClient(fast_dir / "control.sock")

    with pytest.raises(
        ControlError, match=r"no table is running here\. Remedy: start it with `smartshoe run"
    ):
        client.request({"request": "status"})


def test_a_stale_socket_means_no_table(fast_dir: Path) -> None:
    path = fast_dir / "control.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(path))

    with pytest.raises(ControlError, match="no table is running here"):
        next(ControlClient(path).subscribe())


def test_no_permission_names_the_group(serving: Serving) -> None:
    words = serving.client._error_text(PermissionError(13, "Permission denied"))

    group = serving.path.stat().st_gid
    assert words.startswith(
        f"{serving.path}: this account has no permission to use it. Allowed: group "
    )
    assert ("group root" if group == 0 else "group ") in words


def test_a_path_that_is_too_long_is_reported() -> None:
    with pytest.raises(ControlError, match="AF_UNIX path too long"):
        ControlClient(Path("/" + "s" * 200)).request({"request": "status"})


class Stranger:
    """Another program that answers every connection with the same bytes."""

    def __init__(self, path: Path, answer: bytes) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        self._answer = answer
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(self._answer)

    def end(self) -> None:
        self._thread.join()
        self._listener.close()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"", "ended without an answer"),
        (b"SSH-2.0-OpenSSH\n", "is not smartshoe of this version. Remedy: name"),
        (b"[1]\n", "is not smartshoe"),
        (b'{"ok": true', "ended without an answer"),
        (b'{"ok": true, "snapshot": {"schema": 2}}\n', "is not smartshoe of this version"),
    ],
)
def test_another_program_behind_the_socket_is_reported(
    fast_dir: Path, answer: bytes, expected: str
) -> None:
    path = fast_dir / "control.sock"
    stranger = Stranger(path, answer)
    try:
        with pytest.raises(ControlError, match=expected):
            ControlClient(path).request({"request": "status"})
    finally:
        stranger.end()


# --- names of persons -----------------------------------------------------------------------------


def test_no_name_is_in_the_record_and_an_erased_one_in_no_answer(
    after_overdraw: Serving, suspended: Path, begun_log: Callable[[Path], None]
) -> None:
    answered = after_overdraw.client.request({**DECISION, "second": "C. Lee"})
    assert [one.person for one in answered.entries if isinstance(one, ResolutionAnswer)] == [
        "A. Floor"
    ]

    stored = b"".join(one.read_bytes() for one in suspended.glob("live.db*"))
    person, second = (after_overdraw.people.id_of(one) for one in ("A. Floor", "C. Lee"))
    assert b"A. Floor" not in stored
    assert b"C. Lee" not in stored
    assert person.encode() in stored
    assert second.encode() in stored

    after_overdraw.people.erase("A. Floor")
    answered = after_overdraw.client.request({**RECORD, "by": "C. Lee", "second": person})
    assert "A. Floor" not in str(answered)
    begun_log(suspended)
    assert verify(suspended).intact


def test_a_name_that_cannot_be_stored_stops_the_action(serving: Serving) -> None:
    assert serving.client.request(CALL).ok
    with closing(sqlite3.connect(serving.journal / PEOPLE_NAME)) as people, people:
        people.execute("DROP TABLE people")
        people.execute("CREATE VIEW people AS SELECT 'x' AS id, 'y' AS name, 'z' AS folded")

    answer = serving.client.request({**CALL, "by": "N. Ew"})

    assert "people.db: the names of persons cannot be read or stored" in error(answer)
    assert len(serving.actions()) == 1

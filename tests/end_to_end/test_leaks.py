"""No output of the running program discloses a face-down card.

Pairs of tables differ only in cards nobody has seen; no output may differ or name such a card.
Times, process ids, keys, the folder's name, the head of the chain and the division of the line's
bytes into reads are removed before two texts are compared.
Source: D-8 (a scan is not disclosure).
"""

import contextlib
import io
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import (
    ExitStack,
    chdir,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.json import encode
from pyarrow import parquet

from controller.cli import main as cli
from controller.journal.log_database import LogDatabase
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.client import ControlClient
from controller.procedure.phases import Phase
from controller.record.output_kinds import AllowedContent, OutputName
from controller.record.outputs import OUTPUTS
from controller.record.snapshot import Snapshot
from hil.dealing.cards import RANK_NAMES, Card, Suit, card_named
from hil.dealing.tableau import Winner
from hil.dealing.tags import batch
from hil.emulator.angel_eye.device import AngelEye, AngelEyeSettings
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.shuffler import Shuffler
from hil.progress import StoodStill, wait_while_moving
from hil.rig.device_programs import wait_until
from hil.rig.servers.feed_consumer import BrokerAccess, FeedConsumer
from hil.rig.servers.mosquitto import Mosquitto

pytestmark = pytest.mark.needs("mosquitto", "pyarrow")
PROGRAM = (sys.executable, "-P", "-m", "controller.cli.main")
LOOK_S, LOOKS_MAX = 0.02, 500
CONFIG = """\
[table]
name = "M7"

[rules]
profile = "{profile}"
decks = 8
observed = {observed}

[shoe]
port = "{folder}/shoe"
report_interval_ms_min = 1
reports_s_max = 0
allow_commands = true
log_level_wire = "bytes"

[journal]
folder = "journal"
# Below, the free space of the disk is part of what is shown.
warn_free_mib = 64

[evidence]
key = "seals.key"

[metrics]
port = 0

[overlay]
listen = "127.0.0.1:0"

[[feed]]
name = "office"
host = "127.0.0.1"
port = {broker}
tls = false
content = "finished_coups"
backfill = true
"""
# Both tables of a pair have it, or their fingerprints would differ.
SEALS_KEY = """\
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIKvjKIifBGF3AijnKm4pCMFlcgD6JnaIczFHLpfaSQJJ
-----END PRIVATE KEY-----
"""
FACE_DOWN_DEALER = """\
name = "down"
base = "ny-mini"
[values]
deal_option = "face_down_dealer"
"""
TOLD = '["result_button", "turned"]'
UNTOLD = '["result_button"]'


class Listened(AngelEye):
    """A shoe that records the bytes sent to it."""

    def __init__(self) -> None:
        super().__init__(AngelEyeSettings(repeats=1))
        self.bytes_received = b""

    def receive(self, data: bytes, at_ns: int) -> bytes:
        self.bytes_received += data
        return super().receive(data, at_ns)


# --- one table ------------------------------------------------------------------------------------


def answered(request: str | urllib.request.Request) -> str:
    try:
        with urllib.request.urlopen(request) as answer:
            return f"{answer.status}\n{answer.headers}\n{answer.read().decode()}"
    except urllib.error.HTTPError as error:
        with error:
            return f"{error.code}\n{error.headers}\n{error.read().decode()}"


@dataclass
class RunningTable:
    """`smartshoe run` on a pty, a subscriber, and a monitor at a second shoe's port

    to which the same happens. `hidden` are the undisclosed cards in the order of drawing.
    """

    folder: Path
    hidden: list[Card]
    shoe: PtyServer[Listened]
    twin: PtyServer[Listened]
    notify: socket.socket
    client: ControlClient
    consumer: FeedConsumer
    unseen: list[Card] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    stream: list[str] = field(default_factory=list)
    monitor: subprocess.Popen[str] | None = None
    lines: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    drawn: int = 0

    @property
    def config(self) -> Path:
        return self.folder / "table.toml"

    def process(self, log: str, *words: str, stdout: int | None = None) -> subprocess.Popen[str]:
        with (self.folder / log).open("ab") as file:
            return subprocess.Popen(
                [*PROGRAM, *words],
                env={**os.environ, "NOTIFY_SOCKET": f"{self.folder}/notify"},
                stdin=subprocess.DEVNULL,
                stdout=file if stdout is None else stdout,
                stderr=file,
                text=True,
                start_new_session=True,
            )

    def listen(self) -> None:
        for shown in self.client.subscribe():
            self.stream.append(encode(shown).decode())

    def record(self) -> None:
        """Take the lines for a video recorder until the table ends."""
        (port,) = re.findall(r"overlay 127\.0\.0\.1:(\d+)", "\n".join(self.log()))
        with socket.create_connection(("127.0.0.1", int(port))) as recorder:
            for line in recorder.makefile("r", newline="\r\n"):
                self.lines.append(line)

    def wait(self, ready: Callable[[Snapshot], bool]) -> None:
        """Wait until the snapshot meets a condition."""
        for _ in range(LOOKS_MAX):
            shown = self.client.status()
            if ready(shown):
                return
            self.stopping.wait(LOOK_S)
        pytest.fail(f"still {shown}")

    def happens(self, act: Callable[[Listened], object]) -> None:
        """Act at both shoes."""
        for server in (self.shoe, self.twin):
            server.perform(act)  # type: ignore[arg-type]
            assert server.settle()

    def caught_up(self) -> None:
        """Wait until all reports of the shoe are logged, and the exit is as the table wants."""

        def is_so(shown: Snapshot) -> bool:
            locked = shown.device.locked is True
            logged = sum("frame  report" in line for line in self.log())
            as_wanted = locked is (shown.phase.value is Phase.SUSPENDED)
            return as_wanted and logged == self.shoe.emulator.reports_made

        self.wait(is_so)

    def draw(self, name: str) -> None:
        """Draw a card; `?` for the next undisclosed one."""
        card = self.hidden.pop(0) if name == "?" else card_named(name)
        if name == "?":
            self.unseen.append(card)
        self.drawn += 1
        self.happens(lambda shoe: shoe.draw(card))
        self.wait(lambda shown: shown.shoe is not None and shown.shoe.cards_drawn == self.drawn)

    def act(self, action: str, role: str = "floorperson", **values: object) -> Answer:
        request = {"request": "act", "action": action, "by": "A. Floor", "role": role}
        answer = self.client.request({**request, "reason": "as seen", **values})
        self.answers.append(answer)
        return answer

    def log(self) -> list[str]:
        """The program's log lines, without the time.

        Ids of persons and keys of heads are random at each table, and so are roots and codes. Each
        logger has a thread of its own: the lines are in order of the loggers, then of each.
        """
        text = re.sub("person-[0-9a-f]{12}", "person", (self.folder / "log").read_text())
        text = re.sub("code (of the day )?[A-Z2-7-]{23}|root [0-9a-f]{64}", "random", text)
        lines = [line[24:] for line in text.splitlines()]
        return sorted(lines, key=lambda line: ("random" in line, line.split(":")[0]))

    @property
    def url(self) -> str:
        (url,) = re.findall(r"metrics (http://[^/]*)", "\n".join(self.log()))
        return str(url)

    def page(self, path: str) -> str:
        return answered(self.url + path)

    def first_event(self, path: str) -> str:
        """The first event of a stream that says anything."""
        with urllib.request.urlopen(self.url + path) as answer:
            return next(line for line in answer if line.startswith(b"data:")).decode()

    def sent_form(self, path: str, **fields: str) -> str:
        """The answer to a form of the operator page, in a session of its own."""
        with urllib.request.urlopen(self.url) as answer:
            cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]
            (token,) = re.findall(r'data-csrf="([^"]*)"', answer.read().decode())
        body = urllib.parse.urlencode({"csrf": token, **fields}).encode()
        headers = {"Cookie": cookie, "Origin": self.url, "Accept": "text/plain"}
        return answered(urllib.request.Request(self.url + path, body, headers))

    def command(self, *words: str) -> str:
        """A command of the program; names of files are of the table's folder."""
        out, err = io.StringIO(), io.StringIO()
        with chdir(self.folder), redirect_stdout(out), redirect_stderr(err):
            code = cli.main(words)
        return f"{code}\n{out.getvalue()}\n{err.getvalue()}"

    def monitored(self) -> str:
        """The monitor's output without times; two key presses mark the end."""
        assert self.monitor is not None
        assert self.monitor.stdout is not None
        for _ in range(2):
            self.twin.perform(lambda shoe: shoe.stand_by())
        lines: list[str] = []
        while sum("event  StandByEntered" in line for line in lines) < 2:
            lines.append(self.monitor.stdout.readline())
            assert lines[-1], "the monitor ended"
        return "".join(line[14:] for line in lines)


def ended(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    process.communicate()


@contextmanager
def running(
    folder: Path, profile: str, observed: str, hidden: tuple[str, ...]
) -> Iterator[RunningTable]:
    """The program and the monitor at work, the shoe switched on."""
    folder.mkdir()
    (folder / "down.toml").write_text(FACE_DOWN_DEALER)
    (folder / "seals.key").touch(0o600)
    (folder / "seals.key").write_text(SEALS_KEY)
    with ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(folder / "broker"))
        consumer = stack.enter_context(FeedConsumer(BrokerAccess(broker.port), "office"))
        values = {"profile": profile, "observed": observed, "broker": broker.port}
        (folder / "table.toml").write_text(CONFIG.format(folder=folder, **values))
        shoe = stack.enter_context(PtyServer(Listened(), link=folder / "shoe"))
        twin = stack.enter_context(PtyServer(Listened(), link=folder / "twin"))
        notify = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        notify.bind(f"{folder}/notify")
        client = ControlClient(folder / "control.sock")
        cards = [card_named(name) for name in hidden]
        table = RunningTable(folder, cards, shoe, twin, notify, client, consumer)
        table.monitor = table.process(
            "monitor", "devices", "monitor", f"{folder}/twin", stdout=subprocess.PIPE
        )
        stack.callback(ended, table.monitor)
        program = table.process("log", "run", "--as-root", f"{folder}/table.toml")
        listener = threading.Thread(target=table.listen)
        recorder = threading.Thread(target=table.record)
        stack.callback(lambda: listener.ident is None or listener.join())
        stack.callback(lambda: recorder.ident is None or recorder.join())
        stack.callback(ended, program)
        ready = wait_while_moving(lambda wait_s: select.select([notify], [], [], wait_s)[0])
        assert ready, (folder / "log").read_text()
        assert b"READY=1" in notify.recv(4096)
        listener.start()
        recorder.start()
        table.happens(lambda one: one.power_on())
        yield table


# --- the outputs ----------------------------------------------------------------------------------


def snapshots(table: RunningTable) -> str:
    shown = table.client.request({"request": "status"})
    first = next(iter(table.client.subscribe()))
    return encode((shown, first)).decode()


def answers(table: RunningTable) -> str:
    table.act("seat-vacated", seat=3)
    return encode(table.answers).decode()


REFUSED = (
    {"request": "cards"},
    {"request": "status", "card": "7h"},
    {"request": "act", "action": "peek", "by": "A", "role": "dealer"},
    {"request": "act", "action": "resolve", "by": "A", "role": "dealer"},
    {"request": "act", "action": "turned", "by": "A", "role": "dealer", "what": "banker_third"},
    {"request": "act", "action": "give-up", "by": "A", "role": "dealer", "hand": "neither"},
)


def refusals(table: RunningTable) -> str:
    return encode([table.client.request(one) for one in REFUSED]).decode()


# Times, and what is taken in or written by then.
_TIMED = re.compile(r"smartshoe_\w+_(seconds(_\w+)?|bytes)\{|smartshoe_(stored|inputs)_waiting")
# A phase that is not shown: every table has this line.
_OTHER_PHASE = re.compile(r"smartshoe_phase\{.* 0\.0")


def metrics(table: RunningTable) -> str:
    # The root of a head is random; when the log has written it depends on the disk.
    timed = ("process_", "python_", "smartshoe_scan_to_stored", "smartshoe_journal_transactions")
    timed += ("smartshoe_log_root48", "smartshoe_log_size", "smartshoe_log_leaves_waiting")
    timed += ("smartshoe_journal_records", "smartshoe_device_bytes")
    lines = table.page("/metrics").splitlines()
    return "\n".join(
        line
        for line in lines
        if not line.startswith((*timed, "#"))
        and not _TIMED.match(line)
        and not _OTHER_PHASE.fullmatch(line)
    )


def pages(table: RunningTable) -> str:
    """Every page, both streams, and the answer to a form; tokens are random."""
    html = [table.page(path) for path in ("/", "/patrons", "/actions", "/sign-on")]
    html += [table.first_event(path) for path in ("/events", "/patrons/events")]
    html.append(table.sent_form("/act", action="seat-vacated", seat="4", by="A"))
    # The name of the script is no jack of spades.
    mark = r"[\w-]{43}|console\.js|smartshoe_session_\d+|events\?of=[0-9a-f]{16}"
    return re.sub(mark, "", "\n".join(html))


def api(table: RunningTable) -> str:
    """What follows from the table's state; the other paths describe the API itself."""
    return table.page("/api/v1/snapshot") + table.first_event("/api/v1/stream")


def health_pages(table: RunningTable) -> str:
    return "\n".join(table.page(path) for path in ("/healthz", "/readyz", "/cards"))


def logged(table: RunningTable) -> str:
    return "\n".join(line for line in table.log() if "smartshoe.wire" not in line)


def by_level(lines: list[str]) -> str:
    """Frames, events and bytes separately, as the division into reads varies."""
    frames = [line for line in lines if "frame  " in line]
    events = [line for line in lines if "event  " in line]
    flow = " ".join(line.partition("bytes  ")[2] for line in lines)
    return "\n".join([*frames, *events, *flow.split()])


def wire_logged(table: RunningTable) -> str:
    return by_level([line for line in table.log() if "smartshoe.wire" in line])


def noticed(table: RunningTable) -> str:
    """The notifications to systemd after readiness: none."""
    table.notify.setblocking(False)
    messages = []
    with suppress(BlockingIOError):
        while True:
            messages.append(table.notify.recv(4096).decode())
    return json.dumps(messages)


def device_bytes(table: RunningTable) -> str:
    return table.shoe.emulator.bytes_received.hex()


def second_run(table: RunningTable) -> str:
    """A second program on the same table."""
    second = table.process("second", "run", "--as-root", str(table.config))
    second.wait()
    return (table.folder / "second").read_text()


def journal(table: RunningTable) -> str:
    """The modes of the evidence, which holds every drawn card: account and group only."""
    folder = table.folder / "journal"
    files = [one for one in sorted(folder.iterdir()) if one.name.startswith("live.db")]
    assert files
    assert [one for one in (folder, *files) if one.stat().st_mode & 0o007] == []
    return json.dumps([one.name for one in files])


def status_words(table: RunningTable) -> str:
    words = (("status",), ("status", "--json"), ("resolve",), ("resolve", "--json"))
    folder = (table.command("status", "."), table.command("status", ".", "--json"))
    return "\n".join((*(table.command(*some, "--config", "table.toml") for some in words), *folder))


def monitored(table: RunningTable) -> str:
    return by_level(table.monitored().splitlines())


def recorded(table: RunningTable) -> str:
    """A running table's wires are not recorded, and no file is left."""
    words = ("--config", "table.toml", "--to", "wires.pcapng", "--yes")
    output = table.command("devices", "record", *words)
    assert "already writes this journal" in output
    assert not (table.folder / "wires.pcapng").exists()
    return output


def devices(table: RunningTable) -> str:
    return table.command("devices")


def key(table: RunningTable) -> str:
    made = table.command("keys", "make", "new.key")
    image = ("--sha256", "c0" * 32, "--version", "1.2.0", "--counter", "3", "--key", "new.key")
    words = (
        ("firmware", "approve", *image),
        ("firmware", "list"),
        ("firmware", "verify", "--key", "new.key.pub"),
    )
    output = (made, *(table.command(*some) for some in words))
    # Another key and another moment each time.
    return "\n".join(re.split("fingerprint|signed  ", some)[0] for some in output)


CARDS = batch("RED-0001", "red", 1)
WHO = ("--maker", "Acme", "--operator", "Ann Lee", "--key", "batch.key")


def batches(table: RunningTable) -> str:
    """Import, show and export a maker's list beside the table."""
    (table.folder / "maker.csv").write_text(CARDS.csv())
    table.command("keys", "make", "batch.key")
    taken = table.command("batch", "import", "maker.csv", *WHO)
    name = ("RED-0001", "--key", "batch.key")
    words = (
        ("batch", "list", *name[1:]),
        ("batch", "show", *name),
        ("batch", "export", *name),
        ("shuffles", "list", "journal"),
        ("shuffles", "export", "journal", "--out", "shuffles"),
    )
    return "\n".join([taken, *(table.command(*some) for some in words)])


def paired(table: RunningTable) -> str:
    """A shuffler paired beside the table."""
    shuffler = Shuffler()
    shuffler.power_on()
    (table.folder / "pin").unlink(missing_ok=True)
    with TcpServer(shuffler) as line:
        words = ("identity", "pair", line.url, "--out", "pin", "--person", "Ann Lee")
        output = table.command(*words)
    assert "a shuffler" in output
    return output.partition("starts")[0]


def enrolled(table: RunningTable) -> str:
    """A batch enrolled at a reader of its own beside the table, and a shuffler paired."""
    with TcpServer(TableReader()) as reader:
        deck = tuple(one for one in CARDS.cards if one.deck == 1)
        reader.perform(lambda device: device.lay_pile(deck))
        words = ("RED-0001", "--replace", "--decks", "1", "--back", "red", "--yes", "--wait", "5")
        output = table.command("batch", "enrol", *words, "--reader", reader.url, *WHO)
    assert "is complete" in output
    return re.sub(r"socket://\S+", "reader", output) + paired(table)


def uncounted(text: str) -> str:
    """Removes the number of inputs, which depends on reads and ticks, and how far the log is."""
    text = re.sub(r"(?m)^.*nothing in the log speaks of records.*\n?", "", text)
    return re.sub(r'\d+ (records|inputs)|"(records|inputs|sound_after)": \d+', "some", text)


def verified(table: RunningTable) -> str:
    words = (("verify", "journal"), ("verify", "journal", "--json"))
    return uncounted("\n".join(table.command(*some) for some in words))


def replayed(table: RunningTable) -> str:
    words = (("replay", "journal"), ("replay", "journal", "--json"))
    return uncounted("\n".join(table.command(*some) for some in words))


def listed(table: RunningTable) -> str:
    """Only the finished coups of the shoe in play, as far as they were disclosed."""
    words = (("list", "journal"), ("list", "journal", "--json"), ("export", "journal", "--json"))
    output = uncounted("\n".join(table.command("journal", *some) for some in words))
    return re.sub(r'"record": \d+, "at": "\S+"', "then", output)


def tables(table: RunningTable) -> str:
    """The cells of all exported tables, without times, numbers of records and waits."""
    made = table.command("journal", "export", "journal", "--parquet", "tables", "--jobs", "1")
    files = sorted((table.folder / "tables").rglob("*.parquet"))
    cells = [
        f"{path.parent.parent.parent.name} {row}"
        for path in files
        for row in parquet.read_table(path).to_pylist()
    ]
    timed = r"'(record|at_utc|\w+_utc|\w+_ms)': (datetime\.datetime\([^)]*\)|\d+|None)"
    cells = [re.sub("person-[0-9a-f]{12}", "person", cell) for cell in cells]
    return re.sub(r"\d+ bytes", "bytes", made) + re.sub(timed, "then", "\n".join(cells))


def overlaid(table: RunningTable) -> str:
    """Of a coup in play nothing; an irregularity by its code, a decision, a finished coup."""
    return "".join(table.lines)


def bundled(table: RunningTable) -> str:
    """A coup has no bundle while its shoe is open."""
    output = table.command("evidence", "1/1", "--journal", "journal", "--out", "coup.zip")
    assert "is not sealed" in output
    assert not (table.folder / "coup.zip").exists()
    return output


def reported(table: RunningTable) -> str:
    """A shoe has no report while it is open, and neither has its day."""
    shoe = table.command("report", "shoe", "1", "--journal", "journal", "--out", "shoe.html")
    day = table.command("report", "day", "newest", "--journal", "journal", "--out", "day")
    assert "is not sealed" in shoe
    assert "is not sealed" in day
    assert not [*table.folder.glob("*shoe.html*"), *table.folder.glob("*day*")]
    return f"{shoe}\n{day}"


def audited(table: RunningTable) -> str:
    words = (("audit", "journal", "--jobs", "1"), ("audit", "journal", "--deep", "--json"))
    text = "\n".join(table.command(*some) for some in words)
    changing = r'[\d.]+ (s,|cards per second)|"(elapsed_ms|cards_per_s|open_records)": \d+'
    return re.sub(changing, "some", uncounted(text))


def reference(table: RunningTable) -> str:
    checks = (("check-config", "table.toml"), ("check-config", "."))
    words = (("rules",), ("act", "--list"), *checks, ("--version",))
    return "\n".join(table.command(*some) for some in words)


def examined(table: RunningTable) -> str:
    """What the doctor finds, without the free space and the table's own key."""
    shown = table.command("doctor", "table.toml") + table.command("doctor", "--between-shoes", ".")
    return re.sub(r"signed by .*|\d+ MiB|process \d+", "some", shown)


def tried(table: RunningTable) -> str:
    return table.command("try", "burn Ac + 1; P 9h; B Kc")


def witnessed(table: RunningTable) -> str:
    """The heads that a witness is asked to cosign; roots and signatures are random."""
    with LogDatabase.open_read_only(table.folder / "journal") as log:
        notes = [log.note(size) or b"" for size in range(1, log.size + 1)]
    return re.sub("[A-Za-z0-9+/]{40,}=*", "random", b"".join(notes).decode())


def fed(table: RunningTable) -> str:
    """The events, and an answer to a request; the free space, heads and chain are each table's."""
    done = table.consumer.ask("smartshoe/-/M7", {"gaming_day": "2026-11-21", "shoe": 1})
    held = table.consumer.held
    events = held.events.get("/smartshoe/-/M7", {})
    # The first ones of a start have no order: its monitors and ports are threads.
    told = sorted(f"{held.topics[name]} {one['data']}" for name, one in events.items())
    text = json.dumps([told, sorted(events), [one["data"] for one in done]])
    text = re.sub(r"(\d{10}\.\d{3}\.)[0-9a-f]{8}", r"\1chain", text)
    text = re.sub(r"'free_bytes': \d+", "some", text)
    return re.sub("person-[0-9a-f]{12}", "person", text)


def fault(table: RunningTable) -> str:
    """An internal error whose message names cards."""

    def dispatch(_words: list[str]) -> int:
        raise AssertionError(f"none of these is due: {spellings(table.unseen)}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cli, "_dispatch", dispatch)
        return table.command("status")


def errors(table: RunningTable) -> str:
    words = (
        ("status", "--socket", "nowhere"),
        ("replay", "nowhere"),
        ("verify", "table.toml"),
        ("check-config", "nowhere.toml"),
        ("try", "P 7"),
        ("act", "turned", "what=all", "--config", "table.toml", "--by", "A"),
        ("devices", "monitor", "shoe", "--maintenance", "--yes", "--config", "table.toml"),
    )
    return "\n".join(table.command(*some) for some in words)


WALKERS: dict[OutputName, Callable[[RunningTable], str]] = {
    OutputName.SNAPSHOT: snapshots,
    OutputName.ACTION_ANSWER: answers,
    OutputName.CONTROL_REFUSAL: refusals,
    OutputName.PAGES: pages,
    OutputName.API: api,
    OutputName.METRICS: metrics,
    OutputName.HEALTH_PAGES: health_pages,
    OutputName.LOG: logged,
    OutputName.WIRE_LOG: wire_logged,
    OutputName.SERVICE_NOTICE: noticed,
    OutputName.DEVICE_BYTES: device_bytes,
    OutputName.PROGRAM_WORDS: second_run,
    OutputName.JOURNAL: journal,
    OutputName.STATUS_WORDS: status_words,
    OutputName.MONITOR: monitored,
    OutputName.WIRE_RECORD: recorded,
    OutputName.DEVICE_LIST: devices,
    OutputName.KEY: key,
    OutputName.BATCH: batches,
    OutputName.BATCH_READER: enrolled,
    OutputName.VERIFY_REPORT: verified,
    OutputName.REPLAY_REPORT: replayed,
    OutputName.EVIDENCE_BUNDLE: bundled,
    OutputName.REPORT: reported,
    OutputName.AUDIT_REPORT: audited,
    OutputName.JOURNAL_FILES: listed,
    OutputName.TABLES: tables,
    OutputName.OVERLAY: overlaid,
    OutputName.REFERENCE: reference,
    OutputName.SET_UP: examined,
    OutputName.TRIED: tried,
    OutputName.FAULT: fault,
    OutputName.ERROR_WORDS: errors,
    OutputName.WITNESS: witnessed,
    OutputName.FEED: fed,
}
# What ends what it looks at, or takes a while: when all that is hidden lies there.
AT_THE_END = (
    OutputName.PROGRAM_WORDS,
    OutputName.STATUS_WORDS,
    OutputName.MONITOR,
    OutputName.WIRE_RECORD,
    OutputName.VERIFY_REPORT,
    OutputName.REPLAY_REPORT,
    OutputName.EVIDENCE_BUNDLE,
    OutputName.REPORT,
    OutputName.AUDIT_REPORT,
    OutputName.JOURNAL_FILES,
    OutputName.TABLES,
    OutputName.WITNESS,
    OutputName.SET_UP,
)
# What looks at no running table: once, beside one.
BESIDE = (
    OutputName.DEVICE_LIST,
    OutputName.KEY,
    OutputName.BATCH,
    OutputName.BATCH_READER,
    OutputName.REFERENCE,
    OutputName.TRIED,
    OutputName.ERROR_WORDS,
)
EACH = tuple(output for output in OutputName if output not in (*AT_THE_END, *BESIDE))


def test_every_output_is_tested() -> None:
    assert list(WALKERS) == list(OutputName)


# --- what may not pass ----------------------------------------------------------------------------

SIGNS = {
    Suit.DIAMOND: ("d", "♦", "diamonds"),
    Suit.CLUB: ("c", "♣", "clubs"),
    Suit.SPADE: ("s", "♠", "spades"),
    Suit.HEART: ("h", "♥", "hearts"),
}
RANK_WORDS = ("ace", *map(str, range(2, 11)), "jack", "queen", "king")


def spellings(cards: list[Card]) -> list[str]:
    """Each card in every form in which a person or a program may write it."""
    found = []
    for card in cards:
        rank, word = RANK_NAMES[card.rank - 1], RANK_WORDS[card.rank - 1]
        letter, sign, suit = SIGNS[card.suit]
        found += [f"{rank}{letter}", f"{rank}{sign}", f"{word} of {suit}", f"{word}_of_{suit}"]
        found += [f'"rank": {card.rank}, "suit": "{letter}', f"rank={card.rank}, suit={letter}"]
    return found


def named_in(text: str, cards: list[Card]) -> list[str]:
    """The spellings found in a text; a single byte on a line of its own is not counted."""
    text = re.sub(r"(?m)^[0-9A-F]{2}$", "", text)
    return [
        one
        for one in spellings(cards)
        if re.search(rf"(?<![0-9a-z]){re.escape(one)}(?![0-9a-z])", text, re.IGNORECASE)
    ]


# As a text without its white space has them.
TELLING = (
    *("player_3", "banker_3", "PLAYER_3", "BANKER_3", '"natural":true'),
    *('"phase":{"value":"result"', '"resume_to":{"value":"result"', '"natural":{"value":true'),
)


def comparable(table: RunningTable, text: str) -> str:
    """Removes what differs between runs."""
    text = text.replace(str(table.folder), "FOLDER")
    for pattern, instead in (
        (r"\b[0-9a-f]{64}\b", "HEAD"),
        (r"127\.0\.0\.1:\d+", "HERE"),
        (r"process \d+", "process"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[,.]\d+", "THEN"),
        (r"(?i)\bdate: .*", "Date"),
        (r"(?i)content-length: .*", "Content-Length"),
        (r'"metrics_read_s": ?\d+|were read \d+ s ago', "scraped"),
        (r'\d+ coups per second|"(?:elapsed_ms|coups_per_s)": \d+', "quick"),
    ):
        text = re.sub(pattern, instead, text)
    return text


# Written by threads that no card waits for.
LATE = (
    *(OutputName.LOG, OutputName.WIRE_LOG, OutputName.METRICS),
    *(OutputName.FEED, OutputName.OVERLAY),
)
# What passes there is no table's card: the same cards are named there, whatever is dealt.
OWN = [one.name for one in OUTPUTS if one.allowed in (AllowedContent.OWN, AllowedContent.BATCH)]


def texts_of(one: RunningTable, other: RunningTable, output: OutputName) -> list[str]:
    """What both tables say; of an output that is written behind a queue once it is the same."""
    texts: list[str] = []

    def are_alike() -> bool:
        texts[:] = [WALKERS[output](table) for table in (one, other)]
        return output not in LATE or comparable(one, texts[0]) == comparable(other, texts[1])

    with contextlib.suppress(StoodStill):  # who asked shows how they differ
        wait_until(are_alike)
    return texts


def walked(
    one: RunningTable, other: RunningTable, outputs: tuple[OutputName, ...], when: str
) -> None:
    """No output differs, and none names an undisclosed card or what follows from it."""
    for output in outputs:
        texts = texts_of(one, other, output)
        for table, text in zip((one, other), texts, strict=True):
            if output not in OWN:
                assert not named_in(text, table.unseen), f"{output} {when}"
                joined = "".join(text.split())
                assert not [word for word in TELLING if word in joined], f"{output} {when}"
        assert comparable(one, texts[0]) == comparable(other, texts[1]), f"{output} {when}"


@dataclass(frozen=True)
class Deal:
    """Events at two tables alike; `?` is the next card of `one` or of `other`."""

    profile: str
    steps: tuple[tuple[object, ...], ...]
    one: tuple[str, ...]
    other: tuple[str, ...]
    observed: str = UNTOLD


def draws(*names: str) -> tuple[tuple[object, ...], ...]:
    return tuple(("draw", name) for name in names)


BURN = draws("AD", "?")
FOUR = draws("?", "?", "?", "?")
# The second burn card, then Player's and Banker's cards in turn.
NATURAL = ("JS", "9H", "7D", "KC", "5S")
BOTH_STAND = ("4H", "7C", "7S", "10H", "KH")
PLAYER_DRAWS = ("9C", "2H", "3D", "QC", "QS")

DEALS = {
    "a card too many, the coup void, the next one begun": Deal(
        "ny-midi",
        (*BURN, *FOUR, ("draw", "?"), ("resolve", "void-coup"), ("draw", "?")),
        (*NATURAL, "3C", "6H"),
        (*BOTH_STAND, "8D", "2C"),
    ),
    "a card too many, held for the next coup": Deal(
        "ny-midi",
        (*BURN, *FOUR, ("draw", "?"), ("resolve", "carry-card")),
        (*NATURAL, "3C"),
        (*BOTH_STAND, "8D"),
    ),
    "a third card face down": Deal(
        "ny-midi",
        (*BURN, *FOUR, ("draw", "?")),
        (*PLAYER_DRAWS, "8S"),
        (*PLAYER_DRAWS[:1], "3H", "4C", "JD", "KD", "6S"),
    ),
    "the Player's hand turned": Deal(
        "ny-midi",
        (*BURN, *draws("7H", "?", "KC", "?"), ("act", "turned", "player_hand")),
        ("JS", "2D", "5S"),
        ("4H", "8C", "10D"),
        TOLD,
    ),
    "a third card face up over hands that are not": Deal(
        "down.toml",
        (*BURN, *FOUR, ("draw", "8C")),
        PLAYER_DRAWS,
        ("6D", "4D", "6C", "AH", "KS"),
    ),
    "the plug pulled, the coup left": Deal(
        "ny-midi",
        (
            *BURN,
            *draws("?", "?", "?"),
            ("plug",),
            ("draw", "?"),
            ("leave",),
            ("resolve", "void-coup", "void"),
        ),
        NATURAL,
        BOTH_STAND,
    ),
}


def step_of(table: RunningTable, step: tuple[object, ...]) -> None:
    match step:
        case ("draw", str(name)):
            table.draw(name)
        case ("act", str(action), str(what)):
            assert table.act(action, "dealer", what=what).ok
        case ("resolve", str(decision), *provisional):
            values = dict(zip(("decision", "provisional"), (decision, *provisional), strict=False))
            if decision == "void-coup":
                values["second"] = "B. Floor"
            assert table.act("resolve", **values).ok, table.answers[-1]
        case ("leave",):
            table.happens(lambda shoe: shoe.force_exit())
            table.wait(lambda shown: bool(shown.irregularities))
        case ("plug",):
            table.shoe.unplug()
            table.wait(lambda shown: shown.device.stage == "lost")
            table.shoe.replug()
            table.wait(lambda shown: shown.device.stage not in ("lost", "closed"))
        case _:
            raise AssertionError(step)


@contextmanager
def pair(folder: Path, deal: Deal) -> Iterator[tuple[RunningTable, RunningTable]]:
    with (
        running(folder / "one", deal.profile, deal.observed, deal.one) as one,
        running(folder / "two", deal.profile, deal.observed, deal.other) as other,
    ):
        yield one, other


def go(tables: tuple[RunningTable, RunningTable], step: tuple[object, ...]) -> None:
    for table in tables:
        step_of(table, step)
    for table in tables:
        table.caught_up()


@pytest.mark.parametrize("deal", list(DEALS.values()), ids=list(DEALS))
def test_two_tables_that_differ_in_unseen_cards_have_the_same_outputs(
    fast_dir: Path, deal: Deal
) -> None:
    with pair(fast_dir, deal) as tables:
        for number, step in enumerate(deal.steps, start=1):
            go(tables, step)
            walked(*tables, EACH, f"after step {number}, {step}")
        walked(*tables, AT_THE_END, "at the end")
        for table in tables:
            assert not table.hidden
            assert not named_in("\n".join(table.stream), table.unseen)


def test_other_commands_print_the_same_beside_a_face_down_coup(
    fast_dir: Path,
) -> None:
    deal = Deal("ny-midi", (*BURN, *FOUR), NATURAL, BOTH_STAND)
    with pair(fast_dir, deal) as tables:
        for step in deal.steps:
            go(tables, step)
        walked(*tables, BESIDE, "in play")


def test_open_irregularities_are_exported_alike_beside_face_down_hands(fast_dir: Path) -> None:
    deal = DEALS["a card too many, held for the next coup"]
    with pair(fast_dir, deal) as tables:
        for step in deal.steps[:-1]:
            go(tables, step)
        for table in tables:
            rows = table.command("journal", "export", "journal", "--json")
            assert '"kind": "irregularity"' in rows
            assert '"open": true' in rows
        walked(*tables, (OutputName.JOURNAL_FILES,), "undecided")


def test_disclosed_cards_are_in_the_outputs(fast_dir: Path) -> None:
    with running(fast_dir / "one", "ny-midi", UNTOLD, NATURAL) as table:
        for step in (*BURN, *FOUR):
            step_of(table, step)
        table.happens(lambda shoe: shoe.press_result(Winner.PLAYER, False, False))
        table.wait(lambda shown: shown.last_coup is not None)
        disclosed = named_in(snapshots(table) + status_words(table), table.unseen)

    assert {"9h", "7d", "Kc", "5s"} <= {one for one in disclosed if " " not in one}

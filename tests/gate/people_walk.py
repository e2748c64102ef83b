"""Who may do what at an installed table: each cell of the tables of commissioning and people.

Two accounts of the machine and five people with PINs, at a terminal and at the page, in the root
folder of a Debian where the program is: that of the gate, or one that a test puts together. What is
allowed is read from the page that is installed there; only how each thing is tried stands here.
Prints nothing; raises AssertionError with every cell that is not as the page says.
"""

import contextlib
import json
import re
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

TABLE = "P-5"
FLOOR, CAMERA, OWNER = "floor1", "camera1", "smartshoe"
GROUPS = {FLOOR: "smartshoe-control", CAMERA: "smartshoe-evidence"}
START_S = 60.0


class Person(NamedTuple):
    name: str
    pin: str


# By the heading of their column; their roles are its words.
PEOPLE = {
    "dealer": Person("Dee Dealer", "270918"),
    "floorperson": Person("Ann Lee", "381029"),
    "pit manager": Person("Bo Ray", "492130"),
    "engineer": Person("Eve Tool", "503241"),
    "surveillance": Person("Sam Veil", "614352"),
}
# What makes each act a whole request, so that nothing but the person decides.
VALUES: Mapping[str, Mapping[str, str]] = {
    "declare-result": {"outcome": "banker"},
    "turned": {"what": "player_hand"},
    "give-up": {"hand": "player"},
    "wagers": {"wagers": "none"},
    "collect-vigorish": {"seat": "5"},
    "seat-vacated": {"seat": "5"},
    "record": {"act": "inspected", "batch": "red", "amount": "416"},
    "resolve": {"decision": "continue"},
    "correct-coup": {"coup": "1", "outcome": "tie"},
    "set-card-apart": {"batch": "red"},
    "clear-warning": {"number": "1"},
    "bind-batch": {"batch": "RED-0001"},
    "document-vigorish": {
        "seat": "5",
        "form_number": "1",
        "patron": "C. Guest",
        "dealer": "Dee Dealer",
        "pit_clerk": "P. Clerk",
    },
    "notice": {"setting": "vig_rate", "value": "4", "to": "players"},
    "set-gaming-day": {"day": "2000-01-01"},
    "clear-shoe-error": {"code": "4"},
    "order-shuffler": {"order": "release"},
    "change-setting": {"setting": "vig_rate", "value": "4"},
}
OWN_COMMANDS = ("resolve", "close-shoe")
REASON = "tried by the walk"
NOT_FOR = re.compile(r"role: .* is not for |people: this account may not do that")
# The pages whose commands are for a floorperson's account, beside that of the tables.
PAGES = ("day.md", "what-to-do.md", "floorperson-card.md")
ASKS_A_TABLE = re.compile(r"smartshoe (?:status|resolve|act|close-shoe|people|doctor) [^`\n;|&>]+")
# What the pages write for what a reader types.
TYPED = {
    **dict.fromkeys(("table.toml", "M-12", "TABLE"), TABLE),
    "NAME": "Bo Ray",
    "batch=$batch": "batch=red",
    "act=$act": "act=shuffled",
    "day=YYYY-MM-DD": "day=2000-01-01",
}
# Neither is an answer to who may do what.
NO_ANSWER = re.compile(r"no such file|no table |not readable|not proved|sign-on: |see `.*--help`")
READS, CHANGES = "read the operator page", "people"

# As an account of the machine: what is posted and asked, one after the other, with its cookies.
BROWSER = """
import http.cookiejar, json, re, sys, time, urllib.error, urllib.parse, urllib.request
class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None
base, requests = json.load(sys.stdin)
jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar, Stay)
csrf, answers = "", []
def ask(path, form):
    fields = None if form is None else urllib.parse.urlencode({**form, "csrf": csrf}).encode()
    asked = urllib.request.Request(base + path, fields, {"Accept": "text/plain", "Origin": base})
    try:
        return browser.open(asked, timeout=60)
    except urllib.error.HTTPError as error:
        return error
for path, form in requests:
    while (answer := ask(path, form)).status == 429:
        time.sleep(1)  # as the answer says
    text = answer.read().decode()
    found = re.search('name="csrf" value="([^"]+)"', text)
    csrf = found[1] if found else csrf
    answers.append([answer.status, answer.headers.get("Location") or "", text])
print(json.dumps(answers))
"""


class Cell(NamedTuple):
    """One cell: the row's words, the column, and whether the page says yes."""

    row: str
    column: str
    may: bool


class Place(NamedTuple):
    """The root folder where the program is installed, and the variables of its commands."""

    root: Path
    environment: Mapping[str, str]

    def run(self, account: str, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command there as that account; its output has both streams."""
        return subprocess.run(
            [*self._as(account), *words],
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env={**self.environment},
            check=False,
            timeout=240,
        )

    def done(self, account: str, *words: str) -> str:
        ended = self.run(account, *words)
        assert ended.returncode == 0, f"{account}: {shlex.join(words)}: {ended.stdout}"
        return ended.stdout

    @contextlib.contextmanager
    def running_table(self) -> Iterator[int]:
        """The table as its unit runs it, until the block ends; its process."""
        log = self.root / f"tmp/{TABLE}.log"
        with log.open("wb") as written:
            table = subprocess.Popen(
                [*self._as(OWNER), "smartshoe", "run", TABLE],
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                env={**self.environment},
            )
        try:
            until_s = time.monotonic() + START_S
            while (asked := self.run(FLOOR, "smartshoe", "status", TABLE)).returncode:
                said = f"{asked.stdout}\n{log.read_text(encoding='utf-8')}"
                assert table.poll() is None, said
                assert time.monotonic() < until_s, f"{TABLE} does not answer {FLOOR}: {said}"
            yield table.pid
        finally:
            table.terminate()
            table.wait(START_S)

    def _as(self, account: str) -> tuple[str, ...]:
        who = (f"--reuid={account}", f"--regid={account}", "--init-groups")
        return ("chroot", str(self.root), *(() if account == "root" else ("setpriv", *who)))


def walk(place: Place, page: Path, port: int, *, every: bool = True) -> int:
    """Try the tables of `page` and of people.md beside it in `place`; how many cells were tried.

    A table is set up for it, with a shoe at that port of this machine where nobody need answer.
    With `every`, each cell of a person is tried at the terminal, too, and every command of the
    pages; else of each row one of each answer, and one of each command.
    """
    accounts, people = tables((page, page.with_name("people.md")))
    base = set_up(place, port)
    with place.running_table() as process:
        wrong = [*wrong_accounts(place, accounts, base, process)]
        wrong += wrong_people(place, people, base, every=every)
        commands = [one for name in PAGES for one in commands_in(page.with_name(name))]
        if not every:
            commands = list({one[1]: one for one in commands}.values())
        wrong += wrong_commands(place, commands)
    assert not wrong, "\n".join(wrong)
    return len(accounts) + len(people) + len(commands)


def tables(pages: Sequence[Path]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The cells of the accounts' table and of the people's."""
    text = "\n".join(one.read_text(encoding="utf-8") for one in pages)
    read = [list(_cells(block)) for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]
    accounts = [cells for cells in read if cells and f"{OWNER}`" in cells[0].column]
    people = [cells for cells in read if {one.column for one in cells} == set(PEOPLE)]
    assert len(accounts) == len(people) == 1, "the pages have one table of each"
    return tuple(accounts[0]), tuple(people[0])


def _cells(block: str) -> Iterator[Cell]:
    heading, _, *rows = (
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()
    )
    for row, *cells in rows:
        for column, cell in zip(heading[1:], cells, strict=False):
            word = cell.partition(",")[0]
            if word in ("yes", "no"):
                yield Cell(row, column, word == "yes")


def set_up(place: Place, port: int) -> str:
    """Make the accounts of the machine, and a table with its people; the address of its page."""
    for account, group in GROUPS.items():
        if place.run("root", "id", account).returncode:
            place.done(
                "root", "useradd", "--create-home", "--user-group", "--groups", group, account
            )
    folder = place.root / "tmp/people"
    folder.mkdir(mode=0o755)
    words = [f'[table]\nname = "{TABLE}"\n[shoe]\nport = "socket://127.0.0.1:{port}"']
    words.append('[rules]\nobserved = ["result_button", "shoe_opened"]')
    for column, person in PEOPLE.items():
        file = folder / f"{column.replace(' ', '_')}.pin"
        file.write_text(f"{person.pin}\n", encoding="utf-8")
        file.chmod(0o644)
        role = column.replace(" ", "_")
        words.append(f'[[person]]\nname = "{person.name}"\nrole = "{role}"')
        words.append(f'pin_file = "/tmp/people/{file.name}"')
    (folder / "answers.toml").write_text("\n".join(words), encoding="utf-8")
    made = place.done(
        "root", "smartshoe", "setup", "--answers", "/tmp/people/answers.toml", "--json"
    )
    answer = json.loads(made)
    assert answer["people"] == [one.name for one in PEOPLE.values()], made
    return str(answer["page"]).rstrip("/")


# --- the accounts of the machine ------------------------------------------------------------------


def wrong_accounts(place: Place, cells: Sequence[Cell], base: str, process: int) -> Iterator[str]:
    """Each cell of the accounts' table that is not so."""
    for cell in cells:
        account = {OWNER: OWNER, "floorperson": FLOOR, "surveillance": CAMERA}[
            OWNER if "the table" in cell.column else cell.column.partition(" ")[0]
        ]
        tried = _tried(place, cell.row, account, base, process)
        if tried is not None and tried[0] != cell.may:
            yield f"{account}, {cell.row}: the page says {cell.may}: {tried[1]}"


def _tried(
    place: Place, row: str, account: str, base: str, process: int
) -> tuple[bool, str] | None:
    """Whether the account may do what the row says, and what was said.

    None: the row is tried elsewhere, under a real systemd or with real devices.
    """
    state = f"/var/lib/smartshoe/{TABLE}/journal"
    if row.startswith("status"):
        asked = [place.run(account, "smartshoe", word, TABLE) for word in ("status", "resolve")]
        answered = [one.returncode == 0 for one in asked]
        assert len(set(answered)) == 1, asked
        if not answered[0]:
            assert asked[0].returncode == 4, asked[0].stdout
            assert "group smartshoe-control" in asked[0].stdout, asked[0].stdout
        return answered[0], asked[0].stdout
    if row.startswith("the operator page"):
        (status, to, text), *_ = browse(place, account, base, [("/", None)])
        return status == 200, f"{status} {to} {text[:200]}"
    if row.startswith("metrics"):
        (status, to, text), *_ = browse(place, account, base, [("/metrics", None)])
        return status == 200 and TABLE in text, f"{status} {to} {text[:200]}"
    commands = {
        "the open shoe": ("cat", f"{state}/live.db"),
        "copies of": ("ls", "/var/lib/smartshoe-evidence"),
        "table.toml": ("cat", f"/etc/smartshoe/{TABLE}.toml"),
        "the program": ("smartshoe", "--version"),
        "to change": ("sh", "-c", f"echo >>/etc/smartshoe/{TABLE}.toml"),
        "memory": ("cat", f"/proc/{process}/maps"),
    }
    command = next((words for start, words in commands.items() if row.startswith(start)), None)
    if command is None:
        assert row.startswith(("the log", "devices")), f"nothing tries this row: {row}"
        return None
    ended = place.run(account, *command)
    return ended.returncode == 0, ended.stdout[:200]


# --- people with PINs -----------------------------------------------------------------------------


def wrong_people(place: Place, cells: Sequence[Cell], base: str, *, every: bool) -> Iterator[str]:
    """Each cell of the people's table that is not so."""
    seen: set[tuple[str, bool]] = set()
    for cell in cells:
        commands = re.findall(r"`([^`]+)`", cell.row)
        if not commands:
            assert cell.row.startswith(READS), f"nothing tries this row: {cell.row}"
            continue
        if every or (cell.row, cell.may) not in seen:
            seen.add((cell.row, cell.may))
            # A row has one answer for all its commands: each person types another of them.
            command = commands[list(PEOPLE).index(cell.column) % len(commands)]
            ended = place.run(FLOOR, *words_of(command, cell.column))
            if problem := judged(ended.stdout, cell.may, ended.returncode == 0):
                yield f"terminal, {cell.column}, {command}: {problem}"
    for column in PEOPLE:
        yield from _wrong_on_the_page(place, [c for c in cells if c.column == column], base)


def words_of(command: str, column: str) -> list[str]:
    """The words by which this person gives the command at a terminal."""
    person = PEOPLE[column]
    proof = ["--by", person.name, "--pin-file", pin_file(column)]
    if command.startswith(CHANGES):
        change = command.split()[1]
        whom = person.name if change == "pin" else "Dee Dealer"
        new = ["--new-pin-file", pin_file(column)]
        extra = {
            "add": ["Nan New", "--role", "dealer", *new],
            "role": ["Eve Tool", "--role", "engineer"],
            "remove": ["Nan New"],
            "pin": [whom, *proof, *new],
            "unlock": [whom, *proof],
        }
        return ["smartshoe", "people", change, TABLE, *extra[change]]
    values, second = dict(VALUES.get(command, {})), second_of(command, column)
    if command == "resolve":
        given = ["--decision", values["decision"]]
    else:
        given = [f"{key}={value}" for key, value in values.items()]
    if second:
        given += [f"second={PEOPLE[second].name}", "--second-pin-file", pin_file(second)]
    start = ["smartshoe", command] if command in OWN_COMMANDS else ["smartshoe", "act", command]
    return [*start, TABLE, *given, *proof, "--reason", REASON]


def second_of(command: str, column: str) -> str:
    """Who is the second person of this command, by the column; empty if none is asked for."""
    if command != "correct-coup":
        return ""
    return "pit manager" if column == "floorperson" else "floorperson"


def pin_file(column: str) -> str:
    return f"/tmp/people/{column.replace(' ', '_')}.pin"


def judged(text: str, may: bool, done: bool) -> str:
    """What is wrong with an answer; empty if nothing is.

    Who may is not refused for the person; the state of the table may refuse it all the same.
    """
    barred = NOT_FOR.search(text) is not None
    no_answer = NO_ANSWER.search(text) if not done else None
    if no_answer or barred == may or (done and not may):
        return f"the page says {'yes' if may else 'no'}: {text[:400]}"
    return ""


def _wrong_on_the_page(place: Place, cells: Sequence[Cell], base: str) -> Iterator[str]:
    """The same at the page: the person signs on there and posts what its forms post."""
    column = cells[0].column
    person = PEOPLE[column]
    posts = []
    for cell in cells:
        for command in re.findall(r"`([^`]+)`", cell.row):
            if command.startswith(CHANGES):
                continue  # accounts are changed at a terminal alone
            form = {"action": command, "reason": REASON, **VALUES.get(command, {})}
            if second := second_of(command, column):
                form |= {"second": PEOPLE[second].name, "second_pin": PEOPLE[second].pin}
            posts.append((command, cell.may, form))
    # Who is at surveillance's machine account sees nothing before signing on.
    account = CAMERA if column == "surveillance" else FLOOR
    signing = [
        ("/sign-on", None),
        ("/sign-on", {"by": person.name, "pin": person.pin}),
        ("/", None),
    ]
    acts = [("/act", form) for _, _, form in posts]
    _, signed_on, read, *answers = browse(place, account, base, [*signing, *acts])
    reads = next(cell for cell in cells if cell.row.startswith(READS))
    if (signed_on[0] == 303 and read[0] == 200) != reads.may:
        yield f"page, {column}: {signed_on[0]} {read[0]} {read[2][:200]}"
    for (command, may, _), (status, _, text) in zip(posts, answers, strict=True):
        if problem := judged(text, may, status == 200):
            yield f"page, {column}, {command}: {status}: {problem}"


def commands_in(page: Path) -> list[list[str]]:
    """The commands of a page that ask a table, in their order, as this table's people type them."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for command in ASKS_A_TABLE.findall(text):
        words = [TYPED.get(word, word) for word in shlex.split(command)]
        if TABLE not in words:
            continue  # it is only named
        by = words[words.index("--by") + 1] if "--by" in words else ""
        proofs = [pin_file(column) for column, one in PEOPLE.items() if one.name == by]
        words += ["--pin-file", *proofs] if proofs else []
        words += ["--new-pin-file", pin_file("dealer")] if "add" in words else []
        found.append(words)
    assert found, f"{page.name} asks no table"
    return found


def wrong_commands(place: Place, commands: Sequence[Sequence[str]]) -> Iterator[str]:
    """Each command that does not reach the table from a floorperson's account."""
    for words in commands:
        ended = place.run(FLOOR, *words)
        # 1: the table, or a check of it, says no; every other is no answer of the table.
        no_answer = ended.returncode == 1 and NO_ANSWER.search(ended.stdout)
        if ended.returncode not in (0, 1) or no_answer:
            yield f"{FLOOR}: {shlex.join(words)}: {ended.returncode}: {ended.stdout[:400]}"


def browse(
    place: Place, account: str, base: str, requests: Sequence[tuple[str, object]]
) -> list[tuple[int, str, str]]:
    """The answers to these requests of one browser of that account: status, address, text."""
    asked = place.run(account, "python3", "-c", BROWSER, given=json.dumps([base, requests]))
    assert asked.returncode == 0, asked.stdout
    return [(status, to, text) for status, to, text in json.loads(asked.stdout)]

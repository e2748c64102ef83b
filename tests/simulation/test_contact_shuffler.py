"""A table whose shuffler shows only contacts: a day's exchanges, and any order of what may happen.

Source: NY-a-4-iv-c; S42-a-4-iv, S42-e-8-ii-A.
"""

from functools import reduce
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.core.tape.entries import Entry
from controller.custody.batch_life.facts import StageChange
from controller.custody.batch_life.permissions import obstacles_to_dealing
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import WarningKind
from controller.procedure.effects import Refusal
from controller.record.build import build_snapshot
from controller.rules.actions.actions import ClearWarning, CloseShoe, RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.actions.declaration import Role
from controller.system.messages.catalogue import to_words
from drivers.shufflers.contacts_model import CONTACTS_SHUFFLER, ContactsSettings
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.message import message
from hil.emulator.contacts.shuffler import ContactSettings, ContactShuffler
from hil.simulation.table import ENTROPY, SimulatedTable

SHOE, SHUFFLER = "/dev/shoe", "gpio://gpiochip0:5,6,13,19"
MS, S = 1_000_000, 1_000_000_000
CARDS = 416
BACKS = ("red", "blue")
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
LEAST_S = 60


class Table(SimulatedTable):
    """A shoe whose reports the test writes, an emulated shuffler with contacts, and people."""

    def __init__(self) -> None:
        self.shuffler = ContactShuffler(ContactSettings(shuffle_ns=90 * S))
        stored = CONTACTS_SHUFFLER.to_store(ContactsSettings(shuffle_s_min=LEAST_S))
        device = ShufflerDeviceSettings(
            SHUFFLER, "contacts", stored, trust=Trust(bare=True), by_contacts=True
        )
        shoe = DeviceSettings(SHOE, "angel-eye-ii-ex")
        table = Settings("M7", "3", 8, 0, (), shoe, shuffler=device)
        self.shoe_reports = 0
        super().__init__(table, "s42-mini", {SHUFFLER: self.shuffler})
        self.take(PortOpened(SHOE, self.at, ENTROPY))
        self.advance(S)

    def report(self, *data: str) -> None:
        """Send these reports of the shoe one after the other."""
        for data_hex in data:
            self.advance(300 * MS)
            body = f"{self.shoe_reports % 16:X}".encode() + bytes.fromhex(data_hex) + b"\x03"
            sent = b"\x05" + body + f"{reduce(int.__xor__, body):02X}".encode()
            self.take(Chunk(SHOE, self.at, sent))
            self.shoe_reports += 1

    def record(self, kind: ActKind, back: str = "", amount: int = 0) -> str:
        """Record an act of a dealer; the refusal in words, empty if it was accepted."""
        act = RecordAct(kind, back, amount=amount, reference="D. Dealer 17")
        refused = [one for one in self.act(act) if isinstance(one, Refusal)]
        return to_words(refused[0].why) if refused else ""

    def put_in(self, back: str) -> None:
        """Change the batch in it under the open lid, close it, and record what went in."""
        self.shuffler.open_lid()
        self.advance(S)
        self.shuffler.close_lid()
        self.advance(S)
        assert self.record(ActKind.INTO_SHUFFLER, back, CARDS) == ""

    def shuffle(self) -> None:
        self.shuffler.press_start()
        self.advance(95 * S)

    def clear_warnings(self) -> None:
        for one in self.lineage.warnings:
            self.act(ClearWarning(one.number), Role.FLOORPERSON, "seen by me")

    @property
    def lineage(self):
        return self.state.table.lineage

    def stage(self, back: str) -> BatchStage:
        life = self.lineage.life(back)
        return BatchStage.UNKNOWN if life is None else life.stage

    def status(self) -> str:
        return status_block(build_snapshot(self.core, self.state), CommandHints())


@pytest.fixture
def table() -> Table:
    return Table()


def exchange(table: Table, goes_in: str, comes_out: str) -> None:
    """One batch comes out to be dealt, the other goes in and is shuffled."""
    if table.stage(comes_out) is not BatchStage.UNKNOWN:
        assert table.record(ActKind.RELEASED, comes_out) == ""
    table.put_in(goes_in)
    table.shuffle()


def test_two_batches_take_turns_for_four_shoes(table: Table) -> None:
    table.put_in("red")
    table.shuffle()
    for goes_in, comes_out in (("blue", "red"), ("red", "blue")) * 2:
        exchange(table, goes_in, comes_out)
        assert table.stage(comes_out) is BatchStage.RELEASED
        table.report(*OPENING, *COUP)
        assert table.stage(comes_out) is BatchStage.IN_PLAY
        assert table.stage(goes_in) is BatchStage.SHUFFLED
        assert table.state.table.open_irregularities == ()
        table.act(CloseShoe(), Role.FLOORPERSON)
    assert table.lineage.warnings == ()


def test_status_says_what_kind_of_shuffler_it_is(table: Table) -> None:
    table.put_in("red")
    table.shuffle()
    text = table.status()

    assert "BARE: it proves no identity" in text
    assert "shuffle 1: shown by its lamps, not proven, 90 s" in text


def test_a_shuffle_of_a_batch_that_nobody_counted_does_not_count(table: Table) -> None:
    assert "count red, put it in" in table.record(ActKind.INTO_SHUFFLER, "red")
    table.shuffle()
    assert table.stage("red") is BatchStage.UNKNOWN
    assert table.record(ActKind.RELEASED, "red") != ""


def test_a_wrong_count_holds_the_batch_until_a_right_one(table: Table) -> None:
    assert table.record(ActKind.INTO_SHUFFLER, "red", CARDS - 1) == ""
    assert table.stage("red") is BatchStage.HELD
    table.shuffle()
    assert table.stage("red") is BatchStage.HELD

    assert table.record(ActKind.INTO_SHUFFLER, "red", CARDS) == ""
    table.shuffle()
    assert table.stage("red") is BatchStage.SHUFFLED


def test_it_is_recorded_with_the_lid_closed(table: Table) -> None:
    table.shuffler.open_lid()
    table.advance(S)
    assert "close the lid" in table.record(ActKind.INTO_SHUFFLER, "red", CARDS)


def test_one_batch_at_a_time(table: Table) -> None:
    table.put_in("red")
    table.shuffle()
    assert "holds red" in table.record(ActKind.INTO_SHUFFLER, "blue", CARDS)
    assert "already in" in table.record(ActKind.INTO_SHUFFLER, "red", CARDS)


def test_a_release_is_permitted_as_its_order_would_be(table: Table) -> None:
    assert "no batch is known" in table.record(ActKind.RELEASED)
    table.put_in("red")
    assert table.record(ActKind.RELEASED, "red") != ""
    assert table.stage("red") is BatchStage.COUNTED
    table.shuffle()
    assert "no batch is known" in table.record(ActKind.RELEASED, "blue")
    assert table.record(ActKind.RELEASED) == ""
    assert table.stage("red") is BatchStage.RELEASED


def test_a_lid_opened_over_a_shuffled_batch_is_a_warning_and_holds_it(table: Table) -> None:
    table.put_in("red")
    table.shuffle()
    table.shuffler.open_lid()
    table.advance(S)

    assert table.stage("red") is BatchStage.HELD
    assert [one.kind for one in table.lineage.warnings] == [WarningKind.DOOR]
    table.clear_warnings()
    assert table.lineage.interlocked, "the lid is still open"
    table.shuffler.close_lid()
    table.advance(S)
    table.clear_warnings()
    assert not table.lineage.interlocked
    assert table.record(ActKind.RELEASED, "red") != ""


def test_a_batch_taken_out_after_a_jam_is_shuffled_by_hand(table: Table) -> None:
    table.put_in("red")
    table.shuffler.press_start()
    table.advance(30 * S)
    table.shuffler.jam()
    table.advance(S)
    assert table.stage("red") is BatchStage.HELD

    act = RecordAct(ActKind.SHUFFLED, "red")
    assert [one for one in table.act(act, Role.DEALER) if isinstance(one, Refusal)]
    refused = table.act(act, Role.FLOORPERSON, "the shuffler is broken")
    assert not [one for one in refused if isinstance(one, Refusal)]
    assert table.stage("red") is BatchStage.RELEASED


def test_another_batch_goes_in_once_one_was_taken_out(table: Table) -> None:
    table.put_in("red")
    table.shuffle()
    table.shuffler.open_lid()
    table.advance(S)
    table.shuffler.close_lid()
    table.advance(S)

    assert table.stage("red") is BatchStage.HELD
    assert table.record(ActKind.INTO_SHUFFLER, "blue", CARDS) == ""
    table.clear_warnings()
    table.shuffle()
    assert (table.stage("red"), table.stage("blue")) == (BatchStage.HELD, BatchStage.SHUFFLED)


@pytest.mark.parametrize("incident", ["open_lid", "jam", "cut_power"])
def test_what_stops_a_shuffle_breaks_it_off(table: Table, incident: str) -> None:
    table.put_in("red")
    table.shuffler.press_start()
    table.advance(30 * S)
    getattr(table.shuffler, incident)()
    table.advance(10 * S)

    assert table.stage("red") is BatchStage.HELD
    assert WarningKind.BROKEN_OFF in [one.kind for one in table.lineage.warnings]


def test_a_done_lamp_that_is_bridged_by_hand_is_no_shuffle(table: Table) -> None:
    table.put_in("red")
    table.shuffler.flash_done()
    table.advance(S)
    assert table.stage("red") is BatchStage.COUNTED


def test_nobody_watching_leaves_a_shuffled_batch_in_doubt(table: Table) -> None:
    table.put_in("red")
    table.shuffle()
    table.unplug(SHUFFLER)
    assert table.stage("red") is BatchStage.SHUFFLED
    assert obstacles_to_dealing(table.lineage, "red")
    table.plug(SHUFFLER)
    table.advance(S)

    assert table.stage("red") is BatchStage.HELD
    assert WarningKind.EVENTS_LOST in [one.kind for one in table.lineage.warnings]
    table.clear_warnings()
    assert table.record(ActKind.INTO_SHUFFLER, "red", CARDS) == ""
    table.shuffle()
    assert table.stage("red") is BatchStage.SHUFFLED


# --- people who do their work, and a world that does not ------------------------------------------


class People:
    """People who record what they do, and a real batch in the emulated shuffler.

    `clean`: the batch was shuffled since it was last dealt, and nobody touched it since. People
    shuffle nothing by hand.
    """

    def __init__(self, table: Table) -> None:
        self.table, self.shuffler = table, table.shuffler
        self.inside, self.playing = "", ""
        self.clean = dict.fromkeys(BACKS, False)
        self.dealt: list[str] = []

    def change(self, back: str) -> None:
        """Take out what was released, put this batch in, close the lid and record it."""
        free = (BatchStage.RELEASED, BatchStage.HELD, BatchStage.COLLECTED)
        stage = self.table.stage(self.inside) if self.inside else BatchStage.RELEASED
        # The batch of the last shoe goes in when the other comes out.
        early = back in self.dealt[-1:] and not (self.inside and stage is BatchStage.RELEASED)
        if back in (self.inside, self.playing) or early or stage not in free:
            return
        self.shuffler.open_lid()
        self.table.advance(S)
        self.shuffler.close_lid()
        self.table.advance(S)
        self.inside = back
        self.shuffler.shuffled = False
        self.clean[back] = False
        self.table.record(ActKind.INTO_SHUFFLER, back, CARDS)

    def count_again(self) -> None:
        """Open, count, close and record the batch inside."""
        stages = (BatchStage.HELD, BatchStage.COLLECTED)
        if not self.inside or self.table.stage(self.inside) not in stages:
            return
        self.shuffler.clear_jam()
        self.shuffler.restore_power()
        self.shuffler.open_lid()
        self.shuffler.touch()
        self.table.advance(S)
        self.shuffler.close_lid()
        self.table.advance(S)
        self.table.record(ActKind.INTO_SHUFFLER, self.inside, CARDS)

    def release(self) -> None:
        """Release the batch inside; from then on people watch it."""
        if self.inside and not self.table.record(ActKind.RELEASED, self.inside):
            self.clean[self.inside] = self.shuffler.shuffled

    def deal(self) -> None:
        """Deal a shoe from the released batch, if nothing prevents it."""
        lineage = self.table.lineage
        due = next((one for one in BACKS if self.table.stage(one) is BatchStage.RELEASED), "")
        prevented = not due or self.playing or lineage.interlocked
        if prevented or obstacles_to_dealing(lineage, due):
            return
        assert self.clean[due], f"{due} was not shuffled, or was touched since"
        self.table.report(*OPENING, *COUP)
        self.table.resolve_if_permitted()
        self.playing, self.clean[due] = due, False
        self.dealt.append(due)
        self.inside = "" if self.inside == due else self.inside

    def end(self) -> None:
        if self.playing:
            self.table.act(CloseShoe(), Role.FLOORPERSON)
            self.playing = ""

    def incident(self, source: Random) -> None:
        """Something goes wrong at the shuffler."""
        shuffler, table = self.shuffler, self.table
        match source.randrange(5):
            case 0:
                shuffler.open_lid()
                shuffler.touch()
                table.advance(S)
                shuffler.close_lid()
            case 1:
                shuffler.jam()
                table.advance(S)
                shuffler.clear_jam()
            case 2:
                shuffler.cut_power()
                table.advance(source.randrange(60) * S)
                shuffler.restore_power()
            case 3:
                table.unplug(SHUFFLER)
                if source.random() < 0.5:
                    # Somebody shuffles nothing and touches the cards while nobody watches.
                    shuffler.open_lid()
                    shuffler.touch()
                    shuffler.close_lid()
                table.advance(source.randrange(200) * S)
                table.plug(SHUFFLER)
            case _:
                shuffler.flash_done()


@pytest.mark.parametrize("seed", range(6))
def test_a_batch_that_is_dealt_is_shuffled_after_any_incident(table: Table, seed: int) -> None:
    source, people = Random(seed), People(table)
    for _ in range(500):
        chance = source.random()
        if chance < 0.06:
            people.incident(source)
        elif chance < 0.3:
            people.change(source.choice(BACKS))
        elif chance < 0.5:
            table.shuffler.press_start()
            table.advance(source.choice((10, 95, 95, 95)) * S)
        elif chance < 0.65:
            people.release()
        elif chance < 0.8:
            people.deal()
        elif chance < 0.9:
            people.end()
        else:
            people.count_again()
        table.advance(S)
        if source.random() < 0.5:
            table.clear_warnings()
    assert len(people.dealt) >= 3
    assert all(one != other for one, other in pairwise(people.dealt))


# --- any order ------------------------------------------------------------------------------------

LID_SHUT, RUNNING, DONE, NO_JAM = 1, 2, 4, 8
IDLE = LID_SHUT | NO_JAM
# What a person or the world does next: (kind, value).
GOOD = {
    back: (
        ("levels", NO_JAM),
        ("levels", IDLE),
        ("into", (back, CARDS)),
        ("levels", IDLE | RUNNING),
        ("wait", 90),
        ("levels", IDLE | DONE),
        ("wait", 5),
        ("release", back),
        ("levels", NO_JAM),
        ("levels", IDLE),
        ("deal", ""),
        ("end", ""),
    )
    for back in BACKS
}
anything = st.one_of(
    st.tuples(st.just("levels"), st.integers(0, 15)),
    st.tuples(st.just("levels"), st.sampled_from([IDLE, IDLE | RUNNING, IDLE | DONE, NO_JAM])),
    st.tuples(st.just("wait"), st.sampled_from([1, 5, 30, 90, 1000])),
    st.tuples(
        st.just("into"),
        st.tuples(st.sampled_from(BACKS), st.sampled_from([CARDS, CARDS, CARDS - 1, 0])),
    ),
    st.tuples(st.just("release"), st.sampled_from([*BACKS, ""])),
    st.tuples(st.sampled_from(["deal", "end", "clear", "opened"]), st.just("")),
    st.tuples(st.sampled_from(["unplug", "plug", "replug"]), st.just("")),
)
# A cycle of one batch in which some steps are left out, with something else at one place.
pieces = st.tuples(
    st.sampled_from(BACKS),
    st.sets(st.integers(0, len(GOOD["red"]) - 1), max_size=2),
    st.integers(0, len(GOOD["red"])),
    st.lists(anything, max_size=2),
)


class Trace:
    """What was seen and recorded, judged apart from the program: was this batch shuffled?

    It knows levels, seconds and records. `step` of a batch: how far its shuffle has come.
    """

    def __init__(self) -> None:
        self.levels = IDLE
        self.open = True
        self.inside = ""
        self.step = dict.fromkeys(BACKS, "")
        self.began_s = 0.0

    def seen(self, levels: int, now_s: float) -> None:
        before, self.levels = self.levels, levels
        if not self.open or not self.inside:
            return
        step = self.step[self.inside]
        if step == "released":
            return
        if not levels & LID_SHUT or not levels & NO_JAM:
            self.step[self.inside] = ""
        elif levels & RUNNING and not before & RUNNING:
            self.step[self.inside] = "running" if step in ("counted", "shuffled") else ""
            self.began_s = now_s
        elif step == "running" and not levels & RUNNING and now_s - self.began_s < LEAST_S:
            self.step[self.inside] = ""
        if self.step[self.inside] == "running" and levels & DONE and not before & DONE:
            self.step[self.inside] = "shuffled" if now_s - self.began_s >= LEAST_S else ""

    def lost(self) -> None:
        self.open = False
        self.step = {back: step if step == "released" else "" for back, step in self.step.items()}

    def counted(self, back: str, amount: int) -> None:
        if self.inside not in ("", back) and self.step[self.inside] not in ("", "released"):
            return
        self.inside = back
        self.step[back] = "counted" if amount == CARDS and self.levels & LID_SHUT else ""

    def released(self, back: str) -> None:
        if self.step[back] == "shuffled":
            self.step[back] = "released"


def play(walk: list[tuple[str, object]]) -> None:
    table, trace = Table(), Trace()
    seen = len(table.entries)
    for kind, value in walk:
        act(table, trace, kind, value)
        new, seen = table.entries[seen:], len(table.entries)
        for back in dealt(new):
            assert trace.step[back] == "released", f"{back} was not shuffled since it was dealt"
            trace.step[back] = ""
            if trace.inside == back:
                trace.inside = ""


def dealt(entries: list[Entry]) -> list[str]:
    moves = [one for one in entries if isinstance(one, StageChange)]
    return [one.batch for one in moves if one.after is BatchStage.IN_PLAY]


def act(table: Table, trace: Trace, kind: str, value: object) -> None:
    if kind == "replug":
        port(table, trace, "unplug", value)
        kind = "plug"
    if kind in ("levels", "unplug", "plug"):
        port(table, trace, kind, value)
        return
    match kind, value:
        case "wait", int(seconds):
            table.advance(seconds * S)
        case "into", (str(back), int(amount)):
            if not table.record(ActKind.INTO_SHUFFLER, back, amount):
                trace.counted(back, amount)
        case "release", str(back):
            named = back or table.lineage.stored_batch
            if not table.record(ActKind.RELEASED, back):
                trace.released(named)
        case "deal", _:
            table.report(*OPENING, *COUP)
            table.resolve_if_permitted()
        case "end", _:
            table.act(CloseShoe(), Role.FLOORPERSON)
        case "clear", _:
            table.clear_warnings()
        case "opened", _:
            table.record(ActKind.SHUFFLER_OPENED)


def port(table: Table, trace: Trace, kind: str, value: object) -> None:
    """What the port brings, if it can now."""
    match kind, value:
        case "levels", int(levels) if trace.open:
            trace.seen(levels, table.clock_ns / S)
            table.take(Chunk(SHUFFLER, table.at, bytes((levels | (15 - levels) << 4,))))
        case "unplug", _ if trace.open:
            trace.lost()
            table.take(PortLost(SHUFFLER, table.at, message("usb_unplugged")))
        case "plug", _ if not trace.open:
            trace.open = True
            table.take(PortOpened(SHUFFLER, table.at, ENTROPY))
            table.take(Chunk(SHUFFLER, table.at, bytes((IDLE | (15 - IDLE) << 4,))))
            trace.levels = IDLE
        case _:
            pass


def test_the_good_cycle_deals() -> None:
    table, trace = Table(), Trace()
    found = []
    for back in ("red", "blue", "red"):
        for kind, value in GOOD[back]:
            act(table, trace, kind, value)
            found += dealt(table.entries)
            table.entries.clear()
    assert found == ["red", "blue", "red"]


@settings(max_examples=150, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=4))
def test_no_order_of_contacts_and_steps_deals_a_batch_that_was_not_shuffled(
    walk: list[tuple[str, set[int], int, list[tuple[str, object]]]],
) -> None:
    steps: list[tuple[str, object]] = []
    for back, left_out, place, others in walk:
        done = [(at, one) for at, one in enumerate(GOOD[back]) if at not in left_out]
        steps += [one for at, one in done if at < place]
        steps += [*others, *(one for at, one in done if at >= place)]
    play(steps)

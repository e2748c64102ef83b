"""Reads what happens at a table: cards, the dealer, the shuffler, cables, power and time."""

import re
from typing import Final

from controller.core.script.statement_reader import StatementForm, StatementReader
from hil.dealing.mistakes import Mistake
from hil.dealing.tags import BACKS
from hil.scenario.language.statements import (
    Befall,
    BringOut,
    CardFault,
    CutCardAt,
    DealBurn,
    DealCoups,
    Disturb,
    DrawNext,
    EmptyShoe,
    Err,
    FloorClears,
    FloorDecides,
    HandShuffle,
    Happening,
    HostFault,
    Interfere,
    Interference,
    JamMechanism,
    Lamp,
    LeaveCards,
    LoadShoe,
    MoveDoor,
    MovePlug,
    NextCardDoes,
    Press,
    PutIn,
    PutInOrder,
    ReachIn,
    RemoveCards,
    ShuffleBatch,
    StickSensor,
    SwapAll,
    SwapCard,
    SwitchPower,
    TablePart,
    TakeOut,
    TurnModeKey,
    Wait,
    WireFault,
)

CARDS_MAX: Final = 416
COUPS_MAX: Final = 100
BUTTONS: Final = ("load", "count", "shuffle", "store", "release", "abort", "self-test")
MODES: Final = ("play", "service", "sort", "test")
# A part that has a cable of its own, and one that has a power switch.
_WITH_CABLE: Final = (TablePart.SHOE, TablePart.SHUFFLER, TablePart.RACK)
_TIME: Final = re.compile(r"([1-9][0-9]{0,5})(ms|s|min|h)", re.ASCII)
_SHARE: Final = re.compile(r"([1-9][0-9]?|100)%", re.ASCII)
_UNITS_NS: Final = {"ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
_TIME_ALLOWED: Final = "a time such as 200ms, 30s, 5min or 2h"
# Faults that last a time; all others take a share of the frames.
_LASTING: Final = (WireFault.STALL, WireFault.DELAY)


def time_ns(reader: StatementReader) -> int:
    """Read a time such as `30s`, in nanoseconds. Raises StatementError."""
    text = reader.matching("time", _TIME_ALLOWED, lambda word: bool(_TIME.fullmatch(word)), "30s")
    found = _TIME.fullmatch(text)
    assert found is not None, "it was matched"
    return int(found[1]) * _UNITS_NS[found[2]]


def _back(reader: StatementReader) -> str:
    return reader.one_of("batch", BACKS)


def _compartment(reader: StatementReader, least: int = 1) -> int:
    return reader.number("compartment", least, 2)


def _read_hand_shuffle(reader: StatementReader) -> HandShuffle:
    back = _back(reader)
    keeping = reader.number("number of cards", 1, CARDS_MAX) if reader.accept("keeping") else 0
    return HandShuffle(back, keeping)


def _read_swap(reader: StatementReader) -> SwapCard | SwapAll:
    back = _back(reader)
    if reader.accept("all"):
        return SwapAll(back)
    word = reader.peek()
    by_place = word is not None and word.text.isdecimal()
    position = reader.number("position", 1, CARDS_MAX) if by_place else 0
    old = None if by_place else reader.card()
    reader.expect("for")
    if reader.accept("other", "back"):
        return SwapCard(back, position, None, other_batch=True, old=old)
    return SwapCard(back, position, reader.card(), other_batch=False, old=old)


def _read_remove(reader: StatementReader) -> RemoveCards:
    cards = reader.number("number of cards", 1, CARDS_MAX)
    reader.expect("from")
    return RemoveCards(_back(reader), cards)


def _read_cut_card(reader: StatementReader) -> CutCardAt:
    reader.expect("cut", "card", "at")
    return CutCardAt(reader.number("number of cards from the back", 1, CARDS_MAX - 1))


def _read_deal(reader: StatementReader) -> DealBurn | DealCoups:
    if reader.accept("burn"):
        return DealBurn()
    coups = 0
    if reader.accept("coup"):
        coups = 1
    elif not reader.accept("to", "the", "end"):
        coups = reader.number("number of coups", 1, COUPS_MAX)
        reader.expect("coups")
    return DealCoups(coups, reader.accept("careless"))


def _read_draw(reader: StatementReader) -> DrawNext:
    return DrawNext(reader.card() if reader.peek() is not None else None)


def _read_next_card(reader: StatementReader) -> NextCardDoes:
    reader.expect("card")
    return NextCardDoes(reader.choice("fault", CardFault))


def _read_floor(reader: StatementReader) -> FloorDecides | FloorClears:
    if reader.accept("clears"):
        reader.expect("warnings")
        return FloorClears()
    reader.expect("decides")
    return FloorDecides()


def _read_put(reader: StatementReader) -> PutIn:
    reader.expect("in")
    return PutIn(_back(reader))


def _read_take(reader: StatementReader) -> TakeOut:
    reader.expect("out")
    return TakeOut(_back(reader))


def _read_bring(reader: StatementReader) -> BringOut:
    reader.expect("out")
    return BringOut(_back(reader))


def _read_reach(reader: StatementReader) -> ReachIn:
    reader.expect("in")
    return ReachIn(_back(reader))


def _read_press(reader: StatementReader) -> Press:
    button = reader.one_of("button", BUTTONS)
    return Press(button, _compartment(reader, 0), reader.accept("at", "once"))


def _read_door(reader: StatementReader) -> MoveDoor:
    number = _compartment(reader, 0)
    return MoveDoor(number, reader.one_of("position", ("open", "closed")) == "open")


def _read_jam(reader: StatementReader) -> JamMechanism:
    number = _compartment(reader)
    return JamMechanism(number, not reader.accept("cleared"))


def _read_stuck(reader: StatementReader) -> StickSensor:
    what = reader.one_of("sensor", ("door", "gate"))
    number = _compartment(reader, 0) if what == "door" else None
    return StickSensor(number, not reader.accept("cleared"))


def _read_residual(reader: StatementReader) -> LeaveCards:
    if reader.accept("taken"):
        return LeaveCards(0, 0)
    cards = reader.number("number of cards", 1, CARDS_MAX)
    reader.expect("in")
    return LeaveCards(cards, _compartment(reader))


def _read_lamp(reader: StatementReader) -> Lamp:
    code = reader.number("code", 4, 65535)
    on = reader.one_of("state", ("on", "off")) == "on"
    return Lamp(code, on, reader.text("text") if on else "")


def _read_interfere(reader: StatementReader) -> Interfere:
    part = TablePart(reader.one_of("device", (TablePart.SHUFFLER,)))
    return Interfere(part, reader.choice("interference", Interference))


def _read_plug(reader: StatementReader) -> MovePlug:
    part = TablePart(reader.one_of("device", _WITH_CABLE))
    return MovePlug(part, reader.first == "plug")


def _read_power(reader: StatementReader) -> SwitchPower:
    part = TablePart(reader.one_of("part", (TablePart.SHOE, TablePart.SHUFFLER, TablePart.TABLE)))
    return SwitchPower(part, reader.one_of("state", ("on", "off")) == "on")


def _read_host(reader: StatementReader) -> Befall:
    fault = reader.choice("fault", HostFault)
    lasting = fault in (HostFault.STOP, HostFault.SLOW_DISK, HostFault.CLOCK_STEP)
    return Befall(fault, time_ns(reader) if lasting else 0)


def _read_wire(reader: StatementReader) -> Disturb:
    part = TablePart(reader.one_of("device", _WITH_CABLE))
    fault = reader.choice("fault", WireFault)
    if fault is WireFault.NONE:
        return Disturb(part, fault, 0, 0)
    if fault in _LASTING:
        return Disturb(part, fault, 0, time_ns(reader))
    text = reader.matching("share", "1% to 100%", lambda word: bool(_SHARE.fullmatch(word)), "10%")
    return Disturb(part, fault, int(text[:-1]) * 10, 0)


HAPPENING_FORMS: Final[tuple[StatementForm[Happening], ...]] = (
    StatementForm(
        "hand-shuffle",
        "hand-shuffle red keeping 40",
        "a batch is shuffled by hand; the cards dealt last may be kept together",
        _read_hand_shuffle,
    ),
    StatementForm(
        "sort",
        "sort red",
        "a batch is put into the order of new decks",
        lambda reader: PutInOrder(_back(reader)),
    ),
    StatementForm(
        "swap",
        "swap red 40 for other back",
        "a card of a batch is exchanged: for one of the other back, or a face of no batch",
        _read_swap,
    ),
    StatementForm("remove", "remove 2 from red", "cards are taken out of a batch", _read_remove),
    StatementForm(
        "insert",
        "insert cut card at 20",
        "the cut card goes in so many cards from the back, at the next loading",
        _read_cut_card,
    ),
    StatementForm(
        "load",
        "load red",
        "a batch goes into the shoe",
        lambda reader: LoadShoe(_back(reader)),
    ),
    StatementForm(
        "unload",
        "unload",
        "all cards of the shoe go back into people's hands",
        lambda _: EmptyShoe(),
    ),
    StatementForm(
        "deal",
        "deal 5 coups",
        "the dealer deals by the rules: burn, coup, 5 coups, to the end; `careless`: on and on",
        _read_deal,
    ),
    StatementForm(
        "err",
        "err overdraw_after_natural",
        "the dealer makes that mistake at its next occasion, and stops",
        lambda reader: Err(reader.choice("mistake", Mistake)),
    ),
    StatementForm("draw", "draw 7h", "the next card leaves the shoe", _read_draw),
    StatementForm(
        "next", "next card pulled_back", "what goes wrong with the next card", _read_next_card
    ),
    StatementForm(
        "floor",
        "floor decides",
        "a floorperson takes the first permitted decision, or `clears warnings`",
        _read_floor,
    ),
    StatementForm("put", "put in red", "a batch is laid into the shuffler's tray", _read_put),
    StatementForm("take", "take out red", "a released batch is taken out", _read_take),
    StatementForm(
        "press",
        "press shuffle 1",
        "a button of the shuffler; `at once`: without waiting",
        _read_press,
    ),
    StatementForm(
        "shuffle",
        "shuffle red",
        "a batch is put in, counted, shuffled and stored",
        lambda reader: ShuffleBatch(_back(reader)),
    ),
    StatementForm(
        "bring", "bring out red", "a stored batch is released and taken out", _read_bring
    ),
    StatementForm("door", "door 1 open", "a door of the shuffler; 0: its housing", _read_door),
    StatementForm("jam", "jam 1 cleared", "a jam, or its end", _read_jam),
    StatementForm(
        "stuck",
        "stuck door 1",
        "a sensor of a door, or of the RFID shoe's gate, no longer changes; `cleared` ends it",
        _read_stuck,
    ),
    StatementForm(
        "residual", "residual 16 in 1", "cards stay in the shuffler, or are `taken`", _read_residual
    ),
    StatementForm(
        "reach", "reach in red", "a batch is taken out of its compartment by the door", _read_reach
    ),
    StatementForm(
        "mode",
        "mode sort",
        "the key of the shuffler's mode",
        lambda reader: TurnModeKey(reader.one_of("mode", MODES)),
    ),
    StatementForm("lamp", 'lamp 21 on "card feed"', "a warning light", _read_lamp),
    StatementForm(
        "interfere", "interfere shuffler reflashed", "somebody changes a device", _read_interfere
    ),
    StatementForm(
        "unplug", "unplug shoe", "a cable is pulled, or plugged in", _read_plug, ("plug",)
    ),
    StatementForm("power", "power shoe off", "power is cut, or comes back", _read_power),
    StatementForm("host", "host kill", "a fault of the program's computer", _read_host),
    StatementForm(
        "wire", "wire shoe drop 10%", "a fault of a line; `none` ends all of them", _read_wire
    ),
    StatementForm("wait", "wait 30s", "time passes", lambda reader: Wait(time_ns(reader))),
)

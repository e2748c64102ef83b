"""Every integer that comes in from outside is bounded at its edge, where a sentence refuses it.

Source: controller/journal/README.md, "Encoding": an integer of more than 64 bits cannot be stored.
"""

import importlib
import inspect as python
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, get_args, get_origin

import pytest
from in_words import raises_in_words
from msgspec import Struct, inspect
from typer.models import OptionInfo

import controller
import controller.cli
from controller.archive.shoe_index import parse_shoe_name
from controller.cli.main import main
from controller.cli.rules.wagers import read_wagers
from controller.cli.table.commands import parse_values
from controller.core.script.errors import ScriptError
from controller.core.script.parser import parse
from controller.core.tape.inputs import DevicePlugged, Tick
from controller.core.tape.records import INPUTS
from controller.custody.manifest import ManifestError
from controller.custody.manifest_csv import read_sheet
from controller.custody.receipt import read_receipt
from controller.journal.encoding import EncodingError
from controller.journal.tape_file import BASES
from controller.journal.values import Base, JournalError
from controller.outlets.control.requests import ActRequest, action_from_request, parse_request
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import ActionError, ActionValues
from controller.rules.profiles.load import load_profile
from controller.rules.profiles.profile import ProfileError
from controller.service.commissioning.firmware_list import load_list
from controller.service.commissioning.pairing_file import load_pairing
from controller.service.commissioning.shuffle_receipt_file import load_shuffle
from controller.service.config.document import ConfigError
from controller.service.config.load import load_config
from controller.system.atomic_file import SmallFileError
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.json_document import Document, JsonError
from firmware_bridge import cbor
from firmware_bridge.tablelink.fields import FieldMismatch, Fields
from foundation.timestamp import Timestamp
from office.evidence.lookup import CoupReference

INT64_MAX = 2**63 - 1
TOO_LARGE = {
    "2**63": 2**63,
    "-2**63-1": -(2**63) - 1,
    "2**64": 2**64,
    "10**30": 10**30,
    "5,000 digits": 10**4999,
}
REFUSALS = (
    *(ActionError, CommandError, ConfigError, EncodingError, FieldMismatch, JournalError),
    *(JsonError, ManifestError, ProfileError, ScriptError, SmallFileError),
)

Read = Callable[[Path, str], object]


def toml(section: str, line: str) -> Read:
    """table.toml with that line in its section."""
    shipped = Path(controller.__file__).parent / "service" / "config" / "example.toml"

    def read(folder: Path, number: str) -> object:
        text = shipped.read_text("utf-8")
        assert f"[{section}]\n" in text
        added = f"[{section}]\n{line.replace('NUMBER', number)}\n"
        path = folder / "table.toml"
        path.write_text(text.replace(f"[{section}]\n", added, 1), "utf-8")
        return load_config(path)

    return read


def file_of(load: Callable[[Path], object], text: str, suffix: str = "") -> Read:
    """A file that that function loads; NUMBER is the number."""

    def read(folder: Path, number: str) -> object:
        path = folder / f"file{suffix}"
        path.write_text(text.replace("NUMBER", number), "utf-8")
        return load(path)

    return read


def text_of(parsed: Callable[[str], object], text: str) -> Read:
    return lambda _, number: parsed(text.replace("NUMBER", number))


def house(line: str) -> Read:
    """A house's profile with that line."""
    return file_of(lambda path: load_profile(path.name, path.parent), f"{HOUSE}{line}\n", ".toml")


def acted(name: str, values: str) -> Read:
    """A line of the control socket with that action."""

    def read(_: Path, number: str) -> object:
        line = f'{{"request": "act", "action": "{name}", "by": "A", "role": "dealer", {values}}}'
        request, given = parse_request(line.replace("NUMBER", number).encode())
        assert isinstance(request, ActRequest)
        return action_from_request(request.action, given)

    return read


def digits(number: int) -> str:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(number)
    finally:
        sys.set_int_max_str_digits(before)


def typed_words(name: str, word: str) -> Read:
    """A value of `smartshoe act`, as a person types it."""
    return text_of(
        lambda text: action_from_request(name, parse_values(ACTIONS[name], [text])), word
    )


HOUSE = 'name = "grand"\nbase = "ny-mini"\n'
CARDS = "# batch = A\n# back = red\n# decks = 1\ntag,rank,suit,deck\n"

EDGES: Mapping[str, Read] = {
    "control socket: a number": acted("clear-warning", '"number": NUMBER'),
    "control socket: an amount": acted("record", '"act": "cut", "amount": NUMBER'),
    "control socket: a wager's seat": acted(
        "wagers", '"wagers": [{"seat": NUMBER, "wager": "tie", "cents": 1}]'
    ),
    "control socket: a wager's cents": acted(
        "wagers", '"wagers": [{"seat": 5, "wager": "tie", "cents": NUMBER}]'
    ),
    "table.toml: decks": toml("rules", "decks = NUMBER"),
    "table.toml: seats": toml("layout", "seats = [NUMBER]"),
    "table.toml: vigorish boxes": toml("layout", "vigorish_boxes = [NUMBER]"),
    "table.toml: rate of a pit": toml("pit", "vig_rate = NUMBER"),
    "table.toml: disk space": toml("journal", "warn_free_mib = NUMBER"),
    "table.toml: port": toml("metrics", "port = NUMBER"),
    "table.toml: baud": toml("shoe", "baud = NUMBER"),
    "table.toml: milliseconds": toml("shoe", "report_interval_ms_min = NUMBER"),
    "house profile: a number": house("vig_rate = NUMBER"),
    "house profile: a number with a reason": house("vig_rate = { value = NUMBER }"),
    "wagers.csv: seat": text_of(lambda text: read_wagers(text, "w"), "NUMBER,banker,5"),
    "wagers.csv: amount": text_of(lambda text: read_wagers(text, "w"), "5,banker,NUMBER"),
    "manifest: decks": text_of(read_sheet, CARDS.replace("decks = 1", "decks = NUMBER")),
    "manifest: a card's deck": text_of(read_sheet, f"{CARDS}E004000000000001,A,D,NUMBER\n"),
    "receipt: count": text_of(
        read_receipt, '{"batch": "A", "back": "red", "decks": 1, "count": NUMBER}'
    ),
    "pairing: counter": file_of(load_pairing, '{"boot_count": NUMBER}'),
    "approved firmware: counter": file_of(load_list, '{"images": [{"security_counter": NUMBER}]}'),
    "shuffle receipt: cycle": file_of(load_shuffle, '{"receipt": {"cycle": NUMBER}}'),
    "script: cards": text_of(parse, "burn Ac + NUMBER"),
    "script: reports": text_of(parse, "lost NUMBER"),
    "script: seat": text_of(parse, "wagers NUMBER:banker:5"),
    "script: amount": text_of(parse, "wagers 5:banker:NUMBER"),
    "act: seat": typed_words("collect-vigorish", "seat=NUMBER"),
    "act: a wager's seat": typed_words("wagers", "wagers=NUMBER:tie:5"),
    "act: a wager's amount": typed_words("wagers", "wagers=5:tie:NUMBER"),
    "evidence: shoe": text_of(CoupReference.parse, "2026-11-21/NUMBER/1"),
    "evidence: coup": text_of(CoupReference.parse, "2026-11-21/1/NUMBER"),
    "journal: shoe": text_of(parse_shoe_name, "2026-11-21/NUMBER"),
}


@pytest.mark.parametrize("number", TOO_LARGE)
@pytest.mark.parametrize("edge", EDGES)
def test_a_number_too_large_is_refused_with_a_sentence(
    edge: str, number: str, fast_dir: Path
) -> None:
    with pytest.raises(REFUSALS) as refused:
        EDGES[edge](fast_dir, digits(TOO_LARGE[number]))
    assert len(str(refused.value)) > 20


# --- records --------------------------------------------------------------------------------------

RECORDS: Mapping[str, tuple[object, Callable[[int], Struct]]] = {
    "tape: a moment on the monotonic clock": (INPUTS, lambda number: Tick(Timestamp(number, 0))),
    "tape: a moment in UTC": (INPUTS, lambda number: Tick(Timestamp(0, number))),
    "tape: a number of an input": (
        INPUTS,
        lambda number: DevicePlugged(Timestamp(0, 0), number, 0, "", ""),
    ),
    "tape: the record it follows": (BASES, Base),
    "journal: the record that began a run": (BASES, lambda number: Base(1, started_seq=number)),
}


@pytest.mark.parametrize("number", [2**63, 2**64 - 1])
@pytest.mark.parametrize("record", RECORDS)
def test_a_record_with_a_number_too_large_is_not_read(record: str, number: int) -> None:
    codec, made = RECORDS[record]
    data = codec.encode(made(number))

    with pytest.raises(EncodingError, match=r"an integer of 2\*\*63 or more"):
        codec.decode(data)
    assert codec.decode(codec.encode(made(INT64_MAX))) == made(INT64_MAX)


# --- devices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, -1, -(2**63) - 1])
def test_a_devices_counter_too_large_is_a_fault_of_its_message(number: int) -> None:
    entries = cbor.decode_map(cbor.encode({1: number}))
    assert entries is not None

    with raises_in_words(FieldMismatch, "must be an integer from 0 to 9223372036854775807"):
        Fields(entries).number(1)


# --- every place of a kind ------------------------------------------------------------------------


def modules_of(package: str) -> Iterator[object]:
    path = importlib.import_module(package).__path__
    for found in pkgutil.walk_packages(path, f"{package}."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def integers(found: inspect.Type, place: str) -> Iterator[tuple[str, inspect.IntType]]:
    match found:
        case inspect.IntType():
            yield place, found
        case inspect.StructType(fields=fields):
            for one in fields:
                yield from integers(one.type, f"{place}.{one.name}")
        case inspect.UnionType(types=types):
            for one in types:
                yield from integers(one, place)
        case inspect.VarTupleType(item_type=item) | inspect.Metadata(type=item):
            yield from integers(item, place)


def test_every_number_of_a_json_document_and_of_an_action_has_bounds() -> None:
    list(modules_of("controller.outlets.control"))
    list(modules_of("controller.service.commissioning"))
    kinds = [*Document.__subclasses__(), *ActionValues.__subclasses__()]
    found = dict(
        one
        for kind in kinds
        if kind.__module__.startswith("controller.")
        for one in integers(inspect.type_info(kind), kind.__name__)
    )

    unbounded = [
        place
        for place, one in found.items()
        if one.ge is None or one.le is None or not -(2**63) <= one.ge <= one.le <= INT64_MAX
    ]
    assert len(found) > 25
    assert unbounded == []


def number_options() -> Iterator[tuple[str, OptionInfo]]:
    """Every option of a command whose value is a number."""
    for module in modules_of("controller.cli"):
        for name, function in python.getmembers(module, python.isfunction):
            if function.__module__ != module.__name__:
                continue
            for parameter, hint in python.get_annotations(function).items():
                if get_origin(hint) is Annotated and {int, float} & set(plain_types(hint)):
                    option = next(
                        (one for one in hint.__metadata__ if isinstance(one, OptionInfo)), None
                    )
                    if option is not None:
                        yield f"{name} --{parameter}", option


def plain_types(hint: object) -> tuple[object, ...]:
    kind = get_args(hint)[0]
    return (kind, *get_args(kind))


def test_every_number_on_the_command_line_has_bounds() -> None:
    options = dict(number_options())
    unbounded = [
        name
        for name, one in options.items()
        if one.min is None or one.max is None or one.max > INT64_MAX
    ]
    assert len(options) >= 10
    assert unbounded == []


@pytest.mark.parametrize("number", TOO_LARGE)
@pytest.mark.parametrize(
    "words",
    [
        ("try", "P 9h", "--decks"),
        ("odds", "--decks"),
        ("audit", ".", "--jobs"),
        ("journal", "archive", ".", "--to", "there", "--older-than"),
        ("journal", "prune", ".", "--archive", "there", "--keep-days"),
        ("journal", "export", ".", "--day", "2026-11-21", "--shoe"),
        ("devices", "monitor", "none", "--baud"),
        ("devices", "monitor", "none", "--seconds"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_an_option_too_large_is_wrong_usage(
    words: tuple[str, ...], number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, digits(TOO_LARGE[number])]) == ExitCode.UNUSABLE
    assert f"{words[-1]}: " in capsys.readouterr().err

"""`smartshoe-hil accept`: its options, and its help page."""
# ruff: noqa: PLC0415 - a help page does not load the program.

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from controller.system.command_line.command import example
from controller.system.command_line.errors import CommandError, ExitCode, write_stderr
from drivers.model import ReaderSeat

if TYPE_CHECKING:
    from controller.system.keys import PublicKey, TableKey
    from hil.acceptance.people import Answerer
    from hil.acceptance.run import Ended, Order
    from hil.acceptance.walk.guided_step import GuidedStep

WAIT_S_MAX: Final = 3600
BAUD_MAX: Final = 4_000_000
DEVICE, REPORT, VERIFY = "Device", "Report", "Verify"
KEY_FILE: Final = Path("acceptance.key")
REPORT_NAME: Final = "report.json"

ACCEPT_EXAMPLES: Final = (
    example(
        "smartshoe-hil accept --list --model angel-eye-ii-ex",
        "port              the port is there and opens, for one program alone",
        "...",
        "card-1            Draw one card.",
        "                  to arrive (Angel Eye II-EX, Codes): `D`: the place it is for, and ...",
        "...",
    ),
    example(
        "smartshoe-hil accept /dev/serial/by-id/usb-shoe --model angel-eye-ii-ex \\\n"
        "    --person 'Ann Lee' --answers answers.toml --report shoe-7.json",
        "...",
        "NOT ACCEPTED: 3 failed (port, line, understood), ...",
        "...",
        code=ExitCode.NO,
    ),
    example(
        "smartshoe-hil accept --verify shoe-7.json --key acceptance.key.pub",
        "shoe-7.json: signed with the key ...",
        "its tape is unchanged, and gives the same events (1)",
        "NOT ACCEPTED: ...",
    ),
)
ACCEPT_NOTES: Final = """\
Each step ends with PASS, DIFFERS (it works, and not as the wire document says), FAIL or NOT DONE. \
Questions are on standard error, and standard output has the report for people, or with --json one \
JSON object. Beside the report there is the same for people (.txt) and the tape (.pcapng), which \
shows every card and opens in Wireshark.

Without --listen the program writes what the device's link needs: acknowledgements, time requests, \
a reader's clearing of records that are on the tape. Angel Eye and scanners in HID POS mode need \
next to nothing, a TableLink device is silent without. Commands, such as a lock, need \
--allow-commands.

The report is written after each step; Ctrl-C, a full disk or a lost port leave the report of what \
was done, which says that it is incomplete. It is done (0) if every step passed."""


_Port = Annotated[
    str, typer.Argument(metavar="[PORT]", help="A device path or a URL, as in table.toml.")
]
_Model = Annotated[
    str, typer.Option(metavar="NAME", rich_help_panel=DEVICE, help="The device's model.")
]
_Baud = Annotated[
    int,
    typer.Option(
        min=0,
        max=BAUD_MAX,
        metavar="N",
        rich_help_panel=DEVICE,
        help="Bits per second; 0: the model's own.",
    ),
]
_Values = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        rich_help_panel=DEVICE,
        help="A setting of the model, as in the configuration; may be repeated.",
    ),
]
_Seat = Annotated[
    ReaderSeat,
    typer.Option(rich_help_panel=DEVICE, help="Where a reader is installed."),
]
_Listen = Annotated[
    bool,
    typer.Option("--listen", rich_help_panel=DEVICE, help="Write nothing to the device."),
]
_AllowCommands = Annotated[
    bool,
    typer.Option(
        "--allow-commands",
        rich_help_panel=DEVICE,
        help="Try commands, too: lock, unlock, self-test.",
    ),
]
_Wait = Annotated[
    int,
    typer.Option(
        min=1,
        max=WAIT_S_MAX,
        metavar="S",
        rich_help_panel=DEVICE,
        help="How long a step waits for what must arrive.",
    ),
]
_ListSteps = Annotated[
    bool,
    typer.Option("--list", rich_help_panel=DEVICE, help="List the steps and stop."),
]
_Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=REPORT,
        show_default="./acceptance-DATE-TIME/report.json",
        help="A new file for the report; its tape and page stand beside it.",
    ),
]
_Key = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=REPORT,
        show_default=str(KEY_FILE),
        help="The key that signs, made if there is none; with --verify the public key.",
    ),
]
_Person = Annotated[
    str,
    typer.Option(metavar="NAME", rich_help_panel=REPORT, help="Who does the acceptance."),
]
_Answers = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=REPORT,
        help="Answers by the names of the steps, for a run without a person.",
    ),
]
_AsJson = Annotated[
    bool,
    typer.Option("--json", rich_help_panel=REPORT, help="Print one JSON object."),
]
_Verify = Annotated[
    Path | None,
    typer.Option(
        metavar="REPORT",
        rich_help_panel=VERIFY,
        help="Verify a report and its tape instead.",
    ),
]


def accept(
    port: _Port = "",
    model: _Model = "",
    baud: _Baud = 0,
    values: _Values = None,
    seat: _Seat = ReaderSeat.LAYOUT,
    listen: _Listen = False,
    allow_commands: _AllowCommands = False,
    wait: _Wait = 30,
    list_steps: _ListSteps = False,
    report: _Report = None,
    key: _Key = None,
    person: _Person = "",
    answers: _Answers = None,
    as_json: _AsJson = False,
    verify: _Verify = None,
) -> None:
    """Accept a first real device: a guided walk and a signed report.

    It says what to do at the device, compares what arrives with the wire document, and ends with a
    signed report of figures and differences.
    """
    if verify is not None:
        raise typer.Exit(_verify(verify, key, as_json=as_json))
    order = _order(port, model, baud, values or [], seat, person, wait, listen, allow_commands)
    if list_steps:
        _list(order)
        return
    _require(order)
    raise typer.Exit(_accept(order, answers, report, key or KEY_FILE, as_json=as_json))


def _order(
    port: str,
    model: str,
    baud: int,
    values: list[str],
    seat: ReaderSeat,
    person: str,
    wait: int,
    listen: bool,
    allow_commands: bool,
) -> "Order":
    """What the options ask for. Raises CommandError; BadDeviceSettings for an unknown model."""
    from drivers.catalogue import find_by_option
    from drivers.model import BadDeviceSettings, Installation
    from firmware_bridge.transport.port import LineSettings, Parity
    from hil.acceptance.run import Order

    if not model:
        raise CommandError(
            "it needs --model NAME",
            place="accept",
            allowed="accept PORT --model NAME --person NAME",
            remedy="name the device's model; a name that is not known is answered with the list",
        )
    if listen and allow_commands:
        raise CommandError(
            "--listen and --allow-commands are both given",
            place="--listen",
            allowed="one of them",
            remedy="leave one out",
        )
    found = find_by_option(model)
    try:
        settings = found.with_values(dict(map(_key_and_value, values)))
    except BadDeviceSettings as error:
        raise CommandError(f"--set {error}") from error
    parity = Parity(found.parity or Parity.NONE)
    return Order(
        url=port,
        model=found,
        line=LineSettings(baud or found.baud, parity),
        stored=found.to_store(settings),
        installed=Installation(allow_commands=allow_commands, seat=seat),
        person=person,
        wait_s=wait,
        listen=listen,
    )


def _key_and_value(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise CommandError(
            f"{text!r} is not allowed",
            place="--set",
            allowed="KEY=VALUE",
            remedy="write the key, an equals sign and the value",
        )
    return key, value


def _require(order: "Order") -> None:
    """The port and the person are named. Raises CommandError."""
    from foundation.recorded_text import name_line
    from hil.acceptance.cable import adapter_of

    if not order.url:
        raise CommandError(
            "no port is named",
            place="accept",
            allowed="accept PORT --model NAME --person NAME",
            remedy="name the port; `smartshoe devices` lists them",
        )
    try:
        name_line(order.person)
    except ValueError as error:
        raise CommandError(f"--person: {error}") from error
    try:
        adapter_of(order.url)
    except ValueError as error:
        raise CommandError(f"{order.url}: {error}") from error


def _list(order: "Order") -> None:
    """Print the steps, with their names for a file of answers."""
    from hil.acceptance.walk.walks import walk_of
    from hil.acceptance.wire.documents import document_of

    document = document_of(order.model)
    for name, words in _GENERAL:
        print(f"{name:<17} {words}")
    for step in walk_of(order.model, order.installed):
        note = " (needs --allow-commands)" if step.needs_permission else ""
        print(f"{step.name:<17} {step.act}{note}")
        print(f"{'':<17} to arrive ({document.named(step.section)}): {step.states}")


_GENERAL: Final = (
    ("port", "the port is there and opens, for one program alone"),
    ("unplug, replug", "pull the cable, and plug it in again"),
    ("first-bytes", "bytes arrive, and are frames at the model's line settings"),
    ("other-lines", "only if nothing is a frame: other usual line settings are tried"),
)


def _accept(
    order: "Order", answers: Path | None, report: Path | None, key_file: Path, *, as_json: bool
) -> int:
    from hil.acceptance.report.signed_report import ReportFiles
    from hil.acceptance.run import accept as run_acceptance
    from hil.acceptance.walk.walks import walk_of

    steps = walk_of(order.model, order.installed)
    answerer = _answerer(order, answers, steps)
    key = _signing_key(key_file)
    files = ReportFiles(_new_report(report))
    ended = run_acceptance(order, answerer, key, files)
    _print(ended, files.report, as_json=as_json)
    if ended.stopped_by is not None:
        raise ended.stopped_by
    if ended.unwritten:
        raise CommandError(f"{ended.unwritten}. The report is on standard output")
    return ExitCode.DONE if ended.accepted else ExitCode.NO


def _answerer(order: "Order", answers: Path | None, steps: "tuple[GuidedStep, ...]") -> "Answerer":
    from hil.acceptance.people import AtTerminal, FromFile
    from hil.acceptance.run import question_names
    from hil.acceptance.walk.guided import names_of

    if answers is None:
        return AtTerminal()
    return FromFile(answers, question_names(names_of(steps)))


def _signing_key(path: Path) -> "TableKey":
    """The key that signs, made where there is none. Raises KeyFileError."""
    from controller.system.keys import fingerprint_text, load_key, make_key, public_path

    if path.exists():
        return load_key(path)
    key = make_key(path)
    write_stderr(f"made the key {path}; its public key is {public_path(path)}, fingerprint")
    write_stderr(fingerprint_text(key.public.fingerprint))
    return key


def _new_report(path: Path | None) -> Path:
    """A report file that does not exist, nor what stands beside it. Raises CommandError."""
    from controller.system.atomic_file import require_new
    from hil.acceptance.report.signed_report import ReportFiles

    if path is None:
        stem = f"acceptance-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
        folder, number = Path(stem), 1
        while folder.exists():
            number += 1
            folder = Path(f"{stem}-{number}")
        folder.mkdir()
        return folder / REPORT_NAME
    files = ReportFiles(path)
    if path.suffix in {files.text.suffix, files.tape.suffix} or not path.name:
        raise CommandError(
            f"{path} would be its own page or tape",
            place="--report",
            allowed="a new file such as shoe-7.json",
            remedy="name another",
        )
    for one in (files.report, files.text, files.tape):
        require_new(one)
    return path


def _print(ended: "Ended", report: Path, *, as_json: bool) -> None:
    from hil.acceptance.report.page import report_page
    from hil.acceptance.report.signed_report import report_text

    document = ended.document
    if ended.unwritten:
        print(report_text(document), end="")
    elif as_json:
        print(json.dumps(_summary(document, report)))
    else:
        print(report_page(document), end="")
        print(f"Report     {report}")


def _summary(document: dict[str, Any], report: Path) -> dict[str, Any]:
    return {
        "report": str(report),
        "verdict": document["verdict"],
        "incomplete": document["incomplete"],
        "steps": {one["name"]: one["outcome"] for one in document["steps"]},
        "tape": {name: document["tape"][name] for name in ("file", "bytes", "sha256")},
        "fingerprint": document["key"]["fingerprint"],
    }


def _verify(path: Path, key_file: Path | None, *, as_json: bool) -> int:
    """Verify signature, tape and events; prints what holds. Raises CommandError."""
    from controller.system.keys import fingerprint_text
    from hil.acceptance.report.signed_report import BadReport
    from hil.acceptance.report.verify import verify_report

    trusted = _trusted_key(key_file)
    try:
        found = verify_report(path, trusted)
    except BadReport as error:
        raise CommandError(
            str(error),
            ExitCode.NO,
            place=str(path),
            allowed="a report and its tape as they were signed",
            remedy="ask whoever did the acceptance for both",
        ) from error
    fingerprint = fingerprint_text(found.key.fingerprint)
    if as_json:
        shown = {"report": str(path), "holds": True, "verdict": found.verdict}
        print(json.dumps({**shown, "fingerprint": fingerprint, "events": found.events}))
        return ExitCode.DONE
    whose = "" if trusted is not None else "; give --key to compare whose it is"
    print(f"{path}: signed with the key {fingerprint}{whose}")
    print(f"its tape is unchanged, and gives the same events ({found.events})")
    print(found.verdict)
    return ExitCode.DONE


def _trusted_key(path: Path | None) -> "PublicKey | None":
    from controller.system.keys import load_public

    return None if path is None else load_public(path)

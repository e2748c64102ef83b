"""A batch's bar code scanned at a running table binds the batch, or is refused with a reason.

Source: NY (a)(4)(iv)(b), S42 (a)(4)(iii).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from controller.core.tape.entries import BatchBound
from controller.journal.people import PeopleFile
from controller.procedure.effects import Refusal
from controller.service.commissioning.batch_folder import receipt_path
from controller.system.keys import make_key
from controller.system.messages.catalogue import to_words
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.emulator.scanners.line import ScannerLine
from hil.emulator.scanners.ssi import SsiDevice
from hil.rig.device_programs import RfidPrograms, wait_until
from hil.usb.bed import SCANNER, UsbTestBed

Scan = Callable[[str], None]
EXIT = "/dev/no-shoe"
SCANNER_URL = "usbhid://0c2e:0b81/SCAN-1"
SECTION = """
[[scanner]]
port = "{port}"
model = "{model}"
"""


@contextmanager
def at_usb(programs: RfidPrograms) -> Iterator[Scan]:
    """The program with a USB scanner; yields the scan function."""
    section = SECTION.format(port=SCANNER_URL, model="hid-pos")
    with (
        UsbTestBed() as bed,
        programs.program(EXIT, section, bound=(), environment=bed.environment) as program,
    ):
        bed.plug("scanner", {**SCANNER, "serial_number": "SCAN-1"}, [{"kind": "hid_pos"}])
        program.start()

        def scan(code: str) -> None:
            wait_until(lambda: bed.call("scanner", "scan", text=code.encode().hex()))

        yield scan
        program.stop()


@contextmanager
def at_ssi(programs: RfidPrograms) -> Iterator[Scan]:
    """The same with a scanner on a serial line."""
    device = ScannerLine(SsiDevice())
    with PtyServer(device, LineServerSettings(baud=9600)) as line:
        section = SECTION.format(port=line.path, model="zebra-ssi")
        with programs.program(EXIT, section, bound=()) as program:
            program.start()

            def scan(code: str) -> None:
                assert line.wait_for(lambda one: one.scanner.enabled and one.scanner.packets)
                taken: list[bool] = []

                def hold_it_there(one: ScannerLine[SsiDevice]) -> tuple[()]:
                    taken.append(one.scanner.scan(code.encode()))
                    return ()

                line.perform(hold_it_there)
                assert taken == [True]

            yield scan
            program.stop()


SCANNERS = [
    pytest.param(at_usb, marks=pytest.mark.needs("umockdev"), id="usb"),
    pytest.param(at_ssi, id="ssi"),
]


def answers(programs: RfidPrograms) -> list[BatchBound | Refusal]:
    """The answers to the scanned codes so far."""
    return [one for one in programs.entries() if isinstance(one, BatchBound | Refusal)]


@pytest.mark.parametrize("at_scanner", SCANNERS)
def test_a_scanned_batch_is_bound_or_refused_with_the_reason(
    rfid_programs: RfidPrograms, at_scanner
) -> None:
    folder = rfid_programs.folder
    trusted, table_key = folder / "table.key.pub", (folder / "table.key.pub").read_bytes()
    receipt_path(folder / "batches", "BLUE-0001").unlink()
    with at_scanner(rfid_programs) as scan:

        def scanned(code: str) -> BatchBound | Refusal:
            before = len(answers(rfid_programs))
            scan(code)
            wait_until(lambda: len(answers(rfid_programs)) > before)
            return answers(rfid_programs)[before]

        unknown, unsigned, nameless = map(scanned, ("GREEN-0007", "BLUE-0001", "../table"))
        make_key(folder / "other.key")
        (folder / "other.key.pub").replace(trusted)
        strange = scanned("RED-0001")
        trusted.write_bytes(table_key)
        bound = scanned("RED-0001")

    for refused, why in (
        (unknown, "GREEN-0007, named by the scanner"),
        (unsigned, "a batch without its receipt is not for play"),
        (nameless, "this is not a batch name"),
        (strange, "which is not trusted here"),
    ):
        assert isinstance(refused, Refusal)
        assert why in to_words(refused.why)
    assert isinstance(bound, BatchBound)
    assert (bound.batch, bound.back, bound.cards, bound.changed) == ("RED-0001", "red", 419, True)
    names = PeopleFile(folder / "journal").names()
    assert (bound.maker, names[bound.operator]) == ("the bench", "Ann Lee")

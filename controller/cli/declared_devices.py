"""Declares the commands on devices: ports, identities, approved firmware.

Source: controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.system.command_line.command import CTRL_C, Command, HelpSection, example
from controller.system.command_line.errors import ExitCode

_DIGEST: Final = "0b" * 32
_DEVICE: Final = "a device at this port"

DONE, NO = ExitCode.DONE, ExitCode.NO

DEVICES: Final = (
    Command(
        "devices list",
        HelpSection.DEVICES,
        "List serial ports and USB devices with their URLs.",
        "controller.cli.devices.device_list:list_devices",
        (
            example(
                "smartshoe devices list",
                "...",
                "no USB devices",
            ),
            example(
                "smartshoe devices list --config table.toml --json",
                "{",
                '  "serial": [',
                "...",
                '      "part": "shoe",',
                "...",
            ),
        ),
    ),
    Command(
        "devices monitor",
        HelpSection.DEVICES,
        "Watch a port: bytes arrived, frames, events.",
        "controller.cli.devices.commands:monitor",
        (
            example(
                "smartshoe devices monitor /dev/ttyUSB0",
                "/dev/ttyUSB0 is open; Ctrl-C ends. Times are UTC.",
                "17:05:47.737  event  StageChanged stage=opened detail=port open",
                "...",
                needs=_DEVICE,
            ),
            example(
                "smartshoe devices monitor socket://127.0.0.1:4001 --level frames --level events",
                "socket://127.0.0.1:4001 is open; Ctrl-C ends. Times are UTC.",
                "17:05:47.737  event  StageChanged stage=opened detail=port open",
                "17:05:47.738  frame  report SEQ '0' code 'S'",
                "...",
                needs=CTRL_C,
            ),
            example(
                "smartshoe devices monitor usb://0ab1:0002/12345678 --model feig-rfid",
                "usb://0ab1:0002/12345678 is open; Ctrl-C ends. Times are UTC.",
                "17:05:47.737  event  StageChanged stage=opened detail=port open",
                "...",
                needs=_DEVICE,
            ),
            example(
                "smartshoe devices monitor /dev/ttyUSB1 --config table.toml",
                "/dev/ttyUSB1 is open; Ctrl-C ends. Times are UTC.",
                "17:05:47.737  event  StageChanged stage=opened detail=port open",
                "...",
                needs=_DEVICE,
            ),
            example(
                "smartshoe devices monitor /dev/ttyUSB0 --maintenance --config table.toml",
                "/dev/ttyUSB0 is open; Ctrl-C ends. Times are UTC.",
                "17:05:47.737  event  StageChanged stage=opened detail=port open",
                "...",
                needs=_DEVICE,
            ),
        ),
        {DONE: "ended by Ctrl-C, or time is up", NO: "no maintenance now, or not confirmed"},
        "It never writes to the device. Ctrl-C ends it and prints totals.",
    ),
    Command(
        "devices record",
        HelpSection.DEVICES,
        "Record what devices send, for replay and Wireshark.",
        "controller.cli.devices.record:record",
        (
            example(
                "smartshoe devices record --config table.toml --to shoe.pcapng --seconds 2 --yes",
                "WARNING: socket://127.0.0.1:4001 will be recorded unmasked, every card included.",
                "socket://127.0.0.1:4001 is open; Ctrl-C ends.",
                "socket://127.0.0.1:4001: ... in ...",
                "shoe.pcapng: ...",
            ),
            example(
                "smartshoe devices record /dev/ttyUSB0 --config table.toml --to shoe.pcapng",
                "WARNING: /dev/ttyUSB0 will be recorded unmasked, every card included.",
                "...",
                needs=_DEVICE,
            ),
        ),
        {DONE: "ended by Ctrl-C, or time is up", NO: "no maintenance now, or not confirmed"},
        (
            "It only listens: a device that only answers requests (TableLink, a polled FEIG"
            " reader) stays silent. Record such a device between it and its table, with"
            " `smartshoe-hil relay`. `smartshoe-hil replay` plays a record back as a device."
        ),
    ),
    Command(
        "identity pair",
        HelpSection.DEVICES,
        "Pair a device: read its key, write its file.",
        "controller.cli.devices.identity:pair",
        (
            example(
                "smartshoe identity pair /dev/serial/by-id/usb-Maker_Shuffler_0001-if00 \\\n"
                "    --out shuffler.identity.json --person 'Ann Lee'",
                "paired: shuffler.identity.json",
                "device        5348554630303031, a shuffler",
                "fingerprint   56475aa7 5463474c 0285df5d bf2bcab7 3da65135 8839e9b7 ...",
                "...",
                needs=_DEVICE,
            ),
            example(
                "smartshoe identity pair usb://1209:0001/S1 --out shuffler.identity.json \\\n"
                f"    --person 'Ann Lee' \\\n    --fingerprint {_DIGEST}",
                "paired: shuffler.identity.json",
                "device        5348554630303031, a shuffler",
                "fingerprint   56475aa7 5463474c 0285df5d bf2bcab7 3da65135 8839e9b7 ...",
                "...",
                needs=_DEVICE,
            ),
        ),
        {DONE: "paired", NO: "the fingerprint differs from the one given"},
        (
            "Compare device and fingerprint with the paper that came with the device before you"
            " name the file in table.toml. No file is ever overwritten. The table must not be"
            " running on this port."
        ),
    ),
    Command(
        "identity show",
        HelpSection.DEVICES,
        "Show a paired device, who paired it, its firmware.",
        "controller.cli.devices.identity:show",
        (
            example(
                "smartshoe identity show journal/shuffler.identity.json",
                "device        5eed0000c0ffee01, a shuffler",
                "fingerprint   56475aa7 5463474c 0285df5d bf2bcab7 ...",
                "firmware      1.0.0, security counter 1",
                "...",
                "paired by     demonstration, 2025-11-21T16:27:09.477252606Z",
            ),
        ),
    ),
    Command(
        "firmware list",
        HelpSection.DEVICES,
        "Show the firmware on a list.",
        "controller.cli.devices.firmware:list_firmware",
        (
            example(
                "smartshoe firmware list approved.json",
                "...",
                " 1.2.0     3         c3bf47ea1f4a4a605470313cacb3a44f...",
                "...",
                "by key    e3fd14b2 cda00835 4914dd4c e4b03dcb 120b304e 5ab34fdd d2325151 8533a29b",
            ),
        ),
        notes="The signature is not checked; `smartshoe firmware verify` does that.",
    ),
    Command(
        "firmware approve",
        HelpSection.DEVICES,
        "Add an image to the list and sign it again.",
        "controller.cli.devices.firmware:approve",
        (
            example(
                "smartshoe firmware approve --image shuffler.bin --version 1.2.0 \\\n"
                "    --counter 3 --key table.key --list approved.json",
                "...",
                " 1.2.0     3         c3bf47ea1f4a4a605470313cacb3a44f...",
                "...",
            ),
            example(
                f"smartshoe firmware approve \\\n    --sha256 {_DIGEST} \\\n"
                "    --version 1.1.0 --counter 3",
                "...",
                f" 1.1.0     3         {_DIGEST[:32]}...",
                "...",
            ),
        ),
        {DONE: "done", NO: "the existing list is not signed with a trusted key"},
        (
            "The existing list must have been signed with the same key, or with one of --trust."
            " A table reads the list at its next start."
        ),
    ),
    Command(
        "firmware withdraw",
        HelpSection.DEVICES,
        "Remove an image from the list and sign it again.",
        "controller.cli.devices.firmware:withdraw",
        (
            example(
                f"smartshoe firmware withdraw \\\n    --sha256 {_DIGEST} \\\n"
                "    --key table.key --list approved.json",
                "...",
                " 1.2.0     3         c3bf47ea1f4a4a605470313cacb3a44f...",
                "...",
            ),
        ),
        {DONE: "done", NO: "the image is not on the list, is its last, or the list is not trusted"},
    ),
    Command(
        "firmware verify",
        HelpSection.DEVICES,
        "Check that one of these keys signed the list.",
        "controller.cli.devices.firmware:verify",
        (
            example(
                "smartshoe firmware verify approved.json --key table.key.pub",
                "...",
                "signed by one of these keys",
            ),
        ),
        {DONE: "signed by one of the keys", NO: "not signed by any of them"},
    ),
)

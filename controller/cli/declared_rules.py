"""Declares the commands on rules and devices, and those that set a table up.

Source: controller/cli/README.md, "Command line"; controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.cli.command import Command, Example, HelpSection
from controller.cli.errors import ExitCode

_DIGEST: Final = "0b" * 32
_READER: Final = "a reader of chips"
_DEVICE: Final = "a device at this port"
_WHO: Final = "--maker Acme --operator 'Ann Lee'"

DONE, NO, UNUSABLE = ExitCode.DONE, ExitCode.NO, ExitCode.UNUSABLE

_FOR_PLAY: Final = {DONE: "done", NO: "a batch may not be dealt from"}

RULES: Final = (
    Command(
        "rules list",
        HelpSection.RULES,
        "List the profiles that come with the program.",
        "controller.cli.rules.rules:list_profiles",
        (Example("smartshoe rules list"), Example("smartshoe rules list --json")),
    ),
    Command(
        "rules show",
        HelpSection.RULES,
        "Show every value of a profile with its clauses.",
        "controller.cli.rules.rules:show",
        (
            Example("smartshoe rules show s42-mini"),
            Example("smartshoe rules show --config table.toml"),
            Example("smartshoe rules show house.toml --clauses"),
        ),
    ),
    Command(
        "rules clause",
        HelpSection.RULES,
        "Print one clause, and what the program checks.",
        "controller.cli.rules.rules:clause",
        (Example("smartshoe rules clause NY-h-1"),),
    ),
    Command(
        "clauses",
        HelpSection.RULES,
        "List every clause with the tests that cover it.",
        "controller.cli.rules.clauses:clauses",
        (
            Example("smartshoe clauses"),
            Example("smartshoe clauses --document S42"),
            Example("smartshoe clauses --open --json"),
        ),
    ),
    Command(
        "odds",
        HelpSection.RULES,
        "Count every six-card draw; show the house edges.",
        "controller.cli.rules.odds:odds",
        (
            Example("smartshoe odds --decks 8"),
            Example("smartshoe odds --decks 6 --profile ny-ez"),
            Example("smartshoe odds --profile nj-minibaccarat --json"),
        ),
    ),
    Command(
        "settle",
        HelpSection.RULES,
        "Show what a coup pays, and pay a list of wagers.",
        "controller.cli.rules.settle:settle",
        (
            Example(
                "smartshoe settle --profile ny-mini --cards 'P 7h; B 2c; P Ks; B 3d; B Qh'",
            ),
            Example(
                "smartshoe settle --profile ny-ez --cards 'P 9h; B 2c; P Ks; B 6d' \\\n"
                "    --wagers wagers.csv"
            ),
            Example("smartshoe settle --profile s42-mini --void --wagers wagers.csv --json"),
        ),
        {DONE: "done", NO: "a wager is refused"},
        "A line of wagers is seat,wager,amount, such as 5,banker,25.00.",
    ),
    Command(
        "try",
        HelpSection.RULES,
        "Play a dealing script and show every verdict.",
        "controller.cli.rules.try_script:try_script",
        (
            Example('smartshoe try "burn Ac + 1; P 9h; B Kc; P Qd; B Jh; result player"'),
            Example(
                "smartshoe try evening.script --profile ny-mini \\\n"
                "    --observed result_button,wagers"
            ),
            Example('echo "burn 2c + 2; P 7h; B ??" | smartshoe try - --json'),
        ),
        {DONE: "it was played, with or without irregularities"},
        (
            "\b\nstatements: burn 7h + 7   P 7h   B 2c   card 9s   cut   result tie\n"
            "  no more bets   wagers 5 banker 100.00, 3 tie 25   turn player\n"
            "  resolve void-coup   # a comment\n\n"
            "controller/script/README.md lists all of them, as does the error at an unknown word."
            " Statements end with ; or with the line. A script that begins with a burn starts the"
            " shoe.\n\n"
            "Every face is shown, even one that nobody at a table would have seen: the writer of"
            " the script knows it."
        ),
    ),
)

DEVICES: Final = (
    Command(
        "devices list",
        HelpSection.DEVICES,
        "List serial ports and USB devices with their URLs.",
        "controller.cli.devices.device_list:list_devices",
        (
            Example("smartshoe devices list"),
            Example("smartshoe devices list --config table.toml --json"),
        ),
    ),
    Command(
        "devices monitor",
        HelpSection.DEVICES,
        "Watch a port: bytes arrived, frames, events.",
        "controller.cli.devices.commands:monitor",
        (
            Example("smartshoe devices monitor /dev/ttyUSB0", needs=_DEVICE),
            Example(
                "smartshoe devices monitor socket://10.0.0.7:4001 --level frames --level events",
                needs=_DEVICE,
            ),
            Example(
                "smartshoe devices monitor usb://0ab1:0002/12345678 --model feig-rfid",
                needs=_DEVICE,
            ),
            Example(
                "smartshoe devices monitor usbhid://0c2e:0b81/S1234 --model hid-pos",
                needs=_DEVICE,
            ),
            Example("smartshoe devices monitor /dev/ttyUSB1 --config table.toml", needs=_DEVICE),
            Example(
                "smartshoe devices monitor /dev/ttyUSB0 --maintenance --config table.toml",
                needs=_DEVICE,
            ),
        ),
        {DONE: "ended by Ctrl-C, or time is up", NO: "no maintenance now, or not confirmed"},
        "It never writes to the device. Ctrl-C ends it and prints totals.",
    ),
    Command(
        "identity pair",
        HelpSection.DEVICES,
        "Pair a device: read its key, write its file.",
        "controller.cli.devices.identity:pair",
        (
            Example(
                "smartshoe identity pair /dev/serial/by-id/usb-Maker_Shuffler_0001-if00 \\\n"
                "    --out shuffler.identity.json --person 'Ann Lee'",
                needs=_DEVICE,
            ),
            Example(
                "smartshoe identity pair usb://1209:0001/S1 --out shuffler.identity.json \\\n"
                f"    --person 'Ann Lee' \\\n    --fingerprint {_DIGEST}",
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
        (Example("smartshoe identity show shuffler.identity.json", needs="a paired device"),),
    ),
    Command(
        "firmware list",
        HelpSection.DEVICES,
        "Show the firmware on a list.",
        "controller.cli.devices.firmware:list_firmware",
        (Example("smartshoe firmware list approved.json"),),
        notes="The signature is not checked; `smartshoe firmware verify` does that.",
    ),
    Command(
        "firmware approve",
        HelpSection.DEVICES,
        "Add an image to the list and sign it again.",
        "controller.cli.devices.firmware:approve",
        (
            Example(
                "smartshoe firmware approve --image shuffler.bin --version 1.2.0 \\\n"
                "    --counter 3 --key table.key --list approved.json"
            ),
            Example(
                f"smartshoe firmware approve --sha256 {_DIGEST} \\\n    --version 1.2.0 --counter 3"
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
            Example(
                f"smartshoe firmware withdraw --sha256 {_DIGEST} \\\n"
                "    --key table.key --list approved.json"
            ),
        ),
        {DONE: "done", NO: "the image is not on the list, is its last, or the list is not trusted"},
    ),
    Command(
        "firmware verify",
        HelpSection.DEVICES,
        "Check that one of these keys signed the list.",
        "controller.cli.devices.firmware:verify",
        (Example("smartshoe firmware verify approved.json --key table.key.pub"),),
        {DONE: "signed by one of the keys", NO: "not signed by any of them"},
    ),
)

SET_UP: Final = (
    Command(
        "check-config",
        HelpSection.SET_UP,
        "Check a configuration and show what the table will use.",
        "controller.cli.table.check_config:check_config",
        (
            Example("smartshoe check-config --example > table.toml"),
            Example("smartshoe check-config table.toml"),
            Example("smartshoe check-config --config table.toml --json"),
        ),
        {DONE: "the table can start with it", NO: "it has problems"},
    ),
    Command(
        "keys make",
        HelpSection.SET_UP,
        "Make the table's key in a new file.",
        "controller.cli.batches.keys:make",
        (Example("smartshoe keys make table.key"),),
        notes="Run it once, as the account that runs the table. No file is ever overwritten.",
    ),
    Command(
        "keys show",
        HelpSection.SET_UP,
        "Show the public key and its fingerprint.",
        "controller.cli.batches.keys:show",
        (Example("smartshoe keys show table.key"), Example("smartshoe keys show --json")),
        notes="The private half is never shown.",
    ),
    Command(
        "batch enrol",
        HelpSection.SET_UP,
        "Read a batch deck by deck and sign its receipt.",
        "controller.cli.batches.enrol:enrol",
        (
            Example(
                f"smartshoe batch enrol RED-0001 --back red --reader /dev/ttyUSB0 \\\n    {_WHO}",
                needs=_READER,
            ),
            Example(
                "smartshoe batch enrol RED-0001 --back red --decks 8 --cut-cards 1 --resume \\\n"
                f"    --reader socket://10.0.0.9:10001 {_WHO}",
                needs=_READER,
            ),
        ),
        {DONE: "complete, and the receipt is signed", NO: "a deck is not complete"},
        (
            "Lay deck 1 on the reader, then deck 2, and so on; missing and extra cards are listed."
            " Ctrl-C keeps the complete decks, and --resume continues with the next one."
        ),
    ),
    Command(
        "batch verify",
        HelpSection.SET_UP,
        "Check a batch's receipt, and that its cards are there.",
        "controller.cli.batches.recount:verify",
        (
            Example("smartshoe batch verify RED-0001"),
            Example("smartshoe batch verify RED-0001 --reader /dev/ttyUSB0", needs=_READER),
            Example("smartshoe batch verify RED-0001 --against from-shuffler.csv"),
        ),
        {DONE: "the same cards", NO: "the cards differ, or the receipt is not valid"},
        (
            "At a reader, lay the cards down in piles, in any order; it ends when every card was"
            " read, or at Ctrl-C with a list of the missing cards."
        ),
    ),
    Command(
        "batch import",
        HelpSection.SET_UP,
        "Import a maker's list of a batch; sign a receipt.",
        "controller.cli.batches.commands:import_batch",
        (Example(f"smartshoe batch import from-maker.csv {_WHO}"),),
        {DONE: "imported"},
        (
            "The whole file is checked before anything is written; the receipt states that no card"
            " was read."
        ),
    ),
    Command(
        "batch export",
        HelpSection.SET_UP,
        "Print a batch's cards as CSV.",
        "controller.cli.batches.commands:export",
        (
            Example("smartshoe batch export RED-0001"),
            Example("smartshoe batch export RED-0001 --to red.csv"),
        ),
    ),
    Command(
        "batch list",
        HelpSection.SET_UP,
        "List the batches of a folder and their problems.",
        "controller.cli.batches.commands:list_batches",
        (Example("smartshoe batch list"), Example("smartshoe batch list --json")),
        _FOR_PLAY,
    ),
    Command(
        "batch show",
        HelpSection.SET_UP,
        "Show a batch, its receipt and its problems.",
        "controller.cli.batches.commands:show",
        (Example("smartshoe batch show RED-0001"),),
        _FOR_PLAY,
    ),
)

"""Declares the commands on setting a table up: configuration, keys, batches of cards.

Source: controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.system.command_line.command import BY_A_PERSON, Command, HelpSection, example
from controller.system.command_line.errors import ExitCode

_READER: Final = "a reader of chips"
_WHO: Final = "--maker Acme --operator 'Ann Lee'"

_STANDS: Final = "While the table stands still; with accounts, by a pit manager's PIN."

DONE, NO = ExitCode.DONE, ExitCode.NO

_FOR_PLAY: Final = {DONE: "done", NO: "a batch may not be dealt from"}

SET_UP: Final = (
    Command(
        "backup",
        HelpSection.SET_UP,
        "Copy a table for a spare machine, also while it plays.",
        "controller.cli.evidence.backup:backup",
        (
            example(
                "smartshoe backup table.toml --to backup",
                "backup: 8 files, 201234 bytes",
                "  it holds the table's keys: keep it as safe as the table's own disk",
            ),
        ),
        notes=(
            "It holds the configuration with its keys and batches, names, holds and the whole"
            " journal. A key in a token stays in the token."
        ),
    ),
    Command(
        "restore",
        HelpSection.SET_UP,
        "Put a backup back on a spare machine.",
        "controller.cli.evidence.backup:restore",
        (
            example(
                "smartshoe restore backup --to spare --by 'Ann Lee'",
                "table M-12: .../spare/table.toml, journal .../spare/journal",
                "  it goes on after record ...; head 8 of its log names Ann Lee (not proved)",
                "  the old machine must never run this table again: any witness would notice",
            ),
        ),
        codes=BY_A_PERSON,
        notes=(
            "A backup with accounts asks for a pit manager's PIN. The journal goes where table.toml"
            " names it. What the old machine stored after the backup is not in it; a stopped"
            " machine's folders may be copied as they are instead."
        ),
    ),
    Command(
        "check-config",
        HelpSection.SET_UP,
        "Check a configuration and show what the table will use.",
        "controller.cli.table.check_config:check_config",
        (
            example(
                "smartshoe check-config --example > table.toml\nsmartshoe check-config table.toml",
                "table                M-12",
                "pit                  none",
                "profile              s42-mini (Section 42 Mini-Baccarat)",
                "...",
                "remarks              shoe: /dev/serial/by-id/...: it does not exist. Remedy: ...",
            ),
            example(
                "smartshoe check-config --config table.toml --json",
                "{",
                '  "ok": true,',
                "...",
            ),
            example(
                "mkdir tables\ncp table.toml tables/M-12.toml\nsmartshoe check-config tables",
                "M-12  ok",
            ),
        ),
        {DONE: "the table can start with it", NO: "it has problems"},
        "FILE may be a folder of tables: each is checked alone and beside the others.",
    ),
    Command(
        "setup",
        HelpSection.SET_UP,
        "Ask for what a table needs; write its configuration.",
        "controller.cli.set_up.setup:setup",
        (
            example(
                "smartshoe setup M-12",
                "...",
                "Write it [Y/n]: ...",
                "written: /etc/smartshoe/M-12.toml",
                "...",
                needs="a person at a terminal",
            ),
            example(
                "smartshoe setup --example > answers.toml\nhead -n 1 answers.toml",
                "# Answers of `smartshoe setup --answers FILE`: the sections of a table.toml",
            ),
            example(
                "smartshoe setup --answers answers.toml --dry-run",
                "# Written by `smartshoe setup`, version ...",
                "...",
                needs="files with the PINs",
            ),
        ),
        {
            DONE: "the table is set up",
            NO: "an answer is not allowed, or the table does not start",
            ExitCode.NO_TABLE: "the table ended before everybody had an account",
        },
        "The port of a device is found by plugging it in. PINs are not shown and not written: the"
        " table is started once, and the accounts are on record. Nothing is written before.",
    ),
    Command(
        "doctor",
        HelpSection.SET_UP,
        "Look at a table and its machine, and say what to do.",
        "controller.cli.set_up.doctor:doctor",
        (
            example(
                "smartshoe doctor table.toml",
                "machine",
                "...",
                "  ok       journal: ...",
                "...",
                code=NO,
                needs="a machine of a table",
            ),
            example("smartshoe doctor --between-shoes table.toml", "no shoe is open"),
            example("smartshoe doctor table.toml --json", "{", "...", needs="a machine of a table"),
        ),
        {DONE: "no problem was found, or no shoe is open", NO: "a problem, or a shoe is open"},
        "It changes nothing and opens no port. As root it sees more: who uses a port, what runs.",
    ),
    Command(
        "keys make",
        HelpSection.SET_UP,
        "Make the table's key in a new file.",
        "controller.cli.batches.keys:make",
        (
            example(
                "smartshoe keys make table.key",
                "key file      table.key",
                "public key    table.key.pub",
                "fingerprint   47d888a9 03a4a8a8 ea2c042f 90ae61e3 5721af92 ...",
                "...",
            ),
        ),
        notes="Run it once, as the account that runs the table. No file is ever overwritten.",
    ),
    Command(
        "keys show",
        HelpSection.SET_UP,
        "Show the public key and its fingerprint.",
        "controller.cli.batches.keys:show",
        (
            example(
                "smartshoe keys show table.key",
                "...",
                "fingerprint   47d888a9 03a4a8a8 ea2c042f 90ae61e3 5721af92 ...",
                "...",
            ),
            example(
                "smartshoe keys show --json",
                "{",
                '  "key_file": "table.key",',
                '  "public_key_file": "table.key.pub",',
                "...",
            ),
        ),
        notes="The private half is never shown.",
    ),
    Command(
        "keys sign",
        HelpSection.SET_UP,
        "Sign standard input with a key in a PKCS#11 token.",
        "controller.cli.batches.keys:sign",
        (
            example(
                "smartshoe keys sign --module /usr/lib/softhsm/libsofthsm2.so \\\n"
                "    --token casino --key bac-12 --pin-file token.pin --json",
                "{",
                '  "signature": "..."',
                "}",
                needs="a token",
            ),
        ),
        notes=(
            "The table runs it as [evidence] signer, without --json: the bytes alone. A key of"
            " Ed25519 gives 64 bytes, one of ECDSA P-256 DER over the SHA-256. The PIN is in a"
            " file of mode 0600."
        ),
    ),
    Command(
        "keys rotate",
        HelpSection.SET_UP,
        "Put a new key of the table on record, signed by both.",
        "controller.cli.evidence.key_life:rotate",
        (
            example(
                "smartshoe keys rotate table.toml --old before.toml --by 'Ann Lee'",
                "table M-12: the table's key is the one of table.toml; the key before signs ...",
                "  head ... of its evidence log names Ann Lee (not proved); short code ...",
            ),
            example(
                "smartshoe keys rotate table.toml --old before.toml \\\n"
                "    --by 'Ann Lee' --pin-file pin.txt",
                "table M-12: the table's key is the one of table.toml; the key before signs ...",
                "  head ... of its evidence log names Ann Lee (proved by PIN); short code ...",
                needs="accounts",
            ),
        ),
        codes=BY_A_PERSON,
        notes=f"{_STANDS} --old is the table.toml that names the key before.",
    ),
    Command(
        "keys lost",
        HelpSection.SET_UP,
        "Put a new key on record where the one before is gone.",
        "controller.cli.evidence.key_life:lost",
        (
            example(
                "smartshoe keys lost table.toml --by 'Ann Lee'",
                "table M-12: the table's key is the one of table.toml; the lost one did not agree",
                "  head ... of its evidence log names Ann Lee (not proved); short code ...",
            ),
        ),
        codes=BY_A_PERSON,
        notes=f"{_STANDS} Every later verification says it: a token was destroyed, or a file lost.",
    ),
    Command(
        "keys revoke",
        HelpSection.SET_UP,
        "Say that an earlier key is not to be trusted any more.",
        "controller.cli.evidence.key_life:revoke",
        (
            example(
                "smartshoe keys revoke table.toml \\\n"
                "    --key journal/table.key.pub --by 'Ann Lee'",
                "table M-12: key ... is revoked",
                "  head ... of its evidence log names Ann Lee (not proved); short code ...",
            ),
        ),
        codes=BY_A_PERSON,
        notes=f"{_STANDS} A key in use is replaced first, by `keys rotate` or `keys lost`.",
    ),
    Command(
        "keys retire",
        HelpSection.SET_UP,
        "End a table for good; no run follows.",
        "controller.cli.evidence.key_life:retire",
        (
            example(
                "smartshoe keys retire table.toml --by 'Ann Lee'",
                "table M-12: it is retired: no run follows",
                "  head ... of its evidence log names Ann Lee (not proved); short code ...",
            ),
        ),
        codes=BY_A_PERSON,
        notes=f"{_STANDS} Its journal stays evidence; its key may be destroyed then.",
    ),
    Command(
        "batch enrol",
        HelpSection.SET_UP,
        "Read a batch deck by deck and sign its receipt.",
        "controller.cli.batches.enrol:enrol",
        (
            example(
                f"smartshoe batch enrol RED-0001 --back red --reader /dev/ttyUSB0 \\\n    {_WHO}",
                "lay deck 1 of 8 on the reader",
                "...",
                "batch RED-0001 is complete: 8 decks, 416 cards",
                "cards     batches/RED-0001.csv",
                "receipt   batches/RED-0001.receipt.json",
                needs=_READER,
            ),
            example(
                "smartshoe batch enrol RED-0001 --back red --decks 8 --cut-cards 1 --resume \\\n"
                f"    --reader socket://10.0.0.9:10001 {_WHO}",
                "lay deck 3 of 8 on the reader",
                "...",
                "batch RED-0001 is complete: 8 decks, 416 cards and 1 cut card",
                "...",
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
            example(
                "smartshoe batch verify RED-0001",
                "...",
                "batch RED-0001: cards and receipt match, and the receipt is signed ...",
            ),
            example(
                "smartshoe batch verify RED-0001 --reader /dev/ttyUSB0",
                "...",
                "batch RED-0001: 416 of 416 cards are present",
                needs=_READER,
            ),
            example(
                "smartshoe batch verify RED-0001 --against from-shuffler.csv",
                "batch RED-0001: 52 of 52 cards are present",
            ),
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
        (
            example(
                f"smartshoe batch import from-maker.csv {_WHO}",
                "batch RED-0001 is complete: 1 deck, 52 cards",
                "cards     batches/RED-0001.csv",
                "receipt   batches/RED-0001.receipt.json",
            ),
        ),
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
            example(
                "smartshoe batch export RED-0001",
                "# batch = RED-0001",
                "# back = red",
                "# decks = 1",
                "tag,rank,suit,deck",
                "E004000000000000,A,D,1",
                "...",
            ),
            example(
                "smartshoe batch export RED-0001 --to red.csv && head -n 1 red.csv",
                "# batch = RED-0001",
            ),
        ),
    ),
    Command(
        "batch list",
        HelpSection.SET_UP,
        "List the batches of a folder and their problems.",
        "controller.cli.batches.commands:list_batches",
        (
            example(
                "smartshoe batch list",
                "...",
                " batch      back   decks   tags   result     maker   operator   time",
                "...",
                " RED-0001   red    1       52     imported   Acme    Ann Lee    ...",
                "...",
            ),
            example(
                "smartshoe batch list --json",
                "{",
                '  "folder": "batches",',
                "...",
                '      "batch": "RED-0001",',
                "...",
            ),
        ),
        _FOR_PLAY,
    ),
    Command(
        "batch show",
        HelpSection.SET_UP,
        "Show a batch, its receipt and its problems.",
        "controller.cli.batches.commands:show",
        (
            example(
                "smartshoe batch show RED-0001",
                "batch             RED-0001",
                "back              red",
                "...",
                "for play          yes",
            ),
        ),
        _FOR_PLAY,
    ),
    Command(
        "approve",
        HelpSection.SET_UP,
        "Sign a table's rules and configuration as approved.",
        "controller.cli.evidence.program:approve",
        (
            example(
                "smartshoe approve table.toml --name body.example --out M-12.approval",
                "smartshoe-approval/1",
                "configuration ... M-12",
                "profile ... s42-mini",
                "...",
            ),
        ),
        notes=(
            "The digests are that of `sha256sum table.toml`, and of the profile as a run stores it."
            " [approval] in table.toml names the file and the keys that are believed."
        ),
    ),
    Command(
        "sign-release",
        HelpSection.SET_UP,
        "Sign every file of an installed version.",
        "controller.cli.evidence.program:sign_release",
        (
            example(
                "smartshoe sign-release tree --name maker.example",
                "program   ...+...",
                "release   smartshoe-....release",
                "files     smartshoe-....files, 1 file of tree",
            ),
        ),
        notes="For who makes a release; deploy/make-tree makes the tree.",
    ),
)

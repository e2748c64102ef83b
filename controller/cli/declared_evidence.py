"""Declares the commands that read, check, archive and hand over a table's evidence.

Source: controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.system.command_line.command import BY_A_PERSON, Command, HelpSection, example
from controller.system.command_line.errors import ExitCode

DONE, NO, UNUSABLE = ExitCode.DONE, ExitCode.NO, ExitCode.UNUSABLE

EVIDENCE: Final = (
    Command(
        "verify",
        HelpSection.EVIDENCE,
        "Check that evidence is complete and unchanged.",
        "controller.cli.evidence.verify_replay:verify",
        (
            example(
                "smartshoe verify journal",
                "intact: journal: head 24 of 24 signed by key ...",
                "  shoes/2025-11-21/0001.shoe: intact; shoe 1, records 1 to 72",
                "...",
                "  short code of 2025-11-22: ORLSL-3Z46S-5D5AZ-UHADY",
                "...",
            ),
            example(
                "smartshoe verify --journal journal --json", "{", '  "path": "journal",', "..."
            ),
            example(
                "smartshoe verify archive --key table.key.pub",
                "intact: archive: head ... signed by key ...",
                "...",
                "  3 sealed shoes; 202 records: 62 inputs, 140 entries",
                "...",
            ),
            example(
                "smartshoe verify journal --witness head.note",
                "intact: journal: ...",
                "...",
                "  witness: head ... was compared with the one kept",
                "...",
            ),
        ),
        {DONE: "intact", NO: "problems"},
    ),
    Command(
        "replay",
        HelpSection.EVIDENCE,
        "Replay a journal's inputs and compare the result.",
        "controller.cli.evidence.verify_replay:replay",
        (
            example(
                "smartshoe replay journal",
                "the same: journal",
                "  236 records: 73 inputs, 163 entries",
                "  10 coups of 4 shoes, ... coups per second",
            ),
            example(
                "smartshoe replay journal/live.db --verdicts --json",
                "{",
                '  "path": "journal/live.db",',
                '  "finding": "same",',
                "...",
            ),
            example(
                "smartshoe replay journal/shoes/2025-11-21/0001.shoe",
                "the same: journal/shoes/2025-11-21/0001.shoe",
                "...",
            ),
        ),
        {
            DONE: "the same",
            NO: "something differs",
            UNUSABLE: "wrong usage; damaged, or cannot be read or replayed",
            ExitCode.OTHER_VERSION: "another software version wrote it: verdicts were compared",
        },
    ),
    Command(
        "journal list",
        HelpSection.EVIDENCE,
        "List the sealed shoes, the oldest first.",
        "controller.cli.evidence.journal_files:list_shoes",
        (
            example(
                "smartshoe journal list journal",
                "shoe              records  coups irreg.  clean  signed       bytes",
                "2025-11-21/1           72      3      0  yes    yes           ...",
                "...",
            ),
            example(
                "smartshoe journal list journal --archive archive",
                "...",
                "2025-11-21/1           72      3      0  yes    yes           ...  archived",
                "...",
            ),
        ),
        notes=(
            "At the end of a line: corrections of the shoe's coups, also those made after its end;"
            " of a shoe that is not sealed they have a line of their own. Nothing is checked;"
            " `smartshoe verify` checks."
        ),
    ),
    Command(
        "journal export",
        HelpSection.EVIDENCE,
        "Write records to a tape, print rows, or write tables.",
        "controller.cli.evidence.journal_files:export",
        (
            example(
                "smartshoe journal export journal --tape all.tape",
                "all.tape: 231 records, 1 to 231; `smartshoe replay all.tape`",
            ),
            example(
                "smartshoe journal export archive --tape 1.tape \\\n    --day 2025-11-21 --shoe 1",
                "1.tape: 72 records, 1 to 72; `smartshoe replay 1.tape`",
            ),
            example(
                "smartshoe journal export journal --json",
                '{"kind": "coup", "record": 36, ... "coup": 1, "fate": "counted", ...}',
                "...",
            ),
            example(
                "smartshoe journal export journal archive --parquet tables",
                "tables: 2 gaming days written, 0 gaming days already there; ...",
                "...",
            ),
        ),
        {DONE: "done", NO: "with --parquet: some days cannot be read, with the reason"},
        notes=(
            "Of the shoe in play only finished coups are exported. `smartshoe replay all.tape`"
            " replays a tape. --parquet needs smartshoe-office[analytics]; days already there are"
            " kept."
        ),
    ),
    Command(
        "journal archive",
        HelpSection.EVIDENCE,
        "Copy sealed shoes; each copy is read back and verified.",
        "controller.cli.evidence.journal_retention:archive",
        (
            example(
                "smartshoe journal archive journal --to archive",
                "archive: 4 files copied and verified, 27377 bytes; 0 were there",
            ),
            example(
                "smartshoe journal archive journal --to archive --older-than 2",
                "archive: 0 files copied and verified, 0 bytes; 4 were there",
            ),
        ),
        {DONE: "everything is in the archive", NO: "something is not, with the reason"},
        "It may run beside the table, be interrupted, and be run again: it continues.",
    ),
    Command(
        "journal prune",
        HelpSection.EVIDENCE,
        "Delete sealed shoes whose verified copy is archived.",
        "controller.cli.evidence.journal_retention:prune",
        (
            example(
                "smartshoe journal prune journal --archive archive",
                "2025-11-21/1  would be deleted",
                "...",
                "2 of 3 shoes would be deleted, 17115 bytes. Nothing was deleted: add --yes",
            ),
            example(
                "smartshoe journal prune journal --archive archive \\\n    --keep-days 90 --yes",
                "...",
                "2025-11-22/1  stays: the newest sealed shoe: the table continues from it",
                "2 of 3 shoes deleted, 17115 bytes; the archive has the copies",
            ),
        ),
        notes=(
            "Whole gaming days are deleted, the oldest first; none after one that stays. It may run"
            " beside the table."
        ),
    ),
    Command(
        "journal hold",
        HelpSection.EVIDENCE,
        "Keep a shoe on this disk as evidence.",
        "controller.cli.evidence.journal_retention:hold",
        (
            example(
                "smartshoe journal hold journal 2025-11-21/1 \\\n"
                "    --by 'A. Person' --reason 'patron disputes coup 1'",
                "shoe 2025-11-21/1 is held by A. Person (not proved): journal/holds/...",
            ),
        ),
        codes=BY_A_PERSON,
        notes="A held shoe is never pruned. With accounts, by a supervisor's PIN.",
    ),
    Command(
        "journal release",
        HelpSection.EVIDENCE,
        "End a hold; hold and release stay on record.",
        "controller.cli.evidence.journal_retention:release",
        (
            example(
                "smartshoe journal release journal 2025-11-21/1 \\\n"
                "    --by 'A. Person' --reason 'dispute settled'",
                "shoe 2025-11-21/1 is released by A. Person (not proved): journal/holds/...",
            ),
        ),
        codes=BY_A_PERSON,
    ),
    Command(
        "people list",
        HelpSection.EVIDENCE,
        "List the persons of a table's record with their ids.",
        "controller.cli.evidence.people:list_people",
        (
            example(
                "smartshoe people list journal",
                "person-...  A. Person",
            ),
        ),
        notes=(
            "The record holds ids; the names are in people.db beside it and nowhere else. Bundles"
            " and reports have the names that are still there."
        ),
    ),
    Command(
        "people erase",
        HelpSection.EVIDENCE,
        "Erase a person's name; the record stays whole.",
        "controller.cli.evidence.people:erase",
        (
            example(
                "smartshoe people erase journal 'A. Person'",
                "erased: the record names person-... from now on",
            ),
        ),
        {DONE: "erased", NO: "no such person"},
        notes=(
            "It may run beside the table. Bundles that were given away, backups, and what people"
            " typed as reasons and references are not changed."
        ),
    ),
    Command(
        "journal begin-log",
        HelpSection.EVIDENCE,
        "Begin a new evidence log in place of one that is gone.",
        "controller.cli.evidence.backup:begin_log",
        (
            example(
                "smartshoe journal begin-log table.toml --by 'Ann Lee'",
                "...: a new evidence log begins at record ..., by Ann Lee (not proved)",
                "  what was there is in ...: keep it",
            ),
        ),
        codes=BY_A_PERSON,
        notes=(
            "Only where a start is refused because the log is gone or was changed, and the table"
            " stands still; with accounts, by a pit manager's PIN. Every later verification says"
            " who began it, and when."
        ),
    ),
    Command(
        "journal seals",
        HelpSection.EVIDENCE,
        "Show a gaming day's seals and the head's short code.",
        "controller.cli.evidence.journal_files:seals",
        (
            example(
                "smartshoe journal seals journal",
                "table       M7",
                "gaming day  2025-11-22",
                "...",
                "short code  ORLSL-3Z46S-5D5AZ-UHADY",
                "...",
            ),
            example(
                "smartshoe journal seals archive --day 2025-11-21 \\\n    --write head.note",
                "...",
                "short code  VLQFP-5QZJJ-353MK-XD72J",
                "head        ...",
                "signatures  2; `smartshoe verify` checks them",
                "written     head.note",
            ),
        ),
        notes=(
            "Read the short code to a witness, print it, or hand over the file, a signed"
            " checkpoint: `smartshoe verify --witness` compares either with the journal later."
        ),
    ),
    Command(
        "shuffles list",
        HelpSection.EVIDENCE,
        "List the shuffles in a journal.",
        "controller.cli.batches.shuffles:list_shuffles",
        (
            example(
                "smartshoe shuffles list journal",
                "...",
                " record   recorded (UTC)         batch   device, cycle         cards   ...",
                "...",
                " ...      2025-11-21T16:27:10Z   red     5eed0000c0ffee01, 1   416     ...",
                "...",
            ),
            example(
                "smartshoe shuffles list journal/live.db --json",
                "...",
                '      "form": "TableLink/1",',
                "...",
                '        "result": "good",',
                "...",
            ),
        ),
        notes="The journal is only read and may be in use; `smartshoe verify` checks it.",
    ),
    Command(
        "shuffles export",
        HelpSection.EVIDENCE,
        "Write each shuffle of a journal into its own file.",
        "controller.cli.batches.shuffles:export",
        (
            example(
                "smartshoe shuffles export journal --out receipts",
                "receipts/...-5eed0000c0ffee01-1.shuffle.json",
                "...",
                "2 written, 0 already present",
            ),
        ),
        notes="One file per shuffle. An existing file with the same receipt is kept.",
    ),
    Command(
        "shuffles verify",
        HelpSection.EVIDENCE,
        "Check that the paired device signed a shuffle.",
        "controller.cli.batches.shuffles:verify",
        (
            example(
                "smartshoe shuffles verify receipts/*-1.shuffle.json \\\n"
                "    --identity journal/shuffler.identity.json",
                "proven: receipts/...-5eed0000c0ffee01-1.shuffle.json",
                "  signed by device 5eed0000c0ffee01, which demonstration paired",
                "...",
                "  416 cards, result: good",
                "...",
            ),
        ),
        {DONE: "the paired device signed it", NO: "it did not"},
    ),
    Command(
        "verify-program",
        HelpSection.EVIDENCE,
        "Compare the installed program with its signed release.",
        "controller.cli.evidence.program:verify_program",
        (
            example(
                "smartshoe verify-program smartshoe-*.release --key table.key.pub --tree tree",
                "release    ..., signed by maker.example, key ...",
                "tree       ...: 1 of 1 files are as released",
                "not shown  ...",
            ),
            example(
                "smartshoe verify-program 0.7.0.release --key maker.pub --pid 1234",
                "...",
                "process    1234, interpreter /usr/bin/python3.11",
                "  was started from this tree, which has not changed since",
                "...",
                needs="a running table",
            ),
        ),
        {DONE: "every file is as released", NO: "a file or the process is not"},
        (
            "Best run from a copy of the program that the table's people cannot change. --pid needs"
            " root: a running table can be looked into by nobody else."
        ),
    ),
)

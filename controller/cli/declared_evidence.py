"""Declares the commands that run a table, decide at it, and read its evidence.

Source: controller/cli/README.md, "Command line"; controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.cli.command import Command, Example, HelpSection
from controller.cli.errors import ExitCode

_TABLE: Final = "/var/lib/smartshoe/table-1"
_ARCHIVE: Final = "/mnt/archive/table-1"
_MOMENT: Final = "a table at the right moment"
_TIME: Final = "Ctrl-C"
_FLOOR: Final = "--config table.toml --by 'A. Floor'"
_DEALER: Final = "--config table.toml --by 'D. Dealer'"

DONE, NO, UNUSABLE = ExitCode.DONE, ExitCode.NO, ExitCode.UNUSABLE

_UNREACHED: Final = "no table is running there, or it does not answer"
_ACTED: Final = {DONE: "done and on record", NO: "refused", ExitCode.NO_TABLE: _UNREACHED}

RUN: Final = (
    Command(
        "run",
        HelpSection.RUN,
        "Run one table until it is stopped.",
        "controller.cli.table.run:main",
        (
            Example("smartshoe run table.toml", "until SIGTERM or Ctrl-C", needs=_TIME),
            Example("smartshoe run --config table.toml --close-coup-as-partial", needs=_TIME),
        ),
        {
            DONE: "stopped on request",
            NO: "evidence could not be stored, or the program failed; what is stored is kept",
            ExitCode.NO_TABLE: "the table may not start: settings, journal, or address in use",
        },
        plain=True,
    ),
    Command(
        "status",
        HelpSection.RUN,
        "Show the state of a running table.",
        "controller.cli.table.commands:status",
        (
            Example("smartshoe status table.toml"),
            Example("smartshoe status --config table.toml --json"),
            Example("smartshoe status --socket /run/smartshoe/table-1.sock --watch", needs=_TIME),
        ),
        {DONE: "the table runs", NO: "it has failed or is stopping", ExitCode.NO_TABLE: _UNREACHED},
        "With --watch and --json each change is one line of JSON.",
    ),
)

DECIDE: Final = (
    Command(
        "resolve",
        HelpSection.DECIDE,
        "Show open irregularities, and decide them.",
        "controller.cli.table.commands:resolve",
        (
            Example("smartshoe resolve table.toml", "what is open, and how to decide", NO),
            Example(
                f"smartshoe resolve {_FLOOR} --reason 'hands mixed' \\\n    --decision void-coup"
            ),
        ),
        {
            DONE: "decided, or nothing is open",
            NO: "refused, or something is open",
            ExitCode.NO_TABLE: _UNREACHED,
        },
    ),
    Command(
        "close-shoe",
        HelpSection.DECIDE,
        "End the shoe early: dead table, or early change.",
        "controller.cli.table.commands:close_shoe",
        (Example(f"smartshoe close-shoe {_FLOOR} --reason 'dead table'"),),
        _ACTED,
    ),
    Command(
        "act",
        HelpSection.DECIDE,
        "Record an act, state wagers, change a setting, lock a shoe.",
        "controller.cli.table.commands:act",
        (
            Example("smartshoe act --list", "every action, its roles and its values"),
            Example("smartshoe act record --list", "only one action"),
            Example(f"smartshoe act no-more-bets {_DEALER}", needs=_MOMENT),
            Example(
                f"smartshoe act record act=inspected batch=red second='A. Floor' \\\n    {_DEALER}",
                needs=_MOMENT,
            ),
            Example(f"smartshoe act turned what=player_hand {_DEALER}", needs=_MOMENT),
            Example(
                f"smartshoe act wagers wagers=5:banker:100.00,3:tie:25 \\\n    {_DEALER}",
                needs=_MOMENT,
            ),
            Example(f"smartshoe act wagers wagers=@layout.csv {_DEALER}", needs=_MOMENT),
            Example(
                "smartshoe act change-setting setting=vig_rate value=4 \\\n"
                f"    {_FLOOR} --reason 'agreed with the shift manager'",
                needs=_MOMENT,
            ),
            Example(
                f"smartshoe act declare-result outcome=banker banker_pair=yes \\\n    {_DEALER}",
                needs=_MOMENT,
            ),
            Example(f"smartshoe act bind-batch batch=RED-0001 {_FLOOR}", needs=_MOMENT),
            Example(
                "smartshoe act set-card-apart batch=red tag=E00401500000A001 \\\n"
                f"    {_FLOOR} --reason 'its corner is bent'",
                needs=_MOMENT,
            ),
            Example(
                f"smartshoe act order-shuffler order=release batch=red \\\n    {_DEALER}",
                needs=_MOMENT,
            ),
            Example(
                "smartshoe act clear-warning number=3 \\\n"
                f"    {_FLOOR} --reason 'the door is shut, both batches seen'",
                needs=_MOMENT,
            ),
            Example(
                f"smartshoe act clear-shoe-error code=4 \\\n    {_FLOOR} --reason 'card put right'",
                needs=_MOMENT,
            ),
        ),
        _ACTED,
    ),
)

EVIDENCE: Final = (
    Command(
        "verify",
        HelpSection.EVIDENCE,
        "Check that evidence is complete and unchanged.",
        "controller.cli.evidence.verify_replay:verify",
        (
            Example(f"smartshoe verify {_TABLE}"),
            Example(f"smartshoe verify --journal {_TABLE} --json"),
            Example(f"smartshoe verify {_ARCHIVE} --key table.key.pub"),
            Example(f"smartshoe verify {_TABLE} --witness seals.json"),
        ),
        {DONE: "intact", NO: "problems"},
    ),
    Command(
        "replay",
        HelpSection.EVIDENCE,
        "Replay a journal's inputs and compare the result.",
        "controller.cli.evidence.verify_replay:replay",
        (
            Example(f"smartshoe replay {_TABLE}"),
            Example(f"smartshoe replay {_TABLE}/live.db --verdicts --json"),
            Example(f"smartshoe replay {_TABLE}/shoes/2025-11-21/0001.shoe"),
        ),
        {
            DONE: "the same",
            NO: "something differs",
            UNUSABLE: "wrong usage; damaged, or cannot be read or replayed",
            ExitCode.OTHER_VERSION: "another software version wrote it: verdicts were compared",
        },
    ),
    Command(
        "audit",
        HelpSection.EVIDENCE,
        "Validate the journals of many days and tables again.",
        "controller.cli.evidence.audit:audit",
        (
            Example("smartshoe audit /var/lib/smartshoe"),
            Example(f"smartshoe audit {_ARCHIVE} {_TABLE} --key table.key.pub"),
            Example(f"smartshoe audit {_TABLE} --deep --json"),
        ),
        {
            DONE: "nothing found",
            NO: "findings",
            UNUSABLE: "wrong usage, or a path has nothing to audit",
            ExitCode.INTERRUPTED: "interrupted by Ctrl-C; the result so far is shown",
        },
    ),
    Command(
        "evidence",
        HelpSection.EVIDENCE,
        "Write the evidence of one coup into one file.",
        "controller.cli.evidence.bundle:evidence",
        (
            Example(f"smartshoe evidence 2025-11-21/1/1 {_TABLE} --out coup-1.zip"),
            Example(f"smartshoe evidence 1/2 --journal {_ARCHIVE} \\\n    --out coup-2.zip --json"),
        ),
        {
            DONE: "written",
            UNUSABLE: "wrong usage, no such coup, or something cannot be read or written",
        },
        (
            "Whoever receives the file unpacks it, reads index.html, and checks everything with"
            " `python3 verify.py .`; this program is not needed for that."
        ),
    ),
    Command(
        "journal list",
        HelpSection.EVIDENCE,
        "List the sealed shoes, the oldest first.",
        "controller.cli.evidence.journal_files:list_shoes",
        (
            Example(f"smartshoe journal list {_TABLE}"),
            Example(f"smartshoe journal list {_TABLE} --archive {_ARCHIVE}"),
        ),
        notes="Only headings are read and nothing is checked; `smartshoe verify` checks.",
    ),
    Command(
        "journal export",
        HelpSection.EVIDENCE,
        "Write records to a tape file, or print coups as rows.",
        "controller.cli.evidence.journal_files:export",
        (
            Example(f"smartshoe journal export {_TABLE} --tape all.tape"),
            Example(
                f"smartshoe journal export {_ARCHIVE} --tape 1.tape \\\n"
                "    --day 2025-11-21 --shoe 1"
            ),
            Example(f"smartshoe journal export {_TABLE} --json"),
        ),
        notes=(
            "Of the shoe in play only finished coups are exported. `smartshoe replay all.tape`"
            " replays a tape."
        ),
    ),
    Command(
        "journal archive",
        HelpSection.EVIDENCE,
        "Copy sealed shoes; each copy is read back and verified.",
        "controller.cli.evidence.journal_retention:archive",
        (
            Example(f"smartshoe journal archive {_TABLE} --to {_ARCHIVE}"),
            Example(f"smartshoe journal archive {_TABLE} --to {_ARCHIVE} --older-than 2"),
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
            Example(f"smartshoe journal prune {_TABLE} --archive {_ARCHIVE}"),
            Example(
                f"smartshoe journal prune {_TABLE} --archive {_ARCHIVE} \\\n"
                "    --keep-days 90 --yes"
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
            Example(
                f"smartshoe journal hold {_TABLE} 2025-11-21/1 \\\n"
                "    --by 'A. Person' --reason 'patron disputes coup 1'"
            ),
        ),
        notes="A held shoe is never pruned.",
    ),
    Command(
        "journal release",
        HelpSection.EVIDENCE,
        "End a hold; hold and release stay on record.",
        "controller.cli.evidence.journal_retention:release",
        (
            Example(
                f"smartshoe journal release {_TABLE} 2025-11-21/1 \\\n"
                "    --by 'A. Person' --reason 'dispute settled'"
            ),
        ),
    ),
    Command(
        "journal seals",
        HelpSection.EVIDENCE,
        "Show a gaming day's seals and their short code.",
        "controller.cli.evidence.journal_files:seals",
        (
            Example(f"smartshoe journal seals {_TABLE}"),
            Example(
                f"smartshoe journal seals {_ARCHIVE} --day 2025-11-21 \\\n    --write day.json"
            ),
        ),
        {DONE: "done", NO: "the signature is not valid"},
        (
            "Read the short code to a witness, print it, or hand over the file: `smartshoe verify"
            " --witness` compares either with the journal later."
        ),
    ),
    Command(
        "shuffles list",
        HelpSection.EVIDENCE,
        "List the shuffles in a journal.",
        "controller.cli.batches.shuffles:list_shuffles",
        (
            Example(f"smartshoe shuffles list {_TABLE}"),
            Example(f"smartshoe shuffles list {_TABLE}/live.db --json"),
        ),
        notes="The journal is only read and may be in use; `smartshoe verify` checks it.",
    ),
    Command(
        "shuffles export",
        HelpSection.EVIDENCE,
        "Write each shuffle of a journal into its own file.",
        "controller.cli.batches.shuffles:export",
        (Example(f"smartshoe shuffles export {_TABLE} --out receipts"),),
        notes="One file per shuffle. An existing file with the same receipt is kept.",
    ),
    Command(
        "shuffles verify",
        HelpSection.EVIDENCE,
        "Check that the paired device signed a shuffle.",
        "controller.cli.batches.shuffles:verify",
        (
            Example(
                "smartshoe shuffles verify receipts/000000412-5348554630303031-7.shuffle.json"
                " \\\n    --identity shuffler.identity.json",
                needs="an exported shuffle",
            ),
        ),
        {DONE: "the paired device signed it", NO: "it did not"},
    ),
)

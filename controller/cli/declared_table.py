"""Declares the commands that run a table and decide at it.

Source: controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.system.command_line.command import CTRL_C, Command, HelpSection, example
from controller.system.command_line.errors import ExitCode

_FLOOR: Final = "--config table.toml --by 'A. Floor'"
_DEALER: Final = "--config table.toml --by 'D. Dealer'"
_SHUFFLER: Final = "a shuffler"
_TABLES: Final = "tables in that folder"

DONE, NO = ExitCode.DONE, ExitCode.NO

_TERMINAL: Final = "a terminal, for the PIN"
_FILE: Final = "a file with the PIN"
_ACCOUNT: Final = "an account of that person"
_PROOF: Final = (
    "Where the table has accounts, who acts is asked for the PIN, at the terminal or with"
    " --pin-file, and a second person with --second-pin-file."
)
_ADMINISTRATOR: Final = "For root, or the account of the machine that runs the table."
_UNREACHED: Final = "no table is running there, or it does not answer"
_CHANGED: Final = {DONE: "changed", NO: "refused", ExitCode.NO_TABLE: _UNREACHED}
_ACTED: Final = {DONE: "done and on record", NO: "refused", ExitCode.NO_TABLE: _UNREACHED}

RUN: Final = (
    Command(
        "run",
        HelpSection.RUN,
        "Run a table, or those of a folder, until they are stopped.",
        "controller.cli.table.run:main",
        (
            example(
                "smartshoe run table.toml",
                "...",
                "... INFO smartshoe.devices: shoe: socket://127.0.0.1:4001 is open",
                "...",
                "... INFO smartshoe: table M-12 is running; journal ...",
                "...",
                needs=CTRL_C,
            ),
            example(
                "smartshoe run pit-3",
                "...",
                "... INFO M-12 smartshoe: table M-12 is running; journal ...",
                "...",
                needs=CTRL_C,
            ),
            example(
                "smartshoe run --config table.toml --close-coup-as-partial",
                "...",
                "... INFO smartshoe: table M-12 is running; journal ...",
                "...",
                needs=CTRL_C,
            ),
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
        "controller.cli.table.status:status",
        (
            example(
                "smartshoe status table.toml",
                "table      M-12, running, profile s42-mini, gaming day 2025-11-21",
                "...",
                "device     angel-eye-ii-ex at socket://127.0.0.1:4001: online; listen-only",
                "...",
            ),
            example(
                "smartshoe status --config table.toml --json",
                "{",
                '  "schema": 2,',
                '  "table": "M-12",',
                "...",
                '  "health": "running",',
                "...",
            ),
            example(
                "smartshoe status /etc/smartshoe",
                "K-7   does not run",
                "M-12  running, gaming day 2025-11-21, shoe 1, coup 3, nothing open",
                code=NO,
                needs=_TABLES,
            ),
            example(
                "smartshoe status --socket control.sock --watch",
                "table      M-12, running, profile s42-mini, gaming day 2025-11-21",
                "...",
                needs=CTRL_C,
            ),
        ),
        {
            DONE: "the table runs; of a folder all of them",
            NO: "it has failed or is stopping; of a folder one does not run",
            ExitCode.NO_TABLE: _UNREACHED,
        },
        "FILE may be a folder of tables: each has a line. With --watch and --json each change is"
        " one line of JSON.",
    ),
)

DECIDE: Final = (
    Command(
        "resolve",
        HelpSection.DECIDE,
        "Show open irregularities, and decide them.",
        "controller.cli.table.commands:resolve",
        (
            example(
                "smartshoe resolve table.toml",
                "OPEN       1 RESULT_MISMATCH, coup 3: the declared result is not ...",
                " clauses   S42-j-1-final",
                "...",
                "             smartshoe resolve --config table.toml ... --decision continue",
                "...",
                code=NO,
            ),
            example(
                f"smartshoe resolve {_FLOOR} --reason 'hands mixed' \\\n    --decision void-coup",
                "resolve: done and on record",
                "  closed irregularities: 1",
                "  coup 3: void",
                "...",
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
        (
            example(
                f"smartshoe close-shoe {_FLOOR} --reason 'dead table'",
                "close-shoe: done and on record",
                "  shoe 1 ended after 3 coups",
                "...",
            ),
        ),
        _ACTED,
    ),
    Command(
        "act",
        HelpSection.DECIDE,
        "Record an act, state wagers, change a setting, lock a shoe.",
        "controller.cli.table.commands:act",
        (
            example(
                "smartshoe act --list",
                "resolve           decide on the open irregularities",
                "                  for floorperson, pit_manager; with --reason",
                "  decision        continue, carry-card, burn-card, void-coup, ...",
                "...",
            ),
            example(
                "smartshoe act turned --list",
                "turned            report that cards were turned up",
                "                  for dealer, floorperson, pit_manager",
                "  what            player_hand, banker_hand, player_third, banker_third, ...",
            ),
            example(
                f"smartshoe act bind-batch batch=BLUE-0001 {_FLOOR}",
                "bind-batch: requested and on record",
                "  batch BLUE-0001 is bound: its cards are tracked",
            ),
            example(
                "smartshoe act set-card-apart batch=blue tag=E00401077DDD96B5 \\\n"
                f"    {_FLOOR} --reason 'its corner is bent'",
                "set-card-apart: done and on record",
            ),
            example(
                f"smartshoe act declare-result outcome=banker {_DEALER}",
                "declare-result: done and on record",
                "  coup 1: counted",
            ),
            example(
                "smartshoe act change-setting setting=vig_rate value=4 \\\n"
                f"    {_FLOOR} --reason 'agreed with the shift manager'",
                "change-setting: done and on record",
                "  vig_rate is 4, was 5",
            ),
            example(
                "smartshoe act correct-coup coup=1 outcome=tie second='S. Veil' \\\n"
                f"    {_FLOOR} --reason 'seen on the film'",
                "correct-coup: done and on record",
                "  coup 1 counts as tie, was banker",
                "  due: coup 1 counts as tie, its settlement stays: ...",
            ),
            example(
                f"smartshoe act wagers wagers=5:banker:100.00,3:tie:25 \\\n    {_DEALER}",
                "wagers: done and on record",
            ),
            example(
                "printf '5,banker,25.00\\n' > layout.csv\n"
                f"smartshoe act wagers wagers=@layout.csv {_DEALER}",
                "wagers: done and on record",
            ),
            example(
                f"smartshoe act no-more-bets {_DEALER}",
                "no-more-bets: done and on record",
            ),
            example(
                f"smartshoe act record act=inspected batch=red second='A. Floor' \\\n    {_DEALER}",
                "record: done and on record",
                "  on record: inspected",
            ),
            example(
                f"smartshoe act order-shuffler order=release batch=red \\\n    {_DEALER}",
                "order-shuffler: done and on record",
                needs=_SHUFFLER,
            ),
            example(
                "smartshoe act clear-warning number=3 \\\n"
                f"    {_FLOOR} --reason 'the door is shut, both batches seen'",
                "clear-warning: done and on record",
                needs=_SHUFFLER,
            ),
            example(
                f"smartshoe act clear-shoe-error code=4 \\\n    {_FLOOR} --reason 'card put right'",
                "clear-shoe-error: done and on record",
                needs="a shoe with an error",
            ),
        ),
        _ACTED,
        _PROOF,
    ),
    Command(
        "people add",
        HelpSection.DECIDE,
        "Give a person an account at a table.",
        "controller.cli.table.people:add",
        (
            example(
                "smartshoe people add 'A. Floor' --role floorperson \\\n    --config table.toml",
                "A. Floor: added, and on record",
                needs=_TERMINAL,
            ),
            example(
                "smartshoe people add 'S. Veil' --role surveillance \\\n"
                "    --config table.toml --new-pin-file pin.txt",
                "S. Veil: added, and on record",
                needs=_FILE,
            ),
        ),
        _CHANGED,
        _ADMINISTRATOR,
    ),
    Command(
        "people role",
        HelpSection.DECIDE,
        "Give a person another role.",
        "controller.cli.table.people:role",
        (
            example(
                "smartshoe people role 'A. Person' --role dealer \\\n    --config table.toml",
                "A. Person: role, and on record",
                needs=_ACCOUNT,
            ),
        ),
        _CHANGED,
        _ADMINISTRATOR,
    ),
    Command(
        "people pin",
        HelpSection.DECIDE,
        "Give a person another PIN.",
        "controller.cli.table.people:pin",
        (
            example(
                "smartshoe people pin 'A. Floor' --by 'A. Floor' \\\n    --config table.toml",
                "A. Floor: pin, and on record",
                needs=_TERMINAL,
            ),
        ),
        _CHANGED,
        "A person changes the own PIN with --by and the old one; the administrator any.",
    ),
    Command(
        "people unlock",
        HelpSection.DECIDE,
        "Unlock an account after wrong PINs.",
        "controller.cli.table.people:unlock",
        (
            example(
                "smartshoe people unlock 'A. Floor' --config table.toml",
                "A. Floor: unlocked, and on record",
                needs=_ACCOUNT,
            ),
        ),
        _CHANGED,
        "The administrator of the machine unlocks it, or a pit manager with --by and a PIN.",
    ),
    Command(
        "people remove",
        HelpSection.DECIDE,
        "Remove a person's account; the name stays.",
        "controller.cli.table.people:remove",
        (
            example(
                "smartshoe people remove 'A. Floor' --config table.toml",
                "A. Floor: removed, and on record",
                needs=_ACCOUNT,
            ),
        ),
        _CHANGED,
        _ADMINISTRATOR,
    ),
)

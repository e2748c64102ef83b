"""The commands of `smartshoe`, put together.

Responsible for: which commands there are, the top help page with examples and exit codes, and
running one.
Not responsible for: the commands themselves (the other cli_ modules).
Only typer is imported here: a help page loads no device, web, crypto or storage library.
Source: package README, "Command line".
"""
# ruff: noqa: PLC0415 - `run` is loaded only when it is asked for.

from collections.abc import Sequence
from typing import Annotated

import typer

from controller.cli.batches import commands as cli_batch
from controller.cli.batches import keys as cli_keys
from controller.cli.batches import shuffles as cli_shuffles
from controller.cli.devices import commands as cli_devices
from controller.cli.devices import firmware as cli_firmware
from controller.cli.devices import identity as cli_identity
from controller.cli.errors import EXIT_CODES
from controller.cli.evidence import audit as cli_audit
from controller.cli.evidence import bundle as cli_evidence
from controller.cli.evidence import journal_files as cli_journal_files
from controller.cli.evidence import verify_replay as cli_journal
from controller.cli.output import say
from controller.cli.rules import clauses as cli_clauses
from controller.cli.rules import odds as cli_odds
from controller.cli.rules import rules as cli_rules
from controller.cli.rules import settle as cli_settle
from controller.cli.rules import try_script as cli_try
from controller.cli.table import check_config as cli_settings
from controller.cli.table import commands as cli_table
from controller.version import VERSION

_EXAMPLES = """\
examples:
  smartshoe check-config --example > table.toml    write a commented configuration
  smartshoe run --config table.toml                run the table
  smartshoe status --config table.toml --watch     see how it stands
  smartshoe resolve --config table.toml            what is open, and what to type
  smartshoe try "burn Ac + 1; P 9h; B Kc"          what the rules say of a deal, card by card
  smartshoe verify /var/lib/smartshoe/table-1      is the evidence complete and unchanged?
  smartshoe replay /var/lib/smartshoe/table-1      does this program conclude the same again?
  smartshoe audit /var/lib/smartshoe               are all shoes of all tables and days in order?
"""


def _exit_codes() -> str:
    width = max(len(str(int(code))) for code, _ in EXIT_CODES)
    return "\n".join(
        ["exit codes:", *(f"  {code:<{width}}  {words}" for code, words in EXIT_CODES)]
    )


app = typer.Typer(
    name="smartshoe",
    help="A baccarat table's smart dealing shoe: from the wire to a verdict with its clause.",
    epilog=f"\b\n{_EXAMPLES}\n\b\n{_exit_codes()}",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help pages: quick to load, and examples stay as they are written.
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        say(f"smartshoe {VERSION}")
        raise typer.Exit


@app.callback()
def smartshoe(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """A baccarat table's smart dealing shoe: from the wire to a verdict with its clause."""


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def run(context: typer.Context) -> None:
    """Run one table until it is told to stop."""
    from controller.service.app import main as run_table

    raise typer.Exit(run_table(context.args))


cli_settings.add_to(app)
cli_table.add_to(app)
cli_journal.add_to(app)
cli_journal_files.add_to(app)
cli_evidence.add_to(app)
cli_audit.add_to(app)
cli_rules.add_to(app)
cli_clauses.add_to(app)
cli_odds.add_to(app)
cli_settle.add_to(app)
cli_try.add_to(app)
cli_devices.add_to(app)
cli_keys.add_to(app)
cli_identity.add_to(app)
cli_firmware.add_to(app)
cli_shuffles.add_to(app)
cli_batch.add_to(app)


def execute(argv: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    try:
        app(args=list(argv), prog_name="smartshoe")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0

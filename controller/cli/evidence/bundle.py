"""`smartshoe evidence`: everything about one coup in one file that proves itself.

Responsible for: the command's options and what it prints.
Not responsible for: finding the coup (evidence_files) and what the file holds (evidence_bundle).
Source: package README, "Evidence bundle".
"""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.output import say, say_json


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command(
        epilog="\b\nexamples:\n"
        "  smartshoe evidence 2026-11-21/7/34 --journal /var/lib/smartshoe/table-1 \\\n"
        "    --out coup-34.zip\n"
        "  smartshoe evidence 7/34 --journal /mnt/archive/table-1 --out coup-34.zip --json\n\n"
        "\b\nWho gets the file unpacks it, reads index.html, and checks everything with\n"
        "`python3 verify.py .`; nothing of this program is needed for that.\n\n"
        "Exit codes: 0 written, 2 there is no such coup, or something cannot be read or written."
    )(evidence)


def evidence(
    coup: Annotated[
        str,
        typer.Argument(
            metavar="COUP",
            help="Gaming day, shoe and coup, as 2026-11-21/7/34; 7/34 for the newest gaming day.",
        ),
    ],
    journal: Annotated[
        Path, typer.Option(metavar="PATH", help="The journal's folder, or where it is archived.")
    ],
    out: Annotated[Path, typer.Option(metavar="BUNDLE.zip", help="The new file.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Write the evidence of one coup, with its whole shoe, into one new file.

    The coup's shoe must be over and sealed. The journal is only read, and may be in use.
    """
    from hashlib import sha256

    from controller.evidence.bundle import bundle_of, store_bundle
    from controller.evidence.lookup import Wanted, find_shoe
    from controller.profiles.load import load_clauses
    from controller.system.atomic_file import require_new
    from firmware_bridge.transport.clock import now

    wanted = Wanted.of(coup)
    require_new(out)
    found = find_shoe(journal, wanted)
    bundle = bundle_of(found, wanted.coup, load_clauses(), now().utc_ns)
    data = bundle.packed()
    store_bundle(out, data)
    digest = sha256(data).hexdigest()
    if json:
        names = [name for name, _ in bundle.files]
        said = {"path": str(out), "coup": bundle.coup, "bytes": len(data), "sha256": digest}
        say_json({**said, "provisional": False, "files": names})
        return
    say(f"{out}: coup {bundle.coup}, {len(bundle.files)} files, {len(data)} bytes")
    say(f"  sha256 {digest}")
    say("  to check it anywhere: unpack it, and run `python3 verify.py .` in its folder")

"""`smartshoe evidence`: writes the evidence of one coup into one file with its own verifier.

Source: controller/evidence/README.md, "Evidence bundle".
"""
# ruff: noqa: PLC0415 - storage is loaded only by the command that reads a journal.

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.output import echo, echo_json
from controller.cli.path_parameters import JournalOrArchive


def evidence(
    coup: Annotated[
        str,
        typer.Argument(
            metavar="COUP",
            help="Gaming day, shoe and coup, as 2026-11-21/7/34; 7/34 for the newest gaming day.",
        ),
    ],
    journal: JournalOrArchive,
    out: Annotated[Path, typer.Option(metavar="BUNDLE.zip", help="The new file.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Write the evidence of one coup, with its whole shoe, into one new file.

    The coup's shoe must be finished and sealed. The journal is only read and may be in use.
    """
    from hashlib import sha256

    from controller.evidence.bundle import build_bundle, store_bundle
    from controller.evidence.lookup import CoupReference, find_shoe
    from controller.profiles.load import load_clauses
    from controller.system.atomic_file import require_new
    from firmware_bridge.transport.clock import now

    wanted = CoupReference.parse(coup)
    require_new(out)
    found = find_shoe(journal, wanted)
    bundle = build_bundle(found, wanted.coup, load_clauses(), now().utc_ns)
    data = bundle.to_zip()
    store_bundle(out, data)
    digest = sha256(data).hexdigest()
    if json:
        names = [name for name, _ in bundle.files]
        written = {"path": str(out), "coup": bundle.coup, "bytes": len(data), "sha256": digest}
        echo_json({**written, "provisional": bundle.provisional, "files": names})
        return
    echo(f"{out}: coup {bundle.coup}, {len(bundle.files)} files, {len(data)} bytes")
    echo(f"  sha256 {digest}")
    if bundle.provisional:
        echo("  a correction is not sealed yet: make the evidence again after the next shoe's end")
    echo("  to check it anywhere: unpack it and run `python3 verify.py .` in its folder")

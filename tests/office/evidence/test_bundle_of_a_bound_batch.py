"""The bundle of a coup whose shoe was dealt from a batch with a signed receipt."""

import json
from pathlib import Path

from outlet_texts import found_shoes
from played_tables import table_of

from controller.core.tape.entries import BatchBound
from controller.rules.profiles.load import load_clauses
from controller.system.keys import fingerprint_text
from office.evidence.bundle import build_bundle


def test_it_says_how_the_batch_was_bound_and_whose_key_signed(fast_dir: Path) -> None:
    with table_of("players_reveal", fast_dir) as table:
        bound = [
            entry
            for stored in table.play()
            for concluded in stored.conclusions
            for entry in concluded.entries
            if isinstance(entry, BatchBound)
        ]
        found = next(one for one in found_shoes(table) if one.file.heading.coups)
        bundle = build_bundle(found, 1, load_clauses(), 0)

    (mine,) = [one for one in bound if one.back == found.file.heading.back]
    stated = json.loads(dict(bundle.files)["receipts/batch.json"])
    assert stated["batch"] == mine.batch
    assert stated["signed_by"] == fingerprint_text(mine.signed_by)

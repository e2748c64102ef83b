"""docs/api/openapi.json is the document that the program serves. With --write it is written."""

import json
import sys
from pathlib import Path

from controller.console.openapi import openapi_document

FILE = Path(__file__).resolve().parents[3] / "docs" / "api" / "openapi.json"


def generated() -> str:
    return json.dumps(openapi_document(), indent=1, sort_keys=True) + "\n"


def test_the_document_is_the_programs() -> None:
    assert FILE.read_text("utf-8") == generated()


if __name__ == "__main__" and "--write" in sys.argv:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(generated(), "utf-8")

"""docs/api/openapi.json is the document that the program serves."""

import json
from pathlib import Path

from controller.outlets.console.api import openapi_document

FILE = Path(__file__).resolve().parents[4] / "docs" / "api" / "openapi.json"


def generated() -> str:
    return json.dumps(openapi_document(), indent=1, sort_keys=True) + "\n"


def test_the_document_is_the_programs() -> None:
    assert FILE.read_text("utf-8") == generated(), "run: make generate"


def write_generated() -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(generated(), "utf-8")

"""docs/feed/asyncapi.json is what the code says, and is an AsyncAPI document.

Written by: make generate
"""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from controller.outlets.feed.asyncapi import asyncapi_document, document_text
from controller.outlets.feed.events import BESIDE, KINDS

pytestmark = pytest.mark.needs("jsonschema")

ROOT = Path(__file__).resolve().parents[4]
DOCUMENT = ROOT / "docs" / "feed" / "asyncapi.json"
PAGE = ROOT / "docs" / "feed.md"
# Its source and licence are beside it.
SCHEMA = ROOT / "tests" / "vectors" / "asyncapi" / "3.0.0.json"


def test_the_document_is_what_the_code_says() -> None:
    assert DOCUMENT.read_text("utf-8") == document_text(), "run: make generate"


def test_the_document_fits_the_published_schema_of_asyncapi() -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)

    assert [one.message for one in validator.iter_errors(asyncapi_document())] == []
    assert list(validator.iter_errors({"asyncapi": "3.0.0", "channels": []}))


def test_each_kind_has_a_channel_a_message_and_an_operation() -> None:
    document = asyncapi_document()
    sent = {*KINDS, "checkpoint"}

    assert set(document["channels"]) == sent | {"backfill", "reply"}
    assert set(document["components"]["messages"]) == {*KINDS, *BESIDE, "backfill-request"}
    assert {name.removeprefix("send-") for name in document["operations"]} == sent | {"backfill"}


def test_the_page_names_each_kind() -> None:
    named = re.findall(r"(?m)^\| `([a-z-]+)` \|", PAGE.read_text("utf-8"))

    assert sorted(set(named) & {*KINDS, *BESIDE}) == sorted({*KINDS, *BESIDE})


def write_generated() -> None:
    DOCUMENT.write_text(document_text(), encoding="utf-8")

"""No page and no text of the program claims that a regulator, laboratory or maker approved it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = frozenset({".md", ".po", ".html", ".j2", ".jinja", ".toml", ".yml"})
FOLDERS = ("controller", "deploy", "docs", "drivers", "examples", "firmware_bridge", "hil")
BY = r"(?:by|with|to|for|under|in)"
CLAIM = re.compile(
    rf"\b(?:approved|authori[sz]ed|licen[cs]ed|recogni[sz]ed|examined|type-tested|tested)\s+{BY}\s+"
    r"(?:\w+\s+){0,4}(?:regulators?|laborator(?:y|ies)|labs?|commissions?|boards?|authorit(?:y|ies)"
    r"|governments?|makers?|manufacturers?|Nevada|New Jersey|New York|Washington|Macau)\b"
    r"|\b(?:GLI|BMM|eCOGRA|NMi)\b"
    r"|\b(?:certified|accredited|endorsed)\b"
    r"|\b(?:regulat\w+|laborator\w+|lab)[ -](?:approved|certified|tested|compliant)\b"
    r"|\b(?:complies|compliant|in compliance)\s+with\s+(?:\w+\s+){0,4}(?:laws?|regulations?)\b",
    re.IGNORECASE,
)
# A sentence that says there is none.
DENIED = re.compile(r"\b(?:no|not|nobody|none|never|without)\b", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.!?:;|])\s")


def sentences(text: str) -> list[str]:
    return SENTENCE_END.split(" ".join(text.split()))


def claims(text: str) -> list[str]:
    """The sentences that claim an approval."""
    return [one for one in sentences(text) if CLAIM.search(one) and not DENIED.search(one)]


def texts() -> Iterator[Path]:
    yield from (one for one in ROOT.iterdir() if one.suffix in SUFFIXES)
    for folder in FOLDERS:
        yield from (one for one in (ROOT / folder).rglob("*") if one.suffix in SUFFIXES)


def test_nothing_claims_an_approval() -> None:
    found = {
        str(path.relative_to(ROOT)): claims(path.read_text(encoding="utf-8"))
        for path in sorted(texts())
    }

    assert {name: here for name, here in found.items() if here} == {}
    assert len(found) > 100


@pytest.mark.parametrize(
    "claim",
    [
        "It was approved by the gaming commission of a state.",
        "Certified for use in casinos.",
        "Tested by an independent laboratory.",
        "A GLI-11 shoe controller.",
        "The program is compliant with all gaming regulations.",
        "A lab-tested controller",
    ],
)
def test_a_claim_is_found(claim: str) -> None:
    assert claims(f"A sentence before. {claim}") == [claim]


def test_a_denial_is_no_claim() -> None:
    assert claims("No regulator or test laboratory approved it. It is not certified.") == []
    assert claims("the list of firmware that the house approved, signed with its key") == []

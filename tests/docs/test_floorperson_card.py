"""docs/floorperson-card.md says what the catalogue says."""

from pathlib import Path

from generated_parts import with_parts

from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.irregularities.codes import NEVER_SILENT, NO_FAVOURS
from controller.record.remedy import _WHEN
from controller.system.messages.catalogue import to_words
from foundation.message import Message

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "floorperson-card.md"
# Those that the everyday slips of dealers, cards and cables raise. No house has counted its own.
EVERYDAY = (
    IrregularityCode.OVERDRAW,
    IrregularityCode.PLAYER_THIRD_UNAUTHORISED,
    IrregularityCode.MISSING_CARD,
    IrregularityCode.RESULT_MISMATCH,
    IrregularityCode.FOUND_FACE_UP,
    IrregularityCode.BURN_SHORT,
    IrregularityCode.CARD_UNREADABLE,
    IrregularityCode.CONTINUITY_UNPROVEN,
    IrregularityCode.DEALT_WHILE_SUSPENDED,
    IrregularityCode.FOREIGN_CARD,
)
ALWAYS_FORBIDDEN = (NEVER_SILENT, NO_FAVOURS)


def row(code: IrregularityCode) -> str:
    kind = CATALOGUE[code]
    permitted = "; ".join(to_words(one.text) for one in kind.permitted)
    forbidden = "; ".join(to_words(one) for one in kind.forbidden if one not in ALWAYS_FORBIDDEN)
    return f"| {to_words(Message(code.value))} `{code.value}` | {permitted} | {forbidden} |"


def parts() -> dict[str, str]:
    always = "; ".join(to_words(one) for one in ALWAYS_FORBIDDEN)
    return {
        "always": f"**Always forbidden:** {always}.\n",
        "codes": "\n".join(
            ["| what happened | permitted | forbidden |", "| --- | --- | --- |"]
            + [row(code) for code in EVERYDAY]
        )
        + "\n",
        "decisions": "\n".join(
            ["| decision | when |", "| --- | --- |"]
            + [f"| `{decision.value}` | {to_words(when)} |" for decision, when in _WHEN.items()]
        )
        + "\n",
    }


def test_the_card_says_what_the_catalogue_says() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert text == with_parts(text, parts()), "run: make generate"


def test_each_code_of_the_card_is_something_to_decide() -> None:
    assert [code for code in EVERYDAY if not CATALOGUE[code].suspends] == []
    assert len(EVERYDAY) == 10


def write_generated() -> None:
    PAGE.write_text(with_parts(PAGE.read_text(encoding="utf-8"), parts()), encoding="utf-8")

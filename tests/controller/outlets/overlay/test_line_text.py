"""The lines for video recorders: what they say, within their width, of disclosed facts alone."""

import pytest

from controller.core.state import Conclusion, Stored
from controller.outlets.overlay.line_text import LineForm, lines_of
from controller.rules.actions.actions import CorrectCoup
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import profile_text

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


def said(table) -> list[str]:
    """What is said of everything that a script has stored."""
    conclusions = tuple(
        Conclusion(item, output.entries)
        for item, output in zip(table.inputs, table.outputs, strict=True)
    )
    stored = Stored(conclusions, (), table.at, table.state, table.core.book)
    return list(lines_of("M-12", stored))


def test_a_finished_coup_is_a_line_with_its_outcome_and_counts(script) -> None:
    table = script().begun().reported(*OPENING, *COUP)

    assert said(table) == ["M-12 1/1 PLAYER P9 B7 NATURAL"]


def test_an_irregularity_its_decision_and_the_void_coup_are_lines(script) -> None:
    table = script().begun().reported(*OPENING, *OVERDRAW)
    assert said(table) == ["M-12 IRR 1 OVERDRAW COUP 1 PLAY STOPS"]

    table.resolved()
    lines = said(table)
    assert "M-12 IRR 1 DECIDED VOID-COUP" in lines
    assert any(one.startswith("M-12 1/1 VOID P9 B7") for one in lines)


def test_a_correction_is_a_line(script) -> None:
    table = script().begun().reported(*OPENING, *COUP)
    table.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))

    assert said(table)[-1] == "M-12 1/1 CORRECTED PLAYER TO TIE"


def test_nothing_is_said_of_the_coup_in_play(script) -> None:
    assert said(script().begun().reported(*OPENING, *COUP[:4])) == []


def test_counts_that_nobody_has_seen_are_not_said(script) -> None:
    table = script(profile=profile_text("ny-midi")).begun().reported(*OPENING, *OVERDRAW)
    table.resolved()

    (line,) = [one for one in said(table) if "VOID P" in one]
    assert "VOID P- B-" in line
    assert "NATURAL" not in line


@pytest.mark.parametrize(
    ("form", "text", "line"),
    [
        (LineForm(), "M-1 TIE", b"M-1 TIE\r\n"),
        (LineForm(crlf=False), "M-1 TIE", b"M-1 TIE\n"),
        (LineForm(width=20), "x" * 30, b"x" * 20 + b"\r\n"),
        (LineForm(), "Zürich\x1b[2J\r\n", b"Z?rich?[2J??\r\n"),
        (LineForm(encoding="latin-1"), "Zürich €", b"Z\xfcrich ?\r\n"),
    ],
)
def test_a_line_has_its_width_its_encoding_and_no_control_signs(form, text, line) -> None:
    assert form.encode(text) == line

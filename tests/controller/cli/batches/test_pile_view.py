"""Progress while a pile is read, in a pipe and on a terminal."""

import io
import sys

import pytest

from controller.cli.batches.pile_view import PileView

NOTE = "deck 1: Qd is missing: put on what is missing"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show(view: PileView) -> None:
    with view.pile("deck 1 of 8", 52):
        view.show_progress(17)
        view.show_listing(51, (NOTE,))
        view.show_progress(3)
        view.show_listing(51, (NOTE,))
        view.show_listing(52, ())


def test_in_a_pipe_each_change_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    show(PileView())

    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == (f"deck 1 of 8: 51 of 52 cards\n  {NOTE}\ndeck 1 of 8: 52 of 52 cards\n")


def test_each_pile_starts_with_no_cards(capsys: pytest.CaptureFixture[str]) -> None:
    view = PileView()
    for _ in range(2):
        with view.pile("deck 1 of 8", 52):
            view.show_listing(0, ())

    assert capsys.readouterr().err == "deck 1 of 8: 0 of 52 cards\n" * 2


def test_on_a_terminal_the_pile_is_drawn_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")

    show(PileView())

    drawn = terminal.getvalue()
    for words in ("deck 1 of 8", "51/52", "reading 17", "reading 3", NOTE, "52/52"):
        assert words in drawn
    assert capsys.readouterr().out == ""

"""The sections [layout] and [pit] of table.toml.

Responsible for: their keys, types and defaults, and the value that is checked.
Not responsible for: the other sections (config_sections) and what the clauses say (layout).
Source: package README, "Configuration".
"""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from controller.config_sections import Line, Section
from controller.layout import Layout, LayoutRefused, Pit, pit_refusals, refusals
from controller.procedure.rulebook import DEFAULT_BACKS
from controller.rules.profile import Profile
from controller.rules.words import PayProcedure, ShuffleFinish, VigorishMode


def _word_of(kind: type[StrEnum], word: str) -> str:
    if word and word not in tuple(kind):
        raise ValueError(f"{word!r} is not allowed; allowed: {', '.join(kind)}, or nothing")
    return word


def _shuffle_finish(word: str) -> str:
    return _word_of(ShuffleFinish, word)


def _pay_procedure(word: str) -> str:
    return _word_of(PayProcedure, word)


def _vig_mode(word: str) -> str:
    return _word_of(VigorishMode, word)


class LayoutSection(Section):
    seats: list[int] = Field(default_factory=list)
    spots: list[Line] = Field(default_factory=list)
    vigorish_boxes: list[int] = Field(default_factory=list)
    hand_areas: list[Line] = Field(default_factory=list)
    cut_card_colour: Line = ""
    backs: list[Line] = Field(default_factory=lambda: list(DEFAULT_BACKS))
    discard_rack: bool = True
    odds_posted: Line = ""
    approval: Line = ""

    def layout(self) -> Layout:
        return Layout(
            seats=tuple(self.seats),
            spots=tuple(self.spots),
            vigorish_boxes=tuple(self.vigorish_boxes),
            hand_areas=tuple(self.hand_areas),
            cut_card_colour=self.cut_card_colour,
            backs=tuple(self.backs),
            discard_rack=self.discard_rack,
            odds_posted=self.odds_posted,
            approval=self.approval,
        )


class PitSection(Section):
    shuffle_finish: Annotated[str, AfterValidator(_shuffle_finish)] = ""
    pay_procedure: Annotated[str, AfterValidator(_pay_procedure)] = ""
    baccarat_pay_procedure: Annotated[str, AfterValidator(_pay_procedure)] = ""
    vig_mode: Annotated[str, AfterValidator(_vig_mode)] = ""
    vig_rate: Annotated[int, Field(ge=-1, le=5)] = -1

    def pit(self) -> Pit:
        return Pit(
            shuffle_finish=self.shuffle_finish,
            pay_procedure=self.pay_procedure,
            baccarat_pay_procedure=self.baccarat_pay_procedure,
            vig_mode=self.vig_mode,
            vig_rate=self.vig_rate,
        )


def layout_problems(
    layout: LayoutSection, pit: PitSection, profile: Profile
) -> tuple[LayoutRefused, ...]:
    """Everything about the layout and the pit that the profile does not allow."""
    told = layout.layout()
    if not told.seats and told != Layout(backs=told.backs):
        problem, allowed = "it is missing", "every seat once, from 1"
        remedy = "Write seats = [1, 2, 3] with all seats, or nothing here but backs"
        return (LayoutRefused("layout.seats", problem, allowed, remedy, ()),)
    return (*refusals(told, profile), *pit_refusals(pit.pit(), profile))

"""Every form of statement, and the text of every statement."""

from typing import Final

from controller.core.script.acts import (
    FLOOR_ACT_FORMS,
    FLOOR_ACT_TEXTS,
    PLAY_ACT_FORMS,
    PLAY_ACT_TEXTS,
    WAGER_ACT_FORMS,
    WAGER_ACT_TEXTS,
    plain_form,
    plain_text,
)
from controller.core.script.card_statements import CARD_FORMS, CARD_TEXTS, HOUSE_FORMS
from controller.core.script.shuffler_statements import SHUFFLER_FORMS, SHUFFLER_TEXTS
from controller.core.script.statement_reader import StatementForm
from controller.core.script.statements import StatementBody
from controller.procedure.step import ACT_JUDGES, PLAY_ACT_JUDGES
from controller.rules.actions.actions import OperatorAction

_TEXTS: Final = {**CARD_TEXTS, **SHUFFLER_TEXTS}
_ACT_TEXTS: Final = {**PLAY_ACT_TEXTS, **WAGER_ACT_TEXTS, **FLOOR_ACT_TEXTS}
_PLAIN_ACTS: Final = tuple(
    kind for kind in (*ACT_JUDGES, *PLAY_ACT_JUDGES) if kind not in _ACT_TEXTS
)

STATEMENT_FORMS: Final[tuple[StatementForm[StatementBody], ...]] = (
    *CARD_FORMS,
    *PLAY_ACT_FORMS,
    *WAGER_ACT_FORMS,
    *FLOOR_ACT_FORMS,
    *SHUFFLER_FORMS,
    *HOUSE_FORMS,
    *map(plain_form, _PLAIN_ACTS),
)


def unparse(body: StatementBody) -> str:
    """The text of a statement, which parses back to the same statement."""
    if isinstance(body, OperatorAction):
        return _ACT_TEXTS.get(type(body.action), plain_text)(body)
    return _TEXTS[type(body)](body)

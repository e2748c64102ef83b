"""The calls that are due: what the dealer announces at each moment of a coup.

Responsible for: prompting each call of the profile when it is due, without telling what lies face
down.
Not responsible for: what was called (nothing here hears it) and for judging results (finishing).
Source: NY (f)(2), (g), (i)(1); NJ 3.10(a), 7.10(a); S42 (g)(2), (h)(1), (h)(5), (j)(1); WA calls.
"""

from controller.procedure.effects import Call
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.procedure.steps import Step, prompt
from controller.rules.coup import Decision
from controller.rules.outcome import Outcome, result_of
from controller.rules.rule_points import RulePoint
from controller.rules.words import DealOption


def before_first_card(book: RuleBook, step: Step) -> Step:
    """What is called before a coup's first card, where nobody here senses it."""
    text = 'call "no more bets" before the first card'
    return prompt(book, step, Call.NO_MORE_BETS, text, RulePoint.NO_MORE_BETS)


def after_card(book: RuleBook, step: Step, ruling: Decision) -> Step:
    """What is called once a due card is on the table and `ruling` is what the rules say."""
    if ruling is Decision.FIRST_FOUR:
        return step
    if len(step.coup.cards) == 4:
        text = "announce the point count of the Player's Hand, then the Banker's"
        step = prompt(book, step, Call.COUNTS, text, RulePoint.COUNTS_CALLED)
    if step.phase is Phase.RESULT:
        text = "announce the final point counts and the winner"
        step = prompt(book, step, Call.RESULT, text, RulePoint.RESULT_CALLED)
        return _tie_prompted(book, step)
    return step


def _tie_prompted(book: RuleBook, step: Step) -> Step:
    """Where the cards lie face up, a tie has its own call; face down it would tell the outcome."""
    tie = result_of(step.coup.faces()).outcome is Outcome.TIE
    if not tie or book.values.deal_option is not DealOption.FACE_UP:
        return step
    return prompt(book, step, Call.TIE_HAND, 'announce "tie hand"', RulePoint.TIE_CALLED)


def last_hand(book: RuleBook, step: Step) -> Step:
    """The next coup is the last one."""
    return prompt(book, step, Call.LAST_HAND, 'announce "last hand"', RulePoint.LAST_HAND_CALLED)

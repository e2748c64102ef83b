"""Every form of statement: its first words, an example, and its meaning.

Source: controller/script/README.md, "Statements".
"""

from typing import Final

from msgspec import Struct


class StatementForm(Struct, frozen=True):
    """`keywords` begin the statement; the first of them selects the form."""

    keywords: str
    example: str
    meaning: str

    @property
    def first(self) -> str:
        return self.keywords.split()[0]


STATEMENT_FORMS: Final = (
    StatementForm(
        "burn", "burn 7h + 7", "the first burn card, and 7 more whose faces are not given"
    ),
    StatementForm("P", "P 7h", "a card the shoe claims for the Player; P1 to P3 give the number"),
    StatementForm("B", "B 2c", "a card the shoe claims for the Banker; B1 to B3 give the number"),
    StatementForm("card", "card 7h", "a card without a claim: it takes the place that is due"),
    StatementForm(
        "more", "more banker 7h", "a card the shoe claims to be beyond the third of a hand"
    ),
    StatementForm(
        "out", "out 7h", "a card that left the shoe while the shoe considered play stopped"
    ),
    StatementForm("extra", "extra 7h", "a card the shoe claims to be burned outside the count"),
    StatementForm("burned", "burned 7h", "a single card the shoe claims to be a counted burn card"),
    StatementForm(
        "unclaimed", "unclaimed 7h of red", "a card of a shoe that claims no place; its back"
    ),
    StatementForm(
        "custody",
        'custody FOREIGN_CARD 7h tag E00401 of red at "coup 3" because "in no manifest"',
        "custody has found a wrong card",
    ),
    StatementForm("again", "again P1 7h", "the shoe repeats its report of a card"),
    StatementForm("cut", "cut", "a cut card left the shoe"),
    StatementForm("result", "result player P-pair", "the dealer declared the result"),
    StatementForm(
        "forced exit", "forced exit", "the dealer left the coup by the shoe's forced exit"
    ),
    StatementForm("stand-by", "stand-by", "the shoe waits between coups"),
    StatementForm("start", "start", "the shoe started, or was reset"),
    StatementForm(
        "lost", "lost 2", "reports are missing: how many at least, unproven or unreadable"
    ),
    StatementForm("no more bets", "no more bets", 'the dealer called "no more bets"'),
    StatementForm(
        "found face up", 'found face up by "Dee Dealer"', "the last card lay face up in the shoe"
    ),
    StatementForm("turn", "turn player third", "cards were turned up on the layout"),
    StatementForm(
        "give up", 'give up player by order because "slow"', "a patron will not turn a hand"
    ),
    StatementForm("ghost hand", "ghost hand", "a ghost hand is requested for the next coup"),
    StatementForm(
        "record", 'record inspected batch red second "Ann Lee"', "an act of a named person"
    ),
    StatementForm(
        "wagers", "wagers 5 banker 100.00, 3 tie 25", "every wager on the layout now, by seat"
    ),
    StatementForm("collect", "collect 5", "the vigorish of a seat was collected"),
    StatementForm(
        "document", 'document 5 form 1001 patron "Pat Chen"', "vigorish documented, not collected"
    ),
    StatementForm("leave", "leave 5", "the patron of a seat left"),
    StatementForm(
        "notice", "notice vig_rate 4 to players at +0", "notice of a coming change of a setting"
    ),
    StatementForm(
        "set", 'set vig_rate 4 at +30min because "agreed"', "a setting is changed at this table"
    ),
    StatementForm(
        "resolve", "resolve void-coup take-over", "a floorperson decides the open irregularities"
    ),
    StatementForm(
        "correct coup",
        'correct coup 3 to banker second "Bo Ray"',
        "two persons correct the outcome of a counted coup",
    ),
    StatementForm(
        "close shoe", 'close shoe because "dead table"', "a named person ends the shoe early"
    ),
    StatementForm("shoe", "shoe empty", "a floorperson states that it is empty, or jammed"),
    StatementForm(
        "shuffler", "shuffler 1 counted 416 of red", "an event that the shuffler reports"
    ),
    StatementForm(
        "clear warning", "clear warning 1", "a named person clears a warning of the shuffler"
    ),
    StatementForm("day", "day 2026-11-21", "the gaming day the next shoe belongs to"),
    StatementForm("program", "program 2.0", "another software version takes over with a shoe open"),
)

"""Declares the commands on rules: profiles, clauses, odds, payouts, dealing scripts.

Source: controller.cli.declaration joins all commands.
"""

from typing import Final

from controller.system.command_line.command import Command, HelpSection, example
from controller.system.command_line.errors import ExitCode

DONE, NO = ExitCode.DONE, ExitCode.NO

RULES: Final = (
    Command(
        "rules list",
        HelpSection.RULES,
        "List the profiles that come with the program.",
        "controller.cli.rules.rules:list_profiles",
        (
            example(
                "smartshoe rules list",
                "...",
                " name              title                                source              ...",
                "...",
                " ny-ez             New York EZ baccarat                 9 NYCRR 5324.21     ...",
                "...",
            ),
            example(
                "smartshoe rules list --json",
                "{",
                '  "profiles": [',
                "    {",
                '      "name": "house-baccarat",',
                "...",
            ),
        ),
    ),
    Command(
        "rules show",
        HelpSection.RULES,
        "Show every value of a profile with its clauses.",
        "controller.cli.rules.rules:show",
        (
            example(
                "smartshoe rules show s42-mini",
                "Section 42 Mini-Baccarat (s42-mini); source: Section 42 Mini-Baccarat",
                "...",
                " cut_cards_per_shoe               2                           S42-a-1-cut   ...",
                "...",
            ),
            example(
                "smartshoe rules show --config table.toml",
                "Section 42 Mini-Baccarat (s42-mini); source: Section 42 Mini-Baccarat",
                "...",
                "Table M-12 observes result_button. Prompted, never judged: ...",
                "...",
            ),
            example(
                "printf '%s\\n' 'name=\"house\"' 'title=\"A house\"' 'base=\"ny-mini\"' \\\n"
                "    > house.toml\n"
                "smartshoe rules show house.toml --clauses",
                "A house (house; changes ny-mini); source: 9 NYCRR 5324.21",
                "...",
            ),
        ),
    ),
    Command(
        "rules clause",
        HelpSection.RULES,
        "Print one clause, and what the program checks.",
        "controller.cli.rules.rules:clause",
        (
            example(
                "smartshoe rules clause NY-h-1",
                "NY-h-1  9 NYCRR 5324.21 (h)(1)",
                "  If either two-card hand is a natural no more cards are dealt to either.",
                "  kind: third-card; checked from the cards and the table's events",
                "  the program: If player or banker totals 8 or 9 on two cards close ...",
            ),
        ),
    ),
    Command(
        "rules play",
        HelpSection.RULES,
        "Print the table that judges play, row by row.",
        "controller.cli.rules.play:play",
        (
            example(
                "smartshoe rules play --profile s42-mini --phase banker_3",
                "...",
                "... rows, ... left out",
                "...",
                " irregularity                document   clauses...",
                "...",
            ),
            example(
                "smartshoe rules play --profile ny-mini --json",
                "{",
                '  "profile": "ny-mini",',
                '  "observed": [],',
                '  "rows": [',
                "...",
            ),
        ),
    ),
    Command(
        "rules changes",
        HelpSection.RULES,
        "List every verdict that two versions give otherwise.",
        "controller.cli.rules.changed_verdicts:changes",
        (
            example(
                "printf '%s\\n' 'table --profile ny-mini' 'burn Ac + 1; P 9h; B Kc' \\\n"
                "    > all.scripts\n"
                "smartshoe rules changes all.scripts \\\n"
                "    --old $(command -v smartshoe) --new $(command -v smartshoe)",
                "1 script, 3 statements: 0 changed, 0 in words alone",
            ),
        ),
        {DONE: "no verdict changed", NO: "verdicts changed"},
        (
            "A script begins with a line `table` and the options of `smartshoe try`; statements"
            " follow. Each version plays each script as a program of its own."
        ),
    ),
    Command(
        "clauses",
        HelpSection.RULES,
        "List every clause with the tests that cover it.",
        "controller.cli.rules.clauses:clauses",
        (
            example(
                "smartshoe clauses",
                "...",
                "NY: 154 clauses; ...; open 0",
                "...",
            ),
            example(
                "smartshoe clauses --document S42",
                "...",
                "S42: 162 clauses; checked ..., outside 0; open 0",
            ),
            example(
                "smartshoe clauses --open --json",
                "{",
                '  "clauses": [],',
                "...",
            ),
        ),
    ),
    Command(
        "odds",
        HelpSection.RULES,
        "Count every six-card draw; show the house edges.",
        "controller.cli.rules.odds:odds",
        (
            example(
                "smartshoe odds --decks 8",
                "8 decks: 4998398275503360 ordered draws of six cards",
                "...",
                " Player wins                2230518282592256   44.6247 %",
                " Banker wins                2292252566437888   45.8597 %",
                "...",
            ),
            example(
                "smartshoe odds --decks 6 --profile ny-ez",
                "...",
                "House edge under ny-ez. Vigorish is exact: ...",
                "...",
                " banker     383290367308416   392220492728832   103358346858432   1.0161 %    ...",
                "...",
            ),
            example(
                "smartshoe odds --profile nj-minibaccarat --json",
                "{",
                '  "decks": 8,',
                '  "total": 4998398275503360,',
                "...",
            ),
        ),
    ),
    Command(
        "settle",
        HelpSection.RULES,
        "Show what a coup pays, and pay a list of wagers.",
        "controller.cli.rules.settle:settle",
        (
            example(
                "smartshoe settle --profile ny-mini --cards 'P 7h; B 2c; P Ks; B 3d; B Qh'",
                "Player 7, Banker 5 in 5 cards",
                "...",
                " player   wins      1:1    NY-b-1-ii-a, NY-c-1",
                "...",
            ),
            example(
                "printf '5,banker,25.00\\n3,player,10.00\\n' | \\\n"
                "    smartshoe settle --profile ny-ez --cards 'P 9h; B 2c; P Ks; B 6d' --wagers -",
                "Player 9, Banker 8 in 4 cards",
                "...",
                " seat 5: take 25.00 from Banker   NY-i-2-lose, NY-b-1-i-b",
                " seat 3: pay 10.00 on Player      NY-b-1-ii-a, NY-c-1, NY-i-2-ez",
                "...",
                "the house gains 15.00",
            ),
            example(
                "printf '5,banker,25.00\\n' | smartshoe settle --profile s42-mini --void \\\n"
                "    --wagers - --json",
                "{",
                '  "profile": "s42-mini",',
                '  "coup": "the coup is void",',
                "...",
                '  "house_gain": 0',
                "}",
            ),
        ),
        {DONE: "done", NO: "a wager is refused"},
        "A line of wagers is seat,wager,amount, such as 5,banker,25.00, or with a fourth column,"
        " coupon.",
    ),
    Command(
        "try",
        HelpSection.RULES,
        "Play a dealing script and show every verdict.",
        "controller.cli.rules.try_script:try_script",
        (
            example(
                'smartshoe try "burn Ac + 1; P 9h; B Kc; P Qd; B Jh; result player"',
                "...",
                "1:26    P Qd",
                "        Player's second card [S42-g-3-four, S42-g-3-player]",
                "...",
            ),
            example(
                "printf '%s\\n' 'burn Ac + 1' 'P 9h; B Kc; P 3d' > evening.script\n"
                "smartshoe try evening.script --profile ny-mini \\\n"
                "    --observed result_button,wagers",
                "...",
                "2:13    P 3d",
                "        Player's second card [NY-f-3-four, NY-f-3-player]",
                "...",
            ),
            example(
                'echo "burn 2c + 2; P 7h; B ??" | smartshoe try - --json',
                "...",
                '      "statement": "burn 2c + 2",',
                "...",
            ),
        ),
        {DONE: "it was played, with or without irregularities"},
        (
            "\b\nstatements: burn 7h + 7   P 7h   B 2c   card 9s   cut   result tie\n"
            "  no more bets   wagers 5 banker 100.00, 3 tie 25   turn player\n"
            "  resolve void-coup   # a comment\n\n"
            "controller/core/script/README.md lists them, as does the error at an unknown word."
            " Statements end with ; or with the line. A script that begins with a burn starts the"
            " shoe.\n\n"
            "Every face is shown, even one that nobody at a table would have seen: the writer of"
            " the script knows it."
        ),
    ),
)

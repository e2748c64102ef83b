"""The full text of every error in a profile or house profile."""

import re
from collections.abc import Callable
from importlib.resources import files

import pytest
from recorded_texts import wrong_identifiers

from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.house_profile import parse_house
from controller.rules.profiles.profile import Profile, ProfileError, parse_profile
from foundation.message import message

NY_MINI = files("controller.rules.profiles").joinpath("shipped/ny-mini.toml").read_text("utf-8")
HEADED = 'name = "a" ; title = "b" ; source = "c" ; own_clauses = "NY" ; '

# In each table: a text, with " ; " between its lines, and below it, indented, the expected error.
# The texts of houses over ny-mini and s42-mini:
HOUSES = """
base = "ny-mini"
    name: it is missing. Allowed: a text. Remedy: write name = "...".
name = "grand"
    base: it is missing. Allowed: a text. Remedy: write base = "...".
name = "grand" ; base = 5
    base: it is 5. Allowed: a text of one printable line. Remedy: write one.
name = "grand" ; base = "macau"
    base: 'macau' is not a profile. Allowed: ny-mini, s42-mini. Remedy: name one of these.
name = "s42-mini" ; base = "ny-mini"
    name: 's42-mini' is a shipped profile. Allowed: another name. Remedy:
    give the house's profile a name of its own.
name = "grand" ; base = "ny-mini" ; title = ""
    title: it is ''. Allowed: a text of one printable line. Remedy: write one.
name = "grand" ; base = "ny-mini" ; source = 4
    source: it is 4. Allowed: a text of one printable line. Remedy: write one.
name = "grand" ; base = "ny-mini" ; values = 4
    values: it is 4. Allowed: a table. Remedy: write { ... }.
name = "grand" ; base = "ny-mini" ; colour = 4
    values.colour: there is no such setting. Allowed: the settings `smartshoe rules show`
    lists. Remedy: correct or remove it.
name = "grand" ; base = "ny-mini" ; odds = "1:1"
    values.odds: there is no such setting. Allowed: odds_tie. Remedy: correct or remove it.
name = "grand" ; base = "ny-mini" ; vig_rate = 4 ; values.vig_rate = 5
    values.vig_rate: it is repeated. Allowed: once. Remedy: remove one of them.
name = "grand" ; base = "ny-mini" ; vig_rate = { reason = 'x' }
    values.vig_rate.value: there is no value. Allowed: a whole number from 0 to 5. Remedy: set
    one.
name = "grand" ; base = "ny-mini" ; vig_rate = { value = 4, why = 'x' }
    values.vig_rate.why: there is no such key. Allowed: value, reason. Remedy: correct or
    remove it.
name = "grand" ; base = "ny-mini" ; vig_rate = { value = 4, reason = '' }
    values.vig_rate.reason: it is ''. Allowed: a text of one printable line. Remedy: write
    one.
name = "grand" ; base = "ny-mini" ; odds_total_7 = "1:1"
    values.odds_total_7: there is no such setting. Allowed: odds_total_6, odds_total_5,
    odds_total_4. Remedy: correct or remove it.
"""

# A profile | changes of a house.
CHANGES = """
ny-mini | vig_rate = 3
    values.vig_rate: 3 is not allowed by NY-c-3-rate. Allowed: 5, 4. Remedy: set one of these.
ny-mini | vig_rate = 4 ; vig_rate_allowed = [5]
    values.vig_rate: 4 is not allowed by NY-c-3-rate. Allowed: 5. Remedy: set one of these.
ny-mini | vig_mode = ["commission", "tie25"]
    values.vig_mode: ['commission', 'tie25'] is not allowed by NY-c-3-pay, NY-c-4-charge,
    NY-c-6-pay, NY-c-5-uniform. Allowed: commission, tie25, none_six. Remedy: set one of
    these.
ny-mini | vig_rate = [4, 5]
    values.vig_rate: [4, 5] is not allowed by NY-c-3-rate, NY-c-5-uniform. Allowed: 5, 4.
    Remedy: set one of these.
s42-mini | vig_rate = [4, 5]
    values.vig_rate: [4, 5] is not allowed by S42-c-3-rate, S42-c-5-uniform. Allowed: 5, 4.
    Remedy: set one of these.
house-mini | vig_mode = ["commission", "tie25"]
    values.vig_mode: ['commission', 'tie25'] is not allowed by HG-mini-comm. Allowed:
    commission. Remedy: set one of these.
ny-mini | odds_player_allowed = ["at_least 1:1"]
    values.odds_player_allowed: ['at_least 1:1'] is not allowed by NY-c-1. Allowed: "at_least
    N:M" or "exactly N:M". Remedy: set one of these.
ny-mini | wagers_base = ["banker", "player", "banker"]
    values.wagers_base: ['banker', 'player', 'banker'] is not allowed by NY-b-1-list,
    NY-a-2-iv. Allowed: a list, each at most once, of "banker", "player", "tie". Remedy: set
    one of these.
ny-mini | decks_min = "none"
    values.decks_min: 'none' is not allowed by NY-a-4-i-decks. Allowed: a whole number from 1
    to 16. Remedy: set one of these.
ny-mini | decks_min = 5
    values.decks_min: 5 is not allowed by NY-a-4-i-decks. Allowed: 6 or more. Remedy: set 6
    or more.
ny-mini | burn_every_shoe = false
    values.burn_every_shoe: false is not allowed by NY-e-4. Allowed: true. Remedy: set one of
    these.
ny-mini | wagers_base = ["banker", "player"]
    values.wagers_base: ['banker', 'player'] is not allowed by NY-b-1-list, NY-a-2-iv.
    Allowed: banker, player, tie. Remedy: set one of these.
ny-mini | third_card_table = "other"
    values.third_card_table: 'other' is not allowed by NY-h-4-012, NY-h-4-7. Allowed:
    "standard". Remedy: set one of these.
ny-mini | odds_tie = "7:1"
    values.odds_tie: '7:1' is not allowed by NY-c-2. Allowed: at_least 8:1. Remedy: set one of
    these.
ny-mini | odds_tie_allowed = "at_least 7:1"
    values.odds_tie_allowed: 'at_least 7:1' is not allowed by NY-c-2. Allowed: at_least 8:1.
    Remedy: set one of these.
ny-mini | calls_required = ["before"]
    values.calls_required: ['before'] is not allowed by NY-f-2, NY-g-announce, NY-i-1-final,
    NY-i-1-winner, NY-i-1-tie. Allowed: no_more_bets, counts_player_then_banker,
    final_counts_and_winner, tie_hand, and more. Remedy: set one of these.
house-baccarat | calls_required = ["counts_player_then_banker"]
    values.calls_required: ['counts_player_then_banker'] is not allowed by HG-bac-before,
    HG-bac-counts. Allowed: no_more_bets, counts_player_then_banker, and more. Remedy: set one
    of these.
ny-mini | pay_procedure_allowed = ["i", "ii", "iii", "iv", "reconciliation"]
    values.pay_procedure_allowed: ['i', 'ii', 'iii', 'iv', 'reconciliation'] is not allowed by
    NY-i-2-i, NY-i-2-ii, NY-i-2-iii, NY-i-2-iv, NY-i-3-elect. Allowed: iii, i, ii, iv. Remedy:
    set one of these.
ny-mini | reshuffle_after_lace = "sometimes"
    values.reshuffle_after_lace: 'sometimes' is not a value for it. Allowed: true or false.
    Remedy: set one of these.
s42-mini | dragon_bonus_table = "not_applicable"
    values.dragon_bonus_table: not_applicable is not in dragon_bonus_table_allowed. Allowed:
    A, B, C. Remedy: set one of these.
ny-mini | batch_min_decks_each = "decks_per_shoe"
    values.batch_min_decks_each: 'decks_per_shoe' is not allowed by NY-a-4-iv-sets. Allowed:
    6. Remedy: set one of these.
wa-mini | decks_max = "none"
    values.decks_max: 'none' is not allowed by WA-mb-decks. Allowed: 8. Remedy: set one of
    these.
"""

# A key of ny-mini's text | the replacement of its line.
PROFILES = """
name | name = 5
    name: it is 5. Allowed: a text of one printable line. Remedy: write one.
name | name = "ny-mini" ; base = ""
    base: it is ''. Allowed: a text of one printable line. Remedy: write one.
name | name = "ny-mini" ; colour = "red"
    the whole text.colour: there is no such key. Allowed: name, title, source, own_clauses,
    values, citations, base. Remedy: correct or remove it.
name |
    the whole text.name: it is missing. Allowed: name, title, source, own_clauses, values,
    citations. Remedy: add it.
decks_min | decks_min = { basis = ["NY-a-4-i-decks"] }
    values.decks_min.value: there is no value. Allowed: a whole number from 1 to 16. Remedy:
    set one.
decks_min | decks_min = { value = 17, basis = ["NY-a-4-i-decks"] }
    values.decks_min: 17 is not allowed by NY-a-4-i-decks. Allowed: a whole number from 1 to
    16. Remedy: set one of these.
decks_min | decks_min = { value = true, basis = ["NY-a-4-i-decks"] }
    values.decks_min: true is not allowed by NY-a-4-i-decks. Allowed: a whole number from 1 to
    16. Remedy: set one of these.
decks_min | decks_min = { value = 17, assumed = true, reason = "x" }
    values.decks_min: 17 is not a value for it. Allowed: a whole number from 1 to 16. Remedy:
    set one of these.
decks_min | decks_min = 6
    values.decks_min: it is 6. Allowed: a table. Remedy: write { ... }.
decks_min | decks_min = { value = 6, basis = "NY-a-4-i-decks" }
    values.decks_min.basis: it is 'NY-a-4-i-decks'. Allowed: a list of clause ids. Remedy: put
    it in brackets.
decks_min | decks_min = { value = 6, basis = ["NY-a-4-i-deck"] }
    values.decks_min.basis: there is no clause 'NY-a-4-i-deck'. Allowed: ids of
    data/clauses.csv. Remedy: correct the id.
decks_min | decks_min = { value = 6, basis = [4] }
    values.decks_min.basis: there is no clause 4. Allowed: ids of data/clauses.csv. Remedy:
    correct the id.
decks_min | decks_min = { value = 6, basis = ["S42-a-1-decks"] }
    values.decks_min.basis: S42-a-1-decks is a clause of another rule. Allowed: clauses of NY.
    Remedy: move it to borrowed, with assumed = true and a reason.
decks_min | decks_min = { value = 6, borrowed = 5 }
    values.decks_min.borrowed: it is 5. Allowed: a list of clause ids. Remedy: put it in
    brackets.
decks_min | decks_min = { value = 6, assumed = 1 }
    values.decks_min.assumed: it is 1. Allowed: true or false. Remedy: set one.
decks_min | decks_min = { value = 6, reason = 5 }
    values.decks_min.reason: it is 5. Allowed: a text of one printable line. Remedy: write
    one.
decks_min | decks_min = { value = 6, basis = ["NY-a-4-i-decks"], reason = "x" }
    values.decks_min: it borrows or gives a reason but is not marked assumed. Allowed: assumed
    = true. Remedy: add assumed = true.
decks_min | decks_min = { value = 6, basis = ["NY-a-4-i-decks"], borrowed = ["S42-a-1-decks"] }
    values.decks_min: it borrows or gives a reason but is not marked assumed. Allowed: assumed
    = true. Remedy: add assumed = true.
decks_min | decks_min = { value = 6, why = "x" }
    values.decks_min.why: there is no such key. Allowed: value, basis, assumed, borrowed,
    reason, house. Remedy: correct or remove it.
decks_min | decks_min = { value = 6 }
    values.decks_min: it rests on nothing. Allowed: a clause id in basis, or assumed = true
    with a reason. Remedy: add one of them.
decks_min | decks_min = { value = 6, assumed = true }
    values.decks_min.reason: it is assumed but does not say why. Allowed: a sentence. Remedy:
    say why it is assumed.
decks_min | decks_min = { value = 6, house = 1 }
    values.decks_min.house: it is 1. Allowed: true or false. Remedy: set one.
decks_min | decks_min = { value = 6, house = true }
    values.decks_min: it is the house's, so it is not assumed, borrows nothing and has a
    reason. Allowed: house = true with a reason, and a basis where there is one. Remedy: leave
    assumed and borrowed out and give the reason.
decks_min | decks_min = { value = 6, house = true, assumed = true, reason = "x" }
    values.decks_min: it is the house's, so it is not assumed, borrows nothing and has a
    reason. Allowed: house = true with a reason, and a basis where there is one. Remedy: leave
    assumed and borrowed out and give the reason.
decks_min | decks_min = { value = 6, house = true, borrowed = ["S42-a-1-decks"], reason = "x" }
    values.decks_min: it is the house's, so it is not assumed, borrows nothing and has a
    reason. Allowed: house = true with a reason, and a basis where there is one. Remedy: leave
    assumed and borrowed out and give the reason.
decks_min | decks_min = { value = 6, house = true, reason = "x" }
    values.decks_min.house: it is marked as the house's but the text names no base. Allowed:
    house = true where base names the profile that was changed. Remedy: name the base or take
    the mark out.
burn_value | burn_value = 4
    citations.burn_value: it is 4. Allowed: a table. Remedy: write { ... }.
burn_value | burn_value = { assumed = true, reason = "x" }
    citations.burn_value: it cites nothing. Allowed: at least one clause id. Remedy: name a
    clause in borrowed.
burn_value | burn_value = { basis = 4 }
    citations.burn_value.basis: it is 4. Allowed: a list of clause ids. Remedy: put it in
    brackets.
burn_value | burn_value = { borrowed = 4 }
    citations.burn_value.borrowed: it is 4. Allowed: a list of clause ids. Remedy: put it in
    brackets.
burn_value | burn_value = { reason = 4 }
    citations.burn_value.reason: it is 4. Allowed: a text of one printable line. Remedy: write
    one.
burn_value | burn_value = { basis = ["NY-e-3"], assumed = 4 }
    citations.burn_value.assumed: it is 4. Allowed: true or false. Remedy: set one.
burn_value | burn_value = { value = 1, basis = ["NY-e-3"] }
    citations.burn_value.value: there is no such key. Allowed: basis, assumed, borrowed,
    reason. Remedy: correct or remove it.
"""

# Text after a valid heading.
BARE = """
values = 4 ; citations = {}
    values: it is 4. Allowed: a table. Remedy: write { ... }.
values = {} ; citations = 4
    citations: it is 4. Allowed: a table. Remedy: write { ... }.
values = {}
    the whole text.citations: it is missing. Allowed: name, title, source, own_clauses,
    values, citations. Remedy: add it.
values = {} ; citations = []
    citations: it is []. Allowed: a table. Remedy: write { ... }.
values
    the whole text: Expected '=' after a key in a key/value pair (at end of document).
    Allowed: TOML. Remedy: correct the text at that line and column.
"""


def cases(table: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in table.strip().splitlines():
        if line.startswith(" "):
            written, expected = found.pop()
            found.append((written, f"{expected} {line.strip()}".strip()))
        else:
            found.append((line, ""))
    return found


def refused(parse: Callable[[], object]) -> str:
    with pytest.raises(ProfileError) as found:
        parse()
    assert not list(wrong_identifiers(found.value.why))
    return str(found.value)


@pytest.mark.parametrize(("written", "expected"), cases(HOUSES))
def test_a_faulty_house(written: str, expected: str) -> None:
    text = written.replace(" ; ", "\n")

    assert refused(lambda: parse_house(text, ("ny-mini", "s42-mini"))) == expected


@pytest.mark.parametrize(("written", "expected"), cases(CHANGES))
def test_a_change_that_is_refused(
    house: Callable[[str, str], Profile], written: str, expected: str
) -> None:
    base, changes = written.split(" | ")

    assert refused(lambda: house(base, changes.replace(" ; ", "\n"))) == expected


@pytest.mark.parametrize(("written", "expected"), cases(PROFILES))
def test_a_faulty_profile(clauses: dict[str, Clause], written: str, expected: str) -> None:
    key, _, line = written.partition(" |")
    changed = line.strip().replace(" ; ", "\n")
    text = re.sub(rf"^{key} = .*$", changed, NY_MINI, count=1, flags=re.MULTILINE)

    assert refused(lambda: parse_profile(text, clauses)) == expected


@pytest.mark.parametrize(("written", "expected"), cases(BARE))
def test_missing_tables(clauses: dict[str, Clause], written: str, expected: str) -> None:
    text = f"{HEADED}{written}".replace(" ; ", "\n")

    assert refused(lambda: parse_profile(text, clauses)) == expected


def test_too_deeply_nested_brackets(clauses: dict[str, Clause]) -> None:
    assert refused(lambda: parse_profile("x = " + "[" * 100_000, clauses)) == (
        "the whole text: brackets nested too deep. Allowed: TOML. Remedy: write it flat."
    )


def test_a_refusal_lists_all_its_clauses() -> None:
    problem = message("it_is_value", configured="4")
    allowed = message("allowed_number", number=5)
    error = ProfileError("values.x", problem, allowed, message("set_one"), ("NY-1", "NY-2"))

    assert str(error) == "values.x: it is 4 (NY-1, NY-2). Allowed: 5. Remedy: set one."
    assert error.problem is problem

"""Where the program judges each clause: in these places the mutants of clause_mutants.py lie."""

from collections.abc import Iterable

# What judges a clause stands behind the module that cites it: module -> paths under controller/.
_CARDS = ("rules/cards", "rules/hands", "rules/outcome", "rules/coup")
_CALLS = ("procedure/calls/",)
_PEOPLE = ("procedure/opening/", "procedure/acts/", "procedure/people/", "procedure/wagering/")
_PAID = ("settlement/",)
JUDGES = {
    "controller.procedure.dealing.coup_end": _CARDS,
    "controller.procedure.dealing.due_cards": ("rules/coup", "rules/tableau", "rules/hands"),
    "controller.procedure.dealing.coup_start": ("procedure/dealing/", "rules/coup"),
    "controller.procedure.dealing.error_cards": ("procedure/dealing/", "rules/coup"),
    "controller.procedure.dealing.burn": ("procedure/dealing/burn", "rules/burn"),
    "controller.procedure.calls.prompts": _CALLS,
    "controller.procedure.dealing.reveal": (*_CALLS, "procedure/dealing/reveal"),
    "controller.procedure.acts.recording": _PEOPLE,
    "controller.procedure.opening.first_card_checks": _PEOPLE,
    "controller.procedure.wagering.wagers": (*_PAID, "procedure/wagering/"),
    "controller.procedure.people.setting_changes": ("procedure/people/",),
    "controller.rules.profiles.profile": (
        *("profiles/house_profile", "profiles/profile_consistency"),
        "profiles/setting_types",
    ),
    "controller.procedure.shuffler.batch_life": ("procedure/shuffler/", "custody/batch_life/"),
    "controller.procedure.shuffler.readiness": ("procedure/shuffler/", "custody/batch_life/"),
}
# Clauses whose place JUDGES does not find: beginnings of Place.name, all of them tried.
_EVEN = (
    *("settlement/results:_player return _wins", "settlement/results:_banker_win return"),
    *("settlement/payout:_line result.", "settlement/payout:_line 0 if"),
)
_BANKER_LOSES = ("settlement/results:_banker facts.banker_count <", "settlement/results:_banker re")
_BANKER_TIE = tuple(f"settlement/results:_banker {one}" for one in ("facts", "terms", "return _re"))
_PLAYER_LOSES = ("settlement/results:_player facts.player_count <", "settlement/results:_player re")
_TIE = (
    "settlement/results:_result facts.player_count ==",
    "settlement/results:_result return _wins(",
)
_UNDER_SHOE = ("procedure/calls/face_down:banker_goes_", "procedure/calls/face_down:_after_placing")
_DRAWN = ("rules/coup:_after_four ",)
_DECKS = (
    "profiles/house_profile:_check_permitted value >",
    "profiles/house_profile:_check_permitted value <",
    "profiles/profile_consistency:_decks rules.decks_min",
)
JUDGED_AT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("HG-bac-13", "HG-bac-24", "S42-i-1"), _DRAWN),
    **dict.fromkeys(("S42-i-5", "S42-i-6"), ("rules/tableau:banker_draws", "rules/coup:draw_")),
    **dict.fromkeys(("HG-bac-even", "HG-mini-even", "S42-c-1", "WA-pay-even"), _EVEN),
    **dict.fromkeys(("NY-b-1-i-b", "S42-b-1-i-B"), _BANKER_LOSES),
    **dict.fromkeys(("HG-bac-bbet", "HG-mini-bbet"), _BANKER_LOSES),
    **dict.fromkeys(("NY-b-1-ii-b", "S42-b-1-ii-B", "HG-bac-pbet", "HG-mini-pbet"), _PLAYER_LOSES),
    **dict.fromkeys(("HG-bac-tie8", "HG-mini-tie8", "NY-b-1-iii-win", "S42-b-1-iii"), _TIE),
    **dict.fromkeys(
        ("NY-b-1-iv-b-89", "NY-c-7-nat-win"), ("settlement/results:_bonus_on_natural",)
    ),
    "S42-c-4-charge": (
        *_BANKER_TIE,
        "settlement/payout:_line owed",
        "settlement/payout:_line on is",
    ),
    "NY-b-1-i-c-vig": (*_BANKER_TIE, "settlement/vigorish_ledger:enter_owed"),
    **dict.fromkeys(("NY-b-1-iv-b-3", "NY-b-1-iv-b-le"), ("settlement/results:_bonus ",)),
    "NY-c-3-ii-mark": ("settlement/vigorish_ledger:enter_owed", "settlement/vigorish:is_deferred"),
    **dict.fromkeys(("NY-f-3-ii-a-corner", "S42-g-3-iii"), _UNDER_SHOE),
    "NY-i-2-iii": ("settlement/payment_order:payment_steps takes + _concat(",),
    **dict.fromkeys(("S42-a-1-decks", "WA-mb-decks"), _DECKS),
    "S42-b-3-verbal": ("procedure/people/wager_statements:record_verbal_wager",),
    "S42-e-1": ("custody/batch_life/permissions:batch_obstacles life.stage in _NOT_",),
    "S42-e-2-i": ("procedure/acts/duties:_feathers",),
    "S42-e-8-ii-A": (
        "custody/batch_life/permissions:_device",
        "custody/batch_life/permissions:_block",
    ),
    "S42-j-3-elect": (
        "profiles/house_profile:_narrower bool(",
        "profiles/house_profile:_narrower one",
    ),
    "S42-l-1-use": ("procedure/rulebook:continuous", "procedure/opening/cut:"),
    "WA-ov-1": ("settlement/admission:_not_offered",),
}

# Why a survivor is none of its clause's: the first of these that its file and text begin with.
# "real": a place of the clause itself whose marked tests do not notice it.
REASONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "real: no marked test notices it",
        (
            "procedure/acts/discard_rack.py opening.rack_batch",
            "procedure/opening/batches.py event.batch",
            "procedure/opening/conduct.py event.seat == state",
            "procedure/people/setting_changes.py return ''",
        ),
    ),
    (
        "bound: one cent, one card, one minute or number 1 more, which no coup of the test has",
        (
            *("procedure/opening/cut.py", "procedure/shuffler/interlock.py"),
            *("procedure/wagering/payment.py 0", "procedure/wagering/payment.py wager.cents"),
            *("procedure/people/notices.py 0", "procedure/people/notices.py int("),
            "settlement/vigorish_ledger.py 1",
        ),
    ),
    (
        "words of a prompt, a refusal or a record beside the clause's own",
        (
            *("config/", "custody/batch_life/compartments.py", "profiles/setting_types.py"),
            *("procedure/people/notices.py f'", "procedure/opening/conduct.py f'"),
            *("settlement/vigorish_ledger.py 'Co", "settlement/vigorish_ledger.py return 'Co"),
            *("procedure/people/wager_statements.py '1", "procedure/dealing/reveal.py f'"),
            *(
                "settlement/pit.py '",
                "profiles/house_profile.py 'or",
                "settlement/payment_order.py r",
            ),
            "profiles/profile_consistency.py '",
        ),
    ),
    ("another call of the same moment, which the clause does not ask for", ("procedure/calls/",)),
    (
        "another wager, hand or result than the clause's, or one that is decided before",
        ("settlement/", "procedure/wagering/"),
    ),
    (
        "the third-card table answers alike for the hands of the clause; a count behind a natural",
        ("rules/tableau.py", "rules/coup.py"),
    ),
    (
        "naturals, pairs and the winner as the record and the roads name them",
        ("rules/hands.py", "rules/outcome.py"),
    ),
    ("another setting, or an equal value that is permitted before", ("profiles/",)),
    ("another stage or answer of the shuffler", ("custody/", "procedure/shuffler/")),
    ("another act, moment or person than the clause's", ("procedure/",)),
)


def reason_of(mutant: str) -> str:
    """Why this survivor is none of its clause's."""
    place, _, change = mutant.partition(" ")
    words = f"{place.partition(':')[0]} {change}"
    return next(why for why, beginnings in REASONS if words.startswith(beginnings))


# The rows and columns of the table (column 0: Player took no third card) that clauses speak of.
_ALL, _STOOD, _DREW = None, (0,), tuple(range(1, 11))
_PLAYER_DRAWS, _PLAYER_STANDS = ((8,), tuple(range(6))), ((8,), (6, 7))
_SEVEN = ((7,), _DREW)
ROWS_OF: dict[str, tuple[tuple[tuple[int, ...], tuple[int, ...] | None], ...]] = {
    **dict.fromkeys(("NY-h-2-draw", "WA-pl-05", "S42-i-2-draw"), (_PLAYER_DRAWS,)),
    **dict.fromkeys(("NY-h-2-stay", "WA-pl-67", "S42-i-2-stay"), (_PLAYER_STANDS,)),
    **dict.fromkeys(("NY-h-3-draw", "WA-bk-stand-draw"), ((tuple(range(6)), _STOOD),)),
    **dict.fromkeys(("NY-h-3-stand", "WA-bk-stand-stay"), (((6, 7), _STOOD),)),
    "NY-h-4-012": (((0, 1, 2), _DREW),),
    "WA-bk-012": (((0, 1, 2), _DREW),),
    "S42-i-3-012": (((0, 1, 2), _ALL),),
    **{f"NY-h-4-{row}": (((row,), _DREW),) for row in range(3, 8)},
    **{f"WA-bk-{row}": (((row,), _DREW),) for row in range(3, 7)},
    "WA-bk-7": (((7,), _ALL),),
    **{f"S42-i-3-{row}": (((row,), _ALL),) for row in range(3, 7)},
    "S42-i-3-789": (((7,), _ALL),),
}
for _game in ("bac", "mini"):
    ROWS_OF |= {
        f"{_game}-pdraw": (_PLAYER_DRAWS,),
        f"{_game}-prules-draw": (_PLAYER_DRAWS,),
        f"{_game}-pstand": (_PLAYER_STANDS,),
        f"{_game}-prules-67": (_PLAYER_STANDS,),
        f"{_game}-b012": (((0, 1, 2), _ALL),),
        f"{_game}-b789": (((7,), _ALL),),
        **{f"{_game}-d{row}": (((row,), _DREW),) for row in range(3, 7)},
        **{f"{_game}-s{row}": (((row,), _DREW),) for row in range(3, 8)},
    }


def judges_of(modules: Iterable[str]) -> tuple[str, ...]:
    """Where the clause is judged that these modules cite, as beginnings of paths."""
    found: list[str] = []
    for module in modules:
        settlement = module.startswith("controller.rules.settlement")
        own = (module.removeprefix("controller.").replace(".", "/"),)
        found += JUDGES.get(module, _PAID if settlement else own)
    return tuple(dict.fromkeys(found))

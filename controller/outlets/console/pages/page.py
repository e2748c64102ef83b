"""Renders the operator page and the patrons' display: whole pages, and the parts that change.

Pure: a snapshot and a viewer in, HTML out; every value is escaped.
Source: D-8, D-32.
"""

import hashlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from controller.outlets.console.pages import values
from controller.outlets.console.pages.forms import action_forms
from controller.outlets.console.pages.labels import label
from controller.outlets.rendering import render
from controller.record.snapshot import Snapshot
from controller.rules.actions.declaration import Role
from controller.rules.profiles.load import load_clauses
from controller.system.messages.catalogue import languages

PACKAGE: Final = "controller.outlets.console"
# In templates it stands for the token of a session: a part is rendered for all sessions of a kind.
# No text of a person or a device can hold it: there it is escaped.
CSRF_PLACE: Final = "<csrf>"


class Viewer(Struct, frozen=True):
    """For whom a page is made.

    `role` is None where nobody has signed on; `accounts`: persons have accounts, so who decides is
    proved; `people` are the names of those who may decide, to choose from. `theme` is empty for
    that of the machine. `base` is the path of the table's pages, with a slash at its end.
    """

    language: str = "en"
    theme: str = ""
    role: Role | None = None
    person: str = ""
    accounts: bool = False
    people: tuple[str, ...] = ()
    base: str = "/"


# The parts of the operator page by the id of their element, in the order of the page.
_PARTS: Final[Mapping[str, Callable[[Snapshot], Mapping[str, Any]]]] = MappingProxyType(
    {
        "notes": lambda snapshot: {"notes": values.notes(snapshot)},
        "irregularity": lambda snapshot: {
            "stopped": values.is_stopped(snapshot),
            "irregularities": values.grouped_irregularities(snapshot),
            "decisions": values.decision_choices(snapshot),
            "provisional": values.provisional_choices(snapshot),
            "clauses_of": _clauses_of,
        },
        "due": lambda _snapshot: {},
        "calls": lambda _snapshot: {},
        "prompts": lambda snapshot: {"prompts": values.prompts(snapshot)},
        "hands": lambda snapshot: {
            "hands": values.shown_hands(snapshot),
            "beside": values.beside_hands(snapshot),
            "coup": values.coup_words(snapshot),
        },
        "duties": lambda snapshot: {
            "groups": values.duties(snapshot),
            "clauses_of": _duty_clauses,
        },
        "shoe": lambda snapshot: {"progress": values.progress(snapshot)},
        "batches": lambda snapshot: {
            "batches": values.batches(snapshot),
            "warning_prompt": values.warning_prompt,
        },
        "devices": lambda snapshot: {"devices": values.devices(snapshot)},
        "coups": lambda snapshot: {"coups": values.last_coups(snapshot)},
        "roads": lambda snapshot: {
            "roads": values.roads(snapshot),
            "meters": values.meters(snapshot),
            "counted": values.counted_marks(snapshot),
        },
    }
)
PARTS: Final = tuple(_PARTS)
PATRON_PARTS: Final = ("patrons",)


def render_parts(snapshot: Snapshot, viewer: Viewer) -> dict[str, str]:
    """The parts of the operator page by the id of their element; CSRF_PLACE stands for a token."""
    return {
        name: render(
            f"{name}.html", PACKAGE, snapshot=snapshot, viewer=viewer, **common(), **make(snapshot)
        )
        for name, make in _PARTS.items()
    }


def render_page(snapshot: Snapshot, viewer: Viewer, csrf: str) -> str:
    """The whole operator page."""
    parts = {
        name: part.replace(CSRF_PLACE, csrf)
        for name, part in render_parts(snapshot, viewer).items()
    }
    stream = f"events?of={sign_on_mark(csrf, viewer.role)}"
    return _page("page.html", snapshot, viewer, csrf, parts=parts, stream=stream)


def sign_on_mark(csrf: str, role: Role | None) -> str:
    """Which sign-on a page was made for, so that its stream is no other's. It is no secret."""
    digest = hashlib.sha256(csrf.encode()).hexdigest()[:16]
    return digest if role is None else f"{digest}-{role.value}"


def render_patrons_part(snapshot: Snapshot) -> str:
    """Results and roads, for patrons: nothing of the coup that is dealt."""
    return render(
        "patrons_part.html",
        PACKAGE,
        snapshot=snapshot,
        roads=values.roads(snapshot, values.PATRON_BOARDS),
        meters=values.meters(snapshot),
        counted=values.counted_marks(snapshot),
        newest=snapshot.coups[-1] if snapshot.coups else None,
        **common(),
    )


def render_patrons(snapshot: Snapshot, viewer: Viewer) -> str:
    """The whole display for patrons."""
    part = render_patrons_part(snapshot)
    stream = f"patrons/events?language={viewer.language}"
    return _page("patrons.html", snapshot, viewer, "", part=part, stream=stream)


def render_actions(snapshot: Snapshot, viewer: Viewer, csrf: str, answer: str = "") -> str:
    """Every action that the viewer may take, each with a form made from its declaration."""
    forms = action_forms(values.actions_for(viewer.role))
    return _page("actions.html", snapshot, viewer, csrf, forms=forms, answer=answer, stream="")


def render_sign_on(snapshot: Snapshot, viewer: Viewer, csrf: str, answer: str = "") -> str:
    """The page on which a person signs on."""
    return _page("sign_on.html", snapshot, viewer, csrf, answer=answer, stream="")


def _page(template: str, snapshot: Snapshot, viewer: Viewer, csrf: str, **further: object) -> str:
    given = {"snapshot": snapshot, "viewer": viewer, "csrf": csrf, "languages": languages().items()}
    return render(template, PACKAGE, **{**given, **common(), **further})


def common() -> dict[str, Any]:
    """What every template may use."""
    return {
        "label": label,
        "may_take": values.may_take,
        "asks_who": values.asks_who,
        "coup_marks": values.coup_marks,
    }


def _clauses_of(citing: Any) -> tuple[values.ShownClause, ...]:
    return values.shown_clauses(citing.clauses, citing.borrowed, load_clauses())


def _duty_clauses(ids: tuple[str, ...]) -> tuple[values.ShownClause, ...]:
    return values.shown_clauses(ids, {}, load_clauses())

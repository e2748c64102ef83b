"""docs/incidents.md shows the incident library and its controls."""

from collections.abc import Iterable
from pathlib import Path

from generated_parts import with_parts

from hil.scenario.benches.removed_controls import REMOVALS
from hil.scenario.language.reading import Scenario, Step, read_scenario
from hil.scenario.language.statements import Expect, Subject

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "incidents.md"
FOLDER = ROOT / "hil" / "scenarios" / "incidents"
LIBRARY = [read_scenario(path) for path in sorted(FOLDER.glob("*.scenario"))]
THEN = {
    Subject.IRREGULARITY: "play is suspended: `{}`",
    Subject.REFUSAL: "its loading is refused (`{}`)",
    Subject.WARNING: "a warning `{}` that a person has to clear before the next card",
    Subject.ADVISORY: "an advisory `{}`",
}


def catches(scenario: Scenario) -> list[tuple[str, Step, Expect]]:
    """Each control of an incident with its catch."""
    found = [(one, one.body) for one in scenario.steps if isinstance(one.body, Expect)]
    caught = [(one, body) for one, body in found if body.caught]
    pairs = zip(scenario.controls, caught, strict=True)
    return [(control, step, body) for control, (step, body) in pairs]


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def incidents() -> str:
    """Each incident: what happened, when it is known, what stops it, and what the table does."""
    rows = []
    for one in LIBRARY:
        link = f"[{one.name}](../hil/scenarios/incidents/{one.name}.scenario)"
        controls = ", ".join(f"`{control}`" for control in one.controls)
        then = "; ".join(
            THEN[body.subject].format(" ".join(body.words)) for _, _, body in catches(one)
        )
        rows.append((link, one.title, one.known, controls, then))
    head = ("incident", "what happened", "first moment", "control", "what the table does then")
    return table(head, rows)


def sources() -> str:
    return table(("incident", "described"), [(one.name, one.source) for one in LIBRARY])


def removals() -> str:
    """Each control: what its removal takes out, and what no longer comes true."""
    at = {
        control: (one.name, f"`{step.text}`")
        for one in LIBRARY
        for control, step, _ in catches(one)
    }
    rows = [
        (f"`{control}`", (remove.__doc__ or "").removesuffix("."), *at[control])
        for control, remove in REMOVALS.items()
    ]
    return table(("control", "without it", "missed", "at"), rows)


def drawn(text: str) -> str:
    """The page with its generated parts."""
    parts = {"incidents": incidents(), "sources": sources(), "removals": removals()}
    return with_parts(text, parts)


def test_the_page_shows_the_library() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert drawn(text) == text, "run: make generate"


def write_generated() -> None:
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

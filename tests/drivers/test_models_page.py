"""drivers/README.md lists every model, from the descriptors."""

from collections.abc import Iterator
from pathlib import Path

from drivers.catalogue import AnyModel, find_model, model_names
from drivers.model import DeviceKind

PAGE = Path(__file__).resolve().parents[2] / "drivers" / "README.md"
ABILITIES = {
    "claims_places": "says which hand a card is for",
    "result_buttons": "result buttons",
    "has_lock": "lock",
    "states_continuity": "shows that a report was lost",
    "proves_identity": "proves its identity",
}


def line_of(model: AnyModel) -> str:
    return f"{model.baud} baud, 8{model.parity}1" if model.baud else "USB"


def abilities_of(model: AnyModel) -> str:
    found = [words for name, words in ABILITIES.items() if getattr(model, name)]
    if model.kind is DeviceKind.SHOE:
        found.insert(0, f"reads: {model.cards}")
    return ", ".join(found) or "-"


def listed() -> Iterator[str]:
    models = [find_model(kind, name) for kind in DeviceKind for name in model_names(kind)]
    yield "| section | model | line | |"
    yield "| --- | --- | --- | --- |"
    for one in models:
        yield f"| `{one.kind}` | `{one.name}`: {one.title} | {line_of(one)} | {abilities_of(one)} |"


def written(text: str) -> str:
    before, rest = text.split("<!-- models -->\n")
    _, after = rest.split("<!-- end of models -->\n")
    lines = "\n".join(listed())
    return f"{before}<!-- models -->\n{lines}\n<!-- end of models -->\n{after}"


def test_the_page_lists_every_model() -> None:
    text = PAGE.read_text("utf-8")
    assert text == written(text), "run: make generate"


def write_generated() -> None:
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")

"""The commented example of a table.toml, with the keys of every device model."""

from collections.abc import Iterator
from importlib.resources import files
from string import Template
from textwrap import wrap

from drivers.catalogue import DEFAULT_MODELS, AnyModel, find_model, model_names
from drivers.model import DeviceKind, SettingField, toml_text

_COMMENT_AT = 34
_LINE_MAX = 100


def example_text() -> str:
    """The example; it is valid. A commented key shows its default."""
    text = (files("controller.service.config") / "example.toml").read_text("utf-8")
    marks: dict[str, str] = {}
    for kind, name in DEFAULT_MODELS.items():
        model = find_model(kind, name)
        marks |= {f"{kind}_model": toml_text(name), f"{kind}_baud": str(model.baud)}
        marks[f"{kind}_settings"] = "\n".join(_settings(kind))
    return Template(text).substitute(marks)


def _settings(kind: DeviceKind) -> Iterator[str]:
    """The keys of each model; those of the default model may stand as they are."""
    default = DEFAULT_MODELS[kind]
    for model in sorted(_models(kind), key=lambda one: one.name != default):
        if model.setting_fields:
            yield f"# Keys of {toml_text(model.name)}, {model.title}:"
        added = "" if kind is DeviceKind.SHOE else "  "
        indent = added if model.name == default else "    "
        for one in model.setting_fields:
            yield from _setting(one, indent)


def _models(kind: DeviceKind) -> Iterator[AnyModel]:
    return (find_model(kind, name) for name in model_names(kind))


def _setting(field: SettingField, indent: str) -> Iterator[str]:
    shown = f"# {indent}{field.name} = {toml_text(field.default)}"
    comment = f"{field.description} ({field.allowed})"
    first, *more = wrap(comment, _LINE_MAX - _COMMENT_AT - 2, break_on_hyphens=False)
    yield f"{shown:<{_COMMENT_AT}}# {first}"
    for line in more:
        yield f"{'':<{_COMMENT_AT}}# {line}"

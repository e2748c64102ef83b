"""Finds models of other distributions, in the entry-point group smartshoe.drivers.

Only the distribution whose model is named is loaded; for a list of names nothing is.
"""

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from drivers.model import BadDeviceSettings, DeviceModel

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP: Final = "smartshoe.drivers"


def plug_in_names() -> tuple[str, ...]:
    """The names under which installed distributions offer models."""
    return tuple(sorted({one.name for one in _entry_points()}))


@cache
def load_model(name: str) -> DeviceModel[Any] | None:
    """The model that a distribution offers under that name; None where none does.

    Raises BadDeviceSettings if two offer it, or what is offered is no model of that name.
    """
    found = tuple(one for one in _entry_points() if one.name == name)
    if not found:
        return None
    offered = ", ".join(map(_distribution, found))
    if len(found) > 1:
        raise BadDeviceSettings(
            f"{name!r} is offered by {offered}. Allowed: one of them. Remedy: remove the others"
        )
    try:
        model = found[0].load()
    except (ImportError, AttributeError) as error:
        raise BadDeviceSettings(
            f"{name!r} of {offered} cannot be loaded: {error}. Remedy: install a version for this"
            " version of the program"
        ) from error
    if not isinstance(model, DeviceModel) or model.name != name:
        raise BadDeviceSettings(
            f"{name!r} of {offered} is no DeviceModel of that name. Remedy: tell its maker"
        )
    return replace(model, plug_in=offered)


def _entry_points() -> "EntryPoints":
    # Most tables have models of the program alone, and this import takes as long as all drivers.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return entry_points(group=GROUP)


def _distribution(one: "EntryPoint") -> str:
    """The distribution and its version, as one asks for it when installing."""
    return "unknown" if one.dist is None else f"{one.dist.name}=={one.dist.version}"

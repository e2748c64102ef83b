"""What a trial beside an existing system does not allow: everything that would write to a device.

Source: controller/config/README.md, "A trial"; docs/installation.md.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from controller.config.device_sections import DeviceSection, ShoeSection, ShufflerSection
from controller.config.sections import Section, TableSection
from drivers.catalogue import find_model

_NO_TRIAL: Final = "Remedy: remove it, or set trial = false in [table]"


def is_trial(sections: Mapping[str, Section]) -> bool:
    """Whether nothing may be written to a device."""
    table = sections.get("table")
    return isinstance(table, TableSection) and table.trial


def trial_problems(
    sections: Mapping[str, Section], repeated: Mapping[str, tuple[Section, ...]]
) -> Iterator[str]:
    """Problems of a trial: devices that do not work unheard, commands, and lines that switch."""
    if not is_trial(sections):
        return
    for name in ("shoe", "shuffler"):
        section = sections.get(name)
        if isinstance(section, ShoeSection | ShufflerSection):
            yield from _device_problems(name, section)
            if section.allow_commands:
                yield f"{name}.allow_commands: a trial sends no command. {_NO_TRIAL}"
    for name, devices in repeated.items():
        for number, device in enumerate(devices, start=1):
            if isinstance(device, DeviceSection):
                yield from _device_problems(f"{name}[{number}]", device)
    if "outputs" in sections:
        yield f"outputs: a trial switches no lamp and no lock. {_NO_TRIAL}"


def _device_problems(place: str, section: DeviceSection) -> Iterator[str]:
    if not find_model(section.kind, section.model).listens:
        yield (
            f"{place}.model: {section.model} says nothing unless it is polled or acknowledged, and"
            f" a trial writes nothing. Allowed in a trial: devices that are only listened to."
            f" {_NO_TRIAL}"
        )
    if section.port.lower().startswith("rfc2217:"):
        yield (
            f"{place}.port: {section.port} would set the line of the serial server. Allowed in a"
            " trial: a port of this machine, or socket://. Remedy: write socket://, with the line"
            " set at the server"
        )

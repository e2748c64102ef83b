"""Lines of the machine in table.toml (power, stack light, exit lock), and what a trial forbids.

Not: the lines of a device's contacts, which are its port (device_sections).

A trial beside an existing system writes nothing to a device and switches nothing.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, model_validator

from controller.record.signals import Light
from controller.service.config.device_sections import DeviceSection, ShoeSection, ShufflerSection
from controller.service.config.sections import Line, Section, TableSection
from controller.service.config.table_config import MachineLines, OutputSettings, PowerSettings
from drivers.catalogue import find_model
from firmware_bridge.gpio.line import parse_gpio_line
from firmware_bridge.transport.port_url import GpioUrl, parse_port_url

Level = Literal["low", "high"]


def _line(text: str) -> str:
    parse_gpio_line(text)
    return text


LineName = Annotated[Line, AfterValidator(_line)]


class PowerSection(Section):
    gpio: LineName
    active: Level = "low"

    def settings(self) -> PowerSettings:
        return PowerSettings(parse_gpio_line(self.gpio), self.active == "low")


class OutputsSection(Section):
    green: LineName | None = None
    amber: LineName | None = None
    red: LineName | None = None
    exit_lock: LineName | None = None
    exit_lock_closed: Level = "low"

    @model_validator(mode="after")
    def _check_lines(self) -> Self:
        if not self.settings().lines:
            raise ValueError(
                "it names no line. Allowed: one or more of green, amber, red, exit_lock. Remedy:"
                ' write exit_lock = "gpiochip0:19", or remove the section'
            )
        return self

    def settings(self) -> OutputSettings:
        names = {Light.GREEN: self.green, Light.AMBER: self.amber, Light.RED: self.red}
        lamps = {light: parse_gpio_line(name) for light, name in names.items() if name is not None}
        lock = None if self.exit_lock is None else parse_gpio_line(self.exit_lock)
        return OutputSettings(MappingProxyType(lamps), lock, self.exit_lock_closed == "high")


def machine_lines(sections: Mapping[str, Section]) -> MachineLines:
    """What [power] and [outputs] say, where they are."""
    power, outputs = sections.get("power"), sections.get("outputs")
    return MachineLines(
        power.settings() if isinstance(power, PowerSection) else None,
        outputs.settings() if isinstance(outputs, OutputsSection) else None,
    )


def line_problems(sections: Mapping[str, Section]) -> Iterator[str]:
    """A problem for each line that two keys name."""
    power, outputs, shuffler = map(sections.get, ("power", "outputs", "shuffler"))
    named: list[tuple[str, str]] = []
    if isinstance(shuffler, ShufflerSection):
        match parse_port_url(shuffler.port):
            case GpioUrl(lines):
                named.extend(("shuffler.port", line.name) for line in lines)
    if isinstance(power, PowerSection):
        named.append(("power.gpio", power.gpio))
    if isinstance(outputs, OutputsSection):
        outgoing = outputs.model_dump(exclude={"exit_lock_closed"}, exclude_none=True)
        named.extend((f"outputs.{key}", line) for key, line in outgoing.items())
    for number, (key, line) in enumerate(named):
        for other, same in named[:number]:
            if line == same:
                yield (
                    f"{key}: {line} is the line of {other}. Allowed: a line of its own for each."
                    " Remedy: correct one of them"
                )


# --- a trial -----------------------------------------------------------------------------------

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

"""[table] trial: what a trial beside an existing system does not allow."""

from pathlib import Path

import pytest

from controller.service.config.load import ConfigError, load_config
from drivers.catalogue import find_model, model_names
from drivers.model import DeviceKind

TRIAL = '[table]\nname = "M7"\ntrial = true\n'
SHOE = '[shoe]\nport = "/dev/ttyUSB0"\n'


def test_a_shoe_that_is_only_listened_to_may_be_tried(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TRIAL + SHOE)

    assert load_config(file).trial


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (SHOE + "allow_commands = true\n", "shoe.allow_commands: a trial sends no command"),
        (SHOE + 'model = "feig-rfid"\n', "shoe.model: feig-rfid says nothing unless it is polled"),
        (SHOE + 'model = "tablelink"\nbare = true\n', "shoe.model: tablelink says nothing unless"),
        (SHOE + '[outputs]\nred = "gpiochip0:1"\n', "outputs: a trial switches no lamp"),
        (
            SHOE + '[[scanner]]\nport = "/dev/ttyUSB1"\nmodel = "zebra-ssi"\n',
            r"scanner\[1\].model: zebra-ssi says nothing unless",
        ),
        ('[shoe]\nport = "rfc2217://127.0.0.1:1"\n', "shoe.port: .* would set the line"),
    ],
)
def test_what_would_write_to_a_device_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TRIAL + text)

    with pytest.raises(ConfigError, match=problem):
        load_config(file)


def test_only_devices_that_need_no_answer_are_listened_to() -> None:
    listening = {
        (kind, name)
        for kind in DeviceKind
        for name in model_names(kind)
        if find_model(kind, name).listens
    }

    assert listening == {
        (DeviceKind.SHOE, "angel-eye-ii-ex"),
        (DeviceKind.SHUFFLER, "contacts"),
    }

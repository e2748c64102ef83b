"""The core states messages, not sentences: the rooms that still hold some only become fewer."""

from pathlib import Path

import pytest
from message_calls import ROOT, sentences

# Whatever is stored or leaves the core is made here.
ROOMS = (
    "controller/rules/actions",
    "controller/core",
    "controller/custody",
    "controller/procedure",
    "controller/rules/settlement",
    "drivers",
    "firmware_bridge",
)
# Modules and rooms that still state sentences; none is added.
LEFT = (
    # What a person wrote in a script is refused in words, and never stored.
    "controller/core/script",
    # What is wrong with a pile of cards is said to the person who enrols it, and never stored.
    "controller/custody/chip_layout.py",
    "controller/custody/enrolment",
    # The remedy for a receipt that is not JSON, an error of files (controller.system).
    "controller/custody/receipt.py",
    # The lines of a technician's monitor, printed and never stored: names of the wire's parts.
    "drivers/monitor.py",
    "drivers/scanners/hid_pos_model.py",
    "drivers/scanners/ssi_model.py",
    "drivers/tablelink/monitor.py",
    "firmware_bridge/angel_eye/masking.py",
    "firmware_bridge/feig/masking.py",
    "firmware_bridge/tablelink/masking.py",
    # Errors of settings, and the names that makers and standards give to devices and chips.
    "drivers/catalogue.py",
    "drivers/model.py",
    # What each key of table.toml is, for the example and the documentation.
    "drivers/readers/feig_model.py",
    "drivers/shoes/angel_eye_model.py",
    "drivers/shoes/rfid_model.py",
    "drivers/shoes/tablelink_model.py",
    "drivers/shufflers/contacts_model.py",
    "drivers/shufflers/tablelink_model.py",
    "drivers/readers/feig_reader.py",
    # Errors of what a person configured, and the names of threads.
    "firmware_bridge/transport/allow_list.py",
    "firmware_bridge/transport/usb_sysfs.py",
    "firmware_bridge/transport/port_url.py",
    "firmware_bridge/transport/pump.py",
)


def modules() -> list[str]:
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def is_left(module: str) -> bool:
    return any(module == one or module.startswith(f"{one}/") for one in LEFT)


def found_in(module: str) -> list[str]:
    return list(sentences(Path(ROOT, module).read_text("utf-8")))


def test_a_module_states_messages_alone() -> None:
    found = {one: found_in(one) for one in modules() if not is_left(one)}
    assert len(modules()) > 100
    assert {one: texts for one, texts in found.items() if texts} == {}


@pytest.mark.parametrize("room", LEFT)
def test_what_is_left_still_states_sentences(room: str) -> None:
    assert any(found_in(one) for one in modules() if one == room or one.startswith(f"{room}/"))


@pytest.mark.parametrize("source", ["x = 'the shoe is over'", "x = f'{n} cards'"])
def test_a_sentence_is_found(source: str) -> None:
    assert list(sentences(source))


def test_docstrings_and_errors_of_programmers_are_no_sentences_of_the_table() -> None:
    source = '"""A shoe."""\nassert x, "no shoe is open"\nraise ValueError(f"not {x} cards")\n'
    assert list(sentences(source)) == []

"""The catalogue: models and settings that exist, and a sentence for those that do not."""

import pytest

from drivers.catalogue import (
    ANGEL_EYE_II_EX,
    BCC_READINGS,
    SCANNER_MODELS,
    SEQ_CYCLES,
    SHOE_MODELS,
    BadScannerSettings,
    BadShoeSettings,
    ShoeSettings,
    build_scanner,
    build_shoe,
)


@pytest.mark.parametrize("model", SHOE_MODELS)
@pytest.mark.parametrize("seq_cycle", SEQ_CYCLES)
@pytest.mark.parametrize("bcc_reading", BCC_READINGS)
def test_every_model_with_every_setting_is_built(
    model: str, seq_cycle: str, bcc_reading: str
) -> None:
    shoe = build_shoe(model, ShoeSettings(seq_cycle=seq_cycle, bcc_reading=bcc_reading))

    assert shoe.settings.link.seq_cycle == seq_cycle
    assert shoe.settings.link.bcc_reading == bcc_reading


def test_read_only_is_the_default() -> None:
    assert not build_shoe(ANGEL_EYE_II_EX, ShoeSettings()).settings.allow_commands


def test_milliseconds_become_nanoseconds() -> None:
    shoe = build_shoe(ANGEL_EYE_II_EX, ShoeSettings(report_interval_ms_min=40))

    assert shoe.settings.link.report_interval_ns_min == 40_000_000


@pytest.mark.parametrize(
    ("model", "settings", "key"),
    [
        ("angel-eye", ShoeSettings(), "model"),
        (ANGEL_EYE_II_EX, ShoeSettings(seq_cycle="0-F"), "seq_cycle"),
        (ANGEL_EYE_II_EX, ShoeSettings(bcc_reading="both"), "bcc_reading"),
        (ANGEL_EYE_II_EX, ShoeSettings(report_interval_ms_min=0), "report_interval_ms_min"),
    ],
)
def test_what_does_not_exist_is_named(model: str, settings: ShoeSettings, key: str) -> None:
    with pytest.raises(BadShoeSettings, match=f"^{key} "):
        build_shoe(model, settings)


@pytest.mark.parametrize("model", SCANNER_MODELS)
def test_every_scanner_model_is_built(model: str) -> None:
    assert build_scanner(model) is not None
    assert SCANNER_MODELS[model].name == model


def test_a_scanner_model_that_does_not_exist_is_named() -> None:
    with pytest.raises(BadScannerSettings, match="is not one of: hid-pos, "):
        build_scanner("keyboard")

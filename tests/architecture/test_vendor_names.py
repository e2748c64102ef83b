"""Nothing above the drivers names a vendor, a model, or a setting that only one model has."""

import re
from pathlib import Path

from drivers.catalogue import find_model, model_names
from drivers.model import DeviceKind

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = (
    "controller/core/stored_settings.py",  # frozen: what versions up to 0.7 stored
    "controller/system/messages/",  # one catalogue has the words of all that drivers say
    "controller/cli/declared_",  # examples of commands, with what they print
    "controller/version.py",  # the files that are this program, by their paths
)
# TableLink is a protocol, not a vendor; the models that speak it are names in quotes.
MAKERS = ("angel", "feig", "obid", "zebra", "honeywell", "hid.?pos", "ssi")


def names() -> re.Pattern[str]:
    models = [find_model(kind, name) for kind in DeviceKind for name in model_names(kind)]
    settings = {field.name for model in models for field in model.setting_fields}
    quoted = (f'"{one.name}"' for one in models)
    words = (*MAKERS, *quoted, *(one for one in settings if "_" in one))
    return re.compile(rf"(?i)(?<![a-z])({'|'.join(sorted(words))})(?![a-z])")


def named_in(text: str) -> list[str]:
    return sorted({found.lower() for found in names().findall(text)})


def test_nothing_above_the_drivers_names_a_vendor() -> None:
    files = [*ROOT.glob("controller/**/*.py"), *ROOT.glob("controller/**/*.toml")]
    found = {
        path: named
        for path in (one.relative_to(ROOT).as_posix() for one in files)
        if not path.startswith(ALLOWED) and (named := named_in((ROOT / path).read_text("utf-8")))
    }
    assert len(files) > 300
    assert found == {}


def test_a_name_is_found() -> None:
    assert named_in("shoe.seq_cycle of an Angel Eye") == ["angel", "seq_cycle"]
    assert named_in('model = "tablelink"') == ['"tablelink"']
    assert named_in("a session of the angelic assistant") == []

"""The papers of a Debian package: who may copy what is inside, and the bill of materials.

Source: CycloneDX 1.6; Debian policy 12.5.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, Final

HEADER: Final = """\
smartshoe, the open controller of a baccarat table's smart dealing shoe.
Copyright: the smartshoe authors. Licence: Apache-2.0; on Debian in
/usr/share/common-licenses/Apache-2.0.
"""
INSIDE: Final = """
The package holds these distributions of others, unchanged, below
/usr/lib/{name}. Each has its own licence, whose text follows its name.
"""
NOTHING_INSIDE: Final = """
The package holds no distribution of others: the libraries that it needs are
in the package smartshoe.
"""
_STATED: Final = ("type", "name", "version", "purl", "licenses", "hashes", "description")
# The text of a licence that a wheel leaves out, as its source archive has it.
TEXTS: Final = Path(__file__).resolve().parent / "licences"
_LICENCE_FILE: Final = re.compile(r"^(licen[cs]e|copying|notice|authors)", re.IGNORECASE)


def write_papers(
    folder: Path, name: str, site: Path, project: Path, wheels: Iterable[Path]
) -> None:
    """Write `copyright` and the bill of materials of the package `name` into the folder.

    `site` has what is packed, `project` the pyproject.toml of the package's own distribution.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "copyright").write_text("".join(_copyright(site, name)), encoding="utf-8")
    bill = _bill(site, project)
    _add_hashes(bill, {_distribution(one): one for one in wheels})
    _add_compiled_in(bill, site)
    text = json.dumps(bill, indent=1, sort_keys=True, ensure_ascii=False)
    (folder / f"{name}.cdx.json").write_text(f"{text}\n", encoding="utf-8")


def _copyright(site: Path, name: str) -> Iterator[str]:
    found = sorted(site.glob("*.dist-info"))
    yield HEADER
    yield INSIDE.format(name=name) if len(found) > 1 else NOTHING_INSIDE
    for info in found:
        facts = HeaderParser().parsestr((info / "METADATA").read_text(encoding="utf-8"))
        if facts["Name"] == name:
            continue
        yield f"\n{'=' * 78}\n{facts['Name']} {facts['Version']}\nLicence: {licence(facts)}\n"
        texts = sorted(one for one in info.rglob("*") if one.is_file() and _is_licence(info, one))
        if not texts:
            texts = [TEXTS / f"{_normal(facts['Name'])}.txt"]
        for text in texts:
            yield f"\n--- {text.name}\n{text.read_text(encoding='utf-8').rstrip()}\n"


def _is_licence(info: Path, file: Path) -> bool:
    """Whatever its wheel has among licences (PEP 639), or by a usual name."""
    return file.relative_to(info).parts[0] == "licenses" or bool(_LICENCE_FILE.match(file.name))


def licence(facts: Message) -> str:
    """The licence that a distribution states: its expression, its words, or its classifiers."""
    classified = [
        one.rpartition(" :: ")[2]
        for one in facts.get_all("Classifier", [])
        if one.startswith("License ::")
    ]
    words = (facts["License"] or "").strip().partition("\n")[0].strip("-=* ")
    return facts["License-Expression"] or words or ", ".join(classified) or "not stated"


def _bill(site: Path, project: Path) -> Any:
    """What cyclonedx-py finds in the environment, without anything of this machine."""
    with tempfile.TemporaryDirectory(prefix="smartshoe-bill-") as name:
        words = [str(Path(sys.executable).with_name("cyclonedx-py")), "environment"]
        words += ["--output-reproducible", "--pyproject", str(project / "pyproject.toml")]
        words.append(str(_environment_of(site, Path(name))))
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(words, env=environment, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stderr.decode(errors='replace')}\ndeb: cyclonedx-py failed")
    bill = json.loads(done.stdout)
    # A package without libraries says so.
    bill.setdefault("components", [])
    return bill


def _environment_of(site: Path, folder: Path) -> Path:
    """A Python of this machine that has the packed libraries: the target's may not be here."""
    own = Path(sys.executable).resolve()
    libraries = folder / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}"
    libraries.mkdir(parents=True)
    (libraries / "site-packages").symlink_to(site)
    (folder / "pyvenv.cfg").write_text(
        f"home = {own.parent}\ninclude-system-site-packages = false\n"
    )
    python = folder / "bin/python"
    python.parent.mkdir()
    python.symlink_to(own)
    return python


def _add_hashes(bill: Any, wheels: dict[tuple[str, str], Path]) -> None:
    """The SHA-256 of the wheel that each component was unpacked from."""
    for component in (bill["metadata"]["component"], *bill["components"]):
        wheel = wheels.get((_normal(component["name"]), component["version"]))
        if wheel is None:
            sys.exit(f"deb: {component['name']} {component['version']} is of no wheel of the lock")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        component["hashes"] = [{"alg": "SHA-256", "content": digest}]


def _add_compiled_in(bill: Any, site: Path) -> None:
    """What is compiled into a wheel and has no file of its own, by the wheel's bill (PEP 770)."""
    for component in bill["components"]:
        name = _normal(component["name"]).replace("-", "_")
        inside = []
        for file in sorted(site.glob(f"{name}-*.dist-info/sboms/*.json")):
            stated = json.loads(file.read_text(encoding="utf-8"))
            for part in stated.get("components", []):
                kept = {key: part[key] for key in _STATED if key in part}
                inside.append(
                    {**kept, "bom-ref": f"{component['bom-ref']}/{part['name']}/{len(inside)}"}
                )
        if inside:
            component["components"] = inside


def _distribution(wheel: Path) -> tuple[str, str]:
    name, version = wheel.name.split("-")[:2]
    return _normal(name), version


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

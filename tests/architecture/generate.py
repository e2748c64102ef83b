"""Writes all that is generated and committed: `make generate`, in one process.

The register of clauses needs a whole run of the tests (`make register`), and pictures a browser
(`make pictures`).
"""

import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
# Each has `write_generated`. The catalogues come first: pages show their words.
WRITERS: Final = (
    "tests/controller/system/messages/compile_catalogues.py",
    "tests/architecture/test_floors.py",
    "tests/architecture/test_incidents_page.py",
    "tests/architecture/test_metrics_page.py",
    "tests/architecture/test_module_map.py",
    "tests/architecture/test_record_format_page.py",
    "tests/architecture/test_state_table_page.py",
    "tests/office/analytics/test_page.py",
    "tests/controller/outlets/console/test_api.py",
    "tests/controller/outlets/feed/test_asyncapi.py",
    "tests/controller/core/script/test_clause_scripts.py",
    "tests/controller/record/test_snapshot_schema.py",
    "tests/deploy/grafana_dashboards.py",
    "tests/docs/proof_page.py",
    "tests/docs/test_floorperson_card.py",
    "tests/drivers/test_models_page.py",
    "tests/hil/scenario/rigs/test_left_out.py",
)


def module_at(place: str) -> ModuleType:
    """The module in this file of the tests."""
    spec = spec_from_file_location(Path(place).stem, ROOT / place)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Write all of it, and say which part it is at."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
    sys.path[:0] = [str(ROOT / one) for one in options["ini_options"]["pythonpath"]]
    for place in WRITERS:
        print(place, flush=True)
        module_at(place).write_generated()


if __name__ == "__main__":
    main()

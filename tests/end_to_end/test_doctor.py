"""`smartshoe doctor` at a table that runs, and in the middle of a shoe.

Source: controller/install/README.md, "Doctor"; deploy/debian/README.md, "Tables and a new version".
"""

import json
from collections.abc import Callable
from pathlib import Path

from controller.cli.errors import ExitCode
from controller.cli.main import main
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.serve import TcpServer
from hil.rig.program import Program
from hil.rig.shoe_runner import ShoeRunner


def test_a_running_table_is_asked_and_an_open_shoe_is_said(
    fast_dir: Path, program_on: Callable[..., Program], capsys
) -> None:
    with TcpServer(AngelEye()) as server:
        with program_on(fast_dir, server.url) as program:
            program.start()
            assert main(["doctor", "--between-shoes", str(program.config)]) == ExitCode.DONE
            ShoeRunner(Dealer(DealerSettings(seed=3)), server, coups_max=2).run()
            next(one for one in program.client.subscribe(20) if one.last_coup is not None)
            capsys.readouterr()
            main(["doctor", str(program.config), "--json"])
            found = json.loads(capsys.readouterr().out)["findings"][str(program.config)]
            program.stop()
        words = {f"{one['area']}: {one['grade']}" for one in found}
        assert {"table: good", "devices: good", "journal: good"} <= words
        assert main(["doctor", "--between-shoes", str(program.config)]) == ExitCode.NO
        assert capsys.readouterr().out == "a shoe is open at BENCH-1\n"

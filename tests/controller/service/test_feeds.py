"""The feed and its library are loaded only where a table has a feed."""

import subprocess
import sys

PROGRAM = """
import sys
import controller.service.table_program
print([name for name in sys.modules if name.startswith(("paho", "controller.outlets.feed"))])
"""


def test_a_table_without_a_feed_loads_no_mqtt_library() -> None:
    words = (sys.executable, "-P", "-c", PROGRAM)
    run = subprocess.run(words, capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"

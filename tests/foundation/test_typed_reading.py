"""A type that one thread looks at for the first time is read by no other one meanwhile.

The program runs in a process of its own: without the lock it ends with a segmentation fault.
"""

import subprocess
import sys

import msgspec
import pytest

from foundation.typed_reading import convert

# The annotation of Inner is worked out by Python code, as every annotation is: there the first
# thread stands when the second one asks for the same type.
TWO_THREADS = """\
import threading
import msgspec
from foundation.typed_reading import binary_decoder, convert, json_decoder

looking, asked = threading.Event(), threading.Event()

def text_kind():
    looking.set()
    asked.wait(0.5)
    return str

class Inner(msgspec.Struct):
    name: "text_kind()"

class Outer(msgspec.Struct):
    inner: Inner

READ = {read}
first = threading.Thread(target=lambda: binary_decoder(Outer))
first.start()
looking.wait()
read = READ()
asked.set()
first.join()
print(read)
"""
READERS = {
    "MessagePack": "lambda: binary_decoder(Outer).decode(b'\\x81\\xa5inner\\x81\\xa4name\\xa1x')",
    "JSON": """lambda: json_decoder(Outer).decode(b'{"inner": {"name": "x"}}')""",
    "plain values": """lambda: convert({"inner": {"name": "x"}}, Outer)""",
}


@pytest.mark.parametrize("form", READERS)
def test_two_threads_ask_for_one_type_at_once(form: str) -> None:
    program = TWO_THREADS.replace("{read}", READERS[form])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, "Outer(inner=Inner(name='x'))\n"), done.stderr


def test_a_hook_that_converts_reads_on() -> None:
    def parse(_kind: type, value: object) -> complex:
        return complex(convert(value, int))

    class Angle(msgspec.Struct):
        turn: complex

    assert convert({"turn": 3}, Angle, dec_hook=parse) == Angle(3 + 0j)
    with pytest.raises(msgspec.ValidationError):
        convert({"turn": "x"}, Angle, dec_hook=parse)

"""The firmware's frames and CBOR against the golden bytes of TableLink."""

import struct
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hil.reference_firmware.build import Build, FirmwareRole, build_firmware

pytestmark = pytest.mark.needs("gcc")

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "tablelink.toml").read_text(encoding="utf-8")
)
Ask = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def codec() -> Iterator[Ask]:
    """One line to the firmware's codec, and the lines it answers."""
    program = build_firmware(Build.HOST, FirmwareRole.SHUFFLER, 40).folder / "codec"
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:

        def ask(line: str) -> list[str]:
            assert running.stdin is not None
            assert running.stdout is not None
            running.stdin.write(line + "\n")
            running.stdin.flush()
            return [output.strip() for output in iter(running.stdout.readline, ".\n") if output]

        yield ask
        assert running.stdin is not None
        running.stdin.close()
    assert running.returncode == 0


def header(vector: dict[str, Any]) -> str:
    fields = ("flags", "channel", "type", "ctr", "seq", "ack")
    return " ".join(str(vector[field]) for field in fields)


def named(vectors: Any) -> Any:
    return pytest.mark.parametrize("vector", vectors, ids=lambda vector: vector["name"])


@pytest.mark.parametrize("vector", VECTORS["crc"], ids=lambda vector: vector["text"] or "nothing")
def test_the_checksum_is_crc_32c(codec: Ask, vector: dict[str, Any]) -> None:
    assert codec(f"crc {vector['text'].encode().hex()}") == [vector["value"]]


@named(VECTORS["frame"])
def test_a_frame_is_decoded(codec: Ask, vector: dict[str, Any]) -> None:
    assert codec(f"stream {vector['wire']}") == [
        f"frame {header(vector)} {vector['payload']}".strip()
    ]


@named(VECTORS["frame"])
def test_a_frame_is_encoded(codec: Ask, vector: dict[str, Any]) -> None:
    assert codec(f"frame {header(vector)} {vector['payload']}") == [vector["wire"]]


@named(VECTORS["bound"])
def test_a_payload_at_the_bounds_is_accepted(codec: Ask, vector: dict[str, Any]) -> None:
    (output,) = codec(f"stream {vector['wire']}")

    assert output.split(" ")[0] == "frame"
    assert output.endswith(vector["payload"])


@named(VECTORS["refused"])
def test_malformed_frames_and_payloads_are_refused(codec: Ask, vector: dict[str, Any]) -> None:
    (output,) = codec(f"stream {vector['wire']}")

    assert output.split(" ")[0] == {"frame": "bad", "payload": "payload"}[vector["level"]]


@named(VECTORS["stream"])
def test_frames_are_found_among_other_bytes(codec: Ask, vector: dict[str, Any]) -> None:
    output = codec(f"stream {vector['wire']}")
    wanted = [printed(bytes.fromhex(raw)) for raw in vector["frames"]]

    assert [line for line in output if line.startswith("frame")] == wanted
    assert len([line for line in output if line.startswith("bad")]) == vector["troubles"]


def printed(raw: bytes) -> str:
    _, *head = struct.unpack("<4B3I", raw[:16])
    flags, channel, kind, ctr, seq, ack = head
    return f"frame {flags} {channel} {kind} {ctr} {seq} {ack} {raw[16:-4].hex()}".strip()

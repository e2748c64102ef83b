"""The dealing shoes of the bench, and how they are served."""

from pathlib import Path

import pytest

from hil.demo.plan import usual_mistakes
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import RfidShoe
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.rig.shoe_models import NEEDS_KEYS, ShoeKind, line_settings, rfid_line, serve, url_of


@pytest.mark.parametrize(
    ("kind", "baud", "bits"), [(ShoeKind.ANGEL_EYE, 4800, 10), (ShoeKind.RFID, 38400, 11)]
)
def test_each_has_its_own_line(kind: ShoeKind, baud: int, bits: int) -> None:
    settings = line_settings(kind, speed=1)

    assert (settings.baud, settings.bits_per_byte, settings.speed) == (baud, bits, 1)


def test_a_shoe_is_served_on_a_pty_or_tcp(fast_dir: Path) -> None:
    settings = line_settings(ShoeKind.RFID, speed=0)
    with serve(RfidShoe(), settings, link=fast_dir / "shoe") as pty:
        assert isinstance(pty, PtyServer)
        assert url_of(pty) == str(fast_dir / "shoe")
    with serve(RfidShoe(), settings, link=fast_dir / "shoe", tcp=0) as tcp:
        assert isinstance(tcp, TcpServer)
        assert url_of(tcp) == f"socket://127.0.0.1:{tcp.port}"


def test_the_kind_of_shoe_behind_a_line_is_known() -> None:
    angel_eye = line_settings(ShoeKind.ANGEL_EYE, speed=0)
    with serve(AngelEye(), angel_eye) as keys, serve(RfidShoe(), angel_eye) as tags:
        assert (rfid_line(keys), rfid_line(tags)) == (None, tags)


def test_no_default_mistake_needs_keys_at_a_shoe_without_keys() -> None:
    planned = usual_mistakes(6, ShoeKind.RFID)

    assert not {one.mistake for one in planned} & set(NEEDS_KEYS)
    assert len(planned) == len(usual_mistakes(6))

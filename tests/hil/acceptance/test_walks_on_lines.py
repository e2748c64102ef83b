"""Acceptances of emulated devices on real lines that are as their documents say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from acceptance_hands import Act, Hands, order_of, order_with, outcomes, run, shoe_acts, step

from drivers.model import Installation, ReaderSeat
from hil.acceptance.report.results import StepOutcome
from hil.acceptance.report.verify import verify_report
from hil.dealing.tags import usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.rfid_shoe import ExitFault, RfidShoe
from hil.emulator.feig.table_reader import TableReader
from hil.emulator.lines.serve import PtyServer, TcpServer
from hil.emulator.tablelink.shuffler import Shuffler

PRINTED = {"card-1-printed": "7d", "card-2-printed": "10s", "label-firmware": "1.23"}


def test_an_angel_eye_on_a_pty_that_is_as_its_document_says(fast_dir: Path) -> None:
    with PtyServer(AngelEye(), link=fast_dir / "shoe") as server:
        acts = {**shoe_acts(server), "unplug": server.unplug, "replug": server.replug}
        allowed = Installation(allow_commands=True)
        order = order_of("angel-eye-ii-ex", server.path, installed=allowed)

        ended = run(order, Hands(acts, PRINTED), fast_dir)

    assert {name: one for name, one in outcomes(ended).items() if one != StepOutcome.PASS} == {}
    assert ended.accepted
    assert ended.document["verdict"].startswith("ACCEPTED: all ")
    assert ended.document["device"]["label"] == {"firmware": "1.23"}
    assert step(ended, "card-1")["figures"]["printed"] == "7d"
    assert step(ended, "port")["figures"]["refuses_a_second_program"] is True
    assert step(ended, "times")["figures"]["copies"] == [3]
    assert verify_report(fast_dir / "report.json", None).events == len(ended.document["events"])
    text = (fast_dir / "report.txt").read_text(encoding="utf-8")
    assert text.startswith(ended.document["verdict"])


def test_commands_are_not_sent_unless_they_are_allowed(fast_dir: Path) -> None:
    with TcpServer(AngelEye()) as server:
        order = order_of("angel-eye-ii-ex", server.url)

        ended = run(order, Hands(shoe_acts(server)), fast_dir)
        locked = server.emulator.locked

    assert outcomes(ended)["lock"] == outcomes(ended)["unlock"] == StepOutcome.NOT_DONE
    assert "--allow-commands" in step(ended, "lock")["reason"]
    assert not locked
    assert not ended.accepted
    assert "not done (" in ended.document["verdict"]
    assert "lock" in ended.document["verdict"]


def test_an_rfid_shoe_over_tcp(fast_dir: Path) -> None:
    batch = usual_batches()[0]
    with TcpServer(RfidShoe()) as server:

        def draw(*faults: ExitFault) -> Act:
            def deal(one: RfidShoe) -> tuple[()]:
                for fault in faults:
                    one.order(fault)
                one.draw(cards.pop())
                return ()

            def act() -> None:
                server.perform(deal)

            return act

        cards = [one.card for one in batch.cards if one.card is not None]
        server.perform(lambda one: one.load(batch, cards))
        acts = {
            "card-1": draw(),
            "card-2": draw(),
            "cut-card": lambda: server.perform(lambda one: one.draw_cut_card()),
            "no-tag": draw(ExitFault.NO_TAG),
        }
        order = order_of("feig-rfid", server.url)
        order = order_with(order, gate_input=1)

        ended = run(order, Hands(acts), fast_dir)

    found = outcomes(ended)
    assert [found[name] for name in acts] == [StepOutcome.PASS] * len(acts), ended.document["steps"]
    assert step(ended, "understood")["differences"] == []
    assert found["replay"] == StepOutcome.PASS
    assert found["slow-card"] == StepOutcome.NOT_DONE
    verify_report(fast_dir / "report.json", None)


def test_a_reader_under_the_layout_over_tcp(fast_dir: Path) -> None:
    pieces = usual_batches()[0].cards
    with TcpServer(TableReader()) as server:
        acts = {
            "player": lambda: server.perform(lambda one: one.lay(pieces[:1], 1)),
            "banker": lambda: server.perform(lambda one: one.lay(pieces[1:2], 2)),
            "taken-away": lambda: None,
        }
        order = order_of("feig-reader", server.url, installed=Installation(seat=ReaderSeat.LAYOUT))

        ended = run(order, Hands(acts), fast_dir)

    found = outcomes(ended)
    assert [found[name] for name in acts] == [StepOutcome.PASS] * 3, ended.document["steps"]
    verify_report(fast_dir / "report.json", None)


def test_a_shuffler_proves_its_identity_and_walks_through_a_batch(fast_dir: Path) -> None:
    with TcpServer(Shuffler()) as server:

        def act(do: Callable[[Shuffler], Any]) -> Act:
            return lambda: server.perform(do)

        def load(one: Shuffler) -> tuple[()]:
            one.put_in_back("red", 52)
            one.press("load")
            return ()

        acts = {
            "status": lambda: None,
            "lid-open": act(lambda one: one.open_door()),
            "lid-closed": act(lambda one: one.close_door()),
            "load": act(load),
            "count": act(lambda one: one.press("count")),
            "shuffle": act(lambda one: one.press("shuffle")),
            "shuffled": lambda: None,
            "store": act(lambda one: one.press("store")),
            "release": act(lambda one: one.press("release")),
            "taken-out": act(lambda one: (one.take_away(), ())[1]),
            "jam": act(lambda one: one.jam()),
            "jam-cleared": act(lambda one: one.clear_jam()),
            "self-test": lambda: None,
        }
        allowed = Installation(allow_commands=True)
        order = order_of("tablelink-shuffler", server.url, installed=allowed)

        ended = run(order, Hands(acts), fast_dir)
        pins = server.emulator.pins

    found = outcomes(ended)
    assert {name: found[name] for name in acts if found[name] != StepOutcome.PASS} == {}
    assert found["identity"] == found["understood"] == found["replay"] == StepOutcome.PASS
    stated = ended.document["device"]["stated"]
    assert (stated["device"], stated["firmware"]) == (pins.device, pins.version)
    assert stated["image_sha256"] == pins.image
    verify_report(fast_dir / "report.json", None)

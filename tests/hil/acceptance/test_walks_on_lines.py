"""Acceptances of emulated devices on real lines that are as their documents say."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from acceptance_hands import Act, Hands, order_of, order_with, outcomes, run, shoe_acts, step

from controller.system.keys import make_key
from drivers.model import Installation, ReaderSeat
from hil.acceptance.people import FromFile
from hil.acceptance.report.results import WalkOutcome
from hil.acceptance.report.signed_report import ReportFiles
from hil.acceptance.run import accept, question_names
from hil.acceptance.walk.guided import names_of
from hil.acceptance.walk.walks import walk_of
from hil.acceptance.wire.tape_check import verify_report
from hil.dealing.tags import usual_batches
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.feig.reader import Movement, TagArrival
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

    assert {name: one for name, one in outcomes(ended).items() if one != WalkOutcome.PASS} == {}
    assert ended.accepted
    assert ended.document["verdict"].startswith("ACCEPTED: all ")
    assert ended.document["device"]["label"] == {"firmware": "1.23"}
    assert step(ended, "card-1")["figures"]["printed"] == "7d"
    assert step(ended, "port")["figures"]["refuses_a_second_program"] is True
    # The walk ends with the first copy of the last report.
    assert max(step(ended, "times")["figures"]["copies"]) == 3
    assert verify_report(fast_dir / "report.json", None).events == len(ended.document["events"])
    text = (fast_dir / "report.txt").read_text(encoding="utf-8")
    assert text.startswith(ended.document["verdict"])


def test_commands_are_not_sent_unless_they_are_allowed(fast_dir: Path) -> None:
    with TcpServer(AngelEye()) as server:
        order = order_of("angel-eye-ii-ex", server.url)

        ended = run(order, Hands(shoe_acts(server)), fast_dir)
        locked = server.emulator.locked

    assert outcomes(ended)["lock"] == outcomes(ended)["unlock"] == WalkOutcome.NOT_DONE
    assert "--allow-commands" in step(ended, "lock")["reason"]
    assert not locked
    assert not ended.accepted
    assert "not done (" in ended.document["verdict"]
    assert "lock" in ended.document["verdict"]


def test_an_rfid_shoe_over_tcp(fast_dir: Path) -> None:
    batch = usual_batches()[0]
    only_a_tag = Movement(1, TagArrival(bytes.fromhex(batch.cards[0].tag)))
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
            "pulled-back": lambda: server.perform(lambda one: one.move((only_a_tag,))),
        }
        order = order_of("feig-rfid", server.url)
        # Nothing comes from the reader at the end of this time: a deadline of the host decides.
        order = order_with(order, gate_input=1, gate_ms_max=50)

        ended = run(order, Hands(acts), fast_dir)

    found = outcomes(ended)
    assert [found[name] for name in acts] == [WalkOutcome.PASS] * len(acts), ended.document["steps"]
    assert step(ended, "understood")["differences"] == []
    assert found["replay"] == WalkOutcome.PASS
    assert found["slow-card"] == WalkOutcome.NOT_DONE
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
    assert [found[name] for name in acts] == [WalkOutcome.PASS] * 3, ended.document["steps"]
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
    assert {name: found[name] for name in acts if found[name] != WalkOutcome.PASS} == {}
    assert found["identity"] == found["understood"] == found["replay"] == WalkOutcome.PASS
    stated = ended.document["device"]["stated"]
    assert (stated["device"], stated["firmware"]) == (pins.device, pins.version)
    assert stated["image_sha256"] == pins.image
    verify_report(fast_dir / "report.json", None)


def test_without_a_person_what_the_device_did_before_counts_in_its_order(fast_dir: Path) -> None:
    answers = fast_dir / "answers.toml"
    answers.write_text(
        'default = "skip: nobody is there"\nfirst-bytes = "done"\nstatus = "done"\n'
        'lid-open = "done"\nlid-closed = "done"\nload = "done"\ncount = "done"\n',
        encoding="utf-8",
    )
    with TcpServer(Shuffler()) as server:
        server.perform(lambda one: one.open_door())
        server.perform(lambda one: one.close_door())
        server.perform(lambda one: one.put_in_back("red", 52))
        server.perform(lambda one: one.press("load"))
        server.perform(lambda one: one.press("count"))
        order = order_of("tablelink-shuffler", server.url)
        key = make_key(fast_dir / "acceptance.key")
        names = question_names(names_of(walk_of(order.model, order.installed)))
        files = ReportFiles(fast_dir / "report.json")

        ended = accept(order, FromFile(answers, names), key, files)

    done = ("status", "lid-open", "lid-closed", "load", "count", "understood", "replay")
    assert {name: outcomes(ended)[name] for name in done} == dict.fromkeys(done, WalkOutcome.PASS)
    assert step(ended, "understood")["figures"]["share_in_frames_per_mille"] == 1000
    assert step(ended, "jam")["reason"] == "nobody is there"
    assert ended.document["answers"] == "the file answers.toml, without a person"

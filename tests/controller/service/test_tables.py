"""The tables of one process: started again after a failure, read again, stopped, each alone."""

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import SimpleQueue

import pytest
from msgspec.structs import replace

from controller.core.tape.inputs import PowerSign
from controller.service import tables as tables_module
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from controller.service.table_program import StartRefused, TableFailed
from controller.service.tables import Tables
from foundation.timestamp import Timestamp

FOR_EVER_S = 3600.0


class Program:
    """In place of a table's program: runs until the test says how it ends."""

    def __init__(self, config: TableConfig, *, close_coup_as_partial: bool) -> None:
        self.name = config.settings.table
        self.config = config
        self.partial = close_coup_as_partial
        self.signs: list[PowerSign] = []
        self._end: SimpleQueue[Exception | None] = SimpleQueue()

    def run(self, running: Callable[[], None]) -> None:
        running()
        error = self._end.get()
        if error is not None:
            raise error

    def stop(self) -> None:
        self._end.put(None)

    def power_fails(self, sign: PowerSign) -> None:
        self.signs.append(sign)

    def fail(self, error: Exception) -> None:
        self._end.put(error)


class Service:
    """Tables that are served on a thread; `started` hands out each program as it is made."""

    def __init__(self, *, several: bool = True) -> None:
        self.tables = Tables(several=several)
        self.started: SimpleQueue[Program] = SimpleQueue()
        self.running: dict[str, Program] = {}
        self.error: Exception | None = None
        self._thread: threading.Thread | None = None

    def serve(self, *configs: TableConfig, close_coup_as_partial: bool = False) -> None:
        def serve() -> None:
            try:
                self.tables.serve(configs, close_coup_as_partial=close_coup_as_partial)
            except (StartRefused, TableFailed) as error:
                self.error = error

        self._thread = threading.Thread(target=serve)
        self._thread.start()
        for _ in configs:
            self.next()

    def make(self, config: TableConfig, _shared: object, *, close_coup_as_partial: bool) -> Program:
        program = Program(config, close_coup_as_partial=close_coup_as_partial)
        self.started.put(program)
        return program

    def next(self) -> Program:
        """The program that is started next."""
        program = self.started.get()
        self.running[program.name] = program
        return program

    def apply(self, *configs: TableConfig, kept: tuple[Path, ...] = ()) -> None:
        """Have these run; returns when that was asked for."""
        self.call(lambda: self.tables.apply(configs, kept))

    def call(self, event: Callable[[], None]) -> None:
        """Have this called as an event; returns when it was, and what came before it."""
        called = threading.Event()
        self.tables.put(event)
        self.tables.put(called.set)
        assert called.wait()

    def await_only(self, config: TableConfig) -> None:
        """Wait until every other table has ended, and what follows from that is done."""
        files: list[tuple[Path, ...]] = [()]
        while files[-1] != (config.file,):
            self.call(lambda: files.append(self.tables.files))

    def stop(self, sign: PowerSign | None = None) -> None:
        self.tables.put(lambda: self.tables.stop(sign))
        self.join()

    def join(self) -> None:
        assert self._thread is not None
        self._thread.join()
        assert not self._thread.is_alive()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service()
    monkeypatch.setattr(tables_module, "TableProgram", service.make)
    monkeypatch.setattr(tables_module, "RESTART_S", 0.0)
    yield service
    service.stop()


@pytest.fixture
def configs(fast_dir: Path) -> Mapping[str, TableConfig]:
    return {name: table_config(fast_dir, name) for name in ("M-1", "M-2", "M-3")}


def table_config(folder: Path, name: str, pit: str = "") -> TableConfig:
    file = folder / f"{name}.toml"
    file.write_text(
        f'[table]\nname = "{name}"\npit = "{pit}"\n[rules]\nprofile = "s42-mini"\n'
        f'[shoe]\nport = "/dev/{name}"\n[journal]\nfolder = "{name}"\n',
        encoding="utf-8",
    )
    return load_config(file)


def test_one_that_fails_is_started_again_and_the_other_runs_on(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    other = service.running["M-2"]

    service.running["M-1"].fail(TableFailed("the disk is full"))

    assert service.next().name == "M-1"
    assert service.running["M-2"] is other
    assert service.started.empty()


def test_after_five_failures_in_ten_minutes_it_stays_stopped_until_the_folder_is_read_again(
    service, configs, caplog
) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    for _ in range(5):
        service.running["M-1"].fail(TableFailed("the disk is full"))
        service.next()
    service.running["M-1"].fail(TableFailed("the disk is full"))
    service.await_only(configs["M-2"])

    assert service.started.empty()
    assert "table M-1 failed: the disk is full. It stays stopped until" in caplog.text
    service.apply(configs["M-1"], configs["M-2"])
    assert service.next().name == "M-1"


def test_one_that_may_not_start_is_not_tried_again_by_itself(service, configs, caplog) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    service.running["M-1"].fail(StartRefused("the journal belongs to another program"))
    service.await_only(configs["M-2"])

    assert service.started.empty()
    assert "table M-1 may not start: the journal belongs to another program" in caplog.text


def test_an_internal_error_of_one_table_is_a_failure_of_that_one(service, configs, caplog) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    service.running["M-1"].fail(ValueError("the king of hearts"))

    assert service.next().name == "M-1"
    assert "table M-1: internal error" in caplog.text
    assert "hearts" not in caplog.text


def test_what_has_not_changed_is_not_touched(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    same = load_config(configs["M-1"].file)

    service.apply(same, configs["M-2"])
    service.apply(same, configs["M-2"], configs["M-3"])

    assert service.next().name == "M-3"
    assert service.started.empty()


def test_a_changed_table_is_started_again_with_what_is_written_now(
    service, configs, fast_dir
) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    changed = table_config(fast_dir, "M-1", pit="P-9")

    service.apply(changed, configs["M-2"])

    assert service.next().config.settings.pit == "P-9"


def test_a_table_that_the_folder_has_no_more_is_stopped(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    service.apply(configs["M-2"])
    service.await_only(configs["M-2"])

    service.apply(configs["M-1"], configs["M-2"])
    assert service.next().name == "M-1"


def test_a_table_whose_file_cannot_be_used_any_more_runs_on(service, configs, caplog) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    service.apply(configs["M-2"], kept=(configs["M-1"].file,))

    assert set(service.tables.files) == {configs["M-1"].file, configs["M-2"].file}
    assert "table M-1 runs on as it was" in caplog.text


def test_all_that_fail_end_the_program(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    service.running["M-1"].fail(StartRefused("no port"))
    service.await_only(configs["M-2"])
    service.running["M-2"].fail(TableFailed("the disk is full"))
    service.join()

    assert isinstance(service.error, TableFailed)
    assert str(service.error) == "table M-1: no port\ntable M-2: the disk is full"


def test_all_that_may_not_start_refuse_the_start(service, configs) -> None:
    service.serve(configs["M-1"])
    service.running["M-1"].fail(StartRefused("no port"))
    service.join()

    assert isinstance(service.error, StartRefused)


def test_a_stop_ends_all_and_one_that_failed_before_is_no_failure_of_it(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    service.running["M-1"].fail(StartRefused("no port"))
    service.stop()

    assert service.error is None


def test_a_stop_does_not_wait_for_a_restart(service, configs, monkeypatch) -> None:
    monkeypatch.setattr(tables_module, "RESTART_S", FOR_EVER_S)
    service.serve(configs["M-1"], configs["M-2"])
    service.running["M-1"].fail(TableFailed("the disk is full"))
    service.stop()

    assert service.started.empty()


def test_a_power_failure_is_the_last_input_of_every_table(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    service.stop(PowerSign.SIGNAL)

    assert {name: one.signs for name, one in service.running.items()} == {
        "M-1": [PowerSign.SIGNAL],
        "M-2": [PowerSign.SIGNAL],
    }


def test_only_the_first_start_may_close_a_coup_as_partial(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"], close_coup_as_partial=True)
    assert service.running["M-1"].partial
    service.running["M-1"].fail(TableFailed("the disk is full"))

    assert not service.next().partial


def test_the_only_table_is_not_started_again(monkeypatch, configs) -> None:
    service = Service(several=False)
    monkeypatch.setattr(tables_module, "TableProgram", service.make)
    service.serve(configs["M-1"])
    service.running["M-1"].fail(TableFailed("the disk is full"))
    service.join()

    assert service.started.empty()
    assert str(service.error) == "the disk is full"


def test_two_configurations_of_one_file_are_equal(configs) -> None:
    again = load_config(configs["M-1"].file)
    assert again == configs["M-1"]
    assert replace(again, metrics_port=1) != again


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000

    def __call__(self) -> Timestamp:
        return Timestamp(self.seconds * 1_000_000_000, 0)


def starts_again(service: Service, name: str) -> bool:
    """Let that table fail; whether it is started again by itself."""
    running = len(service.tables.files)
    service.running[name].fail(TableFailed("a fault"))
    while service.started.empty():
        files: list[int] = []
        service.call(lambda files=files: files.append(len(service.tables.files)))
        if files[0] < running:
            return False
    return service.next().name == name


def test_five_failures_in_a_year_are_not_five_in_ten_minutes(
    service, configs, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(tables_module, "now", clock)
    service.serve(configs["M-1"], configs["M-2"])
    for _ in range(12):
        assert starts_again(service, "M-1")
        clock.seconds += 121


def test_a_folder_that_is_read_again_forgives_the_failures_before(service, configs) -> None:
    service.serve(configs["M-1"], configs["M-2"])
    for _ in range(5):
        service.running["M-1"].fail(TableFailed("a fault"))
        service.next()
    service.apply(configs["M-1"], configs["M-2"])
    assert all(starts_again(service, "M-1") for _ in range(5))

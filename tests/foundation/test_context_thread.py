"""A thread keeps the context of the thread that makes it. Source: PEP 567."""

from contextvars import ContextVar

from foundation.context_thread import ContextThread

TABLE: ContextVar[str] = ContextVar("TABLE", default="")


def test_a_thread_knows_what_its_maker_knew_and_tells_it_nothing() -> None:
    seen: list[str] = []

    def inner() -> None:
        seen.append(TABLE.get())
        TABLE.set("M-2")

    TABLE.set("M-1")
    thread = ContextThread(target=inner, name="inner")
    TABLE.set("M-3")
    thread.start()
    thread.join()

    assert (seen, TABLE.get()) == (["M-1"], "M-3")


def test_arguments_reach_the_target() -> None:
    seen: list[object] = []
    thread = ContextThread(target=lambda *given: seen.extend(given), name="t", args=(1, "two"))
    thread.start()
    thread.join()

    assert seen == [1, "two"]

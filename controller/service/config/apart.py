"""Reads a table's configuration in a process of its own.

What reads and checks table.toml, with its library, is needed at a start alone: it ends with that
process, and the table gets the checked value.
"""
# ruff: noqa: PLC0415 - what reads a configuration is loaded where it is read.

import copyreg
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from controller.service.config.table_config import TableConfig


def begin_reading(file: Path) -> Callable[[], TableConfig]:
    """Begin to read a table.toml; what is returned waits for it, once, as `load_config` does.

    To be called before the first thread is started.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _read_and_leave(file, writing)
    os.close(writing)

    def result() -> TableConfig:
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
        os.waitpid(child, 0)
        if not data:
            # It cannot be used: what is wrong is found, and said, by this process.
            from controller.service.config.load import load_config

            return load_config(file)
        config: TableConfig = pickle.loads(data)  # noqa: S301 - written by this program
        return config

    return result


def _read_and_leave(file: Path, writing: int) -> NoReturn:
    """In the child: write the configuration; nothing, if it cannot be used."""
    try:
        from controller.service.config.load import load_config

        copyreg.pickle(MappingProxyType, _reduce)
        data = pickle.dumps(load_config(file))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(data)
    finally:
        # Without the handlers of the parent's end, and without a word: an error is the parent's.
        os._exit(0)


def _reduce(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Of mappings that cannot be changed pickle knows nothing."""
    return _unchangeable, (dict(mapping),)


def _unchangeable(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(mapping)

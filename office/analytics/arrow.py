"""Loads pyarrow where tables are written, and makes its schemas from the tables' columns.

Source: Apache Arrow, Python bindings.
"""
# ruff: noqa: PLC0415 - pyarrow is optional, and nobody else waits for it.

from functools import cache
from typing import Any, Final

from controller.system.command_line.errors import CommandError
from office.analytics.schema import SCHEMA_VERSION, TABLES, ColumnType, TableName

SCHEMA_KEY: Final = b"smartshoe.schema"


class TablesError(CommandError):
    """Tables cannot be written; the message says why and what to do."""


def load_arrow() -> Any:
    """The library with its writer of Parquet files. Raises TablesError where it is missing."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise TablesError(
            "--parquet: it needs pyarrow, which is not installed here. Remedy: install"
            " smartshoe-office[analytics]; the machine at a table needs none of it"
        ) from error
    assert pa.parquet is parquet
    return pa


@cache
def arrow_schema(name: TableName) -> Any:
    """The schema of a table as pyarrow has it, with descriptions of its columns."""
    arrow = load_arrow()
    types = {
        ColumnType.TEXT: arrow.string(),
        ColumnType.TEXTS: arrow.list_(arrow.string()),
        ColumnType.NUMBER: arrow.int64(),
        ColumnType.SMALL: arrow.int32(),
        ColumnType.NUMBERS: arrow.list_(arrow.int64()),
        ColumnType.YES_NO: arrow.bool_(),
        ColumnType.TIME: arrow.timestamp("us", "UTC"),
    }
    fields = [
        arrow.field(
            one.name, types[one.kind], metadata={"description": one.says, "source": one.source}
        )
        for one in TABLES[name]
    ]
    return arrow.schema(fields, metadata={SCHEMA_KEY: str(SCHEMA_VERSION)})

"""Columns as a pandas.DataFrame. pandas is imported here only."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Set

import numpy as np

from .columns import Array, Table

if TYPE_CHECKING:
    import pandas

INDEX = ("time", "time_ns")  # in the index, not among the columns
NOTED = ("robot", "stream", "protocol", "direction", "enums")  # of meta, kept in attrs


def _flat(name: str, array: Array) -> List[str]:
    return [name] if array.ndim == 1 else ["%s_%d" % (name, i) for i in range(array.shape[1])]


def _apart(wanted: str, taken: Set[str]) -> str:
    """A name that no other column has: later ones of a name end in _2, _3 ..."""
    key, number = wanted, 2
    while key in taken:
        key, number = "%s_%d" % (wanted, number), number + 1
    taken.add(key)
    return key


def _keys(table: Table) -> Dict[str, List[str]]:
    """The names of a frame's columns, by array. A robot may send a_0 beside a vector a."""
    taken: Set[str] = set()
    return {name: [_apart(wanted, taken) for wanted in _flat(name, array)] for name, array in table.items() if name not in INDEX}


def _nullable(array: Any) -> Any:
    """A column in which values are absent, in pandas' own types, which keep integers exact."""
    import pandas
    values, absent = np.ma.getdata(array), np.ma.getmaskarray(array)
    if values.dtype.kind == "b":
        return pandas.arrays.BooleanArray(values, absent)
    if values.dtype.kind in "iu":
        return pandas.arrays.IntegerArray(values, absent)
    texts = values.astype(object)
    texts[absent] = None
    return texts


def _columns(table: Table) -> Dict[str, Any]:
    """The columns of a frame: views of the table's arrays where their types allow it."""
    columns: Dict[str, Any] = {}
    for name, keys in _keys(table).items():
        array = table[name]
        for i, key in enumerate(keys):
            column = array if array.ndim == 1 else array[:, i]
            if isinstance(column, np.ma.MaskedArray):
                columns[key] = _nullable(column)
            else:
                columns[key] = column.astype(object) if column.dtype.kind in "US" else column
    return columns


def _index(table: Table) -> Any:
    """The times, in UTC; the numbers of rows where no row has a time."""
    import pandas
    time = table.get("time")
    if time is None or table.rows and np.isnat(time).all():
        return pandas.RangeIndex(table.rows, name="row")
    return pandas.DatetimeIndex(time, tz="UTC", name="time")


def _units(table: Table) -> Dict[str, str]:
    units = {}
    for name, names in _keys(table).items():
        if name in table.units:
            parts = table.units[name].split(", ")  # of a pose "m, rad": half of its elements each
            units.update({each: parts[i * len(parts) // len(names)] for i, each in enumerate(names)})
    return units


def frame_of(table: Table) -> "pandas.DataFrame":
    """A DataFrame of a table's columns; `attrs` has the units by column, and whose they are."""
    import pandas
    # Copies of hundreds of megabytes take longer than all else. `frame.copy()` puts the columns together.
    frame = pandas.DataFrame(_columns(table), copy=False) if table else pandas.DataFrame(index=range(table.rows))
    frame.index = _index(table)
    frame.attrs.update({key: table.meta[key] for key in NOTED if key in table.meta}, units=_units(table))
    return frame

"""Columns from the program: a file of numpy arrays (.npz) in memory, mapped, not copied."""
from __future__ import annotations

import json
import mmap
import os
import tempfile
import zipfile
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[Any]]
else:
    Array = np.ndarray  # older ones take no parameters

LOCAL_HEADER = 30  # bytes of a zip member's header, before its name and extra field
COPIED = 4 << 20  # bytes of a file that is copied, not mapped
KNOWN = ".known"  # ends the name of a mask


class Table(Dict[str, Array]):
    """Columns of a stream: a dict of numpy arrays, all with a row for each record.

    Vectors have shape (records, elements), all else (records,). Types are those of the wire: float64, int32, uint32, uint64,
    uint8, bool; texts are numpy strings.

    "time" is datetime64[ns] in UTC, when the record could be read; "time_ns" the same as int64, nanoseconds since the epoch.
    A record without a time (in a raw dump) has NaT.

    Absent values are NaN in arrays of float64. An array of another type in which values are absent is a numpy.ma.MaskedArray
    and masks them; its type stays.

    A field of AUBO's that is not of one type is an array of Python's objects, None where it is absent.

    The arrays are yours: they can be written to, and live as long as you keep them.

    meta: what armtap knows of the columns, a dict: "units" and "types" by name; "enums", the names of modes by name and number;
    "robot", "stream", "protocol"
    """

    def __init__(self, columns: Mapping[str, Array], meta: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(columns)
        self.meta: Dict[str, Any] = meta or {}

    def copy(self) -> "Table":
        """A table of the same arrays."""
        return Table(self, self.meta)

    @property
    def units(self) -> Dict[str, str]:
        """The unit of each column that has one: {"actual_q": "rad", ...}"""
        units: Dict[str, str] = self.meta.get("units", {})
        return units

    def __len__(self) -> int:
        """The number of columns, as of any dict; `rows` is that of the records."""
        return super().__len__()

    @property
    def rows(self) -> int:
        """The number of records."""
        return len(next(iter(self.values()))) if self else 0

    def to_pandas(self) -> Any:
        """These columns as a pandas.DataFrame: see Capture.to_pandas()."""
        from .frames import frame_of
        return frame_of(self)

    def __repr__(self) -> str:
        lines = ["%d records" % self.rows]
        width = max(map(len, self), default=0)
        for name, array in self.items():
            shape = " x %d" % array.shape[1] if array.ndim > 1 else ""
            lines.append(("  %-*s  %s%s  %s" % (width, name, array.dtype, shape, self.units.get(name, ""))).rstrip())
        return "\n".join(lines)


def memory_file(name: str) -> BinaryIO:
    """A file without a name, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create(name), "w+b")
    return tempfile.TemporaryFile()  # type: ignore[return-value]


def _bytes_of(file: BinaryIO) -> Union[bytearray, mmap.mmap]:
    """All of a file. What is mapped costs no copy, but keeps a descriptor open as long as there are arrays."""
    size = os.fstat(file.fileno()).st_size
    if size > COPIED:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    file.seek(0)
    return bytearray(file.read())


def _array(place: Union[bytearray, mmap.mmap], offset: int, file: BinaryIO) -> Array:
    """The array of a member whose bytes begin there, in the mapped memory."""
    file.seek(offset)
    version = np.lib.format.read_magic(file)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read_header(file)
    count = int(np.prod(shape))
    if count == 0 or dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    array = np.frombuffer(place, dtype, count, file.tell())
    return array.reshape(shape, order="F" if fortran else "C")


def _members(file: BinaryIO) -> List[Tuple[str, int]]:
    """Names of the arrays, and where their bytes begin."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
    found = []
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED:
            raise ValueError("%s is compressed" % member.filename)
        file.seek(member.header_offset)
        header = file.read(LOCAL_HEADER)
        sizes = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        found.append((member.filename[:-len(".npy")], member.header_offset + LOCAL_HEADER + sizes))
    return found


def _objects(array: Array) -> Array:
    """Texts of JSON as what they say; few differ."""
    made: Dict[str, Any] = {}
    values = np.empty(len(array), object)
    for i, text in enumerate(np.ma.getdata(array).tolist()):
        if text not in made:
            made[text] = json.loads(text) if text else None
        values[i] = made[text]
    return values


def table_of(file: BinaryIO) -> Table:
    """The table in a file of numpy arrays, as `armtap export -f npz` writes it. Changes of the arrays do not reach the file."""
    place = _bytes_of(file)
    arrays = {name: _array(place, offset, file) for name, offset in _members(file)}
    meta = json.loads(str(arrays.pop("meta"))) if "meta" in arrays else {}
    columns: Dict[str, Array] = {}
    for name, array in arrays.items():
        known = arrays.get(name + KNOWN)
        if known is not None:
            array = np.ma.MaskedArray(array, ~known)
        if meta.get("types", {}).get(name) == "JSON":
            array = _objects(array)
        if not (name.endswith(KNOWN) and name[:-len(KNOWN)] in arrays):
            columns["file" if name == "file_" else name] = array
        if name == "time" and "time_ns" not in arrays:
            columns["time_ns"] = array.view(np.int64)
    return Table(columns, meta)

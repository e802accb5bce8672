"""Captures and robots: what open() returns."""
from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Dict, Generator, Iterable, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union
from weakref import WeakSet

import numpy as np

from . import program, results
from .columns import Table, memory_file, table_of

if TYPE_CHECKING:
    import pandas

Source = Union[str, bytes, "os.PathLike[str]"]
Moment = Union[str, float, datetime.datetime, datetime.timedelta, np.datetime64, np.timedelta64]
Names = Union[str, Iterable[Union[str, results.Field]], None]
Made = TypeVar("Made")
Records = Generator[Dict[str, Any], None, None]
STANDARD_INPUT = "-"
SECONDS = "+%.9f"  # since the first packet, for --from and --to
# Options of the program that have another form here.
ELSEWHERE = {"from": "start", "from_": "start", "to": "stop", "format": "read(), to_pandas() or records()", "output": "the program for files",
             "split": "stream=, or the program for files", "help": "help(armtap)"}
LISTENED = 2.0  # seconds, for the streams of a robot
AWAITED = 10.0  # seconds, for a robot's first packet
SEVERAL_TABLES = "export.several-tables"  # the id of a message


class SeveralStreams(program.Error):
    """Several streams, or several recipes of one, have records: choose one with stream=, or union=True for one table of all.

    streams: those that have records
    """

    streams: List[results.Stream] = []


def _seconds(moment: Optional[Moment]) -> Optional[float]:
    """Seconds from the first packet; None if it is a time of another kind."""
    if isinstance(moment, datetime.timedelta):
        return moment.total_seconds()
    if isinstance(moment, np.timedelta64):
        return float(moment / np.timedelta64(1, "s"))
    return float(moment) if isinstance(moment, (int, float, np.number)) else None


def moment_word(moment: Moment) -> str:
    """A time for the program's --from and --to."""
    seconds = _seconds(moment)
    if seconds is not None:
        return SECONDS % seconds
    if isinstance(moment, str):
        return moment
    instant: Any = moment
    if hasattr(moment, "to_datetime64"):  # pandas.Timestamp
        instant = moment.to_datetime64()
    elif isinstance(moment, datetime.datetime) and moment.tzinfo:
        instant = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return "%d.%09d" % divmod(np.datetime64(instant, "ns").astype(np.int64), 10**9)


def _is_robot(source: str) -> bool:
    return "://" in source and not os.path.exists(source)


def _word(source: Source) -> str:
    """A source on the command line."""
    if isinstance(source, str) and (source == STANDARD_INPUT or _is_robot(source)):
        return source
    if isinstance(source, (list, tuple)):
        raise TypeError("a source is a name, a path or bytes; of several: open(*sources)")
    name = os.fsdecode(source)
    return os.path.join(".", name) if name.startswith("-") else name


class Capture:
    """A capture, several captures that follow one another, or a robot. Made by armtap.open().

    Each call reads the files again, with the program. It is a context manager, which stops the programs that records()
    left running.
    """

    def __init__(self, sources: Sequence[Source], options: Dict[str, Any]) -> None:
        given = [each for each in sources if isinstance(each, (bytes, bytearray, memoryview))]
        if len(given) > 1 or given and STANDARD_INPUT in sources:
            raise ValueError("only one source can be bytes or '-'")
        self._words = [STANDARD_INPUT if each in given else _word(each) for each in sources]
        self._options = options
        self._spool: Optional[BinaryIO] = None
        self._streams: Optional[List[results.Stream]] = None
        self._running: "WeakSet[Records]" = WeakSet()
        self._programs: "WeakSet[subprocess.Popen[bytes]]" = WeakSet()
        self._is_closed = False
        if given:
            self._keep(given[0])
        if any(not _is_robot(word) and word != STANDARD_INPUT and not os.path.exists(word) for word in self._words):
            self.streams  # the program says what is wrong with the name

    # ---- what is read ----------------------------------------------------------------------------------------------

    @property
    def is_live(self) -> bool:
        """Whether it is a robot, an interface, or a file that is followed (follow=True): what is read until it is stopped."""
        return any(map(_is_robot, self._words)) or bool(self._options.get("interface") or self._options.get("follow"))

    def _need_end(self, options: Mapping[str, Any], remedy: str) -> None:
        if self.is_live or options.get("follow"):
            raise program.Error("%s is live and has no end: %s" % (", ".join(self._words) or self._options["interface"], remedy))

    def _keep(self, data: Optional[bytes] = None) -> None:
        """Bytes, or what standard input has, in a file that can be read again."""
        self._spool = memory_file("armtap-input")
        if data is None:
            shutil.copyfileobj(sys.stdin.buffer, self._spool)
        else:
            self._spool.write(data)
        self._spool.flush()

    @contextmanager
    def _input(self, live: bool = False) -> Iterator[program.Input]:
        """What a command reads. live: standard input is passed on as it comes, and is used up then."""
        if STANDARD_INPUT not in self._words:
            yield program.Input(self._words)
        elif live and not self._spool:
            yield program.Input(self._words, sys.stdin.fileno())
        else:
            if self._is_closed:
                raise ValueError("the capture is closed, and its bytes are gone")
            if not self._spool:
                self._keep()
            assert self._spool
            # A descriptor of its own, from the beginning: several commands may read at once.
            with open("/dev/fd/%d" % self._spool.fileno(), "rb") as file:
                file.seek(0)
                yield program.Input(self._words, file.fileno())

    def _command(self, command: str, options: Mapping[str, Any], **ours: Any) -> List[str]:
        """The words of a command line, of the user's options and ours."""
        given = {**self._options, **options}
        for name in given.keys() & ELSEWHERE.keys():
            raise TypeError("%s= is no option here: use %s" % (name, ELSEWHERE[name]))
        return [command, *program.option_words({**given, **ours})]

    def _run(self, words: List[str], output: Optional[int] = None, seconds: Optional[float] = None) -> bytes:
        with self._input() as given:
            return program.run(words, given, output, seconds)

    def _told(self, make: Callable[[bytes], Made], words: List[str], seconds: Optional[float] = None) -> Made:
        """What a command tells, as JSON."""
        text = self._run(words, seconds=seconds)
        with program.understood():
            return make(text)

    # ---- what it has -----------------------------------------------------------------------------------------------

    @property
    def streams(self) -> List[results.Stream]:
        """The connections with telemetry, as Stream objects. Reads a capture once; listens to a robot or an interface for two
        seconds, each time."""
        if self.is_live:
            return self._told(results.streams_of, self._command("info", {}, json=True), LISTENED)
        if self._streams is None:
            self._streams = self._told(results.streams_of, self._command("info", {}, json=True))
        return self._streams

    def read(self, stream: Union[int, results.Stream, None] = None, fields: Names = None,
             start: Optional[Moment] = None, stop: Optional[Moment] = None, *, union: bool = False, **options: Any) -> Table:
        """Reads records into arrays: a dict, {"time": array of N, "actual_q": array of N x 6, ...}.

        stream: its number in `streams`; required if several have records
        fields: names, in order: ["timestamp", "actual_q"], one element as "actual_q_0", patterns as "*_mode"; also columns that
            are not fields, as "packet", "robot_time", "gap_s", "lost_s". Default: all fields
        start, stop: from and to this time, both inclusive: seconds from the first packet (10.5), a datetime (without a zone:
            UTC), a numpy.datetime64, or a text as the program takes it: "2026-01-31T12:00:00.5Z", "+10.5", "08:53:30"
        union: one table of all streams, or of all recipes of one, with the columns robot, stream and protocol
        options: those of `armtap export`: every="100ms", grid="10ms", enums="name", to_robot=True, label={"10.0.0.2": "left"}

        Returns a Table, which says how types and absent values are represented. Units: SI and rad, table.units has them.
        Raises SeveralStreams, or Error with what the program said. Warns of missing data and guesses (ArmtapWarning).
        A robot is read until `stop`, which it needs: read(stop=10) takes ten seconds from its first packet, for which it waits ten
        more at most.
        """
        if stop is None:
            self._need_end(options, "read(stop=10) takes ten seconds, records() goes on")
        # Columns are gathered in one thread; more would wait for each other.
        options = {"threads": self._options.get("threads", 1), **options}
        with memory_file("armtap-columns") as file:
            words = self._command("export", options, format="npz", output="/dev/fd/%d" % file.fileno(), union=union,
                                  **_chosen(stream, fields, start, stop))
            try:
                self._run(words, file.fileno(), self._patience(stop))
            except program.Error as error:
                raise self._several(error, bool(options.get("to_robot"))) or error from None
            with program.understood():
                return table_of(file)

    def _patience(self, stop: Optional[Moment]) -> Optional[float]:
        """Seconds after which a reading of a robot ends, also if no packet came."""
        seconds = _seconds(stop)
        return AWAITED + seconds if self.is_live and seconds is not None else None

    def _several(self, error: program.Error, to_robot: bool) -> Optional[SeveralStreams]:
        """An error that is about several tables."""
        if SEVERAL_TABLES not in error.ids:
            return None
        streams = [] if self.is_live else [each for each in self.streams if (each.records_to_robot if to_robot else each.records)]
        remedy = "read(union=True)" if len(streams) == 1 else "read(stream=N), or read(union=True)"
        several = SeveralStreams("%s\nhere: %s" % (error, remedy), error.status, error.command, error.ids)
        several.streams = streams
        return several

    def to_pandas(self, stream: Union[int, results.Stream, None] = None, fields: Names = None,
                  start: Optional[Moment] = None, stop: Optional[Moment] = None, *, union: bool = False,
                  **options: Any) -> "pandas.DataFrame":
        """The same as read(), as a pandas.DataFrame.

        The index is the time, in UTC, to the nanosecond; of a raw dump, without times, the row's number. A vector has a column
        for each element: actual_q_0 ... actual_q_5. Integers of which some are absent have pandas' types Int32, UInt64 ..., and
        boolean; absent numbers are NaN, absent texts None. frame.attrs["units"] has the unit of each column.
        Nothing is copied: before columns are added to a frame of more than a hundred, frame.copy() makes it one piece.
        """
        return self.read(stream, fields, start, stop, union=union, **options).to_pandas()

    def diagnose(self, *, seconds: Optional[float] = None, **options: Any) -> results.Diagnosis:
        """What went wrong, when, in which packet, and the responsible side.

        seconds: how long to listen to a robot or an interface; required for these
        options: those of `armtap diagnose`
        """
        if seconds is None:
            self._need_end(options, "diagnose(seconds=10) listens for ten seconds")
        return self._told(results.diagnosis_of, self._command("diagnose", options, json=True), seconds)

    def records(self, stream: Union[int, results.Stream, None] = None, fields: Names = None,
                start: Optional[Moment] = None, stop: Optional[Moment] = None, **options: Any) -> Records:
        """Records one by one, as they arrive, of all streams: of a robot, an interface, a growing file, or any capture.

        Each is a dict: "time" (seconds since 1970, a double: exact to 0.2 us), "time_ns" (the same, an int, exact), "packet",
        "stream", "robot", "protocol", "direction", then the fields: numbers, or lists of a vector's elements. What a record
        lacks is not in it; NaN and infinite values are None. Arguments are those of read(); follow=True waits for what
        is still to be written to the file.

        A robot is read until the iterator is closed, or the loop interrupted (Ctrl-C): both end the program. A `with` of the
        capture closes it, too.
        """
        rows = self._rows(self._command("export", options, format="ndjson", **_chosen(stream, fields, start, stop)))
        self._running.add(rows)
        return rows

    def _rows(self, words: List[str]) -> Records:
        with self._input(live=True) as given:
            lines = program.lines_of(words, given, self._programs.add)
            try:
                for line in lines:
                    with program.understood():
                        record = json.loads(line)
                        seconds = record["time"]
                    yield record if seconds is None else {"time": seconds, "time_ns": _nanoseconds(line), **record}
            finally:
                lines.close()

    # ---- its life --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Stops what records() left running, also in another thread, and frees the given bytes."""
        self._is_closed = True
        for rows in list(self._running):
            try:
                rows.close()
            except ValueError:  # a thread waits in it: its loop ends with the program
                for process in list(self._programs):
                    process.terminate()
        if self._spool:
            self._spool.close()
            self._spool = None

    def __del__(self) -> None:
        if getattr(self, "_spool", None):
            self.close()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        name = "armtap.open(%s)" % ", ".join(map(repr, self._words))
        if self.is_live:
            return name + ": live"
        rows = [("stream", "robot", "client", "protocol", "records", "Hz", "fields")]
        for each in self.streams:
            rate = "-" if each.rate_hz is None else "%.1f" % each.rate_hz
            rows.append((str(each.stream), each.robot, each.client, each.protocol, str(each.records), rate, str(len(each.fields))))
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([name, *lines])


def _names(fields: Names) -> Optional[str]:
    if fields is None or isinstance(fields, str):
        return fields
    return ",".join(each.name if isinstance(each, results.Field) else each for each in fields)


def _chosen(stream: Union[int, results.Stream, None], fields: Names, start: Optional[Moment], stop: Optional[Moment]) -> Dict[str, Any]:
    """The arguments that choose records, as options."""
    return {"stream": stream.stream if isinstance(stream, results.Stream) else stream, "fields": _names(fields),
            "from": None if start is None else moment_word(start), "to": None if stop is None else moment_word(stop)}


def _nanoseconds(line: bytes) -> int:
    """The record's time, which begins its line with nine decimals: {"time":1769860800.016193934,"""
    seconds, _, rest = line[len('{"time":'):].partition(b".")
    return int(seconds + rest[:9])

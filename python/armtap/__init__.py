"""Robot telemetry from captures and robots, as numpy arrays, pandas DataFrames and objects.

    import armtap

    capture = armtap.open("robot.pcapng")          # or armtap.open("rtde://10.0.0.2"), a robot
    capture                                        # a table of its streams
    data = capture.read(fields=["timestamp", "actual_q"])
    data["actual_q"]                               # N x 6, float64, rad
    data = capture.read(stream=1)                  # where several streams have records
    frame = capture.to_pandas(start=10, stop=20)   # seconds from the first packet
    frame["actual_q_0"].plot()
    capture.diagnose().incidents                   # what stopped the robot, and why
    for record in capture.records():               # one by one, live
        print(record["time"], record["actual_q"])
    armtap.fields("*_mode")                        # names, types, units, meanings

It decodes nothing itself: it runs the program armtap, and reads what that writes. Values are exact to the last bit, times to the
nanosecond. Units are SI and rad; `data.units` and `frame.attrs["units"]` name them. What goes wrong is an armtap.Error with the
program's message; what the program says warns of (missing data, guesses) is an armtap.ArmtapWarning; what it
says besides goes to the logger "armtap".

The program's options are arguments of these functions: `armtap export --help` lists --every and --give-up, which are
read(every="100ms") and read(give_up=5) here; True stands for an option without a value, a list or a dict for one that is repeated.

The program is $ARMTAP, or the one that was installed with this package, or the first in the PATH.
"""
from __future__ import annotations

from importlib import metadata as _metadata
from typing import Any, List, Optional

from . import program as _program
from . import results as _results
from .capture import Capture, SeveralStreams, Source
from .columns import Table
from .program import ArmtapWarning, Error
from .results import Diagnosis, Field, Finding, Incident, Stream

__all__ = ["ArmtapWarning", "Capture", "Diagnosis", "Error", "Field", "Finding", "Incident", "SeveralStreams", "Stream", "Table",
           "fields", "open"]

for _public in (ArmtapWarning, Capture, Diagnosis, Error, Field, Finding, Incident, SeveralStreams, Stream, Table):
    _public.__module__ = __name__  # armtap.Error, not armtap.program.Error

try:
    __version__ = _metadata.version("armtap")
except _metadata.PackageNotFoundError:  # used from its source
    __version__ = "unknown"


def open(*sources: Source, **options: Any) -> Capture:  # pylint: disable=redefined-builtin
    """Opens captures or a robot; decodes nothing yet.

    sources: a file's name or path (pcap, pcapng, packed or not, or a raw dump); several, which follow one another; "-" for
        standard input; bytes, which are a capture; "rtde://HOST", "realtime://HOST" or "primary://HOST", a robot
    options: how to read it, as the program's options: raw="rtde", recipe="recipe.xml", port="40000=rtde",
        label={"10.0.0.2": "left"}, interface="eth0", follow=True (a file that is still written); of a robot, frequency=125

    Raises Error if a file does not exist.
    """
    return Capture(sources, options)


def fields(pattern: Optional[str] = None) -> List[Field]:
    """The fields that armtap knows: all, or those that match, as "actual_q", "*_mode", or words of their meaning."""
    text = _program.run(["fields", "--json"], _program.Input([pattern] if pattern else []))
    with _program.understood():
        return _results.fields_of(text)

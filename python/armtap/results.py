"""What the program finds, as objects: streams, findings, incidents, fields."""
from __future__ import annotations

from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar, cast

import json

import numpy as np

Kind = TypeVar("Kind")


class _Exact(float):
    """A number of JSON with its text, since nanoseconds since 1970 need more digits than a double has."""

    text: str

    def __new__(cls, text: str) -> "_Exact":
        number = super().__new__(cls, text)
        number.text = text
        return number


def load(text: bytes) -> Any:
    return json.loads(text, parse_float=_Exact)


def _time(seconds: Optional[float]) -> Optional[np.datetime64]:
    """Seconds since 1970, with nine decimals in the text, to the nanosecond."""
    if seconds is None:
        return None
    return np.datetime64(int(Decimal(getattr(seconds, "text", seconds)).scaleb(9)), "ns")


def _make(kind: Type[Kind], data: Mapping[str, Any], **more: Any) -> Kind:
    """An object of the members that it has; a newer program may have more."""
    names = {each.name for each in fields(cast(Any, kind))}
    return kind(**{name: value for name, value in data.items() if name in names}, **more)


@dataclass(frozen=True)
class Stream:
    """A connection between a client and a robot.

    stream: its number, as read(stream=) takes it
    robot, client: address and port
    records: how many came from the robot; records_to_robot: how many went to it
    first_time, last_time: when its first and last record came, UTC; None without one
    rate_hz: records a second; None where there are too few
    fields: names of what its records have
    guess: how sure the recipe is, if it was not captured but guessed; else None
    gaps: how many times records are missing, with bytes_lost bytes
    """

    stream: int
    protocol: str
    version: Optional[int]
    generation: Optional[str]
    robot: str
    client: str
    controller_version: Optional[str]
    records: int
    records_to_robot: int
    rate_hz: Optional[float]
    fields: Tuple[str, ...]
    guess: Optional[Any]
    gaps: int
    bytes_lost: int
    first_time: Optional[np.datetime64]
    last_time: Optional[np.datetime64]


@dataclass(frozen=True)
class Finding:
    """Something that happened, or that is wrong.

    severity: "info", "warning" or "error"
    id: what it is, as "safety.stop"; `armtap diagnose --list` explains each
    time: UTC; packet: Wireshark's number of the packet in its file
    text: the finding in words; args: the same as data
    """

    severity: str
    id: str
    text: str
    file: Optional[str] = None
    stream: Optional[int] = None
    packet: Optional[int] = None
    time: Optional[np.datetime64] = None
    args: Dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Incident:
    """Findings that belong together: a stop, or data that ended, with its cause.

    what, cause: ids of findings; cause is None if it is not known
    side: who is responsible: "robot", "client", "network", "capture" or "unclear"
    start, stop: UTC; packet: where it shows first
    text: the incident in words; doubt: what speaks against it, or None
    evidence: the findings it rests on
    """

    robot: str
    streams: Tuple[int, ...]
    start: Optional[np.datetime64]
    stop: Optional[np.datetime64]
    packet: Optional[int]
    what: str
    cause: Optional[str]
    side: str
    text: str
    doubt: Optional[str]
    evidence: Tuple[Finding, ...]

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Diagnosis:
    """What went wrong in a capture: incidents, each with its cause, and all findings in order of time.

    data: everything that `armtap diagnose --json` says, as dicts and lists
    """

    incidents: List[Incident]
    findings: List[Finding]
    data: Dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return "\n".join([*("%s: %s" % (each.robot, each) for each in self.incidents), "%d findings" % len(self.findings)])


@dataclass(frozen=True)
class Field:
    """A field as `armtap.fields()` lists it.

    type: as RTDE calls it: "DOUBLE", "VECTOR6D", "UINT32"; count: values in it
    unit: "rad", "m/s"; "enum" and "bits" where the number stands for something else; or None
    direction: "output" of the robot, or "input"
    column_cb2, column_cb3e: where it begins in the lines of UR's Matlab interface, from 1; or None
    since: the first software that has it, or None
    """

    name: str
    type: str
    count: int
    unit: Optional[str]
    direction: str
    column_cb2: Optional[int]
    column_cb3e: Optional[int]
    legacy_name: Optional[str]
    since: Optional[str]
    meaning: str


def streams_of(text: bytes) -> List[Stream]:
    """From `armtap info --json`."""
    times = ("first_time", "last_time")
    return [_make(Stream, {**each, "fields": tuple(each["fields"]), **{name: _time(each[name]) for name in times}})
            for each in load(text)["streams"]]


def diagnosis_of(text: bytes) -> Diagnosis:
    """From `armtap diagnose --json`."""
    data = load(text)
    findings = [_make(Finding, {**each, "time": _time(each.get("time"))}) for each in data["findings"]]
    incidents = [_make(Incident, {**each, "streams": tuple(each["streams"]), "evidence": tuple(findings[i] for i in each["evidence"])},
                       start=_time(each["from"]), stop=_time(each["to"])) for each in data["incidents"]]
    return Diagnosis(incidents, findings, data)


def fields_of(text: bytes) -> List[Field]:
    """From `armtap fields --json`."""
    return [_make(Field, each) for each in load(text)]

"""The program: where it is, how it is run, and what it says."""
from __future__ import annotations

import json
import logging
import math
import os
import selectors
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import warnings
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Generator, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

ERROR, WARNING, INFO = "error", "warning", "info"  # severities of messages
DAMAGED = "input.damaged"  # the id of messages after which there is a result: all that came before
PIECE = 1 << 16  # bytes read at once
KEPT = 10000  # messages, in which what went wrong is looked for
SILENCE = 1.0  # seconds without output after which warnings do not wait for the end
PATIENCE = 5.0  # seconds for the program to end after SIGTERM
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "ARMTAP_MESSAGES": "json"}
log = logging.getLogger("armtap")


class Error(Exception):
    """armtap could not do it. The text is what the program said.

    status: the program's exit status, 2 in most cases; None if it could not be run
    command: the words of its command line
    ids: those of the program's messages, by which it tells what programs may act on; most have none
    """

    def __init__(self, message: str, status: Optional[int] = None, command: Sequence[str] = (), ids: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.command = list(command)
        self.ids = frozenset(ids)


class ArmtapWarning(UserWarning):
    """What the program says beside its result: missing data, a guessed recipe, streams that were left out."""


class Input(NamedTuple):
    """What a command reads: words of the command line, and a file that is its standard input."""

    words: List[str]
    stdin: Optional[int] = None


def find() -> str:
    """The program's path: $ARMTAP, else what was installed with this package, else the first `armtap` in the PATH."""
    given = os.environ.get("ARMTAP")
    if given:
        found = shutil.which(given)
        if not found:
            raise Error("$ARMTAP is %s, which is no program" % given)
        return found
    here = Path(__file__).resolve()
    # lib/pythonX.Y/site-packages/armtap/program.py; or, after pip install --target, armtap/program.py
    folders = [str(here.parents[up] / "bin") for up in (4, 1) if up < len(here.parents)]
    for folder in [*folders, sysconfig.get_path("scripts"), None]:
        found = shutil.which("armtap", path=folder)
        if found:
            return found
    raise Error("the program armtap was not found: build it before `pip install`, install it, or set the environment variable ARMTAP to its path")


@contextmanager
def understood() -> Iterator[None]:
    """While what the program wrote is read: a program of another version may write something else."""
    try:
        yield
    except (ValueError, LookupError, TypeError, zipfile.BadZipFile) as error:
        raise Error("%s wrote something that this package cannot read (%s): are both of one version?" % (find(), error)) from error


def option_words(options: Mapping[str, Any]) -> List[str]:
    """Options of the command line: every="100ms" becomes --every=100ms; True stands for an option without a value, None and
    False for none; a list repeats the option, a dict repeats it with KEY=VALUE."""
    words: List[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            words += ["%s=%s=%s" % (option, key, each) for key, each in value.items()]
        elif isinstance(value, (list, tuple)):
            words += ["%s=%s" % (option, each) for each in value]
        else:
            words.append("%s=%s" % (option, value))
    return words


def _start(words: Sequence[str], given: Input, **how: Any) -> "subprocess.Popen[bytes]":
    command = [find(), *words, *(["--", *given.words] if given.words else [])]
    stdin = subprocess.DEVNULL if given.stdin is None else given.stdin
    try:
        return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **ENVIRONMENT}, **how)
    except OSError as error:
        raise Error("%s cannot be run: %s" % (command[0], error.strerror), None, command) from error


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends the program, whatever it does. Its output is closed first: it may wait for a reader."""
    assert process.stdout and process.stderr
    process.stdout.close()
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    process.stderr.close()


class Message(NamedTuple):
    """A line of the program's on standard error."""

    severity: str
    id: Optional[str]
    text: str


def _message(line: bytes) -> Message:
    """From an object of JSON. The system's loader, or a program of another kind, says what is none."""
    try:
        said = json.loads(line)
        return Message(said["severity"], said["id"], said["text"])
    except (ValueError, TypeError, KeyError):
        return Message(ERROR, None, line.decode("utf-8", "replace").rstrip("\n"))


def _outside() -> int:
    """How many frames up the caller of this package is, for warnings."""
    level, frame = 0, sys._getframe()
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


def pass_on(messages: Iterable[Message]) -> None:
    """Warnings of the program's as Python's, and the rest, such as "connected", to the log."""
    for message in messages:
        if message.severity == WARNING:
            warnings.warn(message.text, ArmtapWarning, stacklevel=_outside())
        else:
            log.log(logging.WARNING if message.severity == ERROR else logging.INFO, "%s", message.text)


def _listen(process: "subprocess.Popen[bytes]", silence: Optional[float] = None) -> Iterator[Union[bytes, Message, None]]:
    """What the program prints, in pieces, and its messages, as they come; None if nothing comes for so many seconds."""
    assert process.stdout and process.stderr
    rest = b""
    with selectors.DefaultSelector() as selector:
        for pipe in process.stdout, process.stderr:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(silence)
            if not ready:
                yield None
            for key, _ in ready:
                data = os.read(key.fd, PIECE)
                if not data:
                    selector.unregister(key.fileobj)
                elif key.fileobj is process.stdout:
                    yield data
                else:
                    *lines, rest = (rest + data).split(b"\n")
                    yield from map(_message, lines)
    if rest:
        yield _message(rest)
    process.wait()


def _judge(process: "subprocess.Popen[bytes]", messages: List[Message], has_result: bool) -> None:
    """Raises what went wrong, or passes on what the program said."""
    status = process.returncode
    errors = [each for each in messages if each.severity == ERROR]
    if errors and has_result and all(each.id == DAMAGED for each in errors):
        status, messages = 1, [each._replace(severity=WARNING) if each in errors else each for each in messages]
    if status in (0, 1):
        pass_on(messages)
        return
    lines = [("warning: " if each.severity == WARNING else "") + each.text for each in messages if each.severity != INFO]
    if status < 0:
        lines.append("the program was ended by %s" % signal.Signals(-status).name)
    raise Error("\n".join(lines) or "the program failed with status %d" % status, status, list(map(str, process.args)),  # type: ignore[arg-type]
                [each.id for each in messages if each.id])


def run(words: Sequence[str], given: Input = Input([]), output: Optional[int] = None, seconds: Optional[float] = None) -> bytes:
    """Runs the program to its end and returns what it printed. Status 1 is a result: something was found. What it warns of is passed
    on at its end, or while it waits.

    output: a file that the program inherits under the same number, besides its standard output
    seconds: after these it is told to end, and prints what it has
    """
    process = _start(words, given, pass_fds=() if output is None else (output,))
    printed: List[bytes] = []
    messages: List[Message] = []
    end = math.inf if seconds is None else time.monotonic() + seconds
    try:
        for heard in _listen(process, SILENCE if seconds is None else min(SILENCE, seconds)):
            if isinstance(heard, bytes):
                printed.append(heard)
            elif heard:
                messages += [heard][:KEPT - len(messages)]
            else:
                pass_on(each for each in messages if each.severity != ERROR)
                messages = [each for each in messages if each.severity == ERROR]
            if time.monotonic() >= end:
                process.terminate()
                end = math.inf
    finally:  # also after KeyboardInterrupt
        _end(process)
    _judge(process, messages, bool(printed) or output is not None and os.fstat(output).st_size > 0)
    return b"".join(printed)


def lines_of(words: Sequence[str], given: Input, begun: Callable[["subprocess.Popen[bytes]"], None]) -> Generator[bytes, None, None]:
    """What the program prints, line by line, as it comes; what it says is passed on in between. Closing the iterator ends the
    program. begun: gets the process, which may be ended from another thread."""
    process = _start(words, given)
    begun(process)
    errors: List[Message] = []  # until it is known what came of them
    rest, has_lines = b"", False
    try:
        for heard in _listen(process):
            if isinstance(heard, bytes):
                has_lines = True
                *lines, rest = (rest + heard).split(b"\n")
                yield from lines
            elif heard and heard.severity == ERROR:
                errors += [heard][:KEPT - len(errors)]
            elif heard:
                pass_on([heard])
        _judge(process, errors, has_lines)
    finally:
        _end(process)

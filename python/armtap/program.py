"""The program: where it is, how it is run, and what it says."""
from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import warnings
from collections import deque
from pathlib import Path
from typing import Any, Deque, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence

PATIENCE = 5.0  # seconds for the program to end after SIGTERM
CONTINUED = "  "  # begins the lines of a message after its first
SPEAKER = re.compile(r"(\S+Z \+\S+ s )?armtap: ")  # begins a line; live with the time
WARNING = "warning: "
log = logging.getLogger("armtap")


class Error(Exception):
    """armtap could not do it. The text is what the program said.

    status: the program's exit status, 2 in most cases; None if it could not be run
    command: the words of its command line
    """

    def __init__(self, message: str, status: Optional[int] = None, command: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.command = list(command)


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
    raise Error("the program armtap was not found: install it, or set the environment variable ARMTAP to its path")


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
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    stdin = subprocess.DEVNULL if given.stdin is None else given.stdin
    try:
        return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **how)
    except OSError as error:
        raise Error("%s cannot be run: %s" % (command[0], error.strerror), None, command) from error


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends the program, whatever it does. Its output is closed first: it may wait for a reader."""
    if process.stdout:
        process.stdout.close()
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _messages(lines: Iterable[str]) -> Iterator[str]:
    """Messages without the program's name; one goes on in lines that begin with blanks."""
    message: List[str] = []
    for line in lines:
        text = SPEAKER.sub("", line, count=1)
        if message and not text.startswith(CONTINUED):
            yield "\n".join(message)
            message = []
        message.append(text.rstrip())
    if message:
        yield "\n".join(message)


def _outside() -> int:
    """How many frames up the caller of this package is, for warnings."""
    level, frame = 0, sys._getframe()
    while frame.f_back and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


def warn(lines: Iterable[str]) -> None:
    """Warnings of the program's as Python's, and the rest, such as "connected", to the log."""
    for message in _messages(lines):
        if message.startswith(WARNING):
            warnings.warn(message[len(WARNING):], ArmtapWarning, stacklevel=_outside())
        else:
            log.info("%s", message)


def _judge(process: "subprocess.Popen[bytes]", lines: List[str]) -> None:
    """Raises what went wrong, or warns of what the program said."""
    status = process.returncode
    if status in (0, 1):
        warn(lines)
        return
    message = "\n".join(_messages(lines))
    if status < 0:
        message = "%sthe program was ended by %s" % (message and message + "\n", signal.Signals(-status).name)
    raise Error(message or "the program failed with status %d" % status, status, list(map(str, process.args)))  # type: ignore[arg-type]


def run(words: Sequence[str], given: Input = Input([]), output: Optional[int] = None) -> bytes:
    """Runs the program to its end and returns what it printed. Status 1 is a result: something was found.

    output: a file that the program inherits under the same number, besides its standard output
    """
    process = _start(words, given, pass_fds=() if output is None else (output,))
    try:
        printed, said = process.communicate()
    except BaseException:  # also KeyboardInterrupt
        _end(process)
        if process.stderr:
            process.stderr.close()
        raise
    _judge(process, said.decode("utf-8", "replace").splitlines())
    return printed


def lines_of(words: Sequence[str], given: Input) -> Iterator[bytes]:
    """What the program prints, line by line, as it comes; what it says is warned of in between. Closing the iterator ends the
    program."""
    process = _start(words, given)
    assert process.stdout and process.stderr
    said: Deque[str] = deque()

    def drain(pipe: Any) -> None:
        for line in pipe:
            said.append(line.decode("utf-8", "replace").rstrip("\n"))

    listener = threading.Thread(target=drain, args=(process.stderr,), daemon=True)
    listener.start()
    try:
        for line in process.stdout:
            if said:
                warn([said.popleft() for _ in range(len(said))])
            yield line
        process.wait()
        listener.join()
        _judge(process, list(said))
    finally:
        _end(process)
        listener.join(PATIENCE)
        process.stderr.close()

"""armtap, run beside the robots of a test."""
import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from tally import expect, in_time, wait_for

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
PATIENCE = 20  # s, of a machine that does much else


class Run:
    """armtap, whose outputs go to files, or to a pipe that the test reads."""
    quick = 1.5  # s from a signal to the end: the program's own limit is 0.8

    def __init__(self, *arguments, stdout=None):
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.begun = time.monotonic()
        self.program = subprocess.Popen([ARMTAP, *arguments], stdin=subprocess.DEVNULL, stdout=stdout or self.out, stderr=self.err)
        self.status, self.usage, self.lasted = None, None, 0.0

    def said(self):
        return whole(self.err)

    def printed(self):
        return whole(self.out)

    def until(self, truth):
        return wait_for(truth, PATIENCE, ends=lambda: self.program.poll() is not None)

    def says(self, pattern):
        expect("says " + pattern, self.until(lambda: re.search(pattern, self.said())), self.said())

    def shows(self, what, pattern):
        """On either output."""
        expect(what, self.until(lambda: re.search(pattern, self.printed() + self.said())), pattern, self.printed(), self.said())

    def end(self, number=signal.SIGINT):
        """Sends the signal; returns the status."""
        begun = time.monotonic()
        self.program.send_signal(number)
        self.lasted = self.wait(begun)
        in_time("the end after signal %d" % number, self.lasted, self.quick)
        return self.status

    def wait(self, begun=None):
        """How long it took to end."""
        begun = begun or time.monotonic()
        timer = threading.Timer(PATIENCE, self.program.kill)
        timer.start()
        _, status, self.usage = os.wait4(self.program.pid, 0)
        timer.cancel()
        self.program.returncode = self.status = os.waitstatus_to_exitcode(status)
        return time.monotonic() - begun

    def cpu(self):
        return self.usage.ru_utime + self.usage.ru_stime


def whole(file):
    """All of a file in which a program still writes."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")

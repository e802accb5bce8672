"""A terminal for a program that a test runs."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import tty

END = b"\0\0\0"


class Terminal:
    """The program writes to `theirs`; `ours` reads it."""

    def __init__(self, width, raw=False):
        """width 0: a terminal of unknown width. raw: line ends are not changed."""
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        if raw:
            tty.setraw(self.theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.ours)
        os.close(self.theirs)

    def read(self, program, patience=None):
        """Reads all output until the program ends; after `patience` seconds it is interrupted. `theirs` stays open and gets a
        mark at the end, because a terminal may lose pending output when the last program closes it."""
        text, ended = b"", os.pidfd_open(program.pid) if program.poll() is None else None
        wanted = [self.ours, ended]
        if ended is None:
            wanted = self._mark_end()
        while not text.endswith(END):
            ready = select.select(wanted, [], [], patience)[0]
            if self.ours in ready:
                text += os.read(self.ours, 65536)
            elif ready:
                wanted = self._mark_end()
            else:
                program.send_signal(signal.SIGINT)
        if ended is not None:
            os.close(ended)
        return text[:-len(END)]

    def _mark_end(self):
        os.write(self.theirs, END)
        return [self.ours]

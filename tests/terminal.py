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
    """`theirs` is the end that the program writes to, and `ours` the one that this reads."""

    def __init__(self, width, raw=False):
        """width 0: a terminal that does not know how wide it is. raw: lines end as the program ends them."""
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
        """All it writes until it has ended; after `patience` seconds it is asked to. `theirs` stays open, and a mark
        follows what was written: what is still on its way when the last program closes a terminal may be lost."""
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

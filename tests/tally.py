"""Counts what the tests in this folder expect, and prints what fails."""
import math
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

SHOWN = 2000  # characters of the actual result
ATTEMPTS = 3
ALL = os.environ.get("CHECK") == "all"  # not only a share of what is swept
CASES = os.environ.get("CASES", "").split()  # of side_by_side these alone, by the functions' names
_counts = {True: 0, False: 0}
_TESTED = os.path.abspath(os.environ.get("ARMTAP") or os.path.join(os.environ.get("builddir", "."), "armtap"))

# Whoever runs the tests in the background may ignore these, and what is ignored is inherited by the programs tested.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


_told = set()


def share(cases, one_in, what):
    """All the cases in `make check-all` (CHECK=all in the environment); otherwise one in so many, the same each time."""
    cases = list(cases)
    if CASES:
        return cases
    if what not in _told:
        _told.add(what)
        print("all" if ALL else "one in %d" % one_in, what)
    if ALL:
        return cases
    chosen = random.Random(1).sample(range(len(cases)), math.ceil(len(cases) / one_in))
    return [cases[i] for i in sorted(chosen)]


def expect(what, truth, *shown):
    _counts[bool(truth)] += 1
    if not truth:
        print("FAIL", what, *(str(one)[:SHOWN] for one in shown))


def lacks(program, what="this test"):
    """Says that something is not run, since a program is not installed. tests/summary counts it; in continuous integration as a
    failure."""
    print("not installed: %s, for %s" % (program, what))


def skips(reason):
    """Says that something is not run, since this system or user does not allow it. tests/summary counts it; in continuous
    integration as a failure."""
    print("skipped:", reason)


def left_out(library):
    """Says that something is not run, since armtap was built without a library."""
    print("left out: built without", library)


def is_sanitized():
    """Whether the armtap that is tested needs memory for ASan."""
    with open(_TESTED, "rb") as file:
        return b"__asan_init" in file.read()


def _version():
    return subprocess.run([_TESTED, "--version"], capture_output=True, text=True, check=True).stdout


def is_windows():
    """Whether the armtap that is tested is the one for Windows, which Wine runs here."""
    return "Npcap" in _version()


def is_left_to_linux(reason):
    """Whether something is not run since the armtap that is tested is the one for Windows; says why."""
    if is_windows():
        print("left out on Windows:", reason)
    return is_windows()


def free_ports(count):
    """Ports of this machine that are free on each of its addresses, and stay so: the system gives none of them to a test that
    asks for any port (they are below net.ipv4.ip_local_port_range)."""
    found = []
    for port in random.SystemRandom().sample(range(10000, 29000), 1000):
        with socket.socket() as listener:
            try:
                listener.bind(("0.0.0.0", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError("no free ports")


def endings():
    """The signals that end the program as a user would: there is only Ctrl-C on Windows, which Wine makes of SIGINT."""
    return [signal.SIGINT] if is_windows() else [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def term():
    """As another program would."""
    return signal.SIGINT if is_windows() else signal.SIGTERM


def is_built_in(library):
    """Whether the armtap that is tested has it: AUBO, libzstd ... as `armtap --version` calls it; says what is left out."""
    built = "built without " + library not in _version()
    if not built:
        left_out(library)
    return built


def decodable(names):
    """The samples of these names that the armtap that is tested decodes."""
    names = list(names)
    aubo = [name for name in names if os.path.basename(name).startswith("aubo")]
    return names if not aubo or is_built_in("AUBO") else [name for name in names if name not in aubo]


class Late(Exception):
    """Something took longer than its limit."""


def in_time(what, seconds, limit):
    """A busy machine may be late, but a program that waits too long is late each time: side_by_side runs the case again, alone."""
    if seconds >= limit:
        raise Late("%s took %.2f s, at most %g s are allowed" % (what, seconds, limit))
    expect(what, True)


def wait_for(truth, patience, ends=lambda: False):
    """Whether truth() holds within `patience` seconds, or when ends() does."""
    limit = time.monotonic() + patience
    while not truth():
        if time.monotonic() > limit or ends():
            return bool(truth())
        time.sleep(0.01)
    return True


def until(what, truth, patience=30, ends=lambda: False, evidence=tuple):
    """Waits for what must come true; counts it as a failure if it does not, and prints the evidence."""
    came = wait_for(truth, patience, ends)
    if not came:
        expect("in time: " + what, False, *evidence())
    return came


def _attempt(case):
    """Whether the case came to its end; what failed until then counts anyway."""
    before = _counts[True]
    with tempfile.TemporaryDirectory() as folder:
        back = os.getcwd()
        os.chdir(folder)
        try:
            case()
        except Late as late:
            print("late:", late)
            _counts[True] = before
            return False
        except BaseException:  # pylint: disable=broad-except
            traceback.print_exc(file=sys.stdout)
            _counts[False] += 1
        finally:
            os.chdir(back)
    return True


def _name(case):
    return getattr(case, "__name__", "") or " ".join(map(str, (case.func.__name__, *case.args)))


def _run_child(case):
    """In the child: whether it was in time and the counts go to the parent as three numbers, the output to a file."""
    _counts.update({True: 0, False: 0})
    begin = time.monotonic()
    came = _attempt(case)
    print("%s: %.1f s" % (_name(case), time.monotonic() - begin))
    sys.stdout.flush()
    return "%d %d %d" % (came, _counts[True], _counts[False])


def _start(case):
    said, (ours, theirs) = tempfile.TemporaryFile("w+"), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        os.dup2(said.fileno(), 1)
        try:
            os.write(theirs, _run_child(case).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    return child, said, ours


def _end(case, child, said, ours):
    """Adds the counts; whether the case came to its end in time."""
    with os.fdopen(ours) as counts:
        told = counts.read()
    os.waitpid(child, 0)
    said.seek(0)
    print(said.read(), end="")
    said.close()
    if not told:
        print("FAIL", _name(case), "was ended from outside")
    came, passed, failed = map(int, (told or "1 0 1").split())
    _counts[True] += passed
    _counts[False] += failed
    return bool(came)


def side_by_side(*cases):
    """Runs cases that mostly wait at the same time, each in a process and an empty folder of its own; then those that were late
    again, one after the other."""
    sys.stdout.flush()
    cases = [case for case in cases if not CASES or _name(case).split()[0] in CASES]
    late = [case for case, *run in [(case, *_start(case)) for case in cases] if not _end(case, *run)]
    for case in late:
        sys.stdout.flush()
        expect(_name(case) + ": in time, once in %d attempts" % ATTEMPTS, any(_end(case, *_start(case)) for _ in range(ATTEMPTS - 1)))


def finish():
    """Prints the counts; returns the exit status."""
    print("%d passed, %d failed" % (_counts[True], _counts[False]))
    return 1 if _counts[False] or not _counts[True] else 0

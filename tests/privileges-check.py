#!/usr/bin/env python3
"""As root, on the loopback interface of a network namespace of its own: once the interface is open, the kernel no longer
lists the program as root's, and outputs belong to the remaining user. With libseccomp the kernel allows only what reading
and writing need, which a library loaded into the program tries (refused.c). Packets still become rows and files, drops
are counted, a removed interface is reported, Ctrl-C ends the program within a second."""
import ctypes
import errno
import fcntl
import glob
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from functools import partial

from format_rows import rows_of
from tally import expect, finish, side_by_side, skips
from terminal import Terminal

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
FORMATS = os.path.join(os.environ.get("srcdir", "."), "tools", "export", "formats", "formats.def")
CAPTURE = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "captures/rtde-v1.pcap"))
PATIENCE = 20
SOON = 5  # a second on an idle machine
CLONE_NEWNET = 0x40000000
CAP_DAC_READ_SEARCH, CAP_NET_RAW = 2, 13
CAPABILITIES = "CapInh", "CapPrm", "CapEff", "CapAmb"
PROBES = 19  # in refused.c, and a thread
SUDO = {"SUDO_UID": "12345", "SUDO_GID": "23456"}


def state_of(process):
    with open("/proc/%s/status" % process) as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def state(program):
    return state_of(program.pid)


def set_up(interface, is_up):
    """An interface of this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        request = struct.pack("16sH22x", interface.encode(), 1 if is_up else 0)  # IFF_UP
        fcntl.ioctl(asked, 0x8914, request)  # SIOCSIFFLAGS


def on_own_network():
    """Moves this process to a new network namespace with a loopback interface; returns whether the kernel allows it."""
    if ctypes.CDLL(None).unshare(CLONE_NEWNET) != 0:
        return False
    set_up("lo", True)
    return True


def wait_until(ready):
    """Returns the result once it is true, or the last one after PATIENCE."""
    end = time.monotonic() + PATIENCE
    while not (what := ready()) and time.monotonic() < end:
        time.sleep(0.02)
    return what


def confined(program):
    """Whether it has given up its privileges, or ended."""
    if program.poll() is not None:
        return True
    seen = state(program)
    return seen["NoNewPrivs"] == "1" and (not SANDBOX or filters(seen) > filters(state_of("self")))


def filters(seen):
    """The number of system call filters; Linux before 5.9 tells only whether there are any."""
    return int(seen.get("Seccomp_filters", seen["Seccomp"]))


def start(*command, preload="", sink=subprocess.PIPE, errors=subprocess.PIPE, environment=SUDO):
    """Starts armtap and waits until it captures."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("SUDO_")}
    program = subprocess.Popen([ARMTAP, *command], stdout=sink, stderr=errors,
                               env={**variables, **environment, "LD_PRELOAD": preload})
    wait_until(lambda: confined(program))
    time.sleep(0.3)
    return program


def interrupt(program):
    """Returns its output and messages, and how many seconds it took to end."""
    begin = time.monotonic()
    program.send_signal(signal.SIGINT)
    out, message = program.communicate(timeout=PATIENCE)
    return (out or b"").decode(), (message or b"").decode(), time.monotonic() - begin


def talk(port, records):
    """A robot's side of a connection on the loopback interface: legacy packets of 1108 bytes. Its port is none that the
    kernel gives to clients: another robot's client would have it now and then."""
    with socket.create_server(("127.0.0.1", port)) as listener, \
            socket.create_connection(("127.0.0.1", port)) as client:
        robot = listener.accept()[0]
        for i in range(records):
            robot.sendall(struct.pack(">I138d", 1108, 1 + i * 0.008, *[i] * 137))
            client.recv(65536)
            time.sleep(0.004)
        robot.close()


def lines_in(folder, begin):
    """The lines of all files whose names begin so."""
    count = 0
    for name in os.listdir(folder):
        if name.startswith(begin):
            with open(os.path.join(folder, name)) as file:
                count += file.read().count("\n")
    return count


def check_rows(folder):
    """Packets become rows in files that are opened after the filter is in place, with any number of threads."""
    for threads in "1", "3":
        out = folder + "/mine/rows%s.csv" % threads
        program = start("export", "-i", "lo", "--port", "26995=realtime", "--port", "26996=realtime", "--split", "--threads",
                        threads, "--fields", "actual_q", "-o", out)
        for port, records in (26995, 50), (26996, 30):
            talk(port, records)
        wait_until(lambda: lines_in(os.path.dirname(out), "rows%s." % threads) == 2 + 50 + 30)
        _, message, took = interrupt(program)
        rows = []
        for table in 0, 1:
            try:
                with open(out.replace(".csv", ".%d.csv" % table)) as file:
                    rows.append([line.rsplit(",", 1)[1].strip() for line in file][1:])
            except OSError as error:
                rows.append(str(error))
        wanted = [[str(i) for i in range(count)] for count in (50, 30)]
        expect(("rows", threads), [[text.removesuffix(".0") for text in table] for table in rows] == wanted, rows, message)
        expect(("ends soon", threads), took < SOON and program.returncode == 0, took, program.returncode, message)


# ---- every format, live ------------------------------------------------------------------------------------------------


def live_outputs(folder):
    """Each format and dialect, and those of text also compressed: (its options, the output, what is said of it)."""
    for name, dialect, endings, flags, _ in rows_of(FORMATS):
        lacks = {"mat": "libmatio" if dialect else "libhdf5", "h5": "libhdf5"}.get(name)
        if lacks and "built without " + lacks in VERSION:
            continue
        options = ["-f", name] + (["--dialect", dialect] if dialect else []) + (["--compression", "none"] if "PACKS" in flags else [])
        out = "%s/mine/live-%s%s%s" % (folder, name, dialect, endings[0] if endings else "." + name)
        yield options, out, flags
        if "BINARY" not in flags:
            yield options, out + ".gz", flags


def lines_of(path):
    """The lines of a text that may be compressed, and may be cut off."""
    with open(path, "rb") as file:
        data = file.read()
    if ".gz" in path:
        data = zlib.decompressobj(31).decompress(data)
    return data.decode().split("\n")


def messages_of(path):
    """How many messages on /armtap/state the whole chunks of an MCAP file hold, which may lack its end."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89MCAP0\r\n":
        return -1
    states, count, at, ends = set(), 0, 8, [len(data)]
    while at + 9 <= ends[-1]:
        kind, length = struct.unpack_from("<BQ", data, at)
        at += 9
        if at + length > ends[-1]:
            break
        if kind == 6:  # a chunk: times, size and checksum, the compression's name, then records
            name = struct.unpack_from("<I", data, at + 28)[0]
            expect("not compressed", name == 0, name)
            ends.append(at + length)
            at += 28 + 4 + 8
            continue
        if kind == 4:
            topic = struct.unpack_from("<I", data, at + 4)[0]
            if data[at + 8:at + 8 + topic].endswith(b"armtap/state"):
                states.add(struct.unpack_from("<H", data, at)[0])
        count += kind == 5 and struct.unpack_from("<H", data, at)[0] in states
        at += length
        while len(ends) > 1 and at == ends[-1]:
            ends.pop()
    return count


def rows_in(path, name):
    """-1: not all of them are whole."""
    if not os.path.exists(path):
        return 0
    if name == "mcap":
        return messages_of(path)
    lines = lines_of(path)
    cells = {len(line.split("," if "," in lines[1] else " ")) for line in lines[1:-1]}
    if lines[-1] != "" or len(cells) > 1:
        return -1
    return len([line for line in lines[:-1] if not line.startswith("#")]) - (name == "csv")


def is_whole(path, name, dialect):
    """Of the binary formats: it begins and ends as it should; other tests read them."""
    with open(path, "rb") as file:
        data = file.read()
    if name == "parquet":
        return data[:4] == data[-4:] == b"PAR1"
    if name == "arrow":
        return data[:8] == b"ARROW1\0\0" and data[-6:] == b"ARROW1"
    if name == "npz":
        return data[:4] == b"PK\3\4" and data[-22:-18] == b"PK\5\6"
    if name == "h5":
        return data[:8] == b"\x89HDF\r\n\x1a\n" and struct.unpack_from("<Q", data, 40)[0] == len(data)
    return data.startswith(b"MATLAB 5.0" if dialect else b"MATLAB 7.3") and len(data) > 30000


def begin_all(outputs, first_port):
    runs = []
    for i, (options, out, _) in enumerate(outputs):
        with open("%s.said%d" % (out, first_port), "wb") as errors:
            runs.append(start("export", "-i", "lo", "--port", "%d=realtime" % (first_port + i), *options, "-o", out, errors=errors))
    return runs


def talk_to_all(outputs, first_port, records):
    threads = [threading.Thread(target=talk, args=(first_port + i, records)) for i in range(len(outputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for options, out, flags in outputs:
        if "AT_END" not in flags:
            wait_until(lambda: rows_in(out + ".partial", options[1]) >= records)  # pylint: disable=cell-var-from-loop


def said(out, port):
    with open("%s.said%d" % (out, port)) as file:
        return file.read()


def check_formats(folder):
    """Each format takes what an interface brings, also those of libraries that are loaded when they are needed. Killed, what
    has come is in OUT.partial, which the next run names; ended by a signal that can be caught, the output is whole. On a
    network of its own: the robots of the other checks must add no rows."""
    on_own_network()
    outputs = list(live_outputs(folder))
    expect("formats", len(outputs) >= 12, len(outputs))
    first, records = 26700, 60
    runs = begin_all(outputs, first)
    talk_to_all(outputs, first, records)
    for program in runs:
        program.kill()
        program.wait()
    kept = {}
    for options, out, flags in outputs:
        at_end = "AT_END" in flags
        expect(("said at the start", out), ("readable only when complete" in said(out, first)) == at_end, said(out, first))
        expect(("killed: only", out), not os.path.exists(out) and os.path.exists(out + ".partial"))
        if not at_end:
            expect(("killed: rows", out), rows_in(out + ".partial", options[1]) == records)
            with open(out + ".partial", "rb") as file:
                kept[out] = file.read()
    first += len(outputs)
    signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT, signal.SIGXCPU, signal.SIGRTMIN]
    runs = begin_all(outputs, first)
    talk_to_all(outputs, first, records)
    for i, program in enumerate(runs):
        program.send_signal(signals[i % len(signals)])
    for program, (options, out, flags) in zip(runs, outputs):
        program.wait(PATIENCE)
        message = said(out, first)
        expect(("whole", out), program.returncode == 0 and os.path.exists(out), program.returncode, message)
        expect(("names what was left", out), message.count("live-") and os.path.basename(out) + ".partial: left by a run that was killed" in message,
               message)
        if "AT_END" in flags:
            expect(("is whole", out), is_whole(out, options[1], options[2:4] == ["--dialect", "v5"]))
            # Arrow's schema is written before the first row.
            expect(("nothing beside", out), options[1] == "arrow" or not glob.glob(out + ".partial*"))
        else:
            expect(("all rows", out), rows_in(out, options[1]) == records)
            with open(out + ".partial-1", "rb") as file:
                expect(("kept", out), file.read() == kept[out])


def check_pictures(folder):
    """A picture is drawn after the filter is in place: libcairo and its fonts are loaded before."""
    for kind, port, begin in (("svg", 26990, b"<svg"), ("png", 26991, b"\x89PNG"), ("pdf", 26992, b"%PDF-")):
        if kind != "svg" and not CAIRO:
            continue
        with open("%s/x.%s" % (folder, kind), "w+b") as sink:
            program = start("plot", "-i", "lo", "--port", "%d=realtime" % port, "--fields", "actual_q", "-f", kind, sink=sink)
            talk(port, 30)
            time.sleep(0.3)
            _, message, _ = interrupt(program)
            sink.seek(0)
            data = sink.read()
        expect((kind, "a picture"), program.returncode == 0 and data.startswith(begin), program.returncode, data[:20], message)
        expect((kind, "no complaint"), "armtap" not in message and "ontconfig" not in message, message)


def check_drops():
    """A stopped program's ring of 16 MiB fills: the packets that the kernel dropped are counted."""
    program = start("export", "-i", "lo", "--filter", "udp port 9")
    program.send_signal(signal.SIGSTOP)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(1000):
            sender.sendto(bytes(60000), ("127.0.0.1", 9))
    program.send_signal(signal.SIGCONT)
    time.sleep(0.5)
    _, message, took = interrupt(program)
    dropped = re.search(r"lo: the kernel or the interface dropped (\d+) packets", message)
    expect("drops", dropped is not None and 100 < int(dropped[1]) < 2000, message)
    expect("ends soon after a flood", took < SOON, took)


def check_down(folder):
    """An interface that is down may come up again: libpcap asks which it is, and waits."""
    with open(folder + "/down.csv", "w") as sink:
        program = start("export", "-i", "lo", "--port", "26997=realtime", "--fields", "actual_q", sink=sink)
        set_up("lo", False)
        time.sleep(1)
        expect("waits while it is down", program.poll() is None)
        set_up("lo", True)
        time.sleep(0.5)
        talk(26997, 10)
        wait_until(lambda: lines_in(folder, "down.csv") == 11)
        _, message, _ = interrupt(program)
    lines = lines_in(folder, "down.csv")
    expect("goes on when it is up again", program.returncode == 0 and lines == 11, program.returncode, lines, message)


def check_gone():
    """An interface that is removed while it is read."""
    try:
        tunnel = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tunnel, 0x400454ca, struct.pack("16sH22x", b"gone0", 0x1001))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
        set_up("gone0", True)
    except OSError as error:
        print("an interface that is removed: not tried:", error)
        return
    program = start("diagnose", "-i", "gone0", "--filter", "tcp port 9")
    os.close(tunnel)
    try:
        _, message = program.communicate(timeout=PATIENCE)
        expect("gone", program.returncode == 2 and b"check that the interface is still up" in message, message)
    finally:
        program.kill()


def check_refused(folder):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        print("what is refused: not tried: no compiler")
        return
    source = os.path.join(os.environ.get("srcdir", "."), "tests/refused.c")
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", folder + "/refused.so", "-ldl", "-lpthread"], check=True)
    os.chmod(folder + "/refused.so", 0o755)
    with open(folder + "/said", "w+") as said:
        program = start("diagnose", "-i", "lo", "--filter", "tcp port 9", preload=folder + "/refused.so", errors=said)
        wait_until(lambda: lines_in(folder, "said") >= 1 + PROBES)
        interrupt(program)
        said.seek(0)
        message = said.read()
    got = dict(re.findall(r"^probe (\w+) (\d+)$", message, re.MULTILINE))
    expect("a thread", got.pop("thread", None) == "0", message)
    expect("every probe", len(got) == PROBES, got)
    for name, error in got.items():
        expect(("refused", name), error == str(errno.ENOSYS), error)
    expect("goes on", program.returncode == 2 and "no telemetry" in message, program.returncode, message)


def check_output(folder):
    """It belongs to the remaining user, in that user's folder; it cannot be created in root's."""
    program = start("export", "-i", "lo", "--filter", "tcp port 9", "-o", folder + "/mine/x.csv")
    made = wait_until(lambda: program.poll() is None and
                      [name for name in os.listdir(folder + "/mine") if name == "x.csv.partial"])
    expect("an output of the user's", made and os.stat(os.path.join(folder, "mine", made[0])).st_uid == 12345, made)
    interrupt(program)
    program = start("export", "-i", "lo", "--filter", "tcp port 9", "-o", folder + "/x.csv")
    message = program.communicate(timeout=PATIENCE)[1].decode()
    expect("nothing of root's", program.returncode == 2 and "Permission denied; armtap dropped root" in message and
           "that user 12345 may write to" in message, program.returncode, message)


def check_lent(folder):
    """A setuid or setgid file gives nobody root's rights, whatever the arguments."""
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        print("setuid and setgid: not tried: the file system has none:", folder)
        return
    secret, lent = folder + "/secret", folder + "/lent"
    with open(secret, "w") as file:
        file.write("secret words\n")
    os.chmod(secret, 0o600)
    for mode in 0o755, 0o4755, 0o2755:
        shutil.copy(ARMTAP, lent)
        os.chmod(lent, mode)
        done = subprocess.run([lent, "info", "--recipe", secret, secret], capture_output=True, text=True, check=False,
                              user=12345, group=23456, extra_groups=[])
        # LeakSanitizer cannot inspect a program that the kernel protects, and ends it with a status of its own
        ended = done.returncode == 2 or "LeakSanitizer has encountered a fatal error" in done.stderr
        expect(("lent", oct(mode)), ended and "secret words" not in done.stderr + done.stdout and
               ("setcap" in done.stderr) == (mode != 0o755), done)
        os.remove(lent)


def give_capabilities(file, *capabilities):
    """As setcap does: permitted and effective."""
    bits = sum(1 << capability for capability in capabilities)
    os.setxattr(file, "security.capability", struct.pack("<5I", 0x02000001, bits, 0, 0, 0))


def as_user(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, user=12345, group=23456, extra_groups=[],
                          stdin=subprocess.DEVNULL)


def check_capabilities(folder):
    """Capabilities of the file that its user lacks read no file and are dropped; -i opens the interface with them, and
    reads the recipe without."""
    secret, lent, reader = folder + "/secret", folder + "/lent", folder + "/cat"
    shutil.copy(ARMTAP, lent)
    shutil.copy(shutil.which("cat"), reader)
    try:
        for file in lent, reader:
            give_capabilities(file, CAP_DAC_READ_SEARCH, CAP_NET_RAW)
    except OSError as error:
        print("capabilities of the file: not tried:", error)
        return
    if as_user(reader, secret).stdout != "secret words\n":
        print("capabilities of the file: not tried: they have no effect in", folder)
        return
    for arguments in ("info", secret), ("info", "--recipe", secret, "-"), ("recipe", "--from", secret), ("explain", secret, "--packet", "1"):
        done = as_user(lent, *arguments)
        expect(("capabilities", arguments), done.returncode == 2 and "Permission denied" in done.stderr and
               "secret words" not in done.stderr + done.stdout, done)
    program = subprocess.Popen([lent, "info", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               user=12345, group=23456, extra_groups=[])
    end = time.monotonic() + PATIENCE
    while state(program).get("NoNewPrivs") != "1" and program.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    seen = state(program)
    program.stdin.close()
    program.wait(PATIENCE)
    expect("no capabilities while it reads", [int(seen[name], 16) for name in CAPABILITIES] == [0] * len(CAPABILITIES), seen)
    done = as_user(lent, "info", "-i", "lo", "--filter", "tcp port 9", "--recipe", secret)
    expect("opens the interface, reads no recipe", done.returncode == 2 and "secret: cannot be read: Permission denied" in done.stderr
           and "secret words" not in done.stderr, done)
    capture = shutil.copy(CAPTURE, folder)  # where that user may read
    check_pager_lent(lent, capture, *write_pager(folder))


def write_pager(folder):
    """A pager that says in mine/said what it may do, and which files it was given."""
    pager, said = folder + "/pager", folder + "/mine/said"
    for old in "ended", "rows":
        if os.path.exists(os.path.join(folder, "mine", old)):
            os.remove(os.path.join(folder, "mine", old))
    with open(pager, "w") as file:
        file.write("#!/bin/sh\ncat /proc/self/status > %s\nfor file in /proc/$$/fd/*; do echo \"fd:\t$(readlink $file)\"; done"
                   " >> %s\ntee %s/mine/rows\nsleep 0.5\n"
                   "echo > %s/mine/ended\n" % (said, said, folder, folder))
    os.chmod(pager, 0o755)
    return pager, said


def expect_nothing_lent(what, said, user):
    with open(said) as file:
        text = file.read()
    seen = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
    expect((what, "user"), seen["Uid"].split() == [str(user)] * 4, seen["Uid"])
    for name in CAPABILITIES:
        expect((what, name), int(seen[name], 16) == 0, seen[name])
    expect((what, "no new privileges"), seen["NoNewPrivs"] == "1", seen["NoNewPrivs"])
    expect((what, "no socket of the interface"), "socket:" not in text and "fd:" in text, text)
    os.remove(said)


def check_pager(folder):
    """With -i the pager is the remaining user's, and is waited for with the filter in place."""
    pager, said = write_pager(folder)
    with Terminal(80) as terminal:
        program = start("export", "--pager", "-i", "lo", "--filter", "tcp port 30013", "--fields", "actual_q_0", sink=terminal.theirs,
                        environment={**SUDO, "PAGER": pager})
        wait_until(lambda: os.path.exists(said))
        seen = state(program)
        talk(30013, 5)
        wait_until(lambda: lines_in(folder + "/mine", "rows") == 1 + 5)
        program.send_signal(signal.SIGINT)
        program.wait(PATIENCE)
        expect("waits for the pager", os.path.exists(folder + "/mine/ended"))
        message = program.communicate(timeout=PATIENCE)[1].decode()
        shown = terminal.read(program).decode()
    expect("the program is confined", seen["Uid"].split() == ["12345"] * 4 and filters(seen) == filters(state_of("self")) + SANDBOX,
           seen)
    rows = [line.rsplit(",", 1)[-1] for line in shown.split()]
    expect("the pager shows it", program.returncode == 0 and rows == ["actual_q_0", "0.0", "1.0", "2.0", "3.0", "4.0"], shown, message)
    expect_nothing_lent("pager with -i", said, 12345)


def check_pager_lent(lent, capture, pager, said):
    """Capabilities that the program has are not the pager's."""
    with Terminal(80) as terminal, subprocess.Popen(
            [lent, "info", "--pager", capture], stdin=subprocess.DEVNULL, stdout=terminal.theirs, stderr=subprocess.PIPE,
            user=12345, group=23456, extra_groups=[], env={**os.environ, "PAGER": pager}) as program:
        shown = terminal.read(program).decode()
    expect("the pager shows a file", program.returncode == 0 and "stream 0" in shown, shown)
    expect_nothing_lent("pager of a program with capabilities", said, 12345)


def check_recipe(folder):
    """With -i the recipe is read as the remaining user, after root is given up. It has no fields, which ends the run."""
    for owner, wanted in (0, "Permission denied; armtap dropped root once the interface was open: put the recipe where user 12345 "
                             "may read it"), (12345, "the recipe has no fields"):
        recipe = folder + "/recipe"
        with open(recipe, "w") as file:
            file.write("\n")
        os.chmod(recipe, 0o600)
        os.chown(recipe, owner, owner)
        done = subprocess.run([ARMTAP, "info", "-i", "lo", "--filter", "tcp port 9", "--recipe", recipe], capture_output=True,
                              text=True, check=False, env={**os.environ, "SUDO_UID": "12345", "SUDO_GID": "23456"},
                              timeout=PATIENCE)
        expect(("recipe of", owner), done.returncode == 2 and wanted in done.stderr, done)


def run(environment, user, group, *command):
    """Runs until Ctrl-C; checks what the kernel reports meanwhile."""
    program = start(*command, "-i", "lo", "--filter", "tcp port 9", environment=environment)
    if program.poll() is not None:
        expect(("runs", command), False, program.stderr.read().decode())
        return
    seen = state(program)
    _, message, _ = interrupt(program)
    expect((environment, "user"), seen["Uid"].split() == [str(user)] * 4, seen["Uid"])
    expect((environment, "group"), seen["Gid"].split() == [str(group)] * 4, seen["Gid"])
    expect((environment, "groups"), "0" not in seen["Groups"].split() and str(group) in seen["Groups"].split(), seen["Groups"])
    for name in CAPABILITIES:
        expect((environment, name), int(seen[name], 16) == 0, seen[name])
    expect((environment, "no new privileges"), seen["NoNewPrivs"] == "1", seen["NoNewPrivs"])
    expect((environment, "system calls"), filters(seen) == filters(state_of("self")) + SANDBOX, seen)
    expect((environment, "ends"), program.returncode == 2 and "no telemetry" in message, program.returncode, message)


def in_folders(*checks):
    """In root's folder, with one of the user's in it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.mkdir(folder + "/mine")
        os.chown(folder + "/mine", 12345, 23456)
        for check in checks:
            check(folder)


if os.getuid() != 0 or not os.path.exists("/sys/class/net/lo"):
    skips("needs root, and Linux's loopback interface")
    sys.exit(77)
if not on_own_network():
    skips("no network namespace can be made here")
    sys.exit(77)
probe = subprocess.run(["timeout", "1", ARMTAP, "info", "-i", "lo", "--filter", "tcp port 9"], capture_output=True)
if b"cannot capture" in probe.stderr or b"may not capture" in probe.stderr:
    skips(probe.stderr.decode())
    sys.exit(77)
VERSION = subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
SANDBOX, CAIRO = "libseccomp version" in VERSION, "libcairo version" in VERSION

USERS = (({}, 65534, 65534, "diagnose"), (SUDO, 12345, 23456, "diagnose"), ({"SUDO_UID": "0", "SUDO_GID": "0"}, 65534, 65534, "info"),
         ({"SUDO_UID": "12345", "SUDO_GID": "0"}, 12345, 65534, "info"), ({"SUDO_UID": "x1", "SUDO_GID": "5"}, 65534, 65534, "info"))
side_by_side(*(partial(run, *user) for user in USERS), partial(in_folders, check_output, check_lent, check_capabilities, check_recipe, check_pager),
             partial(in_folders, check_formats), check_drops, check_gone)
side_by_side(partial(in_folders, check_rows), partial(in_folders, check_pictures), *([partial(in_folders, check_refused)] if SANDBOX else []))
in_folders(check_down)  # alone: it sets the loopback interface down
sys.exit(finish())

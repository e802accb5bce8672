#!/usr/bin/env python3
"""--pager: what a pager gets is what the terminal would show; it changes neither status nor messages, also if it is quit
early, is missing, or is not wanted."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tally import expect, finish, lacks, until
from terminal import Terminal

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "captures"))
STOP, GOOD, REFUSED, LARGE = (os.path.join(SAMPLES, name) for name in (
    "rtde-stop.pcap", "rtde-v1.pcap", "rtde-refused.pcap", "cb3-1060.pcap.gz"))
UNSET = "PAGER", "LESS", "LV", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"
PATIENCE = 20


def environment(**changes):
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    return {**kept, "TERM": "xterm", "LC_ALL": "C.UTF-8", **changes}


def on_terminal(words, pager, width=90, **changes):
    """Status and what the terminal shows of output and messages; pager None: PAGER is not set."""
    changes = changes if pager is None else {"PAGER": pager, **changes}
    with Terminal(width) as terminal, subprocess.Popen([ARMTAP, *words], stdin=subprocess.DEVNULL, stdout=terminal.theirs,
                                                       stderr=terminal.theirs, env=environment(**changes)) as program:
        shown = terminal.read(program, PATIENCE).decode(errors="replace").replace("\r\n", "\n")
    return program.returncode, shown.replace("\r\033[K", "")


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_same():
    """Through cat all is as without: colours, width, status; also of help, JSON and rows."""
    for words in (("info", STOP), ("diagnose", STOP), ("diagnose", GOOD), ("info", "--json", GOOD), ("export", GOOD), ("fields",),
                  ("explain", STOP, "--packet", "30"), (REFUSED,), ("info", "/no/such/file")):
        for width in (50, 90, 133):
            expect((words, width), on_terminal((*words, "--pager"), "cat", width) == on_terminal(words, None, width))
    expect("help", on_terminal(("info", "--pager", "--help"), "cat") == on_terminal(("info", "--help"), None))
    for words in ("help", "diagnose"), ("help",):
        for paged in (words[0], "--pager", *words[1:]), (*words, "--pager"):
            expect(paged, on_terminal(paged, "cat") == on_terminal(words, "cat"))
        paged = on_terminal(words, "sed s/^/:/")
        expect((words, "always through a pager"), paged[0] == 0 and all(line.startswith(":") for line in paged[1].splitlines()), paged)
        missing = on_terminal(words, None, PATH="/none")
        expect((words, "no pager is there"), missing == on_terminal(words, "cat"), missing)
        missing = on_terminal(words, "/none")
        expect((words, "no such pager"), missing[0] == 0 and "the pager /none cannot be run" in missing[1] and "NAME" in missing[1], missing)
    for changes in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
        shown = on_terminal(("diagnose", "--pager", STOP), "cat", **changes)[1]
        expect(("no colours", changes), "\033" not in shown and "warning" in shown, shown)
    shown = on_terminal(("diagnose", "--pager", "--color", "never", STOP), "cat")[1]
    expect("--color never", "\033" not in shown and "warning" in shown, shown)
    expect("colours", "\033[33mwarning" in on_terminal(("diagnose", "--pager", STOP), "cat")[1])
    columns = on_terminal(("diagnose", "--pager", STOP), "cat", 90, COLUMNS="60")[1]
    expect("COLUMNS", columns == on_terminal(("diagnose", STOP), None, 60)[1], columns)


def check_binary():
    """What is not written to a terminal is not written to a pager, either."""
    for words in ("plot", "-f", "png", LARGE), ("export", "-f", "parquet", "-o", "-", "--stream", "0", LARGE), \
            ("export", "-f", "mat", "-o", "-", LARGE):
        status, shown = on_terminal((*words, "--pager"), "cat")
        expect((words, "refused"), status == 2 and shown.startswith("armtap: ") and len(shown) < 500, status, shown[:300])
        expect((words, "as without"), (status, shown) == on_terminal(words, None), shown)
    status, shown = on_terminal(("plot", LARGE, "--pager"), "cat")
    expect("no picture in a pager", status == 2 and "a pager shows no pictures" in shown and "<svg" not in shown, status, shown[:300])


def check_status():
    """It is armtap's, whatever the pager does with more than a pipe holds, and whatever it returns."""
    long = "export", LARGE
    expect("long", len(subprocess.run([ARMTAP, *long], stdout=subprocess.PIPE, check=True).stdout) > 4 * 65536)
    for words, wanted in (("diagnose", GOOD), 0), (("diagnose", STOP), 1), (("fields", "--json"), 0), (("info", "/no/such/file"), 2), \
            (long, 0):
        for pager in "cat", "true", "false", "head -n 1", "sh -c 'exec <&-; sleep 0.3; exit 3'", "sh -c 'kill -9 $$'":
            status = on_terminal((*words, "--pager"), pager)[0]
            expect((words, pager, "status"), status == wanted, status)
    first = on_terminal(("fields", "--json", "--pager"), "head -n 1")[1]
    expect("the beginning was read", first.count("\n") == 1, first)


def check_wanted(folder):
    """Only on request, and only on a terminal."""
    ran = os.path.join(folder, "ran")
    pager = script(folder, "pager", "echo x >> %s; cat\n" % ran)
    on_terminal(("info", GOOD), pager)
    expect("not asked for", not os.path.exists(ran))
    plain = subprocess.run([ARMTAP, "info", "--pager", GOOD], stdout=subprocess.PIPE, env=environment(PAGER=pager), check=False)
    expect("not on a terminal", not os.path.exists(ran) and b"stream 0" in plain.stdout, plain)
    expect("nor are there its colours", b"\033" not in plain.stdout)
    on_terminal(("info", "--pager", "--no-such-option", GOOD), pager)
    on_terminal(("info", "--pager"), pager)
    expect("not for bad usage", not os.path.exists(ran))
    on_terminal(("info", "--pager", GOOD), pager)
    expect("asked for", os.path.exists(ran))


def check_default(folder):
    """less, told to show colours; an empty PAGER is none; the words of PAGER are quoted as in a shell."""
    said = os.path.join(folder, "said")
    script(folder, "less", 'for word; do echo "[$word]"; done > %s; echo "$LESS" "$LV" >> %s; cat\n' % (said, said))
    path = folder + ":" + os.environ["PATH"]
    for pager in None, "", "  ":
        on_terminal(("fields", "tcp", "--pager"), pager, PATH=path)
        expect(("default", pager), read(said) == "[-FRX]\nFRX -c\n", read(said))
        os.remove(said)
    on_terminal(("fields", "tcp", "--pager"), "less -S '-P a b' \"c 'd\" e\\ f 'g\\h'\"i\\\"\" ''", PATH=path, LESS="mine")
    expect("words", read(said) == "[-S]\n[-P a b]\n[c 'd]\n[e f]\n[g\\hi\"]\n[]\nmine -c\n", read(said))
    if shutil.which("less", path=os.environ["PATH"]):
        status, shown = on_terminal(("recipe", "--columns", "2-7", "--pager"), None)
        expect("less itself ends after one screen", status == 0 and "actual_q" in shown or "target_q" in shown, shown)
    else:
        lacks("less", "less itself")


def check_missing(folder):
    """A sentence, then everything without a pager."""
    plain = os.path.join(folder, "plain")
    with open(plain, "w", encoding="utf-8") as file:
        file.write("cat\n")
    for pager, reason in (("/no/such/pager -x", "No such file"), ("no-such-pager", "No such file"), (plain, "Permission denied"),
                          (folder, "Permission denied"), ("x " * 40, "too long")):
        status, shown = on_terminal(("diagnose", "--pager", STOP), pager)
        first, rest = shown.split("\n", 1)
        expect((pager, "sentence"), re.fullmatch(r"armtap: warning: the pager .* cannot be run: .*%s.*" % reason, first), first)
        expect((pager, "the rest"), (status, rest) == on_terminal(("diagnose", STOP), None), rest)


def check_messages(folder):
    """What goes to the terminal as a message is shown when the pager has ended, not over it; elsewhere at once."""
    cut = os.path.join(folder, "cut.pcap")
    with open(GOOD, "rb") as sample, open(cut, "wb") as file:
        file.write(sample.read()[:-100])
    pager = "sh -c 'cat; sleep 0.3; echo THE END'"
    status, shown = on_terminal(("info", "--pager", cut), pager)
    expect("after the pager", status == 2 and 0 < shown.find("stream 0") < shown.find("THE END\narmtap: "), shown)
    with Terminal(80) as terminal, open(os.path.join(folder, "errors"), "w+b") as errors:
        with subprocess.Popen([ARMTAP, "info", "--pager", cut], stdout=terminal.theirs, stderr=errors,
                              env=environment(PAGER=pager)) as program:
            terminal.read(program, PATIENCE)
        errors.seek(0)
        expect("to a file", b"armtap: " in errors.read())


def check_interrupt(folder):
    """Ctrl-C is the pager's: armtap ends after it, by the signal if it was still at work, otherwise as it would."""
    up, go = os.path.join(folder, "up"), os.path.join(folder, "go")
    waits = "touch %s; while [ ! -e %s ]; do sleep 0.05; done" % (up, go)
    reads = script(folder, "reads", "trap '' INT; cat > /dev/null; %s\n" % waits)
    blocks = script(folder, "blocks", "trap '' INT; %s; cat > /dev/null\n" % waits)
    for words, pager, wanted in ((("diagnose", "--pager", STOP), reads, 1), (("info", "--pager", "-"), reads, 2),
                                 (("export", "--pager", LARGE), blocks, -signal.SIGINT)):
        with Terminal(80) as terminal, subprocess.Popen([ARMTAP, *words], stdin=subprocess.PIPE, stdout=terminal.theirs,
                                                        stderr=terminal.theirs, env=environment(PAGER=pager)) as program:
            if wanted != 2:
                until("the pager waits", lambda: os.path.exists(up))
            time.sleep(0.3)
            program.send_signal(signal.SIGINT)
            until("the pager waits", lambda: os.path.exists(up))
            time.sleep(0.2)
            expect((words, "waits for the pager"), program.poll() is None, program.returncode)
            with open(go, "w", encoding="utf-8"):
                terminal.read(program, PATIENCE)
        expect((words, "status"), program.wait() == wanted, program.returncode)
        os.remove(up)
        os.remove(go)


check_same()
check_binary()
check_status()
for check in check_wanted, check_default, check_missing, check_messages, check_interrupt:
    with tempfile.TemporaryDirectory() as place:
        check(place)
sys.exit(finish())

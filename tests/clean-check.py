#!/usr/bin/env python3
"""armtap's output is clean for any input. Texts that attack a terminal, a spreadsheet or a parser enter in every possible
way: names, types, texts, keys, heads and comments of captures, file names, values of options. Each command that `armtap
--help` lists runs with each of its options, on a terminal and into pipes. Python judges: strict UTF-8, Unicode's
categories, json, csv, ElementTree.

clean-check.py [full]: also tries every value of every option."""
import csv
import functools
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unicodedata
import xml.etree.ElementTree

from tally import share
from terminal import Terminal

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location("aubo", os.path.join(HERE, "aubo-check.py"))
aubo = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(aubo)
ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "captures"))
FULL = "full" in sys.argv[1:]
AUBO = "without AUBO" not in subprocess.run([ARMTAP, "--version"], capture_output=True, text=True, check=True).stdout
JOINERS = "\u200c\u200d"  # Persian and Indic scripts and some emoji need them
FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"  # OWASP's list
TEXTS = [b"\x1b]0;title\x07", b"\x1b[2J\x1b[31mRED", b'a"b', b"q'q", b"line\nfeed", b"car\rret", b'=cmd|"/C calc"!A1', b"+1+1",
         b"-1", b"@SUM(A1)", b"\t=1", b"\xef\xbc\x9d1", b"<b>&amp;</b>", b"]]>", b"\xff\xfe\x80", b"\xc2\x9b31mC1",
         b"\xe2\x80\xaertl", b"\xe2\x81\xa6iso", b"\xd8\x9calm", b"\xe2\x80\xa8ls", b"\xc2\xadshy", b"\xe2\x80\x8bzw",
         b"tab\there", b"back\\slash", b"\\x1b", b"a;b", b"$(id)`id`", b"%s%n%p", b"\x00nul", b"\xf4\x90\x80\x80", b"\xed\xa0\x80",
         b"\x7f", b"#hash", b"time", b"packet", b"a b", b"\xef\xbb\xbfbom", b"\xf3\xa0\x81\x81tag", "\U0001f916".encode(), b"*",
         b"..", b"../up", b"/etc/passwd", b"x" * 300]
passed = failed = 0
seen = set()  # marks of sources that some output showed


def marked(source):
    """The texts, each after a mark that tells where it entered. Formulas must come first."""
    return [text if text[0] in b"=+-@\t\xef\xff" else source.encode() + text for text in TEXTS] + [source.encode() + b"MARK"]


# ---- captures -----------------------------------------------------------------------------------------------------------


def package(kind, body):
    return struct.pack(">HB", 3 + len(body), ord(kind)) + body


def rtde():
    """Texts of every level, names that pass as names, an unknown type and an unknown reply."""
    c = aubo.Connection(30004, 50000)
    c.send("c", package("V", b"\0\2"))
    c.send("r", package("V", b"\1"))
    for i, text in enumerate(marked("text")):
        source = text.replace(b"text", b"source")[:255]
        c.send("r", package("M", bytes([len(text[:255])]) + text[:255] + bytes([len(source)]) + source + bytes([i % 4])))
    names = [b"nameline\nfeed", b"name\ttab", b"..", b"name blank", b"car\rret", b"timestamp", b"nameMARK"]
    c.send("c", package("O", struct.pack(">d", 500) + b",".join(names)))
    c.send("r", package("O", b"\1" + b",".join([b"DOUBLE"] * len(names))))
    c.send("c", package("S", b""))
    c.send("r", package("S", b"\1"))
    for i in range(3):
        c.send("r", package("U", b"\1" + b"".join(struct.pack(">d", i + k) for k in range(len(names)))))
    c.send("c", package("I", b"inputline\nfeed,standard_digital_output,inputMARK"))
    c.send("r", package("I", b"\2NOT_FOUND,IN_USE,NOT_FOUND"))
    c.send("c", package("O", struct.pack(">d", 500) + b"askedline\nfeed,askedMARK"))
    c.send("r", package("O", b"\0NOT_FOUND,NOT_FOUND"))
    c.send("c", package("O", struct.pack(">d", 500) + b"timestamp,actual_q"))
    c.send("r", package("O", b"\1DOUBLE,TYPEMARK"))
    c.send("c", package("I", b"\x1b[31mbad," + b",".join(marked("bad"))))
    c.send("r", package("I", b"\2\x1b[31mTYPE,\xff"))
    return c


def old_texts():
    """Protocol 1 has no length before a text."""
    c = aubo.Connection(30004, 50005)
    c.send("c", package("O", b"timestamp"))
    c.send("r", package("O", b"DOUBLE"))
    for text in marked("old"):
        c.send("r", package("M", b"\1" + text[:255]))
    return c


def json_string(text):
    """As a hostile server writes it: only the escapes that JSON requires, all other bytes unchanged."""
    plain = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + re.sub(rb"[\x00-\x1f]", lambda c: b"\\u%04x" % c[0][0], plain) + b'"'


def aubo_tcp():
    c = aubo.Connection(30010, 50001)
    names = [text.replace(b"\0", b"") for text in marked("topic")]
    values = [json_string(text) for text in marked("value")]
    segments = b",".join(json_string(name) for name in names)
    c.send("c", b'[100,{"chanel":0,"frequency":50.0,"segments":[' + segments + b'],"to_server":false,"trigger":0}]')
    for _ in range(3):
        c.send("r", b"[0," + b",".join(values) + b"]")
    keyed = b"{" + b",".join(json_string(text) + b":" + json_string(text) for text in marked("key")) + b"}"
    c.send("r", b"[0," + b",".join([keyed, b"[[" + values[0] + b",[]],{}]", b'"\\u0000\\ud800\\udc00\\ud800"']
                                   + values[3:]) + b"]")
    c.send("r", b"[7," + values[0] + b"]")
    c.send("r", b'{"error":' + values[1] + b"}")
    for text in marked("broken"):
        c.send("r", b'[0,"' + text[:60] + b"\x01]")
        c.send("r", b"[0,\xff" + text[:60] + b"]")
    return c


def frame(content, opcode=1, key=b"\0\0\0\0"):
    size = bytes([0x80 | len(content)]) if len(content) < 126 else b"\xfe" + struct.pack(">H", len(content))
    return bytes([0x80 | opcode]) + size + key + content


def aubo_web():
    """Paths, heads, reasons."""
    out = []
    for i, text in enumerate(marked("head")):
        c = aubo.Connection(9013, 51000 + i)
        line = re.sub(rb"[\r\n]", b"", text)
        c.send("c", b"GET /" + line + b" HTTP/1.1\r\nHost: " + line + b"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + line
               + b": " + line + b"\r\n\r\n")
        c.send("r", b"HTTP/1.1 " + (b"101 " if i % 3 else b"404 ") + line
               + b"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Extensions: " + line + b"\r\n\r\n")
        c.send("c", frame(b'[100,{"chanel":0,"frequency":50.0,"segments":["R1_actual_q"],"to_server":false,"trigger":0}]'))
        reason = b"\x03\xf3" + text[:100].replace(b"head", b"reason")
        c.send("r", bytes([0x88, len(reason)]) + reason)
        out.append(c)
    return out


def foreign():
    out = []
    for i, port in enumerate((30001, 30003, 30004, 30010, 30013, 9012)):
        c = aubo.Connection(port, 52000 + i)
        c.send("r", b"\n".join(marked("foreign")) * 6)
        out.append(c)
    return out


def primary_messages():
    """Robot messages of the primary interface, as explain --hex takes them."""
    out = []
    for text in marked("robot"):
        for kind in (0, 2, 3, 7, 10):
            body = struct.pack(">QbB", 1, -2, kind) + {
                0: text, 2: bytes(11) + bytes([len(text[:99])]) + text[:99] + text,
                3: bytes([len(text[:99])]) + text[:99] + bytes([5, 9]) + struct.pack(">ii", 0, 0) + text,
                7: struct.pack(">iib", 1, 2, 1) + bytes([len(text[:99])]) + text[:99] + text,
                10: struct.pack(">ii", 1, 2) + text}[kind]
            out.append(struct.pack(">IB", 5 + len(body), 20) + body)
    return out


def write_pcapng(path, connections):
    """Comments and names in every place that pcapng has for them."""
    text = b"".join(marked("pcapng")).replace(b"\0", b"")

    def option(code, value):
        return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

    def block(kind, body):
        return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))
    texts = b"".join(option(code, text) for code in (1, 2, 3, 4)) + option(0, b"")
    names = struct.pack("<HH", 1, 4 + len(text) + 1) + bytes([10, 0, 0, 2]) + text + b"\0"
    with open(path, "wb") as file:
        file.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + texts))
        file.write(block(1, struct.pack("<HHI", 1, 0, 0) + option(2, text) + option(3, text) + option(12, text) + texts[:0]
                         + option(0, b"")))
        file.write(block(4, names + bytes(-len(names) % 4) + bytes(4)))
        for i, packet in enumerate(p for c in connections for p in c.packets):
            stamp = 1769860800 * 10**6 + i * 1000
            file.write(block(6, struct.pack("<IIIII", 0, stamp >> 32, stamp & 0xffffffff, len(packet), len(packet)) + packet
                             + bytes(-len(packet) % 4) + option(1, text) + option(0, b"")))
        file.write(block(5, struct.pack("<III", 0, 0, 0) + option(1, text) + option(5, struct.pack("<Q", 7)) + option(0, b"")))


def write_captures(folder):
    paths = {}
    together = aubo.Connection(30004, 49999)
    made = [("rtde", [rtde(), old_texts()]), ("foreign", foreign())]
    if AUBO:
        made += [("aubo", [aubo_tcp()]), ("web", aubo_web())]
    for name, connections in made:
        together.packets = [packet for c in connections for packet in c.packets]
        paths[name] = os.path.join(folder, name + ".pcap")
        together.write(paths[name])
    paths["pcapng"] = os.path.join(folder, "names.pcapng")
    write_pcapng(paths["pcapng"], [rtde()])
    with open(os.path.join(folder, "rubbish.pcap"), "wb") as file:
        file.write(b"\n".join(marked("rubbish")))
    with open(os.path.join(folder, "cut.pcap"), "wb") as file:
        with open(paths["rtde"], "rb") as whole:
            file.write(whole.read()[:-5])
    paths["rubbish"], paths["cut"] = os.path.join(folder, "rubbish.pcap"), os.path.join(folder, "cut.pcap")
    return paths


# ---- runs ---------------------------------------------------------------------------------------------------------------


class Done:
    def __init__(self, words, terminal, status, out, err):
        self.words, self.terminal, self.status, self.out, self.err = words, terminal, status, out, err


def run(*words, terminal=False, folder=None, colour=False):
    """Interrupts a program that does not end, as by Ctrl-C; soon if its options make it continue."""
    environment = {**os.environ, "TERM": "xterm", "PAGER": "cat"}
    environment.pop("NO_COLOR", None)
    if not colour:
        environment["NO_COLOR"] = "1"
    arguments = list(words)
    if words[0] == "serve":
        arguments[1:1] = ["--ports=30004=0", "--to=+0"]  # any port, and one record
    how = {"args": [ARMTAP, *arguments], "stdin": subprocess.DEVNULL, "cwd": folder, "env": environment}
    patience = 0.5 if {"--follow", "--paused", "--loop"} & set(words) else 8
    if terminal:
        with Terminal(100, raw=True) as screen, subprocess.Popen(**how, stdout=screen.theirs, stderr=screen.theirs) as program:
            written = screen.read(program, patience), b""
    else:
        with subprocess.Popen(**how, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            try:
                written = program.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                program.send_signal(signal.SIGINT)
                written = program.communicate(timeout=60)
    done = Done(words, terminal, program.returncode, *written)
    for mark in re.findall(rb"([A-Za-z]+)MARK", done.out + done.err):
        seen.add(mark.decode().lower())
    return done


# ---- judges -------------------------------------------------------------------------------------------------------------


def hidden(text, but="\n"):
    return sorted({"U+%04X" % ord(c) for c in text
                   if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in but + JOINERS})


def judge_shown(raw):
    """What people see: no control characters, no line that begins inside a text."""
    text = raw.replace(b"\r\x1b[K", b"").decode()
    assert not hidden(text), hidden(text)
    assert "line\nfeed" not in text, "a text begins a line"


def judge_json(raw):
    text = raw.decode()
    assert not hidden(text), hidden(text)

    def refuse(word):
        raise AssertionError("%s is no JSON" % word)
    value = json.loads(text, parse_constant=refuse, object_pairs_hook=lambda pairs: pairs)
    json.dumps(value, ensure_ascii=False).encode()  # half a pair of UTF-16 cannot be
    return value


def judge_ndjson(raw):
    text = raw.decode()
    assert not hidden(text), hidden(text)
    rows = []
    for line in text.split("\n")[:-1]:
        judge_json(line.encode())
        rows.append(json.loads(line))
    return rows


def judge_csv(raw, delimiter=","):
    text = raw.decode()
    assert "\0" not in text
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    assert len({len(row) for row in rows}) <= 1, "rows of several widths"
    return rows


def judge_gnuplot(raw):
    text = raw.decode()
    assert not hidden(text), hidden(text)
    lines = text.split("\n")[:-1]
    assert lines[0].startswith("# ") and not any("#" in line for line in lines[1:])
    widths = {len([float(cell) for cell in line.split(" ")]) for line in lines[1:]}
    assert len(widths) <= 1, widths


def judge_xml(raw):
    judge_shown(raw)
    return xml.etree.ElementTree.fromstring(raw.decode())


def is_true(truth, what):
    assert truth, what


def check(judge, done, *more):
    global passed, failed
    what = "%s%s" % (" ".join(map(ascii, done.words))[:600], " on a terminal" if done.terminal else "")
    try:
        assert done.status in (0, 1, 2, 130), "status %d" % done.status
        judge(*more)
        passed += 1
    except Exception as wrong:  # pylint: disable=broad-except
        failed += 1
        if failed <= 40:
            print("FAIL %s: %s: %s" % (what, type(wrong).__name__, str(wrong)[:300]))


def check_shown(*words, **how):
    """The same on a terminal and through pipes: no hidden characters on either."""
    done = run(*words, terminal=True, **how)
    check(judge_shown, done, done.out)
    done = run(*words, **how)
    check(judge_shown, done, done.out)
    check(judge_shown, done, done.err)
    return done


# ---- the program's own lists --------------------------------------------------------------------------------------------


def commands():
    text = run("--help").out.decode()
    return re.findall(r"^  (\w+)  ", text[text.index("Commands:"):text.index("Options:")], re.M)


@functools.cache
def options(command):
    """Names, each with the placeholder for its value."""
    return re.findall(r"^  (?:-\w, )?--([\w-]+)(?: (\S+))?", run(command, "--help").out.decode(), re.M)


@functools.cache
def takes_capture(command):
    return "CAPTURE" in run(command, "--help").out.decode().split("\n", 1)[0]


def naming(command, path):
    """The words that make a command read a capture."""
    if takes_capture(command):
        return [path]
    return ["--%s=%s" % (name, path) for name, value in options(command) if value == "CAPTURE"]


# ---- what comes by the wire ---------------------------------------------------------------------------------------------


def check_captures(paths):
    for command in commands():
        flags = [[]] + [["--" + name] for name, value in options(command) if not value and name != "help"]
        for name, path in sorted(paths.items()):
            if not naming(command, path):
                continue
            always = flags[:1] + [w for w in flags if w == ["--json"]]
            others = share([w for w in flags if w not in always], 4, "options without values") if name in ("rtde", "aubo") else []
            for words in flags if FULL else always + others:
                all_words = [command, *words, *naming(command, path)]
                if command == "export":
                    check_export(all_words)
                    continue
                done = check_shown(*all_words)
                if "--json" in words and done.out:
                    check(judge_ndjson if command == "watch" else judge_json, done, done.out)


def check_export(words):
    for more in (["-f", "ndjson"], ["-f", "ndjson", "--to-robot"]):
        done = run(*words, *more)
        check(judge_ndjson, done, done.out)
        check(judge_shown, done, done.err)
        done = run(*words, *more, terminal=True)
        check(judge_shown, done, done.out)


def packet_count(path):
    with open(path, "rb") as file:
        data = file.read()
    at, count = 24, 0
    while at < len(data):
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
        count += 1
    return count


def check_packets(paths):
    for name in [name for name in ("rtde", "aubo", "web") if name in paths]:
        count = packet_count(paths[name])
        numbers = share(range(1, count - 11, 1 if FULL else 3), 4, "packets")
        for number in numbers + list(range(count - 11, count + 1)):  # the last ones have a mark
            words = ["explain", paths[name], "--packet", str(number)]
            done = run(*words, terminal=number % 4 == 0)
            check(judge_shown, done, done.out)
            done = run(*words, "--json")
            if done.out:
                check(judge_json, done, done.out)
            if name == "rtde":
                done = run("recipe", "--from", paths[name], "--packet", str(number))
                if done.out:
                    check(judge_xml, done, done.out)
                check(judge_shown, done, done.err)
    messages = primary_messages()
    for message in share(messages[:-5:1 if FULL else 3], 4, "messages of the primary interface") + messages[-5:]:
        done = run("explain", "--hex", message.hex(), terminal=True)
        check(judge_shown, done, done.out)
        done = run("explain", "--hex", message.hex(), "--json")
        check(judge_json, done, done.out)


def check_recipes(paths):
    for words in (["--setup", "1"], ["--setup", "2", "--accepted"], ["--to-robot"], ["--plain", "--setup", "1"], ["--json", "--setup", "1"]):
        done = check_shown("recipe", "--from", paths["rtde"], "--stream", "0", *words)
        if done.out and "--json" in words:
            check(judge_json, done, done.out)
        elif done.out and "--plain" not in words:
            check(judge_xml, done, done.out)


# ---- formats ------------------------------------------------------------------------------------------------------------


def flat(value):
    if isinstance(value, list):
        return [leaf for element in value for leaf in flat(element)] or [None]
    return [value]


def texts_of(rows):
    """The text values of records in ndjson, in the order of their columns."""
    for row in rows:
        for key, value in row.items():
            if key not in ("time", "packet", "stream", "robot", "protocol", "direction"):
                yield from (leaf for leaf in flat(value) if isinstance(leaf, str))


def check_formats(paths):
    """ndjson and csv have the same texts; none controls a terminal; record.py's and gnuplot's formats are valid; parquet and mcap
    are never written to a terminal."""
    for name in ("rtde", "aubo"):
        if name not in paths:
            continue
        words = ["export", paths[name], "--stream", "0"]
        rows = judge_ndjson(run(*words, "-f", "ndjson").out)
        done = run(*words)
        cells = [cell for row in judge_csv(done.out) for cell in row]
        check(same_texts, done, list(texts_of(rows)), cells)
        safe = run(*words, "--csv-safe")
        check(judge_safe, safe, judge_csv(safe.out), judge_csv(done.out))
        safe = run(*words, "--csv-safe", terminal=True)
        check(judge_shown, safe, safe.out)
        done = run(*words, terminal=True)
        check(judge_shown, done, done.out)
        done = run(*words, "--dialect", "record.py")
        check(judge_csv, done, done.out, " ")
        done = run(*words, "--dialect", "record.py", terminal=True)
        check(judge_shown, done, done.out.replace(b"\r\n", b"\n"))
        done = run(*words, "-f", "gnuplot", "--fields", "timestamp")
        if done.out:
            check(judge_gnuplot, done, done.out)
        for form, dialect, magic in (("parquet", "", b"PAR1"), ("parquet", "small", b"PAR1"), ("npz", "", b"NUMPY"), ("arrow", "", b"\xff\xff\xff\xff"), ("mcap", "ros2", b"MCAP0")):
            done = run(*words, "-f", form, "--dialect", dialect, terminal=True)
            check(is_true, done, done.status == 2 and magic not in done.out, form + " on a terminal")
        for name, dialect in (("mat", ""), ("mat", "v5"), ("h5", "")):
            done = run(*words, "-f", name, "--dialect", dialect, terminal=True)
            check(is_true, done, done.status == 2 and b"MATLAB 5" not in done.out and b"HDF" not in done.out, name + " on a terminal")
        done = run(*words, "--union")
        check(judge_csv, done, done.out)
    done = run("export", paths["rtde"], "--csv-safe", "-f", "ndjson")
    check(is_true, done, done.status == 2, "ndjson takes --csv-safe")


def same_texts(texts, cells):
    assert len(texts) > 30 or not AUBO or "nameMARK" in cells, len(texts)
    missing = [text for text in texts if text not in cells and not text.startswith("{")]
    assert not missing, missing[:3]
    for escaped in ("\\xff\\xfe\\x80", "\\x00nul"):
        assert not texts or any(escaped in text for text in texts), escaped


def judge_safe(rows, plain):
    """An apostrophe stands before formulas and nothing else; numbers are unchanged."""
    guarded = 0
    for safe_row, row in zip(rows, plain, strict=True):
        for safe, cell in zip(safe_row, row, strict=True):
            is_number = re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", cell) and cell != "-1"
            expected = "'" + cell if cell and cell[0] in FORMULA and not is_number else cell
            guarded += safe != cell
            assert safe == expected, (safe, cell)
    assert guarded or not any(cell.startswith("=") for row in plain for cell in row)


# ---- names of files -----------------------------------------------------------------------------------------------------


def file_names():
    """As a file system accepts them: without a slash, not too long."""
    joined = b"".join(text for text in TEXTS if b"/" not in text and len(text) < 50).replace(b"\0", b"")
    return [joined, b"\x1b[31mRED", b"\xff\xe2\x80\xaertl", b"line\nfeed"]


def check_names(paths, folder):
    for i, name in enumerate(file_names()):
        place = os.path.join(folder.encode(), b"names%d" % i, name)
        os.makedirs(place)
        capture, bad = os.path.join(place, name + b".pcap"), os.path.join(place, name + b".bad")
        shutil.copy(paths["rtde"].encode(), capture)
        with open(bad, "wb") as file:
            file.write(b"\n".join(marked("inside")))
        for command in commands():
            for path in (capture, bad, place, capture + b"\x1b[31m") if i == 0 or FULL else (capture,):
                words = [os.fsencode(word) for word in naming(command, os.fsdecode(path))]
                if not words:
                    words = [path]
                if command == "export":
                    done = run(command, "-f", "ndjson", *words, terminal=True)
                    check(judge_shown, done, done.out)
                    done = run(command, "-f", "ndjson", *words, *words, terminal=True)  # `file` of each row
                    check(judge_shown, done, done.out)
                    done = run(command, "--fields", "file,timestamp", "--stream", "0", *words, terminal=True)
                    check(judge_shown, done, done.out)
                    done = run(command, "--fields", "file,timestamp", "--stream", "0", *words)
                    check(judge_csv, done, done.out)
                    continue
                check_shown(command, *words)
                done = run(command, "--json", *words, *words)
                check(judge_shown, done, done.err)
                if done.out:
                    check(judge_ndjson if command == "watch" else judge_json, done, done.out)
        check_shown("info", "--recipe", bad, capture)
        check_shown("info", "--recipe", place, capture)
        check_outputs(capture, place, name)


def check_outputs(capture, place, name):
    """--split makes files with the name that was given, for any capture; failures are reported."""
    here = os.path.join(place, b"out")
    os.mkdir(here)
    done = check_shown("export", "--split", "-o", os.path.join(here, name + b".csv"), capture)
    made = sorted(os.listdir(here))
    check(is_true, done, made == [name + b".0.csv"], made)
    check_shown("export", "-o", os.path.join(place, b"none", name + b".csv"), "--stream", "0", capture)
    check_shown("export", "-o", place, "--stream", "0", capture)
    check_shown("export", "-o", os.path.join(place, name), "--stream", "0", capture)
    check_shown("export", "-o", capture, "-f", "csv", "--stream", "0", capture)


# ---- values of options --------------------------------------------------------------------------------------------------


def check_options(paths, folder):
    joined = b"".join(TEXTS).replace(b"\0", b"")
    values = [joined, b"1\x1b[31m", b"@\xff"] + ([text.replace(b"\0", b"") for text in TEXTS] if FULL else [])
    for command in commands() + ["help", "\x1b[31m", joined]:
        check_shown(command, joined)
        check_shown(command, b"--" + joined)
        check_shown(command, b"-\x1b[31m")
        for name, value in options(command) if isinstance(command, str) and command.isalpha() else ():
            for given in share(values, 3, "values of each option") if value else ():
                done = run(command, b"--%s=%s" % (name.encode(), given), *naming(command, paths["rtde"]), terminal=True,
                           folder=folder)
                check(judge_shown, done, done.out)
    check_shown(b"--" + joined)


def check_recipe_files(paths, folder):
    """Files for --recipe: names, types, malformed XML."""
    text = b"".join(marked("recipe")).replace(b"\0", b"")
    contents = [b"%s DOUBLE\n" % re.sub(rb"\s", b"", name) for name in marked("recipe")] + [
        b"timestamp %s\n" % re.sub(rb"\s", b"", kind) for kind in marked("recipe")]
    contents += [b'<?xml version="1.0"?><rtde_config><recipe key="%s"><field name="%s" type="%s"/></recipe></rtde_config>'
                 % ((kind,) * 3) for kind in (text, b"&#x202e;&#xfeff;&#10;line&#10;feed", b"DOUBLE")]
    contents += [b'[100,{"chanel":0,"frequency":50,"segments":[%s]}]' % json_string(kind) for kind in marked("recipe")]
    path = os.path.join(folder, "recipe")
    for content in share(contents, 4, "recipes"):
        with open(path, "wb") as file:
            file.write(content)
        done = run("info", "--recipe", path, paths["foreign"], terminal=True)
        check(judge_shown, done, done.out)


# ---- the rest -----------------------------------------------------------------------------------------------------------


def check_categories(folder):
    """Each character of the categories, one at a time, in a robot's text."""
    code_points = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
    c = aubo.Connection(30004, 50000)
    for i in range(0, len(code_points), 40):
        text = "".join(code_points[i:i + 40]).encode()
        c.send("r", package("M", bytes([len(text)]) + text + b"\1s\1"))
    path = os.path.join(folder, "categories.pcap")
    c.write(path)
    done = check_shown("diagnose", path)
    check(is_true, done, done.out.count(b"\\x") > 2 * len(code_points), "texts are missing")
    done = run("diagnose", "--json", path)
    check(judge_json, done, done.out)


def check_colour(paths):
    """With colours: only our own."""
    done = run("diagnose", paths["rtde"], terminal=True, colour=True)
    # Ours begin and end in one line, never within another: a text's own escape remains.
    plain = re.sub(rb"\x1b\[(?:1|3[1236])m([^\x1b\n]*)\x1b\[0m", rb"\1", done.out).replace(b"\x1b[0m", b"")
    check(is_true, done, b"\x1b[31merror" in done.out, "there is no colour")
    check(judge_shown, done, plain)


EXPECTED = {"text", "source", "old", "name", "input", "asked", "type", "robot", "recipe"} | (
    {"topic", "value", "key", "head", "reason"} if AUBO else set())


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = write_captures(folder)
        check_captures(paths)
        check_packets(paths)
        check_recipes(paths)
        check_formats(paths)
        check_names(paths, folder)
        check_options(paths, folder)
        check_recipe_files(paths, folder)
        check_categories(folder)
        check_colour(paths)
    print("sources that some output showed: %s" % " ".join(sorted(seen)))
    if EXPECTED - seen:
        print("FAIL sources that none showed, so that nothing was tested: %s" % " ".join(sorted(EXPECTED - seen)))
    print("%d passed, %d failed" % (passed, failed + len(EXPECTED - seen)))
    return 1 if failed or EXPECTED - seen or passed < 300 else 0


if __name__ == "__main__":
    sys.exit(main())

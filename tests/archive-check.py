#!/usr/bin/env python3
"""Captures in several files, decoded one by one, give the rows that all of them give at once: sample captures, and those
with holes and packets out of order, are cut, indexed together and one by one, and exported part by part in any order."""
import gzip
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

from tally import share

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
CAPTURES = os.path.join(os.environ.get("srcdir", "."), "captures")
COLUMNS = "time_ns,packet,file,stream,robot,client,direction,lost_bytes,lost_s,skipped,*"


def run(*arguments, status=(0,)):
    done = subprocess.run([ARMTAP, *arguments], capture_output=True, check=False)
    if done.returncode not in status:
        sys.exit(f"armtap {' '.join(arguments)}: status {done.returncode}\n{done.stderr.decode()}")
    return done


# ---- cutting


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def split_pcapng(data):
    order = "<" if data[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
    head, packets, at = b"", [], 0
    while at < len(data):
        kind, length = struct.unpack(order + "II", data[at : at + 8])
        block = data[at : at + length]
        if kind == 6:
            packets.append(block)
        elif kind in (0x0A0D0D0A, 1):
            head += block
        at += length
    return head, packets


def split_pcap(data):
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    packets, at = [], 24
    while at < len(data):
        length = struct.unpack(order + "I", data[at + 8 : at + 12])[0]
        packets.append(data[at : at + 16 + length])
        at += 16 + length
    return data[:24], packets


def split(data):
    """The beginning of a capture file, and its packets."""
    return split_pcapng(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else split_pcap(data)


def disturbed(packets, chance):
    """Some packets lost, some late, some twice."""
    packets = list(packets)
    for i in range(len(packets) - 4):
        if chance.random() < 0.02:
            packets.insert(i + chance.randint(1, 3), packets.pop(i))
    out = []
    for packet in packets:
        what = chance.random()
        out += [] if what < 0.02 else [packet, packet] if what < 0.04 else [packet]
    return out


def write_parts(folder, head, packets, ends):
    names, begin = [], 0
    for i, end in enumerate(sorted(ends) + [len(packets)]):
        names.append(os.path.join(folder, f"part-{i:03}.cap"))
        with open(names[-1], "wb") as file:
            file.write(head + b"".join(packets[begin:end]))
        begin = end
    return names


# ---- comparing


def rows_of(output):
    """CSV: the header, and the rows behind it."""
    header, _, rows = output.partition(b"\n")
    return header, rows


def compare(what, names, sidecars, options, chance):
    whole = run("export", *options, *names, status=(0, 2))
    shuffled = list(enumerate(names))
    chance.shuffle(shuffled)
    parts = {}
    for i, name in shuffled:
        previous = os.path.join(sidecars, os.path.basename(names[i - 1]) + ".armtap.json")
        after = previous if i > 0 and chance.random() < 0.3 else sidecars
        parts[i] = run("export", "--after", after, *options, name, status=(whole.returncode,)).stdout
    if "csv" in options and whole.returncode == 0:
        header, rows = rows_of(whole.stdout)
        split_parts = [rows_of(parts[i]) for i in range(len(names))]
        same = rows == b"".join(part for _, part in split_parts)
        same = same and all(other == header for other, part in split_parts if part)
    else:
        same = whole.stdout == b"".join(parts[i] for i in range(len(names)))
    if not same:
        with open("archive-check.whole", "wb") as file:
            file.write(whole.stdout)
        with open("archive-check.parts", "wb") as file:
            file.write(b"".join(parts[i] for i in range(len(names))))
        sys.exit(f"{what}: export {' '.join(options)}: the parts differ from the whole: archive-check.{{whole,parts}}")
    return whole.stdout.count(b"\n")


def compare_summaries(what, command, folder, names, sidecars, chance):
    """What a command prints as JSON of the parts adds up to that of the whole."""
    whole = run(command, "--json", *names, status=(0, 1, 2))
    summaries = []
    for i, name in enumerate(names):
        summaries.append(os.path.join(folder, f"{command}-{i}.json"))
        with open(summaries[-1], "wb") as file:
            file.write(run(command, "--json", "--after", sidecars, name, status=(0, 1, 2)).stdout)
    chance.shuffle(summaries)
    merged = run("merge", *summaries, status=(0, 1))
    if merged.stdout != whole.stdout:
        with open("archive-check.whole", "wb") as file:
            file.write(whole.stdout)
        with open("archive-check.parts", "wb") as file:
            file.write(merged.stdout)
        sys.exit(f"{what}: what {command} prints of the parts differs from the whole: archive-check.{{whole,parts}}")
    if whole.returncode != merged.returncode and whole.returncode != 2:
        sys.exit(f"{what}: merge's status is {merged.returncode}, {command}'s {whole.returncode}")


def files_of(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                yield os.path.relpath(os.path.join(path, name), folder), file.read()


def compare_folders(what, folder, names, sidecars, chance):
    """A partitioned folder gets the same files from the parts, in any order, as from the whole."""
    run("export", "-f", "parquet", "-o", os.path.join(folder, "whole") + "/", *names, status=(0, 2))
    for name in chance.sample(names, len(names)):
        run("export", "-f", "parquet", "-o", os.path.join(folder, "parts") + "/", "--after", sidecars, name, status=(0, 2))
    whole, parts = (dict(files_of(os.path.join(folder, name))) for name in ("whole", "parts"))
    if whole != parts:
        sys.exit(f"{what}: other files in the folder: {sorted(whole)} and {sorted(parts)}")


def index(folder, names, together, chance):
    sidecars = os.path.join(folder, "together" if together else "alone")
    if together:
        run("index", "-o", sidecars, *names)
    else:
        for name in chance.sample(names, len(names)):
            run("index", "-o", sidecars, name)
    return sidecars


WAYS = (
    ("-f", "ndjson"),
    ("-f", "ndjson", "--to-robot"),
    ("-f", "csv", "--union", "--fields", COLUMNS),
)


def check(name, head, packets, ends, chance, ways=WAYS, apart=True):
    rows = 0
    with tempfile.TemporaryDirectory() as folder:
        names = write_parts(folder, head, packets, ends)
        for together in (True, False) if apart else (True,):
            sidecars = index(folder, names, together, chance)
            for options in ways:
                what = f"{name} cut at {sorted(ends)}, indexed {'together' if together else 'one by one'}"
                rows += compare(what, names, sidecars, options, chance)
            if together:
                compare_folders(what, folder, names, sidecars, chance)
            for command in ("info", "diagnose"):
                compare_summaries(what, command, folder, names, sidecars, chance)
    return rows


def check_samples():
    chance = random.Random(5)
    with open(os.path.join(CAPTURES, "INDEX"), encoding="utf-8") as file:
        samples = [line.split()[0] for line in file if not line.startswith("#")]
    for name in share(samples, 10, "samples"):
        head, packets = split(read(os.path.join(CAPTURES, name)))
        rows = 0
        for parts in (2, 5):
            ends = chance.sample(range(1, len(packets)), parts - 1)
            rows += check(name, head, packets, ends, chance)
        rows += check(f"{name} disturbed", head, disturbed(packets, chance), [len(packets) // 3, len(packets) // 2], chance,
                      apart=False)
        print(f"{name}: {rows} rows")


# ---- what can be wrong


def expect(what, words, *arguments):
    done = run(*arguments, status=(2,))
    message = done.stderr.decode()
    if not all(word in message for word in words):
        sys.exit(f"{what}: {message}")


def check_faults():
    head, packets = split(read(os.path.join(CAPTURES, "rtde-v2.pcapng.gz")))
    chance = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        names = write_parts(folder, head, packets, [200, 400, 600])
        together, alone = index(folder, names, True, chance), index(folder, names, False, chance)
        sidecar = os.path.join(together, "part-001.cap.armtap.json")
        with open(sidecar, "rb") as file:
            whole = file.read()
        expect("not a capture of the folder", ["no sidecar", "armtap index"], "export", "--after", together, "Makefile")
        expect("no such folder", ["No such file", "armtap index"], "export", "--after", "no-such-folder", names[1])
        expect("the wrong predecessor", ["does not come next", "part-002.cap"], "export", "--after", sidecar, names[3])
        expect("--every", ["--every"], "export", "--after", together, "--every", "2", names[1])
        expect("a sidecar as output", ["also an input"], "export", "--after", together, "-f", "csv", "-o", sidecar, names[2])
        if read(sidecar) != whole:
            sys.exit("export replaced a sidecar that it reads")
        expect("two captures", ["--after"], "export", "--after", together, names[1], names[2])
        expect("info without --json", ["--json"], "info", "--after", together, names[1])
        expect("a summary twice", ["one capture"], "merge",
               *[write_summary("info", folder, alone, names[1], i) for i in (1, 2)])
        check_diagnoses(folder, alone, names, chance)
        dump = os.path.join(folder, "dump")
        with open(dump, "wb") as file:
            file.write(b"".join(struct.pack(">id1048x", 1060, 0.008 * i) for i in range(20)))
        expect("a dump", ["dump", "cat"], "index", "-o", os.path.join(folder, "dumps"), dump)
        for name, words in ((b".hidden.pcap", ["hidden"]), (b"K\xf6ln.pcap", ["not UTF-8"])):
            path = os.path.join(folder, os.fsdecode(name))
            with open(path, "wb") as file:
                file.write(read(names[0]))
            expect("a name that a sidecar cannot have", words, "index", "-o", os.path.join(folder, "odd"), path)
        calls = os.path.join(folder, "calls.pcap")
        with open(calls, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            file.write((struct.pack("<IIII", 1, 0, 42, 42) + bytes(42)) * 50)
        run("index", "-o", calls + ".sidecars", calls)
        expect("no telemetry in the whole archive", ["no telemetry: 50 packets"], "export", "--after", calls + ".sidecars", calls)
        expect("no summary", ["not a summary"], "merge", sidecar)
        os.remove(sidecar)
        expect("a sidecar is missing", ["part-002.cap", "indexed after part-001.cap", "part-000.cap"],
               "export", "--after", together, names[3])
        damage(whole, sidecar, together, names, chance)
        os.remove(os.path.join(alone, "part-001.cap.armtap.json"))
        run("export", "--after", alone, "-o", os.path.join(folder, "x.csv"), names[3], status=(0, 2))
        # the newest capture need not be indexed, and may come from a pipe
        before = os.path.join(index(os.path.join(folder), names[:3], True, chance), "part-002.cap.armtap.json")
        with open(sidecar, "wb") as file:
            file.write(whole)
        os.remove(os.path.join(together, "part-003.cap.armtap.json"))
        rows = run("export", "-f", "ndjson", *names).stdout.splitlines()
        newest = run("export", "-f", "ndjson", "--after", before, names[3]).stdout.splitlines()
        if not newest or newest != rows[-len(newest):]:
            sys.exit("the newest capture, without a sidecar of its own, gives other rows")


def write_summary(command, folder, sidecars, name, number):
    path = os.path.join(folder, f"{command}-{number}.json")
    with open(path, "wb") as file:
        file.write(run(command, "--json", "--after", sidecars, name, status=(0, 1, 2)).stdout)
    return path


def check_diagnoses(folder, sidecars, names, chance):
    """What merge refuses, and what it says of diagnoses that are not all there, or of no archive."""
    parts = [write_summary("diagnose", folder, sidecars, name, i) for i, name in enumerate(names)]
    info = write_summary("info", folder, sidecars, names[0], 9)
    expect("two kinds", ["one is from armtap info", "diagnose"], "merge", parts[0], info)
    expect("a diagnosis twice", ["one capture"], "merge", parts[1], parts[0], parts[1])
    expect("diagnose without --json", ["--json"], "diagnose", "--after", sidecars, names[1])
    if b"2 of 4 captures" not in run("merge", parts[3], parts[0], status=(0, 1)).stderr:
        sys.exit("merge does not say that captures are missing")
    with open(parts[1], "rb") as file:
        whole = file.read()
    for _ in share(range(60), 12, "damages of diagnoses"):
        bytes_ = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            bytes_[chance.randrange(len(bytes_))] = chance.choice(b'"[]{},:0123456789AZ/=\\ \x00\xff')
        with open(parts[1], "wb") as file:
            file.write(bytes_)
        run("merge", *parts, status=(0, 1, 2))
    for what, old, new in (("a text for a number", b'"steps": ', b'"steps": "x", "was": '), ("a channel", b'"channel": 0', b'"channel": 100'),
                           ("a bin", b'"jitter": [', b'"jitter": [99999, 1, '), ("a time", b'"time_s": ', b'"time_s": 1e300, "was": '),
                           ("a clock", b'"points": [', b'"points": [-1, 0, '), ("half a point", b'"points": [', b'"points": [1, '),
                           ("a protocol", b'"protocol": "rtde"', b'"protocol": "none"'), ("a stream", b'"stream": 0,', b'"stream": 4294967296,')):
        if old not in whole:
            sys.exit(f"a diagnosis without {old}")
        with open(parts[1], "wb") as file:
            file.write(whole.replace(old, new, 1))
        expect(what, ["diagnose-1.json", "damaged", "print it again"], "merge", *parts)
    check_joined(folder)


def check_joined(folder):
    """Diagnoses of captures that are no archive: one after another, streams and evidence with new numbers."""
    samples, parts = ("rtde-stop.pcap", "several-clients.pcapng", "rtde-refused.pcap"), []
    for name in samples:
        parts.append(os.path.join(folder, name + ".json"))
        with open(parts[-1], "wb") as file:
            file.write(run("diagnose", "--json", os.path.join(CAPTURES, name), status=(0, 1, 2)).stdout)
    single = []
    for path in parts:
        with open(path, encoding="utf-8") as file:
            single.append(json.load(file))
    merged = json.loads(run("merge", *parts, status=(0, 1)).stdout)
    if [stream["stream"] for stream in merged["streams"]] != list(range(sum(len(one["streams"]) for one in single))):
        sys.exit("merge of diagnoses: streams are not numbered anew")
    if [finding["text"] for finding in merged["findings"]] != [f["text"] for one in single for f in one["findings"]]:
        sys.exit("merge of diagnoses: other findings")
    told = [(v["text"], [one["findings"][i] for i in v["evidence"]]) for one in single for v in one["incidents"]]
    for finding in (f for one in single for f in one["findings"]):
        del finding["stream"]
    for finding in merged["findings"]:
        del finding["stream"]
    if told != [(v["text"], [merged["findings"][i] for i in v["evidence"]]) for v in merged["incidents"]]:
        sys.exit("merge of diagnoses: other incidents")
    if len({i for v in merged["incidents"] for i in v["streams"]}) < 2:
        sys.exit("merge of diagnoses: incidents without streams of their own")


def damage(whole, sidecar, folder, names, chance):
    """A damaged sidecar ends in a message, never in other rows: its sums are CRC-32 of the text before them, also zlib's."""
    text = whole.decode()
    for key in ('"head_crc32": ', '"crc32": '):
        before, _, after = text.rpartition(key)
        if int(re.match("[0-9]+", after).group()) != zlib.crc32((before + key).encode()):
            sys.exit(f"{key}{after[:10]}: not the sum of the text before it")
    with open(sidecar, "wb") as file:
        file.write(whole)
    rows, refused = run("export", "-f", "csv", "--after", folder, names[2]).stdout, 0
    tries = share(range(60), 6, "damages of sidecars")
    for _ in tries:
        bytes_ = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            bytes_[chance.randrange(len(bytes_))] = chance.choice(b'"[]{},:0123456789AZ/=\\ \x00\xff')
        with open(sidecar, "wb") as file:
            file.write(bytes_[: chance.choice((len(bytes_), chance.randrange(len(bytes_))))])
        done = run("export", "-f", "csv", "--after", folder, names[2], status=(0, 2))
        if done.returncode == 0 and done.stdout != rows:
            sys.exit("a damaged sidecar: other rows")
        refused += done.returncode == 2
    if refused < 0.9 * len(tries):
        sys.exit(f"damaged sidecars: only {refused} of {len(tries)} are refused")


def check_manifest():
    head, packets = split(read(os.path.join(CAPTURES, "rtde-stop.pcap")))
    chance = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        names = write_parts(folder, head, packets[:101] + packets[102:], [100, 300])
        sidecars, manifest = index(folder, names, True, chance), os.path.join(folder, "manifest")
        whole = run("export", "-f", "csv", "--strict", *names, status=(1,)).stdout.count(b"\n") - 1
        for i, name in enumerate(names):
            run("export", "--after", sidecars, "--strict", "--findings-ok", "--manifest", manifest, "-o", f"{name}.csv", name)
        with open(manifest, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        if [line["inputs"] for line in lines] != [[name] for name in names] or \
                [line["outputs"] for line in lines] != [[f"{name}.csv"] for name in names] or \
                sum(line["rows"] for line in lines) != whole or \
                [line["bytes_lost"] > 0 for line in lines] != [False, True, False] or \
                ["stream.gap" in line["notes"] for line in lines] != [False, True, False] or [line["status"] for line in lines] != [0, 1, 0]:
            sys.exit(f"the manifest: {lines}")
        with open(names[0], "ab") as file:
            file.write(packets[100][:-20])
        run("export", "--manifest", manifest, "-o", f"{names[0]}.csv", names[0], status=(2,))
        with open(manifest, encoding="utf-8") as file:
            *_, line = [json.loads(line) for line in file]
        if line["outputs"] != [f"{names[0]}.csv"] or line["rows"] == 0 or line["status"] != 2:
            sys.exit(f"the manifest of a capture that is cut off: {line}")


def refuse_manifest(what, folder, words, manifest, *arguments):
    """Status 2 before a row is written, and every file is as it was."""
    before = dict(files_of(folder))
    expect(what, ["--manifest " + manifest, *words], "export", "--manifest", manifest, *arguments)
    if dict(files_of(folder)) != before:
        sys.exit(f"{what}: a file changed")


def check_refused_manifests():
    """A manifest that is an input, an output or something else."""
    with tempfile.TemporaryDirectory() as folder:
        capture, other, out, link, rows, split_rows, lines = (
            os.path.join(folder, name) for name in ("k2.pcap", "k1.pcap", "x.parquet", "link", "x.ndjson", "x.0.ndjson", "lines"))
        for name in (capture, other):
            with open(name, "wb") as file:
                file.write(read(os.path.join(CAPTURES, "rtde-stop.pcap")))
        os.symlink(capture, link)
        run("export", capture, "-o", rows)
        refuse_manifest("a capture that a pattern named", folder, ["not a manifest"], other, capture, "-o", out)
        for name in (capture, link):
            refuse_manifest("an input", folder, ["also an input"], name, capture, "-o", out)
        refuse_manifest("rows", folder, ["not a manifest"], rows, capture, "-o", out)
        refuse_manifest("the output", folder, ["also an output"], out, capture, "-o", out)
        refuse_manifest("the old output", folder, ["also an output"], rows, capture, "-o", rows)
        refuse_manifest("no folder", folder, ["create its folder"], os.path.join(folder, "none", "m"), capture, "-o", out)
        refuse_manifest("standard output", folder, ["/dev/stdout"], "-", capture, "-o", out)
        expect("a file of --split", ["also an output"], "export", "--manifest", split_rows, capture, "--split", "-o", rows)
        within = os.path.join(folder, "new", "m")
        for manifest, to in ((within, os.path.dirname(within) + "/"), (lines, out), (lines, out)):
            run("export", "--manifest", manifest, "-f", "parquet", capture, "-o", to)
        if read(lines).count(b"\n") != 2 or json.loads(read(within))["status"] != 0:
            sys.exit("manifests that may be written")


def set_back(packets, seconds):
    """The packets of a little-endian pcap, captured earlier."""
    return [struct.pack("<I", struct.unpack("<I", packet[:4])[0] - seconds) + packet[4:] for packet in packets]


def same_rows(what, sidecars, names):
    whole = run("export", "-f", "ndjson", *names).stdout
    parts = b"".join(run("export", "-f", "ndjson", "--after", sidecars, name).stdout for name in names)
    if whole != parts:
        sys.exit(f"{what}: the parts differ from the whole")


def check_changed(what, sidecars, name):
    """A capture that is not what was indexed is refused for that alone, and leaves the output as it is."""
    out = os.path.join(os.path.dirname(name), "changed.csv")
    with open(out, "wb") as file:
        file.write(b"of the day before\n")
    done = run("export", "--after", sidecars, name, "-o", out, status=(2,))
    message = done.stderr.decode()
    if message.count("\n") != 1 or not all(word in message for word in (os.path.basename(name), "changed since it was indexed", "index it and the captures after it again")):
        sys.exit(f"{what}: {message}")
    if read(out) != b"of the day before\n":
        sys.exit(f"{what}: the output was replaced")
    for command in ("info", "diagnose"):
        done = run(command, "--json", "--after", sidecars, name, status=(2,))
        if done.stdout or b"changed since it was indexed" not in done.stderr:
            sys.exit(f"{what}: {command}: {done.stdout[:200]} {done.stderr.decode()}")


def check_replaced():
    """Two days' captures of one name in one folder: the sidecar is of the later one."""
    with tempfile.TemporaryDirectory() as folder:
        sidecars, names = os.path.join(folder, "sc"), [os.path.join(folder, day, "run.pcap") for day in ("mon", "tue")]
        for name, sample in zip(names, ("rtde-stop.pcap", "rtde-refused.pcap")):
            os.mkdir(os.path.dirname(name))
            with open(name, "wb") as file:
                file.write(read(os.path.join(CAPTURES, sample)))
            run("index", "-o", sidecars, name)
        check_changed("another capture of that name", sidecars, names[0])


def known(diagnosis):
    """A diagnosis without what parts cannot know: a low rate is one of each capture, and why data came late shows after it."""
    for finding in diagnosis["findings"]:
        if finding["id"] == "silence":
            finding["args"].pop("reason", None)
            finding["text"] = finding["text"].partition(":")[0]
    lists = {key: [one for one in diagnosis[key] if one.get("id", one.get("what")) != "rate.low"] for key in ("findings", "incidents")}
    for incident in lists["incidents"]:
        incident["evidence"] = [diagnosis["findings"][i] for i in incident["evidence"] if diagnosis["findings"][i]["id"] != "rate.low"]
        incident["text"] = incident["text"].partition(":")[0]
    # a part without data of a stream does not know since when it had stopped: the silence that is found says it
    streams = [{key: one[key] for key in one if not key.startswith("stopped_")} for one in diagnosis["streams"]]
    return lists, streams, diagnosis["modes"]


def check_borders():
    """What shows only across the border of two captures: data and commands that stand still there, modes, attempts."""
    chance, seen = random.Random(7), set()
    for name in share(("rtde-stop.pcap", "driver-stop.pcap.gz", "cb3-1060.pcap.gz", "ur-rtde.pcap.gz", "not-connected.pcap"), 3, "borders"):
        head, packets = split(read(os.path.join(CAPTURES, name)))
        for cut in share((3, 10, len(packets) // 2, len(packets) - 3), 2, "cuts"):
            moved = packets[:cut] + set_back(packets[cut:], -10)
            with tempfile.TemporaryDirectory() as folder:
                names = write_parts(folder, head, moved, [cut, cut + (len(packets) - cut) // 2])
                sidecars = index(folder, names, chance.random() < 0.5, chance)
                whole = known(json.loads(run("diagnose", "--json", *names, status=(0, 1)).stdout))
                parts = [write_summary("diagnose", folder, sidecars, one, i) for i, one in enumerate(names)]
                merged = known(json.loads(run("merge", *parts, status=(0, 1)).stdout))
                if merged != whole:
                    sys.exit(f"{name} that stands still after {cut} packets: {merged}\ninstead of {whole}")
                seen.update(finding["id"] for finding in whole[0]["findings"])
    if not os.environ.get("QUICK") and not {"silence", "command.gap"} <= seen:
        sys.exit(f"borders that show only {seen}")


def check_archives():
    """Captures without packets, clocks that were set back, captures that changed, and what lies in a folder by mistake."""
    head, packets = split(read(os.path.join(CAPTURES, "cb3-1060.pcap.gz")))
    chance = random.Random(6)
    with tempfile.TemporaryDirectory() as folder:
        names = write_parts(folder, head, packets, [200, 200, 400])
        same_rows("a capture without packets", index(folder, names, True, chance), names)
        if run("diagnose", "--json", "--after", os.path.join(folder, "together"), names[1]).stdout.count(b'"archive"') != 1:
            sys.exit("diagnose of a capture without packets")
        with open(names[2], "wb") as file:
            file.write(head + b"".join(set_back(packets[200:400], 1000)))
        run("index", "-o", os.path.join(folder, "back"), *names)
        same_rows("a clock that was set back", os.path.join(folder, "back"), names)
        back = os.path.join(folder, "back")
        with open(names[2], "ab") as file:
            file.write(packets[400])
        check_changed("a capture that grew", back, names[2])
        run("index", "-o", back, os.path.join(CAPTURES, "cb2-812.pcap.gz"))
        expect("two archives", ["cb2-812.pcap.gz", "folder of its own"], "export", "--after", back, names[3])
        sidecar = os.path.join(back, "cb2-812.pcap.gz.armtap.json")
        os.rename(sidecar, os.path.join(back, "other.armtap.json"))
        expect("a renamed sidecar", ["other.armtap.json", "cb2-812.pcap.gz", "anew"], "export", "--after", back, names[3])
        os.remove(os.path.join(back, "other.armtap.json"))
        os.mkfifo(sidecar)
        expect("a pipe", ["cb2-812.pcap.gz.armtap.json", "not an ordinary file"], "export", "--after", back, names[3])


if not os.environ.get("QUICK"):
    check_samples()
check_archives()
check_borders()
check_replaced()
check_faults()
check_manifest()
check_refused_manifests()

#!/usr/bin/env python3
"""-o DIR/: a folder of files by robot and day. Names depend on the capture only, in whatever order, company and number it is
exported; nothing is replaced by less, by another capture's rows, or unless armtap wrote it; a run that fails or is killed leaves nothing
under a final name, and the next one completes it; runs side by side leave each other's files alone."""
import fcntl
import glob
import gzip
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import robot_capture
from tally import decodable, expect, finish, is_sanitized, share

ARMTAP = os.path.abspath(os.environ.get("ARMTAP", "./armtap"))
SAMPLES = os.path.join(os.path.abspath(os.environ.get("srcdir", ".")), "captures")
MIDNIGHT = 1769904000  # 2026-02-01T00:00:00Z


def run(*arguments, status=0, **more):
    done = subprocess.run([ARMTAP, "export", *arguments], capture_output=True, text=True, check=False, **more)
    expect("export %s: status" % " ".join(arguments), done.returncode == status, done.returncode, done.stderr)
    return done.stderr


def files(folder, hidden=False):
    """The files of a folder, by path, with their bytes."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            if hidden or not name.startswith("."):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


def expect_whole(what, found):
    for path, content in found.items():
        size = struct.unpack("<I", content[-8:-4])[0] if len(content) > 12 else 0
        expect("%s: %s is whole" % (what, path), content[:4] == content[-4:] == b"PAR1" and 0 < size < len(content) - 8, len(content))


def make(path, start, count, step=0.002, robot=2, days=(0,), value=0, ns=0, number=1000):
    """A capture of legacy packets, one after another, with nanoseconds; equal parts of it on days after the first."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101))
        for i in range(count):
            data = struct.pack(">Id", 1060, i * step) + struct.pack(">d", i + value) * 131
            data = data[:1060]
            head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), i & 65535, 0, 64, 6, 0, bytes((10, 0, 0, robot)), bytes((10, 0, 0, 9)))
            head += struct.pack(">HHIIBBHHH", 30003, 50000, number + 1060 * i & 0xFFFFFFFF, 1, 0x50, 24, 64240, 0, 0)
            at = start * 10**9 + round(i * step * 1e9) + ns + 86400 * 10**9 * days[i * len(days) // count]
            out.write(struct.pack("<IIII", at // 10**9, at % 10**9, len(head) + len(data), len(head) + len(data)) + head + data)


# ---- names -----------------------------------------------------------------------------------------------------------


def check_names(folder):
    """The date is that of each row; another order, another folder and more threads give the same files."""
    night, day = folder + "/night watch.pcap", folder + "/_day.pcap"
    make(night, MIDNIGHT - 1, 1000)
    make(day, MIDNIGHT + 3600, 100, robot=3)
    run(night, "-f", "parquet", "-o", folder + "/a/")
    found = files(folder + "/a")
    place = "robot=10.0.0.2%%3A30003/date=2026-%s/night%%20watch.pcap-20260131T235959.000000000Z-10.0.0.9%%3A50000.parquet"
    expect("two days", sorted(found) == [place % "01-31", place % "02-01"], sorted(found))
    run(night, "-f", "parquet", "-o", folder + "/b/deeper/", "--threads", "5")
    expect("another folder", files(folder + "/b/deeper") == found)
    run(day, "-f", "parquet", "-o", folder + "/a/")
    both = files(folder + "/a")
    expect("another capture", both.items() >= found.items() and len(both) == 3, sorted(both))
    expect("a name that Spark reads", any(path.endswith("/%5Fday.pcap-20260201T010000.000000000Z-10.0.0.9%3A50000.parquet") for path in both), sorted(both))
    run(night, "-f", "parquet", "-o", folder + "/a/")
    expect("once more", files(folder + "/a", True) == both)
    with open(night, "rb") as file:
        run("-", "-f", "parquet", "-o", folder + "/c/", stdin=file)
    expect("standard input", [path.rsplit("/")[-1] for path in files(folder + "/c")] == ["stdin-20260131T235959.000000000Z-10.0.0.9%3A50000.parquet"] * 2)
    with open(night, "rb") as file, open(folder + "/dump", "wb") as dump:
        content = file.read()
        for i in range(100):
            dump.write(content[24 + i * 1116 + 56:24 + (i + 1) * 1116])
    run("--raw", "realtime", folder + "/dump", "-f", "parquet", "-o", folder + "/d/")
    null = "__HIVE_DEFAULT_PARTITION__"
    expect("neither robot nor time", list(files(folder + "/d")) == ["robot=%s/date=%s/dump.parquet" % (null, null)], files(folder + "/d").keys())
    run(SAMPLES + "/rtde-two-recipes.pcap", "-f", "parquet", "-o", folder + "/e/")
    for more in ([], ["--to-robot"]):
        run(SAMPLES + "/rtde-v2.pcapng.gz", "-f", "parquet", "-o", folder + "/e/", *more)
    names = sorted(re.sub(r"-[0-9]{8}T[0-9]{6}[.][0-9]{9}Z-10.0.0.[0-9]*%3A[0-9]*", "-BEGIN-CLIENT", path.rsplit("/")[-1]) for path in files(folder + "/e"))
    expect("parts and directions", names == ["rtde-two-recipes.pcap-BEGIN-CLIENT.1.parquet", "rtde-two-recipes.pcap-BEGIN-CLIENT.parquet",
                                             "rtde-v2.pcapng-BEGIN-CLIENT.parquet", "rtde-v2.pcapng-BEGIN-CLIENT.to-robot.parquet"], names)
    expect_whole("names", files(folder + "/e"))
    make(folder + "/jumps.pcap", MIDNIGHT, 600, days=(0, 1, 0, 1, 2, 0, 3, 2, 4, 2, 0))
    run(folder + "/jumps.pcap", "-f", "parquet", "-o", folder + "/f/")
    names = sorted(path.partition("/")[2][5:] for path in files(folder + "/f"))
    expect("a clock that jumps", names == ["2026-02-%s/jumps.pcap-20260201T000000.000000000Z-10.0.0.9%%3A50000%s.parquet" % one for one in
                                           (("01", ".again1"), ("01", ".again2"), ("01", ""), ("02", ""), ("03", ".again1"), ("03", ""), ("04", ""), ("05", ""))], names)
    expect_whole("jumps", files(folder + "/f"))
    for name in "mon/run.pcap", "tue/run.pcap":
        os.makedirs(os.path.dirname(folder + "/" + name))
        make(folder + "/" + name, MIDNIGHT + 60 * len(os.listdir(folder)), 200)
        run(folder + "/" + name, "-f", "parquet", "-o", folder + "/g/")
    shutil.copy(folder + "/tue/run.pcap", folder + "/tue/run.cap")
    run(folder + "/tue/run.cap", "-f", "parquet", "-o", folder + "/g/")
    expect("captures of one name do not replace each other", len(files(folder + "/g")) == 3, sorted(files(folder + "/g")))


# ---- one folder, many runs --------------------------------------------------------------------------------------------


def export(folder, *captures, status=0, more=()):
    return run(*captures, "-f", "parquet", "-o", folder + "/", *more, status=status)


def check_grouping(folder):
    """Any order, any grouping, any repetition of exports gives the files of one run."""
    samples = decodable(sorted(glob.glob(SAMPLES + "/*.pcap*")))
    export(folder + "/whole", *samples)
    whole, dice = files(folder + "/whole"), random.Random(20260131)
    expect("the samples", len(whole) > len(samples) and not any(b"armtap.stream" in content for content in whole.values()), sorted(whole))
    for i in share(range(3), 3, "groupings"):
        out, rest = "%s/grouped%d" % (folder, i), samples + dice.sample(samples, 5)
        dice.shuffle(rest)
        while rest:
            group, rest = rest[:dice.choice((1, 1, 2, 5))], rest[5:] if i == 2 else rest
            group = list(dict.fromkeys(group))
            rest = [name for name in rest if name not in group] if i == 1 else rest[len(group):] if i == 0 else rest
            export(out, *group)
        export(out, *samples)
        expect("grouping %d" % i, files(out) == whole, files(out).keys() ^ whole.keys())


def check_days(folder):
    """Captures of an emulated robot, which begins alike each time: same addresses, ports and sequence numbers. Together, in any order
    and company, each gives the rows that it gives alone."""
    dice = random.Random(5)
    for what in "in mid-stream", "from its SYN on":
        names = []
        for day in range(4):
            name = "%s/%s-day%d.pcap" % (folder, what.split()[0], day)
            start = 86400 * day if day < 3 else 400
            if what == "in mid-stream":
                make(name, MIDNIGHT + start, 100 + 10 * dice.randrange(10), value=day)
            else:
                recorded = robot_capture.Capture()
                client = robot_capture.Client(recorded, start, [("timestamp", "DOUBLE"), ("robot_mode", "INT32")], 40000)
                for k in range(100 + dice.randrange(50)):
                    client.package(start + k / 125, k / 125, day)
                recorded.frames.sort(key=lambda frame: frame[0])
                recorded.write(name)
            names.append(name)
            export("%s/%s-alone" % (folder, what), name)
        alone = files("%s/%s-alone" % (folder, what))
        expect("%s: alone" % what, len(alone) == 4, sorted(alone))
        lines = {name: run(name, "-f", "csv", "-o", folder + "/rows.csv") or len(open(folder + "/rows.csv").readlines()) - 1 for name in names}
        for i in range(6):
            out = "%s/%s-together%d" % (folder, what, i)
            group = names if i == 0 else dice.sample(names, dice.choice((2, 3, 4)))
            export(out, *group)
            export(out, *names)
            expect("%s: %s together" % (what, group), files(out) == alone, {path: len(content) for path, content in files(out).items()})
        run(*names[:3], "-f", "ndjson", "-o", folder + "/rows.ndjson")
        expect("%s: rows of all days" % what, len(open(folder + "/rows.ndjson").readlines()) == sum(lines[name] for name in names[:3]), lines)


def check_replaced(folder):
    """What may be replaced: rows of the same capture, by at least as many."""
    path, fresh = folder + "/run.pcap", 0

    def grow(count, **more):
        make(path, MIDNIGHT - 1, count, **more)

    def expect_files(what, *names, more=()):
        nonlocal fresh
        fresh += 1
        export("%s/fresh%d" % (folder, fresh), *(names or [path]), more=more)
        expect(what, files(folder + "/out", True) == files("%s/fresh%d" % (folder, fresh)), sorted(files(folder + "/out")))

    def expect_kept(what, *names, more=(), said=()):
        before = files(folder + "/out", True)
        told = export(folder + "/out", *(names or [path]), more=more, status=2)
        expect(what, files(folder + "/out", True) == before and all(word in told for word in (*said, folder + "/out/")), told)

    for count in 1, 2, 3, 100, 600, 900:
        grow(count)
        export(folder + "/out", path)
        expect_files("it went on: %d rows" % count)
    export(folder + "/out", path, more=["--fields", "actual_q"])
    expect_files("other fields", more=["--fields", "actual_q"])
    export(folder + "/out", path)
    expect_files("all fields again")
    expect_kept("--from", more=["--from", "+1.5"], said=["run.pcap", "packet"])
    expect_kept("--to", more=["--to", "+0.2"], said=["run.pcap", "rows"])
    expect_kept("--every", more=["--every", "3"], said=["run.pcap", "rows"])
    for count in 899, 300, 1:
        grow(count)
        expect_kept("shorter: %d rows" % count, said=[path, "rows"])
    for count, value in (900, 1), (5000, -7), (900, 0.5):
        grow(count, value=value)
        expect_kept("another beginning, value %g" % value, said=[path, "another capture"])
    grow(900, ns=1)
    export(folder + "/out", path)
    expect("a nanosecond later: another capture", len(files(folder + "/out")) == 4, sorted(files(folder + "/out")))


def check_same_names(folder):
    """Captures of one name in one run, and a capture in two forms."""
    os.mkdir(folder + "/mon")
    os.mkdir(folder + "/tue")
    mon, tue, out = folder + "/mon/run.pcap", folder + "/tue/run.pcap", folder + "/out"
    make(mon, MIDNIGHT, 100)
    make(tue, MIDNIGHT, 100, value=9, number=1 << 31)
    said = export(out, mon, tue, status=2)
    expect("another capture in one run", not files(out, True) and mon in said and tue in said, said)
    for i, one in enumerate((mon, SAMPLES + "/rtde-v1.pcap", SAMPLES + "/not-connected.pcap", SAMPLES + "/several-clients.pcapng")):
        base, once = "/same%d" % i, "%s/once%d" % (folder, i)
        os.mkdir(folder + base)
        with open(one, "rb") as file, gzip.open(folder + base + "/" + os.path.basename(one) + ".gz", "wb") as packed:
            packed.write(file.read())
        export(once, one)
        for how, other in (("twice", one), ("copied", shutil.copy(one, folder + base)), ("packed", packed.name)):
            there = "%s/%s%d" % (folder, how, i)
            done = subprocess.run([ARMTAP, "export", one, other, "-f", "parquet", "-o", there + "/"], capture_output=True, text=True, check=False)
            wanted = files(once) if done.returncode == 0 else {}  # the same packets again, or another connection, which is refused
            expect("%s %s in one run" % (one, how), files(there, True) == wanted and (done.returncode == 0 or one in done.stderr and other in done.stderr),
                   done.returncode, done.stderr)
    export(out, mon)
    before = files(out, True)
    said = export(out, tue, status=2)
    expect("another capture in another run", files(out, True) == before and tue in said and out in said, said)
    make(tue, MIDNIGHT, 100, value=9, ns=17)
    export(out, tue)
    expect("the same second", len(files(out)) == 2, sorted(files(out)))
    with open(mon, "rb") as file, gzip.open(mon + ".gz", "wb") as packed:
        packed.write(file.read())
    before = files(out, True)
    export(out, mon + ".gz")
    expect("compressed since", files(out, True) == before, sorted(files(out)))
    for ending in ".gz.gz", ".GZ.gz", ".gz.gz.gz":
        content = b""
        with open(mon, "rb") as file:
            content = file.read()
        for _ in range(ending.count(".")):
            content = gzip.compress(content)
        with open(mon + ending, "wb") as packed:
            packed.write(content)
        export(out, mon + ending)
        expect("packed as %s" % ending, files(out, True) == before, sorted(files(out)))
    export(folder + "/long", shutil.copy(mon, "%s/%s.pcap" % (folder, "long name \u00e9" * 14)))
    expect("a long name", len(files(folder + "/long")) == 1)


def check_foreign(folder):
    """A file that armtap did not write for the folder is not replaced, nor is any other file of the run."""
    path, out, dice = folder + "/run.pcap", folder + "/out", random.Random(1)
    make(path, MIDNIGHT - 1, 100)
    export(out, path)
    export(folder + "/last", path)
    name = list(files(out))[0]
    whole = files(out)[name]
    run(path, "-o", folder + "/alone.parquet")
    with open(folder + "/alone.parquet", "rb") as file:
        alone = file.read()
    length = struct.unpack("<I", whole[-8:-4])[0]
    foreign = [b"", b"a text\n", alone, whole[:-1], whole[:-9], b"PAR1" * 3, whole[:-8] + b"\xff\xff\xff\xffPAR1", whole[:-8] + bytes(4) + b"PAR1"]
    for _ in share(range(40), 10, "damaged footers"):  # other types, lengths and nestings
        at = len(whole) - 8 - dice.randrange(1, length)
        foreign.append(whole[:at] + bytes([dice.randrange(256)]) * dice.choice((1, 4)) + whole[at + 4:-8] + struct.pack("<I", length) + b"PAR1")
    foreign += [bytes([0x1C]) * 5000 + struct.pack("<I", 5000) + b"PAR1", bytes([0x19, 0xFC]) + b"\xff" * 9 + struct.pack("<I", 11) + b"PAR1"]
    make(path, MIDNIGHT - 1, 1000)
    refused = 0
    for content in foreign:
        with open(out + "/" + name, "wb") as file:
            file.write(content)
        done = subprocess.run([ARMTAP, "export", path, "-f", "parquet", "-o", out + "/"], capture_output=True, text=True, check=False)
        refused += done.returncode == 2
        if done.returncode == 2:
            expect("foreign: kept", files(out, True) == {name: content} and name in done.stderr and path in done.stderr, done.stderr)
        else:
            expect("foreign: replaced", done.returncode == 0 and b"armtap.first_bytes" in content, done.returncode, done.stderr)
            os.remove(glob.glob(out + "/*/date=2026-02-01/*")[0])
    expect("foreign: refused", refused >= 10, refused)


def check_grid(folder):
    """Records, instants and changes do not replace one another, whichever are more, nor do those of different --grid or --changes."""
    path, out = folder + "/run.pcap", folder + "/out"
    make(path, MIDNIGHT - 1, 100)
    kinds = [], ["--grid", "1ms"], ["--grid", "50ms"], ["--changes", "actual_q"], ["--changes", "*q*"]
    for i, first in enumerate(kinds):
        there = out + str(i)
        export(there, path, more=first)
        before = files(there, True)
        for other in kinds:
            said = export(there, path, status=0 if other == first else 2, more=other)
            expect("%s after %s" % (other, first), files(there, True) == before and (other == first or "its rows are " in said), said)


def split(path, at, *parts):
    """The packets of a pcap file, in files that begin at these fractions of them."""
    with open(path, "rb") as file:
        data = file.read()
    place, packets = 24, []
    while place < len(data):
        length = 16 + struct.unpack_from("<I" if data[0] in (0xD4, 0x4D) else ">I", data, place + 8)[0]
        packets.append(data[place:place + length])
        place += length
    for part, begin, end in zip(parts, (0, *at), (*at, 1)):
        with open(part, "wb") as out:
            out.write(data[:24] + b"".join(packets[int(begin * len(packets)):int(end * len(packets))]))


def check_rotated(folder):
    """A connection that goes on from one file to the next: each file's rows are in its own files, together or alone, where alone it is
    known what they mean; where it is not, they do not replace what is known."""
    make(folder + "/legacy.pcap", MIDNIGHT - 1, 900)
    for sample, cuts in ((folder + "/legacy.pcap", (0.1, 0.6)), (SAMPLES + "/rtde-stop.pcap", (0.3, 0.7)), (SAMPLES + "/rtde-v1.pcap", (0.2, 0.25)),
                         (SAMPLES + "/rtde-two-recipes.pcap", (0.3, 0.8))):
        name = os.path.basename(sample)
        parts = ["%s/%s-%d" % (folder, name, i) for i in range(3)]
        split(sample, cuts, *parts)
        out = folder + "/out-" + name
        export(out + "-whole", *parts)
        whole = files(out + "-whole")
        dice = random.Random(3)
        for i in range(4):
            runs = [parts[:1], parts[:2], parts[1:], parts[1:2], parts[2:], parts]
            dice.shuffle(runs)
            seen = False
            for one in runs:
                done = subprocess.run([ARMTAP, "export", *one, "-f", "parquet", "-o", "%s-%d/" % (out, i)], capture_output=True, text=True, check=False)
                expect("%s: %s" % (name, one), done.returncode == 0 or (seen and one[0] != parts[0]), done.returncode, done.stderr)
                seen = seen or one[0] == parts[0]
            expect("%s: parts in any order" % name, files("%s-%d" % (out, i)) == whole, sorted(files("%s-%d" % (out, i)).keys() ^ whole.keys()), runs)


def check_refused(folder):
    sample = SAMPLES + "/rtde-v1.pcap"
    for words, said in ((["-o", folder + "/x/"], "use -f parquet"), (["-o", folder + "/x/", "-f", "ndjson"], "use -f parquet"),
                        (["-o", folder + "/x/", "-f", "parquet", "--split"], "remove --split"),
                        (["-o", folder + "/x/", "-f", "parquet", "--union"], "remove --union")):
        expect("refused", said in run(sample, *words, status=2))
    expect("nothing was made", not os.path.exists(folder + "/x"))
    with open(folder + "/file", "wb"):
        pass
    said = run(sample, "-f", "parquet", "-o", folder + "/file/", status=2)
    expect("a file in the way", "file/: cannot be written: Not a directory" in said, said)
    os.mkdir(folder + "/shut", 0o500)
    if os.getuid() != 0:
        said = run(sample, "-f", "parquet", "-o", folder + "/shut/", status=2)
        expect("a folder that is shut", "Permission denied; name a place that you may write to with -o" in said, said)
    # One of two partitions cannot be made.
    os.makedirs(folder + "/half")
    with open(folder + "/half/robot=10.0.0.11%3A30004", "wb"):
        pass
    said = run(SAMPLES + "/both-streams.pcap.gz", "-f", "parquet", "-o", folder + "/half/", status=2)
    expect("half of it cannot be written", "Not a directory" in said and list(files(folder + "/half", True)) == ["robot=10.0.0.11%3A30004"], said,
           files(folder + "/half", True).keys())


def export_timed(folder, records, runs):
    """The files of each run's output, of eight streams that together are more than may be kept in memory."""
    tools, found = os.path.join(os.environ.get("builddir", "."), "tests", "bench"), []
    with open(folder + "/wide.pcap", "wb") as file:
        subprocess.run([tools + "/stream", "legacy", str(records), "8"], stdout=file, check=True)
    for number, options in enumerate(runs):
        out = "%s/out%d/" % (folder, number)
        os.mkdir(out)
        # A child of this process would begin with its memory: `timed` measures its own child.
        reader, writer = os.pipe()
        subprocess.run([tools + "/timed", str(writer), ARMTAP, "export", folder + "/wide.pcap", *options(out)], pass_fds=[writer], check=True)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            _, _, peak, status = pipe.read().split()
        expect("eight streams: status", status == "0", options(out), status)
        expect("eight streams: memory", int(peak) <= 64 << 20 or is_sanitized(), options(out), peak)
        found.append(files(out))
    expect("eight streams: the same by any number of threads", all(some == found[0] for some in found) and len(found[0]) == 8, len(found[0]))
    return found[0]


def check_many_streams(folder):
    """Parquet's row groups end alike with any number of threads."""
    runs = [lambda out, threads=threads: ["-f", "parquet", "--threads", threads, "-o", out] for threads in ("1", "5")]
    expect_whole("eight streams", export_timed(folder, 64000, runs))


def check_many_files(folder):
    """MCAP's chunks do."""
    export_timed(folder, 96000, [lambda out, threads=threads: ["--split", "--threads", threads, "-o", out + "x.mcap"] for threads in ("1", "16")])


# ---- a bag ------------------------------------------------------------------------------------------------------------


def check_bag(folder):
    """MCAP in a folder: one file, and metadata.yaml that counts what its statistics count."""
    sample, out = SAMPLES + "/both-streams.pcap.gz", folder + "/the cell/"
    run(sample, "-f", "mcap", "-o", out)
    run(sample, "-o", folder + "/alone.mcap")
    made = files(out, True)
    expect("bag: files", sorted(made) == ["metadata.yaml", "the cell_0.mcap"], sorted(made))
    with open(folder + "/alone.mcap", "rb") as file:
        data = file.read()
    expect("bag: the same file", made.get("the cell_0.mcap") == data, len(data))
    # Statistics: opcode 11, 46 + 10 bytes a channel; the last in the file that fits.
    text = made["metadata.yaml"].decode()
    counts = [int(line.split()[1]) for line in text.splitlines() if " message_count:" in line]
    channels = len(counts) - 2
    at = data.rindex(bytes([11]) + (46 + 10 * channels).to_bytes(8, "little")) + 9
    messages, first, last = (int.from_bytes(data[at + begin:at + begin + 8], "little") for begin in (0, 26, 34))
    each = [int.from_bytes(data[at + 48 + 10 * i:at + 56 + 10 * i], "little") for i in range(channels)]
    expect("bag: counts", counts == [messages, *each, messages] and sum(each) == messages > 1000, counts, messages)
    expect("bag: times", text.count("nanoseconds: %d\n" % (last - first)) == 2 and
           text.count("nanoseconds_since_epoch: %d\n" % first) == 2, text)
    expect("bag: its file", text.count('"the cell_0.mcap"') == 2, text)
    run(sample, "-f", "mcap", "-o", out)
    expect("bag: again", files(out, True) == made)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    run(sample, "-f", "mcap", "--compression", "none", "-o", out, status=2, preexec_fn=limit)
    expect("bag: disk full", files(out, True) == made, files(out, True).keys())
    said = run(sample, "-f", "mcap", "-o", out, "--split", status=2)
    expect("bag: --split", "remove --split" in said, said)


# ---- damage -----------------------------------------------------------------------------------------------------------


def check_full(folder):
    """A file that may not grow, as on a full disk: no file, new or replaced, is touched."""
    large = folder + "/large.pcap"
    make(large, MIDNIGHT - 10, 10000)
    out = folder + "/full/"
    run(large, "-f", "parquet", "--every", "100", "-o", out)
    before = files(out, True)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    said = run(large, "-f", "parquet", "-o", out, status=2, preexec_fn=limit)
    expect("disk full", "cannot be written: File too large" in said and files(out, True) == before, said)
    run(large, "-f", "parquet", "-o", out)
    expect("room again", files(out, True).keys() == before.keys() and files(out) != before)


def check_killed(folder):
    """Killed while it writes: only names with a dot are left; a second run completes the folder and removes these."""
    large, whole, out = folder + "/large.pcap", folder + "/whole/", folder + "/killed/"
    make(large, MIDNIGHT - 30, 30000)
    run(large, "-f", "parquet", "-o", whole)
    wanted, kills, left = files(whole), 0, []
    waits = [0.02, 0.1, 0.3] + [0.01 * i for i in range(20)]  # until one leaves something
    while waits and (len(waits) > 20 or not left):
        wait = waits.pop(0)
        export = subprocess.Popen([ARMTAP, "export", large, "-f", "parquet", "-o", out])
        limit = time.monotonic() + 20
        while not glob.glob(out + "/*/*/.*") and export.poll() is None and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(wait)
        export.kill()
        kills += export.wait() == -signal.SIGKILL
        left = [path for path in files(out, True) if path not in files(out)]
        for path, content in files(out).items():
            expect("killed: %s is whole or absent" % path, wanted.get(path) == content, len(content))
    expect("killed while it ran", kills > 0 and left, kills, left)
    said = run(large, "-f", "parquet", "-o", out)
    expect("completed, and the rest is named and removed", files(out, True) == wanted and any(path in said for path in left) and
           "has been deleted" in said, said)
    with open(os.path.join(out, left[0]), "wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)  # as a run does that goes on
        said = run(large, "-f", "parquet", "-o", out)
        expect("what another run may be writing stays", files(out, True).keys() - wanted.keys() == {left[0]} and files(out) == wanted and
               "another armtap" in said, said)


def check_side_by_side(folder):
    """Runs at the same time, on several captures and twice on the same."""
    captures = []
    for i in range(3):
        captures.append("%s/run%d.pcap" % (folder, i))
        make(captures[-1], MIDNIGHT - 3, 3000, robot=2 + i)
        run(captures[-1], "-f", "parquet", "-o", folder + "/alone/")
    runs = [subprocess.Popen([ARMTAP, "export", capture, "-f", "parquet", "-o", folder + "/together/"]) for capture in captures * 3]
    expect("side by side: status", [one.wait() for one in runs] == [0] * len(runs))
    expect("side by side", files(folder + "/together", True) == files(folder + "/alone", True))
    run(*captures, "-f", "parquet", "-o", folder + "/one/")
    expect("one run names files after each row's capture", files(folder + "/one") == files(folder + "/alone"), sorted(files(folder + "/one")))


def main():
    for check in (*share((check_names, check_grouping, check_days, check_replaced, check_same_names, check_grid, check_foreign, check_rotated, check_refused, check_bag, check_full, check_killed, check_side_by_side), 2, "checks of folders"),
                  *share((check_many_streams, check_many_files), 2, "checks of eight streams")):
        with tempfile.TemporaryDirectory() as folder:
            check(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
